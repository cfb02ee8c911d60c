//! Work for many machines: jobs that are played in parts anywhere, and parts that add up to what one machine would have found.

mod file;
mod journal;
mod shard;
mod work;

pub use file::{JobError, JobFile, VERSION, about, settings};
pub use journal::Journal;
pub use shard::{Block, Job, Line, Merge, MergeError, Sums};
pub use work::{Crew, Work};
