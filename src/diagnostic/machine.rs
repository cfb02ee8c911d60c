//! Diagnostics for programs: JSON, SARIF 2.1.0, and the annotations of GitHub Actions.

use super::{Code, Diagnostic, page};
use crate::source::{Sources, Span};
use serde_json::{Value, json};

/// First and last line and column of a place, all from 1, with the name of its file.
fn place(span: Span, sources: &Sources) -> (String, [usize; 4]) {
    let Some(source) = sources.get(span.source) else { return (String::new(), [1; 4]) };
    let (start, end) = (source.locate(span.start as usize), source.locate(span.end as usize));
    (source.name.clone(), [start.line, start.column, end.line, end.column])
}

fn full_message(found: &Diagnostic) -> String {
    found.help.as_ref().map_or_else(|| found.message.clone(), |help| format!("{} (help: {help})", found.message))
}

impl Diagnostic {
    /// The object of `check --format json`.
    #[must_use]
    pub fn to_json(&self, sources: &Sources) -> Value {
        let (file, [line, column, end_line, end_column]) = place(self.span, sources);
        let span = |span: Span| json!({ "start": span.start, "end": span.end });
        let name = |span: Span| sources.get(span.source).map(|source| source.name.clone());
        let mut labels = Vec::new();
        if !self.label.is_empty() {
            labels.push(json!({ "span": span(self.span), "message": self.label, "file": name(self.span) }));
        }
        labels.extend(
            self.labels.iter().map(|(at, message)| json!({ "span": span(*at), "message": message, "file": name(*at) })),
        );
        let fixes: Vec<Value> = self
            .fixes
            .iter()
            .map(|fix| {
                json!({
                    "title": fix.title,
                    "applicability": fix.applicability,
                    "span": span(fix.span),
                    "replacement": fix.replacement,
                })
            })
            .collect();
        json!({
            "code": self.code.id(),
            "name": self.code.lint(),
            "severity": self.severity,
            "message": self.message,
            "help": self.help,
            "file": file,
            "span": span(self.span),
            "start": { "line": line, "column": column },
            "end": { "line": end_line, "column": end_column },
            "labels": labels,
            "fixes": fixes,
        })
    }
}

/// An annotation of GitHub Actions, ending in a newline.
#[must_use]
pub fn github(found: &Diagnostic, sources: &Sources) -> String {
    let (file, [line, column, end_line, end_column]) = place(found.span, sources);
    let escape = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| escape(text).replace(':', "%3A").replace(',', "%2C");
    format!(
        "::{} file={},line={line},col={column},endLine={end_line},endColumn={end_column},title={}::{}\n",
        found.severity.word(),
        property(&file),
        property(&found.tag()),
        escape(&full_message(found))
    )
}

/// A log of SARIF 2.1.0 with one run.
#[must_use]
pub fn sarif<'a>(found: impl Iterator<Item = (&'a Diagnostic, &'a Sources)>) -> Value {
    let rules: Vec<Value> = Code::ALL.iter().map(|code| sarif_rule(*code)).collect();
    let results: Vec<Value> = found.map(|(found, sources)| sarif_result(found, sources)).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "ludwright",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn sarif_rule(code: Code) -> Value {
    let mut rule = json!({
        "id": code.id(),
        "shortDescription": { "text": code.title() },
        "help": { "text": page(code), "markdown": page(code) },
        "defaultConfiguration": { "level": code.severity().word() },
    });
    if let Some(lint) = code.lint() {
        rule["name"] = json!(lint);
    }
    rule
}

fn sarif_result(found: &Diagnostic, sources: &Sources) -> Value {
    let mut result = json!({
        "ruleId": found.code.id(),
        "ruleIndex": Code::ALL.iter().position(|code| *code == found.code),
        "level": found.severity.word(),
        "message": { "text": full_message(found) },
        "locations": [location(found.span, &found.label, sources)],
    });
    if !found.labels.is_empty() {
        let others = found.labels.iter().map(|(span, label)| location(*span, label, sources));
        result["relatedLocations"] = others.collect();
    }
    let fixes = found.fixes.iter().map(|fix| {
        let (file, region) = region(fix.span, sources);
        json!({
            "description": { "text": fix.title },
            "artifactChanges": [{
                "artifactLocation": { "uri": uri(&file) },
                "replacements": [{ "deletedRegion": region, "insertedContent": { "text": fix.replacement } }],
            }],
        })
    });
    if !found.fixes.is_empty() {
        result["fixes"] = fixes.collect();
    }
    result
}

fn region(span: Span, sources: &Sources) -> (String, Value) {
    let (file, [line, column, end_line, end_column]) = place(span, sources);
    (file, json!({ "startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column }))
}

fn location(span: Span, label: &str, sources: &Sources) -> Value {
    let (file, region) = region(span, sources);
    let mut location = json!({ "physicalLocation": { "artifactLocation": { "uri": uri(&file) }, "region": region } });
    if !label.is_empty() {
        location["message"] = json!({ "text": label });
    }
    location
}

/// A path as a reference of a URI.
fn uri(path: &str) -> String {
    let keep = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    path.bytes().map(|byte| if keep(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_are_escaped() {
        let mut sources = Sources::default();
        let id = sources.add("a,b.game", "x\ny");
        let found = Diagnostic::new(Code::Syntax, Span::new(id, 2, 3), "100%\nwrong");
        let expected = "::error file=a%2Cb.game,line=2,col=1,endLine=2,endColumn=2,title=LW104::100%25%0Awrong\n";
        assert_eq!(github(&found, &sources), expected);
        assert_eq!(uri("a b/c.game"), "a%20b/c.game");
    }
}
