//! What is known of a cell while it is being added up, as a row of whole numbers.
//!
//! A row holds the number of respondents, the sums, the largest contributions and the largest of those who asked for protection: only
//! what the table needs, one word each. All sums are checked beforehand to fit ([`Extent`](crate::Extent)).

use crate::{Record, TableSpec, Tally};
use cellveil_core::Contribution;

/// Marks a row with a response below zero; it stands beside the number of respondents.
const NEGATIVE: i64 = 1 << 62;
/// Stands where there is no contribution, below all that are.
const NONE: i64 = -1;

/// Which words a row has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure {
    /// How many of the largest contributions are kept.
    depth: usize,
    weighted: bool,
    requests: bool,
    owners: bool,
    /// How many amounts by which the cell moves stand at the end.
    moves: usize,
}

impl Measure {
    /// All that a table needs.
    pub fn new(spec: &TableSpec) -> Self {
        Self {
            depth: spec.top,
            weighted: spec.weight.is_some(),
            requests: spec.request.is_some(),
            owners: spec.owners,
            moves: 0,
        }
    }

    /// The same, with so many amounts by which each cell moves.
    #[must_use]
    pub fn with_moves(self, moves: usize) -> Self {
        Self { moves, ..self }
    }

    /// The number of words of a row.
    pub fn width(self) -> usize {
        self.moves_at() + self.moves
    }

    fn moves_at(self) -> usize {
        self.owner_at() + usize::from(self.owners)
    }

    /// By how much the cell moves.
    pub fn moves(self, row: &[i64]) -> &[i64] {
        &row[self.moves_at()..]
    }

    fn top_at(self) -> usize {
        if self.weighted { 4 } else { 2 }
    }

    fn requests_at(self) -> usize {
        self.top_at() + self.depth * if self.weighted { 2 } else { 1 }
    }

    fn owner_at(self) -> usize {
        self.requests_at() + if self.requests { 2 } else { 0 }
    }

    /// Appends the row of one record.
    pub fn push(self, record: Record, words: &mut Vec<i64>) -> Option<()> {
        let negative = if record.response < 0 { NEGATIVE } else { 0 };
        words.push(1 | negative);
        words.push(i64::try_from(record.value).ok()?);
        let size = record.response.checked_abs()?;
        if self.weighted {
            words.extend([record.response, record.weight]);
        }
        for nth in 0..self.depth {
            let is_first = nth == 0;
            words.push(if is_first { size } else { NONE });
            if self.weighted {
                words.push(if is_first { record.weight } else { NONE });
            }
        }
        if self.requests {
            let asked = |kind| if record.request == Some(kind) { size } else { NONE };
            words.extend([asked(0), asked(1)]);
        }
        if self.owners {
            words.push(record.number);
        }
        Some(())
    }

    /// Appends the row of a tally; `None` if a sum does not fit.
    pub fn push_tally(self, tally: &Tally, words: &mut Vec<i64>) -> Option<()> {
        let count = i64::try_from(tally.count).ok().filter(|&count| count < NEGATIVE)?;
        words.push(count | if tally.negative { NEGATIVE } else { 0 });
        words.push(i64::try_from(tally.value).ok()?);
        if self.weighted {
            words.extend([i64::try_from(tally.response).ok()?, i64::try_from(tally.weight).ok()?]);
        }
        for nth in 0..self.depth {
            let kept = tally.top.get(nth);
            words.push(kept.map_or(NONE, |kept| kept.value));
            if self.weighted {
                words.push(kept.map_or(NONE, |kept| kept.weight));
            }
        }
        if self.requests {
            words.extend(tally.requests.map(|request| request.unwrap_or(NONE)));
        }
        if self.owners {
            words.push(0);
        }
        Some(())
    }

    /// Adds a row to another.
    pub fn merge(self, sum: &mut [i64], part: &[i64]) {
        let negative = (sum[0] | part[0]) & NEGATIVE;
        sum[0] = ((sum[0] & !NEGATIVE) + (part[0] & !NEGATIVE)) | negative;
        for (sum, part) in sum[1..self.top_at()].iter_mut().zip(&part[1..]) {
            *sum += part;
        }
        let (from, to) = (self.top_at(), self.requests_at());
        if self.weighted {
            merge_weighted(&mut sum[from..to], &part[from..to]);
        } else {
            merge_top(&mut sum[from..to], &part[from..to]);
        }
        let last = self.moves_at();
        for (sum, part) in sum[to..last].iter_mut().zip(&part[to..]) {
            *sum = (*sum).max(*part);
        }
        for (sum, part) in sum[last..].iter_mut().zip(&part[last..]) {
            *sum += part;
        }
    }

    /// The number of respondents.
    pub fn count(self, row: &[i64]) -> u64 {
        (row[0] & !NEGATIVE) as u64
    }

    /// Whether any response is below zero.
    pub fn is_negative(self, row: &[i64]) -> bool {
        row[0] & NEGATIVE != 0
    }

    /// The sum of values.
    pub fn value(self, row: &[i64]) -> i64 {
        row[1]
    }

    /// The sum of responses, unweighted.
    pub fn response(self, row: &[i64]) -> i64 {
        if self.weighted { row[2] } else { row[1] }
    }

    /// The sum of weights; the number of respondents where there are none.
    pub fn weight(self, row: &[i64]) -> i64 {
        if self.weighted { row[3] } else { row[0] & !NEGATIVE }
    }

    /// The largest contributions, largest first.
    pub fn top(self, row: &[i64]) -> impl Iterator<Item = Contribution> + '_ {
        let words = &row[self.top_at()..self.requests_at()];
        let step = if self.weighted { 2 } else { 1 };
        let contribution = move |words: &[i64]| {
            let weight = if self.weighted { words[1] } else { 1 };
            Contribution { value: words[0], weight }
        };
        words.chunks_exact(step).take_while(|words| words[0] != NONE).map(contribution)
    }

    /// How many of the largest contributions are kept.
    pub fn depth(self) -> usize {
        self.depth
    }

    /// The largest contribution of those who asked for protection, of either kind.
    pub fn requests(self, row: &[i64]) -> [Option<i64>; 2] {
        if !self.requests {
            return [None; 2];
        }
        let asked = |at: usize| Some(row[self.requests_at() + at]).filter(|&a| a != NONE);
        [asked(0), asked(1)]
    }

    /// Which record has the cell to itself; 0 if there are several, or nobody asks.
    pub fn owner(self, row: &[i64]) -> u64 {
        if self.owners && self.count(row) == 1 { row[self.owner_at()].unsigned_abs() } else { 0 }
    }
}

/// Both are sorted, largest first, and as long as each other.
fn merge_top(sum: &mut [i64], part: &[i64]) {
    for &size in part {
        let at = sum.partition_point(|&kept| kept >= size);
        if at == sum.len() {
            return;
        }
        sum[at..].rotate_right(1);
        sum[at] = size;
    }
}

fn merge_weighted(sum: &mut [i64], part: &[i64]) {
    for new in part.chunks_exact(2) {
        let Some(at) = sum.chunks_exact(2).position(|kept| kept < new) else { return };
        sum[2 * at..].rotate_right(2);
        sum[2 * at..2 * at + 2].copy_from_slice(new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_merge_like_tallies() {
        let spec = |weight: bool, requests: bool, top: usize| TableSpec {
            dimensions: Vec::new(),
            response: None,
            weight: weight.then(|| "w".to_owned()),
            holding: None,
            request: requests
                .then(|| crate::RequestSpec { column: "r".to_owned(), codes: [None, None] }),
            top,
            owners: requests,
        };
        let record = |response: i64, weight: i64, request: Option<usize>| Record {
            response,
            weight,
            value: i128::from(response * weight),
            request,
            number: 0,
        };
        for (weighted, requests, top) in [
            (false, false, 0),
            (false, false, 3),
            (true, false, 2),
            (true, true, 2),
            (false, true, 1),
        ] {
            let measure = Measure::new(&spec(weighted, requests, top));
            let weight = |weight: i64| if weighted { weight } else { 1 };
            let records = [
                record(5, weight(3), None),
                record(-9, weight(1), Some(0)),
                record(5, weight(4), Some(1)),
                record(0, weight(2), Some(0)),
                record(7, weight(1), None),
            ];
            let (mut tally, mut words) = (Tally::default(), Vec::new());
            let mut sum: Vec<i64> = Vec::new();
            for record in records {
                tally.add(record, top);
                words.clear();
                assert!(measure.push(record, &mut words).is_some());
                assert_eq!(words.len(), measure.width());
                if sum.is_empty() {
                    sum.clone_from(&words);
                } else {
                    measure.merge(&mut sum, &words);
                }
            }
            words.clear();
            assert!(measure.push_tally(&tally, &mut words).is_some());
            assert_eq!(sum, words);
            assert_eq!(measure.count(&sum), 5);
            assert!(measure.is_negative(&sum));
            assert_eq!(measure.top(&sum).collect::<Vec<_>>(), tally.top);
            assert_eq!(i128::from(measure.response(&sum)), tally.response);
            if requests {
                assert_eq!(measure.requests(&sum), tally.requests);
            }
        }
    }
}
