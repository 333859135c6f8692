//! Which components are networks.

use super::implied::System;
use crate::component::Component;

/// A component as a directed graph: nodes are relations, arcs are cells, and a move of a cell is a flow along its arc.
///
/// Node 0 stands for the outside: it is an end of the cells that lie in one relation only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    /// How many nodes there are.
    pub nodes: usize,
    /// Per cell of the component its tail and head; `None` for cells that the relations alone hold in place.
    pub arcs: Vec<Option<(u32, u32)>>,
}

impl Network {
    /// Reads a component as a network, if it is one once relations that follow from others are left out.
    ///
    /// Tables of two dimensions are, also with a hierarchy in one of them, and tables linked by a margin. The time is
    /// linear but for the depth of the hierarchy, whatever the answer.
    pub fn of(component: &Component) -> Option<Self> {
        let mut system = System::new(component)?;
        system.reduce()?;
        let mut signs = system.signs()?;
        let mut node = vec![0; component.rows.len()];
        let mut nodes = 1;
        for (row, node) in node.iter_mut().enumerate() {
            if system.is_kept(row as u32) {
                *node = nodes;
                nodes += 1;
            }
        }
        let arcs = (0..component.cells.len() as u32).map(|column| {
            let (mut tail, mut head) = (0, 0);
            for (row, coefficient) in system.entries(column) {
                let end = if signs.find(row).1 * coefficient > 0 { &mut tail } else { &mut head };
                *end = node[row as usize];
            }
            // A cell in no relation at all is a loop: it moves as it likes. Any other without an end is held in place.
            (tail != head || component.rows.is_empty()).then_some((tail, head))
        });
        let arcs = arcs.collect();
        Some(Self { nodes: nodes as usize, arcs })
    }

    /// A relation that keeps a component from being a network, by its position; `None` if it is one.
    pub fn obstacle(component: &Component) -> Option<usize> {
        let Some(mut system) = System::new(component) else { return System::too_much(component) };
        if system.reduce().is_none() {
            return system.left_over();
        }
        match system.signs() {
            Some(_) => None,
            None => (0..component.rows.len()).find(|&row| system.is_kept(row as u32)),
        }
    }
}
