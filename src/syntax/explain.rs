//! What could not be read: read again by itself, to say where it departs from what, and what to write.

use super::habits::{self, Habit, foreign, habit, out_of_order};
use super::parse::{Builder, Rule, grammar, opening_brace};
use super::sections::{self, SECTIONS};
use super::tree::Node;
use super::verbs;
use crate::diagnostic::{Code, Diagnostic, Fix, closest};
use crate::source::Span;
use pest::error::{Error, ErrorVariant, InputLocation};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// The last `(` before a place that nothing closes, neither before the place nor behind it.
fn open_bracket(text: &str, at: usize) -> Option<usize> {
    let (mut open, mut quoted) = (Vec::new(), false);
    for (index, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '\n' => quoted = false,
            '(' if !quoted => open.push(index),
            ')' if !quoted => {
                open.pop();
            }
            _ => {}
        }
    }
    open.into_iter().rfind(|index| *index < at)
}

/// How many threads ask for errors in detail now: whether they are told is one setting for all of a process.
static ASKING: Mutex<usize> = Mutex::new(0);

/// What keeps a text from being read, with all that was expected at that place. The setting stays as long as somebody needs
/// it, since another text may be read at the same time.
fn in_detail(rule: Rule, text: &str) -> Option<Box<Error<Rule>>> {
    let count = |more: &dyn Fn(usize) -> usize| {
        let mut asking = ASKING.lock().unwrap_or_else(PoisonError::into_inner);
        *asking = more(*asking);
        pest::set_error_detail(*asking > 0);
    };
    count(&|asking| asking + 1);
    let error = grammar(rule, text).err();
    count(&|asking| asking.saturating_sub(1));
    error
}

impl Builder<'_> {
    /// Reports a part of the file that takes the parser too long.
    pub(super) fn too_slow(&mut self, range: Range<usize>) {
        let text = &self.text[range.clone()];
        let start = range.start + text.len() - text.trim_start().len();
        let end = start + self.text[start..range.end].lines().next().map_or(0, str::len);
        self.lost.extend(words(text).map(str::to_owned));
        self.report(
            Diagnostic::new(Code::TooDeep, Span::new(self.source, start, end), "there is a mistake here, too deep to be found")
                .label("the part of the file that begins here cannot be read")
                .help("somewhere within brackets within brackets something does not fit; give what stands in them names with `word` or `pattern`"),
        );
    }

    /// Parses a piece that was skipped again by itself, to say where and why it fails.
    pub(super) fn explain(&mut self, node: &Node<'_>, rule: Rule, help: &str) {
        let start = node.start();
        let text = node.as_str().trim_end();
        let error = in_detail(rule, text);
        let at = error.as_ref().map_or(text.len(), |error| furthest(error, text).min(text.len()));
        self.note_open_brace(node);
        if let Some((from, to)) = odd_quote(text, at) {
            self.report(
                Diagnostic::new(
                    Code::Unterminated,
                    Span::new(self.source, start + from, start + to),
                    "a quoted text on this line does not end",
                )
                .label("one of these `\"` has no partner")
                .help(match text[from..to].contains(['“', '”']) {
                    true => "a quoted text ends with `\"` too: curly quotation marks end none",
                    false => "a quoted text begins and ends with `\"` on the same line",
                }),
            );
            return;
        }
        let diagnostic = match error {
            Some(error) => self.syntax_error(&error, start, text.len()),
            None => {
                // The beginning reads well; what follows it does not belong there.
                let read =
                    grammar(rule, text).ok().and_then(|mut pairs| pairs.next()).map_or(0, |pair| pair.as_str().len());
                let rest = &text[read..];
                if rest.trim().is_empty() {
                    let at = start + opening_brace(text).unwrap_or(0);
                    let span = Span::new(self.source, at, at + 1);
                    self.report(
                        Diagnostic::new(Code::Unclosed, span, "this brace is never closed")
                            .label("opened here")
                            .help("add a `}` where the block ends"),
                    );
                    return;
                }
                let skipped = rest.len() - rest.trim_start().len();
                let at = start + read + skipped;
                let length = rest.trim_start().split([' ', '\n', '\t']).next().map_or(1, str::len).max(1);
                let further = in_detail(whole(rule), text);
                if let Some(error) = further.filter(|error| furthest(error, text) > read + skipped) {
                    self.syntax_error(&error, start, text.len())
                } else {
                    let what = &self.text[at..at + length];
                    Diagnostic::new(
                        Code::Syntax,
                        Span::new(self.source, at, at + length),
                        format!("`{}` does not fit here", what.trim()),
                    )
                    .label("the line should have ended before this")
                    .help("begin a new line here, or take it out")
                }
            }
        };
        let at = diagnostic.span.start as usize;
        if let Some(habit) = habit(rule, text, at - start) {
            return self.report_habit(start, habit);
        }
        let diagnostic = match open_bracket(text, at - start) {
            Some(open) => {
                let before = self.text[..at].trim_end().len();
                diagnostic
                    .also(Span::new(self.source, start + open, start + open + 1), "this bracket is never closed")
                    .help("write the `)` that is missing before this place")
                    .guess("close the bracket", Span::new(self.source, before, before), ")")
            }
            None => diagnostic,
        };
        let begins =
            self.text[start..at].trim_end().ends_with(['{', ',', '(']) || self.text[start..at].trim().is_empty();
        let guards = matches!(rule, Rule::outcome | Rule::change | Rule::duty | Rule::pat) && !begins;
        let diagnostic = if guards && self.text[diagnostic.span.range()] == *"if" {
            let span = diagnostic.span;
            diagnostic.help("a condition stands behind `when`").fix("write `when`", span, "when")
        } else {
            diagnostic
        };
        let diagnostic = out_of_order(rule, text, (&self.text[diagnostic.span.range()], begins), diagnostic);
        let diagnostic = match foreign(rule, self.text, at) {
            Some(foreign) => diagnostic.help(foreign.help).fix(
                format!("write `{}`", foreign.own),
                Span::new(self.source, foreign.start, foreign.end),
                foreign.own,
            ),
            None if diagnostic.help.is_none() && !help.is_empty() => diagnostic.help(help),
            None => diagnostic.or_help(|| form_of(rule).to_owned()),
        };
        self.report(diagnostic);
    }

    /// Says what is written instead of a habit from elsewhere, in a line that begins at `start`.
    fn report_habit(&mut self, start: usize, habit: Habit) {
        let span = |place: Range<usize>| Span::new(self.source, start + place.start, start + place.end);
        let mut found = Diagnostic::new(Code::Syntax, span(habit.place), habit.message).help(habit.help);
        if let Some((place, replacement, applicability)) = habit.mended {
            let title =
                if replacement.is_empty() { "take it out".to_owned() } else { format!("write `{replacement}`") };
            found.fixes.push(Fix { title, span: span(place), replacement, applicability });
        }
        self.report(found);
    }

    /// A line that could not be read and opens a brace: what closes it closes the block around it.
    fn note_open_brace(&mut self, node: &Node<'_>) {
        let braces = |brace| node.as_str().matches(brace).count();
        let is_line = matches!(node.as_rule(), Rule::bad_change | Rule::bad_move_line);
        self.open |= is_line && braces('{') > braces('}');
    }

    fn syntax_error(&self, error: &Error<Rule>, offset: usize, length: usize) -> Diagnostic {
        let text = &self.text[offset..offset + length];
        let at = furthest(error, text).min(length) + offset;
        let rest = &self.text[at.min(self.text.len())..];
        // Where nothing may stand between two signs, what stands behind the blank is the mistake.
        let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let blank = if rest[blank..].starts_with(['\n', '\r']) { 0 } else { blank };
        let rest = &rest[blank..];
        let word: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let found = if !word.is_empty() {
            format!("`{word}`")
        } else {
            match rest.chars().next() {
                None => "the end of the file".to_owned(),
                Some('\n' | '\r') => "the end of the line".to_owned(),
                Some(c) => format!("`{c}`"),
            }
        };
        let length = word.len().max(rest.chars().next().map_or(0, char::len_utf8)).max(usize::from(!rest.is_empty()));
        let begins = at + blank;
        let span = Span::new(self.source, begins, begins + if rest.starts_with(['\n', '\r']) { 0 } else { length });
        let message = match rest.chars().next() {
            None => "the file ends too early".to_owned(),
            Some('\n' | '\r') => "the line ends too early".to_owned(),
            Some(_) => format!("{found} does not fit here"),
        };
        let mut diagnostic = Diagnostic::new(Code::Syntax, span, message);
        if let ErrorVariant::ParsingError { positives, .. } = &error.variant {
            let mut wanted: BTreeSet<String> = positives.iter().filter_map(|rule| describe(*rule)).collect();
            let reached = match error.location {
                InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
            };
            if let Some(attempts) = error.parse_attempts().filter(|attempts| attempts.max_position == at - offset) {
                // The rules speak of an earlier place; what is known of this one are signs and keywords.
                if attempts.max_position > reached {
                    wanted.clear();
                }
                wanted.extend(attempts.expected_tokens().iter().filter_map(|token| describe_token(&token.to_string())));
            }
            if !wanted.is_empty() && wanted.len() <= 12 {
                let wanted: Vec<String> = wanted.into_iter().collect();
                diagnostic = diagnostic.label(format!("expected {}", or_list(&wanted)));
                let keywords = wanted.iter().filter_map(|word| word.strip_prefix('`')?.strip_suffix('`'));
                if word.len() > 2 {
                    diagnostic = diagnostic.did_you_mean(&word, keywords.filter(|word| word.len() > 2));
                }
            }
        }
        if is_reserved(&word) && diagnostic.label.contains("a name") {
            diagnostic = diagnostic.help(format!("`{word}` is a word of the language and cannot be used as a name"));
        }
        diagnostic
    }

    pub(super) fn bad_item(&mut self, node: &Node<'_>) {
        let text = node.as_str();
        let head = if text.starts_with("players") { text } else { head(text) };
        self.lost.extend(head.split('"').step_by(2).flat_map(words).map(str::to_owned));
        let word: String = text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        self.capital_sections(node);
        let Some(section) = sections::find(&word) else {
            // The end of a block that a line which could not be read has closed.
            if std::mem::take(&mut self.open) {
                return;
            }
            let start = node.start();
            let span =
                Span::new(self.source, start, start + word.len().max(text.chars().next().map_or(0, char::len_utf8)));
            let what = if word.is_empty() { text.chars().take(1).collect() } else { word.clone() };
            let unknown = Diagnostic::new(Code::Syntax, span, format!("no section begins with `{what}`"))
                .label("expected a section: `players`, `board`, `piece`, `move`, `turn`, `end`, ...");
            if let Some(written) = verbs::section(&word) {
                return self.report(unknown.help(written));
            }
            self.report(
                unknown
                    .did_you_mean(&word, SECTIONS.iter().map(|section| section.word).filter(|_| !is_duty(&word)))
                    .or_help(|| match is_duty(&word) {
                        true => format!(
                            "what a player must do stands in a turn, behind its moves: turn {{ step; {word} ... }}"
                        ),
                        false => {
                            "begin each line outside of braces with the word of a section; a remark begins with `//`"
                                .to_owned()
                        }
                    }),
            );
            return;
        };
        let rule = section.rule;
        let first = text.lines().next().unwrap_or("");
        let help = match rule {
            Rule::mv | Rule::turn | Rule::end | Rule::ruleset | Rule::test | Rule::record
                if !first.split('"').step_by(2).any(|text| text.contains('{')) =>
            {
                format!("what belongs to `{word}` stands between `{{` and `}}`")
            }
            _ => String::new(),
        };
        self.explain(node, rule, &help);
    }

    /// A change that cannot be read: some begin as rule sheets say it.
    pub(super) fn bad_change(&mut self, node: &Node<'_>) {
        let text = node.as_str().trim();
        let every = text.strip_prefix("for each ").or_else(|| text.strip_prefix("for every "));
        let help = if every.is_some() {
            Some("of each member of a set it is said with `every`: `every x in row(1): x becomes stone of Black`")
        } else {
            verbs::meant(text).filter(|_| !text.contains("becomes") && !text.contains("->"))
        };
        let Some(help) = help else { return self.explain(node, Rule::change, "") };
        let span = self.span(node);
        self.report(
            Diagnostic::new(Code::Syntax, span, "this line changes nothing")
                .label("neither `x becomes piece` nor `a -> b`")
                .help(help),
        );
    }

    /// Further lines of a part of the file that begin with the word of a section in capital letters.
    fn capital_sections(&mut self, node: &Node<'_>) {
        let mut start = node.start();
        for line in node.as_str().split_inclusive('\n') {
            let word: String = line.chars().take_while(|c| c.is_ascii_alphabetic()).collect();
            let meant = SECTIONS.iter().find(|section| section.word == word.to_lowercase());
            if let Some(meant) = meant.filter(|_| start > node.start()) {
                let span = Span::new(self.source, start, start + word.len());
                self.report(
                    Diagnostic::new(Code::Syntax, span, format!("no section begins with `{word}`"))
                        .did_you_mean(&word, [meant.word]),
                );
                self.lost.extend(head(line).split('"').step_by(2).flat_map(words).map(str::to_owned));
            }
            start += line.len();
        }
    }

    /// Finds the form that a line was meant to have by the mark it holds, and says where it departs from it.
    pub(super) fn bad_move_line(&mut self, node: &Node<'_>) {
        let text = node.as_str();
        let first = text.split_whitespace().next().unwrap_or("");
        if self.lost.contains(first) && is_reserved(first) {
            return;
        }
        let after_name = text.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').trim_start();
        if let Some(written) = habits::counted(text) {
            let span = self.span(node);
            let help = format!("a number changes by `becomes`: `{written}`");
            let found = Diagnostic::new(Code::Syntax, span, "this line of a move says nothing").help(help);
            return self.report(found.guess(format!("write `{written}`"), span, written));
        }
        let rule = if first == "if" {
            Rule::cond
        } else if after_name.starts_with(':') {
            Rule::part
        } else if first == "so" {
            Rule::sothat
        } else if first == "weight" && !text.contains("becomes") && !after_name.starts_with([':', '=']) {
            Rule::weight
        } else if text.contains("becomes")
            || text.contains(['→', '⇒'])
            || text.contains("->")
            || text.contains(" gets ")
        {
            Rule::change
        } else if after_name.starts_with('=') {
            Rule::def
        } else {
            let span = self.span(node);
            if let Some(slip) = words(text).find(|word| closest(word, ["becomes"]).is_some()) {
                let at = span.start as usize + (slip.as_ptr() as usize - text.as_ptr() as usize);
                let span = Span::new(self.source, at, at + slip.len());
                self.report(
                    Diagnostic::new(Code::Syntax, span, format!("`{slip}` does not fit here"))
                        .did_you_mean(slip, ["becomes"])
                        .or_help(|| "write `x becomes piece`".to_owned()),
                );
                return;
            }
            // Parts that it names are nowhere else.
            self.lost.extend(words(text).map(str::to_owned));
            self.note_open_brace(node);
            let nothing = Diagnostic::new(Code::Syntax, span, "this line of a move says nothing")
                .label("neither a part, a definition, a condition nor a change");
            if text.starts_with('-') {
                return self.report(nothing.help(habits::MINUS_FIRST));
            }
            if let Some(written) = verbs::meant(text).or_else(|| verbs::within(words(text))) {
                return self.report(nothing.help(written));
            }
            if verbs::asks(text) {
                return self.report(nothing.help(
                    "a condition stands behind `if`, as in `if any own next_to cell`, or behind the comma of its part, as in `cell : empty, any own next_to cell`",
                ));
            }
            self.report(
                nothing
                    .help("write `name : set`, `name = value`, `if condition`, `a -> b`, `x becomes piece`, `then` or `so that condition`"),
            );
            return;
        };
        if matches!(rule, Rule::part | Rule::def) {
            self.lost.insert(first.trim_end_matches([':', '=']).to_owned());
        }
        self.explain(node, rule, "");
    }
}

/// The beginning of a section, in which names are given: up to its brace, or to the `:` behind them.
fn head(text: &str) -> &str {
    let line = &text[..opening_brace(text).unwrap_or(text.len())];
    let line = line.split('\n').next().unwrap_or(line);
    match line.find(':') {
        Some(colon) if line[..colon].trim().contains(' ') => &line[..colon],
        _ => line,
    }
}

/// Whether a line of a turn begins with a word.
fn is_duty(word: &str) -> bool {
    matches!(word, "must" | "such" | "extra" | "next")
}

/// The rule for a text that holds one line or section and nothing else.
fn whole(rule: Rule) -> Rule {
    match rule {
        Rule::part => Rule::whole_part,
        Rule::def => Rule::whole_def,
        Rule::cond => Rule::whole_cond,
        Rule::weight => Rule::whole_weight,
        Rule::sothat => Rule::whole_sothat,
        Rule::change => Rule::whole_change,
        Rule::pat => Rule::whole_pat,
        Rule::duty => Rule::whole_duty,
        Rule::outcome => Rule::whole_outcome,
        Rule::step => Rule::whole_step,
        _ => Rule::whole_section,
    }
}

/// How a section or a line of one is written, where nothing better is known.
fn form_of(rule: Rule) -> &'static str {
    if let Some(section) = SECTIONS.iter().find(|section| section.rule == rule) {
        return section.form;
    }
    match rule {
        Rule::change => "as in: centre becomes ball, or: a -> b",
        Rule::pat => "as in: turn { put or pass }",
        Rule::duty => "as in: must capture, or: extra turn when any corner",
        Rule::outcome => "as in: end { mover wins when line(3, own, directions); draw when stuck }",
        Rule::part => "as in: cell : empty next_to own, no enemy next_to cell",
        Rule::def => "as in: n = count own",
        Rule::cond => "as in: if count own > 3",
        Rule::weight => "as in: weight case n { 1: 4; 2: 6; 3: 4 }",
        Rule::sothat => "as in: so that no enemy next_to cell",
        Rule::step => "as in: test \"the first move\" { play c3; illegal c3 }",
        _ => "docs/language.md has the form of every line",
    }
}

/// The words that are never names.
pub(super) const RESERVED: &[&str] = &[
    "again", "and", "any", "as", "becomes", "before", "but", "case", "chain", "count", "div", "each", "else", "every",
    "gets", "for", "if", "in", "is", "maybe", "mod", "must", "no", "not", "of", "or", "possible", "some", "the",
    "then", "until", "when", "while", "with",
];

fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

pub(super) const JOINING: &str =
    "moves of a turn are joined by `,` (one after the other), `or` (the player chooses) and `else`";
pub(super) const OUTCOMES: &str =
    "write `WHO wins`, `WHO loses`, `draw` or `best score`, then `when` and a condition, then a reason in quotes";

/// How far the parser came: not into the word it refused, nor into the line after.
fn furthest(error: &Error<Rule>, text: &str) -> usize {
    let reached = match error.location {
        InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
    };
    let furthest = error.parse_attempts().map_or(reached, |attempts| attempts.max_position.max(reached));
    let passed = text.get(reached..furthest).unwrap_or("");
    if is_reserved(passed.trim()) {
        return reached;
    }
    let blank = passed.len() - passed.trim_end().len();
    if passed[passed.len() - blank..].contains('\n') { furthest - blank } else { furthest }
}

/// A sign or keyword as an expectation; none for blanks, comments and the bodies of names.
fn describe_token(token: &str) -> Option<String> {
    match token {
        "\n" | "\r\n" | "\r" | ";" => Some("the end of the line".to_owned()),
        text if text.trim().is_empty()
            || matches!(text, "//" | "." | "_" | "BUILTIN_RULE" | "a..z" | "A..Z" | "0..9") =>
        {
            None
        }
        text => Some(format!("`{text}`")),
    }
}

/// The line that holds an odd number of quotation marks, up to a place; comments do not count.
fn odd_quote(text: &str, until: usize) -> Option<(usize, usize)> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let (mut inside, mut first, mut end) = (false, None, line.trim_end().len());
        for (at, c) in line.char_indices() {
            match c {
                '"' => {
                    inside = !inside;
                    first = first.or(Some(at));
                }
                '/' if !inside && line[at..].starts_with("//") => {
                    end = line[..at].trim_end().len();
                    break;
                }
                _ => {}
            }
        }
        if let (true, Some(first)) = (inside, first) {
            return Some((start + first, start + end.max(first + 1)));
        }
        start += line.len();
        if start > until {
            return None;
        }
    }
    None
}

/// The names and keywords in a text.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// What a grammar rule is called towards people; none for rules that would only confuse.
fn describe(rule: Rule) -> Option<String> {
    let debug = format!("{rule:?}");
    if let Some(keyword) = debug.strip_prefix("k_") {
        return Some(format!("`{keyword}`"));
    }
    let text = match rule {
        Rule::name | Rule::lone | Rule::player | Rule::head | Rule::param | Rule::piece_name => "a name",
        Rule::string | Rule::notation => "a quoted text",
        Rule::int | Rule::half | Rule::signed | Rule::decimal => "a number",
        Rule::expr
        | Rule::conj
        | Rule::overlap
        | Rule::negation
        | Rule::cmp
        | Rule::sum
        | Rule::prod
        | Rule::phrase
        | Rule::term => "an expression",
        Rule::pat | Rule::alt | Rule::seq | Rule::unit => "a pattern of moves",
        Rule::value | Rule::option_values => "a value",
        Rule::option_range => "a range",
        Rule::change | Rule::becomes | Rule::move_to | Rule::gets | Rule::slice | Rule::exchange => "a change",
        Rule::result => "who wins, loses or draws",
        Rule::event => "a move",
        Rule::args => "`(`",
        Rule::nl | Rule::EOI => "the end of the line",
        _ => return None,
    };
    Some(text.to_owned())
}

fn or_list(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn texts_that_are_read_at_once_are_explained_as_one_alone_is() {
        let text = "if count own > > 3";
        let told = || in_detail(Rule::whole_cond, text).map(|error| format!("{error:?}"));
        let alone = told();
        assert!(alone.is_some());
        let differ = |_| (0..300).filter(|_| told() != alone).count();
        let found: usize = thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|at| scope.spawn(move || differ(at))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(found, 0);
    }
}
