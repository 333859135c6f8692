//! Which needs are protected together: rules (17)–(19) of the document.

use cellveil_core::Problem;

/// Groups of needs, by their positions.
pub(super) type Groups = Vec<Vec<usize>>;

/// Tables with at most this many cells have groups of limited size: more groups are more orders to choose from, and
/// there is time to look at them.
const SMALL: usize = 30_000;

/// In small tables the exposed needs make at least this many groups, if there are that many.
const GROUPS: usize = 25;

/// Puts needs into groups, small levels first, where possible into one with others of the same relations.
///
/// In every relation a group has one member at most, or its members ask for at most half of what all sensitive cells of that
/// relation ask for: then the others can make up for it.
pub(super) fn group(problem: &Problem, exposed: &[usize]) -> Groups {
    let incidence = problem.relations().incidence(problem.len());
    let all = sums(problem, 0..problem.needs().len(), &incidence);
    let limit = if problem.len() <= SMALL { exposed.len().div_ceil(GROUPS) } else { usize::MAX };
    let mut needs = exposed.to_vec();
    let size = |&need: &usize| {
        let need = &problem.needs()[need];
        need.down.max(need.up).max(need.sliding)
    };
    needs.sort_by_key(|need| (size(need), *need));
    let mut groups: Vec<Group> = Vec::new();
    for need in needs {
        let asked = &problem.needs()[need];
        let rows = || incidence.of(asked.cell).iter().map(|&(row, _)| row as usize);
        let fits = |group: &Group| {
            group.members.len() < limit
                && rows().all(|row| {
                    let Some(&(members, [down, up])) = group.by_row.get(&row) else { return true };
                    let [all_down, all_up] = all[row];
                    members == 0
                        || ((up + i128::from(asked.up)) * 2 <= all_up
                            && (down + i128::from(asked.down)) * 2 <= all_down)
                })
        };
        let shared = |group: &Group| rows().filter(|row| group.by_row.contains_key(row)).count();
        let best = (0..groups.len())
            .filter(|&at| fits(&groups[at]))
            .max_by_key(|&at| (shared(&groups[at]), std::cmp::Reverse(at)));
        let at = best.unwrap_or(groups.len());
        if at == groups.len() {
            groups.push(Group::default());
        }
        groups[at].members.push(need);
        for row in rows() {
            let (members, [down, up]) = groups[at].by_row.entry(row).or_default();
            *members += 1;
            *down += i128::from(asked.down);
            *up += i128::from(asked.up);
        }
    }
    groups.into_iter().map(|group| group.members).collect()
}

#[derive(Default)]
struct Group {
    members: Vec<usize>,
    /// Per relation how many members it has there, and what they ask for down and up.
    by_row: std::collections::BTreeMap<usize, (usize, [i128; 2])>,
}

/// Per relation what the needs in it ask for, down and up.
fn sums(
    problem: &Problem,
    needs: impl Iterator<Item = usize>,
    incidence: &cellveil_core::Incidence,
) -> Vec<[i128; 2]> {
    let mut sums = vec![[0; 2]; problem.relations().len()];
    for need in needs.map(|need| &problem.needs()[need]) {
        for &(row, _) in incidence.of(need.cell) {
            sums[row as usize][0] += i128::from(need.down);
            sums[row as usize][1] += i128::from(need.up);
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::group;
    use cellveil_testkit::tables::random_problem;

    #[test]
    fn every_need_is_in_one_group_and_no_group_asks_for_more_than_half_of_a_relation() {
        let problem = random_problem(7, &[9, 9, 4]);
        let all: Vec<usize> = (0..problem.needs().len()).collect();
        let groups = group(&problem, &all);
        let mut members: Vec<usize> = groups.iter().flatten().copied().collect();
        members.sort_unstable();
        assert_eq!(members, all);
        for relation in 0..problem.relations().len() {
            let cells: Vec<_> = problem.relations().row(relation).map(|(cell, _)| cell).collect();
            let up = |needs: &[usize]| {
                let inside = needs.iter().map(|&need| &problem.needs()[need]);
                let inside: Vec<_> = inside.filter(|need| cells.contains(&need.cell)).collect();
                (inside.len(), inside.iter().map(|need| need.up).sum::<i64>())
            };
            let (_, in_all) = up(&all);
            for group in &groups {
                let (members, asked) = up(group);
                assert!(
                    members <= 1 || asked * 2 <= in_all,
                    "{members} ask for {asked} of {in_all}"
                );
            }
        }
    }
}
