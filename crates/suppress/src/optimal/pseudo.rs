//! What branching on cells has gained so far, to choose the next one by.

/// Gains of all positions: published, withheld.
pub(super) struct Gains(Vec<[Gain; 2]>);

/// Bounds gained per share of a cell.
#[derive(Clone, Copy, Default)]
struct Gain {
    sum: f64,
    count: u32,
}

/// How often a cell is tried out before what it gained is believed.
const BELIEVED: u32 = 3;

/// Counts as a gain where there is none, so that the other half still counts.
const LEAST: f64 = 1e-6;

impl Gain {
    fn mean(self, otherwise: f64) -> f64 {
        if self.count == 0 { otherwise } else { self.sum / f64::from(self.count) }
    }
}

impl Gains {
    pub(super) fn new(positions: usize) -> Self {
        Self(vec![[Gain::default(); 2]; positions])
    }

    /// What a cell is worth that gains so much in both halves.
    pub(super) fn score(gained: [f64; 2]) -> f64 {
        gained.iter().map(|gain| gain.max(LEAST)).product()
    }

    pub(super) fn is_known(&self, at: u32) -> bool {
        self.0[at as usize].iter().all(|gain| gain.count >= BELIEVED)
    }

    /// Remembers what both halves gained, with the cell withheld to a share before.
    pub(super) fn note(&mut self, at: u32, share: f64, gained: [f64; 2]) {
        let ways = [share, 1.0 - share];
        for ((gain, way), gained) in self.0[at as usize].iter_mut().zip(ways).zip(gained) {
            gain.sum += gained / way;
            gain.count += 1;
        }
    }

    /// Cells with their shares as scores and cells, those first that promise most.
    pub(super) fn order(&self, cells: impl Iterator<Item = (u32, f64)>) -> Vec<(f64, u32)> {
        let otherwise = [0, 1].map(|half| {
            let of_half = self.0.iter().map(|gains| gains[half]);
            let (sum, count) =
                of_half.fold((0.0, 0), |(s, n), gain| (s + gain.sum, n + gain.count));
            Gain { sum, count }.mean(1.0)
        });
        let score = |(at, share): (u32, f64)| {
            let [down, up] = self.0[at as usize];
            let gains = [down.mean(otherwise[0]) * share, up.mean(otherwise[1]) * (1.0 - share)];
            (Self::score(gains), at)
        };
        let mut order: Vec<(f64, u32)> = cells.map(score).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        order
    }
}
