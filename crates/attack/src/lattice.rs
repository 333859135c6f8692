//! Whole numbers near given ones that keep every relation.
//!
//! Relations are solved in whole numbers for columns with a coefficient of ±1, so that everything that is left to choose may be rounded as one likes. In tables
//! of four and more dimensions relations remain in which no coefficient is ±1, and solving for one of their columns would leave fractions with denominators of dozens of digits. There, one
//! column takes in a multiple of another, as in Euclid's algorithm, until some coefficient is ±1: `c·x + d·y = c·(x + q·y) + (d − q·c)·y`.

use std::collections::BTreeSet;

/// Terms that may be made in all.
const MOST_TERMS: usize = 6_000_000;

/// No coefficient may get larger than this.
const LARGEST: i64 = 1 << 40;

/// A relation: columns with their coefficients, ascending.
type Row = Vec<(u32, i64)>;

/// What was done, to be undone in reverse order.
enum Step {
    /// A column was solved for; its coefficient is ±1.
    Solved { column: u32, sign: i64, row: Row },
    /// A column took in a multiple of another.
    Shifted { column: u32, of: u32, times: i64 },
}

/// All whole numbers that keep some relations.
pub(crate) struct Lattice {
    steps: Vec<Step>,
}

impl Lattice {
    /// Solves relations for some columns, preferably those of a low rank; `None` if that takes too long.
    pub(crate) fn new<'r>(
        relations: impl Iterator<Item = &'r [(u32, i32)]>,
        columns: usize,
        rank: impl Fn(u32) -> u8,
    ) -> Option<Self> {
        let mut solving = Solving {
            rows: Vec::new(),
            rows_with: vec![BTreeSet::new(); columns],
            waiting: BTreeSet::new(),
            steps: Vec::new(),
            terms: 0,
        };
        for relation in relations {
            let mut row: Row = relation.iter().map(|&(at, c)| (at, i64::from(c))).collect();
            row.sort_unstable();
            solving.rows.push(Row::new());
            solving.put(solving.rows.len() as u32 - 1, row);
        }
        while let Some(&(_, number)) = solving.waiting.first() {
            solving.settle(number, &rank)?;
        }
        Some(Self { steps: solving.steps })
    }

    /// How many columns are solved for.
    pub(crate) fn rank(&self) -> usize {
        self.steps.iter().filter(|step| matches!(step, Step::Solved { .. })).count()
    }

    /// Whole numbers near the given ones, in which every relation holds; `None` if they get too large.
    pub(crate) fn near(&self, mut about: Vec<f64>) -> Option<Vec<i64>> {
        for step in &self.steps {
            if let Step::Shifted { column, of, times } = step {
                about[*column as usize] += *times as f64 * about[*of as usize];
            }
        }
        let mut values: Vec<i128> = about.iter().map(|about| about.round() as i128).collect();
        for step in self.steps.iter().rev() {
            match step {
                Step::Solved { column, sign, row } => {
                    let mut others = row.iter().filter(|(other, _)| other != column);
                    let sum = others.try_fold(0_i128, |sum, &(other, c)| {
                        sum.checked_add(i128::from(c).checked_mul(values[other as usize])?)
                    });
                    values[*column as usize] = -i128::from(*sign) * sum?;
                }
                Step::Shifted { column, of, times } => {
                    let taken = i128::from(*times).checked_mul(values[*of as usize])?;
                    values[*column as usize] = values[*column as usize].checked_sub(taken)?;
                }
            }
        }
        values.into_iter().map(|value| i64::try_from(value).ok()).collect()
    }
}

/// Relations on the way to being solved.
struct Solving {
    rows: Vec<Row>,
    rows_with: Vec<BTreeSet<u32>>,
    /// Relations that are not solved yet: those with a coefficient of ±1 first, short ones first.
    waiting: BTreeSet<((bool, usize), u32)>,
    steps: Vec<Step>,
    terms: usize,
}

impl Solving {
    /// Takes a relation out.
    fn take(&mut self, number: u32) -> Row {
        let row = std::mem::take(&mut self.rows[number as usize]);
        self.waiting.remove(&(key(&row), number));
        for (column, _) in &row {
            self.rows_with[*column as usize].remove(&number);
        }
        row
    }

    fn put(&mut self, number: u32, row: Row) {
        for (column, _) in &row {
            self.rows_with[*column as usize].insert(number);
        }
        self.terms += row.len();
        if !row.is_empty() {
            self.waiting.insert((key(&row), number));
        }
        self.rows[number as usize] = row;
    }

    /// Solves a relation, or brings it nearer to being solved; `None` if that takes too long.
    fn settle(&mut self, number: u32, rank: &impl Fn(u32) -> u8) -> Option<()> {
        let mut row = self.take(number);
        let common = row.iter().fold(0, |common, &(_, c)| gcd(common, c));
        for (_, coefficient) in &mut row {
            *coefficient /= common;
        }
        let ones = row.iter().filter(|(_, c)| c.abs() == 1);
        let best = ones.map(|&(column, sign)| {
            (rank(column), self.rows_with[column as usize].len(), column, sign)
        });
        let Some((.., column, sign)) = best.min() else {
            self.put(number, row);
            return self.shift(number, rank);
        };
        for other in std::mem::take(&mut self.rows_with[column as usize]) {
            let before = self.take(other);
            let after = without(&before, column, &row, sign)?;
            self.put(other, after);
        }
        self.steps.push(Step::Solved { column, sign, row });
        (self.terms <= MOST_TERMS).then_some(())
    }

    /// Lets the column with the smallest coefficient of a relation take in a multiple of another, so that the rest of that one is smaller.
    fn shift(&mut self, number: u32, rank: &impl Fn(u32) -> u8) -> Option<()> {
        let row = &self.rows[number as usize];
        let smallest = row.iter().map(|&(column, c)| (c.abs(), rank(column), column, c));
        let (_, _, column, c) = smallest.min()?;
        let others = row.iter().filter(|&&(_, d)| d % c != 0);
        let nearest = others.map(|&(of, d)| {
            let times = rounded(d, c);
            ((d - times * c).abs(), rank(of), self.rows_with[of as usize].len(), of, times)
        });
        let (.., of, times) = nearest.min()?;
        self.steps.push(Step::Shifted { column, of, times });
        for other in self.rows_with[column as usize].clone() {
            let mut row = self.take(other);
            let at = row.binary_search_by_key(&column, |&(c, _)| c).ok()?;
            let less = row[at].1.checked_mul(times)?;
            match row.binary_search_by_key(&of, |&(c, _)| c) {
                Ok(at) if row[at].1 == less => drop(row.remove(at)),
                Ok(at) => row[at].1 = row[at].1.checked_sub(less)?,
                Err(at) => row.insert(at, (of, -less)),
            }
            let fits = row.iter().all(|(_, c)| c.abs() < LARGEST);
            self.put(other, row);
            if !fits {
                return None;
            }
        }
        Some(())
    }
}

/// A relation less so much of another that a column, whose coefficient there is `sign`, is gone; `None` if coefficients get too large.
fn without(row: &Row, column: u32, solved: &Row, sign: i64) -> Option<Row> {
    let at = row.binary_search_by_key(&column, |&(c, _)| c).ok()?;
    let times = -row[at].1 * sign;
    let mut sum = Vec::with_capacity(row.len() + solved.len());
    let (mut i, mut j) = (0, 0);
    while i < row.len() || j < solved.len() {
        let left = row.get(i).map_or(u32::MAX, |term| term.0);
        let right = solved.get(j).map_or(u32::MAX, |term| term.0);
        let at = left.min(right);
        let mut coefficient = 0_i64;
        if left == at {
            coefficient = row[i].1;
            i += 1;
        }
        if right == at {
            coefficient = coefficient.checked_add(times.checked_mul(solved[j].1)?)?;
            j += 1;
        }
        if coefficient.abs() > LARGEST {
            return None;
        }
        if coefficient != 0 {
            sum.push((at, coefficient));
        }
    }
    Some(sum)
}

fn key(row: &Row) -> (bool, usize) {
    (!row.iter().any(|(_, c)| c.abs() == 1), row.len())
}

/// The whole number nearest to a fraction.
fn rounded(above: i64, below: i64) -> i64 {
    let (times, rest) = (above.div_euclid(below), above.rem_euclid(below));
    if 2 * rest > below.abs() { times + below.signum() } else { times }
}

fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::Lattice;

    type Rows = Vec<Vec<(u32, i32)>>;

    fn holds(rows: &Rows, values: &[i64]) -> bool {
        let sum = |row: &Vec<(u32, i32)>| -> i64 {
            row.iter().map(|&(at, c)| i64::from(c) * values[at as usize]).sum()
        };
        rows.iter().all(|row| sum(row) == 0)
    }

    /// The relations of a table of so many dimensions with two codes and their total in each, and the cells of its finest level.
    fn table(dimensions: u32) -> (Rows, Vec<u32>) {
        let cells = 3_u32.pow(dimensions);
        let mut rows = Rows::new();
        for (step, cell) in (0..dimensions).flat_map(|d| (0..cells).map(move |c| (3_u32.pow(d), c)))
        {
            if (cell / step).is_multiple_of(3) {
                rows.push(vec![(cell, -1), (cell + step, 1), (cell + 2 * step, 1)]);
            }
        }
        let code = |cell: u32, d: u32| cell / 3_u32.pow(d) % 3;
        let is_finest = |cell: &u32| (0..dimensions).all(|d| code(*cell, d) != 0);
        (rows, (0..cells).filter(is_finest).collect())
    }

    fn lattice(rows: &Rows, columns: usize) -> Lattice {
        let lattice = Lattice::new(rows.iter().map(Vec::as_slice), columns, |_| 0);
        lattice.unwrap_or_else(|| unreachable!("the relations are few"))
    }

    #[test]
    fn relations_hold_and_what_keeps_them_stays_as_it_is() {
        for dimensions in 1..=5 {
            let (rows, finest) = table(dimensions);
            let cells = 3_usize.pow(dimensions);
            let lattice = lattice(&rows, cells);
            assert_eq!(cells - lattice.rank(), finest.len());
            let odd: Vec<f64> = (0..cells).map(|at| ((at * at) % 17) as f64 - 7.6).collect();
            let values = lattice.near(odd).unwrap_or_default();
            assert!(holds(&rows, &values) && values.iter().any(|value| *value != 0));
            let mut exact = vec![0; cells];
            for (number, &cell) in (1_i64..).zip(&finest) {
                // Every cell that this one belongs to.
                for above in 0..1_u32 << dimensions {
                    let at = (0..dimensions)
                        .filter(|d| above >> d & 1 == 1)
                        .fold(cell, |at, d| at - cell / 3_u32.pow(d) % 3 * 3_u32.pow(d));
                    exact[at as usize] += number * number - 9;
                }
            }
            assert!(holds(&rows, &exact));
            let about = exact.iter().map(|&value| value as f64 + 0.01).collect();
            let near = lattice.near(about).unwrap_or_default();
            assert!(holds(&rows, &near));
            let unchanged = lattice.near(exact.iter().map(|&value| value as f64).collect());
            assert_eq!(unchanged, Some(exact));
        }
    }

    #[test]
    fn relations_without_a_one_are_solved_too() {
        let rows: Rows = vec![
            vec![(0, 6), (1, 10), (2, 15), (3, -4)],
            vec![(0, 2), (2, 4), (4, 6)],
            vec![(1, 9), (3, 6), (4, -15)],
        ];
        let lattice = lattice(&rows, 5);
        let mut seen = std::collections::BTreeSet::new();
        for about in 0..200 {
            let about = (0..5).map(|at| f64::from(about * (at + 3) % 101 - 50)).collect();
            let values = lattice.near(about).unwrap_or_default();
            assert_eq!(values.len(), 5);
            assert!(holds(&rows, &values));
            seen.insert(values);
        }
        assert!(seen.len() > 5, "many solutions, not only zero");
        assert_eq!(lattice.near(vec![f64::INFINITY; 5]), None);
    }
}
