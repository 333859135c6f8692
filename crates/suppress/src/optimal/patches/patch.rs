//! A patch: a few cells of which a cheapest pattern withholds one of some shapes.

/// A patch with its share of the costs.
pub(super) struct Patch {
    /// Its free cells.
    pub(super) cells: Vec<u32>,
    /// The cells withheld in each shape, as bits.
    pub(super) shapes: Vec<u32>,
    /// The shapes that withhold each cell.
    with: Vec<Vec<u16>>,
    /// The share of each cell's cost.
    pub(super) shares: Vec<f64>,
    /// How likely each shape is, times a factor; their sum.
    weights: Vec<f64>,
    sum: f64,
}

/// The cost of a shape is looked up in two tables, one for its first cells.
const EIGHT: usize = 8;

impl Patch {
    pub(super) fn new(cells: Vec<u32>, shapes: Vec<u32>) -> Self {
        let with = |number: usize| {
            let with = (0_u16..).zip(&shapes).filter(|(_, shape)| **shape >> number & 1 == 1);
            with.map(|(shape, _)| shape).collect()
        };
        let with = (0..cells.len()).map(with).collect();
        let shares = vec![0.0; cells.len()];
        Self { cells, shapes, with, shares, weights: Vec::new(), sum: 0.0 }
    }

    /// What every shape costs at these shares.
    fn costs(&self) -> Vec<f64> {
        let (low, high) = self.shares.split_at(EIGHT.min(self.shares.len()));
        let (low, high) = (sums(low), sums(high));
        let cost =
            |&shape: &u32| low[shape as usize & (low.len() - 1)] + high[shape as usize >> EIGHT];
        self.shapes.iter().map(cost).collect()
    }

    /// Weighs the shapes anew; gives the cost of the cheapest, and the mean.
    pub(super) fn weigh(&mut self, heat: f64) -> (f64, f64) {
        let costs = self.costs();
        let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
        self.weights.clear();
        self.weights.extend(costs.iter().map(|cost| ((least - cost) / heat).exp()));
        self.sum = self.weights.iter().sum();
        (least, least - heat * self.sum.ln())
    }

    /// What withholding a cell adds to the mean.
    pub(super) fn price(&self, number: usize, heat: f64) -> f64 {
        let with = &self.with[number];
        let of = |&shape: &u16| self.weights[shape as usize];
        let withheld: f64 = with.iter().map(of).sum();
        let mut published = self.sum - withheld;
        if published < CLOSE * self.sum {
            // The difference is mostly rounding.
            let shapes = self.shapes.iter().zip(&self.weights);
            published = shapes
                .filter(|(shape, _)| *shape >> number & 1 == 0)
                .map(|(_, weight)| weight)
                .sum();
        }
        let log = |weight: f64| weight.max(f64::MIN_POSITIVE).ln();
        heat * (log(published) - log(withheld))
    }

    /// Adds to the share of a cell's cost.
    pub(super) fn shift(&mut self, number: usize, by: f64, heat: f64) {
        self.shares[number] += by;
        let factor = (-by / heat).exp();
        let mut withheld = 0.0;
        for &shape in &self.with[number] {
            let weight = &mut self.weights[shape as usize];
            withheld += *weight;
            *weight = (*weight * factor).min(f64::MAX.sqrt());
        }
        self.sum += withheld * (factor - 1.0);
    }
}

/// Below this share of the sum a difference is added up anew.
const CLOSE: f64 = 1e-6;

/// The sums of all subsets of a few numbers.
fn sums(numbers: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; 1 << numbers.len()];
    for set in 1..sums.len() {
        sums[set] = sums[set & (set - 1)] + numbers[set.trailing_zeros() as usize];
    }
    sums
}
