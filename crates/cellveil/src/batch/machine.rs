//! Follows the commands of a batch, one after the other.

use super::loaded::{Loaded, Source, Wanted};
use super::log::TableLog;
use super::paths::Paths;
use super::{BatchError, BatchLog, BatchOptions};
use crate::{Progress, Settings};
use cellveil_argus::arb::{self, Command};
use cellveil_argus::rda::Metadata;
use cellveil_argus::{Fault, text};
use cellveil_lp::Engine;
use std::path::{Path, PathBuf};

/// How far a batch is; τ-ARGUS numbers these from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Start,
    Data,
    Metadata,
    Table,
    Rule,
    /// Tables are made.
    Read,
}

pub(super) struct Machine<'a> {
    pub(super) path: &'a Path,
    pub(super) options: &'a BatchOptions,
    pub(super) engine: &'a dyn Engine,
    pub(super) settings: Settings,
    pub(super) progress: &'a dyn Progress,
    pub(super) paths: Paths,
    pub(super) log: BatchLog,
    pub(super) tables: Vec<Loaded>,
    /// Whether some command asks for the intervals of an audit.
    pub(super) audited: bool,
    /// The command at hand.
    pub(super) line: u64,
    pub(super) state: State,
    pub(super) sources: Vec<(Source, Option<Metadata>)>,
    pub(super) wanted: Vec<Wanted>,
}

impl<'a> Machine<'a> {
    pub(super) fn new(
        path: &'a Path,
        options: &'a BatchOptions,
        engine: &'a dyn Engine,
        settings: Settings,
        progress: &'a dyn Progress,
    ) -> Self {
        let batch = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Self {
            path,
            options,
            engine,
            settings,
            progress,
            paths: Paths::new(path, options.data.clone(), options.out.clone()),
            log: BatchLog { batch, ..BatchLog::default() },
            tables: Vec::new(),
            audited: false,
            line: 0,
            state: State::Start,
            sources: Vec::new(),
            wanted: Vec::new(),
        }
    }

    pub(super) fn run(&mut self) -> Result<(), BatchError> {
        let lines = arb::read(self.path, &text::read(self.path)?)?;
        self.audited = lines.iter().any(|line| {
            matches!(&line.command, Command::WriteTable { options, .. } if options.audit == Some(true))
        });
        if let Some(folder) = &self.options.out {
            std::fs::create_dir_all(folder).map_err(|why| {
                Fault::new(folder, format!("cannot be made: {why}"))
                    .hint("name another folder with `--out`")
            })?;
        }
        for line in &lines {
            self.line = line.number;
            if let Command::Logbook(file) = &line.command {
                self.log.logbook = Some(self.paths.output(file)?);
                self.log.append(&format!("Log for batch run: {}", self.path.display()));
            }
            self.log.command(line.number, &line.text);
            if line.command == Command::GoInteractive {
                self.log.say("there is no window to go to; the batch ends here");
                break;
            }
            self.follow(line)?;
        }
        self.warn_of_links();
        Ok(())
    }

    /// Ends the batch and gives the log back.
    pub(super) fn end(mut self, result: &Result<(), BatchError>) -> BatchLog {
        let (status, error) = match result {
            Ok(()) => ("ok", None),
            Err(error) if error.is_unsafe() => ("not safe", Some(error.to_string())),
            Err(error) => ("failed", Some(error.to_string())),
        };
        self.log.status = status.to_owned();
        if let Some(error) = &error {
            self.log.append(&format!("Error: {error}"));
        }
        self.log.error = error;
        self.log.append(&format!("End of batch run: {}", self.path.display()));
        for (at, loaded) in self.tables.iter().enumerate() {
            let method = loaded.protection.as_ref().map(|protection| protection.method.clone());
            self.log.tables.push(TableLog::new(at + 1, loaded.table(), method));
        }
        if let (Some(logbook), Ok(text)) = (&self.log.logbook, serde_json::to_vec_pretty(&self.log))
        {
            // The log is printed as well, so a disk that is full costs nothing more.
            let _ = std::fs::write(with_added_extension(logbook, "json"), text);
        }
        self.log
    }

    /// A mistake in the command at hand.
    pub(super) fn fault(&self, what: impl Into<String>) -> Fault {
        Fault::new(self.path, what).at(self.line)
    }

    /// Where the command at hand stands.
    pub(super) fn place(&self) -> String {
        format!("{}:{}", self.path.display(), self.line)
    }

    pub(super) fn expect(&self, keyword: &str, states: &[State], hint: &str) -> Result<(), Fault> {
        if states.contains(&self.state) {
            return Ok(());
        }
        Err(self.fault(format!("`{keyword}` is not allowed in this position")).hint(hint))
    }

    pub(super) fn input(&mut self, name: &str) -> Result<PathBuf, Fault> {
        let found = self.paths.input(name);
        found.ok_or_else(|| self.no_file(name))
    }

    pub(super) fn no_file(&self, name: &str) -> Fault {
        let base = super::paths::base_name(name);
        self.fault(format!("there is no file `{name}`"))
            .hint(format!("put `{base}` beside the batch file, or correct the name"))
    }

    /// The position of a table, which must exist.
    pub(super) fn number(&self, keyword: &str, number: usize) -> Result<usize, Fault> {
        self.expect(keyword, &[State::Read], "read the data first")?;
        if (1..=self.tables.len()).contains(&number) {
            return Ok(number - 1);
        }
        Err(self
            .fault(format!("there is no table {number}"))
            .hint(format!("tables are counted from 1, and there are {}", self.tables.len())))
    }
}

/// `x.log.json` for `x.log`.
fn with_added_extension(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{extension}"));
    PathBuf::from(name)
}
