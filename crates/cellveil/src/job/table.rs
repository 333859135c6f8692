//! What to tabulate: `[records]` or `[finished]`, `[table]` and `[dimension.NAME]`.

use super::Data;
use super::error::{JobError, Text};
use super::sections::{
    DimensionSection, FinishedSection, RecordsSection, RequestSection, Sections, TableSection,
};
use crate::nearest::nearest;
use cellveil_tabulate::{
    DimensionSpec, FinishedSpec, HierarchySpec, RequestSpec, Source, TableSpec,
};
use std::path::{Path, PathBuf};
use toml::Spanned;

/// What these sections say together.
pub(super) struct Described {
    pub(super) title: String,
    pub(super) data: Data,
    /// Further tables from the same records, by name.
    pub(super) further: Vec<(String, TableSpec)>,
    /// The files to be read, as the job names them and where they are.
    pub(super) files: Vec<(String, PathBuf)>,
}

impl Described {
    /// Has every table remember who is alone in a cell, so that one who is alone in cells of several counts as one.
    pub(super) fn keep_owners(&mut self) {
        let first = match &mut self.data {
            Data::Records(_, spec) => Some(spec),
            Data::Finished(..) => None,
        };
        let further = self.further.iter_mut().map(|(_, spec)| spec);
        first.into_iter().chain(further).for_each(|spec| spec.owners = true);
    }
}

pub(super) fn table(place: &Text<'_>, sections: &Sections) -> Result<Described, JobError> {
    let Some(table) = &sections.table else {
        return Err(place
            .whole("there is no `[table]`")
            .hint("say which variables span it: `dimensions = [\"region\", \"activity\"]`"));
    };
    let mut files = Files { base: place.path.parent().unwrap_or(Path::new("")), read: Vec::new() };
    let dimensions = dimensions(place, sections, table, &mut files)?;
    let data = match (&sections.records, &sections.finished) {
        (Some(records), None) => Data::Records(
            source_of(place, records.get_ref(), &mut files)?,
            TableSpec {
                top: sections.rules.as_ref().map_or(0, |rules| rules.get_ref().top_needed()),
                ..table_spec(place, table.get_ref(), dimensions)?
            },
        ),
        (None, Some(finished)) => {
            no_record_columns(place, table.get_ref())?;
            let source = finished_source(place, finished.get_ref(), &mut files)?;
            Data::Finished(source, finished_spec(place, finished.get_ref(), dimensions)?)
        }
        (Some(_), Some(finished)) => {
            let what = "there are both `[records]` and `[finished]`";
            return Err(place.at(finished.span(), what).hint("keep the one to be read"));
        }
        (None, None) => {
            return Err(place
                .whole("there is neither `[records]` nor `[finished]`")
                .hint("name the records: `[records]` and under it `file = \"records.csv\"`"));
        }
    };
    let further = further(place, sections, &data, &mut files)?;
    Ok(Described { title: title(table.get_ref(), &data), data, further, files: files.read })
}

/// Further tables from the same records.
fn further(
    place: &Text<'_>,
    sections: &Sections,
    data: &Data,
    files: &mut Files<'_>,
) -> Result<Vec<(String, TableSpec)>, JobError> {
    let mut further = Vec::new();
    for (name, table) in &sections.tables {
        let plain = |c: char| c.is_alphanumeric() || "-_".contains(c);
        let Data::Records(_, first) = data else {
            let what = "`[tables]` are further tables from records, but the table is finished";
            return Err(place.at(name.span(), what).hint("leave them out, or name `[records]`"));
        };
        if name.get_ref().is_empty() || !name.get_ref().chars().all(plain) {
            let what = format!("`{}` is no name for a table", name.get_ref());
            return Err(place.at(name.span(), what).hint("use letters, digits, `-` and `_`"));
        }
        let dimensions = dimensions(place, sections, table, files)?;
        let spec = table_spec(place, table.get_ref(), dimensions)?;
        further.push((name.get_ref().clone(), TableSpec { top: first.top, ..spec }));
    }
    Ok(further)
}

/// Resolves the names of files, and remembers them.
struct Files<'a> {
    base: &'a Path,
    read: Vec<(String, PathBuf)>,
}

impl Files<'_> {
    fn path(&mut self, name: &str) -> PathBuf {
        let path = self.base.join(name);
        if self.read.iter().all(|(known, _)| known != name) {
            self.read.push((name.to_owned(), path.clone()));
        }
        path
    }
}

fn title(table: &TableSection, data: &Data) -> String {
    let of = match data {
        Data::Records(_, spec) => spec.response.as_deref().unwrap_or("counts"),
        Data::Finished(_, spec) => &spec.value,
    };
    let names: Vec<&str> = data.dimensions().iter().map(|d| d.name.as_str()).collect();
    table.title.clone().unwrap_or_else(|| format!("{of} by {}", names.join(", ")))
}

fn source_of(
    place: &Text<'_>,
    section: &RecordsSection,
    files: &mut Files<'_>,
) -> Result<Source, JobError> {
    let delimiter = delimiter(place, section.delimiter.as_ref())?;
    Ok(Source { path: files.path(&section.file), delimiter })
}

fn finished_source(
    place: &Text<'_>,
    section: &FinishedSection,
    files: &mut Files<'_>,
) -> Result<Source, JobError> {
    let delimiter = delimiter(place, section.delimiter.as_ref())?;
    Ok(Source { path: files.path(&section.file), delimiter })
}

fn delimiter(place: &Text<'_>, written: Option<&Spanned<String>>) -> Result<Option<u8>, JobError> {
    let Some(written) = written else { return Ok(None) };
    match written.get_ref().as_bytes() {
        [byte] if byte.is_ascii() => Ok(Some(*byte)),
        b"tab" => Ok(Some(b'\t')),
        _ => Err(place
            .at(written.span(), format!("`{}` is not a delimiter", written.get_ref()))
            .hint("give one character such as `;`, or `tab`")),
    }
}

fn table_spec(
    place: &Text<'_>,
    section: &TableSection,
    dimensions: Vec<DimensionSpec>,
) -> Result<TableSpec, JobError> {
    let name = |column: &Option<Spanned<String>>| column.as_ref().map(|c| c.get_ref().clone());
    Ok(TableSpec {
        dimensions,
        response: name(&section.response),
        weight: name(&section.weight),
        holding: name(&section.holding),
        request: section.request.as_ref().map(|request| requests(place, request)).transpose()?,
        top: 0,
        owners: false,
    })
}

fn requests(place: &Text<'_>, section: &Spanned<RequestSection>) -> Result<RequestSpec, JobError> {
    let RequestSection { column, codes } = section.get_ref();
    let codes = match codes.as_slice() {
        [first] => [Some(first.clone()), None],
        [first, second] => [Some(first.clone()), Some(second.clone())],
        _ => {
            return Err(place
                .at(section.span(), "`codes` of `request` must be one or two texts")
                .hint(
                    "the first kind of request, then the second, as in `codes = [\"1\", \"2\"]`",
                ));
        }
    };
    Ok(RequestSpec { column: column.clone(), codes })
}

/// A finished table has no records, so columns of records mean nothing.
fn no_record_columns(place: &Text<'_>, section: &TableSection) -> Result<(), JobError> {
    let columns = [
        ("response", &section.response),
        ("weight", &section.weight),
        ("holding", &section.holding),
    ];
    for (key, column) in columns {
        if let Some(column) = column {
            let what = format!("`{key}` is a column of records, but the table is finished");
            return Err(place
                .at(column.span(), what)
                .hint("name the columns of a finished table under `[finished]`"));
        }
    }
    Ok(())
}

fn finished_spec(
    place: &Text<'_>,
    section: &FinishedSection,
    dimensions: Vec<DimensionSpec>,
) -> Result<FinishedSpec, JobError> {
    let tolerance = match &section.tolerance {
        None => 0,
        Some(units) if *units.get_ref() >= 0 => *units.get_ref(),
        Some(units) => return Err(place.at(units.span(), "`tolerance` must be at least 0")),
    };
    Ok(FinishedSpec {
        dimensions,
        value: section.value.clone(),
        respondents: section.respondents.clone(),
        top: section.top.clone(),
        cost: section.cost.clone(),
        status: section.status.clone(),
        tolerance,
    })
}

fn dimensions(
    place: &Text<'_>,
    sections: &Sections,
    table: &Spanned<TableSection>,
    files: &mut Files<'_>,
) -> Result<Vec<DimensionSpec>, JobError> {
    let names = &table.get_ref().dimensions;
    if names.is_empty() {
        return Err(place
            .at(table.span(), "`dimensions` is empty")
            .hint("name at least one variable"));
    }
    for (at, name) in names.iter().enumerate() {
        if names[..at].iter().any(|other| other.get_ref() == name.get_ref()) {
            let what = format!("dimension `{}` is listed twice", name.get_ref());
            return Err(place.at(name.span(), what).hint("list each variable once"));
        }
    }
    let tables = sections.table.iter().chain(sections.tables.values());
    let all: Vec<&str> = tables
        .flat_map(|table| &table.get_ref().dimensions)
        .map(|name| name.get_ref().as_str())
        .collect();
    for name in sections.dimension.keys() {
        if all.iter().all(|known| known != name.get_ref()) {
            let known = nearest(name.get_ref(), all.iter().copied());
            let what = format!("`{}` is no dimension of the table", name.get_ref());
            return Err(place.at(name.span(), what).hint(match known {
                Some(known) => format!("did you mean `{known}`?"),
                None => "list it under `dimensions` of `[table]`".to_owned(),
            }));
        }
    }
    let none = DimensionSection::default();
    let section = |name: &str| {
        let found = sections.dimension.iter().find(|(key, _)| key.get_ref() == name);
        found.map_or(&none, |(_, section)| section)
    };
    names
        .iter()
        .map(|name| dimension(place, name.get_ref(), section(name.get_ref()), files))
        .collect()
}

fn dimension(
    place: &Text<'_>,
    name: &str,
    section: &DimensionSection,
    files: &mut Files<'_>,
) -> Result<DimensionSpec, JobError> {
    let mut hierarchies = Vec::new();
    let listed = section
        .hierarchy
        .iter()
        .flat_map(|list| list.get_ref().names().iter().zip(std::iter::repeat(list)));
    for (file, list) in listed {
        let path = files.path(file);
        let extension = path.extension().and_then(|extension| extension.to_str());
        hierarchies.push(match extension.map(str::to_lowercase).as_deref() {
            Some("hrc") => HierarchySpec::Hrc(path, section.lead.clone()),
            Some("csv" | "txt" | "tsv") => HierarchySpec::ParentChild(path),
            _ => {
                return Err(place
                    .at(list.span(), format!("`{file}` is no known kind of hierarchy"))
                    .hint("name a `.hrc` file, or a `.csv` file of parents and children"));
            }
        });
    }
    if let Some(levels) = &section.levels {
        if levels.get_ref().is_empty() {
            return Err(place
                .at(levels.span(), "`levels` is empty")
                .hint("name columns, finest first"));
        }
        hierarchies.push(HierarchySpec::Levels(levels.get_ref().clone()));
    }
    if let Some(digits) = &section.digits {
        if digits.get_ref().is_empty() || digits.get_ref().contains(&0) {
            let what = "`digits` must be numbers above 0";
            return Err(place.at(digits.span(), what).hint("coarsest level first, as in `[2, 1]`"));
        }
        hierarchies.push(HierarchySpec::Digits(digits.get_ref().clone()));
    }
    Ok(DimensionSpec {
        name: name.to_owned(),
        total: section.total.clone().unwrap_or_else(|| "Total".to_owned()),
        missing: section.missing.clone().unwrap_or_else(|| "(missing)".to_owned()),
        hierarchies,
    })
}
