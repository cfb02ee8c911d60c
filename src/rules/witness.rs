//! Parts that only witness that a ply is legal: they are not printed, and nothing reads them when it is played.
//!
//! Whichever of its values makes a ply legal, the ply prints the same and does the same, so that a witness is no part of it.

use super::{Chronicle, DutyKind, Event, Expr, ExprKind, Local, Move, MoveId, NodeKind, NotationPiece, Rules};

impl Rules {
    /// Marks the parts of all moves that are witnesses, once everything that may ask for parts is there.
    pub(crate) fn mark_witnesses(&mut self) {
        let found: Vec<Vec<Local>> = (0..self.moves.len()).map(|at| self.witnesses_of(MoveId(at))).collect();
        for (mv, found) in self.moves.iter_mut().zip(found) {
            for named in &mut mv.names {
                named.witness = named.part && found.contains(&named.local);
            }
        }
    }

    fn witnesses_of(&self, id: MoveId) -> Vec<Local> {
        let Some(mv) = self.moves.get(id.0).filter(|mv| !mv.chance) else { return Vec::new() };
        let told = self.told_of(id, mv);
        let parts = mv.names.iter().filter(|name| name.part && name.pick.is_none()).map(|name| name.local);
        parts.filter(|part| !told.contains(part)).collect()
    }

    /// The names of a move that are printed, read when it is played, or asked for elsewhere, with all of which they are made.
    fn told_of(&self, id: MoveId, mv: &Move) -> Vec<Local> {
        let mut told: Vec<Local> = mv.moved.into_iter().collect();
        for piece in &mv.notation {
            if let NotationPiece::Value { value, .. } = piece {
                names_in(value, &mut told);
            }
        }
        for chronicle in &self.chronicles {
            if let Chronicle::Part { of, part, .. } = chronicle
                && *of == id
            {
                told.push(*part);
            }
        }
        for expr in self.asked_of(id) {
            names_in(expr, &mut told);
        }
        for line in mv.lines.iter().rev().filter_map(|line| self.graph.node_weight(*line)) {
            match &line.kind {
                // What a definition is made of is read where the definition is, which is further on.
                NodeKind::Let { local, .. } if !told.contains(local) => {}
                NodeKind::Choose { local, guard: Some(guard), .. } => {
                    told.push(*local);
                    names_in(guard, &mut told);
                }
                NodeKind::Choose { .. } | NodeKind::Require { .. } => {}
                kind => kind.exprs().into_iter().for_each(|expr| names_in(expr, &mut told)),
            }
        }
        told
    }

    /// What is asked of the plies of a move outside its lines.
    pub(crate) fn asked_of(&self, id: MoveId) -> Vec<&Expr> {
        let mut asked: Vec<&Expr> = Vec::new();
        for node in self.graph.node_weights() {
            if let NodeKind::Call(call) = &node.kind
                && call.mv == id
            {
                asked.extend(call.with.iter().chain(&call.until));
            }
        }
        let mut events: Vec<&Event> = self.chronicles.iter().filter_map(Chronicle::event).collect();
        for duty in self.turns.iter().flat_map(|turn| &turn.duties) {
            if let DutyKind::Must(event) = &duty.kind {
                events.push(event);
            }
        }
        let of_move = events.into_iter().flat_map(|event| &event.alternatives).filter(|(mv, _)| *mv == id);
        asked.extend(of_move.filter_map(|(_, condition)| condition.as_ref()));
        asked
    }
}

fn names_in(expr: &Expr, names: &mut Vec<Local>) {
    if let ExprKind::Local(local) = expr.kind {
        names.push(local);
    }
    expr.children().into_iter().for_each(|part| names_in(part, names));
}
