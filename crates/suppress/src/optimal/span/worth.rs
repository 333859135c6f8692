//! What publishing a cell takes out of a pattern: all cells that move in proportion to it.
//!
//! Two random sums of the open coordinates of each cell are kept. Their ratio is the same for two cells exactly if one determines the
//! other, but for a chance of one in 2³¹.

use super::classes::Classes;
use crate::random::Random;
use cellveil_attack::Small;

/// Withheld classes, grouped by what determines what.
pub(super) struct Worth {
    /// The classes that are withheld, ascending.
    pub(super) withheld: Vec<u32>,
    sums: Vec<[u64; 2]>,
    groups: Vec<Group>,
    /// Where the group of a ratio is, plus one: a table with open addresses.
    places: Vec<u32>,
}

struct Group {
    ratio: u64,
    first: u32,
    worth: f64,
    is_sensitive: bool,
}

impl Worth {
    pub(super) fn new<'c>(
        withheld: Vec<u32>,
        open: impl Iterator<Item = &'c [u32]>,
        classes: usize,
        random: &mut Random,
    ) -> Self {
        let mut sums = vec![[0; 2]; classes];
        for column in open {
            let factors = [(); 2].map(|()| random.below(Small::PRIME as usize) as u64);
            for &class in &withheld {
                let step = u64::from(column[class as usize]);
                for (sum, factor) in sums[class as usize].iter_mut().zip(factors) {
                    *sum = Small::add(*sum, Small::times(factor, step));
                }
            }
        }
        let places = vec![0; (2 * withheld.len()).next_power_of_two()];
        Self { withheld, sums, groups: Vec::new(), places }
    }

    /// The first class of the group that is worth most; `None` if each determines a sensitive one.
    pub(super) fn most(&mut self, classes: &Classes, factors: &[f64]) -> Option<u32> {
        self.group(classes);
        let mut most: Option<(f64, u32)> = None;
        for group in self.groups.iter().filter(|group| !group.is_sensitive) {
            let worth = group.worth * factors[group.first as usize];
            if most.is_none_or(|(most, _)| worth > most) {
                most = Some((worth, group.first));
            }
        }
        most.map(|(_, class)| class)
    }

    /// Closes a way, with its coordinates as they are, by publishing a class: what no longer moves is published too.
    pub(super) fn publish(&mut self, class: u32, column: &[u32]) {
        let share = Small::inverse(u64::from(column[class as usize]));
        let back = self.sums[class as usize].map(|sum| Small::negative(Small::times(sum, share)));
        for &class in &self.withheld {
            let step = u64::from(column[class as usize]);
            for (sum, back) in self.sums[class as usize].iter_mut().zip(back) {
                *sum = Small::add(*sum, Small::times(back, step));
            }
        }
        self.withheld.retain(|&class| self.sums[class as usize] != [0; 2]);
    }

    fn group(&mut self, classes: &Classes) {
        self.groups.clear();
        self.places.fill(0);
        let mask = self.places.len() - 1;
        let ratios = ratios(self.withheld.iter().map(|&class| self.sums[class as usize]));
        for (&class, ratio) in self.withheld.iter().zip(ratios) {
            let mut place = (ratio.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & mask;
            let number = loop {
                let number = self.places[place] as usize;
                if number == 0 {
                    let group = Group { ratio, first: class, worth: 0.0, is_sensitive: false };
                    self.groups.push(group);
                    self.places[place] = self.groups.len() as u32;
                    break self.groups.len() - 1;
                }
                if self.groups[number - 1].ratio == ratio {
                    break number - 1;
                }
                place = (place + 1) & mask;
            };
            self.groups[number].worth += classes.costs[class as usize];
            self.groups[number].is_sensitive |= classes.sensitive[class as usize];
        }
    }
}

/// The ratios of pairs, with one inversion for all of them; the prime where the second of a pair is 0.
pub(super) fn ratios(pairs: impl DoubleEndedIterator<Item = [u64; 2]> + Clone) -> Vec<u64> {
    let mut product = 1;
    let mut ratios: Vec<u64> = Vec::with_capacity(pairs.size_hint().0);
    for [_, below] in pairs.clone() {
        ratios.push(product);
        if below != 0 {
            product = Small::times(product, below);
        }
    }
    let mut inverse = Small::inverse(product);
    for ([above, below], ratio) in pairs.rev().zip(ratios.iter_mut().rev()) {
        if below == 0 {
            *ratio = Small::PRIME;
        } else {
            *ratio = Small::times(above, Small::times(inverse, *ratio));
            inverse = Small::times(inverse, below);
        }
    }
    ratios
}
