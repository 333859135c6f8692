//! Reads `.hrc` files: one code a line, below its parent, behind one lead string per level.

use crate::tree::{Lines, Node, Tree, text_of};
use crate::{Place, TabulateError};
use std::path::Path;

/// Reads a `.hrc` file; `lead` marks one level of depth, found out from the file where it is not given.
///
/// # Errors
/// [`TabulateError`] names the file and line at fault.
pub fn read(file: &Path, lead: Option<&str>, total: &str) -> Result<Tree, TabulateError> {
    let text = text_of(file)?;
    let found = lead.map_or_else(|| lead_of(&text), |lead| Some(lead.to_owned()));
    parse(file, &text, found.as_deref().filter(|lead| !lead.is_empty()), total)
}

/// The string that marks one level, judged by the first line that starts with a sign the first line does not start with.
fn lead_of(text: &str) -> Option<String> {
    let mut starts = text.lines().filter_map(|line| line.chars().next().map(|sign| (sign, line)));
    let (first, _) = starts.next()?;
    let is_lead =
        |sign: char| sign != first && !sign.is_alphanumeric() && !matches!(sign, ' ' | '"' | '\'');
    let at_signs =
        text.lines().find(|line| line.starts_with('@') && first != '@').map(|line| ('@', line));
    let (sign, line) = at_signs.or_else(|| starts.find(|&(sign, _)| is_lead(sign)))?;
    Some(line.chars().take_while(|&c| c == sign).collect())
}

fn parse(file: &Path, text: &str, lead: Option<&str>, total: &str) -> Result<Tree, TabulateError> {
    let mut tree = Tree::default();
    let mut lines = Lines::new(file);
    let mut above: Vec<usize> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let mut code = line.trim_end();
        if code.is_empty() {
            continue;
        }
        let malformed = |why: String| TabulateError::Malformed {
            place: Place::Line(file.to_owned(), number),
            why,
        };
        let mut depth = 0;
        while let Some(rest) = lead.and_then(|lead| code.strip_prefix(lead)) {
            code = rest;
            depth += 1;
        }
        if code.is_empty() {
            return Err(malformed(
                "there is no code behind the lead string; add it or remove the line".to_owned(),
            ));
        }
        if code == total {
            return Err(malformed(format!(
                "`{code}` is the total, which a .hrc file does not list; remove the line"
            )));
        }
        if depth > above.len() {
            let why = format!(
                "code `{code}` is more than one level below the line before; add the level between"
            );
            return Err(malformed(why));
        }
        lines.list(code, number)?;
        above.truncate(depth);
        let parent = above.last().copied();
        above.push(tree.nodes.len());
        tree.nodes.push(Node { name: code.to_owned(), parent, line: number });
    }
    if tree.nodes.is_empty() {
        let why = "lists no code; add the codes, one a line".to_owned();
        return Err(TabulateError::Malformed { place: Place::File(file.to_owned()), why });
    }
    Ok(tree)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    fn parsed(text: &str, lead: Option<&str>) -> Result<Vec<(String, Option<String>)>, String> {
        let lead = lead.map(str::to_owned).or_else(|| lead_of(text));
        let tree = parse(Path::new("r.hrc"), text, lead.as_deref(), "Total")
            .map_err(|error| error.to_string())?;
        let name = |at: usize| tree.nodes[at].name.clone();
        Ok(tree.nodes.iter().map(|node| (node.name.clone(), node.parent.map(name))).collect())
    }

    fn pairs(list: &[(&str, &str)]) -> Vec<(String, Option<String>)> {
        list.iter().map(|&(c, p)| (c.to_owned(), (!p.is_empty()).then(|| p.to_owned()))).collect()
    }

    #[test]
    fn depth_is_the_number_of_lead_strings() {
        let tree = parsed("Nord\n@Nr 1.2\n@@é\n@Nr2  \n\nSud\n", None).unwrap();
        assert_eq!(
            tree,
            pairs(&[
                ("Nord", ""),
                ("Nr 1.2", "Nord"),
                ("é", "Nr 1.2"),
                ("Nr2", "Nord"),
                ("Sud", "")
            ])
        );
    }

    #[test]
    fn the_lead_string_is_found_or_given() {
        let expected = pairs(&[("A", ""), ("B", "A"), ("C", "B")]);
        assert_eq!(parsed("A\n..B\n....C", None).unwrap(), expected);
        assert_eq!(parsed("A\n\tB\n\t\tC", None).unwrap(), expected);
        assert_eq!(parsed("A\n->B\n->->C", Some("->")).unwrap(), expected);
        assert_eq!(parsed("A\n@ 1", None).unwrap(), pairs(&[("A", ""), (" 1", "A")]));
        assert_eq!(parsed("-1\n-2", None).unwrap(), pairs(&[("-1", ""), ("-2", "")]));
    }

    #[test]
    fn mistakes_are_named_with_their_lines() {
        let said = |text| parsed(text, None).unwrap_err();
        assert_eq!(
            said("A\n@B\nC\n@B"),
            "r.hrc:4: code `B` is already listed in line 2; list each code once"
        );
        assert!(said("A\n@B\n@@@C").starts_with("r.hrc:3: code `C` is more than one level below"));
        assert!(said("A\n@").starts_with("r.hrc:2: there is no code"));
        assert!(said("Total\n@A").starts_with("r.hrc:1: `Total` is the total"));
        assert!(said("\n").starts_with("r.hrc: lists no code"));
    }
}
