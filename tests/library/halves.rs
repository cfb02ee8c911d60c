//! Scores with halves: counted exactly, compared with halves, shown as such everywhere, and refused where numbers are whole.

use super::common::compare::compare;
use crate::author::inspect::check_file;
use crate::author::script::Scripts;
use crate::check::Project;
use crate::diagnostic::{Format, render};
use crate::game::Game;
use crate::library::Library;

/// Stones count one each, and the second player has something more.
fn game(option: &str, score: &str, end: &str) -> String {
    format!(
        "game \"Halves\"\n{option}\nplayers A, B\nboard square(3)\npiece stone of each player\n\
         move put \"{{cell}}\" {{ cell : empty; cell becomes stone of mover }}\nturn {{ put }}\n\
         score(p) = {score}\nend {{ {end}\n best score when no empty }}\n"
    )
}

fn found(text: &str) -> Vec<String> {
    let (found, sources) = check_file("halves.game", text, &Library);
    found.iter().map(|found| render(found, &sources, Format::Short)).collect()
}

fn holds(text: &str) {
    assert_eq!(found(text), Vec::<String>::new(), "{text}");
    let reports = Scripts::default().run(&Project::load("halves.game", text, &Library), None, &[]).unwrap();
    let failed: Vec<_> =
        reports.iter().filter(|report| !report.ok).map(|report| (&report.name, &report.message)).collect();
    assert!(!reports.is_empty() && failed.is_empty(), "{text}\n{failed:?}");
    let game = Game::from_text("halves.game", text, None, &[], &Library).unwrap();
    assert!(compare(text, &game, |games| games < 10, 12, 5) > 40, "{text}");
}

#[test]
fn a_score_has_halves_wherever_they_stand_in_it() {
    for (score, a, b) in [
        ("count(of p) + (if p is B then 0.5 else 0)", "2", "1.5"),
        ("count(of p) - 2.5", "-0.5", "-1.5"),
        ("2 * 1.5 + count(of p) * 0.5", "4", "3.5"),
        ("max(1.5, count(of p))", "2", "1.5"),
        ("case p { A: -(0.5); B: 6.5 } + sum { 0.5 for x in of p }", "0.5", "7"),
    ] {
        let test = format!("test \"scores\" {{ play a1, b1, c1; expect score(A) = {a} and score(B) = {b} }}\n");
        holds(&(game("", score, "") + &test));
        let game = Game::from_text("halves.game", &game("", score, ""), None, &[], &Library).unwrap();
        let mut position = game.start();
        for cell in ["a1", "b1", "c1"] {
            position = position.play(cell).unwrap();
        }
        let shown: Vec<String> = position.scores().iter().map(|(_, points)| points.to_string()).collect();
        assert_eq!(shown, [a, b], "{score}");
        assert_eq!(position.to_json()["scores"]["A"].to_string(), a, "{score}");
    }
}

#[test]
fn options_go_by_halves_and_ties_are_broken_by_them() {
    let komi = "count(of p) + (if p is B then komi else 0)";
    for option in ["option komi : 0..5 = 1.5", "option komi : 0, 1.5, 2 = 1.5", "option komi : -0.5 .. 4 = 1.5"] {
        let text = game(option, komi, "mover wins when score(mover) >= 7.5 and komi > 0.5");
        let all = "a1, b1, c1, a2, b2, c2, a3, b3, c3";
        holds(&format!(
            "{text}test \"five against four and more\" {{ play {all}; result \"B wins\" }}\n\
             test \"the option is a half\" {{ expect komi = 1.5 and komi is 1.5 and komi < 2 }}\n\
             test \"a whole one\" {{ set komi 2; expect komi = 2 and score(B) = 2 }}\n"
        ));
        let set = |value: &str| {
            Game::from_text("halves.game", &text, None, &[("komi".to_owned(), value.to_owned())], &Library)
        };
        assert_eq!(set("1.5").unwrap().start().scores()[1].1.to_string(), "1.5");
        assert_eq!(set("2").unwrap().start().scores()[1].1.to_string(), "2");
        assert!(set("1.25").is_err() && set("9.5").is_err());
    }
}

#[test]
fn halves_where_numbers_are_whole_are_errors_with_their_place() {
    let plain = "count(of p)";
    let halved = "count(of p) + (if p is B then 0.5 else 0)";
    let wrong = [
        (game("", plain, "").replace("cell : empty;", "cell : empty, ahead(cell, N, 1.5) in empty;"), "LW301"),
        (game("", plain, "").replace("turn {", "track pips : 0..2.5\nturn {"), "LW107"),
        (game("", "count(of p) + 6.25", ""), "6.25"),
        (game("word more = 0.5", "count(of p) + more", ""), "LW301"),
        (game("", "count(of p) + 0.5", "mover wins when any row(score(mover))"), "LW301"),
        (game("option komi : 0..5 = 1.25", plain, ""), "1.25"),
        // What is compared may hold no halves but those that are added up.
        (game("", halved, "mover wins when score(mover) div 2 > 2"), "LW301"),
        (game("", halved, "mover wins when score(mover) * score(next) = 7.5"), "LW301"),
        (game("", halved, "mover wins when count row(score(mover)) > 1.5"), "LW301"),
        (game("", halved, "mover wins when (case score(mover) { 3: 1.5; 4: 0 }) = 1.5"), "LW301"),
        (game("option z : 0.5..0 = 0.5", plain, ""), "error"),
    ];
    for (text, said) in wrong {
        let found = found(&text);
        assert!(found.iter().any(|line| line.contains(said)), "{text}\n{found:?}");
    }
}

/// A has 3 then and B 2.5.
#[test]
fn what_is_compared_within_a_comparison_counts_by_itself() {
    for condition in [
        "(if score(A) > 3 then 1.5 else 0) = 0",
        "(if score(B) < 3 then 1.5 else 0) = 1.5",
        "sum { 1 for q in players with score(q) > 2.5 } < 1.5",
        "count { x in site with score(B) = 2.5 } > 8.5",
        "count { q in players with score(q) > 2.5 } + 0.5 > 1",
    ] {
        let test = format!("test \"a\" {{ play a1, b1, c1, a2, b2; expect {condition} }}\n");
        holds(&(game("", "count(of p) + (if p is B then 0.5 else 0)", "") + &test));
    }
}

#[test]
fn games_with_whole_scores_are_as_they_were() {
    let game = Game::from_text("halves.game", &game("", "count(of p)", ""), None, &[], &Library).unwrap();
    assert!(!game.rules().halves);
    assert_eq!(game.start().to_json()["scores"]["B"].to_string(), "0");
}
