//! An engine that solves nothing any more once the time is up, and ends what it is at then, for work that has no limit of its own.

use crate::method::{Context, SuppressError};
use cellveil_lp::{Column, Engine, EngineError, Limits, Model, Outcome, Row, Session};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The engine of a context, as long as there is time; then it fails.
pub(crate) struct InTime<'a>(pub(crate) &'a Context<'a>);

/// What an attempt at something better found, if the time and the engine sufficed.
pub(crate) fn attempted<T>(found: Result<T, SuppressError>) -> Result<Option<T>, SuppressError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(SuppressError::OutOfTime { .. } | SuppressError::Engine(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A session that ends at some time.
struct Timed {
    session: Box<dyn Session>,
    name: &'static str,
    end: Option<Instant>,
}

impl Engine for InTime<'_> {
    fn name(&self) -> &'static str {
        self.0.engine.name()
    }

    fn open(&self, model: &Model) -> Result<Box<dyn Session>, EngineError> {
        let left = (self.0.seconds_left)().map(|left| Duration::try_from_secs_f64(left.max(0.0)));
        let end = left.and_then(Result::ok).map(|left| Instant::now() + left);
        let session = self.0.engine.open(model)?;
        Ok(Box::new(Timed { session, name: self.name(), end }))
    }
}

impl Session for Timed {
    fn set_cost(&mut self, column: u32, cost: f64) -> Result<(), EngineError> {
        self.session.set_cost(column, cost)
    }

    fn set_bounds(&mut self, column: u32, lower: f64, upper: f64) -> Result<(), EngineError> {
        self.session.set_bounds(column, lower, upper)
    }

    fn add_column(&mut self, column: &Column, terms: &[(u32, f64)]) -> Result<(), EngineError> {
        self.session.add_column(column, terms)
    }

    fn add_row(&mut self, row: &Row) -> Result<(), EngineError> {
        self.session.add_row(row)
    }

    fn start(&mut self, columns: &[f64]) -> Result<(), EngineError> {
        self.session.start(columns)
    }

    fn stop_at(&mut self, flag: Arc<AtomicBool>) -> Result<(), EngineError> {
        self.session.stop_at(flag)
    }

    fn solve(&mut self, limits: &Limits) -> Result<Outcome, EngineError> {
        let Some(end) = self.end else { return self.session.solve(limits) };
        let time_is_up =
            || Err(EngineError { engine: self.name, what: "the time is up".to_owned() });
        let left = end.saturating_duration_since(Instant::now()).as_secs_f64();
        if left <= 0.0 {
            return time_is_up();
        }
        let own = limits.seconds.is_some_and(|seconds| seconds <= left);
        let seconds = if own { limits.seconds } else { Some(left) };
        match self.session.solve(&Limits { seconds, ..*limits })? {
            Outcome::Stopped if !own && Instant::now() >= end => time_is_up(),
            outcome => Ok(outcome),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::InTime;
    use crate::method::Context;
    use cellveil_highs::Highs;
    use cellveil_lp::{Column, Engine, EngineError, Limits, Model, Outcome, Row, Session};
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::thread::sleep;
    use std::time::{Duration, Instant};

    #[test]
    fn nothing_is_solved_once_the_time_is_up() {
        for (left, is_solved) in [(None, true), (Some(60.0), true), (Some(-1.0), false)] {
            let seconds_left = || left;
            let context = Context {
                engine: &Highs,
                progress: &(),
                seconds_left: &seconds_left,
                gap: 0.0,
                seed: 1,
            };
            let mut model = Model::default();
            model.column(1.0, 2.0, 3.0);
            let opened = InTime(&context).open(&model);
            let solved = opened.and_then(|mut session| session.solve(&Limits::default()));
            assert_eq!(solved.is_ok(), is_solved);
        }
    }

    /// Works until its limit, and for a minute without one.
    struct Slow;

    impl Engine for Slow {
        fn name(&self) -> &'static str {
            "slow"
        }

        fn open(&self, _: &Model) -> Result<Box<dyn Session>, EngineError> {
            Ok(Box::new(Slow))
        }
    }

    impl Session for Slow {
        fn set_cost(&mut self, _: u32, _: f64) -> Result<(), EngineError> {
            Ok(())
        }

        fn set_bounds(&mut self, _: u32, _: f64, _: f64) -> Result<(), EngineError> {
            Ok(())
        }

        fn add_column(&mut self, _: &Column, _: &[(u32, f64)]) -> Result<(), EngineError> {
            Ok(())
        }

        fn add_row(&mut self, _: &Row) -> Result<(), EngineError> {
            Ok(())
        }

        fn start(&mut self, _: &[f64]) -> Result<(), EngineError> {
            Ok(())
        }

        fn stop_at(&mut self, _: Arc<AtomicBool>) -> Result<(), EngineError> {
            Ok(())
        }

        fn solve(&mut self, limits: &Limits) -> Result<Outcome, EngineError> {
            sleep(Duration::from_secs_f64(limits.seconds.unwrap_or(60.0)));
            Ok(Outcome::Stopped)
        }
    }

    #[test]
    fn what_has_no_limit_ends_with_the_time_and_what_has_one_ends_there() {
        let end = Instant::now() + Duration::from_millis(200);
        let seconds_left = || Some(end.saturating_duration_since(Instant::now()).as_secs_f64());
        let context = Context {
            engine: &Slow,
            progress: &(),
            seconds_left: &seconds_left,
            gap: 0.0,
            seed: 1,
        };
        let solve = |seconds| {
            let opened = InTime(&context).open(&Model::default());
            opened.and_then(|mut session| session.solve(&Limits { seconds, ..Limits::default() }))
        };
        assert!(solve(Some(0.01)).is_ok_and(|outcome| outcome == Outcome::Stopped));
        assert!(solve(None).is_err());
        assert!(Instant::now() >= end && end.elapsed() < Duration::from_secs(30));
    }
}
