//! Grids as Parquet. Amounts without decimals are whole numbers, others the nearest floating-point numbers.

use crate::grid::{Field, Grid, Kind};
use arrow_array::builder::{Float64Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Schema};
use cellveil_core::units;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use std::io::{self, Write};
use std::sync::Arc;

/// Rows held in memory at a time.
const BATCH: usize = 1 << 16;
/// Rows of one row group; a reader holds no more than one.
const ROW_GROUP: usize = 1 << 20;

pub(crate) fn write_parquet(grid: &impl Grid, out: &mut (impl Write + Send)) -> io::Result<()> {
    let fields: Vec<arrow_schema::Field> = grid
        .columns()
        .iter()
        .map(|column| arrow_schema::Field::new(&column.name, data_type(column.kind), true))
        .collect();
    let schema = Arc::new(Schema::new(fields));
    let level = ZstdLevel::try_new(3).map_err(io::Error::other)?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(level))
        .set_max_row_group_row_count(Some(ROW_GROUP))
        .build();
    let mut writer =
        ArrowWriter::try_new(out, schema.clone(), Some(properties)).map_err(io::Error::other)?;
    for from in (0..grid.rows()).step_by(BATCH) {
        let columns = batch_columns(grid, from..(from + BATCH).min(grid.rows()));
        let batch = RecordBatch::try_new(schema.clone(), columns).map_err(io::Error::other)?;
        writer.write(&batch).map_err(io::Error::other)?;
    }
    writer.close().map(|_| ()).map_err(io::Error::other)
}

fn data_type(kind: Kind) -> DataType {
    match kind {
        Kind::Text => DataType::Utf8,
        Kind::Whole | Kind::Amount(0) => DataType::Int64,
        Kind::Amount(_) | Kind::Real => DataType::Float64,
    }
}

enum Builder {
    Text(StringBuilder),
    Whole(Int64Builder),
    /// With the number of decimals to shift amounts by.
    Real(Float64Builder, u8),
}

impl Builder {
    fn new(kind: Kind) -> Self {
        match kind {
            Kind::Text => Self::Text(StringBuilder::new()),
            Kind::Whole | Kind::Amount(0) => Self::Whole(Int64Builder::new()),
            Kind::Amount(decimals) => Self::Real(Float64Builder::new(), decimals),
            Kind::Real => Self::Real(Float64Builder::new(), 0),
        }
    }

    fn push(&mut self, field: &Field<'_>) {
        match (self, field) {
            (Self::Text(builder), Field::Text(text)) => builder.append_value(text),
            (Self::Text(builder), _) => builder.append_null(),
            (Self::Whole(builder), Field::Whole(number) | Field::Amount(number)) => {
                builder.append_value(*number);
            }
            (Self::Whole(builder), _) => builder.append_null(),
            (Self::Real(builder, decimals), Field::Amount(amount)) => {
                builder.append_value(units::to_f64(*amount, *decimals));
            }
            (Self::Real(builder, _), Field::Real(number)) => builder.append_value(*number),
            (Self::Real(builder, _), _) => builder.append_null(),
        }
    }

    fn finish(self) -> ArrayRef {
        match self {
            Self::Text(mut builder) => Arc::new(builder.finish()),
            Self::Whole(mut builder) => Arc::new(builder.finish()),
            Self::Real(mut builder, _) => Arc::new(builder.finish()),
        }
    }
}

fn batch_columns(grid: &impl Grid, rows: std::ops::Range<usize>) -> Vec<ArrayRef> {
    let mut builders: Vec<Builder> =
        grid.columns().iter().map(|column| Builder::new(column.kind)).collect();
    let mut fields = Vec::new();
    for row in rows {
        fields.clear();
        grid.fill(row, &mut fields);
        for (builder, field) in builders.iter_mut().zip(&fields) {
            builder.push(field);
        }
    }
    builders.into_iter().map(Builder::finish).collect()
}
