//! Tests and records in the text of a game, run.

use crate::check::{CheckedScript, Project, Resolve, ScriptStep, ScriptStepKind, check_script};
use crate::game::{Game, LoadError, PlayError, Position, chosen_options, chosen_ruleset};
use crate::rules::Recorder;
use crate::study::perft::perft;
use crate::syntax::ast::Script;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How one test or record of a file went.
#[derive(Clone, Debug)]
pub struct ScriptReport {
    /// The name of the test or record.
    pub name: String,
    /// Whether it is a recorded game.
    pub record: bool,
    /// Whether all in it holds.
    pub ok: bool,
    /// Plies played.
    pub plies: u32,
    /// The first ply (from 1) that could not be played.
    pub failed_at: Option<u32>,
    /// That ply, as it stands in the text.
    pub mv: Option<String>,
    /// What went wrong, in a sentence.
    pub message: Option<String>,
    /// The line of the step that failed, or of the script.
    pub line: usize,
    /// The last position reached.
    pub position: Position,
    /// If it is kept, the whole course: each position with the ply that led to it, none where it was set up.
    pub course: Vec<(Option<String>, Position)>,
}

/// Runs the wanted tests and records of a file, each with the options it sets on top of those given.
pub fn run_scripts(
    name: &str,
    text: &str,
    ruleset: Option<&str>,
    options: &[(String, String)],
    resolve: &dyn Resolve,
    wanted: fn(&Script) -> bool,
) -> Result<Vec<ScriptReport>, LoadError> {
    Scripts { wanted, ..Scripts::default() }.run(&Project::load(name, text, resolve), ruleset, options)
}

/// How the tests and records of a file are run.
#[derive(Clone, Debug)]
pub struct Scripts {
    /// Which of them are run.
    pub wanted: fn(&Script) -> bool,
    /// If it is given, only those of this name are run.
    pub named: Option<String>,
    /// Nothing is run after the first that fails.
    pub fail_fast: bool,
    /// Whether reports keep all positions.
    pub keep_course: bool,
    /// Once it is set no further step is taken, and what was to come counts as failed.
    pub stop: Arc<AtomicBool>,
    /// Told which clauses of the file they come to.
    pub recorder: Option<Arc<Recorder>>,
}

impl Default for Scripts {
    fn default() -> Self {
        let stop = Arc::default();
        Self { wanted: |_| true, named: None, fail_fast: false, keep_course: false, stop, recorder: None }
    }
}

impl Scripts {
    /// Runs them with the options chosen, in the order of the text.
    pub fn run(
        &self,
        project: &Project,
        ruleset: Option<&str>,
        options: &[(String, String)],
    ) -> Result<Vec<ScriptReport>, LoadError> {
        let ruleset = chosen_ruleset(project, ruleset)?;
        let settings = chosen_options(project, options)?;
        let mut reports = Vec::new();
        let named = |script: &&Script| self.named.as_ref().is_none_or(|name| *name == script.name.text);
        for script in project.scripts().iter().filter(|script| (self.wanted)(script)).filter(named) {
            let CheckedScript { rules, steps, diagnostics } =
                check_script(project, &settings, ruleset.as_deref(), script);
            let mut game = Game::from_rules(project, rules, diagnostics)?;
            if let Some(recorder) = &self.recorder {
                game = game.recording(recorder, project.main);
            }
            let report = self.follow(&game, script, &steps);
            let failed = !report.ok;
            reports.push(report);
            if self.fail_fast && failed {
                break;
            }
        }
        Ok(reports)
    }

    /// Goes through the steps of one of them.
    fn follow(&self, game: &Game, script: &Script, steps: &[ScriptStep]) -> ScriptReport {
        let line = |span: crate::source::Span| {
            game.sources().get(span.source).map_or(1, |source| source.locate(span.start as usize).line)
        };
        let mut report = ScriptReport {
            name: script.name.text.clone(),
            record: script.record,
            ok: true,
            plies: 0,
            failed_at: None,
            mv: None,
            message: None,
            line: line(script.name.span),
            position: game.start(),
            course: Vec::new(),
        };
        let mut course = self.keep_course.then(|| vec![(None, game.start())]);
        for step in steps {
            let stopped = self.stop.load(Ordering::Relaxed).then(|| "it was stopped".to_owned());
            let done = stopped.map_or_else(|| run_step(game, step, &mut report, course.as_mut()), Err);
            if let Err(message) = done {
                report.ok = false;
                report.message = Some(message);
                report.line = line(step.span);
                break;
            }
        }
        report.course = course.unwrap_or_default();
        report
    }
}

fn run_step(
    game: &Game,
    step: &ScriptStep,
    report: &mut ScriptReport,
    mut course: Option<&mut Vec<(Option<String>, Position)>>,
) -> Result<(), String> {
    match &step.kind {
        ScriptStepKind::Position { changes, mover, turn } => {
            report.position = game.arranged(changes, *mover, *turn).ok_or("the position cannot be set up")?;
            if let Some(course) = course {
                course.push((None, report.position.clone()));
            }
            Ok(())
        }
        ScriptStepKind::Play(moves) => {
            for text in moves {
                match report.position.play(text) {
                    Ok(position) => {
                        look(&report.position, text);
                        if let Some(course) = &mut course {
                            let printed = report.position.find(text).ok().and_then(|at| report.position.move_text(at));
                            course.push((Some(printed.unwrap_or_else(|| text.clone())), position.clone()));
                        }
                        report.position = position;
                        report.plies += 1;
                    }
                    Err(error) => {
                        report.failed_at = Some(report.plies + 1);
                        report.mv = Some(text.clone());
                        return Err(format!("ply {}: {}", report.plies + 1, report.position.explained(&error)));
                    }
                }
            }
            Ok(())
        }
        ScriptStepKind::Legal(moves) => {
            let find = |text: &String| report.position.find(text).map_err(|error| report.position.explained(&error));
            moves.iter().try_for_each(|text| find(text).map(|_| ()))
        }
        ScriptStepKind::Illegal { moves, because } => {
            moves.iter().try_for_each(|text| is_illegal(&report.position, text, because.as_deref()))
        }
        ScriptStepKind::Only(moves) => {
            let mut wanted = Vec::new();
            for text in moves {
                wanted.push(report.position.find(text).map_err(|error| report.position.explained(&error))?);
            }
            let others: Vec<String> = (0..report.position.move_count())
                .filter(|index| !wanted.contains(index))
                .filter_map(|index| report.position.move_text(index))
                .collect();
            if others.is_empty() {
                return Ok(());
            }
            let shown = others.iter().take(6).cloned().collect::<Vec<_>>().join(", ");
            Err(match others.len() {
                1 => format!("another move is legal: {shown}"),
                many => format!("{many} other moves are legal: {shown}"),
            })
        }
        ScriptStepKind::Perft { turns, counts } => {
            let found = perft(&report.position, counts.len(), *turns, &mut |_, _| {}).nodes;
            let unit = if *turns { "turns" } else { "plies" };
            match found.iter().zip(counts).enumerate().find(|(_, (found, wanted))| found != wanted) {
                Some((index, (found, wanted))) => {
                    Err(format!("there are {found} lines of {} {unit}, not {wanted}", index + 1))
                }
                None => Ok(()),
            }
        }
        ScriptStepKind::Expect(condition) => {
            if report.position.holds(condition) {
                return Ok(());
            }
            let values = report.position.deciding(condition);
            let found = if values.is_empty() { String::new() } else { format!(": {}", values.join(", ")) };
            Err(format!("`{}` does not hold{found}", game.sources().phrase(condition.span)))
        }
        ScriptStepKind::Result(wanted) => {
            let Some(result) = report.position.result_text() else { return Err("the game is not over".to_owned()) };
            let reason = report.position.outcome().map(|outcome| outcome.reason.clone()).unwrap_or_default();
            if result == *wanted || reason == *wanted {
                Ok(())
            } else {
                Err(format!("the result is: {result} ({reason})"))
            }
        }
    }
}

fn is_illegal(position: &Position, text: &str, because: Option<&str>) -> Result<(), String> {
    match position.find(text) {
        Ok(_) => return Err(format!("`{text}` is legal")),
        Err(PlayError::Ambiguous { candidates, .. }) => {
            return Err(format!("`{text}` is legal: {}", candidates.join(", ")));
        }
        Err(PlayError::Illegal { .. } | PlayError::Over { .. } | PlayError::Stopped { .. }) => {}
    }
    let Some(because) = because else { return Ok(()) };
    let why = position.why(text);
    let clause = why.clause_text(position.game());
    if why.reason.contains(because) || clause.as_ref().is_some_and(|clause| clause.contains(because)) {
        return Ok(());
    }
    let clause = clause.map_or(String::new(), |clause| format!(" (`{clause}`)"));
    Err(format!("`{text}` is illegal for another reason: {}{clause}", why.reason))
}

/// Every seat looks at a position and reads the ply that follows it, where something is hidden, so that coverage knows of it.
fn look(position: &Position, text: &str) {
    let game = position.game();
    let Some(index) = position.find(text).ok().filter(|_| game.hides()) else { return };
    for seat in 0..game.rules().players.len() {
        let _ = (position.seen_from(seat), position.ply_seen_from(index, seat));
    }
}
