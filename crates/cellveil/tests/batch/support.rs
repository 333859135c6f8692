//! A folder with a batch in it.

use cellveil::{BatchLog, BatchOptions, Settings, run_batch};
use cellveil_highs::Highs;
use std::path::{Path, PathBuf};

/// A folder of its own, with copies of data.
pub(crate) struct Folder {
    dir: tempfile::TempDir,
}

impl Folder {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(dir.path().join(name), text).unwrap();
        }
        Self { dir }
    }

    /// With copies of all files of a folder of the reference data; `None` without those.
    pub(crate) fn of(data: &str) -> Option<Self> {
        let from = cellveil_testkit::shared()?.join("data").join(data);
        let folder = Self::new(&[]);
        for entry in std::fs::read_dir(from).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                std::fs::write(
                    folder.path(path.file_name().unwrap().to_str().unwrap()),
                    std::fs::read(&path).unwrap(),
                )
                .unwrap();
            }
        }
        Some(folder)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Runs a batch that is given as text.
    pub(crate) fn run(&self, batch: &str) -> Result<BatchLog, String> {
        std::fs::write(self.path("b.arb"), batch).unwrap();
        self.run_file("b.arb", &BatchOptions::default())
    }

    pub(crate) fn run_file(&self, batch: &str, options: &BatchOptions) -> Result<BatchLog, String> {
        let (log, result) = run_batch(&self.path(batch), options, &Highs, Settings::default(), &());
        match result {
            Ok(()) => Ok(log),
            Err(error) => Err(self.clean(&error.to_string())),
        }
    }

    /// A text without the name of the folder.
    pub(crate) fn clean(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.dir.path().display()), "")
    }

    pub(crate) fn dir(&self) -> &Path {
        self.dir.path()
    }
}

/// A small table of two variables, one of them with a hierarchy, as records.
pub(crate) const RECORDS: &str = "\
N1;x;90\nN1;x;5\nN1;x;5\nN1;y;30\nN1;y;20\nN1;y;40\nN2;x;20\nN2;x;25\nN2;x;35\nN2;y;50\nN2;y;45\nN2;y;40\n\
S1;x;60\nS1;x;50\nS1;x;45\nS1;y;25\nS1;y;30\nS1;y;35\nS2;x;40\nS2;x;30\nS2;x;35\nS2;y;55\nS2;y;45\nS2;y;50\n";

pub(crate) const RECORDS_RDA: &str = "\
<SEPARATOR> \";\"\nreg 2\n  <RECODEABLE>\n  <HIERARCHICAL>\n  <HIERCODELIST> \"reg.hrc\"\n  <HIERLEADSTRING> \"@\"\n\
kind 1\n  <RECODEABLE>\nval 9\n  <NUMERIC>\n";

pub(crate) const REGIONS: &str = "N\n@N1\n@N2\nS\n@S1\n@S2\n";

pub(crate) fn small() -> Folder {
    Folder::new(&[("r.csv", RECORDS), ("r.rda", RECORDS_RDA), ("reg.hrc", REGIONS)])
}

/// The commands up to `<READMICRODATA>` for the small table.
pub(crate) const READ: &str = "<OPENMICRODATA> \"r.csv\"\n<OPENMETADATA> \"r.rda\"\n\
<SPECIFYTABLE> \"reg\"\"kind\"|\"val\"||\n<SAFETYRULE> NK(1,85)|FREQ(3,10)\n<READMICRODATA>\n";
