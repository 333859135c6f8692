//! A specification with its hierarchy files read, ready for the data.

use crate::tree::Form;
use crate::{DimensionSpec, FinishedSpec, HierarchySpec, TableSpec, TabulateError};

/// One variable: its columns and the forms of its hierarchies.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) spec: DimensionSpec,
    /// All columns that say something about it, the finest first.
    pub(crate) columns: Vec<String>,
    pub(crate) forms: Vec<Form>,
}

impl Variable {
    fn new(spec: &DimensionSpec) -> Result<Self, TabulateError> {
        let columns = columns_of(spec)?;
        let form = |hierarchy| Form::read(hierarchy, &spec.total, &columns);
        let forms = spec.hierarchies.iter().map(form).collect::<Result<_, _>>()?;
        Ok(Self { spec: spec.clone(), columns, forms })
    }

    /// The columns of the first hierarchy by levels, finest first.
    pub(crate) fn levels(&self) -> Vec<String> {
        let by_levels = |hierarchy: &HierarchySpec| match hierarchy {
            HierarchySpec::Levels(levels) => Some(levels.clone()),
            _ => None,
        };
        self.spec.hierarchies.iter().find_map(by_levels).unwrap_or_default()
    }
}

fn columns_of(spec: &DimensionSpec) -> Result<Vec<String>, TabulateError> {
    let mut columns: Vec<String> = Vec::new();
    for hierarchy in &spec.hierarchies {
        match hierarchy {
            HierarchySpec::Levels(levels) => {
                if levels.is_empty() || columns.first().is_some_and(|first| *first != levels[0]) {
                    let why = "all its level columns must start with the same finest column";
                    return Err(TabulateError::Spec(format!("dimension `{}`: {why}", spec.name)));
                }
                if (1..levels.len()).any(|at| levels[..at].contains(&levels[at])) {
                    return Err(TabulateError::Spec(format!(
                        "dimension `{}`: a level column is named twice",
                        spec.name
                    )));
                }
                for level in levels {
                    if !columns.contains(level) {
                        columns.push(level.clone());
                    }
                }
            }
            HierarchySpec::Digits(digits) if digits.is_empty() || digits.contains(&0) => {
                let why = "each level needs at least one digit";
                return Err(TabulateError::Spec(format!("dimension `{}`: {why}", spec.name)));
            }
            _ => {}
        }
    }
    if columns.is_empty() {
        columns.push(spec.name.clone());
    }
    Ok(columns)
}

fn variables(dimensions: &[DimensionSpec]) -> Result<Vec<Variable>, TabulateError> {
    if dimensions.is_empty() {
        return Err(TabulateError::Spec(
            "the table has no dimension; name at least one".to_owned(),
        ));
    }
    if let Some(at) = (1..dimensions.len())
        .find(|&at| dimensions[..at].iter().any(|d| d.name == dimensions[at].name))
    {
        return Err(TabulateError::Spec(format!(
            "dimension `{}` is named twice",
            dimensions[at].name
        )));
    }
    dimensions.iter().map(Variable::new).collect()
}

/// A table to be made from records.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) variables: Vec<Variable>,
}

impl Plan {
    /// Reads the hierarchy files.
    ///
    /// # Errors
    /// [`TabulateError`] names the file and line at fault.
    pub fn new(spec: &TableSpec) -> Result<Self, TabulateError> {
        Ok(Self { variables: variables(&spec.dimensions)? })
    }

    /// The columns to group the records by, for each dimension.
    pub fn columns(&self) -> impl Iterator<Item = &[String]> {
        self.variables.iter().map(|variable| &variable.columns[..])
    }
}

/// A finished table to be read.
#[derive(Clone, Debug)]
pub struct FinishedPlan {
    pub(crate) spec: FinishedSpec,
    pub(crate) variables: Vec<Variable>,
}

impl FinishedPlan {
    /// Reads the hierarchy files.
    ///
    /// # Errors
    /// [`TabulateError`] names the file and line at fault.
    pub fn new(spec: &FinishedSpec) -> Result<Self, TabulateError> {
        Ok(Self { spec: spec.clone(), variables: variables(&spec.dimensions)? })
    }

    /// The columns to read, in the order of a row's fields: all dimensions, value, respondents, largest contributions, cost, status.
    pub fn columns(&self) -> Vec<&str> {
        let codes = self.variables.iter().flat_map(|variable| &variable.columns);
        let spec = &self.spec;
        let numbers = [&spec.value].into_iter().chain(&spec.respondents).chain(&spec.top);
        let rest = numbers.chain(&spec.cost).chain(&spec.status);
        codes.chain(rest).map(String::as_str).collect()
    }
}
