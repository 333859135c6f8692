//! Files of τ-ARGUS: records and tables with an `.rda` file beside them, and hierarchies.

use super::lists;
use super::sheet::{Sheet, number_kind};
use crate::PublishError;
use crate::grid::Kind;
use crate::single::write_file;
use cellveil_argus::arb::{Additivity, CostSpec, Rules, Specify};
use cellveil_argus::rda::{Levels, Metadata, Roles, Variable};
use cellveil_argus::{ArgusTable, Fault, Records, read_table, text};
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The metadata of a data file: `x.rda` beside `x.tab`, whatever the case of its ending.
pub(super) fn metadata_of(path: &Path) -> Option<PathBuf> {
    ["rda", "RDA", "Rda"].iter().map(|end| path.with_extension(end)).find(|file| file.is_file())
}

#[expect(clippy::needless_pass_by_value, reason = "errors are mapped by value")]
fn wrong(fault: Fault) -> PublishError {
    PublishError::Unwritable(fault.to_string())
}

/// Records or a finished table, one row a line.
pub(super) fn read(path: &Path, rda: &Path) -> Result<Sheet, PublishError> {
    let (metadata, is_table) = metadata(rda)?;
    let records = Records::read(path).map_err(wrong)?;
    let mut rows = Vec::new();
    let is_number = |variable: &Variable| is_number(&variable.roles);
    records
        .each(&metadata, |fields| {
            let field = |(at, variable): (usize, &Variable)| {
                if is_number(variable) {
                    let number = fields.number(variable, at).trim();
                    let comma = if is_table { number.replace(',', ".") } else { number.to_owned() };
                    if matches!(comma.as_str(), "-" | ".") { String::new() } else { comma }
                } else {
                    fields.code(variable, at).into_owned()
                }
            };
            rows.push(metadata.variables.iter().enumerate().map(field).collect::<Vec<String>>());
            Ok(())
        })
        .map_err(wrong)?;
    let names = names(&metadata, is_table);
    let kind = |(at, variable): (usize, &Variable)| {
        if is_number(variable) {
            number_kind(rows.iter().map(|row| row[at].as_str()))
        } else {
            Kind::Text
        }
    };
    let kinds: Vec<Kind> = metadata.variables.iter().enumerate().map(kind).collect();
    let columns: Vec<(&str, Kind)> = names.iter().map(String::as_str).zip(kinds).collect();
    Ok(Sheet::new(&columns, rows))
}

fn is_number(roles: &Roles) -> bool {
    roles.numeric
        || roles.weight
        || roles.shadow
        || roles.cost
        || roles.lower
        || roles.upper
        || roles.frequency
        || roles.top
}

/// Columns of a table under the names that cellveil gives them; those of records as they are.
fn names(metadata: &Metadata, is_table: bool) -> Vec<String> {
    let mut tops = 0;
    let mut responses = 0;
    let name = |variable: &Variable| {
        let roles = &variable.roles;
        if !is_table || roles.explanatory {
            return variable.name.clone();
        }
        if roles.top {
            tops += 1;
            return format!("top_{tops}");
        }
        if roles.numeric {
            responses += 1;
            return if responses == 1 { "value".to_owned() } else { variable.name.clone() };
        }
        let known = [
            (roles.frequency, "respondents"),
            (roles.shadow, "shadow"),
            (roles.cost, "cost"),
            (roles.status, "status"),
            (roles.lower, "down"),
            (roles.upper, "up"),
        ];
        let known = known.iter().find(|(is, _)| *is).map(|(_, name)| (*name).to_owned());
        known.unwrap_or_else(|| variable.name.clone())
    };
    metadata.variables.iter().map(name).collect()
}

/// The table itself, with the statuses of its file.
pub(super) fn table(path: &Path, rda: &Path) -> Result<ArgusTable, PublishError> {
    let metadata = Metadata::of_table(rda, &text::read(rda).map_err(wrong)?).map_err(wrong)?;
    let named = |is: fn(&Roles) -> bool| {
        metadata.variables.iter().filter(move |v| is(&v.roles)).map(|v| v.name.clone())
    };
    let specify = Specify {
        explanatory: named(|roles| roles.explanatory).collect(),
        response: named(|roles| roles.numeric).next(),
        shadow: None,
        cost: CostSpec::Default,
        lambda: 1.0,
    };
    let resolve = |name: &str| beside(path, name);
    read_table(
        &[path.to_owned()],
        &metadata,
        &specify,
        &Rules::default(),
        Additivity::Required,
        &resolve,
    )
    .map_err(wrong)
}

/// A file that metadata name, which may come from another machine: by its base name beside the data, whatever its case.
fn beside(path: &Path, name: &str) -> PathBuf {
    let folder = path.parent().unwrap_or(Path::new(""));
    let base = name.rsplit(['/', '\\', ':']).next().unwrap_or(name);
    let listed = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut files: Vec<PathBuf> = std::fs::read_dir(listed)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|file| {
            file.file_name().is_some_and(|name| name.to_string_lossy().eq_ignore_ascii_case(base))
        })
        .collect();
    files.sort();
    let exact = folder.join(name);
    if exact.is_file() { exact } else { files.into_iter().next().unwrap_or(exact) }
}

/// The hierarchies of data, each with its variable, as pairs of parent and child.
pub(super) fn hierarchies(path: &Path, rda: &Path) -> Result<Vec<(String, Sheet)>, PublishError> {
    let mut found = Vec::new();
    for variable in metadata(rda)?.0.variables {
        if let (Levels::File, Some(name)) = (&variable.levels, &variable.hierarchy_file) {
            let file = beside(path, name);
            let sheet = lists::hierarchy(&file, Some(&variable.lead), variable.total())?;
            found.push((variable.name, sheet));
        }
    }
    Ok(found)
}

/// Metadata, and whether they are those of a finished table.
fn metadata(rda: &Path) -> Result<(Metadata, bool), PublishError> {
    let text = text::read(rda).map_err(wrong)?;
    Ok(match Metadata::of_records(rda, &text) {
        Ok(metadata) => (metadata, false),
        Err(_) => (Metadata::of_table(rda, &text).map_err(wrong)?, true),
    })
}

/// Columns that are no variable of a table, with what they are for.
fn keyword(name: &str) -> Option<&'static str> {
    Some(match name {
        "value" => "<NUMERIC>",
        "respondents" => "<FREQUENCY>",
        "shadow" => "<NUMERIC> <SHADOW>",
        "cost" => "<NUMERIC> <COSTVAR>",
        "status" => "<STATUS>",
        "down" => "<NUMERIC> <LOWERPL>",
        "up" => "<NUMERIC> <UPPERPL>",
        _ if name.starts_with("top_") => "<MAXSCORE>",
        _ => return None,
    })
}

/// Columns that a table of τ-ARGUS does not have.
const LEFT_OUT: [&str; 5] = ["CONF_STATUS", "cell", "holdings", "weighted_count", "singleton"];

/// Writes a table of cellveil as a `.tab` file with its metadata. The first row holds the codes of totals.
pub(super) fn write_tab(
    sheet: &Sheet,
    hierarchies: &[(String, String)],
    path: &Path,
) -> Result<Vec<PathBuf>, PublishError> {
    let names = sheet.names();
    let kept: Vec<usize> = (0..names.len())
        .filter(|&at| !LEFT_OUT.contains(&names[at]) && !names[at].ends_with("_weight"))
        .collect();
    if !names.contains(&"value") {
        let what = "there is no column `value`; name the column of values so".to_owned();
        return Err(PublishError::Unwritable(what));
    }
    let mut metadata = "<SEPARATOR> \";\"\n<SAFE> V\n<UNSAFE> P\n<PROTECT> Z\n".to_owned();
    let letters = |at: usize, wanted: &[&str]| {
        sheet.texts().iter().any(|row| wanted.iter().any(|w| row[at].eq_ignore_ascii_case(w)))
    };
    if let Some(at) = names.iter().position(|name| *name == "status")
        && letters(at, &["s", "u", "m"])
        && !letters(at, &["v"])
    {
        "<SEPARATOR> \";\"\n<SAFE> S\n<UNSAFE> U\n<PROTECT> P\n".clone_into(&mut metadata);
    }
    for &at in &kept {
        // Writing to a string cannot fail.
        let _ = if let Some(keyword) = keyword(names[at]) {
            writeln!(metadata, "{}\n  {keyword}", names[at])
        } else {
            let total = sheet.texts().first().map_or("Total", |row| row[at].as_str());
            writeln!(metadata, "{}\n  <RECODEABLE>\n  <TOTCODE> \"{total}\"", names[at])
        };
        if hierarchies.iter().any(|(name, _)| name == names[at]) {
            let file = hierarchy_file(path, names[at]);
            let file = file.file_name().unwrap_or_default().to_string_lossy();
            let _ = writeln!(
                metadata,
                "  <HIERARCHICAL>\n  <HIERCODELIST> \"{file}\"\n  <HIERLEADSTRING> \"@\""
            );
        }
    }
    let mut files = write_file(path, |sink| {
        for row in sheet.texts() {
            let fields: Vec<String> = kept
                .iter()
                .map(|&at| match keyword(names[at]) {
                    // A secondary is `s` in tables of cellveil and `M` in those of τ-ARGUS.
                    Some("<STATUS>") if metadata.contains("<SAFE> V") && row[at] == "s" => {
                        "M".to_owned()
                    }
                    Some(_) => row[at].clone(),
                    None => format!("\"{}\"", row[at].replace('"', "'")),
                })
                .collect();
            writeln!(sink, "{}", fields.join(";"))?;
        }
        Ok(())
    })?;
    files.extend(write_file(&path.with_extension("rda"), |sink| {
        sink.write_all(metadata.as_bytes())
    })?);
    for (name, text) in hierarchies {
        let file = hierarchy_file(path, name);
        files.extend(write_file(&file, |sink| sink.write_all(text.as_bytes()))?);
    }
    Ok(files)
}

/// `x_region.hrc` for the variable `region` of `x.tab`.
fn hierarchy_file(path: &Path, name: &str) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}_{name}.hrc"))
}
