//! Puts the codes that records carry and all hierarchies over them together.
//!
//! A code is known by its column and name where columns are levels, so that the same name on two levels is two codes; by its
//! name alone everywhere else, so that the same name in two trees is one code.

use crate::plan::Variable;
use crate::tree::{Form, Tree};
use crate::{Locate, Place, TabulateError, text};
use std::collections::{BTreeMap, HashMap};

/// The values of one variable's columns, finest first; `None` is missing.
pub(crate) type Values = Vec<Option<String>>;

/// What kind of codes the data carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carried {
    /// Records: codes of the finest level; a missing value is a code of its own.
    Finest,
    /// A finished table: codes of any level; a missing value stands for what is above.
    Any,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Identity {
    Total,
    Level(usize, String),
    Name(String),
    /// A missing value of a level column, told apart by what lies above it.
    Missing(usize, usize, Values),
}

/// One hierarchy over the codes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape {
    pub(crate) roots: Vec<usize>,
    pub(crate) children: BTreeMap<usize, Vec<usize>>,
}

/// All codes of one variable, and the hierarchies over them.
pub(crate) struct Assembly<'a> {
    variable: &'a Variable,
    carried: Carried,
    locate: &'a dyn Locate,
    /// What each code is called; the total is code 0.
    pub(crate) names: Vec<String>,
    /// Codes that stand for missing values of the variable itself.
    pub(crate) is_missing: Vec<bool>,
    index: HashMap<Identity, usize>,
    /// The code of each of the data's values.
    pub(crate) codes: Vec<usize>,
    pub(crate) shapes: Vec<Shape>,
}

impl<'a> Assembly<'a> {
    /// Finds the codes of all values and builds every hierarchy over them.
    pub(crate) fn new(
        variable: &'a Variable,
        values: &[Values],
        carried: Carried,
        locate: &'a dyn Locate,
    ) -> Result<Self, TabulateError> {
        let mut assembly = Self {
            variable,
            carried,
            locate,
            names: Vec::new(),
            is_missing: Vec::new(),
            index: HashMap::new(),
            codes: Vec::new(),
            shapes: vec![Shape::default(); variable.forms.len().max(1)],
        };
        assembly.intern(Identity::Total, &variable.spec.total);
        let values: Vec<Values> =
            values.iter().map(|values| assembly.normal(values)).collect::<Result<_, _>>()?;
        assembly.codes = values.iter().map(|values| assembly.code_of(values)).collect();
        // Level columns first, because a file may build upon their codes.
        for (at, form) in variable.forms.iter().enumerate() {
            if let Form::Levels(levels) = form {
                assembly.shapes[at] = assembly.by_levels(at, levels, &values)?;
            }
        }
        for (at, form) in variable.forms.iter().enumerate() {
            match form {
                Form::Levels(_) => {}
                Form::Tree(tree) => assembly.shapes[at] = assembly.by_tree(tree),
                Form::Digits(ends) => assembly.shapes[at] = assembly.by_digits(ends)?,
            }
        }
        if variable.forms.is_empty() {
            let mut links = Links::default();
            for &code in assembly.codes.iter().filter(|&&code| code != 0) {
                links.above.insert(code, (None, 0));
            }
            assembly.shapes[0] = assembly.shape(&links);
        }
        assembly.check_codes()?;
        Ok(assembly)
    }

    /// What a missing value is called.
    pub(crate) fn missing(&self) -> &str {
        &self.variable.spec.missing
    }

    fn intern(&mut self, identity: Identity, name: &str) -> usize {
        let next = self.names.len();
        let code = *self.index.entry(identity).or_insert(next);
        if code == next {
            self.names.push(name.to_owned());
            self.is_missing.push(false);
        }
        code
    }

    /// Values with one form for what is missing; records may not carry the total.
    fn normal(&self, values: &Values) -> Result<Values, TabulateError> {
        let spec = &self.variable.spec;
        if self.carried == Carried::Any {
            return Ok(values
                .iter()
                .map(|value| value.clone().filter(|name| *name != spec.total))
                .collect());
        }
        for (column, value) in self.variable.columns.iter().zip(values) {
            if value.as_ref() == Some(&spec.total) {
                let place = self.place(&[(column, value.as_deref())]);
                return Err(TabulateError::AggregateCode {
                    place,
                    column: column.clone(),
                    code: spec.total.clone(),
                });
            }
        }
        Ok(values.iter().map(|value| value.clone().filter(|name| *name != spec.missing)).collect())
    }

    fn code_of(&mut self, values: &Values) -> usize {
        let missing = self.variable.spec.missing.clone();
        if let Some((level, name)) =
            values.iter().enumerate().find_map(|(at, v)| v.as_ref().map(|v| (at, v)))
            && (level == 0 || self.carried == Carried::Any)
        {
            return self.intern(Identity::Level(level, name.clone()), name);
        }
        if self.carried == Carried::Any {
            return 0;
        }
        let identity = if values.len() == 1 {
            Identity::Level(0, missing.clone())
        } else {
            Identity::Missing(usize::MAX, 0, values.clone())
        };
        let code = self.intern(identity, &missing);
        self.is_missing[code] = true;
        code
    }

    fn by_levels(
        &mut self,
        form: usize,
        levels: &[usize],
        values: &[Values],
    ) -> Result<Shape, TabulateError> {
        let mut links = Links::default();
        for (at, row) in values.iter().enumerate() {
            let skipped = match self.carried {
                Carried::Finest => 0,
                Carried::Any => levels.iter().take_while(|&&level| row[level].is_none()).count(),
            };
            let mut below: Option<usize> = None;
            for (depth, &level) in levels.iter().enumerate().skip(skipped) {
                let code = match &row[level] {
                    _ if depth == 0 => self.codes[at],
                    Some(name) => self.intern(Identity::Level(level, name.clone()), name),
                    None => {
                        let above = levels[depth + 1..]
                            .iter()
                            .map(|&coarser| row[coarser].clone())
                            .collect();
                        let missing = self.variable.spec.missing.clone();
                        self.intern(Identity::Missing(form, level, above), &missing)
                    }
                };
                if let Some(child) = below
                    && let Some(other) = links.link(child, Some(code), at)
                {
                    return Err(self.two_parents(levels[depth - 1], level, &values[other], row));
                }
                below = Some(code);
            }
            if let Some(root) = below {
                links.link(root, None, at);
            }
        }
        Ok(self.shape(&links))
    }

    fn by_tree(&mut self, tree: &Tree) -> Shape {
        let codes: Vec<usize> = tree.nodes.iter().map(|node| self.named(&node.name)).collect();
        let mut shape = Shape::default();
        for (node, &code) in tree.nodes.iter().zip(&codes) {
            match node.parent {
                None => shape.roots.push(code),
                Some(parent) => shape.children.entry(codes[parent]).or_default().push(code),
            }
        }
        shape
    }

    fn by_digits(&mut self, ends: &[usize]) -> Result<Shape, TabulateError> {
        let mut links = Links::default();
        let finest: Vec<usize> =
            self.codes.iter().copied().filter(|&c| c != 0 && !self.is_missing[c]).collect();
        for code in finest {
            let name = self.names[code].clone();
            let letters: Vec<char> = name.chars().collect();
            if !ends.contains(&letters.len()) {
                let column = self.variable.columns[0].clone();
                let place = self.place(&[(&column, Some(&name))]);
                return Err(TabulateError::CodeLength {
                    place,
                    column,
                    code: name,
                    lengths: ends.to_vec(),
                });
            }
            let mut above = None;
            for &end in ends.iter().take_while(|&&end| end <= letters.len()) {
                let prefix: String = letters[..end].iter().collect();
                let next = self.named(&prefix);
                links.link(next, above, 0);
                above = Some(next);
            }
        }
        Ok(self.shape(&links))
    }

    /// The code a file means by a name: that of the finest column which has it.
    fn named(&mut self, name: &str) -> usize {
        let mut levels = 0..self.variable.columns.len();
        let seen = levels
            .find_map(|level| self.index.get(&Identity::Level(level, name.to_owned())).copied());
        seen.unwrap_or_else(|| self.intern(Identity::Name(name.to_owned()), name))
    }

    /// A hierarchy from links, in the order of names, missing values last.
    fn shape(&self, links: &Links) -> Shape {
        let mut codes: Vec<(usize, Option<usize>)> =
            links.above.iter().map(|(&c, &(above, _))| (c, above)).collect();
        let missing = &self.variable.spec.missing;
        codes.sort_by(|&(a, _), &(b, _)| {
            let (a_name, b_name) = (&self.names[a], &self.names[b]);
            (a_name == missing)
                .cmp(&(b_name == missing))
                .then_with(|| text::order(a_name, b_name))
                .then(a.cmp(&b))
        });
        let mut shape = Shape::default();
        for (code, above) in codes {
            match above {
                None => shape.roots.push(code),
                Some(above) => shape.children.entry(above).or_default().push(code),
            }
        }
        shape
    }

    /// Records carry listed codes of the finest level only; finished tables carry listed codes.
    fn check_codes(&self) -> Result<(), TabulateError> {
        let mut is_listed = vec![false; self.names.len()];
        let mut is_aggregate = vec![false; self.names.len()];
        is_listed[0] = true;
        for shape in &self.shapes {
            for (&above, children) in &shape.children {
                is_aggregate[above] = true;
                for &child in children {
                    is_listed[child] = true;
                }
            }
            for &root in &shape.roots {
                is_listed[root] = true;
            }
        }
        let column = &self.variable.columns[0];
        for &code in &self.codes {
            let name = self.names[code].clone();
            let place = || self.place(&[(column, Some(&name))]);
            if self.carried == Carried::Finest && is_aggregate[code] {
                return Err(TabulateError::AggregateCode {
                    place: place(),
                    column: column.clone(),
                    code: name,
                });
            }
            if !is_listed[code] && name != self.variable.spec.missing {
                let usable =
                    |&c: &usize| is_listed[c] && (!is_aggregate[c] || self.carried == Carried::Any);
                let known = (1..self.names.len()).filter(usable).map(|c| &self.names[c][..]);
                let nearest = text::nearest(&name, known).map(str::to_owned);
                return Err(TabulateError::UnknownCode {
                    place: place(),
                    column: column.clone(),
                    code: name,
                    nearest,
                });
            }
        }
        Ok(())
    }

    fn two_parents(
        &self,
        finer: usize,
        coarser: usize,
        first: &Values,
        second: &Values,
    ) -> TabulateError {
        let columns = &self.variable.columns;
        let place = |row: &Values| {
            self.place(&[
                (&columns[finer], row[finer].as_deref()),
                (&columns[coarser], row[coarser].as_deref()),
            ])
        };
        let named = |row: &Values, at: usize| {
            format!("{}={}", columns[at], row[at].as_deref().unwrap_or(&self.variable.spec.missing))
        };
        TabulateError::TwoParents {
            code: named(first, finer),
            above: Box::new([named(first, coarser), named(second, coarser)]),
            places: Box::new([place(first), place(second)]),
        }
    }

    fn place(&self, wanted: &[(&String, Option<&str>)]) -> Place {
        let wanted: Vec<(&str, Option<&str>)> =
            wanted.iter().map(|&(column, value)| (&column[..], value)).collect();
        self.locate.first(&wanted)
    }
}

/// Which code lies below which, and the first value that said so.
#[derive(Default)]
struct Links {
    above: BTreeMap<usize, (Option<usize>, usize)>,
}

impl Links {
    /// Adds a link; returns the value that said otherwise before, if there is one.
    fn link(&mut self, code: usize, above: Option<usize>, value: usize) -> Option<usize> {
        let &mut (before, first) = self.above.entry(code).or_insert((above, value));
        (before != above).then_some(first)
    }
}
