//! Cells of which at least one is withheld.

/// The cells of a cut with their share of the costs.
pub(super) struct Cover {
    pub(super) cells: Vec<u32>,
    pub(super) shares: Vec<f64>,
    /// `ln ln(1 + exp(−share/ε))` of every cell, the largest of them, and the sum of their powers relative to it.
    logs: Vec<f64>,
    most: f64,
    sum: f64,
}

impl Cover {
    pub(super) fn new(cells: Vec<u32>) -> Self {
        let shares = vec![0.0; cells.len()];
        Self { cells, shares, logs: Vec::new(), most: 0.0, sum: 0.0 }
    }

    /// Weighs all choices anew; gives the cost of the cheapest, and the mean.
    pub(super) fn weigh(&mut self, heat: f64) -> (f64, f64) {
        self.logs.clear();
        self.logs.extend(self.shares.iter().map(|share| log_of_softplus(-share / heat)));
        self.most = self.logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        self.sum = self.logs.iter().map(|log| (log - self.most).exp()).sum();
        let paid: f64 = self.shares.iter().map(|share| share.min(0.0)).sum();
        let least = if paid < 0.0 {
            paid
        } else {
            self.shares.iter().copied().fold(f64::INFINITY, f64::min)
        };
        // All choices but the one that withholds nothing: `−ε ln(Π(1 + e) − 1)`.
        let log = self.most + self.sum.ln();
        (least, -heat * (log.exp() + log_of_rest(log)))
    }

    /// What withholding a cell adds to the mean: without it, another must be withheld.
    pub(super) fn price(&self, number: usize, heat: f64) -> f64 {
        let relative = |log: f64| (log - self.most).exp();
        let mut others = self.sum - relative(self.logs[number]);
        if others < CLOSE * self.sum {
            let all = self.logs.iter().enumerate().filter(|&(other, _)| other != number);
            others = all.map(|(_, &log)| relative(log)).sum();
        }
        let log = self.most + others.max(f64::MIN_POSITIVE).ln();
        self.shares[number] + heat * log_of_rest(log)
    }

    /// Adds to the share of a cell's cost.
    pub(super) fn shift(&mut self, number: usize, by: f64, heat: f64) {
        self.shares[number] += by;
        let before = (self.logs[number] - self.most).exp();
        self.logs[number] = log_of_softplus(-self.shares[number] / heat);
        self.sum += (self.logs[number] - self.most).exp() - before;
    }
}

/// Below this share of the sum a difference is added up anew.
const CLOSE: f64 = 1e-6;

/// From here on the simple formulas are exact.
const FAR: f64 = 30.0;

/// `ln ln(1 + eᵗ)`
fn log_of_softplus(t: f64) -> f64 {
    if t < -FAR {
        t
    } else if t > FAR {
        t.ln()
    } else {
        t.exp().ln_1p().ln()
    }
}

/// `ln(1 − exp(−eᵗ))`
fn log_of_rest(t: f64) -> f64 {
    if t < -FAR { t } else { (-(-t.exp()).exp_m1()).ln() }
}

#[cfg(test)]
mod tests {
    use super::Cover;

    #[test]
    fn means_and_prices_are_those_of_all_choices_but_nothing() {
        for heat in [0.3, 5.0] {
            let mut cover = Cover::new(vec![0, 1, 2]);
            cover.shares = vec![1.0, -0.5, 2.0];
            let (least, mean) = cover.weigh(heat);
            assert!((least + 0.5).abs() < 1e-12);
            let cost = |set: usize| {
                (0..3).filter(|at| set >> at & 1 == 1).map(|at| [1.0, -0.5, 2.0][at]).sum::<f64>()
            };
            let weight = |is: &dyn Fn(usize) -> bool| -> f64 {
                (1..8_usize).filter(|&set| is(set)).map(|set| (-cost(set) / heat).exp()).sum()
            };
            assert!((mean + heat * weight(&|_| true).ln()).abs() < 1e-9);
            for at in 0..3 {
                let [with, without] = [1, 0].map(|bit| weight(&|set| set >> at & 1 == bit));
                assert!((cover.price(at, heat) - heat * (without / with).ln()).abs() < 1e-9);
            }
            cover.shift(1, 0.75, heat);
            let prices: Vec<f64> = (0..3).map(|at| cover.price(at, heat)).collect();
            cover.weigh(heat);
            for (at, price) in prices.into_iter().enumerate() {
                assert!((price - cover.price(at, heat)).abs() < 1e-9);
            }
        }
    }
}
