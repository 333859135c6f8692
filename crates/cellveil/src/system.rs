//! Which tables of a job are protected together.
//!
//! Tables of one response are linked: what is published of one is known of the others. So they are one system of equations, with one
//! proof. Tables of different responses share no cell, and each response is a release of its own.

use crate::{Data, Error, Job, JobError};
use cellveil_publish::Part;
use cellveil_tabulate::{DimensionSpec, HierarchySpec, TableSpec};
use std::path::{Path, PathBuf};

/// Tables of one response.
pub(crate) struct System<'a> {
    /// The name of its first table; `None` for the table that has none.
    pub(crate) name: Option<&'a str>,
    /// Its tables, as positions among all of the job.
    pub(crate) tables: Vec<usize>,
}

impl System<'_> {
    /// Where its release goes: the system of the first table as told, others beside it.
    pub(crate) fn place(&self, out: &Path) -> PathBuf {
        self.name.map_or_else(|| out.to_owned(), |name| beside(out, name))
    }

    /// What its release is called.
    pub(crate) fn title(&self, job: &Job) -> String {
        match self.tables.first().and_then(|&first| job.table(first)) {
            Some((Some(_), spec)) => {
                let names: Vec<&str> = spec.dimensions.iter().map(|d| d.name.as_str()).collect();
                let of = spec.response.as_deref().unwrap_or("counts");
                format!("{of} by {}", names.join(", "))
            }
            _ => job.title.clone(),
        }
    }

    /// The names of its tables' files, if there are several.
    pub(crate) fn parts(&self, job: &Job, linked: Vec<cellveil_core::Linked>) -> Vec<Part> {
        if self.tables.len() < 2 {
            return Vec::new();
        }
        let file = |at: usize| match job.table(at) {
            Some((Some(name), _)) if Some(name) != self.name => format!("table-{name}"),
            _ => "table".to_owned(),
        };
        let part = |(&at, linked)| Part { file: file(at), linked };
        self.tables.iter().zip(linked).map(part).collect()
    }
}

/// Where something of a further table goes: beside the first, with its name added.
pub fn beside(out: &Path, name: &str) -> PathBuf {
    let stem = out.file_stem().unwrap_or_default().to_string_lossy();
    let file = match out.extension() {
        Some(extension) => format!("{stem}-{name}.{}", extension.to_string_lossy()),
        None => format!("{stem}-{name}"),
    };
    out.with_file_name(file)
}

impl Job {
    /// A table of the job with its name, in order; the first has none.
    pub(crate) fn table(&self, at: usize) -> Option<(Option<&str>, &TableSpec)> {
        match (at.checked_sub(1), &self.data) {
            (None, Data::Records(_, spec)) => Some((None, spec)),
            (None, Data::Finished(..)) => None,
            (Some(at), _) => self.further.get(at).map(|(name, spec)| (Some(&name[..]), spec)),
        }
    }

    /// The tables of every response, in the order of the job.
    pub(crate) fn systems(&self) -> Result<Vec<System<'_>>, Error> {
        let mut systems: Vec<System<'_>> = vec![System { name: None, tables: vec![0] }];
        let response = |at: usize| self.table(at).map(|(_, spec)| &spec.response);
        for at in 1..=self.further.len() {
            let alike = |known: &&mut System<'_>| response(known.tables[0]) == response(at);
            if let Some(known) = systems.iter_mut().find(alike) {
                known.tables.push(at);
            } else {
                let name = self.table(at).and_then(|(name, _)| name);
                systems.push(System { name, tables: vec![at] });
            }
        }
        for system in &systems {
            self.check(system)?;
        }
        if systems.len() > 1 {
            self.check_files()?;
        }
        Ok(systems)
    }

    /// Refuses tables that share cells in a way that cannot be followed.
    fn check(&self, system: &System<'_>) -> Result<(), JobError> {
        let specs = || system.tables.iter().filter_map(|&at| self.table(at));
        let Some((first_name, first)) = specs().next() else { return Ok(()) };
        for (name, spec) in specs() {
            let differs = [
                ("weight", spec.weight != first.weight),
                ("holding", spec.holding != first.holding),
                ("request", spec.request != first.request),
            ];
            if let Some((key, _)) = differs.into_iter().find(|(_, differs)| *differs) {
                let what = format!(
                    "{} and {} add up the same response with another `{key}`",
                    called(first_name),
                    called(name)
                );
                return Err(self.wrong(what, format!("give both the same `{key}`, or none")));
            }
        }
        if system.tables.len() < 2 {
            return Ok(());
        }
        let dimensions = || specs().flat_map(|(_, spec)| &spec.dimensions);
        for (a, b) in dimensions().flat_map(|a| dimensions().map(move |b| (a, b))) {
            let shared = columns(a).into_iter().find(|column| columns(b).contains(column));
            if let Some(column) = shared.filter(|_| a.name != b.name) {
                let what = format!(
                    "`{}` and `{}` are different variables of linked tables, but both are made of the column `{column}`, so that they share cells under two names",
                    a.name, b.name
                );
                return Err(self.wrong(what, "use one of the two in all tables".to_owned()));
            }
        }
        Ok(())
    }

    /// Files that speak of cells do not say of which response.
    fn check_files(&self) -> Result<(), JobError> {
        let protection = &self.protection;
        let named = [
            ("cost_file", protection.cost_file.is_some()),
            ("previous", protection.previous.is_some()),
            ("earlier", !protection.earlier.is_empty()),
        ];
        match named.into_iter().find(|(_, named)| *named) {
            None => Ok(()),
            Some((key, _)) => {
                let what = format!(
                    "`{key}` does not say which of the responses of `[tables]` it belongs to"
                );
                Err(self.wrong(what, "write a job for each response".to_owned()))
            }
        }
    }

    fn wrong(&self, what: String, hint: String) -> JobError {
        JobError { path: self.path.clone(), line: None, what, hint: Some(hint) }
    }
}

fn called(name: Option<&str>) -> String {
    name.map_or_else(|| "`[table]`".to_owned(), |name| format!("`[tables.{name}]`"))
}

/// The columns that a variable is made of.
fn columns(dimension: &DimensionSpec) -> Vec<&str> {
    let mut columns = vec![dimension.name.as_str()];
    for hierarchy in &dimension.hierarchies {
        if let HierarchySpec::Levels(levels) = hierarchy {
            columns.extend(levels.iter().map(String::as_str));
        }
    }
    columns
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    const START: &str =
        "[records]\nfile = \"r.csv\"\n[table]\ndimensions = [\"a\", \"b\"]\nresponse = \"x\"\n";

    fn job(rest: &str) -> Job {
        Job::parse(Path::new("job.toml"), &format!("{START}{rest}")).unwrap()
    }

    fn said(rest: &str) -> String {
        job(rest).systems().map(|_| ()).unwrap_err().to_string()
    }

    #[test]
    fn tables_of_one_response_are_one_system() {
        let job = job("[tables.one]\ndimensions = [\"c\"]\nresponse = \"y\"\n\
             [tables.two]\ndimensions = [\"a\", \"c\"]\nresponse = \"x\"\n\
             [tables.counts]\ndimensions = [\"c\"]\n");
        let systems = job.systems().unwrap();
        let tables: Vec<&[usize]> = systems.iter().map(|system| &system.tables[..]).collect();
        // By name: counts, one, two.
        assert_eq!(tables, [&[0, 3][..], &[1], &[2]]);
        let places = systems.iter().map(|system| system.place(Path::new("d/out")));
        let names: Vec<String> = places.map(|place| place.display().to_string()).collect();
        assert_eq!(names, ["d/out", "d/out-counts", "d/out-one"]);
        assert_eq!(systems[2].title(&job), "y by c");
    }

    #[test]
    fn what_cannot_be_joined_is_refused() {
        let text = said("[tables.t]\ndimensions = [\"c\"]\nresponse = \"x\"\nweight = \"w\"\n");
        assert!(text.contains("with another `weight`"), "{text}");
        let text = said(
            "[tables.t]\ndimensions = [\"c\"]\nresponse = \"x\"\n[dimension.c]\nlevels = [\"d\", \"a\"]\n",
        );
        assert!(text.contains("made of the column `a`"), "{text}");
        let text =
            said("[tables.t]\ndimensions = [\"c\"]\n[protect]\nearlier = [\"pattern.csv\"]\n");
        assert!(text.contains("`earlier` does not say which"), "{text}");
    }
}
