//! Which clauses of a rule file its tests and records, and random games, came to.

use crate::author::script::{ScriptReport, Scripts};
use crate::check::Project;
use crate::game::{Game, LoadError};
use crate::rules::Recorder;
use crate::study::playout::{Engine, Settings, playout};
use std::sync::Arc;

/// Random games are cut here.
const MAX_PLIES: u64 = 10_000;

/// A clause of which play has left something out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Uncovered {
    /// The line it begins on, from 1.
    pub line: usize,
    /// The column it begins in, from 1.
    pub column: usize,
    /// What is written there.
    pub text: String,
    /// `never reached`, `never true` or `never false`.
    pub missing: &'static str,
}

/// Which clauses of a text its tests come to.
#[derive(Clone, Default, Debug)]
pub struct Coverage {
    /// How many clauses there are.
    pub clauses: usize,
    /// Those that the tests leave out.
    pub uncovered: Vec<Uncovered>,
}

/// Runs the tests and records of a file, and so many random games with every choice of options that the file names:
/// the defaults, each ruleset, and what the tests set.
pub fn cover(
    project: &Project,
    ruleset: Option<&str>,
    options: &[(String, String)],
    fail_fast: bool,
    games: u64,
) -> Result<(Vec<ScriptReport>, Coverage), LoadError> {
    let recorder = Arc::new(Recorder::default());
    let scripts = Scripts { fail_fast, recorder: Some(Arc::clone(&recorder)), ..Scripts::default() };
    let reports = scripts.run(project, ruleset, options)?;
    let mut played = vec![Game::from_project(project, ruleset, options)?.recording(&recorder, project.main)];
    if ruleset.is_none() {
        for ruleset in project.rulesets() {
            let game = Game::from_project(project, Some(&ruleset.name.text), options)?;
            played.push(game.recording(&recorder, project.main));
        }
    }
    if games > 0 {
        played.extend(reports.iter().map(|report| report.position.game().clone()));
        played.sort_by_key(Game::rules_hash);
        played.dedup_by_key(|game| game.rules_hash());
        for game in &played {
            playout(
                game,
                Settings { games, seed: 0, threads: 1, max_plies: Some(MAX_PLIES), engine: Engine::Reference },
                &mut |_| {},
            );
        }
    }
    Ok((reports, found(project, &recorder)))
}

fn found(project: &Project, recorder: &Recorder) -> Coverage {
    let clauses = recorder.clauses();
    let mut uncovered = Vec::new();
    for (span, clause) in &clauses {
        if let (Some(missing), Some(source)) = (clause.missing(), project.sources.get(span.source)) {
            let place = source.locate(span.start as usize);
            let text = project.sources.slice(*span).split_whitespace().collect::<Vec<_>>().join(" ");
            uncovered.push(Uncovered { line: place.line, column: place.column, text, missing });
        }
    }
    Coverage { clauses: clauses.len(), uncovered }
}
