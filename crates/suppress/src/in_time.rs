//! An engine that solves nothing any more once the time is up, for work that has no limit of its own.

use crate::method::Context;
use cellveil_lp::{Column, Engine, EngineError, Limits, Model, Outcome, Row, Session};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The engine of a context, as long as there is time; then it fails.
pub(crate) struct InTime<'a>(pub(crate) &'a Context<'a>);

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
        if self.end.is_some_and(|end| Instant::now() >= end) {
            return Err(EngineError { engine: self.name, what: "the time is up".to_owned() });
        }
        self.session.solve(limits)
    }
}

#[cfg(test)]
mod tests {
    use super::InTime;
    use crate::method::Context;
    use cellveil_highs::Highs;
    use cellveil_lp::{Engine, Limits, Model};

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
}
