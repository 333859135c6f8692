//! The small files of τ-ARGUS as tables: hierarchies, labels, recodes and a-priori lines.

use super::sheet::Sheet;
use crate::PublishError;
use crate::grid::Kind;
use cellveil_argus::text;
use cellveil_tabulate::read_hrc;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

/// Which of them a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum List {
    /// `.hrc`: parent, child.
    Hierarchy,
    /// `.cdl`: code, label.
    Labels,
    /// `.grc`: new, old; or the codes to fold.
    Recode,
    /// `.hst`: codes, action, up to two numbers.
    Apriori,
}

/// Reads one of them.
pub(super) fn read(list: List, path: &Path) -> Result<Sheet, PublishError> {
    let text = || text::read(path).map_err(|fault| PublishError::Unwritable(fault.to_string()));
    match list {
        List::Hierarchy => hierarchy(path, None, ""),
        List::Labels => Ok(labels(&text()?)),
        List::Recode => Ok(recode(&text()?)),
        List::Apriori => apriori(path, &text()?),
    }
}

/// The text of one of them.
pub(super) fn text_of(list: List, sheet: &Sheet) -> Result<String, PublishError> {
    match list {
        List::Hierarchy => hierarchy_text(sheet),
        List::Labels => lines_of(sheet, 2, "labels have two columns, code and label", ","),
        List::Recode if sheet.names() == [FOLD] => {
            let codes = sheet.texts().iter().map(|row| row[0].clone());
            Ok(lines(std::iter::once("<TREERECODE>".to_owned()).chain(codes)))
        }
        List::Recode => lines_of(
            sheet,
            2,
            "a recode has two columns, new and old, or the one column fold",
            " : ",
        ),
        List::Apriori => {
            let what = "an a-priori file has the codes of a cell, then an action";
            let text = lines_of(sheet, 0, what, ";")?;
            // Actions without numbers end there.
            Ok(lines(text.lines().map(|line| line.trim_end_matches(';').to_owned())))
        }
    }
}

fn lines_of(sheet: &Sheet, columns: usize, what: &str, sign: &str) -> Result<String, PublishError> {
    let width = sheet.names().len();
    if width < 2 || (columns > 0 && width != columns) {
        return Err(PublishError::Unwritable(what.to_owned()));
    }
    Ok(lines(sheet.texts().iter().map(|row| row.join(sign))))
}

fn lines(lines: impl Iterator<Item = String>) -> String {
    lines.flat_map(|line| [line, "\n".to_owned()]).collect()
}

/// The column of codes to fold.
const FOLD: &str = "fold";

fn unquoted(text: &str) -> String {
    let text = text.trim();
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    inner.unwrap_or(text).to_owned()
}

fn labels(text: &str) -> Sheet {
    let pair = |line: &str| {
        let (code, label) = line.split_once([',', ';']).unwrap_or((line, ""));
        // Blanks before a code belong to it.
        vec![code.trim_matches('"').to_owned(), unquoted(label)]
    };
    let rows = text.lines().filter(|line| !line.trim().is_empty()).map(pair).collect();
    Sheet::new(&[("code", Kind::Text), ("label", Kind::Text)], rows)
}

fn recode(text: &str) -> Sheet {
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("//"))
        .collect();
    if lines.first().is_some_and(|line| line.to_uppercase().starts_with("<TREERECODE>")) {
        let rows = lines[1..].iter().map(|line| vec![(*line).to_owned()]).collect();
        return Sheet::new(&[(FOLD, Kind::Text)], rows);
    }
    let pair = |line: &&str| {
        let (new, old) = line.split_once(':').unwrap_or((line, ""));
        vec![new.trim().to_owned(), old.trim().to_owned()]
    };
    let rows = lines.iter().map(pair).collect();
    Sheet::new(&[("new", Kind::Text), ("old", Kind::Text)], rows)
}

/// Actions by which the codes of a line end.
const ACTIONS: [&str; 9] = ["s", "u", "p", "m", "ml", "c", "w", "pl", "ab"];

fn apriori(path: &Path, text: &str) -> Result<Sheet, PublishError> {
    let is_line = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with("//");
    let first = text.lines().find(is_line).unwrap_or("");
    let sign = [';', ',', '|', '\t'].into_iter().find(|&sign| first.contains(sign)).unwrap_or(';');
    let rows: Vec<Vec<String>> = text
        .lines()
        .filter(is_line)
        .map(|line| line.split(sign).map(unquoted).collect::<Vec<String>>())
        .collect();
    let is_action = |field: &String| ACTIONS.contains(&field.to_lowercase().as_str());
    // An action may look like a code, but it is never first, and codes come first.
    let ends = rows.iter().filter_map(|row| row.iter().rposition(is_action).filter(|&at| at > 0));
    let codes = ends.min().ok_or_else(|| {
        let what = format!("{}: no line has codes and an action", path.display());
        PublishError::Unwritable(format!("{what}\nhint: write lines such as `N1;x;u`"))
    })?;
    let names: Vec<String> = (1..=codes)
        .map(|at| format!("code_{at}"))
        .chain(["action", "number_1", "number_2"].map(str::to_owned))
        .collect();
    let columns: Vec<(&str, Kind)> = names.iter().map(|name| (name.as_str(), Kind::Text)).collect();
    let padded = rows.into_iter().map(|mut row| {
        row.resize(columns.len(), String::new());
        row
    });
    Ok(Sheet::new(&columns, padded.collect()))
}

/// A hierarchy as pairs of parent and child.
pub(super) fn hierarchy(
    path: &Path,
    lead: Option<&str>,
    total: &str,
) -> Result<Sheet, PublishError> {
    let tree =
        read_hrc(path, lead, total).map_err(|why| PublishError::Unwritable(why.to_string()))?;
    let total = if total.is_empty() { "Total" } else { total };
    let parent = |at: Option<usize>| at.map_or(total.to_owned(), |at| tree.nodes[at].name.clone());
    let rows = tree.nodes.iter().map(|node| vec![parent(node.parent), node.name.clone()]).collect();
    Ok(Sheet::new(&[("parent", Kind::Text), ("child", Kind::Text)], rows))
}

/// Pairs of parent and child as a `.hrc` file; whoever is nobody's child is the total.
fn hierarchy_text(sheet: &Sheet) -> Result<String, PublishError> {
    let rows = sheet.texts();
    if sheet.names().len() != 2 {
        return Err(PublishError::Unwritable(
            "a hierarchy has two columns, parent and child".to_owned(),
        ));
    }
    let is_child: BTreeSet<&str> = rows.iter().map(|row| row[1].as_str()).collect();
    let mut children: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut roots: Vec<&str> = Vec::new();
    for row in rows {
        let (parent, child) = (row[0].as_str(), row[1].as_str());
        children.entry(parent).or_default().push(child);
        if !is_child.contains(parent) && !roots.contains(&parent) {
            roots.push(parent);
        }
    }
    let mut open: Vec<(&str, usize)> = Vec::new();
    let below = |name: &str, depth: usize| {
        let children = children.get(name).into_iter().flatten();
        children.rev().map(|&child| (child, depth)).collect::<Vec<_>>()
    };
    for root in roots.into_iter().rev() {
        open.extend(below(root, 0));
    }
    let mut text = String::new();
    while let Some((name, depth)) = open.pop() {
        if depth > rows.len() {
            return Err(PublishError::Unwritable(format!(
                "`{name}` is part of itself; correct its parents"
            )));
        }
        let _ = writeln!(text, "{}{name}", "@".repeat(depth));
        open.extend(below(name, depth + 1));
    }
    Ok(text)
}
