//! Records of random contributors in a file.

use crate::GenerateError;
use crate::tree::Tree;
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How many records are held before they are written.
const BATCH: usize = 1 << 16;

/// Writes records of codes and a value.
pub(crate) struct Writer<'a> {
    path: PathBuf,
    trees: &'a [Tree],
    sink: Sink,
}

enum Sink {
    Csv(BufWriter<File>),
    Parquet {
        writer: Box<ArrowWriter<File>>,
        schema: SchemaRef,
        codes: Vec<Vec<u32>>,
        values: Vec<i64>,
    },
}

impl<'a> Writer<'a> {
    pub(crate) fn create(path: &Path, trees: &'a [Tree]) -> Result<Self, GenerateError> {
        let columns: Vec<String> = (1..=trees.len()).map(|d| format!("d{d}")).collect();
        let create = || File::create(path).map_err(GenerateError::write(path));
        let sink = match path.extension().and_then(|kind| kind.to_str()) {
            Some("csv") => {
                let mut file = BufWriter::new(create()?);
                writeln!(file, "{},value", columns.join(","))
                    .map_err(GenerateError::write(path))?;
                Sink::Csv(file)
            }
            Some("parquet") => {
                let mut fields: Vec<Field> =
                    columns.iter().map(|name| Field::new(name, DataType::Utf8, false)).collect();
                fields.push(Field::new("value", DataType::Int64, false));
                let schema = Arc::new(Schema::new(fields));
                let writer = parquet_writer(path, create()?, schema.clone())?;
                Sink::Parquet {
                    writer: Box::new(writer),
                    schema,
                    codes: vec![Vec::new(); trees.len()],
                    values: Vec::new(),
                }
            }
            _ => return Err(GenerateError::Kind(path.to_owned())),
        };
        Ok(Self { path: path.to_owned(), trees, sink })
    }

    pub(crate) fn write(&mut self, key: &[u32], value: i64) -> Result<(), GenerateError> {
        match &mut self.sink {
            Sink::Csv(file) => {
                let fail = || GenerateError::write(&self.path);
                for (tree, &code) in self.trees.iter().zip(key) {
                    write!(file, "{},", tree.names[code as usize]).map_err(fail())?;
                }
                writeln!(file, "{value}").map_err(fail())
            }
            Sink::Parquet { codes, values, .. } => {
                codes.iter_mut().zip(key).for_each(|(column, &code)| column.push(code));
                values.push(value);
                if values.len() == BATCH { self.flush() } else { Ok(()) }
            }
        }
    }

    pub(crate) fn finish(mut self) -> Result<(), GenerateError> {
        self.flush()?;
        match self.sink {
            Sink::Csv(mut file) => file.flush().map_err(GenerateError::write(&self.path)),
            Sink::Parquet { writer, .. } => {
                writer.close().map(|_| ()).map_err(GenerateError::parquet(&self.path))
            }
        }
    }

    fn flush(&mut self) -> Result<(), GenerateError> {
        let Sink::Parquet { writer, schema, codes, values } = &mut self.sink else { return Ok(()) };
        let mut columns: Vec<ArrayRef> = Vec::new();
        for (column, tree) in codes.iter_mut().zip(self.trees) {
            let names = column.drain(..).map(|code| tree.names[code as usize].as_str());
            columns.push(Arc::new(StringArray::from_iter_values(names)));
        }
        columns.push(Arc::new(Int64Array::from(std::mem::take(values))));
        let batch = RecordBatch::try_new(schema.clone(), columns)?;
        writer.write(&batch).map_err(GenerateError::parquet(&self.path))
    }
}

/// A Parquet file with dictionaries and light compression.
pub(crate) fn parquet_writer(
    path: &Path,
    file: File,
    schema: SchemaRef,
) -> Result<ArrowWriter<File>, GenerateError> {
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    ArrowWriter::try_new(file, schema, Some(properties)).map_err(GenerateError::parquet(path))
}
