//! Inequalities that a pattern must go on satisfying while cells are published.

/// Inequalities `Σ coefficient · withheld ≥ 1` over classes.
#[derive(Clone, Default)]
pub(super) struct Guards {
    count: usize,
    /// The inequalities of every class, with its coefficient in each.
    uses: Vec<Vec<(u32, f64)>>,
}

/// What a pattern has of every inequality.
pub(super) struct Guard<'a> {
    guards: &'a Guards,
    has: Vec<f64>,
    /// What each would lose, while it is being asked about.
    loss: Vec<f64>,
}

/// Rounding in the sums.
const ROUNDING: f64 = 1e-6;

impl Guards {
    pub(super) fn new(classes: usize) -> Self {
        Self { count: 0, uses: vec![Vec::new(); classes] }
    }

    pub(super) fn add(&mut self, terms: impl Iterator<Item = (u32, f64)>) {
        for (class, c) in terms {
            self.uses[class as usize].push((self.count as u32, c));
        }
        self.count += 1;
    }

    /// The state of a pattern.
    pub(super) fn of(&self, withheld: &[u32]) -> Guard<'_> {
        let mut has = vec![0.0; self.count];
        if self.count > 0 {
            for &(at, c) in withheld.iter().flat_map(|&class| &self.uses[class as usize]) {
                has[at as usize] += c;
            }
        }
        Guard { guards: self, loss: vec![0.0; has.len()], has }
    }
}

impl Guard<'_> {
    /// Publishes classes, unless an inequality is missed then that is not missed before. Says whether it did.
    pub(super) fn publish(&mut self, classes: &[u32]) -> bool {
        if self.has.is_empty() {
            return true;
        }
        let uses = || classes.iter().flat_map(|&class| &self.guards.uses[class as usize]);
        for &(at, c) in uses() {
            self.loss[at as usize] += c;
        }
        let mut fits = true;
        for &(at, _) in uses() {
            let has = self.has[at as usize];
            fits &= has < 1.0 - ROUNDING || has - self.loss[at as usize] >= 1.0 - ROUNDING;
        }
        for &(at, _) in uses() {
            let loss = std::mem::take(&mut self.loss[at as usize]);
            if fits {
                self.has[at as usize] -= loss;
            }
        }
        fits
    }
}
