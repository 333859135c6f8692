//! cellveil-rules
