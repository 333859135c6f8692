//! What each command does.

use super::BatchError;
use super::loaded::Source;
use super::machine::{Machine, State};
use cellveil_argus::arb::{Command, Line, Save};
use cellveil_argus::hst;

impl Machine<'_> {
    pub(super) fn follow(&mut self, line: &Line) -> Result<(), BatchError> {
        match &line.command {
            Command::Logbook(_) | Command::Nothing | Command::GoInteractive => {}
            Command::VersionInfo(file) => {
                let text = format!("cellveil {}\n", env!("CARGO_PKG_VERSION"));
                self.write_files(&[(self.paths.output(file)?, text.into_bytes())])?;
            }
            Command::Solver(name) => {
                self.log.say(format!(
                    "{name} is noted; cellveil brings its own solver, which needs no licence"
                ));
            }
            Command::OpenMicrodata(file) => {
                let hint = "records are opened first; start another job with `<CLEAR>`";
                self.expect("<OPENMICRODATA>", &[State::Start], hint)?;
                let file = self.input(file)?;
                self.sources = vec![(Source::Records(file), None)];
                self.state = State::Data;
            }
            Command::OpenTabledata(file) => {
                let hint = "open a table first, or after the `<SAFETYRULE>` of another; start another job with `<CLEAR>`";
                self.expect("<OPENTABLEDATA>", &[State::Start, State::Table, State::Rule], hint)?;
                self.open_tables(file)?;
            }
            Command::OpenMetadata(file) => self.open_metadata(file)?,
            Command::SpecifyTable(specify) => self.specify(specify)?,
            Command::SafetyRule(rules) => {
                self.expect("<SAFETYRULE>", &[State::Table], "it follows its `<SPECIFYTABLE>`")?;
                self.check_rules(rules)?;
                if let Some(wanted) = self.wanted.last_mut() {
                    wanted.rules = rules.clone();
                }
                self.state = State::Rule;
            }
            Command::ReadMicrodata => self.read_microdata()?,
            Command::ReadTable(additivity) => self.read_tables(*additivity)?,
            Command::Apriori { file, table, separator, ignore_errors, expand } => {
                let options = hst::Options {
                    separator: *separator,
                    ignore_errors: *ignore_errors,
                    expand: *expand,
                };
                self.apriori(file, *table, options)?;
            }
            Command::Recode { table, variable, by } => self.recode(*table, variable, by)?,
            Command::Suppress(suppress) => {
                self.expect("<SUPPRESS>", &[State::Read], "read the data first")?;
                self.suppress(suppress)?;
            }
            Command::WriteTable { table, save, options, file } => {
                if *save == Save::CellKey {
                    let hint = "the method `cell-key` does not exist yet; write another type";
                    return Err(self.fault("type 7 is for cell keys").hint(hint).into());
                }
                let table = self.number("<WRITETABLE>", *table)?;
                self.write_table(table, *save, *options, file)?;
            }
            Command::Clear => {
                self.tables.clear();
                self.sources.clear();
                self.wanted.clear();
                self.state = State::Start;
            }
        }
        Ok(())
    }

    /// Tables of one response that were protected apart may give each other away.
    pub(super) fn warn_of_links(&mut self) {
        let apart: Vec<String> = self
            .tables
            .iter()
            .filter(|loaded| {
                loaded.protection.as_ref().is_some_and(|p| !p.method.contains("linked"))
            })
            .filter_map(|loaded| loaded.table().specify.response.clone())
            .collect();
        if (1..apart.len()).any(|at| apart[..at].contains(&apart[at])) {
            self.log.say(
                "note: tables of the same response were protected apart; together they may show more. \
                 Protect them as one with table number 0, as in `MOD(0)`",
            );
        }
    }
}
