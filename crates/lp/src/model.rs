//! What to solve.

/// A variable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column {
    /// Its coefficient in the objective, which is minimised.
    pub cost: f64,
    /// Its lower bound; may be −∞.
    pub lower: f64,
    /// Its upper bound; may be +∞.
    pub upper: f64,
    /// Whether it must be a whole number.
    pub integer: bool,
}

/// A constraint: `lower ≤ Σ coefficient · column ≤ upper`.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The columns with their coefficients; each column at most once.
    pub terms: Vec<(u32, f64)>,
    /// May be −∞.
    pub lower: f64,
    /// May be +∞.
    pub upper: f64,
}

/// What will change from one solve of a session to the next; tells the engine from which side to start again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Changes {
    /// Mostly costs: the last point stays feasible.
    Costs,
    /// Mostly bounds and rows: the last prices stay valid.
    #[default]
    Bounds,
    /// So much that starting again from scratch, with the model simplified first, is quicker. (Measured on the pricing
    /// programs of a 2020-cell hierarchical table: 20 ms from scratch, 200 ms from the last basis.)
    Many,
    /// What the answer is near to: nothing. Every solve starts there, and not where the last one ended.
    Fresh,
    /// As [`Changes::Fresh`], and few columns will move: costs are hardly perturbed, because putting them right again would take longer than
    /// it saves. (Measured on programs of 10 000 cells of a hierarchical table: less than half the time.)
    Few,
    /// Nothing, and the model is large: every solve is by an interior point method, and the answer is no vertex.
    Interior,
    /// As [`Changes::Interior`], and the answer is a vertex.
    Corner,
}

/// `min Σ cost · column` subject to rows and bounds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// What a session on this model will change.
    pub changes: Changes,
    /// The variables.
    pub columns: Vec<Column>,
    /// The constraints.
    pub rows: Vec<Row>,
}

impl Model {
    /// Adds a continuous variable and returns its number.
    pub fn column(&mut self, cost: f64, lower: f64, upper: f64) -> u32 {
        self.columns.push(Column { cost, lower, upper, integer: false });
        self.columns.len() as u32 - 1
    }

    /// Adds a variable that must be a whole number and returns its number.
    pub fn whole(&mut self, cost: f64, lower: f64, upper: f64) -> u32 {
        self.columns.push(Column { cost, lower, upper, integer: true });
        self.columns.len() as u32 - 1
    }

    /// Adds a constraint.
    pub fn row(&mut self, terms: Vec<(u32, f64)>, lower: f64, upper: f64) {
        self.rows.push(Row { terms, lower, upper });
    }
}
