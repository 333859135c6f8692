//! All cells in order, as a list of them names them.

use crate::columns::NameColumns;
use crate::grid::Field;
use cellveil_tabulate::{Cells, Gathered, Sink, TabulateError};

/// Makes all cells and hands each to `look`: the fields that name it, and its value. `look` fails with the name of the list that does not show it.
pub(super) fn walk(
    gathered: &Gathered,
    names: &NameColumns<'_>,
    look: impl FnMut(&[Field<'_>], i64) -> Result<(), &'static str>,
) -> Result<(), String> {
    let mut walk = Walk { gathered, names, look, at: 0 };
    gathered.roll_up(&mut walk).map_err(|error| error.to_string())
}

struct Walk<'a, L> {
    gathered: &'a Gathered,
    names: &'a NameColumns<'a>,
    look: L,
    at: usize,
}

impl<L: FnMut(&[Field<'_>], i64) -> Result<(), &'static str>> Sink for Walk<'_, L> {
    fn take(&mut self, cells: Cells) -> Result<(), TabulateError> {
        let frame = self.gathered.frame();
        let measure = frame.measure();
        let rows = cells.rows.chunks_exact(measure.width());
        let mut fields = Vec::new();
        for (codes, row) in cells.codes.chunks_exact(frame.dimensions().len()).zip(rows) {
            fields.clear();
            self.names.fill_codes(codes, &mut fields);
            let at = self.at;
            let wrong = |list| {
                TabulateError::Engine(format!("`{list}` does not show the cell of row {at}"))
            };
            (self.look)(&fields, measure.value(row)).map_err(wrong)?;
            self.at += 1;
        }
        Ok(())
    }
}
