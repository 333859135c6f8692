//! A-priori files (`.hst`): statuses, costs and protection levels that somebody decided.

use crate::text::{amount, unquoted};
use crate::{ArgusTable, CellState, CellStatus, Codes, Fault};
use cellveil_core::units::pow10;
use cellveil_core::{CellId, CodeId};
use cellveil_tabulate::AMOUNT_DECIMALS;
use std::collections::HashMap;
use std::path::Path;

/// How lines are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// What stands between the fields.
    pub separator: char,
    /// Whether lines that make no sense are skipped.
    pub ignore_errors: bool,
    /// Whether cells that equal a named one, by chains of single children, are meant as well.
    pub expand: bool,
}

/// What became of the lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// Lines per action that were followed and that were not: `s u p m c pl`, others.
    pub counts: Vec<(&'static str, u64, u64)>,
    /// The first lines that were skipped, and why.
    pub skipped: Vec<String>,
}

/// What a line asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Action {
    Status(CellStatus),
    Cost(f64),
    Levels(f64, f64),
}

const KINDS: [&str; 7] = ["s", "u", "p", "m", "c", "pl", "other"];
/// How many skipped lines are named.
const NAMED: usize = 20;

/// Follows the lines of a file, one after the other.
///
/// # Errors
/// [`Fault`] names the first line that makes no sense, unless such lines are ignored. The table may have changed before.
pub fn apply(
    file: &Path,
    text: &str,
    table: &mut ArgusTable,
    options: Options,
) -> Result<Applied, Fault> {
    let mut lookup = Lookup::new(table);
    let mut counts = [(0, 0); KINDS.len()];
    let mut applied = Applied::default();
    let mut first = true;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with("//") {
            continue;
        }
        if std::mem::take(&mut first) && !line.contains(options.separator) {
            return Err(Fault::new(file, format!("the first line has no `{}`", options.separator))
                .at(number)
                .hint("name the separator of the file in `<APRIORI>`"));
        }
        let (kind, done) = one(line, options, table, &mut lookup);
        match done {
            Ok(()) => counts[kind].0 += 1,
            Err((what, hint)) if options.ignore_errors => {
                counts[kind].1 += 1;
                if applied.skipped.len() < NAMED {
                    applied.skipped.push(format!("line {number}: {what}; {hint}"));
                }
            }
            Err((what, hint)) => return Err(Fault::new(file, what).at(number).hint(hint)),
        }
    }
    let named = KINDS.into_iter().zip(counts).map(|(kind, (good, bad))| (kind, good, bad));
    applied.counts = named.filter(|(_, good, bad)| good + bad > 0).collect();
    Ok(applied)
}

type Said = (String, &'static str);

fn one(
    line: &str,
    options: Options,
    table: &mut ArgusTable,
    lookup: &mut Lookup,
) -> (usize, Result<(), Said>) {
    let mut fields = line.split(options.separator).map(unquoted);
    lookup.key.clear();
    let mut unknown = None;
    for d in 0..table.codes.len() {
        let Some(code) = fields.next() else {
            return (
                6,
                Err((
                    "the line has too few codes".to_owned(),
                    "one code per variable, then the action",
                )),
            );
        };
        if let Some(code) = lookup.code(table, d, code) {
            lookup.key.push(code);
        } else {
            let name = &table.codes[d].dimension.name;
            unknown = unknown.or(Some(format!("`{code}` is no code of `{name}`")));
        }
    }
    let (kind, action) = match action(&mut fields) {
        Ok(action) => action,
        Err((kind, said)) => return (kind, Err(said)),
    };
    if let Some(what) = unknown {
        return (kind, Err((what, "correct it, or remove the line")));
    }
    let Some(cell) = table.find(&lookup.key) else {
        return (kind, Err(("the cell is empty".to_owned(), "remove the line")));
    };
    let mut done = change(table, cell, action);
    if options.expand && done.is_ok() {
        for twin in lookup.twins(table, cell) {
            done = done.and(change(table, twin, action));
        }
    }
    (kind, done)
}

fn action<'a>(
    fields: &mut impl Iterator<Item = &'a str>,
) -> Result<(usize, Action), (usize, Said)> {
    let name = fields.next().unwrap_or("");
    let mut number = |kind: usize, hint: &'static str| {
        let text = fields.next().unwrap_or("");
        let number = amount(text).map(|amount| amount as f64 / pow10(AMOUNT_DECIMALS) as f64);
        number
            .filter(|number| *number >= 0.0)
            .ok_or_else(|| (kind, ("a number is missing, or negative".to_owned(), hint)))
    };
    Ok(match name.to_ascii_lowercase().as_str() {
        "s" => (0, Action::Status(CellStatus::SafeManual)),
        "u" => (1, Action::Status(CellStatus::UnsafeManual)),
        "p" => (2, Action::Status(CellStatus::Protected)),
        "m" => (3, Action::Status(CellStatus::SecondaryManual)),
        "ml" => (3, Action::Status(CellStatus::Secondary)),
        "c" | "w" => (4, Action::Cost(number(4, "write `c` and the cost")?)),
        "pl" => {
            let hint = "write `pl`, then the lower and the upper level, as distances";
            let lower = number(5, hint)?;
            (5, Action::Levels(lower, number(5, hint)?))
        }
        "ab" => {
            let hint = "the action is reserved; remove the line";
            return Err((6, ("`ab` was never built, in τ-ARGUS neither".to_owned(), hint)));
        }
        other => {
            let hint = "use s, u, p, m, c with a cost, or pl with two levels";
            return Err((6, (format!("`{other}` is no action"), hint)));
        }
    })
}

fn change(table: &mut ArgusTable, cell: CellId, action: Action) -> Result<(), Said> {
    let at = cell.index();
    let (before, original) = (table.states[at], table.original[at]);
    let step = table.step();
    let refused = |may: &str, hint| {
        Err((format!("the cell is {}, not {may}", before.status.describe().to_lowercase()), hint))
    };
    let is_safe = matches!(before.status, CellStatus::Safe | CellStatus::SafeManual);
    table.states[at] = match action {
        Action::Status(CellStatus::SafeManual) if before.status > CellStatus::Protected => {
            return refused("safe, unsafe or protected", "undo what made it so first");
        }
        Action::Status(CellStatus::SafeManual) => match original.status {
            CellStatus::Safe => original,
            _ => CellState::safe(CellStatus::SafeManual),
        },
        Action::Status(CellStatus::UnsafeManual) if before.status > CellStatus::UnsafeManual => {
            return refused(
                "safe or unsafe",
                "a protected cell is published; remove one of the two",
            );
        }
        Action::Status(CellStatus::UnsafeManual) if original.status.is_unsafe() => original,
        Action::Status(CellStatus::UnsafeManual) => {
            let value = table.value(cell).abs();
            let level = (value * f64::from(table.rules.manual) / 100.0).max(step);
            let lower = if value == 0.0 { 0.0 } else { level };
            CellState { status: CellStatus::UnsafeManual, lower, upper: level }
        }
        Action::Status(_) if !is_safe => return refused("safe", "make it safe first with `s`"),
        Action::Status(status) => CellState::safe(status),
        Action::Cost(cost) => {
            table.costs[at] = if cost == 0.0 { 1.0 } else { cost };
            return Ok(());
        }
        Action::Levels(..) if !before.status.is_unsafe() => {
            return refused("unsafe", "make it unsafe first with `u`");
        }
        Action::Levels(lower, upper) => CellState { status: before.status, lower, upper },
    };
    Ok(())
}

/// For each cell the name of those equal to it, and for each name its cells.
type Equal = (Vec<u32>, HashMap<u32, Vec<CellId>>);

/// Codes of lines found once each.
struct Lookup {
    key: Vec<CodeId>,
    known: Vec<HashMap<String, Option<CodeId>>>,
    /// Cells that are equal, by a name of their own; made when it is first needed.
    equal: Option<Equal>,
}

impl Lookup {
    fn new(table: &ArgusTable) -> Self {
        Self { key: Vec::new(), known: vec![HashMap::new(); table.codes.len()], equal: None }
    }

    fn code(&mut self, table: &ArgusTable, dimension: usize, text: &str) -> Option<CodeId> {
        if let Some(&known) = self.known[dimension].get(text) {
            return known;
        }
        let found = table.codes[dimension].of_table(text);
        self.known[dimension].insert(text.to_owned(), found);
        found
    }

    /// The other cells that are equal to one by chains of single children in the hierarchies.
    fn twins(&mut self, table: &ArgusTable, cell: CellId) -> Vec<CellId> {
        let (leader, members) = self.equal.get_or_insert_with(|| equal_cells(table));
        let all = members.get(&leader[cell.index()]).map_or(&[][..], Vec::as_slice);
        all.iter().copied().filter(|&twin| twin != cell).collect()
    }
}

fn equal_cells(table: &ArgusTable) -> Equal {
    let finest: Vec<Vec<CodeId>> = table.codes.iter().map(Codes::finest).collect();
    let mut names: HashMap<Vec<CodeId>, u32> = HashMap::new();
    let (mut leader, mut members) = (Vec::new(), HashMap::<u32, Vec<CellId>>::new());
    for cell in (0..table.len()).map(CellId::at) {
        let key: Vec<CodeId> = table
            .response
            .key(cell)
            .iter()
            .zip(&finest)
            .map(|(&code, finest)| finest[code as usize])
            .collect();
        let next = names.len() as u32;
        let name = *names.entry(key).or_insert(next);
        leader.push(name);
        members.entry(name).or_default().push(cell);
    }
    (leader, members)
}
