//! `check`: everything that is wrong with rule files, for people and for programs.

use super::envelope::Subject;
use super::error::{CliError, show};
use super::output::Output;
use super::source::{Target, targets};
use super::store::replace;
use crate::author::costly;
use crate::author::inspect::{Further, check_file_and};
use crate::author::mend::mend;
use crate::author::trial::trial;
use crate::check::Project;
use crate::diagnostic::{Applicability, Code, Diagnostic, Format, Severity, closest, github, render, sarif};
use crate::game::Game;
use crate::library::Library;
use crate::source::{Sources, Span};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

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

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ludwright check my.game\n  ludwright check games --deny warnings\n  ludwright check my.game --fix\n  ludwright check my.game --play --allow unused\n  ludwright check my.game --watch\n  ludwright check my.game --format json"
)]
pub struct CheckArgs {
    /// Rule files, folders of rule files, names of shipped games
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[arg(long, value_enum, default_value_t)]
    format: CheckFormat,
    /// Ignore these warnings: names or codes of lints, or `warnings` for all
    #[arg(long, value_name = "LINT", value_delimiter = ',')]
    allow: Vec<String>,
    /// Let these warnings fail the check: names or codes of lints, or `warnings` for all
    #[arg(long, value_name = "LINT", value_delimiter = ',')]
    deny: Vec<String>,
    /// Play some random games too, for what only shows in play
    #[arg(long)]
    play: bool,
    /// Apply the fixes that are certain, and write the files
    #[arg(long)]
    fix: bool,
    /// Also apply fixes that are guesses, and remove what nothing uses
    #[arg(long)]
    unsafe_fixes: bool,
    /// Also tell which clauses are slow to play
    #[arg(short, long)]
    verbose: bool,
    /// Check again whenever a file changes
    #[arg(long, conflicts_with_all = ["fix", "unsafe_fixes"])]
    watch: bool,
}

/// So long at most the clauses of a file that is slow to play are timed.
const TIMED: Duration = Duration::from_secs(5);

/// The diagnostics of one file with the texts they speak of.
struct Report {
    path: String,
    diagnostics: Vec<Diagnostic>,
    sources: Sources,
}

/// The warnings that the command line speaks of.
struct Lints {
    allowed: Vec<Code>,
    denied: Vec<Code>,
}

impl Lints {
    fn of(args: &CheckArgs) -> Result<Self, CliError> {
        Ok(Self { allowed: codes(&args.allow)?, denied: codes(&args.deny)? })
    }

    /// Some errors are only warned of where they need options that nobody has named; so every code may be meant.
    fn denies(&self, found: &Diagnostic) -> bool {
        found.severity == Severity::Warning && self.denied.contains(&found.code)
    }

    fn allows(&self, found: &Diagnostic) -> bool {
        found.severity == Severity::Warning && self.allowed.contains(&found.code)
    }
}

fn codes(names: &[String]) -> Result<Vec<Code>, CliError> {
    let mut codes = Vec::new();
    for name in names {
        match Code::find(name) {
            _ if name == "warnings" => codes.extend(Code::ALL),
            Some(code) => codes.push(code),
            None => {
                let known = Code::names().chain(["warnings"]);
                let help = match closest(name, known) {
                    Some(best) => format!("did you mean `{best}`?"),
                    None => "`ludwright explain --list` names all lints".to_owned(),
                };
                return Err(CliError::with_help(format!("there is no lint `{name}`"), Some(help)));
            }
        }
    }
    Ok(codes)
}

pub fn run(args: &CheckArgs, output: &mut Output) -> Result<(), CliError> {
    let lints = Lints::of(args)?;
    if args.fix || args.unsafe_fixes {
        for target in targets(&args.files) {
            fix(&target, args, &lints, output)?;
        }
    }
    if args.watch { watch(args, &lints, output) } else { once(args, &lints, output) }
}

/// Looks at all files once. `Err(Told)` if something is wrong with them.
fn once(args: &CheckArgs, lints: &Lints, output: &mut Output) -> Result<(), CliError> {
    let shown = matches!(args.format, CheckFormat::Human | CheckFormat::Short);
    let before = if args.play && shown { tell_at_once(args, lints, output)? } else { Vec::new() };
    let (mut reports, failed) = look(args, args.play, lints);
    let counts = Counts::of(&reports);
    for (report, told) in reports.iter_mut().zip(&before) {
        report.diagnostics.retain(|found| !told.contains(&(found.code, found.span)));
    }
    print(&reports, &counts, args.format, output)?;
    if args.verbose && matches!(args.format, CheckFormat::Human | CheckFormat::Short) {
        tell_slow(args, output)?;
    }
    if failed { Err(CliError::Told) } else { Ok(()) }
}

/// Prints what is known before anything is played, which may take a while, and says what that was.
fn tell_at_once(args: &CheckArgs, lints: &Lints, output: &mut Output) -> Result<Vec<Vec<(Code, Span)>>, CliError> {
    let (mut reports, _) = look(args, false, lints);
    // What play may refute waits for it.
    reports.iter_mut().for_each(|report| report.diagnostics.retain(|found| found.code != Code::Slow));
    show_all(&reports, args.format, output)?;
    output.flush()?;
    if args.format == CheckFormat::Human
        && reports.iter().any(|report| !report.diagnostics.iter().any(Diagnostic::is_error))
    {
        output.note("playing random games; where they are slow this takes a while");
    }
    let places = |report: &Report| report.diagnostics.iter().map(|found| (found.code, found.span)).collect();
    Ok(reports.iter().map(places).collect())
}

/// What keeps the games of the files, with their usual options, from being as fast as they could be.
fn tell_slow(args: &CheckArgs, output: &mut Output) -> Result<(), CliError> {
    for target in targets(&args.files) {
        let Ok(text) = target.text else { continue };
        // What is wrong with a file has been said.
        let Ok(game) = Game::from_text(&text.name, &text.text, None, &[], &Library) else { continue };
        for clause in game.slow_clauses() {
            output.line(&format!("slow: {clause}"))?;
        }
    }
    Ok(())
}

fn look(args: &CheckArgs, play: bool, lints: &Lints) -> (Vec<Report>, bool) {
    let reports: Vec<Report> = targets(&args.files).into_iter().map(|target| report(target, play, lints)).collect();
    let failed =
        reports.iter().flat_map(|report| &report.diagnostics).any(|found| found.is_error() || lints.denies(found));
    (reports, failed)
}

fn check(name: &str, text: &str, play: bool, lints: &Lints) -> (Vec<Diagnostic>, Sources) {
    let fast = Cell::new(false);
    let in_play = |project: &Project| {
        let mut found = trial(project);
        fast.set(costly::is_fast(project, &mut costly::timed));
        found.extend(costly::warnings(project, TIMED, &mut costly::timed));
        found
    };
    let further: Further<'_> = if play { Some(&in_play) } else { None };
    let (mut diagnostics, sources) = check_file_and(name, text, &Library, further);
    // Where games are fast with the usual options no bound on their steps matters.
    let refuted = |found: &Diagnostic| fast.get() && found.code == Code::Slow;
    diagnostics.retain(|found| !lints.allows(found) && !refuted(found));
    (diagnostics, sources)
}

fn report(target: Target, play: bool, lints: &Lints) -> Report {
    let (diagnostics, sources) = match target.text {
        Ok(text) => check(&text.name, &text.text, play, lints),
        Err(unreadable) => (vec![unreadable.0], unreadable.1),
    };
    Report { path: target.path, diagnostics, sources }
}

/// Mends a file on disk. What cannot be read is left to the check that follows.
fn fix(target: &Target, args: &CheckArgs, lints: &Lints, output: &Output) -> Result<(), CliError> {
    let Ok(text) = &target.text else { return Ok(()) };
    let path = Path::new(&target.path);
    if !path.is_file() {
        output.note(&format!("{} is part of the program and stays as it is", target.path));
        return Ok(());
    }
    let trust = if args.unsafe_fixes { Applicability::Unsafe } else { Applicability::Safe };
    let mended = mend(&text.text, &text.name, trust, &|now| check(&text.name, now, args.play, lints));
    if mended.made.is_empty() {
        return Ok(());
    }
    replace(path, &mended.text).map_err(|error| CliError::write(path, error))?;
    for made in &mended.made {
        output.note(&format!("fixed {}:{}:{}: {}: {}", target.path, made.line, made.column, made.message, made.title));
    }
    Ok(())
}

/// How often the files are looked at.
const PAUSE: Duration = Duration::from_millis(250);

/// Checks again whenever one of the files, or one that they extend or use, has changed; until it is stopped.
fn watch(args: &CheckArgs, lints: &Lints, output: &mut Output) -> Result<(), CliError> {
    loop {
        let (reports, _) = look(args, args.play, lints);
        let before = stamps(args, &reports);
        print(&reports, &Counts::of(&reports), args.format, output)?;
        output.note("watching; stop with Ctrl-C");
        output.flush()?;
        while stamps(args, &reports) == before {
            std::thread::sleep(PAUSE);
        }
        // Whoever writes may not have finished.
        let mut now = stamps(args, &reports);
        loop {
            std::thread::sleep(PAUSE / 5);
            let next = stamps(args, &reports);
            if next == now {
                break;
            }
            now = next;
        }
        if args.format == CheckFormat::Human && output.stdout_color() {
            output.text("\u{1b}[2J\u{1b}[H")?;
        }
    }
}

/// When the files were changed last: those named, those found in folders by now, and those that they mention.
fn stamps(args: &CheckArgs, reports: &[Report]) -> BTreeMap<PathBuf, Option<(SystemTime, u64)>> {
    let named = targets(&args.files).into_iter().map(|target| target.path);
    let mentioned = reports.iter().flat_map(|report| report.sources.iter().map(|(_, source)| source.name.clone()));
    let stamp = |path: &Path| path.metadata().ok().and_then(|data| Some((data.modified().ok()?, data.len())));
    named.chain(mentioned).map(PathBuf::from).map(|path| (path.clone(), stamp(&path))).collect()
}

/// How much was found, and how much of it can be mended.
struct Counts {
    files: usize,
    errors: usize,
    warnings: usize,
    safe: usize,
    guesses: usize,
}

impl Counts {
    fn of(reports: &[Report]) -> Self {
        let count = |counted: &dyn Fn(&Diagnostic) -> bool| {
            reports.iter().flat_map(|report| &report.diagnostics).filter(|found| counted(found)).count()
        };
        let fixes = |found: &Diagnostic, trust| found.fixes.first().is_some_and(|fix| fix.applicability == trust);
        Self {
            files: reports.len(),
            errors: count(&|found| found.severity == Severity::Error),
            warnings: count(&|found| found.severity == Severity::Warning),
            safe: count(&|found| fixes(found, Applicability::Safe)),
            guesses: count(&|found| fixes(found, Applicability::Unsafe)),
        }
    }
}

fn print(reports: &[Report], counts: &Counts, format: CheckFormat, output: &mut Output) -> Result<(), CliError> {
    let all = || reports.iter().flat_map(|report| report.diagnostics.iter().map(|found| (found, &report.sources)));
    match format {
        CheckFormat::Human => {
            show_all(reports, format, output)?;
            output.flush()?;
            sum_up(counts, output);
            Ok(())
        }
        CheckFormat::Short => show_all(reports, format, output),
        CheckFormat::Github => all().try_for_each(|(found, sources)| output.text(&github(found, sources))),
        CheckFormat::Json => output.answer(&Subject::nothing(), to_json(reports, counts.errors, counts.warnings)),
        CheckFormat::Sarif => output.json(&sarif(all())),
    }
}

/// All that was found, for people.
fn show_all(reports: &[Report], format: CheckFormat, output: &mut Output) -> Result<(), CliError> {
    let color = output.stdout_color();
    for report in reports {
        for found in &report.diagnostics {
            output.text(&match format {
                CheckFormat::Short => render(found, &report.sources, Format::Short),
                CheckFormat::Human | CheckFormat::Github | CheckFormat::Json | CheckFormat::Sarif => {
                    show(found, &report.sources, color)
                }
            })?;
        }
    }
    Ok(())
}

fn sum_up(counts: &Counts, output: &Output) {
    let (files, errors, warnings) =
        (plural(counts.files, "file"), plural(counts.errors, "error"), plural(counts.warnings, "warning"));
    output.note(&format!("{files} checked: {errors}, {warnings}"));
    let mut parts = Vec::new();
    if counts.safe > 0 {
        parts.push(format!("{} by `--fix`", counts.safe));
    }
    if counts.guesses > 0 {
        parts.push(format!("{} by `--unsafe-fixes`", counts.guesses));
    }
    if !parts.is_empty() {
        output.note(&format!("the program can mend {}", parts.join(", ")));
    }
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
