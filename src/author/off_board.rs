//! Pieces that are moved to a place that is not there: such a move is illegal, and the text does not say so.

use crate::check::Project;
use crate::diagnostic::{Code, Diagnostic};
use crate::game::Game;
use crate::rules::catalogue::Id;
use crate::rules::{Change, ChangeKind, Expr, ExprKind, Local, NodeKind, Place, Recorder, Rules};
use crate::source::Span;
use crate::study::playout::{choose, generator};
use crate::syntax::ast::ItemKind;
use petgraph::graph::NodeIndex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How far the games go in which such a place is looked for.
#[derive(Clone, Copy)]
pub(super) struct Search {
    /// Plies with the default options, and again as many that the rulesets share.
    plies: usize,
    /// Plies of one game.
    game: usize,
    /// Steps of the engine that one ply may take.
    steps: u64,
}

/// With every check: only texts that move pieces so are played at all.
pub(super) const BRIEF: Search = Search { plies: 150, game: 50, steps: 300_000 };
/// Where somebody asks for play.
pub(super) const LONG: Search = Search { plies: 1500, game: 300, steps: 10_000_000 };

const SEED: u64 = 0;
/// Of more rulesets the first ones are played.
const MOST_RULESETS: usize = 8;

/// A change whose target is found by steps, with what the two ways out are made of.
struct Candidate {
    change: Span,
    /// The name and the set of `every x in S`.
    each: Option<Span>,
    guard: Option<Span>,
    from: Span,
    /// What the piece leaves is put there by another line of the stage.
    taken: bool,
    /// Only a part of the stack goes.
    part: bool,
}

/// Warnings of changes that made a move illegal in some position, since the place where the piece goes is not there.
pub(super) fn off_board(project: &Project, search: Search) -> Vec<Diagnostic> {
    let recorder = Arc::new(Recorder::default());
    let mut candidates: BTreeMap<Span, Candidate> = BTreeMap::new();
    let names: Vec<String> = project.rulesets().take(MOST_RULESETS).map(|ruleset| ruleset.name.text.clone()).collect();
    for ruleset in std::iter::once(None).chain(names.iter().map(|name| Some(name.as_str()))) {
        let Ok(game) = Game::from_project(project, ruleset, &[]) else { continue };
        let shared = match ruleset {
            Some(_) => Search { plies: search.plies / names.len().max(1), ..search },
            None => search,
        };
        let mut found = candidates_of(game.rules());
        found.retain(|target, _| target.source == project.main);
        if !found.is_empty() {
            found.keys().for_each(|target| recorder.expect(*target));
            candidates.append(&mut found);
            play(&game.with_steps(search.steps).recording(&recorder, project.main), shared);
        }
    }
    let failed = recorder.clauses().into_iter().filter(|(_, clause)| clause.failed);
    failed.filter_map(|(target, _)| Some(candidates.get(&target)?.told(project, target))).collect()
}

fn play(game: &Game, search: Search) {
    let mut plies = 0;
    for number in 0.. {
        let mut random = generator(SEED, number);
        let mut position = game.start();
        let before = plies;
        while plies < search.plies && plies - before < search.game && !position.is_over() {
            let next = choose(&position, &mut random).and_then(|index| position.play_index(index));
            let Some(next) = next else { break };
            position = next;
            plies += 1;
        }
        if plies >= search.plies || plies == before {
            break;
        }
    }
}

/// The changes of all moves whose targets are found by steps, by the place of the target.
fn candidates_of(rules: &Rules) -> BTreeMap<Span, Candidate> {
    let mut found = BTreeMap::new();
    for mv in &rules.moves {
        let mut visited = BTreeSet::new();
        let mut waiting: Vec<NodeIndex> = vec![mv.entry];
        let mut defined: BTreeMap<Local, &Expr> = BTreeMap::new();
        let mut stages: Vec<&[Change]> = Vec::new();
        while let Some(node) = waiting.pop() {
            if !visited.insert(node) {
                continue;
            }
            match rules.graph.node_weight(node).map(|node| &node.kind) {
                Some(NodeKind::Let { local, value, guard: None }) => {
                    defined.insert(*local, value);
                }
                Some(NodeKind::Change(changes)) => stages.push(changes),
                _ => {}
            }
            waiting.extend(rules.graph.neighbors(node));
        }
        for changes in stages {
            for change in changes {
                let (ChangeKind::MoveTo { from, to, .. } | ChangeKind::Carry { from, to, .. }) = &change.kind else {
                    continue;
                };
                if !is_step(rules, &defined, to) {
                    continue;
                }
                let taken = changes.iter().any(|other| other.kind.target() == Some(from));
                let part = match &change.kind {
                    ChangeKind::Carry { slice, place, .. } => slice.is_some() || *place != Place::Instead,
                    _ => false,
                };
                found.insert(
                    to.span,
                    Candidate {
                        change: change.span,
                        each: change.each.as_ref().map(|(_, domain)| domain.span),
                        guard: change.guard.as_ref().map(|guard| guard.span),
                        from: from.span,
                        taken,
                        part,
                    },
                );
            }
        }
    }
    found
}

/// Whether sites are found by going on from others, and by nothing else.
fn is_step(rules: &Rules, defined: &BTreeMap<Local, &Expr>, expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Primitive(word, _) => [Id::Ahead, Id::Beyond].contains(&word.id),
        ExprKind::Word(word, _) => {
            rules.words.get(word.0).is_some_and(|word| is_step(rules, &BTreeMap::new(), &word.body))
        }
        // A definition knows those before it alone.
        ExprKind::Local(local) => defined.get(local).is_some_and(|value| is_step(rules, &BTreeMap::new(), value)),
        ExprKind::The(inner) => is_step(rules, defined, inner),
        _ => false,
    }
}

impl Candidate {
    fn told(&self, project: &Project, target: Span) -> Diagnostic {
        let text = |span: Span| project.sources.slice(span);
        let to = project.sources.phrase(target);
        let found = Diagnostic::new(
            Code::OffBoard,
            target,
            format!("where there is no `{to}`, the whole move is illegal, and nothing says so"),
        )
        .label("in some position this lies off the board");
        let in_move = |item: &crate::syntax::ast::Item| {
            matches!(item.kind, ItemKind::Move(_))
                && item.span.source == self.change.source
                && item.span.start <= self.change.start
                && self.change.end <= item.span.end
        };
        let asked = match self.each.map(|domain| (self.member(project), text(domain))) {
            Some((Some(member), set)) => Some(format!("if no {member} in ({set}) with no {to}")),
            Some((None, _)) => None,
            None => Some(format!("if any {to}")),
        };
        // What a named change says, no move asks for; and behind a reason in quotes nothing more can be said.
        let plain = project.items().any(in_move) && !text(self.change).trim_end().ends_with('"');
        let Some(asked) = asked.filter(|_| plain) else {
            return found.help(
                "if that is meant, `allow off-board`; if the piece is to be gone, say that it moves only where the place is there, and is taken from the board elsewhere",
            );
        };
        let asked = match self.guard {
            Some(guard) => format!("{asked} when {}", text(guard)),
            None => asked,
        };
        let taking = self.taking(project, target);
        let found = found.help(format!(
            "if that is meant, ask for it: `{asked}`; if the piece is to be gone, take it from the board: `{}`",
            taking.clone().unwrap_or_else(|| format!("becomes empty when no {to}"))
        ));
        let begin = Span { end: self.change.start, ..self.change };
        let found = found.guess(format!("write `{asked}` before it"), begin, format!("{asked}\n  "));
        match taking {
            Some(lines) => found.guess("take the piece from the board there", self.change, lines.replace("; ", "\n  ")),
            None => found,
        }
    }

    /// The name of a member in `every x in S`.
    fn member<'p>(&self, project: &'p Project) -> Option<&'p str> {
        project.sources.slice(self.change).strip_prefix("every")?.split_whitespace().next()
    }

    /// The change made only where the place is there, and the piece taken where it is not.
    fn taking(&self, project: &Project, target: Span) -> Option<String> {
        if self.part {
            return None;
        }
        let text = |span: Span| project.sources.slice(span);
        let to = project.sources.phrase(target);
        let (change, condition) = match self.guard {
            // What stands before the `when`.
            Some(guard) => {
                let before = Span { end: guard.start, ..self.change };
                (text(before).trim_end().strip_suffix("when")?.trim_end(), format!("({}) and ", text(guard)))
            }
            None => (text(self.change).trim_end(), String::new()),
        };
        if change.contains(['\n', ';']) {
            return None;
        }
        let change = change.split_whitespace().collect::<Vec<_>>().join(" ");
        let goes = format!("{change} when {condition}any {to}");
        // Where another piece comes to the site that this one leaves, nothing is left to take.
        if self.taken {
            return Some(goes);
        }
        let every = match self.each {
            Some(domain) => format!("every {} in {}: ", self.member(project)?, text(domain)),
            None => String::new(),
        };
        Some(format!("{goes}; {every}{} becomes empty when {condition}no {to}", text(self.from)))
    }
}
