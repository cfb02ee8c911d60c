//! Rule files with one mistake each: do the tests inside the files notice?
//!
//! The whole campaign: `cargo test --release --lib campaign_over_all_games -- --ignored --nocapture`; with `GAME=name` one
//! game.

use super::common::files::rule_files;
use crate::author::script::Scripts;
use crate::check::Project;
use crate::library::Library;
use crate::operator::Halves;
use crate::source::{SourceId, Span};
use crate::syntax::ast::{
    ArithmeticOp, BinaryOp, Change, ChangeKind, CompareOp, DutyKind, EventKind, Expr, ExprKind, ItemKind, MoveLineKind,
    Pattern, PatternKind, Quantifier, ResultOf,
};
use crate::syntax::{ast, parse};
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// One mistake: what stands in a place is replaced.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Mutation {
    start: usize,
    end: usize,
    with: String,
}

/// Finds the mistakes that can be made in a text.
struct Mutator<'t> {
    text: &'t str,
    found: BTreeSet<Mutation>,
}

impl<'t> Mutator<'t> {
    fn of(text: &'t str) -> Vec<Mutation> {
        let (file, diagnostics) = parse(SourceId(0), text);
        assert!(diagnostics.is_empty());
        let mut mutator = Self { text, found: BTreeSet::new() };
        file.items.iter().for_each(|item| mutator.item(item));
        mutator.found.into_iter().collect()
    }

    fn replace(&mut self, range: Range<usize>, with: &str) {
        // What leaves a bracket open would only be a mistake of writing.
        let old = &self.text[range.clone()];
        let open = |text: &str, pair: [char; 2]| text.matches(pair[0]).count() == text.matches(pair[1]).count();
        if old != with && [['(', ')'], ['{', '}'], ['[', ']']].iter().all(|pair| open(old, *pair)) {
            self.found.insert(Mutation { start: range.start, end: range.end, with: with.to_owned() });
        }
    }

    fn drop(&mut self, span: Span) {
        self.replace(span.range(), "");
    }

    /// Takes out the words between two places and the one after them.
    fn drop_behind(&mut self, before: Span, span: Span) {
        self.replace(before.end as usize..span.end as usize, "");
    }

    /// Replaces a word or sign that stands between two expressions.
    fn between(&mut self, left: Span, right: Span, old: &str, with: &str) {
        let gap = left.end as usize..right.start as usize;
        if let Some(at) = self.text.get(gap.clone()).and_then(|text| text.find(old)) {
            self.replace(gap.start + at..gap.start + at + old.len(), with);
        }
    }

    /// Takes out `when C`.
    fn guard(&mut self, guard: &Option<Expr>) {
        let Some(guard) = guard else { return };
        self.condition_word(guard, "when");
        self.expr(guard);
    }

    fn condition_word(&mut self, condition: &Expr, word: &str) {
        let before = self.text[..condition.span.start as usize].trim_end_matches([' ', '\n', '(']);
        if before.ends_with(word) {
            self.replace(before.len() - word.len()..condition.span.end as usize, "");
        }
    }

    fn item(&mut self, item: &ast::Item) {
        match &item.kind {
            ItemKind::Region(definition) | ItemKind::Word(definition) | ItemKind::Score(definition) => {
                self.expr(&definition.body);
            }
            ItemKind::Start(ast::Setup::Changes(changes)) => changes.iter().for_each(|change| self.change(change)),
            ItemKind::Move(mv) => mv.lines.iter().for_each(|line| self.line(line)),
            ItemKind::Pattern { pattern, .. } => self.pattern(pattern),
            ItemKind::Turn(turn) => {
                self.pattern(&turn.pattern);
                for duty in &turn.duties {
                    self.drop(duty.span);
                    self.guard(&duty.guard);
                    match &duty.kind {
                        DutyKind::Must(event) => self.event(event),
                        DutyKind::MustMost(expr) | DutyKind::SuchThat(expr) | DutyKind::NextTurn(expr) => {
                            self.expr(expr);
                        }
                        DutyKind::ExtraTurn => {}
                    }
                }
            }
            ItemKind::End(lines) => {
                for line in lines.iter().filter(|line| !is_limit(line)) {
                    self.drop(line.span);
                    line.guard.iter().for_each(|guard| self.expr(guard));
                    match &line.result {
                        ResultOf::Ranks(expr) | ResultOf::Player { player: expr, .. } => self.expr(expr),
                        ResultOf::Draw | ResultOf::BestScore | ResultOf::LowestScore | ResultOf::AnyPlayer { .. } => {}
                    }
                }
            }
            ItemKind::Ties { players, guard } => {
                self.drop(item.span);
                self.guard(guard);
                players.iter().for_each(|players| self.expr(players));
            }
            _ => {}
        }
    }

    fn line(&mut self, line: &ast::MoveLine) {
        self.guard(&line.guard);
        match &line.kind {
            MoveLineKind::Then => {}
            MoveLineKind::Part { domain, conditions, .. } => {
                self.expr(domain);
                let mut before = domain.span;
                for condition in conditions {
                    self.drop_behind(before, condition.span);
                    self.expr(condition);
                    before = condition.span;
                }
            }
            MoveLineKind::Definition { value, .. } => self.expr(value),
            MoveLineKind::If(condition) | MoveLineKind::SoThat { condition, .. } => {
                self.drop(line.span);
                self.expr(condition);
            }
            MoveLineKind::Weight(weight) => {
                self.drop(line.span);
                self.expr(weight);
            }
            MoveLineKind::Change(change) => self.change(change),
            MoveLineKind::Repeat { times, condition, changes } => {
                self.expr(times);
                condition.iter().for_each(|condition| self.expr(condition));
                changes.iter().for_each(|change| self.change(change));
            }
        }
    }

    fn change(&mut self, change: &Change) {
        self.drop(change.span);
        self.guard(&change.guard);
        self.expr(&change.target);
        change.slice.iter().filter_map(|slice| slice.count.as_ref()).for_each(|count| self.expr(count));
        match &change.kind {
            ChangeKind::Becomes(piece) => self.expr(piece),
            ChangeKind::MoveTo { place: _, to, piece } => {
                self.expr(to);
                piece.iter().for_each(|piece| self.expr(piece));
            }
            ChangeKind::Gets { pieces, bottom: _ } => pieces.iter().for_each(|piece| self.expr(piece)),
            ChangeKind::Seats { with } => self.expr(with),
            ChangeKind::Leaves { finishes: _ } | ChangeKind::Do | ChangeKind::Know(_) => {}
        }
    }

    fn pattern(&mut self, pattern: &Pattern) {
        match &pattern.kind {
            PatternKind::Nothing | PatternKind::Name(_) => {}
            PatternKind::Sequence(parts) => {
                parts.windows(2).for_each(|pair| self.drop_behind(pair[0].span, pair[1].span));
                parts.iter().for_each(|part| self.pattern(part));
            }
            PatternKind::Either(parts) | PatternKind::Else(parts) => {
                let (word, other) =
                    if matches!(pattern.kind, PatternKind::Else(_)) { ("else", "or") } else { ("or", "else") };
                for pair in parts.windows(2) {
                    self.drop_behind(pair[0].span, pair[1].span);
                    self.between(pair[0].span, pair[1].span, word, other);
                }
                parts.iter().for_each(|part| self.pattern(part));
            }
            PatternKind::Maybe(inner)
            | PatternKind::Again(inner)
            | PatternKind::Chain(inner)
            | PatternKind::ByIt(inner) => {
                self.replace(pattern.span.range(), &self.text[inner.span.range()]);
                self.pattern(inner);
            }
            PatternKind::With(inner, condition)
            | PatternKind::Until(inner, condition)
            | PatternKind::SuchThat(inner, condition)
            | PatternKind::When(inner, condition) => {
                self.drop_behind(inner.span, condition.span);
                self.pattern(inner);
                self.expr(condition);
            }
        }
    }

    fn event(&mut self, event: &ast::Event) {
        match &event.kind {
            EventKind::Name { with: Some(condition), .. } => {
                self.condition_word(condition, "with");
                self.expr(condition);
            }
            EventKind::Name { with: None, .. } => {}
            EventKind::Any(events) => events.iter().for_each(|event| self.event(event)),
        }
    }

    fn joined(&mut self, parts: &[Expr], word: &str, other: &str) {
        for pair in parts.windows(2) {
            self.between(pair[0].span, pair[1].span, word, other);
            self.drop_behind(pair[0].span, pair[1].span);
        }
        if let [first, second, ..] = parts {
            self.replace(first.span.start as usize..second.span.start as usize, "");
        }
        parts.iter().for_each(|part| self.expr(part));
    }

    fn expr(&mut self, expr: &Expr) {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Number(number) => {
                self.replace(span.range(), &(number + 1).to_string());
                self.replace(span.range(), &(number - 1).to_string());
            }
            ExprKind::Half(halves) => self.replace(span.range(), &Halves(halves + 1).to_string()),
            ExprKind::Name(name) => {
                let other = match name.as_str() {
                    "mover" => "next",
                    "next" => "mover",
                    "own" => "enemy",
                    "enemy" => "own",
                    _ => return,
                };
                self.replace(span.range(), other);
            }
            ExprKind::And(parts) => self.joined(parts, "and", "or"),
            ExprKind::Or(parts) => self.joined(parts, "or", "and"),
            ExprKind::Row(parts) => {
                // A row without one of its words says less.
                for pair in parts.windows(2) {
                    self.drop_behind(pair[0].span, pair[1].span);
                }
                parts.iter().for_each(|part| self.expr(part));
            }
            ExprKind::Not(inner) => {
                self.replace(span.start as usize..inner.span.start as usize, "");
                self.expr(inner);
            }
            ExprKind::Compare { first, rest } => {
                let mut left = first.as_ref();
                self.expr(first);
                for (op, right) in rest {
                    let (sign, others) = signs(*op);
                    others.iter().for_each(|other| self.between(left.span, right.span, sign, other));
                    self.expr(right);
                    left = right;
                }
            }
            ExprKind::Is { left, not, right } => {
                let (word, other) = if *not { ("is not", "is") } else { ("is", "is not") };
                self.between(left.span, right.span, word, other);
                self.expr(left);
                self.expr(right);
            }
            ExprKind::In { left, not, right } => {
                let (word, other) = if *not { ("not in", "in") } else { ("in", "not in") };
                self.between(left.span, right.span, word, other);
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Binary(op, left, right) => {
                let other = match op {
                    BinaryOp::Arithmetic(ArithmeticOp::Add) => Some(("+", "-")),
                    BinaryOp::Arithmetic(ArithmeticOp::Subtract) => Some(("-", "+")),
                    BinaryOp::But => Some(("but", "and")),
                    BinaryOp::Arithmetic(_) | BinaryOp::Range => None,
                };
                if let Some((sign, other)) = other {
                    self.between(left.span, right.span, sign, other);
                }
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Quantified(quantifier, inner) => {
                let start = span.start as usize;
                match quantifier {
                    Quantifier::Any => self.replace(start..start + 3, "no"),
                    Quantifier::No => self.replace(start..start + 2, "any"),
                    Quantifier::The | Quantifier::Count | Quantifier::Every => {}
                }
                self.expr(inner);
            }
            ExprKind::If { condition, then, otherwise } => {
                self.replace(span.range(), &self.text[then.span.range()]);
                self.replace(span.range(), &self.text[otherwise.span.range()]);
                [condition, then, otherwise].into_iter().for_each(|part| self.expr(part));
            }
            ExprKind::Case { subject, cases } => {
                self.expr(subject);
                cases.iter().for_each(|(_, part)| self.expr(part));
            }
            ExprKind::Some { domain, condition, .. } => {
                self.expr(domain);
                self.expr(condition);
            }
            ExprKind::SetOf { domain, condition, .. } => {
                self.expr(domain);
                condition.iter().for_each(|condition| {
                    self.condition_word(condition, "with");
                    self.expr(condition);
                });
            }
            ExprKind::Each { body, domain, condition, .. } => {
                self.expr(body);
                self.expr(domain);
                condition.iter().for_each(|condition| self.expr(condition));
            }
            ExprKind::Family { member, rounds } => {
                self.expr(member);
                for round in rounds {
                    self.expr(&round.domain);
                    round.condition.iter().for_each(|condition| self.expr(condition));
                }
            }
            ExprKind::Happened { event, .. } | ExprKind::LastTo(event) | ExprKind::TurnsWithout(event) => {
                self.event(event);
            }
            ExprKind::Possible { pattern, .. } => self.pattern(pattern),
            ExprKind::Call { args: parts, .. } | ExprKind::List(parts) => parts.iter().for_each(|part| self.expr(part)),
            ExprKind::Of(inner) | ExprKind::Before(inner) | ExprKind::Negative(inner) | ExprKind::Reduce(_, inner) => {
                self.expr(inner);
            }
            ExprKind::Bare(_) | ExprKind::PartOf { .. } | ExprKind::Seen { .. } => {}
        }
    }
}

/// A bound on turns or plies is there so as not to be reached: no test can tell one from another.
fn is_limit(line: &ast::OutcomeLine) -> bool {
    let counts = |guard: &Expr| match &guard.kind {
        ExprKind::Compare { first, .. } => {
            matches!(&first.kind, ExprKind::Name(name) if name == "turn" || name == "ply")
        }
        _ => false,
    };
    line.guard.as_ref().is_some_and(|guard| match &guard.kind {
        ExprKind::And(parts) => parts.iter().any(counts),
        _ => counts(guard),
    })
}

/// How a comparison is written, its opposite, and its neighbour where equality counts the other way.
fn signs(op: CompareOp) -> (&'static str, &'static [&'static str]) {
    match op {
        CompareOp::Equal => ("=", &["!="]),
        CompareOp::NotEqual => ("!=", &["="]),
        CompareOp::Less => ("<", &[">=", "<="]),
        CompareOp::LessEqual => ("<=", &[">", "<"]),
        CompareOp::Greater => (">", &["<=", ">="]),
        CompareOp::GreaterEqual => (">=", &["<", ">"]),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Unchecked,
    Killed,
    Survived,
}

/// A mutant whose tests take longer is noticed by that.
const PATIENCE: Duration = Duration::from_secs(30);

const UNCHECKED: &str = "the file does not check";
const NOTICED: &str = "a test inside the file fails";

/// Runs the tests of a text, in a process of its own: what is wrong with a mutant may make them endless.
fn fate(text: &str, file: &Path) -> Fate {
    std::fs::write(file, text).unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "tests::mutants_of_rules::the_tests_inside_a_file_pass", "--ignored"])
        .env("FILE", file)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begin.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            return Fate::Killed;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    match output.status.code() {
        Some(0) if said.contains("1 passed") => Fate::Survived,
        Some(101) if said.contains(UNCHECKED) => Fate::Unchecked,
        Some(101) if said.contains(NOTICED) => Fate::Killed,
        status => panic!("{status:?} of {}:\n{said}", file.display()),
    }
}

/// The mutants of a game and what became of them, in the order of the text.
fn campaign(path: &Path, every: usize) -> Vec<(Mutation, Fate)> {
    let text = std::fs::read_to_string(path).unwrap();
    let mutations: Vec<Mutation> = Mutator::of(&text).into_iter().step_by(every).collect();
    let next = AtomicUsize::new(0);
    let fates = Mutex::new(vec![Fate::Unchecked; mutations.len()]);
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    std::thread::scope(|scope| {
        for worker in 0..2 {
            let (next, fates, mutations, text) = (&next, &fates, &mutations, &text);
            let file = std::env::temp_dir().join(format!("mutant_{name}_{}_{worker}.game", std::process::id()));
            scope.spawn(move || {
                while let Some((index, mutation)) = {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    mutations.get(index).map(|mutation| (index, mutation))
                } {
                    let mutant = format!("{}{}{}", &text[..mutation.start], mutation.with, &text[mutation.end..]);
                    let fate = fate(&mutant, &file);
                    fates.lock().unwrap()[index] = fate;
                }
                let _ = std::fs::remove_file(&file);
            });
        }
    });
    mutations.into_iter().zip(fates.into_inner().unwrap()).collect()
}

/// Prints what survived and returns how many were killed and how many survived.
fn report(path: &Path, fates: &[(Mutation, Fate)]) -> (usize, usize) {
    let text = std::fs::read_to_string(path).unwrap();
    let count = |wanted| fates.iter().filter(|(_, fate)| *fate == wanted).count();
    let (killed, survived) = (count(Fate::Killed), count(Fate::Survived));
    println!(
        "{}: {killed} killed, {survived} survived, {} do not check",
        path.file_stem().unwrap().display(),
        count(Fate::Unchecked)
    );
    for (mutation, _) in fates.iter().filter(|(_, fate)| *fate == Fate::Survived) {
        let line = text[..mutation.start].matches('\n').count() + 1;
        let from = text[..mutation.start].rfind('\n').map_or(0, |at| at + 1);
        let to = text[mutation.end..].find('\n').map_or(text.len(), |at| mutation.end + at);
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let after = format!("{}{}{}", &text[from..mutation.start], mutation.with, &text[mutation.end..to]);
        println!("  {line}: {}\n      -> {}", words(&text[from..to]), words(&after));
    }
    (killed, survived)
}

/// What each mutant is asked in a process of its own; `FILE` is the mutant.
#[test]
#[ignore = "part of the campaign"]
fn the_tests_inside_a_file_pass() {
    let file = std::env::var_os("FILE").map_or_else(|| rule_files(&["games"])[0].clone(), Into::into);
    let text = std::fs::read_to_string(&file).unwrap();
    let project = Project::load(&file.display().to_string(), &text, &Library);
    let tests = Scripts { fail_fast: true, ..Scripts::default() };
    let Ok(reports) = tests.run(&project, None, &[]) else { panic!("{UNCHECKED}") };
    assert!(reports.iter().all(|report| report.ok), "{NOTICED}");
}

#[test]
fn the_tests_of_a_small_game_notice_most_mistakes_in_its_rules() {
    let pushpin = rule_files(&["games"]).into_iter().find(|path| path.ends_with("pushpin.game")).unwrap();
    let (killed, survived) = report(&pushpin, &campaign(&pushpin, 3));
    assert!(killed >= 8 && killed >= 3 * survived, "{killed} killed, {survived} survived");
}

#[test]
fn every_kind_of_mistake_is_made() {
    let text = "word a = 1\nend { draw when mover is next and count own < 2 }\n";
    let mutants: Vec<String> = Mutator::of(&format!("game \"x\"\n{text}"))
        .into_iter()
        .map(|mutation| {
            let text = format!("game \"x\"\n{text}");
            format!("{}{}{}", &text[9..mutation.start], mutation.with, &text[mutation.end..])
        })
        .collect();
    for wanted in [
        "word a = 2\nend { draw when mover is next and count own < 2 }\n",
        "word a = 1\nend {  }\n",
        "word a = 1\nend { draw when next is next and count own < 2 }\n",
        "word a = 1\nend { draw when mover is not next and count own < 2 }\n",
        "word a = 1\nend { draw when mover is next or count own < 2 }\n",
        "word a = 1\nend { draw when mover is next }\n",
        "word a = 1\nend { draw when count own < 2 }\n",
        "word a = 1\nend { draw when mover is next and count enemy < 2 }\n",
        "word a = 1\nend { draw when mover is next and count own >= 2 }\n",
        "word a = 1\nend { draw when mover is next and count own <= 2 }\n",
    ] {
        assert!(mutants.iter().any(|mutant| mutant == wanted), "{wanted} is not among {mutants:#?}");
    }
}

#[test]
#[ignore = "takes minutes"]
fn campaign_over_all_games() {
    let wanted = std::env::var("GAME").ok();
    let mut weak = Vec::new();
    for path in rule_files(&["games"]) {
        if wanted.as_deref().is_none_or(|wanted| path.file_stem().is_some_and(|stem| stem == wanted)) {
            let (killed, survived) = report(&path, &campaign(&path, 1));
            if killed < 3 * survived {
                weak.push(format!("{}: {killed} killed, {survived} survived", path.display()));
            }
        }
    }
    assert!(weak.is_empty(), "the tests inside these files notice too little: {weak:#?}");
}
