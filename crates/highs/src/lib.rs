//! cellveil-highs
