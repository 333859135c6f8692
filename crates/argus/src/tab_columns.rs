//! Which columns of a finished table are what.

use crate::Fault;
use crate::arb::{CostSpec, Rules, Specify};
use crate::micro::no_variable;
use crate::rda::{Metadata, Roles};

/// The columns of the file that a table uses.
pub(crate) struct Columns {
    pub(crate) explanatory: Vec<usize>,
    pub(crate) response: usize,
    pub(crate) frequency: Option<usize>,
    pub(crate) shadow: Option<usize>,
    pub(crate) cost: Option<usize>,
    pub(crate) top: Vec<usize>,
    pub(crate) status: Option<usize>,
    pub(crate) levels: [Option<usize>; 2],
}

impl Columns {
    pub(crate) fn new(
        metadata: &Metadata,
        specify: &Specify,
        rules: &Rules,
    ) -> Result<Self, Fault> {
        let explanatory = |name: &String| {
            let found = metadata.find(name).filter(|&at| metadata.variables[at].roles.explanatory);
            found
                .ok_or_else(|| no_variable(metadata, name, "<RECODEABLE>", |v| v.roles.explanatory))
        };
        let is_number =
            |r: &Roles| r.numeric || r.shadow || r.cost || r.frequency || r.lower || r.upper;
        let number = |name: &str| {
            let found = metadata.find(name).filter(|&at| is_number(&metadata.variables[at].roles));
            found.ok_or_else(|| no_variable(metadata, name, "<NUMERIC>", |v| is_number(&v.roles)))
        };
        let frequency = metadata.with(|r| r.frequency);
        let response = match &specify.response {
            Some(name) => number(name)?,
            None => frequency.or(metadata.with(|r| r.numeric)).ok_or_else(|| {
                Fault::new(&metadata.file, "there is no column of frequencies")
                    .hint("mark one with `<FREQUENCY>`")
            })?,
        };
        let shadow = match &specify.shadow {
            Some(name) => Some(number(name)?),
            None => metadata.with(|r| r.shadow),
        };
        let cost = match &specify.cost {
            CostSpec::Variable(name) => Some(number(name)?),
            CostSpec::Default => metadata.with(|r| r.cost),
            _ => None,
        };
        let tops = |at: &usize| metadata.variables[*at].roles.top;
        let columns = Self {
            explanatory: specify.explanatory.iter().map(explanatory).collect::<Result<_, _>>()?,
            response,
            frequency,
            shadow: shadow.filter(|&at| at != response),
            cost: cost.filter(|&at| at != response),
            top: (0..metadata.variables.len()).filter(tops).collect(),
            status: metadata.with(|r| r.status),
            levels: [metadata.with(|r| r.lower), metadata.with(|r| r.upper)],
        };
        let lacking = rules.top().saturating_sub(columns.top.len());
        if lacking > 0 && !rules.given {
            return Err(Fault::new(
                &metadata.file,
                format!("the rules look at the {} largest contributions, the table has {}", rules.top(), columns.top.len()),
            )
            .hint("mark more columns with `<MAXSCORE>`, or use the statuses of the file (`<SAFETYRULE>` without rules)"));
        }
        Ok(columns)
    }
}
