//! A first look at every cell of a table: how many there are and how many of them are sensitive, by the variables they tell apart.

use super::clock::Clock;
use super::refused;
use crate::Error;
use cellveil_core::{CellId, CodeId, Need, Policy, Table};
use cellveil_rules::RuleSet;
use cellveil_tabulate::{Cells, Frame, Gathered, Sink, TabulateError, Until};
use rayon::prelude::*;

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
    pub(super) fn of(
        gathered: &Gathered,
        rules: &RuleSet,
        policy: &Policy,
        clock: &Clock<'_>,
    ) -> Result<Self, Error> {
        let dimensions = gathered.frame().dimensions();
        if dimensions.len() > MOST_VARIABLES {
            return Err(refused("a table of more than 16 variables", "leave some out"));
        }
        let ways = dimensions.iter().map(|dimension| {
            let hierarchy = &dimension.hierarchy;
            (0..hierarchy.len() as CodeId).map(|code| hierarchy.sums_of(code).len()).collect()
        });
        let survey = Self::empty(dimensions.len());
        let ways = ways.collect();
        let mut look = Look { frame: gathered.frame(), rules, policy, ways, survey };
        let is_over = || clock.is_over();
        gathered.roll_up(&mut Until { sink: &mut look, is_over: &is_over })?;
        Ok(look.survey)
    }

    fn empty(dimensions: usize) -> Self {
        Self {
            cells: 0,
            relations: 0,
            needs: 0,
            sets: vec![Figures::default(); 1 << dimensions],
            steepest: 0.0,
            sensitive: Vec::new(),
        }
    }

    fn append(&mut self, mut other: Self) {
        self.cells += other.cells;
        self.relations += other.relations;
        self.needs += other.needs;
        for (figures, more) in self.sets.iter_mut().zip(other.sets) {
            figures.cells += more.cells;
            figures.finest += more.finest;
            figures.needs += more.needs;
            figures.worth += more.worth;
        }
        self.steepest = self.steepest.max(other.steepest);
        self.sensitive.append(&mut other.sensitive);
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

impl Look<'_> {
    fn look(&self, cells: Cells) -> Result<Survey, TabulateError> {
        let table = self.frame.excerpt(cells, 0)?;
        let needs = judged(self.rules, &table)?;
        let mut needs = needs.iter().peekable();
        let mut survey = Survey::empty(self.frame.dimensions().len());
        for cell in (0..table.len()).map(CellId::at) {
            self.count(&table, cell, needs.next_if(|need| need.cell == cell), &mut survey);
        }
        Ok(survey)
    }

    fn count(&self, table: &Table, cell: CellId, need: Option<&Need>, survey: &mut Survey) {
        let codes = table.key(cell);
        let own = codes.iter().zip(self.frame.dimensions());
        let is_leaf = |(&code, dimension): (&CodeId, &cellveil_core::Dimension)| {
            dimension.hierarchy.is_leaf(code)
        };
        let ways = codes.iter().zip(&self.ways).map(|(&code, ways)| ways[code as usize]);
        survey.cells += 1;
        survey.relations += ways.sum::<usize>();
        survey.needs += usize::from(need.is_some());
        let figures = &mut survey.sets[told_apart(codes) as usize];
        figures.cells += 1;
        figures.finest +=
            usize::from(own.clone().all(|(code, d)| *code == 0 || is_leaf((code, d))));
        match need {
            None => figures.worth += self.policy.cost_of(table, cell),
            Some(_) => figures.needs += 1,
        }
        if own.clone().all(is_leaf) {
            survey.sensitive.push(need.is_some());
            if let Some(need) = need {
                let value = table.values()[cell.index()].max(1) as f64;
                let share = need.down.max(need.up) as f64 / value;
                survey.steepest = survey.steepest.max(share);
            }
        }
    }
}

impl Sink for Look<'_> {
    fn take(&mut self, cells: Cells) -> Result<(), TabulateError> {
        self.take_all(vec![cells])
    }

    fn take_all(&mut self, lots: Vec<Cells>) -> Result<(), TabulateError> {
        let look = &*self;
        let seen: Result<Vec<Survey>, TabulateError> =
            lots.into_par_iter().map(|cells| look.look(cells)).collect();
        seen?.into_iter().for_each(|seen| self.survey.append(seen));
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
