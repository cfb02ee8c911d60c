//! Fixes applied to a text: in rounds, and only as long as the text gets better by them.

use crate::diagnostic::{Applicability, Diagnostic, Fix};
use crate::source::{SourceId, Sources};

/// After so many rounds whatever is left has to be mended by hand.
const MAX_ROUNDS: usize = 20;

/// Checks a text.
pub type Check<'c> = &'c dyn Fn(&str) -> (Vec<Diagnostic>, Sources);

/// A fix that was made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Made {
    /// Line and column in the text of its round, both from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// What was wrong.
    pub message: String,
    /// What was done about it.
    pub title: String,
}

/// A text after its fixes.
#[derive(Clone, Debug)]
pub struct Mended {
    /// The text as it is now.
    pub text: String,
    /// What was done, in the order of the text.
    pub made: Vec<Made>,
}

/// Applies the fixes of a text, those that are certain or all of them, until none is left that makes it better.
/// `main` is the text among the sources that may be changed.
#[must_use]
pub fn mend(text: &str, main: &str, trust: Applicability, check: Check<'_>) -> Mended {
    let mut mended = Mended { text: text.to_owned(), made: Vec::new() };
    let (mut found, mut sources) = check(text);
    for _ in 0..MAX_ROUNDS {
        let Some(id) = sources.iter().find(|(_, source)| source.name == main).map(|(id, _)| id) else { break };
        let fixes = apart(&found, id, trust);
        if fixes.is_empty() {
            break;
        }
        // All at once where that is good; else each by itself, for one may spoil what another mends.
        let all: Vec<&(&Diagnostic, &Fix)> = fixes.iter().collect();
        let tries = std::iter::once(all).chain(fixes.iter().map(|one| vec![one]));
        let better = tries.into_iter().find_map(|chosen| {
            let next = apply(&mended.text, chosen.iter().map(|(_, fix)| *fix));
            let (left, sources) = check(&next);
            let progress = weight(&left) < weight(&found);
            let made = chosen.iter().map(|(diagnostic, fix)| {
                let (line, column) = place(&mended.text, fix.span.start as usize);
                Made { line, column, message: diagnostic.message.clone(), title: fix.title.clone() }
            });
            progress.then(|| (next, left, sources, made.collect::<Vec<_>>()))
        });
        let Some((text, left, after, made)) = better else { break };
        mended.text = text;
        mended.made.extend(made);
        (found, sources) = (left, after);
    }
    mended
}

fn place(text: &str, offset: usize) -> (usize, usize) {
    let mut sources = Sources::default();
    let id = sources.add("", text);
    sources.get(id).map_or((1, 1), |source| {
        let at = source.locate(offset);
        (at.line, at.column)
    })
}

/// How bad a text is: errors first.
fn weight(found: &[Diagnostic]) -> (usize, usize) {
    (found.iter().filter(|diagnostic| diagnostic.is_error()).count(), found.len())
}

/// The first trusted fix of each diagnostic, none of which touch one another, in the order of the text.
fn apart(found: &[Diagnostic], main: SourceId, trust: Applicability) -> Vec<(&Diagnostic, &Fix)> {
    let mut fixes: Vec<(&Diagnostic, &Fix)> = found
        .iter()
        .filter_map(|diagnostic| {
            let trusted = |fix: &&Fix| fix.span.source == main && fix.applicability <= trust;
            diagnostic.fixes.iter().find(trusted).map(|fix| (diagnostic, fix))
        })
        .collect();
    fixes.sort_by_key(|(_, fix)| (fix.span.start, fix.span.end));
    let mut end = None;
    fixes.retain(|(_, fix)| {
        let free = end.is_none_or(|end| fix.span.start > end);
        if free {
            end = Some(fix.span.end);
        }
        free
    });
    fixes
}

/// The text with these replacements, which do not touch. A line that becomes empty goes away.
#[must_use]
pub fn apply<'f>(text: &str, fixes: impl Iterator<Item = &'f Fix>) -> String {
    let mut out = String::new();
    let mut at = 0;
    for fix in fixes {
        let (mut start, mut end) = (fix.span.start as usize, fix.span.end as usize);
        if start < at || end > text.len() || !text.is_char_boundary(start) || !text.is_char_boundary(end) {
            continue;
        }
        if fix.replacement.is_empty() {
            let line = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
            let rest = text[end..].find('\n').map_or(text.len(), |newline| end + newline + 1);
            if text[line..start].trim().is_empty() && text[end..rest].trim().is_empty() && line >= at {
                (start, end) = (line, rest);
            }
        }
        out.push_str(&text[at..start]);
        out.push_str(&fix.replacement);
        at = end;
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Code;
    use crate::source::Span;

    /// A language in which `a` is wrong and should be `b`, or rather `c` (a guess), and `bb` is worse than anything.
    fn check(text: &str) -> (Vec<Diagnostic>, Sources) {
        let mut sources = Sources::default();
        let id = sources.add("x", text);
        let mut found = Vec::new();
        for (at, _) in text.match_indices('a') {
            let span = Span::new(id, at, at + 1);
            found.push(Diagnostic::new(Code::UnknownName, span, "an a").fix("write b", span, "b"));
        }
        for (at, _) in text.match_indices("bb") {
            let span = Span::new(id, at, at + 2);
            let one = Diagnostic::new(Code::UnknownName, span, "two b");
            found.extend([one.clone(), one.clone().label("once more"), one.label("and again")]);
        }
        for (at, _) in text.match_indices('?') {
            let span = Span::new(id, at, at + 1);
            found.push(Diagnostic::new(Code::Unused, span, "a doubt").guess("remove it", span, ""));
        }
        (found, sources)
    }

    #[test]
    fn a_text_gets_better_or_stays() {
        let safe = |text: &str| mend(text, "x", Applicability::Safe, &check).text;
        assert_eq!(safe("a.a.a"), "b.b.b");
        // Both at once would be worse; one of them is not.
        assert_eq!(safe("a.ba.a"), "b.ba.b");
        assert_eq!(safe("ab"), "ab");
        assert_eq!(safe("x?"), "x?");
        assert_eq!(mend("x\n ?\ny?", "x", Applicability::Unsafe, &check).text, "x\ny");
        assert_eq!(mend("a", "other", Applicability::Safe, &check).made, []);
    }
}
