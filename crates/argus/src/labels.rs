//! Labels of codes (`.cdl`): one `code,label` a line. They are for people only; no table depends on them.

use crate::Codes;
use crate::rda::Variable;
use crate::text::unquoted;
use cellveil_core::CodeId;
use std::fmt::Write;
use std::path::{Path, PathBuf};

impl Codes {
    /// The file of labels that could not be read, if there is one.
    pub fn unlabelled(&self) -> Option<&Path> {
        self.unlabelled.as_deref()
    }

    /// What a code means, where a file of labels says so.
    pub fn label(&self, code: CodeId) -> Option<&str> {
        self.labels.get(&code).map(String::as_str)
    }

    /// Takes the labels of a file that metadata name. A file that is not there costs the labels only, and a note says so.
    pub(crate) fn label_from(&mut self, variable: &Variable, resolve: impl Fn(&str) -> PathBuf) {
        if let Some(name) = &variable.code_list {
            self.read_labels(&resolve(name));
        }
    }

    /// Takes the labels of a file.
    pub fn read_labels(&mut self, file: &Path) {
        match crate::text::read(file) {
            Ok(text) => self.set_labels(&text),
            Err(fault) => self.unlabelled = Some(fault.file),
        }
    }

    /// Codes that the variable does not have are passed over.
    fn set_labels(&mut self, text: &str) {
        self.labels.clear();
        for line in text.lines() {
            if let Some((code, label)) = line.split_once([',', ';'])
                && let Some(code) = self.of_table(unquoted(code))
            {
                self.labels.insert(code, unquoted(label).to_owned());
            }
        }
    }

    /// The labels as a `.cdl` file.
    pub(crate) fn labels_file(&self) -> String {
        let mut text = String::new();
        for (&code, label) in &self.labels {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{},{label}", self.dimension.hierarchy.name(code));
        }
        text
    }
}
