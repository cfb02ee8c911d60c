//! Moves as people write them who leave out what is plain.

use super::{PlayError, Position, notation};
use crate::board::Site;
use crate::rules::{Content, KindId};

impl Position {
    /// Which legal move a text means, also when it is written as people write who leave out what is plain: `e4`, `Nf3`,
    /// `e1g1`. What is a move in the notation of the rules, legal or not, is never read like that.
    pub fn find_short(&self, text: &str) -> Result<usize, PlayError> {
        let found = self.find(text);
        if !matches!(found, Err(PlayError::Illegal { .. })) {
            return found;
        }
        let written = notation::is_written(self.game().rules(), text);
        let meant = if written { self.carrying(text) } else { self.short(text) };
        match meant.as_slice() {
            [only] => Ok(*only),
            [] => found,
            several => {
                let candidates = several.iter().take(6).filter_map(|index| self.move_text(*index)).collect();
                Err(PlayError::Ambiguous { text: text.trim().to_owned(), candidates })
            }
        }
    }

    /// The legal moves that a text may be short for: it ends like the move from its last site on, and what stands before is
    /// part of the rest, in order.
    fn short(&self, text: &str) -> Vec<usize> {
        let situation = &self.situation();
        let rules = self.game().rules();
        let input = notation::bare(text);
        let fits = |index: &usize| {
            let Some(ply) = situation.legal.get(*index) else { return false };
            let sites = ply.parts(rules).filter_map(|value| value.site()).map(|site| rules.board.name(site));
            let whole = self.texts().whole(*index);
            sites.last().is_some_and(|last| notation::is_short_for(&input, &whole, last))
        };
        let all = || 0..situation.legal.len();
        let fitting: Vec<usize> = all().filter(fits).collect();
        if !fitting.is_empty() {
            return self.unsaid(fitting);
        }
        self.carrying(text)
    }

    /// The legal moves without parts that carry a piece between the two sites of a text, as castling carries the king.
    fn carrying(&self, text: &str) -> Vec<usize> {
        let situation = &self.situation();
        let (rules, input) = (self.game().rules(), notation::bare(text));
        let carried = |index: &usize| {
            let ply = situation.legal.get(*index);
            ply.is_some_and(|ply| ply.parts(rules).next().is_none())
                && self
                    .carried_by(*index)
                    .iter()
                    .any(|(from, to)| input == format!("{}{}", rules.board.name(*from), rules.board.name(*to)))
        };
        (0..situation.legal.len()).filter(carried).collect()
    }

    /// Where pieces of several kinds could make a move, the kind that is most numerous at the start of the game goes without
    /// saying, as pawns do.
    fn unsaid(&self, fitting: Vec<usize>) -> Vec<usize> {
        let kind = |index: &usize| {
            let site = self.situation().legal.get(*index)?.parts(self.game().rules()).find_map(|value| value.site())?;
            self.situation().state.content(site).kind()
        };
        let start = self.game().start();
        let number = |kind: Option<KindId>| {
            let state = &start.situation().state;
            kind.map_or(0, |kind| state.contents().iter().filter(|content| content.kind() == Some(kind)).count())
        };
        let most = fitting.iter().map(|index| number(kind(index))).max().unwrap_or(0);
        let plain: Vec<usize> = fitting.iter().copied().filter(|index| number(kind(index)) == most).collect();
        if plain.is_empty() { fitting } else { plain }
    }

    /// The pieces that the n-th legal move takes from one site to another, where there is no doubt which went where.
    pub(crate) fn carried_by(&self, index: usize) -> Vec<(Site, Site)> {
        let state = &self.situation().state;
        let changes = self.changes_by(index);
        let left = |content: Content| changes.iter().filter(move |(site, _)| state.content(*site) == content);
        let come = |content: Content| changes.iter().filter(move |(_, now)| *now == content);
        let carried = changes.iter().filter(|(_, content)| !content.is_empty()).filter_map(|(to, content)| {
            let from = left(*content).next()?.0;
            (left(*content).count() == 1 && come(*content).count() == 1).then_some((from, *to))
        });
        carried.collect()
    }
}
