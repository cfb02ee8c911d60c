//! Which sites the rules give to a player, or set apart: edges, goals, thrones; and which pieces they join.

use super::Position;
use crate::board::{Site, SiteSet};
use crate::rules::{PlayerId, Players, Type, Value, Word, WordId};

/// What a region makes of a site.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Home {
    Player(PlayerId),
    /// A place of its own, as a throne.
    Special,
}

impl Position {
    /// What the regions of the rules make of each site. An earlier region goes before a later one, and what a region gives
    /// to several players is nobody's. Regions that take no player are shown if they are small.
    pub(crate) fn homes(&self) -> Vec<Option<Home>> {
        let rules = self.game().rules();
        let state = &self.situation().state;
        let engine = self.game().engine();
        let mut homes = vec![None; rules.board.len()];
        let mut done = SiteSet::EMPTY;
        let regions = rules.words.iter().enumerate().filter(|(_, word)| word.region && word.result == Type::Sites);
        for (index, word) in regions {
            let sites_of = |arguments: &[Value]| engine.sites_of(state, WordId(index), arguments);
            let sets: Vec<(Home, SiteSet)> = match word.params.as_slice() {
                [] => vec![(Home::Special, sites_of(&[]))],
                [Type::Players] => (0..rules.players.len())
                    .map(|player| PlayerId(player as u8))
                    .map(|player| (Home::Player(player), sites_of(&[Value::Players(Players::single(player))])))
                    .collect(),
                _ => continue,
            };
            let shown = |home: &Home, set: &SiteSet| *home != Home::Special || set.len() * 8 <= rules.board.len();
            for (home, set) in sets.iter().filter(|(home, set)| shown(home, set)) {
                let alone = |site: &Site| sets.iter().all(|(other, set)| other == home || !set.contains(*site));
                for site in (*set - done).iter().filter(alone) {
                    if let Some(place) = homes.get_mut(site.index()) {
                        *place = Some(*home);
                    }
                }
            }
            let shown = sets.iter().filter(|(home, set)| shown(home, set));
            done |= shown.fold(SiteSet::EMPTY, |all, (_, set)| all | *set);
        }
        homes
    }

    /// By site, the sites to whose pieces the rules join the piece there: what a region of a site gives, where both name
    /// each other.
    pub(crate) fn joints(&self) -> Vec<SiteSet> {
        let rules = self.game().rules();
        let state = &self.situation().state;
        let engine = self.game().engine();
        let taken = |site: &Site| !state.content(*site).is_empty();
        let mut named = vec![SiteSet::EMPTY; rules.board.len()];
        for (index, _) in rules.words.iter().enumerate().filter(|(_, word)| joins(word)) {
            for site in rules.board.all().iter().filter(taken) {
                let others = engine.sites_of(state, WordId(index), &[Value::of_site(site)]);
                if let Some(named) = named.get_mut(site.index()) {
                    *named |= others.iter().filter(taken).collect();
                }
            }
        }
        let back = |site: Site, other: &Site| named.get(other.index()).is_some_and(|named| named.contains(site));
        let pairs = rules.board.all().iter().zip(&named);
        pairs
            .map(|(site, others)| others.iter().filter(|other| *other != site && back(site, other)).collect())
            .collect()
    }
}

/// Whether pictures draw lines between the pieces that a word names: it is a region of a site.
pub(crate) fn joins(word: &Word) -> bool {
    word.region && word.result == Type::Sites && word.params == [Type::Sites]
}
