//! From assembled codes to the hierarchy of the core: unused codes go, and it is settled what adds up to the total.

use crate::TabulateError;
use crate::assembly::{Assembly, Carried, Values};
use crate::engine::Locate;
use crate::plan::Variable;
use crate::text;
use cellveil_core::{CodeId, Dimension, HierarchyBuilder, HierarchyError};
use std::sync::Arc;

/// A variable with its hierarchy, and the code of each of the data's values.
pub(crate) fn dimension(
    variable: &Variable,
    values: &[Values],
    carried: Carried,
    locate: &dyn Locate,
) -> Result<(Dimension, Vec<CodeId>), TabulateError> {
    let mut assembly = Assembly::new(variable, values, carried, locate)?;
    if carried == Carried::Finest {
        prune(&mut assembly);
    }
    let refused =
        |source| TabulateError::Hierarchies { dimension: variable.spec.name.clone(), source };
    let leaves = leaves_below(&assembly).map_err(refused)?;
    let (builder, placed) = sums(&assembly, &leaves);
    let (hierarchy, moved) = builder.build().map_err(refused)?;
    let codes = assembly.codes.iter().map(|&code| moved[placed[code] as usize]).collect();
    let dimension = Dimension {
        name: variable.spec.name.clone(),
        levels: variable.levels(),
        hierarchy: Arc::new(hierarchy),
    };
    Ok((dimension, codes))
}

/// Removes the codes that no record counts towards.
fn prune(assembly: &mut Assembly<'_>) {
    let mut above = vec![Vec::new(); assembly.names.len()];
    for shape in &assembly.shapes {
        for (&total, children) in &shape.children {
            for &child in children {
                above[child].push(total);
            }
        }
    }
    let mut used = vec![false; assembly.names.len()];
    let mut waiting = assembly.codes.clone();
    while let Some(code) = waiting.pop() {
        if !std::mem::replace(&mut used[code], true) {
            waiting.extend_from_slice(&above[code]);
        }
    }
    for shape in &mut assembly.shapes {
        shape.roots.retain(|&code| used[code]);
        for children in shape.children.values_mut() {
            children.retain(|&code| used[code]);
        }
        shape.children.retain(|_, children| !children.is_empty());
    }
}

/// The leaves of every code by its first hierarchy, with repetitions; empty for codes that nothing lists.
fn leaves_below(assembly: &Assembly<'_>) -> Result<Vec<Vec<usize>>, HierarchyError> {
    let count = assembly.names.len();
    let mut parts: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut above: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut waits = vec![0_usize; count];
    for shape in &assembly.shapes {
        for (&total, children) in &shape.children {
            waits[total] += children.len();
            if parts[total].is_empty() {
                parts[total].clone_from(children);
            }
            for &child in children {
                above[child].push(total);
            }
        }
    }
    let mut leaves: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut ready: Vec<usize> = (0..count).filter(|&code| waits[code] == 0).collect();
    let mut next = 0;
    while next < ready.len() {
        let code = ready[next];
        next += 1;
        leaves[code] = match &parts[code][..] {
            [] => vec![code],
            parts => parts.iter().flat_map(|&part| leaves[part].iter().copied()).collect(),
        };
        for &total in &above[code] {
            waits[total] -= 1;
            if waits[total] == 0 {
                ready.push(total);
            }
        }
    }
    match (0..count).find(|&code| waits[code] > 0) {
        Some(code) => Err(HierarchyError::Cycle(assembly.names[code].clone())),
        None => Ok(leaves),
    }
}

/// States every sum; a hierarchy adds up to the total if its roots cover every leaf once.
fn sums(assembly: &Assembly<'_>, leaves: &[Vec<usize>]) -> (HierarchyBuilder, Vec<CodeId>) {
    let (all, missing) = leaves_and_missing(assembly, leaves);
    let mut builder = HierarchyBuilder::new(assembly.names[0].clone());
    let mut placed: Vec<CodeId> = vec![0; assembly.names.len()];
    let mut place = |builder: &mut HierarchyBuilder, code: usize| {
        if placed[code] == 0 {
            placed[code] = builder.code(assembly.names[code].clone());
        }
        placed[code]
    };
    let mut adds_up = false;
    for shape in &assembly.shapes {
        for (&total, children) in &shape.children {
            let total = place(&mut builder, total);
            let parts = children.iter().map(|&child| place(&mut builder, child)).collect();
            builder.sum(total, parts);
        }
        let mut covered: Vec<usize> =
            shape.roots.iter().flat_map(|&root| leaves[root].iter().copied()).collect();
        let unlisted: Vec<usize> =
            missing.iter().copied().filter(|code| !covered.contains(code)).collect();
        covered.extend_from_slice(&unlisted);
        covered.sort_unstable();
        let parts: Vec<CodeId> =
            shape.roots.iter().chain(&unlisted).map(|&code| place(&mut builder, code)).collect();
        if covered == all && !parts.is_empty() {
            builder.sum(0, parts);
            adds_up = true;
        }
    }
    if !adds_up && !all.is_empty() {
        let mut codes = all;
        codes.sort_by(|&a, &b| text::order(&assembly.names[a], &assembly.names[b]));
        let parts = codes.into_iter().map(|code| place(&mut builder, code)).collect();
        builder.sum(0, parts);
    }
    (builder, placed)
}

/// Every leaf that is listed or carried, ascending, and those among them that stand for missing values.
fn leaves_and_missing(assembly: &Assembly<'_>, leaves: &[Vec<usize>]) -> (Vec<usize>, Vec<usize>) {
    let listed = assembly
        .shapes
        .iter()
        .flat_map(|shape| shape.children.values().flatten().chain(&shape.roots));
    let mut all: Vec<usize> =
        listed.chain(&assembly.codes).copied().filter(|&code| code != 0).collect();
    all.retain(|&code| leaves[code] == [code]);
    all.sort_unstable();
    all.dedup();
    let called_missing =
        |code: usize| assembly.is_missing[code] || assembly.names[code] == assembly.missing();
    let missing = all.iter().copied().filter(|&code| called_missing(code)).collect();
    (all, missing)
}
