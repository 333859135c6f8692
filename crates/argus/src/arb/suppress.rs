//! `<SUPPRESS> METHOD(table,…)`

use super::{Wrong, wrong};

/// The methods of τ-ARGUS, and those that only cellveil has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Technique {
    /// `GH`: hypercubes.
    Hypercube,
    /// `MOD`: subtable by subtable.
    Modular,
    /// `OPT`: the whole table at once.
    Optimal,
    /// `NET`: shortest paths.
    Network,
    /// `RND`: controlled rounding.
    Rounding,
    /// `CTA`: controlled tabular adjustment.
    Adjustment,
    /// `CKM`: random noise by cell keys.
    CellKey,
    /// `AUTO`: whatever cellveil picks.
    Auto,
}

impl Technique {
    /// All of them with their names in batch files and in cellveil.
    pub const ALL: [(Self, &'static str, &'static str); 8] = [
        (Self::Hypercube, "GH", "hypercube"),
        (Self::Modular, "MOD", "modular"),
        (Self::Optimal, "OPT", "optimal"),
        (Self::Network, "NET", "network"),
        (Self::Rounding, "RND", "rounding"),
        (Self::Adjustment, "CTA", "cta"),
        (Self::CellKey, "CKM", "cell-key"),
        (Self::Auto, "AUTO", "auto"),
    ];

    /// The name in batch files.
    pub fn code(self) -> &'static str {
        Self::ALL.iter().find(|(one, ..)| *one == self).map_or("", |(_, code, _)| code)
    }

    /// The name in cellveil.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(one, ..)| *one == self).map_or("", |(.., name)| name)
    }
}

/// What to protect, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Suppress {
    /// The method.
    pub technique: Technique,
    /// Which table, counted from 1; 0 for all of them together.
    pub table: usize,
    /// Its further numbers, as they are written; `None` where one is left out.
    pub parameters: Vec<Option<f64>>,
}

impl Suppress {
    pub(super) fn parse(rest: &str) -> Result<Self, Wrong> {
        let shape = "write `<SUPPRESS> MOD(1,5,1,1,1)`";
        let (name, rest) =
            rest.split_once('(').ok_or_else(|| wrong("there is no table in brackets", shape))?;
        let name = name.trim().to_uppercase();
        let known = Technique::ALL.iter().find(|(_, code, _)| *code == name);
        let &(technique, ..) = known.ok_or_else(|| {
            wrong(format!("`{name}` is no method"), "GH, MOD, OPT, NET, RND, CTA, CKM or AUTO")
        })?;
        let (inside, _) =
            rest.split_once(')').ok_or_else(|| wrong("there is no closing bracket", shape))?;
        let mut numbers = inside.split(',').map(str::trim);
        let table = numbers.next().and_then(|number| number.parse().ok());
        let table = table.ok_or_else(|| wrong("the table has no number", shape))?;
        let mut parameters = Vec::new();
        for text in numbers {
            parameters.push(match text {
                "" => None,
                text => Some(
                    text.parse().map_err(|_| wrong(format!("`{text}` is not a number"), shape))?,
                ),
            });
        }
        if table == 0
            && !matches!(technique, Technique::Modular | Technique::Hypercube | Technique::Auto)
        {
            return Err(wrong(
                format!("`{name}` cannot protect linked tables"),
                "use `MOD(0)`, `GH(0)` or `AUTO(0)`",
            ));
        }
        Ok(Self { technique, table, parameters })
    }

    /// A parameter, counted from 0 after the table.
    pub fn parameter(&self, at: usize) -> Option<f64> {
        self.parameters.get(at).copied().flatten()
    }

    /// How many minutes the method may take, where it says so.
    pub fn minutes(&self) -> Option<f64> {
        match self.technique {
            Technique::Modular | Technique::Optimal | Technique::Auto => self.parameter(0),
            Technique::Rounding => self.parameter(2),
            _ => None,
        }
    }

    /// Which singleton devices are on: two singletons, a singleton and another, too few altogether.
    pub fn singletons(&self) -> [bool; 3] {
        let on = |at| self.parameter(at).is_none_or(|flag| flag != 0.0);
        match self.technique {
            Technique::Modular | Technique::Optimal => [on(1), on(2), on(3)],
            Technique::Hypercube => [on(2), on(2), false],
            Technique::Network => [false; 3],
            _ => [true; 3],
        }
    }
}
