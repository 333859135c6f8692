//! Grids as a workbook: typed numbers, a header that stays in view, withheld rows shaded beside their letters, and notes.
//!
//! Texts are always written as texts, so no code can turn into a formula.

use crate::confidentiality::LEGEND;
use crate::grid::{Field, Grid, Kind};
use cellveil_core::units;
use rust_xlsxwriter::{
    Color, DocProperties, ExcelDateTime, Format, FormatPattern, Workbook, Worksheet, XlsxError,
};
use std::io::{self, Write};
use std::path::Path;

/// Writes the workbook; parts of it are kept in `folder` meanwhile.
pub(crate) fn write_xlsx(
    grid: &impl Grid,
    title: &str,
    folder: &Path,
    out: &mut impl Write,
) -> io::Result<()> {
    let bytes = workbook(grid, title, folder).map_err(io::Error::other)?;
    out.write_all(&bytes)
}

fn workbook(grid: &impl Grid, title: &str, folder: &Path) -> Result<Vec<u8>, XlsxError> {
    let mut workbook = Workbook::new();
    // The same table gives the same bytes, so the workbook carries no date of today.
    let epoch = ExcelDateTime::from_ymd(2000, 1, 1)?;
    workbook.set_properties(&DocProperties::new().set_title(title).set_creation_datetime(&epoch));
    workbook.set_tempdir(folder)?;
    let sheet = workbook.add_worksheet_with_constant_memory()?;
    sheet.set_name("Table")?;
    write_rows(grid, sheet)?;
    let marks = (0..grid.rows()).any(|row| grid.is_marked(row));
    let sheet = workbook.add_worksheet();
    sheet.set_name("Notes")?;
    write_notes(title, marks, grid, sheet)?;
    workbook.save_to_buffer()
}

/// The format of a column, plain and shaded.
fn formats(kind: Kind) -> (Format, Format) {
    let plain = match kind {
        Kind::Text => Format::new().set_num_format("@"),
        Kind::Whole | Kind::Amount(0) => Format::new().set_num_format("#,##0"),
        Kind::Amount(decimals) => Format::new()
            .set_num_format(format!("#,##0.{}", "0".repeat(usize::from(decimals.min(15))))),
        Kind::Real => Format::new(),
    };
    let shaded = plain
        .clone()
        .set_pattern(FormatPattern::LightUp)
        .set_background_color(Color::RGB(0x00F2_EFE9))
        .set_foreground_color(Color::RGB(0x00B8_B0A2));
    (plain, shaded)
}

fn write_rows(grid: &impl Grid, sheet: &mut Worksheet) -> Result<(), XlsxError> {
    let header = Format::new().set_bold();
    sheet.set_freeze_panes(1, 0)?;
    let columns: Vec<(u16, Format, Format, u8)> = (0_u16..)
        .zip(grid.columns())
        .map(|(at, column)| {
            let (plain, shaded) = formats(column.kind);
            let decimals = if let Kind::Amount(decimals) = column.kind { decimals } else { 0 };
            (at, plain, shaded, decimals)
        })
        .collect();
    for (at, column) in (0_u16..).zip(grid.columns()) {
        sheet.set_column_width(at, if column.kind == Kind::Text { 16 } else { 14 })?;
    }
    for (at, column) in (0_u16..).zip(grid.columns()) {
        sheet.write_string_with_format(0, at, &column.name, &header)?;
    }
    let mut fields = Vec::new();
    for (line, row) in (1_u32..).zip(0..grid.rows()) {
        fields.clear();
        grid.fill(row, &mut fields);
        for (field, (at, plain, shaded, decimals)) in fields.iter().zip(&columns) {
            let format = if grid.is_marked(row) { shaded } else { plain };
            match field {
                Field::Empty if grid.is_marked(row) => sheet.write_blank(line, *at, format)?,
                Field::Empty => continue,
                Field::Text(text) => sheet.write_string_with_format(line, *at, &**text, format)?,
                Field::Whole(number) => {
                    sheet.write_number_with_format(line, *at, *number as f64, format)?
                }
                Field::Amount(amount) => {
                    let number = units::to_f64(*amount, *decimals);
                    sheet.write_number_with_format(line, *at, number, format)?
                }
                Field::Real(number) => {
                    sheet.write_number_with_format(line, *at, *number, format)?
                }
            };
        }
    }
    Ok(())
}

fn write_notes(
    title: &str,
    marks: bool,
    grid: &impl Grid,
    sheet: &mut Worksheet,
) -> Result<(), XlsxError> {
    let bold = Format::new().set_bold();
    sheet.set_column_width(0, 18)?.set_column_width(1, 10)?.set_column_width(2, 70)?;
    sheet.write_string_with_format(0, 0, title, &bold)?;
    let has_letters = grid.columns().iter().any(|column| column.name == "CONF_STATUS");
    if !has_letters {
        sheet.write_string(1, 0, "Confidential: the true table, before protection.")?;
        return Ok(());
    }
    sheet.write_string(1, 0, if marks {
        "Shaded rows are withheld: they have no value, and their letters in the last two columns say why."
    } else {
        "No cell is withheld."
    })?;
    for (line, (column, letter, meaning)) in (3_u32..).zip(LEGEND) {
        sheet.write_string(line, 0, column)?;
        sheet.write_string(line, 1, letter)?;
        sheet.write_string(line, 2, meaning)?;
    }
    sheet.write_string(13, 0, "An empty level column means: all codes of that level together.")?;
    Ok(())
}
