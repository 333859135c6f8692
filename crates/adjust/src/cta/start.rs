//! A first table: senses that no relation forbids, mended until some table has them.

use super::Descent;
use super::senses_of;
use crate::AdjustError;
use crate::clauses::{bad_combinations, consistent_senses};
use crate::program::{Answer, Point, Sense};
use crate::task::Senses;
use cellveil_core::Side;

/// How often the relaxation is rounded and solved again, and the share that is rounded at once.
const DIVES: usize = 200;
const BATCH: f64 = 0.5;
/// How many sensitive cells are decided at once.
const CLUSTER: usize = 20;
/// The most nodes for one cluster.
const CLUSTER_NODES: u32 = 200;
/// A miss below this is the solver's noise.
const MISS: f64 = 1e-7;

impl Descent<'_> {
    /// Wishes come from the relaxation, consistency from a SAT solver, and projections mend what is left.
    pub(super) fn start(&mut self) -> Result<(), AdjustError> {
        let relaxed = self.relax()?;
        let mut wishes: Senses = Vec::with_capacity(relaxed.swings.len());
        for (at, &swing) in relaxed.swings.iter().enumerate() {
            let up =
                if (swing - 0.5).abs() < 0.45 { self.random.share() < swing } else { swing > 0.5 };
            let wish = if up { Side::Up } else { Side::Down };
            wishes.push(self.task.sensitive[at].forced().unwrap_or(wish));
        }
        let clauses = bad_combinations(self.task);
        let Some(senses) = consistent_senses(self.task, &clauses, &wishes) else {
            return Err(crate::conflict::explain(self.task, self.context.engine)?);
        };
        if self.try_senses(&senses)?.is_none() {
            self.dive(&relaxed)?;
        }
        if self.best.is_none() && !self.context.is_over() {
            self.fix_and_relax()?;
        }
        Ok(())
    }

    /// Rounds the most decided swings of the relaxation, solves it again, and so on until none is between.
    pub(super) fn dive(&mut self, relaxed: &Point) -> Result<(), AdjustError> {
        let mut senses: Vec<Sense> = vec![None; self.task.sensitive.len()];
        let mut point = relaxed.clone();
        let mut share = BATCH;
        for _ in 0..DIVES {
            let mut between: Vec<(f64, usize)> = (0..senses.len())
                .filter(|&at| senses[at].is_none() && !self.is_decided(at, &point))
                .map(|at| ((point.swings[at] - 0.5).abs(), at))
                .collect();
            if self.context.is_over() {
                return Ok(());
            }
            if between.is_empty() {
                self.try_senses(&senses_of(&point))?;
                return Ok(());
            }
            between.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            let count = ((between.len() as f64 * share) as usize).max(1);
            let mut tried = senses.clone();
            for &(_, at) in &between[..count] {
                tried[at] = Some(if point.swings[at] >= 0.5 { Side::Up } else { Side::Down });
            }
            // Those at a level already stay there, as long as that goes well: the programs grow smaller.
            if share == BATCH {
                for at in (0..tried.len()).filter(|&at| self.is_decided(at, &point)) {
                    let up = point.moves[self.task.sensitive[at].cell.index()] > 0.0;
                    tried[at] = Some(if up { Side::Up } else { Side::Down });
                }
            }
            let mut answer = self.tight.relax(self.context.engine, &tried, &self.moment())?;
            if matches!(answer, Answer::Infeasible) && count == 1 {
                tried[between[0].1] = tried[between[0].1].map(other);
                answer = self.tight.relax(self.context.engine, &tried, &self.moment())?;
            }
            match answer {
                Answer::Optimal(next) => {
                    (senses, point, share) = (tried, next, BATCH);
                }
                _ if count > 1 => share /= 4.0,
                // What was rounded before stands in the way: a third of it is taken back.
                _ => {
                    for sense in &mut senses {
                        if self.random.share() < 0.34 {
                            *sense = None;
                        }
                    }
                    let Answer::Optimal(next) =
                        self.tight.relax(self.context.engine, &senses, &self.moment())?
                    else {
                        return Ok(());
                    };
                    point = next;
                }
            }
        }
        Ok(())
    }

    /// Whether a sensitive cell lies at or beyond one of its levels.
    fn is_decided(&self, at: usize, point: &Point) -> bool {
        let z = point.moves[self.task.sensitive[at].cell.index()];
        Side::BOTH.into_iter().any(|side| {
            let (lower, upper) = self.task.range(at, side);
            self.task.sensitive[at].level(side).is_some()
                && lower - MISS * lower.abs() <= z
                && z <= upper + MISS * upper.abs()
        })
    }

    /// Decides cluster by cluster: the earlier ones fixed, the later ones relaxed.
    pub(super) fn fix_and_relax(&mut self) -> Result<(), AdjustError> {
        let count = self.task.sensitive.len();
        let order = self.neighbours_first();
        let mut senses = vec![None; count];
        let mut size = CLUSTER;
        let mut done = 0;
        while done < count {
            if self.context.is_over() {
                return Ok(());
            }
            let cluster = &order[done..(done + size).min(count)];
            match self.decide(&senses, cluster, CLUSTER_NODES)? {
                Some(decided) => {
                    for &at in cluster {
                        senses[at] = Some(decided[at]);
                    }
                    done += cluster.len();
                    size = CLUSTER;
                }
                None if done == 0 && size >= count => return Ok(()),
                None => {
                    // What was decided earlier stands in the way: take the last of it back.
                    let back = done.min(size);
                    for &at in &order[done - back..done] {
                        senses[at] = None;
                    }
                    done -= back;
                    size = 2 * size + back;
                }
            }
        }
        let senses: Senses = senses.into_iter().map(|sense| sense.unwrap_or(Side::Up)).collect();
        self.try_senses(&senses)?;
        Ok(())
    }
}

pub(crate) fn other(side: Side) -> Side {
    match side {
        Side::Down => Side::Up,
        Side::Up => Side::Down,
    }
}
