//! Margins and large cells that will be withheld whatever the order: rules (20)–(23) of the document.

use cellveil_core::{CellId, Problem, Status};

/// How often the relations are gone through: a margin may ask for the next one above, as deep as hierarchies are.
const PASSES: usize = 32;

/// The cells that a relation with a demanding sensitive cell cannot do without. They cost nothing in the programs, so
/// that they are taken before others; what was not needed after all is given back at the end.
pub(super) fn preselect(problem: &Problem) -> Vec<bool> {
    let relations = problem.relations();
    // What each cell asks for; margins that are chosen ask for what their parts cannot make up for.
    let mut levels = vec![0_i64; problem.len()];
    for need in problem.needs() {
        levels[need.cell.index()] = need.down.max(need.up);
    }
    let mut chosen = vec![false; problem.len()];
    let free = |chosen: &[bool], cell: CellId| {
        problem.status(cell) == Status::Free && !chosen[cell.index()]
    };
    for _ in 0..PASSES {
        let mut changed = false;
        for relation in (0..relations.len()).filter(|&relation| relations.is_sum(relation)) {
            let Some(total) = relations.total(relation) else { continue };
            let parts = || relations.row(relation).map(|(cell, _)| cell).filter(|&c| c != total);
            let Some(most) = parts().max_by_key(|cell| levels[cell.index()]) else { continue };
            let level = levels[most.index()];
            if level == 0 || !free(&chosen, total) {
                continue;
            }
            let others = problem.value(total).saturating_sub(problem.value(most));
            if others < level {
                // (20)–(22): the other parts are too small to make up for it.
                chosen[total.index()] = true;
                levels[total.index()] = levels[total.index()].max(level - others);
                changed = true;
                continue;
            }
            let largest = parts()
                .filter(|&cell| cell != most && free(&chosen, cell))
                .max_by_key(|&cell| (problem.value(cell), std::cmp::Reverse(cell)));
            if let Some(largest) = largest
                && others.saturating_sub(problem.value(largest)) < level
            {
                // (23): without the largest of them, they are too small.
                chosen[largest.index()] = true;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::preselect;
    use cellveil_core::{
        CellId, CellNames, NO_UPPER, Need, Needs, Problem, ProblemParts, Reason, Relations, Status,
    };

    /// Cell 0 is the sum of the others, of which the first is sensitive.
    fn row(parts: &[i64], up: i64) -> Vec<bool> {
        let mut values = vec![parts.iter().sum::<i64>()];
        values.extend(parts);
        let cells = values.len();
        let mut relations = Relations::default();
        relations.push_sum(CellId(0), (1..cells).map(CellId::at));
        let mut status = vec![Status::Free; cells];
        status[1] = Status::Sensitive;
        let need = Need { cell: CellId(1), down: 0, up, sliding: 0, reason: Reason::Given };
        let parts = ProblemParts {
            decimals: 0,
            costs: vec![1.0; cells],
            lower: vec![0; cells],
            upper: vec![NO_UPPER; cells],
            values,
            status,
            needs: Needs::new(vec![need]),
            relations,
            names: CellNames::Ids((0..cells as u64).collect()),
            singletons: Vec::new(),
            width: 0,
        };
        match Problem::new(parts, 0) {
            Ok(problem) => preselect(&problem),
            Err(error) => unreachable!("{error}"),
        }
    }

    #[test]
    fn a_total_is_chosen_when_its_other_parts_are_too_small() {
        assert_eq!(row(&[100, 3, 4], 10), [true, false, false, false]);
    }

    #[test]
    fn the_largest_part_is_chosen_when_the_rest_is_too_small() {
        assert_eq!(row(&[100, 30, 4], 10), [false, false, true, false]);
    }

    #[test]
    fn nothing_is_chosen_where_several_could_help() {
        assert_eq!(row(&[100, 30, 40], 10), [false; 4]);
    }
}
