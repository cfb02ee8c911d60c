//! What players do not see: two games that a seat cannot tell apart look the same to it by every door, and a program that sits
//! there plays the same in both.

use super::common::files::rule_files;
use crate::ai::{Agent, Budget, Level, Mind, Worlds};
use crate::check::Project;
use crate::diagnostic::Code;
use crate::game::{Game, Line, LoadError};
use crate::learn::{Actions, Format, Planes, Session};
use crate::library::Library;
use crate::render::{Style, svg};
use crate::study::playout::{choose, generator};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

const NAMES: [&str; 4] = ["phantom_tic_tac_toe", "dark_hex", "rock_paper_scissors", "small_stratego"];

fn load(name: &str) -> Game {
    let text = std::fs::read_to_string(format!("examples/{name}.game")).unwrap();
    Game::from_text(name, &text, None, &[], &Library).unwrap()
}

/// A random game of so many plies, or shorter where it ends.
fn played(game: &Game, plies: usize, seed: u64) -> Line {
    let mut chance = generator(seed, 0);
    let mut line = Line::new(game.start());
    while line.played() < plies && !line.position().is_over() {
        let Some(index) = choose(line.position(), &mut chance) else { break };
        line.play(index);
    }
    line
}

/// All that a seat can be shown of a game.
fn shown(line: &Line, seat: usize) -> Vec<String> {
    let mut all = line.moves_seen_from(seat);
    for ply in 0..=line.played() {
        let position = line.at(ply).unwrap().seen_from(seat);
        let style = Style { caption: true, ..Style::default() };
        all.extend([position.draw(), position.to_json().to_string(), svg(&position, &style)]);
        all.extend(position.store_lines().into_iter().chain(position.store_boards()));
        all.push(format!(
            "{:?} {:?} {} {}",
            position.scores(),
            position.moves(),
            position.move_count(),
            position.hash()
        ));
        all.push(format!("{:?}", position.departures()));
    }
    if line.position().seat() == Some(seat) {
        all.extend(line.position().moves());
    }
    all.extend(observed(line, seat));
    all
}

/// What programs that learn are given of a game at a seat, ply by ply: planes, and the mask where it is to move.
fn observed(line: &Line, seat: usize) -> Vec<String> {
    let game = line.game();
    let actions = Actions::of(game);
    let planes = Planes::of(game, &actions, Format::Nodes);
    let mut session = Session::new(game, &actions);
    let (mut room, mut mask) = (vec![7; planes.len()], vec![7; actions.len()]);
    let mut all = Vec::new();
    for ply in 0..=line.played() {
        session.observe_from(seat, &planes, &mut room);
        all.push(format!("{room:?}"));
        if session.over().is_none() && !session.is_chance() && session.seat() == seat {
            session.mask(&mut mask);
            all.push(format!("{mask:?}"));
        }
        if let Some(index) = line.chosen().get(ply) {
            assert!(session.play_legal(line.at(ply).unwrap(), *index).unwrap());
        }
    }
    all
}

/// The plane of a name, site by site.
fn plane(line: &Line, seat: usize, name: &str) -> Vec<u8> {
    let game = line.game();
    let actions = Actions::of(game);
    let planes = Planes::of(game, &actions, Format::Nodes);
    let mut session = Session::new(game, &actions);
    for (ply, index) in line.chosen().iter().take(line.played()).enumerate() {
        assert!(session.play_legal(line.at(ply).unwrap(), *index).unwrap());
    }
    let mut room = vec![7; planes.len()];
    session.observe_from(seat, &planes, &mut room);
    let at = planes.names().iter().position(|known| known == name).unwrap_or_else(|| panic!("{:?}", planes.names()));
    room.chunks(planes.names().len()).map(|site| site[at]).collect()
}

#[test]
fn all_games_that_hide_something_are_looked_at() {
    let hides = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        text.lines()
            .any(|line| line.starts_with("hidden "))
            .then(|| path.file_stem().unwrap().to_str().unwrap().to_owned())
    };
    let found: BTreeSet<String> = rule_files(&["games", "examples"]).iter().filter_map(hides).collect();
    assert_eq!(found, NAMES.map(str::to_owned).into());
}

#[test]
fn an_observation_says_what_is_not_seen_and_shows_it_to_its_owner_and_at_the_end() {
    let phantom = load("phantom_tic_tac_toe");
    let line = Line::replayed(&phantom, &["a1", "a1", "b2"]).unwrap();
    let sites = |line: &Line, seat: usize, name: &str| {
        let board = &line.game().rules().board;
        let marked = plane(line, seat, name).into_iter().zip(board.names());
        marked.filter(|(byte, _)| *byte > 0).map(|(_, site)| site.to_owned()).collect::<Vec<_>>().join(" ")
    };
    // To whoever looks the own marks come first.
    assert_eq!((sites(&line, 0, "mover mark"), sites(&line, 0, "next mark")), ("a1".to_owned(), String::new()));
    assert_eq!((sites(&line, 1, "mover mark"), sites(&line, 1, "next mark")), ("b2".to_owned(), "a1".to_owned()));
    assert_eq!((sites(&line, 0, "unseen").len(), sites(&line, 1, "unseen").len()), (23, 20));
    // Whether a1 was met is not seen; of all others it is known that they were not, which is no 0.
    assert_eq!((sites(&line, 0, "met unseen"), sites(&line, 0, "met").contains("a1")), ("a1".to_owned(), false));
    assert_eq!(sites(&line, 0, "met").len(), 23);
    let over = Line::replayed(&phantom, &["a1", "b1", "a2", "b2", "a3"]).unwrap();
    assert_eq!((sites(&over, 1, "next mark"), sites(&over, 1, "unseen")), ("a3 a2 a1".to_owned(), String::new()));

    let stratego = load("small_stratego");
    let line = Line::replayed(&stratego, &["Fa1", "Mb6"]).unwrap();
    assert_eq!((sites(&line, 0, "mover flag"), sites(&line, 0, "next miner")), ("a1".to_owned(), String::new()));
    assert_eq!((sites(&line, 0, "next unknown"), sites(&line, 0, "mover unknown")), ("b6".to_owned(), String::new()));
    assert_eq!((sites(&line, 1, "mover miner"), sites(&line, 1, "next unknown")), ("b6".to_owned(), "a1".to_owned()));
    // Of the stock everybody knows his own.
    let first = |seat, name| plane(&line, seat, name)[0];
    assert_eq!((first(0, "mover stock scout"), first(0, "mover stock scout unseen")), (2, 0));
    assert_eq!((first(0, "next stock scout"), first(0, "next stock scout unseen")), (0, 1));
}

/// What programs at the seat to move play, by seed.
fn decided(line: &Line) -> Vec<Option<String>> {
    let level = Agent::Level(Level::Easy, Some(Budget::Rounds(90)));
    let agents =
        [Agent::Random, Agent::Greedy, Agent::Mcts(Budget::Rounds(90)), Agent::AlphaBeta(Budget::Rounds(90)), level];
    let decide = |agent: Agent| {
        let thought = Mind::new(agent, 7).think(line, &AtomicBool::new(false), &mut |_, _| {})?;
        line.position().move_text(thought.index)
    };
    agents.into_iter().map(decide).collect()
}

#[test]
fn games_that_a_seat_cannot_tell_apart_look_the_same_and_are_played_the_same() {
    let mut different = BTreeSet::new();
    for name in NAMES {
        let game = load(name);
        for seed in 0..4 {
            let line = played(&game, 3 + 2 * usize::try_from(seed).unwrap(), seed);
            if line.position().is_over() {
                continue;
            }
            for seat in 0..2 {
                let mut worlds = Worlds::default();
                let found = worlds.fit(&game, seat, line.told(seat), &mut generator(seed, 1), &|| false);
                assert!(!found.is_empty(), "{name} {seed}: no world fits {:?}", line.moves());
                for world in found {
                    let (here, there) = (shown(world, seat), shown(&line, seat));
                    let differs = here.iter().zip(&there).find(|(here, there)| here != there);
                    assert_eq!(
                        (differs, here.len()),
                        (None, there.len()),
                        "{name} {:?} {:?}",
                        line.moves(),
                        world.moves()
                    );
                    if world.moves() != line.moves() {
                        different.insert(name);
                        if line.position().seat() == Some(seat) && seed < 3 {
                            assert_eq!(decided(world), decided(&line), "{name} {:?} {:?}", line.moves(), world.moves());
                        }
                    }
                }
            }
        }
    }
    assert_eq!(different.len(), NAMES.len(), "only {different:?} have worlds beside the true one");
}

#[test]
fn who_looks_sees_his_own_and_at_the_end_everybody_sees_everything() {
    let game = load("phantom_tic_tac_toe");
    let line = Line::replayed(&game, &["a1", "a1", "b2"]).unwrap();
    let told = |seat| line.moves_seen_from(seat).join(" ");
    assert_eq!((told(0), told(1)), ("a1 ? ?".to_owned(), "? a1 b2".to_owned()));
    assert_eq!(line.position().seen_from(0).draw(), "3 ? ? ?\n2 ? ? ?\n1 M ? ?\n  a b c\n");
    assert_eq!(line.position().seen_from(1).draw(), "3 ? ? ?\n2 ? m ?\n1 M ? ?\n  a b c\n");
    let seen = line.position().seen_from(1).to_json();
    assert_eq!((&seen["state"]["met"]["b2"], &seen["state"]["met"]["a1"]), (&"?".into(), &"known".into()));
    assert_eq!(seen["seat"], "Nought");
    let over = Line::replayed(&game, &["a1", "b1", "a2", "b2", "a3"]).unwrap();
    assert_eq!(over.position().seen_from(1).draw(), over.position().draw());
    assert_eq!(over.moves_seen_from(1), over.moves());
}

#[test]
fn kinds_and_hands_are_hidden_and_owners_are_not() {
    let game = load("small_stratego");
    let line = Line::replayed(&game, &["Fa1", "Mb6"]).unwrap();
    assert_eq!(line.moves_seen_from(1), ["?a1", "Mb6"]);
    let seen = line.position().seen_from(1).to_json();
    assert_eq!((&seen["sites"]["a1"], &seen["sites"]["b6"]), (&"?:Red".into(), &"miner:Blue".into()));
    assert_eq!(
        (&seen["state"]["stock"]["Red"]["flag"], &seen["state"]["stock"]["Blue"]["miner"]),
        (&"?".into(), &0.into())
    );
    assert!(line.position().seen_from(1).draw().contains("?1"));
}

#[test]
fn what_is_worked_out_from_a_hidden_part_is_hidden_too() {
    let text = "game \"Sum\"\nplayers A, B\nboard square(3)\npiece stone of each player\n\
                hidden move put(p, cell) = mover is not p\n\
                move put \"{cell} {above} {n}\" { cell : empty; n : 1..2; above = ahead(cell, N); cell becomes stone of mover }\n\
                turn { put }\nend { draw when turn > 4; next loses when stuck }\n";
    let game = Game::from_text("sum.game", text, None, &[], &Library).unwrap();
    let line = Line::replayed(&game, &["a1 a2 2"]).unwrap();
    assert_eq!(line.moves_seen_from(1), ["? ? 2"]);
}

#[test]
fn how_a_ply_is_printed_tells_others_nothing_of_the_other_plies() {
    let text = "game \"Alike\"\nplayers A, B\nboard square(3)\npiece man of each player\n\
                hidden pieces(p) = site but of p\n\
                start { a1 becomes man of A; c1 becomes man of A; b3 becomes man of B }\n\
                move go \"{from?}{to}\" { from : own; to : empty next_to from; from -> to }\n\
                turn { go }\nend { draw when turn > 4; next loses when stuck }\n";
    let game = Game::from_text("alike.game", text, None, &[], &Library).unwrap();
    // Where a man goes that another one could not have gone to.
    let line = Line::replayed(&game, &["a2"]).unwrap();
    assert_eq!((line.moves_seen_from(0), line.moves_seen_from(1)), (vec!["a2".to_owned()], vec!["a1a2".to_owned()]));
}

#[test]
fn what_cannot_be_hidden_is_refused() {
    let found = |line: &str| {
        let text = format!(
            "game \"G\"\nplayers A, B\nboard square(3)\npiece stone of each player\ntrack hand(player) : 0..3 = 3\n{line}\n\
             move put \"{{cell}}\" {{ cell : empty; cell becomes stone of mover }}\nturn {{ put }}\nend {{ draw when no empty }}\n"
        );
        let project = Project::load("g.game", &text, &Library);
        let error = Game::from_project(&project, None, &[]).err();
        error.map(|error| match error {
            LoadError::Rules { diagnostics, .. } => diagnostics.first().map(|diagnostic| diagnostic.code),
            other => panic!("{other}"),
        })
    };
    for (line, code) in [
        ("hidden pieces(p) = site but of p", None),
        ("hidden hand(p, q) = q is not p", None),
        ("hidden piece(p) = site", Some(Code::UnknownName)),
        ("hidden hands(p, q) = q is not p", Some(Code::UnknownName)),
        ("hidden hand(p) = mover is not p", Some(Code::WrongArity)),
        ("hidden pieces() = site", Some(Code::Syntax)),
        ("hidden pieces(p) = 3", Some(Code::WrongType)),
        ("hidden move go(p) = mover is not p", Some(Code::UnknownMove)),
        ("hidden move put(p, to) = mover is not p", Some(Code::UnknownName)),
        ("hidden move put(p, cell) = cell", Some(Code::WrongType)),
    ] {
        assert_eq!(found(line), code.map(Some), "{line}");
    }
}

#[test]
fn games_that_hide_nothing_show_everything() {
    let text = Library::text("tic_tac_toe").unwrap();
    let game = Game::from_text("tic_tac_toe", text, None, &[], &Library).unwrap();
    let line = Line::replayed(&game, &["a1", "b2"]).unwrap();
    assert!(!game.hides());
    assert_eq!(line.moves_seen_from(0), line.moves());
    assert_eq!(line.position().seen_from(0).draw(), line.position().draw());
}
