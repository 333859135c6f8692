//! A piece of a published table, small enough for a terminal.

use cellveil_core::{CellId, CellNames, CodeId, Dimension, Release, units};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The piece of the first two dimensions with most to see: an aggregate of the first with its parts, by the top levels of the
/// second, at the total of all others.
pub(super) fn piece(release: &Release) -> String {
    let problem = release.problem();
    let CellNames::Codes { dimensions, .. } = problem.names() else { return String::new() };
    let [rows, columns, ..] = dimensions.as_slice() else { return String::new() };
    let mut cells: BTreeMap<(CodeId, CodeId), CellId> = BTreeMap::new();
    for cell in problem.cells() {
        if let [row, column, others @ ..] = problem.names().key(cell)
            && others.iter().all(|&code| code == 0)
        {
            cells.insert((*row, *column), cell);
        }
    }
    let shown: Vec<CodeId> = top_codes(columns);
    let withheld = |row: &CodeId| {
        let found = shown.iter().filter_map(|column| cells.get(&(*row, *column)));
        found.filter(|&&cell| release.pattern().is_withheld(cell)).count()
    };
    let most = rows.hierarchy.sums().iter().max_by_key(|sum| {
        (sum.parts.iter().map(withheld).sum::<usize>(), std::cmp::Reverse(sum.total))
    });
    let Some(most) = most else { return String::new() };
    let lines: Vec<CodeId> =
        std::iter::once(most.total).chain(most.parts.iter().copied()).collect();
    let entry = |row: CodeId, column: CodeId| match cells.get(&(row, column)) {
        None => String::new(),
        Some(&cell) => match release.pattern().why(cell) {
            Some(why) => format!("·{}", why.letter()),
            None => units::display(problem.value(cell), problem.decimals()).to_string(),
        },
    };
    draw(rows, columns, &lines, &shown, entry)
}

/// The total and what stands right below it.
fn top_codes(dimension: &Dimension) -> Vec<CodeId> {
    let hierarchy = &dimension.hierarchy;
    (0..hierarchy.len() as CodeId).filter(|&code| hierarchy.depth(code) <= 1).take(7).collect()
}

fn draw(
    rows: &Dimension,
    columns: &Dimension,
    lines: &[CodeId],
    shown: &[CodeId],
    entry: impl Fn(CodeId, CodeId) -> String,
) -> String {
    let mut grid: Vec<Vec<String>> = vec![vec![String::new()]];
    grid[0].extend(shown.iter().map(|&code| columns.hierarchy.name(code).to_owned()));
    for (at, &line) in lines.iter().enumerate() {
        let indent = if at == 0 { "" } else { "  " };
        let mut fields = vec![format!("{indent}{}", rows.hierarchy.name(line))];
        fields.extend(shown.iter().map(|&column| entry(line, column)));
        grid.push(fields);
    }
    let width = |column: usize| grid.iter().map(|line| line[column].chars().count()).max();
    let widths: Vec<usize> = (0..=shown.len()).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for line in &grid {
        // Writing to a string cannot fail.
        let _ = write!(text, "{:<1$}", line[0], widths[0]);
        for (field, width) in line.iter().zip(&widths).skip(1) {
            let _ = write!(text, "  {field:>width$}");
        }
        text.push('\n');
    }
    text
}
