//! What the compiler makes of rules, and what `why` says of them, is written down as one line a game: a change of the compiler
//! that is meant to change nothing shows where it does.

use super::common::files::{root, rule_files};
use super::generated::made;
use crate::check::Project;
use crate::game::{Game, Position};
use crate::library::Library;
use crate::study::playout::generator;
use rand::RngExt;
use std::fmt::Write as _;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// So many games made at random, and how many of them stand in one line.
const MADE: (u64, u64) = (240, 6);

/// Every shipped game with each of its rulesets, and the name of its file.
fn shipped() -> Vec<(String, String, Game)> {
    let mut all = Vec::new();
    for path in rule_files(&["games", "examples", "tests/variants"]) {
        let name = path.to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        let project = Project::load(&name, &text, &Library);
        let rulesets = project.rulesets().map(|ruleset| Some(ruleset.name.text.clone()));
        for ruleset in std::iter::once(None).chain(rulesets) {
            let Ok(game) = Game::from_text(&name, &text, ruleset.as_deref(), &[], &Library) else { continue };
            all.push((format!("{stem} {}", ruleset.as_deref().unwrap_or("-")), name.clone(), game));
        }
    }
    all
}

/// How many lines a program has as text, and their fingerprint; the places of the rules are left out, as they change with
/// every line of a comment.
fn program(name: &str, game: &Game) -> (usize, u64) {
    let text = game.dump_program().unwrap_or_else(|reason| reason);
    let placeless = text.split(name).map(|rest| rest.trim_start_matches(|c: char| c == ':' || c.is_ascii_digit()));
    (text.lines().count(), xxh3_64(placeless.collect::<String>().as_bytes()))
}

/// What `why` says of plies that were or will be legal, at some positions of a random game.
fn reasons(game: &Game, plies: usize) -> u64 {
    let mut generator = generator(3, 0);
    let mut hash = Xxh3::new();
    let mut positions: Vec<Position> = vec![game.start()];
    while positions.len() < plies {
        let now = &positions[positions.len() - 1];
        let count = now.move_count();
        let Some(index) = (count > 0).then(|| generator.random_range(0..count as u64) as usize) else { break };
        positions.extend(now.play_index(index));
    }
    for (at, position) in positions.iter().enumerate() {
        for other in positions.iter().skip(at.saturating_sub(2)).take(5) {
            let texts = other.moves();
            for text in texts.iter().step_by(texts.len().div_ceil(3).max(1)) {
                let why = position.why(text);
                hash.update(why.reason.as_bytes());
                hash.update(why.clause_text(game).unwrap_or_default().as_bytes());
                hash.update(why.plain(position).as_bytes());
                hash.update(format!("{:?}", why.values.iter().map(|(_, value)| value).collect::<Vec<_>>()).as_bytes());
                hash.update(why.obstacle.unwrap_or_default().as_bytes());
            }
        }
    }
    hash.digest()
}

/// `UPDATE=1 cargo test --lib programs::` writes the lines anew: look at which ones changed, and at the programs of those
/// (`ludwright dump GAME --stage program`).
#[test]
fn programs_and_reasons_are_those_of_the_last_change() {
    let mut lines = String::new();
    for (label, name, game) in shipped() {
        let (length, print) = program(&name, &game);
        // Whole turns are searched by the reference, which takes long on large boards.
        let quick = label.ends_with(" -")
            && game.rules().board.len() <= 81
            && !game.rules().turns.iter().any(|turn| turn.whole);
        let why = if quick { format!(" why {:016x}", reasons(&game, 6)) } else { String::new() };
        writeln!(lines, "{label}: {length} lines {print:016x}{why}").unwrap();
    }
    for first in (0..MADE.0).step_by(usize::try_from(MADE.1).unwrap()) {
        let (mut length, mut print, mut why) = (0, Xxh3::new(), Xxh3::new());
        for number in first..first + MADE.1 {
            let Ok(game) = Game::from_text("made.game", &made(7, number), None, &[], &Library) else { continue };
            let (lines, hash) = program("made.game", &game);
            length += lines;
            print.update(&hash.to_le_bytes());
            why.update(&reasons(&game, 4).to_le_bytes());
        }
        writeln!(lines, "made {first}: {length} lines {:016x} why {:016x}", print.digest(), why.digest()).unwrap();
    }
    let path = root().join("tests/library/programs.txt");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &lines).unwrap();
    }
    let before = std::fs::read_to_string(&path).unwrap_or_default();
    let changed: Vec<String> =
        lines.lines().filter(|line| !before.lines().any(|known| known == *line)).map(|line| line.to_owned()).collect();
    assert!(
        changed.is_empty() && before == lines,
        "the programs of these games, or what is said of their moves, are others than at the last change. If they should be, \
         `UPDATE=1 cargo test --lib programs::` writes them anew.\n{}",
        changed.join("\n")
    );
}
