//! Patterns against recomputation alone, with what they lack.
//!
//! Where levels are small compared with cells, most of what a safe pattern costs is what keeps cells from being recomputed. Such patterns are
//! found without programs (see [`super::span`]) and leave only a few ways to move; one table along these ways, and some cells more, reach the levels.

use super::heuristic::attempted;
use super::span::{Tiers, dearest_flats};
use crate::cover::Cover;
use crate::incremental::{Manner, Workshop, first};
use crate::method::{Context, SuppressError};
use crate::small_levels::{MARGIN, has_small_levels};
use cellveil_core::Pattern;

/// The work for a first flat, and for a better one where no time limit is set, in coordinates.
const FLAT: u64 = 100_000_000;
const BETTER_FLAT: u64 = 1_000_000_000;

/// Other flats are looked for where all that the first lacks costs at most this share of it: then levels hardly matter.
const LACKING: f64 = 0.25;

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
    is_worth_more: bool,
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
        let begun = (workshop.context.seconds_left)();
        let Some(together) = flats(workshop, Tiers::One, FLAT).into_iter().next() else {
            return Ok(None);
        };
        let left = (workshop.context.seconds_left)();
        let seconds = begun.zip(left).map(|(begun, left)| begun - left);
        let of = |flat: &Pattern, in_tiers| -> Result<Option<Self>, SuppressError> {
            let Some(first) = with_what_it_lacks(workshop, flat)? else { return Ok(None) };
            let is_worth_more = first.cost() <= (1.0 + LACKING) * problem.cost_of(flat);
            Ok(Some(Self { first, together: together.clone(), in_tiers, is_worth_more, seconds }))
        };
        // Where levels are in the way, tiers lack much less; they come first, as there may be no time for both.
        let tiers = if is_too_late(workshop, seconds, TIERS) {
            None
        } else {
            flats(workshop, Tiers::Two(&together), FLAT).into_iter().next()
        };
        let tiers = tiers.map(|flat| of(&flat, true)).transpose()?.flatten();
        let one = of(&together, false)?;
        Ok(one.into_iter().chain(tiers).min_by(|a, b| a.first.cost().total_cmp(&b.first.cost())))
    }

    /// The cheapest of several others, with what they lack.
    pub(super) fn better<'b>(
        &self,
        workshop: &Workshop<'b>,
    ) -> Result<Option<Cover<'b>>, SuppressError> {
        let mut best: Option<Cover<'b>> = None;
        if !self.is_worth_more || is_too_late(workshop, self.seconds, SEVERAL) {
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

/// Whether there is no time for a search that takes so many times as long as one that took some seconds.
fn is_too_late(workshop: &Workshop<'_>, seconds: Option<f64>, times: f64) -> bool {
    let left = (workshop.context.seconds_left)();
    left.zip(seconds).is_some_and(|(left, seconds)| left * SEARCHING < times * seconds)
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
