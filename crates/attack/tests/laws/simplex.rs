//! Intervals by an exact simplex method, for small systems with amounts of any size.
//!
//! Fractions of whole numbers and the first eligible column and row, so that there is no tolerance and no cycle. It shares no
//! code with the attack.

use cellveil_core::{CellId, Pattern, Problem, Side};
use std::cmp::Ordering;

/// A fraction in lowest terms with a positive denominator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fraction(i128, i128);

impl Fraction {
    const ZERO: Self = Self(0, 1);
    const ONE: Self = Self(1, 1);

    fn new(numerator: i128, denominator: i128) -> Self {
        let (mut a, mut b) = (numerator.abs(), denominator.abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let common = a.max(1) * denominator.signum();
        Self(numerator / common, denominator / common)
    }

    fn whole(number: i128) -> Self {
        Self(number, 1)
    }

    fn times(self, other: Self) -> Self {
        Self::new(self.0 * other.0, self.1 * other.1)
    }

    fn over(self, other: Self) -> Self {
        Self::new(self.0 * other.1, self.1 * other.0)
    }

    fn minus(self, other: Self) -> Self {
        Self::new(self.0 * other.1 - other.0 * self.1, self.1 * other.1)
    }

    fn cmp(self, other: Self) -> Ordering {
        (self.0 * other.1).cmp(&(other.0 * self.1))
    }

    pub(crate) fn to_f64(self) -> f64 {
        self.0 as f64 / self.1 as f64
    }
}

/// `rows · x = right`, `x ≥ 0`, with a basis; the last row is the objective.
struct Tableau {
    rows: Vec<Vec<Fraction>>,
    basis: Vec<usize>,
    columns: usize,
}

impl Tableau {
    fn pivot(&mut self, row: usize, column: usize) {
        let by = self.rows[row][column];
        for entry in &mut self.rows[row] {
            *entry = entry.over(by);
        }
        let pivot = self.rows[row].clone();
        for (at, other) in self.rows.iter_mut().enumerate() {
            let factor = other[column];
            if at != row && factor != Fraction::ZERO {
                for (entry, &p) in other.iter_mut().zip(&pivot).filter(|(_, p)| p.0 != 0) {
                    *entry = entry.minus(factor.times(p));
                }
            }
        }
        self.basis[row] = column;
    }

    /// Minimises the objective row over the first `columns` columns; false if nothing limits it.
    fn minimise(&mut self, columns: usize) -> bool {
        let objective = self.rows.len() - 1;
        while let Some(column) = (0..columns).find(|&c| self.rows[objective][c].0 < 0) {
            let ratio = |row: usize| self.rows[row][self.columns].over(self.rows[row][column]);
            let leaving = (0..objective)
                .filter(|&row| self.rows[row][column].0 > 0)
                .min_by(|&a, &b| ratio(a).cmp(ratio(b)).then(self.basis[a].cmp(&self.basis[b])));
            let Some(row) = leaving else { return false };
            self.pivot(row, column);
        }
        true
    }
}

/// The unknowns of a system, each with a lower bound, and its relations.
pub(crate) struct Exact<'a> {
    problem: &'a Problem,
    cells: Vec<CellId>,
    rows: Vec<Vec<Fraction>>,
    basis: Vec<usize>,
}

impl<'a> Exact<'a> {
    /// Finds a first table. Cells must have a lower bound and no upper one.
    pub(crate) fn new(problem: &'a Problem, pattern: &Pattern, known: &[CellId]) -> Self {
        let cells: Vec<CellId> =
            pattern.withheld().map(|(cell, _)| cell).filter(|cell| !known.contains(cell)).collect();
        assert!(cells.iter().all(|&c| problem.lower(c).is_some() && problem.upper(c).is_none()));
        let room = |cell: CellId| i128::from(problem.value(cell) - problem.lower(cell).unwrap());
        let mut rows: Vec<Vec<Fraction>> = Vec::new();
        let width = cells.len();
        for relation in 0..problem.relations().len() {
            let mut row = vec![Fraction::ZERO; width];
            let mut right = 0;
            for (cell, c) in problem.relations().row(relation) {
                if let Ok(at) = cells.binary_search(&cell) {
                    row[at] = Fraction::whole(c.into());
                    right += i128::from(c) * room(cell);
                }
            }
            if row.iter().any(|entry| *entry != Fraction::ZERO) {
                let sign = if right < 0 { -1 } else { 1 };
                for entry in &mut row {
                    *entry = entry.times(Fraction::whole(sign));
                }
                row.push(Fraction::whole(right * sign));
                rows.push(row);
            }
        }
        let (rows, basis) = first_table(rows, width);
        Self { problem, cells, rows, basis }
    }

    /// The end of a cell's interval; `None` if there is none.
    pub(crate) fn end(&self, cell: CellId, side: Side) -> Option<Fraction> {
        let Ok(at) = self.cells.binary_search(&cell) else {
            return Some(Fraction::whole(self.problem.value(cell).into()));
        };
        let width = self.cells.len();
        let mut objective = vec![Fraction::ZERO; width + 1];
        objective[at] = Fraction::whole(-i128::from(side.sign()));
        let mut tableau =
            Tableau { rows: self.rows.clone(), basis: self.basis.clone(), columns: width };
        if let Some(row) = tableau.basis.iter().position(|&column| column == at) {
            let factor = objective[at];
            for (entry, &p) in objective.iter_mut().zip(&tableau.rows[row]) {
                *entry = entry.minus(factor.times(p));
            }
        }
        tableau.rows.push(objective);
        tableau.minimise(width).then(|| {
            let at = tableau.basis.iter().position(|&column| column == at);
            let moved = at.map_or(Fraction::ZERO, |row| tableau.rows[row][width]);
            moved.minus(Fraction::whole(-i128::from(self.problem.lower(cell).unwrap())))
        })
    }
}

/// Phase one: rows with a basis among the unknowns, redundant rows dropped.
fn first_table(rows: Vec<Vec<Fraction>>, width: usize) -> (Vec<Vec<Fraction>>, Vec<usize>) {
    let count = rows.len();
    let columns = width + count;
    let mut objective = vec![Fraction::ZERO; columns + 1];
    let mut wide: Vec<Vec<Fraction>> = Vec::new();
    for (at, mut row) in rows.into_iter().enumerate() {
        let right = row.pop().unwrap();
        for (entry, &own) in objective.iter_mut().zip(&row) {
            *entry = entry.minus(own);
        }
        objective[columns] = objective[columns].minus(right);
        row.resize(columns, Fraction::ZERO);
        row[width + at] = Fraction::ONE;
        row.push(right);
        wide.push(row);
    }
    wide.push(objective);
    let mut tableau = Tableau { rows: wide, basis: (width..columns).collect(), columns };
    assert!(tableau.minimise(width), "phase one has a limit");
    assert_eq!(tableau.rows[count][columns], Fraction::ZERO, "the truth is a table");
    for row in 0..count {
        if tableau.basis[row] >= width
            && let Some(column) = (0..width).find(|&c| tableau.rows[row][c] != Fraction::ZERO)
        {
            tableau.pivot(row, column);
        }
    }
    let kept: Vec<usize> = (0..count).filter(|&row| tableau.basis[row] < width).collect();
    let narrow = |&row: &usize| {
        let mut entries = tableau.rows[row][..width].to_vec();
        entries.push(tableau.rows[row][columns]);
        entries
    };
    (kept.iter().map(narrow).collect(), kept.iter().map(|&row| tableau.basis[row]).collect())
}
