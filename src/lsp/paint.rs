//! Colours by meaning, and the types that nobody had to write.

use super::analysis::Analysis;
use super::text::{Encoding, Text};
use crate::check::{Meaning, Resolve};
use crate::rules::Type;
use crate::source::Span;
use crate::syntax::ast::{self, ItemKind};
use crate::syntax::{Role, TokenKind};
use lsp_types::{
    InlayHint, InlayHintKind, InlayHintLabel, SemanticToken, SemanticTokenModifier, SemanticTokenType,
    SemanticTokensLegend,
};
use std::collections::BTreeMap;
use std::ops::Range;

const TYPES: [SemanticTokenType; 15] = [
    SemanticTokenType::KEYWORD,
    SemanticTokenType::COMMENT,
    SemanticTokenType::STRING,
    SemanticTokenType::NUMBER,
    SemanticTokenType::OPERATOR,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::PARAMETER,
    SemanticTokenType::FUNCTION,
    SemanticTokenType::PROPERTY,
    SemanticTokenType::CLASS,
    SemanticTokenType::TYPE,
    SemanticTokenType::ENUM,
    SemanticTokenType::ENUM_MEMBER,
    SemanticTokenType::METHOD,
    SemanticTokenType::NAMESPACE,
];

/// The names of [`TYPES`].
const COLOURS: [&str; 15] = [
    "keyword",
    "comment",
    "string",
    "number",
    "operator",
    "variable",
    "parameter",
    "function",
    "property",
    "class",
    "type",
    "enum",
    "enumMember",
    "method",
    "namespace",
];

const DECLARATION: u32 = 1;
const LIBRARY: u32 = 2;

pub fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend {
        token_types: TYPES.to_vec(),
        token_modifiers: vec![SemanticTokenModifier::DECLARATION, SemanticTokenModifier::DEFAULT_LIBRARY],
    }
}

/// A stretch of one line with the name of its colour; lines and columns from 0, in units of UTF-16.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Painted {
    pub line: u32,
    pub column: u32,
    pub length: u32,
    pub colour: &'static str,
}

/// The colours of a whole text, for pages that are no editors.
#[must_use]
pub fn painted(name: &str, text: &str, resolve: &dyn Resolve) -> Vec<Painted> {
    let analysis = Analysis::new(name, Text::new(text.to_owned()), resolve);
    let (mut line, mut column) = (0, 0);
    semantic_tokens(&analysis, 0..text.len(), Encoding::Utf16)
        .into_iter()
        .map(|token| {
            column = if token.delta_line == 0 { column + token.delta_start } else { token.delta_start };
            line += token.delta_line;
            let colour = usize::try_from(token.token_type).ok().and_then(|at| COLOURS.get(at)).copied().unwrap_or("");
            Painted { line, column, length: token.length, colour }
        })
        .collect()
}

fn index(of: &SemanticTokenType) -> u32 {
    TYPES.iter().position(|known| known == of).and_then(|at| u32::try_from(at).ok()).unwrap_or(0)
}

/// The colours of the tokens within a range of bytes.
pub fn semantic_tokens(analysis: &Analysis, range: Range<usize>, encoding: Encoding) -> Vec<SemanticToken> {
    let main = analysis.main();
    let mut names: BTreeMap<u32, (SemanticTokenType, u32)> = BTreeMap::new();
    for found in analysis.names().filter(|found| found.span.source == main) {
        let standard = analysis.given(&found).is_none_or(|given| analysis.project.is_standard(given));
        let kind = match &found.meaning {
            Meaning::Local(_) => SemanticTokenType::VARIABLE,
            Meaning::Word | Meaning::Change | Meaning::Primitive => SemanticTokenType::FUNCTION,
            Meaning::Tracked => SemanticTokenType::PROPERTY,
            Meaning::Piece => SemanticTokenType::CLASS,
            Meaning::Player => SemanticTokenType::TYPE,
            Meaning::Option => SemanticTokenType::ENUM,
            Meaning::Value { .. } | Meaning::Direction | Meaning::Path => SemanticTokenType::ENUM_MEMBER,
            Meaning::Ruleset | Meaning::Shape | Meaning::Figure => SemanticTokenType::NAMESPACE,
            Meaning::Move | Meaning::Pattern => SemanticTokenType::METHOD,
            Meaning::Site => SemanticTokenType::NUMBER,
            Meaning::It => SemanticTokenType::VARIABLE,
        };
        let given = analysis.given(&found) == Some(found.span);
        let modifiers = if given { DECLARATION } else { 0 } | if standard { LIBRARY } else { 0 };
        names.entry(found.span.start).or_insert((kind, modifiers));
    }
    let mut out = Vec::new();
    let mut last = (0, 0);
    let mut before = Role::Unread;
    for token in analysis.tokens() {
        // The name behind the colon of a parameter is that of a type.
        let typed = std::mem::replace(&mut before, token.role) == Role::Colon;
        let (start, end) = (token.span.start as usize, token.span.end as usize);
        if end < range.start || start > range.end {
            continue;
        }
        let named = names
            .get(&token.span.start)
            .filter(|_| matches!(token.kind, TokenKind::Name | TokenKind::Keyword | TokenKind::Number));
        let (kind, modifiers) = match (named, token.kind) {
            (Some(named), _) => named.clone(),
            (None, TokenKind::Keyword) => (SemanticTokenType::KEYWORD, 0),
            (None, TokenKind::Comment) => (SemanticTokenType::COMMENT, 0),
            (None, TokenKind::Text | TokenKind::Moves | TokenKind::MoveBlock | TokenKind::Drawing) => {
                (SemanticTokenType::STRING, 0)
            }
            (None, TokenKind::Number) => (SemanticTokenType::NUMBER, 0),
            (None, TokenKind::Sign) if token.role != Role::Unread => (SemanticTokenType::OPERATOR, 0),
            (None, TokenKind::Name) if typed => (SemanticTokenType::TYPE, LIBRARY),
            (None, TokenKind::Name | TokenKind::Sign | TokenKind::Newline) => continue,
        };
        // A token of the protocol stays on its line.
        let mut at = start;
        for row in analysis.text.text[start..end].split_inclusive('\n') {
            let shown = row.trim_end_matches(['\n', '\r']);
            let blanks = shown.len() - shown.trim_start().len();
            let length = encoding.length(shown.trim_start());
            if length > 0 {
                let place = analysis.text.position(at + blanks, encoding);
                let delta_line = place.line - last.0;
                let delta_start = if delta_line == 0 { place.character - last.1 } else { place.character };
                last = (place.line, place.character);
                out.push(SemanticToken {
                    delta_line,
                    delta_start,
                    length,
                    token_type: index(&kind),
                    token_modifiers_bitset: modifiers,
                });
            }
            at += row.len();
        }
    }
    out
}

/// Types behind names that are given without one.
pub fn inlay_hints(analysis: &Analysis, range: Range<usize>, encoding: Encoding) -> Vec<InlayHint> {
    let main = analysis.main();
    let mut hints = Vec::new();
    let mut add = |span: Span, text: String| {
        if span.source == main && range.start <= span.end as usize && span.end as usize <= range.end {
            hints.push(InlayHint {
                position: analysis.text.position(span.end as usize, encoding),
                label: InlayHintLabel::String(text),
                kind: Some(InlayHintKind::TYPE),
                text_edits: None,
                tooltip: None,
                padding_left: None,
                padding_right: None,
                data: None,
            });
        }
    };
    let shown = |ty: Option<Type>| ty.map(Type::name).filter(|name| !name.is_empty());
    for item in analysis.project.items().filter(|item| item.span.source == main) {
        match &item.kind {
            ItemKind::Word(word) | ItemKind::Region(word) => {
                for param in word.params.iter().filter(|param| param.kind.is_none()) {
                    if let Some(ty) = shown(analysis.bound_type(param.name.span)) {
                        add(param.name.span, format!(": {ty}"));
                    }
                }
                let result = analysis.definition(&Meaning::Word, &word.name.text).and_then(|known| known.ty);
                if let Some(ty) = shown(result) {
                    add(head_end(analysis, word), format!(" : {ty}"));
                }
            }
            ItemKind::Move(mv) => {
                for (name, _, picked) in super::analysis::parts(mv) {
                    let ty = analysis.bound_type(name.span);
                    // Most parts are sites, and it is seen from their set.
                    if picked && ty == Some(Type::Sites) {
                        continue;
                    }
                    if let Some(ty) = shown(ty) {
                        add(name.span, format!(": {ty}"));
                    }
                }
            }
            _ => {}
        }
    }
    hints
}

/// Behind the name of a word, or the bracket with its parameters.
fn head_end(analysis: &Analysis, word: &ast::Definition) -> Span {
    let Some(last) = word.params.last() else { return word.name.span };
    let end = last.kind.as_ref().map_or(last.name.span.end, |kind| kind.span.end) as usize;
    let close = analysis.text.text[end..].find(')').map_or(end, |at| end + at + 1);
    Span::new(word.name.span.source, word.name.span.start as usize, close)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::Shipped;

    #[test]
    fn colours_have_the_names_of_the_protocol() {
        assert!(TYPES.iter().zip(COLOURS).all(|(kind, name)| kind.as_str() == name));
    }

    #[test]
    fn a_text_is_painted_line_by_line() {
        let text = "// \u{1F600}\nplayers A, B\n";
        let found = painted("x.game", text, &Shipped);
        let shown: Vec<_> = found.iter().map(|at| (at.line, at.column, at.length, at.colour)).collect();
        assert_eq!(
            shown,
            [(0, 0, 5, "comment"), (1, 0, 7, "keyword"), (1, 8, 1, "type"), (1, 9, 1, "operator"), (1, 11, 1, "type")]
        );
    }
}
