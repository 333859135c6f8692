//! What has been shown so far: witnesses, and which needs they meet.

use cellveil_core::{CellId, Certificate, Claim, Intruder, Need, Problem, Side, Witness};

/// Keeps witnesses and tells which needs are still open. Every new witness is tried on all needs it touches.
#[derive(Clone, Debug)]
pub struct Ledger<'a> {
    problem: &'a Problem,
    witnesses: Vec<Witness>,
    /// Per need and side, the witnesses that lead that way.
    leads: Vec<[Vec<u32>; 2]>,
    is_singleton: Vec<bool>,
    /// Per cell, the witnesses that move it.
    using: Vec<Vec<u32>>,
}

/// Witnesses set aside.
#[derive(Debug)]
pub struct Retired {
    lost: Vec<(usize, usize, u32)>,
}

impl Retired {
    /// The needs that lost a witness, ascending.
    pub fn needs(&self) -> Vec<usize> {
        let mut needs: Vec<usize> = self.lost.iter().map(|&(need, _, _)| need).collect();
        needs.sort_unstable();
        needs.dedup();
        needs
    }
}

/// How many witnesses are remembered per need and side, beyond those that show something new.
const REMEMBERED: usize = 4;

fn slot(side: Side) -> usize {
    match side {
        Side::Down => 0,
        Side::Up => 1,
    }
}

impl<'a> Ledger<'a> {
    /// Nothing shown yet.
    pub fn new(problem: &'a Problem) -> Self {
        let mut is_singleton = vec![false; problem.len()];
        for cell in problem.singletons() {
            is_singleton[cell.index()] = true;
        }
        Self {
            problem,
            witnesses: Vec::new(),
            leads: vec![Default::default(); problem.needs().len()],
            is_singleton,
            using: vec![Vec::new(); problem.len()],
        }
    }

    /// The witnesses so far.
    pub fn witnesses(&self) -> &[Witness] {
        &self.witnesses
    }

    /// Stores a witness and tries it on every need it touches. Returns whether it showed anything.
    pub fn add(&mut self, witness: Witness) -> bool {
        let id = self.witnesses.len() as u32;
        self.witnesses.push(witness);
        let mut useful = false;
        for at in 0..self.witnesses[id as usize].moves.len() {
            let (cell, step) = self.witnesses[id as usize].moves[at];
            let Some(need) = self.problem.needs().position(cell) else { continue };
            let side = if step < 0 { Side::Down } else { Side::Up };
            if self.leads[need][slot(side)].len() < REMEMBERED || self.adds(need, side, id) {
                self.leads[need][slot(side)].push(id);
                useful = true;
            }
        }
        if useful {
            for &(cell, _) in &self.witnesses[id as usize].moves {
                self.using[cell.index()].push(id);
            }
        } else {
            self.witnesses.pop();
        }
        useful
    }

    /// Whether a witness goes further than those remembered, or leaves a singleton alone that all of them move.
    fn adds(&self, need: usize, side: Side, id: u32) -> bool {
        let cell = self.problem.needs()[need].cell;
        let new = &self.witnesses[id as usize];
        let further = self
            .furthest(need, side, None)
            .is_none_or(|best| distance(new, cell) > distance(best, cell));
        further
            || self.blocking(need, side).into_iter().any(|singleton| new.move_of(singleton) == 0)
    }

    fn furthest(&self, need: usize, side: Side, unmoved: Option<CellId>) -> Option<&Witness> {
        let cell = self.problem.needs()[need].cell;
        let leads = self.leads[need][slot(side)].iter().map(|&id| &self.witnesses[id as usize]);
        let usable =
            leads.filter(|witness| unmoved.is_none_or(|singleton| witness.move_of(singleton) == 0));
        usable.max_by(|a, b| distance(a, cell).total_cmp(&distance(b, cell)))
    }

    /// How far a side of a need is shown to go, in units, rounded down, by witnesses that do not move `unmoved`.
    pub fn shown(&self, need: usize, side: Side, unmoved: Option<CellId>) -> i64 {
        let cell = self.problem.needs()[need].cell;
        self.furthest(need, side, unmoved).map_or(0, |witness| {
            (witness.move_of(cell) * side.sign()).div_euclid(i64::from(witness.denominator)).max(0)
        })
    }

    /// How far a side must still be shown to go, given what is shown for the other; `None` if it is met.
    pub fn wanted(&self, need: usize, side: Side, unmoved: Option<CellId>) -> Option<i64> {
        let n: &Need = &self.problem.needs()[need];
        let other = match side {
            Side::Down => self.shown(need, Side::Up, unmoved).max(n.up),
            Side::Up => self.shown(need, Side::Down, unmoved).max(n.down),
        };
        let wanted = n.on(side).max(n.sliding.saturating_sub(other));
        (self.shown(need, side, unmoved) < wanted).then_some(wanted)
    }

    /// Whether a need is met on both sides for everybody without further knowledge.
    pub fn is_met(&self, need: usize) -> bool {
        Side::BOTH.iter().all(|&side| self.wanted(need, side, None).is_none())
    }

    /// The singletons whose contributors come too close, because every useful witness of this side moves them.
    pub fn blocking(&self, need: usize, side: Side) -> Vec<CellId> {
        let cell = self.problem.needs()[need].cell;
        let Some(best) = self.furthest(need, side, None) else { return Vec::new() };
        let moved = best.moves.iter().map(|&(moved, _)| moved);
        moved
            .filter(|&moved| moved != cell && self.is_singleton[moved.index()])
            .filter(|&singleton| self.wanted(need, side, Some(singleton)).is_some())
            .collect()
    }

    /// Sets every witness that moves a cell aside, as if the cell were published. Returns the needs that lost one.
    pub fn retire(&mut self, cell: CellId) -> Retired {
        let mut lost = Vec::new();
        for &id in &self.using[cell.index()] {
            let witness = &self.witnesses[id as usize];
            for &(moved, step) in &witness.moves {
                let Some(need) = self.problem.needs().position(moved) else { continue };
                let side = slot(if step < 0 { Side::Down } else { Side::Up });
                if self.leads[need][side].contains(&id) {
                    lost.push((need, side, id));
                }
            }
        }
        for &(need, side, id) in &lost {
            self.leads[need][side].retain(|&lead| lead != id);
        }
        Retired { lost }
    }

    /// Takes back [`Ledger::retire`].
    pub fn restore(&mut self, retired: Retired) {
        for (need, side, id) in retired.lost {
            self.leads[need][side].push(id);
            self.leads[need][side].sort_unstable();
        }
    }

    /// The certificate: for each need and side the furthest witness, and those that leave the singletons it moves alone.
    pub fn certificate(&self) -> Certificate {
        let mut claims = Vec::new();
        for (need, leads) in self.leads.iter().enumerate() {
            let cell = self.problem.needs()[need].cell;
            for side in Side::BOTH {
                let mut used: Vec<(u32, Intruder)> = Vec::new();
                let id_of = |witness: &Witness| {
                    leads[slot(side)]
                        .iter()
                        .copied()
                        .find(|&id| std::ptr::eq(&raw const self.witnesses[id as usize], witness))
                };
                let best = self.furthest(need, side, None);
                used.extend(best.and_then(id_of).map(|id| (id, Intruder::External)));
                let moved = best
                    .into_iter()
                    .flat_map(|witness| witness.moves.iter().map(|&(moved, _)| moved));
                for singleton in
                    moved.filter(|&moved| moved != cell && self.is_singleton[moved.index()])
                {
                    let alternative = self.furthest(need, side, Some(singleton)).and_then(id_of);
                    used.extend(alternative.map(|id| (id, Intruder::Singleton)));
                }
                used.sort_unstable();
                used.dedup_by_key(|(id, _)| *id);
                claims.extend(used.into_iter().map(|(witness, intruder)| Claim {
                    cell,
                    side,
                    intruder,
                    witness,
                }));
            }
        }
        self.compact(claims)
    }

    /// Drops witnesses that nobody claims.
    fn compact(&self, mut claims: Vec<Claim>) -> Certificate {
        let mut renumbered: Vec<Option<u32>> = vec![None; self.witnesses.len()];
        for claim in &claims {
            renumbered[claim.witness as usize] = Some(0);
        }
        let mut witnesses = Vec::new();
        for (witness, number) in
            self.witnesses.iter().zip(&mut renumbered).filter(|(_, number)| number.is_some())
        {
            *number = Some(witnesses.len() as u32);
            witnesses.push(witness.clone());
        }
        for claim in &mut claims {
            claim.witness = renumbered[claim.witness as usize].unwrap_or(claim.witness);
        }
        claims.sort_unstable();
        Certificate { witnesses, claims }
    }
}

fn distance(witness: &Witness, cell: CellId) -> f64 {
    witness.move_of(cell).unsigned_abs() as f64 / f64::from(witness.denominator)
}
