//! Reads a hierarchy given as one pair of parent and child a line.

use crate::tree::{Lines, Node, Tree, text_of};
use crate::{Place, TabulateError, text};
use std::collections::HashMap;
use std::path::Path;

pub(crate) fn read(file: &Path, total: &str) -> Result<Tree, TabulateError> {
    parse(file, &text_of(file)?, total)
}

struct Pair {
    parent: String,
    child: String,
    line: u64,
}

fn parse(file: &Path, text: &str, total: &str) -> Result<Tree, TabulateError> {
    let pairs = pairs(file, text)?;
    if pairs.is_empty() {
        return Err(malformed(file, None, "lists no code; add one `parent,child` pair a line"));
    }
    let mut lines = Lines::new(file);
    let mut above: HashMap<&str, (&str, u64)> = HashMap::new();
    for pair in &pairs {
        if pair.child == total {
            return Err(malformed(
                file,
                Some(pair.line),
                &format!("`{total}` is the total, which lies below nothing"),
            ));
        }
        lines.list(&pair.child, pair.line)?;
        above.insert(&pair.child, (&pair.parent, pair.line));
    }
    for pair in &pairs {
        refuse_cycle(file, pair, &above)?;
    }
    let is_top = |name: &str| name == total || name.is_empty();
    let mut tree = Tree::default();
    let mut at: HashMap<&str, usize> = HashMap::new();
    for pair in &pairs {
        for (name, line) in [(&pair.parent[..], pair.line), (&pair.child[..], pair.line)] {
            if !is_top(name) && !at.contains_key(name) {
                at.insert(name, tree.nodes.len());
                let line = above.get(name).map_or(line, |&(_, line)| line);
                tree.nodes.push(Node { name: name.to_owned(), parent: None, line });
            }
        }
    }
    for pair in &pairs {
        tree.nodes[at[&pair.child[..]]].parent = at.get(&pair.parent[..]).copied();
    }
    Ok(tree)
}

fn pairs(file: &Path, text: &str) -> Result<Vec<Pair>, TabulateError> {
    let delimiter = text::delimiter(text.lines().next().unwrap_or_default());
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).from_reader(text.as_bytes());
    let unreadable = |error: &csv::Error| {
        let line = error.position().map(csv::Position::line);
        malformed(file, line, "does not have as many fields as the header; correct the line")
    };
    let header = reader.headers().map_err(|error| unreadable(&error))?.clone();
    let column =
        |name: &str| header.iter().position(|field| field.trim().eq_ignore_ascii_case(name));
    let (Some(parent), Some(child)) = (column("parent"), column("child")) else {
        return Err(malformed(
            file,
            Some(1),
            "the header must name the columns `parent` and `child`",
        ));
    };
    let mut pairs = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| unreadable(&error))?;
        let line = record.position().map_or(0, csv::Position::line);
        let field = |at: usize| record.get(at).unwrap_or_default().trim_end().to_owned();
        let pair = Pair { parent: field(parent), child: field(child), line };
        if pair.child.is_empty() {
            return Err(malformed(
                file,
                Some(line),
                "the child is empty; name it or remove the line",
            ));
        }
        pairs.push(pair);
    }
    Ok(pairs)
}

/// Follows the parents of a code; whoever comes back to it has found a cycle.
fn refuse_cycle(
    file: &Path,
    pair: &Pair,
    above: &HashMap<&str, (&str, u64)>,
) -> Result<(), TabulateError> {
    let mut lines = Vec::new();
    let mut next = &pair.child[..];
    while let Some(&(parent, line)) = above.get(next) {
        lines.push(line);
        next = parent;
        if next == pair.child {
            lines.sort_unstable();
            return Err(TabulateError::Cycle {
                file: file.to_owned(),
                code: next.to_owned(),
                line: pair.line,
                lines,
            });
        }
        if lines.len() > above.len() {
            // Runs into a cycle above; the codes of that cycle report it.
            break;
        }
    }
    Ok(())
}

fn malformed(file: &Path, line: Option<u64>, why: &str) -> TabulateError {
    let place = line
        .map_or_else(|| Place::File(file.to_owned()), |line| Place::Line(file.to_owned(), line));
    TabulateError::Malformed { place, why: why.to_owned() }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    fn parsed(text: &str) -> Result<Vec<(String, Option<String>)>, String> {
        let tree = parse(Path::new("r.csv"), text, "Total").map_err(|error| error.to_string())?;
        let name = |at: usize| tree.nodes[at].name.clone();
        Ok(tree.nodes.iter().map(|node| (node.name.clone(), node.parent.map(name))).collect())
    }

    #[test]
    fn any_delimiter_and_any_order_of_lines_will_do() {
        let expected: Vec<(String, Option<String>)> = [
            ("Nord", None),
            ("a b", Some("Nord")),
            ("é.", Some("a b")),
            ("Sud", None),
            ("c", Some("Sud")),
        ]
        .map(|(c, p): (&str, Option<&str>)| (c.to_owned(), p.map(str::to_owned)))
        .to_vec();
        assert_eq!(
            parsed("Parent;Child\nNord;a b\n\"a b\";é.\nTotal;Nord\nSud;c\n").unwrap(),
            expected
        );
        assert_eq!(parsed("child,PARENT\na b,Nord\né.,a b\nNord,\nc,Sud\n").unwrap(), expected);
    }

    #[test]
    fn mistakes_are_named_with_their_lines() {
        let said = |text| parsed(text).unwrap_err();
        assert_eq!(
            said("parent,child\nA,b\nC,b\n"),
            "r.csv:3: code `b` is already listed in line 2; list each code once"
        );
        assert_eq!(
            said("parent,child\nx,a\na,b\nb,c\nc,x\n"),
            "r.csv:2: code `a` lies below itself, by lines 2, 3, 4, 5; remove one of them"
        );
        assert!(said("parent,child\na,a\n").starts_with("r.csv:2: code `a` lies below itself"));
        assert!(said("parent,child\nA,Total\n").starts_with("r.csv:2: `Total` is the total"));
        assert!(said("parent,child\nA,\n").starts_with("r.csv:2: the child is empty"));
        assert!(said("a,b\nA,c\n").starts_with("r.csv:1: the header must name"));
        assert!(said("parent,child\nA\n").starts_with("r.csv:2: does not have as many fields"));
        assert!(said("parent,child\n").starts_with("r.csv: lists no code"));
    }
}
