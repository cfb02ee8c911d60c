//! What authors of rule files ask: diagnostics of every variant, tests, coverage, fixes, the rule sheet.

pub mod costly;
pub mod coverage;
pub(crate) mod declared;
mod idle;
pub mod inspect;
pub(crate) mod lesson;
pub mod mend;
mod off_board;
pub mod script;
pub(crate) mod sheet;
pub mod trial;
