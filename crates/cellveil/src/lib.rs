//! The whole way from confidential records to a release that is proven safe.
//!
//! A [`Job`] says what to do, a [`Run`] how long, on how many threads and who is told, and [`Engines`] do the heavy work.
//! [`protect`] goes all the way; its steps ([`tabulate`], [`pose`], [`secure`], [`publish`]) can be taken one by one.

mod adjustment;
mod audit;
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
mod secure;
mod settings;
mod streamed;
mod system;
mod tabulation;
mod time_limit;

pub use adjustment::{ReleasedAdjustment, release_adjusted};
pub use audit::{Audited, EXPLAINED, audit};
pub use batch::{BatchError, BatchLog, BatchOptions, CommandLog, TableLog, run_batch};
pub use error::{Error, Exposed};
pub use job::{Data, Job, JobError, Previous, Protection};
pub use memory::{Memory, NotMemory};
pub use pipeline::{Engines, Origin, Released, pose, protect, publish};
pub use run::{Progress, Run};
pub use secure::{Secured, secure};
pub use settings::Settings;
pub use system::beside;
pub use tabulation::{Made, gather, tabulate};
pub use time_limit::{NotATime, TimeLimit};
