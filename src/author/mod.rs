//! What authors of rule files ask: diagnostics of every variant, tests, coverage, fixes, the rule sheet.

pub mod coverage;
pub mod declared;
pub mod inspect;
pub mod mend;
pub mod script;
pub mod sheet;
pub mod trial;
