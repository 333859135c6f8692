//! What table to make from which records.

use std::path::PathBuf;

/// Where the records are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// A CSV or Parquet file, or a folder of files of one of the two kinds.
    pub path: PathBuf,
    /// The character between the fields of a CSV file; `None` to find out from its first line.
    pub delimiter: Option<u8>,
}

/// A table to be made from records.
#[derive(Clone, Debug, PartialEq)]
pub struct TableSpec {
    /// The variables that span the table.
    pub dimensions: Vec<DimensionSpec>,
    /// The column to add up; `None` for a table of counts.
    pub response: Option<String>,
    /// The column with sampling weights.
    pub weight: Option<String>,
    /// The column that says which holding a respondent belongs to.
    pub holding: Option<String>,
    /// Who asked for protection.
    pub request: Option<RequestSpec>,
    /// How many of the largest contributions to keep per cell.
    pub top: usize,
    /// Whether to keep which record it is that has a cell to itself.
    pub owners: bool,
}

/// One variable of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DimensionSpec {
    /// The variable's name; also its column, unless it is given by level columns.
    pub name: String,
    /// What its total is called.
    pub total: String,
    /// What a missing value is called; missing values are a code like any other.
    pub missing: String,
    /// How its codes add up. Several hierarchies may lie over the same codes; none means total and codes only.
    pub hierarchies: Vec<HierarchySpec>,
}

/// One hierarchy over a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HierarchySpec {
    /// Columns of the records, finest first; the first is the variable itself.
    Levels(Vec<String>),
    /// A CSV file with one `parent,child` pair a line, under a header.
    ParentChild(PathBuf),
    /// A `.hrc` file, with the string that marks one level of depth; `None` to find out.
    Hrc(PathBuf, Option<String>),
    /// Digits of the code: how many make each level, coarsest first.
    Digits(Vec<usize>),
}

/// The column in which respondents ask for protection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestSpec {
    /// The column.
    pub column: String,
    /// The values that mean a request of the first and of the second kind.
    pub codes: [Option<String>; 2],
}

/// A finished table in a CSV or Parquet file, one line per cell.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedSpec {
    /// The variables; each is a column of the file.
    pub dimensions: Vec<DimensionSpec>,
    /// The column with the value.
    pub value: String,
    /// The column with the number of respondents; one each where there is none, as nothing better is known.
    pub respondents: Option<String>,
    /// The columns with the largest contributions, largest first.
    pub top: Vec<String>,
    /// The column with what withholding a cell costs; empty where that is not said.
    pub cost: Option<String>,
    /// The column with a status: `u` sensitive, `z` or `p` must be published, anything else decided by the rules.
    pub status: Option<String>,
    /// By how many units of its last decimal a total may miss the sum of its parts.
    pub tolerance: i64,
}
