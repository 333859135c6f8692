//! Patterns against recomputation alone, with what they lack.
//!
//! Where levels are small compared with cells, most of what a safe pattern costs is what keeps cells from being recomputed. Such patterns are
//! found without programs (see [`super::span`]) and leave only a few ways to move; one table along these ways, and some cells more, reach the levels.

use super::span::{Tiers, dearest_flats};
use crate::cover::Cover;
use crate::in_time::attempted;
use crate::incremental::{Manner, Workshop, first};
use crate::method::{Context, SuppressError};
use crate::small_levels::{MARGIN, has_small_levels};
use cellveil_core::Pattern;

/// The work for a first flat, and for a better one where no time limit is set, in coordinates.
const FLAT: u64 = 100_000_000;
const BETTER_FLAT: u64 = 1_000_000_000;

/// Other flats are looked for where all that the first lacks costs at most this share of it: then levels hardly matter.
const LACKING: f64 = 0.25;

/// …and two tiers where it costs more than this share.
const LITTLE: f64 = 0.05;

/// So few needs are soon met at the least cost by cuts alone.
const FEW: usize = 20;

/// The share of the time for flats that goes into the search; the rest is for what they lack.
const SEARCHING: f64 = 0.5;

/// How many times as long as the first search those for two tiers take at least, and those for other flats.
const TIERS: f64 = 2.5;
const SEVERAL: f64 = 4.0;

/// What came of the first flat.
pub(super) struct Flats<'a> {
    /// The flat with what it lacks.
    pub(super) first: Cover<'a>,
    /// The flat in which all sensitive cells hide in one way.
    together: Pattern,
    in_tiers: bool,
    /// What all that it lacked costs, as a share of the flat.
    lacked: f64,
    /// How long the search for that took, where there is a time limit.
    seconds: Option<f64>,
}

impl<'a> Flats<'a> {
    /// `None` where levels are not small, the table is too large, or the time does not suffice.
    pub(super) fn new(workshop: &Workshop<'a>) -> Result<Option<Self>, SuppressError> {
        let problem = workshop.problem;
        if problem.needs().len() <= FEW || !has_small_levels(problem) {
            return Ok(None);
        }
        let now = || (workshop.context.seconds_left)();
        let took = |from: Option<f64>| from.zip(now()).map(|(from, now)| from - now);
        let begun = now();
        let Some(together) = flats(workshop, Tiers::One, FLAT).into_iter().next() else {
            return Ok(None);
        };
        let (seconds, begun) = (took(begun), now());
        let of = |flat: &Pattern, in_tiers| -> Result<Option<Self>, SuppressError> {
            let Some(first) = with_what_it_lacks(workshop, flat)? else { return Ok(None) };
            let lacked = first.cost() / problem.cost_of(flat) - 1.0;
            Ok(Some(Self { first, together: together.clone(), in_tiers, lacked, seconds }))
        };
        let Some(one) = of(&together, false)? else { return Ok(None) };
        let completing = took(begun);
        workshop.context.progress.improved(one.first.cost(), 0.0);
        // Where levels are in the way, two tiers withhold more and lack far less.
        let is_worth_it = one.lacked > LITTLE;
        if !is_worth_it || is_too_late(workshop, seconds, TIERS, completing) {
            return Ok(Some(one));
        }
        let flat = flats(workshop, Tiers::Two(&together), FLAT).into_iter().next();
        let tiers = flat.map(|flat| of(&flat, true)).transpose()?.flatten();
        Ok(Some(match tiers {
            Some(tiers) if tiers.first.cost() < one.first.cost() => tiers,
            _ => one,
        }))
    }

    /// The cheapest of several others, with what they lack.
    pub(super) fn better<'b>(
        &self,
        workshop: &Workshop<'b>,
    ) -> Result<Option<Cover<'b>>, SuppressError> {
        let mut best: Option<Cover<'b>> = None;
        if self.lacked > LACKING || is_too_late(workshop, self.seconds, SEVERAL, None) {
            return Ok(best);
        }
        let is_timed = (workshop.context.seconds_left)().is_some();
        let tiers = if self.in_tiers { Tiers::Two(&self.together) } else { Tiers::One };
        for flat in flats(workshop, tiers, if is_timed { u64::MAX } else { BETTER_FLAT }) {
            let Some(cover) = with_what_it_lacks(workshop, &flat)? else { break };
            if best.as_ref().is_none_or(|best| cover.cost() < best.cost()) {
                best = Some(cover);
            }
        }
        Ok(best)
    }
}

/// Whether there is no time for a search that takes so many times as long as one that took some seconds, and then so many more.
fn is_too_late(
    workshop: &Workshop<'_>,
    seconds: Option<f64>,
    times: f64,
    more: Option<f64>,
) -> bool {
    let left = (workshop.context.seconds_left)();
    left.zip(seconds).is_some_and(|(left, seconds)| {
        left * SEARCHING < times * seconds || left < times * seconds + more.unwrap_or(0.0)
    })
}

/// Protects what a flat leaves open; `None` if the time does not suffice.
fn with_what_it_lacks<'a>(
    workshop: &Workshop<'a>,
    flat: &Pattern,
) -> Result<Option<Cover<'a>>, SuppressError> {
    attempted(first(workshop, flat, &[], Manner::Together))
}

/// Flats, cheapest first, found in a share of the time.
fn flats(workshop: &Workshop<'_>, tiers: Tiers<'_>, work: u64) -> Vec<Pattern> {
    let (problem, context) = (workshop.problem, workshop.context);
    let left = (context.seconds_left)();
    let seconds_left = || Some((context.seconds_left)()? - left? * (1.0 - SEARCHING));
    let searching = Context { seconds_left: &seconds_left, ..*context };
    dearest_flats(problem, &searching, workshop.everything(), (MARGIN, tiers), work)
}
