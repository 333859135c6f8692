//! The genetic algorithm on orders, with mutation that adapts itself.
//!
//! Every individual carries, besides its order, the operator by which its children are mutated and how often. Both are
//! inherited and now and then changed themselves, so that what works spreads.

use crate::method::SuppressError;
use crate::random::Random;
use std::collections::BTreeMap;

/// Says what orders cost.
pub(super) trait Judge {
    /// How many orders may be looked at.
    fn orders(&self) -> usize;

    /// Whether the time is up.
    fn is_over(&self) -> bool;

    /// Finds the costs of orders that are not known yet.
    fn judge(
        &self,
        orders: &[Individual],
        known: &mut BTreeMap<Vec<usize>, f64>,
    ) -> Result<(), SuppressError>;
}

/// An order, and how to change it.
#[derive(Clone, Debug)]
pub(super) struct Individual {
    pub(super) order: Vec<usize>,
    operator: Operator,
    /// How often a child is mutated, per group.
    rate: f64,
}

/// Ways to change an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    /// Two groups change places.
    Swap,
    /// A group moves next to another.
    Insert,
    /// A stretch is put in a random order.
    Scramble,
    /// A stretch is turned round.
    Inversion,
}

const OPERATORS: [Operator; 4] =
    [Operator::Swap, Operator::Insert, Operator::Scramble, Operator::Inversion];

/// The cost of an order that leaves needs open is at least this.
pub(super) const UNMET: f64 = f64::MAX / 4.0;

/// How many orders live at a time.
const POOL: usize = 10;

/// Up to this many groups all orders are tried.
const ALL: usize = 3;

/// How often an individual's own operator and rate change.
const LEARNING: f64 = 0.2;

/// After this many generations without a better order the search ends.
const PATIENCE: usize = 5;

/// The best orders of so many groups that were found, the best first.
pub(super) fn best_orders(
    groups: usize,
    seed: u64,
    judge: &dyn Judge,
) -> Result<Vec<Vec<usize>>, SuppressError> {
    let first: Vec<usize> = (0..groups).collect();
    if groups <= 1 || judge.orders() < 2 || judge.is_over() {
        return Ok(vec![first]);
    }
    let mut random = Random::new(seed, 0x6E6E);
    let mut known: BTreeMap<Vec<usize>, f64> = BTreeMap::new();
    // Where even one order cannot be protected group by group, there is nothing to compare.
    judge.judge(&[individual(first.clone(), &mut random)], &mut known)?;
    if known.values().all(|&cost| cost >= UNMET) {
        return Ok(vec![first]);
    }
    let mut pool: Vec<Individual> = if groups <= ALL {
        permutations(&first).into_iter().map(|order| individual(order, &mut random)).collect()
    } else {
        start(&first, judge.orders(), &mut random)
    };
    judge.judge(&pool, &mut known)?;
    rank(&mut pool, &known);
    let mut waited = 0;
    while groups > ALL && waited < PATIENCE && known.len() < judge.orders() && !judge.is_over() {
        let before = known.get(&pool[0].order).copied();
        let children: Vec<Individual> = (0..POOL.min(judge.orders() - known.len()))
            .map(|_| child(&pool, &mut random))
            .collect();
        judge.judge(&children, &mut known)?;
        pool.extend(children);
        rank(&mut pool, &known);
        pool.truncate(POOL);
        waited = if known.get(&pool[0].order).copied() < before { 0 } else { waited + 1 };
    }
    Ok(pool.into_iter().map(|one| one.order).collect())
}

/// The given order, the same backwards, and random ones.
fn start(first: &[usize], orders: usize, random: &mut Random) -> Vec<Individual> {
    let mut pool = vec![first.to_vec(), first.iter().rev().copied().collect()];
    pool.resize_with(POOL.min(orders), || {
        let mut order = first.to_vec();
        random.shuffle(&mut order);
        order
    });
    pool.into_iter().map(|order| individual(order, random)).collect()
}

fn individual(order: Vec<usize>, random: &mut Random) -> Individual {
    let rate = (1.0 + random.share()) / order.len().max(1) as f64;
    Individual { order, operator: OPERATORS[random.below(OPERATORS.len())], rate }
}

/// Cheapest first; of equal ones the smaller order, so that the result does not depend on who came first. One of each is enough.
fn rank(pool: &mut Vec<Individual>, known: &BTreeMap<Vec<usize>, f64>) {
    let cost = |one: &Individual| known.get(&one.order).copied().unwrap_or(f64::INFINITY);
    pool.sort_by(|a, b| cost(a).total_cmp(&cost(b)).then(a.order.cmp(&b.order)));
    pool.dedup_by(|a, b| a.order == b.order);
}

fn child(pool: &[Individual], random: &mut Random) -> Individual {
    // The pool is ranked: the better of two has the smaller place.
    let mut parent = || random.below(pool.len()).min(random.below(pool.len()));
    let (a, b) = (parent(), parent());
    let mut child = pool[a.min(b)].clone();
    child.order = crossed(&pool[a].order, &pool[b].order, random);
    if random.share() < LEARNING {
        child.operator = OPERATORS[random.below(OPERATORS.len())];
    }
    if random.share() < LEARNING {
        child.rate = (child.rate * (random.share() - 0.5).exp2()).clamp(0.01, 0.5);
    }
    let changes = (0..child.order.len()).filter(|_| random.share() < child.rate).count();
    for _ in 0..changes.max(1) {
        mutate(&mut child.order, child.operator, random);
    }
    child
}

/// A stretch of one order, and the rest in the sequence of the other.
fn crossed(a: &[usize], b: &[usize], random: &mut Random) -> Vec<usize> {
    let (from, to) = stretch(a.len(), random);
    let kept = &a[from..to];
    let mut order: Vec<usize> = b.iter().copied().filter(|group| !kept.contains(group)).collect();
    order.splice(from..from, kept.iter().copied());
    order
}

/// A stretch of at least two places.
fn stretch(length: usize, random: &mut Random) -> (usize, usize) {
    let (a, b) = (random.below(length), random.below(length));
    let (from, to) = (a.min(b), a.max(b) + 1);
    if to - from >= 2 { (from, to) } else { (from.min(length - 2), from.min(length - 2) + 2) }
}

fn mutate(order: &mut Vec<usize>, operator: Operator, random: &mut Random) {
    let (from, to) = stretch(order.len(), random);
    match operator {
        Operator::Swap => order.swap(from, to - 1),
        Operator::Insert => {
            let group = order.remove(to - 1);
            order.insert(from, group);
        }
        Operator::Scramble => random.shuffle(&mut order[from..to]),
        Operator::Inversion => order[from..to].reverse(),
    }
}

fn permutations(things: &[usize]) -> Vec<Vec<usize>> {
    let Some((last, rest)) = things.split_last() else { return vec![Vec::new()] };
    let mut all = Vec::new();
    for order in permutations(rest) {
        for at in 0..=order.len() {
            let mut order = order.clone();
            order.insert(at, *last);
            all.push(order);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{Individual, Judge, best_orders};
    use crate::method::SuppressError;
    use std::collections::BTreeMap;

    /// Groups cost more the further they are from their place in a wanted order.
    struct Wanted(Vec<usize>, usize);

    impl Judge for Wanted {
        fn orders(&self) -> usize {
            self.1
        }

        fn is_over(&self) -> bool {
            false
        }

        fn judge(
            &self,
            orders: &[Individual],
            known: &mut BTreeMap<Vec<usize>, f64>,
        ) -> Result<(), SuppressError> {
            for one in orders {
                let mut sorted = one.order.clone();
                sorted.sort_unstable();
                assert!(sorted.into_iter().eq(0..self.0.len()), "every group once");
                let wrong = one.order.iter().zip(&self.0).map(|(a, b)| a.abs_diff(*b));
                known.insert(one.order.clone(), wrong.sum::<usize>() as f64);
            }
            Ok(())
        }
    }

    /// The best order that is found.
    fn best_order(groups: usize, seed: u64, judge: &Wanted) -> Option<Vec<usize>> {
        best_orders(groups, seed, judge).ok()?.into_iter().next()
    }

    #[test]
    fn three_groups_are_tried_in_all_orders() {
        let wanted = vec![1, 2, 0];
        assert_eq!(best_order(3, 1, &Wanted(wanted.clone(), 6)), Some(wanted));
    }

    #[test]
    fn many_groups_evolve_towards_the_best_order_and_the_same_way_every_time() {
        let wanted = vec![6, 2, 7, 0, 3, 5, 1, 4];
        for seed in 0..5 {
            let found = best_order(8, seed, &Wanted(wanted.clone(), 5000));
            let order = found.clone().unwrap_or_default();
            let wrong: usize = order.iter().zip(&wanted).map(|(a, b)| a.abs_diff(*b)).sum();
            assert!(order.len() == 8 && wrong <= 8, "{order:?}; a random order is 21 off");
            assert_eq!(best_order(8, seed, &Wanted(wanted.clone(), 5000)), found);
        }
    }

    #[test]
    fn one_order_is_taken_as_it_is() {
        assert_eq!(best_order(5, 1, &Wanted(vec![4, 3, 2, 1, 0], 1)), Some(vec![0, 1, 2, 3, 4]));
    }
}
