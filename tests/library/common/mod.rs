//! What several tests of the library share.

pub mod compare;
pub mod files;
pub mod mutants;
