//! cellveil-lp
