//! The checked rules written out for their hash: in names chosen for ever, with strings that cannot be mistaken for structure.
//!
//! What is written is what decides how a game is played and how its moves read: no places, no layout, no looks, nothing that
//! the game does not reach. Words, memories, moves and nodes of the graph have numbers in the order in which they are first
//! spoken of, so that neither names of the author's words nor the order in which the checker found things decide.
//!
//! The names in this file are no names of Rust. They stay when a variant is renamed; a new variant needs a new name here, and
//! whoever changes what is written raises [`VERSION`]: all saved games then warn that the rules have changed.

use super::catalogue::Primitive;
use super::*;
use crate::board::{Directions, Grid, Site, SiteSet};
use std::collections::HashMap;
use std::fmt::Write as _;

/// The version of what is written, which is part of it.
const VERSION: i64 = 1;

/// Everything that decides how the game is played, as one text.
#[must_use]
pub fn canonical(rules: &Rules) -> String {
    let mut writer = Writer { rules, out: String::new(), things: Vec::new(), numbers: HashMap::new() };
    writer.rules();
    writer.out
}

/// What is spoken of by number and described at the end.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Thing {
    Word(WordId),
    Memory(MemoryId),
    Move(MoveId),
    Node(NodeIndex),
}

pub(super) struct Writer<'r> {
    rules: &'r Rules,
    out: String,
    /// In the order of their numbers.
    things: Vec<Thing>,
    numbers: HashMap<Thing, usize>,
}

impl<'r> Writer<'r> {
    // ---- the alphabet ----

    /// `(name ...)`
    fn form(&mut self, name: &'static str, inside: impl FnOnce(&mut Self)) {
        self.out.push('(');
        self.out.push_str(name);
        inside(self);
        self.out.push(')');
    }

    /// A name out of a fixed list.
    fn word(&mut self, word: &'static str) {
        self.out.push(' ');
        self.out.push_str(word);
    }

    /// Any text: its length comes first, so that nothing in it is read as structure.
    fn text(&mut self, text: &str) {
        let _ = write!(self.out, " {}:{text}", text.len());
    }

    fn number(&mut self, number: i64) {
        let _ = write!(self.out, " {number}");
    }

    fn flag(&mut self, flag: bool) {
        self.word(if flag { "yes" } else { "no" });
    }

    fn refer(&mut self, thing: Thing) {
        let next = self.things.len();
        let number = *self.numbers.entry(thing).or_insert(next);
        if number == next {
            self.things.push(thing);
        }
        let _ = write!(self.out, " #{number}");
    }

    /// What may be there, or `-`.
    fn maybe<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        match value {
            Some(value) => write(self, value),
            None => self.word("-"),
        }
    }

    // ---- the whole ----

    fn rules(&mut self) {
        let rules = self.rules;
        // What is missing here: looks, explanations, the name of the ruleset, and `repetition`, which follows from the rest.
        let Rules {
            about,
            ruleset: _,
            settings,
            choices: _,
            players,
            order,
            opening,
            kinds,
            board,
            words: _,
            stacks,
            memories,
            chronicles: _,
            phase,
            seats,
            left,
            start,
            moves: _,
            after_turn,
            graph: _,
            turns,
            endings,
            score,
            hidden,
            halves,
            ties,
            repetition: _,
            cost: _,
            cost_once: _,
            most_plies: _,
            dearest: _,
        } = rules;
        self.form("ludwright-rules", |w| w.number(VERSION));
        self.form("title", |w| w.text(&about.title));
        for (name, setting) in settings {
            self.form("option", |w| {
                w.text(name);
                match setting {
                    Setting::Number(number) => w.number(*number),
                    Setting::Choice(choice) => w.text(rules.choice(*choice)),
                }
            });
        }
        for Player { name, facing } in players {
            self.form("player", |w| {
                w.text(name);
                w.maybe(*facing, |w, facing| w.word(facing.name()));
            });
        }
        self.form("order", |w| order.iter().for_each(|player| w.number(player.0.into())));
        if *opening > 0 {
            self.form("opening", |w| w.number(i64::try_from(*opening).unwrap_or(i64::MAX)));
        }
        for Kind { name, mark, neutral, figures: _ } in kinds {
            self.form("piece", |w| {
                w.text(name);
                w.text(mark);
                w.flag(*neutral);
            });
        }
        self.board(board);
        // Games without stacks are hashed as before there were any.
        if let Some(Stacking { most, span: _ }) = stacks {
            self.form("stacks", |w| w.number(i64::try_from(*most).unwrap_or(i64::MAX)));
        }
        self.form("state", |w| {
            for (id, memory) in memories.iter().enumerate() {
                if memory.declared {
                    w.refer(Thing::Memory(MemoryId(id)));
                }
            }
            w.maybe(*phase, |w, phase| w.refer(Thing::Memory(phase)));
            w.maybe(*seats, |w, seats| w.refer(Thing::Memory(seats)));
        });
        // Games that nobody leaves are hashed as before anybody could.
        if let Some(left) = left {
            self.form("left", |w| w.refer(Thing::Memory(*left)));
        }
        self.form("start", |w| w.changes(start));
        turns.iter().for_each(|turn| self.turn(turn));
        // Games in which nothing is done then are hashed as before it could be.
        if let Some(after) = after_turn {
            self.form("after-turn", |w| w.refer(Thing::Move(*after)));
        }
        endings.iter().for_each(|ending| self.ending(ending));
        self.form("score", |w| w.maybe(*score, |w, score| w.refer(Thing::Word(score))));
        // Whole scores are hashed as before there were others.
        if *halves {
            self.form("halves", |_| ());
        }
        // Games that hide nothing are hashed as before anything could be hidden.
        for Hidden { what, word, span: _ } in hidden {
            self.form("hidden", |w| {
                match what {
                    Hides::Pieces => w.word("pieces"),
                    Hides::Kinds => w.word("kinds"),
                    Hides::Memory(memory) => w.refer(Thing::Memory(*memory)),
                    Hides::Move(mv, parts) => {
                        w.refer(Thing::Move(*mv));
                        parts.iter().for_each(|part| w.local(*part));
                    }
                }
                w.refer(Thing::Word(*word));
            });
        }
        for (players, guard) in ties {
            self.form("ties", |w| {
                w.expr(players);
                w.maybe(guard.as_ref(), Self::expr);
            });
        }
        // The list grows while it is gone through.
        let mut at = 0;
        while let Some(thing) = self.things.get(at).copied() {
            self.thing(thing);
            at += 1;
        }
    }

    fn thing(&mut self, thing: Thing) {
        let rules = self.rules;
        match thing {
            Thing::Word(id) => self.form("word", |w| {
                // A word that is not there is said by its number alone; so below.
                let Some(Word { name: _, params, result, body, region: _, span: _ }) = rules.words.get(id.0) else {
                    return;
                };
                params.iter().for_each(|param| w.ty(*param));
                w.ty(*result);
                w.expr(body);
            }),
            Thing::Memory(id) => self.memory(id),
            Thing::Move(id) => self.mv(id),
            Thing::Node(index) => self.node(index),
        }
    }

    fn board(&mut self, board: &Board) {
        self.form("board", |w| {
            w.word(match board.grid() {
                Grid::Hex => "hexes",
                Grid::Square => "squares",
                Grid::Points => "points",
            });
            let directions = board.directions();
            for site in board.all().iter() {
                w.form("site", |w| {
                    w.text(board.name(site));
                    w.sites(board.neighbours(site));
                    for direction in board.compass().iter() {
                        w.maybe(board.step(site, direction), Self::site);
                    }
                });
            }
            for (name, site) in board.other_names() {
                w.form("also", |w| {
                    w.text(name);
                    w.site(site);
                });
            }
            w.form("compass", |w| w.directions(board.compass()));
            w.form("directions", |w| w.directions(directions));
            w.form("cells", |w| w.sites(board.cells()));
            w.form("edges", |w| w.sites(board.edges()));
            w.form("vertices", |w| w.sites(board.vertices()));
            w.form("edge", |w| w.sites(board.edge()));
            w.form("corners", |w| w.sites(board.corners()));
            w.form("centre", |w| w.sites(board.centre()));
            w.form("dark", |w| w.sites(board.dark()));
            for side in board.sides().iter() {
                w.form("side", |w| {
                    w.word(side.name());
                    w.sites(board.side(side));
                });
            }
            let lines = |w: &mut Self, name: &'static str, line: &dyn Fn(i32) -> SiteSet| {
                // No board has more rows or columns than sites.
                for number in (1..=board.len() as i32).take_while(|number| !line(*number).is_empty()) {
                    w.form(name, |w| w.sites(line(number)));
                }
            };
            lines(w, "row", &|number| board.row(number));
            lines(w, "column", &|number| board.column(number));
            for path in board.paths() {
                w.form("path", |w| {
                    w.text(&path.name);
                    w.directions(Directions::single(path.way));
                    for site in board.all().iter() {
                        w.maybe(board.step(site, path.way), Self::site);
                    }
                });
            }
            for line in board.lines() {
                w.form("line", |w| line.iter().for_each(|site| w.site(*site)));
            }
        });
    }

    fn memory(&mut self, id: MemoryId) {
        let rules = self.rules;
        self.form("memory", |w| {
            let Some(memory) = rules.memories.get(id.0) else { return };
            let Memory { name, ty, scope, range, first, each_turn, with_piece, declared, span: _ } = memory;
            w.maybe(declared.then_some(name), |w, name| w.text(name));
            w.ty(*ty);
            w.word(match scope {
                Scope::Game => "of-game",
                Scope::Player => "of-player",
                Scope::Site if *with_piece => "of-piece",
                Scope::Site => "of-site",
                Scope::Kind => "of-kind",
                Scope::PlayerKind => "of-player-and-kind",
            });
            w.maybe(*range, |w, (low, high)| {
                w.number(low);
                w.number(high);
            });
            w.expr(first);
            // What is taken over from the turn before is told by its chronicle.
            w.flag(*each_turn && rules.carried_from(id).is_none());
            for chronicle in &rules.chronicles {
                w.chronicle(id, chronicle);
            }
        });
    }

    /// What keeps a memory up to date.
    fn chronicle(&mut self, id: MemoryId, chronicle: &Chronicle) {
        match chronicle {
            Chronicle::Happened { event, memory } if *memory == id => self.form("happened", |w| w.event(event)),
            Chronicle::Part { of, part, memory } if *memory == id => self.form("part", |w| {
                w.refer(Thing::Move(*of));
                w.local(*part);
            }),
            Chronicle::LastTo { event, memory } if *memory == id => self.form("last-to", |w| w.event(event)),
            Chronicle::Without { event, seen, count } if *count == id => self.form("turns-without", |w| {
                w.event(event);
                w.refer(Thing::Memory(*seen));
            }),
            Chronicle::Carry { from, to } if *to == id => self.form("last-turn", |w| w.refer(Thing::Memory(*from))),
            Chronicle::It { memory } if *memory == id => self.form("it", |_| ()),
            Chronicle::Happened { .. }
            | Chronicle::Part { .. }
            | Chronicle::LastTo { .. }
            | Chronicle::Without { .. }
            | Chronicle::Carry { .. }
            | Chronicle::It { .. } => {}
        }
    }

    fn event(&mut self, Event { alternatives }: &Event) {
        for (mv, condition) in alternatives {
            self.form("ply", |w| {
                w.refer(Thing::Move(*mv));
                w.maybe(condition.as_ref(), Self::expr);
            });
        }
    }

    fn mv(&mut self, id: MoveId) {
        let rules = self.rules;
        self.form("move", |w| {
            let Some(mv) = rules.moves.get(id.0) else { return };
            // The lines are the nodes from the entry on.
            let Move { name, doc: _, chance, names, entry, lines: _, notation, moved, span: _ } = mv;
            w.text(name);
            // Nothing is written of all other moves: games without chance are older than moves of chance.
            if *chance {
                w.word("by-chance");
            }
            for Named { name, local, ty, part, witness: _, pick: _, span: _ } in names {
                w.form(if *part { "part" } else { "definition" }, |w| {
                    w.text(name);
                    w.local(*local);
                    w.ty(*ty);
                });
            }
            for piece in notation {
                match piece {
                    NotationPiece::Text(text) => w.form("text", |w| w.text(text)),
                    NotationPiece::Optional { text, where_needed } => w.form("optional", |w| {
                        w.text(text);
                        w.flag(*where_needed);
                    }),
                    NotationPiece::Value { value, where_needed, dash, signs } => w.form("value", |w| {
                        w.expr(value);
                        w.flag(*where_needed);
                        w.flag(*dash);
                        // Notations without signs are hashed as before there were any.
                        if let Some(Signs { before, behind, mark: _ }) = signs {
                            w.text(before);
                            w.text(behind);
                        }
                    }),
                }
            }
            w.maybe(*moved, Self::local);
            w.refer(Thing::Node(*entry));
        });
    }

    fn node(&mut self, index: NodeIndex) {
        let rules = self.rules;
        self.form("node", |w| {
            let Some(Node { kind, span: _ }) = rules.graph.node_weight(index) else { return };
            w.node_kind(kind);
            for (edge, target) in rules.ways(index) {
                w.form("way", |w| {
                    match edge {
                        Edge::Next => w.word("next"),
                        Edge::Choice(number) => w.number(number.into()),
                        Edge::Until => w.word("until"),
                        Edge::Plays => w.word("plays"),
                    }
                    w.refer(Thing::Node(target));
                });
            }
        });
    }

    fn node_kind(&mut self, kind: &NodeKind) {
        match kind {
            NodeKind::Turn => self.form("turn", |_| ()),
            NodeKind::Fork => self.form("fork", |_| ()),
            NodeKind::Prefer => self.form("prefer", |_| ()),
            NodeKind::Guard { condition, holds } => self.form("guard", |w| {
                w.expr(condition);
                w.flag(*holds);
            }),
            NodeKind::Call(Call { mv, by_it, with, until }) => self.form("call", |w| {
                w.refer(Thing::Move(*mv));
                w.flag(*by_it);
                w.form("with", |w| with.write(w));
                w.maybe(until.as_ref(), Self::expr);
            }),
            NodeKind::End => self.form("end", |_| ()),
            NodeKind::Move(mv) => self.form("body", |w| w.refer(Thing::Move(*mv))),
            NodeKind::Choose { local, domain, guard, conditions } => self.form("choose", |w| {
                w.local(*local);
                w.expr(domain);
                w.maybe(guard.as_ref(), Self::expr);
                conditions.write(w);
            }),
            NodeKind::Let { local, value, guard } => self.form("define", |w| {
                w.local(*local);
                w.expr(value);
                w.maybe(guard.as_ref(), Self::expr);
            }),
            NodeKind::Require { condition, reason } => self.form("require", |w| {
                w.expr(condition);
                w.maybe(reason.as_deref(), Self::text);
            }),
            NodeKind::Weigh(weight) => self.form("weigh", |w| w.expr(weight)),
            NodeKind::Change(changes) => self.form("change", |w| w.changes(changes)),
            NodeKind::Repeat { times, condition, changes } => self.form("repeat", |w| {
                w.expr(times);
                w.maybe(condition.as_ref(), Self::expr);
                w.changes(changes);
            }),
            NodeKind::Done => self.form("done", |_| ()),
        }
    }

    fn changes(&mut self, changes: &[Change]) {
        for Change { each, kind, guard, carried: _, span: _ } in changes {
            self.form("line", |w| {
                w.maybe(each.as_ref(), |w, (local, domain)| {
                    w.local(*local);
                    w.expr(domain);
                });
                let (name, fields) = kind.written();
                w.form(name.unwrap_or_default(), |w| fields.iter().for_each(|field| field.write(w)));
                w.maybe(guard.as_ref(), Self::expr);
            });
        }
    }

    fn turn(&mut self, Turn { of, entry, whole, duties, span: _ }: &Turn) {
        let rules = self.rules;
        self.form("turn", |w| {
            match of {
                TurnOf::Any => w.word("any"),
                TurnOf::Numbers(first, last) => {
                    w.number(*first);
                    // A single number is older than the range.
                    if last != first {
                        w.number(*last);
                    }
                }
                TurnOf::Phase(phase) => w.text(rules.choice(*phase)),
            }
            w.flag(*whole);
            for Duty { kind, guard, reason, span: _ } in duties {
                w.form("duty", |w| {
                    match kind {
                        DutyKind::Must(event) => w.form("must", |w| w.event(event)),
                        DutyKind::MustMost(number) => w.form("must-most", |w| w.expr(number)),
                        DutyKind::ExtraTurn => w.form("extra-turn", |_| ()),
                        DutyKind::NextTurn(player) => w.form("next-turn", |w| w.expr(player)),
                    }
                    w.maybe(guard.as_ref(), Self::expr);
                    w.maybe(reason.as_deref(), Self::text);
                });
            }
            w.refer(Thing::Node(*entry));
        });
    }

    fn ending(&mut self, Ending { result, at_once, condition, reason, span: _ }: &Ending) {
        self.form("end", |w| {
            match result {
                EndingResult::Draw => w.form("draw", |_| ()),
                EndingResult::BestScore => w.form("best-score", |_| ()),
                EndingResult::LowestScore => w.form("lowest-score", |_| ()),
                EndingResult::Ranks(number) => w.form("ranks", |w| w.expr(number)),
                EndingResult::AnyPlayer { local, wins } => w.form("any-player", |w| {
                    w.local(*local);
                    w.flag(*wins);
                }),
                EndingResult::Player { player, wins } => w.form("player", |w| {
                    w.expr(player);
                    w.flag(*wins);
                }),
            }
            w.flag(*at_once);
            w.maybe(condition.as_ref(), Self::expr);
            w.text(reason);
        });
    }

    // ---- expressions and values ----

    fn expr(&mut self, Expr { kind, span: _ }: &Expr) {
        let (name, fields) = kind.written();
        let all = |w: &mut Self| fields.iter().for_each(|field| field.write(w));
        match name {
            Some(name) => self.form(name, all),
            None => all(self),
        }
    }

    fn local(&mut self, local: Local) {
        let _ = write!(self.out, " @{}", local.0);
    }

    fn value(&mut self, value: &Value) {
        let rules = self.rules;
        match value {
            Value::Condition(condition) => self.form("is-condition", |w| w.maybe(*condition, Self::flag)),
            Value::Number(number) => self.form("is-number", |w| w.maybe(*number, Self::number)),
            Value::Range(range) => self.form("is-range", |w| {
                w.maybe(*range, |w, (low, high)| {
                    w.number(low);
                    w.number(high);
                });
            }),
            Value::Sites(sites) => self.form("is-sites", |w| w.sites(sites.get())),
            Value::Directions(directions) => self.form("is-directions", |w| w.directions(*directions)),
            Value::Players(players) => {
                self.form("is-players", |w| players.iter().for_each(|player| w.number(player.0.into())));
            }
            Value::Kinds(kinds) => self.form("is-kinds", |w| kinds.iter().for_each(|kind| w.number(kind.0.into()))),
            Value::Piece(content) => self.form("is-piece", |w| {
                w.maybe(*content, |w, content| {
                    w.maybe(content.kind(), |w, kind| w.number(kind.0.into()));
                    w.maybe(content.owner(), |w, owner| w.number(owner.0.into()));
                });
            }),
            Value::Choice(choice) => self.form("is-name", |w| w.text(rules.choice(*choice))),
            Value::List(numbers) => {
                self.form("is-list", |w| numbers.iter().for_each(|number| w.maybe(*number, Self::number)));
            }
        }
    }

    fn ty(&mut self, ty: Type) {
        self.word(match ty {
            Type::Condition => "condition",
            Type::Number => "number",
            Type::Range => "range",
            Type::Sites => "sites",
            Type::Directions => "directions",
            Type::Players => "players",
            Type::Kinds => "kinds",
            Type::Piece => "piece",
            Type::Choice => "name",
            Type::List => "list",
            Type::Unknown => "unknown",
        });
    }

    fn site(&mut self, site: Site) {
        self.number(site.0.into());
    }

    fn sites(&mut self, sites: SiteSet) {
        self.form("", |w| sites.iter().for_each(|site| w.site(site)));
    }

    fn directions(&mut self, directions: Directions) {
        self.form("", |w| directions.iter().for_each(|direction| w.word(direction.name())));
    }
}

/// A field of a form of expression, as it is written.
pub(super) trait Written {
    fn write(&self, w: &mut Writer<'_>);
}

impl<T: Written> Written for Box<T> {
    fn write(&self, w: &mut Writer<'_>) {
        (**self).write(w);
    }
}

impl<T: Written> Written for Vec<T> {
    fn write(&self, w: &mut Writer<'_>) {
        self.iter().for_each(|one| one.write(w));
    }
}

impl<T: Written> Written for Option<T> {
    fn write(&self, w: &mut Writer<'_>) {
        w.maybe(self.as_ref(), |w, one| one.write(w));
    }
}

impl Written for (CompareOp, Expr) {
    fn write(&self, w: &mut Writer<'_>) {
        let (op, expr) = self;
        w.word(match op {
            CompareOp::Equal => "=",
            CompareOp::NotEqual => "!=",
            CompareOp::Less => "<",
            CompareOp::LessEqual => "<=",
            CompareOp::Greater => ">",
            CompareOp::GreaterEqual => ">=",
        });
        w.expr(expr);
    }
}

impl Written for ArithmeticOp {
    fn write(&self, w: &mut Writer<'_>) {
        w.word(match self {
            Self::Add => "+",
            Self::Subtract => "minus",
            Self::Multiply => "*",
            Self::Divide => "div",
            Self::Modulo => "mod",
        });
    }
}

impl Written for Reduce {
    fn write(&self, w: &mut Writer<'_>) {
        w.word(match self {
            Self::Sum => "sum",
            Self::Least => "least",
            Self::Most => "most",
        });
    }
}

impl Written for Place {
    fn write(&self, w: &mut Writer<'_>) {
        w.word(match self {
            Self::Instead => "instead",
            Self::On => "on",
            Self::Under => "under",
        });
    }
}

impl Written for Slice {
    fn write(&self, w: &mut Writer<'_>) {
        w.word(match self.end {
            End::Top => "top",
            End::Bottom => "bottom",
        });
        w.maybe(self.count.as_ref(), Writer::expr);
    }
}

/// Fields that are written by what the writer has.
macro_rules! written {
    ($($ty:ty: |$it:ident, $w:ident| $write:expr;)*) => {$(
        impl Written for $ty {
            fn write(&self, $w: &mut Writer<'_>) {
                let $it = self;
                $write;
            }
        }
    )*};
}

written! {
    Expr: |expr, w| w.expr(expr);
    Value: |value, w| w.value(value);
    Type: |ty, w| w.ty(*ty);
    Local: |local, w| w.local(*local);
    bool: |flag, w| w.flag(*flag);
    i64: |number, w| w.number(*number);
    WordId: |word, w| w.refer(Thing::Word(*word));
    MemoryId: |memory, w| w.refer(Thing::Memory(*memory));
    NodeIndex: |node, w| w.refer(Thing::Node(*node));
    // The names of the language are chosen for ever too.
    &'static Primitive: |word, w| w.word(word.name);
}
