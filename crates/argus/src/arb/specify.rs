//! `<SPECIFYTABLE> "exp1""exp2"|"resp"|"shadow"|"cost",lambda`

use super::{Wrong, wrong};
use crate::rda::Metadata;

/// What withholding a cell costs.
#[derive(Clone, Debug, PartialEq)]
pub enum CostSpec {
    /// The response, or the frequency of a frequency table.
    Default,
    /// The number of contributors.
    Frequency,
    /// One per cell.
    Unity,
    /// How far a cell is from the sensitive one.
    Distance,
    /// Another variable.
    Variable(String),
}

/// A table to be made or read.
#[derive(Clone, Debug, PartialEq)]
pub struct Specify {
    /// The spanning variables.
    pub explanatory: Vec<String>,
    /// The response; `None` for a frequency table.
    pub response: Option<String>,
    /// What the rules look at, unless the response.
    pub shadow: Option<String>,
    /// What withholding costs.
    pub cost: CostSpec,
    /// Costs are raised to this power; 0 stands for the logarithm.
    pub lambda: f64,
}

impl Specify {
    pub(super) fn parse(rest: &str) -> Result<Self, Wrong> {
        let shape = "write `<SPECIFYTABLE> \"Size\"\"Region\"|\"Turnover\"|\"\"|\"\"`";
        let mut parts = rest.split('|').map(str::trim);
        let explanatory = names(parts.next().unwrap_or(""));
        if explanatory.is_empty() {
            return Err(wrong("the table has no spanning variable", shape));
        }
        if let Some(at) = (1..explanatory.len()).find(|&at| {
            explanatory[..at].iter().any(|name| name.eq_ignore_ascii_case(&explanatory[at]))
        }) {
            let name = &explanatory[at];
            return Err(wrong(format!("`{name}` spans the table twice"), "name it once"));
        }
        let response = first_name(parts.next().unwrap_or(""));
        let response = response.ok_or_else(|| wrong("the table has no response", shape))?;
        let response = (!response.eq_ignore_ascii_case("<freq>")).then_some(response);
        let shadow = first_name(parts.next().unwrap_or(""));
        let cost = parts.next().unwrap_or("");
        let (cost, after_comma) = cost.split_once(',').unwrap_or((cost, ""));
        let lambda = match (after_comma.trim(), parts.next().map_or("", str::trim)) {
            ("", "") => 1.0,
            (text, "") | ("", text) => {
                let lambda = text.trim_matches('"').replace(',', ".").parse().ok();
                lambda.filter(|lambda| (0.0..=1.0).contains(lambda)).ok_or_else(|| {
                    wrong("lambda must be a number from 0 to 1", "write it as in `|\"cost\",0.5`")
                })?
            }
            _ => return Err(wrong("lambda is given twice", "keep one of the two")),
        };
        if parts.next().is_some() {
            return Err(wrong("there are too many `|`", shape));
        }
        Ok(Self { explanatory, response, shadow, cost: CostSpec::parse(cost), lambda })
    }
}

impl Specify {
    /// The same with names spelled as the metadata spell them, as far as they know them.
    #[must_use]
    pub fn spelled_as(mut self, metadata: &Metadata) -> Self {
        let mut names: Vec<&mut String> = self.explanatory.iter_mut().collect();
        names.extend(self.response.as_mut().into_iter().chain(&mut self.shadow));
        if let CostSpec::Variable(name) = &mut self.cost {
            names.push(name);
        }
        for name in names {
            if let Some(at) = metadata.find(name) {
                metadata.variables[at].name.clone_into(name);
            }
        }
        self
    }
}

impl CostSpec {
    fn parse(text: &str) -> Self {
        match first_name(text).as_deref() {
            None => Self::Default,
            Some("-1") => Self::Frequency,
            Some("-2") => Self::Unity,
            Some("-3") => Self::Distance,
            Some(name) => Self::Variable(name.to_owned()),
        }
    }
}

/// Names in quotes, or between blanks.
fn names(text: &str) -> Vec<String> {
    let parts: Vec<&str> =
        if text.contains('"') { text.split('"').collect() } else { text.split(' ').collect() };
    parts.into_iter().map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn first_name(text: &str) -> Option<String> {
    let name = crate::text::unquoted(text);
    (!name.is_empty()).then(|| name.to_owned())
}
