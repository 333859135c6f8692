//! Tables that share cells, as one table.
//!
//! Each stands at the totals of the variables it does not have. So the same cell of two tables is one cell, and every sum of any of them
//! is a sum of the whole.

use crate::{
    CellId, CellNames, CodeId, Contributors, Dimension, Table, TableError, TableParts, Weighted,
};

/// Where one of several linked tables stands in the whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linked {
    /// Its variables, as positions among those of the whole, in its own order.
    pub dimensions: Vec<usize>,
    /// Its cells, in its own order.
    pub cells: Vec<CellId>,
}

impl Table {
    /// Joins tables of one response over the same records.
    ///
    /// # Errors
    /// [`TableError`] if they are not of one kind, a variable has other codes in one than in another, or a cell another value.
    pub fn linked(tables: Vec<Self>) -> Result<(Self, Vec<Linked>), TableError> {
        check_alike(&tables)?;
        let dimensions = all_dimensions(&tables)?;
        let mut join = Join::new(&tables, &dimensions)?;
        let keys = std::mem::take(&mut join.keys);
        let whole = join.parts(&tables, dimensions, keys);
        let linked = join.linked;
        drop(tables);
        Ok((Self::new(whole)?, linked))
    }
}

/// Refuses tables that count different things.
fn check_alike(tables: &[Table]) -> Result<(), TableError> {
    let alike = |a: &TableParts, b: &TableParts| {
        let weights = |parts: &TableParts| parts.weighted.as_ref().map(|w| w.decimals);
        a.response == b.response
            && (a.decimals, a.contribution_decimals) == (b.decimals, b.contribution_decimals)
            && a.respondents.depth() == b.respondents.depth()
            && a.holdings.is_some() == b.holdings.is_some()
            && a.requests.is_some() == b.requests.is_some()
            && weights(a) == weights(b)
    };
    if tables.windows(2).all(|pair| alike(&pair[0].parts, &pair[1].parts)) {
        return Ok(());
    }
    let what = "they differ in response, weights, holdings, requests or units";
    Err(TableError::Unlike(what.to_owned()))
}

/// Every variable once, in the order of the tables.
fn all_dimensions(tables: &[Table]) -> Result<Vec<Dimension>, TableError> {
    let mut all: Vec<Dimension> = Vec::new();
    for dimension in tables.iter().flat_map(Table::dimensions) {
        match all.iter().find(|known| known.name == dimension.name) {
            None => all.push(dimension.clone()),
            Some(known) if known == dimension => {}
            Some(_) => {
                let what = format!("`{}` has other codes in one than in another", dimension.name);
                return Err(TableError::Unlike(what));
            }
        }
    }
    Ok(all)
}

/// Which cells the whole has, and where each comes from.
struct Join {
    keys: Vec<CodeId>,
    /// Per cell of the whole, a table and the cell there.
    sources: Vec<(usize, CellId)>,
    linked: Vec<Linked>,
}

impl Join {
    fn new(tables: &[Table], dimensions: &[Dimension]) -> Result<Self, TableError> {
        let width = dimensions.len();
        let count: usize = tables.iter().map(Table::len).sum();
        if count >= u32::MAX as usize {
            return Err(TableError::TooLarge);
        }
        let (mut keys, mut from, mut linked) = (Vec::new(), Vec::new(), Vec::new());
        keys.reserve_exact(count * width);
        from.reserve_exact(count);
        for (at, table) in tables.iter().enumerate() {
            let place = |own: &Dimension| dimensions.iter().position(|d| d.name == own.name);
            let places: Vec<usize> = table.dimensions().iter().filter_map(place).collect();
            for cell in (0..table.len()).map(CellId::at) {
                let start = keys.len();
                keys.resize(start + width, 0);
                for (&place, &code) in places.iter().zip(table.key(cell)) {
                    keys[start + place] = code;
                }
                from.push((at, cell));
            }
            linked.push(Linked { dimensions: places, cells: vec![CellId(0); table.len()] });
        }
        let row = |at: u32| &keys[at as usize * width..(at as usize + 1) * width];
        let mut order: Vec<u32> = (0..count as u32).collect();
        order.sort_by(|&a, &b| row(a).cmp(row(b)));
        let mut join = Self { keys: Vec::new(), sources: Vec::new(), linked };
        for same in order.chunk_by(|&a, &b| row(a) == row(b)) {
            let joint = CellId::at(join.sources.len());
            let (first, cell) = from[same[0] as usize];
            for &(table, twin) in same.iter().map(|&at| &from[at as usize]) {
                let value = |table: usize, cell: CellId| tables[table].values()[cell.index()];
                if value(table, twin) != value(first, cell) {
                    let name = tables[table].names().describe(twin);
                    return Err(TableError::Unlike(format!("the values of `{name}` differ")));
                }
                join.linked[table].cells[twin.index()] = joint;
            }
            join.keys.extend_from_slice(row(same[0]));
            join.sources.push((first, cell));
        }
        Ok(join)
    }

    /// The columns of the whole.
    fn parts(&self, tables: &[Table], dimensions: Vec<Dimension>, keys: Vec<CodeId>) -> TableParts {
        let sources = &self.sources;
        let people = |of: fn(&Table) -> Option<&Contributors>| {
            let lists: Option<Vec<&Contributors>> = tables.iter().map(of).collect();
            lists.map(|lists| Contributors::chosen(&lists, sources))
        };
        let requests =
            |&(table, cell): &(usize, CellId)| Some(tables[table].requests()?[cell.index()]);
        let weights = |table: &Table| table.weighted().map(|weighted| weighted.decimals);
        let weighted = tables.first().and_then(weights).map(|decimals| {
            let weight = |&(table, cell): &(usize, CellId)| {
                tables[table].weighted().map_or(0, |weighted| weighted.counts[cell.index()])
            };
            Weighted { decimals, counts: sources.iter().map(weight).collect() }
        });
        let negative = tables.iter().zip(&self.linked);
        let negative =
            negative.filter_map(|(table, linked)| Some(linked.cells[table.negative()?.index()]));
        let first = tables.first().map(|table| &table.parts);
        TableParts {
            dimensions,
            keys,
            response: first.and_then(|first| first.response.clone()),
            decimals: first.map_or(0, |first| first.decimals),
            values: sources.iter().map(|&(t, cell)| tables[t].values()[cell.index()]).collect(),
            contribution_decimals: first.map_or(0, |first| first.contribution_decimals),
            respondents: people(|table| Some(table.respondents()))
                .unwrap_or_else(|| Contributors::new(Vec::new(), 0, Vec::new())),
            holdings: people(Table::holdings).filter(|_| !tables.is_empty()),
            weighted,
            requests: sources.iter().map(requests).collect(),
            negative: negative.min(),
            tolerance: tables.iter().map(Table::tolerance).max().unwrap_or(0),
        }
    }
}

impl Linked {
    /// What the cells of the table are called, by its own variables only.
    pub fn names(&self, whole: &CellNames) -> Option<CellNames> {
        let CellNames::Codes { dimensions, .. } = whole else { return None };
        let own = |at: &usize| dimensions.get(*at).cloned();
        let keys = self.cells.iter().flat_map(|&cell| {
            let key = whole.key(cell);
            self.dimensions.iter().map(move |&at| key[at])
        });
        Some(CellNames::Codes {
            dimensions: self.dimensions.iter().map(own).collect::<Option<_>>()?,
            keys: keys.collect::<Vec<CodeId>>().into(),
        })
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use crate::{Hierarchy, Problem};
    use std::sync::Arc;

    fn dimension(name: &str, codes: &[&str]) -> Dimension {
        let hierarchy = Hierarchy::flat("Total", codes.iter().copied()).unwrap();
        Dimension { name: name.to_owned(), levels: Vec::new(), hierarchy: Arc::new(hierarchy) }
    }

    /// A table of two codes by two; the inner values row by row, with their numbers of respondents.
    fn table(names: [&str; 2], inner: [i64; 4], counts: [u64; 4]) -> Table {
        let dimensions = names.map(|name| dimension(name, &["p", "q"])).to_vec();
        let (mut keys, mut values, mut people) = (Vec::new(), Vec::new(), Vec::new());
        for a in 0..3_usize {
            for b in 0..3_usize {
                keys.extend([a as CodeId, b as CodeId]);
                let inside =
                    |&at: &usize| (a == 0 || a == at / 2 + 1) && (b == 0 || b == at % 2 + 1);
                values.push((0..4).filter(inside).map(|at| inner[at]).sum());
                people.push((0..4).filter(inside).map(|at| counts[at]).sum());
            }
        }
        Table::new(TableParts {
            dimensions,
            keys,
            response: None,
            decimals: 0,
            values,
            contribution_decimals: 0,
            respondents: Contributors::new(people, 0, Vec::new()),
            holdings: None,
            weighted: None,
            requests: None,
            negative: None,
            tolerance: 0,
        })
        .unwrap()
    }

    #[test]
    fn the_same_cell_of_two_tables_is_one_cell() {
        let one = table(["a", "b"], [1, 2, 3, 4], [1, 1, 2, 2]);
        let two = table(["c", "a"], [2, 3, 1, 4], [1, 2, 1, 2]);
        let (whole, linked) = Table::linked(vec![one.clone(), two.clone()]).unwrap();
        // The total and both codes of `a` are in both.
        assert_eq!(whole.len(), 9 + 9 - 3);
        let names: Vec<&str> = whole.dimensions().iter().map(|d| d.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "c"]);
        assert_eq!(linked[1].dimensions, [2, 0]);
        for (table, linked) in [&one, &two].into_iter().zip(&linked) {
            let names = linked.names(whole.names()).unwrap();
            for (at, &cell) in linked.cells.iter().enumerate() {
                assert_eq!(whole.values()[cell.index()], table.values()[at]);
                assert_eq!(
                    whole.respondents().count(cell),
                    table.respondents().count(CellId::at(at))
                );
                assert_eq!(names.key(CellId::at(at)), table.key(CellId::at(at)));
            }
        }
        // Six sums each; that of `a` over all else is one of both.
        assert_eq!(whole.relations().len(), 6 + 6 - 1);
        let none = crate::Needs::default();
        assert!(Problem::from_table(&whole, &none, &[], &crate::Policy::default()).is_ok());
    }

    #[test]
    fn tables_that_contradict_each_other_are_refused() {
        let one = table(["a", "b"], [1, 2, 3, 4], [1; 4]);
        let other = table(["a", "c"], [1, 1, 4, 4], [1; 4]);
        let refused = Table::linked(vec![one.clone(), other]).map(|_| ());
        assert!(matches!(refused, Err(TableError::Unlike(what)) if what.contains("differ")));
        let mut counted = table(["a", "c"], [1, 2, 3, 4], [1; 4]);
        counted.parts.response = Some("x".to_owned());
        assert!(Table::linked(vec![one, counted]).is_err());
    }
}
