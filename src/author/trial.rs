//! What only shows in play: some random games, and the warnings that they give rise to.

use super::idle::idle;
use super::off_board::{LONG, off_board};
use crate::check::Project;
use crate::diagnostic::{Code, Diagnostic};
use crate::game::{Game, Position};
use crate::rules::{MoveId, NodeKind, Recorder, Rules};
use crate::source::Span;
use crate::study::playout::{choose, generator};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Plies played with the default options, and with each ruleset.
const PLIES: usize = 1500;
/// A game is cut here, so that a long one does not take all.
const GAME: usize = 300;
const SEED: u64 = 0;

/// What play has shown of the moves of a file, whatever the ruleset. Moves are known by their place.
#[derive(Default)]
struct Seen {
    /// Moves that turns call for, with their names.
    called: BTreeMap<Span, String>,
    /// Moves that only place pieces, by name.
    placing: BTreeSet<String>,
    legal: BTreeSet<Span>,
    /// Changes that are made only sometimes, with their conditions.
    guarded: BTreeMap<Span, Span>,
    /// Why no move is possible in the first position, if there is none in any variant.
    over_at_once: Option<String>,
    /// Two moves that were once printed alike, and how.
    alike: BTreeMap<(Span, Span), String>,
    positions: usize,
}

/// Plays a project that checks, always the same games, and tells what is odd.
#[must_use]
pub fn trial(project: &Project) -> Vec<Diagnostic> {
    let recorder = Arc::new(Recorder::default());
    let mut seen = Seen::default();
    let rulesets = project.rulesets().map(|ruleset| Some(ruleset.name.text.clone()));
    for ruleset in std::iter::once(None).chain(rulesets) {
        if let Ok(game) = Game::from_project(project, ruleset.as_deref(), &[]) {
            seen.play(&game.recording(&recorder, project.main));
        }
    }
    let mut found = Vec::new();
    if let Some(why) = seen.over_at_once.as_ref().filter(|_| seen.positions == 0) {
        let message = format!("the game is over before anybody has moved: {why}");
        return vec![
            Diagnostic::new(Code::NeverLegal, project.head(), message)
                .help("set up the pieces in `start`, or ask `ludwright why GAME` what ends it"),
        ];
    }
    for (change, guard) in &seen.guarded {
        let clauses = recorder.clauses();
        let within = |span: &Span| guard.start <= span.start && span.end <= guard.end;
        let asked = clauses.iter().any(|(span, clause)| within(span) && clause.condition && clause.failed);
        if asked && clauses.iter().any(|(span, clause)| span == change && !clause.held) {
            let message = format!(
                "this was never true in {} positions of random play, so that the change was never made",
                seen.positions
            );
            found.push(
                Diagnostic::new(Code::Idle, *guard, message)
                    .label("asked before any change of this stage is made")
                    .help("to ask what is so after the lines above, write `then` before this line; what is only rare may stay: allow idle \"rare\""),
            );
        }
    }
    for (span, name) in &seen.called {
        if !seen.legal.contains(span) {
            let message = format!("`{name}` was never legal in {} positions of random play", seen.positions);
            found.push(
                Diagnostic::new(Code::NeverLegal, *span, message)
                    .label("nobody could ever make this move")
                    .help("ask `ludwright why GAME --move ...` what forbids it, or take it out"),
            );
        }
    }
    for ((first, second), text) in &seen.alike {
        let found_alike = if first == second {
            Diagnostic::new(Code::SameNotation, *first, format!("two legal moves were both written `{text}`"))
                .label("they differ in what the notation does not show")
                .help("show the part in which they differ, with a `?` if only where it is needed: {part?}")
        } else {
            Diagnostic::new(Code::SameNotation, *second, format!("two legal moves were both written `{text}`"))
                .label("one of them is this move")
                .also(*first, "the other is this one")
                .help("tell them apart by a letter or a sign in one notation: \"x{cell}\"")
        };
        found.push(found_alike);
    }
    let placing = |span: Span| seen.placing.iter().any(|name| project.is_within(span, name));
    for (span, clause) in recorder.clauses() {
        if clause.condition && clause.held && !clause.failed && placing(span) {
            let message = format!("this refused nothing in {} positions of random play", seen.positions);
            found.push(
                Diagnostic::new(Code::AlwaysLegal, span, message)
                    .label("always true where it was asked")
                    .help("if it says more than was meant to be allowed, mend it; else take it out"),
            );
        }
    }
    found.extend(off_board(project, LONG));
    found.extend(idle(project));
    found.retain(|diagnostic| diagnostic.span.source == project.main);
    found
}

impl Seen {
    fn play(&mut self, game: &Game) {
        let rules = game.rules();
        for node in rules.graph.node_weights() {
            if let NodeKind::Change(changes) = &node.kind {
                let written = changes.iter().filter(|change| !change.carried);
                let guards = written.filter_map(|change| Some((change.span, change.guard.as_ref()?.span)));
                self.guarded.extend(guards);
            }
            if let NodeKind::Call(call) = &node.kind
                && let Some(mv) = rules.moves.get(call.mv.0)
            {
                self.called.insert(mv.span, mv.name.clone());
                if places(rules, call.mv) {
                    self.placing.insert(mv.name.clone());
                }
            }
        }
        let mut plies = 0;
        for number in 0.. {
            let mut random = generator(SEED, number);
            let mut position = game.start();
            let before = plies;
            if position.is_over() {
                self.over_at_once = position.outcome().map(|outcome| outcome.reason.clone());
            }
            while plies < PLIES && plies - before < GAME && !position.is_over() {
                self.look(rules, &position);
                let next = choose(&position, &mut random).and_then(|index| position.play_index(index));
                let Some(next) = next else { break };
                position = next;
                plies += 1;
            }
            if plies >= PLIES || plies == before {
                break;
            }
        }
    }

    fn look(&mut self, rules: &Rules, position: &Position) {
        self.positions += 1;
        let place = |index: usize| {
            let ply = position.situation().legal.get(index)?;
            rules.moves.get(ply.mv.0).map(|mv| mv.span)
        };
        let moves = position.moves();
        self.legal.extend((0..moves.len()).filter_map(place));
        for (index, text) in moves.iter().enumerate() {
            // The second of two that look alike is told apart by a number.
            if let Some(base) = text.strip_suffix("~2")
                && let Some(first) = moves.iter().position(|other| other == base)
                && let (Some(first), Some(second)) = (place(first), place(index))
            {
                self.alike.entry((first, second)).or_insert_with(|| base.to_owned());
            }
        }
    }
}

/// Whether a move puts pieces down and moves none.
fn places(rules: &Rules, mv: MoveId) -> bool {
    let mut waiting: Vec<_> = rules.moves.get(mv.0).map(|mv| mv.entry).into_iter().collect();
    let mut visited = BTreeSet::new();
    let mut puts = false;
    while let Some(node) = waiting.pop() {
        if !visited.insert(node) {
            continue;
        }
        if let Some(NodeKind::Change(changes)) = rules.graph.node_weight(node).map(|node| &node.kind) {
            for change in changes {
                if change.kind.source().is_some() {
                    return false;
                }
                puts |= change.kind.target().is_some();
            }
        }
        waiting.extend(rules.graph.neighbors(node));
    }
    puts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Alone;

    fn said(start: &str, capture: &str) -> Vec<String> {
        let text = format!(
            "game \"Catch\" 2026\nplayers Black, White\nboard square(4)\npiece stone of each player\n{start}\n\
             move put \"{{cell}}\" {{ cell : empty next_to piece; cell becomes stone of mover; {capture}\n\
             every x in enemy next_to cell: group(x) becomes empty when no empty next_to group(x) }}\n\
             turn {{ put }}\nend {{ draw when turn > 60; next loses when stuck \"no room\" }}"
        );
        trial(&Project::load("x.game", &text, &Alone)).into_iter().map(|found| found.message).collect()
    }

    #[test]
    fn a_change_whose_condition_is_never_true_is_told() {
        let start = "start { b2 becomes stone of Black }";
        let told = said(start, "");
        assert!(told.iter().any(|said| said.ends_with("so that the change was never made")), "{told:?}");
        assert_eq!(said(start, "then"), [] as [&str; 0]);
    }

    #[test]
    fn a_game_without_a_first_move_is_told_once() {
        assert_eq!(said("", "then"), ["the game is over before anybody has moved: no room"]);
    }
}
