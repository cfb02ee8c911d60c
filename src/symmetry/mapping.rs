//! One way to turn a game: where sites, directions and players go, and with them everything that is made of these.

use crate::board::{Direction, Directions, Site, SiteSet};
use crate::engine::Snapshot;
use crate::rules::{Content, PlayerId, Players, Rules, Scope, Value};

/// Where sites, directions and players go.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Mapping {
    sites: Vec<usize>,
    ways: [u8; 16],
    swap: bool,
}

impl Mapping {
    /// From the places to which sites and directions go.
    #[must_use]
    pub(super) fn new(sites: Vec<usize>, ways: [u8; 16]) -> Self {
        Self { sites, ways, swap: false }
    }

    /// What changes nothing.
    #[must_use]
    pub fn identity(sites: usize) -> Self {
        let mut ways = [0; 16];
        ways.iter_mut().zip(0..).for_each(|(way, index)| *way = index);
        Self::new((0..sites).collect(), ways)
    }

    /// The same with both players exchanged.
    #[must_use]
    pub fn swapped(&self) -> Self {
        Self { swap: !self.swap, ..self.clone() }
    }

    /// First this one, then the other.
    #[must_use]
    pub fn then(&self, other: &Self) -> Self {
        let mut ways = [0; 16];
        for (way, first) in ways.iter_mut().zip(self.ways) {
            *way = other.ways.get(usize::from(first)).copied().unwrap_or(first);
        }
        let sites = self.sites.iter().map(|first| other.index(*first)).collect();
        Self { sites, ways, swap: self.swap != other.swap }
    }

    /// Where every site goes, by number.
    #[must_use]
    pub fn sites(&self) -> &[usize] {
        &self.sites
    }

    /// Whether both players change places.
    #[must_use]
    pub fn swaps(&self) -> bool {
        self.swap
    }

    /// Where a site goes, by number.
    #[must_use]
    pub fn index(&self, site: usize) -> usize {
        self.sites.get(site).copied().unwrap_or(site)
    }

    /// Where a site goes.
    #[must_use]
    pub fn site(&self, site: Site) -> Site {
        Site::from_index(self.index(site.index())).unwrap_or(site)
    }

    /// Where a set of sites goes.
    #[must_use]
    pub fn set(&self, sites: SiteSet) -> SiteSet {
        sites.iter().map(|site| self.site(site)).collect()
    }

    /// Where a direction goes.
    #[must_use]
    pub fn way(&self, way: Direction) -> Direction {
        let image = self.ways.get(way.index()).and_then(|image| Direction::from_index(usize::from(*image)));
        image.unwrap_or(way)
    }

    /// Who a player becomes.
    #[must_use]
    pub fn player(&self, player: PlayerId) -> PlayerId {
        if self.swap && player.0 < 2 { PlayerId(1 - player.0) } else { player }
    }

    /// What a piece becomes.
    #[must_use]
    pub fn content(&self, content: Content) -> Content {
        match content.kind() {
            Some(kind) => Content::piece(kind, content.owner().map(|owner| self.player(owner))),
            None => content,
        }
    }

    /// What a value becomes.
    #[must_use]
    pub fn value(&self, value: &Value) -> Value {
        match value {
            Value::Sites(sites) => Value::of_sites(self.set(sites.get())),
            Value::Directions(ways) => Value::Directions(self.directions(*ways)),
            Value::Players(players) => Value::Players(
                players.iter().fold(Players(0), |all, one| Players(all.0 | Players::single(self.player(one)).0)),
            ),
            Value::Piece(piece) => Value::Piece(piece.map(|piece| self.content(piece))),
            Value::Condition(_)
            | Value::Number(_)
            | Value::Range(_)
            | Value::Kinds(_)
            | Value::Choice(_)
            | Value::List(_) => value.clone(),
        }
    }

    fn directions(&self, ways: Directions) -> Directions {
        ways.iter().map(|way| self.way(way)).collect()
    }

    /// What a position becomes.
    #[must_use]
    pub fn snapshot(&self, rules: &Rules, from: &Snapshot) -> Snapshot {
        let contents: Vec<Content> = from.contents.iter().map(|content| self.content(*content)).collect();
        let beneath: Vec<Vec<Content>> =
            from.beneath.iter().map(|stack| stack.iter().map(|content| self.content(*content)).collect()).collect();
        Snapshot {
            contents: self.moved(contents),
            beneath: self.moved(beneath),
            memory: self.memory(rules, &from.memory),
            mover: self.player(from.mover),
            ..from.clone()
        }
    }

    /// What is remembered: one value of each memory, or one for every player or site.
    fn memory(&self, rules: &Rules, from: &[Value]) -> Vec<Value> {
        let mut values = from.iter().map(|value| self.value(value));
        let mut all = Vec::with_capacity(from.len());
        for memory in &rules.memories {
            match memory.scope {
                Scope::Game => all.extend(values.next()),
                Scope::Kind => all.extend(values.by_ref().take(rules.kinds.len())),
                Scope::Player | Scope::PlayerKind => {
                    let entries = memory.scope.entries(rules, 0);
                    let each = entries.checked_div(rules.players.len()).unwrap_or(1).max(1);
                    let own: Vec<Value> = values.by_ref().take(entries).collect();
                    let mut players: Vec<&[Value]> = own.chunks(each).collect();
                    if self.swap {
                        players.reverse();
                    }
                    all.extend(players.concat());
                }
                Scope::Site => all.extend(self.moved(values.by_ref().take(rules.board.len()).collect())),
            }
        }
        all.extend(values);
        all
    }

    /// What belongs to each site goes with it.
    fn moved<T: Clone>(&self, from: Vec<T>) -> Vec<T> {
        let mut to = from.clone();
        for (index, value) in from.into_iter().enumerate() {
            if let Some(place) = to.get_mut(self.index(index)) {
                *place = value;
            }
        }
        to
    }
}
