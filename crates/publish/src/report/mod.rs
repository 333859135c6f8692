//! `report.html`: one page for people, complete in itself. It asks nothing of the network and reads without scripts.
//!
//! Confidential: it shows no withheld value, but shares and intervals that narrow some of them down.

mod facts;
mod figures;
pub(crate) mod html;
mod intervals;
mod losses;
mod notes;
mod table;
#[cfg(test)]
mod tests;
mod view;
mod why;

use crate::Publication;
use facts::Facts;
pub(crate) use html::{count, percent, text};
use std::fmt::{self, Write};

pub(crate) const STYLE: &str = include_str!("assets/report.css");
const SCRIPT: &str = include_str!("assets/report.js");

/// The whole page.
pub(crate) fn page(publication: &Publication<'_>) -> Result<String, fmt::Error> {
    let facts = Facts::new(publication);
    let mut out = String::new();
    let title = text(&publication.account.title);
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n"
    )?;
    figures::header(&mut out, publication, &facts)?;
    table::section(&mut out, publication, &facts)?;
    losses::section(&mut out, &facts)?;
    why::section(&mut out, publication)?;
    intervals::section(&mut out, publication)?;
    notes::section(&mut out, publication)?;
    write!(out, "</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n")?;
    Ok(out)
}
