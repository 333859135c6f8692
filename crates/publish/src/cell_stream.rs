//! The true table, written while it is made: no more than a row group of it is ever in memory. Confidential.

use crate::columns::NameColumns;
use crate::csv_file::CsvFile;
use crate::grid::{Column, Field, Grid};
use crate::parquet_file::{ParquetFile, ROW_GROUP};
use crate::release_table::SPREADSHEET_ROWS;
use crate::staging::Staging;
use crate::true_table::{Shape, true_columns, write_spreadsheet, write_table};
use crate::{Formats, Manifest, PublishError, single};
use cellveil_core::{CellNames, CodeId, Contribution, Dimension};
use cellveil_tabulate::{Cells, Frame, Gathered, Measure, TabulateError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A true table that was written.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// How many cells it has.
    pub cells: usize,
    /// How many relations there are among them.
    pub relations: usize,
    /// The files, `manifest.json` last if there is one.
    pub files: Vec<PathBuf>,
}

/// Writes the true table as [`write_table`] does, but makes it on the way from its finest cells.
///
/// # Errors
/// [`PublishError`] if the place cannot be written, or a value of the table is too large.
pub fn write_cells(
    gathered: &Gathered,
    path: &Path,
    formats: Formats,
) -> Result<Written, PublishError> {
    let mut size = Size::default();
    let files = match path.extension().and_then(|extension| extension.to_str()) {
        Some("csv") => single::write_file(path, |sink| csv(gathered, sink, &mut size)),
        Some("parquet") => single::write_file(path, |sink| parquet(gathered, sink, &mut size)),
        Some("xlsx") => {
            let table = gathered.table(None).map_err(|error| refused(&error))?;
            size = Size { cells: table.len(), relations: table.relations().len() };
            write_table(&table, path, formats)
        }
        _ => write_folder(gathered, path, formats, &mut size),
    }?;
    Ok(Written { cells: size.cells, relations: size.relations, files })
}

fn write_folder(
    gathered: &Gathered,
    path: &Path,
    formats: Formats,
    size: &mut Size,
) -> Result<Vec<PathBuf>, PublishError> {
    let title = gathered.frame().spec().response.clone().unwrap_or_else(|| "counts".to_owned());
    let mut staging = Staging::open(path, None)?;
    if formats.csv {
        staging.write("table.csv", false, |sink| csv(gathered, sink, size))?;
    }
    if formats.parquet {
        staging.write("table.parquet", false, |sink| parquet(gathered, sink, size))?;
    }
    if formats.xlsx {
        let folder = staging.folder().to_owned();
        let mut counted = Counted { ways: ways(gathered.frame()), size: Size::default() };
        gathered.roll_up(&mut counted).map_err(|error| refused(&error))?;
        *size = counted.size;
        if size.cells <= SPREADSHEET_ROWS {
            let table = gathered.table(None).map_err(|error| refused(&error))?;
            staging.write("table.xlsx", false, |sink| {
                write_spreadsheet(&table, &title, &folder, sink)
            })?;
        }
    }
    staging.commit(Manifest {
        cellveil: env!("CARGO_PKG_VERSION").to_owned(),
        kind: "table".to_owned(),
        title,
        ..Manifest::default()
    })
}

/// A table that cannot be made is a file that cannot be written.
fn refused(error: &TabulateError) -> PublishError {
    PublishError::Unwritable(error.to_string())
}

/// How large a table is.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    cells: usize,
    relations: usize,
}

/// Per dimension, in how many ways others add up to each code.
fn ways(frame: &Frame) -> Vec<Vec<usize>> {
    let ways = |dimension: &Dimension| {
        let hierarchy = &dimension.hierarchy;
        (0..hierarchy.len() as CodeId).map(|code| hierarchy.sums_of(code).len()).collect()
    };
    frame.dimensions().iter().map(ways).collect()
}

impl Size {
    /// Every way of adding up to a code is a relation of every cell with that code.
    fn add(&mut self, cells: &Cells, ways: &[Vec<usize>]) {
        for codes in cells.codes.chunks_exact(ways.len()) {
            self.cells += 1;
            self.relations +=
                ways.iter().zip(codes).map(|(ways, &code)| ways[code as usize]).sum::<usize>();
        }
    }
}

struct Counted {
    ways: Vec<Vec<usize>>,
    size: Size,
}

impl cellveil_tabulate::Sink for Counted {
    fn take(&mut self, cells: Cells) -> Result<(), TabulateError> {
        self.size.add(&cells, &self.ways);
        Ok(())
    }
}

fn csv(gathered: &Gathered, out: &mut (impl Write + Send), size: &mut Size) -> io::Result<()> {
    let names = names(gathered.frame());
    let mut stream = Stream::new(gathered.frame(), &names)?;
    let mut file = CsvFile::new(&stream.columns, out)?;
    *size = stream.run(gathered, &mut |grid, rows| file.write(grid, rows))?;
    file.finish()
}

fn parquet(gathered: &Gathered, out: &mut (impl Write + Send), size: &mut Size) -> io::Result<()> {
    let names = names(gathered.frame());
    let mut stream = Stream::new(gathered.frame(), &names)?;
    let mut file = ParquetFile::new(&stream.columns, out)?;
    *size = stream.run(gathered, &mut |grid, rows| file.write(grid, rows))?;
    file.finish()
}

/// The dimensions alone, without cells.
fn names(frame: &Frame) -> CellNames {
    CellNames::Codes { dimensions: frame.dimensions().to_vec(), keys: Vec::new().into() }
}

/// Cells on their way to a file.
struct Stream<'a> {
    measure: Measure,
    by_holding: bool,
    weighted: bool,
    width: usize,
    names: NameColumns<'a>,
    columns: Vec<Column>,
}

/// Takes the rows of a grid.
type Take<'t> = &'t mut dyn FnMut(&Held<'_>, std::ops::Range<usize>) -> io::Result<()>;

impl<'a> Stream<'a> {
    fn new(frame: &Frame, names: &'a CellNames) -> io::Result<Self> {
        let names = NameColumns::new(names).map_err(io::Error::other)?;
        let (units, spec) = (frame.units(), frame.spec());
        let shape = Shape {
            decimals: units.value,
            contribution_decimals: units.contribution,
            weight_decimals: spec.weight.as_ref().map(|_| units.weight),
            by_holding: spec.holding.is_some(),
            depth: spec.top,
        };
        Ok(Self {
            measure: frame.measure(),
            by_holding: shape.by_holding,
            weighted: shape.weight_decimals.is_some(),
            width: frame.dimensions().len(),
            columns: true_columns(&names, &shape),
            names,
        })
    }

    /// Hands over all cells, a row group at a time. Returns how many there are.
    fn run(&mut self, gathered: &Gathered, take: Take<'_>) -> io::Result<Size> {
        let counted = Counted { ways: ways(gathered.frame()), size: Size::default() };
        let mut writer = Writer { stream: self, held: Cells::default(), counted, take };
        gathered.roll_up(&mut writer).map_err(io::Error::other)?;
        writer.flush(true)?;
        Ok(writer.counted.size)
    }
}

struct Writer<'s, 'a, 't> {
    stream: &'s Stream<'a>,
    held: Cells,
    counted: Counted,
    take: Take<'t>,
}

impl Writer<'_, '_, '_> {
    /// Hands over full row groups, and in the end what is left.
    fn flush(&mut self, all: bool) -> io::Result<()> {
        let held = Held { stream: self.stream, cells: &self.held };
        let rows = held.rows();
        let mut from = 0;
        while rows - from >= ROW_GROUP || (all && from < rows) {
            let to = (from + ROW_GROUP).min(rows);
            (self.take)(&held, from..to)?;
            from = to;
        }
        if from > 0 {
            let (codes, rows) = (from * self.stream.width, from * self.stream.measure.width());
            self.held.codes.drain(..codes);
            self.held.rows.drain(..rows);
            self.held.holdings.drain(..if self.stream.by_holding { from } else { 0 });
        }
        Ok(())
    }
}

impl cellveil_tabulate::Sink for Writer<'_, '_, '_> {
    fn take(&mut self, mut cells: Cells) -> Result<(), TabulateError> {
        self.counted.size.add(&cells, &self.counted.ways);
        self.held.codes.append(&mut cells.codes);
        self.held.rows.append(&mut cells.rows);
        self.held.holdings.append(&mut cells.holdings);
        self.flush(false).map_err(|error| TabulateError::Engine(error.to_string()))
    }
}

/// The cells that wait to be written, as rows.
struct Held<'a> {
    stream: &'a Stream<'a>,
    cells: &'a Cells,
}

impl Grid for Held<'_> {
    fn columns(&self) -> &[Column] {
        &self.stream.columns
    }

    fn rows(&self) -> usize {
        self.cells.codes.len() / self.stream.width
    }

    fn fill<'b>(&'b self, row: usize, fields: &mut Vec<Field<'b>>) {
        let stream = self.stream;
        let measure = stream.measure;
        let codes = &self.cells.codes[row * stream.width..(row + 1) * stream.width];
        let words = &self.cells.rows[row * measure.width()..(row + 1) * measure.width()];
        stream.names.fill_codes(codes, fields);
        fields.push(Field::Amount(measure.value(words)));
        fields.push(Field::Whole(measure.count(words) as i64));
        let holdings = self.cells.holdings.get(row);
        if stream.by_holding {
            fields.push(holdings.map_or(Field::Empty, |h| Field::Whole(h.count as i64)));
        }
        if stream.weighted {
            fields.push(Field::Amount(measure.weight(words)));
        }
        let mut push = |contribution: Option<Contribution>| {
            fields.push(contribution.map_or(Field::Empty, |c| Field::Amount(c.value)));
            if stream.weighted {
                fields.push(contribution.map_or(Field::Empty, |c| Field::Amount(c.weight)));
            }
        };
        let mut top = measure.top(words);
        for nth in 0..measure.depth() {
            push(match holdings {
                Some(holdings) => holdings.top.get(nth).copied(),
                None => top.next(),
            });
        }
    }
}
