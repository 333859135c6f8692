//! cellveil
