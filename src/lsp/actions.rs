//! Diagnostics as the editor shows them, and what mends them.

use super::text::{Encoding, Text, uri_of};
use crate::diagnostic::{Diagnostic, Severity};
use crate::format::format;
use crate::library::is_path;
use crate::source::{Sources, Span};
use lsp_types::{
    CodeAction, CodeActionKind, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location,
    NumberOrString, Range, TextEdit, Uri, WorkspaceEdit,
};
use std::collections::HashMap;
use std::path::Path;

/// A diagnostic with what it can be mended by.
#[derive(Clone, Debug)]
pub struct Shown {
    pub diagnostic: lsp_types::Diagnostic,
    /// Each by itself mends it.
    pub fixes: Vec<(String, Vec<TextEdit>)>,
}

/// What a check found, for the file that was checked. What is wrong in another file stands at the beginning.
pub fn shown(found: &[Diagnostic], sources: &Sources, (name, main): (&str, &Uri), encoding: Encoding) -> Vec<Shown> {
    let Some((main_id, text)) =
        sources.iter().find(|(_, source)| source.name == name).map(|(id, source)| (id, Text::new(source.text.clone())))
    else {
        return Vec::new();
    };
    let place = |span: Span| -> Option<Location> {
        if span.source == main_id {
            return Some(Location { uri: main.clone(), range: text.range(span.range(), encoding) });
        }
        let source = sources.get(span.source)?;
        let uri = is_path(&source.name).then(|| uri_of(Path::new(&source.name))).flatten()?;
        Some(Location { uri, range: Text::new(source.text.clone()).range(span.range(), encoding) })
    };
    let one = |found: &Diagnostic| -> Shown {
        let here = found.span.source == main_id;
        let mut message = found.message.clone();
        if !found.label.is_empty() {
            message.push_str(&format!("\n{}", found.label));
        }
        if let Some(help) = &found.help {
            message.push_str(&format!("\nhelp: {help}"));
        }
        let range = if here { text.range(found.span.range(), encoding) } else { Range::default() };
        let elsewhere = (!here).then(|| (found.span, "it is here".to_owned()));
        let related: Vec<DiagnosticRelatedInformation> = elsewhere
            .into_iter()
            .chain(found.labels.iter().cloned())
            .filter_map(|(span, message)| Some(DiagnosticRelatedInformation { location: place(span)?, message }))
            .collect();
        let fixes = found
            .fixes
            .iter()
            .filter(|fix| fix.span.source == main_id)
            .map(|fix| {
                let edit =
                    TextEdit { range: text.range(fix.span.range(), encoding), new_text: fix.replacement.clone() };
                let title = match fix.replacement.trim() {
                    "" => format!("Remove `{}`", sources.slice(fix.span).trim()),
                    new => format!("Write `{new}`"),
                };
                (title, vec![edit])
            })
            .collect();
        Shown {
            diagnostic: lsp_types::Diagnostic {
                range,
                severity: Some(match found.severity {
                    Severity::Error => DiagnosticSeverity::ERROR,
                    Severity::Warning => DiagnosticSeverity::WARNING,
                }),
                code: Some(NumberOrString::String(found.code.id().to_owned())),
                source: Some("ludwright".to_owned()),
                message,
                related_information: (!related.is_empty()).then_some(related),
                tags: found.message.ends_with("is never used").then(|| vec![DiagnosticTag::UNNECESSARY]),
                ..lsp_types::Diagnostic::default()
            },
            fixes,
        }
    };
    found.iter().map(one).collect()
}

/// What mends the diagnostics that touch a range.
pub fn code_actions(shown: &[Shown], range: Range, uri: &Uri) -> Vec<CodeAction> {
    let touches = |other: Range| other.start <= range.end && range.start <= other.end;
    let mut actions = Vec::new();
    for known in shown.iter().filter(|known| touches(known.diagnostic.range)) {
        for (title, edits) in &known.fixes {
            // The editor's URIs are keys, and nothing in them changes.
            #[allow(clippy::mutable_key_type)]
            let changes = HashMap::from([(uri.clone(), edits.clone())]);
            actions.push(CodeAction {
                title: title.clone(),
                kind: Some(CodeActionKind::QUICKFIX),
                diagnostics: Some(vec![known.diagnostic.clone()]),
                edit: Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }),
                is_preferred: Some(known.fixes.len() == 1),
                ..CodeAction::default()
            });
        }
    }
    actions
}

/// The edit that lays a text out; none if it cannot be read.
pub fn formatting(text: &Text, encoding: Encoding) -> Option<Vec<TextEdit>> {
    let new = format(&text.text).ok()?;
    let old = text.text.as_str();
    if new == old {
        return Some(Vec::new());
    }
    // Only the lines between what stays at both ends, so that the editor keeps its place.
    let same = old.split_inclusive('\n').zip(new.split_inclusive('\n')).take_while(|(a, b)| a == b);
    let start: usize = same.map(|(a, _)| a.len()).sum();
    let (old_rest, new_rest) = (&old[start..], &new[start..]);
    let back =
        old_rest.split_inclusive('\n').rev().zip(new_rest.split_inclusive('\n').rev()).take_while(|(a, b)| a == b);
    let end: usize = back.map(|(a, _)| a.len()).sum();
    let range = text.range(start..old.len() - end, encoding);
    Some(vec![TextEdit { range, new_text: new_rest[..new_rest.len() - end].to_owned() }])
}
