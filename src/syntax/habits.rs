//! What people write who know rule sheets or other languages, where a line cannot be read, with what is written here instead.

use super::parse::Rule;
use crate::diagnostic::{Applicability, Diagnostic};
use std::ops::Range;

/// A habit from elsewhere that says by itself what is wrong with a line. Places are counted from where the line begins.
pub(super) struct Habit {
    pub place: Range<usize>,
    pub message: String,
    pub help: String,
    /// What is written instead of which place.
    pub mended: Option<(Range<usize>, String, Applicability)>,
}

impl Habit {
    fn new(place: Range<usize>, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { place, message: message.into(), help: help.into(), mended: None }
    }

    /// With a replacement that mends it for certain.
    fn fix(self, place: Range<usize>, text: impl Into<String>) -> Self {
        Self { mended: Some((place, text.into(), Applicability::Safe)), ..self }
    }

    /// With a replacement that somebody should look at first.
    fn guess(self, place: Range<usize>, text: impl Into<String>) -> Self {
        Self { mended: Some((place, text.into(), Applicability::Unsafe)), ..self }
    }
}

/// The habit by which a line of some form cannot be read beyond a place, if it is one of these.
pub(super) fn habit(rule: Rule, text: &str, stop: usize) -> Option<Habit> {
    let rest = text.get(stop..)?;
    let anywhere = curly_quote(text, stop).or_else(|| foreign_letter(text, stop));
    let anywhere = anywhere.or_else(|| part_of_several(text, stop)).or_else(|| set_without_brackets(text, stop));
    let anywhere = anywhere.or_else(|| one_of_several_numbers(text, stop));
    anywhere.or_else(|| match rule {
        Rule::cond => change_behind_if(text).or_else(|| reason_behind_if(text, stop)),
        Rule::change => if_behind_change(text).or_else(|| commas_between_sites(text, stop)),
        Rule::pat => choice_announced(text),
        Rule::track => no_and_yes(text).or_else(|| first_value_last(text, stop)).or_else(|| text_first(text, stop)),
        Rule::part => condition_behind_guard(text, stop),
        Rule::option if rest.starts_with('-') => Some(
            Habit::new(stop..stop + 1, "`-` does not fit here", "a range is written with two dots, as in `3..5`")
                .fix(stop..stop + 1, ".."),
        ),
        Rule::option if rest.trim_start_matches([' ', '\t']).is_empty() || rest.starts_with(['\n', '\r']) => {
            Some(no_default(text, stop))
        }
        _ => None,
    })
}

/// Quotation marks of word processors.
const CURLY: [char; 8] = ['“', '”', '„', '‟', '«', '»', '‘', '’'];

/// A text behind `if`, where only `so that` tells players a reason.
fn reason_behind_if(text: &str, stop: usize) -> Option<Habit> {
    let rest = text.get(stop..).filter(|rest| rest.starts_with('"'))?;
    let length = rest.get(1..)?.find('"')? + 2;
    let line = text.get(..stop)?;
    let condition = line.trim_start().strip_prefix("if ")?.trim_end();
    Some(Habit::new(
        stop..stop + length,
        "no reason stands behind `if`",
        format!(
            "make it a comment, `if {condition}   // ...`; a reason is told to players behind `so that`, which asks about the board after the move"
        ),
    ))
}

/// A text in curly quotes.
fn curly_quote(text: &str, stop: usize) -> Option<Habit> {
    let rest = text.get(stop..)?;
    let quote = rest.chars().next().filter(|c| CURLY.contains(c))?;
    let line = rest.lines().next().unwrap_or(rest);
    let inner = &line[quote.len_utf8()..];
    let closing = inner.char_indices().find(|(_, c)| CURLY.contains(c) || *c == '"');
    let length = closing.map_or(quote.len_utf8(), |(at, c)| quote.len_utf8() + at + c.len_utf8());
    let within = closing.map_or("", |(at, _)| &inner[..at]);
    let straight = if closing.is_some() { format!("\"{within}\"") } else { "\"".to_owned() };
    let message = format!("`{quote}` is no quotation mark of the language");
    let place = stop..stop + length;
    Some(
        Habit::new(place.clone(), message, "texts stand between straight quotation marks, as in \"three in a row\"")
            .fix(place, straight),
    )
}

/// A name with a letter that no name can have.
fn foreign_letter(text: &str, stop: usize) -> Option<Habit> {
    let letter = text.get(stop..)?.chars().next().filter(|c| c.is_alphabetic() && !c.is_ascii())?;
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let start = text[..stop].trim_end_matches(is_part).len();
    let end = text.len() - text[stop..].trim_start_matches(is_part).len();
    let message = format!("`{}` cannot be a name: it has the letter `{letter}`", &text[start..end]);
    Some(Habit::new(start..end, message, "names are made of the letters a to z and A to Z, digits and `_`"))
}

/// Words that a set of words does not have: behind them something else begins.
const NO_SET: [&str; 8] = ["some", "no", "any", "every", "count", "is", "in", "not"];

/// `for x in A or B`, `no x in A or B with C`: behind `in` stands one set.
fn set_without_brackets(text: &str, stop: usize) -> Option<Habit> {
    let before = text.get(..stop)?;
    let start = before.rfind(" in ")? + " in ".len();
    let mut words = before[..start].split_whitespace().rev().skip(1);
    let (name, word) = (words.next()?, words.next()?.trim_start_matches(['{', '(', '[']));
    // What stands in brackets of the set itself does not end it.
    let outer = without_brackets(&text[start..]);
    let sign = outer.find([')', '}', ']', ':', ',', ';', '\n', '"']).unwrap_or(outer.len());
    if !["for", "some", "no", "every"].contains(&word) || start + sign < stop {
        return None;
    }
    let with = word_at(&outer[..sign], "with");
    let set = text[start..start + with.unwrap_or(sign)].trim_end();
    let outer = &outer[..set.len()];
    // A question needs its `with`, or what stands behind `or` is another condition.
    let asks = word == "some" || word == "no";
    if asks && with.is_none() || NO_SET.iter().any(|word| word_at(outer, word).is_some()) || outer.contains('=') {
        return None;
    }
    let (joined, at) = ["or", "and"].into_iter().find_map(|word| Some((word, start + word_at(outer, word)?)))?;
    let place = start..start + set.len();
    let message = format!("`{joined}` does not fit here: behind `in` stands one set");
    let help = format!("put the sets that are joined in brackets: `{word} {name} in ({set})`");
    Some(Habit::new(at..at + joined.len(), message, help).fix(place, format!("({set})")))
}

/// `n = 0, 2 or 4`, `n in (0, 2, 4)`: a number that is one of several.
fn one_of_several_numbers(text: &str, stop: usize) -> Option<Habit> {
    let (before, rest) = text.split_at_checked(stop)?;
    let digits = |c: char| c.is_ascii_digit();
    let head = before.trim_end_matches(digits);
    let bracket = head.trim_end().strip_suffix('(');
    let compared = bracket.unwrap_or(head).trim_end();
    let what = ["=", " is", " in"].into_iter().find_map(|sign| compared.strip_suffix(sign))?.trim_end();
    if what.ends_with(['<', '>', '!', '=']) {
        return None;
    }
    // Where the question begins that the numbers belong to.
    let outer = without_brackets(what);
    let starts = ["if", "that", "when", "and", "or", "not", "with"];
    let word = outer.rfind([',', ':']).map(|at| at + 1);
    let begins =
        starts.into_iter().filter_map(|word| Some(last_word_at(&outer, word)? + word.len())).chain(word).max()?;
    let (gap, what) = (what[begins..].len() - what[begins..].trim_start().len(), what[begins..].trim());
    let mut numbers: Vec<Range<usize>> = std::iter::once(head.len()..stop).collect();
    let mut at = stop;
    while let Some(behind) = ["or", ","].into_iter().find_map(|sign| text[at..].trim_start().strip_prefix(sign)) {
        let number = behind.trim_start().trim_start_matches("or ").trim_start();
        let length = number.len() - number.trim_start_matches(digits).len();
        if length == 0 {
            break;
        }
        let from = text.len() - number.len();
        numbers.push(from..from + length);
        at = from + length;
    }
    if what.is_empty() || numbers.len() < 2 || numbers.iter().any(Range::is_empty) || !rest.starts_with(',') {
        return None;
    }
    if bracket.is_some() {
        at = text.len() - text[at..].trim_start().strip_prefix(')')?.len();
    }
    let each: Vec<String> = numbers.into_iter().map(|number| format!("{what} = {}", &text[number])).collect();
    let written = format!("({})", each.join(" or "));
    let help = format!(
        "each number is compared by itself: `{written}`; numbers without a gap are a range, as in `{what} in 1 .. 3`"
    );
    let habit = Habit::new(stop..stop + 1, "`,` does not fit here: a comparison takes one number", help);
    Some(habit.guess(begins + gap..at, written))
}

/// A part of several moves at once, as in `(step or jump).from this turn`.
fn part_of_several(text: &str, stop: usize) -> Option<Habit> {
    let (before, rest) = text.split_at_checked(stop)?;
    let inner = before.strip_suffix(')')?;
    let open = inner.rfind('(')?;
    let moves: Vec<&str> = inner[open + 1..].split(" or ").map(str::trim).collect();
    let is_name = |name: &&str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let part = rest.strip_prefix('.')?.split_whitespace().next()?;
    if moves.len() < 2 || !moves.iter().all(is_name) || !is_name(&part) {
        return None;
    }
    let spans = ["this turn", "last turn", "so far"];
    let behind = rest[1 + part.len()..].trim_start();
    let span = spans.into_iter().find(|span| behind.starts_with(span));
    let end = span.map_or(stop + 1 + part.len(), |span| text.len() - behind.len() + span.len());
    let when = span.unwrap_or("this turn");
    let each: Vec<String> = moves.iter().map(|name| format!("{name}.{part} {when}")).collect();
    let written = format!("({})", each.join(" or "));
    let habit = Habit::new(
        stop..stop + 1 + part.len(),
        format!("`.{part}` is asked of one move, not of several"),
        format!("ask it of each: `{written}`"),
    );
    Some(habit.fix(open..end, written))
}

/// A text in which blanks stand for what is in brackets, and for these.
fn without_brackets(text: &str) -> String {
    let mut open = 0_usize;
    let blank = |c: char| " ".repeat(c.len_utf8());
    let outer = |c: char| {
        let (opens, closes) = (['(', '{', '['].contains(&c), [')', '}', ']'].contains(&c));
        let within = open > 0 || opens;
        open = if opens { open + 1 } else { open.saturating_sub(usize::from(closes)) };
        if within { blank(c) } else { c.to_string() }
    };
    text.chars().map(outer).collect()
}

/// Where a word stands in a text, outside quotes.
fn word_at(text: &str, wanted: &str) -> Option<usize> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(wanted).map(|(at, _)| at).find(|at| {
        let free = !text[..*at].ends_with(is_part) && !text[at + wanted.len()..].starts_with(is_part);
        free && text[..*at].matches('"').count().is_multiple_of(2)
    })
}

/// Where a word stands last in a text without quotes.
fn last_word_at(text: &str, wanted: &str) -> Option<usize> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.rmatch_indices(wanted)
        .map(|(at, _)| at)
        .find(|at| !text[..*at].ends_with(is_part) && !text[at + wanted.len()..].starts_with(is_part))
}

/// Whether something is written as a change.
pub(super) fn is_change(text: &str) -> bool {
    word_at(text, "becomes").is_some() || text.contains("->") || word_at(text, "gets").is_some()
}

/// `if C then x becomes y`.
fn change_behind_if(text: &str) -> Option<Habit> {
    let then = word_at(text, "then").filter(|_| word_at(text, "else").is_none())?;
    let condition = text[..then].trim().strip_prefix("if")?.trim();
    let change = text[then + "then".len()..].trim();
    if !is_change(change) {
        return None;
    }
    let written = format!("{change} when {condition}");
    let help = format!("the condition of a change stands behind it: `{written}`");
    let place = then..then + "then".len();
    Some(Habit::new(place, "`then` does not fit here", help).guess(0..text.trim_end().len(), written))
}

/// `x becomes y if C`.
fn if_behind_change(text: &str) -> Option<Habit> {
    let at = word_at(text, "if").filter(|at| *at > 0 && word_at(text, "then").is_none())?;
    let place = at..at + "if".len();
    let help = "a condition stands behind `when`";
    Some(Habit::new(place.clone(), "`if` does not fit here", help).fix(place, "when"))
}

/// `a1, b1 becomes y`.
fn commas_between_sites(text: &str, stop: usize) -> Option<Habit> {
    let becomes = word_at(text, "becomes").filter(|_| text[stop..].starts_with(','))?;
    if is_change(&text[..stop]) {
        let help = "two changes stand on lines of their own, or have a `;` between them";
        return Some(Habit::new(stop..stop + 1, "`,` does not fit here", help).fix(stop..stop + 1, ";"));
    }
    let sites = text[..becomes].trim_end();
    let joined = sites.split(',').map(str::trim).collect::<Vec<_>>().join(" or ");
    let help = format!("several sites are joined by `or`: `{joined} becomes ...`; a whole row is `row(1)`");
    let found = Habit::new(stop..stop + 1, "`,` does not fit here", help);
    Some(if sites.contains('(') { found } else { found.guess(0..sites.len(), joined) })
}

/// `track left : 0..9 each turn = 1`.
fn first_value_last(text: &str, stop: usize) -> Option<Habit> {
    let value = text.get(stop..)?.strip_prefix('=')?;
    let value = value.split(['"', '\n', ';']).next()?.split("//").next()?;
    let before = text[..stop].trim_end().strip_suffix("turn")?.trim_end().strip_suffix("each")?;
    let place = before.len()..stop + "=".len() + value.trim_end().len();
    let written = format!("= {} each turn", value.trim());
    let help = format!("what it begins with stands before `each turn`: `{}{written}`", before.trim_start());
    Some(Habit::new(stop..stop + 1, "`=` does not fit here", help).fix(place, written))
}

/// `track raised : no, yes = no`: names that stand before sets, or for options.
fn no_and_yes(text: &str) -> Option<Habit> {
    let at = word_at(text, "no").filter(|at| text[..*at].contains(':'))?;
    let end = text.find(['"', '\n', ';']).unwrap_or(text.len());
    let others = |word: &str| match word {
        "no" => "off".to_owned(),
        "yes" => "on".to_owned(),
        other => other.to_owned(),
    };
    let written: String = text
        .get(..end)?
        .split_inclusive(|c: char| !c.is_ascii_alphanumeric())
        .map(|piece| {
            let word = piece.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
            format!("{}{}", others(word), &piece[word.len()..])
        })
        .collect();
    let help =
        format!("give the values other names, as in `{}`, and ask for them by `is`: `... is on`", written.trim());
    let habit = Habit::new(
        at..at + "no".len(),
        "`no` cannot be the name of a value: it stands before a set, as in `no own`",
        help,
    );
    Some(habit.guess(0..end, written))
}

/// What a tracked value is, said before its range: `track hand "..." : 0..9 = 9`.
fn text_first(text: &str, stop: usize) -> Option<Habit> {
    let said = text.get(stop..).filter(|rest| rest.starts_with('"'))?;
    let length = said.get(1..)?.find('"')? + 2;
    let (said, behind) = said.split_at_checked(length)?;
    let range = behind.trim_start().strip_prefix(':')?;
    // Up to where the declaration ends.
    let range = range.split(['"', '\n', ';']).next()?.split("//").next()?.trim_end();
    let end = text.len() - behind.len() + behind.find(range)? + range.len();
    let written = format!("{}:{range} {said}", if text[..stop].ends_with(' ') { "" } else { " " });
    let help = format!("what it is stands behind its values: `{}{written}`", text[..stop].trim_start());
    Some(Habit::new(stop..stop + length, "the text does not fit here", help).fix(stop..end, written))
}

/// `to : S when C, D`.
fn condition_behind_guard(text: &str, stop: usize) -> Option<Habit> {
    let further = text.get(stop..)?.strip_prefix(',')?.split([';', '\n']).next()?.split("//").next()?.trim();
    let when = word_at(&text[..stop], "when")?;
    let guard = text[when..stop].trim();
    // A comma within brackets is another mistake.
    let whole = |text: &str| {
        ['(', '{', '[']
            .iter()
            .zip([')', '}', ']'])
            .all(|(open, close)| text.matches(*open).count() == text.matches(close).count())
    };
    if !whole(guard) || !whole(further) {
        return None;
    }
    let written = format!("{}, {further} {guard}", text[..when].trim_end());
    let help = format!(
        "what a part must fulfil stands before the `when`, which says whether it is picked at all: `{written}`"
    );
    let end = stop + text[stop..].find(further)? + further.len();
    let found = Habit::new(stop..stop + 1, "`,` does not fit here", help);
    Some(if further.is_empty() { found } else { found.fix(0..end, written) })
}

/// `either put or pass`, `choose put or pass`.
fn choice_announced(text: &str) -> Option<Habit> {
    let word = text.split_whitespace().next().filter(|word| matches!(*word, "either" | "choose"))?;
    let moves = text[word.len()..].trim_start();
    let message = format!("`{word}` does not fit here");
    let found = Habit::new(0..word.len(), message, "`or` alone lets the player choose: turn { put or pass }");
    // With commas all moves would be made.
    Some(if moves.contains(" or ") { found.guess(0..text.len() - moves.len(), "") } else { found })
}

/// `option size : 3, 5, 7`.
fn no_default(text: &str, stop: usize) -> Habit {
    let written = text[..stop].trim_end();
    let first = written.rsplit(':').next().and_then(|values| values.split([',', '.']).next()).unwrap_or("").trim();
    let help = match written.contains(':') && !first.is_empty() {
        true => {
            format!("say at the end which value that is, as in `{written} = {first}`")
        }
        false => "as in: option side : 3..9 = 5, or: option opening : free, fixed = free".to_owned(),
    };
    Habit::new(stop..stop, "the option has no value that holds where nobody chooses one", help)
}

/// `hand(mover) -= 1`: what is counted, and how the change is written.
pub(super) fn counted(text: &str) -> Option<String> {
    let sign = text.find("-=").or_else(|| text.find("+="))?;
    let (what, number) = (text[..sign].trim(), text[sign + 2..].trim());
    let operator = &text[sign..=sign];
    (!what.is_empty() && !number.is_empty()).then(|| format!("{what} becomes {what} {operator} {number}"))
}

/// A line that begins with a minus is not read as one with the line before it.
pub(super) const MINUS_FIRST: &str = "a line cannot begin with `-`: where a difference goes on in the next line, write the `-` at the end of the line before";

/// Words in a place where other lines have them, or where newcomers look for them.
pub(super) fn out_of_order(
    rule: Rule,
    text: &str,
    (found, begins): (&str, bool),
    diagnostic: Diagnostic,
) -> Diagnostic {
    if found.starts_with('\'') {
        return diagnostic.help("texts stand in double quotes, and the mover's sites are `own`");
    }
    if found.starts_with('%') {
        return diagnostic
            .help("there are no percentages: more than half of all sites is `2 * count(own) > count(site)`");
    }
    if text.trim_start().starts_with('-') {
        return diagnostic.help(MINUS_FIRST);
    }
    let asks = matches!(rule, Rule::outcome | Rule::cond | Rule::sothat);
    if (found == "with" && asks_of_every(text)) || (found == ":" && asks && names_every_member(text)) {
        return diagnostic.help(
            "that something holds of every member of a set is written `no x in S with not (C)`, and that every member lies in another set `every S is T`",
        );
    }
    if found == "for"
        && let Some(help) = gathered(rule, text)
    {
        return diagnostic.help(help);
    }
    if found == "for" && !matches!(rule, Rule::piece) {
        return diagnostic.help("what is done to several sites is written `every x in S: x becomes empty`");
    }
    match rule {
        Rule::cond | Rule::sothat | Rule::outcome | Rule::duty => in_condition(rule, text, (found, begins), diagnostic),
        Rule::pat => in_pattern(text, found, diagnostic),
        Rule::change | Rule::part | Rule::def => in_change(text, found, diagnostic),
        _ => in_section(rule, text, (found, begins), diagnostic),
    }
}

/// `E for d in S` without braces, or with `some` before the name: what is written instead.
fn gathered(rule: Rule, text: &str) -> Option<String> {
    let at = word_at(text, "for")?;
    let (before, behind) = (text[..at].trim(), text[at + "for".len()..].trim());
    let asks = ["some ", "any "].iter().find_map(|word| behind.strip_prefix(word));
    let (name, set) = asks.unwrap_or(behind).split_once(" in ")?;
    let (name, set) = (name.trim(), set.split([',', '\n', ';', '}']).next()?.trim());
    let condition = match rule {
        Rule::cond => before.strip_prefix("if ").map(str::trim),
        Rule::part => last_comma(before).and_then(|at| before.get(at + 1..)).map(str::trim),
        _ => None,
    };
    if let Some(condition) = condition {
        return Some(format!(
            "that it holds for one of several is asked with the name first: `some {name} in {set} with ({condition})`"
        ));
    }
    let value = match rule {
        Rule::part => before.split_once(':')?.1.trim(),
        Rule::def => before.split_once('=')?.1.trim(),
        _ => return None,
    };
    Some(format!("what is gathered for each of several stands in braces: `{{ {value} for {name} in {set} }}`"))
}

/// Where the last comma stands that is within no brackets.
fn last_comma(text: &str) -> Option<usize> {
    let mut depth = 0_i32;
    text.char_indices().rev().find_map(|(at, c)| {
        depth += match c {
            ')' | '}' | ']' => 1,
            '(' | '{' | '[' => -1,
            _ => 0,
        };
        (c == ',' && depth == 0).then_some(at)
    })
}

/// `every x in S with C` as a condition.
fn asks_of_every(text: &str) -> bool {
    names_every_member(text) && word_at(text, "every").is_some_and(|at| !text[at..].contains(':'))
}

/// `every x in S`.
fn names_every_member(text: &str) -> bool {
    let behind = word_at(text, "every").map(|at| &text[at + "every".len()..]);
    behind.is_some_and(|behind| behind.split_whitespace().nth(1) == Some("in"))
}

/// Whether somebody asks what is possible, and does not open a bracket for it.
fn asks_one_move(text: &str) -> bool {
    word_at(text, "possible").is_some_and(|at| !text[at + "possible".len()..].trim_start().starts_with('('))
}

/// In lines of `end`, and conditions of moves.
fn in_condition(rule: Rule, text: &str, (found, begins): (&str, bool), diagnostic: Diagnostic) -> Diagnostic {
    let span = diagnostic.span;
    match (rule, found) {
        (_, "," | "else" | "then" | "with" | "until" | "such" | "maybe" | "again" | "pass")
            if asks_one_move(text) =>
        {
            diagnostic.help("`possible` takes the name of one move; more than that stands in brackets behind it: possible (jump else step)")
        }
        (Rule::cond | Rule::sothat, ",") => diagnostic
            .help("write `and` between two conditions, or each on a line of its own")
            .guess("write `and`", span, " and"),
        (Rule::outcome, ",") => {
            diagnostic.help("write `and` between two conditions").guess("write `and`", span, " and")
        }
        (Rule::cond | Rule::outcome, "then") => diagnostic.help(
            "`if` lets a move be made or not; how the game ends is said in `end`, as in: draw when count own > 3",
        ),
        (_, ">" | ">=" | "<" | "<=" | "=" | "!=") if text.contains(" in ") => {
            diagnostic.help("what lies in two sets is written side by side: `count(own row(1)) > 3`")
        }
        (Rule::outcome, "after") => {
            diagnostic.help("turns are counted by `turn`, as in: draw when turn > 100 \"too long\"")
        }
        (_, "\"" | "and" | "or") if text.contains("some ") && text.contains(" in ") && !text.contains(" with ") => diagnostic
            .help("behind `some x in S` stands `with` and a condition on `x`; that something lies in two sets is `any own row(1)`"),
        (Rule::outcome, "otherwise") => diagnostic.help(
            "a line without `when` ends the game after the first ply; say when, as in: draw when no empty \"full\"",
        ),
        (Rule::outcome, "when" | "if") => who_wins(text, diagnostic),
        (Rule::outcome, "score") if !begins => diagnostic.help(
            "who has the most points wins by `best score`, who has the fewest by `lowest score`: best score when no empty \"full\"",
        ),
        (Rule::outcome, "player") if !begins => diagnostic.help(
            "a condition says when somebody wins: mover wins when count own >= 3, or of any player: any p wins when count(of p) >= 3",
        ),
        (Rule::outcome, ":") => {
            diagnostic.help("a condition stands behind `when`").guess("write `when`", span, " when")
        }
        (
            Rule::outcome,
            "any" | "no" | "some" | "every" | "not" | "count" | "stuck" | "own" | "enemy" | "turn" | "ply" | "line"
            | "connects",
        ) if !begins => {
            diagnostic.help("a condition stands behind `when`").guess("write `when`", span, format!("when {found}"))
        }
        _ => diagnostic,
    }
}

/// `win when C`, `tie when C`: a line of `end` that does not say who wins.
fn who_wins(text: &str, diagnostic: Diagnostic) -> Diagnostic {
    match text.split_whitespace().next().unwrap_or("") {
        "win" | "wins" | "victory" => diagnostic.help("say who wins: mover wins when line(3, own, directions)"),
        "lose" | "loses" | "loss" => diagnostic.help("say who loses: next loses when stuck"),
        "tie" | "tied" | "stalemate" => diagnostic.help("a game that nobody wins is a `draw`: draw when no empty"),
        _ => diagnostic,
    }
}

/// In patterns of turns.
fn in_pattern(text: &str, found: &str, diagnostic: Diagnostic) -> Diagnostic {
    let span = diagnostic.span;
    match found {
        "if" => {
            diagnostic.help("of moves joined by `else` the first that is possible is played: turn { jump else step }")
        }
        "otherwise" | "elseif" => diagnostic
            .help("write `else`: what stands behind it is played only if what stands before it is not possible")
            .guess("write `else`", span, "else"),
        "instead" => diagnostic.help("moves of which the player chooses one are joined by `or`: turn { swap or put }"),
        "and" | "then" | "followed" | "&" | "+" => {
            diagnostic.help("moves that are made one after the other are joined by `,`: turn { step, step }")
        }
        "=" | "!=" | "<" | "<=" | ">" | ">=" | "is" | "in" | "count" | "any" | "no" | "some" | "every" | "not"
            if word_at(text, "when").is_some_and(|at| word_at(&text[at..], "or").is_some()) => diagnostic.help(
            "`or` joins moves, behind `when` too: put a condition with `or` in brackets, as in `step when (turn = 1 or mover is White)`",
        ),
        "optional" => diagnostic.help("what may be left out stands behind `maybe`: turn { step, maybe jump }"),
        "twice" => diagnostic.help("name it twice: turn { step, step }"),
        "again" => diagnostic.help("`again` stands before what may be repeated: turn { step, again jump }"),
        "must" | "such" | "extra" | "next" => diagnostic.help(
            "the moves come first, as in `step or jump`, and what must be done on a line of its own behind them: must jump",
        ),
        _ if found.starts_with('?') => diagnostic
            .help("what may be left out stands behind `maybe`, and a turn in which nothing is played is `pass`: turn { put or pass }"),
        _ if text.trim_start().starts_with(|c: char| c.is_ascii_uppercase()) => diagnostic
            .help("a turn is that of whoever moves, and names no player: turn { put }"),
        _ => diagnostic,
    }
}

/// `cell : near else empty`: one set where it has members, and else another.
fn otherwise(text: &str) -> Option<String> {
    let (before, behind) = text.split_once("else")?;
    let set = before.split_once([':', '='])?.1.trim();
    let other = behind.split([',', '\n', ';', '}']).next()?.trim();
    Some(format!("one set or another is chosen by a condition: `if any ({set}) then {set} else {other}`"))
}

/// In changes, parts and definitions.
fn in_change(text: &str, found: &str, diagnostic: Diagnostic) -> Diagnostic {
    let span = diagnostic.span;
    if text.trim_start().starts_with("every ") && !text.contains(':') {
        return diagnostic.help("a `:` stands behind the set: every x in S: x becomes empty");
    }
    if text.trim_start() == "then" || text.trim_start().starts_with("then ") {
        return diagnostic.help(
            "what is done after each turn is done at once, and so is a change with a name: only moves have stages. What would be read in between can be said by a word, or tracked and changed by the move",
        );
    }
    if text.trim_start().starts_with("repeat") {
        return diagnostic.help(
            "what is done several times stands in a move, and is written: repeat at most 3 while any own { x -> y }",
        );
    }
    match found {
        "becomes" | "->" | "gets" | ":" if is_part(text) => {
            diagnostic.help("two lines stand on one here: write a `;` between them, or begin a new line")
        }
        "else" if is_part(text) => match otherwise(text) {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        },
        ")" if ["any)", "any )"].iter().any(|written| text.contains(written)) => {
            diagnostic.help("all directions are `directions`, as in `ahead(x, directions)`")
        }
        "=" => diagnostic.help("what stands on a site, and a number that is kept, change by `becomes`").guess(
            "write `becomes`",
            span,
            "becomes",
        ),
        _ if !is_change(text) && !is_part(text) => {
            diagnostic.help("a change names the place first: `row(1) becomes man of White`, or: a -> b")
        }
        _ => diagnostic,
    }
}

/// Whether something begins like a part or a definition.
fn is_part(text: &str) -> bool {
    text.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').trim_start().starts_with([':', '='])
}

/// In lines outside of braces.
fn in_section(rule: Rule, text: &str, (found, begins): (&str, bool), diagnostic: Diagnostic) -> Diagnostic {
    let span = diagnostic.span;
    let number = found.starts_with(|c: char| c.is_ascii_digit());
    match (rule, found) {
        (Rule::players, _) if text.split_whitespace().nth(1).is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit())) => {
            diagnostic.help("players have names: players Black, White")
        }
        (Rule::players, _) if !begins && found.chars().all(|c| c.is_alphanumeric() || c == '_') => {
            diagnostic.help("a comma stands between two players, as in: players White facing N, Black facing S")
        }
        (Rule::board, _) if number => {
            diagnostic.help("a board is a shape with its sizes in brackets: board square(8), board rectangle(8, 5)")
        }
        (Rule::mv, "else") => diagnostic.help(
            "a change that depends on a condition has a `when` of its own: `from -> to as king of mover when C`, and `from -> to when not C`",
        ),
        (Rule::mv, "to") => diagnostic.help("within a move a piece goes by an arrow: `from -> to`"),
        (Rule::after_each, _) => {
            diagnostic.help("changes come after each ply or after each turn: after each turn { corner becomes empty }")
        }
        (Rule::game, "author") => diagnostic.help("the author stands behind `by`").fix("write `by`", span, "by"),
        (Rule::mv, "\"") if begins || text.split_whitespace().nth(1).is_some_and(|word| word.starts_with('"')) => {
            diagnostic.help("the name of the move comes first, and then how it is written: move put \"{cell}\" { ... }")
        }
        (Rule::mv, "{") => diagnostic.help("how the move is written stands in quotes: move put \"{cell}\" { ... }"),
        (Rule::turn, _) if found.starts_with(|c: char| c.is_ascii_uppercase()) => diagnostic.help(
            "a turn is that of whoever moves; what only one player may do has a condition: turn { step when mover is White or jump }",
        ),
        (Rule::piece, "for") => diagnostic
            .help("whose pieces they are is said by `of`, as in: piece man, king of each player")
            .guess("write `of`", span, "of"),
        (Rule::piece, "each") if !begins => {
            diagnostic.help("write `of each player`").fix("write `of each`", span, "of each")
        }
        (Rule::piece, ":") => diagnostic.help("there is no `:` in: piece stone of each player").fix("take it out", span, ""),
        (Rule::piece, "moves" | "move" | "jumps") => diagnostic.help(
            "how pieces move is said by moves: move step \"{from}-{to}\" { from : own man; to : empty next_to from; from -> to }",
        ),
        (Rule::piece, _) if number => diagnostic.help(
            "a kind of piece is named once, and `start` says how many there are; of stones that are put down in play a number is kept: track hand(player) : 0..12 = 12",
        ),
        (Rule::piece, "shape") => {
            diagnostic.help("the shape stands behind the name of the piece: piece man shape crowned of each player")
        }
        (Rule::region | Rule::word, "," | "{") if !text.contains('(') => {
            diagnostic.help("several sites are joined by `or`: region home = a1 or a2 or b1")
        }
        (Rule::drop, _) if !begins => {
            diagnostic.help("name what is dropped alone, and more behind commas, as in: drop step, score")
        }
        _ => diagnostic,
    }
}

/// A sign as other languages write it.
pub(super) struct Foreign {
    pub start: usize,
    pub end: usize,
    /// How it is written here.
    pub own: &'static str,
    pub help: &'static str,
}

/// What a sign from elsewhere is written as here.
pub(super) fn foreign(rule: Rule, text: &str, at: usize) -> Option<Foreign> {
    let at = at.min(text.len());
    let mut from = at.saturating_sub(1);
    while !text.is_char_boundary(from) {
        from -= 1;
    }
    let asks = matches!(rule, Rule::outcome | Rule::cond | Rule::sothat | Rule::duty | Rule::part);
    let arrow = if asks { (">=", "write `>=`") } else { ("->", "an arrow is written `->`") };
    [
        ("=>", arrow.0, arrow.1),
        ("<>", "!=", "write `!=`"),
        ("==", "=", "two values are compared with a single `=`"),
        ("&&", "and", "write `and`"),
        ("||", "or", "write `or`"),
        ("!(", "not (", "write `not`"),
        ("≠", "!=", "write `!=`"),
        ("≤", "<=", "write `<=`"),
        ("≥", ">=", "write `>=`"),
        ("→", "->", "an arrow is written `->`"),
    ]
    .into_iter()
    .find_map(|(sign, own, help)| {
        let start = [from, at].into_iter().find(|start| text[*start..].starts_with(sign))?;
        Some(Foreign { start, end: start + sign.len(), own, help })
    })
}
