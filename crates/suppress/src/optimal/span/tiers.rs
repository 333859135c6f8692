//! Flats for sensitive cells of one size after the other.
//!
//! Where all sensitive cells hide in one way to move, the smallest of them decides how far the others get: none may fall below nothing. So
//! those that can move far hide in a way in which small cells stay as if they were published, and small ones, whose levels are smaller too, in
//! another that moves, for nothing, whatever the others withhold. What a tier withholds is looked for again when those of the others are known.

use super::classes::Classes;
use super::search;
use crate::method::Context;

/// How often the flats of all tiers are looked for.
const ROUNDS: usize = 3;

/// Sensitive classes of about the same size.
struct Tier {
    classes: Classes,
    /// Cells that cannot move so far stay, if possible.
    room: i64,
    withheld: Vec<bool>,
}

/// Costs and withheld classes, cheapest first, beginning from a flat for all sensitive cells together; see [`super::dearest_flats`]. None if the time does not suffice.
pub(super) fn in_tiers(
    classes: &Classes,
    context: &Context<'_>,
    together: &[bool],
    margin: i64,
    work: u64,
) -> Vec<(f64, Vec<bool>)> {
    let mut tiers = tiers(classes, margin);
    let searches = ROUNDS * tiers.len();
    let mut flats: Vec<(f64, Vec<bool>)> = Vec::new();
    for number in 0..searches {
        if context.is_over() {
            break;
        }
        let (round, at) = (number / tiers.len(), number % tiers.len());
        let others = tiers.iter().enumerate().filter(|(other, _)| *other != at);
        let others = others.map(|(_, tier)| &tier.withheld[..]);
        // As long as a tier has no flat, that of all cells stands for it.
        let others = others.chain((round == 0).then_some(together));
        let given = tiers[at].classes.given(&union(classes.len(), others));
        let asked = (tiers[at].room, work);
        let Some(found) = flat(&given, context, asked, searches - number - 1) else { break };
        tiers[at].withheld = found;
        if number + 1 >= tiers.len() {
            let all = union(classes.len(), tiers.iter().map(|tier| &tier.withheld[..]));
            let cost = classes.cost_of(&all);
            if flats.iter().all(|(known, _)| cost.total_cmp(known).is_ne()) {
                flats.push((cost, all));
            }
        }
    }
    flats.sort_by(|a, b| a.0.total_cmp(&b.0));
    flats
}

/// The cheapest flat of one search, with time left for some others.
fn flat(
    classes: &Classes,
    context: &Context<'_>,
    (room, work): (i64, u64),
    others: usize,
) -> Option<Vec<bool>> {
    let left = (context.seconds_left)();
    let kept = others as f64 / (1.0 + others as f64);
    let seconds_left = || Some((context.seconds_left)()? - left? * kept);
    let soon = Context { seconds_left: &seconds_left, ..*context };
    let (_, withheld) = search(classes, &soon, room, work).into_iter().next()?;
    Some(withheld)
}

/// The sensitive classes by how far they can move: far enough for the levels of all, or not. More tiers withhold more than they spare.
fn tiers(classes: &Classes, margin: i64) -> Vec<Tier> {
    let room = classes.asked().saturating_mul(margin);
    let is_near = |class: usize| classes.rooms[class] < room;
    let tiers = [classes.without(is_near), classes.without(|class| !is_near(class))];
    let tiers = tiers.into_iter().filter(|classes| classes.asked() > 0);
    tiers
        .map(|classes| {
            let room = classes.asked().saturating_mul(margin);
            Tier { withheld: vec![false; classes.len()], classes, room }
        })
        .collect()
}

/// What is withheld in one of several flats.
fn union<'f>(len: usize, flats: impl Iterator<Item = &'f [bool]>) -> Vec<bool> {
    let mut union = vec![false; len];
    for flat in flats {
        for (is_withheld, in_flat) in union.iter_mut().zip(flat) {
            *is_withheld |= in_flat;
        }
    }
    union
}
