//! Paths put into texts made at random: some rows of sites, and directions that become directions along them.

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

/// What can be said of the first rows of every board that authors take.
const PATHS: [&str; 6] = [
    "path loop = row(1) from W, row(2) from E, round\npath hook = row(2) from W, row(1) from E",
    "path loop = row(2) from W, row(1) from W\npath hook = row(1) from W, round",
    "path loop = row(1) from E and row(2) from W\npath hook = row(2) from E, row(1) from E, round",
    "path loop = row(1) from W, round and row(2) from W, round\npath hook = row(1) from W, row(2) from W",
    "path loop = one_of(row(2)), row(1) from E\npath hook = row(1) from W, one_of(row(2)), round",
    "path loop = row(2) from E\npath hook = one_of(row(1)), one_of(row(2)), round",
];

/// The text with paths, and with some of its directions along them.
pub(super) fn with_paths(text: &str, random: &mut Xoshiro256PlusPlus) -> String {
    let mut below = |count: u64| random.random_range(0..count);
    let paths = PATHS[below(PATHS.len() as u64) as usize];
    let mut parts = text.split("directions");
    let mut made = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        made += match below(9) {
            0 => "loop",
            1 => "hook",
            2 => "(loop or hook)",
            3 => "opposite(loop)",
            4 => "(directions or hook)",
            5 => "(hook or opposite(hook))",
            _ => "directions",
        };
        made += part;
    }
    for way in ["(y, E)", "(from, E", "({x}, E)", "(cell, E)"] {
        if below(2) == 0 {
            made = made.replace(way, &way.replace('E', "loop"));
        }
    }
    made.replacen("\nboard ", &format!("\n{paths}\nboard "), 1)
}
