//! Holdings of a cell: how many contribute, and the largest of them.
//!
//! A holding with parts in several cells has one row in their total, so that it counts once there, with all it brings.

use crate::extent::Units;
use crate::measure::Measure;
use cellveil_core::Contribution;
use cellveil_core::units::pow10;

/// The holdings of one cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holdings {
    /// How many there are; a respondent without a holding counts as one of its own.
    pub count: u64,
    /// The largest contributions, largest first.
    pub top: Vec<Contribution>,
    /// The largest contribution of those who asked for protection, of either kind.
    pub requests: [Option<i64>; 2],
    /// The holding, counted from 1, that has the cell to itself, if one has.
    pub owner: Option<u32>,
}

/// How rows become holdings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shares {
    pub(crate) measure: Measure,
    pub(crate) units: Units,
    pub(crate) weighted: bool,
}

impl Shares {
    /// The holdings of a cell from its rows, one per holding; holding 0 is nobody's. `None` if a number does not fit.
    pub(crate) fn holdings<'a>(
        &self,
        rows: impl Iterator<Item = (u32, &'a [i64])>,
    ) -> Option<Holdings> {
        let mut holdings = Holdings::default();
        for (member, row) in rows {
            let requests = self.measure.requests(row);
            if member == 0 {
                holdings.count += self.measure.count(row);
                for contribution in self.measure.top(row) {
                    self.keep(&mut holdings.top, contribution);
                }
                holdings.ask(requests);
                continue;
            }
            let contribution = self.contribution(row)?;
            holdings.owner = Some(member);
            holdings.count += 1;
            holdings.ask(requests.map(|asked| asked.map(|_| contribution.value)));
            self.keep(&mut holdings.top, contribution);
        }
        holdings.owner = holdings.owner.filter(|_| holdings.count == 1);
        Some(holdings)
    }

    fn keep(&self, top: &mut Vec<Contribution>, contribution: Contribution) {
        let at = top.partition_point(|kept| *kept >= contribution);
        if at < self.measure.depth() {
            top.truncate(self.measure.depth() - 1);
            top.insert(at, contribution);
        }
    }

    /// A holding's share as one contribution; its weight is the mean of its parts', rounded up, so that value times weight is
    /// what it brings to the cell.
    fn contribution(&self, row: &[i64]) -> Option<Contribution> {
        let value = self.measure.response(row).checked_abs()?;
        if !self.weighted {
            return Some(Contribution { value, weight: 1 });
        }
        if value == 0 {
            let weight = i64::try_from(pow10(self.units.weight)).ok()?;
            return Some(Contribution { value, weight });
        }
        let lost = self.units.contribution + self.units.weight - self.units.value;
        let response = i128::from(value);
        let brought =
            i128::from(self.measure.value(row)).checked_abs()?.checked_mul(pow10(lost))?;
        let weight = i64::try_from((brought + response - 1) / response).ok()?;
        Some(Contribution { value, weight })
    }
}

impl Holdings {
    fn ask(&mut self, requests: [Option<i64>; 2]) {
        for (largest, asked) in self.requests.iter_mut().zip(requests) {
            *largest = (*largest).max(asked);
        }
    }
}
