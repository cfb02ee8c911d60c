//! What a learned evaluation looks at: patterns of sites that follow from the board, its symmetries and a seed, and some
//! numbers that every game has. Each pattern has a weight for all that can stand on its sites (n-tuple networks; M. Thill,
//! P. Koch and W. Konen, *Reinforcement learning with n-tuples on the game Connect-4*, 2012).

use crate::board::{Board, Direction, Site};
use crate::engine::observe::{MISSING, Remembered};
use crate::engine::{Engine, Play};
use crate::game::Game;
use crate::rules::{Content, KindId, PlayerId, Rules, Scope, Type};
use crate::study::playout::{generator, pick};
use crate::symmetry::{Mapping, Symmetries};
use std::collections::BTreeSet;
use xxhash_rust::xxh3::xxh3_64;

/// No pattern has more weights, so that all of them are seen in some thousand games.
const TABLE: usize = 30_000;

/// No pattern has more sites.
const WIDEST: usize = 8;

/// A position is looked at by no more patterns than that, besides single sites and what surrounds them.
const PATTERNS: usize = 160;

/// Steps of numbers that are looked at.
const STEPS: usize = 41;

/// Memories that are looked at.
const MEMORIES: usize = 6;

/// Sites with one table: a weight for each of the ways in which they can be occupied.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// Where its weights begin.
    pub table: usize,
    /// How many things can stand on a site.
    pub radix: usize,
    /// Its sites, by place; one place is beyond the board.
    pub cells: Vec<u16>,
}

/// How a position is seen by the player to move, where both players can be exchanged.
#[derive(Clone, Debug)]
struct Swap {
    /// By place.
    places: Vec<u16>,
    /// By code.
    codes: Vec<u8>,
}

/// All that is looked at.
#[derive(Clone, Debug)]
pub struct Shape {
    /// By code of what stands on a site, its number.
    codes: Vec<u8>,
    /// By number, what stands on a site.
    pub contents: Vec<Content>,
    swap: Option<Swap>,
    /// The place beyond the board; those of sites lie below.
    beyond: usize,
    /// The place of every site.
    pub places: Vec<usize>,
    /// All patterns.
    pub patterns: Vec<Pattern>,
    /// Memories with a number for the game or for each player, which is true, and the smallest number.
    memories: Vec<Counted>,
    /// Where the weights of numbers begin.
    numbers: usize,
    /// The weights for one player to move.
    bank: usize,
    banks: usize,
    symmetries: usize,
}

/// What is seen of a position.
#[derive(Clone, Debug, Default)]
pub struct Sight {
    /// By place.
    cells: Vec<u8>,
    /// Where the weights begin, which belong to the player to move.
    bank: usize,
    /// Weights of numbers.
    numbers: Vec<u32>,
    /// Seen by the second player as if he were the first.
    turned: bool,
}

impl Shape {
    /// What is looked at in a game of two players; random patterns come from the seed.
    #[must_use]
    pub fn of(game: &Game, seed: u64) -> Self {
        let rules = game.rules();
        let symmetries = Symmetries::of(game);
        let places = game.player(Engine::Fast).places();
        let beyond = places.iter().max().map_or(0, |last| last + 1);
        let contents = contents(rules);
        let mut codes = vec![0; Content::CODES];
        for (content, number) in contents.iter().zip(0u8..) {
            if let Some(code) = codes.get_mut(usize::from(content.code())) {
                *code = number;
            }
        }
        let swap = symmetries.swaps.first().map(|mapping| Swap::of(mapping, &codes, &places, beyond));
        let banks = if swap.is_some() { 1 } else { 2 };
        let mut drawn = Drawn {
            board: &rules.board,
            mappings: &symmetries.mappings,
            places: &places,
            radix: contents.len(),
            patterns: Vec::new(),
            weights: 0,
            known: BTreeSet::new(),
        };
        drawn.all(beyond, seed);
        let (patterns, numbers) = (drawn.patterns, drawn.weights);
        let memories = memories(rules);
        let kinds = 3 + memories.iter().map(|counted| if counted.each { 2 } else { 1 }).sum::<usize>();
        let bank = numbers + kinds * STEPS;
        let symmetries = symmetries.count();
        Self { codes, contents, swap, beyond, places, patterns, memories, numbers, bank, banks, symmetries }
    }

    /// How many weights there are.
    #[must_use]
    pub fn weights(&self) -> usize {
        self.bank * self.banks
    }

    /// How many weights speak about a position.
    #[must_use]
    pub fn active(&self) -> usize {
        self.patterns.len() + 3 + self.memories.len()
    }

    /// How many symmetries share each weight, and whether both players do.
    #[must_use]
    pub fn sharing(&self) -> (usize, bool) {
        (self.symmetries, self.swap.is_some())
    }

    /// The weights for one player to move; where both players share them there is one such bank.
    #[must_use]
    pub fn bank(&self) -> usize {
        self.bank
    }

    /// Another number for other patterns.
    #[must_use]
    pub fn hash(&self) -> u64 {
        let mut bytes = Vec::new();
        for pattern in &self.patterns {
            bytes.extend(pattern.table.to_le_bytes());
            bytes.extend(pattern.radix.to_le_bytes());
            pattern.cells.iter().for_each(|cell| bytes.extend(cell.to_le_bytes()));
        }
        bytes.extend(self.weights().to_le_bytes());
        xxh3_64(&bytes)
    }

    /// Looks at a position.
    pub fn see(&self, play: &mut dyn Play, sight: &mut Sight) {
        let mover = play.mover();
        let swap = self.swap.as_ref().filter(|_| mover == 1);
        sight.turned = swap.is_some();
        sight.bank = if self.banks > 1 { self.bank * mover.min(1) } else { 0 };
        sight.cells.clear();
        sight.cells.resize(self.beyond, 0);
        // Beyond the board stands what stands nowhere else.
        sight.cells.push(u8::try_from(self.contents.len()).unwrap_or(u8::MAX));
        let mut pieces = 0;
        play.standing(&mut |content, words| {
            let codes = swap.map_or(&self.codes, |swap| &swap.codes);
            let code = codes.get(usize::from(content.code())).copied().unwrap_or(0);
            for (word, base) in words.iter().zip((0..).step_by(64)) {
                let mut left = *word;
                while left != 0 {
                    let place = base + left.trailing_zeros() as usize;
                    left &= left - 1;
                    pieces += 1;
                    let place = swap.map_or(place, |swap| swap.places.get(place).map_or(place, |to| usize::from(*to)));
                    if let Some(cell) = sight.cells.get_mut(place) {
                        *cell = code;
                    }
                }
            }
        });
        self.see_numbers(play, pieces, sight);
    }

    fn see_numbers(&self, play: &mut dyn Play, pieces: usize, sight: &mut Sight) {
        sight.numbers.clear();
        let mut at = self.numbers;
        let mut note = |step: usize, numbers: &mut Vec<u32>| {
            numbers.push(u32::try_from(at + step.min(STEPS - 1)).unwrap_or(0));
            at += STEPS;
        };
        note(doublings(play.count()), &mut sight.numbers);
        let scores = play.scores();
        let lead = match scores.as_slice() {
            [own, other, ..] if sight.turned => other.saturating_sub(*own),
            [own, other, ..] => own.saturating_sub(*other),
            [] | [_] => 0,
        };
        note(step_of(lead, -20), &mut sight.numbers);
        note(pieces * (STEPS - 1) / self.places.len().max(1), &mut sight.numbers);
        for Counted { memory, entries, each, low } in &self.memories {
            let mut found = [MISSING; 2];
            play.remembered(*memory, &mut |of, value| {
                let place = entries.iter().position(|entry| *entry == of);
                if let (Remembered::Number(number), Some(place)) = (value, place.and_then(|at| found.get_mut(at))) {
                    *place = number;
                }
            });
            if sight.turned && *each {
                found.reverse();
            }
            let [first, second] = found;
            note(step_of(first, *low), &mut sight.numbers);
            if *each {
                note(step_of(second, *low), &mut sight.numbers);
            }
        }
    }

    /// Tells of every weight that speaks about what was seen.
    #[inline]
    pub fn each(&self, sight: &Sight, mut tell: impl FnMut(usize)) {
        for pattern in &self.patterns {
            let mut at = 0;
            for cell in &pattern.cells {
                at = at * pattern.radix + usize::from(sight.cells.get(usize::from(*cell)).copied().unwrap_or(0));
            }
            tell(sight.bank + pattern.table + at);
        }
        sight.numbers.iter().for_each(|number| tell(sight.bank + *number as usize));
    }
}

/// Numbers by how often they double, in quarters.
fn doublings(number: usize) -> usize {
    let number = number.max(1);
    let whole = number.ilog2();
    // Two bits below the first one.
    let rest = (number << 2 >> whole) & 3;
    usize::try_from(whole).map_or(STEPS, |whole| 4 * whole + rest)
}

/// The step of a number from the lowest on; the last one where there is none.
fn step_of(number: i64, low: i64) -> usize {
    if number == MISSING { STEPS - 1 } else { usize::try_from(number.saturating_sub(low).max(0)).unwrap_or(STEPS) }
}

impl Sight {
    /// What is foretold for the first player, from what is foretold for the one who sees.
    #[must_use]
    pub fn for_first(&self, odds: f32) -> f32 {
        if self.turned { -odds } else { odds }
    }
}

impl Swap {
    fn of(mapping: &Mapping, codes: &[u8], places: &[usize], beyond: usize) -> Self {
        let mut to: Vec<u16> = (0..beyond).map(|place| u16::try_from(place).unwrap_or(0)).collect();
        for (site, place) in places.iter().enumerate() {
            let image = places.get(mapping.index(site)).copied().unwrap_or(*place);
            if let Some(to) = to.get_mut(*place) {
                *to = u16::try_from(image).unwrap_or(*to);
            }
        }
        let image = |code: u16| usize::from(mapping.content(Content::from_code(code)).code());
        let codes = (0..).take(codes.len()).map(|code| codes.get(image(code)).copied().unwrap_or(0)).collect();
        Self { places: to, codes }
    }
}

/// All that can stand on a site, nothing first.
fn contents(rules: &Rules) -> Vec<Content> {
    let mut contents = vec![Content::EMPTY];
    for (kind, number) in rules.kinds.iter().zip(0u8..) {
        let piece = |owner| Content::piece(KindId(number), owner);
        if kind.neutral {
            contents.push(piece(None));
        } else {
            contents.extend((0..rules.players.len()).zip(0u8..).map(|(_, player)| piece(Some(PlayerId(player)))));
        }
    }
    contents
}

/// A number that is remembered, of the game or of each of two players.
#[derive(Clone, Debug)]
struct Counted {
    memory: usize,
    /// Where it stands among the entries of its memory.
    entries: [usize; 2],
    each: bool,
    low: i64,
}

/// The numbers that are remembered.
fn memories(rules: &Rules) -> Vec<Counted> {
    let kinds = rules.kinds.len();
    let known = rules.memories.iter().enumerate().filter(|(_, memory)| memory.declared && memory.ty == Type::Number);
    let entries = known.flat_map(|(index, memory)| {
        let (each, entries): (bool, Vec<[usize; 2]>) = match memory.scope {
            Scope::Site => (false, Vec::new()),
            Scope::Game => (false, vec![[0, usize::MAX]]),
            Scope::Player => (true, vec![[0, 1]]),
            Scope::Kind => (false, (0..kinds).map(|kind| [kind, usize::MAX]).collect()),
            Scope::PlayerKind => (true, (0..kinds).map(|kind| [kind, kinds + kind]).collect()),
        };
        let low = memory.range.map_or(0, |range| range.0);
        entries.into_iter().map(move |entries| Counted { memory: index, entries, each, low })
    });
    entries.take(MEMORIES).collect()
}

/// Patterns being chosen.
struct Drawn<'a> {
    board: &'a Board,
    mappings: &'a [Mapping],
    places: &'a [usize],
    radix: usize,
    patterns: Vec<Pattern>,
    weights: usize,
    /// The sites of patterns there are.
    known: BTreeSet<Vec<usize>>,
}

impl Drawn<'_> {
    fn all(&mut self, beyond: usize, seed: u64) {
        let most = widest(self.radix);
        for site in self.board.all().iter() {
            self.add(&[site]);
        }
        self.surroundings(beyond);
        let free = self.patterns.len();
        for line in self.lines(most) {
            if self.patterns.len() - free < PATTERNS / 2 {
                self.add(&line);
            }
        }
        self.walks(most, free, seed);
    }

    /// A pattern, and all its images, which have the same weights; none twice.
    fn add(&mut self, sites: &[Site]) {
        let set = |sites: &[usize]| {
            let mut set = sites.to_vec();
            set.sort_unstable();
            set
        };
        let own: Vec<usize> = sites.iter().map(|site| site.index()).collect();
        if self.known.contains(&set(&own)) {
            return;
        }
        let table = self.weights;
        let mut images: BTreeSet<Vec<usize>> = BTreeSet::new();
        for mapping in self.mappings {
            let image: Vec<usize> = own.iter().map(|site| mapping.index(*site)).collect();
            self.known.insert(set(&image));
            if images.insert(image.clone()) {
                let cells = image.iter().map(|site| self.cell(*site)).collect();
                self.patterns.push(Pattern { table, radix: self.radix, cells });
            }
        }
        self.weights += self.radix.saturating_pow(u32::try_from(sites.len()).unwrap_or(u32::MAX));
    }

    fn cell(&self, site: usize) -> u16 {
        self.places.get(site).and_then(|place| u16::try_from(*place).ok()).unwrap_or(0)
    }

    /// Every site with those around it: one table for the whole board, with what lies beyond it.
    fn surroundings(&mut self, beyond: usize) {
        let radix = self.radix + 1;
        let ways = if self.board.directions().len() <= 6 { self.board.directions() } else { self.board.orthogonal() };
        let count = ways.len() + 1;
        let size = radix.saturating_pow(u32::try_from(count).unwrap_or(u32::MAX));
        if size > TABLE || count < 3 {
            return;
        }
        for site in self.board.all().iter() {
            let around = ways.iter().map(|way| self.board.step(site, way));
            let cells = std::iter::once(Some(site))
                .chain(around)
                .map(|site| site.map_or_else(|| u16::try_from(beyond).unwrap_or(0), |site| self.cell(site.index())));
            self.patterns.push(Pattern { table: self.weights, radix, cells: cells.collect() });
        }
        self.weights += size;
    }

    /// Straight lines of sites, as long as they may be.
    fn lines(&self, most: usize) -> Vec<Vec<Site>> {
        let mut lines: Vec<Vec<Site>> = Vec::new();
        for way in Direction::ALL.into_iter().take(8) {
            for site in self.board.all().iter() {
                let steps = std::iter::successors(Some(site), |site| self.board.step(*site, way));
                let line: Vec<Site> = steps.take(most).collect();
                let begins = self.board.step(site, way.opposite()).is_none();
                if line.len() == most && most > 2 || begins && line.len() > 2 {
                    lines.push(line);
                }
            }
        }
        lines
    }

    /// Sites that neighbours join, from any site on.
    fn walks(&mut self, most: usize, free: usize, seed: u64) {
        let mut chance = generator(seed, u64::MAX);
        for _ in 0..8 * PATTERNS {
            if self.patterns.len() - free >= PATTERNS {
                break;
            }
            let first = pick(self.board.len(), &mut chance).and_then(Site::from_index);
            let mut walk: Vec<Site> = first.into_iter().collect();
            while walk.len() < most {
                let open: BTreeSet<usize> = walk
                    .iter()
                    .flat_map(|site| self.board.neighbours(*site).iter().collect::<Vec<_>>())
                    .filter(|site| !walk.contains(site))
                    .map(Site::index)
                    .collect();
                let next = pick(open.len(), &mut chance).and_then(|at| open.into_iter().nth(at));
                let Some(next) = next.and_then(Site::from_index) else { break };
                walk.push(next);
            }
            if walk.len() > 1 {
                self.add(&walk);
            }
        }
    }
}

/// How many sites a pattern has, where so many things can stand on each.
fn widest(radix: usize) -> usize {
    let fits = |sites: &usize| u32::try_from(*sites).is_ok_and(|sites| radix.saturating_pow(sites) <= TABLE);
    (2..=WIDEST).rev().find(fits).unwrap_or(1)
}
