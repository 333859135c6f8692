//! Writing JJ files, also those with a hundred million terms.

use crate::extras;
use cellveil_core::{Problem, Relations, Status, units};
use std::io::{self, Write};

/// Writes an instance; reading it back gives the same problem, but for the codes of cells and the reasons of needs.
///
/// # Errors
/// Whatever the writer reports.
pub fn write(problem: &Problem, out: &mut impl Write) -> io::Result<()> {
    let decimals = problem.decimals();
    let names = problem.names();
    writeln!(out, "0\n{}", problem.len())?;
    for cell in problem.cells() {
        let show = |units| units::display(units, decimals);
        let (value, cost) = (show(problem.value(cell)), problem.cost(cell));
        let letter = match problem.status(cell) {
            Status::Sensitive => 'u',
            Status::Free => 's',
            Status::Frozen => 'z',
            Status::Withheld => 'm',
        };
        write!(out, "{} {value} {cost} {letter} ", names.id(cell))?;
        match problem.lower(cell) {
            Some(bound) => write!(out, "{} ", show(bound))?,
            None => out.write_all(b"-1e20 ")?,
        }
        match problem.upper(cell) {
            Some(bound) => write!(out, "{} ", show(bound))?,
            None => out.write_all(b"1e20 ")?,
        }
        match problem.needs().of(cell) {
            Some(need) => {
                writeln!(out, "{} {} {}", show(need.down), show(need.up), show(need.sliding))?;
            }
            None => out.write_all(b"0 0 0\n")?,
        }
    }
    write_relations(problem.relations(), decimals, &|cell| names.id(cell), out)?;
    extras::write(out, problem)
}

fn write_relations(
    relations: &Relations,
    decimals: u8,
    id: &dyn Fn(cellveil_core::CellId) -> u64,
    out: &mut impl Write,
) -> io::Result<()> {
    writeln!(out, "{}", relations.len())?;
    let mut row = Vec::new();
    for relation in 0..relations.len() {
        let constant = units::display(relations.constant(relation), decimals);
        let terms = relations.row(relation);
        write!(out, "{constant} {} :", terms.len())?;
        row.clear();
        for (cell, coefficient) in terms {
            row.push(b' ');
            push_whole(&mut row, id(cell));
            row.extend_from_slice(if coefficient < 0 { b" (-" } else { b" (" });
            push_whole(&mut row, u64::from(coefficient.unsigned_abs()));
            row.push(b')');
        }
        row.push(b'\n');
        out.write_all(&row)?;
    }
    Ok(())
}

/// The digits of a number. Formatting machinery takes several times as long, and there may be a hundred million.
fn push_whole(text: &mut Vec<u8>, mut number: u64) {
    let from = text.len();
    loop {
        text.push(b'0' + (number % 10) as u8);
        number /= 10;
        if number == 0 {
            break;
        }
    }
    text[from..].reverse();
}

#[cfg(test)]
mod tests {
    use super::push_whole;

    #[test]
    fn numbers_are_written_as_they_are() {
        for number in [0, 7, 10, 12_305, u64::MAX] {
            let mut text = b"x".to_vec();
            push_whole(&mut text, number);
            assert_eq!(text, format!("x{number}").into_bytes());
        }
    }
}
