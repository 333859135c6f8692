//! Progress bars on stderr, none when it is not a terminal.

use crate::flags::Common;
use cellveil::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A bar that shows the stage and how far it is, and what has been found.
pub(crate) struct Bar(
    ProgressBar,
    /// Whether steps are records.
    AtomicBool,
);

impl Bar {
    pub(crate) fn new(common: &Common) -> Self {
        let shown = !common.quiet && std::io::stderr().is_terminal();
        let target =
            if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(None, target);
        bar.enable_steady_tick(Duration::from_millis(120));
        Self(bar, AtomicBool::new(false))
    }
}

impl Progress for Bar {
    fn stage(&self, name: &'static str) {
        self.1.store(false, Ordering::Relaxed);
        self.0.set_style(style("{spinner} {msg:9} {elapsed}"));
        self.0.set_message(name);
        self.0.set_prefix("");
        self.0.unset_length();
        self.0.set_position(0);
    }

    fn rows(&self, what: &'static str) {
        self.1.store(true, Ordering::Relaxed);
        self.0.set_style(style("{spinner} {msg:9} {elapsed}"));
        self.0.set_message(what);
        self.0.set_position(0);
        self.0.reset_eta();
    }

    fn step(&self, done: u64, total: u64) {
        if total == 0 {
            self.0.set_style(style(
                "{spinner} {msg:9} {elapsed}  {human_pos} records, {per_sec:.0} records/s",
            ));
        } else if self.1.load(Ordering::Relaxed) {
            self.0.set_style(style(
                "{spinner} {msg:9} {elapsed}  {wide_bar} {human_pos}/{human_len} records, {per_sec:.0} records/s",
            ));
            self.0.set_length(total);
        } else {
            self.0.set_style(style(
                "{spinner} {msg:9} {elapsed}  {prefix}{wide_bar} {human_pos}/{human_len}",
            ));
            self.0.set_length(total);
        }
        self.0.set_position(done);
    }

    fn found(&self, cost: f64, bound: f64) {
        self.0.set_prefix(found(cost, bound));
    }
}

/// What has been found, in few words: the cost, the bound and the share by which they differ.
fn found(cost: f64, bound: f64) -> String {
    if bound <= 0.0 {
        return format!("cost {cost:.0}  ");
    }
    let gap = if cost > 0.0 { 100.0 * (cost - bound) / cost } else { 0.0 };
    format!("cost {cost:.0}, bound {bound:.0}, gap {gap:.1} %  ")
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// A template that does not parse leaves the default bar.
fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

#[cfg(test)]
mod tests {
    use super::found;

    #[test]
    fn cost_bound_and_gap_are_shown_as_far_as_they_are_known() {
        assert_eq!(found(120.0, 0.0), "cost 120  ");
        assert_eq!(found(120.0, 90.0), "cost 120, bound 90, gap 25.0 %  ");
        assert_eq!(found(0.0, 0.0), "cost 0  ");
    }
}
