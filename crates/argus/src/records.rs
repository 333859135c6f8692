//! Records in fixed or free layout, field by field.

use crate::Fault;
use crate::rda::{Layout, Metadata, Variable};
use crate::text::{padded, unquoted};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// A file of records, in memory.
#[derive(Clone, Debug)]
pub struct Records {
    file: PathBuf,
    text: String,
}

/// One record.
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    /// Its line.
    pub line: u64,
    text: &'a str,
    free: Vec<&'a str>,
    layout: Layout,
}

impl Records {
    /// Reads the whole file.
    ///
    /// # Errors
    /// [`Fault`] if it cannot be read.
    pub fn read(file: &Path) -> Result<Self, Fault> {
        Ok(Self { file: file.to_owned(), text: crate::text::read(file)? })
    }

    /// Goes through all records.
    ///
    /// # Errors
    /// [`Fault`] names the line of a record that is too short or too long, and whatever `each` finds.
    pub fn each<'a>(
        &'a self,
        metadata: &Metadata,
        mut each: impl FnMut(&Fields<'a>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut first: Option<(u64, usize)> = None;
        let mut fields = Fields { line: 0, text: "", free: Vec::new(), layout: metadata.layout };
        for (line, text) in (1..).zip(self.text.lines()) {
            let text = text.trim_end_matches(|sign: char| sign < ' ');
            if text.trim().is_empty() {
                continue;
            }
            (fields.line, fields.text) = (line, text);
            match metadata.layout {
                Layout::Fixed => {
                    let length = text.chars().count();
                    let &mut (first_line, expected) = first.get_or_insert((line, length));
                    if length != expected {
                        return Err(Fault::new(
                            &self.file,
                            format!("the record has {length} columns, but that of line {first_line} has {expected}"),
                        )
                        .at(line)
                        .number(1003)
                        .hint("all records have the same length; fill it up with blanks, or describe a free layout with `<SEPARATOR>`"));
                    }
                    if first_line == line {
                        check_columns(metadata, length)?;
                    }
                }
                Layout::Free(separator) | Layout::Table(separator) => {
                    fields.free.clear();
                    fields.free.extend(text.split(separator));
                    let (found, expected) = (fields.free.len(), metadata.variables.len());
                    if found < expected {
                        return Err(Fault::new(
                            &self.file,
                            format!(
                                "the line has {found} fields, but the metadata describe {expected}"
                            ),
                        )
                        .at(line)
                        .number(1021)
                        .hint("add the missing fields, or correct `<SEPARATOR>` in the metadata"));
                    }
                }
            }
            each(&fields)?;
        }
        if fields.line == 0 {
            return Err(Fault::new(&self.file, "holds no record").hint("name another file"));
        }
        Ok(())
    }

    /// A mistake in one record.
    pub fn fault(&self, line: u64, what: impl Into<String>) -> Fault {
        Fault::new(&self.file, what).at(line)
    }
}

fn check_columns(metadata: &Metadata, length: usize) -> Result<(), Fault> {
    let beyond = |variable: &&Variable| variable.start + variable.length > length;
    match metadata.variables.iter().find(beyond) {
        None => Ok(()),
        Some(variable) => Err(Fault::new(
            &metadata.file,
            format!(
                "`{}` ends in column {}, but records have {length}",
                variable.name,
                variable.start + variable.length
            ),
        )
        .at(variable.line)
        .hint("correct its first column and length")),
    }
}

impl<'a> Fields<'a> {
    /// The text of a variable, as wide as the variable.
    pub fn code(&self, variable: &Variable, at: usize) -> Cow<'a, str> {
        if self.layout == Layout::Fixed {
            return Cow::Borrowed(self.columns(variable));
        }
        let padded = padded(unquoted(self.free[at]), variable.length);
        match padded.char_indices().nth(variable.length) {
            Some((end, _)) if variable.length > 0 => Cow::Owned(padded[..end].to_owned()),
            _ => Cow::Owned(padded),
        }
    }

    /// The text of a number, however wide.
    pub fn number(&self, variable: &Variable, at: usize) -> &'a str {
        match self.layout {
            Layout::Fixed => self.columns(variable),
            _ => unquoted(self.free[at]),
        }
    }

    fn columns(&self, variable: &Variable) -> &'a str {
        let (from, to) = (variable.start, variable.start + variable.length);
        if self.text.is_ascii() {
            return &self.text[from..to];
        }
        let place = |nth| self.text.char_indices().nth(nth).map_or(self.text.len(), |(at, _)| at);
        &self.text[place(from)..place(to)]
    }
}
