//! The same instance under other names and in another order.

use cellveil_core::{CellId, CellNames, Need, Needs, Pattern, Problem, ProblemParts, Relations};
use rand_pcg::Pcg32;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// An instance with its cells and relations shuffled and its cells renamed, and the way back.
#[derive(Clone, Debug)]
pub struct Relabelled {
    /// The shuffled instance.
    pub problem: Problem,
    /// Where each cell of the first instance went.
    pub moved: Vec<CellId>,
}

impl Relabelled {
    /// A pattern of the first instance as one of the shuffled instance.
    pub fn there(&self, pattern: &Pattern) -> Pattern {
        let mut moved = Pattern::open(pattern.cells());
        for (cell, why) in pattern.withheld() {
            moved.withhold(self.moved[cell.index()], why);
        }
        moved
    }

    /// A pattern of the shuffled instance as one of the first instance.
    pub fn back(&self, pattern: &Pattern) -> Pattern {
        let mut first = Pattern::open(pattern.cells());
        for (cell, &moved) in self.moved.iter().enumerate() {
            if let Some(why) = pattern.why(moved) {
                first.withhold(CellId::at(cell), why);
            }
        }
        first
    }
}

/// Shuffles and renames an instance; the same for the same seed.
///
/// # Panics
/// Never: a shuffled instance is an instance.
pub fn relabel(problem: &Problem, seed: u64) -> Relabelled {
    let mut random = Pcg32::seed_from_u64(seed);
    let order = shuffled(problem.len(), &mut random);
    let mut moved = vec![CellId(0); problem.len()];
    for (new, &old) in order.iter().enumerate() {
        moved[old] = CellId::at(new);
    }
    let relation_order = shuffled(problem.relations().len(), &mut random);
    let mut relations = Relations::default();
    for relation in relation_order {
        let terms: Vec<(CellId, i32)> = problem
            .relations()
            .row(relation)
            .map(|(cell, coefficient)| (moved[cell.index()], coefficient))
            .collect();
        let order = shuffled(terms.len(), &mut random);
        relations
            .push(order.into_iter().map(|at| terms[at]), problem.relations().constant(relation));
    }
    let old = |at: &usize| CellId::at(*at);
    let needs = problem
        .needs()
        .iter()
        .map(|need| Need { cell: moved[need.cell.index()], ..*need })
        .collect();
    let mut singletons: Vec<CellId> =
        problem.singletons().iter().map(|cell| moved[cell.index()]).collect();
    singletons.sort_unstable();
    let column =
        |of: &dyn Fn(CellId) -> i64| order.iter().map(|at| of(old(at))).collect::<Vec<i64>>();
    let parts = ProblemParts {
        decimals: problem.decimals(),
        values: column(&|cell| problem.value(cell)),
        costs: order.iter().map(|at| problem.cost(old(at))).collect(),
        lower: column(&|cell| problem.lower(cell).unwrap_or(cellveil_core::NO_LOWER)),
        upper: column(&|cell| problem.upper(cell).unwrap_or(cellveil_core::NO_UPPER)),
        status: order.iter().map(|at| problem.status(old(at))).collect(),
        needs: Needs::new(needs),
        relations,
        names: CellNames::Ids(order.iter().map(|&at| 1000 + 7 * at as u64).collect()),
        singletons,
        width: problem.width(),
    };
    match Problem::new(parts, i64::MAX) {
        Ok(shuffled) => Relabelled { problem: carried(problem, shuffled, &moved), moved },
        Err(error) => unreachable!("a shuffled instance is an instance: {error}"),
    }
}

/// The same intruders for the shuffled instance.
fn carried(problem: &Problem, shuffled: Problem, moved: &[CellId]) -> Problem {
    let group = |cells: &Vec<CellId>| cells.iter().map(|cell| moved[cell.index()]).collect();
    let shuffled = shuffled.with_coalitions(problem.coalitions().iter().map(group).collect());
    let shuffled = shuffled
        .and_then(|shuffled| if problem.is_whole() { shuffled.of_counts() } else { Ok(shuffled) });
    match shuffled {
        Ok(shuffled) => shuffled,
        Err(error) => unreachable!("a shuffled instance is an instance: {error}"),
    }
}

/// `0..count` in random order.
fn shuffled(count: usize, random: &mut Pcg32) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for at in (1..count).rev() {
        order.swap(at, random.next_u32() as usize % (at + 1));
    }
    order
}
