//! Which cells are determined by those that are published, kept up to date cell by cell.
//!
//! Every cell has coordinates in the space of all solutions. Publishing a cell leaves the solutions in which it does not move: one way to
//! move fewer. The coordinates are kept in a basis of published cells and of *open* ways; a cell is withheld as long as it has an open
//! coordinate. A change is tried on the open ways only; the others follow when it is kept.

use super::classes::Classes;
use super::worth::Worth;
use crate::random::Random;
use cellveil_attack::Small;

/// Coordinates of classes of cells, way by way.
#[derive(Clone)]
pub(super) struct Tableau {
    columns: Vec<Vec<u32>>,
    /// The ways in which cells can still move.
    open: Vec<u32>,
    /// Those that can be opened again.
    closed: Vec<u32>,
    /// How many coordinates were looked at.
    pub(super) work: u64,
}

/// A change that may be kept or undone.
pub(super) struct Change {
    /// What the pattern costs after it.
    pub(super) cost: f64,
    /// The ways that were closed, each by publishing a class, in this order.
    closed: Vec<(u32, u32)>,
    open_before: Vec<u32>,
    closed_before: Vec<u32>,
    /// Ways with their coordinates before.
    columns_before: Vec<(u32, Vec<u32>)>,
}

impl Tableau {
    /// Nothing is published.
    pub(super) fn new(columns: Vec<Vec<u32>>) -> Self {
        let open = (0..columns.len() as u32).collect();
        Self { columns, open, closed: Vec::new(), work: 0 }
    }

    /// The open way, if there is only one.
    pub(super) fn only_open(&self) -> Option<u32> {
        if let [way] = self.open[..] { Some(way) } else { None }
    }

    /// A closed way by chance.
    pub(super) fn any_closed(&self, random: &mut Random) -> Option<u32> {
        (!self.closed.is_empty()).then(|| self.closed[random.below(self.closed.len())])
    }

    /// The coordinates of all classes in a way.
    pub(super) fn column(&self, way: u32) -> &[u32] {
        &self.columns[way as usize]
    }

    /// Closes a way, open or closed, by publishing a class; `open` is the only open one afterwards.
    pub(super) fn replace(&mut self, way: u32, open: u32, class: u32) {
        let column = self.shared(way, class);
        let moved = moved(&column);
        for &other in self.closed.iter().chain(&self.open).filter(|&&other| other != way) {
            self.work += clear(&mut self.columns[other as usize], class, &column, &moved);
        }
        self.columns[way as usize] = column;
        if self.open != [open] {
            self.open = vec![open];
            self.closed.retain(|&other| other != open);
            self.closed.push(way);
        }
    }

    /// The coordinates of a way in units of a class.
    fn shared(&mut self, way: u32, class: u32) -> Vec<u32> {
        let mut column = std::mem::take(&mut self.columns[way as usize]);
        let share = Small::inverse(u64::from(column[class as usize]));
        for value in column.iter_mut().filter(|value| **value != 0) {
            *value = Small::times(u64::from(*value), share) as u32;
        }
        column
    }

    pub(super) fn dimension(&self) -> usize {
        self.columns.len()
    }

    pub(super) fn is_withheld(&self, class: u32) -> bool {
        self.open.iter().any(|&way| self.at(way, class) != 0)
    }

    fn at(&self, way: u32, class: u32) -> u64 {
        u64::from(self.columns[way as usize][class as usize])
    }

    /// Opens so many ways, chosen by chance, and publishes, one after the other, the classes that are worth most together with all that
    /// they determine, as long as no sensitive one is. What each is worth is multiplied by a factor.
    pub(super) fn change(
        &mut self,
        opened: usize,
        classes: &Classes,
        factors: &[f64],
        random: &mut Random,
    ) -> Change {
        let (open_before, closed_before) = (self.open.clone(), self.closed.clone());
        for _ in 0..opened.min(self.closed.len()) {
            let way = self.closed.swap_remove(random.below(self.closed.len()));
            self.open.push(way);
        }
        let column = |&way: &u32| (way, self.columns[way as usize].clone());
        let columns_before = self.open.iter().map(column).collect();
        let withheld = (0..classes.len() as u32).filter(|&class| self.is_withheld(class)).collect();
        let open = self.open.iter().map(|&way| &self.columns[way as usize][..]);
        let mut worth = Worth::new(withheld, open, classes.len(), random);
        self.work += (2 * self.open.len() * worth.withheld.len()) as u64;
        let mut closed = Vec::new();
        while let Some(class) = worth.most(classes, factors) {
            self.work += 8 * worth.withheld.len() as u64;
            let Some(at) = self.open.iter().position(|&way| self.at(way, class) != 0) else {
                break;
            };
            let way = self.open.swap_remove(at);
            worth.publish(class, &self.columns[way as usize]);
            self.close(way, class);
            closed.push((way, class));
        }
        let cost = worth.withheld.iter().map(|&class| classes.costs[class as usize]).sum();
        Change { cost, closed, open_before, closed_before, columns_before }
    }

    /// Publishes classes for good, but for those that determine a sensitive one.
    pub(super) fn publish_harmless(&mut self, tight: &[u32], classes: &Classes) {
        let sensitive: Vec<u32> =
            (0..classes.len() as u32).filter(|&class| classes.sensitive[class as usize]).collect();
        for &class in tight {
            if !sensitive.iter().any(|&other| self.is_determined(other, class)) {
                self.publish(std::iter::once(class));
                self.closed.clear();
            }
        }
    }

    /// Whether a class is known when another one is.
    fn is_determined(&self, class: u32, by: u32) -> bool {
        let Some(&way) = self.open.iter().find(|&&way| self.at(way, by) != 0) else { return false };
        let share = Small::times(self.at(way, class), Small::inverse(self.at(way, by)));
        self.open.iter().all(|&way| self.at(way, class) == Small::times(share, self.at(way, by)))
    }

    /// Publishes classes.
    pub(super) fn publish(&mut self, classes: impl Iterator<Item = u32>) {
        for class in classes {
            if let Some(at) = self.open.iter().position(|&way| self.at(way, class) != 0) {
                let way = self.open.swap_remove(at);
                self.close(way, class);
                self.follow(way, class);
            }
        }
    }

    /// Lets a class take the place of a way in the basis, as far as the open ways go.
    fn close(&mut self, way: u32, class: u32) {
        let column = self.shared(way, class);
        let moved = moved(&column);
        for &other in &self.open {
            self.work += clear(&mut self.columns[other as usize], class, &column, &moved);
        }
        self.columns[way as usize] = column;
    }

    /// Lets the other ways follow.
    pub(super) fn keep(&mut self, change: &Change) {
        for &(way, class) in &change.closed {
            self.follow(way, class);
        }
    }

    fn follow(&mut self, way: u32, class: u32) {
        let column = std::mem::take(&mut self.columns[way as usize]);
        let moved = moved(&column);
        for &other in &self.closed {
            self.work += clear(&mut self.columns[other as usize], class, &column, &moved);
        }
        self.columns[way as usize] = column;
        self.closed.push(way);
    }

    pub(super) fn undo(&mut self, change: Change) {
        self.open = change.open_before;
        self.closed = change.closed_before;
        for (way, column) in change.columns_before {
            self.columns[way as usize] = column;
        }
    }
}

/// The classes that move in a way.
fn moved(column: &[u32]) -> Vec<u32> {
    (0..).zip(column).filter(|(_, value)| **value != 0).map(|(class, _)| class).collect()
}

/// Takes so much of a column from another that a class has no coordinate left in it. Says how much work that was.
fn clear(from: &mut [u32], class: u32, column: &[u32], moved: &[u32]) -> u64 {
    let back = Small::negative(u64::from(from[class as usize]));
    if back == 0 {
        return 0;
    }
    for &at in moved {
        let (value, step) = (&mut from[at as usize], u64::from(column[at as usize]));
        *value = Small::add(u64::from(*value), Small::times(back, step)) as u32;
    }
    moved.len() as u64
}
