//! The fast engine against the reference: the same plies, states, outcomes and scores at every ply of random games.

use super::common::compare::{compare, with_machine_code};
use super::common::files::{rule_files, small};
use super::common::wish;
use crate::check::Project;
use crate::engine::Engine;
use crate::engine::dice::Dice;
use crate::engine::fast::native::Coverage;
use crate::engine::fast::{Fast, MachineCode};
use crate::game::{Game, Line};
use crate::library::Library;
use crate::study::halt::Halt;
use crate::study::perft::perft_from_start;
use crate::study::playout::{Draw, Run, Settings, empty, generator};
use crate::syntax::ast::Values;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A game with a ruleset and options, as a caller would name it.
type Setting = (Option<String>, Vec<(String, String)>);

/// The rulesets of a file, and every option at the ends of its range or at each of its names.
fn settings(name: &str, text: &str) -> Vec<Setting> {
    let project = Project::load(name, text, &Library);
    let mut all: Vec<Setting> = vec![(None, Vec::new())];
    all.extend(project.rulesets().map(|ruleset| (Some(ruleset.name.text.clone()), Vec::new())));
    for option in project.options() {
        for own in &option.names {
            let values: Vec<String> = match &option.values {
                Values::Range { low, high, .. } => {
                    vec![low.to_string(), ((low + high) / 2).to_string(), high.to_string()]
                }
                Values::List(list) => list.iter().map(|value| value.kind.to_string()).collect(),
            };
            all.extend(values.into_iter().map(|value| (None, vec![(own.text.clone(), value)])));
        }
    }
    all
}

/// Plays random games by machine code and by the interpreter at once, so many plies; those compared. Much faster than with
/// the reference, since nothing is listed.
fn compare_modes(label: &str, game: &Game, plies: u64, most: u64, seed: u64) -> u64 {
    let rules = Arc::new(game.rules().clone());
    let code = with_machine_code(label, &rules);
    let steps = Fast::with(&rules, MachineCode::Never).expect("lowered");
    let (mut code, mut steps) = (code.player(), steps.player());
    let reference = game.engine();
    let start = reference.snapshot(&reference.start().state);
    code.load(&start);
    steps.load(&start);
    let mut compared = 0;
    let mut number = 0;
    while compared < plies {
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed ^ number << 8);
        number += 1;
        code.reset();
        steps.reset();
        let mut chosen = Vec::new();
        for _ in 0..most {
            let count = code.count();
            assert_eq!(count, steps.count(), "{label}: after plies {chosen:?}");
            assert_eq!(code.hash(), steps.hash(), "{label}: after plies {chosen:?}");
            assert_eq!(code.over(), steps.over(), "{label}: after plies {chosen:?}");
            if count == 0 {
                break;
            }
            let index = generator.random_range(0..count as u64) as usize;
            assert_eq!(code.key(index), steps.key(index), "{label}: after plies {chosen:?}, of {index}");
            chosen.push(index);
            code.play(index);
            steps.play(index);
            compared += 1;
        }
        // A game without a ply would go on for ever.
        if chosen.is_empty() {
            break;
        }
    }
    compared
}

fn campaign(games: u64, most: u64, sites: usize, seed: u64) -> u64 {
    each_setting(sites, |label, game| compare(label, game, |played| played < games, most, seed))
}

/// Every shipped game, example and variant with each ruleset and option, on boards of at most so many sites.
fn each_setting(sites: usize, mut run: impl FnMut(&str, &Game) -> u64) -> u64 {
    let mut compared = 0;
    let wanted = std::env::var("GAME").ok();
    for path in rule_files(&["games", "examples", "tests/variants"]) {
        let name = path.to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        if wanted.as_ref().is_some_and(|wanted| path.file_stem().unwrap().to_string_lossy() != *wanted) {
            continue;
        }
        for (ruleset, options) in settings(&name, &text) {
            let Ok(game) = Game::from_text(&name, &text, ruleset.as_deref(), &options, &Library) else { continue };
            let label = format!("{} {ruleset:?} {options:?}", path.file_stem().unwrap().to_string_lossy());
            // Whole turns are searched by the reference, which takes long on large boards.
            let slow = game.rules().turns.iter().any(|turn| turn.whole);
            if game.rules().board.len() > if slow { sites / 4 } else { sites } {
                continue;
            }
            compared += run(&label, &game);
        }
    }
    compared
}

#[test]
fn both_engines_agree() {
    let compared = campaign(1, 24, 130, 1);
    println!("{compared} plies compared");
    assert!(compared > 2_000 || std::env::var("GAME").is_ok());
}

/// Described by phases alone, with players who change seats, in an order that has an opening, or ended by what is possible:
/// turns follow each other in machine code. Of Push and Pull the plies are listed by it, and the host completes the turns.
#[test]
fn machine_code_leads_through_the_turns_of_every_game() {
    let led_by_the_host = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        let game = Game::from_text(&path.to_string_lossy(), &text, None, &[], &Library).unwrap();
        Coverage::of(Fast::with(&Arc::new(game.rules().clone()), MachineCode::Never).expect("lowered").program())
            == Coverage::Nothing
    };
    let left: Vec<String> = rule_files(&["games", "examples"])
        .iter()
        .filter(|path| led_by_the_host(path))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

/// `PLIES=n` for each setting, `SEED=n` and `GAME=name` bound and steer it.
#[test]
#[ignore = "takes minutes"]
fn machine_code_and_the_interpreter_agree_for_long() {
    let (plies, seed) = (wish("PLIES", 20_000), wish("SEED", 1));
    let compared = each_setting(400, |label, game| {
        let slow = game.rules().turns.iter().any(|turn| turn.whole);
        compare_modes(label, game, if slow { plies / 100 } else { plies }, 400, seed)
    });
    println!("{compared} plies compared");
}

/// `PLIES=n SEED=n GAME=name` bound and steer it. Every setting has the same time in a round, `MILLISECONDS=n`, so that slow
/// games do not eat up the time of the others; each plays a game at least.
#[test]
#[ignore = "takes hours if it may"]
fn both_engines_agree_for_long() {
    let (wanted, seed) = (wish("PLIES", 100_000), wish("SEED", 1));
    let time = Duration::from_millis(wish("MILLISECONDS", 1_000));
    let (mut compared, mut games) = (0, BTreeMap::new());
    for round in 0.. {
        compared += each_setting(400, |label, game| {
            let start = Instant::now();
            let more = |played| played == 0 || start.elapsed() < time;
            let plies = compare(label, game, more, 400, seed.wrapping_add(round * 7919));
            *games.entry(label.split(' ').next().unwrap_or_default().to_owned()).or_insert(0) += plies;
            plies
        });
        println!("{compared} plies compared: {games:?}");
        if compared >= wanted {
            break;
        }
    }
}

/// Plays random games on both engines, and counts in each position what can be played in all that follow it; the plies
/// counted. Much faster than [`compare`], since plies are counted and not listed: a ply that is missing for another that is
/// too many is not noticed here.
fn count_alike(label: &str, game: &Game, more: impl Fn(u64) -> bool, most: u64, seed: u64) -> u64 {
    let [mut fast, mut slow] = [Engine::Fast, Engine::Reference].map(|engine| game.player(engine));
    let (mut counted, mut number) = (0, 0);
    while more(number) {
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed ^ number << 8);
        number += 1;
        fast.reset();
        slow.reset();
        for ply in 0..most {
            let count = fast.count();
            assert_eq!(count, slow.count(), "{label}: ply {ply} of seed {seed}");
            assert_eq!(
                fast.over().map(|over| over.places),
                slow.over().map(|over| over.places),
                "{label}: {ply}, {seed}"
            );
            // A position with very many plies is counted by itself.
            if count > 0 && count < 500 && more(number) {
                let below = fast.perft(2);
                assert_eq!(below, slow.perft(2), "{label}: below ply {ply} of seed {seed}");
                counted += below;
            }
            if count == 0 || fast.stopped().is_some() || slow.stopped().is_some() {
                break;
            }
            counted += count as u64;
            let index = generator.random_range(0..count as u64) as usize;
            let picked = fast.ply(index);
            let same = (0..count).find(|index| slow.ply(*index) == picked);
            slow.play(same.unwrap_or_else(|| panic!("{label}: {picked:?} at ply {ply} of seed {seed}")));
            fast.play(index);
        }
    }
    counted
}

/// `PLIES=n SEED=n GAME=name` bound and steer it, and `MILLISECONDS=n` for each setting in each round.
#[test]
#[ignore = "takes hours if it may"]
fn both_engines_count_alike_for_long() {
    let (wanted, seed, time) = (wish("PLIES", 1_000_000), wish("SEED", 1), wish("MILLISECONDS", 500));
    let (mut counted, began) = (0, Instant::now());
    for round in 0.. {
        counted += each_setting(400, |label, game| {
            let start = Instant::now();
            let more = |played| played == 0 || start.elapsed() < Duration::from_millis(time);
            count_alike(label, game, more, 400, seed.wrapping_add(round * 7919))
        });
        println!("round {round}: {counted} plies counted by both in {:.0?}", began.elapsed());
        if counted >= wanted {
            break;
        }
    }
}

/// The default engine and the reference, which count the plies of the same game to a depth.
fn counted(text: &str, depth: usize) -> (Vec<u64>, Vec<u64>) {
    let game = Game::from_text("counted.game", text, None, &[], &Library).unwrap_or_else(|_| panic!("{text}"));
    let count = |engine| perft_from_start(&game, depth, false, engine, &mut |_, _| {}).0.nodes;
    (count(Engine::Fast), count(Engine::Reference))
}

/// Why rules are left to the reference.
fn refused(text: &str) -> String {
    let game = Game::from_text("refused.game", text, None, &[], &Library).unwrap_or_else(|_| panic!("{text}"));
    Fast::new(&Arc::new(game.rules().clone())).expect_err("too large").what.into_owned()
}

/// A game in which stones are put on a board of nine, or as its turns and words say.
fn stones(words: &str, condition: &str, turn: &str) -> String {
    format!(
        "game \"Stones\"\nabout \"a test\"\nplayers A, B\nboard square(3)\npiece stone of each player\n{words}\n\
         move put \"{{cell}}\" {{\n  cell : empty{condition}\n  cell becomes stone of mover\n}}\n{turn}\nend {{ draw when stuck }}\n"
    )
}

#[test]
fn more_tracked_values_than_a_program_numbers_are_left_to_the_reference() {
    // The last of 130 values for each of 512 sites stands beyond the 65,535th number.
    let tracks: Vec<String> = (0..130).map(|n| format!("track v{n}(site) : 0..1")).collect();
    let text = format!(
        "game \"Values\"\nabout \"a test\"\nplayers A, B\nboard rectangle(16, 32)\n{}\n\
         move low \"low\" {{\n  if v128(a1) = 0\n  v0(a1) becomes 1\n}}\n\
         move high \"high\" {{\n  if v128(a1) = 0\n  v1(a1) becomes 1\n}}\n\
         turn {{ low or high }}\nend {{ draw when turn > 9 }}\n",
        tracks.join("\n")
    );
    assert_eq!(refused(&text), "more tracked values than can be numbered");
    assert_eq!(counted(&text, 3), (vec![2, 4, 8], vec![2, 4, 8]));
}

#[test]
fn words_that_would_be_written_out_without_end_are_left_to_the_reference() {
    // Each word calls the one before it eight times.
    let chain = |deep: usize| {
        let calls = |n: usize| vec![format!("w{}(next_to x)", n - 1); 8].join(" or ");
        let words: Vec<String> = (1..=deep).map(|n| format!("word w{n}(x: sites) = {}", calls(n))).collect();
        format!("word w0(x: sites) = next_to x\n{}", words.join("\n"))
    };
    let of = |deep: usize| stones(&chain(deep), &format!(", cell in w{deep}(corner)"), "turn { put }");
    assert_eq!(refused(&of(7)), "words that are written out too often");
    let (fast, reference) = counted(&of(2), 2);
    assert_eq!(fast, reference);
}

/// Sets of several sites print all of their names, so that plies which lead to the same are told apart by them.
#[test]
fn plies_that_print_different_sets_are_different() {
    for (line, first, both) in [
        ("n : 1..3; line = row(n)", 3, 9),
        ("x : a1 or b1 or c1; line = row(row_number(x)) but row(3)", 1, 1),
        ("x : corner; line = x or next_to x", 4, 16),
        ("n : 0..1; line = if n = 0 then row(3) but site else row(2) but site", 1, 1),
    ] {
        let text = format!(
            "game \"Rows\"\nplayers A, B\nboard square(3)\npiece rock neutral\nstart {{ site becomes rock }}\n\
             move fill \"{{line}}\" {{ {line}; line becomes rock }}\nturn {{ fill }}\nend {{ draw when turn > 9 }}\n"
        );
        let game = Game::from_text("rows.game", &text, None, &[], &Library).unwrap_or_else(|_| panic!("{text}"));
        for engine in [Engine::Fast, Engine::Reference] {
            let counts = perft_from_start(&game, 2, false, engine, &mut |_, _| {}).0;
            assert_eq!(counts.nodes, [first, both], "{line} {engine:?}");
        }
        assert!(compare("rows", &game, |games| games < 2, 9, 1) > 0);
    }
}

/// What is looked up by a part says of one that was left out what it says of no number at all.
#[test]
fn what_is_looked_up_knows_parts_that_are_left_out() {
    for (index, marked) in [
        "(if n > 1 then row(3) else row(1)) and corner",
        "if n = 2 then row(3) and corner else column(2) but centre",
        "{ x in edge with row_number(x) > n }",
        "if n in 1 .. 1 then centre else corner",
    ]
    .into_iter()
    .enumerate()
    {
        let text = format!(
            "game \"Left out\"\nplayers A, B\nboard square(3)\npiece man of each player\n\
             start {{ b2 becomes man of A; a1 becomes man of A; c3 becomes man of B }}\n\
             move go \"{{from}}-{{to}}\" {{ from : own; n : 1..2 when from in centre; to : empty next_to from\n\
             marked = {marked}; from -> to; marked becomes man of next when marked in empty and to not in marked }}\n\
             turn {{ go }}\nend {{ draw when turn > 20; draw when stuck }}\n"
        );
        let game = Game::from_text("left.game", &text, None, &[], &Library).unwrap_or_else(|_| panic!("{text}"));
        assert!(compare(marked, &game, |games| games < 6, 20, index as u64) > 0);
    }
}

/// A site or a direction that was left out is none at all, whatever is asked of it.
#[test]
fn sites_and_directions_that_are_left_out_are_none() {
    for (index, asked) in [
        "if any y",
        "if no y",
        "if count y = 0",
        "if y in empty",
        "if y not in own",
        "if not (y in own)",
        "if every y is own",
        "if no { z in y with z in own }",
        "near = { z in y with z in own }\n  if near not in own",
        "near = next_to y\n  if count near < 2",
        "if some z in y with z in own",
        "if count { ahead(from, e) for e in d } = 0",
        "near = ahead(from, d)\n  if near not in own",
        "if no d",
        "if d in orthogonal",
        "if d = E",
        "if any (y or corner) and y is not corner",
    ]
    .into_iter()
    .enumerate()
    {
        let text = format!(
            "game \"Left out\"\nplayers A, B\nboard square(3)\npiece man of each player\n\
             start {{ b2 becomes man of A; a1 becomes man of A; c3 becomes man of B }}\n\
             move go \"{{from}}-{{to}}\" {{\n  from : own\n  y : piece next_to from when from in centre\n  \
             d : directions when from in corner\n  to : empty next_to from\n  {asked}\n  from -> to\n}}\n\
             turn {{ go else pass }}\nend {{ draw when turn > 20 }}\n"
        );
        let game = Game::from_text("left.game", &text, None, &[], &Library).unwrap_or_else(|_| panic!("{text}"));
        assert!(compare(asked, &game, |games| games < 6, 20, index as u64) > 0);
    }
}

/// A change that needs what may not be there, or numbers that may not fit, is made wherever its condition does not hold, where
/// it changes nothing, and where all is there: each by itself, and several beside one another.
#[test]
fn changes_whose_conditions_are_the_same_for_all_sites_are_asked_one_by_one() {
    for (index, (start, change)) in [
        ("", "ahead(to, directions, turn) becomes man of whose when turn < 9"),
        ("", "then\n  (empty next_to to) becomes man of owner(to) when turn < 12"),
        ("best becomes king;", "nearest(to, one_of(enemy)) becomes best of mover when count piece > 2"),
        ("", "nearest(to, one_of(enemy)) becomes best of mover when count piece > 2"),
        ("", "level(own) becomes 1 when kind(to) is man\n  then\n  level(from) becomes turn when count own > 2"),
        ("", "level(from) becomes turn when to in corner\n  then\n  level(own) becomes turn + 1 when to in edge"),
        (
            "whose becomes A;",
            "(corner but to) becomes man of whose when turn < 6\n  level(to) becomes turn when to in edge",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let text = format!(
            "game \"Asked\"\nplayers A, B\nboard square(3)\npiece man, king of each player\ntrack level(site) : 0..4 = 1\n\
             track whose : player\ntrack best : kind\nstart {{ {start} a1 becomes man of A; b2 becomes man of A; c3 becomes man of B }}\n\
             move go \"{{from}}-{{to}}\" {{\n  from : own\n  to : site but own\n  from -> to\n  {change}\n}}\n\
             turn {{ go else pass }}\nend {{ draw when turn > 20 }}\n"
        );
        let game = Game::from_text("asked.game", &text, None, &[], &Library).unwrap_or_else(|_| panic!("{text}"));
        assert!(compare(change, &game, |games| games < 6, 20, index as u64) > 0);
    }
}

/// A name for each member of a set is no other site of which a test speaks.
#[test]
fn names_within_a_test_are_no_other_sites() {
    let boards = ["square(4) adjacent all", "square(4) adjacent all keeping not (a1 or a4 or d1 or d4)"];
    for (index, asked) in [
        // Told of the members alone, of which none stands where it is asked.
        "some v in side(N) with distance(v, cell) = (if v in side(N) then 2 else count own)",
        "every run(group(cell), N, enclosed(cell)) is { v in own with every v is own }",
        "every run(group(cell), N or E, enclosed(cell)) is { v in next_to own with no (v but own) }",
        "no v in enclosed(cell) with (every v is own)",
        "count { v in enclosed(cell) with v in edge } = count { d in directions with ahead(cell, d) in enclosed(cell) }",
    ]
    .into_iter()
    .enumerate()
    {
        for board in boards {
            let text = format!(
                "game \"Names\"\nplayers A, B\nboard {board}\npiece man, king of each player\n\
                 start {{ row(1) becomes man of A; row(4) becomes man of B; a2 becomes king of A; b3 becomes king of B }}\n\
                 move put \"*{{cell}}\" {{\n  cell : empty, {asked}\n  cell becomes king of mover\n}}\n\
                 turn {{ put else pass }}\nend {{ draw when turn > 20 }}\n"
            );
            let game = Game::from_text("names.game", &text, None, &[], &Library).unwrap_or_else(|_| panic!("{text}"));
            assert!(compare(asked, &game, |games| games < 4, 20, index as u64) > 0);
        }
    }
}

/// What a number under a condition comes to need be no site of the board.
#[test]
fn numbers_under_conditions_are_compared_as_numbers() {
    for (index, asked) in [
        "(if to in edge then 300 else 200) = big",
        "(if to in edge then 100 else 3) != 3",
        "(if to in edge then 300 else 200) != 200",
        "(if to in edge then -1 else -2) = turn - 2",
        "(if to in edge then 3 else big) != 3",
    ]
    .into_iter()
    .enumerate()
    {
        let text = format!(
            "game \"Numbers\"\nplayers A, B\nboard square(4) adjacent all\npiece man of each player\n\
             track big : 0..400 = 300\nstart {{ row(1) becomes man of A; row(4) becomes man of B }}\n\
             move go \"{{from}}-{{to}}\" {{\n  from : own\n  to : empty next_to from, {asked}\n  from -> to\n}}\n\
             turn {{ go else pass }}\nend {{ draw when turn > 20 }}\nallow unused\n"
        );
        let game = Game::from_text("numbers.game", &text, None, &[], &Library).unwrap_or_else(|_| panic!("{text}"));
        assert!(compare(asked, &game, |games| games < 3, 20, index as u64) > 0);
    }
}

/// Who goes round a ring more than once is asked for step by step.
#[test]
fn steps_round_a_ring_are_the_same_on_both_engines() {
    for asked in ["some n in 5 .. 7 with ahead(to, E, n) in enemy", "some n in 1 .. 9 with ahead(to, E, n) in own"] {
        let text = format!(
            "game \"Ring\"\nplayers A, B\nboard ring(4)\npiece man of each player\n\
             start {{ 1 becomes man of A; 2 becomes man of B }}\n\
             move go \"{{from}}-{{to}}\" {{\n  from : own\n  to : empty, {asked}\n  from -> to\n}}\n\
             turn {{ go else pass }}\nend {{ draw when turn > 20 }}\n"
        );
        let game = Game::from_text("ring.game", &text, None, &[], &Library).unwrap_or_else(|_| panic!("{text}"));
        assert!(compare(asked, &game, |games| games < 3, 20, 7) > 0);
    }
}

/// Who pushes a piece off the board makes no legal move, however many pieces move at once.
#[test]
fn pieces_that_move_at_once_all_stay_on_the_board() {
    for (index, change) in [
        "x -> ahead(x, d)\n  from -> x",
        "from -> x\n  x -> ahead(x, d)",
        "x -> ahead(x, d)\n  from -> x\n  ahead(from, d, 3) becomes empty",
        "x -> ahead(x, d) when any x piece\n  from -> x",
        "x -> ahead(x, d) when turn > 2\n  from -> x\n  ahead(x, d, 2) becomes king of mover",
    ]
    .into_iter()
    .enumerate()
    {
        for asked in ["", ", any piece ahead(from, d)"] {
            let text = format!(
                "game \"Shove\"\nplayers A, B\nboard square(4)\npiece man, king of each player\n\
                 start {{ row(1) becomes man of A; row(4) becomes man of B }}\n\
                 move shove \"{{from}}{{d}}\" {{\n  from : own\n  d : orthogonal{asked}\n  x = ahead(from, d)\n  {change}\n}}\n\
                 turn {{ shove else pass }}\nend {{ draw when turn > 20 }}\nallow unused\n"
            );
            let game = Game::from_text("shove.game", &text, None, &[], &Library).unwrap_or_else(|_| panic!("{text}"));
            assert!(compare(change, &game, |games| games < 3, 20, index as u64) > 0);
        }
    }
}

#[test]
fn boards_that_go_round_and_those_of_circles_and_triangles_are_played_alike() {
    for (seed, board) in [
        "cylinder(5, 4) adjacent all",
        "cylinder(3)",
        "cylinder(2, 6) adjacent all",
        "torus(4)",
        "torus(5, 3) adjacent diagonal",
        "torus(6) adjacent all",
        "torus(9, 8) adjacent all",
        "rings(3, 6)",
        "rings(4, 3)",
        "rings(9, 8)",
        "triangles(4)",
        "triangles(9)",
    ]
    .into_iter()
    .enumerate()
    {
        let text = format!(
            "game \"Round\"\nplayers A, B\nboard {board}\npiece man of each player\n\
             move put \"{{cell}}\" {{ cell : empty; cell becomes man of mover }}\n\
             move slide \"{{from}}-{{to}}\" {{ from : own; to : open_from(from); from -> to }}\n\
             move leap \"{{from}}x{{over}}\" {{\n  from : own\n  over : enemy next_to from\n  d = direction(from, over)\n\
             \u{20} to = ahead(over, d)\n  if to in empty\n  from -> to\n  over becomes empty\n}}\n\
             move trap \"trap {{cell}}\" {{ cell : enemy, least {{ distance(cell, y) for y in own }} < 3, no empty next_to cell; cell becomes empty }}\n\
             turn {{ put or slide or leap or trap }}\n\
             end {{\n  mover wins when line(4, own, directions)\n  next wins when count groups(own) > 5\n\
             \u{20} mover wins when most {{ count group(g) for g in groups(own) }} > 9\n  next loses when stuck\n  draw when turn > 40\n}}\n"
        );
        let game = Game::from_text("round.game", &text, None, &[], &Library)
            .unwrap_or_else(|error| panic!("{error:?} {text}"));
        assert!(compare(board, &game, |games| games < 4, 40, seed as u64) > 0);
    }
}

/// A number that is not there fits no range, whichever way it is missing.
#[test]
fn a_number_that_is_left_out_cannot_be_remembered() {
    for (value, legal) in [("n", 0), ("n + 0", 0), ("if n > 0 then n else 4", 1), ("1 when n > 0", 1)] {
        let text = format!(
            "game \"Left out\"\nplayers A, B\nboard square(3)\npiece man of each player\ntrack level(site) : 0..4 = 1\n\
             track all : 0..4 = 1\nstart {{ a1 becomes man of A; c3 becomes man of B }}\n\
             move go \"{{from}}-{{to}}\" {{ from : own; n : 1..2 when from in centre; to : empty ahead(from, N or S)\n\
             from -> to; level(from) becomes {value}; all becomes {value} }}\nturn {{ go }}\nend {{ draw when turn > 9 }}\n"
        );
        let game = Game::from_text("left.game", &text, None, &[], &Library).unwrap_or_else(|_| panic!("{text}"));
        for engine in [Engine::Fast, Engine::Reference] {
            let counts = perft_from_start(&game, 1, false, engine, &mut |_, _| {}).0;
            assert_eq!(counts.nodes, [legal], "{value} {engine:?}");
        }
    }
}

/// After a ply with which two ways begin the turn stands at two places, and leaves both with the next one.
#[test]
fn turns_whose_ways_begin_alike_end_where_the_way_ends() {
    for turn in [
        "whole turn { (put, stop) or (put, more) }",
        "whole turn { (put, pass) or (put, more, more) }",
        "whole turn { (put, more) or (put, put) }",
        "whole turn { (put, stop) or more or (put, more, stop) }",
        "whole turn { put, stop or (more, stop) or (more, more) }",
        "turn { (put, stop) or (put, more)\n must most (count own) }",
    ] {
        let text = format!(
            "game \"Alike\"\nabout \"a test\"\nplayers A, B\nboard square(4)\npiece man of each player\n\
             move put \"{{to}}\" {{ to : empty; to becomes man of mover }}\n\
             move more \"+{{to}}\" {{ to : empty next_to own; to becomes man of mover }}\n\
             {turn}\nend {{ draw when no empty; draw when turn > 9 }}\n"
        );
        let game = Game::from_text("alike.game", &text, None, &[], &Library).unwrap_or_else(|_| panic!("{text}"));
        compare(turn, &game, |games| games < 6, 40, 5);
        let (fast, reference) = counted(&text, 4);
        assert_eq!(fast, reference, "{turn}");
    }
}

/// A kind that is picked may belong to somebody or to nobody, and only one of both can stand where it is said whose it is.
#[test]
fn a_kind_with_an_owner_that_it_cannot_have_is_no_piece() {
    for (piece, turns) in [("given", vec![2, 4, 8, 12]), ("given of mover", vec![2, 4, 8, 12])] {
        let text = format!(
            "game \"Given\"\nabout \"a test\"\nplayers A, B\nboard square(2)\npiece one \"o\" of each player\n\
             piece free \"f\" neutral\ntrack given : kind\n\
             move place \"{{cell}}\" {{ cell : empty; cell becomes {piece} }}\n\
             move choose \"{{what}}\" {{ what : kinds(one, free); given becomes what }}\n\
             turn 1 {{ choose }}\nturn {{ place, (choose else nothing) }}\nend {{ draw when ply > 8 }}\n"
        );
        assert_eq!(counted(&text, 4), (turns.clone(), turns), "{piece}");
    }
}

/// In `end` the turn that is over is this one, and the last turn the one before it: on both engines, also behind an extra turn.
#[test]
fn the_last_turn_is_the_one_before_also_in_end() {
    let passes = |turn: &str| {
        format!(
            r#"game "Passes"
players A, B
board square(2)
piece stone of each player
move put "{{cell}}" {{ cell : empty; cell becomes stone of mover }}
move pass "pass" {{ }}
turn {turn}
end {{
  draw when some pass this turn and some pass last turn   "two passes in a row"
  mover loses when put.cell this turn = put.cell last turn   "never"
  next loses when stuck
}}
"#
        )
    };
    let over = |text: &str, moves: &[&str]| {
        let game = Game::from_text("passes", text, None, &[], &Library).unwrap();
        let line = Line::replayed(&game, moves).unwrap();
        line.position().outcome().map(|outcome| outcome.reason.clone())
    };
    let text = passes("{ put or pass }");
    assert_eq!(over(&text, &["pass"]), None);
    assert_eq!(over(&text, &["pass", "a1", "pass"]), None);
    assert_eq!(over(&text, &["a1", "pass", "pass"]).as_deref(), Some("two passes in a row"));
    // Sequences of five plies, of which those with two passes in a row end there.
    for turn in ["{ put or pass }", "{ put or pass; extra turn when put.cell this turn in corner }"] {
        let (fast, reference) = counted(&passes(turn), 5);
        assert_eq!(fast, reference, "{turn}");
    }
}

#[test]
fn both_engines_play_the_same_games_from_lists_of_plies() {
    for name in Library::names() {
        let game = small(name);
        let fingerprint = |engine| {
            let settings = Settings { games: 1, seed: 3, threads: 1, max_plies: Some(14), engine };
            let run = Run { settings, games: 0..1, halt: Halt::never(), lines: None };
            let mut sums = empty(&game);
            run.each_drawn(&game, Draw::Listed, &mut |number, played, _| {
                sums.add(number, played);
                true
            });
            (sums.fingerprint, sums.totals)
        };
        assert_eq!(fingerprint(Engine::Fast), fingerprint(Engine::Reference), "{name}");
    }
}

/// The whole of a campaign, with `LUDWRIGHT_CHECKED=1`, is for when machine code has changed.
#[cfg(feature = "native")]
#[test]
fn machine_code_reads_and_writes_nothing_but_what_it_means() {
    for path in rule_files(&["games"]) {
        let name = path.to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let game = Game::from_text(&name, &text, None, &[], &Library).unwrap();
        // A place that is not of its part of memory would end the program.
        let fast = Fast::with(&Arc::new(game.rules().clone()), MachineCode::Checked).expect("lowered");
        let mut player = fast.player();
        player.load(&game.start_snapshot());
        player.playout(&mut Dice::new(generator(5, 1)), 40);
        player.reset();
        for ply in 0..20 {
            match player.count() {
                0 => break,
                count => player.play(ply * 7 % count),
            }
        }
    }
}
