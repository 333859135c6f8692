//! Which cells of a pattern the cuts say must stay, without a program.

use super::cuts::Cut;
use super::level::System;
use crate::cover::Cover;
use crate::in_time::attempted;
use crate::incremental::{Workshop, candidates, give_back};
use crate::method::SuppressError;

/// By how much the cells of a pattern exceed what each cut asks for.
struct Slack {
    /// The cuts of every position, with its coefficient in each.
    cuts_of: Vec<Vec<(u32, f64)>>,
    slack: Vec<f64>,
}

/// Cuts missed by less may be met: it is rounding.
const ROUNDING: f64 = 1e-9;

impl Slack {
    /// Cuts that only cheapest patterns satisfy say what is worthwhile, not what must be.
    fn new(cuts: &[Cut], withheld: &[bool]) -> Self {
        let mut cuts_of = vec![Vec::new(); withheld.len()];
        let mut slack = Vec::new();
        for cut in cuts.iter().filter(|cut| cut.is_for_all) {
            let number = slack.len() as u32;
            let mut sum = -cut.asked;
            for &(at, c) in cut.terms.iter().filter(|&&(at, _)| withheld[at as usize]) {
                cuts_of[at as usize].push((number, c));
                sum += c;
            }
            slack.push(sum);
        }
        Self { cuts_of, slack }
    }

    fn is_needed(&self, at: u32) -> bool {
        let cuts = &self.cuts_of[at as usize];
        cuts.iter().any(|&(cut, c)| self.slack[cut as usize] - c < -ROUNDING)
    }

    fn give_back(&mut self, at: u32) {
        for &(cut, c) in &self.cuts_of[at as usize] {
            self.slack[cut as usize] -= c;
        }
    }
}

/// Gives back what turned out not to be needed, dearest first, without asking where the cuts have an answer.
pub(super) fn prune(
    workshop: &Workshop<'_>,
    cover: &mut Cover<'_>,
    system: &System<'_>,
    cuts: &[Cut],
) -> Result<(), SuppressError> {
    let is_withheld = |cells: &Vec<_>| cells.iter().any(|&cell| cover.is_withheld(cell));
    let withheld: Vec<bool> = system.members.iter().map(is_withheld).collect();
    let mut slack = Slack::new(cuts, &withheld);
    for cell in candidates(workshop, cover) {
        if workshop.context.is_over() {
            break;
        }
        let at = system.position(cell);
        if at.is_some_and(|at| slack.is_needed(at)) {
            continue;
        }
        let Some(given) = attempted(give_back(workshop, cover, cell))? else { break };
        let has_gone =
            |at: &u32| !system.members[*at as usize].iter().any(|&cell| cover.is_withheld(cell));
        if let Some(at) = at.filter(|at| given && has_gone(at)) {
            slack.give_back(at);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Cut, Slack};

    #[test]
    fn a_cell_is_needed_as_long_as_a_cut_misses_it() {
        let cut = |terms: &[(u32, f64)], asked, is_for_all| Cut {
            terms: terms.to_vec(),
            asked,
            is_for_all,
        };
        let cuts = [
            cut(&[(0, 1.0), (1, 0.5), (2, 0.5)], 1.0, true),
            cut(&[(2, 1.0), (3, 1.0)], 1.0, true),
            cut(&[(0, 1.0), (3, -1.0)], 0.0, false),
        ];
        let mut slack = Slack::new(&cuts, &[true, true, true, false]);
        assert_eq!([0, 1, 2].map(|at| slack.is_needed(at)), [false, false, true]);
        slack.give_back(0);
        assert_eq!([1, 2].map(|at| slack.is_needed(at)), [true, true]);
    }
}
