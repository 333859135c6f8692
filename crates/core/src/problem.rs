//! What suppression, adjustment and attack see of a table.

use crate::knowledge::Beyond;
use crate::{
    CellId, CellNames, Insiders, Need, Needs, Pattern, Reason, Relations, Side, Why, units,
};
use thiserror::Error;

/// The lower bound of a cell of which the intruder knows none.
pub const NO_LOWER: i64 = i64::MIN;
/// The upper bound of a cell of which the intruder knows none.
pub const NO_UPPER: i64 = i64::MAX;

/// What may be done with a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Sensitive: must be withheld (`u` in a JJ file).
    Sensitive,
    /// May be withheld (`s`).
    Free,
    /// Must be published (`z`).
    Frozen,
    /// Is withheld already (`m`), for the sake of others; may have a need of its own all the same.
    Withheld,
}

/// The fields of a [`Problem`], before they are checked. All columns have one entry per cell.
#[derive(Clone, Debug)]
pub struct ProblemParts {
    /// The number of decimals of the unit.
    pub decimals: u8,
    /// The true values.
    pub values: Vec<i64>,
    /// What withholding each cell costs.
    pub costs: Vec<f64>,
    /// The lower bounds the intruder knows; [`NO_LOWER`] if none.
    pub lower: Vec<i64>,
    /// The upper bounds the intruder knows; [`NO_UPPER`] if none.
    pub upper: Vec<i64>,
    /// What may be done with each cell.
    pub status: Vec<Status>,
    /// What the sensitive cells ask for.
    pub needs: Needs,
    /// The sums that everybody knows.
    pub relations: Relations,
    /// What the cells are called.
    pub names: CellNames,
    /// Cells with one contributor, who knows them, ascending; empty if that intruder is not considered.
    pub singletons: Vec<CellId>,
    /// How wide the interval of every withheld cell must be, in units; 0 if nothing is asked of secondaries.
    pub width: i64,
}

/// A table as an instance of the cell suppression problem; the content of a JJ file, checked.
#[derive(Clone, Debug)]
pub struct Problem {
    pub(crate) parts: ProblemParts,
    pub(crate) insiders: Insiders,
    pub(crate) beyond: Beyond,
}

/// Why parts do not make a problem.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ProblemError {
    /// Columns of different lengths: a mistake of the program that built them.
    #[error("internal: the columns of an instance differ in length")]
    Columns,
    /// A relation names a cell that does not exist.
    #[error("relation {relation} names a cell that does not exist")]
    UnknownCell {
        /// The relation, counted from 0.
        relation: usize,
    },
    /// A relation names a cell twice, or with a coefficient of 0.
    #[error("relation {relation} names a cell twice, or with the coefficient 0")]
    Terms {
        /// The relation, counted from 0.
        relation: usize,
    },
    /// A value lies outside the bounds the intruder is said to know.
    #[error("the value of `{0}` lies outside its own bounds")]
    OutOfBounds(String),
    /// A need for a cell that is not marked as sensitive, or the other way round.
    #[error("`{0}` is marked as sensitive but has no need, or the other way round")]
    Mismatch(String),
    /// A need with a negative distance.
    #[error("`{0}` has a negative protection level")]
    NegativeLevel(String),
    /// Singletons out of order or outside the table: a mistake of the program that listed them.
    #[error("internal: the singletons of an instance are not in order")]
    Singletons,
    /// Whole numbers are assumed, but there are others.
    #[error(
        "the integer intruder is for tables of counts, and some values have decimals or are below zero"
    )]
    NotCounts,
    /// A cost that is no number or negative.
    #[error("the cost of `{0}` is negative or not a number")]
    Cost(String),
    /// Totals that are not the sums of their parts.
    #[error("{count} of the relations do not add up; the worst are the totals {}", worst.join("; "))]
    NotAdditive {
        /// How many relations fail.
        count: usize,
        /// The totals of those that are furthest off, by name, worst first.
        worst: Vec<String>,
    },
}

/// How many failing relations an error lists.
const WORST_LISTED: usize = 5;

impl Problem {
    /// Checks that the parts fit together and that every relation holds within `tolerance` units.
    ///
    /// # Errors
    /// [`ProblemError`] says which cell or relation is wrong.
    pub fn new(parts: ProblemParts, tolerance: i64) -> Result<Self, ProblemError> {
        let problem = Self::to_adjust(parts, tolerance)?;
        match problem.needs().iter().find(|need| need.down < 0 || need.up < 0) {
            None => Ok(problem),
            Some(need) => {
                let name = problem.names().describe(need.cell).to_string();
                Err(ProblemError::NegativeLevel(name))
            }
        }
    }

    /// As [`Problem::new`], for adjustment alone: one of the two levels of a cell may be below zero, when the interval that its published value must avoid does
    /// not contain the value it has now. Nothing else can be proven of such a cell, and `verify` refuses it.
    ///
    /// # Errors
    /// [`ProblemError`] says which cell or relation is wrong.
    pub fn to_adjust(parts: ProblemParts, tolerance: i64) -> Result<Self, ProblemError> {
        let cells = parts.values.len();
        let lengths = [
            parts.costs.len(),
            parts.lower.len(),
            parts.upper.len(),
            parts.status.len(),
            parts.names.len(),
        ];
        if lengths.iter().any(|&length| length != cells) {
            return Err(ProblemError::Columns);
        }
        let unknown = |r: &usize| parts.relations.row(*r).any(|(cell, _)| cell.index() >= cells);
        if let Some(relation) = (0..parts.relations.len()).find(unknown) {
            return Err(ProblemError::UnknownCell { relation });
        }
        if let Some(relation) = (0..parts.relations.len()).find(|&r| !is_plain(&parts.relations, r))
        {
            return Err(ProblemError::Terms { relation });
        }
        for cell in (0..cells).map(CellId::at) {
            check_cell(&parts, cell)?;
        }
        if let Some(need) = parts.needs.iter().find(|need| need.cell.index() >= cells) {
            return Err(ProblemError::Mismatch(format!("cell {}", need.cell.0)));
        }
        // Whoever looks a singleton up searches by halves, and would miss one in a list out of order.
        let ordered = parts.singletons.is_sorted_by(|a, b| a < b);
        if !ordered || parts.singletons.last().is_some_and(|last| last.index() >= cells) {
            return Err(ProblemError::Singletons);
        }
        check_sums(&parts.relations, &parts.values, &parts.names, tolerance)?;
        let insiders = Insiders::new(&parts.singletons, &parts.relations, &[]);
        Ok(Self { parts, insiders, beyond: Beyond::default() })
    }

    /// Every cell that is the sum of others, ascending.
    pub fn margins(&self) -> Vec<CellId> {
        let relations = self.relations();
        let totals = (0..relations.len()).filter_map(|relation| relations.total(relation));
        let mut margins: Vec<CellId> = totals.collect();
        margins.sort_unstable();
        margins.dedup();
        margins
    }

    /// The same problem with further cells withheld from the start, if they may be, whose intervals must be as wide as is asked of all.
    #[must_use]
    pub fn keeping(mut self, cells: impl IntoIterator<Item = CellId>) -> Self {
        let width = self.parts.width;
        let mut needs = self.parts.needs.to_vec();
        for cell in cells {
            if self.status(cell) != Status::Free {
                continue;
            }
            self.parts.status[cell.index()] = Status::Withheld;
            if width > 0 {
                needs.push(Need { cell, down: 0, up: 0, sliding: width, reason: Reason::Interval });
            }
        }
        self.parts.needs = Needs::new(needs);
        self
    }

    /// The same problem in a finer unit; `None` if that is coarser, or amounts do not fit.
    #[must_use]
    pub fn in_decimals(&self, decimals: u8) -> Option<Self> {
        let finer =
            decimals.checked_sub(self.decimals()).filter(|_| decimals <= units::MAX_DECIMALS)?;
        let factor = i64::try_from(units::pow10(finer)).ok()?;
        let scale = |amount: i64| amount.checked_mul(factor);
        let column = |amounts: &[i64], none: i64| -> Option<Vec<i64>> {
            amounts
                .iter()
                .map(|&amount| if amount == none { Some(none) } else { scale(amount) })
                .collect()
        };
        let mut relations = Relations::default();
        for relation in 0..self.relations().len() {
            let constant = scale(self.relations().constant(relation))?;
            relations.push(self.relations().row(relation), constant);
        }
        let scaled = |need: &Need| {
            let [down, up, sliding] = [need.down, need.up, need.sliding].map(scale);
            Some(Need { down: down?, up: up?, sliding: sliding?, ..*need })
        };
        let needs: Option<Vec<Need>> = self.needs().iter().map(scaled).collect();
        let parts = ProblemParts {
            decimals,
            values: self.parts.values.iter().map(|&value| scale(value)).collect::<Option<_>>()?,
            lower: column(&self.parts.lower, NO_LOWER)?,
            upper: column(&self.parts.upper, NO_UPPER)?,
            needs: Needs::new(needs?),
            relations,
            width: scale(self.width())?,
            ..self.parts.clone()
        };
        // What the sums of the coarser table miss, they miss here too.
        Self::to_adjust(parts, i64::MAX).ok().map(|problem| problem.against_those_of(self))
    }

    /// The fields, to build another problem from.
    pub fn parts(&self) -> &ProblemParts {
        &self.parts
    }

    /// The number of cells.
    pub fn len(&self) -> usize {
        self.parts.values.len()
    }

    /// Whether there is no cell.
    pub fn is_empty(&self) -> bool {
        self.parts.values.is_empty()
    }

    /// All cells, ascending.
    pub fn cells(&self) -> impl ExactSizeIterator<Item = CellId> + use<> {
        (0..self.len()).map(CellId::at)
    }

    /// The number of decimals of the unit.
    pub fn decimals(&self) -> u8 {
        self.parts.decimals
    }

    /// The true value of a cell, in units.
    #[inline]
    pub fn value(&self, cell: CellId) -> i64 {
        self.parts.values[cell.index()]
    }

    /// What withholding a cell costs.
    #[inline]
    pub fn cost(&self, cell: CellId) -> f64 {
        self.parts.costs[cell.index()]
    }

    /// The least the intruder knows a cell to be; `None` if it knows no bound.
    #[inline]
    pub fn lower(&self, cell: CellId) -> Option<i64> {
        Some(self.parts.lower[cell.index()]).filter(|&bound| bound != NO_LOWER)
    }

    /// The most the intruder knows a cell to be; `None` if it knows no bound.
    #[inline]
    pub fn upper(&self, cell: CellId) -> Option<i64> {
        Some(self.parts.upper[cell.index()]).filter(|&bound| bound != NO_UPPER)
    }

    /// How far a cell can move to a side before the intruder knows better, in units; `None` if there is no limit.
    #[inline]
    pub fn room(&self, cell: CellId, side: Side) -> Option<i64> {
        match side {
            Side::Down => self.lower(cell).map(|bound| self.value(cell).saturating_sub(bound)),
            Side::Up => self.upper(cell).map(|bound| bound.saturating_sub(self.value(cell))),
        }
    }

    /// What may be done with a cell.
    #[inline]
    pub fn status(&self, cell: CellId) -> Status {
        self.parts.status[cell.index()]
    }

    /// What the sensitive cells ask for.
    pub fn needs(&self) -> &Needs {
        &self.parts.needs
    }

    /// The sums that everybody knows.
    pub fn relations(&self) -> &Relations {
        &self.parts.relations
    }

    /// What the cells are called.
    pub fn names(&self) -> &CellNames {
        &self.parts.names
    }

    /// Cells whose only contributor knows them; empty if that intruder is not considered.
    pub fn singletons(&self) -> &[CellId] {
        &self.parts.singletons
    }

    /// The contributors behind the singletons; none if that intruder is not considered.
    pub fn insiders(&self) -> &Insiders {
        &self.insiders
    }

    /// How wide the interval of every withheld cell must be; 0 if nothing is asked of secondaries.
    pub fn width(&self) -> i64 {
        self.parts.width
    }

    /// The pattern every method starts from: sensitive cells and those withheld already.
    pub fn start(&self) -> Pattern {
        let mut pattern = Pattern::open(self.len());
        for cell in self.cells() {
            match self.status(cell) {
                Status::Sensitive => pattern.withhold(cell, Why::Primary),
                Status::Withheld => pattern.withhold(cell, Why::Secondary),
                Status::Free | Status::Frozen => {}
            }
        }
        pattern
    }

    /// The cost of a pattern: that of its secondaries.
    pub fn cost_of(&self, pattern: &Pattern) -> f64 {
        // The sum of no numbers is −0, which people would see.
        pattern.secondaries().map(|cell| self.cost(cell)).sum::<f64>() + 0.0
    }
}

/// Whether a relation names every cell once and for something.
fn is_plain(relations: &Relations, relation: usize) -> bool {
    if relations.row(relation).any(|(_, coefficient)| coefficient == 0) {
        return false;
    }
    // Margins have their cells in order as a rule.
    if relations.row(relation).is_sorted_by(|a, b| a.0 < b.0) {
        return true;
    }
    let mut cells: Vec<CellId> = relations.row(relation).map(|(cell, _)| cell).collect();
    cells.sort_unstable();
    cells.windows(2).all(|pair| pair[0] != pair[1])
}

fn check_cell(parts: &ProblemParts, cell: CellId) -> Result<(), ProblemError> {
    let name = || parts.names.describe(cell).to_string();
    let i = cell.index();
    if parts.values[i] < parts.lower[i] || parts.values[i] > parts.upper[i] {
        return Err(ProblemError::OutOfBounds(name()));
    }
    if parts.costs[i].is_nan() || parts.costs[i] < 0.0 {
        return Err(ProblemError::Cost(name()));
    }
    let need = parts.needs.of(cell);
    let fits = match parts.status[i] {
        Status::Sensitive => need.is_some(),
        Status::Withheld => true,
        Status::Free | Status::Frozen => need.is_none(),
    };
    if !fits {
        return Err(ProblemError::Mismatch(name()));
    }
    let empty = |need: &Need| {
        let width = i128::from(need.down) + i128::from(need.up);
        need.sliding < 0 || ((need.down < 0 || need.up < 0) && width <= 0)
    };
    if need.is_some_and(empty) {
        return Err(ProblemError::NegativeLevel(name()));
    }
    Ok(())
}

/// Refuses values that miss a relation by more than `tolerance` units, naming the worst.
pub(crate) fn check_sums(
    relations: &Relations,
    values: &[i64],
    names: &CellNames,
    tolerance: i64,
) -> Result<(), ProblemError> {
    let mut failing: Vec<(u128, usize)> = (0..relations.len())
        .map(|relation| (relations.residual(relation, values).unsigned_abs(), relation))
        .filter(|&(residual, _)| residual > tolerance.unsigned_abs().into())
        .collect();
    if failing.is_empty() {
        return Ok(());
    }
    failing.sort_by_key(|&(residual, relation)| (std::cmp::Reverse(residual), relation));
    let worst =
        failing.iter().take(WORST_LISTED).map(|&(_, relation)| match relations.total(relation) {
            Some(total) => format!("`{}`", names.describe(total)),
            None => format!("relation {relation}"),
        });
    Err(ProblemError::NotAdditive { count: failing.len(), worst: worst.collect() })
}
