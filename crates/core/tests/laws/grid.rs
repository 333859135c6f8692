//! Two-dimensional tables with random certificates that are right by construction.

use cellveil_core::{
    CellId, CellNames, Certificate, Claim, Intruder, NO_LOWER, NO_UPPER, Need, Needs, Pattern,
    Problem, ProblemParts, Reason, Relations, Side, Status, Why, Witness,
};
use proptest::prelude::*;

/// An instance, a pattern and a certificate.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) parts: ProblemParts,
    pub(crate) pattern: Pattern,
    pub(crate) certificate: Certificate,
}

impl Case {
    pub(crate) fn problem(&self) -> Problem {
        Problem::new(self.parts.clone(), 0).unwrap()
    }
}

/// A table of `rows` by `columns` inner cells with margins in row and column 0, without needs; known to lie between nothing and a
/// bit above twice the value.
pub(crate) fn grid(rows: usize, columns: usize, inner: &[i64]) -> ProblemParts {
    let (height, width) = (rows + 1, columns + 1);
    let at = |row: usize, column: usize| row * width + column;
    let mut values = vec![0; height * width];
    let mut next = inner.iter().cycle();
    for row in 1..height {
        for column in 1..width {
            values[at(row, column)] = *next.next().unwrap();
        }
        values[at(row, 0)] = (1..width).map(|column| values[at(row, column)]).sum();
    }
    for column in 0..width {
        values[column] = (1..height).map(|row| values[at(row, column)]).sum();
    }
    let mut relations = Relations::default();
    for row in 0..height {
        relations
            .push_sum(CellId::at(at(row, 0)), (1..width).map(|column| CellId::at(at(row, column))));
    }
    for column in 0..width {
        relations.push_sum(CellId::at(column), (1..height).map(|row| CellId::at(at(row, column))));
    }
    let cells = values.len();
    ProblemParts {
        decimals: 0,
        costs: vec![1.0; cells],
        lower: vec![0; cells],
        upper: values.iter().map(|value| value * 2 + 3).collect(),
        values,
        status: vec![Status::Free; cells],
        needs: Needs::default(),
        relations,
        names: CellNames::Ids((0..cells as u64).collect()),
        singletons: Vec::new(),
        width: 0,
    }
}

/// A rectangle of cells, the first of which goes to `side` as far as bounds allow, in parts of a unit.
///
/// With totals counted negatively every row and column adds up to zero, so any rectangle keeps all sums, margins included.
fn rectangle(
    parts: &ProblemParts,
    width: usize,
    [a, b]: [usize; 2],
    [c, d]: [usize; 2],
    side: Side,
    denominator: u32,
) -> Witness {
    let sign = |row: usize, column: usize| if (row == 0) == (column == 0) { 1 } else { -1 };
    let corners = [(a, c, 1), (a, d, -1), (b, c, -1), (b, d, 1)];
    let first = sign(a, c) * side.sign();
    let steps =
        corners.map(|(row, column, turn)| (row * width + column, turn * sign(row, column) * first));
    let room = |&(cell, step): &(usize, i64)| {
        if step < 0 {
            parts.values[cell] - parts.lower[cell]
        } else {
            parts.upper[cell] - parts.values[cell]
        }
    };
    let far = steps.iter().map(room).min().unwrap() * i64::from(denominator);
    let mut moves: Vec<(CellId, i64)> =
        steps.iter().map(|&(cell, step)| (CellId::at(cell), step * far)).collect();
    moves.sort_unstable();
    Witness { denominator, moves }
}

/// Tables with everything withheld, and as needs just what their witnesses show.
pub(crate) fn cases() -> impl Strategy<Value = Case> {
    let corners = (any::<[prop::sample::Index; 4]>(), 1..=3_u32);
    let sizes = (2..=3_usize, 2..=3_usize);
    (sizes, prop::collection::vec(0..=6_i64, 1..9), prop::collection::vec(corners, 1..4)).prop_map(
        |((rows, columns), inner, rectangles)| {
            let mut parts = grid(rows, columns, &inner);
            let mut certificate = Certificate::default();
            let mut needs: Vec<Need> = Vec::new();
            for ([a, b, c, d], denominator) in rectangles {
                let (a, c) = (a.index(rows + 1), c.index(columns + 1));
                let (b, d) = (
                    (a + 1 + b.index(rows)) % (rows + 1),
                    (c + 1 + d.index(columns)) % (columns + 1),
                );
                let cell = CellId::at(a * (columns + 1) + c);
                if needs.iter().any(|need| need.cell == cell) {
                    continue;
                }
                let mut far = [0, 0];
                for side in Side::BOTH {
                    let witness = rectangle(&parts, columns + 1, [a, b], [c, d], side, denominator);
                    far[usize::from(side == Side::Up)] =
                        witness.move_of(cell).abs() / i64::from(denominator);
                    let number = certificate.witnesses.len() as u32;
                    certificate.witnesses.push(witness);
                    certificate.claims.push(Claim {
                        cell,
                        side,
                        intruder: Intruder::External,
                        witness: number,
                    });
                }
                let [down, up] = far;
                needs.push(Need { cell, down, up, sliding: down + up, reason: Reason::Given });
            }
            for need in &needs {
                parts.status[need.cell.index()] = Status::Sensitive;
            }
            parts.needs = Needs::new(needs);
            let pattern = all_withheld(&parts);
            Case { parts, pattern, certificate }
        },
    )
}

/// The pattern that publishes nothing.
pub(crate) fn all_withheld(parts: &ProblemParts) -> Pattern {
    let mut pattern = Pattern::open(parts.values.len());
    for cell in 0..parts.values.len() {
        let sensitive = parts.status[cell] == Status::Sensitive;
        pattern.withhold(CellId::at(cell), if sensitive { Why::Primary } else { Why::Secondary });
    }
    pattern
}

/// Takes all bounds away.
pub(crate) fn unbounded(parts: &mut ProblemParts) {
    parts.lower.fill(NO_LOWER);
    parts.upper.fill(NO_UPPER);
}
