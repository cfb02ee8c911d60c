//! `--csv`: tables for spreadsheets, whose columns docs/data.md names; and the games of `measure --output`.

use super::common::{folder, run_in, text_in};
use super::data::{fits, schema};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The columns that the page names, by the heading above their table.
fn told(heading: &str) -> Vec<String> {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/data.md")).unwrap();
    let section = page.split(&format!("### {heading}\n")).nth(1).unwrap().split("\n#").next().unwrap();
    let cells = section.lines().filter_map(|line| line.strip_prefix("| `")?.split('|').next());
    cells.flat_map(|cell| cell.split(',')).map(|name| name.replace(['`', ' '], "")).collect()
}

/// Whether a column is one of those named, where `MEASURE` stands for a measure, and another word in capitals for any other.
fn is_told(column: &str, told: &[String], measures: &[&str]) -> bool {
    told.iter().any(|name| match name.split_once(|letter: char| letter.is_ascii_uppercase()) {
        None => column == name,
        Some(("", rest)) => {
            let after = rest.trim_start_matches(|letter: char| letter.is_ascii_uppercase());
            column.strip_suffix(after).is_some_and(|measure| measures.contains(&measure))
        }
        Some((before, rest)) => {
            let after = rest.trim_start_matches(|letter: char| letter.is_ascii_uppercase());
            column.len() > before.len() + after.len() && column.starts_with(before) && column.ends_with(after)
        }
    })
}

/// The rows of a table without quotation marks, each by its columns.
fn rows(path: &Path) -> (Vec<String>, Vec<Vec<String>>) {
    let text = fs::read_to_string(path).unwrap();
    assert!(!text.contains('"') && text.ends_with('\n'), "{text}");
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let head = lines.next().unwrap();
    let rows: Vec<Vec<String>> = lines.collect();
    assert!(rows.iter().all(|row| row.len() == head.len()), "{text}");
    assert_eq!(head.iter().collect::<BTreeSet<_>>().len(), head.len(), "a column stands twice: {head:?}");
    (head, rows)
}

fn cell<'r>(head: &[String], row: &'r [String], name: &str) -> &'r str {
    &row[head.iter().position(|column| column == name).unwrap_or_else(|| panic!("no {name} in {head:?}"))]
}

#[test]
fn a_game_is_a_row_with_the_columns_that_the_page_names_and_says_what_its_line_says() {
    let folder = folder("tables_games");
    let named = told("Columns of games");
    for line in [
        "playout hex -o size=3 -n 7 --seed 4",
        "playout iqishiqi -o player_count=3 -o side=3 -n 4 --max-plies 9",
        "arena tic_tac_toe --players mcts:9,random -n 5",
        "tournament tic_tac_toe --players mcts:9,random,greedy -n 4",
    ] {
        text_in(&folder, &format!("{line} --output g.jsonl --csv g.csv --force"));
        let (head, rows) = rows(&folder.join("g.csv"));
        assert!(head.iter().all(|column| is_told(column, &named, &[])), "{head:?} {named:?}");
        let games = fs::read_to_string(folder.join("g.jsonl")).unwrap();
        assert_eq!(games.lines().count(), rows.len(), "{line}");
        for (game, row) in games.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).zip(&rows) {
            let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            for name in ["game", "rules_hash", "version", "seed", "index", "plies"] {
                assert_eq!(cell(&head, row, name), text(&game[name]), "{line}");
            }
            for (name, value) in game["options"].as_object().unwrap() {
                assert_eq!(cell(&head, row, &format!("option_{name}")), text(value));
            }
            for (seat, player) in (1..).zip(game["players"].as_array().unwrap()) {
                assert_eq!(cell(&head, row, &format!("player_{seat}")), text(player));
                let place = &game["places"][seat - 1];
                let place = if place.is_null() { String::new() } else { text(place) };
                assert_eq!(cell(&head, row, &format!("place_{seat}")), place);
            }
            assert_eq!(cell(&head, row, "winner").is_empty(), game["result"].is_null());
            if let Some(winner) = game["result"]["winner"].as_str() {
                assert_eq!(cell(&head, row, "winner"), winner);
            }
        }
    }
    // It needs no file of lines beside it, is the same then, and is not overwritten unasked.
    let line = "playout hex -o size=3 -n 7 --seed 4 --csv";
    text_in(&folder, &format!("{line} one.csv"));
    assert_eq!(run_in(&folder, &format!("{line} one.csv")).status.code(), Some(1));
    assert_eq!(text_in(&folder, &format!("{line} -")), fs::read_to_string(folder.join("one.csv")).unwrap());
    for twice in ["- --json", "- --output -", "two --output ./two"] {
        assert_eq!(run_in(&folder, &format!("{line} {twice}")).status.code(), Some(1), "{twice}");
    }
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn the_table_of_a_tournament_that_was_gone_on_with_has_all_its_games() {
    let folder = folder("tables_resumed");
    let line = "tournament tic_tac_toe --players mcts:9,random -n 6";
    text_in(&folder, &format!("{line} --output g.jsonl --csv whole.csv"));
    let games = fs::read_to_string(folder.join("g.jsonl")).unwrap();
    let half: String = games.lines().take(3).map(|line| format!("{line}\n")).collect();
    fs::write(folder.join("g.jsonl"), half).unwrap();
    text_in(&folder, &format!("{line} --resume g.jsonl --csv again.csv"));
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    assert_eq!(read("again.csv"), read("whole.csv"));
    assert_eq!(read("whole.csv").lines().count(), 7);
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_setting_is_a_row_with_its_measures() {
    let folder = folder("tables_settings");
    let named = told("Columns of settings");
    for (line, measure) in [
        ("sweep tic_tac_toe -o size=3,4 --ruleset all --player random --games 30", "draws"),
        ("compare hex tic_tac_toe --player random --games 20", "plies"),
        ("tune hex --option size=3..6 --for plies=14 --player random --games 100", "plies"),
        ("measure tic_tac_toe --games 4", "skill_rungs"),
    ] {
        let answer: Value =
            serde_json::from_str(&text_in(&folder, &format!("{line} --csv t.csv --force --json"))).unwrap();
        let (head, rows) = rows(&folder.join("t.csv"));
        let measures = answer["rows"][0]["measures"].as_array().or(answer["measures"].as_array());
        let mut measures: Vec<&str> = measures.into_iter().flatten().filter_map(|one| one["name"].as_str()).collect();
        measures.push(measure);
        assert!(head.iter().all(|column| is_told(column, &named, &measures)), "{head:?}");
        let told = answer["tried"].as_array().or(answer["rows"].as_array());
        assert_eq!(rows.len(), told.map_or(1, Vec::len), "{line}");
        let first = answer["rows"][0]["measures"].as_array().or(answer["measures"].as_array());
        let number = match first {
            Some(measures) => measures.iter().find(|one| one["name"] == measure).unwrap()["value"].as_f64(),
            None => answer["tried"][0]["value"].as_f64(),
        };
        assert_eq!(cell(&head, &rows[0], measure).parse::<f64>().ok(), number, "{line}");
        assert_eq!(text_in(&folder, &format!("{line} --csv -")), fs::read_to_string(folder.join("t.csv")).unwrap());
        for end in ["low", "high", "games"] {
            assert!(cell(&head, &rows[0], &format!("{measure}_{end}")).parse::<f64>().is_ok(), "{line}");
        }
    }
    // A table that cannot be written is told before anything is played.
    for line in [
        "sweep hex -o size=3 --player random --games 20",
        "tune hex --option size=3..4 --for plies=9 --games 20",
        "measure tic_tac_toe --games 20",
    ] {
        assert_eq!(run_in(&folder, &format!("{line} --resume new.jsonl --csv t.csv")).status.code(), Some(1), "{line}");
        assert!(!folder.join("new.jsonl").exists(), "{line}");
    }
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn the_best_variant_is_named_with_those_that_may_be_as_good() {
    let folder = folder("tables_best");
    let sweep = "sweep hex -o size=3..6 --player random";
    let told = text_in(&folder, &format!("{sweep} --best plies=most --games 40"));
    let end: Vec<&str> = told.lines().rev().take(2).collect();
    assert_eq!(end, ["all others are surely worse (95 %)", "best for plies=most: size=6 (2 rounds of 4, 2 variants)"]);
    // In so few games any of them may be fair.
    let line = format!("{sweep} --measure plies --best first_seat=0.5 --games 12");
    let told: Value = serde_json::from_str(&text_in(&folder, &format!("{line} --json"))).unwrap();
    let (best, rows) = (&told["best"], told["rows"].as_array().unwrap());
    let names: Vec<&str> =
        rows[0]["measures"].as_array().unwrap().iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(names, ["plies", "first_seat"]);
    let games: Vec<u64> = rows.iter().filter_map(|row| row["measures"][0]["games"].as_u64()).collect();
    assert_eq!(games.iter().filter(|games| **games == 12).count(), 2);
    assert_eq!(games.iter().filter(|games| **games == 6).count(), 2);
    let row = best["row"].as_u64().unwrap();
    assert_eq!(games[usize::try_from(row).unwrap()], 12);
    assert_eq!(best["rounds"].as_array().unwrap().len(), 2);
    let open = best["not_surely_worse"].as_array().unwrap();
    assert!(open.len() == 3 && !open.contains(&row.into()), "{best}");
    for (wrong, says) in [
        ("plies", "write it as MEASURE=least"),
        ("plies=long", "neither `least`"),
        ("plie=most", "did you mean `plies`"),
    ] {
        let told = run_in(&folder, &format!("{sweep} --best {wrong}"));
        assert_eq!(told.status.code(), Some(2), "{wrong}");
        assert!(String::from_utf8_lossy(&told.stderr).contains(says), "{wrong}");
    }
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn the_games_that_are_measured_fit_the_schema_name_their_part_and_can_be_replayed() {
    let folder = folder("tables_measured");
    let line = "measure tic_tac_toe --games 3 --seed 2";
    let told = text_in(&folder, &format!("{line} --output g.jsonl --threads 2"));
    assert_eq!(text_in(&folder, line), told, "writing changes no number");
    let text = fs::read_to_string(folder.join("g.jsonl")).unwrap();
    let games: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    games.iter().for_each(|game| fits(game, &schema(), "line"));
    let of = |part: &str| games.iter().filter(|game| game["part"] == part).count();
    assert_eq!([of("random"), of("weak"), of("strong"), of("rung 16")], [1000, 3, 3, 3]);
    assert_eq!([of("first moves"), of("mirror")], [18, 6]);
    let rung = games.iter().find(|game| game["part"] == "rung 16").unwrap();
    assert_eq!((&rung["players"][0], &rung["index"]), (&"mcts:16".into(), &0.into()));
    let replayed = text_in(&folder, "replay tic_tac_toe g.jsonl");
    assert!(replayed.contains(&format!("{} games", games.len())), "{replayed}");
    assert_eq!(run_in(&folder, &format!("{line} --output - --json")).status.code(), Some(1));
    assert!(text_in(&folder, &format!("{line} --output -")) == text);
    fs::remove_dir_all(&folder).unwrap();
}
