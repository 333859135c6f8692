//! What follows the keyword of a command, piece by piece.

use super::{Wrong, wrong};

pub(super) struct Arguments<'a> {
    keyword: &'a str,
    rest: &'a str,
}

impl<'a> Arguments<'a> {
    pub(super) fn new(keyword: &'a str, rest: &'a str) -> Self {
        Self { keyword, rest: rest.trim() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    fn expected(&self, what: &str) -> Wrong {
        let shape = match self.keyword {
            "<APRIORI>" | "<APRIORY>" => "\"file.hst\",1,\";\",1,0",
            "<RECODE>" => "1,Region,\"file.grc\"",
            "<WRITETABLE>" => "(1,3,AS+,\"file.txt\")",
            _ => "\"file\"",
        };
        let keyword = self.keyword;
        wrong(format!("`{keyword}` needs {what}"), format!("write `{keyword} {shape}`"))
    }

    /// A name in quotes, or everything up to a comma, a bracket or the end.
    pub(super) fn name(&mut self) -> Result<String, Wrong> {
        let name = if let Some(quoted) = self.rest.strip_prefix('"') {
            let (name, rest) =
                quoted.split_once('"').ok_or_else(|| self.expected("a closing quote"))?;
            self.rest = rest.trim_start();
            name
        } else {
            let end = self.rest.find([',', ')']).unwrap_or(self.rest.len());
            let (name, rest) = self.rest.split_at(end);
            self.rest = rest;
            name.trim()
        };
        if name.is_empty() { Err(self.expected("a name")) } else { Ok(name.to_owned()) }
    }

    pub(super) fn file(&mut self) -> Result<String, Wrong> {
        self.name().map_err(|_| self.expected("the name of a file in quotes"))
    }

    pub(super) fn sign(&mut self, sign: char) -> Result<(), Wrong> {
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.ok_or_else(|| self.expected(&format!("a `{sign}`")))?.trim_start();
        Ok(())
    }

    pub(super) fn comma(&mut self) -> Result<(), Wrong> {
        self.sign(',')
    }

    pub(super) fn until_comma(&mut self) -> String {
        let (text, _) = self.rest.split_once(',').unwrap_or((self.rest, ""));
        self.rest = &self.rest[text.len()..];
        text.to_owned()
    }

    pub(super) fn whole(&mut self, what: &str) -> Result<usize, Wrong> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let number = self.rest[..end].parse().map_err(|_| self.expected(what))?;
        self.rest = self.rest[end..].trim_start();
        Ok(number)
    }

    /// One sign in quotes, which may be a comma.
    pub(super) fn quoted_sign(&mut self) -> Result<char, Wrong> {
        let mut signs = self.rest.chars();
        let (open, sign, close) = (signs.next(), signs.next(), signs.next());
        match (open, sign, close) {
            (Some('"'), Some(sign), Some('"')) => {
                self.rest = signs.as_str().trim_start();
                Ok(sign)
            }
            _ => Err(self.expected("the separator in quotes, one sign")),
        }
    }

    pub(super) fn end(&self) -> Result<(), Wrong> {
        if self.rest.is_empty() {
            return Ok(());
        }
        let (keyword, rest) = (self.keyword, self.rest);
        Err(wrong(format!("`{rest}` is too much after `{keyword}`"), "remove it"))
    }
}
