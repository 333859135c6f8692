//! A table with its withheld cells and its witnesses, proven cell by cell.

use crate::PublishError;
use crate::report::facts::Facts;
use crate::report::view::Content;
use cellveil_core::{
    Additions, Balance, CellId, Fault, Faults, Replay, Stretch, Why, stays_above_zero,
};
use cellveil_rules::RuleSet;
use cellveil_tabulate::{Cells, Gathered, LeafMoves, Measure, Sink, TabulateError, Until};
use rayon::prelude::*;
use thiserror::Error;

/// A table that is safe to publish; nothing else can be written.
#[derive(Debug)]
pub struct StreamedRelease<'a> {
    pub(super) gathered: &'a Gathered,
    pub(super) rules: &'a RuleSet,
    pub(super) witnesses: &'a [LeafMoves],
    pub(super) withheld: &'a [bool],
    /// What its cells come to.
    pub(super) facts: Facts<'a>,
}

/// Why a table is not proven safe.
#[derive(Debug, Error)]
pub enum Unproven {
    /// The time is over.
    #[error("the time limit was reached before the proof was checked; allow more time")]
    OutOfTime,
    /// The table cannot be made, or judged by its rules.
    #[error("{0}")]
    Unreadable(String),
    /// The first faults, and how many more there are.
    #[error("the pattern is not proven safe: {} faults, first: {}", .0.len() + .1,
        .0.first().map_or_else(String::new, ToString::to_string))]
    Faults(Vec<Fault>, usize),
}

impl From<Unproven> for PublishError {
    fn from(error: Unproven) -> Self {
        Self::Unwritable(error.to_string())
    }
}

impl<'a> StreamedRelease<'a> {
    /// Makes all cells again and judges each: `withheld` says in the order of cells which are. So many
    /// witnesses at a time, and until the time is over.
    ///
    /// # Errors
    /// [`Unproven`] if any need is not shown to be met, or a witness moves what is published.
    pub fn new(
        gathered: &'a Gathered,
        rules: &'a RuleSet,
        witnesses: &'a [LeafMoves],
        withheld: &'a [bool],
        at_a_time: usize,
        is_over: &(dyn Fn() -> bool + Sync),
    ) -> Result<Self, Unproven> {
        let judged = Self::judged(gathered, rules, witnesses, withheld, at_a_time, is_over);
        judged.map(|(release, _)| release)
    }

    /// The same, with the numbers of cells, of those withheld and of those sensitive.
    pub(super) fn judged(
        gathered: &'a Gathered,
        rules: &'a RuleSet,
        witnesses: &'a [LeafMoves],
        withheld: &'a [bool],
        at_a_time: usize,
        is_over: &(dyn Fn() -> bool + Sync),
    ) -> Result<(Self, [usize; 3]), Unproven> {
        check_leaves(gathered, witnesses)?;
        let at_a_time = at_a_time.max(1);
        let mut replay = Replay::default();
        let mut facts = Facts::new(gathered.frame().dimensions());
        let additions = Additions::new(gathered.frame().dimensions());
        let rounds = witnesses.len().div_ceil(at_a_time).max(1);
        for round in 0..rounds {
            let from = (round * at_a_time).min(witnesses.len());
            let some = &witnesses[from..(from + at_a_time).min(witnesses.len())];
            let measure = gathered.frame().measure();
            let value = |leaf: usize| measure.value(gathered.row(leaf));
            let holds =
                |one: &LeafMoves| stays_above_zero(one.iter().map(|(leaf, by)| (value(leaf), by)));
            let is_last = round + 1 == rounds;
            replay.begin(some.iter().map(holds).collect(), is_last);
            let moves: Vec<&LeafMoves> = some.iter().collect();
            let facts = is_last.then_some(&mut facts);
            let balance = made_of(gathered, &additions, some);
            let sums = (&additions, balance);
            let mut judge =
                Judge { gathered, rules, withheld, at: 0, moves: some.len(), replay, facts, sums };
            let mut sink = Until { sink: &mut judge, is_over };
            gathered.roll_up_beside(&moves, &mut sink).map_err(|error| match error {
                TabulateError::OutOfTime => Unproven::OutOfTime,
                error => Unproven::Unreadable(error.to_string()),
            })?;
            if judge.at != withheld.len() {
                return Err(Unproven::Faults(vec![Fault::WrongPattern], 0));
            }
            if !judge.sums.1.is_even() {
                return Err(Unproven::Unreadable("the cells do not add up".to_owned()));
            }
            replay = judge.replay;
        }
        let counts = replay.counts();
        replay.finish().map_err(|(faults, more)| Unproven::Faults(faults, more))?;
        Ok((Self { gathered, rules, witnesses, withheld, facts }, counts))
    }
}

/// Witnesses move finest cells that are there, each once; and there is nothing below zero, so that nobody expects it.
fn check_leaves(gathered: &Gathered, witnesses: &[LeafMoves]) -> Result<(), Unproven> {
    let wrong = |what: &str| Err(Unproven::Unreadable(what.to_owned()));
    for (at, witness) in witnesses.iter().enumerate() {
        let is_listed = witness.leaves.is_sorted_by(|a, b| a < b)
            && witness.leaves.last().is_none_or(|&last| (last as usize) < gathered.len())
            && witness.leaves.len() == witness.by.len();
        if !is_listed {
            return Err(Unproven::Faults(vec![Fault::Malformed(at)], 0));
        }
    }
    let measure = gathered.frame().measure();
    if gathered.frame().spec().holding.is_some() {
        return wrong("the finest cells are told apart by holdings");
    }
    if (0..gathered.len()).any(|leaf| measure.is_negative(gathered.row(leaf))) {
        return wrong("some contributions are below zero");
    }
    Ok(())
}

/// The numbers of a row that add up, with its moves.
fn numbers(measure: Measure, row: &[i64]) -> impl Iterator<Item = i64> + '_ {
    let own = [measure.count(row) as i64, measure.value(row)];
    let further = [measure.response(row), measure.weight(row)];
    own.into_iter().chain(further).chain(measure.moves(row).iter().copied())
}

/// What the finest cells come to that all others are made of, with the moves of some witnesses.
fn made_of(gathered: &Gathered, additions: &Additions, witnesses: &[LeafMoves]) -> Balance {
    let mut balance = additions.balance();
    let (frame, mut next) = (gathered.frame(), vec![0; witnesses.len()]);
    let measure = frame.measure();
    for leaf in 0..gathered.len() {
        let moves = witnesses.iter().zip(&mut next).map(|(witness, next)| {
            let is_it = witness.leaves.get(*next) == Some(&(leaf as u32));
            let by = if is_it { witness.by[*next] } else { 0 };
            *next += usize::from(is_it);
            by
        });
        let codes = (0..frame.dimensions().len()).map(|at| gathered.code(leaf, at));
        let own = numbers(measure, gathered.row(leaf));
        additions.made_of(&mut balance, codes, own.chain(moves));
    }
    balance
}

/// Judges cells as they are made.
struct Judge<'a, 'f> {
    gathered: &'a Gathered,
    rules: &'a RuleSet,
    withheld: &'a [bool],
    at: usize,
    moves: usize,
    replay: Replay,
    /// What the cells come to, where that is counted.
    facts: Option<&'f mut Facts<'a>>,
    /// Whether they add up.
    sums: (&'f Additions, Balance),
}

impl<'a> Judge<'a, '_> {
    /// Judges some cells, the first of which has this position.
    fn judge(
        &self,
        cells: Cells,
        from: usize,
        mut stretch: Stretch<'_>,
    ) -> Result<(Faults, Facts<'a>, Balance), TabulateError> {
        let frame = self.gathered.frame();
        let mut facts = Facts::new(frame.dimensions());
        let additions = self.sums.0;
        let mut balance = additions.balance();
        let measure = frame.measure().with_moves(self.moves);
        let rows = cells.rows.clone();
        let table = frame.excerpt(cells, self.moves)?;
        let judged = self.rules.judge(&table);
        let needs = judged.map_err(|error| TabulateError::Engine(error.to_string()))?.needs;
        let mut needs = needs.iter().peekable();
        for (row, cell) in rows.chunks_exact(measure.width()).zip((0..).map(CellId)) {
            let need = needs.next_if(|need| need.cell == cell);
            // More cells than the pattern has are counted and refused in the end.
            let is_withheld = self.withheld.get(from + cell.index()).copied().unwrap_or(false);
            let name = || table.names().describe(cell).to_string();
            stretch.cell(need, is_withheld, measure.moves(row), &name);
            additions.add(&mut balance, table.key(cell), numbers(measure, row));
            if self.facts.is_some() {
                let value = measure.value(row);
                let content = match need {
                    Some(need) => Content::Withheld(Why::Primary, Some(need.reason)),
                    None if is_withheld => Content::Withheld(Why::Secondary, None),
                    None => Content::Value(value),
                };
                facts.add(table.key(cell), value, content);
            }
        }
        Ok((stretch.finish(), facts, balance))
    }
}

impl Sink for Judge<'_, '_> {
    fn take(&mut self, cells: Cells) -> Result<(), TabulateError> {
        self.take_all(vec![cells])
    }

    fn take_all(&mut self, lots: Vec<Cells>) -> Result<(), TabulateError> {
        let (starts, counts) = self.gathered.frame().starts(&lots, &mut self.at);
        let mut replay = std::mem::take(&mut self.replay);
        let stretches = replay.stretches(&counts);
        let judge = &*self;
        let judged: Result<Vec<_>, TabulateError> = lots
            .into_par_iter()
            .zip(starts)
            .zip(stretches)
            .map(|((cells, from), stretch)| judge.judge(cells, from, stretch))
            .collect();
        for (faults, facts, balance) in judged? {
            self.sums.1.append(&balance);
            replay.add(faults);
            if let Some(all) = &mut self.facts {
                all.append(facts);
            }
        }
        self.replay = replay;
        Ok(())
    }
}
