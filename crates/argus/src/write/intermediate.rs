//! All that is known of every cell, with the metadata and hierarchies to read it back.

use super::Shown;
use super::grid::real;
use crate::ArgusTable;
use crate::arb::SaveOptions;
use cellveil_core::{CellId, CodeId, Contributors, Interval, units};
use std::fmt::Write as _;
use std::io::{self, Write};

/// The files that go together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    /// The cells.
    pub cells: Vec<u8>,
    /// The metadata, `.rda`.
    pub metadata: String,
    /// Hierarchies, `.hrc`, and labels, `.cdl`, with what follows the name of the file.
    pub beside: Vec<(String, String)>,
}

/// Writes cells, metadata and hierarchies. `stem` is the name of the file without its ending, `intervals` what an audit found.
///
/// # Errors
/// Whatever the writer reports.
pub fn write(
    table: &ArgusTable,
    options: SaveOptions,
    stem: &str,
    intervals: Option<&[Option<Interval>]>,
) -> io::Result<Files> {
    let columns = Columns::new(table, options);
    let intervals = intervals.filter(|_| options.audit.unwrap_or(false));
    let mut files = Files::default();
    for key in table.keys() {
        let cell = table.find(&key);
        if table.status(cell).is_empty() && options.skip_empty.unwrap_or(false) {
            continue;
        }
        columns.line(&key, cell, intervals, &mut files.cells)?;
    }
    columns.metadata(stem, &mut files);
    Ok(files)
}

struct Columns<'a> {
    table: &'a ArgusTable,
    shown: Shown<'a>,
    counts: &'a Contributors,
    with_counts: bool,
    with_shadow: bool,
    tops: usize,
}

impl<'a> Columns<'a> {
    fn new(table: &'a ArgusTable, options: SaveOptions) -> Self {
        let judged = table.judged();
        let by_holding = options.holdings.unwrap_or(false);
        let counts = judged.holdings().filter(|_| by_holding).unwrap_or(judged.respondents());
        let all = !options.status_only.unwrap_or(false);
        let is_amount = table.specify.response.is_some();
        Self {
            table,
            shown: Shown { table, quotes: options.quotes.unwrap_or(true) },
            counts,
            with_counts: is_amount,
            with_shadow: is_amount && all,
            tops: if all { counts.depth() } else { 0 },
        }
    }

    fn line(
        &self,
        key: &[CodeId],
        cell: Option<CellId>,
        intervals: Option<&[Option<Interval>]>,
        out: &mut Vec<u8>,
    ) -> io::Result<()> {
        let table = self.table;
        let judged = table.judged();
        let amount = |units: i64, decimals: u8| {
            // Never fewer decimals than there are: what is written reads back the same.
            units::display(units, decimals).to_string()
        };
        let at = cell.map(CellId::index);
        let of =
            |values: &[i64], decimals| at.map_or("0".to_owned(), |at| amount(values[at], decimals));
        write!(out, "{}", self.shown.codes(key, ";"))?;
        write!(out, "{}", of(table.response.values(), table.response.decimals()))?;
        if self.with_counts {
            let count = cell.map_or(0, |cell| self.counts.count(cell));
            write!(out, ";{}", if table.counted { count } else { count.min(1) })?;
        }
        if self.with_shadow {
            write!(out, ";{}", of(judged.values(), judged.decimals()))?;
        }
        write!(out, ";{}", at.map_or("0".to_owned(), |at| real(table.costs[at])))?;
        for nth in 0..self.tops {
            let top =
                cell.and_then(|cell| self.counts.top(cell).get(nth)).map_or(0, |top| top.value);
            write!(out, ";{}", amount(top, judged.contribution_decimals()))?;
        }
        let status = table.status(cell);
        let step = table.step();
        // What needs no protection has the smallest level there is; nothing lies below an empty cell.
        let (lower, upper) = match at.map(|at| table.states[at]) {
            Some(state) if status.is_unsafe() => (state.lower, state.upper),
            _ if status.is_empty() => (0.0, step),
            _ => (step, step),
        };
        write!(out, ";{};{};{}", status.letter(), real(lower), real(upper))?;
        if let Some(intervals) = intervals {
            write!(
                out,
                "{}",
                realised(at.and_then(|at| intervals[at]), cell.map_or(0.0, |c| table.value(c)))
            )?;
        }
        writeln!(out)
    }

    fn metadata(&self, stem: &str, files: &mut Files) {
        let table = self.table;
        let text = &mut files.metadata;
        // Writing to a string cannot fail.
        let _ = writeln!(text, "<SEPARATOR> \";\"\n<SAFE> S\n<UNSAFE> U\n<PROTECT> P");
        for codes in &table.codes {
            let hierarchy = &codes.dimension.hierarchy;
            let name = &codes.dimension.name;
            let _ = write!(text, "{name}");
            for &code in &codes.missing {
                let _ = write!(text, " \"{}\"", hierarchy.name(code));
            }
            let _ = writeln!(text, "\n  <RECODEABLE>\n  <TOTCODE> \"{}\"", hierarchy.name(0));
            if !codes.distance.is_empty() {
                let distance: Vec<String> = codes.distance.iter().map(|d| real(*d)).collect();
                let _ = writeln!(text, "  <DISTANCE> {}", distance.join(" "));
            }
            if !codes.labels.is_empty() {
                let file = format!("_{name}.cdl");
                let _ = writeln!(text, "  <CODELIST> \"{stem}{file}\"");
                files.beside.push((file, codes.labels_file()));
            }
            if hierarchy.sums().len() > 1 {
                let (lead, listed) = listed(codes);
                let file = format!("_{name}.hrc");
                let _ = writeln!(
                    text,
                    "  <HIERARCHICAL>\n  <HIERCODELIST> \"{stem}{file}\"\n  <HIERLEADSTRING> \"{lead}\""
                );
                files.beside.push((file, listed));
            }
        }
        let response = table.specify.response.as_deref();
        let _ = match response {
            Some(name) => writeln!(text, "{name}\n  <NUMERIC>\n  <DECIMALS> {}", table.decimals),
            None => writeln!(text, "Freq\n  <FREQUENCY>"),
        };
        let name = response.unwrap_or("Freq");
        if self.with_counts && table.counted {
            let _ = writeln!(text, "FreqVar\n  <FREQUENCY>");
        } else if self.with_counts {
            // The column stands there, but the number was only assumed.
            let _ = writeln!(text, "FreqVar\n  <NUMERIC>");
        }
        if self.with_shadow {
            let _ = writeln!(text, "{name}_Shadow\n  <NUMERIC> <SHADOW>");
        }
        let _ = writeln!(text, "{name}_Cost\n  <NUMERIC> <COSTVAR>");
        for nth in 1..=self.tops {
            let _ = writeln!(text, "Top{nth}\n  <MAXSCORE>");
        }
        let _ = writeln!(
            text,
            "StatusVar\n  <STATUS>\nLowerProtLevel\n  <NUMERIC> <LOWERPL>\nUpperProtLevel\n  <NUMERIC> <UPPERPL>"
        );
    }
}

/// What an audit found: lower, upper, their distance, and the same in per cent of the value.
fn realised(interval: Option<Interval>, value: f64) -> String {
    let Some(Interval { lower, upper, .. }) = interval else { return ";;;;;;".to_owned() };
    let show = |number: Option<f64>| number.map_or(String::new(), real);
    let percent = |number: Option<f64>| {
        number
            .filter(|_| value != 0.0)
            .map_or(String::new(), |n| format!("{:.2}", 100.0 * n / value))
    };
    let range = lower.zip(upper).map(|(lower, upper)| upper - lower);
    format!(
        ";{};{};{};{};{};{}",
        show(lower),
        show(upper),
        show(range),
        percent(lower.map(|lower| value - lower)),
        percent(upper.map(|upper| upper - value)),
        percent(range)
    )
}

/// A hierarchy as a `.hrc` file, with a lead string that no code starts with.
fn listed(codes: &crate::Codes) -> (&'static str, String) {
    let hierarchy = &codes.dimension.hierarchy;
    let all = 1..hierarchy.len() as CodeId;
    let is_free = |lead: &str| all.clone().all(|code| !hierarchy.name(code).starts_with(lead));
    let leads = ["@", "~", "#", "%", "^", "@@", "~~"];
    let lead = leads.into_iter().find(|lead| is_free(lead)).unwrap_or("@~");
    let mut text = String::new();
    for code in all.filter(|code| !codes.missing.contains(code)) {
        let depth = usize::from(hierarchy.depth(code)).saturating_sub(1);
        let _ = writeln!(text, "{}{}", lead.repeat(depth), hierarchy.name(code));
    }
    (lead, text)
}
