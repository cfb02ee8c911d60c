//! What plies bring, learnt by how they look: which of them take something, and how much it weighs.

use crate::engine::Look;
use crate::engine::fast::state::mix;

/// Looks that are told apart; the rest share places.
const PLACES: usize = 1 << 12;

/// As often a look must have been seen before it is believed.
const ENOUGH: u32 = 1;

/// What is known of plies that look alike.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    look: Look,
    seen: u32,
    took: u32,
    gain: f32,
}

/// Plies by their looks.
#[derive(Clone, Debug)]
pub(super) struct Looks {
    known: Vec<Known>,
}

impl Default for Looks {
    fn default() -> Self {
        Self { known: vec![Known::default(); PLACES] }
    }
}

fn place(look: Look) -> usize {
    mix(look.number()) as usize % PLACES
}

impl Looks {
    /// A ply was played: what it brought, and whether it took something.
    pub(super) fn note(&mut self, look: Look, gain: f32, took: bool) {
        let Some(known) = self.known.get_mut(place(look)) else { return };
        if known.look != look {
            *known = Known { look, ..Known::default() };
        }
        known.seen += 1;
        known.took += u32::from(took);
        known.gain += (gain - known.gain) / known.seen as f32;
    }

    fn get(&self, look: Look) -> Option<&Known> {
        self.known.get(place(look)).filter(|known| known.look == look && known.seen >= ENOUGH)
    }

    /// What a ply may be expected to bring; none where none like it was seen.
    pub(super) fn gain(&self, look: Look) -> Option<f32> {
        self.get(look).map(|known| known.gain)
    }

    /// Whether plies that look so usually take something.
    pub(super) fn expects(&self, look: Look) -> bool {
        self.get(look).is_some_and(|known| known.took * 3 >= known.seen)
    }
}
