//! A first look at every cell of a table: how many there are and how many of them are sensitive, by the variables they tell apart.

use super::refused;
use crate::Error;
use cellveil_core::{CodeId, Policy, Table};
use cellveil_rules::RuleSet;
use cellveil_tabulate::{Cells, Frame, Gathered, Sink, TabulateError};

/// A set of variables, one bit for each.
pub(super) type Variables = u32;

/// The cells that tell apart exactly these variables.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Figures {
    pub(super) cells: usize,
    /// Those of the finest level of each.
    pub(super) finest: usize,
    pub(super) needs: usize,
    /// What those that are not sensitive would cost.
    pub(super) worth: f64,
}

/// What a table is like.
pub(crate) struct Survey {
    pub(super) cells: usize,
    pub(super) relations: usize,
    pub(super) needs: usize,
    /// By set of variables.
    pub(super) sets: Vec<Figures>,
    /// The largest level of a sensitive finest cell, as a share of its value.
    pub(super) steepest: f64,
    /// Which finest cells are sensitive.
    pub(super) sensitive: Vec<bool>,
}

/// Tables of more variables are not surveyed.
const MOST_VARIABLES: usize = 16;

impl Survey {
    pub(super) fn of(gathered: &Gathered, rules: &RuleSet, policy: &Policy) -> Result<Self, Error> {
        let dimensions = gathered.frame().dimensions();
        if dimensions.len() > MOST_VARIABLES {
            return Err(refused("a table of more than 16 variables", "leave some out"));
        }
        let ways = dimensions.iter().map(|dimension| {
            let hierarchy = &dimension.hierarchy;
            (0..hierarchy.len() as CodeId).map(|code| hierarchy.sums_of(code).len()).collect()
        });
        let survey = Self {
            cells: 0,
            relations: 0,
            needs: 0,
            sets: vec![Figures::default(); 1 << dimensions.len()],
            steepest: 0.0,
            sensitive: Vec::with_capacity(gathered.len()),
        };
        let ways = ways.collect();
        let mut sink = Look { frame: gathered.frame(), rules, policy, ways, survey };
        gathered.roll_up(&mut sink)?;
        Ok(sink.survey)
    }
}

/// The variables that a cell tells apart.
pub(super) fn told_apart(codes: &[CodeId]) -> Variables {
    let one = |(at, &code): (usize, &CodeId)| Variables::from(code != 0) << at;
    codes.iter().enumerate().map(one).sum()
}

struct Look<'a> {
    frame: &'a Frame,
    rules: &'a RuleSet,
    policy: &'a Policy,
    /// Per dimension, in how many ways others add up to each code.
    ways: Vec<Vec<usize>>,
    survey: Survey,
}

impl Sink for Look<'_> {
    fn take(&mut self, cells: Cells) -> Result<(), TabulateError> {
        let table = self.frame.excerpt(cells, 0)?;
        let needs = judged(self.rules, &table)?;
        let mut needs = needs.iter().peekable();
        for cell in (0..table.len()).map(cellveil_core::CellId::at) {
            let codes = table.key(cell);
            let need = needs.next_if(|need| need.cell == cell);
            let own = codes.iter().zip(self.frame.dimensions());
            let is_finest = |(&code, dimension): (&CodeId, &cellveil_core::Dimension)| {
                code == 0 || dimension.hierarchy.is_leaf(code)
            };
            let finest = own.clone().all(is_finest);
            let set = told_apart(codes) as usize;
            let survey = &mut self.survey;
            survey.cells += 1;
            survey.relations += codes
                .iter()
                .zip(&self.ways)
                .map(|(&code, ways)| ways[code as usize])
                .sum::<usize>();
            let figures = &mut survey.sets[set];
            figures.cells += 1;
            figures.finest += usize::from(finest);
            match need {
                None => figures.worth += self.policy.cost_of(&table, cell),
                Some(_) => figures.needs += 1,
            }
            survey.needs += usize::from(need.is_some());
            if own.clone().all(|(&code, dimension)| dimension.hierarchy.is_leaf(code)) {
                survey.sensitive.push(need.is_some());
                if let Some(need) = need {
                    let value = table.values()[cell.index()].max(1) as f64;
                    let share = need.down.max(need.up) as f64 / value;
                    survey.steepest = survey.steepest.max(share);
                }
            }
        }
        Ok(())
    }
}

/// What the rules say about some cells.
pub(super) fn judged(
    rules: &RuleSet,
    table: &Table,
) -> Result<cellveil_core::Needs, TabulateError> {
    let judged = rules.judge(table).map_err(|error| TabulateError::Engine(error.to_string()))?;
    Ok(judged.needs)
}
