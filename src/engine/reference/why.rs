//! Why a move is refused, or a game over: the clause that decides, with its values.

mod search;

use super::eval::{Frame, View, set_local};
use super::plies::Ply;
use super::values::{Deciding, Values};
use super::{Reference, Situation, State};
use crate::board::Site;
use crate::rules::{
    Change, Duty, DutyKind, EndingResult, Expr, ExprKind, Local, MoveId, Node, NodeKind, PlayerId, Players, Value,
};
use petgraph::graph::NodeIndex;
use search::Search;

/// What a text says: a move, and the values of parts or of other expressions of its notation.
#[derive(Clone, Debug)]
pub struct Reading {
    pub mv: MoveId,
    /// No value (`Value::Condition(None)`) stands for what is written as a dash.
    pub said: Vec<(Expr, Value)>,
}

/// How far a move comes before it is refused; the later stage is the further one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Stage {
    Offer,
    Body,
    Ply,
    Turn,
}

/// The stage, the clauses passed, and what was passed within the last one.
type Reached = (Stage, usize, usize);

/// The clause that stops a move.
#[derive(Clone, Debug)]
pub enum Cause<'r> {
    /// The turn goes on with other moves here.
    NotOffered {
        place: Option<&'r Node>,
    },
    /// A part of the turn, or of the move, is there only if a condition holds, or does not.
    Closed {
        guard: &'r Node,
    },
    /// Something before `else` is possible: a ply, or else the end of the turn.
    Shut {
        prefer: &'r Node,
        by: Option<Box<Ply>>,
    },
    /// A part is not in the set it is picked from, or is in one that it must not be in; none if there is nothing to pick.
    Outside {
        choose: &'r Node,
        part: Local,
        member: Option<Value>,
        set: &'r Expr,
        inside: bool,
    },
    /// A condition does not hold; of what, if this is a part that the text leaves open.
    Fails {
        clause: &'r Node,
        condition: &'r Expr,
        of: Option<(Local, Value)>,
    },
    /// Chance never comes to this.
    Weightless {
        clause: &'r Node,
    },
    /// A definition comes to another value than the text says.
    Differs {
        define: &'r Node,
        local: Local,
        value: Value,
    },
    /// A stage wants to put a piece nowhere, or two on one site, or to remember what is out of range.
    Impossible {
        change: &'r Change,
        /// Another change of the stage that it does not go with, and a site for which they say different things.
        meets: Option<(&'r Change, Option<Site>)>,
    },
    /// The parts would be written otherwise.
    Written {
        clause: &'r Node,
    },
    /// Only the piece on this site may move on.
    OtherPiece {
        clause: &'r Node,
        it: Option<Site>,
    },
    Unfinished {
        clause: Option<&'r Node>,
    },
    /// A duty wants another ply.
    Barred {
        duty: &'r Duty,
        by: Option<Box<Ply>>,
    },
    /// Other plies lead to more.
    Fewer {
        duty: &'r Duty,
        number: &'r Expr,
        own: Option<i64>,
        most: i64,
    },
}

#[derive(Clone, Debug)]
pub struct Refusal<'r> {
    reached: Reached,
    pub mv: MoveId,
    pub cause: Cause<'r>,
    pub values: Values<'r>,
}

impl Refusal<'_> {
    /// Whether a move came further than another one.
    #[must_use]
    pub fn is_further_than(&self, other: &Self) -> bool {
        self.reached > other.reached
    }
}

impl Reference {
    /// The clauses that a move passes, or the one that stops it.
    pub fn why<'r>(&'r self, state: &State, reading: &Reading) -> Result<Vec<&'r Node>, Refusal<'r>> {
        let search = Search::through(self, state, reading);
        match (search.made, search.best) {
            (Some((ply, trail)), _) => self.obeys(state, &ply).map(|()| trail),
            (None, Some(refusal)) => Err(refusal),
            (None, None) => {
                let cause = Cause::NotOffered { place: self.place(state) };
                Err(Refusal { reached: (Stage::Offer, 0, 0), mv: reading.mv, cause, values: Vec::new() })
            }
        }
    }

    /// The clauses that a legal ply passes.
    #[must_use]
    pub fn passed<'r>(&'r self, state: &State, ply: &Ply) -> Vec<&'r Node> {
        let parts = self.rules().moves.get(ply.mv.0).into_iter().flat_map(crate::rules::Move::parts);
        let part = |(named, value): (&crate::rules::Named, Value)| {
            (Expr { kind: ExprKind::Local(named.local), span: named.span }, value)
        };
        let said = parts.zip(self.parts(ply)).map(part).collect();
        self.why(state, &Reading { mv: ply.mv, said }).unwrap_or_default()
    }

    /// What decided that a game is over.
    #[must_use]
    pub fn why_over<'r>(&'r self, situation: &Situation) -> Values<'r> {
        let state = &situation.state;
        let Some(outcome) = &situation.outcome else { return Vec::new() };
        let Some(ending) = outcome.ending.and_then(|ending| self.rules().endings.get(ending)) else {
            return Vec::new();
        };
        let Some(condition) = &ending.condition else { return Vec::new() };
        let following = self.following(state);
        let mut before = state.clone();
        before.mover = self.player_before(state);
        // A situation does not tell when it was judged: after a ply, a turn, in the middle of one, or when set up.
        let judged = [
            (View::of(self, state), true),
            (self.between(state, &following, self.legal(&following).plies.is_empty()), false),
            (View { unfinished: true, ..View::of(self, state) }, false),
            (self.between(&before, state, true), false),
        ];
        let Some((view, _)) = judged.iter().find(|(view, once)| self.outcome(view, *once).as_ref() == Some(outcome))
        else {
            return Vec::new();
        };
        let mut frame = Frame::new();
        if let EndingResult::AnyPlayer { local, .. } = &ending.result {
            let count = self.rules().players.len().max(1);
            (0..count).map(|step| PlayerId(((usize::from(view.mover.0) + step) % count) as u8)).find(|player| {
                set_local(&mut frame, local.0, Value::Players(Players::single(*player)));
                view.holds(condition, &mut frame)
            });
        }
        self.values_of(view, condition, &mut frame)
    }

    /// What makes a condition hold or fail that is read as in `end`.
    #[must_use]
    pub fn deciding<'r>(&'r self, state: &State, condition: &'r Expr) -> Values<'r> {
        self.values_of(&View::of(self, state), condition, &mut Frame::new())
    }

    fn values_of<'r>(&'r self, view: &View<'_>, condition: &'r Expr, frame: &mut Frame) -> Values<'r> {
        let mut values = Deciding::new(self.rules());
        values.condition(view, condition, frame);
        values.found()
    }

    fn node(&self, node: NodeIndex) -> Option<&Node> {
        self.rules().graph.node_weight(node)
    }

    /// The nodes from some on; plies are not passed unless that is wanted.
    fn below(&self, from: &[NodeIndex], through_plies: bool) -> Vec<NodeIndex> {
        let mut found: Vec<NodeIndex> = Vec::new();
        let mut waiting = from.to_vec();
        while let Some(node) = waiting.pop() {
            if found.contains(&node) {
                continue;
            }
            found.push(node);
            if through_plies || !matches!(self.node(node), Some(Node { kind: NodeKind::Call(_), .. })) {
                waiting.extend(self.ways(node).iter().rev().map(|(_, next)| *next));
            }
        }
        found
    }

    /// The pattern at which a turn has come.
    fn place(&self, state: &State) -> Option<&Node> {
        let place = *state.places.first()?;
        match self.node(place)?.kind {
            NodeKind::Turn => self.node(self.ways(place).first()?.1),
            _ => self.node(place),
        }
    }

    /// Whether the duties of the turn let a ply pass that is else offered.
    fn obeys(&self, state: &State, ply: &Ply) -> Result<(), Refusal<'_>> {
        let mut legal = self.offered(state);
        let parts = self.parts(ply);
        let same = |other: &Ply| other.mv == ply.mv && self.parts(other) == parts;
        let duties = self.rules().turns.get(state.section).map(|turn| turn.duties.as_slice()).unwrap_or_default();
        for (index, duty) in duties.iter().enumerate() {
            self.oblige(state, duty, &mut legal);
            if legal.plies.iter().any(same) {
                continue;
            }
            let view = View::of(self, state);
            let mut values = Deciding::new(self.rules());
            if let Some(guard) = &duty.guard {
                values.condition(&view, guard, &mut Frame::new());
            }
            let by = legal.plies.into_iter().next().map(Box::new);
            let cause = match &duty.kind {
                DutyKind::MustMost(number) => {
                    let most = by.as_ref().and_then(|by| self.most(state, by, number, 1)).unwrap_or(0);
                    Cause::Fewer { duty, number, own: self.most(state, ply, number, 1), most }
                }
                DutyKind::Must(event) => {
                    let mine = event.alternatives.iter().find(|(mv, _)| *mv == ply.mv);
                    if let Some((_, Some(condition))) = mine {
                        values.condition(&view, condition, &mut ply.frame.clone());
                    }
                    Cause::Barred { duty, by }
                }
                DutyKind::ExtraTurn | DutyKind::NextTurn(_) => Cause::Barred { duty, by },
            };
            return Err(Refusal { reached: (Stage::Turn, 1, index), mv: ply.mv, cause, values: values.found() });
        }
        Ok(())
    }
}
