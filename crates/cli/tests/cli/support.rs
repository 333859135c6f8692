//! Jobs in temporary folders, and running the program on them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A folder with a job that succeeds, for each test to spoil in one place.
pub(crate) struct Desk {
    pub(crate) dir: TempDir,
}

pub(crate) const RECORDS: &str = "\
region,activity,turnover,holding
Aulne,crops,30,a
Aulne,crops,20,b
Aulne,crops,25,c
Aulne,food,70,d
Brisé,crops,40,e
Brisé,crops,12,f
Brisé,crops,31,g
Brisé,food,22,h
Brisé,food,35,i
Brisé,food,28,j
Garde,crops,15,k
Garde,crops,26,l
Garde,crops,24,m
Garde,food,18,n
Garde,food,33,o
Garde,food,41,p
";

pub(crate) const JOB: &str = r#"
[records]
file = "records.csv"

[table]
dimensions = ["region", "activity"]
response = "turnover"

[dimension.region]
hierarchy = "region.hrc"

[dimension.activity]
hierarchy = "activity.csv"

[rules]
frequency = { below = 3, range = 10 }
p_percent = { p = 10 }

[protect]
method = "suppress"
"#;

impl Desk {
    pub(crate) fn new() -> Self {
        let desk = Self { dir: tempfile::tempdir().unwrap() };
        desk.write("records.csv", RECORDS);
        desk.write("region.hrc", "Nord\n@Aulne\n@Brisé\nSud\n@Garde\n");
        desk.write("activity.csv", "parent,child\nAll,crops\nAll,food\n");
        desk.write("job.toml", JOB);
        desk
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    /// Replaces one piece of a file, which must be there.
    pub(crate) fn edit(&self, name: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.path(name)).unwrap();
        assert!(text.contains(from), "`{from}` is not in {name}");
        self.write(name, text.replacen(from, to, 1));
    }

    /// The program in this folder, without anything from the environment that changes what it prints.
    pub(crate) fn cellveil(&self, args: &[&str]) -> Command {
        let mut command = Command::new(insta_cmd::get_cargo_bin("cellveil"));
        command.current_dir(self.dir.path()).args(args);
        command.env_remove("CELLVEIL_LOG").env_remove("NO_COLOR").env_remove("COLUMNS");
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.cellveil(args).output().unwrap()
    }

    /// Runs the program and expects an exit status.
    pub(crate) fn expect(&self, status: i32, args: &[&str]) -> String {
        let output = self.run(args);
        let text = String::from_utf8(output.stdout).unwrap();
        let messages = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(status), "{args:?}\n{text}\n{messages}");
        text
    }

    /// Runs `protect`, which must refuse the job, say so on stderr only and write nothing.
    pub(crate) fn refusal(&self) -> String {
        let output = self.run(&["protect", "job.toml", "--out", "release"]);
        let messages = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{messages}");
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "");
        assert!(!self.path("release").exists());
        self.no_leftovers();
        messages
    }

    /// No half-written file or folder is left.
    pub(crate) fn no_leftovers(&self) {
        for entry in fs::read_dir(self.dir.path()).unwrap() {
            let name = entry.unwrap().file_name().to_string_lossy().into_owned();
            assert!(!name.starts_with('.') && !name.contains("partial"), "{name} is left");
        }
    }
}

/// Hides what differs from run to run.
pub(crate) fn steady() -> insta::internals::SettingsBindDropGuard {
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"time      \d+\.\d+ s", "time      [seconds] s");
    settings.add_filter(r#""memory_bytes": \{[^}]*\}"#, r#""memory_bytes": [bytes]"#);
    let stages =
        r#""(attack|inputs|judge|suppress|tabulate(?:: [a-z ]+)?|total|verify)": [\d.e-]+"#;
    settings.add_filter(stages, r#""$1": [seconds]"#);
    settings.add_filter(r#""peak_memory_bytes": \d+"#, r#""peak_memory_bytes": [bytes]"#);
    settings.set_omit_expression(true);
    settings.remove_info();
    settings.bind_to_scope()
}

/// A file of the shared data; `None` if there is none here. Where `CI` is set it must be there.
pub(crate) fn shared(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(name);
    if path.exists() {
        return Some(path);
    }
    assert!(std::env::var_os("CI").is_none(), "{} is absent", path.display());
    eprintln!("skipped: {} is absent", path.display());
    None
}
