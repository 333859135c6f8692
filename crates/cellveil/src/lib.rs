//! The whole way from confidential records to a release that is proven safe.
//!
//! A [`Job`] says what to do, a [`Run`] how long, on how many threads and who is told, and [`Engines`] do the heavy work.
//! [`protect`] goes all the way; its steps ([`tabulate`], [`pose`], [`secure`], [`publish`]) can be taken one by one.

mod adjustment;
mod batch;
mod error;
mod inputs;
pub mod instance;
mod job;
mod judge;
mod memory;
mod nearest;
mod pipeline;
mod resume;
mod run;
mod settings;
mod time_limit;

pub use adjustment::{ReleasedAdjustment, release_adjusted};
pub use batch::{BatchError, BatchLog, BatchOptions, CommandLog, TableLog, run_batch};
pub use error::{Error, Exposed};
pub use job::{Data, Job, JobError, Previous, Protection};
pub use memory::{Memory, NotMemory};
pub use pipeline::{
    Audited, EXPLAINED, Engines, Made, Origin, Released, Secured, audit, gather, pose, protect,
    publish, secure, tabulate,
};
pub use run::{Progress, Run};
pub use settings::Settings;
pub use time_limit::{NotATime, TimeLimit};
