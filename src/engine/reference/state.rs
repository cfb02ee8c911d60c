//! What changes while a game is played.

use crate::board::{Site, SiteSet};
use crate::rules::{Content, Kinds, PlayerId, Players, Rules, Value};
use petgraph::graph::NodeIndex;
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

/// Fingerprints of an earlier position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seen {
    /// Pieces, tracked values and the player to move.
    pub position: u64,
    /// Pieces alone.
    pub board: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct State {
    contents: Vec<Content>,
    /// What lies beneath the top piece of each site, from the bottom; empty in games without stacks.
    beneath: Vec<Vec<Content>>,
    empty: SiteSet,
    /// Where pieces of each kind stand, and then where those of each player do.
    sets: Vec<SiteSet>,
    /// How many of these sets are those of kinds.
    kinds: usize,
    pub(super) memory: Vec<Value>,
    pub mover: PlayerId,
    /// Whose turn comes after this one. Seats that change during a turn change it from the next turn on.
    pub(super) next: PlayerId,
    /// Where in the order of turns.
    pub(super) order: usize,
    /// Turns begun, from 1.
    pub turn: u32,
    /// Plies played.
    pub ply: u32,
    /// The places in the turn that the plies so far lead to.
    pub(super) places: Vec<NodeIndex>,
    /// Which turn section is in force.
    pub(super) section: usize,
    pub(super) seen: Arc<Vec<Seen>>,
}

impl State {
    pub(super) fn new(rules: &Rules) -> Self {
        Self {
            contents: vec![Content::EMPTY; rules.board.len()],
            beneath: rules.stacks.map_or_else(Vec::new, |_| vec![Vec::new(); rules.board.len()]),
            empty: rules.board.all(),
            sets: vec![SiteSet::EMPTY; rules.kinds.len() + rules.players.len()],
            kinds: rules.kinds.len(),
            memory: Vec::new(),
            mover: rules.order.first().copied().unwrap_or(PlayerId(0)),
            next: rules.order.get(rules.place_behind(0)).copied().unwrap_or(PlayerId(0)),
            order: 0,
            turn: 1,
            ply: 0,
            places: Vec::new(),
            section: 0,
            seen: Arc::default(),
        }
    }

    /// About how many bytes a copy takes.
    pub(super) fn size(&self) -> u64 {
        let beneath: usize =
            self.beneath.iter().map(|stack| size_of::<Vec<Content>>() + size_of_val(stack.as_slice())).sum();
        let apart: usize = self.memory.iter().map(Value::room).sum();
        let memory = size_of_val(self.memory.as_slice()) + apart + beneath;
        let all =
            size_of::<Self>() + size_of_val(self.contents.as_slice()) + size_of_val(self.sets.as_slice()) + memory;
        u64::try_from(all).unwrap_or(u64::MAX)
    }

    /// The same, with the positions before it that it remembers.
    #[must_use]
    pub fn held(&self) -> u64 {
        let seen = u64::try_from(self.seen.len() * size_of::<Seen>()).unwrap_or(u64::MAX);
        self.size().saturating_add(seen)
    }

    #[must_use]
    pub fn contents(&self) -> &[Content] {
        &self.contents
    }

    #[must_use]
    pub fn content(&self, site: Site) -> Content {
        self.contents.get(site.index()).copied().unwrap_or_default()
    }

    #[must_use]
    pub fn beneath(&self) -> &[Vec<Content>] {
        &self.beneath
    }

    /// All that stands on a site, from the bottom.
    #[must_use]
    pub fn stack(&self, site: Site) -> Vec<Content> {
        let mut stack = self.beneath.get(site.index()).cloned().unwrap_or_default();
        stack.extend(Some(self.content(site)).filter(|top| !top.is_empty()));
        stack
    }

    /// Makes these pieces all that stands on a site, from the bottom.
    pub fn put_stack(&mut self, site: Site, mut stack: Vec<Content>) {
        self.put(site, stack.pop().unwrap_or(Content::EMPTY));
        if let Some(beneath) = self.beneath.get_mut(site.index()) {
            *beneath = stack;
        }
    }

    #[must_use]
    pub fn empty(&self) -> SiteSet {
        self.empty
    }

    pub fn put(&mut self, site: Site, content: Content) {
        let Some(place) = self.contents.get_mut(site.index()) else { return };
        let old = std::mem::replace(place, content);
        for at in self.sets_of(old).into_iter().flatten() {
            if let Some(set) = self.sets.get_mut(at) {
                set.remove(site);
            }
        }
        for at in self.sets_of(content).into_iter().flatten() {
            if let Some(set) = self.sets.get_mut(at) {
                set.insert(site);
            }
        }
        if content.is_empty() {
            self.empty.insert(site);
        } else {
            self.empty.remove(site);
        }
    }

    /// The numbers of the sets that a piece is in: that of its kind, and that of its owner.
    fn sets_of(&self, content: Content) -> [Option<usize>; 2] {
        [content.kind().map(|kind| usize::from(kind.0)), content.owner().map(|owner| self.kinds + usize::from(owner.0))]
    }

    pub(super) fn of_kinds(&self, kinds: Kinds) -> SiteSet {
        kinds
            .iter()
            .filter_map(|kind| self.sets.get(usize::from(kind.0)).filter(|_| usize::from(kind.0) < self.kinds))
            .fold(SiteSet::EMPTY, |all, set| all | *set)
    }

    pub(super) fn of_players(&self, players: Players) -> SiteSet {
        players
            .iter()
            .filter_map(|player| self.sets.get(self.kinds + usize::from(player.0)))
            .fold(SiteSet::EMPTY, |all, set| all | *set)
    }

    pub(super) fn board_hash(&self) -> u64 {
        let mut hasher = Xxh3::new();
        for content in &self.contents {
            hasher.update(&content.code().to_le_bytes());
        }
        for stack in &self.beneath {
            hasher.update(&[u8::try_from(stack.len()).unwrap_or(u8::MAX)]);
            stack.iter().for_each(|content| hasher.update(&content.code().to_le_bytes()));
        }
        hasher.digest()
    }

    /// Everything that decides how the game can go on, turn and ply counters aside.
    #[must_use]
    pub fn hash(&self) -> u64 {
        let mut hasher = Xxh3::new();
        hasher.update(&self.board_hash().to_le_bytes());
        hasher.update(&[self.mover.0, self.next.0]);
        for place in &self.places {
            hasher.update(&(place.index() as u64).to_le_bytes());
        }
        for value in &self.memory {
            hash_value(&mut hasher, value);
        }
        hasher.digest()
    }
}

pub(super) fn hash_value(hasher: &mut Xxh3, value: &Value) {
    let mut word = |number: u64| hasher.update(&number.to_le_bytes());
    match value {
        Value::Condition(condition) => word(condition.map_or(2, u64::from)),
        Value::Number(number) => word(number.map_or(u64::MAX, |number| number as u64)),
        Value::Range(range) => range.iter().for_each(|(low, high)| word((low << 20 ^ high) as u64)),
        Value::Sites(set) => set.get().words().iter().for_each(|bits| word(*bits)),
        Value::Directions(set) => set.iter().for_each(|direction| word(direction.index() as u64)),
        Value::Players(players) => word(u64::from(players.0)),
        Value::Kinds(kinds) => word(u64::from(kinds.0)),
        Value::Piece(piece) => word(piece.map_or(u64::MAX, |piece| u64::from(piece.code()))),
        Value::Choice(choice) => word(u64::from(choice.0)),
        Value::List(numbers) => numbers.iter().for_each(|number| word(number.map_or(u64::MAX, |number| number as u64))),
    }
}
