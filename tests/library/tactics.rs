//! The tactical suite: positions in which something must be seen, with the moves that see it. What is won by force is proved
//! by going through all plies; the rest is told by plain reasoning in the file.

use crate::ai::{Agent, Mind, World};
use crate::game::{Game, Line};
use crate::library::Library;
use crate::study::playout::{generator, pick};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

const SUITE: &str = include_str!("tactics.txt");

/// A position of the suite.
struct Task {
    text: String,
    line: Line,
    /// The right moves, as text.
    right: Vec<String>,
    proof: Proof,
}

/// Why moves are right.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Proof {
    /// They win by force in so many plies, and no others do.
    Win(u32),
    /// After all others somebody else wins by force in so many plies.
    Hold(u32),
    /// The file says why.
    Reason,
}

fn game(text: &str) -> Game {
    let mut words = text.split_whitespace();
    let name = words.next().unwrap();
    let options: Vec<(String, String)> = words
        .map(|option| option.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned())).unwrap())
        .collect();
    Game::from_text(name, Library::text(name).unwrap(), None, &options, &Library).unwrap()
}

fn tasks() -> Vec<Task> {
    let lines = SUITE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(task).collect()
}

fn task(text: &str) -> Task {
    let columns: Vec<&str> = text.split('|').map(str::trim).collect();
    let [name, moves, right, proof, ..] = columns[..] else { panic!("{text}") };
    let moves: Vec<&str> = moves.split(", ").filter(|mv| !mv.is_empty()).collect();
    let line = Line::replayed(&game(name), &moves).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    let plies = |text: &str| text.parse().unwrap();
    let proof = match proof.split_once(' ') {
        Some(("win", number)) => Proof::Win(plies(number)),
        Some(("hold", number)) => Proof::Hold(plies(number)),
        _ => Proof::Reason,
    };
    Task { text: text.to_owned(), line, right: right.split(", ").map(str::to_owned).collect(), proof }
}

/// Whether a seat wins within so many plies, whatever the others do.
fn wins(world: &mut World<'_>, seat: usize, plies: u32) -> bool {
    if let Some(values) = world.values() {
        return values[seat] >= 1.0;
    }
    if plies == 0 || world.player.chance() {
        return false;
    }
    let own = world.seat() == seat;
    // The last ply is one's own.
    if !own && plies == 1 {
        return false;
    }
    for index in 0..world.player.count() {
        world.player.push();
        world.player.play(index);
        let won = wins(world, seat, plies - 1);
        world.player.pop();
        if won == own {
            return own;
        }
    }
    !own
}

/// The legal moves of a position after which a seat wins within so many plies.
fn winning(line: &Line, seat: usize, plies: u32) -> Vec<usize> {
    let (mut world, _) = World::at(line);
    let mut found = Vec::new();
    for index in 0..world.player.count() {
        world.player.reset();
        world.player.play(index);
        if wins(&mut world, seat, plies) {
            world.player.reset();
            found.push(world.legal_index(line.position(), index).unwrap());
        }
    }
    found
}

/// The moves that a proof finds.
fn proved(line: &Line, proof: Proof) -> Option<Vec<String>> {
    let seat = line.position().seat()?;
    let text = |index: usize| line.position().move_text(index).unwrap();
    match proof {
        Proof::Win(plies) => Some(winning(line, seat, plies - 1).into_iter().map(text).collect()),
        Proof::Hold(plies) => {
            let lost = winning(line, 1 - seat, plies);
            Some((0..line.position().move_count()).filter(|index| !lost.contains(index)).map(text).collect())
        }
        Proof::Reason => None,
    }
}

fn sorted(mut list: Vec<String>) -> Vec<String> {
    list.sort();
    list
}

#[test]
fn what_the_suite_says_is_right() {
    let tasks = tasks();
    assert!(tasks.len() >= 60, "{}", tasks.len());
    let games: std::collections::BTreeSet<&str> =
        tasks.iter().filter_map(|task| task.text.split_whitespace().next()).collect();
    assert!(games.len() >= 10, "{games:?}");
    for task in tasks {
        for right in &task.right {
            assert!(task.line.position().find(right).is_ok(), "`{right}` is no legal move: {}", task.text);
        }
        if let Some(proved) = proved(&task.line, task.proof) {
            assert_eq!(sorted(proved), sorted(task.right.clone()), "{}", task.text);
        }
    }
}

/// The share of the suite that a player solves; what he does not is printed.
fn solved(name: &str, tasks: &[Task]) -> f64 {
    let agent: Agent = name.parse().unwrap();
    let mut solved = 0;
    for (number, task) in tasks.iter().enumerate() {
        let began = Instant::now();
        let thought =
            Mind::new(agent, number as u64).think(&task.line, &AtomicBool::new(false), &mut |_, _| {}).unwrap();
        let played = task.line.position().move_text(thought.index).unwrap();
        // A win that is certain is one, even where another is nearer.
        if task.right.contains(&played) || thought.proven && thought.value >= 1.0 {
            solved += 1;
        } else {
            println!("{name} plays {played} ({:.2}) after {:?}: {}", thought.value, began.elapsed(), task.text);
        }
    }
    println!("{name} solves {solved} of {}", tasks.len());
    f64::from(solved) / tasks.len() as f64
}

#[test]
fn levels_solve_the_suite_with_few_rounds() {
    let small = ["chess", "connect_four", "breakthrough", "tic_tac_toe", "hex size=5", "clobber", "slimetrail"];
    let mut tasks = tasks();
    tasks.retain(|task| small.iter().any(|name| task.text.starts_with(name)));
    assert!(tasks.len() >= 30, "{}", tasks.len());
    assert!(solved("hard:2000", &tasks) >= 0.9);
}

#[test]
#[ignore = "takes minutes, and goes by the clock"]
fn levels_solve_the_suite_in_their_time() {
    let tasks = tasks();
    let (hard, medium) = (solved("hard", &tasks), solved("medium", &tasks));
    assert!(hard >= 0.9 && medium >= 0.7, "hard {hard}, medium {medium}");
}

/// Prints positions in which only one or two moves win, or hold, by what a look at all plies proves.
#[test]
#[ignore = "finds more positions for the suite: GAME=\"gomoku size=9\""]
fn positions_for_the_suite() {
    let name = std::env::var("GAME").unwrap();
    let deepest: u32 = std::env::var("PLIES").map_or(3, |text| text.parse().unwrap());
    let wanted: u32 = std::env::var("WANTED").map_or(3, |text| text.parse().unwrap());
    let game = game(&name);
    let mut found = 0;
    for number in 0..400 {
        let mut chance = generator(11, number);
        let mut line = Line::new(game.start());
        while let (false, Some(seat)) = (found >= wanted, line.position().seat()) {
            let all = line.position().move_count();
            let text = |index: &usize| line.position().move_text(*index).unwrap();
            let now = winning(&line, seat, 0);
            let lost = if now.is_empty() { winning(&line, 1 - seat, 1) } else { Vec::new() };
            let mut told = |right: Vec<String>, proof: String| {
                found += 1;
                println!("{name} | {} | {} | {proof} | ", line.moves().join(", "), right.join(", "));
            };
            if now.is_empty() && all > 4 && all - lost.len() <= 2 && lost.len() < all && number % 3 == 0 {
                told(
                    (0..all).filter(|index| !lost.contains(index)).map(|index| text(&index)).collect(),
                    "hold 1".to_owned(),
                );
                break;
            }
            if now.is_empty() && lost.is_empty() && all > 4 && line.played() > 5 {
                let mut plies = 3;
                while plies <= deepest {
                    let right = winning(&line, seat, plies - 1);
                    if !right.is_empty() {
                        if right.len() <= 2 {
                            told(right.iter().map(text).collect(), format!("win {plies}"));
                        }
                        break;
                    }
                    plies += 2;
                }
                if plies <= deepest {
                    break;
                }
            }
            // Whoever plays takes what wins and leaves what loses, else anything.
            let open: Vec<usize> = (0..all).filter(|index| !lost.contains(index)).collect();
            let pool = if !now.is_empty() {
                now
            } else if open.is_empty() {
                lost
            } else {
                open
            };
            line.play(pool[pick(pool.len(), &mut chance).unwrap()]);
        }
    }
}
