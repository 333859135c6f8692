//! All rules together: the `[rules]` section of a job file.

use crate::cell::Scale;
use crate::{
    By, Cell, Dominance, Frequency, Interval, Level, Manual, PPercent, Pq, Request, Rule,
    RuleError, Share, Signed, Values, Zero,
};
use cellveil_core::{CellId, CodeId, Contributors, Need, Needs, Reason, Table};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

/// The rules that say which cells are sensitive. Any number of them may be combined.
///
/// A cell is sensitive if any rule says so. The reason is the first in the order of evaluation: dominance, p%, pq, request,
/// frequency, zero, manual, row share, column share. On each side the largest level of all violated rules counts; it is at
/// least one unit above, and below it goes no further than to zero where nothing is negative. Cells without contributors
/// are safe, and cells to be published by hand are not judged.
///
/// ```
/// use cellveil_rules::{Record, RuleSet, one_cell};
/// let rules: RuleSet = toml::from_str("
///     frequency = { below = 3, range = 10 }
///     dominance = [{ n = 1, k = 85 }, { n = 2, k = 95 }]
///     p_percent = { p = 10 }
/// ")?;
/// let table = one_cell(&[60, 25, 15].map(Record::of), 0, 0)?;
/// assert!(rules.judge(&table)?.needs.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RuleSet {
    /// Too few contributors.
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub frequency: Vec<Frequency>,
    /// The largest contributors dominate.
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub dominance: Vec<Dominance>,
    /// The largest contributor can be estimated too closely.
    #[serde(
        alias = "p-percent",
        deserialize_with = "one_or_many",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub p_percent: Vec<PPercent>,
    /// As p%, with what everybody knew before.
    #[serde(deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub pq: Vec<Pq>,
    /// A contributor asked for protection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<Request>,
    /// Zeros tell something about their contributors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zero: Option<Zero>,
    /// Statuses by hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manual: Option<Manual>,
    /// A cell holds too much of its row.
    #[serde(alias = "row-share", skip_serializing_if = "Option::is_none")]
    pub row_share: Option<Share>,
    /// A cell holds too much of its column.
    #[serde(alias = "column-share", skip_serializing_if = "Option::is_none")]
    pub column_share: Option<Share>,
    /// How wide the interval of every withheld cell must be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    /// What to do about negative contributions.
    pub signed: Signed,
    /// Whether cells with the code of a missing value are safe, unless declared sensitive by hand.
    pub missing_is_safe: bool,
    /// What missing values are called, for each dimension that may have them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub missing: BTreeMap<String, Vec<String>>,
}

/// What the rules say about a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judgement {
    /// The sensitive cells and what they need.
    pub needs: Needs,
    /// Cells that must be published, by hand.
    pub frozen: Vec<CellId>,
    /// How many cells are sensitive for each reason, in the order of evaluation.
    pub counts: Vec<(Reason, usize)>,
    /// How wide the interval of every withheld cell must be, in units; 0 if nothing is asked.
    pub width: i64,
}

impl RuleSet {
    /// Judges every cell of a table.
    ///
    /// # Errors
    /// [`RuleError`] if a parameter makes no sense, or a rule does not fit the table.
    pub fn judge(&self, table: &Table) -> Result<Judgement, RuleError> {
        self.check()?;
        let manual = self.manual.as_ref().map(|manual| manual.on(table)).transpose()?;
        let rows =
            self.row_share.as_ref().map(|share| share.on(table, Reason::RowShare)).transpose()?;
        let columns = self
            .column_share
            .as_ref()
            .map(|share| share.on(table, Reason::ColumnShare))
            .transpose()?;
        let mut rules = self.rules();
        rules.extend(manual.iter().map(|rule| rule as &dyn Rule));
        rules.extend(rows.iter().chain(&columns).map(|rule| rule as &dyn Rule));
        for rule in &rules {
            self.fits(*rule, table)?;
        }
        let frozen: Vec<CellId> =
            manual.iter().flat_map(|manual| manual.publish.iter().copied()).collect();
        let needs = self.needs(table, &rules, &frozen)?;
        let mut counts: Vec<(Reason, usize)> = Vec::new();
        for rule in &rules {
            let reason = rule.reason();
            let cells = needs.iter().filter(|need| need.reason == reason).count();
            if cells > 0 && counts.iter().all(|&(counted, _)| counted != reason) {
                counts.push((reason, cells));
            }
        }
        Ok(Judgement { needs, frozen, counts, width: self.width(table) })
    }

    /// Whether all parameters make sense; to be asked before the table is made.
    ///
    /// # Errors
    /// [`RuleError::Parameter`] names the one that does not.
    pub fn check(&self) -> Result<(), RuleError> {
        self.rules().into_iter().try_for_each(Rule::check)?;
        self.manual.iter().try_for_each(Manual::check)?;
        self.row_share.iter().try_for_each(|share| share.check(Reason::RowShare))?;
        self.column_share.iter().try_for_each(|share| share.check(Reason::ColumnShare))?;
        self.interval.iter().try_for_each(Interval::check)?;
        if self.missing_is_safe && self.missing.is_empty() {
            Err(RuleError::NoMissing)
        } else {
            Ok(())
        }
    }

    /// How many of the largest contributions a table must keep.
    pub fn top_needed(&self) -> usize {
        self.rules().iter().map(|rule| rule.asks().top).max().unwrap_or(0)
    }

    /// Whether a table must know its holdings.
    pub fn needs_holdings(&self) -> bool {
        self.rules().iter().any(|rule| rule.asks().by == By::Holding)
    }

    /// Whether there is no rule at all, so that every table would be safe.
    pub fn is_empty(&self) -> bool {
        let others = [self.manual.is_some(), self.row_share.is_some(), self.column_share.is_some()];
        self.rules().is_empty() && others == [false; 3]
    }

    /// The rules that judge a cell by itself, in the order of evaluation.
    fn rules(&self) -> Vec<&dyn Rule> {
        let mut rules: Vec<&dyn Rule> = Vec::new();
        rules.extend(self.dominance.iter().map(|rule| rule as &dyn Rule));
        rules.extend(self.p_percent.iter().map(|rule| rule as &dyn Rule));
        rules.extend(self.pq.iter().map(|rule| rule as &dyn Rule));
        rules.extend(self.request.iter().map(|rule| rule as &dyn Rule));
        rules.extend(self.frequency.iter().map(|rule| rule as &dyn Rule));
        rules.extend(self.zero.iter().map(|rule| rule as &dyn Rule));
        rules
    }

    /// Whether the table has what a rule asks for.
    fn fits(&self, rule: &dyn Rule, table: &Table) -> Result<(), RuleError> {
        let (asks, rule) = (rule.asks(), rule.name());
        let describe = |cell| table.names().describe(cell).to_string();
        if asks.values != Values::Any && table.response().is_none() {
            return Err(RuleError::AmountsOnly { rule });
        }
        let contributors = match asks.by {
            By::Respondent => table.respondents(),
            By::Holding => table.holdings().ok_or(RuleError::NoHoldings { rule })?,
        };
        if asks.by == By::Holding && asks.top > 0 && table.weighted().is_some() {
            return Err(RuleError::WeightedHoldings { rule });
        }
        let knows_requests = match asks.by {
            By::Respondent => table.requests().is_some(),
            By::Holding => contributors.has_requests(),
        };
        if asks.requests && !knows_requests {
            return Err(RuleError::NoRequests { rule });
        }
        if asks.weights && table.weighted().is_none() {
            return Err(RuleError::NoWeights { rule });
        }
        if let Some(cell) = first_incomplete(contributors, asks.top, table.len()) {
            let kept = contributors.depth();
            return Err(RuleError::NoLargest {
                rule,
                needed: asks.top,
                cell: describe(cell),
                kept,
            });
        }
        match table.negative() {
            Some(cell) if asks.values == Values::NonNegative && self.signed == Signed::Refuse => {
                Err(RuleError::Negative { rule, cell: describe(cell) })
            }
            _ => Ok(()),
        }
    }

    fn width(&self, table: &Table) -> i64 {
        self.interval.as_ref().map_or(0, |interval| interval.width.units(table.decimals()))
    }

    fn needs(
        &self,
        table: &Table,
        rules: &[&dyn Rule],
        frozen: &[CellId],
    ) -> Result<Needs, RuleError> {
        let scale = Scale::of(table);
        let missing = self.missing_codes(table)?;
        let sliding = self.width(table);
        let mut needs = Vec::new();
        for id in (0..table.len()).map(CellId::at) {
            if frozen.binary_search(&id).is_ok() {
                continue;
            }
            let cell = Cell::new(table, id, scale)?;
            let is_missing =
                table.key(id).iter().zip(&missing).any(|(code, missing)| missing.contains(code));
            let safe = is_missing || table.respondents().count(id) == 0;
            let asked = rules.iter().filter(|rule| !safe || rule.reason() == Reason::Manual);
            let mut levels = asked.filter_map(|rule| Some((rule.reason(), rule.judge(&cell)?)));
            if let Some((reason, first)) = levels.next() {
                let level = levels.fold(first, |largest, (_, level)| largest.max(level));
                let Level { down, up } = reachable(level, cell.value(), table.negative().is_some());
                needs.push(Need { cell: id, down, up, sliding, reason });
            }
        }
        Ok(Needs::new(needs))
    }

    /// For every dimension the codes that mean a missing value; none if such cells are judged like others.
    fn missing_codes(&self, table: &Table) -> Result<Vec<Vec<CodeId>>, RuleError> {
        let dimensions = table.dimensions();
        for name in self.missing.keys() {
            if dimensions.iter().all(|dimension| dimension.name != *name) {
                let names = dimensions.iter().map(|dimension| dimension.name.as_str());
                let hint = crate::error::nearest(name, names);
                return Err(RuleError::UnknownDimension {
                    rule: "missing",
                    name: name.clone(),
                    hint,
                });
            }
        }
        let codes = dimensions.iter().map(|dimension| {
            let names = self.missing.get(&dimension.name).filter(|_| self.missing_is_safe);
            let is_missing = |code: &CodeId| {
                names.is_some_and(|names| {
                    names.iter().any(|name| name == dimension.hierarchy.name(*code))
                })
            };
            (0..dimension.hierarchy.len() as CodeId).filter(is_missing).collect()
        });
        Ok(codes.collect())
    }
}

/// What a level can ask for: something above, and nothing below zero where an intruder knows that nothing is.
fn reachable(level: Level, value: i64, signed: bool) -> Level {
    let down = if signed || value < 0 { level.down } else { level.down.min(value) };
    Level { down, up: level.up.max(1) }
}

/// A cell of which the table keeps too few of the largest contributions.
fn first_incomplete(contributors: &Contributors, needed: usize, cells: usize) -> Option<CellId> {
    let kept = contributors.depth() as u64;
    if contributors.depth() >= needed {
        return None;
    }
    (0..cells).map(CellId::at).find(|&cell| contributors.count(cell) > kept)
}

/// Reads `{ … }` or `[{ … }, { … }]`, with the errors of the rule itself.
fn one_or_many<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Vec<T>, D::Error> {
    struct OneOrMany<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for OneOrMany<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a rule `{ … }` or a list of rules")
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Vec<T>, A::Error> {
            T::deserialize(MapAccessDeserializer::new(map)).map(|one| vec![one])
        }

        fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Vec<T>, A::Error> {
            Vec::deserialize(SeqAccessDeserializer::new(seq))
        }
    }
    from.deserialize_any(OneOrMany(PhantomData))
}
