//! How large a table is, dimension by dimension.

use crate::GenerateError;
use std::fmt;
use std::str::FromStr;

/// One dimension of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// All codes: the total, the aggregates and the leaves. At least 3.
    pub size: u32,
    /// The levels below the total; 1 for a dimension without hierarchy. From 1 to 10.
    pub depth: u8,
}

/// The dimensions of a table, written `100x33x78`; `100h3x33` gives the first dimension a hierarchy of three levels.
///
/// Sizes count margins and aggregates, so the table has as many cells as their product. This is how the sizes of the published
/// tables of this family are given: so read, [`Ons`](crate::Ons) finds as many sensitive cells as they report, within 3 % in
/// most (`100x33x78` 45 475 for 44 617, `21x35x60x6` 45 932 for 44 934); with margins beside the shape it would be 7 and 27 % more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape(pub Vec<Axis>);

impl Shape {
    /// The number of cells.
    ///
    /// # Errors
    /// [`GenerateError::TooLarge`] if there are more than can be numbered.
    pub fn cells(&self) -> Result<usize, GenerateError> {
        let cells =
            self.0.iter().try_fold(1_u64, |cells, axis| cells.checked_mul(u64::from(axis.size)));
        let cells =
            cells.filter(|&cells| cells < u64::from(u32::MAX)).ok_or(GenerateError::TooLarge)?;
        usize::try_from(cells).map_err(|_| GenerateError::TooLarge)
    }
}

impl FromStr for Shape {
    type Err = GenerateError;

    fn from_str(text: &str) -> Result<Self, GenerateError> {
        let axis = |part: &str| {
            let (size, depth) = part.split_once('h').unwrap_or((part, "1"));
            let axis = Axis { size: size.parse().ok()?, depth: depth.parse().ok()? };
            (axis.size >= 3 && (1..=10).contains(&axis.depth)).then_some(axis)
        };
        let axes: Option<Vec<Axis>> = text.split('x').map(axis).collect();
        axes.map(Self).ok_or_else(|| GenerateError::Shape(text.to_owned()))
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, axis) in self.0.iter().enumerate() {
            let cross = if at == 0 { "" } else { "x" };
            write!(f, "{cross}{}", axis.size)?;
            if axis.depth > 1 {
                write!(f, "h{}", axis.depth)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_read_and_written_alike() -> Result<(), GenerateError> {
        for text in ["100x33x78", "100h3x33x78", "10", "21x35x60x6"] {
            assert_eq!(text.parse::<Shape>()?.to_string(), text);
        }
        assert_eq!("100x33x78".parse::<Shape>()?.cells()?, 257_400);
        Ok(())
    }

    #[test]
    fn what_is_not_a_shape_is_refused() {
        for text in ["", "x", "100x", "2x5", "10h0", "10h11x3", "-4", "10.5", "10 x 5"] {
            assert!(matches!(text.parse::<Shape>(), Err(GenerateError::Shape(_))), "{text}");
        }
        let huge = "100000x100000".parse::<Shape>();
        assert!(huge.is_ok_and(|shape| shape.cells().is_err()));
    }
}
