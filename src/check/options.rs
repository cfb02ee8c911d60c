//! Options and rulesets, and the values that they have in one check.

use super::Checker;
use super::uses::Meaning;
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::*;
use crate::source::Span;
use crate::syntax::ast::{self, ValueKind};
use std::collections::BTreeMap;

impl Checker<'_> {
    pub(super) fn resolve_options(&mut self, settings: &BTreeMap<String, ValueKind>, ruleset: Option<&str>) {
        let project = self.project;
        let mut chosen: BTreeMap<String, (ValueKind, Span)> = BTreeMap::new();
        for option in project.options() {
            self.check_option(option);
            for name in &option.names {
                chosen.insert(name.text.clone(), (option.default.kind.clone(), option.default.span));
            }
        }
        for item in project.rulesets() {
            self.check_ruleset(item);
        }
        let mut wanted = ruleset;
        let mut lines = Vec::new();
        // A chain of rulesets cannot be longer than there are rulesets; a circle has been reported.
        for _ in 0..=project.rulesets().count() {
            let Some(name) = wanted else { break };
            let Some(item) = project.rulesets().find(|item| item.name.text == name) else { break };
            lines.push(item);
            wanted = item.extends.as_ref().map(|base| base.text.as_str());
        }
        for setting in lines.iter().rev().flat_map(|item| &item.settings) {
            chosen.insert(setting.name.text.clone(), (setting.value.kind.clone(), setting.value.span));
        }
        for (name, value) in settings {
            let span = project.head();
            chosen.insert(name.clone(), (value.clone(), span));
        }
        for option in project.options() {
            for name in &option.names {
                let Some((value, span)) = chosen.get(&name.text).cloned() else { continue };
                // With an option that cannot be so the rest is still looked through, with a value that can.
                let setting = self.option_value(option, &name.text, &value, span);
                let setting = setting.or_else(|| self.stand_in(option, &value));
                if let Some(setting) = setting {
                    self.options.insert(name.text.clone(), setting);
                    self.rules.settings.push((name.text.clone(), setting));
                }
            }
        }
    }

    /// The possible value that comes closest to an impossible one.
    fn stand_in(&mut self, option: &ast::OptionItem, wanted: &ValueKind) -> Option<Setting> {
        match (&option.values, wanted) {
            (ast::Values::Range { low, high, .. }, ValueKind::Number(number)) if low <= high => {
                Some(Setting::Number(*number.clamp(low, high)))
            }
            (ast::Values::Range { low, high, .. }, _) => Some(Setting::Number(*low.min(high))),
            (ast::Values::List(values), _) => values.first().map(|value| match &value.kind {
                ValueKind::Number(number) => Setting::Number(*number),
                ValueKind::Name(text) => Setting::Choice(self.choice(text)),
            }),
        }
    }

    fn check_option(&mut self, option: &ast::OptionItem) {
        let mut names = Vec::new();
        match &option.values {
            ast::Values::Range { low, high, span } => {
                if low > high {
                    self.report(
                        Diagnostic::new(Code::BadOption, *span, format!("the range {low}..{high} holds no number"))
                            .help(format!("write {high}..{low}")),
                    );
                }
            }
            ast::Values::List(values) => {
                for value in values {
                    let text = value.kind.to_string();
                    if names.contains(&text) {
                        self.error(
                            Code::BadOption,
                            value.span,
                            format!("the value `{text}` is listed twice"),
                            "take one of them out",
                        );
                    }
                    names.push(text);
                }
            }
        }
        for name in &option.names {
            self.option_values.insert(name.text.clone(), names.clone());
        }
        if let Some(name) = option.names.first() {
            self.note_value(&name.text, option.default.span);
            // A range without numbers has been reported.
            if !matches!(&option.values, ast::Values::Range { low, high, .. } if low > high) {
                self.option_value(option, &name.text, &option.default.kind, option.default.span);
            }
        }
    }

    fn option_value(&mut self, option: &ast::OptionItem, name: &str, value: &ValueKind, span: Span) -> Option<Setting> {
        match (&option.values, value) {
            (ast::Values::Range { low, high, .. }, ValueKind::Number(number)) => {
                if number < low || number > high {
                    self.report(
                        Diagnostic::new(Code::OutOfRange, span, format!("`{name}` cannot be {number}"))
                            .help(format!("it goes from {low} to {high}")),
                    );
                    return None;
                }
                Some(Setting::Number(*number))
            }
            (ast::Values::List(values), value) => {
                if !values.iter().any(|known| known.kind == *value) {
                    let known: Vec<String> = values.iter().map(|value| value.kind.to_string()).collect();
                    let text = value.to_string();
                    let diagnostic =
                        Diagnostic::new(Code::BadOption, span, format!("`{text}` is no value of the option `{name}`"))
                            .help(format!("it can be {}", known.join(", ")));
                    let best = crate::diagnostic::closest(&text, known.iter().map(String::as_str)).map(str::to_owned);
                    self.report(match best {
                        Some(best) => diagnostic
                            .help(format!("did you mean `{best}`? It can be {}", known.join(", ")))
                            .fix(format!("write `{best}`"), span, best),
                        None => diagnostic,
                    });
                    return None;
                }
                Some(match value {
                    ValueKind::Number(number) => Setting::Number(*number),
                    ValueKind::Name(text) => Setting::Choice(self.choice(text)),
                })
            }
            (ast::Values::Range { low, high, .. }, ValueKind::Name(text)) => {
                self.report(
                    Diagnostic::new(Code::BadOption, span, format!("`{name}` is a number, not `{text}`"))
                        .help(format!("it goes from {low} to {high}")),
                );
                None
            }
        }
    }

    fn check_ruleset(&mut self, ruleset: &ast::RulesetItem) {
        let project = self.project;
        if let Some(base) = &ruleset.extends {
            self.note(base.span, Meaning::Ruleset);
            let mut at = Some(base.text.as_str());
            for step in 0.. {
                let Some(name) = at else { break };
                match project.rulesets().find(|item| item.name.text == name) {
                    None => {
                        let known = project.rulesets().map(|item| item.name.text.as_str());
                        let diagnostic =
                            Diagnostic::new(Code::BadRuleset, base.span, format!("there is no ruleset `{name}`"));
                        self.report(diagnostic.did_you_mean(name, known));
                        break;
                    }
                    Some(_) if step > project.rulesets().count() => {
                        let message = "rulesets extend one another in a circle";
                        if !self.diagnostics.iter().any(|known| known.message == message) {
                            let way = format!("{} -> {} -> ...", ruleset.name.text, base.text);
                            self.report(
                                Diagnostic::new(Code::Cycle, base.span, message)
                                    .label(way)
                                    .help("one of them must not extend another"),
                            );
                        }
                        break;
                    }
                    Some(item) => at = item.extends.as_ref().map(|base| base.text.as_str()),
                }
            }
        }
        self.check_settings(&ruleset.settings, &format!("the ruleset `{}` sets it", ruleset.name.text));
    }

    /// Values of options, as a ruleset or a test sets them.
    fn check_settings(&mut self, settings: &[ast::Setting], who: &str) {
        let project = self.project;
        self.note_settings(settings);
        for setting in settings {
            match project.options().find(|option| option.names.iter().any(|name| name.text == setting.name.text)) {
                Some(option) => {
                    self.option_value(option, &setting.name.text, &setting.value.kind, setting.value.span);
                }
                None => {
                    let known = self.option_values.keys().map(String::as_str);
                    let message = format!("there is no option `{}`", setting.name.text);
                    let diagnostic = Diagnostic::new(Code::UnknownOption, setting.name.span, message)
                        .label(who)
                        .did_you_mean(&setting.name.text, known)
                        .or_help(|| format!("declare it: option {} : 3..9 = 5", setting.name.text));
                    self.report(diagnostic);
                }
            }
        }
    }
}
