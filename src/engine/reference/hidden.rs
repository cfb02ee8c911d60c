//! What a player does not see of a state, and of a ply, as the sections `hidden` say.

use super::eval::View;
use super::{Ply, Reference, State};
use crate::board::SiteSet;
use crate::rules::{Content, Hides, KindId, Kinds, Local, MoveId, PlayerId, Players, Scope, Value, WordId};
use std::collections::BTreeSet;

/// What one player does not see of a state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Unseen {
    /// What stands here is not seen, nor whether anything does.
    pub pieces: SiteSet,
    /// Whose piece stands here is seen, and not which.
    pub kinds: SiteSet,
    /// Memories by number, each with the entries that are not seen.
    pub values: BTreeSet<(usize, usize)>,
}

impl Reference {
    /// Whether anything can be hidden in the game.
    #[must_use]
    pub fn hides(&self) -> bool {
        !self.rules.hidden.is_empty()
    }

    /// What a player does not see of a state of a game that goes on.
    #[must_use]
    pub fn unseen(&self, state: &State, player: PlayerId) -> Unseen {
        let mut unseen = Unseen::default();
        for hidden in &self.rules.hidden {
            match &hidden.what {
                Hides::Pieces => unseen.pieces |= self.sites_of(state, hidden.word, &[looker(player)]),
                Hides::Kinds => unseen.kinds |= self.sites_of(state, hidden.word, &[looker(player)]),
                Hides::Memory(memory) => {
                    let scope = self.rules.memories.get(memory.0).map_or(Scope::Game, |memory| memory.scope);
                    for (entry, index) in self.entries(scope).into_iter().enumerate() {
                        let arguments = std::iter::once(looker(player)).chain(index).collect();
                        if self.holds_for(state, hidden.word, arguments) {
                            unseen.values.insert((memory.0, entry));
                        }
                    }
                }
                Hides::Move(..) => {}
            }
        }
        unseen
    }

    /// What somebody does not see who plays at no seat: all that is ever hidden from anybody, in every state alike. What is
    /// hidden just now from one player or another would tell where that player's pieces are.
    #[must_use]
    pub fn unseen_by_others(&self) -> Unseen {
        let mut unseen = Unseen::default();
        for hidden in &self.rules.hidden {
            match &hidden.what {
                Hides::Pieces => unseen.pieces = self.rules.board.all(),
                Hides::Kinds => unseen.kinds = self.rules.board.all(),
                Hides::Memory(memory) => {
                    let scope = self.rules.memories.get(memory.0).map_or(Scope::Game, |memory| memory.scope);
                    unseen.values.extend((0..self.entries(scope).len()).map(|entry| (memory.0, entry)));
                }
                Hides::Move(..) => {}
            }
        }
        unseen
    }

    /// Whether something of a move is ever hidden from anybody.
    #[must_use]
    pub fn is_ever_hidden(&self, mv: MoveId) -> bool {
        self.rules.hidden.iter().any(|hidden| matches!(&hidden.what, Hides::Move(other, _) if *other == mv))
    }

    /// The parts of a ply that a player does not see, read in the state before it; none where all of it is seen, and no parts
    /// where nothing is.
    #[must_use]
    pub fn unseen_parts(&self, state: &State, ply: &Ply, player: PlayerId) -> Option<&[Local]> {
        self.rules.hidden.iter().find_map(|hidden| {
            let Hides::Move(mv, parts) = &hidden.what else { return None };
            let values = parts.iter().map(|part| ply.frame.get(part.0).cloned().unwrap_or(Value::Number(None)));
            let arguments = std::iter::once(looker(player)).chain(values).collect();
            (*mv == ply.mv && self.holds_for(state, hidden.word, arguments)).then_some(parts.as_slice())
        })
    }

    /// A state without what is not seen of it. Pieces of which only the owner is seen are all of one kind.
    #[must_use]
    pub fn without(&self, state: &State, unseen: &Unseen) -> State {
        let mut state = state.clone();
        for site in unseen.pieces.iter() {
            state.put_stack(site, Vec::new());
        }
        let masked = |piece: &Content| Content::piece(KindId(0), piece.owner());
        for site in (unseen.kinds - unseen.pieces).iter() {
            state.put_stack(site, state.stack(site).iter().map(masked).collect());
        }
        for (memory, entry) in &unseen.values {
            let value = self.values(&state, *memory).get(*entry).map(Value::nothing);
            if let Some(value) = value {
                self.set_value(&mut state, *memory, *entry, value);
            }
        }
        state
    }

    fn holds_for(&self, state: &State, word: WordId, mut frame: Vec<Value>) -> bool {
        self.rules.words.get(word.0).is_some_and(|word| View::of(self, state).holds(&word.body, &mut frame))
    }

    /// What the entries of a memory belong to, in their order.
    fn entries(&self, scope: Scope) -> Vec<Vec<Value>> {
        let players = || (0..).zip(&self.rules.players).map(|(player, _)| looker(PlayerId(player)));
        let kinds = || (0..).zip(&self.rules.kinds).map(|(kind, _)| Value::Kinds(Kinds::single(KindId(kind))));
        match scope {
            Scope::Game => vec![Vec::new()],
            Scope::Player => players().map(|player| vec![player]).collect(),
            Scope::Kind => kinds().map(|kind| vec![kind]).collect(),
            Scope::PlayerKind => {
                players().flat_map(|player| kinds().map(move |kind| vec![player.clone(), kind])).collect()
            }
            Scope::Site => {
                self.rules.board.all().iter().map(|site| vec![Value::of_sites(SiteSet::single(site))]).collect()
            }
        }
    }
}

fn looker(player: PlayerId) -> Value {
    Value::Players(Players::single(player))
}
