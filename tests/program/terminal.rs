//! Play on the whole screen, driven as a person drives it: by keys, by the mouse, by notation.

use super::common::ahead::{Ahead, Choice, Place, Step};
use super::common::pty::{DOWN, ENTER, ESCAPE, HELP, HINT, LEFT, Pty, QUIT, REDO, RESIGN, RIGHT, TAB, UNDO, UP, WHY};
use super::common::{ludwright, shipped};
use std::path::PathBuf;
use std::time::Duration;

/// A folder for the games of one test.
fn state(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("games-of").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The saved games below a folder.
fn saved(state: &std::path::Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(state.join("ludwright/games")) else { return Vec::new() };
    let mut texts: Vec<String> = entries.map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap()).collect();
    texts.sort();
    texts
}

const PEOPLE: [&str; 3] = ["tic_tac_toe", "--players", "human,human"];

#[test]
fn a_game_by_keys_alone() {
    let state = state("keys");
    let mut pty = Pty::play(&PEOPLE, 80, 24, &state);
    // The cursor begins in the middle.
    pty.expect("X (human) to move");
    for (keys, after) in [
        (&[ENTER][..], "ply 1"),
        (&[UP, " "], "ply 2"),
        (&[LEFT, ENTER], "ply 3"),
        (&[DOWN, DOWN, ENTER], "ply 4"),
        (&[RIGHT, RIGHT, ENTER], "The game is over: X wins"),
    ] {
        keys.iter().for_each(|key| pty.send(key));
        pty.expect(after);
    }
    pty.send(UNDO);
    pty.expect("ply 4");
    pty.send(REDO);
    pty.expect("X wins");
    pty.send(QUIT);
    assert_eq!(pty.end(), 0);
    let texts = saved(&state);
    assert_eq!(texts.len(), 1);
    assert!(texts[0].contains("// result X wins") && texts[0].contains("// players human, human"), "{}", texts[0]);
    assert_eq!(texts[0].lines().filter(|line| !line.starts_with("//")).count(), 5, "{}", texts[0]);
}

/// The place of a site: where a text stands on the screen.
fn places(screen: &vt100::Screen, text: &str) -> Vec<(u16, u16)> {
    let (lines, columns) = screen.size();
    let mut found = Vec::new();
    for line in 0..lines.get() {
        for column in 0..columns.get() {
            if screen.cell(line, column).is_some_and(|cell| cell.contents() == text) {
                found.push((column, line));
            }
        }
    }
    found
}

#[test]
fn a_game_by_the_mouse_alone() {
    let state = state("mouse");
    let mut pty = Pty::play(&PEOPLE, 80, 24, &state);
    pty.expect("X (human) to move");
    // All sites are open, the one under the cursor too.
    pty.until("nine open sites", |screen| places(screen, "•").len() == 9);
    let open = places(pty.screen(), "•");
    for (ply, at) in [(1, 0), (2, 3), (3, 1), (4, 4)] {
        pty.click(open[at].0, open[at].1);
        pty.expect(&format!("ply {ply}"));
    }
    pty.click(open[2].0, open[2].1);
    pty.expect("The game is over: X wins");
    pty.send(QUIT);
    assert_eq!(pty.end(), 0);
}

#[test]
fn a_game_by_notation_with_a_word_on_what_is_illegal() {
    let state = state("notation");
    let mut pty = Pty::play(&["breakthrough", "--players", "human,human"], 80, 24, &state);
    pty.expect("White (human) to move");
    pty.send("a2");
    pty.expect("a2-a3  a2-b3");
    pty.send("\x7f\x7fb");
    pty.expect("b2-a3  b2-b3  b2-c3");
    pty.send(&format!("2-b{TAB}{ENTER}"));
    pty.expect("Black (human) to move");
    pty.send(&format!("h7-h5{ENTER}"));
    pty.expect("`h7-h5` is illegal");
    pty.send(WHY);
    pty.expect(" Why ");
    pty.send(ENTER);
    pty.until("the page gone", |screen| !screen.contents().contains(" Why "));
    pty.send(&format!("h7-h6{ENTER}"));
    pty.expect("White (human) to move");
    pty.send(&format!(":why b3-b5{ENTER}"));
    pty.expect("`b3-b5` is illegal");
    pty.send(ESCAPE);
    pty.until("the page gone", |screen| !screen.contents().contains("b3-b5"));
    pty.send(HELP);
    pty.expect("Ctrl-Q           quit");
    pty.send(ENTER);
    pty.send(RESIGN);
    pty.expect("Does White resign?");
    pty.send("n");
    pty.until("the question gone", |screen| !screen.contents().contains("resign?"));
    pty.send(RESIGN);
    pty.expect("Does White resign?");
    pty.send("y");
    pty.expect("Black wins (White resigned)");
    pty.send(QUIT);
    assert_eq!(pty.end(), 0);
    assert!(saved(&state)[0].contains("// result Black wins (White resigned)"));
}

#[test]
fn a_window_may_change_its_size() {
    let state = state("resize");
    let mut pty = Pty::play(&["hex", "--players", "human,human"], 120, 40, &state);
    pty.expect("│ ");
    pty.resize(60, 16);
    pty.until("a small board", |screen| !screen.contents().contains('│') && screen.contents().contains("Hex"));
    pty.resize(20, 6);
    pty.expect("too");
    pty.resize(80, 24);
    pty.expect("human) to move");
    pty.send(ENTER);
    pty.expect("ply 1");
    pty.send(QUIT);
    assert_eq!(pty.end(), 0);
}

#[test]
fn a_killed_game_goes_on_where_it_was() {
    let state = state("killed");
    let mut pty = Pty::play(&PEOPLE, 80, 24, &state);
    pty.expect("X (human) to move");
    pty.send(&format!("a1{ENTER}"));
    pty.expect("ply 1");
    pty.send(&format!("b2{ENTER}"));
    pty.expect("ply 2");
    pty.child.kill().unwrap();
    pty.end();
    let mut pty = Pty::play(&["--resume"], 80, 24, &state);
    pty.expect("ply 2");
    pty.send(&format!("c3{ENTER}"));
    pty.expect("ply 3");
    pty.send(QUIT);
    assert_eq!(pty.end(), 0);
    let texts = saved(&state);
    assert_eq!(texts.len(), 1, "the same file goes on: {texts:?}");
    assert!(texts[0].ends_with("a1\nb2\nc3\n"), "{}", texts[0]);
}

#[test]
fn a_game_that_cannot_be_saved_goes_on_and_that_is_said() {
    let state = state("unsaved");
    let folder = state.join("none");
    let file = folder.join("game.txt");
    let arguments = [&PEOPLE[..], &["--save", file.to_str().unwrap()]].concat();
    let mut pty = Pty::play(&arguments, 100, 24, &state);
    pty.expect("X (human) to move");
    pty.send(ENTER);
    pty.expect("The game is not saved");
    pty.send(&format!("a1{ENTER}"));
    pty.expect("ply 2");
    std::fs::create_dir(&folder).unwrap();
    pty.send(&format!("c3{ENTER}"));
    pty.expect("ply 3");
    pty.send(QUIT);
    assert_eq!(pty.end(), 0);
    assert!(std::fs::read_to_string(&file).unwrap().ends_with("b2\na1\nc3\n"));
}

#[test]
fn the_terminal_is_given_back_when_the_program_is_ended_from_outside() {
    for signal in ["-TERM", "-QUIT"] {
        let state = state("ended");
        let mut pty = Pty::play(&PEOPLE, 80, 24, &state);
        pty.until("the whole screen", |screen| screen.alternate_screen());
        let id = pty.child.process_id().unwrap().to_string();
        assert!(std::process::Command::new("kill").args([signal, &id]).status().unwrap().success());
        assert_eq!(pty.end(), 0, "{signal}");
        assert!(!pty.screen().alternate_screen() && !pty.screen().hide_cursor(), "{signal}");
        assert_eq!(pty.screen().mouse_protocol_mode(), vt100::MouseProtocolMode::None);
    }
}

#[test]
fn a_closed_terminal_is_a_quiet_end() {
    let state = state("closed");
    let mut pty = Pty::play(&PEOPLE, 80, 24, &state);
    pty.expect("X (human) to move");
    let mut child = pty.close();
    for _ in 0..3000 {
        if child.try_wait().unwrap().is_some() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    panic!("the program goes on without a terminal");
}

#[test]
fn programs_can_be_watched_and_give_hints() {
    let state = state("programs");
    let programs = ["tic_tac_toe", "--players", "random,random", "--seed", "1", "--watch-delay", "0"];
    let mut pty = Pty::play(&programs, 80, 24, &state);
    pty.expect("The game is over");
    pty.send(QUIT);
    assert_eq!(pty.end(), 0);
    let mut pty = Pty::play(&["tic_tac_toe", "--players", "human,random", "--seed", "1"], 80, 24, &state);
    pty.expect("X (human) to move");
    pty.send(HINT);
    pty.expect("Hint: ");
    pty.send(ENTER);
    pty.expect("ply 2");
    pty.send(UNDO);
    pty.expect("ply 0");
    pty.send(QUIT);
    assert_eq!(pty.end(), 0);
}

#[test]
fn a_program_that_thinks_shows_what_and_can_be_interrupted() {
    let state = state("thinking");
    let mut pty = Pty::play(&["gomoku", "--players", "human,mcts:60s", "--seed", "1"], 100, 30, &state);
    pty.expect("Black (human) to move");
    for _ in 0..2 {
        pty.send(ENTER);
        pty.expect("mcts:60s thinks █");
        pty.expect("expects");
        // The screen still answers.
        pty.send(HELP);
        pty.expect("Ctrl-Q           quit");
        pty.send(ENTER);
        pty.send(UNDO);
        pty.expect("ply 0");
    }
    pty.send(ENTER);
    pty.expect("thinks");
    pty.send(QUIT);
    assert_eq!(pty.end(), 0);
    assert!(saved(&state)[0].contains("// players human, mcts:60s"));
}

#[test]
fn without_colours_and_utf8_there_are_letters_and_ascii() {
    let state = state("letters");
    let variables = [("NO_COLOR", "1"), ("LANG", "C")];
    let mut pty = Pty::play_with(&["connect_four", "--players", "human,human"], 80, 24, &state, &variables);
    pty.expect("+---+---+");
    pty.send("d1\r");
    pty.expect("ply 1");
    assert!(pty.text().is_ascii(), "{}", pty.text());
    let (lines, columns) = pty.screen().size();
    for (line, column) in (0..lines.get()).flat_map(|line| (0..columns.get()).map(move |column| (line, column))) {
        let cell = pty.screen().cell(line, column).unwrap();
        assert_eq!((cell.fgcolor(), cell.bgcolor()), (vt100::Color::Default, vt100::Color::Default));
    }
    pty.send(QUIT);
    assert_eq!(pty.end(), 0);
}

#[test]
fn plain_play_at_a_terminal_hints_explains_and_resigns() {
    let state = state("plain");
    let mut pty = Pty::play(&[&PEOPLE[..], &["--plain"]].concat(), 80, 60, &state);
    pty.expect("Your move");
    pty.send("b2\r");
    pty.expect("1. X: b2");
    pty.send("b2\r");
    pty.expect("`b2` is illegal");
    pty.send("hint\r");
    pty.expect(" %");
    pty.send("why a1\r");
    pty.expect("`a1` is legal");
    pty.send("undo\r");
    pty.until("the start", |screen| screen.contents().matches("0 plies played").count() == 2);
    pty.send("redo\r");
    pty.send("resign\r");
    pty.expect("Does O resign?");
    pty.send("no\r");
    pty.expect("Your move");
    pty.send("resign\r");
    pty.until("the question again", |screen| screen.contents().matches("Does O resign?").count() == 2);
    pty.send("yes\r");
    pty.expect("X wins (O resigned)");
    pty.send("quit\r");
    assert_eq!(pty.end(), 0);
    assert!(saved(&state)[0].contains("// result X wins (O resigned)"));
}

#[test]
fn saving_never_overwrites_another_game() {
    let state = state("other");
    let file = state.join("mine.txt");
    std::fs::write(&file, "a1\n").unwrap();
    let arguments = [&PEOPLE[..], &["--save", file.to_str().unwrap()]].concat();
    let mut pty = Pty::play(&arguments, 120, 24, &state);
    assert_eq!(pty.end(), 1);
    assert!(pty.text().contains("is not this game"), "{}", pty.text());
    let mut pty = Pty::play(&PEOPLE, 120, 24, &state);
    pty.expect("X (human) to move");
    pty.send(&format!(":save {}{ENTER}", file.display()));
    pty.expect("exists already");
    pty.send(QUIT);
    assert_eq!(pty.end(), 0);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "a1\n");
}

/// The number of plies that the screen tells of.
fn plies(screen: &vt100::Screen) -> Option<usize> {
    let text = screen.contents();
    let (_, after) = text.split_once(", ply ")?;
    after.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn is_over(screen: &vt100::Screen) -> bool {
    screen.contents().contains("The game is over")
}

/// A character of the screen, and whether it is bright: bold with a colour, as names that may be picked.
fn look(screen: &vt100::Screen, (column, line): (u16, u16)) -> (&str, bool) {
    screen.cell(line, column).map_or(("", false), |cell| {
        (cell.contents(), cell.bold() && (cell.inverse() || cell.fgcolor() != vt100::Color::Default))
    })
}

/// Where the cursor is: behind the bracket, which is the only one in reverse below the title.
fn cursor(screen: &vt100::Screen) -> Option<(u16, u16)> {
    let reversed = |(x, y): &(u16, u16)| *y > 0 && screen.cell(*y, *x).is_some_and(vt100::Cell::inverse);
    let (column, line) = places(screen, "[").into_iter().rfind(reversed)?;
    Some((column + 1, line))
}

/// The line of what may be picked besides sites.
fn line_of_names(screen: &vt100::Screen) -> u16 {
    screen.size().0.get() - 3
}

/// What the screen shows as open: dots, what stands in parentheses or is underlined, what is under the cursor, and names.
fn open(screen: &vt100::Screen) -> Vec<(u16, u16)> {
    let (lines, columns) = (line_of_names(screen), screen.size().1.get());
    let cursor = cursor(screen);
    let lit = |x: u16, y: u16| {
        let text = |x: u16| look(screen, (x, y)).0;
        let underlined = screen.cell(y, x).is_some_and(|cell| cell.underline() && cell.has_contents());
        let wrapped = x > 0 && text(x - 1) == "(" && (text(x + 1) == ")" || text(x + 2) == ")");
        text(x) == "•" || underlined || wrapped || cursor == Some((x, y))
    };
    let all = |lines: std::ops::Range<u16>| lines.flat_map(move |y| (0..columns).map(move |x| (x, y)));
    let sites = all(1..lines).filter(|(x, y)| lit(*x, *y));
    // Names stand between two blanks or brackets: there may be blanks within.
    let name = |x: &u16| {
        let text = |x: u16| Some(look(screen, (x, lines)).0).filter(|text| !text.is_empty()).unwrap_or(" ");
        let begins = text(*x - 1) == "[" || (text(*x - 1) == " " && [" ", "]"].contains(&text(*x - 2)));
        look(screen, (*x, lines)).1 && text(*x) != " " && begins
    };
    sites.chain((2..columns).filter(name).map(|x| (x, lines))).collect()
}

/// The same for somebody who goes ahead. Characters are twice as high as they are wide.
fn choices(screen: &vt100::Screen) -> (Vec<(u16, u16)>, Vec<Choice>) {
    let open = open(screen);
    let choice = |(x, y): &(u16, u16)| {
        let place: Place = (f64::from(*x), 2.0 * f64::from(*y));
        Choice { place, named: *y == line_of_names(screen) }
    };
    let choices = open.iter().map(choice).collect();
    (open, choices)
}

/// Who is to move, by the first line.
fn mover(screen: &vt100::Screen) -> String {
    let title = screen.contents();
    let before = title.split(" (human) to move").next().unwrap_or_default();
    before.split_whitespace().next_back().unwrap_or_default().to_owned()
}

/// Presses keys and waits until they have done what they do: only then a letter comes into the line for moves.
fn press(pty: &mut Pty, keys: &str) {
    pty.send(keys);
    pty.send("z");
    pty.until("the letter", |screen| screen.contents().contains("\n> z"));
    pty.send(ESCAPE);
    pty.until("the letter gone", |screen| !screen.contents().contains("\n> z"));
}

/// Goes round the choices with Tab until the cursor is on one of them.
fn tab_to(pty: &mut Pty, place: (u16, u16)) {
    for _ in 0..400 {
        let before = cursor(pty.screen());
        if before == Some(place) {
            return;
        }
        pty.send(TAB);
        pty.until("the cursor elsewhere", |screen| cursor(screen).is_some_and(|now| Some(now) != before));
    }
    panic!("{place:?} is not reached with Tab:\n{}", pty.text());
}

/// Makes a move like somebody who wants to arrive.
fn go_ahead(pty: &mut Pty, mind: &mut Ahead) {
    let before = plies(pty.screen());
    press(pty, "");
    let player = mover(pty.screen());
    mind.begin(&player, &choices(pty.screen()).1);
    let mut picked = 0;
    for _ in 0..500 {
        let (places, open) = choices(pty.screen());
        match mind.step(&player, picked, &open) {
            Step::Take(at) => {
                tab_to(pty, places[at]);
                press(pty, ENTER);
                picked += 1;
            }
            Step::Back => {
                press(pty, ESCAPE);
                picked = 0;
            }
        }
        if plies(pty.screen()) != before || is_over(pty.screen()) {
            return;
        }
    }
    panic!("no move comes to its end:\n{}", pty.text());
}

/// After as many plies the walk wants to arrive: each takes a tenth of a second.
const SOON: usize = 100;

/// How many people play a game.
fn seats(game: &str) -> usize {
    let output = ludwright().args(["show", game, "--json"]).output().unwrap();
    let shown: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    shown["players"].as_array().unwrap().len()
}

/// Plays a game by nothing but Tab and Enter and what is on the screen; the plies played and whether it came to an end.
fn walk(game: &str, most: usize) -> (usize, bool) {
    let state = state(&format!("walk-{game}"));
    let people = vec!["human"; seats(game)].join(",");
    let mut pty = Pty::play(&[game, "--players", &people], 140, 32, &state);
    pty.until("the board", |screen| plies(screen).is_some());
    // Always the first choice is soon a game of one corner: the walk wanders, as long as that leads somewhere.
    let mut step: usize = 1;
    let mut mind = Ahead::new(1);
    loop {
        let before = plies(pty.screen()).unwrap();
        if is_over(pty.screen()) || before >= most {
            let ended = is_over(pty.screen());
            if ended {
                pty.expect("The game is over: ");
            }
            let text = pty.text();
            println!("{game}: {before} plies.{}", text.lines().rev().nth(1).unwrap_or_default().trim_end());
            pty.send(QUIT);
            assert_eq!(pty.end(), 0);
            return (before, ended);
        }
        if before < 2 {
            press(&mut pty, "");
            mind.begin(&mover(pty.screen()), &choices(pty.screen()).1);
        }
        if before >= SOON {
            go_ahead(&mut pty, &mut mind);
            continue;
        }
        let mut picks = 0;
        while plies(pty.screen()) == Some(before) && !is_over(pty.screen()) {
            step = step * 1103515245 % 2147483647;
            pty.send(&TAB.repeat(1 + step % 7));
            let shown = pty.text();
            pty.send(ENTER);
            pty.until_changed(&shown);
            picks += 1;
            assert!(picks < 200, "{game} does not go on:\n{}", pty.text());
        }
    }
}

/// Plays every shipped game so far, several at a time; what came of each.
fn walk_all(most: usize) -> Vec<(String, usize, bool)> {
    let only = std::env::var("GAME").ok();
    let mut games = shipped();
    games.retain(|name| only.as_ref().is_none_or(|only| only == name));
    let hands = 4;
    std::thread::scope(|scope| {
        let hand = |hand: usize| {
            let games: Vec<String> = games.iter().skip(hand).step_by(hands).cloned().collect();
            scope.spawn(move || {
                let played = games.into_iter().map(|game| (walk(&game, most), game));
                played.map(|((plies, ended), game)| (game, plies, ended)).collect::<Vec<_>>()
            })
        };
        let at_work: Vec<_> = (0..hands).map(hand).collect();
        at_work.into_iter().flat_map(|hand| hand.join().unwrap()).collect()
    })
}

#[test]
fn somebody_who_sees_only_the_screen_can_play_every_shipped_game() {
    const PLIES: usize = 14;
    for (game, plies, ended) in walk_all(PLIES) {
        assert!(ended || plies >= PLIES, "{game} comes to a halt after {plies} plies");
    }
}

/// Minutes: `cargo test --release --test program terminal:: -- --ignored --nocapture`, with `GAME=chess` in front for one game.
#[test]
#[ignore = "plays all shipped games to their end"]
fn somebody_who_sees_only_the_screen_can_play_every_shipped_game_to_its_end() {
    for (game, plies, ended) in walk_all(3000) {
        assert!(ended, "{game} has no end after {plies} plies");
    }
}
