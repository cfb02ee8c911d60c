//! Tests and records in the text, checked together with the options they set.

use super::uses::Meaning;
use super::{Checker, Frame, Project, check_with};
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::*;
use crate::source::Span;
use crate::syntax::ast::{self, StepKind, ValueKind};
use crate::syntax::move_lists::{Entry, entries};
use std::collections::BTreeMap;

/// What a test does, step by step.
#[derive(Clone, Debug)]
pub struct ScriptStep {
    pub kind: ScriptStepKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ScriptStepKind {
    Position {
        changes: Vec<Change>,
        mover: Option<PlayerId>,
        /// The number of the turn, where it is said.
        turn: Option<u32>,
    },
    Perft {
        turns: bool,
        counts: Vec<u64>,
    },
    Play(Vec<String>),
    Legal(Vec<String>),
    Illegal {
        moves: Vec<String>,
        /// Stands in the reason or in the clause that rejects them.
        because: Option<String>,
    },
    Only(Vec<String>),
    Expect(Expr),
    Result(String),
}

/// The rules under the options that a script sets, and its steps.
#[derive(Debug)]
pub struct CheckedScript {
    pub rules: Option<Rules>,
    pub steps: Vec<ScriptStep>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Checks a script of the project; its own settings come on top of those given.
#[must_use]
pub fn check_script(
    project: &Project,
    settings: &BTreeMap<String, ValueKind>,
    ruleset: Option<&str>,
    script: &ast::Script,
) -> CheckedScript {
    let mut settings = settings.clone();
    let mut ruleset = ruleset.map(str::to_owned);
    let mut diagnostics = Vec::new();
    for setting in script
        .steps
        .iter()
        .filter_map(|step| if let StepKind::Set(list) = &step.kind { Some(list) } else { None })
        .flatten()
    {
        let name = setting.name.text.as_str();
        if name == "ruleset" {
            let wanted = setting.value.kind.to_string();
            if !project.rulesets().any(|known| known.name.text == wanted) {
                let known = project.rulesets().map(|ruleset| ruleset.name.text.as_str());
                let diagnostic =
                    Diagnostic::new(Code::BadRuleset, setting.value.span, format!("there is no ruleset `{wanted}`"));
                diagnostics.push(
                    diagnostic
                        .did_you_mean(&wanted, known)
                        .or_help(|| "declare it with `ruleset NAME { ... }`".to_owned()),
                );
            }
            ruleset = Some(wanted);
        } else if project.options().any(|option| option.names.iter().any(|known| known.text == name)) {
            settings.insert(name.to_owned(), setting.value.kind.clone());
        } else {
            let known = project.options().flat_map(|option| option.names.iter().map(|name| name.text.as_str()));
            let diagnostic =
                Diagnostic::new(Code::UnknownOption, setting.name.span, format!("there is no option `{name}`"));
            let names: Vec<&str> = known.collect();
            let declare = || match names.as_slice() {
                [] => format!("declare it: option {name} : 3..9 = 5"),
                names => format!("the options are {}", names.join(", ")),
            };
            diagnostics.push(diagnostic.did_you_mean(name, names.iter().copied()).or_help(declare));
        }
    }
    if !diagnostics.is_empty() {
        return CheckedScript { rules: None, steps: Vec::new(), diagnostics };
    }
    let mut steps = Vec::new();
    let checked = check_with(project, &settings, ruleset.as_deref(), |checker| steps = checker.script(script));
    let mut diagnostics = checked.diagnostics;
    for diagnostic in &mut diagnostics {
        place_at_setting(diagnostic, project.head(), script);
    }
    CheckedScript { rules: checked.rules, steps, diagnostics }
}

/// What is wrong with the value of an option is told where the script sets it, not at the head of the file.
fn place_at_setting(diagnostic: &mut Diagnostic, head: Span, script: &ast::Script) {
    if diagnostic.span != head || !matches!(diagnostic.code, Code::OutOfRange | Code::BadOption) {
        return;
    }
    let settings = script.steps.iter().filter_map(|step| match &step.kind {
        StepKind::Set(list) => Some(list),
        _ => None,
    });
    let named = |setting: &&ast::Setting| {
        let quoted = format!("`{}`", setting.name.text);
        let value = setting.value.kind.to_string();
        diagnostic.message.contains(&quoted) && diagnostic.message.contains(&value)
    };
    if let Some(span) = settings.flatten().find(named).map(|setting| setting.value.span) {
        diagnostic.span = span;
        for fix in &mut diagnostic.fixes {
            fix.span = span;
        }
    }
}

impl Checker<'_> {
    pub(super) fn script(&mut self, script: &ast::Script) -> Vec<ScriptStep> {
        let mut steps = Vec::new();
        let mut begun = false;
        for step in &script.steps {
            self.frame = Frame { in_end: true, ..Frame::default() };
            let kind = match &step.kind {
                StepKind::Set(_) => {
                    if begun {
                        self.report(
                            Diagnostic::new(Code::BadTest, step.span, "options are set before anything else happens")
                                .help("move this line to the beginning, or write a second test"),
                        );
                    }
                    continue;
                }
                StepKind::Position { setup, besides, mover, turn } => {
                    let mut changes = self.setup(setup);
                    let besides: Vec<Change> = besides.iter().filter_map(|change| self.change(change)).collect();
                    changes.extend(besides.into_iter().flat_map(|change| self.with_values_alone(change)));
                    let turn = turn.and_then(|turn| u32::try_from(turn).ok());
                    if turn == Some(0) {
                        self.error(
                            Code::BadTest,
                            step.span,
                            "turns are counted from 1",
                            "write `turn 1` for the first one",
                        );
                    }
                    let mover = mover.as_ref().and_then(|name| {
                        self.note(name.span, Meaning::Player);
                        match self.players.get(&name.text) {
                            Some(Some(player)) => Some(*player),
                            _ => {
                                self.unknown_player(&name.text, name.span);
                                None
                            }
                        }
                    });
                    ScriptStepKind::Position { changes, mover, turn }
                }
                StepKind::Perft { turns, counts } => ScriptStepKind::Perft {
                    turns: *turns,
                    counts: counts.iter().map(|count| count.unsigned_abs()).collect(),
                },
                StepKind::Play(text) => ScriptStepKind::Play(moves_in(&text.text)),
                StepKind::Legal(text) => ScriptStepKind::Legal(moves_in(&text.text)),
                StepKind::Only(text) => ScriptStepKind::Only(moves_in(&text.text)),
                StepKind::Illegal { moves, because } => ScriptStepKind::Illegal {
                    moves: moves_in(&moves.text),
                    because: because.as_ref().map(|because| because.text.clone()),
                },
                StepKind::Expect(condition) => ScriptStepKind::Expect(self.typed(condition, Type::Condition)),
                StepKind::Result(text) => ScriptStepKind::Result(text.text.clone()),
            };
            begun = true;
            steps.push(ScriptStep { kind, span: step.span });
        }
        self.frame = Frame::default();
        steps
    }
}

/// The moves in a text as it is printed: separated by commas or lines, with numbers, remarks and corrections.
///
/// `printed [read corrected]` stands for the corrected move, what follows `//` is a comment, and a move that holds such
/// signs itself stands in quotation marks.
#[must_use]
pub fn moves_in(text: &str) -> Vec<String> {
    let read = |entry: Entry| {
        if entry.quoted {
            return entry.text;
        }
        let read = match entry.text.split_once("[read ") {
            Some((_, correction)) => correction.trim_end().trim_end_matches(']').trim(),
            None => &entry.text,
        };
        let read = without_number(read);
        let quoted = read.strip_prefix('"').and_then(|read| read.strip_suffix('"'));
        quoted.unwrap_or(read).to_owned()
    };
    entries(text).into_iter().map(read).filter(|mv| !mv.is_empty()).collect()
}

/// Takes a move number (`12.`) off the front.
fn without_number(text: &str) -> &str {
    match text.split_once('.') {
        Some((number, rest)) if !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()) => rest.trim(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::moves_in;

    #[test]
    fn numbers_comments_and_corrections_are_read() {
        let read = moves_in("1. c6, q6 // the first turn\n2. n7 [read n11ne], J takes [read take]\n");
        assert_eq!(read, ["c6", "q6", "n11ne", "take"]);
        assert_eq!(moves_in("1. \"a1,b1\", \"2.c3\", 3. c4"), ["a1,b1", "2.c3", "c4"]);
    }
}
