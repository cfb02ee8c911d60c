//! What is written about a position: planes of bytes, one for each thing that can be on a site or hold in the game.

use super::actions::Actions;
use super::expand::Expansion;
use super::images::Image;
use crate::board::{Board, Direction, Grid, Site};
use crate::engine::observe::{MISSING, Remembered};
use crate::engine::reference::Unseen;
use crate::engine::{Engine, Play};
use crate::game::Game;
use crate::program::ir::Test;
use crate::program::{Program, TurnNode};
use crate::rules::{Chronicle, Hides, Memory, MemoryId, Rules, Scope, Type};
use std::ops::Range;

/// In which order the bytes of an observation stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Plane by plane, each row by row: `(planes, height, width)`.
    Channels,
    /// Cell by cell: `(height, width, planes)`.
    Cells,
    /// Site by site, as the nodes of a graph: `(sites, planes)`.
    Nodes,
}

/// A plane that stands for no piece of nobody.
const NO_PLANE: u32 = u32::MAX;

/// So many places of a turn are told apart at most.
const MAX_PLACES: usize = 32;

/// What is written about positions of a game, and in which order.
///
/// First come the pieces: of whoever looks, a plane for each kind, then of the next player, and so on; then the kinds that
/// belong to nobody. In games that hide pieces those of which only the owner is seen follow, a plane for each owner, and the
/// sites of which nothing is seen. Then what is tracked: sites as they are, numbers from 0 to 255 on the whole board, players, kinds and
/// directions by a plane for each, and where it may be hidden one more that says so. Then the place in the turn, if turns have
/// several and nothing is hidden; the sites chosen so far, if actions are
/// split; who is to move; and the sites that the board has.
#[derive(Clone, Debug)]
pub struct Planes {
    names: Vec<String>,
    shape: Vec<usize>,
    players: usize,
    /// By player to move and by what stands on a site, where its plane begins.
    pieces: Vec<Vec<u32>>,
    /// By place, where a site stands within a plane.
    cell_of_place: Vec<u32>,
    /// The same for each site by its index.
    cell_of_site: Vec<u32>,
    /// The same for whole sets, where the cells of a plane stand together.
    expansion: Option<Expansion>,
    /// From plane to plane.
    stride: usize,
    /// By player to move, what does not depend on the position.
    blank: Vec<Vec<u8>>,
    tracked: Vec<Tracked>,
    veil: Veil,
    /// By place of the turn, its plane.
    turns: Vec<u32>,
    chosen: Option<usize>,
}

/// A memory that is written.
#[derive(Clone, Debug)]
struct Tracked {
    memory: usize,
    /// Its first plane.
    first: usize,
    scope: Scope,
    /// How many kinds of pieces there are.
    kinds: usize,
    sort: Sort,
    /// Whether its values belong to pieces, and go where these are not seen.
    with_piece: bool,
    /// The first plane of those that say which values are not seen, one for each that has planes of its own.
    unseen: Option<usize>,
}

/// Where it is written which pieces are not seen.
#[derive(Clone, Debug, Default)]
struct Veil {
    /// So many planes there are of pieces.
    pieces: usize,
    /// The planes of the pieces of each owner, and the one for those of his whose kind is not seen.
    owners: Vec<(Range<usize>, usize)>,
    /// The plane of sites of which nothing is seen.
    sites: Option<usize>,
}

impl Veil {
    /// The planes that are needed behind those of pieces, which stand already in the list of names.
    fn of(rules: &Rules, names: &mut Vec<String>) -> Self {
        let hides = |what: &Hides| rules.hidden.iter().any(|hidden| hidden.what == *what);
        let (pieces, players) = (names.len(), rules.players.len());
        let owned = rules.kinds.iter().filter(|kind| !kind.neutral).count();
        let mut veil = Self { pieces, ..Self::default() };
        if hides(&Hides::Kinds) {
            let of_players = (0..players).map(|player| (player * owned..(player + 1) * owned, whose(player)));
            let of_nobody = (players * owned..pieces, "neutral".to_owned());
            for (planes, owner) in of_players.chain([of_nobody]).filter(|(planes, _)| !planes.is_empty()) {
                veil.owners.push((planes, names.len()));
                names.push(format!("{owner} unknown"));
            }
        }
        if hides(&Hides::Pieces) {
            veil.sites = Some(names.len());
            names.push("unseen".to_owned());
        }
        veil
    }
}

/// How a value is written.
#[derive(Clone, Debug)]
enum Sort {
    Sites,
    /// A number from the first to the second, and whether it has to be shrunk to a byte.
    Number(i64, i64),
    /// A mask of players, the mover first.
    Players(usize),
    /// The bits of a mask that have planes.
    Bits(Vec<u32>),
}

impl Sort {
    fn planes(&self) -> usize {
        match self {
            Self::Sites | Self::Number(..) => 1,
            Self::Players(count) => *count,
            Self::Bits(bits) => bits.len(),
        }
    }
}

impl Planes {
    /// What is written about positions of a game.
    #[must_use]
    pub fn of(game: &Game, actions: &Actions, format: Format) -> Self {
        let rules = game.rules();
        let (height, width, cells) = lattice(&rules.board);
        let mut names = piece_names(rules);
        let owned = names.len();
        let veil = Veil::of(rules, &mut names);
        let mut tracked = Vec::new();
        for (memory, info) in rules.memories.iter().enumerate().filter(|(at, info)| is_written(rules, *at, info)) {
            let sort = sort_of(rules, info);
            let first = names.len();
            names.extend(tracked_names(rules, info, &sort));
            let hidden = Hides::Memory(MemoryId(memory));
            let unseen = rules.hidden.iter().any(|other| other.what == hidden).then(|| {
                let first = names.len();
                names.extend(entry_names(rules, info).iter().map(|name| format!("{name} unseen")));
                first
            });
            let (scope, kinds, with_piece) = (info.scope, rules.kinds.len(), info.with_piece);
            tracked.push(Tracked { memory, first, scope, kinds, sort, with_piece, unseen });
        }
        // Where a turn has come to may depend on what somebody does not see; what he may do stands in the mask.
        let program = game.fast().filter(|_| !game.hides()).map(|fast| fast.program());
        let turns = turn_planes(program, &mut names);
        let chosen = actions.is_split().then(|| {
            names.push("chosen".to_owned());
            names.len() - 1
        });
        let players = rules.players.len();
        let seats = names.len();
        let told = if players > 2 { players } else { players.saturating_sub(1) };
        names.extend(rules.players.iter().rev().take(told).rev().map(|player| format!("{} to move", player.name)));
        names.push("board".to_owned());
        let planes = names.len();
        let (shape, stride, step) = match format {
            Format::Channels => (vec![planes, height, width], height * width, 1),
            Format::Cells => (vec![height, width, planes], 1, planes),
            Format::Nodes => (vec![rules.board.len(), planes], 1, planes),
        };
        let cell = |site: usize| {
            let at = if format == Format::Nodes { site } else { cells.get(site).copied().unwrap_or(0) };
            small(at * step)
        };
        let cell_of_site: Vec<u32> = (0..rules.board.len()).map(cell).collect();
        let places = game.player(Engine::Fast).places();
        let mut cell_of_place = vec![0; places.iter().max().map_or(0, |most| most + 1)];
        for (place, cell) in places.iter().zip(&cell_of_site) {
            if let Some(entry) = cell_of_place.get_mut(*place) {
                *entry = *cell;
            }
        }
        let of_places: Vec<(usize, usize)> = places.iter().copied().zip(cells.iter().copied()).collect();
        let together = format == Format::Channels;
        let expansion = together.then(|| Expansion::of(stride, &of_places)).flatten();
        let length = shape.iter().product();
        let mut all = Self {
            names,
            shape,
            players,
            pieces: (0..players).map(|mover| pieces(rules, mover, owned, stride)).collect(),
            cell_of_place,
            cell_of_site,
            expansion,
            stride,
            blank: vec![vec![0; length]; players],
            tracked,
            veil,
            turns,
            chosen,
        };
        let mut blank = std::mem::take(&mut all.blank);
        for (mover, room) in blank.iter_mut().enumerate() {
            all.fill(planes - 1, 1, room);
            if let Some(seat) = (mover + told).checked_sub(players) {
                all.fill(seats + seat, 1, room);
            }
        }
        all.blank = blank;
        all
    }

    /// What each plane says.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How many bytes there are in each direction.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// How many bytes an observation has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether there is nothing to write, which no game has.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where the bytes of each site begin, by its index: the cell of the lattice it stands on.
    #[must_use]
    pub fn cells(&self) -> &[u32] {
        &self.cell_of_site
    }

    /// By the number of a plane, that of its image under a symmetry that keeps the players where they are: only planes that speak
    /// of directions change places.
    #[must_use]
    pub fn image(&self, game: &Game, image: &Image) -> Vec<usize> {
        let mut to: Vec<usize> = (0..self.names.len()).collect();
        let of_ways = |tracked: &&Tracked| {
            game.rules().memories.get(tracked.memory).is_some_and(|memory| memory.ty == Type::Directions)
        };
        for tracked in self.tracked.iter().filter(of_ways) {
            let Sort::Bits(bits) = &tracked.sort else { continue };
            // A value on sites has its planes once: the sites themselves go to their images.
            let entries = tracked.scope.entries(game.rules(), 1);
            for (entry, (at, bit)) in
                (0..entries).flat_map(|entry| bits.iter().enumerate().map(move |bit| (entry, bit)))
            {
                let way = usize::try_from(*bit).ok().and_then(|way| image.ways.get(way)).copied();
                let there = bits.iter().position(|bit| usize::try_from(*bit).ok() == way);
                let first = tracked.first + entry * bits.len();
                if let (Some(there), Some(place)) = (there, to.get_mut(first + at)) {
                    *place = first + there;
                }
            }
        }
        to
    }

    #[inline]
    fn put(&self, plane: usize, cell: u32, byte: u8, room: &mut [u8]) {
        if let Some(place) = usize::try_from(cell).ok().and_then(|cell| room.get_mut(plane * self.stride + cell)) {
            *place = byte;
        }
    }

    /// One value for all sites.
    fn fill(&self, plane: usize, byte: u8, room: &mut [u8]) {
        self.cell_of_site.iter().for_each(|cell| self.put(plane, *cell, byte, room));
    }

    /// Writes a plane: 1 for every site of a set.
    #[inline]
    fn put_all(&self, begin: usize, words: &[u64], room: &mut [u8]) {
        if let (Some(expansion), Some(plane)) = (&self.expansion, room.get_mut(begin..begin + self.stride)) {
            return expansion.write(words, plane);
        }
        self.put_each(begin, words, room);
    }

    /// Adds the sites of a set to a plane.
    #[inline]
    fn put_each(&self, begin: usize, words: &[u64], room: &mut [u8]) {
        for (word, cells) in words.iter().zip(self.cell_of_place.chunks(64)) {
            let mut bits = *word;
            while bits != 0 {
                let bit = usize::try_from(bits.trailing_zeros()).unwrap_or(0);
                bits &= bits - 1;
                let cell = cells.get(bit).and_then(|cell| usize::try_from(*cell).ok());
                if let Some(place) = cell.and_then(|cell| room.get_mut(begin + cell)) {
                    *place = 1;
                }
            }
        }
    }

    /// Writes a position as a player sees it, without what is not seen.
    pub(super) fn write(&self, player: &dyn Play, looker: usize, chosen: &[usize], room: &mut [u8]) {
        let Some(room) = room.get_mut(..self.len()) else { return };
        if let Some(blank) = self.blank.get(player.mover()) {
            room.copy_from_slice(blank);
        }
        let pieces = self.pieces.get(looker).map_or(&[][..], Vec::as_slice);
        player.standing(&mut |content, words| {
            let begin = pieces.get(usize::from(content.code())).copied().unwrap_or(NO_PLANE);
            if begin != NO_PLANE {
                self.put_all(usize::try_from(begin).unwrap_or(0), words, room);
            }
        });
        for tracked in &self.tracked {
            let of_player = |player: usize| self.place_of(player, looker);
            player
                .remembered(tracked.memory, &mut |at, value| self.write_tracked(tracked, at, value, &of_player, room));
        }
        let place = if self.turns.is_empty() { None } else { player.place_in_turn() };
        if let Some(plane) = place.and_then(|place| self.turns.get(place)).filter(|at| **at != NO_PLANE) {
            self.fill(usize::try_from(*plane).unwrap_or(0), 1, room);
        }
        if let Some(plane) = self.chosen {
            for site in chosen {
                self.put(plane, self.cell_of_site.get(*site).copied().unwrap_or(0), 1, room);
            }
        }
    }

    /// How many seats a player comes behind whoever looks.
    #[inline]
    fn place_of(&self, player: usize, looker: usize) -> usize {
        (player + self.players - looker) % self.players.max(1)
    }

    /// Takes out of what was written for a player what he does not see, and writes where that was.
    pub(super) fn hide(&self, looker: usize, unseen: &Unseen, room: &mut [u8]) {
        let Some(room) = room.get_mut(..self.len()) else { return };
        let cell = |site: Site| self.cell_of_site.get(site.index()).copied().unwrap_or(NO_PLANE);
        let carried = self.tracked.iter().filter(|tracked| tracked.with_piece && tracked.scope == Scope::Site);
        let carried: Vec<usize> = carried.flat_map(|tracked| tracked.planes(0)).collect();
        for cell in unseen.pieces.iter().map(cell) {
            (0..self.veil.pieces).chain(carried.iter().copied()).for_each(|plane| self.put(plane, cell, 0, room));
            self.veil.sites.iter().for_each(|plane| self.put(*plane, cell, 1, room));
        }
        for cell in (unseen.kinds - unseen.pieces).iter().map(cell) {
            for (planes, unknown) in &self.veil.owners {
                let stands = planes.clone().any(|plane| self.byte(plane, cell, room) > 0);
                planes.clone().for_each(|plane| self.put(plane, cell, 0, room));
                self.put(*unknown, cell, u8::from(stands), room);
            }
        }
        for (memory, at) in &unseen.values {
            let Some(tracked) = self.tracked.iter().find(|tracked| tracked.memory == *memory) else { continue };
            let entry = tracked.entry(*at, &|player| self.place_of(player, looker));
            let marks = tracked.unseen.map(|first| first + entry);
            match tracked.scope {
                Scope::Site => {
                    let cell = self.cell_of_site.get(*at).copied().unwrap_or(NO_PLANE);
                    tracked.planes(entry).for_each(|plane| self.put(plane, cell, 0, room));
                    marks.iter().for_each(|plane| self.put(*plane, cell, 1, room));
                }
                Scope::Game | Scope::Player | Scope::Kind | Scope::PlayerKind => {
                    tracked.planes(entry).for_each(|plane| self.fill(plane, 0, room));
                    marks.iter().for_each(|plane| self.fill(*plane, 1, room));
                }
            }
        }
    }

    fn byte(&self, plane: usize, cell: u32, room: &[u8]) -> u8 {
        let at = usize::try_from(cell).map(|cell| plane * self.stride + cell);
        at.ok().and_then(|at| room.get(at)).copied().unwrap_or(0)
    }

    fn write_tracked(
        &self,
        tracked: &Tracked,
        at: usize,
        value: Remembered<'_>,
        of_player: &dyn Fn(usize) -> usize,
        room: &mut [u8],
    ) {
        let first = tracked.planes(tracked.entry(at, of_player)).start;
        let mut paint = |plane: usize, byte: u8| match tracked.scope {
            Scope::Site => self.put(plane, self.cell_of_place.get(at).copied().unwrap_or(0), byte, room),
            Scope::Game | Scope::Player | Scope::Kind | Scope::PlayerKind => self.fill(plane, byte, room),
        };
        match (value, &tracked.sort) {
            (Remembered::Sites(words), _) if tracked.scope == Scope::Site => {
                self.put_each(first * self.stride, words, room);
            }
            (Remembered::Sites(words), _) => self.put_all(first * self.stride, words, room),
            (Remembered::Number(MISSING), _) | (Remembered::Number(_), Sort::Sites) => {}
            (Remembered::Number(number), Sort::Number(low, high)) => paint(first, byte_of(number, *low, *high)),
            (Remembered::Number(mask), Sort::Players(count)) => {
                let holds = |player: &usize| mask >> player & 1 == 1;
                (0..*count).filter(holds).for_each(|player| paint(first + of_player(player), 1));
            }
            (Remembered::Number(mask), Sort::Bits(bits)) => {
                let held = bits.iter().enumerate().filter(|(_, bit)| mask >> **bit & 1 == 1);
                held.for_each(|(at, _)| paint(first + at, 1));
            }
        }
    }
}

impl Tracked {
    /// Which of the values that have planes of their own one is, by its number in the memory.
    #[inline]
    fn entry(&self, at: usize, of_player: &dyn Fn(usize) -> usize) -> usize {
        match self.scope {
            Scope::Game | Scope::Site => 0,
            Scope::Player => of_player(at),
            Scope::Kind => at,
            Scope::PlayerKind => {
                let kinds = self.kinds.max(1);
                of_player(at / kinds) * kinds + at % kinds
            }
        }
    }

    /// The planes of such a value.
    #[inline]
    fn planes(&self, entry: usize) -> Range<usize> {
        let first = self.first + entry * self.sort.planes();
        first..first + self.sort.planes()
    }
}

/// A number between two others as a byte; what has more than 256 steps is shrunk.
fn byte_of(number: i64, low: i64, high: i64) -> u8 {
    let (above, all) = (number.saturating_sub(low).max(0), high.saturating_sub(low).max(1));
    let above = if all > 255 { above.saturating_mul(255) / all } else { above };
    u8::try_from(above).unwrap_or(u8::MAX)
}

fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(NO_PLANE)
}

/// What is tracked by name, and the piece that moved last, which `it` asks for, where everybody sees it.
fn is_written(rules: &Rules, at: usize, memory: &Memory) -> bool {
    if !rules.hidden.is_empty() {
        return memory.declared;
    }
    let is_it = |chronicle: &Chronicle| matches!(chronicle, Chronicle::It { memory } if memory.0 == at);
    memory.declared || rules.chronicles.iter().any(is_it)
}

fn sort_of(rules: &Rules, memory: &Memory) -> Sort {
    match memory.ty {
        Type::Sites => Sort::Sites,
        Type::Players => Sort::Players(rules.players.len()),
        Type::Kinds => Sort::Bits((0..).take(rules.kinds.len()).collect()),
        Type::Directions => Sort::Bits(rules.board.ways().iter().map(|way| small(way.index())).collect()),
        Type::Choice => Sort::Number(-1, 254),
        Type::Number | Type::Condition | Type::Piece | Type::Range | Type::List | Type::Unknown => {
            let (low, high) = memory.range.unwrap_or((0, 255));
            Sort::Number(low, high)
        }
    }
}

/// Whose a plane is, seen from the player to move.
fn whose(player: usize) -> String {
    match player {
        0 => "mover".to_owned(),
        1 => "next".to_owned(),
        more => format!("next {more}"),
    }
}

fn piece_names(rules: &Rules) -> Vec<String> {
    let owned = || rules.kinds.iter().filter(|kind| !kind.neutral);
    let of = |player: usize| owned().map(move |kind| format!("{} {}", whose(player), kind.name));
    let neutral = rules.kinds.iter().filter(|kind| kind.neutral).map(|kind| kind.name.clone());
    (0..rules.players.len()).flat_map(of).chain(neutral).collect()
}

/// What the values are called that have planes of their own.
fn entry_names(rules: &Rules, memory: &Memory) -> Vec<String> {
    match memory.scope {
        Scope::Player => (0..rules.players.len()).map(|player| format!("{} {}", whose(player), memory.name)).collect(),
        Scope::Game | Scope::Site => vec![memory.name.clone()],
        Scope::Kind => rules.kinds.iter().map(|kind| format!("{} {}", memory.name, kind.name)).collect(),
        Scope::PlayerKind => {
            let of = |player: usize| {
                rules.kinds.iter().map(move |kind| format!("{} {} {}", whose(player), memory.name, kind.name))
            };
            (0..rules.players.len()).flat_map(of).collect()
        }
    }
}

fn tracked_names(rules: &Rules, memory: &Memory, sort: &Sort) -> Vec<String> {
    let entries = entry_names(rules, memory);
    let inner: Vec<String> = match (sort, memory.ty) {
        (Sort::Players(count), _) => (0..*count).map(|player| format!(" is {}", whose(player))).collect(),
        (Sort::Bits(bits), Type::Kinds) => {
            let kind = |bit: &u32| usize::try_from(*bit).ok().and_then(|at| rules.kinds.get(at));
            bits.iter().map(|bit| format!(" has {}", kind(bit).map_or("", |kind| &kind.name))).collect()
        }
        (Sort::Bits(bits), _) => {
            let way = |bit: &u32| usize::try_from(*bit).ok().and_then(Direction::from_index);
            bits.iter()
                .map(|bit| format!(" has {}", way(bit).map_or_else(String::new, |way| rules.board.way_name(way))))
                .collect()
        }
        (Sort::Sites | Sort::Number(..), _) => vec![String::new()],
    };
    entries.iter().flat_map(|entry| inner.iter().map(move |inner| format!("{entry}{inner}"))).collect()
}

/// By what stands on a site, where its plane begins for a player to move.
fn pieces(rules: &Rules, mover: usize, planes: usize, stride: usize) -> Vec<u32> {
    use crate::rules::{Content, KindId, PlayerId};
    let players = rules.players.len();
    let mut table = vec![NO_PLANE; Content::codes(players)];
    let owned = rules.kinds.iter().filter(|kind| !kind.neutral).count();
    let (mut of_owned, mut of_neutral) = (0, planes - (rules.kinds.len() - owned));
    for (kind, info) in (0..).map(KindId).zip(&rules.kinds) {
        let owners = (0..).take(players).map(PlayerId).map(Some);
        for owner in owners.chain([None]) {
            let plane = match owner {
                Some(player) if !info.neutral => (usize::from(player.0) + players - mover) % players * owned + of_owned,
                None if info.neutral => of_neutral,
                Some(_) | None => continue,
            };
            if let Some(entry) = table.get_mut(usize::from(Content::piece(kind, owner).code())) {
                *entry = small(plane * stride);
            }
        }
        if info.neutral {
            of_neutral += 1;
        } else {
            of_owned += 1;
        }
    }
    table
}

/// A plane for each place of a turn at which plies are asked for, where there are several. Places that offer the same and lead
/// to the same are one.
fn turn_planes(program: Option<&Program>, names: &mut Vec<String>) -> Vec<u32> {
    let Some(program) = program else { return Vec::new() };
    let places = program.stations();
    let offers: Vec<(bool, Vec<u16>)> = places.iter().map(|place| offered(program, *place)).collect();
    let mut classes: Vec<usize> = vec![0; places.len()];
    // Each round tells places apart that lead to places told apart before; there are at most as many rounds as places.
    for _ in 0..places.len() {
        let class_of = |place: &u16| places.binary_search(place).ok().and_then(|at| classes.get(at)).copied();
        let shape = |(end, offer): &(bool, Vec<u16>)| {
            let one = |call: &u16| {
                let call = program.by_mover.first()?.calls.get(usize::from(*call))?;
                let next = call.next.iter().chain(&call.until_next).map(class_of).collect::<Vec<_>>();
                Some((call.mv, &call.generator, next))
            };
            (*end, offer.iter().map(one).collect::<Vec<_>>())
        };
        let mut known = Vec::new();
        classes = offers
            .iter()
            .map(|offer| {
                let shape = shape(offer);
                known.iter().position(|other| *other == shape).unwrap_or_else(|| {
                    known.push(shape);
                    known.len() - 1
                })
            })
            .collect();
    }
    let mut planes = vec![NO_PLANE; program.nodes.len()];
    let mut asked: Vec<usize> =
        classes.iter().zip(&offers).filter(|(_, (_, calls))| !calls.is_empty()).map(|(class, _)| *class).collect();
    asked.sort_unstable();
    asked.dedup();
    if !(2..=MAX_PLACES).contains(&asked.len()) {
        return Vec::new();
    }
    for (place, class) in places.iter().zip(&classes) {
        let number = asked.iter().position(|known| known == class);
        if let (Some(plane), Some(number)) = (planes.get_mut(usize::from(*place)), number) {
            *plane = small(names.len() + number);
        }
    }
    names.extend((1..=asked.len()).map(|number| format!("turn at place {number}")));
    planes
}

/// Whether a turn may end at a place, and the calls to which it leads.
fn offered(program: &Program, place: u16) -> (bool, Vec<u16>) {
    let (mut end, mut calls) = (false, Vec::new());
    let mut seen = Vec::new();
    let mut open = vec![place];
    while let Some(node) = open.pop() {
        if seen.contains(&node) {
            continue;
        }
        seen.push(node);
        match program.nodes.get(usize::from(node)) {
            None => {}
            Some(TurnNode::End) => end = true,
            Some(TurnNode::Call(call)) => calls.push(*call),
            Some(TurnNode::Fork(next) | TurnNode::Prefer(next)) => open.extend(next.iter().rev()),
            Some(TurnNode::Guard(test, next)) => {
                let tests = program.by_mover.iter().filter_map(|own| own.guards.get(usize::from(*test)));
                // A way that options have closed leads nowhere.
                if tests.into_iter().any(|test| *test != Test::Const(false)) {
                    open.extend(next.iter().rev());
                }
            }
        }
    }
    (end, calls)
}

/// The height and width of the lattice of a board, and the cell of every site. Hexes lie on a slanted lattice, so that a step
/// leads everywhere to the same side; points that lie on none stand in one row.
fn lattice(board: &Board) -> (usize, usize, Vec<usize>) {
    let sites = || board.all().iter();
    // Edges and vertices lie between the cells.
    let half = sites().any(|site| board.edges().contains(site) || board.vertices().contains(site));
    let scale = if half { 2.0 } else { 1.0 / board.spacing() };
    let place = |site: Site| -> (f64, f64) {
        let (x, y) = board.xy(site);
        match board.grid() {
            Grid::Hex => {
                let row = y / 0.75f64.sqrt();
                (x - row / 2.0, row)
            }
            Grid::Square | Grid::Points => (x * scale, y * scale),
        }
    };
    let places: Vec<(f64, f64)> = sites().map(place).collect();
    let least = |of: fn(&(f64, f64)) -> f64| places.iter().map(of).fold(f64::INFINITY, f64::min);
    let (left, top) = (least(|place| place.0), least(|place| place.1));
    let whole = |number: f64| {
        let near = number.round();
        // Rounded, and neither negative nor large: the number of a row.
        ((number - near).abs() < 1e-6 && (0.0..4096.0).contains(&near)).then_some(near as usize)
    };
    let cells: Option<Vec<(usize, usize)>> = places.iter().map(|(x, y)| whole(x - left).zip(whole(y - top))).collect();
    let line = || (1, board.len(), (0..board.len()).collect());
    let Some(cells) = cells else { return line() };
    let width = cells.iter().map(|cell| cell.0 + 1).max().unwrap_or(1);
    let height = cells.iter().map(|cell| cell.1 + 1).max().unwrap_or(1);
    let mut taken: Vec<&(usize, usize)> = cells.iter().collect();
    taken.sort_unstable();
    taken.dedup();
    if width * height > 8 * board.len().max(8) || taken.len() < cells.len() {
        return line();
    }
    (height, width, cells.iter().map(|(x, y)| y * width + x).collect())
}
