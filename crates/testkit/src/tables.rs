//! Random small tables, for laws.

use crate::{Sketch, Trait};
use cellveil_core::Problem;
use proptest::collection::vec;
use proptest::prelude::*;
use rand_pcg::Pcg32;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// Which values inner cells have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// From 0 to 9, many zeros and ties.
    Small,
    /// From 1 to 100 000.
    Plain,
    /// A thousandth to a billion million, with three decimals, and zeros.
    Wide,
}

/// Which tables to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a kind of table on its own")]
pub struct Tables {
    /// The largest number of dimensions; from 1 to 4.
    pub dimensions: usize,
    /// The largest number of leaves of a dimension; at least 2.
    pub leaves: usize,
    /// Whether dimensions may have a level between the total and the leaves.
    pub hierarchies: bool,
    /// Whether a second table may share a margin with the first.
    pub linked: bool,
    /// Which values inner cells have.
    pub values: Values,
    /// Per cent of sensitive cells, then of frozen ones.
    pub shares: [u8; 2],
    /// Whether the intruder knows an upper bound for every cell, as brute force needs.
    pub bounded: bool,
    /// Whether some sensitive cells have one contributor.
    pub singletons: bool,
}

impl Default for Tables {
    fn default() -> Self {
        Self {
            dimensions: 3,
            leaves: 4,
            hierarchies: true,
            linked: true,
            values: Values::Plain,
            shares: [20, 5],
            bounded: false,
            singletons: false,
        }
    }
}

impl Tables {
    /// Tables of one or two dimensions without hierarchies, bounded and with small values: brute force can answer for them,
    /// and its answers are those of the linear model.
    pub fn tiny() -> Self {
        Self {
            dimensions: 2,
            leaves: 3,
            hierarchies: false,
            linked: false,
            values: Values::Small,
            bounded: true,
            ..Self::default()
        }
    }

    /// Draws sketches; failing ones shrink to fewer dimensions and smaller values.
    pub fn sketches(self) -> impl Strategy<Value = Sketch> {
        let axis = vec(2..=self.leaves, 1..=if self.hierarchies { 2 } else { 1 });
        let linked = if self.linked {
            prop_oneof![2 => Just(0_usize), 1 => 2..=3_usize].boxed()
        } else {
            Just(0).boxed()
        };
        let traits = (0..100_u8, [0..=60_u8, 1..=60, 0..=150], 0..50_u16);
        let traits = traits.prop_map(|(lot, levels, cost)| Trait { lot, levels, cost });
        (vec(axis, 1..=self.dimensions), linked, vec(self.value(), 1..40), vec(traits, 1..60))
            .prop_map(move |(axes, linked, values, traits)| Sketch {
                axes,
                linked,
                values,
                traits,
                shares: self.shares,
                bounded: self.bounded,
                decimals: if self.values == Values::Wide { 3 } else { 0 },
                singletons: self.singletons,
            })
    }

    /// Draws instances.
    pub fn problems(self) -> impl Strategy<Value = Problem> {
        self.sketches().prop_map(|sketch| sketch.problem())
    }

    fn value(self) -> BoxedStrategy<i64> {
        match self.values {
            Values::Small => prop_oneof![2 => Just(0_i64), 1 => Just(5), 4 => 1..=9_i64].boxed(),
            Values::Plain => {
                prop_oneof![1 => Just(0_i64), 1 => Just(1000), 8 => 1..=100_000_i64].boxed()
            }
            Values::Wide => {
                let digits = (0..=15_u32).prop_flat_map(|digits| 1..=10_i64.pow(digits));
                prop_oneof![1 => Just(0_i64), 8 => digits].boxed()
            }
        }
    }
}

/// A table of the given numbers of leaves, without hierarchies: the same for the same seed.
pub fn random_problem(seed: u64, leaves: &[usize]) -> Problem {
    let mut random = Pcg32::seed_from_u64(seed);
    let mut below = |bound: u32| random.next_u32() % bound;
    let cells: usize = leaves.iter().map(|count| count + 1).product();
    let values =
        (0..cells).map(|_| if below(5) == 0 { 0 } else { i64::from(1 + below(999)) }).collect();
    let mut like = || Trait {
        lot: below(100) as u8,
        levels: [below(30) as u8, 1 + below(30) as u8, below(40) as u8],
        cost: 1 + below(99) as u16,
    };
    let traits = (0..cells).map(|_| like()).collect();
    let axes = leaves.iter().map(|&count| vec![count]).collect();
    Sketch {
        axes,
        linked: 0,
        values,
        traits,
        shares: [10, 3],
        bounded: false,
        decimals: 0,
        singletons: false,
    }
    .problem()
}
