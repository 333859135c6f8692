//! cellveil-publish
