//! Pieces that are moved to a place that is not there: such a move is illegal, and the text does not say so.

use crate::check::Project;
use crate::diagnostic::{Code, Diagnostic};
use crate::game::Game;
use crate::rules::catalogue::Id;
use crate::rules::{Change, ChangeKind, Expr, ExprKind, Local, Move, MoveId, NodeKind, Place, Recorder, Rules};
use crate::source::Span;
use crate::study::playout::{choose, generator};
use crate::syntax::ast::ItemKind;
use std::collections::BTreeMap;
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
    /// Every move in which the change stands asks for the place, before or after it.
    asked: bool,
    around: Around,
}

/// Where a change stands, which says what follows if it cannot be made, and how the place is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Stage,
    Repeat,
    /// After each turn, where no move is barred.
    AfterTurn,
}

/// Warnings of changes that made a move illegal in some position, since the place where the piece goes is not there.
pub(super) fn off_board(project: &Project, search: Search) -> Vec<Diagnostic> {
    let mut refused: BTreeMap<Span, Candidate> = BTreeMap::new();
    let names: Vec<String> = project.rulesets().take(MOST_RULESETS).map(|ruleset| ruleset.name.text.clone()).collect();
    for ruleset in std::iter::once(None).chain(names.iter().map(|name| Some(name.as_str()))) {
        let Ok(game) = Game::from_project(project, ruleset, &[]) else { continue };
        let shared = match ruleset {
            Some(_) => Search { plies: search.plies / names.len().max(1), ..search },
            None => search,
        };
        let mut found = candidates_of(game.rules());
        found.retain(|target, candidate| target.source == project.main && !candidate.asked);
        if found.is_empty() {
            continue;
        }
        // One ruleset may ask for a place where another does not.
        let recorder = Arc::new(Recorder::default());
        found.keys().for_each(|target| recorder.expect(*target));
        play(&game.with_steps(search.steps).recording(&recorder, project.main), shared);
        for (target, _) in recorder.clauses().into_iter().filter(|(_, clause)| clause.failed) {
            if let Some(candidate) = found.remove(&target) {
                refused.entry(target).or_insert(candidate);
            }
        }
    }
    refused.into_iter().map(|(target, candidate)| candidate.told(project, target)).collect()
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
    let mut found: BTreeMap<Span, Candidate> = BTreeMap::new();
    let still = Still::of(rules);
    for (at, mv) in rules.moves.iter().enumerate() {
        let body = Body::of(rules, &still, MoveId(at), mv);
        for (changes, around) in &body.stages {
            for change in *changes {
                let (ChangeKind::MoveTo { from, to, .. } | ChangeKind::Carry { from, to, .. }) = &change.kind else {
                    continue;
                };
                if !is_step(rules, &body.defined, to) {
                    continue;
                }
                let taken = changes.iter().any(|other| other.kind.target() == Some(from));
                let part = match &change.kind {
                    ChangeKind::Carry { slice, place, .. } => slice.is_some() || *place != Place::Instead,
                    _ => false,
                };
                // A named change stands in several moves.
                let asked = body.asks_for(to) && found.get(&to.span).is_none_or(|known| known.asked);
                found.insert(
                    to.span,
                    Candidate {
                        change: change.span,
                        each: change.each.as_ref().map(|(_, domain)| domain.span),
                        guard: change.guard.as_ref().map(|guard| guard.span),
                        from: from.span,
                        taken,
                        part,
                        asked,
                        around: *around,
                    },
                );
            }
        }
    }
    found
}

/// What a move does and asks.
struct Body<'r> {
    still: &'r Still,
    defined: BTreeMap<Local, &'r Expr>,
    /// Of these definitions those that say the same whenever they are read.
    constant: BTreeMap<Local, &'r Expr>,
    stages: Vec<(&'r [Change], Around)>,
    /// What has to hold in every ply of it, whatever is before it or after.
    conditions: Vec<&'r Expr>,
    /// What each place of a turn asks of it besides.
    calls: Vec<&'r [Expr]>,
}

impl<'r> Body<'r> {
    fn of(rules: &'r Rules, still: &'r Still, of: MoveId, mv: &'r Move) -> Self {
        let mut body = Self {
            still,
            defined: BTreeMap::new(),
            constant: BTreeMap::new(),
            stages: Vec::new(),
            conditions: Vec::new(),
            calls: Vec::new(),
        };
        for node in mv.lines.iter().filter_map(|at| rules.graph.node_weight(*at)) {
            match &node.kind {
                NodeKind::Let { local, value, guard: None } => {
                    body.defined.insert(*local, value);
                    if still.holds(value) {
                        body.constant.insert(*local, value);
                    }
                }
                NodeKind::Change(changes) => {
                    let after = rules.after_turn == Some(of);
                    body.stages.push((changes, if after { Around::AfterTurn } else { Around::Stage }));
                }
                NodeKind::Repeat { changes, .. } => body.stages.push((changes, Around::Repeat)),
                NodeKind::Require { condition, .. } => body.conditions.push(condition),
                NodeKind::Choose { conditions, guard: None, .. } => body.conditions.extend(conditions),
                NodeKind::Let { .. } | NodeKind::Choose { .. } | NodeKind::Weigh(_) => {}
                NodeKind::Turn
                | NodeKind::Fork
                | NodeKind::Prefer
                | NodeKind::Guard { .. }
                | NodeKind::Call(_)
                | NodeKind::End
                | NodeKind::Move(_)
                | NodeKind::Done => {}
            }
        }
        let calls = rules.graph.node_weights().filter_map(|node| match &node.kind {
            NodeKind::Call(call) if call.mv == of => Some(call.with.as_slice()),
            _ => None,
        });
        body.calls = calls.collect();
        body
    }

    /// Whether the text says that a place must be there, if only after the change: `so that any x`. What the board alone
    /// decides is the same before and after.
    fn asks_for(&self, place: &Expr) -> bool {
        let place = self.meant(place);
        let asks = |condition: &&Expr| self.asks(condition, place);
        self.still.holds(place)
            && (self.conditions.iter().any(asks)
                || !self.calls.is_empty()
                    && self.calls.iter().all(|with| with.iter().any(|condition| asks(&condition))))
    }

    /// What a name stands for, if it is the same whenever it is read.
    fn meant<'e>(&self, expr: &'e Expr) -> &'e Expr
    where
        'r: 'e,
    {
        match &expr.kind {
            ExprKind::Local(local) => self.constant.get(local).copied().unwrap_or(expr),
            _ => expr,
        }
    }

    /// Whether a condition is true only where a place is there.
    fn asks(&self, condition: &Expr, place: &Expr) -> bool {
        match &condition.kind {
            ExprKind::And(parts) => parts.iter().any(|part| self.asks(part, place)),
            ExprKind::Or(parts) => parts.iter().all(|part| self.asks(part, place)),
            ExprKind::Before(inner) => self.asks(inner, place),
            ExprKind::Any(set) => self.needs(set, place),
            ExprKind::Some { domain, none: false, .. } => self.needs(domain, place),
            // Of no site neither is true.
            ExprKind::In { left, not, right } => self.needs(left, place) || !not && self.needs(right, place),
            ExprKind::Compare { first, rest } => {
                std::iter::once(&**first).chain(rest.iter().map(|(_, side)| side)).any(|side| self.needs(side, place))
            }
            ExprKind::Not(inner) => match &inner.kind {
                ExprKind::None(set) => self.needs(set, place),
                ExprKind::In { left, .. } => self.needs(left, place),
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether a set has a member, or a number a value, only where a place is there.
    fn needs(&self, set: &Expr, place: &Expr) -> bool {
        if self.meant(set) == place {
            return true;
        }
        match &set.kind {
            ExprKind::Intersection(parts) => parts.iter().any(|part| self.needs(part, place)),
            ExprKind::Union(parts) => parts.iter().all(|part| self.needs(part, place)),
            ExprKind::The(inner) | ExprKind::Before(inner) => self.needs(inner, place),
            ExprKind::SetOf { domain, .. } | ExprKind::Each { domain, .. } => self.needs(domain, place),
            // Of nothing these are nothing.
            ExprKind::Primitive(word, args) if GO_ON.contains(&word.id) => {
                args.first().is_some_and(|from| self.needs(from, place))
            }
            _ => false,
        }
    }
}

/// What the board and the names of a move alone decide: for each word, whether its body is such.
struct Still(Vec<bool>);

impl Still {
    fn of(rules: &Rules) -> Self {
        let mut still = Self(Vec::new());
        // A word knows only those before it.
        for word in &rules.words {
            let holds = still.holds(&word.body);
            still.0.push(holds);
        }
        still
    }

    fn holds(&self, expr: &Expr) -> bool {
        let still = match &expr.kind {
            ExprKind::Primitive(word, _) => word.is_settled(),
            ExprKind::Word(word, _) => self.0.get(word.0) == Some(&true),
            ExprKind::Memory { .. } | ExprKind::Adjective { .. } => false,
            kind => !kind.is_in_play(),
        };
        still && expr.children().into_iter().all(|part| self.holds(part))
    }
}

/// Words that give something only where they are given something first.
const GO_ON: [Id; 8] = [Id::Ahead, Id::AheadAll, Id::Run, Id::Beyond, Id::NextTo, Id::Owner, Id::Kind, Id::Distance];

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
        let message = match self.around {
            Around::Stage => format!("where there is no `{to}`, the whole move is illegal, and nothing says so"),
            Around::Repeat => {
                format!("where there is no `{to}` in some round, the whole move is illegal, and nothing says so")
            }
            Around::AfterTurn => {
                format!("where there is no `{to}`, nothing is done after the turn, and nothing says so")
            }
        };
        let found = Diagnostic::new(Code::OffBoard, target, message).label("in some position this lies off the board");
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
        if self.around != Around::Stage {
            return self.told_elsewhere(project, found, target);
        }
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

    /// The ways out where no line `if` can ask for the place.
    fn told_elsewhere(&self, project: &Project, found: Diagnostic, target: Span) -> Diagnostic {
        let to = project.sources.phrase(target);
        let stops = match self.around {
            Around::Repeat if self.each.is_none() => {
                format!("if the rounds are to end before it, `while` asks for it: `while any {to}`; ")
            }
            Around::Repeat | Around::Stage | Around::AfterTurn => String::new(),
        };
        let taking = self.taking(project, target);
        let lines = taking.clone().unwrap_or_else(|| format!("becomes empty when no {to}"));
        let found = found.help(format!("{stops}if the piece is to be gone, take it from the board: `{lines}`"));
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
        let empties = format!("{every}{} becomes empty when {condition}no {to}", text(self.from));
        // Within `repeat` a line reads what the one before it has changed: what has just come to the rim is not gone.
        Some(match self.around {
            Around::Repeat => format!("{empties}; {goes}"),
            Around::Stage | Around::AfterTurn => format!("{goes}; {empties}"),
        })
    }
}
