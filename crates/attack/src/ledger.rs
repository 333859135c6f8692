//! What has been shown so far: witnesses, and which needs they meet.

use cellveil_core::{Certificate, Claim, Need, Problem, Side, Witness};

/// Keeps witnesses and tells which needs are still open. Every new witness is tried on all needs it touches.
#[derive(Clone, Debug)]
pub struct Ledger<'a> {
    problem: &'a Problem,
    witnesses: Vec<Witness>,
    /// Per witness, the insiders of whom it moves a cell, ascending.
    moved: Vec<Vec<u32>>,
    /// Per need and side, the witnesses that lead that way.
    leads: Vec<[Vec<Lead>; 2]>,
    /// The needs that are known to be met against all insiders. More witnesses change nothing about that.
    proven: Vec<bool>,
}

/// A witness that leads a cell this way. Large ones move tens of thousands of cells: how far this one goes is kept beside it.
#[derive(Clone, Copy, Debug)]
struct Lead {
    witness: u32,
    denominator: u32,
    /// The step of the cell, without its sign.
    step: i64,
}

impl Lead {
    fn distance(self) -> f64 {
        self.step as f64 / f64::from(self.denominator)
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
        Self {
            problem,
            witnesses: Vec::new(),
            moved: Vec::new(),
            leads: vec![Default::default(); problem.needs().len()],
            proven: vec![false; problem.needs().len()],
        }
    }

    /// The witnesses so far.
    pub fn witnesses(&self) -> &[Witness] {
        &self.witnesses
    }

    /// Stores a witness and tries it on every need it touches. Returns whether it showed anything.
    pub fn add(&mut self, witness: Witness) -> bool {
        if self.problem.is_whole() && witness.denominator != 1 {
            return false;
        }
        let id = self.witnesses.len() as u32;
        self.moved.push(self.insiders_moved_by(&witness));
        self.witnesses.push(witness);
        let mut useful = false;
        for at in 0..self.witnesses[id as usize].moves.len() {
            let (cell, step) = self.witnesses[id as usize].moves[at];
            let Some(need) = self.problem.needs().position(cell) else { continue };
            let side = if step < 0 { Side::Down } else { Side::Up };
            let denominator = self.witnesses[id as usize].denominator;
            let lead = Lead { witness: id, denominator, step: step.abs() };
            if self.leads[need][slot(side)].len() < REMEMBERED || self.adds(need, side, lead) {
                self.leads[need][slot(side)].push(lead);
                self.note_whether_proven(need);
                useful = true;
            }
        }
        if !useful {
            self.witnesses.pop();
            self.moved.pop();
        }
        useful
    }

    /// Whether a witness goes further than those remembered, or than those of them that leave the cells of an insider alone who comes too close.
    fn adds(&self, need: usize, side: Side, lead: Lead) -> bool {
        let goes_further =
            |than: Option<Lead>| than.is_none_or(|than| lead.distance() > than.distance());
        let helps = |&insider: &u32| {
            self.leaves_alone(lead.witness, insider)
                && goes_further(self.furthest(need, side, Some(insider)))
                && !self.is_met(need, Some(insider))
        };
        goes_further(self.furthest(need, side, None))
            || (!self.proven[need] && self.close_by(need).iter().any(helps))
    }

    fn leaves_alone(&self, witness: u32, insider: u32) -> bool {
        self.moved[witness as usize].binary_search(&insider).is_err()
    }

    /// Looking through all witnesses of a need takes long where they move hundreds of insiders, so what is proven is kept.
    fn note_whether_proven(&mut self, need: usize) {
        if !self.proven[need] && !self.problem.insiders().is_empty() {
            self.proven[need] = self.is_proven(need);
        }
    }

    /// The witness that leads furthest, of those that leave an insider's cells alone.
    fn furthest(&self, need: usize, side: Side, insider: Option<u32>) -> Option<Lead> {
        let leads = self.leads[need][slot(side)].iter().copied();
        let usable =
            |lead: &Lead| insider.is_none_or(|insider| self.leaves_alone(lead.witness, insider));
        leads.filter(usable).max_by(|a, b| a.distance().total_cmp(&b.distance()))
    }

    /// The insiders with a cell that a witness moves, ascending.
    fn insiders_moved_by(&self, witness: &Witness) -> Vec<u32> {
        if self.problem.insiders().is_empty() {
            return Vec::new();
        }
        let moves = &witness.moves;
        let mut insiders: Vec<u32> =
            moves.iter().filter_map(|&(cell, _)| self.problem.insiders().of(cell)).collect();
        insiders.sort_unstable();
        insiders.dedup();
        insiders
    }

    /// The same, but for the one behind the need's own cell, who has nothing to learn.
    fn moved_insiders(&self, need: usize, witness: u32) -> impl Iterator<Item = u32> + '_ {
        let own = self.problem.insiders().of(self.problem.needs()[need].cell);
        let moved = self.moved[witness as usize].iter().copied();
        moved.filter(move |&insider| Some(insider) != own)
    }

    /// How far a side of a need is shown to go, in units, rounded down, by witnesses that leave an insider's cells alone.
    pub fn shown(&self, need: usize, side: Side, insider: Option<u32>) -> i64 {
        self.furthest(need, side, insider).map_or(0, |lead| lead.step / i64::from(lead.denominator))
    }

    /// How far a side must still be shown to go, given what is shown for the other; `None` if it is met.
    pub fn wanted(&self, need: usize, side: Side, insider: Option<u32>) -> Option<i64> {
        let n: &Need = &self.problem.needs()[need];
        let other = match side {
            Side::Down => self.shown(need, Side::Up, insider).max(n.up),
            Side::Up => self.shown(need, Side::Down, insider).max(n.down),
        };
        let wanted = n.on(side).max(n.sliding.saturating_sub(other));
        (self.shown(need, side, insider) < wanted).then_some(wanted)
    }

    /// Whether a need is met on both sides: for everybody without further knowledge, or for an insider.
    pub fn is_met(&self, need: usize, insider: Option<u32>) -> bool {
        Side::BOTH.iter().all(|&side| self.wanted(need, side, insider).is_none())
    }

    /// The insiders who come too close, because useful witnesses move a cell of theirs; ascending.
    pub fn blocking(&self, need: usize) -> Vec<u32> {
        let mut insiders = self.close_by(need);
        insiders.retain(|&insider| !self.is_met(need, Some(insider)));
        insiders
    }

    /// The insiders of whom the witnesses that go furthest move a cell; ascending.
    fn close_by(&self, need: usize) -> Vec<u32> {
        let best = Side::BOTH.iter().filter_map(|&side| self.furthest(need, side, None));
        let mut insiders: Vec<u32> =
            best.flat_map(|lead| self.moved_insiders(need, lead.witness)).collect();
        insiders.sort_unstable();
        insiders.dedup();
        insiders
    }

    /// Whether a need is met for everybody, insiders included.
    pub fn is_proven(&self, need: usize) -> bool {
        let is_met_against_insiders = || {
            let mut close_by = self.close_by(need).into_iter();
            close_by.all(|insider| self.is_met(need, Some(insider)))
        };
        self.proven[need] || (self.is_met(need, None) && is_met_against_insiders())
    }

    /// The certificate: for each need and side the furthest witness, and those that leave the insiders alone whose cells it
    /// moves.
    pub fn certificate(&self) -> Certificate {
        let mut claims = Vec::new();
        for (need, Need { cell, .. }) in self.problem.needs().iter().enumerate() {
            for side in Side::BOTH {
                let Some(best) = self.furthest(need, side, None) else { continue };
                let mut used = vec![(best.witness, self.problem.outsider())];
                for insider in self.moved_insiders(need, best.witness) {
                    let alternative = self.furthest(need, side, Some(insider));
                    let kind = self.problem.insider_kind(insider);
                    used.extend(alternative.map(|lead| (lead.witness, kind)));
                }
                used.sort_unstable();
                used.dedup_by_key(|(id, _)| *id);
                let claim = |(witness, intruder)| Claim { cell: *cell, side, intruder, witness };
                claims.extend(used.into_iter().map(claim));
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
