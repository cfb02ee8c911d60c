//! Several sites that are printed one behind the other, read in any order.

use super::{Piece, tidy};
use crate::board::{Site, SiteSet};
use crate::rules::Rules;

/// A text that can be read in more ways than this is not gone through to its end.
const MOST: usize = 1_000;

/// What may stand between two sites of a set.
fn separated(rest: &str) -> &str {
    let rest = rest.trim_start();
    rest.strip_prefix(['-', '+', '/', '&']).unwrap_or(rest).trim_start()
}

/// Whether a text is the move with the members of its sets in any order.
pub(super) fn fits(pieces: &[Piece], input: &str) -> bool {
    let Some((piece, later)) = pieces.split_first() else { return input.is_empty() };
    match piece {
        Piece::Set(text) => {
            let printed = text.to_lowercase();
            members(printed.split(' ').collect(), input, &|rest| fits(later, rest))
        }
        Piece::Always(text) | Piece::Dash(text) => begins(text, input).is_some_and(|rest| fits(later, rest)),
        Piece::Needed(text) | Piece::Optional(text) => {
            begins(text, input).is_some_and(|rest| fits(later, rest)) || fits(later, input)
        }
    }
}

fn begins<'i>(text: &str, input: &'i str) -> Option<&'i str> {
    let text = tidy(text);
    input.strip_prefix(&text).map(str::trim_start).or_else(|| text.trim().is_empty().then_some(input))
}

/// Takes all names off the beginning of a text, whatever their order.
fn members(left: Vec<&str>, input: &str, then: &dyn Fn(&str) -> bool) -> bool {
    if left.is_empty() {
        return then(input.trim_start());
    }
    // Of names that begin alike the longer one is tried first.
    let mut tried: Vec<usize> = (0..left.len()).filter(|at| input.starts_with(left[*at])).collect();
    tried.sort_by_key(|at| std::cmp::Reverse(left[*at].len()));
    tried.into_iter().any(|at| {
        let mut rest = left.clone();
        let name = rest.remove(at);
        let after = &input[name.len()..];
        let after = if rest.is_empty() { after } else { separated(after) };
        members(rest, after, then)
    })
}

/// So many different sites with which a text begins, and how long that is.
pub(super) fn sites(rules: &Rules, count: usize, text: &str) -> Vec<(Vec<Site>, usize)> {
    fn more(rules: &Rules, count: usize, whole: &str, rest: &str, taken: SiteSet, found: &mut Vec<(Vec<Site>, usize)>) {
        if found.len() >= MOST {
            return;
        }
        if count == 0 {
            found.push((taken.iter().collect(), whole.len() - rest.len()));
            return;
        }
        for site in (rules.board.all() - taken).iter() {
            let Some(after) = rest.strip_prefix(rules.board.name(site).to_lowercase().as_str()) else { continue };
            let after = if count == 1 { after } else { separated(after) };
            more(rules, count - 1, whole, after, taken | SiteSet::single(site), found);
        }
    }
    let mut found = Vec::new();
    more(rules, count, text, text, SiteSet::EMPTY, &mut found);
    found
}
