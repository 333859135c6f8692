//! The finest cells as an engine hands them over, and the table made of them.

use crate::assembly::{Carried, Values};
use crate::engine::Locate;
use crate::extent::Units;
use crate::hierarchy::dimension;
use crate::plan::Plan;
use crate::roll_up::Space;
use crate::{TableSpec, TabulateError, Tally, text};
use cellveil_core::units::pow10;
use cellveil_core::{
    CellId, CellNames, CodeId, Contribution, Contributors, Dimension, Table, TableParts, Weighted,
};
use std::collections::HashMap;
use std::fmt::Write as _;

/// The finest cells: records with the same values in all columns of all dimensions, and of one holding where there are any.
#[derive(Debug, Default)]
pub struct Groups {
    /// Per dimension, the distinct values seen.
    values: Vec<Distinct>,
    holdings: HashMap<String, u32>,
    /// Row-major, one row per group: the position of its values in each dimension.
    keys: Vec<u32>,
    /// The holding of each group; `None` for respondents that belong to none.
    members: Vec<Option<u32>>,
    tallies: Vec<Tally>,
}

#[derive(Debug, Default)]
struct Distinct {
    width: usize,
    seen: HashMap<String, u32>,
    values: Vec<Values>,
}

impl Distinct {
    fn position(&mut self, values: &[Option<&str>], buffer: &mut String) -> u32 {
        buffer.clear();
        for value in values {
            match value {
                Some(text) => _ = write!(buffer, "{}:{text}", text.len()),
                None => buffer.push('-'),
            }
        }
        if let Some(&at) = self.seen.get(&buffer[..]) {
            return at;
        }
        let at = self.values.len() as u32;
        self.seen.insert(buffer.clone(), at);
        self.values.push(values.iter().map(|value| value.map(str::to_owned)).collect());
        at
    }
}

impl Groups {
    /// No group yet, for the columns of a plan.
    pub fn new(plan: &Plan) -> Self {
        let distinct =
            |columns: &[String]| Distinct { width: columns.len(), ..Distinct::default() };
        Self { values: plan.columns().map(distinct).collect(), ..Self::default() }
    }

    /// Adds a group; `values` are those of all columns of all dimensions, in the order of the plan.
    pub fn push(&mut self, values: &[Option<&str>], holding: Option<&str>, tally: Tally) {
        let mut buffer = String::new();
        let mut from = 0;
        let mut cleaned: Vec<Option<&str>> = Vec::new();
        for distinct in &mut self.values {
            cleaned.clear();
            cleaned.extend(
                values[from..from + distinct.width].iter().map(|value| value.and_then(text::code)),
            );
            self.keys.push(distinct.position(&cleaned, &mut buffer));
            from += distinct.width;
        }
        let next = self.holdings.len() as u32;
        let member = holding.and_then(text::code).map(|name| match self.holdings.get(name) {
            Some(&known) => known,
            None => *self.holdings.entry(name.to_owned()).or_insert(next),
        });
        self.members.push(member);
        self.tallies.push(tally);
    }

    /// The number of groups.
    pub fn len(&self) -> usize {
        self.tallies.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.tallies.is_empty()
    }
}

impl Plan {
    /// Makes the table: hierarchies over the codes that were seen, then every margin and level.
    ///
    /// # Errors
    /// [`TabulateError`] if a code is not one of its hierarchy, hierarchies contradict each other, or a value is too large.
    pub fn table(
        &self,
        groups: Groups,
        units: Units,
        locate: &dyn Locate,
    ) -> Result<Table, TabulateError> {
        let mut dimensions = Vec::new();
        let mut codes: Vec<Vec<CodeId>> = Vec::new();
        for (variable, distinct) in self.variables.iter().zip(&groups.values) {
            // Engines meet values in any order; only the sorted order is always the same.
            let mut order: Vec<usize> = (0..distinct.values.len()).collect();
            order.sort_by(|&a, &b| distinct.values[a].cmp(&distinct.values[b]));
            let sorted: Vec<Values> = order.iter().map(|&at| distinct.values[at].clone()).collect();
            let (dimension, of_sorted) = dimension(variable, &sorted, Carried::Finest, locate)?;
            let mut of_position = vec![0; order.len()];
            for (&at, code) in order.iter().zip(of_sorted) {
                of_position[at] = code;
            }
            dimensions.push(dimension);
            codes.push(of_position);
        }
        let width = dimensions.len();
        let keys: Vec<CodeId> = groups
            .keys
            .iter()
            .enumerate()
            .map(|(at, &position)| codes[at % width][position as usize])
            .collect();
        let finest = Finest {
            spec: &self.spec,
            dimensions,
            keys,
            members: groups.members,
            holdings: groups.holdings.len(),
            units,
        };
        finest.table(groups.tallies)
    }
}

/// The finest cells with their codes found, by holding where there are any.
#[derive(Clone, Debug)]
pub struct Finest<'a> {
    /// Which numbers the table keeps; its dimensions are not looked at.
    pub spec: &'a TableSpec,
    /// The variables that span the table.
    pub dimensions: Vec<Dimension>,
    /// The codes of every group, row-major.
    pub keys: Vec<CodeId>,
    /// The holding of every group; `None` for respondents that belong to none.
    pub members: Vec<Option<u32>>,
    /// How many holdings there are.
    pub holdings: usize,
    /// The units of the numbers.
    pub units: Units,
}

/// What the parts of a holding bring to one cell.
#[derive(Clone, Copy)]
struct Share {
    response: i128,
    value: i128,
    /// Whether one of the parts asked for protection, with either code.
    asked: [bool; 2],
    /// Whose it is.
    member: u32,
}

impl Finest<'_> {
    /// Makes the table: every margin and level of the groups.
    ///
    /// # Errors
    /// [`TabulateError`] if a value is too large, or there are too many cells.
    pub fn table(self, tallies: Vec<Tally>) -> Result<Table, TabulateError> {
        let depth = self.spec.top;
        let space = Space::new(&self.dimensions, 1)?;
        let keys: Vec<u128> = self
            .keys
            .chunks_exact(self.dimensions.len())
            .map(|codes| space.key(codes, 0))
            .collect();
        let join = |sum: &mut Tally, part: &Tally| sum.merge(part, depth);
        let by_holding = self.spec.holding.is_some();
        let shares = if by_holding { self.shares(&tallies)? } else { Vec::new() };
        let alone = if by_holding {
            let alone =
                keys.iter().zip(&tallies).zip(&self.members).filter(|(_, member)| member.is_none());
            space.roll_up(alone.map(|((&key, tally), _)| (key, tally.clone())).collect(), join)?
        } else {
            Vec::new()
        };
        let cells = space.roll_up(keys.into_iter().zip(tallies).collect(), join)?;
        let codes: Vec<CodeId> = cells
            .iter()
            .flat_map(|&(key, _)| (0..self.dimensions.len()).map(move |d| (key, d)))
            .map(|(key, d)| space.code(key, d))
            .collect();
        let names = CellNames::Codes { dimensions: self.dimensions.clone(), keys: codes };
        let holdings =
            if by_holding { Some(self.holdings(&cells, &shares, &alone, &names)?) } else { None };
        self.parts(&cells, names, holdings).and_then(|parts| Ok(Table::new(parts)?))
    }

    fn parts(
        &self,
        cells: &[(u128, Tally)],
        names: CellNames,
        holdings: Option<Contributors>,
    ) -> Result<TableParts, TabulateError> {
        let spec = self.spec;
        let fit = |at: usize, number: i128| {
            i64::try_from(number)
                .map_err(|_| TabulateError::Overflow(names.describe(CellId::at(at)).to_string()))
        };
        let column = |of: fn(&Tally) -> i128| {
            cells
                .iter()
                .enumerate()
                .map(|(at, (_, tally))| fit(at, of(tally)))
                .collect::<Result<Vec<i64>, _>>()
        };
        let values = column(|tally| tally.value)?;
        let weighted = match spec.weight {
            Some(_) => Some(Weighted {
                decimals: self.units.weight,
                counts: column(|tally| tally.weight)?,
            }),
            None => None,
        };
        let is_finest = |cell: CellId| {
            self.dimensions
                .iter()
                .zip(names.key(cell))
                .all(|(dimension, &code)| dimension.hierarchy.is_leaf(code))
        };
        let negative = (0..cells.len())
            .filter(|&at| cells[at].1.negative)
            .map(CellId::at)
            .find(|&cell| is_finest(cell));
        let CellNames::Codes { dimensions, keys } = names else {
            return Err(TabulateError::Table(cellveil_core::TableError::Columns));
        };
        Ok(TableParts {
            dimensions,
            keys,
            response: spec.response.clone(),
            decimals: self.units.value,
            values,
            contribution_decimals: self.units.contribution,
            respondents: contributors(
                cells.iter().map(|(_, tally)| (tally.count, &tally.top[..])),
                spec.top,
            ),
            holdings,
            weighted,
            requests: spec
                .request
                .as_ref()
                .map(|_| cells.iter().map(|(_, tally)| tally.requests).collect()),
            negative,
            tolerance: 0,
        })
    }

    /// The share of every holding in every cell. A holding with parts in several cells has one share in their total.
    fn shares(&self, tallies: &[Tally]) -> Result<Vec<(u128, Share)>, TabulateError> {
        let space = Space::new(&self.dimensions, self.holdings)?;
        let rows = self.keys.chunks_exact(self.dimensions.len()).zip(&self.members).zip(tallies);
        let finest = rows.filter_map(|((codes, member), tally)| {
            member.map(|m| {
                let asked = tally.requests.map(|request| request.is_some());
                let (response, value) = (tally.response, tally.value);
                (space.key(codes, m), Share { response, value, asked, member: m })
            })
        });
        let join = |sum: &mut Share, part: &Share| {
            sum.response = sum.response.saturating_add(part.response);
            sum.value = sum.value.saturating_add(part.value);
            for (sum, part) in sum.asked.iter_mut().zip(part.asked) {
                *sum |= part;
            }
        };
        let mut shares = space.roll_up(finest.collect(), join)?;
        for (key, _) in &mut shares {
            *key = space.cell(*key);
        }
        Ok(shares)
    }

    /// Holdings per cell; a respondent without a holding counts as one of its own.
    fn holdings(
        &self,
        cells: &[(u128, Tally)],
        shares: &[(u128, Share)],
        alone: &[(u128, Tally)],
        names: &CellNames,
    ) -> Result<Contributors, TabulateError> {
        let depth = self.spec.top;
        let (mut next, mut next_alone) = (0, 0);
        let mut all: Vec<(u64, Vec<Contribution>)> = Vec::with_capacity(cells.len());
        let mut requests: Vec<[Option<i64>; 2]> = Vec::with_capacity(cells.len());
        let mut owners: Vec<Option<u32>> = Vec::with_capacity(cells.len());
        for (at, &(key, _)) in cells.iter().enumerate() {
            let (mut count, mut top) = (0, Vec::new());
            let mut asked = [None; 2];
            let mut last = None;
            if let Some((_, tally)) = alone.get(next_alone).filter(|(cell, _)| *cell == key) {
                (count, top, asked) = (tally.count, tally.top.clone(), tally.requests);
                next_alone += 1;
            }
            while let Some((_, share)) = shares.get(next).filter(|(cell, _)| *cell == key) {
                let overflow =
                    || TabulateError::Overflow(names.describe(CellId::at(at)).to_string());
                let contribution = self.contribution(share).ok_or_else(overflow)?;
                for (largest, _) in asked.iter_mut().zip(share.asked).filter(|(_, asked)| *asked) {
                    *largest = (*largest).max(Some(contribution.value));
                }
                top.push(contribution);
                last = Some(share.member);
                count += 1;
                next += 1;
            }
            top.sort_unstable_by(|a, b| b.cmp(a));
            top.truncate(depth);
            all.push((count, top));
            requests.push(asked);
            owners.push(last.filter(|_| count == 1));
        }
        let holdings = contributors(all.iter().map(|(count, top)| (*count, &top[..])), depth);
        let holdings = holdings.with_owners(&owners);
        Ok(if self.spec.request.is_some() { holdings.with_requests(requests) } else { holdings })
    }

    /// A holding's share as one contribution; its weight is the mean of its parts', rounded up, so that value times weight is
    /// what it brings to the cell.
    fn contribution(&self, share: &Share) -> Option<Contribution> {
        let response = share.response.checked_abs()?;
        let value = i64::try_from(response).ok()?;
        if self.spec.weight.is_none() {
            return Some(Contribution { value, weight: 1 });
        }
        if response == 0 {
            return Some(Contribution {
                value,
                weight: i64::try_from(pow10(self.units.weight)).ok()?,
            });
        }
        let lost = self.units.contribution + self.units.weight - self.units.value;
        let brought = share.value.checked_abs()?.checked_mul(pow10(lost))?;
        let weight = i64::try_from((brought + response - 1) / response).ok()?;
        Some(Contribution { value, weight })
    }
}

/// Columns of counts and largest contributions, padded to the same depth.
pub(crate) fn contributors<'a>(
    cells: impl Iterator<Item = (u64, &'a [Contribution])>,
    depth: usize,
) -> Contributors {
    let (mut counts, mut all) = (Vec::new(), Vec::new());
    for (count, top) in cells {
        counts.push(count);
        all.extend_from_slice(top);
        all.resize(counts.len() * depth, Contribution::default());
    }
    Contributors::new(counts, depth, all)
}
