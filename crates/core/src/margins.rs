//! The margins of a table: which cells add up to which.

use crate::{CellId, CellNames, CodeId, Dimension, Relations, TableError};

/// For every dimension, every aggregate and every combination of the other dimensions: the total and its existing parts.
///
/// Goes from part to total, so that the work follows the cells that exist and not the codes that could. `keys` is row-major and ascends.
pub(crate) fn relations_among(
    dimensions: &[Dimension],
    keys: &[CodeId],
    names: &CellNames,
) -> Result<Relations, TableError> {
    let mut relations = Relations::default();
    let mut terms = 0;
    for dimension in 0..dimensions.len() {
        let margins = Margins::find(dimensions, keys, dimension, names)?;
        terms += margins.cells.len();
        if u32::try_from(terms).is_err() {
            return Err(TableError::TooLarge);
        }
        relations.push_margins(&margins.cells, &margins.ends);
    }
    Ok(relations)
}

/// The margins of one dimension, row after row, by total.
struct Margins {
    cells: Vec<CellId>,
    ends: Vec<u32>,
}

impl Margins {
    fn find(
        dimensions: &[Dimension],
        keys: &[CodeId],
        dimension: usize,
        names: &CellNames,
    ) -> Result<Self, TableError> {
        let width = dimensions.len();
        let code_of = |cell: usize| keys[cell * width + dimension] as usize;
        let cells = keys.len() / width;
        let sums = Sums::of(&dimensions[dimension]);
        // Where the sums of each cell begin, one place each.
        let mut first = Vec::with_capacity(cells + 1);
        first.push(0_u32);
        let mut places = 0_u32;
        for cell in 0..cells {
            places = places.checked_add(sums.ways[code_of(cell)]).ok_or(TableError::TooLarge)?;
            first.push(places);
        }
        let mut counts = vec![0_u32; places as usize];
        let mut targets: Vec<u32> = Vec::new();
        let mut cursors: Vec<Vec<usize>> =
            sums.above.iter().map(|above| vec![0; above.len()]).collect();
        let mut wanted = vec![0; width];
        for cell in 0..cells {
            let code = code_of(cell);
            for (at, &(total, way)) in sums.above[code].iter().enumerate() {
                wanted.copy_from_slice(&keys[cell * width..(cell + 1) * width]);
                wanted[dimension] = total;
                let cursor = &mut cursors[code][at];
                *cursor = seek(keys, width, &wanted, *cursor);
                if keys.get(*cursor * width..(*cursor + 1) * width) != Some(&wanted[..]) {
                    return Err(no_total(dimensions, names, CellId::at(cell), &wanted));
                }
                let place = first[*cursor] + way;
                counts[place as usize] += 1;
                targets.push(place);
            }
        }
        let parts = Parts { sums: &sums, first: &first, targets: &targets };
        Ok(parts.margins(counts, cells, code_of))
    }
}

/// What was found of one dimension: the place of every sum, and for every part, in order, where it belongs.
struct Parts<'a> {
    sums: &'a Sums,
    first: &'a [u32],
    targets: &'a [u32],
}

impl Parts<'_> {
    /// Writes totals and parts where they belong.
    fn margins(
        &self,
        mut counts: Vec<u32>,
        cells: usize,
        code_of: impl Fn(usize) -> usize,
    ) -> Margins {
        let mut ends = Vec::new();
        let mut all =
            vec![CellId(0); self.targets.len() + counts.iter().filter(|&&n| n > 0).count()];
        let mut end = 0_u32;
        for cell in 0..cells {
            for place in self.first[cell]..self.first[cell + 1] {
                let count = &mut counts[place as usize];
                if *count == 0 {
                    continue;
                }
                all[end as usize] = CellId::at(cell);
                // From now on, where the next part goes.
                let parts = std::mem::replace(count, end + 1);
                end += 1 + parts;
                ends.push(end);
            }
        }
        let mut targets = self.targets.iter();
        for cell in 0..cells {
            for &place in targets.by_ref().take(self.sums.above[code_of(cell)].len()) {
                let next = &mut counts[place as usize];
                all[*next as usize] = CellId::at(cell);
                *next += 1;
            }
        }
        Margins { cells: all, ends }
    }
}

/// The sums of one variable, read from the parts.
struct Sums {
    /// How many ways there are to add up to each code.
    ways: Vec<u32>,
    /// Per code the totals it is a part of, each with which of its ways.
    above: Vec<Vec<(CodeId, u32)>>,
}

impl Sums {
    fn of(dimension: &Dimension) -> Self {
        let hierarchy = &dimension.hierarchy;
        let mut ways = vec![0; hierarchy.len()];
        let mut above = vec![Vec::new(); hierarchy.len()];
        for sum in hierarchy.sums() {
            let way = &mut ways[sum.total as usize];
            for &part in &sum.parts {
                above[part as usize].push((sum.total, *way));
            }
            *way += 1;
        }
        Self { ways, above }
    }
}

/// The first row from `from` on that is not below the wanted one.
///
/// Totals of the cells of one code ascend with them, so each search starts where the last one ended, with steps that double.
fn seek(keys: &[CodeId], width: usize, wanted: &[CodeId], from: usize) -> usize {
    let rows = keys.len() / width;
    let is_below = |row: usize| keys[row * width..(row + 1) * width] < *wanted;
    let (mut low, mut step) = (from, 1);
    while low + step <= rows && is_below(low + step - 1) {
        low += step;
        step *= 2;
    }
    let mut high = (low + step - 1).min(rows);
    while low < high {
        let middle = usize::midpoint(low, high);
        if is_below(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

fn no_total(
    dimensions: &[Dimension],
    names: &CellNames,
    part: CellId,
    key: &[CodeId],
) -> TableError {
    let total = CellNames::Codes { dimensions: dimensions.to_vec(), keys: key.to_vec().into() };
    TableError::NoTotal {
        part: names.describe(part).to_string(),
        total: total.describe(CellId(0)).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_finds_the_first_row_that_is_not_below() {
        let keys: Vec<CodeId> = (0..40).map(|n| n * 2).collect();
        for wanted in 0..85 {
            let found = keys.partition_point(|&key| key < wanted);
            for from in 0..=found {
                assert_eq!(seek(&keys, 1, &[wanted], from), found, "{wanted} from {from}");
            }
        }
    }
}
