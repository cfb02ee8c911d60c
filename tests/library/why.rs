//! Whatever is asked of moves and endings, something true is said.

use crate::author::script::run_scripts;
use crate::game::notation::readings;
use crate::game::{Explanation, Game, PlayError, Position};
use crate::library::Library;
use crate::study::playout::{choose, generator};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// Every game with small options, so that random games are short and positions many.
const GAMES: [(&str, &[(&str, &str)]); 14] = [
    ("equi", &[("size", "3")]),
    ("equi", &[("size", "3"), ("step_then_hop", "yes"), ("own_capture", "morph"), ("placing", "after_movement")]),
    ("epoxy", &[("size", "hexagon"), ("side", "3")]),
    ("iqishiqi", &[("side", "4")]),
    ("iqishiqi", &[("side", "3"), ("player_count", "3")]),
    ("weituweiqi", &[("side", "4")]),
    ("pushpin", &[("side", "3")]),
    ("push_and_pull", &[("side", "3")]),
    ("push_and_pull", &[("side", "4"), ("protocol", "single")]),
    ("hops_a_daisy", &[("size", "2")]),
    ("hops_a_daisy", &[("size", "2"), ("own_jumps", "yes"), ("player_count", "3")]),
    ("refugia", &[("size", "2"), ("shape", "wide")]),
    ("situ", &[]),
    ("situ", &[("shape", "square"), ("surplus", "1")]),
];

fn load(name: &str, options: &[(&str, &str)]) -> Game {
    let options: Vec<_> = options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Game::from_text(name, Library::text(name).unwrap(), None, &options, &Library).unwrap()
}

fn below(end: usize, generator: &mut Xoshiro256PlusPlus) -> usize {
    generator.random_range(0..end as u64) as usize
}

/// Texts that look more or less like moves: sites and other words joined, legal moves spoiled, plain rubbish.
fn notation(position: &Position, generator: &mut Xoshiro256PlusPlus) -> String {
    const WORDS: [&str; 24] = [
        "-",
        "^",
        " ",
        " - ",
        " x",
        "n",
        "se",
        "w",
        "1",
        "2",
        "-3",
        "+1",
        "0",
        "--",
        " territory",
        " disc",
        " hex",
        "pass",
        "skip",
        "take",
        "~2",
        "!",
        "é",
        "99999999999999999999",
    ];
    let board = &position.game().rules().board;
    let sites: Vec<&str> = board.names().collect();
    let site = |generator: &mut Xoshiro256PlusPlus| sites[below(sites.len(), generator)].to_owned();
    let word = |generator: &mut Xoshiro256PlusPlus| WORDS[below(WORDS.len(), generator)].to_owned();
    match below(6, generator) {
        0 => site(generator) + &word(generator) + &site(generator),
        1 => site(generator) + &word(generator),
        2 => format!("{} {} {}", site(generator), word(generator), word(generator)),
        3 => (0..below(5, generator)).map(|_| word(generator)).collect(),
        4 => {
            let text = position.move_text(below(position.move_count().max(1), generator)).unwrap_or_default();
            text.chars().filter(|_| below(5, generator) > 0).collect()
        }
        _ => site(generator),
    }
}

/// What is said of a text agrees with what can be played, and names a clause wherever the text is a move at all.
fn agrees(position: &Position, text: &str) -> Explanation {
    let game = position.game();
    let why = position.why(text);
    let legal = matches!(position.find(text), Ok(_) | Err(PlayError::Ambiguous { .. }));
    assert_eq!(why.legal, legal, "{text}: {why:?}");
    assert_eq!(why.over, position.is_over());
    assert!(!why.reason.is_empty(), "{text}");
    if !why.legal && readings(game.rules(), text).is_ok() {
        assert!(why.clause.is_some_and(|clause| !game.sources().slice(clause).is_empty()), "{text}: {why:?}");
    }
    let json = Json::Object(why.to_json(game));
    assert_eq!(json["legal"], legal);
    why
}

/// Asks about many texts in the positions of some random games; gives the clauses that refused them.
fn ask(game: &Game, name: &str, stream: u64) -> BTreeSet<String> {
    let mut clauses = BTreeSet::new();
    for seed in 0..3 {
        let mut generator = generator(seed, stream);
        let mut position = game.start();
        for _ in 0..16 {
            for _ in 0..30 {
                let why = agrees(&position, &notation(&position, &mut generator));
                clauses.extend(why.clause_text(game).filter(|_| !why.legal));
            }
            let Some(index) = choose(&position, &mut generator) else { break };
            let text = position.move_text(index).unwrap();
            assert!(!agrees(&position, &text).path.is_empty(), "{name} {text}");
            position = position.play_index(index).unwrap();
        }
    }
    clauses
}

#[test]
fn every_answer_agrees_with_what_can_be_played() {
    let mut clauses = BTreeSet::new();
    for (index, (name, options)) in GAMES.iter().enumerate() {
        clauses.extend(ask(&load(name, options), name, index as u64));
    }
    // The texts come to many different rules.
    assert!(clauses.len() > 40, "{} {clauses:#?}", clauses.len());
}

#[test]
fn answers_about_variants_agree_as_well() {
    let mut files: Vec<_> = std::fs::read_dir("tests/variants").unwrap().map(|entry| entry.unwrap().path()).collect();
    files.push("tests/data/clauses.game".into());
    files.sort();
    for (index, file) in files.iter().enumerate() {
        let name = file.to_str().unwrap();
        let game = Game::from_text(name, &std::fs::read_to_string(file).unwrap(), None, &[], &Library).unwrap();
        ask(&game, name, 100 + index as u64);
    }
}

/// Every end of a game but the two that no line of the rules speaks of shows the line that decided.
#[test]
fn ends_of_random_games_are_explained() {
    for (index, (name, options)) in GAMES.iter().enumerate() {
        let game = load(name, options);
        for seed in 0..3 {
            let mut generator = generator(seed, index as u64);
            let mut position = game.start();
            for _ in 0..400 {
                let Some(index) = choose(&position, &mut generator) else { break };
                position = position.play_index(index).unwrap();
            }
            if let Some(outcome) = position.outcome() {
                let why = agrees(&position, "any");
                assert_eq!(why.reason, outcome.reason);
                let ending = &game.rules().endings[outcome.ending.unwrap()];
                assert_eq!(why.clause, Some(ending.span));
                assert_eq!(why.values.is_empty(), ending.condition.is_none(), "{name}: {}", outcome.reason);
            }
        }
    }
}

/// A test in the text may say why a move is illegal.
#[test]
fn reasons_are_tested_in_the_text() {
    let file = |because: &str| {
        let test = format!("test \"t\" {{ set side 2; illegal b1 -, d1 - because \"{because}\"; legal pass }}");
        format!("game \"Small\" by \"A. Player\" 2026 extends pushpin\n{test}\n")
    };
    let run = |because: &str| {
        let reports = run_scripts("small.game", &file(because), None, &[], &Library, |_| true).unwrap();
        reports.into_iter().map(|report| (report.ok, report.line, report.message)).collect::<Vec<_>>()
    };
    assert_eq!(run("next_to the pin"), [(true, 2, None)]);
    assert_eq!(run("cell : empty not next_to the pin"), [(true, 2, None)]);
    insta::assert_debug_snapshot!(run("the moon is full"));
}

#[test]
fn a_list_of_all_moves_says_why_one_of_them_is_none() {
    let run = |moves: &str| {
        let text = format!(
            "game \"Near\"\nabout \"a test\"\nplayers A, B\nboard square(2)\npiece stone of each player\n\
             start {{ a1 becomes stone of A }}\nmove put \"{{cell}}\" {{ cell : empty next_to piece; cell becomes stone of mover }}\n\
             turn {{ put }}\nend {{ draw when no empty; draw when stuck }}\ntest \"t\" {{ only {moves} }}\n"
        );
        let mut reports = run_scripts("near.game", &text, None, &[], &Library, |_| true).unwrap();
        reports.remove(0).message
    };
    assert_eq!(run("a2, b1"), None);
    assert_eq!(run("a2").as_deref(), Some("another move is legal: b1"));
    let told = run("a2, b1, b2").unwrap();
    assert!(told.contains("b2") && told.contains("next_to piece"), "{told}");
}

#[test]
fn a_move_that_prints_a_row_is_read_by_its_sites() {
    let file = |tests: &str| {
        format!(
            "game \"Rows\"\nabout \"a test\"\nplayers A, B\nboard square(4)\npiece stone of each player\n\
             start {{ a1 .. c1 becomes stone of A; a4 .. c4 becomes stone of B }}\n\
             move lift \"{{row}}-{{d}}\" {{ x : own; row = x or run(x, E, own); d : N or S; if every ahead(row, d) is empty; \
             if count ahead(row, d) = count row; row becomes empty; ahead(row, d) becomes stone of mover }}\n\
             turn {{ lift }}\nend {{ draw when turn > 9; draw when stuck }}\ntest \"t\" {{ {tests} }}\n"
        )
    };
    let run = |tests: &str| {
        let mut reports = run_scripts("rows.game", &file(tests), None, &[], &Library, |_| true).unwrap();
        reports.remove(0).message
    };
    assert_eq!(
        run(
            "legal a1 b1 c1-n, b1 c1-n, c1-n; expect count own (a1 .. c1) = 3 and count (d1 .. a4) = 4 and no own (d1 .. a4)"
        ),
        None
    );
    assert_eq!(run("illegal a1 b1 c1-s because \"count ahead(row, d)\""), None);
    // What is no move is told when the rules are checked: neither of these is.
    let doubted = |tests: &str| {
        let (found, _) = crate::author::inspect::check_file("rows.game", &file(tests), &Library);
        found.into_iter().map(|found| found.message).collect::<Vec<_>>()
    };
    assert_eq!(doubted("illegal a1 b1-n, d1 d2-n"), Vec::<String>::new());
    assert_eq!(doubted("illegal a1 zz-n").len(), 1);
}

#[test]
fn expectations_that_fail_show_what_was_found() {
    let failed = |expected: &str| {
        let text = format!(
            "game \"Small\"\nabout \"a test\"\nplayers A, B\nboard square(3)\npiece stone of each player\n\
             track left : 0..9 = 3\n\
             move put \"{{cell}}\" {{ cell : empty; cell becomes stone of mover; left becomes left - 1 }}\nturn {{ put }}\n\
             end {{ draw when no empty }}\ntest \"t\" {{ play a1; expect {expected} }}\n"
        );
        let mut reports = run_scripts("small.game", &text, None, &[], &Library, |_| true).unwrap();
        reports.remove(0).message
    };
    assert_eq!(failed("left = 2 and no own"), None);
    let expected = [
        "left = 3 and count piece = 2",
        "stone = a2",
        "mover is A",
        "a1 is of B or left < 1",
        "not (left = 2)",
        "not not left in 4..5",
        "every piece is of B",
        "no x in piece with x in edge",
        "any own",
    ];
    let told = expected.map(|condition| failed(condition).unwrap_or_else(|| format!("`{condition}` holds")));
    insta::assert_snapshot!(told.join("\n"));
}
