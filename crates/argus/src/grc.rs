//! Recoding: `.grc` files, and folding a hierarchy.

use crate::Fault;
use crate::codes::{Codes, Growing};
use crate::text::{Words, lines, padded};
use cellveil_core::{CodeId, Dimension};
use std::collections::BTreeSet;
use std::path::Path;

/// What a variable becomes.
#[derive(Clone, Debug)]
pub struct Recoded {
    /// The new codes.
    pub codes: Codes,
    /// For every code of before, the code that takes its place; meaningful for leaves.
    pub moved: Vec<CodeId>,
    /// What the user should know.
    pub notes: Vec<String>,
    /// The file of labels that goes with the new codes.
    pub code_list: Option<String>,
}

/// Recodes as a `.grc` file says.
///
/// # Errors
/// [`Fault`] names the line.
pub fn recode(file: &Path, text: &str, before: &Codes) -> Result<Recoded, Fault> {
    let mut listed = lines(text).peekable();
    if listed.peek().is_some_and(|(_, line)| line.to_uppercase().starts_with("<TREERECODE>")) {
        listed.next();
        let mut folded = BTreeSet::new();
        for (line, code) in listed {
            let code = crate::text::unquoted(&code);
            let found = before.of_record(code).ok_or_else(|| unknown(file, line, code, before))?;
            folded.insert(found);
        }
        return Ok(fold(before, &folded));
    }
    flat(file, listed, before)
}

/// Folds every parent at a level; the total is level 0.
pub fn fold_level(before: &Codes, level: u8) -> Recoded {
    let hierarchy = &before.dimension.hierarchy;
    let codes = 0..hierarchy.len() as CodeId;
    fold(before, &codes.filter(|&code| hierarchy.depth(code) == level).collect())
}

fn unknown(file: &Path, line: u64, code: &str, codes: &Codes) -> Fault {
    let name = &codes.dimension.name;
    let fault = Fault::new(file, format!("`{code}` is no code of `{name}`")).at(line);
    match codes.nearest(code) {
        Some(known) => fault.hint(format!("did you mean `{known}`?")),
        None => fault.hint("remove the line"),
    }
}

/// Cuts the hierarchy below some codes.
fn fold(before: &Codes, folded: &BTreeSet<CodeId>) -> Recoded {
    let hierarchy = &before.dimension.hierarchy;
    let mut tree = Growing::new(hierarchy.name(0));
    let mut moved = vec![0; hierarchy.len()];
    // Codes come parents first, each after what is above it.
    let mut parent = vec![0; hierarchy.len()];
    for sum in hierarchy.sums() {
        for &part in &sum.parts {
            parent[part as usize] = sum.total;
        }
    }
    let mut closed = vec![false; hierarchy.len()];
    closed[0] = folded.contains(&0);
    for code in 1..hierarchy.len() {
        let above = parent[code] as usize;
        if closed[above] {
            (moved[code], closed[code]) = (moved[above], true);
        } else {
            moved[code] = tree.below(moved[above], hierarchy.name(code as CodeId));
            closed[code] = folded.contains(&(code as CodeId));
        }
    }
    finish(before, tree, moved, Vec::new(), None)
}

fn finish(
    before: &Codes,
    tree: Growing,
    mut moved: Vec<CodeId>,
    notes: Vec<String>,
    code_list: Option<String>,
) -> Recoded {
    let name = &before.dimension.name;
    // A tree made of a tree, or of distinct codes, has no cycle and no code twice.
    let (dimension, placed) = tree.build(name).unwrap_or_else(|_| same(&before.dimension));
    for code in &mut moved {
        *code = placed[*code as usize];
    }
    let missing = before.missing.iter().map(|&code| moved[code as usize]).collect();
    let mut codes = Codes::of(dimension, missing, &BTreeSet::new());
    codes.distance.clone_from(&before.distance);
    // A code that goes by its old name means what it meant.
    for (&code, label) in &before.labels {
        let now = moved[code as usize];
        if codes.dimension.hierarchy.name(now).trim()
            == before.dimension.hierarchy.name(code).trim()
        {
            codes.labels.insert(now, label.clone());
        }
    }
    Recoded { codes, moved, notes, code_list }
}

fn same(dimension: &Dimension) -> (Dimension, Vec<CodeId>) {
    (dimension.clone(), (0..dimension.hierarchy.len() as CodeId).collect())
}

/// One line `new : old, old - old, - old, old -`.
struct Line {
    number: u64,
    new: String,
    items: Vec<Item>,
}

enum Item {
    One(String),
    Range(Option<String>, Option<String>),
}

fn flat(
    file: &Path,
    listed: impl Iterator<Item = (u64, String)>,
    before: &Codes,
) -> Result<Recoded, Fault> {
    let hierarchy = &before.dimension.hierarchy;
    if hierarchy.sums().len() > 1 {
        return Err(Fault::new(file, format!("`{}` has a hierarchy", before.dimension.name))
            .hint("start the file with `<TREERECODE>` and list the codes to fold"));
    }
    let (mut recodes, mut missing, mut code_list) = (Vec::new(), None, None);
    for (number, line) in listed {
        let upper = line.to_uppercase();
        if let Some(rest) = upper.strip_prefix("<MISSING>") {
            let mut words = Words::new(&line[line.len() - rest.len()..]);
            let codes = std::iter::from_fn(|| words.next()).filter(|&word| word != ",");
            missing = Some(codes.map(str::to_owned).collect::<Vec<_>>());
        } else if upper.starts_with("<CODELIST>") {
            code_list = Some(crate::text::unquoted(&line[10..]).to_owned());
        } else {
            recodes.push(parse(file, number, &line)?);
        }
    }
    let codes: Vec<CodeId> =
        (1..hierarchy.len() as CodeId).filter(|code| !before.missing.contains(code)).collect();
    let mut new: Vec<Option<String>> = vec![None; hierarchy.len()];
    let (mut senseless, mut twice) = (0, 0);
    for line in &recodes {
        for item in &line.items {
            let hit = |name: &str| item.matches(name, before.width);
            if before
                .missing
                .iter()
                .any(|&code| matches!(item, Item::One(_)) && hit(hierarchy.name(code)))
            {
                return Err(Fault::new(file, "a missing code cannot become a valid one")
                    .at(line.number)
                    .number(3003)
                    .hint("rename missing codes with `<MISSING>`"));
            }
            let found: Vec<CodeId> =
                codes.iter().copied().filter(|&code| hit(hierarchy.name(code))).collect();
            senseless += usize::from(found.is_empty());
            for code in found {
                let slot = &mut new[code as usize];
                twice += usize::from(slot.is_some());
                *slot = Some(line.new.clone());
            }
        }
    }
    let untouched = codes.iter().filter(|&&code| new[code as usize].is_none()).count();
    let mut notes = Vec::new();
    for (count, what) in [
        (senseless, "entries name no code"),
        (twice, "codes are named twice; the last line counts"),
        (untouched, "codes are not named and stay as they are"),
    ] {
        if count > 0 {
            notes.push(format!("{count} {what}"));
        }
    }
    let old = |code: CodeId| hierarchy.name(code).to_owned();
    let name = |code: CodeId| new[code as usize].clone().unwrap_or_else(|| old(code));
    Ok(renamed(before, &codes, name, missing.as_deref(), notes, code_list))
}

/// A flat variable with new codes, sorted, those for missing values last.
fn renamed(
    before: &Codes,
    codes: &[CodeId],
    name: impl Fn(CodeId) -> String,
    missing: Option<&[String]>,
    notes: Vec<String>,
    code_list: Option<String>,
) -> Recoded {
    let hierarchy = &before.dimension.hierarchy;
    let width = codes.iter().map(|&code| name(code).trim().chars().count()).max().unwrap_or(0);
    let shown = |code: CodeId| padded(name(code).trim(), width);
    let distinct: BTreeSet<String> = codes.iter().map(|&code| shown(code)).collect();
    let mut tree = Growing::new(hierarchy.name(0));
    for code in &distinct {
        tree.below(0, code);
    }
    let mut moved = vec![0; hierarchy.len()];
    for &code in codes {
        moved[code as usize] = tree.below(0, &shown(code));
    }
    for (nth, &code) in before.missing.iter().enumerate() {
        let new = missing.and_then(|names| names.get(nth).or(names.last()));
        moved[code as usize] = tree.below(0, new.map_or(hierarchy.name(code), |name| name));
    }
    finish(before, tree, moved, notes, code_list)
}

impl Item {
    /// Codes are compared byte by byte, on the right of their field.
    fn matches(&self, name: &str, width: usize) -> bool {
        let wide = |code: &String| padded(code, width);
        let name = padded(name, width);
        match self {
            Self::One(code) => wide(code) == name,
            Self::Range(from, to) => {
                from.as_ref().is_none_or(|from| wide(from) <= name)
                    && to.as_ref().is_none_or(|to| name <= wide(to))
            }
        }
    }
}

fn parse(file: &Path, number: u64, line: &str) -> Result<Line, Fault> {
    let wrong = |what: &str| {
        Fault::new(file, what).at(number).hint(
            "write a line as in `2 : 5-7, 9`, with quotes around codes that hold `,`, `:` or `-`",
        )
    };
    let mut signs = Signs(line);
    let new = signs.word().ok_or_else(|| wrong("the line has no new code"))?;
    if signs.sign() != Some(':') {
        return Err(wrong("there is no `:` after the new code"));
    }
    let mut items = Vec::new();
    loop {
        let from = signs.word();
        let range = signs.peek() == Some('-');
        if range {
            signs.sign();
        }
        let to = if range { signs.word() } else { None };
        items.push(match (from, range, to) {
            (Some(code), false, _) => Item::One(code),
            (from, true, to) if from.is_some() || to.is_some() => {
                if let (Some(from), Some(to)) = (&from, &to)
                    && padded(from, to.len().max(from.len())) > padded(to, to.len().max(from.len()))
                {
                    return Err(wrong("a range runs from the lower code to the higher"));
                }
                Item::Range(from, to)
            }
            _ => return Err(wrong("an entry names no code")),
        });
        match signs.sign() {
            None => return Ok(Line { number, new, items }),
            Some(',') => {}
            Some(_) => return Err(wrong("entries are separated by `,`")),
        }
    }
}

/// Codes and the signs `: , -` between them.
struct Signs<'a>(&'a str);

impl Signs<'_> {
    fn peek(&self) -> Option<char> {
        self.0.trim_start().chars().next().filter(|sign| matches!(sign, ':' | ',' | '-'))
    }

    fn sign(&mut self) -> Option<char> {
        let text = self.0.trim_start();
        let sign = text.chars().next()?;
        self.0 = &text[sign.len_utf8()..];
        Some(sign)
    }

    fn word(&mut self) -> Option<String> {
        let text = self.0.trim_start();
        if let Some(quoted) = text.strip_prefix('"') {
            let (word, rest) = quoted.split_once('"').unwrap_or((quoted, ""));
            self.0 = rest;
            return Some(word.to_owned());
        }
        let end = text.find([':', ',', '-', ' ']).unwrap_or(text.len());
        self.0 = &text[end..];
        (end > 0).then(|| text[..end].to_owned())
    }
}
