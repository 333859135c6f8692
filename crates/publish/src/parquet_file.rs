//! Grids as Parquet. Amounts without decimals are whole numbers, others the nearest floating-point numbers.

use crate::grid::{Column, Field, Grid, Kind};
use arrow_array::ArrayRef;
use arrow_array::builder::{Float64Builder, Int64Builder, StringBuilder};
use arrow_schema::{DataType, Schema};
use cellveil_core::units;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::{
    ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves,
};
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use rayon::prelude::*;
use std::io::{self, Write};
use std::sync::Arc;

/// Rows that one thread turns into columns at a time.
const BATCH: usize = 1 << 16;
/// Rows of one row group; neither the writer nor a reader holds more than one.
pub(crate) const ROW_GROUP: usize = 1 << 20;

pub(crate) fn write_parquet(grid: &impl Grid, out: &mut (impl Write + Send)) -> io::Result<()> {
    let mut file = ParquetFile::new(grid.columns(), out)?;
    for from in (0..grid.rows()).step_by(ROW_GROUP) {
        file.write(grid, from..(from + ROW_GROUP).min(grid.rows()))?;
    }
    file.finish()
}

/// A file that is written one row group at a time, on all threads.
pub(crate) struct ParquetFile<W: Write + Send> {
    schema: Arc<Schema>,
    writer: SerializedFileWriter<W>,
    groups: ArrowRowGroupWriterFactory,
    written: usize,
}

impl<W: Write + Send> ParquetFile<W> {
    pub(crate) fn new(columns: &[Column], out: W) -> io::Result<Self> {
        let field =
            |column: &Column| arrow_schema::Field::new(&column.name, data_type(column.kind), true);
        let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
        let level = ZstdLevel::try_new(3).map_err(io::Error::other)?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(level))
            .set_max_row_group_row_count(Some(ROW_GROUP))
            .build();
        let writer = ArrowWriter::try_new(out, schema.clone(), Some(properties))
            .and_then(ArrowWriter::into_serialized_writer);
        let (writer, groups) = writer.map_err(io::Error::other)?;
        Ok(Self { schema, writer, groups, written: 0 })
    }

    /// Writes some rows as one row group.
    pub(crate) fn write(
        &mut self,
        grid: &impl Grid,
        rows: std::ops::Range<usize>,
    ) -> io::Result<()> {
        let starts: Vec<usize> = rows.clone().step_by(BATCH).collect();
        let batches: Vec<Vec<ArrayRef>> = starts
            .into_par_iter()
            .map(|from| batch_columns(grid, from..(from + BATCH).min(rows.end)))
            .collect();
        let writers = self.groups.create_column_writers(self.written).map_err(io::Error::other)?;
        self.written += 1;
        let encode = |(at, mut writer): (usize, ArrowColumnWriter)| {
            for batch in &batches {
                for leaf in compute_leaves(self.schema.field(at), &batch[at])? {
                    writer.write(&leaf)?;
                }
            }
            writer.close()
        };
        let chunks: Result<Vec<ArrowColumnChunk>, ParquetError> =
            writers.into_par_iter().enumerate().map(encode).collect();
        chunks.and_then(|chunks| self.append(chunks)).map_err(io::Error::other)
    }

    fn append(&mut self, chunks: Vec<ArrowColumnChunk>) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        for chunk in chunks {
            chunk.append_to_row_group(&mut group)?;
        }
        group.close().map(|_| ())
    }

    pub(crate) fn finish(self) -> io::Result<()> {
        self.writer.close().map(|_| ()).map_err(io::Error::other)
    }
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
