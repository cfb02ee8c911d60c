//! The checked rules as text, and the rule graph as a picture description.

use super::{Change, Duty, Edge, NodeKind, Rules};
use petgraph::visit::EdgeRef;
use std::fmt::{self, Write as _};

/// A listing of everything that decides how the game is played; places in the text are left out.
#[must_use]
pub fn dump(rules: &Rules) -> String {
    let mut out = String::new();
    let mut line = |text: String| {
        out.push_str(&text);
        out.push('\n');
    };
    line(format!("game {}", rules.about.title));
    for (name, setting) in &rules.settings {
        line(format!("option {name} = {}", rules.setting_text(*setting)));
    }
    for player in &rules.players {
        line(format!("player {} {:?}", player.name, player.facing.map(crate::board::Direction::name)));
    }
    let seats = |order: &[super::PlayerId]| format!("{:?}", order.iter().map(|player| player.0).collect::<Vec<_>>());
    match rules.order.split_at_checked(rules.opening) {
        Some((opening, round)) if !opening.is_empty() => {
            line(format!("order {} then {}", seats(opening), seats(round)))
        }
        _ => line(format!("order {}", seats(&rules.order))),
    }
    for kind in &rules.kinds {
        line(format!("piece {}{}", kind.name, if kind.neutral { " neutral" } else { "" }));
    }
    let board = &rules.board;
    for site in board.all().iter() {
        let around: Vec<&str> = board.neighbours(site).iter().map(|other| board.name(other)).collect();
        line(format!("site {} -> {}", board.name(site), around.join(" ")));
    }
    for path in board.paths() {
        let steps: Vec<String> =
            path.steps().map(|(from, to)| format!("{}-{}", board.name(from), board.name(to))).collect();
        line(format!("path {} {} {}", path.name, path.way.name(), steps.join(" ")));
    }
    for (index, memory) in rules.memories.iter().enumerate() {
        line(format!(
            "memory {index} {} {:?} {:?} {:?} each turn {} first {:?}",
            memory.name, memory.ty, memory.scope, memory.range, memory.each_turn, memory.first.kind
        ));
    }
    for chronicle in &rules.chronicles {
        line(format!("chronicle {chronicle:?}"));
    }
    for (index, word) in rules.words.iter().enumerate() {
        line(format!("word {index} {} {:?} -> {:?} = {:?}", word.name, word.params, word.result, word.body.kind));
    }
    for change in &rules.start {
        line(format!("start {change:?}"));
    }
    for (index, mv) in rules.moves.iter().enumerate() {
        let names: Vec<String> = mv.names.iter().map(|named| format!("{}:{:?}", named.name, named.ty)).collect();
        line(format!(
            "{}move {index} {} n{} ({}) notation {:?}",
            if mv.chance { "chance " } else { "" },
            mv.name,
            mv.entry.index(),
            names.join(", "),
            mv.notation
        ));
    }
    for index in rules.graph.node_indices() {
        let ways: Vec<String> =
            rules.graph.edges(index).map(|edge| format!("{:?} n{}", edge.weight(), edge.target().index())).collect();
        line(format!("n{} {:?} -> {}", index.index(), rules.graph[index].kind, ways.join(", ")));
    }
    for turn in &rules.turns {
        line(format!("turn {:?} n{} whole {} duties {:?}", turn.of, turn.entry.index(), turn.whole, turn.duties));
    }
    for ending in &rules.endings {
        line(format!(
            "end {:?} at once {} when {:?} {:?}",
            ending.result, ending.at_once, ending.condition, ending.reason
        ));
    }
    if let Some(after) = rules.after_turn {
        line(format!("after each turn move {}", after.0));
    }
    line(format!("score {:?} ties {:?}", rules.score, rules.ties));
    out
}

/// Places are left out, as in [`super::Expr`].
impl fmt::Debug for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { each, kind, guard, carried: _, span: _ } = self;
        f.debug_struct("Change").field("each", each).field("kind", kind).field("guard", guard).finish()
    }
}

impl fmt::Debug for Duty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, guard, reason, span: _ } = self;
        f.debug_struct("Duty").field("kind", kind).field("guard", guard).field("reason", reason).finish()
    }
}

/// What a node is called in a picture.
fn label(rules: &Rules, kind: &NodeKind) -> String {
    match kind {
        NodeKind::Turn => "turn".to_owned(),
        NodeKind::Fork => "or".to_owned(),
        NodeKind::Prefer => "else".to_owned(),
        NodeKind::Guard { holds, .. } => if *holds { "when" } else { "when not" }.to_owned(),
        NodeKind::Call(call) => {
            let name = rules.moves.get(call.mv.0).map_or("?", |mv| mv.name.as_str());
            let chance = rules.moves.get(call.mv.0).is_some_and(|mv| mv.chance);
            let who = if chance { "chance: " } else { "ply " };
            format!("{who}{name}{}", if call.by_it { " by it" } else { "" })
        }
        NodeKind::End => "end of turn".to_owned(),
        NodeKind::Move(id) => format!("move {}", rules.moves.get(id.0).map_or("?", |mv| mv.name.as_str())),
        NodeKind::Choose { local: slot, guard, .. } => {
            format!("choose {}{}", slot.0, if guard.is_some() { " when" } else { "" })
        }
        NodeKind::Let { local: slot, .. } => format!("define {}", slot.0),
        NodeKind::Require { .. } => "require".to_owned(),
        NodeKind::Weigh(_) => "weigh".to_owned(),
        NodeKind::Change(changes) => format!("{} change{}", changes.len(), if changes.len() == 1 { "" } else { "s" }),
        NodeKind::Repeat { .. } => "repeat".to_owned(),
        NodeKind::Done => "done".to_owned(),
    }
}

fn edge_label(edge: Edge) -> String {
    match edge {
        Edge::Next => String::new(),
        Edge::Choice(index) => format!("{}", index + 1),
        Edge::Until => "until".to_owned(),
        Edge::Plays => "plays".to_owned(),
    }
}

/// The rule graph for Graphviz.
#[must_use]
pub fn to_dot(rules: &Rules) -> String {
    let mut out = String::from("digraph rules {\n  node [shape=box, fontname=\"sans-serif\"];\n");
    for index in rules.graph.node_indices() {
        let text = label(rules, &rules.graph[index].kind).replace('"', "'");
        let _ = writeln!(out, "  n{} [label=\"{text}\"];", index.index());
    }
    for edge in rules.graph.edge_references() {
        let style = if *edge.weight() == Edge::Plays { ", style=dashed" } else { "" };
        let text = edge_label(*edge.weight());
        let _ = writeln!(out, "  n{} -> n{} [label=\"{text}\"{style}];", edge.source().index(), edge.target().index());
    }
    out.push_str("}\n");
    out
}

/// The rule graph for Mermaid.
#[must_use]
pub fn to_mermaid(rules: &Rules) -> String {
    let mut out = String::from("flowchart TD\n");
    for index in rules.graph.node_indices() {
        let text = label(rules, &rules.graph[index].kind).replace('"', "'");
        let _ = writeln!(out, "  n{}[\"{text}\"]", index.index());
    }
    for edge in rules.graph.edge_references() {
        let arrow = if *edge.weight() == Edge::Plays { "-.->" } else { "-->" };
        let text = edge_label(*edge.weight());
        let text = if text.is_empty() { String::new() } else { format!("|{text}|") };
        let _ = writeln!(out, "  n{} {arrow}{text} n{}", edge.source().index(), edge.target().index());
    }
    out
}
