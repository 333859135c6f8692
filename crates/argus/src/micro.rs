//! From records to tables.

use crate::arb::{CostSpec, Rules, Specify};
use crate::micro_table::{Column, MicroTable};
use crate::rda::{Metadata, Variable};
use crate::{Codes, Fault, Records};
use cellveil_core::CodeId;
use cellveil_core::units::pow10;
use cellveil_tabulate::{AMOUNT_DECIMALS, Extent, RequestSpec, TableSpec, Tally, amount_of_text};
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

/// Records in columns: codes by number, amounts in 10⁻⁹.
#[derive(Debug)]
pub struct Micro {
    metadata: Metadata,
    records: Records,
    /// Per variable the texts seen, in the order of their first record.
    texts: Vec<Vec<String>>,
    /// Per variable and text, the line of its first record.
    lines: Vec<Vec<u64>>,
    /// Per variable the number of the text of every record; empty for numbers.
    codes: Vec<Vec<u32>>,
    /// Per variable the amounts; empty for codes.
    amounts: Vec<Vec<i128>>,
}

/// Finds the file that metadata name.
pub type Resolve<'a> = dyn Fn(&str) -> PathBuf + 'a;

impl Micro {
    /// Reads the variables that some tables use.
    ///
    /// # Errors
    /// [`Fault`] names the record, or the metadata, at fault.
    pub fn read(
        records: Records,
        metadata: Metadata,
        tables: &[(Specify, Rules)],
    ) -> Result<Self, Fault> {
        let count = metadata.variables.len();
        let (mut as_code, mut as_amount) = (vec![false; count], vec![false; count]);
        for (specify, rules) in tables {
            for name in &specify.explanatory {
                as_code[explanatory(&metadata, name)?] = true;
            }
            for at in numbers(&metadata, specify)?.into_iter().flatten() {
                as_amount[at] = true;
            }
            if rules.weights {
                as_amount[needed(&metadata, |r| r.weight, "weight", "<WEIGHT>")?] = true;
            }
            if rules.by_holding() {
                as_code[needed(&metadata, |r| r.holding, "holding", "<HOLDING>")?] = true;
            }
            if rules.request.iter().any(Option::is_some) {
                as_code[needed(&metadata, |r| r.request, "request", "<REQUEST>")?] = true;
            }
        }
        let mut micro = Self {
            metadata,
            records,
            texts: vec![Vec::new(); count],
            lines: vec![Vec::new(); count],
            codes: vec![Vec::new(); count],
            amounts: vec![Vec::new(); count],
        };
        micro.columns(&as_code, &as_amount)?;
        Ok(micro)
    }

    fn columns(&mut self, as_code: &[bool], as_amount: &[bool]) -> Result<(), Fault> {
        let Self { metadata, records, texts, lines, codes, amounts } = self;
        let mut known: Vec<HashMap<String, u32>> = vec![HashMap::new(); texts.len()];
        records.each(metadata, |fields| {
            for (at, variable) in metadata.variables.iter().enumerate() {
                if as_code[at] {
                    let text = fields.code(variable, at);
                    let number = if let Some(&number) = known[at].get(text.as_ref()) {
                        number
                    } else {
                        let number = texts[at].len() as u32;
                        known[at].insert(text.to_string(), number);
                        texts[at].push(text.into_owned());
                        lines[at].push(fields.line);
                        number
                    };
                    codes[at].push(number);
                }
                if as_amount[at] {
                    let text = fields.number(variable, at);
                    let is_missing =
                        || variable.missing.iter().any(|code| code.trim() == text.trim());
                    let amount = match amount_of_text(text) {
                        Ok(amount) => amount,
                        Err(_) if is_missing() && !text.trim().is_empty() => 0,
                        Err(why) => {
                            return Err(records
                                .fault(fields.line, format!("`{}` {why}", variable.name))
                                .number(1008));
                        }
                    };
                    amounts[at].push(amount);
                }
            }
            Ok(())
        })
    }

    /// Makes a table.
    ///
    /// # Errors
    /// [`Fault`] if codes are not those of their hierarchy, or sums are too large.
    pub fn table(
        &self,
        specify: &Specify,
        rules: &Rules,
        resolve: &Resolve<'_>,
    ) -> Result<MicroTable, Fault> {
        let mut original = Vec::new();
        let mut places: Vec<(usize, Vec<CodeId>)> = Vec::new();
        for name in &specify.explanatory {
            let at = explanatory(&self.metadata, name)?;
            let variable = &self.metadata.variables[at];
            let data: BTreeSet<String> = self.texts[at].iter().cloned().collect();
            let file = variable.hierarchy_file.as_deref().map(resolve);
            let mut codes = Codes::new(variable, &data, file.as_deref())?;
            codes.label_from(variable, resolve);
            places.push((at, self.leaves(at, &codes)?));
            original.push(codes);
        }
        self.group(specify, rules, original, &places)?.rebuilt(None)
    }

    /// The code of every text of a variable; records carry leaves only.
    fn leaves(&self, at: usize, codes: &Codes) -> Result<Vec<CodeId>, Fault> {
        let name = &self.metadata.variables[at].name;
        let leaf = |(text, &line): (&String, &u64)| {
            let found = codes.of_record(text);
            if let Some(code) = found.filter(|&code| codes.dimension.hierarchy.is_leaf(code)) {
                return Ok(code);
            }
            let what = if found.is_some() {
                format!("code `{text}` of `{name}` is an aggregate of its hierarchy")
            } else {
                format!("code `{text}` of `{name}` is not in its hierarchy")
            };
            let hint = match codes.nearest(text) {
                Some(known) if found.is_none() => {
                    format!("correct it (did you mean `{known}`?), or add it to the hierarchy")
                }
                _ => "records carry the finest codes only; correct it, or the hierarchy".to_owned(),
            };
            Err(self.records.fault(line, what).number(1017).hint(hint))
        };
        self.texts[at].iter().zip(&self.lines[at]).map(leaf).collect()
    }

    fn group(
        &self,
        specify: &Specify,
        rules: &Rules,
        original: Vec<Codes>,
        places: &[(usize, Vec<CodeId>)],
    ) -> Result<MicroTable, Fault> {
        let count = places.first().map_or(0, |(at, _)| self.codes[*at].len());
        let one = pow10(AMOUNT_DECIMALS);
        let weight_at = self.metadata.with(|r| r.weight).filter(|_| rules.weights);
        let holding_at = self.metadata.with(|r| r.holding).filter(|_| rules.by_holding());
        let asks = rules.request.iter().any(Option::is_some);
        let request_at = self.metadata.with(|r| r.request).filter(|_| asks);
        let weight = |record: usize| weight_at.map_or(one, |at| self.amounts[at][record]);
        if let Some(at) = weight_at
            && let Some(record) = self.amounts[at].iter().position(|&weight| weight < 0)
        {
            let what = format!(
                "`{}` of record {} is negative",
                self.metadata.variables[at].name,
                record + 1
            );
            return Err(Fault::new(&self.metadata.file, what).hint("weights are zero or more"));
        }
        let (mut keys, mut members, mut of_record) = (Vec::new(), Vec::new(), Vec::new());
        let mut index: HashMap<Vec<u32>, u32> = HashMap::new();
        for record in 0..count {
            let codes = places.iter().map(|(at, leaf)| leaf[self.codes[*at][record] as usize]);
            let mut key: Vec<u32> = codes.collect();
            let member = holding_at.map(|at| self.codes[at][record]);
            let width = key.len();
            key.extend(member);
            let next = members.len() as u32;
            of_record.push(*index.entry(key).or_insert_with_key(|key| {
                keys.extend_from_slice(&key[..width]);
                members.push(member);
                next
            }));
        }
        let asked: Vec<Option<usize>> = match request_at {
            None => Vec::new(),
            Some(at) => {
                let codes = &self.metadata.variables[at].requests;
                let kind = |text: &String| {
                    codes
                        .iter()
                        .position(|code| code.as_deref().map(str::trim) == Some(text.trim()))
                };
                self.texts[at].iter().map(kind).collect()
            }
        };
        let request =
            |record: usize| request_at.and_then(|at| asked[self.codes[at][record] as usize]);
        let columns = numbers(&self.metadata, specify)?;
        let mut made = [Column::default(), Column::default(), Column::default()];
        for (nth, (column, at)) in made.iter_mut().zip(columns).enumerate() {
            let is_first = nth == 0;
            if at.is_none() && !is_first {
                continue;
            }
            let amount = |record: usize| at.map_or(one, |at| self.amounts[at][record]);
            let mut extent = Extent::default();
            for record in 0..count {
                extent.add(amount(record), weight(record));
            }
            column.units = extent.units();
            column.tallies = vec![Tally::default(); members.len()];
            let depth = rules.top();
            for (record, &group) in of_record.iter().enumerate() {
                let row = column.units.record(amount(record), weight(record), request(record));
                let row = row.ok_or_else(|| too_large(&self.metadata))?;
                column.tallies[group as usize].add(row, depth);
            }
        }
        let name = |at: Option<usize>| at.map(|at| self.metadata.variables[at].name.clone());
        let spec = TableSpec {
            dimensions: Vec::new(),
            response: specify.response.clone(),
            weight: name(weight_at),
            holding: name(holding_at),
            request: request_at.map(|at| RequestSpec {
                column: self.metadata.variables[at].name.clone(),
                codes: self.metadata.variables[at].requests.clone(),
            }),
            top: rules.top(),
            owners: false,
        };
        let holdings = holding_at.map_or(0, |at| self.texts[at].len());
        let decimals = columns[0].map_or(0, |at| self.metadata.variables[at].decimals);
        MicroTable::new(specify, rules, original, keys, members, holdings, spec, made, decimals)
    }
}

fn too_large(metadata: &Metadata) -> Fault {
    Fault::new(&metadata.file, "a sum is too large to be held exactly")
        .hint("give the response in larger units, such as thousands")
}

/// Response, shadow and cost, where they are variables; shadow and cost only where they differ from the response.
fn numbers(metadata: &Metadata, specify: &Specify) -> Result<[Option<usize>; 3], Fault> {
    let find = |name: &str| {
        let found = metadata.find(name).filter(|&at| metadata.variables[at].roles.numeric);
        found.ok_or_else(|| no_variable(metadata, name, "<NUMERIC>", |v| v.roles.numeric))
    };
    let response = specify.response.as_deref().map(find).transpose()?;
    let shadow = specify.shadow.as_deref().filter(|_| response.is_some()).map(find).transpose()?;
    let cost = match &specify.cost {
        CostSpec::Variable(name) => Some(find(name)?),
        _ => None,
    };
    Ok([response, shadow.filter(|_| shadow != response), cost.filter(|_| cost != response)])
}

fn explanatory(metadata: &Metadata, name: &str) -> Result<usize, Fault> {
    let found = metadata.find(name).filter(|&at| metadata.variables[at].roles.explanatory);
    found.ok_or_else(|| no_variable(metadata, name, "<RECODEABLE>", |v| v.roles.explanatory))
}

fn needed(
    metadata: &Metadata,
    role: impl Fn(&crate::rda::Roles) -> bool,
    what: &str,
    keyword: &str,
) -> Result<usize, Fault> {
    metadata.with(role).ok_or_else(|| {
        Fault::new(&metadata.file, format!("a rule needs a {what}, but no variable is one"))
            .hint(format!("mark the variable with `{keyword}`, or leave out the rule"))
    })
}

/// A variable that is not there, or not of the kind that is needed.
pub(crate) fn no_variable(
    metadata: &Metadata,
    name: &str,
    keyword: &str,
    fits: impl Fn(&Variable) -> bool,
) -> Fault {
    if let Some(at) = metadata.find(name) {
        let line = metadata.variables[at].line;
        return Fault::new(&metadata.file, format!("`{name}` is not marked with `{keyword}`"))
            .at(line)
            .hint("mark it, or name another variable in `<SPECIFYTABLE>`");
    }
    let known = metadata.variables.iter().filter(|v| fits(v)).map(|v| v.name.as_str());
    let hint = match cellveil_tabulate::text::nearest(name, known) {
        Some(known) => format!("did you mean `{known}`?"),
        None => "describe it, or name another variable in `<SPECIFYTABLE>`".to_owned(),
    };
    Fault::new(&metadata.file, format!("there is no variable `{name}`")).hint(hint)
}
