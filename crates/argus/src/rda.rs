//! `.rda` metadata: what the columns of records or of a finished table mean.

use crate::Fault;
use crate::text::{Words, lines, padded, unquoted};
use std::path::{Path, PathBuf};

/// How the data are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Records with every variable in columns of its own.
    Fixed,
    /// Records with a sign between the variables.
    Free(char),
    /// A finished table, one cell a line, with a sign between the variables.
    Table(char),
}

/// What a variable is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "one variable may play several parts")]
pub struct Roles {
    /// Spans tables.
    pub explanatory: bool,
    /// Can be added up.
    pub numeric: bool,
    /// Is the sampling weight.
    pub weight: bool,
    /// Says which holding a respondent belongs to.
    pub holding: bool,
    /// Says who asks for protection.
    pub request: bool,
    /// Of a table: what the rules look at.
    pub shadow: bool,
    /// Of a table: what withholding costs.
    pub cost: bool,
    /// Of a table: the lower protection level.
    pub lower: bool,
    /// Of a table: the upper protection level.
    pub upper: bool,
    /// Of a table: the number of contributors.
    pub frequency: bool,
    /// Of a table: one of the largest contributions.
    pub top: bool,
    /// Of a table: the status of cells.
    pub status: bool,
    /// Of records: the key for random noise.
    pub record_key: bool,
}

/// How the codes of a variable add up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Levels {
    /// Total and codes.
    #[default]
    Flat,
    /// So many digits for each level.
    Digits(Vec<usize>),
    /// By a `.hrc` file.
    File,
}

/// One variable.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Where the file describes it.
    pub line: u64,
    /// Its first column, counted from 0; fixed layout only.
    pub start: usize,
    /// How many columns it has; records only.
    pub length: usize,
    /// The codes that mean a missing value, as wide as the variable.
    pub missing: Vec<String>,
    /// What it is for.
    pub roles: Roles,
    /// What its total is called.
    pub total: Option<String>,
    /// How many decimals are written.
    pub decimals: u8,
    /// How its codes add up.
    pub levels: Levels,
    /// The file of its hierarchy.
    pub hierarchy_file: Option<String>,
    /// What marks one level in that file.
    pub lead: String,
    /// The file of its labels.
    pub code_list: Option<String>,
    /// What a step of one, two, … codes costs in distance.
    pub distance: Vec<f64>,
    /// The codes of the two kinds of request.
    pub requests: [Option<String>; 2],
    /// Options of random noise, kept as they are written.
    pub cell_key: Vec<(String, String)>,
}

impl Variable {
    /// What its total is called.
    pub fn total(&self) -> &str {
        self.total.as_deref().unwrap_or("Total")
    }
}

/// The metadata of one data file.
#[derive(Clone, Debug, PartialEq)]
pub struct Metadata {
    /// The file they come from.
    pub file: PathBuf,
    /// How the data are laid out.
    pub layout: Layout,
    /// The variables, in the order of the file.
    pub variables: Vec<Variable>,
    /// What the statuses safe, unsafe and protected are called in a finished table.
    pub statuses: [String; 3],
}

impl Metadata {
    /// The variable of that name, whatever its case.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.variables.iter().position(|variable| variable.name.eq_ignore_ascii_case(name))
    }

    /// The first variable with some role.
    pub fn with(&self, role: impl Fn(&Roles) -> bool) -> Option<usize> {
        self.variables.iter().position(|variable| role(&variable.roles))
    }

    /// Reads the metadata of records.
    ///
    /// # Errors
    /// [`Fault`] names the line.
    pub fn of_records(file: &Path, text: &str) -> Result<Self, Fault> {
        let mut reader = Reader::new(file, Layout::Fixed);
        for (line, words) in lines(text) {
            reader.read(line, &words)?;
        }
        reader.finish()
    }

    /// Reads the metadata of a finished table.
    ///
    /// # Errors
    /// [`Fault`] names the line.
    pub fn of_table(file: &Path, text: &str) -> Result<Self, Fault> {
        let mut reader = Reader::new(file, Layout::Table(';'));
        for (line, words) in lines(text) {
            reader.read(line, &words)?;
        }
        reader.finish()
    }
}

struct Reader {
    metadata: Metadata,
}

impl Reader {
    fn new(file: &Path, layout: Layout) -> Self {
        let statuses = ["S", "U", "P"].map(str::to_owned);
        Self { metadata: Metadata { file: file.to_owned(), layout, variables: vec![], statuses } }
    }

    fn fault(&self, line: u64, what: impl Into<String>) -> Fault {
        Fault::new(&self.metadata.file, what).at(line)
    }

    fn is_table(&self) -> bool {
        matches!(self.metadata.layout, Layout::Table(_))
    }

    fn read(&mut self, line: u64, text: &str) -> Result<(), Fault> {
        let mut words = Words::new(text);
        let first = words.next().unwrap_or_default();
        if !first.starts_with('<') {
            return self.variable(line, first, words);
        }
        // A keyword may touch what follows it.
        let (keyword, rest) = match text.find('>') {
            Some(end) => (text[..=end].to_uppercase(), text[end + 1..].trim()),
            None => (first.to_uppercase(), words.rest()),
        };
        if self.global(line, &keyword, rest)? {
            return Ok(());
        }
        let no_variable = self
            .fault(line, format!("`{keyword}` stands before any variable"))
            .hint("name the variable in a line of its own first");
        let file = self.metadata.file.clone();
        let table = self.is_table();
        let variable = self.metadata.variables.last_mut().ok_or(no_variable)?;
        crate::rda_options::option(&file, line, &keyword, rest, variable, table)
    }

    /// Lines that are about the whole file.
    fn global(&mut self, line: u64, keyword: &str, rest: &str) -> Result<bool, Fault> {
        match keyword {
            "<SEPARATOR>" => {
                let mut signs = unquoted(rest).chars();
                let (Some(sign), None) = (signs.next(), signs.next()) else {
                    return Err(self
                        .fault(line, "a separator is exactly one sign")
                        .hint("write it as in `<SEPARATOR> \";\"`"));
                };
                self.metadata.layout = match self.metadata.layout {
                    Layout::Table(_) => Layout::Table(sign),
                    _ if !self.metadata.variables.is_empty() => {
                        return Err(self
                            .fault(line, "`<SEPARATOR>` stands after the first variable")
                            .hint("make it the first line"));
                    }
                    _ => Layout::Free(sign),
                };
            }
            "<SPSS>" => {
                return Err(self
                    .fault(line, "records in an SPSS system file cannot be read")
                    .hint("export them as CSV and describe them with `<SEPARATOR> \",\"`"));
            }
            "<SAFE>" | "<UNSAFE>" | "<PROTECT>" if self.is_table() => {
                let at = ["<SAFE>", "<UNSAFE>", "<PROTECT>"].iter().position(|k| *k == keyword);
                self.metadata.statuses[at.unwrap_or(0)] = unquoted(rest).to_uppercase();
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn variable(&mut self, line: u64, name: &str, mut words: Words<'_>) -> Result<(), Fault> {
        if let Some(known) = self.metadata.find(name) {
            let first = self.metadata.variables[known].line;
            return Err(self
                .fault(line, format!("variable `{name}` is already described in line {first}"))
                .hint("describe each variable once; names differ in more than their case"));
        }
        let layout = self.metadata.layout;
        let mut number = |what: &str| -> Result<usize, Fault> {
            let number = words.next().and_then(|word| word.parse().ok()).filter(|&n| n > 0);
            number.ok_or_else(|| {
                self.fault(line, format!("variable `{name}` has no {what}")).hint(match layout {
                    Layout::Fixed => "write name, first column and length, as in `Size 9 2`",
                    _ => "write name and length, as in `Size 2`",
                })
            })
        };
        let start = if layout == Layout::Fixed { number("first column")? - 1 } else { 0 };
        let length = if self.is_table() { 0 } else { number("length")? };
        let mut missing = Vec::new();
        while let Some(code) = words.next() {
            if !self.is_table() && code.chars().count() > length {
                return Err(self
                    .fault(line, format!("the missing code `{code}` is longer than `{name}`"))
                    .hint("shorten it, or give the variable more columns"));
            }
            missing.push(padded(code, length));
        }
        if missing.len() > 2 {
            return Err(self
                .fault(line, format!("variable `{name}` has more than two missing codes"))
                .hint("keep two"));
        }
        let (name, lead) = (name.to_owned(), ".".to_owned());
        let variable = Variable { name, line, start, length, missing, lead, ..Variable::default() };
        self.metadata.variables.push(variable);
        Ok(())
    }

    fn finish(self) -> Result<Metadata, Fault> {
        let metadata = self.metadata;
        let fault =
            |variable: &Variable, what: String| Fault::new(&metadata.file, what).at(variable.line);
        for variable in &metadata.variables {
            if variable.levels == Levels::File && variable.hierarchy_file.is_none() {
                return Err(fault(
                    variable,
                    format!("`{}` is hierarchical but no file lists its codes", variable.name),
                )
                .hint("add `<HIERCODELIST>` and `<HIERLEADSTRING>`, or `<HIERLEVELS>`"));
            }
            let table = matches!(metadata.layout, Layout::Table(_));
            if table && variable.roles.explanatory && variable.total.is_none() {
                return Err(fault(
                    variable,
                    format!("the total of `{}` has no code", variable.name),
                )
                .hint("add `<TOTCODE>` with the code that the table uses"));
            }
        }
        if !metadata.variables.iter().any(|variable| variable.roles.explanatory) {
            return Err(Fault::new(&metadata.file, "no variable can span a table")
                .hint("mark at least one with `<RECODEABLE>`"));
        }
        let is_value = |roles: &Roles| roles.numeric || roles.frequency;
        if matches!(metadata.layout, Layout::Table(_)) && metadata.with(is_value).is_none() {
            return Err(Fault::new(&metadata.file, "no column holds values")
                .hint("mark one with `<NUMERIC>` or `<FREQUENCY>`"));
        }
        check_single_roles(&metadata)?;
        Ok(metadata)
    }
}

/// A keyword, and whether a variable was marked with it.
type Role = (&'static str, fn(&Roles) -> bool);

/// Roles that one variable of a file may have.
const SINGLE: [Role; 10] = [
    ("<WEIGHT>", |roles| roles.weight),
    ("<HOLDING>", |roles| roles.holding),
    ("<REQUEST>", |roles| roles.request),
    ("<RECORDKEY>", |roles| roles.record_key),
    ("<SHADOW>", |roles| roles.shadow),
    ("<COST>", |roles| roles.cost),
    ("<FREQUENCY>", |roles| roles.frequency),
    ("<LOWERPL>", |roles| roles.lower),
    ("<UPPERPL>", |roles| roles.upper),
    ("<STATUS>", |roles| roles.status),
];

fn check_single_roles(metadata: &Metadata) -> Result<(), Fault> {
    for (keyword, has) in SINGLE {
        let mut having = metadata.variables.iter().filter(|variable| has(&variable.roles));
        if let (Some(first), Some(second)) = (having.next(), having.next()) {
            let (first, name) = (&first.name, &second.name);
            let what = format!("`{name}` is marked with `{keyword}`, and so is `{first}`");
            return Err(Fault::new(&metadata.file, what)
                .at(second.line)
                .hint("mark one of the two"));
        }
    }
    Ok(())
}
