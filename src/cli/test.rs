//! `test`: the tests and records inside rule files.

use super::check::plural;
use super::envelope::Subject;
use super::error::{CliError, show};
use super::output::{Output, complain};
use super::source::{Choice, Target, targets};
use crate::author::coverage::{Coverage, cover};
use crate::author::script::{ScriptReport, Scripts};
use crate::check::Project;
use crate::game::LoadError;
use crate::library::Library;
use clap::Args;
use serde_json::{Value, json};
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright test iqishiqi\n  ludwright test games --json\n  ludwright test pushpin --coverage"
)]
pub struct TestArgs {
    /// Names of shipped games, rule files, folders of rule files
    #[arg(value_name = "GAME_OR_FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    choice: Choice,
    /// List the clauses that no test or record reaches, or finds both true and false
    #[arg(long)]
    coverage: bool,
    /// Count what so many random games reach as covered too
    #[arg(long, value_name = "N", default_value_t = 0, requires = "coverage")]
    playouts: u64,
    /// Run nothing more of a file after the first test that fails
    #[arg(long)]
    fail_fast: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// One line of the result.
struct Line {
    name: String,
    ok: bool,
    message: Option<String>,
    line: usize,
}

struct FileResult {
    path: String,
    tests: Vec<Line>,
    coverage: Option<Coverage>,
}

pub fn run(args: &TestArgs, output: &mut Output) -> Result<(), CliError> {
    let mut results = Vec::new();
    for target in targets(&args.files) {
        let result = run_file(target, args, output);
        if !args.json {
            print(&result, output)?;
        }
        results.push(result);
    }
    let failed = results.iter().flat_map(|result| &result.tests).filter(|test| !test.ok).count();
    if args.json {
        output.answer(&Subject::nothing(), json!({ "files": results.iter().map(to_json).collect::<Vec<_>>() }))?;
    } else {
        output.flush()?;
        let total: usize = results.iter().map(|result| result.tests.len()).sum();
        output.note(&format!(
            "{} in {}: {} passed, {failed} failed",
            plural(total, "test"),
            plural(results.len(), "file"),
            total - failed
        ));
    }
    if failed > 0 { Err(CliError::Told) } else { Ok(()) }
}

/// A file that cannot be run counts as one failed test.
fn run_file(target: Target, args: &TestArgs, output: &Output) -> FileResult {
    let color = output.stderr_color();
    let (tests, coverage) = match target.text {
        Err(unreadable) => {
            complain(&show(&unreadable.0, &unreadable.1, color));
            (vec![failure(&unreadable.0.message)], None)
        }
        Ok(text) => match run_tests(&Project::load(&text.name, &text.text, &Library), args) {
            Ok((reports, coverage)) => (reports.into_iter().map(Line::from).collect(), coverage),
            Err(error) => (vec![load_failure(error, color)], None),
        },
    };
    FileResult { path: target.path, tests, coverage }
}

fn run_tests(project: &Project, args: &TestArgs) -> Result<(Vec<ScriptReport>, Option<Coverage>), LoadError> {
    let TestArgs { choice: Choice { ruleset, options }, coverage, playouts, fail_fast, .. } = args;
    if *coverage {
        let (reports, coverage) = cover(project, ruleset.as_deref(), options, *fail_fast, *playouts)?;
        return Ok((reports, Some(coverage)));
    }
    let scripts = Scripts { fail_fast: *fail_fast, ..Scripts::default() };
    Ok((scripts.run(project, ruleset.as_deref(), options)?, None))
}

fn failure(message: &str) -> Line {
    Line { name: "the file".to_owned(), ok: false, message: Some(message.to_owned()), line: 1 }
}

fn load_failure(error: LoadError, color: bool) -> Line {
    let line = failure(&error.to_string());
    complain(&CliError::from(error).report(color));
    line
}

impl From<ScriptReport> for Line {
    fn from(report: ScriptReport) -> Self {
        Self { name: report.name, ok: report.ok, message: report.message, line: report.line }
    }
}

fn print(result: &FileResult, output: &mut Output) -> Result<(), CliError> {
    for test in &result.tests {
        if !test.ok {
            let message = test.message.as_deref().unwrap_or("failed");
            output.line(&format!("FAIL {}:{} \"{}\": {message}", result.path, test.line, test.name))?;
        } else if !output.quiet {
            output.line(&format!("ok   {}:{} \"{}\"", result.path, test.line, test.name))?;
        }
    }
    if let Some(coverage) = &result.coverage {
        let covered = coverage.clauses - coverage.uncovered.len();
        output.line(&format!("{}: clauses {covered} of {}", result.path, coverage.clauses))?;
        for clause in &coverage.uncovered {
            output.line(&format!("{}:{}: {} ({})", result.path, clause.line, clause.text, clause.missing))?;
        }
    }
    Ok(())
}

fn to_json(result: &FileResult) -> Value {
    let failed = result.tests.iter().filter(|test| !test.ok).count();
    let test = |test: &Line| json!({ "name": test.name, "ok": test.ok, "message": test.message, "line": test.line });
    let mut object = json!({
        "path": result.path,
        "passed": result.tests.len() - failed,
        "failed": failed,
        "tests": result.tests.iter().map(test).collect::<Vec<_>>(),
    });
    if let Some(coverage) = &result.coverage {
        object["coverage"] = json!({
            "clauses": coverage.clauses,
            "covered": coverage.clauses - coverage.uncovered.len(),
            "uncovered": coverage.uncovered.iter().map(|clause| json!({
                "line": clause.line, "column": clause.column, "text": clause.text, "missing": clause.missing,
            })).collect::<Vec<_>>(),
        });
    }
    object
}
