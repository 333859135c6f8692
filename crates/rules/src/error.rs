//! Why a rule cannot be applied.

use thiserror::Error;

/// Why a rule cannot be applied to a table, and what to do.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RuleError {
    /// A parameter out of its range.
    #[error("`{parameter}` of rule `{rule}` must be {range}")]
    Parameter {
        /// The rule.
        rule: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// What it may be.
        range: &'static str,
    },
    /// A rule by holding on a table without holdings.
    #[error(
        "rule `{rule}` judges by holding, but the table does not know its holdings\n\
         hint: name their column as `holding` under `[table]`, or leave out `by`"
    )]
    NoHoldings {
        /// The rule.
        rule: &'static str,
    },
    /// A rule about the largest holdings of a weighted table.
    #[error(
        "rule `{rule}` judges by holding, but the table is weighted, and a holding has no weight of its own\n\
         hint: leave out `by`, or judge the unweighted table"
    )]
    WeightedHoldings {
        /// The rule.
        rule: &'static str,
    },
    /// A rule that looks at requests on a table without.
    #[error(
        "rule `{rule}` needs to know who asked for protection, but the table does not\n\
         hint: name the column of requests under `[table]`, or leave out the rule"
    )]
    NoRequests {
        /// The rule.
        rule: &'static str,
    },
    /// A rule that counts weights on a table without.
    #[error(
        "rule `{rule}` counts weights, but the table has none\n\
         hint: name their column as `weight` under `[table]`, or leave out `weighted`"
    )]
    NoWeights {
        /// The rule.
        rule: &'static str,
    },
    /// Fewer of the largest contributions than the rule looks at.
    #[error(
        "rule `{rule}` looks at the {needed} largest contributions of a cell, but cell `{cell}` comes with {kept}\n\
         hint: give the table {needed} columns of largest contributions, or leave out the rule"
    )]
    NoLargest {
        /// The rule.
        rule: &'static str,
        /// How many it looks at.
        needed: usize,
        /// A cell that lacks some.
        cell: String,
        /// How many the table keeps.
        kept: usize,
    },
    /// A negative contribution under a rule that assumes there is none.
    #[error(
        "rule `{rule}` assumes that no contribution is negative, but one in cell `{cell}` is\n\
         hint: leave out the rule, or set `signed = \"absolute\"` under `[rules]` for an indicative verdict"
    )]
    Negative {
        /// The rule.
        rule: &'static str,
        /// A cell with a negative contribution.
        cell: String,
    },
    /// A rule for amounts on a table of counts.
    #[error(
        "rule `{rule}` is for amounts, but the table holds counts\n\
         hint: leave out the rule, or name a `response` under `[table]`"
    )]
    AmountsOnly {
        /// The rule.
        rule: &'static str,
    },
    /// A rule for counts on a table of amounts.
    #[error(
        "rule `{rule}` is for counts, but the table holds amounts of `{response}`\n\
         hint: leave out the rule, or judge the table of counts apart"
    )]
    CountsOnly {
        /// The rule.
        rule: &'static str,
        /// The response.
        response: String,
    },
    /// A rule about rows and columns on a table without.
    #[error("rule `{rule}` needs a table of two or more dimensions\nhint: leave out the rule")]
    OneDimension {
        /// The rule.
        rule: &'static str,
    },
    /// A dimension that the table does not have.
    #[error("rule `{rule}` names `{name}`, which is no dimension of the table\nhint: {hint}")]
    UnknownDimension {
        /// The rule.
        rule: &'static str,
        /// The name.
        name: String,
        /// The nearest one.
        hint: String,
    },
    /// A code that the dimension does not have.
    #[error("rule `{rule}` names `{code}`, which is no code of `{dimension}`\nhint: {hint}")]
    UnknownCode {
        /// The rule.
        rule: &'static str,
        /// The dimension.
        dimension: String,
        /// The code.
        code: String,
        /// The nearest one.
        hint: String,
    },
    /// A status by hand for a cell that is empty.
    #[error(
        "rule `manual` protects cell `{cell}`, which is empty\n\
         hint: leave it out; nobody contributes to it"
    )]
    NoSuchCell {
        /// The cell.
        cell: String,
    },
    /// Two statuses by hand for one cell.
    #[error("rule `manual` names cell `{cell}` twice\nhint: keep one of the two")]
    Twice {
        /// The cell.
        cell: String,
    },
    /// Missing values are safe, but nobody said what they are called.
    #[error(
        "`missing_is_safe` is set, but it is not known what a missing value is called\n\
         hint: say so under `[rules]`, as in `missing = {{ region = [\"unknown\"] }}`"
    )]
    NoMissing,
    /// Amounts that do not fit exact arithmetic.
    #[error(
        "cell `{cell}` is too large to be judged exactly\n\
         hint: give the response in a larger unit, or responses and weights with fewer decimals"
    )]
    TooLarge {
        /// The cell.
        cell: String,
    },
}

impl RuleError {
    /// An error unless a parameter makes sense.
    pub(crate) fn unless(
        fine: bool,
        rule: &'static str,
        parameter: &'static str,
        range: &'static str,
    ) -> Result<(), Self> {
        if fine { Ok(()) } else { Err(Self::Parameter { rule, parameter, range }) }
    }
}

/// The known name nearest to an unknown one, as a hint.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let name = name.to_lowercase();
    let distance = |other: &str| strsim::damerau_levenshtein(&name, &other.to_lowercase());
    match known.min_by_key(|other| distance(other)) {
        Some(other) => format!("did you mean `{other}`?"),
        None => "there is none".to_owned(),
    }
}
