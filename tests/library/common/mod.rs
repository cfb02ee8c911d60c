//! What several tests of the library share.

pub mod compare;
pub mod files;
pub mod mutants;

/// What a long campaign is asked for: the number that a variable of the environment holds, or the usual one.
pub fn wish(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}
