//! Work that was interrupted goes on from the tabulated table.
//!
//! While a table is being protected, its finest cells lie beside the release to be, in a hidden file. Whoever starts the same job on the
//! same files again finds them there. The file is confidential, and gone when the work ends, in whatever way it can end by itself.

use cellveil_publish::Input;
use cellveil_tabulate::{Gathered, TableSpec};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};

/// The file with the finest cells, beside a release.
pub(crate) struct Resume {
    path: PathBuf,
    specs: Vec<TableSpec>,
    made_from: String,
}

impl Resume {
    /// For a release to be written to `out`, of these files.
    pub(crate) fn new(out: &Path, specs: Vec<TableSpec>, inputs: &[Input]) -> Self {
        let name = out.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut made_from = format!("{} {specs:?}\n", env!("CARGO_PKG_VERSION"));
        for input in inputs {
            // Writing to a string cannot fail.
            let _ = writeln!(made_from, "{} {} {}", input.name, input.bytes, input.sha256);
        }
        Self { path: out.with_file_name(format!(".{name}.tabulated")), specs, made_from }
    }

    /// The cells of an earlier attempt, if there was one.
    pub(crate) fn load(&self) -> Option<Vec<Gathered>> {
        let mut file = BufReader::with_capacity(1 << 20, File::open(&self.path).ok()?);
        let load = |spec| Gathered::load(spec, &self.made_from, &mut file);
        let gathered = self.specs.iter().map(load).collect::<Option<_>>()?;
        tracing::info!(file = %self.path.display(), "goes on from the tabulated table");
        Some(gathered)
    }

    /// Keeps the cells for a later attempt. Where they cannot be kept, a later attempt starts anew.
    pub(crate) fn save(&self, gathered: &[Gathered]) {
        let partial = self.path.with_extension("partial");
        let write = || {
            let mut file = BufWriter::with_capacity(1 << 20, File::create(&partial)?);
            for gathered in gathered {
                gathered.save(&self.made_from, &mut file)?;
            }
            file.flush()?;
            file.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
            std::fs::rename(&partial, &self.path)
        };
        if let Err(error) = write() {
            let _ = std::fs::remove_file(&partial);
            tracing::warn!(%error, "the tabulated table cannot be kept");
        }
    }
}

impl Drop for Resume {
    fn drop(&mut self) {
        // Nothing to be done if it cannot be removed, and none may be there at all.
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::System;
    use crate::tabulation::Tabulation;
    use crate::{Job, Run, Settings};
    use cellveil_tabulate::{
        Finished, FinishedSpec, Frame, Limits, Locate, Place, Plan, Progress, Record, Seen, Source,
        Tabulate, TabulateError, Units,
    };

    /// Two records of its own, or none at all.
    struct Engine {
        works: bool,
    }

    impl Locate for Engine {
        fn first(&self, _wanted: &[(&str, Option<&str>)]) -> Place {
            Place::File(PathBuf::new())
        }
    }

    impl Tabulate for Engine {
        fn gather(
            &self,
            source: &Source,
            specs: &[TableSpec],
            _limits: Limits,
            _progress: &dyn Progress,
        ) -> Result<Vec<Gathered>, TabulateError> {
            if !self.works {
                return Err(TabulateError::Empty(source.path.clone()));
            }
            let mut seen = Seen::default();
            seen.position(&[Some("p")]);
            let (dimensions, codes) = Plan::new(&specs[0])?.dimensions(&[&seen], self)?;
            let frame = Frame::new(&specs[0], dimensions, Units::default(), 0)?;
            let mut gatherer = frame.gatherer(1 << 20);
            let key = frame.layout().place(0, codes[0][0]);
            gatherer
                .push(key, Record { response: 7, weight: 1, value: 7, request: None, number: 0 })?;
            Ok(vec![Gathered::new(frame, [gatherer])?])
        }

        fn finished(&self, _: &Source, _: &FinishedSpec) -> Result<Finished, TabulateError> {
            Err(TabulateError::Empty(PathBuf::new()))
        }
    }

    #[test]
    fn an_interrupted_job_goes_on_without_its_records() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let text = "[records]\nfile = \"r.csv\"\n[table]\ndimensions = [\"a\"]\nresponse = \"x\"\n";
        let job = Job::parse(&folder.path().join("job.toml"), text)?;
        let run = Run::new(Settings::default(), &());
        let resume = |bytes| {
            let input = Input { name: "r.csv".to_owned(), bytes, sha256: String::new() };
            Resume::new(&folder.path().join("out"), job.specs(), &[input])
        };
        let values = |engine: &Engine, resume: &Resume| {
            let made = Tabulation::new(&job, engine, &run, Some(resume))?
                .made(&System { name: None, tables: vec![0] })?;
            Ok::<_, crate::Error>(made.table.values().to_vec())
        };
        let (works, rests) = (Engine { works: true }, Engine { works: false });
        assert!(values(&rests, &resume(1)).is_err());
        let killed = resume(1);
        assert_eq!(values(&works, &killed)?, [7, 7]);
        // Whoever is killed removes nothing.
        std::mem::forget(killed);
        let again = resume(1);
        assert_eq!(values(&rests, &again)?, [7, 7]);
        std::mem::forget(again);
        let changed = resume(2);
        assert!(values(&rests, &changed).is_err(), "made from another file");
        drop(changed);
        assert_eq!(std::fs::read_dir(folder.path())?.count(), 0);
        Ok(())
    }
}
