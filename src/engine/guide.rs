//! What the random games of a search go by: answers to the last piece, and plies that were better elsewhere.

use super::answers::Answers;

/// The seat that chance has in notes.
pub const CHANCE: u8 = u8::MAX;

/// Of two plies of a seat, by their keys, whether the second is better.
pub type Better<'a> = dyn Fn(u8, u64, u64) -> bool + 'a;

/// What a random game goes by; by nothing at all where all is left out.
#[derive(Clone, Copy, Default)]
pub struct Guide<'a> {
    /// The last piece is answered with one of these where one is legal and plies are listed. The reference answers nothing.
    pub answers: Option<&'a Answers>,
    /// In so many plies of the game, the first ones, two are picked by chance, and the better one is played.
    pub better: Option<(&'a Better<'a>, u64)>,
}
