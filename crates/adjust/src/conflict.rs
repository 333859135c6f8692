//! Why no table exists.

use crate::AdjustError;
use crate::task::Task;
use cellveil_lp::{Engine, EngineError};

pub(crate) fn explain(_task: &Task<'_>, _engine: &dyn Engine) -> Result<AdjustError, EngineError> {
    Ok(AdjustError::Infeasible { conflict: String::new(), hint: String::new() })
}
