//! What happens on a board over many games: where pieces come to stand, where they are, which moves there are to choose from.

use crate::board::Site;
use crate::game::{Game, Position};
use crate::rules::{Memory, Scope, Type, Value};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Longer games are not followed ply by ply.
const LONGEST: usize = 5_000;

/// Sums over games, position by position.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Traffic {
    /// Games that were followed.
    pub games: u64,
    /// Their plies.
    pub plies: u64,
    /// Positions that were looked at: one more than plies in each game.
    pub positions: u64,
    /// By site, after how many plies something stands there that did not before.
    pub played: Vec<u64>,
    /// By site, in how many positions something stands there.
    pub occupied: Vec<u64>,
    /// By move, how many plies were made with it.
    pub made: Vec<u64>,
    /// By move, in how many positions it was legal.
    pub offered: Vec<u64>,
    /// By move, in how many positions it was legal beside other moves.
    pub beside: Vec<u64>,
    /// By number of the ply, what there was to choose from.
    pub choices: Vec<Choices>,
}

/// Legal plies in all positions that come after so many plies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choices {
    /// How many positions.
    pub positions: u64,
    /// Their legal plies.
    pub sum: u64,
    /// The sum of the squares of these numbers.
    pub squares: u64,
}

impl Traffic {
    /// Nothing followed yet.
    #[must_use]
    pub fn of(game: &Game) -> Self {
        Self::sized(game.rules().board.len(), game.rules().moves.len())
    }

    /// The same on a board with so many sites, with so many moves.
    #[must_use]
    pub fn sized(sites: usize, moves: usize) -> Self {
        let (sites, moves) = (vec![0; sites], vec![0; moves]);
        Self {
            played: sites.clone(),
            occupied: sites,
            made: moves.clone(),
            offered: moves.clone(),
            beside: moves,
            ..Self::default()
        }
    }

    /// Whether it is of a board with as many sites, and as many moves.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        let sizes = |traffic: &Self| {
            let Self { played, occupied, made, offered, beside, .. } = traffic;
            [played, occupied, made, offered, beside].map(Vec::len)
        };
        sizes(self) == sizes(other)
    }

    /// A game begins in this position.
    pub fn begin(&mut self, start: &Position) {
        self.games += 1;
        self.look(start, 0);
    }

    /// One of the legal moves was made, as the ply of this number from 0 on.
    pub fn step(&mut self, before: &Position, chosen: usize, after: &Position, ply: usize) {
        self.plies += 1;
        if let Some(made) = before.situation().legal.get(chosen).and_then(|ply| self.made.get_mut(ply.mv.0)) {
            *made += 1;
        }
        let (old, new) = (Standing::of(before), Standing::of(after));
        for (site, count) in before.game().rules().board.all().iter().zip(&mut self.played) {
            *count += u64::from(new.is_taken(site) && old.differs(&new, site));
        }
        self.look(after, ply + 1);
    }

    /// What can be seen in a position.
    fn look(&mut self, position: &Position, plies: usize) {
        self.positions += 1;
        let standing = Standing::of(position);
        for (site, count) in position.game().rules().board.all().iter().zip(&mut self.occupied) {
            *count += u64::from(standing.is_taken(site));
        }
        let kinds: BTreeSet<usize> = position.situation().legal.iter().map(|ply| ply.mv.0).collect();
        let alone = kinds.len() == 1;
        for kind in kinds {
            add_one(self.offered.get_mut(kind));
            add_one(self.beside.get_mut(kind).filter(|_| !alone));
        }
        let count = position.move_count() as u64;
        if count == 0 || plies >= LONGEST {
            return;
        }
        if self.choices.len() <= plies {
            self.choices.resize(plies + 1, Choices::default());
        }
        if let Some(choices) = self.choices.get_mut(plies) {
            choices.positions += 1;
            choices.sum += count;
            choices.squares += count * count;
        }
    }

    /// What other games of the same kind came to, too.
    pub fn merge(&mut self, other: &Self) {
        self.games = self.games.saturating_add(other.games);
        self.plies = self.plies.saturating_add(other.plies);
        self.positions = self.positions.saturating_add(other.positions);
        let own = [&mut self.played, &mut self.occupied, &mut self.made, &mut self.offered, &mut self.beside];
        let others = [&other.played, &other.occupied, &other.made, &other.offered, &other.beside];
        for (sums, more) in own.into_iter().zip(others) {
            sums.iter_mut().zip(more).for_each(|(sum, one)| *sum = sum.saturating_add(*one));
        }
        self.choices.resize(self.choices.len().max(other.choices.len()), Choices::default());
        for (sum, one) in self.choices.iter_mut().zip(&other.choices) {
            sum.positions = sum.positions.saturating_add(one.positions);
            sum.sum = sum.sum.saturating_add(one.sum);
            sum.squares = sum.squares.saturating_add(one.squares);
        }
    }
}

fn add_one(count: Option<&mut u64>) {
    if let Some(count) = count {
        *count += 1;
    }
}

/// What stands and what is counted on the sites of a position.
struct Standing<'p> {
    position: &'p Position,
    counts: Vec<&'p [Value]>,
    /// Whether they belong to pieces, which are there without them.
    of_pieces: Vec<bool>,
}

impl<'p> Standing<'p> {
    fn of(position: &'p Position) -> Self {
        let counted = |memory: &Memory| memory.declared && memory.scope == Scope::Site && memory.ty == Type::Number;
        let memories = position.game().rules().memories.iter().enumerate().filter(|(_, memory)| counted(memory));
        let engine = position.game().engine();
        let values =
            |(index, memory): (usize, &Memory)| (engine.values(&position.situation().state, index), memory.with_piece);
        let (counts, of_pieces) = memories.map(values).unzip();
        Self { position, counts, of_pieces }
    }

    fn is_taken(&self, site: Site) -> bool {
        let counts = |values: &&[Value]| matches!(values.get(site.index()), Some(Value::Number(Some(1..))));
        let heaps = self.counts.iter().zip(&self.of_pieces).filter(|(_, of_piece)| !**of_piece);
        !self.position.situation().state.content(site).is_empty() || heaps.map(|(values, _)| values).any(counts)
    }

    fn differs(&self, other: &Self, site: Site) -> bool {
        let (own, others) = (&self.position.situation().state, &other.position.situation().state);
        let mut counts = self.counts.iter().zip(&other.counts);
        own.content(site) != others.content(site)
            || own.beneath().get(site.index()) != others.beneath().get(site.index())
            || counts.any(|(one, two)| one.get(site.index()) != two.get(site.index()))
    }
}
