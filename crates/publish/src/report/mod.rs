//! report
use crate::Publication;
pub(crate) fn page(_p: &Publication<'_>) -> String {
    String::new()
}
