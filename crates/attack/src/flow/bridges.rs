//! Bridges: arcs on no cycle. Nothing can flow along them.

use super::graph::Graph;

/// Per arc whether it is a bridge of the undirected graph; in linear time.
pub(super) fn bridges(graph: &Graph) -> Vec<bool> {
    let mut bridge = vec![false; graph.arcs()];
    let mut order = vec![0_u32; graph.nodes()];
    let mut lowest = vec![0_u32; graph.nodes()];
    let mut seen = 0;
    // Nodes on the way down, with the arc that led there and the next place to look.
    let mut path: Vec<(u32, u32, usize)> = Vec::new();
    for start in 0..graph.nodes() as u32 {
        if order[start as usize] != 0 {
            continue;
        }
        path.push((start, u32::MAX, 0));
        while let Some((node, via, next)) = path.last_mut() {
            let (at, via) = (*node as usize, *via);
            if *next == 0 {
                seen += 1;
                order[at] = seen;
                lowest[at] = seen;
            }
            if let Some(&(other, half)) = graph.from(*node).get(*next) {
                *next += 1;
                if half / 2 == via {
                    // Back along the same arc; a second arc between the same nodes would make a cycle.
                } else if order[other as usize] == 0 {
                    path.push((other, half / 2, 0));
                } else {
                    lowest[at] = lowest[at].min(order[other as usize]);
                }
            } else {
                path.pop();
                if let Some(&(above, _, _)) = path.last() {
                    bridge[via as usize] = lowest[at] > order[above as usize];
                    lowest[above as usize] = lowest[above as usize].min(lowest[at]);
                }
            }
        }
    }
    bridge
}
