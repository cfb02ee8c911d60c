//! What the random games of a search go by.

/// The seat that chance has in notes.
pub const CHANCE: u8 = u8::MAX;

/// Of two plies of a seat, by their keys, whether the second is better.
pub type Better<'a> = dyn Fn(u8, u64, u64) -> bool + 'a;

/// What a random game goes by; by nothing at all where all is left out.
#[derive(Clone, Copy, Default)]
pub struct Guide<'a> {
    /// After a piece of the other player is put on an empty site, an empty site beside it is played, if one lies between two own
    /// pieces, or between one and the edge, that are beside that piece too. This holds where plies are listed; the reference
    /// does without.
    pub keeps_together: bool,
    /// In so many plies of the game, the first ones, two are picked by chance, and the better one is played.
    pub better: Option<(&'a Better<'a>, u64)>,
}
