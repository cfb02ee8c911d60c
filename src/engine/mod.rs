//! Engines: they run checked rules and know no text.
//!
//! There is one so far, the slow and obvious [`reference`]; a fast one is compared with it and never the other way round.

pub mod reference;

/// Who came where, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The place of each player in turn order, from 1; equal places share.
    pub places: Vec<u8>,
    /// The name of the ending, or its condition as written.
    pub reason: String,
    /// Which line of `end` decided; none where no line spoke.
    pub ending: Option<usize>,
}
