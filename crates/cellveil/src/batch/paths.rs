//! Files of a batch that may come from another machine.

use cellveil_argus::Fault;
use std::path::{Path, PathBuf};

/// Where files are looked for and written to.
pub(super) struct Paths {
    /// The folder of the batch file.
    beside: PathBuf,
    /// A further folder for data.
    data: Option<PathBuf>,
    /// Where every output goes.
    out: Option<PathBuf>,
    /// What was read, so that it is never written over.
    pub(super) read: Vec<PathBuf>,
}

impl Paths {
    pub(super) fn new(batch: &Path, data: Option<PathBuf>, out: Option<PathBuf>) -> Self {
        let beside = batch.parent().unwrap_or(Path::new("")).to_owned();
        Self { beside, data, out, read: Vec::new() }
    }

    /// Finds a file that is to be read.
    pub(super) fn input(&mut self, name: &str) -> Option<PathBuf> {
        let found = self.find(name, &[])?;
        self.read.push(found.clone());
        Some(found)
    }

    /// Finds a file that metadata name: as given, else by its base name beside the data, the metadata or the batch.
    pub(super) fn find(&self, name: &str, folders: &[PathBuf]) -> Option<PathBuf> {
        let given =
            [self.beside.join(name), self.beside.join(name.replace('\\', "/")), name.into()];
        if let Some(found) = given.into_iter().find(|path| path.is_file()) {
            return Some(found);
        }
        let base = base_name(name);
        let mut folders = folders.iter().chain([&self.beside]).chain(&self.data);
        folders.find_map(|folder| in_folder(folder, base))
    }

    /// All files that a name with `*` or `?` stands for.
    pub(super) fn inputs(&mut self, name: &str) -> Vec<PathBuf> {
        let base = base_name(name);
        if !base.contains(['*', '?']) {
            return self.input(name).into_iter().collect();
        }
        let folder = &name.replace('\\', "/");
        let folder = self.beside.join(&folder[..folder.len() - base.len()]);
        let folder = if folder.is_dir() { folder } else { self.beside.clone() };
        let mut files = files_of(&folder);
        files.retain(|file| file_name(file).is_some_and(|name| fits(base, &name)));
        self.read.extend(files.iter().cloned());
        files
    }

    /// Where a file is to be written.
    ///
    /// # Errors
    /// [`Fault`] if that is a file the batch has read.
    pub(super) fn output(&self, name: &str) -> Result<PathBuf, Fault> {
        let foreign = name.contains('\\') || name.as_bytes().get(1) == Some(&b':');
        let path = match &self.out {
            Some(folder) => folder.join(base_name(name)),
            None if foreign => self.beside.join(base_name(name)),
            None => self.beside.join(name),
        };
        self.check_unread(&path)?;
        Ok(path)
    }

    /// Refuses to write over a file that the batch has read.
    pub(super) fn check_unread(&self, path: &Path) -> Result<(), Fault> {
        let same = |read: &PathBuf| match (read.canonicalize(), path.canonicalize()) {
            (Ok(read), Ok(path)) => read == path,
            _ => false,
        };
        if self.read.iter().any(same) {
            return Err(Fault::new(path, "is read by this batch and would be written over")
                .hint("give the output another name, or send outputs elsewhere with `--out`"));
        }
        Ok(())
    }
}

/// The name behind the last slash, of either kind.
pub(super) fn base_name(name: &str) -> &str {
    name.rsplit(['/', '\\', ':']).next().unwrap_or(name)
}

fn file_name(path: &Path) -> Option<String> {
    path.file_name().map(|name| name.to_string_lossy().into_owned())
}

fn files_of(folder: &Path) -> Vec<PathBuf> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|p| p.is_file()).collect();
    files.sort();
    files
}

/// A file of that name in a folder, whatever its case; the very name first.
fn in_folder(folder: &Path, name: &str) -> Option<PathBuf> {
    let exact = folder.join(name);
    if exact.is_file() {
        return Some(exact);
    }
    let alike = |path: &PathBuf| {
        file_name(path).is_some_and(|other| other.to_lowercase() == name.to_lowercase())
    };
    files_of(folder).into_iter().find(alike)
}

/// Whether a name fits a pattern of `*` and `?`.
fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.to_lowercase().chars().collect(), name.to_lowercase().chars().collect());
    let mut reached = vec![false; name.len() + 1];
    reached[0] = true;
    for sign in pattern {
        let before = reached.clone();
        for at in 0..=name.len() {
            reached[at] = match sign {
                '*' => before[..=at].iter().any(|&reached| reached),
                '?' => at > 0 && before[at - 1],
                sign => at > 0 && before[at - 1] && name[at - 1] == sign,
            };
        }
    }
    reached[name.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_other_machines_end_in_a_base_name() {
        assert_eq!(base_name("\\\\server\\share\\a b\\X.arb"), "X.arb");
        assert_eq!(base_name("C:\\data\\x.asc"), "x.asc");
        assert_eq!(base_name("/home/me/x.asc"), "x.asc");
        assert_eq!(base_name("x.asc"), "x.asc");
    }

    #[test]
    fn stars_and_question_marks_stand_for_signs() {
        assert!(fits("t?b*.csv", "TAB_01.csv"));
        assert!(!fits("t?b.csv", "tab1.csv"));
        assert!(fits("*", "x"));
    }
}
