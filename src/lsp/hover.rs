//! What is told about the name under the pointer, and about the values of a call.

use super::analysis::{Analysis, Found, signature};
use super::text::Encoding;
use crate::board::SizedShape;
use crate::board::text::draw;
use crate::check::Meaning;
use crate::rules::Type;
use crate::rules::catalogue::{self, Primitive};
use crate::source::Span;
use crate::syntax::ast::ItemKind;
use lsp_types::{
    Hover, HoverContents, MarkupContent, MarkupKind, ParameterInformation, ParameterLabel, SignatureHelp,
    SignatureInformation,
};

/// Boards with more lines than this are not shown.
const TALLEST: usize = 40;

pub fn hover(analysis: &Analysis, offset: usize, encoding: Encoding) -> Option<Hover> {
    let (span, value) = match analysis.at(offset) {
        Some(found) => (found.span, about(analysis, &found)?),
        None => section(analysis, offset)?,
    };
    Some(Hover {
        contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value }),
        range: Some(analysis.text.range(span.range(), encoding)),
    })
}

fn code(text: &str) -> String {
    format!("```ludwright\n{text}\n```")
}

fn picture(text: &str) -> String {
    format!("```text\n{}\n```", text.trim_end())
}

pub fn primitive_params(primitive: &Primitive) -> Vec<(String, Type)> {
    primitive.params.iter().map(|param| (String::new(), param.ty)).collect()
}

/// Words that the catalogue does not hold.
pub fn plain_doc(name: &str, meaning: &Meaning) -> Option<String> {
    Some(match meaning {
        Meaning::It => "where the piece moved last in this turn came to, or where one was placed".to_owned(),
        Meaning::Direction => format!("a direction: {name}"),
        Meaning::Site => format!("the site {name}"),
        Meaning::Figure => format!("the piece looks like this in pictures: {name}"),
        Meaning::Shape => SizedShape::find(name)?.doc.to_owned(),
        _ => return None,
    })
}

fn about(analysis: &Analysis, found: &Found<'_>) -> Option<String> {
    let mut parts = Vec::new();
    match &found.meaning {
        Meaning::Local(span) => {
            let ty = analysis.bound_type(*span).map_or("", Type::name);
            parts.push(code(&if ty.is_empty() { found.name.to_owned() } else { format!("{} : {ty}", found.name) }));
            let line =
                analysis.project.sources.get(span.source).map(|source| source.line_text(span.start as usize).trim());
            if let Some(line) = line.filter(|_| *span != found.span) {
                parts.push(code(line));
            }
        }
        Meaning::Primitive => {
            let primitive = catalogue::find(found.name)?;
            parts.push(code(&signature(primitive.name, &primitive_params(primitive), Some(primitive.result))));
            parts.push(primitive.doc.to_owned());
            parts.push(format!("as in `{}`", primitive.example));
        }
        Meaning::It | Meaning::Direction | Meaning::Site | Meaning::Shape | Meaning::Figure => {
            parts.push(plain_doc(found.name, &found.meaning)?);
            if found.meaning == Meaning::Shape {
                parts.extend(board_picture(analysis));
            }
            if found.meaning == Meaning::Site {
                parts.extend(site_picture(analysis, found.name));
            }
        }
        meaning => {
            let definition = analysis.definition(meaning, found.name)?;
            parts.push(code(&definition.head));
            if !definition.doc.is_empty() {
                parts.push(definition.doc.clone());
            }
            match meaning {
                Meaning::Piece => parts.extend(piece_picture(analysis, found.name)),
                Meaning::Option => {
                    let value = analysis
                        .uses
                        .as_ref()
                        .and_then(|uses| uses.rules.settings.iter().find(|(name, _)| name == found.name));
                    if let (Some((_, value)), Some(uses)) = (value, &analysis.uses) {
                        parts.push(format!("unless said otherwise: `{}`", uses.rules.setting_text(*value)));
                    }
                }
                _ => {}
            }
        }
    }
    if parts.is_empty() { None } else { Some(parts.join("\n\n")) }
}

/// The word that begins a section: its board, its start.
fn section(analysis: &Analysis, offset: usize) -> Option<(Span, String)> {
    let item = analysis.item_at(offset)?;
    let (word, text) = match &item.kind {
        ItemKind::Board(_) => ("board", board_picture(analysis)?),
        ItemKind::Start(_) => ("start", picture(&analysis.game()?.start().draw())),
        _ => return None,
    };
    let start = item.span.start as usize;
    let span = Span::new(item.span.source, start, start + word.len());
    (offset <= start + word.len()).then_some((span, text))
}

fn board_picture(analysis: &Analysis) -> Option<String> {
    let uses = analysis.uses.as_ref().filter(|uses| uses.board_known)?;
    let board = &uses.rules.board;
    let drawn = draw(board, &|_| ".".to_owned(), true);
    let count = board.len();
    if drawn.lines().count() > TALLEST {
        return Some(format!("{count} sites"));
    }
    Some(format!("{count} sites\n\n{}", picture(&drawn)))
}

fn site_picture(analysis: &Analysis, name: &str) -> Option<String> {
    let uses = analysis.uses.as_ref().filter(|uses| uses.board_known)?;
    let board = &uses.rules.board;
    let site = board.find(name)?;
    let beside = board.neighbours(site);
    let mark = |other| {
        (if other == site {
            "@"
        } else if beside.contains(other) {
            "o"
        } else {
            "."
        })
        .to_owned()
    };
    let drawn = draw(board, &mark, true);
    (drawn.lines().count() <= TALLEST).then(|| picture(&drawn))
}

/// The marks of a piece, and where such pieces stand at the start.
fn piece_picture(analysis: &Analysis, name: &str) -> Option<String> {
    let uses = analysis.uses.as_ref()?;
    let kind = uses.rules.kinds.iter().find(|kind| kind.name == name)?;
    let players = &uses.rules.players;
    let marks: Vec<String> = match players.as_slice() {
        _ if kind.neutral => vec![format!("`{}`", kind.mark)],
        [first, second] => vec![
            format!("`{}` {}", kind.mark.to_uppercase(), first.name),
            format!("`{}` {}", kind.mark.to_lowercase(), second.name),
        ],
        players => players
            .iter()
            .enumerate()
            .map(|(at, player)| format!("`{}{}` {}", kind.mark.to_uppercase(), at + 1, player.name))
            .collect(),
    };
    let mut text = format!("drawn {}", marks.join(", "));
    if let Some(game) = analysis.game() {
        let start = game.start();
        let drawn = start.draw();
        let json = start.to_json();
        let there = json["sites"].as_object().is_some_and(|sites| {
            sites.values().any(|piece| piece.as_str().is_some_and(|piece| piece.split(':').next() == Some(name)))
        });
        if there && drawn.lines().count() <= TALLEST {
            text.push_str(&format!("\n\n{}", picture(&drawn)));
        }
    }
    Some(text)
}

/// The values that the call around an offset takes.
pub fn signature_help(analysis: &Analysis, offset: usize) -> Option<SignatureHelp> {
    let (name, at) = open_call(&analysis.text.text, offset)?;
    let known = analysis
        .definitions
        .iter()
        .find(|known| known.name == name && matches!(known.meaning, Meaning::Word | Meaning::Tracked));
    let (params, result, doc, joins) = match known {
        Some(known) => (known.params.clone(), known.ty, known.doc.clone(), false),
        None => {
            let primitive = catalogue::find(name)?;
            (primitive_params(primitive), Some(primitive.result), primitive.doc.to_owned(), primitive.joins)
        }
    };
    if params.is_empty() {
        return None;
    }
    let label = signature(name, &params, result);
    let parameters = params
        .iter()
        .map(|(name, ty)| {
            let shown = signature("", &[(name.clone(), *ty)], None);
            let shown = shown.trim_matches(['(', ')']).to_owned();
            ParameterInformation { label: ParameterLabel::Simple(shown), documentation: None }
        })
        .collect::<Vec<_>>();
    let active = if joins { at.min(params.len() - 1) } else { at };
    Some(SignatureHelp {
        signatures: vec![SignatureInformation {
            label,
            documentation: (!doc.is_empty()).then_some(lsp_types::Documentation::String(doc)),
            parameters: Some(parameters),
            active_parameter: u32::try_from(active).ok(),
        }],
        active_signature: Some(0),
        active_parameter: u32::try_from(active).ok(),
    })
}

/// The name before the innermost bracket that is open at an offset, and how many commas stand between.
fn open_call(text: &str, offset: usize) -> Option<(&str, usize)> {
    let before = text.get(..offset)?;
    let mut depth = 0usize;
    let mut commas = 0;
    for (at, c) in before.char_indices().rev() {
        match c {
            ')' | ']' => depth += 1,
            '[' => depth = depth.checked_sub(1)?,
            '(' if depth > 0 => depth -= 1,
            '(' => {
                let start = before[..at].rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |at| at + 1);
                let name = &before[start..at];
                return if name.is_empty() { None } else { Some((name, commas)) };
            }
            ',' if depth == 0 => commas += 1,
            '{' | '}' | ';' | '"' => return None,
            _ => {}
        }
    }
    None
}
