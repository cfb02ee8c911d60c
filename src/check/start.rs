//! Positions that are given: the start and those of tests, as changes or as drawings.

use super::named::Order;
use super::{Checker, Defined};
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::*;
use crate::source::Span;
use crate::syntax::ast::{self};

impl Checker<'_> {
    pub(super) fn check_start(&mut self) {
        let project = self.project;
        let Some(setup) = project
            .items()
            .find_map(|item| if let ast::ItemKind::Start(setup) = &item.kind { Some(setup.clone()) } else { None })
        else {
            return;
        };
        self.rules.start = self.setup(&setup);
    }

    /// The changes that make a position: as written, or read off a drawing.
    pub(super) fn setup(&mut self, setup: &ast::Setup) -> Vec<Change> {
        match setup {
            ast::Setup::Changes(changes) => {
                let mut made = Vec::new();
                let changes = self.written_out(changes, Order::InTurn, &mut made);
                self.written = made;
                let changes = self.changes_in_turn(&changes);
                self.warn_begun_anew(&changes);
                let changes = changes.into_iter().flat_map(|change| self.with_values_alone(change)).collect();
                self.written.clear();
                changes
            }
            ast::Setup::Drawn(drawn) => self.drawn_setup(drawn),
        }
    }

    /// The first row of a drawing that has not as many sites as that of the board, with the numbers of both; none where the
    /// rows themselves are too many or too few.
    fn uneven_row(
        &self,
        drawn: &ast::Drawn,
        marks: &[(usize, &str)],
        sites: &[crate::board::Site],
    ) -> Option<(Span, usize, usize)> {
        let mut known: Vec<(i64, usize)> = Vec::new();
        for site in sites {
            let row = (self.rules.board.xy(*site).1 * 1000.0) as i64;
            match known.last_mut().filter(|(last, _)| *last == row) {
                Some((_, count)) => *count += 1,
                None => known.push((row, 1)),
            }
        }
        let mut rows: Vec<(Span, usize)> = Vec::new();
        let mut start = 0;
        for line in drawn.text.split_inclusive('\n') {
            let end = start + line.len();
            let mut found = marks.iter().filter(|(offset, _)| (start..end).contains(offset));
            if let (Some((first, mark)), last) = (found.next(), found.clone().next_back()) {
                let end = last.map_or(first + mark.len(), |(offset, mark)| offset + mark.len());
                let from = drawn.span.start as usize;
                rows.push((Span::new(drawn.span.source, from + first, from + end), found.count() + 1));
            }
            start = end;
        }
        let uneven = rows.iter().zip(&known).find(|((_, drawn), (_, known))| drawn != known);
        let ((span, drawn), (_, known)) = uneven.filter(|_| rows.len() == known.len())?;
        Some((*span, *drawn, *known))
    }

    /// A drawn position: one mark a site in reading order of the board; capitals and `2`, `3` say whose.
    fn drawn_setup(&mut self, drawn: &ast::Drawn) -> Vec<Change> {
        let marks: Vec<(usize, &str)> = drawn
            .text
            .split_whitespace()
            .map(|mark| (mark.as_ptr() as usize - drawn.text.as_ptr() as usize, mark))
            .filter(|(_, mark)| !matches!(*mark, "-" | "*"))
            .collect();
        let mut sites: Vec<crate::board::Site> = self.rules.board.all().iter().collect();
        let place = |site: &crate::board::Site| {
            let (x, y) = self.rules.board.xy(*site);
            ((y * 1000.0) as i64, (x * 1000.0) as i64)
        };
        sites.sort_by_key(place);
        if !self.board_known {
            return Vec::new();
        }
        if marks.len() != sites.len() {
            let message = format!("the drawing has {} sites, and the board {}", marks.len(), sites.len());
            let diagnostic = match self.uneven_row(drawn, &marks, &sites) {
                Some((row, drawn, known)) => Diagnostic::new(Code::BadDrawing, row, message)
                    .label(format!("{drawn} here, and {known} in this row of the board")),
                None => Diagnostic::new(Code::BadDrawing, drawn.span, message),
            };
            self.report(diagnostic.help("one mark for each site, `.` for an empty one"));
            return Vec::new();
        }
        let mut changes = Vec::new();
        for ((offset, mark), site) in marks.into_iter().zip(sites) {
            let is_mark = |kind: &Kind| kind.mark.eq_ignore_ascii_case(mark);
            if matches!(mark, "." | "o" | "_") && !self.rules.kinds.iter().any(is_mark) {
                continue;
            }
            let start = drawn.span.start as usize + offset;
            let span = Span::new(drawn.span.source, start, start + mark.len());
            let unowned = mark.split('/').find_map(|mark| Some((mark, self.without_capital(mark)?)));
            if let Some((mark, kind)) = unowned {
                let message = format!("`{mark}` does not say whose piece it is");
                let letter = self.free_mark(&kind.name);
                let help = format!("give the piece a letter as its mark: {} \"{letter}\"", kind.name);
                let label = format!("the mark of `{}`, which is no letter and so has no capital", kind.name);
                self.report(Diagnostic::new(Code::BadDrawing, span, message).label(label).help(help));
                return Vec::new();
            }
            // From the bottom to the top.
            let pieces: Option<Vec<Content>> = mark.split('/').map(|mark| self.marked(mark)).collect();
            let Some(pieces) = pieces.or_else(|| self.marked(mark).map(|piece| vec![piece])) else {
                let known: Vec<&str> = self.rules.kinds.iter().map(|kind| kind.mark.as_str()).collect();
                self.report(
                    Diagnostic::new(Code::BadDrawing, span, format!("`{mark}` stands for no piece"))
                        .label(format!("the marks are {}", known.join(" ")))
                        .help("the first player's pieces in capitals, the second's in small letters; or a mark with the player's number: D1 D2"),
                );
                return Vec::new();
            };
            for kind in pieces.iter().filter_map(|piece| piece.kind()) {
                if let Some(kind) = self.rules.kinds.get(usize::from(kind.0)) {
                    let name = kind.name.clone();
                    self.mark_used(Defined::Piece, &name);
                }
            }
            let target = Expr::constant(Value::of_site(site), span);
            let piece = |piece: Content| Expr::constant(Value::Piece(Some(piece)), span);
            let kind = match pieces.as_slice() {
                [only] => ChangeKind::Becomes { target, piece: piece(*only) },
                _ => {
                    self.ask_for_stacks(span);
                    let pieces = pieces.into_iter().map(piece).collect();
                    ChangeKind::Gets { target, pieces, bottom: false }
                }
            };
            changes.push(Change { each: None, kind, guard: None, carried: false, span });
        }
        changes
    }

    /// The piece of a mark that is the same for all players who have it.
    fn without_capital(&self, mark: &str) -> Option<&Kind> {
        let kind = self.rules.kinds.iter().find(|kind| kind.mark == mark)?;
        let owned = !kind.neutral && self.rules.players.len() > 1;
        (owned && mark.to_uppercase() == mark.to_lowercase()).then_some(kind)
    }

    /// A letter that no piece has as its mark, one of the name if possible.
    pub(super) fn free_mark(&self, name: &str) -> String {
        let taken = |letter: &String| self.rules.kinds.iter().any(|kind| kind.mark.eq_ignore_ascii_case(letter));
        let name = name.to_lowercase();
        let mut letters = name.chars().filter(|letter| letter.is_alphabetic()).chain('a'..='z').map(String::from);
        letters.find(|letter| !taken(letter)).unwrap_or_default()
    }

    pub(super) fn marked(&self, mark: &str) -> Option<Content> {
        let (letters, number) = match mark.find(|c: char| c.is_ascii_digit()) {
            Some(at) if at > 0 => (&mark[..at], mark[at..].parse::<u8>().ok()),
            _ => (mark, None),
        };
        let index = self.rules.kinds.iter().position(|kind| kind.mark.eq_ignore_ascii_case(letters))?;
        let kind = KindId(index as u8);
        if self.rules.kinds.get(index)?.neutral {
            return Some(Content::piece(kind, None));
        }
        let owner = match number {
            Some(number) => number.checked_sub(1)?,
            None => u8::from(!letters.chars().any(char::is_uppercase)),
        };
        (usize::from(owner) < self.rules.players.len()).then(|| Content::piece(kind, Some(PlayerId(owner))))
    }
}
