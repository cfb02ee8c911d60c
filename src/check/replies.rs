//! What could be answered to a move: `so that possible`, and the moves that are asked about apart from such questions of
//! their own.

use super::Checker;
use super::turns::Around;
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::*;
use crate::syntax::ast::{self, ExprKind as Ast, MoveLineKind};
use petgraph::graph::NodeIndex;
use std::collections::BTreeSet;
use std::rc::Rc;

/// What could be answered to a move.
pub(super) struct Reply {
    pattern: ast::Pattern,
    /// Where it begins.
    entry: NodeIndex,
    /// The move that asks for it.
    of: MoveId,
    /// The options leave the question there.
    live: bool,
    /// What the moves of the pattern ask of answers themselves is left out.
    apart: bool,
}

impl Checker<'_> {
    /// Notes a question of a move: it is built when all moves are there.
    pub(super) fn reply(&mut self, pattern: &ast::Pattern, of: MoveId, apart: bool) -> NodeIndex {
        let entry = self.node(NodeKind::Turn, pattern.span);
        self.replies.push(Reply { pattern: pattern.clone(), entry, of, live: self.live, apart });
        entry
    }

    /// No answer may ask for answers itself: that would have no end.
    pub(super) fn check_replies(&mut self) {
        let replies = std::mem::take(&mut self.replies);
        let asking: BTreeSet<MoveId> = replies.iter().filter(|reply| reply.live).map(|reply| reply.of).collect();
        if replies.iter().any(|reply| reply.apart && reply.live) {
            asking.iter().for_each(|mv| self.without_questions(*mv));
        }
        for Reply { pattern, entry, live, apart, .. } in &replies {
            let end = self.node(NodeKind::End, pattern.span);
            // What the options switch off has to be right too, but asks nothing.
            let around = Around { apart: *apart, ..Around::default() };
            let start = self.dead(!live, |checker| checker.build(pattern, end, &around));
            let (Some(start), true) = (start, *live) else { continue };
            self.rules.graph.add_edge(*entry, start, Edge::Next);
            let mut nodes = petgraph::visit::Dfs::new(&self.rules.graph, start);
            while let Some(node) = nodes.next(&self.rules.graph) {
                let NodeKind::Call(call) = &self.rules.graph[node].kind else { continue };
                let Some(asked) = asking.get(&call.mv).and_then(|mv| self.rules.moves.get(mv.0)) else { continue };
                let message = format!("`{}` asks itself what could be answered to it", asked.name);
                let text = self.project.sources.slice(pattern.span);
                self.report(
                    Diagnostic::new(Code::Cycle, pattern.span, message)
                        .label("so this would be asked without end")
                        .help(format!(
                            "write `apart from this` behind it, which leaves out what these moves ask of answers: `so that possible ({text}) apart from this`"
                        )),
                );
                break;
            }
        }
    }

    /// Adds a move that is like another one and asks nothing of answers. No turn plays it: questions look at it.
    fn without_questions(&mut self, mv: MoveId) {
        let Some(item) = self.move_items.get(mv.0) else { return };
        let mut item = ast::MoveItem::clone(item);
        item.lines.retain_mut(|line| {
            if let MoveLineKind::SoThat { condition, .. } = &mut line.kind {
                leave_out_questions(condition)
            } else {
                true
            }
        });
        let id = self.move_items.len();
        self.move_items.push(Rc::new(item));
        self.made_in_moves.push(self.made_in_moves.get(mv.0).cloned().unwrap_or_default());
        self.unasked.insert(mv, MoveId(id));
        self.check_move(id);
    }

    /// What is remembered of a move is also that of the one without its questions, where answers have several plies.
    pub(super) fn remember_unasked(&mut self) {
        let twin = |mv: &MoveId| self.unasked.get(mv).copied();
        for at in 0..self.rules.chronicles.len() {
            match &mut self.rules.chronicles[at] {
                Chronicle::Happened { event, .. }
                | Chronicle::LastTo { event, .. }
                | Chronicle::Without { event, .. } => {
                    let twins = |(mv, condition): &(MoveId, Option<Expr>)| Some((twin(mv)?, condition.clone()));
                    let further: Vec<_> = event.alternatives.iter().filter_map(twins).collect();
                    event.alternatives.extend(further);
                }
                Chronicle::Part { of, part, memory } => {
                    let (part, memory) = (*part, *memory);
                    if let Some(of) = twin(of) {
                        self.rules.chronicles.push(Chronicle::Part { of, part, memory });
                    }
                }
                Chronicle::Carry { .. } | Chronicle::It { .. } => {}
            }
        }
    }
}

/// Takes out of a condition what asks what is possible; whether anything is left of it.
fn leave_out_questions(condition: &mut ast::Expr) -> bool {
    if let Ast::And(parts) = &mut condition.kind {
        parts.retain_mut(leave_out_questions);
        return !parts.is_empty();
    }
    !asks(condition)
}

fn asks(expr: &ast::Expr) -> bool {
    let mut found = matches!(expr.kind, Ast::Possible { .. });
    expr.kind.visit(&mut |part| found |= asks(part));
    found
}
