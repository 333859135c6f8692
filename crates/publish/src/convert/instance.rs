//! Instances as two tables: cells and relations.

use super::sheet::Sheet;
use crate::PublishError;
use crate::grid::Kind;
use cellveil_argus::jj;
use cellveil_core::{Problem, Status, units};
use std::fmt::{Display, Write};
use std::path::Path;

pub(super) fn read_jj(path: &Path) -> Result<Problem, PublishError> {
    let text = std::fs::read_to_string(path).map_err(PublishError::io("read", path))?;
    jj::read(&text, 0).map_err(|error| wrong(path, error))
}

pub(super) fn wrong(path: &Path, what: impl Display) -> PublishError {
    PublishError::Unwritable(format!("{}: {what}", path.display()))
}

/// One row per cell. A bound that nobody knows is empty, and so are the levels of cells that ask for nothing.
pub(super) fn cells(problem: &Problem) -> Sheet {
    let decimals = problem.decimals();
    let amount = Kind::Amount(decimals);
    let columns = [
        ("cell", Kind::Whole),
        ("value", amount),
        ("cost", Kind::Real),
        ("status", Kind::Text),
        ("lower", amount),
        ("upper", amount),
        ("down", amount),
        ("up", amount),
        ("sliding", amount),
        ("singleton", Kind::Whole),
    ];
    let show = |units: Option<i64>| {
        units.map_or_else(String::new, |units| units::display(units, decimals).to_string())
    };
    let row = |cell| {
        let need = problem.needs().of(cell);
        let letter = match problem.status(cell) {
            Status::Sensitive => "u",
            Status::Free => "s",
            Status::Frozen => "z",
            Status::Withheld => "m",
        };
        let single = problem.singletons().binary_search(&cell).is_ok();
        vec![
            problem.names().id(cell).to_string(),
            show(Some(problem.value(cell))),
            problem.cost(cell).to_string(),
            letter.to_owned(),
            show(problem.lower(cell)),
            show(problem.upper(cell)),
            show(need.map(|need| need.down)),
            show(need.map(|need| need.up)),
            show(need.map(|need| need.sliding)),
            if single { "1".to_owned() } else { String::new() },
        ]
    };
    Sheet::new(&columns, problem.cells().map(row).collect())
}

/// One row per cell of a relation.
pub(super) fn relations(problem: &Problem) -> Sheet {
    let columns = [
        ("relation", Kind::Whole),
        ("constant", Kind::Amount(problem.decimals())),
        ("cell", Kind::Whole),
        ("coefficient", Kind::Whole),
    ];
    let relations = problem.relations();
    let mut rows = Vec::with_capacity(relations.terms());
    for relation in 0..relations.len() {
        let constant = units::display(relations.constant(relation), problem.decimals());
        for (cell, coefficient) in relations.row(relation) {
            rows.push(vec![
                relation.to_string(),
                constant.to_string(),
                problem.names().id(cell).to_string(),
                coefficient.to_string(),
            ]);
        }
    }
    Sheet::new(&columns, rows)
}

/// The two tables as the text of a JJ file, whose reader then checks them.
pub(super) fn jj_text(cells: &Sheet, relations: &Sheet) -> Result<String, String> {
    let mut text = format!("0\n{}\n", cells.texts().len());
    let names = ["cell", "value", "cost", "status", "lower", "upper", "down", "up", "sliding"];
    let absent = ["", "", "1", "s", "-1e20", "1e20", "0", "0", "0"];
    let places: Vec<usize> =
        names.iter().map(|name| cells.column(name)).collect::<Result<_, _>>()?;
    let singleton = cells.column("singleton").ok();
    let mut singletons = Vec::new();
    for row in cells.texts() {
        let field = |(&at, absent): (&usize, &&'static str)| match row[at].as_str() {
            "" => (*absent).to_owned(),
            field => field.to_owned(),
        };
        let fields: Vec<String> = places.iter().zip(&absent).map(field).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", fields.join(" "));
        if singleton.is_some_and(|at| row[at] == "1") {
            singletons.push(fields[0].clone());
        }
    }
    relation_lines(&mut text, relations)?;
    if !singletons.is_empty() {
        let _ = writeln!(text, "singletons {} : {}", singletons.len(), singletons.join(" "));
    }
    Ok(text)
}

fn relation_lines(text: &mut String, relations: &Sheet) -> Result<(), String> {
    let place = |name: &str| relations.column(name);
    let (relation, constant) = (place("relation")?, place("constant")?);
    let (cell, coefficient) = (place("cell")?, place("coefficient")?);
    let groups: Vec<&[Vec<String>]> =
        relations.texts().chunk_by(|a, b| a[relation] == b[relation]).collect();
    let _ = writeln!(text, "{}", groups.len());
    for group in groups {
        let _ = write!(text, "{} {} :", group[0][constant], group.len());
        for row in group {
            let _ = write!(text, " {} ({})", row[cell], row[coefficient]);
        }
        text.push('\n');
    }
    Ok(())
}
