//! Files that nest, multiply or repeat as far as they may: what is accepted is played on a small stack, and what is more is
//! refused with the name of the bound.

use super::common::compare::compare;
use crate::author::inspect::check_file;
use crate::check::{Project, Resolve};
use crate::diagnostic::{Code, Diagnostic};
use crate::engine::Engine;
use crate::engine::dice::Dice;
use crate::engine::fast::Fast;
use crate::engine::steps::counted;
use crate::engine::{Bound, ROOM, STEPS};
use crate::game::{Game, Line, LoadError};
use crate::library::Library;
use crate::study::perft::perft_from_start;
use crate::study::playout::{choose, generator};
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::sync::Arc;

/// The stack that threads have where nobody says otherwise.
const STACK: usize = 2 << 20;

/// A small game with further lines, a condition on the cell, and a turn.
fn game(lines: &str, condition: &str, turn: &str) -> String {
    format!(
        "game \"Bounds\"\nplayers A, B\nboard square(3)\npiece stone of each player\n{lines}\
         move put \"{{cell}}\" {{\n  cell : empty\n  if {condition}\n  cell becomes stone of mover\n}}\n\
         turn {{ {turn} }}\nend {{ next loses when stuck\n  mover loses when unfinished }}\n"
    )
}

fn load(text: &str) -> Result<Game, Vec<Diagnostic>> {
    match Game::from_text("bounds.game", text, None, &[], &Library) {
        Ok(game) => Ok(game),
        Err(LoadError::Rules { diagnostics, .. }) => Err(diagnostics),
        Err(other) => panic!("{other:?}"),
    }
}

/// A form that holds itself: what is put in for `{}`, with `{n}` a number of its own.
fn nested(form: &str, seed: &str, levels: std::ops::Range<usize>) -> String {
    levels.fold(seed.to_owned(), |inner, level| form.replace("{n}", &level.to_string()).replace("{}", &inner))
}

/// So many levels of a form in words of at most eight levels each.
fn in_words(form: &str, seed: &str, levels: usize) -> (String, String) {
    let (mut lines, mut last) = (String::new(), seed.to_owned());
    for (word, from) in (0..levels).step_by(8).enumerate() {
        let body = nested(form, &last, from..levels.min(from + 8));
        let _ = writeln!(lines, "word w{word} = {body}");
        last = format!("w{word}");
    }
    (lines, last)
}

/// Forms of one type, the condition that asks for it, and what is innermost.
const FORMS: &[(&str, &str, &[&str])] = &[
    (
        "any ({}) or turn > 0",
        "own",
        &[
            "next_to {}",
            "not {}",
            "the {}",
            "before {}",
            "({} but corner)",
            "(corner but {})",
            "(corner or {})",
            "(site and {})",
            "({} next_to site)",
            "{ x{n} in {} with x{n} in site }",
            "{ x{n} in centre with any {} }",
            "{ next_to x{n} for x{n} in {} }",
            "{ {} for x{n} in centre }",
            "(if turn > 0 then {} else own)",
            "(if turn > 99 then own else {})",
            "(if any {} then corner else own)",
            "group({})",
            "connected({}, site)",
            "connected(site, {})",
            "of owner({})",
            "ahead({}, N)",
            "up {}",
            "run({}, directions, site)",
            "(case turn { 99: own, 1: {} })",
        ],
    ),
    (
        "{} or turn > 0",
        "any own",
        &[
            "not ({})",
            "({} and turn > 0)",
            "(turn > 99 or {})",
            "(some x{n} in centre with ({}))",
            "(no x{n} in centre with ({}))",
            "(if turn > 0 then {} else turn > 1)",
            "(if {} then turn > 1 else turn > 0)",
            "(any { x{n} in centre with {} })",
        ],
    ),
    (
        "{} > -100000 or turn > 0",
        "turn",
        &[
            "- {}",
            "-({})",
            "({} + turn)",
            "(turn + {})",
            "{} + turn",
            "(turn - {})",
            "({} * turn)",
            "({} mod 7)",
            "({} div 2)",
            "max({}, turn)",
            "abs({})",
            "more({})",
            "(if turn > 0 then {} else turn)",
            "(sum { {} for x{n} in centre })",
            "(least { {} for x{n} in centre })",
            "(count { x{n} in centre with {} > 0 })",
        ],
    ),
    ("any ahead(cell, {}) or turn > 0", "directions", &["opposite({})", "turned({}, 1)", "({} but N)", "(N or {})"]),
];

const WORDS: &str = "word up(x: sites) = next_to x\nword more(n: number) = n + turn\n";

/// The most levels that are accepted, and what is said of one more.
fn deepest(text: impl Fn(usize) -> String, most: usize) -> (usize, Game, Vec<Diagnostic>) {
    let (mut low, mut high) = (1, most);
    let mut found = load(&text(low)).unwrap_or_else(|found| panic!("{}\n{found:#?}", text(low)));
    let mut refused = load(&text(high)).expect_err(&text(high));
    while low + 1 < high {
        let middle = usize::midpoint(low, high);
        match load(&text(middle)) {
            Ok(game) => (low, found) = (middle, game),
            Err(diagnostics) => (high, refused) = (middle, diagnostics),
        }
    }
    (low, found, refused)
}

/// Plays some plies on both engines, or on the one that can.
fn played(label: &str, game: &Game) {
    if Fast::new(&Arc::new(game.rules().clone())).is_ok() {
        compare(label, game, |games| games < 1, 4, 1);
        return;
    }
    let mut player = game.engine().player();
    for _ in 0..4 {
        player.play(0);
    }
}

/// Runs on the stack of an ordinary thread.
fn on_small_stack(run: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(STACK).spawn(run).unwrap().join().unwrap();
}

#[test]
fn the_deepest_of_every_form_is_played_on_both_engines_within_an_ordinary_stack() {
    on_small_stack(|| {
        for (asked, seed, forms) in FORMS {
            for form in *forms {
                // What looks at the board before the move has no meaning in a word.
                let text = |levels: usize| {
                    let (lines, last) = match *form {
                        "before {}" | "{} + turn" => (String::new(), nested(form, seed, 0..levels)),
                        _ => in_words(form, seed, levels),
                    };
                    game(&format!("{WORDS}{lines}"), &asked.replace("{}", &last), "put")
                };
                let (levels, game, refused) = deepest(text, 300);
                if std::env::var("SHOW").is_ok() {
                    println!("{form}: {levels}, then {:?} {}", refused[0].code, refused[0].message);
                }
                assert!(matches!(refused[0].code, Code::TooDeep | Code::TooCostly), "{form}: {refused:#?}");
                assert!(levels >= 8, "{form}: {levels}");
                played(form, &game);
            }
        }
    });
}

#[test]
fn rows_patterns_and_moves_are_as_long_as_they_may_be() {
    let row = |levels: usize| game("", &format!("any {}own or turn > 0", "next_to ".repeat(levels)), "put");
    let cases = |levels: usize| {
        let cases: String = (0..levels).map(|n| format!("{}: corner, ", n + 2)).collect();
        game("", &format!("any (case turn {{ {cases}1: own }}) or turn > 0"), "put")
    };
    let definitions = |levels: usize| {
        let lines: String = (0..levels)
            .map(|n| format!("  a{n} = {}\n", if n == 0 { "own".to_owned() } else { format!("a{}", n - 1) }))
            .collect();
        game("", "turn > 0", "put").replace("  if turn > 0\n", &lines)
    };
    let conditions =
        |levels: usize| game("", "turn > 0", "put").replace("  if turn > 0\n", &"  if turn > 0\n".repeat(levels));
    let brackets = |levels: usize| game("", "turn > 0", &format!("{}put{}", "(".repeat(levels), ")".repeat(levels)));
    let named = |levels: usize| {
        let lines: String = (0..levels).map(|n| format!("pattern p{} = p{n} or put\n", n + 1)).collect();
        game(&format!("pattern p0 = put\n{lines}"), "turn > 0", &format!("p{levels}"))
    };
    let maybes = |levels: usize| game("", "turn > 0", &format!("put{}", ", (put else nothing)".repeat(levels)));
    let choices = |levels: usize| game("", "turn > 0", &format!("put{}", " or put".repeat(levels)));
    let sequence = |levels: usize| game("", "turn > 0", &format!("put{}", ", put".repeat(levels)));
    type Text<'t> = &'t (dyn Fn(usize) -> String + Sync);
    let forms: [(&str, Text<'_>); 9] = [
        ("row", &row),
        ("cases", &cases),
        ("definitions", &definitions),
        ("conditions", &conditions),
        ("brackets", &brackets),
        ("named", &named),
        ("maybes", &maybes),
        ("choices", &choices),
        ("sequence", &sequence),
    ];
    std::thread::scope(|scope| {
        let run = || {
            for (name, text) in forms {
                let (levels, game, refused) = deepest(text, 1000);
                if std::env::var("SHOW").is_ok() {
                    println!("{name}: {levels}, then {:?} {}", refused[0].code, refused[0].message);
                }
                assert!(matches!(refused[0].code, Code::TooDeep | Code::TooLarge), "{name}: {refused:#?}");
                played(name, &game);
            }
        };
        std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run).unwrap().join().unwrap();
    });
}

/// What is said first of a text.
fn first(text: &str) -> (Code, String) {
    let (diagnostics, _) = check_file("bounds.game", text, &Library);
    let found =
        diagnostics.iter().find(|found| found.is_error()).unwrap_or_else(|| panic!("accepted: {diagnostics:#?}"));
    (found.code, format!("{} {} {}", found.message, found.label, found.help.as_deref().unwrap_or_default()))
}

#[track_caller]
fn refused(text: &str, code: Code, words: &str) {
    let (found, message) = first(text);
    assert!(found == code && message.contains(words), "{found:?}: {message}");
}

#[test]
fn what_multiplies_is_refused_with_the_name_of_the_bound() {
    let doubling = |rule: &str| {
        (1..31).map(|n| rule.replace("{n}", &n.to_string()).replace("{m}", &(n - 1).to_string())).collect::<String>()
    };
    for rule in
        ["pattern p{n} = (p{m}, p{m}) or p{m}\n", "pattern p{n} = p{m}, p{m}\n", "pattern p{n} = p{m} or p{m}\n"]
    {
        let lines = format!("pattern p0 = put\n{}", doubling(rule));
        refused(&game(&lines, "turn > 0", "p30"), Code::TooLarge, "at most 400 places");
    }
    let words =
        format!("word w0(x: sites) = own x\n{}", doubling("word w{n}(x: sites) = w{m}(x) or w{m}(next_to x)\n"));
    refused(&game(&words, "any w30(site)", "put"), Code::TooDeep, "levels");
    let large = |condition: &str| game("", condition, "put").replace("square(3)", "square(22)");
    refused(
        &large(
            "some a in site with (some b in site with (some c in site with (some d in site with (distance(a, b) = distance(c, d)))))",
        ),
        Code::TooCostly,
        "steps",
    );
    refused(
        &large("sum { sum { sum { a + b + c for a in 1 .. 100000 } for b in 1 .. 100000 } for c in 1 .. 100000 } > 7"),
        Code::TooCostly,
        "steps",
    );
    let parts = game("", "turn > 0", "put")
        .replace("square(3)", "square(22)")
        .replace("  cell : empty\n", "  cell : empty\n  a : site\n  b : site\n  c : site\n  d : site\n");
    refused(&parts.replace("{cell}", "{cell}{a}{b}{c}{d}"), Code::TooCostly, "steps");
}

#[test]
fn what_is_checked_again_and_again_has_bounds() {
    let many = |count: usize, line: &str| (0..count).map(|n| line.replace("{n}", &n.to_string())).collect::<String>();
    let with = |lines: &str| game(lines, "turn > 0", "put");
    refused(&with(&many(101, "option o{n} : yes, no = no\n")), Code::TooLarge, "at most 100 options");
    let row = format!("option {} : yes, no = no\n", many(9000, "o{n}, ").trim_end_matches(", "));
    refused(&with(&row), Code::TooLarge, "at most 100 options");
    let values = format!("option o : {} = v0\n", many(9000, "v{n}, ").trim_end_matches(", "));
    refused(&with(&values), Code::TooLarge, "at most 200 values");
    refused(&with(&many(101, "ruleset r{n} { }\n")), Code::TooLarge, "at most 100 rulesets");
    refused(&with(&many(501, "test \"{n}\" { perft 9 }\n")), Code::TooLarge, "at most 500 tests");
    let values = many(100, "v{n}, ");
    let options = many(20, &format!("option o{{n}} : {} = v0\n", values.trim_end_matches(", ")));
    refused(&with(&options), Code::TooLarge, "altogether");
}

/// Files that are not on any disk.
struct Texts(BTreeMap<String, String>);

impl Resolve for Texts {
    fn resolve(&self, _: &str, wanted: &str) -> Result<(String, String), String> {
        self.0.get(wanted).map(|text| (wanted.to_owned(), text.clone())).ok_or_else(|| "there is none".to_owned())
    }
}

#[test]
fn a_file_is_read_once_however_many_use_it() {
    let uses = |from: usize| (from..30).map(|n| format!("use \"u{n}.game\"\n")).collect::<String>();
    let file = |n: usize| format!("game \"U\"\n{}word w{n} = own\n", uses(n + 1));
    let texts = Texts((0..30).map(|n| (format!("u{n}.game"), file(n))).collect());
    let text = game(&uses(0), "any w0 or any w29 or turn > 0", "put");
    let project = Project::load("main.game", &text, &texts);
    assert_eq!(project.sources.iter().count(), 32, "the prelude, the file, and each other once");
    assert!(project.diagnostics.is_empty(), "{:#?}", project.diagnostics);
}

#[test]
fn a_byte_order_mark_is_passed_over_and_a_control_character_is_not() {
    let text = game("", "turn > 0", "put");
    assert!(load(&format!("\u{feff}{text}")).is_ok());
    let escape = load(&text.replace("Bounds", "Bou\u{1b}]0;nds")).unwrap_err();
    assert_eq!(escape[0].code, Code::Unreadable);
    assert!(escape[0].message.contains("U+001B"), "{}", escape[0].message);
}

/// Pairs of sites in either order, which print alike where the notation does not tell the order.
fn pairs(notation: &str) -> Game {
    let text = format!(
        "game \"Pairs\"\nplayers A, B\nboard rectangle(14, 12)\npiece stone of each player\n\
         move put \"{notation}\" {{ a : empty; b : empty but a; (a or b) becomes stone of mover }}\n\
         turn {{ put }}\nend {{ next loses when stuck; draw when turn > 100 }}"
    );
    Game::from_text("pairs", &text, None, &[], &Library).expect("a game")
}

#[test]
fn tens_of_thousands_of_moves_are_counted_alike_on_both_engines() {
    for (notation, count) in [("{a}-{b}", 168 * 167), ("{a or b}", 168 * 167 / 2)] {
        let game = pairs(notation);
        for engine in [Engine::Fast, Engine::Reference] {
            let (counts, ran) = perft_from_start(&game, 1, false, engine, &mut |_, _| {});
            assert_eq!((counts.nodes, ran), (vec![count], engine), "{notation}");
            let different: HashSet<&str> = counts.branches.iter().map(|branch| branch.text.as_str()).collect();
            assert_eq!(different.len() as u64, count, "{notation}: moves with names of their own");
        }
    }
}

/// Games that take long for a ply and are accepted all the same, since what is declared bounds them.
fn slow_games() -> Vec<(&'static str, String)> {
    let large = |condition: &str| game("", condition, "put").replace("square(3)", "square(22)");
    let nested =
        "some a in site with (some b in site with (some c in site with (distance(a, b) + distance(b, c) > 99)))";
    let sums = "sum { sum { a * b for a in 1 .. 4000 } for b in 1 .. 4000 } > 7";
    let parts = game("", "turn > 0", "put")
        .replace("square(3)", "square(22)")
        .replace("  cell : empty\n", "  cell : empty\n  a : site\n  b : site\n")
        .replace("{cell}", "{cell}{a}{b}");
    let fills = game("", "turn > 0", "put").replace("square(3)", "square(22)").replace(
        "becomes stone of mover\n",
        "becomes stone of mover\n  then\n  repeat at most 10000 { site becomes stone of mover }\n",
    );
    let ends = game("", "turn > 0", "put").replace("end {", &format!("end {{ draw when {sums}\n "));
    let whole = game("", "turn > 0", "put, put, put, put, put, put, put, put")
        .replace("square(3)", "square(6)")
        .replace(" }\nend", "\n  must most count corner\n}\nend");
    vec![
        ("nested", large(nested)),
        ("sums", game("", sums, "put")),
        ("parts", parts),
        ("fills", fills),
        ("ends", ends),
        ("whole", whole),
    ]
}

#[test]
fn a_ply_that_takes_more_steps_than_it_may_is_given_up_and_says_so() {
    for (name, text) in slow_games() {
        let began = std::time::Instant::now();
        let game = load(&text).unwrap_or_else(|found| panic!("{name}: {found:#?}")).with_steps(50_000);
        let start = game.start();
        // At the start, or after the first ply.
        let stopped = start.stopped().copied().or_else(|| start.play_index(0)?.stopped().copied());
        let stopped = stopped.unwrap_or_else(|| panic!("{name} is played"));
        assert_eq!(stopped.bound, Bound::Steps(50_000), "{name}");
        let told = game.told_of_stop(&stopped);
        assert!(told.contains("takes more than 50000 steps") && told.contains("bounds.game:"), "{name}: {told}");
        for engine in [Engine::Fast, Engine::Reference] {
            let mut player = game.player(engine);
            let mut dice = Dice::new(generator(1, 1));
            player.playout(&mut dice, 2);
            assert!(player.stopped().is_some(), "{name} on {engine:?}");
            assert_eq!((player.count(), player.over().map(|over| over.line)), (0, Some(None)), "{name}");
            assert!(player.stopped().is_none(), "told once");
        }
        let (counts, _) = perft_from_start(&game, 2, false, Engine::Fast, &mut |_, _| {});
        assert!(counts.stopped.is_some(), "{name}");
        if std::env::var("SHOW").is_ok() {
            println!("{name}: {told}, in {:?}", began.elapsed());
        }
    }
}

#[test]
fn a_list_of_plies_that_takes_too_much_memory_is_given_up_and_the_move_is_named() {
    // Each ply is listed with what is remembered after it, which here are some seven million bytes.
    let tracked: String = (0..200).map(|n| format!("track v{n}(site) : 0..9 = 0\n")).collect();
    let text = game(&tracked, "turn > 0", "put").replace("square(3)", "square(22)");
    let game = load(&text).unwrap_or_else(|found| panic!("{found:#?}"));
    let start = game.start();
    let stopped = start.stopped().copied().expect("too much to list");
    assert_eq!(stopped.bound, Bound::Room(ROOM));
    let told = game.told_of_stop(&stopped);
    assert!(told.contains("more than 256 MiB") && told.contains("the move `put`, at bounds.game:2"), "{told}");
    assert_eq!(start.unless_stopped().unwrap_err().code(), "too_many_moves");
    for engine in [Engine::Fast, Engine::Reference] {
        let mut player = game.player(engine);
        assert_eq!((player.count(), player.stopped().map(|stopped| stopped.bound)), (0, Some(Bound::Room(ROOM))));
    }
    // Fewer plies of the same size are listed.
    let text = text.replace("cell : empty", "cell : empty, cell in corner");
    assert!(load(&text).unwrap().start().stopped().is_none());
}

#[test]
fn what_is_proved_to_take_few_steps_is_not_counted_by_the_fast_engine() {
    let game = load(&game("", "turn > 0", "put")).unwrap();
    // What a ply changes is changed once, by the ply that is played.
    let (cost, once) = (game.rules().cost, game.rules().cost_once);
    assert!(once < cost && cost < 1000, "{once} {cost}");
    assert!(game.with_steps(once).fast().is_some());
    assert!(game.with_steps(once - 1).fast().is_none());
}

#[test]
fn what_a_text_does_not_rule_out_is_ruled_out_by_its_program_however_it_is_worded() {
    let fast_from = |condition: &str| {
        let game = load(&game("", condition, "put").replace("square(3)", "square(5)")).unwrap();
        let (mut refused, mut enough) = (1, game.rules().cost);
        while enough - refused > 1 {
            let steps = refused.midpoint(enough);
            if game.with_steps(steps).fast().is_some() { enough = steps } else { refused = steps }
        }
        let counts = [Engine::Fast, Engine::Reference]
            .map(|engine| perft_from_start(&game, 2, false, engine, &mut |_, _| {}).0.nodes);
        assert_eq!(counts[0], counts[1], "{condition}");
        (game.rules().cost, enough)
    };
    let (short, enough) = fast_from("any (empty but corner) next_to cell");
    let (long, same) = fast_from(
        "some x in site with (x in empty and not (x in corner) and some y in { z in site with z in next_to cell } with y = x)",
    );
    assert!(long > 100 * short, "{short} {long}");
    assert!(same <= 2 * enough, "{enough} {same}");
}

#[test]
fn a_number_that_ends_at_one_picked_before_is_bounded_by_the_range_of_that() {
    let cost = |lines: &str, board: &str| {
        let text = game("", "turn > 0", "put").replace("cell : empty", &format!("cell : empty\n  {lines}"));
        let text = text.replace("square(3)", board);
        load(&text).unwrap_or_else(|found| panic!("{lines}: {found:#?}")).rules().cost
    };
    // Not by how many sites there are.
    let known = cost("n : 2..6\n  k : 2..6\n  if k > 0", "square(20)");
    let picked = cost("n : 2..6\n  k : 2..n\n  if k > 0", "square(20)");
    let defined = cost("n : 2..6\n  m = n\n  k : 2..m\n  if k > 0", "square(20)");
    assert!(picked < known + known / 4 && defined < known + known / 2, "{known} {picked} {defined}");
    // Where nothing is known of it, it may be as many as there are sites.
    let counted = cost("n = count(own)\n  k : 2..n\n  if k > 0", "square(20)");
    assert!(counted > 10 * known, "{known} {counted}");
}

#[test]
fn a_move_that_leads_to_a_ply_that_is_given_up_is_refused_and_the_game_stands() {
    let (_, text) = slow_games().pop().unwrap();
    let game = load(&text.replace("must most count corner", "must most count corner when turn > 1")).unwrap();
    let start = game.with_steps(2_000_000).start();
    assert!(start.stopped().is_none());
    let mut line = Line::new(start);
    let mut refused = None;
    while refused.is_none() {
        let Some(first) = line.position().move_text(0) else { break };
        refused = line.play_text(&first).err();
    }
    assert_eq!(refused.map(|error| error.code()), Some("too_many_steps"));
    assert_eq!(line.played(), 7, "what leads to the second turn was not played");
    assert!(line.position().move_count() > 0);
}

#[test]
fn no_ply_of_a_shipped_game_comes_near_the_bound_on_steps() {
    for name in Library::names() {
        let game = Game::from_text(name, Library::text(name).unwrap(), None, &[], &Library).unwrap();
        assert!(game.rules().cost < STEPS / 8, "{name}: {}", game.rules().cost);
        let (mut position, mut most) = counted(|| game.start());
        let mut generator = generator(7, 7);
        for _ in 0..12 {
            let Some(index) = choose(&position, &mut generator) else { break };
            let (after, steps) = counted(|| position.play_index(index).unwrap());
            (position, most) = (after, most.max(steps));
        }
        if std::env::var("SHOW").is_ok() {
            println!(
                "{name}: {} steps by what is declared, {} plies, {most} steps a ply",
                game.rules().cost,
                game.rules().most_plies
            );
        }
        assert!(most < STEPS / 10, "{name}: {most}");
    }
}
