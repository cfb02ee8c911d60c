//! The worst rule files that we could think of: each is checked in a moment and in little memory, and one that is accepted
//! comes to its first ply, or is told that it takes too much.

use super::common::{folder, ludwright};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// What a check may take of the program that people install; without optimisation it takes many times as long.
const CHECK: Duration = Duration::from_secs(if cfg!(debug_assertions) { 40 } else { 2 });
const PLY: Duration = Duration::from_secs(if cfg!(debug_assertions) { 200 } else { 10 });
const CHECK_MEMORY: u64 = 500 << 20;
/// The legal plies of a position may take 256 MiB, twice while the end of a turn is looked at.
const PLY_MEMORY: u64 = 1 << 30;
/// Fewer steps than a ply may take by default, so that the test takes no minute for each; the long one takes the default.
const STEPS: &str = "1000000";

/// A small game with further lines, a part or a condition of its move, a turn and a board.
struct Game<'t> {
    lines: &'t str,
    body: &'t str,
    notation: &'t str,
    turn: &'t str,
    board: &'t str,
    end: &'t str,
}

const PLAIN: Game<'_> = Game {
    lines: "",
    body: "cell : empty\n cell becomes stone of mover",
    notation: "{cell}",
    turn: "put",
    board: "square(22)",
    end: "next loses when stuck",
};

impl Game<'_> {
    fn text(&self) -> String {
        let Self { lines, body, notation, turn, board, end } = self;
        format!(
            "game \"Worst\"\nplayers A, B\nboard {board}\npiece stone of each player\n{lines}\
             move put \"{notation}\" {{ {body} }}\nturn {{ {turn} }}\nend {{ {end}\n mover loses when unfinished }}\n"
        )
    }
}

/// A form put into itself.
fn nested(form: &str, seed: &str, levels: usize) -> String {
    (0..levels).fold(seed.to_owned(), |inner, n| form.replace("{n}", &n.to_string()).replace("{}", &inner))
}

/// A line again and again with its number, and the number before.
fn many(count: usize, line: &str) -> String {
    (1..=count).map(|n| line.replace("{n}", &n.to_string()).replace("{m}", &(n - 1).to_string())).collect()
}

fn body(body: &str) -> String {
    Game { body: &format!("{body}\n cell becomes stone of mover"), ..PLAIN }.text()
}

/// A cell with a condition.
fn asked(condition: &str) -> String {
    body(&format!("cell : empty, {condition}"))
}

fn lines(lines: &str) -> String {
    Game { lines, ..PLAIN }.text()
}

fn turn(lines: &str, turn: &str) -> String {
    Game { lines, turn, board: "square(3)", ..PLAIN }.text()
}

/// Parts one after the other, of which some are printed.
fn parts(board: &str, parts: &str, notation: &str) -> String {
    Game { body: &format!("{parts}\n a becomes stone of mover"), notation, board, ..PLAIN }.text()
}

/// What is worst in one way each.
fn worst() -> Vec<(String, String)> {
    let mut files: Vec<(&str, String)> = Vec::new();
    let some = |levels: usize| {
        let opened: String = (0..levels).fold(String::new(), |mut text, n| {
            let _ = write!(text, "some x{n} in site with (");
            text
        });
        format!("{opened}distance(cell, x0) > 99{}", ")".repeat(levels))
    };
    for (name, levels) in [("some_2", 2), ("some_3", 3), ("some_4", 4), ("some_8", 8), ("some_30", 30)] {
        files.push((name, asked(&some(levels))));
    }
    for (name, form, seed) in [
        ("sets_60", "any { x{n} in { y{n} in empty with {} } }", "turn > 0"),
        ("not_190", "not {}", "turn > 0"),
        ("brackets_63", "({})", "turn > 0"),
        ("if_60", "(if turn > 0 then {} else turn > 1)", "turn > 0"),
        ("counts_40", "count { x{n} in site with {} } > {n}", "turn > 0"),
    ] {
        let levels = name.rsplit('_').next().and_then(|levels| levels.parse().ok()).unwrap_or(40);
        files.push((name, asked(&nested(form, seed, levels))));
    }
    for (name, form, levels) in [
        ("next_to_180", "next_to {}", 180),
        ("next_to_9000", "next_to {}", 9000),
        ("the_150", "the {}", 150),
        ("group_60", "group({})", 60),
        ("connected_60", "connected({}, site)", 60),
        ("sets_for_64", "{ x{n} in {} for y{n} in empty }", 64),
        ("but_60", "({} but corner)", 60),
        ("run_40", "run({}, directions, site)", 40),
    ] {
        files.push((name, asked(&format!("any {}", nested(form, "own", levels)))));
    }
    let doubling = |word: &str| format!("word w0(x: sites) = own x\n{}", many(30, word));
    files.push(("words_doubling", {
        let lines = doubling("word w{n}(x: sites) = w{m}(x) or w{m}(next_to x)\n");
        Game { lines: &lines, body: "cell : empty, any w30(site)\n cell becomes stone of mover", ..PLAIN }.text()
    }));
    files.push(("words_14", {
        let lines = doubling("word w{n}(x: sites) = w{m}(x) or w{m}(next_to x)\n");
        Game { lines: &lines, body: "cell : empty, any w14(site)\n cell becomes stone of mover", ..PLAIN }.text()
    }));
    files.push(("words_in_a_row", {
        let lines = doubling("word w{n}(x: sites) = w{m}(next_to x)\n");
        Game { lines: &lines, body: "cell : empty, any w30(site)\n cell becomes stone of mover", ..PLAIN }.text()
    }));
    files.push(("words_in_circles", lines("word a(x: sites) = b(x)\nword b(x: sites) = a(x)\n")));
    for (name, rule) in [
        ("patterns_both", "pattern p{n} = (p{m}, p{m}) or p{m}\n"),
        ("patterns_row", "pattern p{n} = p{m}, p{m}\n"),
        ("patterns_or", "pattern p{n} = p{m} or p{m}\n"),
        ("patterns_maybe", "pattern p{n} = p{m}, (p{m} else nothing)\n"),
        ("patterns_again", "pattern p{n} = p{m} and again\n"),
    ] {
        files.push((name, turn(&format!("pattern p0 = put\n{}", many(30, rule)), "p30")));
    }
    files.push(("moves_of_a_turn_390", turn("", many(390, "put, ").trim_end_matches(", "))));
    files.push(("choices_of_a_turn_390", turn("", many(390, "put or ").trim_end_matches(" or "))));
    files.push(("whole_turn_of_9", {
        let end = "next loses when stuck\n}\nturn 2 { whole turn";
        Game { end, turn: many(9, "put, ").trim_end_matches(", "), board: "square(6)", ..PLAIN }.text()
    }));
    files.push(("most_of_8", turn("", "put, put, put, put, put, put, put, put\n must most count corner")));
    for (name, board, list, notation) in [
        ("parts_2", "square(22)", "a : empty; b : empty", "{a}{b}"),
        ("parts_3", "square(22)", "a : empty; b : empty; c : empty", "{a}{b}{c}"),
        ("parts_5", "square(22)", "a : empty; b : empty; c : empty; d : empty; e : empty", "{a}{b}{c}{d}{e}"),
        ("hidden_ring", "ring(1024)", "a : empty; b : site", "{a}"),
        ("hidden_corners", "square(22)", "a : empty; b : empty; c : corner", "{a}"),
        ("hidden_in_threes", "square(6)", "a : empty; b : site; c : site", "{a}"),
        ("numbers", "square(22)", "a : empty; n : 1 .. 100000", "{a}{n}"),
        ("numbers_twice", "square(3)", "a : empty; n : 1 .. 100000; m : 1 .. 100000", "{a}{n}{m}"),
        ("ways", "square(22)", "a : empty; d : directions; e : directions; f : directions", "{a}{d}{e}{f}"),
        ("alike", "square(14)", "a : empty; b : empty; c : corner", "{a or b}"),
    ] {
        files.push((name, parts(board, list, notation)));
    }
    let sums = |times: usize, most: usize| nested(&format!("sum {{ {{}} for a{{n}} in 1 .. {most} }}"), "turn", times);
    files.push(("sums_1", asked(&format!("{} > 7", sums(1, 100_000)))));
    files.push(("sums_2", asked(&format!("{} > 7", sums(2, 4_000)))));
    files.push(("sums_3", asked(&format!("{} > 7", sums(3, 100_000)))));
    files.push(("sums_at_the_end", {
        Game { end: &format!("draw when {} > 7\n next loses when stuck", sums(2, 4_000)), board: "square(3)", ..PLAIN }
            .text()
    }));
    files.push(("score_of_sums", lines(&format!("score(p) = {}\n", sums(2, 10_000)))));
    let repeat =
        "cell : empty\n cell becomes stone of mover\n then\n repeat at most 10000 { site becomes stone of mover }";
    files.push(("repeat_fills", Game { body: repeat, ..PLAIN }.text()));
    files.push(("repeat_sums", {
        let change = format!("n becomes {}", sums(1, 100_000));
        let text = format!("cell : empty\n cell becomes stone of mover\n repeat at most 10000 {{ {change} }}");
        Game { lines: "track n : 0..9 = 0\n", body: &text, board: "square(3)", ..PLAIN }.text()
    }));
    files.push(("everywhere", Game { body: "cell : empty\n site becomes stone of mover", ..PLAIN }.text()));
    let tracked = |count: usize| many(count, "track v{n}(site) : 0..9 = 0\n");
    files.push(("tracked_60", lines(&tracked(60))));
    files.push(("tracked_200", lines(&tracked(200))));
    files.push(("tracked_1000", lines(&tracked(1000))));
    files.push((
        "tracked_and_parts",
        Game {
            lines: &tracked(40),
            body: "cell : empty; b : site\n cell becomes stone of mover",
            notation: "{cell}{b}",
            ..PLAIN
        }
        .text(),
    ));
    for (name, count, line) in [
        ("options", 9_000, "option o{n} : yes, no = no\n"),
        ("rulesets", 500, "ruleset r{n} { }\n"),
        ("tests", 4_900, "test \"{n}\" { perft 484 }\n"),
        ("deep_tests", 100, "test \"{n}\" { perft 484 233772 }\n"),
        ("pieces", 4_000, "piece p{n} of each player\n"),
        ("words", 4_900, "word w{n}(x) = own next_to x\n"),
        ("long_words", 4_900, "word w{n}(x) = count(own next_to x) > {n} and x in edge or x in corner\n"),
        ("regions", 4_000, "region r{n} = corner\n"),
        ("patterns", 4_000, "pattern q{n} = put\n"),
        ("moves", 1_000, "move m{n} \"{cell}{n}\" { cell : empty }\n"),
        ("ends", 1, ""),
    ] {
        files.push((name, lines(&many(count, line))));
    }
    files.push((
        "one_line_of_options",
        lines(&format!("option {} : yes, no = no\n", many(9_000, "o{n}, ").trim_end_matches(", "))),
    ));
    files.push(("values_of_options", {
        let values = many(100, "v{n}, ");
        lines(&many(20, &format!("option o{{n}} : {} = v1\n", values.trim_end_matches(", "))))
    }));
    files.push((
        "players",
        Game { board: "square(22)", ..PLAIN }
            .text()
            .replace("players A, B", &format!("players {}", many(900, "P{n}, ").trim_end_matches(", "))),
    ));
    for board in [
        "square(100000)",
        "rectangle(1, 1024)",
        "hexagon(18)",
        "square(32)",
        "square(9) with cells, edges, vertices",
        "graph { a }",
        "lines(1024)",
        "square(22) keeping not centre",
        "ring(1000000000)",
    ] {
        files.push((board, Game { board, ..PLAIN }.text()));
    }
    files.push(("only_newlines", "\n".repeat(1 << 20)));
    files.push(("only_brackets", format!("game \"X\"\nend {{ {}", "{".repeat(500_000))));
    files.push(("one_word", "a".repeat(1 << 20)));
    files.push(("one_text", format!("game \"{}\"\n", "x".repeat(1 << 19))));
    files.push(("two_megabytes", lines(&"// nothing\n".repeat(200_000))));
    files.push(("extends_itself", "game \"X\" extends \"extends_itself.game\"\n".to_owned()));
    files.push(("quotes", format!("game {}\n", "\"a\" ".repeat(9_999))));
    files.push(("all_mistakes", many(4_900, "sectoin {n} {\n")));
    files.push(("line_20_000", lines(&format!("word long = {}\n", "own or ".repeat(20_000)))));
    files.push(("notation", Game { notation: &"{cell}".repeat(1_000), ..PLAIN }.text()));
    files.push(("long_moves", body(&format!("cell : empty{}", many(190, "\n if turn > {m}")))));
    files.push(("definitions", body(&format!("cell : empty\n a0 = own{}", many(190, "\n a{n} = next_to a{m}")))));
    let case: String = many(3_000, "{n}: corner, ");
    files.push(("cases", asked(&format!("any (case turn {{ {case} 0: own }})"))));
    files.into_iter().map(|(name, text)| (name.replace(|sign: char| !sign.is_alphanumeric(), "_"), text)).collect()
}

/// How a command line went: its status, how long it took, the most memory it had, and what it said.
struct Went {
    status: Option<i32>,
    took: Duration,
    memory: u64,
    said: String,
}

/// Runs a command until it ends, or much longer than it may take.
fn run(folder: &Path, args: &[&str]) -> Went {
    let said = folder.join("said.txt");
    let file = || Stdio::from(std::fs::File::options().create(true).append(true).open(&said).unwrap());
    let _ = std::fs::remove_file(&said);
    let mut command = ludwright();
    let began = Instant::now();
    let mut child = command.args(args).stdin(Stdio::null()).stdout(file()).stderr(file()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut memory = 0;
    let ended = loop {
        // The highest mark is kept by the system, so that it matters little how often it is looked at.
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
        memory = memory.max(line.trim().trim_end_matches(" kB").parse().unwrap_or(0) << 10);
        if let Some(status) = child.try_wait().unwrap() {
            break status.code();
        }
        if began.elapsed() > 2 * PLY {
            child.kill().unwrap();
            child.wait().unwrap();
            break None;
        }
        std::thread::sleep(Duration::from_millis(3));
    };
    let said = std::fs::read(&said).unwrap_or_default();
    Went { status: ended, took: began.elapsed(), memory, said: String::from_utf8_lossy(&said).into_owned() }
}

/// Checks each file, and plays a ply of those that are accepted with so many steps for each.
fn campaign(steps: &str) {
    let folder = folder("worst");
    let files = worst();
    assert!(files.len() >= 60, "{}", files.len());
    let (mut accepted, mut given_up, mut wrong) = (0, 0, Vec::new());
    let (mut slowest, mut largest) = ((Duration::ZERO, String::new()), (0, String::new()));
    for (name, text) in &files {
        let path = folder.join(format!("{name}.game"));
        std::fs::write(&path, text).unwrap();
        let path = path.display().to_string();
        let checked = run(&folder, &["check", &path]);
        if !matches!(checked.status, Some(0 | 1)) || checked.took > CHECK || checked.memory > CHECK_MEMORY {
            wrong.push(format!(
                "check {name}: {:?} in {:?}, {} MB",
                checked.status,
                checked.took,
                checked.memory >> 20
            ));
        }
        slowest = slowest.max((checked.took, name.clone()));
        largest = largest.max((checked.memory, name.clone()));
        if checked.status != Some(0) {
            continue;
        }
        accepted += 1;
        let played =
            run(&folder, &["playout", &path, "-n", "1", "--max-plies", "1", "--threads", "1", "--steps", steps]);
        let too_much = played.said.contains("this ply was given up") || played.said.contains("cannot be set up");
        given_up += u64::from(too_much);
        let ended = played.status == Some(0) || played.status == Some(1) && too_much;
        if !ended || played.took > PLY || played.memory > PLY_MEMORY {
            let (took, memory) = (played.took, played.memory >> 20);
            wrong.push(format!("play {name}: {:?} in {took:?}, {memory} MB: {}", played.status, played.said));
        } else if std::env::var("SHOW").is_ok() {
            println!("{name}: {:?}, {} MB, given up: {too_much}", played.took, played.memory >> 20);
        }
    }
    println!(
        "{} files: {accepted} accepted, {given_up} of them given up; the slowest check {:?} ({}), the largest {} MB ({})",
        files.len(),
        slowest.0,
        slowest.1,
        largest.0 >> 20,
        largest.1
    );
    match std::env::var("KEEP") {
        Ok(_) => println!("the files lie in {}", folder.display()),
        Err(_) => std::fs::remove_dir_all(&folder).unwrap(),
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_worst_files_are_checked_in_a_moment_and_played_or_given_up() {
    campaign(STEPS);
}

/// `cargo test --release --test program worst:: -- --ignored --nocapture` takes as many steps as a ply has by default.
#[test]
#[ignore = "takes minutes"]
fn the_worst_files_are_played_with_all_the_steps_that_a_ply_has() {
    campaign("1000000000");
}
