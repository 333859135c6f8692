//! cellveil-datafusion
