//! The codes of one spanning variable, in the order of τ-ARGUS, and how they add up.

use crate::Fault;
use crate::rda::{Levels, Variable};
use crate::text::padded;
use cellveil_core::{CodeId, Dimension, HierarchyBuilder, HierarchyError};
use cellveil_tabulate::{TabulateError, Tree, read_hrc};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A spanning variable with all its codes, those of empty cells included.
#[derive(Clone, Debug)]
pub struct Codes {
    /// The variable and its hierarchy.
    pub dimension: Dimension,
    /// The codes that mean a missing value.
    pub missing: Vec<CodeId>,
    /// How wide codes are written in the data.
    pub width: usize,
    /// What codes one, two, … places from a sensitive one cost, where costs go by distance.
    pub distance: Vec<f64>,
    /// What codes mean.
    pub(crate) labels: BTreeMap<CodeId, String>,
    /// The file of labels that could not be read.
    pub(crate) unlabelled: Option<PathBuf>,
    exact: HashMap<String, CodeId>,
    /// By code without blanks around; `None` where two codes differ in nothing else.
    trimmed: HashMap<String, Option<CodeId>>,
}

impl Codes {
    /// All codes of a variable: those of the data, those its hierarchy file lists, and those for missing values.
    ///
    /// # Errors
    /// [`Fault`] if the hierarchy is wrong.
    pub fn new(
        variable: &Variable,
        data: &BTreeSet<String>,
        hierarchy: Option<&Path>,
    ) -> Result<Self, Fault> {
        let mut tree = Growing::new(variable.total());
        let is_missing = |code: &String| variable.missing.contains(code);
        match (&variable.levels, hierarchy) {
            (Levels::Digits(digits), _) => {
                for code in data.iter().filter(|code| !is_missing(code)) {
                    tree.digits(code, digits);
                }
            }
            (Levels::File, Some(file)) => {
                let read =
                    read_hrc(file, Some(&variable.lead), variable.total()).map_err(of_hrc)?;
                check_missing(file, variable, &read)?;
                tree.listed(&read);
            }
            _ => {
                for code in data.iter().filter(|code| !is_missing(code)) {
                    tree.below(0, code);
                }
            }
        }
        let missing: Vec<CodeId> = variable.missing.iter().map(|c| tree.below(0, c)).collect();
        let (dimension, moved) = tree.build(&variable.name).map_err(|why| {
            Fault::new(hierarchy.unwrap_or(Path::new(&variable.name)), why.to_string())
        })?;
        let missing = missing.iter().map(|&code| moved[code as usize]).collect();
        let codes = Self::of(dimension, missing, data);
        Ok(Self { distance: variable.distance.clone(), ..codes })
    }

    /// The codes of a hierarchy that is known already.
    pub fn of(dimension: Dimension, missing: Vec<CodeId>, data: &BTreeSet<String>) -> Self {
        let hierarchy = &dimension.hierarchy;
        let (mut exact, mut trimmed) = (HashMap::new(), HashMap::new());
        let mut width = data.iter().map(|code| code.chars().count()).max().unwrap_or(0);
        for code in 1..hierarchy.len() as CodeId {
            let name = hierarchy.name(code);
            width = width.max(name.chars().count());
            exact.entry(name.to_owned()).or_insert(code);
            let slot = trimmed.entry(name.trim().to_owned()).or_insert(Some(code));
            if *slot != Some(code) {
                *slot = None;
            }
        }
        trimmed.insert(hierarchy.name(0).trim().to_owned(), Some(0));
        trimmed.insert(String::new(), Some(0));
        Self {
            dimension,
            missing,
            width,
            distance: Vec::new(),
            labels: BTreeMap::new(),
            unlabelled: None,
            exact,
            trimmed,
        }
    }

    /// The code that records mean: as it is written, on the right of its field, or without blanks.
    pub fn of_record(&self, raw: &str) -> Option<CodeId> {
        let exact = |text: &str| self.exact.get(text).copied();
        exact(raw)
            .or_else(|| exact(&padded(raw, self.width)))
            .or_else(|| self.trimmed.get(raw.trim()).copied().flatten().filter(|&c| c > 0))
    }

    /// The code that a finished table or an a-priori line means; the total's own code or nothing is the total.
    pub fn of_table(&self, raw: &str) -> Option<CodeId> {
        if raw.trim().is_empty() || raw.trim() == self.total() {
            return Some(0);
        }
        self.of_record(raw)
    }

    /// The finest code of every chain of single parts, which stands for the whole chain: all of them are one cell.
    pub fn finest(&self) -> Vec<CodeId> {
        let hierarchy = &self.dimension.hierarchy;
        let mut finest: Vec<CodeId> = (0..hierarchy.len() as CodeId).collect();
        for code in (0..hierarchy.len() as CodeId).rev() {
            if let [sum] = hierarchy.sums_of(code)
                && let [only] = sum.parts[..]
            {
                finest[code as usize] = finest[only as usize];
            }
        }
        finest
    }

    /// What the total is called.
    pub fn total(&self) -> &str {
        self.dimension.hierarchy.name(0).trim()
    }

    /// The known code that somebody may have meant.
    pub fn nearest(&self, raw: &str) -> Option<&str> {
        let names = 0..self.dimension.hierarchy.len() as CodeId;
        let names = names.map(|code| self.dimension.hierarchy.name(code));
        cellveil_tabulate::text::nearest(raw, names)
    }
}

fn of_hrc(error: TabulateError) -> Fault {
    use cellveil_tabulate::Place;
    let number = |why: &str| {
        if why.contains("more than one level") {
            Some(1503)
        } else if why.contains("no code behind") {
            Some(1504)
        } else {
            None
        }
    };
    match error {
        TabulateError::Malformed { place, why } => {
            let (file, line) = match place {
                Place::Line(file, line) => (file, Some(line)),
                Place::File(file) | Place::Row(file, _) => (file, None),
            };
            let (what, hint) = why.split_once("; ").unwrap_or((&why, ""));
            let number = number(&why);
            Fault { file, line, number, what: what.to_owned(), hint: hint.to_owned() }
        }
        TabulateError::ListedTwice { file, code, first, again } => {
            Fault::new(&file, format!("code `{code}` is already listed in line {first}"))
                .at(again)
                .hint("list each code once")
        }
        TabulateError::Unreadable { file, why } => {
            Fault::new(&file, format!("cannot be read: {why}"))
                .hint("correct the name after `<HIERCODELIST>`, or put the file beside the data")
        }
        other => Fault::new(Path::new("hierarchy"), other.to_string()),
    }
}

fn check_missing(file: &Path, variable: &Variable, tree: &Tree) -> Result<(), Fault> {
    let clash = tree
        .nodes
        .iter()
        .find(|node| variable.missing.iter().any(|missing| missing.trim() == node.name.trim()));
    match clash {
        None => Ok(()),
        Some(node) => Err(Fault::new(
            file,
            format!("code `{}` is the missing code of `{}`", node.name, variable.name),
        )
        .at(node.line)
        .number(1502)
        .hint("remove it here, or name another missing code in the metadata")),
    }
}

/// A hierarchy while its codes are being added.
pub(crate) struct Growing {
    builder: HierarchyBuilder,
    children: Vec<Vec<CodeId>>,
    /// Codes by where they hang and what they are called.
    index: HashMap<(CodeId, String), CodeId>,
}

impl Growing {
    pub(crate) fn new(total: &str) -> Self {
        let builder = HierarchyBuilder::new(total);
        Self { builder, children: vec![Vec::new()], index: HashMap::new() }
    }

    /// The code of that name below another, added if it is new.
    pub(crate) fn below(&mut self, parent: CodeId, name: &str) -> CodeId {
        if let Some(&known) = self.index.get(&(parent, name.to_owned())) {
            return known;
        }
        let code = self.builder.code(name);
        self.children.push(Vec::new());
        self.children[parent as usize].push(code);
        self.index.insert((parent, name.to_owned()), code);
        code
    }

    fn digits(&mut self, code: &str, digits: &[usize]) {
        let letters: Vec<char> = code.chars().collect();
        let (mut parent, mut end) = (0, 0);
        for &count in digits {
            if end >= letters.len() {
                break;
            }
            end = (end + count).min(letters.len());
            let name: String = letters[..end].iter().collect();
            parent = self.below(parent, &name);
        }
    }

    fn listed(&mut self, tree: &Tree) {
        let mut codes = Vec::new();
        for node in &tree.nodes {
            let parent = node.parent.map_or(0, |at| codes[at]);
            codes.push(self.below(parent, &node.name));
        }
    }

    pub(crate) fn build(self, name: &str) -> Result<(Dimension, Vec<CodeId>), HierarchyError> {
        let Self { mut builder, children, .. } = self;
        for (code, parts) in (0..).zip(children) {
            if !parts.is_empty() {
                builder.sum(code, parts);
            }
        }
        let (hierarchy, moved) = builder.build()?;
        let (name, hierarchy) = (name.to_owned(), Arc::new(hierarchy));
        Ok((Dimension { name, levels: Vec::new(), hierarchy }, moved))
    }
}
