//! What an editor shows around a text: what can be folded, names of all open files, and buttons above tests that run them.

use super::analysis::Analysis;
use super::navigate::symbols;
use super::text::Encoding;
use crate::author::script::{ScriptReport, Scripts};
use crate::check::Project;
use crate::syntax::ast::ItemKind;
use lsp_types::{CodeLens, Command, FoldingRange, FoldingRangeKind, Location, OneOf, Uri, WorkspaceSymbol};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Runs a test or a recorded game of a file: its address, and the name.
pub const RUN_TEST: &str = "ludwright.runTest";

/// Sections of several lines, and comments of several lines.
pub fn folds(analysis: &Analysis, encoding: Encoding) -> Vec<FoldingRange> {
    let items = analysis.project.items().filter(|item| item.span.source == analysis.main());
    let ranges = items.map(|item| analysis.text.range(item.span.range(), encoding));
    let sections = ranges.map(|range| (range.start.line, range.end.line, FoldingRangeKind::Region));
    let comments = comments(&analysis.text.text).into_iter().map(|(from, to)| (from, to, FoldingRangeKind::Comment));
    sections
        .chain(comments)
        .filter(|(from, to, _)| from < to)
        .map(|(start_line, end_line, kind)| FoldingRange {
            start_line,
            end_line,
            kind: Some(kind),
            ..FoldingRange::default()
        })
        .collect()
}

/// The first and last lines of comments that take several, from 0.
fn comments(text: &str) -> Vec<(u32, u32)> {
    let mut found: Vec<(u32, u32)> = Vec::new();
    for (line, _) in (0..).zip(text.lines()).filter(|(_, text)| text.trim_start().starts_with("//")) {
        match found.last_mut() {
            Some((_, last)) if *last + 1 == line => *last = line,
            _ => found.push((line, line)),
        }
    }
    found
}

/// The names of a file that hold what is searched for, whatever the size of its letters.
pub fn named(analysis: &Analysis, wanted: &str, uri: &Uri, encoding: Encoding) -> Vec<WorkspaceSymbol> {
    let wanted = wanted.to_lowercase();
    let found = symbols(analysis, encoding).into_iter().filter(|symbol| symbol.name.to_lowercase().contains(&wanted));
    found
        .map(|symbol| WorkspaceSymbol {
            name: symbol.name,
            kind: symbol.kind,
            tags: None,
            container_name: symbol.detail,
            location: OneOf::Left(Location { uri: uri.clone(), range: symbol.selection_range }),
            data: None,
        })
        .collect()
}

/// A button above each test and each recorded game.
pub fn lenses(analysis: &Analysis, uri: &Uri, encoding: Encoding) -> Vec<CodeLens> {
    let items = analysis.project.items().filter(|item| item.span.source == analysis.main());
    items
        .filter_map(|item| {
            let ItemKind::Script(script) = &item.kind else { return None };
            let title = if script.record { "Play through" } else { "Run test" };
            let arguments = vec![json!(uri.as_str()), json!(script.name.text)];
            let command = Command::new(title.to_owned(), RUN_TEST.to_owned(), Some(arguments));
            Some(CodeLens {
                range: analysis.text.range(script.name.span.range(), encoding),
                command: Some(command),
                data: None,
            })
        })
        .collect()
}

/// The address and the name that the command was given.
pub fn wanted(arguments: &[Value]) -> Option<(Uri, String)> {
    let [uri, name] = arguments else { return None };
    Some((uri.as_str()?.parse().ok()?, name.as_str()?.to_owned()))
}

/// Whether the test of this name holds, in a sentence.
///
/// # Errors
/// If the rules have mistakes, or there is no such test.
pub fn run(project: &Project, name: &str, stop: Arc<AtomicBool>) -> Result<(bool, String), String> {
    let scripts = Scripts { named: Some(name.to_owned()), stop, ..Scripts::default() };
    let reports = scripts.run(project, None, &[]).map_err(|error| error.to_string())?;
    let report = reports.first().ok_or_else(|| format!("there is no test `{name}`"))?;
    Ok((report.ok, told(report)))
}

fn told(report: &ScriptReport) -> String {
    let ScriptReport { name, ok, line, message, .. } = report;
    let why = message.as_deref().unwrap_or("it does not hold");
    if *ok { format!("`{name}` passes") } else { format!("`{name}` fails at line {line}: {why}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_of_several_lines_are_one() {
        assert_eq!(comments("// a\n  // b\nturn\n// c\n"), [(0, 1), (3, 3)]);
    }
}
