//! `check`: everything that is wrong with rule files, for people and for programs.

use super::error::{CliError, show};
use super::output::Output;
use super::source::{Target, targets};
use crate::diagnostic::{Code, Diagnostic, Format, Severity, render};
use crate::game::check_file;
use crate::library::Library;
use crate::source::Sources;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use std::path::PathBuf;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum CheckFormat {
    /// Frames around the places in the text
    #[default]
    Human,
    /// One line each: file:line:column: error[CODE]: message
    Short,
    /// One object
    Json,
    /// SARIF 2.1.0
    Sarif,
    /// Annotations of GitHub Actions
    Github,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Deny {
    Warnings,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright check my.game\n  ludwright check games --deny warnings\n  ludwright check my.game --format json"
)]
pub struct CheckArgs {
    /// Rule files, folders of rule files, names of shipped games
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[arg(long, value_enum, default_value_t)]
    format: CheckFormat,
    /// Let warnings fail the check
    #[arg(long, value_enum)]
    deny: Option<Deny>,
}

/// The diagnostics of one file with the texts they speak of.
struct Report {
    path: String,
    diagnostics: Vec<Diagnostic>,
    sources: Sources,
}

pub fn run(args: &CheckArgs, output: &mut Output) -> Result<(), CliError> {
    let reports: Vec<Report> = targets(&args.files).into_iter().map(report).collect();
    let count = |severity| {
        reports.iter().flat_map(|report| &report.diagnostics).filter(|found| found.severity == severity).count()
    };
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    match args.format {
        CheckFormat::Human => print_human(&reports, errors, warnings, output)?,
        CheckFormat::Short => each(&reports, output, |found, sources| render(found, sources, Format::Short))?,
        CheckFormat::Github => each(&reports, output, github)?,
        CheckFormat::Json => output.json(&to_json(&reports, errors, warnings))?,
        CheckFormat::Sarif => output.json(&sarif(&reports))?,
    }
    if errors > 0 || (warnings > 0 && args.deny == Some(Deny::Warnings)) { Err(CliError::Told) } else { Ok(()) }
}

fn report(target: Target) -> Report {
    let (diagnostics, sources) = match target.text {
        Ok(text) => check_file(&text.name, &text.text, &Library),
        Err(unreadable) => (vec![unreadable.0], unreadable.1),
    };
    Report { path: target.path, diagnostics, sources }
}

fn each(reports: &[Report], output: &mut Output, line: fn(&Diagnostic, &Sources) -> String) -> Result<(), CliError> {
    reports
        .iter()
        .flat_map(|report| report.diagnostics.iter().map(|found| (found, &report.sources)))
        .try_for_each(|(found, sources)| output.text(&line(found, sources)))
}

fn print_human(reports: &[Report], errors: usize, warnings: usize, output: &mut Output) -> Result<(), CliError> {
    let color = output.stdout_color();
    for report in reports {
        for found in &report.diagnostics {
            output.text(&show(found, &report.sources, color))?;
        }
    }
    output.flush()?;
    let (files, errors, warnings) =
        (plural(reports.len(), "file"), plural(errors, "error"), plural(warnings, "warning"));
    output.note(&format!("{files} checked: {errors}, {warnings}"));
    Ok(())
}

/// A count with its noun.
pub fn plural(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

fn to_json(reports: &[Report], errors: usize, warnings: usize) -> Value {
    let file = |report: &Report| {
        let diagnostics: Vec<Value> = report.diagnostics.iter().map(|found| found.to_json(&report.sources)).collect();
        json!({ "path": report.path, "diagnostics": diagnostics })
    };
    json!({ "files": reports.iter().map(file).collect::<Vec<_>>(), "errors": errors, "warnings": warnings })
}

/// First and last line and column, all from 1.
fn place(found: &Diagnostic, sources: &Sources) -> (String, [usize; 4]) {
    let Some(source) = sources.get(found.span.source) else { return (String::new(), [1; 4]) };
    let (start, end) = (source.locate(found.span.start as usize), source.locate(found.span.end as usize));
    (source.name.clone(), [start.line, start.column, end.line, end.column])
}

fn level(found: &Diagnostic) -> &'static str {
    match found.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn full_message(found: &Diagnostic) -> String {
    found.help.as_ref().map_or_else(|| found.message.clone(), |help| format!("{} (help: {help})", found.message))
}

fn github(found: &Diagnostic, sources: &Sources) -> String {
    let (file, [line, column, end_line, end_column]) = place(found, sources);
    let escape = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let file = escape(&file).replace(':', "%3A").replace(',', "%2C");
    let message = escape(&full_message(found));
    format!(
        "::{} file={file},line={line},col={column},endLine={end_line},endColumn={end_column},title={}::{message}\n",
        level(found),
        found.code
    )
}

fn sarif(reports: &[Report]) -> Value {
    let rules: Vec<Value> =
        Code::ALL.iter().map(|code| json!({ "id": code.id(), "shortDescription": { "text": code.title() } })).collect();
    let results: Vec<Value> = reports
        .iter()
        .flat_map(|report| report.diagnostics.iter().map(|found| sarif_result(found, &report.sources)))
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "ludwright", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn sarif_result(found: &Diagnostic, sources: &Sources) -> Value {
    let (file, [line, column, end_line, end_column]) = place(found, sources);
    json!({
        "ruleId": found.code.id(),
        "level": level(found),
        "message": { "text": full_message(found) },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": uri(&file) },
            "region": { "startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column },
        } }],
    })
}

/// A path as a relative reference of a URI.
fn uri(path: &str) -> String {
    let keep = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    path.bytes().map(|byte| if keep(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Span;

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
