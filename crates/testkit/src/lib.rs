//! cellveil-testkit
