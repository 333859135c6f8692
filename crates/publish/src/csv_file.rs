//! Grids as CSV: UTF-8, commas, one header line, amounts with all their decimals.

use crate::grid::{Column, Field, Grid, Kind};
use cellveil_core::units;
use std::io::{self, Write};

pub(crate) fn write_csv(grid: &impl Grid, out: &mut impl Write) -> io::Result<()> {
    let mut writer =
        csv::WriterBuilder::new().quote_style(csv::QuoteStyle::Necessary).from_writer(out);
    writer.write_record(grid.columns().iter().map(|column| column.name.as_str()))?;
    let (mut fields, mut record) = (Vec::new(), csv::StringRecord::new());
    for row in 0..grid.rows() {
        fields.clear();
        grid.fill(row, &mut fields);
        record.clear();
        for (field, column) in fields.iter().zip(grid.columns()) {
            record.push_field(&text_of(field, column));
        }
        writer.write_record(&record)?;
    }
    writer.flush()
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
