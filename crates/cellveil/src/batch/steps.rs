//! The commands that open data, make tables and change them.

use super::BatchError;
use super::loaded::{Loaded, Made, Source, Wanted};
use super::log::title;
use super::machine::{Machine, State};
use cellveil_argus::arb::{Additivity, RecodeBy, Rules, Specify};
use cellveil_argus::rda::Metadata;
use cellveil_argus::{CellStatus, Fault, Micro, Records, grc, hst, read_table, text};
use std::path::{Path, PathBuf};

impl Machine<'_> {
    pub(super) fn open_tables(&mut self, name: &str) -> Result<(), Fault> {
        if matches!(self.sources.first(), Some((Source::Records(_), _))) {
            let hint = "tables made of records are listed with `<SPECIFYTABLE>`; start another job with `<CLEAR>`";
            return Err(self.fault("`<OPENTABLEDATA>` after records").hint(hint));
        }
        let files = self.paths.inputs(name);
        if files.is_empty() {
            return Err(self.no_file(name));
        }
        self.sources.push((Source::Tables(files), None));
        self.state = State::Data;
        Ok(())
    }

    pub(super) fn open_metadata(&mut self, name: &str) -> Result<(), Fault> {
        self.expect(
            "<OPENMETADATA>",
            &[State::Data],
            "it follows `<OPENMICRODATA>` or `<OPENTABLEDATA>`",
        )?;
        let file = self.input(name)?;
        let text = text::read(&file)?;
        let Some((source, metadata)) = self.sources.last_mut() else { return Ok(()) };
        *metadata = Some(match source {
            Source::Records(_) => Metadata::of_records(&file, &text)?,
            Source::Tables(_) => Metadata::of_table(&file, &text)?,
        });
        self.state = State::Metadata;
        Ok(())
    }

    pub(super) fn specify(&mut self, specify: &Specify) -> Result<(), Fault> {
        let hint = "it follows `<OPENMETADATA>`, or the `<SAFETYRULE>` of another table of the same records";
        self.expect("<SPECIFYTABLE>", &[State::Metadata, State::Rule], hint)?;
        if self.state == State::Rule && matches!(self.sources.last(), Some((Source::Tables(_), _)))
        {
            let hint = "open the data and metadata of the next table first";
            return Err(self.fault("a finished table is specified twice").hint(hint));
        }
        let source = self.sources.len().saturating_sub(1);
        let rules = Rules::default();
        let mut specify = specify.clone();
        if let Some((_, Some(metadata))) = self.sources.last() {
            specify = specify.spelled_as(metadata);
        }
        self.wanted.push(Wanted { source, specify, rules });
        self.state = State::Table;
        Ok(())
    }

    pub(super) fn check_rules(&self, rules: &Rules) -> Result<(), Fault> {
        let counts = self.wanted.last().is_some_and(|wanted| wanted.specify.response.is_none());
        let amounts = rules.concentration.iter().any(|list| !list.is_empty())
            || rules.request.iter().any(Option::is_some)
            || rules.zero.is_some();
        if counts && amounts {
            return Err(self
                .fault("a frequency table knows the rule `FREQ` only")
                .hint("leave out P, NK, REQ and ZERO, or name a response"));
        }
        let from_table = matches!(self.sources.last(), Some((Source::Tables(_), _)));
        let needs_records =
            rules.by_holding() || rules.weights || rules.request.iter().any(Option::is_some);
        if from_table && needs_records {
            return Err(self
                .fault("holdings, weights and requests are not known of a finished table")
                .hint("leave out WGT, REQ and the rules for holdings"));
        }
        Ok(())
    }

    pub(super) fn read_microdata(&mut self) -> Result<(), BatchError> {
        self.expect(
            "<READMICRODATA>",
            &[State::Rule],
            "it follows the `<SAFETYRULE>` of the last table",
        )?;
        let Some((Source::Records(file), Some(metadata))) = self.sources.first() else {
            return Err(self
                .fault("there are no records")
                .hint("open them with `<OPENMICRODATA>`")
                .into());
        };
        let tables: Vec<(Specify, Rules)> = self
            .wanted
            .iter()
            .map(|wanted| (wanted.specify.clone(), wanted.rules.clone()))
            .collect();
        let folders = folders(&[file, &metadata.file]);
        let micro = Micro::read(Records::read(file)?, metadata.clone(), &tables)?;
        let mut made = Vec::new();
        for (specify, rules) in &tables {
            let resolve =
                |name: &str| self.paths.find(name, &folders).unwrap_or_else(|| name.into());
            made.push(micro.table(specify, rules, &resolve)?);
        }
        for table in made {
            self.loaded(Made::Micro(Box::new(table)));
        }
        self.state = State::Read;
        Ok(())
    }

    pub(super) fn read_tables(&mut self, additivity: Additivity) -> Result<(), BatchError> {
        let hint = "it follows the `<SPECIFYTABLE>` or `<SAFETYRULE>` of the last table";
        self.expect("<READTABLE>", &[State::Table, State::Rule], hint)?;
        let mut made = Vec::new();
        for wanted in &self.wanted {
            let Some((Source::Tables(files), Some(metadata))) = self.sources.get(wanted.source)
            else {
                let hint = "read records with `<READMICRODATA>`";
                return Err(self.fault("there is no finished table").hint(hint).into());
            };
            let folders = folders(&[&files[0], &metadata.file]);
            let resolve =
                |name: &str| self.paths.find(name, &folders).unwrap_or_else(|| name.into());
            made.push(read_table(
                files,
                metadata,
                &wanted.specify,
                &wanted.rules,
                additivity,
                &resolve,
            )?);
        }
        for table in made {
            self.loaded(Made::Tab(Box::new(table)));
        }
        self.state = State::Read;
        Ok(())
    }

    pub(super) fn loaded(&mut self, table: Made) {
        let loaded = Loaded { table, protection: None, done: Vec::new() };
        let table = loaded.table();
        let sums = table.summary();
        let empty: u64 =
            sums.iter().filter(|(s, _)| s.is_empty()).map(|(_, sums)| sums.cells).sum();
        self.log.say(format!(
            "Table {}: {}\n{} cells, {} unsafe, {empty} empty",
            self.tables.len() + 1,
            title(table),
            table.all_cells(),
            table.count(CellStatus::is_unsafe)
        ));
        for note in table.notes.clone() {
            self.log.say(note);
        }
        let unlabelled = table.codes.iter().filter_map(|codes| Some((codes.unlabelled()?, codes)));
        let unlabelled: Vec<String> = unlabelled
            .map(|(file, codes)| {
                let (file, name) = (file.display(), &codes.dimension.name);
                format!("no labels for `{name}`: there is no file `{file}`")
            })
            .collect();
        for note in unlabelled {
            self.log.say(note);
        }
        self.tables.push(loaded);
    }

    pub(super) fn apriori(
        &mut self,
        file: &str,
        table: usize,
        options: hst::Options,
    ) -> Result<(), BatchError> {
        let at = self.number("<APRIORI>", table)?;
        let path = self.input(file)?;
        let text = text::read(&path)?;
        let loaded = &mut self.tables[at];
        loaded.protection = None;
        loaded.table_mut().adjusted = None;
        let applied = hst::apply(&path, &text, loaded.table_mut(), options)?;
        for (action, good, bad) in &applied.counts {
            let said = format!("a-priori `{action}`: {good} lines followed, {bad} skipped");
            loaded.done.push(format!("{}, {said}", super::paths::base_name(file)));
            self.log.say(said);
        }
        for line in &applied.skipped {
            self.log.say(format!("{}, {line}", super::paths::base_name(file)));
        }
        Ok(())
    }

    pub(super) fn recode(
        &mut self,
        table: usize,
        variable: &str,
        by: &RecodeBy,
    ) -> Result<(), BatchError> {
        let at = self.number("<RECODE>", table)?;
        let codes = &self.tables[at].table().codes;
        let is_meant = |name: &str| name.eq_ignore_ascii_case(variable);
        let Some(dimension) = codes.iter().position(|codes| is_meant(&codes.dimension.name)) else {
            let hint = "name one of its spanning variables";
            return Err(self
                .fault(format!("`{variable}` does not span table {table}"))
                .hint(hint)
                .into());
        };
        let file = match by {
            RecodeBy::File(name) => Some(self.input(name)?),
            RecodeBy::Level(_) => None,
        };
        let Made::Micro(made) = &self.tables[at].table else {
            let hint = "recode the records the table was made of";
            return Err(self.fault("a finished table cannot be recoded").hint(hint).into());
        };
        let before = made.original(dimension);
        let mut recoded = match (by, &file) {
            (RecodeBy::Level(level), _) => grc::fold_level(before, *level),
            (RecodeBy::File(_), Some(path)) => grc::recode(path, &text::read(path)?, before)?,
            (RecodeBy::File(name), None) => return Err(self.no_file(name).into()),
        };
        if let (Some(name), Some(path)) = (&recoded.code_list, &file) {
            let found = self.paths.find(name, &folders(&[path]));
            recoded.codes.read_labels(&found.unwrap_or_else(|| name.into()));
        }
        let made = made.as_ref().clone().recode(dimension, &recoded)?;
        let mut done = std::mem::take(&mut self.tables[at].done);
        let how = match by {
            RecodeBy::File(name) => super::paths::base_name(name).to_owned(),
            RecodeBy::Level(level) => format!("level {level}"),
        };
        done.push(format!("{variable} was recoded by {how}"));
        self.tables[at] = Loaded { table: Made::Micro(Box::new(made)), protection: None, done };
        for note in &recoded.notes {
            self.log.say(note.clone());
        }
        let table = self.tables[at].table();
        self.log.say(format!(
            "{variable} has {} codes now; {} cells are unsafe",
            table.codes[dimension].dimension.hierarchy.len(),
            table.count(CellStatus::is_unsafe)
        ));
        Ok(())
    }
}

/// The folders of some files, each once.
fn folders(files: &[&PathBuf]) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        files.iter().filter_map(|file| file.parent().map(Path::to_owned)).collect();
    folders.dedup();
    folders
}
