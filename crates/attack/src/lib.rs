//! cellveil-attack
