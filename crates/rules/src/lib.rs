//! Which cells of a table would betray a respondent, and how well each must be protected.
//!
//! One rule, one file, one name a statistician uses. A [`RuleSet`] is the `[rules]` section of a job file; its
//! [`judge`](RuleSet::judge) turns a table into [`Needs`](cellveil_core::Needs). Nothing here withholds or publishes.
//!
//! All comparisons are made in whole numbers: a share of exactly 85 % is not above 85 %, with weights or without.

mod cell;
mod dominance;
mod error;
mod frequency;
mod group;
mod manual;
mod number;
mod one_cell;
mod p_percent;
mod pq;
mod request;
mod rule;
mod rule_set;
mod zero;

pub use cell::Cell;
pub use dominance::Dominance;
pub use error::RuleError;
pub use frequency::Frequency;
pub use group::{Interval, Share};
pub use manual::{Manual, ManualCell, ManualStatus};
pub use number::{Amount, Percent};
pub use one_cell::{Record, one_cell};
pub use p_percent::PPercent;
pub use pq::Pq;
pub use request::Request;
pub use rule::{Asks, By, Level, Rule, Signed, Values};
pub use rule_set::{Judgement, RuleSet};
pub use zero::Zero;
