//! Protects, attacks and verifies one instance, and says what it took.
#![expect(clippy::print_stdout, reason = "the table is the result")]

use crate::watch::Watch;
use cellveil_attack::{Intervals, Options, attack};
use cellveil_core::{Problem, Release};
use cellveil_highs::Highs;
use cellveil_suppress::{Context, Method, suppress};
use serde_json::json;
use std::error::Error;
use std::time::Instant;

/// What protecting one instance took.
pub(crate) struct Measured {
    name: String,
    method: Method,
    pub(crate) cells: usize,
    needs: usize,
    secondary: usize,
    exposed: usize,
    pub(crate) cost: f64,
    bound: f64,
    gap: f64,
    /// Seconds until the pattern, and for the attack after it.
    pub(crate) protect: f64,
    attack: f64,
    verified: bool,
}

impl Measured {
    pub(crate) fn head() {
        println!(
            "{:<12} {:>8} {:>7} {:>9} {:>7} {:>16} {:>16} {:>7} {:>8} {:>8} {:>8}",
            "instance",
            "cells",
            "needs",
            "secondary",
            "exposed",
            "cost",
            "bound",
            "gap %",
            "protect",
            "attack",
            "verified"
        );
    }

    pub(crate) fn print(&self) {
        println!(
            "{:<12} {:>8} {:>7} {:>9} {:>7} {:>16.0} {:>16.0} {:>7.2} {:>8.2} {:>8.2} {:>8}",
            self.name,
            self.cells,
            self.needs,
            self.secondary,
            self.exposed,
            self.cost,
            self.bound,
            100.0 * self.gap,
            self.protect,
            self.attack,
            self.verified
        );
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        json!({
            "instance": self.name,
            "method": self.method.name(),
            "cells": self.cells,
            "needs": self.needs,
            "secondary": self.secondary,
            "exposed": self.exposed,
            "cost": self.cost,
            "bound": self.bound,
            "gap": self.gap,
            "seconds_protect": self.protect,
            "seconds_attack": self.attack,
            "verified": self.verified,
        })
    }
}

/// Protects an instance, within a time limit in seconds if there is one.
pub(crate) fn measure(
    name: &str,
    problem: Problem,
    method: Method,
    limit: Option<f64>,
    watched: bool,
) -> Result<Measured, Box<dyn Error>> {
    let start = Instant::now();
    let seconds_left = || limit.map(|limit| limit - start.elapsed().as_secs_f64());
    let context = Context {
        engine: &Highs,
        progress: &Watch(watched.then_some(start)),
        seconds_left: &seconds_left,
        gap: 0.0,
        seed: 1,
    };
    let protected = suppress(&problem, method, &context)?;
    let protect = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let options = Options { intervals: Intervals::None };
    let found = attack(&problem, &protected.pattern, &Highs, options, &protected.witnesses)?;
    let cost = problem.cost_of(&protected.pattern);
    let (cells, needs) = (problem.len(), problem.needs().len());
    Ok(Measured {
        name: name.to_owned(),
        method,
        cells,
        needs,
        secondary: protected.pattern.secondaries().count(),
        exposed: found.audit.exposed.len(),
        cost,
        bound: protected.bound.cost,
        gap: protected.bound.gap(cost),
        protect,
        attack: start.elapsed().as_secs_f64(),
        verified: Release::new(problem, protected.pattern, found.certificate).is_ok(),
    })
}
