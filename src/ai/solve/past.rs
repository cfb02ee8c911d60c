//! What of the past a position can be told without: repetition and counted turns that come to nothing worse than a draw.
//!
//! A win that comes nearer with every ply never comes back to a position, and where neither side can force a win none is
//! forced by lines of `end` that only add draws. So such lines can be left out of a table of positions. A win is one of the
//! game as long as no count comes to its end before.

use super::images::Images;
use crate::engine::{Engine, Play};
use crate::game::{Line, Position};
use crate::operator::CompareOp;
use crate::rules::asked;
use crate::rules::catalogue::Id;
use crate::rules::{Chronicle, Ending, EndingResult, Expr, ExprKind, MemoryId, Rules, TurnOf, Value};
use std::collections::{BTreeSet, HashMap};

/// What a table of positions leaves out.
pub struct Past {
    /// What is counted and left out, with the number that ends the game.
    counts: Vec<(Counted, i64)>,
    memories: Vec<MemoryId>,
    /// The numbers of turn and ply that all positions have; none where they are a part of each.
    clock: Option<(u32, u32)>,
    /// The game is drawn when a position comes up so often.
    pub repeats: Option<i64>,
    /// How often positions came up before, by their keys.
    before: HashMap<u64, i64>,
    /// Neither the number of the turn nor that of the ply decides about anything, and whose turn it is says who is next.
    untimed: bool,
}

/// What expressions read, with the words that they use.
#[derive(Default)]
struct Read {
    memories: BTreeSet<MemoryId>,
    words: BTreeSet<usize>,
    /// Each question after repetition: of the board alone, and how often.
    seen: Vec<(bool, Option<i64>)>,
    /// The number of the turn, or of the ply.
    clock: bool,
}

impl Read {
    fn expr(&mut self, rules: &Rules, expr: &Expr) {
        if let ExprKind::Memory { memory, .. } = &expr.kind {
            self.memories.insert(*memory);
        }
        if let ExprKind::Seen { board, times } = &expr.kind {
            self.seen.push((*board, *times));
        }
        if let ExprKind::Primitive(word, _) = &expr.kind {
            self.clock |= matches!(word.id, Id::Turn | Id::Ply);
        }
        if let ExprKind::Word(word, _) | ExprKind::Adjective { word, .. } = &expr.kind
            && self.words.insert(word.0)
            && let Some(word) = rules.words.get(word.0)
        {
            self.expr(rules, &word.body);
        }
        expr.kind.visit(&mut |part, _| self.expr(rules, part));
    }
}

/// What a line of `end` waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counted {
    Turns,
    Plies,
    Without(MemoryId),
}

/// What a condition counts, and the number that it comes to in the end.
fn limit(condition: &Expr) -> Option<(Counted, i64)> {
    let ExprKind::Compare { first, rest } = &condition.kind else { return None };
    let counted = if let ExprKind::Memory { memory, index: None } = &first.kind {
        Counted::Without(*memory)
    } else if let ExprKind::Primitive(word, _) = &first.kind {
        match word.id {
            Id::Turn => Counted::Turns,
            Id::Ply => Counted::Plies,
            _other => return None,
        }
    } else {
        return None;
    };
    let [(op, number)] = rest.as_slice() else { return None };
    let number = number.as_constant()?.number()?;
    match op {
        CompareOp::Equal | CompareOp::GreaterEqual => Some((counted, number)),
        CompareOp::Greater => Some((counted, number.saturating_add(1))),
        CompareOp::NotEqual | CompareOp::Less | CompareOp::LessEqual => None,
    }
}

/// The conditions that must hold together for one to hold.
fn together(condition: &Expr) -> &[Expr] {
    if let ExprKind::And(parts) = &condition.kind { parts } else { std::slice::from_ref(condition) }
}

fn draws(ending: &Ending) -> bool {
    matches!(ending.result, EndingResult::Draw)
}

/// Whether whose turn it is says all of the order of turns, from the turn with a number on.
fn is_untimed(rules: &Rules, turn: u32) -> bool {
    let sections = rules.turns.iter().all(|section| match section.of {
        TurnOf::Numbers(_, last) => i64::from(turn) > last,
        TurnOf::Any | TurnOf::Phase(_) => true,
    });
    sections && rules.order.len() == rules.players.len()
}

impl Past {
    /// What can be left out behind the position of a line, and what came up before it.
    pub fn before(line: &Line) -> Result<Self, &'static str> {
        let mut past = Self::of(line.position())?;
        if past.repeats.is_some() {
            let mut player = line.game().player(Engine::Fast);
            player.load(&line.start().snapshot());
            // Positions are counted when a turn begins.
            let begins = |ply: usize| {
                let turn = |ply: usize| line.at(ply).map(Position::turn);
                ply.checked_sub(1).is_none_or(|before| turn(before) != turn(ply))
            };
            let mut plies = line.plies();
            for ply in 0..=line.played() {
                past.forget(&mut *player);
                let key = player.hash();
                if begins(ply) {
                    *past.before.entry(key).or_insert(0) += 1;
                }
                let Some(wanted) = plies.next() else { break };
                let found = (0..player.count()).find(|index| player.ply(*index).as_ref() == Some(&wanted));
                player.play(found.unwrap_or(usize::MAX));
            }
        }
        Ok(past)
    }

    /// What can be left out behind a position; where the past decides about more than draws, why there is no table.
    fn of(position: &Position) -> Result<Self, &'static str> {
        let rules = position.game().rules();
        let (mut all, mut most) = (Read::default(), Read::default());
        asked::anywhere(rules).into_iter().for_each(|expr| all.expr(rules, expr));
        asked::but_in_endings(rules).into_iter().for_each(|expr| most.expr(rules, expr));
        let mut limits: Vec<(Counted, i64)> = Vec::new();
        let mut repeats: Option<i64> = None;
        for ending in &rules.endings {
            let mut exprs = Vec::new();
            asked::of_ending(ending, &mut exprs);
            let mut own = Read::default();
            for condition in exprs.into_iter().flat_map(together) {
                match limit(condition).filter(|_| draws(ending)) {
                    Some(found) => limits.push(found),
                    None => own.expr(rules, condition),
                }
            }
            most.memories.append(&mut own.memories);
            most.clock |= own.clock;
            if !own.seen.is_empty() && (!draws(ending) || ending.at_once) {
                return Err("a position that comes back decides about more than draws");
            }
            for (board, times) in own.seen {
                let Some(times) = times.filter(|times| *times > 1 && !board) else {
                    return Err("boards that come back decide");
                };
                repeats = Some(repeats.map_or(times, |least| least.min(times)));
            }
        }
        if let Some(word) = rules.score.and_then(|word| rules.words.get(word.0)) {
            most.expr(rules, &word.body);
        }
        if !most.seen.is_empty() {
            return Err("what is legal depends on earlier positions");
        }
        let counted = rules.chronicles.iter().filter_map(|chronicle| match chronicle {
            Chronicle::Without { count, .. } => Some(*count),
            Chronicle::Happened { .. }
            | Chronicle::Part { .. }
            | Chronicle::LastTo { .. }
            | Chronicle::Carry { .. }
            | Chronicle::It { .. } => None,
        });
        let counted: Vec<MemoryId> = counted.filter(|count| !most.memories.contains(count)).collect();
        let short = |memory: &MemoryId| limits.iter().any(|limit| limit.0 == Counted::Without(*memory) && limit.1 < 2);
        let memories: Vec<MemoryId> = counted.into_iter().filter(|memory| !short(memory)).collect();
        let alike = is_untimed(rules, position.turn());
        // Where nobody asks for the clock it is no part of a position anyway.
        let (turn, ply) = (position.turn(), position.ply());
        // Time stands still where the clock is left out, so that it must not come to its end at once.
        let far = limits.iter().all(|(counted, end)| match counted {
            Counted::Turns => *end > i64::from(turn) + 1,
            Counted::Plies => *end > i64::from(ply) + 1,
            Counted::Without(_) => true,
        });
        let clock = (all.clock && !most.clock && alike && far).then_some((turn, ply));
        let left_out = |counted: Counted| match counted {
            Counted::Turns | Counted::Plies => clock.is_some(),
            Counted::Without(memory) => memories.contains(&memory),
        };
        let counts = limits.into_iter().filter(|(counted, _)| left_out(*counted)).collect();
        let untimed = alike && (!all.clock || clock.is_some());
        let past = Self { counts, memories, clock, repeats, before: HashMap::new(), untimed };
        if past.repeats.is_some() && !(untimed && past.tells_positions_apart_no_finer(rules)) {
            return Err("positions are told apart by more than what makes them come back");
        }
        Ok(past)
    }

    /// Whether positions that count as the same when they come back are one position of a table.
    fn tells_positions_apart_no_finer(&self, rules: &Rules) -> bool {
        rules
            .memories
            .iter()
            .zip(0..)
            .all(|(memory, index)| memory.declared || memory.each_turn || self.memories.contains(&MemoryId(index)))
    }

    /// The same with counts as a part of each position; none where that would tell apart positions that come back.
    pub fn counting(&self) -> Option<Self> {
        let left_out = (!self.memories.is_empty() || self.clock.is_some()) && self.repeats.is_none();
        let untimed = self.untimed && self.clock.is_none();
        left_out.then(|| Self {
            counts: Vec::new(),
            memories: Vec::new(),
            clock: None,
            repeats: None,
            before: HashMap::new(),
            untimed,
        })
    }

    /// Takes its past from a position.
    pub fn forget(&self, player: &mut dyn Play) {
        player.forget(&self.memories, self.clock);
    }

    /// Images that are one position; none where the past tells some from others.
    pub fn images(&self, position: &Position, player: &dyn Play) -> Option<Images> {
        let told = self.repeats.is_some_and(|times| self.before.values().any(|before| before + 1 >= times));
        (!told && self.untimed).then(|| Images::of(position, player, &self.memories)).flatten()
    }

    /// Images that are one position in a proof, which leaves out nothing of the past.
    pub fn images_in_proofs(position: &Position, player: &dyn Play) -> Option<Images> {
        let past = Self::of(position).ok()?;
        let keeps_all = past.counts.is_empty() && past.memories.is_empty() && past.repeats.is_none();
        (keeps_all && !player.looks_back()).then(|| past.images(position, player)).flatten()
    }

    /// Whether a position came up so often in the game so far that the next time is a draw.
    pub fn comes_once_too_often(&self, key: u64) -> bool {
        self.repeats.is_some_and(|times| self.before.get(&key).is_some_and(|before| before + 1 >= times))
    }

    /// Whether no count that was left out can come to its end within so many plies.
    pub fn allows(&self, position: &Position, plies: u32) -> bool {
        let (engine, state) = (position.game().engine(), &position.situation().state);
        self.counts.iter().all(|(counted, end)| {
            let now = match counted {
                Counted::Turns => i64::from(position.turn()),
                Counted::Plies => i64::from(position.ply()),
                Counted::Without(memory) => engine.values(state, memory.0).first().and_then(Value::number).unwrap_or(0),
            };
            now.saturating_add(i64::from(plies)) < *end
        })
    }
}
