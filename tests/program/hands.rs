//! Whole games by hand: every shipped game can be played with the mouse, with keys, and with a finger on a phone.

use super::browser::{open, shown, tab_to, wait_for_change};
use super::common::ahead::{Ahead, Choice, LONG, Step};
use super::common::browser::Browser;
use super::common::server::Server;
use super::common::shipped;
use serde_json::{Value, json};

/// With what somebody plays.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Hand {
    Mouse,
    Keys,
    Finger,
}

const HANDS: [Hand; 3] = [Hand::Mouse, Hand::Keys, Hand::Finger];

impl Hand {
    /// Gives the browser the screen that goes with it.
    fn hold(self, browser: &mut Browser) {
        let finger = self == Self::Finger;
        let (width, height) = if finger { (390, 844) } else { (1280, 900) };
        browser.size(width, height);
        browser.ask("Emulation.setTouchEmulationEnabled", json!({ "enabled": finger }));
    }

    /// Chooses what a selector names.
    fn take(self, browser: &mut Browser, selector: &str) {
        match self {
            Self::Mouse => browser.click(selector),
            Self::Keys => {
                reach(browser, selector);
                browser.key("Enter");
            }
            Self::Finger => {
                let before = shown(browser);
                browser.touch(selector);
                // Where sites are narrower than a finger the first touch only aims.
                let aimed = "document.querySelector('#prompt').textContent.includes('touch it once more')";
                let now = json!(before);
                browser.wait(&format!("document.querySelector('#game').dataset.shown !== {now} || {aimed}"));
                if shown(browser) == before {
                    browser.touch(selector);
                }
            }
        }
    }
}

/// Goes to a choice with keys: to sites with `n`, from wherever on the board somebody is, to words with Tab.
fn reach(browser: &mut Browser, selector: &str) {
    let here = format!("document.activeElement === document.querySelector({})", json!(selector));
    if selector.starts_with("#names") {
        return tab_to(browser, &here);
    }
    if browser.eval("!!document.activeElement.closest('#board')") != json!(true) {
        browser.eval("document.querySelector('#board .site[tabindex=\"0\"]').focus()");
    }
    let most = browser.eval("document.querySelectorAll('#board .site.can').length").as_u64().unwrap() + 1;
    for _ in 0..=most {
        if browser.eval(&here) == json!(true) {
            return;
        }
        browser.key("n");
    }
    panic!("{selector} is not reached with n");
}

/// What can be clicked now: sites and names, as selectors, with what is seen of them; none when the game is over.
fn open_choices(browser: &mut Browser) -> Vec<(String, Choice)> {
    let found = browser.eval(
        "(() => {
            const seen = (node, selector, named) => {
                const box = (node.querySelector('.cell, .pit, .area') ?? node).getBoundingClientRect();
                return [selector, box.left + box.width / 2, box.top + box.height / 2, named];
            };
            return [...document.querySelectorAll('#board .site.can')].map((node) => seen(node, `#board .site[data-site=\"${CSS.escape(node.dataset.site)}\"]`, false))
                .concat([...document.querySelectorAll('#names button[data-name]')].map((node) => seen(node, `#names button[data-name=\"${CSS.escape(node.dataset.name)}\"]`, true)));
        })()",
    );
    let choice = |seen: &Value| {
        let place = (seen[1].as_f64().unwrap(), seen[2].as_f64().unwrap());
        (seen[0].as_str().unwrap().to_owned(), Choice { place, named: seen[3] == json!(true) })
    };
    found.as_array().unwrap().iter().map(choice).collect()
}

/// Plays as one who knows no rules: at random among what lights up, and once the game has gone on for long as one who wants
/// to arrive. The plies played, and whether the game is over.
fn play_by(hand: Hand, browser: &mut Browser, most: usize, seed: u64) -> (usize, bool) {
    let mut mind = Ahead::new(seed);
    let mut taken = 0;
    let mut last = None;
    loop {
        let before = shown(browser);
        let mut numbers = before.split('.').skip(1).map(|number| number.parse::<usize>().unwrap());
        let (played, picked) = (numbers.next().unwrap(), numbers.next().unwrap());
        let over = browser.eval("document.querySelector('#prompt').textContent.startsWith('The game is over')");
        if over == json!(true) || played >= most {
            return (played, over == json!(true));
        }
        // Chance decides by itself.
        if browser.eval("document.querySelector('#prompt').textContent.includes('Chance decides')") == json!(true) {
            wait_for_change(browser, &before);
            continue;
        }
        let (selectors, choices): (Vec<String>, Vec<Choice>) = open_choices(browser).into_iter().unzip();
        assert!(!choices.is_empty(), "nothing can be chosen at {before}");
        let mover = browser.eval("document.querySelector('#players .turn strong')?.textContent ?? ''");
        let mover = mover.as_str().unwrap();
        if last != Some(played) {
            last = Some(played);
            mind.begin(mover, &choices);
        }
        let step = if played < LONG { Step::Take(mind.any(choices.len())) } else { mind.step(mover, picked, &choices) };
        match step {
            Step::Take(at) => hand.take(browser, &selectors[at]),
            Step::Back => hand.take(browser, "#names button.quiet"),
        }
        taken += 1;
        wait_for_change(browser, &before);
        assert!(taken < 40 * most + 100, "no move comes to its end");
    }
}

/// The same with the mouse.
pub fn play_by_clicks(browser: &mut Browser, most: usize, seed: u64) -> (usize, bool) {
    play_by(Hand::Mouse, browser, most, seed)
}

#[test]
fn some_games_are_played_by_clicks_alone() {
    let Some(mut browser) = Browser::start("clicks") else { return };
    let server = Server::start("clicks", &[]);
    for (name, most, ends) in
        [("tic_tac_toe", 20, true), ("chess", 12, false), ("oware", 12, false), ("amazons", 4, false)]
    {
        open(&mut browser, &server, &json!({ "game": name }));
        let (played, over) = play_by_clicks(&mut browser, most, 7);
        assert!(over || (!ends && played == most), "{name}: {played}");
        browser.picture(name);
        browser.assert_no_errors();
    }
}

/// Each by one of the three, in turns.
#[test]
fn every_shipped_game_is_begun_by_mouse_by_keys_or_by_finger() {
    let Some(mut browser) = Browser::start("hands") else { return };
    let server = Server::start("hands", &[]);
    for (name, hand) in shipped().into_iter().zip(HANDS.into_iter().cycle()) {
        let id = open(&mut browser, &server, &json!({ "game": name }));
        hand.hold(&mut browser);
        let (played, over) = play_by(hand, &mut browser, 2, 5);
        assert!(over || played >= 2, "{name} ({id}) by {hand:?}: {played}");
        browser.assert_no_overflow(&format!("{name} by {hand:?}"));
        browser.assert_no_errors();
        Hand::Mouse.hold(&mut browser);
    }
}

fn every_game_to_its_end(hand: Hand) {
    let name = format!("all-{hand:?}");
    let Some(mut browser) = Browser::start(&name) else { return };
    let server = Server::start(&name, &[]);
    let only = std::env::var("GAME").ok();
    hand.hold(&mut browser);
    for name in shipped().into_iter().filter(|name| only.as_ref().is_none_or(|only| only == name)) {
        open(&mut browser, &server, &json!({ "game": name }));
        let (played, over) = play_by(hand, &mut browser, 3000, 11);
        println!("{name}: {played} plies");
        assert!(over, "{name} has no end after {played} plies");
        browser.picture(&format!("{name}-{hand:?}"));
        browser.assert_no_errors();
    }
}

/// Minutes: `cargo test --release --test program hands:: -- --ignored --nocapture`, with `GAME=chess` in front for one game.
#[test]
#[ignore = "plays all shipped games to their end"]
fn every_shipped_game_is_played_to_its_end_by_clicks() {
    every_game_to_its_end(Hand::Mouse);
}

#[test]
#[ignore = "plays all shipped games to their end"]
fn every_shipped_game_is_played_to_its_end_by_keys() {
    every_game_to_its_end(Hand::Keys);
}

#[test]
#[ignore = "plays all shipped games to their end"]
fn every_shipped_game_is_played_to_its_end_on_a_phone() {
    every_game_to_its_end(Hand::Finger);
}
