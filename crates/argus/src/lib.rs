//! cellveil-argus
