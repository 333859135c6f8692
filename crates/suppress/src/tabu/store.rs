//! All witnesses that were found: those that are of use with a pattern, and those that wait for cells to be withheld.

use cellveil_core::{CellId, Pattern, Problem, Side, Witness};

/// The witnesses, and how far each is from being of use.
pub(super) struct Store<'s> {
    problem: &'s Problem,
    witnesses: Vec<Witness>,
    /// Per witness how many published cells it moves; it is of use with none.
    missing: Vec<u32>,
    /// Per witness what withholding them would cost.
    lack: Vec<f64>,
    /// Per witness the contributors that are alone in a cell it moves, ascending.
    insiders: Vec<Vec<u32>>,
    /// Per witness the needs it serves.
    serves: Vec<Vec<u32>>,
    /// Per cell the witnesses that move it.
    using: Vec<Vec<u32>>,
    /// Per need and side the witnesses that lead there with their distances in whole units, furthest first.
    leading: Vec<[Vec<(i64, u32)>; 2]>,
}

fn slot(side: Side) -> usize {
    usize::from(side == Side::Up)
}

impl<'s> Store<'s> {
    pub(super) fn new(problem: &'s Problem) -> Self {
        Self {
            problem,
            witnesses: Vec::new(),
            missing: Vec::new(),
            lack: Vec::new(),
            insiders: Vec::new(),
            serves: Vec::new(),
            using: vec![Vec::new(); problem.len()],
            leading: vec![Default::default(); problem.needs().len()],
        }
    }

    /// Takes a witness in, if it serves a need.
    pub(super) fn add(&mut self, witness: &Witness, pattern: &Pattern) {
        if self.problem.is_whole() && witness.denominator != 1 {
            return;
        }
        let id = self.witnesses.len() as u32;
        let mut serves = Vec::new();
        for &(cell, step) in &witness.moves {
            let Some(need) = self.problem.needs().position(cell) else { continue };
            let distance = step.abs() / i64::from(witness.denominator);
            let side = if step > 0 { Side::Up } else { Side::Down };
            let asked = &self.problem.needs()[need];
            // Less than the level is of use only for a width, together with the other side.
            if distance >= asked.on(side).max(1) {
                let list = &mut self.leading[need][slot(side)];
                let at = list.partition_point(|&(other, _)| other >= distance);
                list.insert(at, (distance, id));
                serves.push(need as u32);
            }
        }
        if serves.is_empty() {
            return;
        }
        let published = || witness.moves.iter().filter(|(cell, _)| !pattern.is_withheld(*cell));
        self.missing.push(published().count() as u32);
        self.lack.push(published().map(|&(cell, _)| self.problem.cost(cell)).sum());
        let insider = |&(cell, _): &(CellId, i64)| self.problem.insiders().of(cell);
        let mut insiders: Vec<u32> = witness.moves.iter().filter_map(insider).collect();
        insiders.sort_unstable();
        insiders.dedup();
        self.insiders.push(insiders);
        for &(cell, _) in &witness.moves {
            self.using[cell.index()].push(id);
        }
        self.serves.push(serves);
        self.witnesses.push(witness.clone());
    }

    /// The witnesses of use.
    pub(super) fn of_use(&self) -> Vec<Witness> {
        let found = self.witnesses.iter().zip(&self.missing).filter(|(_, missing)| **missing == 0);
        found.map(|(witness, _)| witness.clone()).collect()
    }

    /// Notes that a cell is published. Returns the needs that lost a witness, ascending.
    pub(super) fn publish(&mut self, cell: CellId) -> Vec<usize> {
        let cost = self.problem.cost(cell);
        let mut lost: Vec<usize> = Vec::new();
        for &id in &self.using[cell.index()] {
            let at = id as usize;
            if self.missing[at] == 0 {
                lost.extend(self.serves[at].iter().map(|&need| need as usize));
            }
            self.missing[at] += 1;
            self.lack[at] += cost;
        }
        lost.sort_unstable();
        lost.dedup();
        lost
    }

    /// Notes that a cell is withheld.
    pub(super) fn withhold(&mut self, cell: CellId) {
        let cost = self.problem.cost(cell);
        for &id in &self.using[cell.index()] {
            let at = id as usize;
            self.missing[at] -= 1;
            self.lack[at] = if self.missing[at] == 0 { 0.0 } else { self.lack[at] - cost };
        }
    }

    fn leaves_alone(&self, id: u32, insider: Option<u32>) -> bool {
        insider.is_none_or(|insider| self.insiders[id as usize].binary_search(&insider).is_err())
    }

    /// The witness of use that leads furthest, of those that leave an insider's cells alone.
    fn furthest(&self, need: usize, side: Side, insider: Option<u32>) -> Option<(i64, u32)> {
        let list = self.leading[need][slot(side)].iter().copied();
        list.into_iter()
            .find(|&(_, id)| self.missing[id as usize] == 0 && self.leaves_alone(id, insider))
    }

    /// How far a side must still be shown to go, given what is shown for the other; `None` if it is met.
    pub(super) fn wanted(&self, need: usize, side: Side, insider: Option<u32>) -> Option<i64> {
        let shown = |side| self.furthest(need, side, insider).map_or(0, |(distance, _)| distance);
        let asked = &self.problem.needs()[need];
        let other = match side {
            Side::Down => shown(Side::Up).max(asked.up),
            Side::Up => shown(Side::Down).max(asked.down),
        };
        let wanted = asked.on(side).max(asked.sliding.saturating_sub(other));
        (shown(side) < wanted).then_some(wanted)
    }

    /// An insider who comes too close, though outsiders do not.
    pub(super) fn blocking(&self, need: usize) -> Option<u32> {
        let own = self.problem.insiders().of(self.problem.needs()[need].cell);
        let best = Side::BOTH.into_iter().filter_map(|side| self.furthest(need, side, None));
        let mut insiders = best.flat_map(|(_, id)| self.insiders[id as usize].iter().copied());
        insiders.find(|&insider| {
            Some(insider) != own
                && Side::BOTH.iter().any(|&side| self.wanted(need, side, Some(insider)).is_some())
        })
    }

    /// The published cells of the witness that is cheapest to make of use, for a target and with an insider's cells left alone.
    pub(super) fn cheapest(
        &self,
        (need, side, insider): (usize, Side, Option<u32>),
        target: i64,
        pattern: &Pattern,
        allowed: &dyn Fn(CellId) -> bool,
    ) -> Option<Vec<CellId>> {
        let mut best: Option<(f64, Vec<CellId>)> = None;
        for &(distance, id) in &self.leading[need][slot(side)] {
            if distance < target {
                break;
            }
            let lack = self.lack[id as usize];
            if best.as_ref().is_some_and(|(least, _)| lack >= *least)
                || !self.leaves_alone(id, insider)
            {
                continue;
            }
            let moves = self.witnesses[id as usize].moves.iter().map(|&(cell, _)| cell);
            let missing: Vec<CellId> = moves.filter(|&cell| !pattern.is_withheld(cell)).collect();
            if missing.iter().all(|&cell| allowed(cell)) {
                best = Some((lack, missing));
            }
        }
        best.map(|(_, missing)| missing)
    }
}
