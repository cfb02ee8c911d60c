//! Everything that can be said about a file: its defaults, its rulesets, its tests, its options one by one and in pairs.

use super::off_board::{BRIEF, off_board};
use crate::check::{Project, Resolve, ScriptStep, ScriptStepKind, check, check_script};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::game::{Game, LoadError, never_a_move};
use crate::rules::{Rules, canonical};
use crate::source::Sources;
use crate::syntax::ast::{self, ValueKind};
use std::collections::{BTreeMap, BTreeSet};

/// What a diagnostic was found in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    /// The rules with their default options, or with those of a ruleset.
    Rules,
    Script,
    /// Options that nobody has named together.
    Combination,
}

/// All that is to be said about a file: with its default options, every ruleset, every value of an option, and pairs.
#[must_use]
pub fn check_file(name: &str, text: &str, resolve: &dyn Resolve) -> (Vec<Diagnostic>, Sources) {
    check_file_and(name, text, resolve, None)
}

/// Looks at a project that checks for what only shows in play.
pub type Further<'f> = Option<&'f dyn Fn(&Project) -> Vec<Diagnostic>>;

/// The same, and what a further look at a file that checks has found.
#[must_use]
pub fn check_file_and(
    name: &str,
    text: &str,
    resolve: &dyn Resolve,
    further: Further<'_>,
) -> (Vec<Diagnostic>, Sources) {
    let project = Project::load(name, text, resolve);
    let mut all: Vec<Diagnostic> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut add = |found: Vec<Diagnostic>, with: &str, of: Of| {
        let mut failed = false;
        for mut diagnostic in found {
            failed |= diagnostic.is_error();
            // What a test asks is said to be of no use; the rules were looked at before.
            let of_test = of == Of::Script && matches!(diagnostic.code, Code::Lone | Code::Idle);
            if of != Of::Rules && !diagnostic.is_error() && !of_test {
                continue;
            }
            if of == Of::Combination {
                // What the file itself excludes is no mistake, nor is a distance that a small board does not have.
                if matches!(diagnostic.code, Code::Excluded | Code::OutOfRange) {
                    continue;
                }
                // The game as it stands can be played; on the board of these options it cannot.
                if matches!(diagnostic.code, Code::UnknownSite | Code::NoDirection | Code::BadBoard | Code::BadStart) {
                    diagnostic.severity = Severity::Warning;
                }
            }
            if seen.insert((diagnostic.code, diagnostic.span, diagnostic.message.clone())) {
                if !with.is_empty() {
                    let help = diagnostic.help.take().map_or(String::new(), |help| format!("{help}; "));
                    diagnostic.help = Some(format!("{help}this is so with {with}"));
                }
                all.push(diagnostic);
            }
        }
        failed
    };
    let checked = check(&project, &BTreeMap::new(), None);
    let mut broken = add(checked.diagnostics, "", Of::Rules);
    if let Err(LoadError::Rules { diagnostics, .. }) = Game::from_rules(&project, checked.rules, Vec::new()) {
        broken |= add(diagnostics, "", Of::Rules);
    }
    let (singles, pairs) = combinations(&project);
    let needed = project.rulesets().count() + project.scripts().len() + singles.len();
    let each = project.sources.iter().map(|(_, source)| source.text.len()).sum::<usize>().max(1);
    let most = (MAX_WORK / each).min(MAX_CHECKS);
    if !broken && needed > most {
        let message = format!("there are too many rulesets, tests and values of options to check: {needed}");
        let of_size = Diagnostic::new(Code::TooLarge, project.head(), message)
            .help(format!("a game of {each} bytes in all its texts may have {most} altogether; take some of them out"));
        broken = add(vec![of_size], "", Of::Rules);
    }
    if !broken {
        let mut hashes: BTreeMap<String, ast::Name> = BTreeMap::new();
        for ruleset in project.rulesets() {
            let checked = check(&project, &BTreeMap::new(), Some(&ruleset.name.text));
            add(checked.diagnostics, &format!("the ruleset `{}`", ruleset.name.text), Of::Rules);
            if let Some(rules) = checked.rules
                && let Some(other) = hashes.insert(canonical(&rules), ruleset.name.clone())
            {
                let message = format!("the ruleset `{}` is the same game as `{}`", ruleset.name.text, other.text);
                add(
                    vec![
                        Diagnostic::new(Code::SameRuleset, ruleset.name.span, message)
                            .label("nothing differs")
                            .also(other.span, "from this one")
                            .help("set an option, or remove one of them"),
                    ],
                    "",
                    Of::Rules,
                );
            }
        }
        for script in project.scripts() {
            let checked = check_script(&project, &BTreeMap::new(), None, &script);
            add(checked.diagnostics, "", Of::Script);
            if let Some(rules) = &checked.rules {
                add(idle_steps(rules, &checked.steps), "", Of::Script);
            }
        }
        for settings in singles.into_iter().chain(pairs.into_iter().take(most - needed)) {
            let with: Vec<String> = settings.iter().map(|(name, value)| format!("{name} {value}")).collect();
            let settings: BTreeMap<String, ValueKind> = settings.into_iter().collect();
            add(check(&project, &settings, None).diagnostics, &with.join(", "), Of::Combination);
        }
    }
    if further.is_none() && !all.iter().any(Diagnostic::is_error) {
        all.extend(off_board(&project, BRIEF));
    }
    if let Some(further) = further.filter(|_| !all.iter().any(Diagnostic::is_error)) {
        for diagnostic in further(&project) {
            if seen.insert((diagnostic.code, diagnostic.span, diagnostic.message.clone())) {
                all.push(diagnostic);
            }
        }
    }
    allow(&project, &mut all, further.is_some());
    all.sort_by_key(|diagnostic| (diagnostic.span.source != project.main, diagnostic.span.start));
    (all, project.sources)
}

/// What is said to be illegal and could never be a move.
fn idle_steps(rules: &Rules, steps: &[ScriptStep]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for step in steps {
        let ScriptStepKind::Illegal { moves, because: None } = &step.kind else { continue };
        let idle = moves.iter().find_map(|text| Some((text, never_a_move(rules, text)?)));
        if let Some((text, reason)) = idle {
            found.push(
                Diagnostic::new(Code::Idle, step.span, format!("`{text}` is no move in any position: {reason}"))
                    .label("a test that cannot fail")
                    .help("write a move as the game prints it; to test that there is no such site or move, add because \"cannot be read\""),
            );
        }
    }
    found
}

/// Takes out the warnings that the files allow, and says which of these lines did nothing.
fn allow(project: &Project, all: &mut Vec<Diagnostic>, played: bool) {
    let mut idle = Vec::new();
    let failed = all.iter().any(Diagnostic::is_error);
    for (item, span) in project.allowed() {
        let code = Code::find(&item.lint.text);
        let Some(code) = code.filter(|code| code.severity() == Severity::Warning) else {
            let lints = Code::ALL.iter().filter_map(|code| code.lint());
            let message = match code {
                Some(code) => format!("{code} is an error, which no file can allow"),
                None => format!("there is no lint `{}`", item.lint.text),
            };
            idle.push(
                Diagnostic::new(Code::BadAllow, item.lint.span, message)
                    .did_you_mean(&item.lint.text, lints)
                    .or_help(|| "`ludwright explain --list` names all lints".to_owned()),
            );
            continue;
        };
        let before = all.len();
        all.retain(|found| {
            let here = found.code == code && !found.is_error() && found.span.source == span.source;
            let named = |name: &ast::Name| project.is_within(found.span, &name.text);
            !(here && (item.within.is_empty() || item.within.iter().any(named)))
        });
        // With errors or without play there was no occasion.
        let asked = !failed
            && (played
                || !matches!(code, Code::NeverLegal | Code::AlwaysLegal | Code::Idle | Code::OffBoard | Code::Costly));
        if before == all.len() && asked && span.source == project.main {
            let line = format!("`{}` warns of nothing here", item.lint.text);
            idle.push(
                Diagnostic::new(Code::BadAllow, span, line)
                    .label("this line does nothing")
                    .help("remove it, or name the place that it is for: allow LINT in NAME")
                    .fix("remove the line", span, ""),
            );
        }
    }
    all.extend(idle);
}

/// At most so many pairs of option values are tried.
const MAX_PAIRS: usize = 400;

/// Bytes of text that are checked altogether: each ruleset, test and value of an option has all texts checked once more.
const MAX_WORK: usize = 24 << 20;
/// And so often, however short the texts are.
const MAX_CHECKS: usize = 1000;

type Settings = Vec<(String, ValueKind)>;

/// Every value of every option by itself (the ends of a range), and pairs of them.
fn combinations(project: &Project) -> (Vec<Settings>, Vec<Settings>) {
    let mut values: Settings = Vec::new();
    // Where the values of the option end that a value is of.
    let mut ends: Vec<usize> = Vec::new();
    for option in project.options() {
        let candidates: Vec<ValueKind> = match &option.values {
            ast::Values::Range { low, high, .. } => vec![ValueKind::Number(*low), ValueKind::Number(*high)],
            ast::Values::List(list) => list.iter().map(|value| value.kind.clone()).collect(),
        };
        for name in &option.names {
            values.extend(
                candidates
                    .iter()
                    .filter(|value| **value != option.default.kind)
                    .map(|value| (name.text.clone(), value.clone())),
            );
            ends.resize(values.len(), values.len());
        }
    }
    // Where there are too many pairs, those that are tried are spread evenly over all; no others are made.
    let count: usize = ends.iter().map(|end| values.len() - end).sum();
    let step = count.div_ceil(MAX_PAIRS).max(1);
    let (mut wanted, mut passed) = (0, 0);
    let mut pairs = Vec::new();
    for (first, end) in values.iter().zip(&ends) {
        let others = &values[*end..];
        while let Some(second) = others.get(wanted - passed) {
            pairs.push(vec![first.clone(), second.clone()]);
            wanted += step;
        }
        passed += others.len();
    }
    (values.into_iter().map(|value| vec![value]).collect(), pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Alone;

    #[test]
    fn pairs_are_of_different_options_and_spread_over_all_of_them() {
        let text = |options: usize| (0..options).map(|n| format!("option o{n} : a, b, c = a\n")).collect::<String>();
        let pairs = |options| combinations(&Project::load("x.game", &text(options), &Alone)).1;
        assert_eq!(pairs(3).len(), 12);
        assert!(pairs(3).iter().all(|pair| pair[0].0 != pair[1].0));
        let many = pairs(90);
        assert!((200..=400).contains(&many.len()), "{}", many.len());
        assert!(many.last().is_some_and(|pair| pair[1].0.as_str() > "o8"));
    }
}
