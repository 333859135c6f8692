//! Tables whose codes are grouped in several ways at once.

use cellveil_core::{
    CellId, CellNames, NO_UPPER, Need, Needs, Problem, ProblemParts, Reason, Relations, Status,
};
use rand_pcg::Pcg32;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// What a grouped table looks like.
#[derive(Clone, Copy, Debug)]
pub struct Grouped {
    /// Codes of the finest level in every dimension.
    pub leaves: usize,
    /// In how many ways those are grouped, each with the same total.
    pub groupings: usize,
    /// How many dimensions there are.
    pub dimensions: usize,
    /// How many cells in a hundred of the finest level are empty; those and their totals are left out, as files do.
    pub empty: u32,
    /// How many cells in a hundred are sensitive.
    pub sensitive: u32,
}

/// One dimension: every code by the codes of the finest level below it, and the sums.
struct Axis {
    codes: Vec<Vec<usize>>,
    sums: Vec<(usize, Vec<usize>)>,
}

impl Grouped {
    /// The same table for the same seed; cells cost their values.
    ///
    /// # Panics
    /// If there are no cells.
    pub fn problem(self, seed: u64) -> Problem {
        let mut random = Pcg32::seed_from_u64(seed);
        let mut below = move |bound: u32| random.next_u32() % bound;
        let axes: Vec<Axis> = (0..self.dimensions).map(|_| self.axis(&mut below)).collect();
        let inner: Vec<i64> = (0..self.leaves.pow(self.dimensions as u32))
            .map(|_| if below(100) < self.empty { 0 } else { i64::from(10 + below(990)) })
            .collect();
        let places = products(axes.iter().map(|axis| axis.codes.len()));
        let value = |place: &Vec<usize>| -> i64 {
            let leaves = axes.iter().zip(place).map(|(axis, &code)| &axis.codes[code]);
            let mut at = vec![0];
            for leaves in leaves {
                at = at
                    .iter()
                    .flat_map(|&at| leaves.iter().map(move |&leaf| at * self.leaves + leaf))
                    .collect();
            }
            at.into_iter().map(|at| inner[at]).sum()
        };
        let mut cells: Vec<(Vec<usize>, i64)> =
            places.into_iter().map(|place| (place.clone(), value(&place))).collect();
        cells.retain(|&(_, value)| value > 0);
        let cell = |place: &[usize]| {
            cells.binary_search_by(|(known, _)| known.as_slice().cmp(place)).ok().map(CellId::at)
        };
        let mut relations = Relations::default();
        for (along, axis) in axes.iter().enumerate() {
            for (place, _) in &cells {
                for (total, parts) in axis.sums.iter().filter(|(total, _)| *total == place[along]) {
                    let at = |code: usize| {
                        let mut place = place.clone();
                        place[along] = code;
                        cell(&place)
                    };
                    let parts = parts.iter().filter_map(|&part| at(part));
                    relations.push_sum(at(*total).unwrap_or_else(|| unreachable!()), parts);
                }
            }
        }
        let values: Vec<i64> = cells.iter().map(|&(_, value)| value).collect();
        let status: Vec<Status> = (0..cells.len())
            .map(|_| if below(100) < self.sensitive { Status::Sensitive } else { Status::Free })
            .collect();
        let sensitive = (0..cells.len()).filter(|&at| status[at] == Status::Sensitive);
        let needs = sensitive.map(|at| {
            let level = (values[at] / 20).max(1);
            Need { cell: CellId::at(at), down: level, up: level, sliding: 0, reason: Reason::Given }
        });
        let parts = ProblemParts {
            decimals: 0,
            costs: values.iter().map(|&value| value as f64).collect(),
            lower: vec![0; cells.len()],
            upper: vec![NO_UPPER; cells.len()],
            needs: Needs::new(needs.collect()),
            status,
            relations,
            names: CellNames::Ids((0..cells.len() as u64).collect()),
            singletons: Vec::new(),
            width: 0,
            values,
        };
        match Problem::new(parts, 0) {
            Ok(problem) => problem,
            Err(error) => unreachable!("a grouped table is an instance: {error}"),
        }
    }

    /// A total, the finest codes, and groups of each grouping.
    fn axis(self, below: &mut impl FnMut(u32) -> u32) -> Axis {
        let mut codes = vec![(0..self.leaves).collect::<Vec<usize>>()];
        codes.extend((0..self.leaves).map(|leaf| vec![leaf]));
        let mut sums = Vec::new();
        for _ in 0..self.groupings {
            let mut order: Vec<usize> = (0..self.leaves).collect();
            for at in (1..order.len()).rev() {
                order.swap(at, below(at as u32 + 1) as usize);
            }
            let size = 2 + below(self.leaves as u32 / 2 - 1) as usize;
            let mut groups = Vec::new();
            for group in order.chunks(size) {
                let mut group = group.to_vec();
                group.sort_unstable();
                let known = codes.iter().position(|code| *code == group);
                groups.push(known.unwrap_or(codes.len()));
                if known.is_none() {
                    sums.push((codes.len(), group.iter().map(|leaf| leaf + 1).collect()));
                    codes.push(group);
                }
            }
            sums.push((0, groups));
        }
        sums.sort();
        sums.dedup();
        Axis { codes, sums }
    }
}

/// All combinations, in order.
fn products(sizes: impl Iterator<Item = usize>) -> Vec<Vec<usize>> {
    sizes.fold(vec![Vec::new()], |all, size| {
        let with = |place: &Vec<usize>, code| place.iter().copied().chain([code]).collect();
        all.iter().flat_map(|place| (0..size).map(move |code| with(place, code))).collect()
    })
}
