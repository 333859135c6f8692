//! Grids as CSV: UTF-8, commas, one header line, amounts with all their decimals.

use crate::grid::{Column, Field, Grid, Kind};
use cellveil_core::units;
use std::io::{self, Write};

pub(crate) fn write_csv(grid: &impl Grid, out: &mut impl Write) -> io::Result<()> {
    let mut file = CsvFile::new(grid.columns(), out)?;
    file.write(grid, 0..grid.rows())?;
    file.finish()
}

/// A file that is written some rows at a time.
pub(crate) struct CsvFile<W: Write> {
    writer: csv::Writer<W>,
}

impl<W: Write> CsvFile<W> {
    pub(crate) fn new(columns: &[Column], out: W) -> io::Result<Self> {
        let mut writer =
            csv::WriterBuilder::new().quote_style(csv::QuoteStyle::Necessary).from_writer(out);
        writer.write_record(columns.iter().map(|column| column.name.as_str()))?;
        Ok(Self { writer })
    }

    pub(crate) fn write(
        &mut self,
        grid: &impl Grid,
        rows: std::ops::Range<usize>,
    ) -> io::Result<()> {
        let (mut fields, mut record) = (Vec::new(), csv::StringRecord::new());
        for row in rows {
            fields.clear();
            grid.fill(row, &mut fields);
            record.clear();
            for (field, column) in fields.iter().zip(grid.columns()) {
                record.push_field(&text_of(field, column));
            }
            self.writer.write_record(&record)?;
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// An entry as text. Nothing is an empty text; infinities are `inf` and `-inf`.
fn text_of<'a>(field: &'a Field<'_>, column: &Column) -> std::borrow::Cow<'a, str> {
    match (field, column.kind) {
        (Field::Empty, _) => "".into(),
        (Field::Text(text), _) => text.as_ref().into(),
        (Field::Amount(amount), Kind::Amount(decimals)) => {
            units::display(*amount, decimals).to_string().into()
        }
        (Field::Whole(number) | Field::Amount(number), _) => number.to_string().into(),
        (Field::Real(number), _) => number.to_string().into(),
    }
}
