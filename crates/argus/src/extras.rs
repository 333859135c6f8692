//! What this program writes after the relations of a JJ instance, where other readers never get.
//!
//! ```text
//! singletons <number> : <id> …     cells whose only contributor knows them
//! coalition <number> : <id> …      those of one holding; a line for each
//! width <amount>                   how wide the interval of every withheld cell must be
//! whole                            everybody knows that the cells are counts
//! earlier                          everybody knows what was published earlier
//! ```

use crate::jj::{Index, JjError, Lines, ceil, wrong};
use cellveil_core::units::{self, Decimal};
use cellveil_core::{CellId, Problem};
use std::io::{self, BufRead, Write};

/// The lines after the relations.
#[derive(Default)]
pub(crate) struct Extras {
    pub(crate) singletons: Vec<CellId>,
    pub(crate) width: i64,
    coalitions: Vec<Vec<CellId>>,
    whole: bool,
    earlier: bool,
}

impl Extras {
    pub(crate) fn read<R: BufRead>(
        lines: &mut Lines<R>,
        index: &Index,
        decimals: u8,
    ) -> Result<Self, JjError> {
        let mut extras = Self::default();
        while let Some((line, text)) = lines.optional()? {
            let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
            match word {
                "singletons" => extras.singletons.extend(cells(line, rest, index)?),
                "coalition" => extras.coalitions.push(cells(line, rest, index)?),
                "whole" => extras.whole = true,
                "earlier" => extras.earlier = true,
                "width" => {
                    let units = Decimal::parse(rest).and_then(|number| ceil(number, decimals));
                    extras.width = units
                        .filter(|&width| width >= 0)
                        .ok_or_else(|| wrong(line, "the width is not a number, or negative"))?;
                }
                _ => {}
            }
        }
        extras.singletons.sort_unstable();
        extras.singletons.dedup();
        Ok(extras)
    }

    pub(crate) fn apply(self, problem: Problem) -> Result<Problem, JjError> {
        let problem = problem.with_coalitions(self.coalitions)?;
        let problem = if self.whole { problem.of_counts()? } else { problem };
        Ok(if self.earlier { problem.after_earlier_releases([]) } else { problem })
    }
}

fn cells(line: usize, text: &str, index: &Index) -> Result<Vec<CellId>, JjError> {
    let ids = text.split_once(':').map_or("", |(_, ids)| ids).split_ascii_whitespace();
    ids.map(|id| {
        let cell = id.parse().ok().and_then(|id: u64| index.get(id));
        cell.ok_or_else(|| wrong(line, format!("cell {id} is not in the list of cells")))
    })
    .collect()
}

pub(crate) fn write(out: &mut impl Write, problem: &Problem) -> io::Result<()> {
    let mut list = |word: &str, cells: &[CellId]| {
        write!(out, "{word} {} :", cells.len())?;
        for &cell in cells {
            write!(out, " {}", problem.names().id(cell))?;
        }
        writeln!(out)
    };
    if !problem.singletons().is_empty() {
        list("singletons", problem.singletons())?;
    }
    for coalition in problem.coalitions() {
        list("coalition", coalition)?;
    }
    if problem.width() > 0 {
        writeln!(out, "width {}", units::display(problem.width(), problem.decimals()))?;
    }
    if problem.is_whole() {
        writeln!(out, "whole")?;
    }
    if problem.has_earlier_releases() {
        writeln!(out, "earlier")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may panic")]
    use crate::jj;
    use cellveil_core::{CellId, Intruder};

    const COUNTS: &str = "0\n4\n0 9 9 s 0 1e20 0 0 0\n1 2 2 u 0 1e20 1 1 0\n2 3 3 u 0 1e20 1 1 0\n3 4 4 s 0 1e20 0 0 0\n1\n0 4 : 0 (-1) 1 (1) 2 (1) 3 (1)\n";

    /// A release is verified against the intruders of its instance: one that is lost on the way would weaken the proof.
    #[test]
    fn no_intruder_is_lost_on_the_way_through_a_file() {
        let extras = "singletons 2 : 1 2\ncoalition 2 : 1 2\nwidth 3\nwhole\nearlier\n";
        let problem = jj::read(&format!("{COUNTS}{extras}"), 0).unwrap();
        assert_eq!(problem.outsider(), Intruder::Integer);
        assert_eq!(problem.insiders().len(), 1, "one holding behind both");
        let mut out = Vec::new();
        jj::write(&problem, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.ends_with(extras), "{text}");
        let again = jj::read(&text, 0).unwrap();
        assert!(again.is_whole() && again.has_earlier_releases());
        assert_eq!(again.coalitions(), [[CellId(1), CellId(2)]]);
        assert_eq!((again.width(), again.singletons().len()), (3, 2));
    }

    #[test]
    fn a_coalition_of_cells_that_nobody_is_alone_in_is_refused() {
        let text = format!("{COUNTS}singletons 1 : 1\ncoalition 2 : 1 2\n");
        assert!(jj::read(&text, 0).is_err());
    }
}
