//! What is known of one cell while it is being added up.

use cellveil_core::Contribution;

/// One record, in the table's units.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// The response, in units of a contribution; 1 in a table of counts.
    pub response: i64,
    /// The weight, in units of a weight; 1 where there is none.
    pub weight: i64,
    /// Weight times response, in units of a value.
    pub value: i128,
    /// Which of the two kinds of protection the respondent asked for.
    pub request: Option<usize>,
    /// Which record this is, counted from 1 in whatever order; 0 where nobody asks.
    pub number: i64,
}

/// The sums and the largest contributions of one cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The number of respondents.
    pub count: u64,
    /// The sum of responses, unweighted.
    pub response: i128,
    /// The sum of values.
    pub value: i128,
    /// The sum of weights.
    pub weight: i128,
    /// The largest contributions, largest first.
    pub top: Vec<Contribution>,
    /// The largest contribution among those who asked for protection, of either kind.
    pub requests: [Option<i64>; 2],
    /// Whether any response is below zero.
    pub negative: bool,
}

impl Tally {
    /// Counts one record in, keeping `depth` of the largest.
    pub fn add(&mut self, record: Record, depth: usize) {
        self.count += 1;
        self.response = self.response.saturating_add(i128::from(record.response));
        self.value = self.value.saturating_add(record.value);
        self.weight = self.weight.saturating_add(i128::from(record.weight));
        self.negative |= record.response < 0;
        let size = record.response.saturating_abs();
        if let Some(kind) = record.request {
            self.requests[kind] = self.requests[kind].max(Some(size));
        }
        self.keep(Contribution { value: size, weight: record.weight }, depth);
    }

    /// Counts the records of another part of the cell in.
    pub fn merge(&mut self, other: &Self, depth: usize) {
        self.count += other.count;
        self.response = self.response.saturating_add(other.response);
        self.value = self.value.saturating_add(other.value);
        self.weight = self.weight.saturating_add(other.weight);
        self.negative |= other.negative;
        for kind in 0..self.requests.len() {
            self.requests[kind] = self.requests[kind].max(other.requests[kind]);
        }
        for &contribution in &other.top {
            self.keep(contribution, depth);
        }
    }

    fn keep(&mut self, contribution: Contribution, depth: usize) {
        let at = self.top.partition_point(|kept| *kept >= contribution);
        if at < depth {
            self.top.truncate(depth - 1);
            self.top.insert(at, contribution);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(responses: &[i64]) -> Tally {
        let mut tally = Tally::default();
        for &response in responses {
            tally.add(
                Record {
                    response,
                    weight: 1,
                    value: i128::from(response),
                    request: None,
                    number: 0,
                },
                2,
            );
        }
        tally
    }

    #[test]
    fn parts_merge_to_the_whole() {
        let mut left = tally(&[5, -9, 1]);
        left.merge(&tally(&[7, 7]), 2);
        assert_eq!(left, tally(&[7, 1, 5, 7, -9]));
        assert_eq!(left.top.iter().map(|c| c.value).collect::<Vec<_>>(), [9, 7]);
        assert!(left.negative);
    }

    #[test]
    fn nothing_is_kept_when_nothing_is_asked_for() {
        let mut tally = Tally::default();
        tally.add(Record { response: 3, weight: 1, value: 3, request: Some(1), number: 0 }, 0);
        assert!(tally.top.is_empty());
        assert_eq!(tally.requests, [None, Some(3)]);
    }
}
