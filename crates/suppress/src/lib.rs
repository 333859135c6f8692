//! cellveil-suppress
