//! Which files there are to read, and what they look like.

use crate::columns::{is_code, is_number};
use crate::csv_file;
use cellveil_tabulate::{Place, Source, TabulateError, text};
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The files of a source, in the order of their names.
pub(crate) struct Files {
    /// What the user named.
    pub(crate) root: PathBuf,
    pub(crate) inputs: Vec<Input>,
    /// Copies in another encoding; removed when this is dropped.
    _copies: TempDir,
}

/// One file.
pub(crate) struct Input {
    /// As the user knows it.
    pub(crate) path: PathBuf,
    /// As it is read: the same, or a copy in UTF-8.
    pub(crate) read: PathBuf,
    pub(crate) kind: Kind,
    /// The number of the last line, if it is text that no line break ends.
    pub(crate) open: Option<u64>,
}

/// How a file is read.
#[derive(Clone, PartialEq)]
pub(crate) enum Kind {
    Csv {
        delimiter: u8,
        header: Vec<String>,
        /// Whether a line break may stand within a field.
        multiline: bool,
    },
    Parquet {
        schema: SchemaRef,
    },
}

impl Files {
    pub(crate) fn open(source: &Source) -> Result<Self, TabulateError> {
        let copies = TempDir::new().map_err(|why| unreadable(&std::env::temp_dir(), &why))?;
        let status =
            std::fs::metadata(&source.path).map_err(|why| unreadable(&source.path, &why))?;
        let paths =
            if status.is_dir() { in_folder(&source.path)? } else { vec![source.path.clone()] };
        let mut inputs = Vec::new();
        for path in paths {
            inputs.push(if is_parquet(&path)? {
                let kind = Kind::Parquet { schema: parquet(&path)?.schema().clone() };
                Input { read: path.clone(), path, kind, open: None }
            } else {
                let copy = copies.path().join(format!("{}.csv", inputs.len()));
                csv_file::inspect(&path, source.delimiter, copy)?
            });
        }
        check_ends(&inputs)?;
        Ok(Self { root: source.path.clone(), inputs, _copies: copies })
    }

    /// Refuses columns that hold numbers in one file and something else in another.
    pub(crate) fn check_same_types(&self, columns: &[String]) -> Result<(), TabulateError> {
        let kinds = |input: &Input, column: &str| match &input.kind {
            Kind::Parquet { schema } => {
                input.position(column).ok().map(|at| schema.field(at).data_type().clone())
            }
            Kind::Csv { .. } => None,
        };
        for (column, input) in columns.iter().flat_map(|c| self.inputs.iter().map(move |i| (c, i)))
        {
            let first = &self.inputs[0];
            let (Some(before), Some(kind)) = (kinds(first, column), kinds(input, column)) else {
                continue;
            };
            if family(&before) != family(&kind) {
                return Err(TabulateError::TypeChanges {
                    place: Place::Row(input.path.clone(), 1),
                    column: column.clone(),
                    kinds: Box::new([before.to_string(), kind.to_string()]),
                    file: first.path.clone(),
                });
            }
        }
        Ok(())
    }
}

/// Refuses a file whose last line has no end where all others have one: its last number may be cut off, and look like another.
fn check_ends(inputs: &[Input]) -> Result<(), TabulateError> {
    let mut open = inputs.iter().filter_map(|input| Some((input, input.open?)));
    match (open.next(), open.next()) {
        (Some((input, line)), None) if inputs.len() > 1 => Err(TabulateError::Malformed {
            place: Place::Line(input.path.clone(), line),
            why: "is the last line and has no line break, unlike in the other files, so that it may be cut off; write the file again, or end the line if it is complete".to_owned(),
        }),
        _ => Ok(()),
    }
}

impl Input {
    /// The position of a column.
    pub(crate) fn position(&self, column: &str) -> Result<usize, TabulateError> {
        let names: Vec<&str> = match &self.kind {
            Kind::Csv { header, .. } => header.iter().map(String::as_str).collect(),
            Kind::Parquet { schema } => {
                schema.fields().iter().map(|field| &field.name()[..]).collect()
            }
        };
        let mut hits =
            names.iter().enumerate().filter(|(_, name)| **name == column).map(|(at, _)| at);
        match (hits.next(), hits.next()) {
            (Some(at), None) => Ok(at),
            (Some(_), Some(_)) => Err(TabulateError::Malformed {
                place: Place::File(self.path.clone()),
                why: format!("has two columns `{column}`; rename one"),
            }),
            (None, _) => Err(self.unknown_column(column, &names)),
        }
    }

    fn unknown_column(&self, column: &str, names: &[&str]) -> TabulateError {
        if let (Kind::Csv { delimiter, .. }, [only]) = (&self.kind, names)
            && text::DELIMITERS
                .iter()
                .any(|&other| other != *delimiter && only.contains(char::from(other)))
        {
            let why = "the header is a single field; name the character that stands between fields";
            return TabulateError::Malformed {
                place: Place::Line(self.path.clone(), 1),
                why: why.to_owned(),
            };
        }
        let nearest = text::nearest(column, names.iter().copied()).map(str::to_owned);
        TabulateError::UnknownColumn { file: self.path.clone(), column: column.to_owned(), nearest }
    }

    /// Refuses a column that cannot be read as codes, or as numbers.
    pub(crate) fn check_type(&self, column: &str, number: bool) -> Result<(), TabulateError> {
        let at = self.position(column)?;
        let Kind::Parquet { schema } = &self.kind else { return Ok(()) };
        let kind: &DataType = schema.field(at).data_type();
        if if number { is_number(kind) } else { is_code(kind) } {
            return Ok(());
        }
        Err(TabulateError::ColumnType {
            file: self.path.clone(),
            column: column.to_owned(),
            kind: kind.to_string(),
            wanted: if number { "added up" } else { "a code" },
        })
    }
}

/// Types that read alike.
fn family(kind: &DataType) -> &'static str {
    match kind {
        DataType::Dictionary(_, value) => family(value),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "text",
        kind if kind.is_numeric() => "number",
        _ => "other",
    }
}

pub(crate) fn unreadable(file: &Path, why: &std::io::Error) -> TabulateError {
    TabulateError::Unreadable { file: file.to_owned(), why: why.to_string() }
}

pub(crate) fn parquet(path: &Path) -> Result<ParquetRecordBatchReaderBuilder<File>, TabulateError> {
    let file = File::open(path).map_err(|why| unreadable(path, &why))?;
    let corrupt = |why: parquet::errors::ParquetError| TabulateError::Corrupt {
        file: path.to_owned(),
        why: why.to_string(),
    };
    ParquetRecordBatchReaderBuilder::try_new(file).map_err(corrupt)
}

/// The files of a folder that hold records, by name. Hidden files and those that engines leave as marks do not count.
fn in_folder(folder: &Path) -> Result<Vec<PathBuf>, TabulateError> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|why| unreadable(folder, &why))? {
        let path = entry.map_err(|why| unreadable(folder, &why))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let known = ["csv", "tsv", "txt", "parquet", "pq"];
        if path.is_file() && !name.starts_with(['.', '_']) && known.contains(&&extension(&path)[..])
        {
            files.push(path);
        }
    }
    files.sort();
    let refused = |why| Err(TabulateError::Folder { folder: folder.to_owned(), why });
    match files.iter().filter(|path| has_parquet_name(path)).count() {
        _ if files.is_empty() => refused("holds no CSV or Parquet file; name a folder that does"),
        0 => Ok(files),
        all if all == files.len() => Ok(files),
        _ => refused("holds both CSV and Parquet files; keep files of one kind in it"),
    }
}

fn extension(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

fn has_parquet_name(path: &Path) -> bool {
    matches!(&extension(path)[..], "parquet" | "pq")
}

/// By its name, or else by its first bytes.
fn is_parquet(path: &Path) -> Result<bool, TabulateError> {
    let mut start = Vec::new();
    let file = File::open(path).map_err(|why| unreadable(path, &why))?;
    file.take(4).read_to_end(&mut start).map_err(|why| unreadable(path, &why))?;
    if start.is_empty() {
        return Err(TabulateError::Empty(path.to_owned()));
    }
    Ok(has_parquet_name(path) || start == b"PAR1")
}
