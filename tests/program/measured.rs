//! What all shipped games are like: measured when asked for, into docs/measured_games.csv and the page that shows it.
//!
//! `cargo test --release --test program measured:: -- --ignored --nocapture` measures anew: `GAME=hex` one game, `UNKNOWN=1`
//! those of which too little is known, `MINUTES=2` for how long each, `PROGRAM=path` with another build of the program.

use super::common::{folder, shipped};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

fn page(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/docs")).join(name)
}

/// Numbers by the name of the column.
type Row = BTreeMap<String, String>;

/// The rows of a table without quotation marks, by their games, and its columns.
fn rows(text: &str) -> (Vec<String>, BTreeMap<String, Row>) {
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let columns = lines.next().unwrap_or_default();
    let row = |cells: Vec<String>| columns.iter().cloned().zip(cells).collect::<Row>();
    let rows = lines.map(row).map(|row| (row["game"].clone(), row)).collect();
    (columns, rows)
}

fn number(row: &Row, name: &str) -> Option<f64> {
    row.get(name)?.parse().ok()
}

/// A share of a hundred with half of its interval.
fn share(row: &Row, name: &str) -> String {
    let (value, low, high) =
        (number(row, name), number(row, &format!("{name}_low")), number(row, &format!("{name}_high")));
    let Some(((value, low), high)) = value.zip(low).zip(high) else { return "–".to_owned() };
    format!("{:.0} ± {:.0}", 100.0 * value, (50.0 * (high - low) - 1e-6).ceil())
}

fn plain(row: &Row, name: &str, digits: usize) -> String {
    number(row, name).map_or("–".to_owned(), |number| format!("{number:.digits$}"))
}

/// Whether what the first seat gets among programs is known to ±10 %; before that the other numbers say nothing either.
fn is_known(row: &Row) -> bool {
    let ends = number(row, "first_seat_weak_high").zip(number(row, "first_seat_weak_low"));
    ends.is_some_and(|(high, low)| high - low <= 0.2)
}

/// The table of the page.
fn table(rows: &BTreeMap<String, Row>) -> String {
    let mut text = String::from(
        "| game | first seat, random | `mcts:32` | stronger | who is stronger | draws | plies | moves | rungs | drama | leads | decided | clarity | positions | tree |\n\
         |---|---:|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for (name, row) in rows {
        let players = row["players"].replace(" against itself", "");
        // What programs of which too little is known have played says nothing yet.
        let known = is_known(row);
        let played = |text: String| if known { text } else { "–".to_owned() };
        let of = |name: &str| if known { name.to_owned() } else { format!("{name}_random") };
        let cells = [
            name.clone(),
            share(row, "first_seat_random"),
            played(share(row, "first_seat_weak")),
            played(share(row, "first_seat")),
            played(if players.contains(':') { format!("`{players}`") } else { players }),
            share(row, &of("draws")),
            plain(row, &of("plies"), 0),
            plain(row, "branching", 1),
            played(plain(row, "skill_rungs", 0)),
            played(plain(row, "drama", 2)),
            played(plain(row, "lead_changes", 1)),
            played(plain(row, "decision_ply", 0)),
            played(plain(row, "clarity", 2)),
            plain(row, "state_space_log10", 1),
            played(plain(row, "game_tree_log10", 1)),
        ];
        text.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    text
}

/// The page around its table.
fn whole(rows: &BTreeMap<String, Row>) -> String {
    let table = table(rows);
    format!(
        "# The shipped games, measured

What `ludwright measure` says of the shipped games with their standard options. All numbers with their intervals and their numbers of games stand in [measured_games.csv](measured_games.csv), a row a game ([columns](data.md#columns-of-settings)); what they mean, and what they do not say, in [what a game is like](measures.md).

Each game had half a minute (seed 0). So the strongest programs differ from game to game; where `mcts:32` could not play enough to know the first seat to ±10 %, the row has what random games say, with their draws and plies, and dashes for the rest. With more time there are fewer dashes and narrower intervals:

```sh
MINUTES=0.5 cargo test --release --test program measured:: -- --ignored --nocapture
UNKNOWN=1 MINUTES=5 cargo test --release --test program measured:: -- --ignored --nocapture
```

First seat and draws are of a hundred, with half of the 95 % interval; moves are those to choose from in random games; rungs are those of the skill ladder; leads are changes of the lead in a game; positions and tree are logarithms to the base ten, the former an upper bound but for very small games.

{table}
A dash stands elsewhere where a number cannot be told: drama, leads and the decision take two seats and games that somebody wins. A ladder may go on where the time was over.
"
    )
}

#[test]
fn what_programs_say_is_in_a_row_once_its_first_seat_is_known() {
    let head = "game,players,first_seat_weak,first_seat_weak_low,first_seat_weak_high,plies,draws,plies_random";
    let text =
        format!("{head}\nfair,mcts:64 against itself,0.5,0.45,0.55,9.4,,3\nunsure,random moves,0.5,0.2,0.8,9,0,7\n");
    let (columns, rows) = rows(&text);
    assert_eq!(columns.join(","), head);
    let table = table(&rows);
    let row: Vec<&str> = table.lines().nth(2).unwrap().split('|').map(str::trim).collect();
    assert_eq!((table.lines().count(), &row[1..8]), (4, &["fair", "–", "50 ± 5", "–", "`mcts:64`", "–", "9"][..]));
    let row: Vec<&str> = table.lines().nth(3).unwrap().split('|').map(str::trim).collect();
    assert_eq!(row[1..8], ["unsure", "–", "–", "–", "–", "–", "7"]);
    assert!(whole(&rows).contains("| fair |"));
}

#[test]
fn the_page_says_what_the_numbers_say() {
    let (_, measured) = rows(&fs::read_to_string(page("measured_games.csv")).unwrap());
    let text = fs::read_to_string(page("measured_games.md")).unwrap();
    if std::env::var("UPDATE").is_ok() {
        fs::write(page("measured_games.md"), whole(&measured)).unwrap();
    } else {
        assert_eq!(text, whole(&measured), "`UPDATE=1 cargo test --test program measured::` writes it anew");
    }
}

#[test]
#[ignore = "measures every shipped game"]
fn all_shipped_games_are_measured() {
    let folder = folder("measured");
    let program = std::env::var("PROGRAM").unwrap_or_else(|_| env!("CARGO_BIN_EXE_ludwright").to_owned());
    let minutes = std::env::var("MINUTES").unwrap_or_else(|_| "0.5".to_owned());
    let (mut columns, mut measured) = rows(&fs::read_to_string(page("measured_games.csv")).unwrap_or_default());
    let one = std::env::var("GAME").ok();
    let unknown = std::env::var("UNKNOWN").is_ok();
    let known: BTreeSet<String> =
        measured.iter().filter(|(_, row)| unknown && is_known(row)).map(|(name, _)| name.clone()).collect();
    let wanted = |name: &String| one.as_ref().is_none_or(|one| one == name) && !known.contains(name);
    for name in shipped().into_iter().filter(wanted) {
        let told = Command::new(&program)
            .args(["measure", &name, "--minutes", &minutes, "--csv", "one.csv", "--force"])
            .current_dir(&folder)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(told.status.success(), "{name}: {}", String::from_utf8_lossy(&told.stderr));
        let (found, row) = rows(&fs::read_to_string(folder.join("one.csv")).unwrap());
        // Options differ from game to game, and all are as the game has them.
        let fresh = found.into_iter().filter(|column| !column.starts_with("option_") && !columns.contains(column));
        columns.extend(fresh.collect::<Vec<_>>());
        println!("{name}: {:?}", row.values().find(|row| is_known(row)).map(|row| share(row, "first_seat_weak")));
        measured.extend(row);
        let line = |row: &Row| {
            let cells = columns.iter().map(|column| row.get(column).map_or("", String::as_str));
            format!("{}\n", cells.collect::<Vec<_>>().join(","))
        };
        let head = format!("{}\n", columns.join(","));
        let text: String = std::iter::once(head).chain(measured.values().map(line)).collect();
        fs::write(page("measured_games.csv"), text).unwrap();
        fs::write(page("measured_games.md"), whole(&measured)).unwrap();
    }
    fs::remove_dir_all(&folder).unwrap();
}
