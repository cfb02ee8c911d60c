//! What is told of sites, moves and clauses in games whose answers are known, and the pages that show it.

use crate::ai::measure::{Page, Quantity, Settings, fairest, measure};
use crate::game::Game;
use crate::library::Library;
use crate::report;
use crate::study::halt::Halt;
use std::time::Duration;

fn game(text: &str) -> Game {
    Game::from_text("test.game", text, None, &[], &Library).unwrap()
}

fn page(game: &Game, games: u64) -> Page {
    let settings = Settings { time: Duration::ZERO, games: Some(games), seed: 1, threads: 2, max_plies: 500 };
    measure(game, settings, Halt::never(), &mut |_| {})
}

fn value(page: &Page, name: &str) -> f64 {
    page.measures.iter().find(|measure| measure.name == name).unwrap().estimate.unwrap().value
}

/// Whoever begins on a1 wins; a2, b2, the move `rest` and a line of `end` never come up.
const CORNER: &str = r#"
    game "Corner"
    players Black, White
    board square(2)
    piece stone of each player
    region corners = a1 or b1
    move put "{cell}" { cell : empty and corners; cell becomes stone of mover }
    move rest "rest" { if no empty }
    turn { put or rest }
    end {
        Black wins when a1 is of Black "the corner"
        White wins when count(empty) > 4 "more than there are"
        draw when ply >= 2 "nobody"
    }
"#;

#[test]
fn sites_that_are_played_to_are_counted_and_what_never_comes_up_is_dead() {
    let page = page(&game(CORNER), 12);
    let site = |name: &str| page.sites.iter().find(|site| site.name == name).unwrap();
    // Whoever thinks plays a1 at once: one ply, and one of two positions in which something stands there.
    assert_eq!((site("a1").played, site("a1").occupied), (1.0, 0.5));
    assert_eq!((site("b2").played, site("b2").occupied), (0.0, 0.0));
    assert_eq!(page.dead.sites, ["a2", "b2"]);
    assert_eq!(page.dead.moves, ["rest"]);
    let idle = |text: &str| page.dead.clauses.iter().any(|idle| idle.text == text);
    assert!(idle("count(empty) > 4") && !idle("ply >= 2"), "{:?}", page.dead.clauses);
}

#[test]
fn first_moves_have_the_worth_that_they_have() {
    let page = page(&game(CORNER), 12);
    let [best, other] = page.firsts.as_slice() else { panic!("{:?}", page.firsts) };
    assert_eq!((best.text.as_str(), best.site.as_deref(), best.share.value), ("a1", Some("a1"), 1.0));
    // White answers on a1, and nobody wins.
    assert_eq!((other.text.as_str(), other.share.value), ("b1", 0.5));
    assert_eq!(fairest(&page.firsts).unwrap().text, "b1");
}

#[test]
fn ends_are_told_by_their_lines_and_their_shares_add_up() {
    let page = page(&game(CORNER), 12);
    let [end] = page.ends.as_slice() else { panic!("{:?}", page.ends) };
    assert_eq!((end.reason.as_str(), end.place.as_deref(), end.games), ("the corner", Some("test.game:11"), 12));
}

#[test]
fn lengths_and_choices_are_those_of_the_games() {
    let page = page(&game(CORNER), 12);
    let [thought, random] = page.lengths.as_slice() else { panic!("{:?}", page.lengths) };
    assert_eq!(thought.quartiles, [1; 5]);
    assert_eq!((random.quartiles[0], random.quartiles[4]), (1, 2));
    assert_eq!(random.bars.iter().map(|bar| bar.2).sum::<u64>(), 1000);
    // Two cells to begin with; those who think never come to a second ply.
    let offered: Vec<(u64, f64)> = page.offered.iter().map(|offered| (offered.ply, offered.choices.value)).collect();
    assert_eq!(offered, [(1, 2.0)]);
}

#[test]
fn plies_without_a_choice_are_forced() {
    let text = CORNER.replace("region corners = a1 or b1", "region corners = b1");
    let text = text.replace("draw when ply >= 2", "draw when ply >= 1");
    assert_eq!(value(&page(&game(&text), 4), "forced"), 1.0);
    assert_eq!(Quantity::named("forced"), Some(Quantity::Forced));
}

/// All that a page would fetch, and marks that are not closed.
fn is_whole(html: &str) {
    for fetched in ["<link", " src=\"http", "@import", "url(", "fetch("] {
        assert!(!html.contains(fetched), "{fetched}");
    }
    for tag in ["svg", "section", "figure", "table", "main", "ul", "div"] {
        let opened = html.matches(&format!("<{tag} ")).count() + html.matches(&format!("<{tag}>")).count();
        assert_eq!(opened, html.matches(&format!("</{tag}>")).count(), "{tag}");
    }
    assert!(!html.contains("NaN"), "a number that is none");
    assert_eq!(html.matches("<h1").count(), 1);
}

#[test]
fn a_page_of_measures_needs_nothing_else_and_shows_what_was_found() {
    let game = game(CORNER);
    let html = report::measures::whole(&game, "corner & more", &page(&game, 4));
    is_whole(&html);
    assert!(html.contains("corner &amp; more") && html.contains("a2, b2") && html.contains("count(empty) &gt; 4"));
    // Every picture says in words what it shows.
    assert_eq!(html.matches("<svg").count(), html.matches("role=\"img\"").count());
    // The board, as often as there is something to show on it: played to, occupied, first moves.
    assert_eq!(html.matches("data-site=\"a1\"").count(), 3);
}
