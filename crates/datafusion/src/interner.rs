//! From the fields of a variable's columns to small numbers, column by column.
//!
//! Whatever type a column has, each distinct value is turned into text once only: dictionaries stay dictionaries, and whole numbers
//! are looked up as numbers.

use crate::columns::codes;
use crate::hasher::QuickMap;
use cellveil_tabulate::Seen;
use datafusion::arrow::array::{Array, ArrayRef, AsArray, StringArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::arrow::error::ArrowError;

/// Whole numbers from 0 up to here are looked up in a list.
const LISTED: usize = 1 << 12;
/// Not looked up yet.
const UNKNOWN: u32 = u32::MAX;

/// The number of every value, as far as it was asked for.
#[derive(Default)]
struct Known {
    listed: Vec<u32>,
    whole: QuickMap<i64, u32>,
    texts: QuickMap<String, u32>,
    missing: Option<u32>,
}

impl Known {
    fn missing(&mut self, number: &mut dyn FnMut(Option<&str>) -> u32) -> u32 {
        *self.missing.get_or_insert_with(|| number(None))
    }

    fn text(&mut self, text: &str, number: &mut dyn FnMut(Option<&str>) -> u32) -> u32 {
        if let Some(&known) = self.texts.get(text) {
            return known;
        }
        let new = number(Some(text));
        self.texts.insert(text.to_owned(), new);
        new
    }

    fn whole(&mut self, value: i64, number: &mut dyn FnMut(Option<&str>) -> u32) -> u32 {
        let place = usize::try_from(value).ok().filter(|&place| place < LISTED);
        if let Some(place) = place {
            self.listed.resize(LISTED, UNKNOWN);
            if self.listed[place] == UNKNOWN {
                self.listed[place] = number(Some(&value.to_string()));
            }
            return self.listed[place];
        }
        *self.whole.entry(value).or_insert_with(|| number(Some(&value.to_string())))
    }

    /// The number of every field of a column.
    fn column(
        &mut self,
        column: &ArrayRef,
        number: &mut dyn FnMut(Option<&str>) -> u32,
        numbers: &mut Vec<u32>,
    ) -> Result<(), ArrowError> {
        numbers.clear();
        match column.data_type() {
            DataType::Dictionary(..) => {
                let dictionary = column.as_any_dictionary();
                let mut of_values = Vec::new();
                self.column(dictionary.values(), number, &mut of_values)?;
                for (row, key) in dictionary.normalized_keys().into_iter().enumerate() {
                    let valid = column.is_valid(row);
                    let known = of_values.get(key).copied().filter(|_| valid);
                    numbers.push(known.unwrap_or_else(|| self.missing(number)));
                }
            }
            kind if kind.is_integer() && *kind != DataType::UInt64 => {
                let wide = cast(column, &DataType::Int64)?;
                for value in wide.as_primitive::<Int64Type>() {
                    numbers.push(match value {
                        Some(value) => self.whole(value, number),
                        None => self.missing(number),
                    });
                }
            }
            DataType::Utf8 => self.texts(column.as_string::<i32>(), number, numbers),
            _ => self.texts(&codes(column)?, number, numbers),
        }
        Ok(())
    }

    fn texts(
        &mut self,
        texts: &StringArray,
        number: &mut dyn FnMut(Option<&str>) -> u32,
        numbers: &mut Vec<u32>,
    ) {
        for text in texts {
            numbers.push(match text {
                Some(text) => self.text(text, number),
                None => self.missing(number),
            });
        }
    }
}

/// The numbers of one variable's values, as one thread has met them.
#[derive(Default)]
pub(crate) struct Interner {
    columns: Vec<Known>,
    /// Where a variable has several columns: the distinct values of each, and the number of each combination.
    seen: Vec<Seen>,
    combined: QuickMap<Vec<u32>, u32>,
}

impl Interner {
    /// The number of every record's values; `number` knows the numbers.
    pub(crate) fn numbers(
        &mut self,
        columns: &[ArrayRef],
        number: &mut dyn FnMut(&[Option<&str>]) -> u32,
        numbers: &mut Vec<u32>,
    ) -> Result<(), ArrowError> {
        self.columns.resize_with(columns.len(), Known::default);
        if let [column] = columns {
            return self.columns[0].column(column, &mut |text| number(&[text]), numbers);
        }
        self.seen.resize_with(columns.len(), Seen::default);
        let mut each = vec![Vec::new(); columns.len()];
        for (at, column) in columns.iter().enumerate() {
            let seen = &mut self.seen[at];
            let mut local = |text: Option<&str>| seen.position(&[text]);
            self.columns[at].column(column, &mut local, &mut each[at])?;
        }
        numbers.clear();
        let mut combination = Vec::new();
        for row in 0..columns.first().map_or(0, Array::len) {
            combination.clear();
            combination.extend(each.iter().map(|numbers| numbers[row]));
            let known = self.combined.get(&combination).copied();
            numbers.push(known.unwrap_or_else(|| {
                let each = self.seen.iter().zip(&combination);
                let values: Vec<Option<&str>> = each.map(|(seen, &at)| seen.value(at)).collect();
                let new = number(&values);
                self.combined.insert(combination.clone(), new);
                new
            }));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use datafusion::arrow::array::{DictionaryArray, Int16Array, StringArray, UInt64Array};
    use datafusion::arrow::datatypes::Int8Type;
    use std::sync::Arc;

    fn numbers(columns: &[Vec<ArrayRef>]) -> Result<(Vec<Vec<u32>>, usize), ArrowError> {
        let (mut interner, mut seen) = (Interner::default(), Seen::default());
        let mut all = Vec::new();
        for columns in columns {
            let mut numbers = Vec::new();
            interner.numbers(columns, &mut |values| seen.position(values), &mut numbers)?;
            all.push(numbers);
        }
        Ok((all, seen.len()))
    }

    #[test]
    fn the_same_code_has_the_same_number_whatever_its_type() -> Result<(), ArrowError> {
        let dictionary: DictionaryArray<Int8Type> =
            vec![Some("9000"), None, Some("7")].into_iter().collect();
        let columns: Vec<Vec<ArrayRef>> = vec![
            vec![Arc::new(Int16Array::from(vec![Some(7), Some(9000), Some(-1), None, Some(7)]))],
            vec![Arc::new(UInt64Array::from(vec![9000, 7]))],
            vec![Arc::new(StringArray::from(vec![Some("7 "), Some(" "), Some("-1")]))],
            vec![Arc::new(dictionary)],
        ];
        let (numbers, distinct) = numbers(&columns)?;
        assert_eq!(numbers, [vec![0, 1, 2, 3, 0], vec![1, 0], vec![0, 3, 2], vec![1, 3, 0]]);
        assert_eq!(distinct, 4);
        Ok(())
    }

    #[test]
    fn combinations_of_columns_have_numbers_of_their_own() -> Result<(), ArrowError> {
        let town: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", "a", "a"]));
        let county: ArrayRef = Arc::new(Int16Array::from(vec![Some(1), Some(1), None, Some(1)]));
        let (numbers, distinct) = numbers(&[vec![town, county]])?;
        assert_eq!((numbers, distinct), (vec![vec![0, 1, 2, 0]], 3));
        Ok(())
    }
}
