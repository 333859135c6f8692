//! Records of wages: seven variables and a salary, in any number.

use crate::GenerateError;
use crate::error::check;
use crate::random::{Random, Weighted};
use crate::records::parquet_writer;
use crate::vocabulary::{
    ACTIVITIES, AGES, CATEGORIES, COMPANY_SIZES, CONDITIONS, department_weight, departments,
};
use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use rayon::prelude::*;
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

/// How many records are made at once.
const BATCH: usize = 1 << 16;

/// Wage records with the columns `sexe depr cs ce trage treffen a88 salaire`.
///
/// | column | type | content |
/// |---|---|---|
/// | `sexe` | 64-bit integer | 1 man, 0 woman |
/// | `depr` | integer | department of residence, 100 codes |
/// | `cs` | integer | social category, 24 codes |
/// | `ce` | text | employment condition, 5 codes |
/// | `trage` | integer | age group by its lower end, 11 codes |
/// | `treffen` | 64-bit integer | size class of the company, 15 codes |
/// | `a88` | integer | activity of the company, 88 codes |
/// | `salaire` | integer | yearly wage, log-normal around a level set by the other variables |
///
/// Frequencies are skewed and some variables depend on each other, so that a table of several of them has cells with
/// thousands of respondents beside cells with one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Salaries {
    /// How many records; at least 1.
    pub rows: u64,
    /// How many records a file holds; at least 1.
    pub rows_per_file: u64,
    /// The same seed gives the same records, in any number of threads.
    pub seed: u64,
}

impl Default for Salaries {
    fn default() -> Self {
        Self { rows: 1_300_000, rows_per_file: 1_000_000, seed: 1 }
    }
}

impl Salaries {
    /// The columns.
    pub fn schema() -> SchemaRef {
        let field = |name: &str, kind: DataType| Field::new(name, kind, false);
        Arc::new(Schema::new(vec![
            field("sexe", DataType::Int64),
            field("depr", DataType::Int32),
            field("cs", DataType::Int32),
            field("ce", DataType::Utf8),
            field("trage", DataType::Int32),
            field("treffen", DataType::Int64),
            field("a88", DataType::Int32),
            field("salaire", DataType::Int32),
        ]))
    }

    /// The records of one file, in batches. Every file has its own random numbers.
    pub fn batches(
        &self,
        file: u64,
    ) -> impl Iterator<Item = Result<RecordBatch, GenerateError>> + use<> {
        let from = file.saturating_mul(self.rows_per_file);
        let mut left = self.rows.saturating_sub(from).min(self.rows_per_file);
        let people = People::new();
        let mut random = Random::new(self.seed, file);
        std::iter::from_fn(move || {
            let rows = usize::try_from(left).unwrap_or(usize::MAX).min(BATCH);
            left -= rows as u64;
            (rows > 0).then(|| people.batch(rows, &mut random))
        })
    }

    /// Writes a folder of Parquet files, `part-00000.parquet` and so on.
    ///
    /// # Errors
    /// [`GenerateError`] if a parameter is out of range, the folder holds Parquet files already or a file cannot be written.
    pub fn write_records(&self, folder: &Path) -> Result<(), GenerateError> {
        check(self.rows >= 1, "rows", "at least 1")?;
        check(self.rows_per_file >= 1, "rows_per_file", "at least 1")?;
        fs::create_dir_all(folder).map_err(GenerateError::write(folder))?;
        for entry in fs::read_dir(folder).map_err(GenerateError::write(folder))? {
            let path = entry.map_err(GenerateError::write(folder))?.path();
            if path.extension().is_some_and(|kind| kind == "parquet") {
                return Err(GenerateError::NotEmpty(folder.to_owned()));
            }
        }
        let files = self.rows.div_ceil(self.rows_per_file);
        (0..files).into_par_iter().try_for_each(|file| {
            let path = folder.join(format!("part-{file:05}.parquet"));
            let created = File::create(&path).map_err(GenerateError::write(&path))?;
            let mut writer = parquet_writer(&path, created, Self::schema())?;
            for batch in self.batches(file) {
                writer.write(&batch?).map_err(GenerateError::parquet(&path))?;
            }
            writer.close().map(|_| ()).map_err(GenerateError::parquet(&path))
        })
    }
}

struct Person {
    man: bool,
    department: i32,
    category: i32,
    condition: &'static str,
    age: i32,
    size: i64,
    activity: i32,
    wage: i32,
}

/// The distributions people are drawn from.
struct People {
    departments: Vec<i32>,
    by_department: Weighted,
    by_activity: Weighted,
    /// One per kind of activity.
    by_category: [Weighted; 3],
    by_condition: Weighted,
    by_age: Weighted,
    by_size: Weighted,
}

impl People {
    fn new() -> Self {
        let departments = departments();
        let weights = |weights: Vec<f64>| Weighted::new(&weights);
        Self {
            by_department: weights(departments.iter().map(|&d| department_weight(d)).collect()),
            departments,
            by_activity: weights(ACTIVITIES.iter().map(|a| a.1).collect()),
            by_category: [0, 1, 2]
                .map(|kind| weights(CATEGORIES.iter().map(|c| c.1[kind]).collect())),
            by_condition: weights(CONDITIONS.iter().map(|c| c.1).collect()),
            by_age: weights(AGES.iter().map(|a| a.1).collect()),
            by_size: weights(COMPANY_SIZES.iter().map(|s| s.1).collect()),
        }
    }

    fn batch(&self, rows: usize, random: &mut Random) -> Result<RecordBatch, GenerateError> {
        let people: Vec<Person> = (0..rows).map(|_| self.draw(random)).collect();
        let narrow = |pick: fn(&Person) -> i32| -> ArrayRef {
            Arc::new(Int32Array::from_iter_values(people.iter().map(pick)))
        };
        let wide = |pick: fn(&Person) -> i64| -> ArrayRef {
            Arc::new(Int64Array::from_iter_values(people.iter().map(pick)))
        };
        let columns: Vec<ArrayRef> = vec![
            wide(|person| i64::from(person.man)),
            narrow(|person| person.department),
            narrow(|person| person.category),
            Arc::new(StringArray::from_iter_values(people.iter().map(|person| person.condition))),
            narrow(|person| person.age),
            wide(|person| person.size),
            narrow(|person| person.activity),
            narrow(|person| person.wage),
        ];
        Ok(RecordBatch::try_new(Salaries::schema(), columns)?)
    }

    fn draw(&self, random: &mut Random) -> Person {
        let (activity, _, kind) = ACTIVITIES[self.by_activity.draw(random)];
        let (category, _, category_level) = CATEGORIES[self.by_category[kind].draw(random)];
        let (condition, _, condition_level) = CONDITIONS[self.by_condition.draw(random)];
        let man = random.chance([0.72, 0.52, 0.34][kind]);
        let age = AGES[self.by_age.draw(random)].0;
        let size = COMPANY_SIZES[self.by_size.draw(random)].0;
        let department = self.departments[self.by_department.draw(random)];
        let person_level = 0.011 * f64::from(age.min(55) - 20) + if man { 0.09 } else { 0.0 };
        let level = 9.85 + category_level + condition_level + person_level + 0.003 * size as f64;
        let wage = (level + 0.38 * random.normal()).exp().round().clamp(1.0, 1e8) as i32;
        Person { man, department, category, condition, age, size, activity, wage }
    }
}
