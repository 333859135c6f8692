//! `report.html`: one page for people, complete in itself. It asks nothing of the network and reads without scripts.
//!
//! Confidential: it shows no withheld value, but shares and intervals that narrow some of them down.

pub(crate) mod facts;
mod figures;
pub(crate) mod html;
mod intervals;
mod losses;
mod notes;
mod table;
#[cfg(test)]
mod tests;
pub(crate) mod view;
mod why;

use crate::{Account, Publication};
use facts::Facts;
pub(crate) use html::{count, percent, text};
use std::fmt::{self, Write};
use view::{Sheets, View};

pub(crate) const STYLE: &str = include_str!("assets/report.css");
const SCRIPT: &str = include_str!("assets/report.js");

/// The whole page.
pub(crate) fn page(publication: &Publication<'_>) -> Result<String, fmt::Error> {
    let facts = Facts::of(publication);
    let account = &publication.account;
    let mut out = begun(account)?;
    figures::header(&mut out, account, publication.release.certificate().witnesses.len(), &facts)?;
    table::section(&mut out, publication, &facts)?;
    losses::section(&mut out, &facts)?;
    why::section(&mut out, publication)?;
    intervals::section(&mut out, publication)?;
    notes::section(&mut out, account, &notes::FILES)?;
    end(&mut out)?;
    Ok(out)
}

/// The page of a release that is made cell by cell: what the cells come to, and those on the upper levels.
pub(crate) struct Streamed<'a> {
    pub(crate) account: &'a Account,
    pub(crate) witnesses: usize,
    pub(crate) facts: &'a Facts<'a>,
    pub(crate) view: &'a View,
    pub(crate) sheets: &'a Sheets,
    pub(crate) decimals: u8,
    /// The files of the folder: name, content, whether it may be published.
    pub(crate) files: &'a [(&'a str, &'a str, bool)],
}

impl Streamed<'_> {
    /// The whole page.
    pub(crate) fn page(&self) -> Result<String, fmt::Error> {
        let mut out = begun(self.account)?;
        figures::header(&mut out, self.account, self.witnesses, self.facts)?;
        let whole = (self.decimals, "table.parquet");
        table::by_sheets(&mut out, self.facts, self.view, self.sheets, whole)?;
        losses::section(&mut out, self.facts)?;
        notes::section(&mut out, self.account, self.files)?;
        end(&mut out)?;
        Ok(out)
    }
}

fn begun(account: &Account) -> Result<String, fmt::Error> {
    let mut out = String::new();
    let title = text(&account.title);
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n"
    )?;
    Ok(out)
}

fn end(out: &mut String) -> fmt::Result {
    write!(out, "</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n")
}
