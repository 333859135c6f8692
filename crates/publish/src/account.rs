//! How a folder came about.

use crate::manifest::InstanceNote;
use crate::{Formats, Input, Manifest, Summary, Way};
use cellveil_core::{CellNames, Problem};
use std::collections::BTreeMap;

/// How a folder came about: what was read, what was allowed, what came of it.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// The figures of the run.
    pub summary: Summary,
    /// The files that were read.
    pub inputs: Vec<Input>,
    /// The text of the job file, if there was one.
    pub job: Option<String>,
    /// What was allowed: time, gap and the like.
    pub limits: BTreeMap<String, String>,
    /// What the table is called.
    pub title: String,
    /// Which files hold the table; a release always has CSV and Parquet.
    pub formats: Formats,
    /// Whether the table was held in memory, where that was chosen.
    pub way: Option<Way>,
}

impl Account {
    /// The formats that a release is written in.
    pub(crate) fn formats(&self) -> Formats {
        Formats { csv: true, parquet: true, ..self.formats }
    }

    /// The manifest of a folder of some kind, with the true table of this problem.
    pub(crate) fn manifest(&self, kind: &str, problem: &Problem) -> Manifest {
        Manifest {
            cellveil: self.summary.version.clone(),
            kind: kind.to_owned(),
            title: self.title.clone(),
            inputs: self.inputs.clone(),
            job: self.job.clone(),
            method: self.summary.method.clone(),
            seed: self.summary.seed,
            limits: self.limits.clone(),
            way: self.way.clone(),
            instance: Some(InstanceNote {
                decimals: problem.decimals(),
                tolerance: furthest_residual(problem),
                own_ids: matches!(problem.names(), CellNames::Ids(_) | CellNames::Labels(_)),
            }),
            ..Manifest::default()
        }
    }
}

/// By how many units a relation of the true table misses at most.
fn furthest_residual(problem: &Problem) -> i64 {
    let (values, relations) = (&problem.parts().values, problem.relations());
    let furthest =
        (0..relations.len()).map(|relation| relations.residual(relation, values).abs()).max();
    i64::try_from(furthest.unwrap_or(0)).unwrap_or(i64::MAX)
}
