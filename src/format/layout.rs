//! Tokens put into lines: where blanks stand, how far a line is set in, what stands in columns.

use crate::syntax::{Role, Token, TokenKind};

/// How far a level is set in.
const STEP: usize = 2;
/// Where the texts and comments at the ends of lines begin, if the line leaves room.
const TAIL: usize = 64;
/// How far a line beyond that is from what stands at its end.
const GAP: usize = 3;

/// A token, or a group of rows that keeps its own shape.
#[derive(Clone, Copy)]
struct Piece<'t> {
    text: &'t str,
    kind: TokenKind,
    role: Role,
    /// The bracket's block goes over several lines.
    tall: bool,
}

impl Piece<'_> {
    fn opens(&self) -> bool {
        self.kind == TokenKind::Sign && matches!(self.text, "(" | "[" | "{")
    }

    fn closes(&self) -> bool {
        self.kind == TokenKind::Sign && matches!(self.text, ")" | "]" | "}")
    }

    fn is_block(&self) -> bool {
        matches!(self.role, Role::BlockOpen | Role::TurnOpen)
    }

    fn is(&self, sign: &str) -> bool {
        self.kind == TokenKind::Sign && self.text == sign
    }

    fn is_word(&self, words: &[&str]) -> bool {
        self.kind == TokenKind::Keyword && words.contains(&self.text)
    }

    /// No line begins with it: it goes on with the one before.
    fn continues(&self) -> bool {
        self.is_word(&["and", "or", "else", "with", "when", "until", "but", "as", "for"])
            || (self.is_word(&["then"]) && self.role != Role::Stage)
            || self.is("=")
            || self.is(",")
            || self.is("->")
    }

    /// No line ends with it.
    fn expects_more(&self) -> bool {
        let sign = self.kind == TokenKind::Sign && !self.opens() && !self.closes() && self.role != Role::Separator;
        let word = self.is_word(&["and", "or", "but", "div", "mod", "then", "else"]) && self.role != Role::Stage;
        sign || word
    }
}

#[derive(Default)]
struct Line<'t> {
    blank_before: bool,
    pieces: Vec<Piece<'t>>,
}

impl Line<'_> {
    fn is_comment(&self) -> bool {
        self.pieces.first().is_some_and(|piece| piece.kind == TokenKind::Comment)
    }
}

/// What a column is made of; neighbouring lines with the same form one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Column {
    Part,
    Case,
    Pattern,
    Turn,
    Arrow,
    Guard,
}

impl Column {
    /// The least blanks before the column.
    fn gap(self) -> usize {
        if self == Self::Guard { GAP } else { 1 }
    }

    /// What is longer than this does not push the others away.
    fn widest(self) -> usize {
        if self == Self::Guard { 60 } else { 32 }
    }
}

/// A line as text, cut where columns begin.
#[derive(Default)]
struct Cut {
    blank_before: bool,
    indent: usize,
    cells: Vec<(Option<Column>, String)>,
    /// The text or comment at the end.
    tail: Vec<String>,
    comment: bool,
}

/// The text in the one layout.
pub fn lay_out(text: &str, tokens: &[Token]) -> String {
    let pieces = pieces(text, tokens);
    let lines = lines(&pieces);
    let mut cuts = indented(&lines);
    for columns in [&[Column::Part, Column::Case, Column::Pattern, Column::Turn, Column::Arrow][..], &[Column::Guard]] {
        align(&mut cuts, columns);
    }
    let mut out = String::new();
    for cut in cuts {
        if cut.blank_before {
            out.push('\n');
        }
        out.push_str(&cut.finish());
        out.push('\n');
    }
    out
}

/// The tokens with what the layout has to know about brackets. `None` is a newline.
fn pieces<'t>(text: &'t str, tokens: &[Token]) -> Vec<Option<Piece<'t>>> {
    let mut pieces: Vec<Option<Piece<'_>>> = Vec::with_capacity(tokens.len());
    let mut open: Vec<usize> = Vec::new();
    for token in tokens {
        let slice = text.get(token.span.range()).unwrap_or("");
        if token.kind == TokenKind::Newline {
            pieces.push(None);
            continue;
        }
        let piece = Piece { text: slice, kind: token.kind, role: token.role, tall: false };
        if piece.opens() {
            open.push(pieces.len());
        } else if piece.closes()
            && let Some(start) = open.pop()
        {
            let within = &pieces[start + 1..];
            let empty = within.iter().flatten().all(|piece| {
                matches!(piece.kind, TokenKind::Drawing | TokenKind::MoveBlock) && piece.text.trim().is_empty()
            });
            let tall = !empty && within.iter().any(|piece| piece.is_none_or(|piece| piece.text.contains('\n')));
            let block = pieces[start].is_some_and(|piece| piece.is_block());
            if empty && block {
                pieces.truncate(start + 1);
            }
            let tall = tall && block;
            if let Some(opening) = &mut pieces[start] {
                opening.tall = tall;
            }
            pieces.push(Some(Piece { tall, ..piece }));
            continue;
        }
        pieces.push(Some(piece));
    }
    pieces
}

/// Lines as the author broke them; blocks of several lines begin behind their brace and end before it.
fn lines<'t>(pieces: &[Option<Piece<'t>>]) -> Vec<Line<'t>> {
    let mut lines: Vec<Line<'t>> = Vec::new();
    let mut line = Line::default();
    let mut newlines = 0;
    for (at, piece) in pieces.iter().enumerate() {
        let Some(piece) = piece else {
            newlines += 1;
            continue;
        };
        let last = line.pieces.last().copied();
        if piece.is(";") {
            let next = pieces[at + 1..].iter().find(|next| next.is_none_or(|next| !next.is(";")));
            let idle = match next {
                None | Some(None) => true,
                Some(Some(next)) => next.kind == TokenKind::Comment || next.role == Role::BlockClose,
            };
            let begins = newlines > 0 || last.is_none_or(|last| last.is_block() || last.is(";"));
            if idle || begins {
                continue;
            }
        }
        let after_brace = last.is_some_and(|last| last.is_block() && last.tall) && piece.kind != TokenKind::Comment;
        let before_brace = piece.role == Role::BlockClose && piece.tall;
        if newlines > 0 || after_brace || before_brace {
            let open = last.is_some_and(|last| last.opens());
            let blank = newlines > 1 && !open && !piece.closes();
            if !line.pieces.is_empty() {
                lines.push(std::mem::take(&mut line));
            }
            line.blank_before = blank && !lines.is_empty();
        }
        newlines = 0;
        line.pieces.push(*piece);
    }
    if !line.pieces.is_empty() {
        lines.push(line);
    }
    lines
}

/// A bracket that is still open.
struct Frame {
    /// Where its line begins.
    outer: usize,
    /// Where what it holds begins.
    inner: usize,
    block: bool,
    /// The present line of the block went on with `=`, and what follows it belongs behind that.
    defining: bool,
}

/// How far each line is set in, and where its columns are.
fn indented(lines: &[Line<'_>]) -> Vec<Cut> {
    let mut stack = vec![Frame { outer: 0, inner: 0, block: true, defining: false }];
    let mut before: Option<Piece<'_>> = None;
    let mut cuts = Vec::with_capacity(lines.len());
    for (at, line) in lines.iter().enumerate() {
        // A comment stands as what it speaks of.
        let code = lines[at..].iter().find(|line| !line.is_comment());
        let first = code.and_then(|line| line.pieces.first());
        let closes = line.pieces.iter().take_while(|piece| piece.closes()).count();
        let outer = stack.get(stack.len().saturating_sub(closes)).map_or(0, |frame| frame.outer);
        let Some(frame) = stack.last_mut() else { break };
        let in_block = frame.block;
        let continued =
            in_block && (first.is_some_and(Piece::continues) || before.is_some_and(|before| before.expects_more()));
        let further = if frame.defining { 2 * STEP } else { STEP };
        let indent = if closes > 0 { outer } else { frame.inner + if continued { further } else { 0 } };
        let defines = continued && first.is_some_and(|first| first.is("="));
        let anchor = if defines { indent + STEP } else { indent };
        if closes == 0 && !line.is_comment() {
            frame.defining = continued && (frame.defining || defines);
        }
        for piece in &line.pieces {
            if piece.opens() {
                stack.push(Frame { outer: anchor, inner: anchor + STEP, block: piece.is_block(), defining: false });
            } else if piece.closes() && stack.len() > 1 {
                stack.pop();
            }
            if piece.kind != TokenKind::Comment {
                before = Some(*piece);
            }
        }
        let blank_before = line.blank_before && in_block && !continued;
        match line.pieces.as_slice() {
            [shape] if matches!(shape.kind, TokenKind::Drawing | TokenKind::MoveBlock) => {
                cuts.extend(shaped(shape, indent));
            }
            _ => cuts.push(cut(line, indent, blank_before)),
        }
    }
    cuts
}

/// Rows of a drawing keep their places to each other, lines of moves are set in alike.
fn shaped(shape: &Piece<'_>, indent: usize) -> Vec<Cut> {
    let rows = if shape.kind == TokenKind::Drawing { rows(shape.text) } else { moves(shape.text) };
    let row = |text: String| Cut {
        indent: if text.is_empty() { 0 } else { indent },
        cells: vec![(None, text)],
        ..Cut::default()
    };
    rows.into_iter().map(row).collect()
}

/// The rows of a drawing, without blank ones above and below, moved to the left as far as all can.
pub fn rows(text: &str) -> Vec<String> {
    let rows: Vec<&str> = text.split('\n').map(|row| row.trim_end_matches([' ', '\r', '\t'])).collect();
    let first = rows.iter().position(|row| !row.is_empty()).unwrap_or(0);
    let end = rows.iter().rposition(|row| !row.is_empty()).map_or(first, |last| last + 1);
    let rows = &rows[first..end];
    let blanks = |row: &&str| row.len() - row.trim_start_matches(' ').len();
    let left = rows.iter().filter(|row| !row.is_empty()).map(blanks).min().unwrap_or(0);
    rows.iter().map(|row| row.get(left..).unwrap_or("").to_owned()).collect()
}

fn moves(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.trim().lines().map(|line| line.trim().to_owned()).collect();
    lines.dedup_by(|next, before| next.is_empty() && before.is_empty());
    lines
}

fn cut(line: &Line<'_>, indent: usize, blank_before: bool) -> Cut {
    let mut cut = Cut { blank_before, indent, cells: vec![(None, String::new())], ..Cut::default() };
    cut.comment = line.is_comment();
    let comment = line.pieces.last().is_some_and(|piece| piece.kind == TokenKind::Comment);
    let code = line.pieces.len() - usize::from(comment);
    let doc = code > 1 && line.pieces[code - 1].role == Role::Doc;
    let body = if cut.comment { line.pieces.len() } else { code - usize::from(doc) };
    let one_line = line.pieces[..code].last().is_some_and(|piece| piece.closes());
    let tall = line.pieces.last().is_some_and(|piece| piece.opens());
    let mut depth = 0usize;
    let mut taken = [false; 2];
    for at in 0..body {
        let piece = &line.pieces[at];
        let before = at.checked_sub(1).map(|at| &line.pieces[at]);
        let case = before.is_some_and(|before| before.role == Role::CaseColon);
        let column = match piece.role {
            _ if depth > 0 || at == 0 => None,
            Role::PartMark => Some(Column::Part),
            Role::PatternMark if before.is_some_and(|before| before.kind == TokenKind::Name) => Some(Column::Pattern),
            Role::TurnOpen if one_line => Some(Column::Turn),
            Role::Arrow => Some(Column::Arrow),
            Role::Guard => Some(Column::Guard),
            _ if case && !tall => Some(Column::Case),
            _ => None,
        };
        // One column of names, and one of conditions.
        let column = column.filter(|column| !taken[usize::from(*column == Column::Guard)]);
        match (column, before) {
            (Some(column), _) => {
                taken[usize::from(column == Column::Guard)] = true;
                cut.cells.push((Some(column), String::new()));
            }
            (None, Some(before)) => {
                let behind = at.checked_sub(2).map(|at| &line.pieces[at]);
                if piece.role == Role::Doc {
                    cut.push(&" ".repeat(GAP));
                } else if spaced(before, piece, behind, line.pieces.get(at + 1)) {
                    cut.push(" ");
                }
            }
            (None, None) => {}
        }
        if piece.opens() {
            depth += 1;
        } else if piece.closes() {
            depth = depth.saturating_sub(1);
        }
        let text = if matches!(piece.kind, TokenKind::Drawing | TokenKind::MoveBlock | TokenKind::Comment) {
            piece.text.trim()
        } else {
            piece.text
        };
        cut.push(text);
    }
    cut.tail = line.pieces[body..].iter().map(|piece| piece.text.trim_end().to_owned()).collect();
    cut
}

/// Whether a blank stands between two tokens of a line.
fn spaced(before: &Piece<'_>, piece: &Piece<'_>, behind: Option<&Piece<'_>>, next: Option<&Piece<'_>>) -> bool {
    let number = |piece: Option<&Piece<'_>>| piece.is_some_and(|piece| piece.kind == TokenKind::Number);
    // `1..9`, but `1 .. n`
    let tight_range = (piece.is("..") && number(Some(before)) && number(next))
        || (before.is("..") && number(behind) && number(Some(piece)));
    let glued = piece.is(",")
        || piece.is(";")
        || piece.is(")")
        || piece.is("]")
        || piece.is(".")
        || before.is("(")
        || before.is("[")
        || before.is(".")
        || before.role == Role::Minus
        || matches!(piece.role, Role::ArgumentsOpen | Role::Colon | Role::CaseColon | Role::Ends)
        || before.role == Role::Ends
        || (piece.is("(") && before.is_word(&["count"]))
        || tight_range;
    !glued
}

impl Cut {
    fn push(&mut self, text: &str) {
        if let Some((_, cell)) = self.cells.last_mut() {
            cell.push_str(text);
        }
    }

    fn column(&self, columns: &[Column]) -> Option<(usize, Column)> {
        self.cells
            .iter()
            .enumerate()
            .find_map(|(at, (column, _))| column.filter(|column| columns.contains(column)).map(|column| (at, column)))
    }

    /// How wide the line is before a cell.
    fn width(&self, cell: usize) -> usize {
        self.indent + self.cells[..cell].iter().map(|(_, text)| text.chars().count()).sum::<usize>()
    }

    fn finish(self) -> String {
        let mut out = " ".repeat(self.indent);
        for (_, cell) in &self.cells {
            out.push_str(cell);
        }
        for (at, text) in self.tail.iter().enumerate() {
            let width = out.chars().count();
            let blanks = if at == 0 && width + 2 <= TAIL { TAIL - width } else { GAP };
            out.push_str(&" ".repeat(blanks));
            out.push_str(text);
        }
        let kept = out.trim_end().len();
        out.truncate(kept);
        out
    }
}

/// Lets the cells of neighbouring lines begin at one column.
fn align(cuts: &mut [Cut], columns: &[Column]) {
    let mut start = 0;
    while start < cuts.len() {
        let Some((_, column)) = cuts[start].column(columns) else {
            start += 1;
            continue;
        };
        let indent = cuts[start].indent;
        let same = |cut: &Cut| cut.indent == indent && cut.column(columns).is_some_and(|(_, other)| other == column);
        let more = cuts[start + 1..].iter().take_while(|cut| !cut.blank_before && same(cut)).count();
        let run = &mut cuts[start..=start + more];
        let width = |cut: &Cut| cut.column(columns).map_or(0, |(cell, _)| cut.width(cell));
        let widest = run.iter().map(width).filter(|width| *width <= indent + column.widest()).max().unwrap_or(0);
        for cut in run {
            let Some((cell, _)) = cut.column(columns) else { continue };
            let blanks = widest.saturating_sub(cut.width(cell)) + column.gap();
            if let Some((_, text)) = cut.cells.get_mut(cell) {
                text.insert_str(0, &" ".repeat(blanks));
            }
        }
        start += more + 1;
    }
}
