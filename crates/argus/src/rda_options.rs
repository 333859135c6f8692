//! The option lines below a variable of an `.rda` file.

use crate::Fault;
use crate::rda::{Levels, Roles, Variable};
use crate::text::{Words, padded, unquoted};
use std::path::Path;

/// Every option line, for suggestions.
const KEYWORDS: [&str; 29] = [
    "<RECODEABLE>",
    "<RECODABLE>",
    "<TOTCODE>",
    "<NUMERIC>",
    "<DECIMALS>",
    "<WEIGHT>",
    "<HOLDING>",
    "<REQUEST>",
    "<CODELIST>",
    "<HIERARCHICAL>",
    "<HIERLEVELS>",
    "<HIERCODELIST>",
    "<HIERLEADSTRING>",
    "<DISTANCE>",
    "<TRUNCABLE>",
    "<RECORDKEY>",
    "<PFILE>",
    "<PFILE_FREQ>",
    "<PFILE_CONT>",
    "<PFILE_SEP>",
    "<CKM>",
    "<INCLUDEZEROS>",
    "<PARITY>",
    "<SEPARATION>",
    "<SCALING>",
    "<FREQUENCY>",
    "<MAXSCORE>",
    "<STATUS>",
    "<SEPARATOR>",
];

/// Applies one option line to its variable.
pub(crate) fn option(
    file: &Path,
    line: u64,
    keyword: &str,
    rest: &str,
    variable: &mut Variable,
    table: bool,
) -> Result<(), Fault> {
    let fault = |what: String| Fault::new(file, what).at(line);
    match keyword {
        "<RECODEABLE>" | "<RECODABLE>" => variable.roles.explanatory = true,
        "<TOTCODE>" => variable.total = Some(unquoted(rest).to_owned()),
        "<NUMERIC>" => numeric(rest, &mut variable.roles, table).map_err(|what| {
            fault(what)
                .hint("in a table, `<SHADOW>`, `<COST>`, `<LOWERPL>` or `<UPPERPL>` may follow")
        })?,
        "<DECIMALS>" => {
            let decimals = rest.trim().parse().ok().filter(|&decimals| decimals <= 9);
            variable.decimals = decimals.ok_or_else(|| {
                fault("`<DECIMALS>` needs a whole number up to 9".to_owned())
                    .hint("write it as in `<DECIMALS> 2`")
            })?;
        }
        "<WEIGHT>" => variable.roles.weight = true,
        "<HOLDING>" => variable.roles.holding = true,
        "<REQUEST>" => requests(rest, variable)
            .map_err(|what| fault(what).hint("write the codes as in `<REQUEST> \"1\" \"2\"`"))?,
        "<CODELIST>" => variable.code_list = Some(unquoted(rest).to_owned()),
        "<HIERARCHICAL>" => {
            variable.levels = match std::mem::take(&mut variable.levels) {
                Levels::Digits(digits) if variable.hierarchy_file.is_none() => {
                    Levels::Digits(digits)
                }
                _ => Levels::File,
            };
        }
        "<HIERLEVELS>" => {
            variable.levels = digits(rest, variable).map_err(|what| {
                fault(what).hint("as many digits for each level, as in `<HIERLEVELS> 2 1 1`")
            })?;
        }
        "<HIERCODELIST>" => variable.hierarchy_file = Some(unquoted(rest).to_owned()),
        "<HIERLEADSTRING>" => unquoted(rest).clone_into(&mut variable.lead),
        "<DISTANCE>" => {
            let numbers: Option<Vec<f64>> =
                rest.split_whitespace().map(|word| word.parse().ok()).collect();
            variable.distance = numbers.filter(|numbers| numbers.len() <= 5).ok_or_else(|| {
                fault("`<DISTANCE>` needs up to five numbers".to_owned())
                    .hint("write them as in `<DISTANCE> 1 2 3 4 5`")
            })?;
        }
        "<TRUNCABLE>" => {}
        "<RECORDKEY>" => variable.roles.record_key = true,
        "<PFILE>" | "<PFILE_FREQ>" | "<PFILE_CONT>" | "<PFILE_SEP>" | "<CKM>"
        | "<INCLUDEZEROS>" | "<PARITY>" | "<SEPARATION>" | "<SCALING>" => {
            variable.cell_key.push((keyword.to_owned(), unquoted(rest).to_owned()));
        }
        "<FREQUENCY>" if table => variable.roles.frequency = true,
        "<MAXSCORE>" if table => variable.roles.top = true,
        "<STATUS>" if table => variable.roles.status = true,
        _ => return Err(unknown(file, line, keyword, table)),
    }
    Ok(())
}

fn unknown(file: &Path, line: u64, keyword: &str, table: bool) -> Fault {
    let fault = Fault::new(file, format!("`{keyword}` is no keyword of metadata")).at(line);
    if !table && matches!(keyword, "<FREQUENCY>" | "<MAXSCORE>" | "<STATUS>" | "<SAFE>") {
        return fault.hint("it describes finished tables; open the data with `<OPENTABLEDATA>`");
    }
    match cellveil_tabulate::text::nearest(keyword, KEYWORDS) {
        Some(known) => fault.hint(format!("did you mean `{known}`?")),
        None => fault.hint("remove the line"),
    }
}

fn numeric(rest: &str, roles: &mut Roles, table: bool) -> Result<(), String> {
    let rest = rest.trim().to_uppercase();
    match rest.as_str() {
        "" => roles.numeric = true,
        "<SHADOW>" if table => roles.shadow = true,
        "<COST>" | "<COSTVAR>" if table => roles.cost = true,
        "<LOWERPL>" if table => roles.lower = true,
        "<UPPERPL>" if table => roles.upper = true,
        other => return Err(format!("`{other}` cannot follow `<NUMERIC>` here")),
    }
    Ok(())
}

fn requests(rest: &str, variable: &mut Variable) -> Result<(), String> {
    let mut words = Words::new(rest);
    let mut codes = [None, None];
    for code in &mut codes {
        *code = words.next().map(|code| padded(code, variable.length));
    }
    if codes[0].is_none() {
        return Err("`<REQUEST>` needs at least one code".to_owned());
    }
    variable.roles.request = true;
    variable.requests = codes;
    Ok(())
}

fn digits(rest: &str, variable: &Variable) -> Result<Levels, String> {
    let digits: Option<Vec<usize>> =
        rest.split_whitespace().map(|word| word.parse().ok()).collect();
    let digits = digits.ok_or("`<HIERLEVELS>` needs whole numbers")?;
    let sum: usize = digits.iter().sum();
    if variable.length > 0 && sum != variable.length {
        return Err(format!(
            "the levels of `{}` have {sum} digits, but its codes have {}",
            variable.name, variable.length
        ));
    }
    let digits: Vec<usize> = digits.into_iter().filter(|&digits| digits > 0).collect();
    if digits.is_empty() {
        return Err("`<HIERLEVELS>` needs at least one digit".to_owned());
    }
    Ok(Levels::Digits(digits))
}
