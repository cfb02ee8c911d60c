//! Engines: they run checked rules and know no text.
//!
//! There are two: the slow and obvious [`reference`], and the [`fast`] one, which is compared with it and never the other way
//! round.

pub mod fast;
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

/// A state as both engines know it: what stands where, what is remembered, and whose turn it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot {
    /// By site.
    pub contents: Vec<crate::rules::Content>,
    /// Memory by memory, each with one value or one for every player or site.
    pub memory: Vec<crate::rules::Value>,
    pub mover: crate::rules::PlayerId,
    /// Where in the order of turns.
    pub order: usize,
    pub turn: u32,
    pub ply: u32,
}
