//! The incremental method: the cheapest further cells for one need after the other, then back with what was not needed.
//!
//! First the attack says which needs the sensitive cells leave open among themselves; often they are few. For each of those and each side
//! products of circuits and pursued cells find a cheap way to move it far enough, without a solver. For the few that make up most of the cost, and
//! where there are none, a linear program does, on the whole table or a neighbourhood of the cell (Kelly et al. 1992, model
//! (1)–(8) as used by Serpell et al., with charges per cell instead of costs per unit, see [`price`]). Cells that move are withheld.
//! Each answer is a witness, and is tried on all other needs, so that most needs never get a program of their own.

mod ahead;
mod common;
mod largest;
mod levels;
mod manner;
pub(crate) mod near;
pub(crate) mod price;
pub(crate) mod protect;
mod prune;
mod refuse;
mod together;

use crate::cover::Cover;
use crate::improve::sweep;
use crate::in_time::attempted;
use crate::method::{Context, Method, Protect, Protected, SuppressError};
use crate::small_levels::has_small_levels;
use cellveil_attack::{Intervals, Options, attack, quick_certificate};
use cellveil_core::{Bound, Certificate, Pattern, Problem, Witness};
pub(crate) use manner::Manner;
use protect::PROGRAMS;
pub(crate) use protect::Workshop;
pub(crate) use prune::{candidates, give_back, prune};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// See the module's documentation and `proof.md`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Incremental;

impl Protect for Incremental {
    fn protect(
        &self,
        problem: &Problem,
        context: &Context<'_>,
    ) -> Result<Protected, SuppressError> {
        let workshop = Workshop::new(problem, context);
        let mut cover = first_in_time(&workshop, &problem.start(), &[])?;
        sweep(&workshop, &mut cover, workshop.work(), Manner::Quick)?;
        sweep(&workshop, &mut cover, workshop.work(), Manner::Careful(0))?;
        prune(&workshop, &mut cover)?;
        let (pattern, witnesses) = cover.into_parts();
        Ok(Protected {
            pattern,
            witnesses,
            bound: Bound { cost: 0.0 },
            method: Method::Incremental,
        })
    }
}

/// Protects what a pattern leaves open, with its own cells at no cost, and gives back what turns out not to be needed.
///
/// # Errors
/// [`SuppressError`] if no pattern is found.
pub(crate) fn complete(
    problem: &Problem,
    context: &Context<'_>,
    pattern: &Pattern,
    known: &[Witness],
) -> Result<(Pattern, Vec<Witness>), SuppressError> {
    let workshop = Workshop::new(problem, context);
    let mut cover = first_in_time(&workshop, pattern, known)?;
    prune(&workshop, &mut cover)?;
    Ok(cover.into_parts())
}

/// Tables of this size are met for many needs at once, where their levels are small: neighbourhoods never close there, and a program on the
/// whole table for each need takes minutes in all.
const TOGETHER: RangeInclusive<usize> = 5_000..=20_000;

/// How needs are met in a table.
fn manner(problem: &Problem) -> Manner {
    let is_alone = problem.insiders().is_empty();
    let together = is_alone && TOGETHER.contains(&problem.len()) && has_small_levels(problem);
    if together { Manner::Together } else { Manner::Quick }
}

/// Larger tables begin with what is shown without programs, and so do needs that are met together.
const ATTACKED: usize = 2_500;

/// A first choice of witnesses by which every need is met, from what is shown of a pattern.
pub(crate) fn first<'a>(
    workshop: &Workshop<'a>,
    pattern: &Pattern,
    known: &[Witness],
    manner: Manner,
) -> Result<Cover<'a>, SuppressError> {
    let shown = shown(workshop, pattern, known, matches!(manner, Manner::Together))?;
    first_given(workshop, pattern, shown, manner, None)
}

/// What is shown of the needs that a pattern meets: by an attack only if that does not take long, and not `quickly`.
pub(crate) fn shown(
    workshop: &Workshop<'_>,
    pattern: &Pattern,
    known: &[Witness],
    quickly: bool,
) -> Result<Certificate, SuppressError> {
    let problem = workshop.problem;
    if workshop.is_sparse() && known.is_empty() {
        return Ok(Certificate::default());
    }
    if problem.len() > ATTACKED || quickly {
        let incidence = Arc::clone(&workshop.incidence);
        let products = workshop.products().cloned();
        return Ok(quick_certificate(problem, pattern, incidence, products, known)?);
    }
    let options = Options { intervals: Intervals::None };
    Ok(attack(problem, pattern, workshop.context.engine, options, known)?.certificate)
}

/// The same where that is known. When the time is up or the engine fails, needs that are still open rely on what they do in another cover, if there is one.
pub(crate) fn first_given<'a>(
    workshop: &Workshop<'a>,
    pattern: &Pattern,
    shown: Certificate,
    manner: Manner,
    other: Option<&Cover<'_>>,
) -> Result<Cover<'a>, SuppressError> {
    let problem = workshop.problem;
    let mut cover = Cover::new(problem, pattern);
    cover.rely_on(shown);
    workshop.protect_many(&mut cover);
    match (meet_all(workshop, &mut cover, manner), other) {
        (Err(SuppressError::OutOfTime { .. } | SuppressError::Engine(_)), Some(other)) => {
            cover.complete_from(other);
        }
        (met, _) => met?,
    }
    cover.let_go();
    cover.settle();
    Ok(cover)
}

/// Meets the needs that are open.
fn meet_all(
    workshop: &Workshop<'_>,
    cover: &mut Cover<'_>,
    manner: Manner,
) -> Result<(), SuppressError> {
    let together = matches!(manner, Manner::Together);
    let is_small = together && has_small_levels(workshop.problem);
    // Insiders know a cell of nearly every table in which many move, so each need wants further tables beside it. Where levels are small there are few ways to
    // move, and what is open does better with tables of its own from the beginning.
    let insiders_follow = together && !is_small && !workshop.problem.insiders().is_empty();
    if together {
        let needs = workshop.outstanding(cover);
        workshop.protect_together(cover, &needs)?;
        if !insiders_follow {
            workshop.look_again(cover)?;
        }
    }
    let open = workshop.open(cover);
    if !workshop.is_sparse() {
        for &need in &open {
            if !insiders_follow || !cover.is_met(need, None) {
                cover.drop(need);
            }
        }
    }
    // Few needs are left. Where levels are small those ask for much; elsewhere they are small, and programs would take longer than they are worth, but against
    // insiders.
    let left = (workshop.context.seconds_left)();
    let manner = match (manner, left) {
        (Manner::Together, _) if is_small => Manner::Quick,
        (Manner::Together, None) if insiders_follow => Manner::Quick,
        (Manner::Together, Some(left)) if insiders_follow => Manner::Until(left * FOR_INSIDERS),
        (Manner::Together, _) => Manner::Swift,
        (other, _) => other,
    };
    workshop.protect(cover, &open, manner)
}

/// The share of the time in which a cover without programs is tried first, and that in which what is left is met without them.
const SWIFT: f64 = 0.35;
const RESERVE: f64 = 0.2;

/// The latter for insiders, where needs are met together before: few of those that are left ask for much.
const FOR_INSIDERS: f64 = 0.05;

/// The same as [`first`]; where the time is limited and programs are used, there is a cover without them before, and needs that have nothing when the time is
/// up rely on what they do in it.
fn first_in_time<'a>(
    workshop: &Workshop<'a>,
    pattern: &Pattern,
    known: &[Witness],
) -> Result<Cover<'a>, SuppressError> {
    let manner = manner(workshop.problem);
    let Some(left) = (workshop.context.seconds_left)() else {
        return first(workshop, pattern, known, manner);
    };
    let shown = shown(workshop, pattern, known, matches!(manner, Manner::Together))?;
    let manner =
        if matches!(manner, Manner::Quick) { Manner::Until(left * RESERVE) } else { manner };
    let seconds_left = || Some((workshop.context.seconds_left)()? - left * (1.0 - SWIFT));
    let swiftly = Context { seconds_left: &seconds_left, ..*workshop.context };
    let has_programs = workshop.problem.len() <= PROGRAMS;
    let swift = if has_programs && workshop.does_without_programs() {
        let workshop = workshop.within(&swiftly);
        attempted(first_given(&workshop, pattern, shown.clone(), Manner::Swift, None))?
    } else {
        None
    };
    first_given(workshop, pattern, shown, manner, swift.as_ref())
}

#[cfg(test)]
mod tests {
    use super::{Manner, Workshop, complete, first, first_given, give_back};
    use crate::cover::Cover;
    use crate::method::Context;
    use cellveil_core::{Certificate, Problem, ProblemParts, verify};
    use cellveil_highs::Highs;
    use cellveil_lp::{Engine, EngineError, Model, Session};
    use cellveil_testkit::Grouped;
    use cellveil_testkit::tables::random_problem;

    /// An engine for those who need none.
    struct NoEngine;

    impl Engine for NoEngine {
        fn name(&self) -> &'static str {
            "no"
        }

        fn open(&self, _: &Model) -> Result<Box<dyn Session>, EngineError> {
            Err(EngineError { engine: self.name(), what: "there is none".to_owned() })
        }
    }

    #[test]
    fn where_codes_are_grouped_in_several_ways_needs_are_met_without_programs() {
        let like = Grouped { leaves: 9, groupings: 2, dimensions: 3, empty: 5, sensitive: 6 };
        let context =
            Context { engine: &NoEngine, progress: &(), seconds_left: &|| None, gap: 0.0, seed: 1 };
        for seed in 0..3 {
            let problem = like.problem(seed);
            assert!(problem.needs().len() > 100);
            let workshop = Workshop::new(&problem, &context);
            let found = first(&workshop, &problem.start(), &[], Manner::Swift);
            let (pattern, witnesses) =
                found.unwrap_or_else(|error| unreachable!("seed {seed}: {error}")).into_parts();
            let mut ledger = cellveil_attack::Ledger::new(&problem);
            for witness in witnesses {
                ledger.add(witness);
            }
            assert!(verify(&problem, &pattern, &ledger.certificate()).is_ok(), "seed {seed}");
            let dearest = problem.cells().map(|cell| problem.cost(cell)).sum::<f64>();
            assert!(problem.cost_of(&pattern) < 0.5 * dearest, "seed {seed}");
        }
    }

    #[test]
    fn needs_that_are_met_together_are_met_in_any_number_of_dimensions() {
        let context =
            Context { engine: &Highs, progress: &(), seconds_left: &|| None, gap: 0.0, seed: 1 };
        for (seed, leaves) in [(1, &[5, 4, 4][..]), (2, &[4, 3, 3, 3]), (3, &[3, 3, 2, 2, 3])] {
            let problem = random_problem(seed, leaves);
            let workshop = Workshop::new(&problem, &context);
            let mut cover = Cover::new(&problem, &problem.start());
            let needs = workshop.open(&cover);
            workshop.protect_together(&mut cover, &needs).unwrap_or_else(|e| unreachable!("{e}"));
            workshop.look_again(&mut cover).unwrap_or_else(|e| unreachable!("{e}"));
            let open = workshop.open(&cover).len();
            assert!(10 * open < needs.len(), "seed {seed}: {open} of {} are left", needs.len());
            let (pattern, witnesses) = cover.into_parts();
            let mut ledger = cellveil_attack::Ledger::new(&problem);
            for witness in witnesses {
                ledger.add(witness);
            }
            let faults = verify(&problem, &pattern, &ledger.certificate()).err();
            assert!(faults.map_or(0, |faults| faults.len()) <= 2 * open, "seed {seed}");
        }
    }

    #[test]
    fn tables_for_many_needs_are_followed_by_tables_for_insiders() {
        let context =
            Context { engine: &Highs, progress: &(), seconds_left: &|| None, gap: 0.0, seed: 1 };
        let mut met = 0;
        for seed in 0..6 {
            let problem = random_problem(seed, &[5, 4, 4]);
            let singletons = problem.needs().iter().map(|need| need.cell).collect();
            let parts = ProblemParts { singletons, ..problem.parts().clone() };
            let problem = Problem::new(parts, 0).unwrap_or_else(|e| unreachable!("{e}"));
            let workshop = Workshop::new(&problem, &context);
            // Not every table has a pattern against somebody alone in every sensitive cell.
            let Ok(cover) = first(&workshop, &problem.start(), &[], Manner::Together) else {
                continue;
            };
            assert!((0..problem.needs().len()).all(|need| cover.all_blocking(need).count() == 0));
            let (pattern, witnesses) = cover.into_parts();
            let mut ledger = cellveil_attack::Ledger::new(&problem);
            for witness in witnesses {
                ledger.add(witness);
            }
            assert!(verify(&problem, &pattern, &ledger.certificate()).is_ok(), "seed {seed}");
            met += 1;
        }
        assert!(met > 2, "only {met} tables have a pattern");
    }

    #[test]
    fn when_no_more_time_is_left_for_programs_needs_are_met_without_them() {
        let like = Grouped { leaves: 9, groupings: 2, dimensions: 3, empty: 5, sensitive: 6 };
        let seconds_left = || Some(60.0);
        let context = Context {
            engine: &NoEngine,
            progress: &(),
            seconds_left: &seconds_left,
            gap: 0.0,
            seed: 1,
        };
        let problem = like.problem(1);
        let workshop = Workshop::new(&problem, &context);
        let start = problem.start();
        assert!(first(&workshop, &start, &[], Manner::Until(30.0)).is_err(), "there is time");
        let found = first(&workshop, &start, &[], Manner::Until(90.0));
        let cover = found.unwrap_or_else(|error| unreachable!("{error}"));
        assert!(workshop.open(&cover).is_empty());
    }

    #[test]
    fn what_is_open_when_the_time_is_up_relies_on_what_it_does_in_another_cover() {
        let like = Grouped { leaves: 9, groupings: 2, dimensions: 3, empty: 5, sensitive: 6 };
        let problem = like.problem(1);
        let start = problem.start();
        let seconds_left = || Some(0.0);
        let limits: [&(dyn Fn() -> Option<f64> + Sync); 2] = [&|| None, &seconds_left];
        let [at_leisure, too_late] = limits.map(|seconds_left| Context {
            engine: &NoEngine,
            progress: &(),
            seconds_left,
            gap: 0.0,
            seed: 1,
        });
        let nothing = Certificate::default;
        let workshop = Workshop::new(&problem, &at_leisure);
        let found = first_given(&workshop, &start, nothing(), Manner::Swift, None);
        let swift = found.unwrap_or_else(|error| unreachable!("{error}"));
        let workshop = Workshop::new(&problem, &too_late);
        let found = first_given(&workshop, &start, nothing(), Manner::Swift, None);
        assert!(found.is_err(), "there is no other cover");
        let found = first_given(&workshop, &start, nothing(), Manner::Swift, Some(&swift));
        let completed = found.unwrap_or_else(|error| unreachable!("{error}"));
        assert!((0..problem.needs().len()).all(|need| completed.is_proven(need)));
        assert!(completed.cost() <= swift.cost());
    }

    #[test]
    fn where_time_is_limited_what_programs_do_not_meet_is_met_without_them() {
        let like = Grouped { leaves: 9, groupings: 2, dimensions: 3, empty: 5, sensitive: 6 };
        let problem = like.problem(1);
        let seconds_left = || Some(60.0);
        let limits: [&(dyn Fn() -> Option<f64> + Sync); 2] = [&|| None, &seconds_left];
        let [found, in_time] = limits.map(|seconds_left| {
            let context =
                Context { engine: &NoEngine, progress: &(), seconds_left, gap: 0.0, seed: 1 };
            complete(&problem, &context, &problem.start(), &[])
        });
        assert!(found.is_err(), "the engine was never asked");
        let (pattern, witnesses) = in_time.unwrap_or_else(|error| unreachable!("{error}"));
        let mut ledger = cellveil_attack::Ledger::new(&problem);
        for witness in witnesses {
            ledger.add(witness);
        }
        assert!(verify(&problem, &pattern, &ledger.certificate()).is_ok());
    }

    #[test]
    fn an_engine_that_fails_while_a_cell_is_given_back_changes_nothing() {
        let like = Grouped { leaves: 6, groupings: 2, dimensions: 3, empty: 5, sensitive: 6 };
        let problem = like.problem(1);
        let context =
            Context { engine: &NoEngine, progress: &(), seconds_left: &|| None, gap: 0.0, seed: 1 };
        let workshop = Workshop::new(&problem, &context);
        let found = first(&workshop, &problem.start(), &[], Manner::Swift);
        let mut cover = found.unwrap_or_else(|error| unreachable!("{error}"));
        let mut failed = 0;
        for cell in cover.secondaries() {
            let before = cover.cost();
            if give_back(&workshop, &mut cover, cell).is_err() {
                failed += 1;
                assert!((cover.cost() - before).abs() < 1e-6 * before);
                assert!(workshop.open(&cover).is_empty());
            }
        }
        assert!(failed > 0, "the engine was never asked");
    }
}
