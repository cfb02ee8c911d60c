//! The numbers of actions: the same for ever for the same rules, whatever the position.

use super::numbering::{MAX_ACTIONS, called, choices, values};
use crate::board::{Direction, Directions, Site, SiteSet};
use crate::engine::observe::{MISSING, Sheaf};
use crate::game::Game;
use crate::game::notation::value_text;
use crate::rules::{KindId, Kinds, MAX_PLAYERS, MoveId, PlayerId, Players, Rules, Type, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

/// Stands in tables for what is no action.
pub(super) const NO_ACTION: u32 = u32::MAX;

/// So many entries a table may have before it is looked up by hashes.
const MAX_TABLE: usize = 1 << 22;

/// Everything that can ever be played in a game, numbered.
///
/// An action is a move with a value for each of its parts, without those that only witness that it is legal. Of all that the types of the parts allow, what the board, the
/// players and the options rule out is left out; the rest is sorted by move, in the order in which turns come to them, and by
/// part. So the numbers depend on nothing but the rules, and [`Game::rules_hash`] is their version.
///
/// Where there would be more than 20,000 actions, they are *split*: one action chooses the move or one part of it, and a ply
/// takes several, one after the other.
#[derive(Clone, Debug)]
pub struct Actions {
    moves: Vec<MoveId>,
    /// By the number of the move.
    tables: Vec<Option<Table>>,
    /// What each action is: a move with its parts, or in split actions one choice.
    list: Vec<Action>,
    split: Option<Split>,
    /// By the shape of sheaves, worked out when it is met first; copies share them.
    fans: Arc<[OnceLock<Fan>]>,
}

/// By value of the part that differs, the action; 64 of them for each word of a set.
type Fan = Box<[[u32; 64]]>;

/// Sheaves of so many shapes are looked up; of the others each action is worked out anew.
const MAX_SHAPES: usize = 256;

fn no_fans() -> Arc<[OnceLock<Fan>]> {
    (0..MAX_SHAPES).map(|_| OnceLock::new()).collect()
}

#[derive(Clone, Debug)]
enum Action {
    Ply(MoveId, Box<[i64]>),
    Choose(Step),
}

/// One choice of several that make a ply.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Step {
    Move(usize),
    /// The part is left out.
    Without,
    Value(Sort, i64),
}

/// What values of parts are, in the order of their numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Sort {
    Site,
    Direction,
    Player,
    Kind,
    Number,
}

#[derive(Clone, Debug)]
struct Split {
    numbers: BTreeMap<Step, u32>,
    /// By the number of the move, what its parts are.
    sorts: Vec<Vec<Sort>>,
    /// By the index of the site that a place stands for.
    sites: Vec<i64>,
    /// Whether the move is chosen first.
    names_moves: bool,
}

/// The actions of one move: each part adds an offset for its value, and what stands at the sum is the action.
#[derive(Clone, Debug)]
struct Table {
    parts: Vec<Offsets>,
    actions: Entries,
}

#[derive(Clone, Debug)]
enum Entries {
    Dense(Vec<u32>),
    Sparse(HashMap<usize, u32>),
}

/// By value, what a part adds.
#[derive(Clone, Debug)]
struct Offsets {
    /// The value of the first entry.
    low: i64,
    by_value: Vec<usize>,
    missing: usize,
}

/// What a value adds that no action has.
const NOWHERE: usize = usize::MAX;

impl Offsets {
    #[inline]
    fn of(&self, value: i64) -> usize {
        if value == MISSING {
            return self.missing;
        }
        let at = value.checked_sub(self.low).and_then(|at| usize::try_from(at).ok());
        at.and_then(|at| self.by_value.get(at)).copied().unwrap_or(NOWHERE)
    }
}

impl Table {
    #[inline]
    fn action(&self, at: usize) -> u32 {
        match &self.actions {
            Entries::Dense(table) => table.get(at).copied().unwrap_or(NO_ACTION),
            Entries::Sparse(table) => table.get(&at).copied().unwrap_or(NO_ACTION),
        }
    }

    /// The table of some choices of parts, the first of which has this number; `place` is where engines have a site.
    fn of(types: &[Type], choices: &[Vec<i64>], first: u32, place: &dyn Fn(i64) -> i64) -> Self {
        let mut parts = Vec::new();
        let mut size = 1usize;
        for (at, ty) in types.iter().enumerate() {
            let known: BTreeSet<i64> = choices.iter().filter_map(|parts| parts.get(at)).copied().collect();
            let raw = |value: i64| if *ty == Type::Sites && value != MISSING { place(value) } else { value };
            let numbers = || known.iter().filter(|value| **value != MISSING).map(|value| raw(*value));
            let (low, high) = (numbers().min().unwrap_or(0), numbers().max().unwrap_or(-1));
            let room = usize::try_from(high.saturating_sub(low).saturating_add(1)).unwrap_or(0);
            let mut offsets = Offsets { low, by_value: vec![NOWHERE; room], missing: NOWHERE };
            for (number, value) in known.iter().enumerate() {
                let place = usize::try_from(raw(*value).saturating_sub(low)).unwrap_or(NOWHERE);
                let entry =
                    if *value == MISSING { Some(&mut offsets.missing) } else { offsets.by_value.get_mut(place) };
                if let Some(entry) = entry {
                    *entry = number * size;
                }
            }
            size = size.saturating_mul(known.len().max(1));
            parts.push((offsets, raw));
        }
        let at = |choice: &Vec<i64>| -> usize {
            parts.iter().zip(choice).map(|((offsets, raw), value)| offsets.of(raw(*value))).sum()
        };
        let numbered = (first..).zip(choices).map(|(number, choice)| (at(choice), number));
        let actions = if size <= MAX_TABLE {
            let mut table = vec![NO_ACTION; size];
            for (at, number) in numbered {
                if let Some(entry) = table.get_mut(at) {
                    *entry = number;
                }
            }
            Entries::Dense(table)
        } else {
            Entries::Sparse(numbered.collect())
        };
        Self { parts: parts.into_iter().map(|(offsets, _)| offsets).collect(), actions }
    }

    /// What the parts add that all plies of a sheaf have in common.
    #[inline]
    fn base(&self, sheaf: &Sheaf<'_>) -> usize {
        let varied = sheaf.varied.map_or(usize::MAX, |(slot, _)| slot);
        let is_common = |at: usize| at != varied && sheaf.follows.iter().all(|follow| follow.part != at);
        let common = self.parts.iter().zip(sheaf.parts).enumerate().filter(|(at, _)| is_common(*at));
        common.fold(0, |base, (_, (offsets, value))| base.saturating_add(offsets.of(*value)))
    }

    /// The action of the ply of a sheaf whose one part has a value.
    #[inline]
    fn member(&self, sheaf: &Sheaf<'_>, base: usize, slot: usize, value: usize) -> u32 {
        let mut at = base.saturating_add(self.adds(slot, i64::try_from(value).unwrap_or(MISSING)));
        for follow in sheaf.follows {
            at = at.saturating_add(self.adds(follow.part, follow.by_value.get(value).copied().unwrap_or(MISSING)));
        }
        self.action(at)
    }

    /// What a value adds; nothing where it is that of a witness, which is no part of an action.
    #[inline]
    fn adds(&self, slot: usize, value: i64) -> usize {
        self.parts.get(slot).map_or(0, |offsets| offsets.of(value))
    }

    /// The actions of plies that have the same parts but for one, and what follows from it.
    fn tell(&self, sheaf: &Sheaf<'_>, slot: usize, words: &[u64], legal: &mut Vec<u32>) {
        let base = self.base(sheaf);
        for (value, word) in (0..).step_by(64).zip(words) {
            let mut bits = *word;
            while bits != 0 {
                legal.push(self.member(sheaf, base, slot, value + place(bits)));
                bits &= bits - 1;
            }
        }
    }

    /// The same for all values that the part can have.
    #[cold]
    fn fan(&self, sheaf: &Sheaf<'_>, slot: usize, words: usize) -> Fan {
        let base = self.base(sheaf);
        let member = |value| self.member(sheaf, base, slot, value);
        (0..words).map(|word| std::array::from_fn(|bit| member(64 * word + bit))).collect()
    }
}

/// The number of the lowest bit.
#[inline]
fn place(bits: u64) -> usize {
    usize::try_from(bits.trailing_zeros()).unwrap_or(0)
}

/// Appends the actions of the values in a set.
#[inline]
fn list(fan: &Fan, words: &[u64], legal: &mut Vec<u32>) {
    for (actions, word) in fan.iter().zip(words) {
        let mut bits = *word;
        let from = legal.len();
        legal.resize(from + usize::try_from(bits.count_ones()).unwrap_or(0), 0);
        for action in legal.iter_mut().skip(from) {
            *action = actions.get(place(bits)).copied().unwrap_or(NO_ACTION);
            bits &= bits.wrapping_sub(1);
        }
    }
}

impl Actions {
    /// Numbers the actions of a game.
    #[must_use]
    pub fn of(game: &Game) -> Self {
        let rules = game.rules();
        let places = game.player(crate::engine::Engine::Fast).places();
        let moves = called(rules);
        let mut tables: Vec<Option<Table>> = rules.moves.iter().map(|_| None).collect();
        let mut list = Vec::new();
        let place = |site: i64| {
            let place = usize::try_from(site).ok().and_then(|site| places.get(site));
            place.and_then(|place| i64::try_from(*place).ok()).unwrap_or(MISSING)
        };
        for mv in &moves {
            let known = choices(rules, *mv).filter(|known| known.len() + list.len() <= MAX_ACTIONS);
            let Some(known) = known else { return Self::split(rules, moves, &places) };
            let first = u32::try_from(list.len()).unwrap_or(NO_ACTION);
            if let Some(table) = tables.get_mut(mv.0) {
                *table = Some(Table::of(&types(rules, *mv), &known, first, &place));
            }
            list.extend(known.into_iter().map(|parts| Action::Ply(*mv, parts.into())));
        }
        Self { moves, tables, list, split: None, fans: no_fans() }
    }

    fn split(rules: &Rules, moves: Vec<MoveId>, places: &[usize]) -> Self {
        let mut steps: BTreeSet<Step> = BTreeSet::new();
        let mut sorts: Vec<Vec<Sort>> = rules.moves.iter().map(|_| Vec::new()).collect();
        for mv in &moves {
            let mut own = Vec::new();
            for (ty, values) in values(rules, *mv) {
                let sort = sort_of(ty);
                own.push(sort);
                steps.extend(values.into_iter().map(|value| match value {
                    MISSING => Step::Without,
                    value => Step::Value(sort, value),
                }));
            }
            if let Some(place) = sorts.get_mut(mv.0) {
                *place = own;
            }
        }
        let names_moves = moves.len() > 1 || steps.is_empty();
        if names_moves {
            steps.extend((0..moves.len()).map(Step::Move));
        }
        let mut sites = vec![MISSING; places.iter().max().map_or(0, |most| most + 1)];
        for (site, place) in (0..).zip(places) {
            if let Some(entry) = sites.get_mut(*place) {
                *entry = site;
            }
        }
        let numbers = steps.iter().copied().zip(0..).collect();
        let list = steps.into_iter().map(Action::Choose).collect();
        let split = Some(Split { numbers, sorts, sites, names_moves });
        Self { moves, tables: Vec::new(), list, split, fans: no_fans() }
    }

    /// How many actions there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none, as in a game that is over before it begins.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether a ply takes several actions, one for each choice.
    #[must_use]
    pub fn is_split(&self) -> bool {
        self.split.is_some()
    }

    /// The move and the values of its parts; none for split actions, and for numbers that no action has.
    #[must_use]
    pub fn ply(&self, rules: &Rules, action: usize) -> Option<(MoveId, Vec<Value>)> {
        let Action::Ply(mv, parts) = self.list.get(action)? else { return None };
        Some((*mv, types(rules, *mv).into_iter().zip(parts).map(|(ty, number)| value_of(ty, *number)).collect()))
    }

    /// What an action is, in words of the rules: the move and its parts, as in `advance a2 a3`.
    #[must_use]
    pub fn text(&self, rules: &Rules, action: usize) -> Option<String> {
        let name = |mv: MoveId| rules.moves.get(mv.0).map_or(String::new(), |mv| mv.name.clone());
        let part = |value: &Value| match value_text(rules, value) {
            text if text.is_empty() => "-".to_owned(),
            text => text,
        };
        Some(match self.list.get(action)? {
            Action::Ply(mv, _) => {
                let (_, values) = self.ply(rules, action)?;
                std::iter::once(name(*mv)).chain(values.iter().map(part)).collect::<Vec<_>>().join(" ")
            }
            Action::Choose(Step::Move(at)) => name(*self.moves.get(*at)?),
            Action::Choose(Step::Without) => "-".to_owned(),
            Action::Choose(Step::Value(sort, value)) => part(&value_of(type_of(*sort), *value)),
        })
    }

    /// Appends the actions of some legal plies.
    #[inline]
    pub(super) fn tell(&self, sheaf: &Sheaf<'_>, legal: &mut Vec<u32>) {
        let Some(Some(table)) = self.tables.get(sheaf.mv.0) else { return };
        let Some((slot, words)) = sheaf.varied else { return legal.push(table.action(table.base(sheaf))) };
        match sheaf.shape.and_then(|shape| self.fans.get(shape)) {
            Some(fan) => list(fan.get_or_init(|| table.fan(sheaf, slot, words.len())), words, legal),
            None => table.tell(sheaf, slot, words, legal),
        }
    }

    /// Appends the rows of some legal plies: the choices that make each, filled up to a width.
    pub(super) fn tell_rows(&self, sheaf: &Sheaf<'_>, rows: &mut Vec<u32>) {
        let Some(split) = &self.split else { return };
        let mut row = |varied: Option<(usize, i64)>| {
            let from = rows.len();
            let number = |step: Step| split.numbers.get(&step).copied().unwrap_or(NO_ACTION - 1);
            if split.names_moves {
                let at = self.moves.iter().position(|mv| *mv == sheaf.mv).unwrap_or(usize::MAX);
                rows.push(number(Step::Move(at)));
            }
            let sorts = split.sorts.get(sheaf.mv.0).map_or(&[][..], Vec::as_slice);
            for (at, (sort, part)) in sorts.iter().zip(sheaf.parts).enumerate() {
                let value = varied.map_or(*part, |(slot, value)| sheaf.part(at, slot, value));
                let site = || usize::try_from(value).ok().and_then(|place| split.sites.get(place)).copied();
                rows.push(number(match (value, sort) {
                    (MISSING, _) => Step::Without,
                    (_, Sort::Site) => Step::Value(Sort::Site, site().unwrap_or(MISSING)),
                    (value, sort) => Step::Value(*sort, value),
                }));
            }
            rows.resize(from + self.width(), NO_ACTION);
        };
        let Some((slot, words)) = sheaf.varied else { return row(None) };
        for (value, word) in (0..).step_by(64).zip(words) {
            for bit in (0..64).filter(|bit| word >> bit & 1 == 1) {
                row(Some((slot, value + bit)));
            }
        }
    }

    /// The site that a split action chooses.
    pub(super) fn site(&self, action: u32) -> Option<usize> {
        match self.list.get(usize::try_from(action).ok()?)? {
            Action::Choose(Step::Value(Sort::Site, site)) => usize::try_from(*site).ok(),
            Action::Choose(_) | Action::Ply(..) => None,
        }
    }

    /// How many choices a ply takes at most, and one more.
    pub(super) fn width(&self) -> usize {
        let most = self.split.as_ref().and_then(|split| split.sorts.iter().map(Vec::len).max());
        most.unwrap_or(0) + 2
    }
}

fn types(rules: &Rules, mv: MoveId) -> Vec<Type> {
    let names = rules.moves.get(mv.0).into_iter().flat_map(crate::rules::Move::parts);
    names.map(|name| name.ty).collect()
}

fn sort_of(ty: Type) -> Sort {
    match ty {
        Type::Sites => Sort::Site,
        Type::Directions => Sort::Direction,
        Type::Players => Sort::Player,
        Type::Kinds => Sort::Kind,
        Type::Number | Type::Range | Type::Condition | Type::Piece | Type::Choice | Type::List | Type::Unknown => {
            Sort::Number
        }
    }
}

fn type_of(sort: Sort) -> Type {
    match sort {
        Sort::Site => Type::Sites,
        Sort::Direction => Type::Directions,
        Sort::Player => Type::Players,
        Sort::Kind => Type::Kinds,
        Sort::Number => Type::Number,
    }
}

/// The value that a number of a part stands for.
fn value_of(ty: Type, number: i64) -> Value {
    if number == MISSING {
        return Value::Condition(None);
    }
    let index = usize::try_from(number).unwrap_or(usize::MAX);
    let small = u8::try_from(number).unwrap_or(u8::MAX);
    match sort_of(ty) {
        Sort::Site => Value::of_sites(Site::from_index(index).map_or(SiteSet::EMPTY, SiteSet::single)),
        Sort::Direction => {
            Value::Directions(Direction::from_index(index).map_or(Directions::EMPTY, Directions::single))
        }
        Sort::Player if usize::from(small) < MAX_PLAYERS => Value::Players(Players::single(PlayerId(small))),
        Sort::Kind if small < 32 => Value::Kinds(Kinds::single(KindId(small))),
        Sort::Player | Sort::Kind | Sort::Number => Value::Number(Some(number)),
    }
}
