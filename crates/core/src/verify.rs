//! The one judge: does a certificate prove that a pattern is safe?
//!
//! Additions and comparisons of whole numbers only. This module knows nothing of how patterns or witnesses were found; a
//! mistake anywhere else can make a release fail here, but never pass. It is the only code whose error could let an unsafe
//! table out, so it stays short.

use crate::{Certificate, Claim, Incidence, Need, Pattern, Problem, Side, Status, Why, Witness};
use thiserror::Error;

/// What a certificate fails to show. Cells are named as in the problem, witnesses by their position; no amounts.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Fault {
    /// A sensitive cell is published.
    #[error("`{0}` is sensitive but published")]
    SensitivePublished(String),
    /// A cell that was withheld from the start is published.
    #[error("`{0}` is withheld in the instance but published")]
    WithheldPublished(String),
    /// A withheld cell of which nothing shows that its interval is wide enough.
    #[error("`{0}` is withheld, but nothing shows that its interval is wide enough")]
    WidthNotAsked(String),
    /// A frozen cell is withheld.
    #[error("`{0}` must be published but is withheld")]
    FrozenWithheld(String),
    /// A level below zero: no witness can show anything for it.
    #[error("`{0}` has a protection level below zero, which is for adjustment alone")]
    LevelBelowZero(String),
    /// The pattern is for another number of cells.
    #[error("the pattern is not one of this table")]
    WrongPattern,
    /// A witness is not in the form of one.
    #[error("witness {0} is malformed")]
    Malformed(usize),
    /// A witness changes a cell that everybody can see.
    #[error("witness {witness} moves `{cell}`, which is published")]
    MovesPublished {
        /// The witness.
        witness: usize,
        /// The published cell.
        cell: String,
    },
    /// A witness leaves the bounds the intruder knows.
    #[error("witness {witness} takes `{cell}` out of its bounds")]
    LeavesBounds {
        /// The witness.
        witness: usize,
        /// The cell.
        cell: String,
    },
    /// A witness does not keep a sum.
    #[error("witness {witness} breaks relation {relation}")]
    BreaksRelation {
        /// The witness.
        witness: usize,
        /// The relation, counted from 0.
        relation: usize,
    },
    /// A witness splits a unit, but intruders know that every cell is whole.
    #[error("witness {0} splits a unit, and everybody knows that the cells are whole numbers")]
    NotWhole(usize),
    /// A claim names a witness that is not there.
    #[error("a claim for `{0}` has no witness")]
    NoWitness(String),
    /// A claim names a cell that has no need.
    #[error("a claim for `{0}`, which asks for nothing")]
    NoNeed(String),
    /// A need that no witness meets.
    #[error("`{cell}` is not shown to be far enough {side}")]
    Unmet {
        /// The sensitive cell.
        cell: String,
        /// `down`, `up` or `apart`.
        side: &'static str,
    },
    /// A need that no witness meets against the only contributor of another cell.
    #[error(
        "`{cell}` is not shown to be far enough {side} for the only contributor of `{singleton}`"
    )]
    UnmetBySingleton {
        /// The sensitive cell.
        cell: String,
        /// `down`, `up` or `apart`.
        side: &'static str,
        /// The cell whose contributor knows too much.
        singleton: String,
    },
}

/// Checks a whole certificate held in memory.
///
/// # Errors
/// Every [`Fault`] found, in the order of witnesses, then of needs.
pub fn verify(
    problem: &Problem,
    pattern: &Pattern,
    certificate: &Certificate,
) -> Result<(), Vec<Fault>> {
    let mut verifier = Verifier::new(problem, pattern, &certificate.claims);
    for witness in &certificate.witnesses {
        verifier.admit(witness);
    }
    verifier.finish()
}

/// A distance as a fraction: numerator and denominator.
type Distance = (i64, u32);

/// A witness that moves more than one cell in so many is checked relation by relation, in little memory.
const DENSE: usize = 8;

/// No distance at all.
const NOTHING: Distance = (0, 1);

/// What a valid witness shows for one need and side.
struct Shown {
    side: Side,
    distance: Distance,
    /// The insiders it says nothing to: those with a cell that moves in it.
    insiders: Vec<u32>,
}

/// Checks a certificate witness by witness, so that it need not fit into memory.
pub struct Verifier<'a> {
    problem: &'a Problem,
    pattern: &'a Pattern,
    incidence: Incidence,
    /// Claims by witness.
    claims: Vec<Claim>,
    next_claim: usize,
    next_witness: usize,
    /// Per need, the furthest that any valid witness shows, down and up.
    furthest: Vec<[Distance; 2]>,
    /// Per need, all that was shown, where there are insiders to whom not every witness says something.
    shown: Vec<Vec<Shown>>,
    faults: Vec<Fault>,
}

impl<'a> Verifier<'a> {
    /// Takes the claims; witnesses follow in their order through [`Verifier::admit`].
    pub fn new(problem: &'a Problem, pattern: &'a Pattern, claims: &[Claim]) -> Self {
        let mut faults = Vec::new();
        if pattern.cells() == problem.len() {
            check_pattern(problem, pattern, &mut faults);
        } else {
            faults.push(Fault::WrongPattern);
        }
        for need in problem.needs().iter().filter(|need| need.down < 0 || need.up < 0) {
            faults.push(Fault::LevelBelowZero(problem.names().describe(need.cell).to_string()));
        }
        let mut claims = claims.to_vec();
        claims.sort_unstable_by_key(|claim| (claim.witness, *claim));
        Self {
            problem,
            pattern,
            incidence: problem.relations().incidence(problem.len()),
            claims,
            next_claim: 0,
            next_witness: 0,
            furthest: vec![[NOTHING; 2]; problem.needs().len()],
            shown: if problem.insiders().is_empty() {
                Vec::new()
            } else {
                problem.needs().iter().map(|_| Vec::new()).collect()
            },
            faults,
        }
    }

    /// Checks the next witness and, if it is valid, what is claimed of it.
    pub fn admit(&mut self, witness: &Witness) {
        let number = self.next_witness;
        self.next_witness += 1;
        let valid = self.pattern.cells() == self.problem.len() && self.is_valid(number, witness);
        while let Some(&claim) =
            self.claims.get(self.next_claim).filter(|c| c.witness as usize == number)
        {
            self.next_claim += 1;
            if claim.cell.index() >= self.problem.len() {
                self.faults.push(Fault::NoNeed(format!("cell {}", claim.cell.0)));
                continue;
            }
            let Some(need) = self.problem.needs().position(claim.cell) else {
                self.faults.push(Fault::NoNeed(self.name(claim.cell)));
                continue;
            };
            if valid {
                let moved = witness.move_of(claim.cell).saturating_mul(claim.side.sign());
                let distance = (moved, witness.denominator);
                let furthest = &mut self.furthest[need][claim.side as usize];
                *furthest = further(*furthest, distance);
                if let Some(shown) = self.shown.get_mut(need) {
                    let insiders = moved_insiders(self.problem, witness, claim);
                    shown.push(Shown { side: claim.side, distance, insiders });
                }
            }
        }
    }

    /// Weighs what was shown against every need.
    ///
    /// # Errors
    /// Every [`Fault`] found.
    pub fn finish(mut self) -> Result<(), Vec<Fault>> {
        for claim in &self.claims[self.next_claim..] {
            let known = claim.cell.index() < self.problem.len();
            let cell = if known { self.name(claim.cell) } else { format!("cell {}", claim.cell.0) };
            self.faults.push(Fault::NoWitness(cell));
        }
        for (at, need) in self.problem.needs().iter().enumerate() {
            let cell = || self.problem.names().describe(need.cell).to_string();
            if let Some(side) = unmet(need, self.furthest[at]) {
                self.faults.push(Fault::Unmet { cell: cell(), side });
                continue;
            }
            let shown = self.shown.get(at).map_or(&[][..], |shown| &shown[..]);
            let mut knowing: Vec<u32> =
                shown.iter().flat_map(|s| s.insiders.iter().copied()).collect();
            knowing.sort_unstable();
            knowing.dedup();
            for insider in knowing {
                if let Some(side) = unmet(need, furthest_without(shown, insider)) {
                    let known = self.problem.insiders().cells(insider)[0];
                    let singleton = self.problem.names().describe(known).to_string();
                    self.faults.push(Fault::UnmetBySingleton { cell: cell(), side, singleton });
                }
            }
        }
        if self.faults.is_empty() { Ok(()) } else { Err(self.faults) }
    }

    /// Keeps every relation and every bound, and moves withheld cells only.
    fn is_valid(&mut self, number: usize, witness: &Witness) -> bool {
        let before = self.faults.len();
        let ascending = witness.moves.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let inside =
            witness.moves.last().is_none_or(|&(cell, _)| cell.index() < self.problem.len());
        if witness.denominator == 0 || !ascending || !inside {
            self.faults.push(Fault::Malformed(number));
            return false;
        }
        let splits = |&(_, step): &(crate::CellId, i64)| step % i64::from(witness.denominator) != 0;
        if self.problem.is_whole() && witness.moves.iter().any(splits) {
            self.faults.push(Fault::NotWhole(number));
        }
        let denominator = i128::from(witness.denominator);
        let is_dense = witness.moves.len() > self.problem.len() / DENSE;
        // By how much each term of a relation moves.
        let mut sums: Vec<(u32, i128)> = Vec::new();
        for &(cell, step) in &witness.moves {
            if !self.pattern.is_withheld(cell) {
                self.faults.push(Fault::MovesPublished { witness: number, cell: self.name(cell) });
            }
            let moved = i128::from(self.problem.value(cell)) * denominator + i128::from(step);
            let below = self
                .problem
                .lower(cell)
                .is_some_and(|bound| moved < i128::from(bound) * denominator);
            let above = self
                .problem
                .upper(cell)
                .is_some_and(|bound| moved > i128::from(bound) * denominator);
            if below || above {
                self.faults.push(Fault::LeavesBounds { witness: number, cell: self.name(cell) });
            }
            if !is_dense {
                let terms = self.incidence.of(cell).iter();
                sums.extend(terms.map(|&(at, c)| (at, i128::from(step) * i128::from(c))));
            }
        }
        if is_dense {
            self.check_all_relations(number, witness);
        }
        sums.sort_unstable();
        for terms in sums.chunk_by(|a, b| a.0 == b.0) {
            if terms.iter().map(|&(_, moved)| moved).sum::<i128>() != 0 {
                let relation = terms[0].0 as usize;
                self.faults.push(Fault::BreaksRelation { witness: number, relation });
            }
        }
        self.faults.len() == before
    }

    /// Adds up every relation, for a witness that moves most of the table.
    fn check_all_relations(&mut self, number: usize, witness: &Witness) {
        let mut moved = vec![0_i64; self.problem.len()];
        for &(cell, step) in &witness.moves {
            moved[cell.index()] = step;
        }
        let relations = self.problem.relations();
        for relation in 0..relations.len() {
            let terms = relations.row(relation);
            let terms = terms.map(|(cell, c)| i128::from(c) * i128::from(moved[cell.index()]));
            if terms.sum::<i128>() != 0 {
                self.faults.push(Fault::BreaksRelation { witness: number, relation });
            }
        }
    }

    fn name(&self, cell: crate::CellId) -> String {
        self.problem.names().describe(cell).to_string()
    }
}

fn check_pattern(problem: &Problem, pattern: &Pattern, faults: &mut Vec<Fault>) {
    for cell in problem.cells() {
        let name = || problem.names().describe(cell).to_string();
        let narrow = problem.needs().of(cell).is_none_or(|need| need.sliding < problem.width());
        if pattern.is_withheld(cell) && problem.width() > 0 && narrow {
            faults.push(Fault::WidthNotAsked(name()));
        }
        match (problem.status(cell), pattern.why(cell)) {
            (Status::Sensitive, None | Some(Why::Secondary)) => {
                faults.push(Fault::SensitivePublished(name()));
            }
            (Status::Withheld, None) => faults.push(Fault::WithheldPublished(name())),
            (Status::Frozen, Some(_)) => faults.push(Fault::FrozenWithheld(name())),
            _ => {}
        }
    }
}

/// The insiders with a cell that a witness moves, ascending, but for the one behind the claimed cell: it has nothing to learn.
fn moved_insiders(problem: &Problem, witness: &Witness, claim: Claim) -> Vec<u32> {
    if problem.insiders().is_empty() {
        return Vec::new();
    }
    let behind_claim = problem.insiders().of(claim.cell);
    let moved = witness.moves.iter().filter(|&&(_, step)| step != 0);
    let mut insiders: Vec<u32> =
        moved.filter_map(|&(cell, _)| problem.insiders().of(cell)).collect();
    insiders.retain(|&insider| Some(insider) != behind_claim);
    insiders.sort_unstable();
    insiders.dedup();
    insiders
}

/// The larger of two distances.
fn further(a: Distance, b: Distance) -> Distance {
    if wide(b.0) * wide(a.1) > wide(a.0) * wide(b.1) { b } else { a }
}

/// What is shown, down and up, by the witnesses that leave all cells of an insider alone.
fn furthest_without(shown: &[Shown], insider: u32) -> [Distance; 2] {
    let mut furthest = [NOTHING; 2];
    for shown in shown.iter().filter(|shown| shown.insiders.binary_search(&insider).is_err()) {
        let furthest = &mut furthest[shown.side as usize];
        *furthest = further(*furthest, shown.distance);
    }
    furthest
}

/// Which part of a need is not met by what is shown, down and up.
fn unmet(need: &Need, [down, up]: [Distance; 2]) -> Option<&'static str> {
    let reaches = |(distance, denominator): (i64, u32), level: i64| {
        wide(distance) >= wide(level) * wide(denominator)
    };
    let apart = wide(down.0) * wide(up.1) + wide(up.0) * wide(down.1);
    if !reaches(down, need.down) {
        Some("down")
    } else if !reaches(up, need.up) {
        Some("up")
    } else if apart < wide(need.sliding) * wide(down.1) * wide(up.1) {
        Some("apart")
    } else {
        None
    }
}

fn wide(number: impl Into<i128>) -> i128 {
    number.into()
}
