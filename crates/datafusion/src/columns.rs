//! Codes and amounts from columns of any type.

use cellveil_core::units::Decimal;
use cellveil_tabulate::{AmountFault, amount_of_decimal, amount_of_float, amount_of_text};
use datafusion::arrow::array::{Array, ArrayRef, AsArray, StringArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Decimal128Type, Float32Type, Float64Type, Int64Type};
use datafusion::arrow::error::ArrowError;

/// Whether a column can be read as codes.
pub(crate) fn is_code(kind: &DataType) -> bool {
    use DataType as T;
    match kind {
        T::Dictionary(_, value) => is_code(value),
        T::Boolean
        | T::Date32
        | T::Date64
        | T::Timestamp(..)
        | T::Binary
        | T::LargeBinary
        | T::BinaryView => true,
        _ => is_number(kind),
    }
}

/// Whether a column can be read as numbers; text can, if each field is one.
pub(crate) fn is_number(kind: &DataType) -> bool {
    use DataType as T;
    match kind {
        T::Dictionary(_, value) => is_number(value),
        T::Null | T::Utf8 | T::LargeUtf8 | T::Utf8View => true,
        _ => kind.is_numeric(),
    }
}

/// Codes as text: whole numbers without decimals, dates as `2024-12-31`, `true` and `false`.
pub(crate) fn codes(column: &ArrayRef) -> Result<StringArray, ArrowError> {
    if column.data_type().is_floating() {
        let numbers = cast(column, &DataType::Float64)?;
        let text = |number: f64| (!number.is_nan()).then(|| number.to_string());
        return Ok(numbers
            .as_primitive::<Float64Type>()
            .iter()
            .map(|number| number.and_then(text))
            .collect());
    }
    Ok(cast(column, &DataType::Utf8)?.as_string::<i32>().clone())
}

/// A field that is not an amount.
#[derive(Debug)]
pub(crate) struct BadAmount {
    /// The position in its column.
    pub(crate) row: usize,
    pub(crate) fault: AmountFault,
}

/// Amounts, exactly.
pub(crate) fn amounts(column: &ArrayRef, are_weights: bool) -> Result<Vec<i128>, BadAmount> {
    let amounts = match column.data_type() {
        DataType::UInt64 => decimals(&convert(column, &DataType::Decimal128(20, 0))?, 0),
        kind if kind.is_integer() => {
            let numbers = convert(column, &DataType::Int64)?;
            let read = |n: i64| amount_of_decimal(Decimal { mantissa: i128::from(n), decimals: 0 });
            each(numbers.as_primitive::<Int64Type>().iter(), read)
        }
        DataType::Float64 => each(column.as_primitive::<Float64Type>().iter(), amount_of_float),
        DataType::Float16 | DataType::Float32 => {
            let numbers = convert(column, &DataType::Float32)?;
            // The shortest text of a short number is what was meant; widened, 0.1 would read as 0.10000000149.
            each(numbers.as_primitive::<Float32Type>().iter(), |number| {
                amount_of_text(&number.to_string())
            })
        }
        &DataType::Decimal128(_, scale @ 0..=36) => decimals(column, scale as u8),
        _ => {
            let texts = convert(column, &DataType::Utf8)?;
            each(texts.as_string::<i32>().iter(), amount_of_text)
        }
    }?;
    match amounts.iter().position(|&amount| are_weights && amount < 0) {
        Some(row) => Err(BadAmount { row, fault: AmountFault::NegativeWeight }),
        None => Ok(amounts),
    }
}

fn decimals(column: &ArrayRef, decimals: u8) -> Result<Vec<i128>, BadAmount> {
    let read = |mantissa| amount_of_decimal(Decimal { mantissa, decimals });
    each(column.as_primitive::<Decimal128Type>().iter(), read)
}

fn convert(column: &ArrayRef, kind: &DataType) -> Result<ArrayRef, BadAmount> {
    let unknown =
        |_| BadAmount { row: 0, fault: AmountFault::Text(column.data_type().to_string()) };
    cast(column, kind).map_err(unknown)
}

fn each<T>(
    fields: impl Iterator<Item = Option<T>>,
    read: impl Fn(T) -> Result<i128, AmountFault>,
) -> Result<Vec<i128>, BadAmount> {
    let amount = |(row, field): (usize, Option<T>)| {
        field.ok_or(AmountFault::Missing).and_then(&read).map_err(|fault| BadAmount { row, fault })
    };
    fields.enumerate().map(amount).collect()
}
