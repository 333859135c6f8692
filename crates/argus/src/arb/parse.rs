//! From the text of a command to what it says.

use super::arguments::Arguments;
use super::{Additivity, Command, RecodeBy, Rules, Specify, Suppress, Wrong, save, wrong};

/// Every keyword.
const KEYWORDS: [&str; 22] = [
    "<LOGBOOK>",
    "<VERSIONINFO>",
    "<SOLVER>",
    "<OPENMICRODATA>",
    "<OPENTABLEDATA>",
    "<OPENMETADATA>",
    "<SPECIFYTABLE>",
    "<SAFETYRULE>",
    "<READMICRODATA>",
    "<READTABLE>",
    "<APRIORI>",
    "<APRIORY>",
    "<RECODE>",
    "<SUPPRESS>",
    "<WRITETABLE>",
    "<CLEAR>",
    "<GOINTERACTIVE>",
    "<COVER>",
    "<SILENT>",
    "<ANCO>",
    "<COMMENT>",
    "<JJ>",
];

pub(super) fn command(text: &str) -> Result<Command, Wrong> {
    let (keyword, rest) = match text.find('>') {
        Some(end) if text.starts_with('<') => text.split_at(end + 1),
        _ => text.split_at(text.find(' ').unwrap_or(text.len())),
    };
    let keyword = keyword.to_uppercase();
    let mut arguments = Arguments::new(&keyword, rest);
    let command = match keyword.as_str() {
        "<LOGBOOK>" => Command::Logbook(arguments.file()?),
        "<VERSIONINFO>" => Command::VersionInfo(arguments.file()?),
        "<SOLVER>" => return solver(rest),
        "<OPENMICRODATA>" => Command::OpenMicrodata(arguments.file()?),
        "<OPENTABLEDATA>" => Command::OpenTabledata(arguments.file()?),
        "<OPENMETADATA>" => Command::OpenMetadata(arguments.file()?),
        "<SPECIFYTABLE>" => return Specify::parse(rest).map(Command::SpecifyTable),
        "<SAFETYRULE>" => return Rules::parse(rest).map(Command::SafetyRule),
        "<READMICRODATA>" => Command::ReadMicrodata,
        "<READTABLE>" => return additivity(rest).map(Command::ReadTable),
        "<APRIORI>" | "<APRIORY>" => apriori(&mut arguments)?,
        "<RECODE>" => recode(&mut arguments)?,
        "<SUPPRESS>" => return Suppress::parse(rest).map(Command::Suppress),
        "<WRITETABLE>" => save::write_table(&mut arguments)?,
        "<CLEAR>" => Command::Clear,
        "<GOINTERACTIVE>" => Command::GoInteractive,
        "<COVER>" | "<SILENT>" | "<ANCO>" | "<COMMENT>" => return Ok(Command::Nothing),
        "<JJ>" => {
            return Err(wrong(
                "`<JJ>` was never built, in τ-ARGUS neither",
                "write a JJ file with `<WRITETABLE> (1,6,,\"file.jj\")`, protect one with `cellveil suppress`",
            ));
        }
        _ => {
            let hint = match cellveil_tabulate::text::nearest(&keyword, KEYWORDS) {
                Some(known) => format!("did you mean `{known}`?"),
                None => "remove the line, or start it with `//`".to_owned(),
            };
            return Err(wrong(format!("`{keyword}` is no command"), hint));
        }
    };
    arguments.end()?;
    Ok(command)
}

fn solver(rest: &str) -> Result<Command, Wrong> {
    let name = rest.split(',').next().unwrap_or("").trim().to_uppercase();
    if matches!(name.as_str(), "FREE" | "XPRESS" | "CPLEX") {
        return Ok(Command::Solver(name));
    }
    Err(wrong(
        format!("`{name}` is no solver"),
        "leave the line out: every solver named here is replaced by cellveil's own",
    ))
}

fn additivity(rest: &str) -> Result<Additivity, Wrong> {
    let rest: String = rest.to_uppercase().split_whitespace().collect();
    let (mode, keep) = match rest.strip_suffix(['T', 'F']) {
        Some(mode) => (mode, rest.ends_with('T')),
        None => (rest.as_str(), false),
    };
    match mode {
        "" | "0" => Ok(Additivity::Required),
        "1" => Ok(Additivity::Recompute { keep }),
        "2" => Ok(Additivity::Accepted),
        _ => Err(wrong(
            format!("`{rest}` is no way to read a table"),
            "0: totals must be right; 1: make them anew (1T keeps statuses); 2: take them as they are",
        )),
    }
}

fn apriori(arguments: &mut Arguments<'_>) -> Result<Command, Wrong> {
    let file = arguments.file()?;
    arguments.comma()?;
    let table = arguments.whole("the number of the table")?;
    arguments.comma()?;
    let separator = arguments.quoted_sign()?;
    let mut flag = |default: bool| -> Result<bool, Wrong> {
        if arguments.is_empty() {
            return Ok(default);
        }
        arguments.comma()?;
        Ok(arguments.whole("0 or 1")? != 0)
    };
    let ignore_errors = flag(true)?;
    let expand = flag(false)?;
    Ok(Command::Apriori { file, table, separator, ignore_errors, expand })
}

fn recode(arguments: &mut Arguments<'_>) -> Result<Command, Wrong> {
    let table = arguments.whole("the number of the table")?;
    arguments.comma()?;
    let variable = arguments.name()?;
    arguments.comma()?;
    let by = arguments.name()?;
    let by = match by.parse::<u8>() {
        Ok(level) if (1..=9).contains(&level) => RecodeBy::Level(level),
        _ => RecodeBy::File(by),
    };
    Ok(Command::Recode { table, variable, by })
}
