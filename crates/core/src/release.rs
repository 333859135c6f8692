//! A table that may be written, because it was verified.

use crate::{Certificate, Fault, Pattern, Problem, verify};
use thiserror::Error;

/// A table, its pattern and a certificate that [`verify()`] accepted. Writers take nothing else, so an unsafe table cannot
/// be written by mistake.
#[derive(Clone, Debug)]
pub struct Release {
    problem: Problem,
    pattern: Pattern,
    certificate: Certificate,
}

/// The certificate does not prove the pattern safe.
#[derive(Clone, Debug, Error)]
#[error("the pattern is not proven safe: {} fault{}, first: {}", faults.len(), if faults.len() == 1 { "" } else { "s" },
    faults.first().map_or_else(String::new, ToString::to_string))]
pub struct NotSafe {
    /// What is wrong, never empty.
    pub faults: Vec<Fault>,
}

impl Release {
    /// Verifies the certificate.
    ///
    /// # Errors
    /// [`NotSafe`] if any need is left unproven.
    pub fn new(
        problem: Problem,
        pattern: Pattern,
        certificate: Certificate,
    ) -> Result<Self, NotSafe> {
        match verify(&problem, &pattern, &certificate) {
            Ok(()) => Ok(Self { problem, pattern, certificate }),
            Err(faults) => Err(NotSafe { faults }),
        }
    }

    /// The table as an instance, with its true values.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The withheld cells.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// The proof.
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }
}
