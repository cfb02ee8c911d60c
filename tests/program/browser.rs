//! The page in a real browser: games by clicks and by keys, the editor, wide and narrow.
//!
//! `SCREENSHOTS=folder` keeps pictures of what was seen.

use super::common::browser::Browser;
use super::common::server::Server;
use super::hands::play_by_clicks;
use serde_json::{Value, json};

/// Begins a game between people and opens its page.
pub fn open(browser: &mut Browser, server: &Server, wish: &Value) -> String {
    let reply = server.post("/api/sessions", wish);
    assert_eq!(reply.status, 201, "{}", reply.body);
    let view = reply.json();
    let players = view["players"].as_array().unwrap().len();
    let id = view["id"].as_str().unwrap().to_owned();
    if wish["seats"].is_null() {
        let seats = vec!["human"; players];
        let reply = server.post(&format!("/api/sessions/{id}/seats"), &json!({ "seats": seats }));
        assert_eq!(reply.status, 200, "{}", reply.body);
    }
    browser.open(&format!("http://{}/play/{id}", server.address));
    browser.wait(
        "document.querySelectorAll('#board .site').length > 0 && !!document.querySelector('#game').dataset.shown",
    );
    id
}

pub fn shown(browser: &mut Browser) -> String {
    browser.eval("document.querySelector('#game').dataset.shown").as_str().unwrap().to_owned()
}

pub fn wait_for_change(browser: &mut Browser, before: &str) {
    browser.wait(&format!("document.querySelector('#game').dataset.shown !== {}", json!(before)));
}

/// Goes to a site with the arrow keys.
fn walk_to(browser: &mut Browser, site: &str) {
    let wanted = format!("#board .site[data-site=\"{site}\"]");
    for _ in 0..60 {
        let way = browser.eval(&format!(
            "(() => {{
                const middle = (node) => {{ const box = node.querySelector('.cell, .pit, .area').getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2]; }};
                const wanted = document.querySelector({});
                if (document.activeElement === wanted) return 'there';
                const [[x, y], [a, b]] = [middle(document.activeElement), middle(wanted)];
                return Math.abs(a - x) > Math.abs(b - y) ? (a > x ? 'ArrowRight' : 'ArrowLeft') : (b > y ? 'ArrowDown' : 'ArrowUp');
            }})()",
            json!(wanted)
        ));
        match way.as_str() {
            Some("there") => return,
            Some(key) => browser.key(key),
            None => panic!("{site}"),
        }
    }
    panic!("{site} is not reached with arrow keys");
}

pub fn tab_to(browser: &mut Browser, expression: &str) {
    for _ in 0..40 {
        if browser.eval(&format!("!!({expression})")) == json!(true) {
            return;
        }
        browser.key("Tab");
    }
    panic!("{expression} is not reached with Tab");
}

#[test]
fn games_are_played_by_keys_alone() {
    let Some(mut browser) = Browser::start("keys") else { return };
    let server = Server::start("keys", &[]);
    open(&mut browser, &server, &json!({ "game": "tic_tac_toe" }));
    tab_to(&mut browser, "document.activeElement.closest('.site')");
    for site in ["b2", "a1", "a2", "c2", "b1", "b3", "c3", "a3", "c1"] {
        let before = shown(&mut browser);
        walk_to(&mut browser, site);
        browser.key("Enter");
        wait_for_change(&mut browser, &before);
    }
    browser.wait("document.querySelector('#prompt').textContent.startsWith('The game is over')");

    open(&mut browser, &server, &json!({ "game": "breakthrough" }));
    tab_to(&mut browser, "document.activeElement.closest('.site')");
    for site in ["b2", "b3", "g7", "g6"] {
        let before = shown(&mut browser);
        walk_to(&mut browser, site);
        assert_eq!(browser.eval("document.querySelectorAll('#board .focus').length"), json!(1), "the cursor is seen");
        browser.key("Enter");
        wait_for_change(&mut browser, &before);
    }
    // What is refused says why, with the line of the rules, in sight.
    walk_to(&mut browser, "d5");
    browser.key("Enter");
    browser.wait("!!document.querySelector('#why button.line')");
    let below = "document.querySelector('#why').getBoundingClientRect().bottom - innerHeight";
    assert!(browser.eval(below).as_f64().unwrap() <= 0.5);
    tab_to(&mut browser, "document.activeElement.id === 'undo'");
    let before = shown(&mut browser);
    browser.key("Enter");
    wait_for_change(&mut browser, &before);
    assert_eq!(browser.eval("document.querySelector('#at').textContent"), json!("1 / 2"));
    // Who opens the rules by a key is in them.
    tab_to(&mut browser, "document.activeElement.id === 'edit'");
    assert_eq!(browser.eval("document.querySelectorAll('#board .focus').length"), json!(0));
    browser.key("Enter");
    browser.wait("document.activeElement.id === 'text'");
    assert_eq!(browser.eval("document.activeElement.selectionEnd"), json!(0));
    browser.assert_no_errors();
}

#[test]
fn a_move_is_typed_looked_back_at_and_found_again_after_a_reload() {
    let Some(mut browser) = Browser::start("typed") else { return };
    let mut server = Server::start("typed", &[]);
    let id = open(&mut browser, &server, &json!({ "game": "tic_tac_toe", "seats": ["human", "random"] }));
    browser.click("#move");
    browser.type_text("b2");
    browser.key("Enter");
    browser.wait("document.querySelector('#at').textContent === '2 / 2'");
    browser.click("#move");
    browser.type_text("b2");
    browser.key("Enter");
    browser.wait("document.querySelector('#why').textContent.includes('empty')");
    browser.picture("refused");
    browser.click("#moves li:nth-child(1) button");
    browser.wait("document.querySelector('#prompt').textContent.startsWith('Looking back')");
    browser.click("#from-here");
    // The program answers anew, perhaps at once.
    browser.wait("document.querySelector('#prompt').textContent.endsWith('X to move.') && document.querySelector('#at').textContent === '2 / 2'");
    let address = server.address.clone();
    server.restart(&[]);
    assert_ne!(address, "");
    browser.open(&format!("http://{}/play/{id}", server.address));
    browser.wait("document.querySelectorAll('#moves li').length === 2");
    // It is asked once more.
    browser.click("#resign");
    browser.wait("document.querySelector('#resign').textContent === 'Really resign?'");
    browser.click("#resign");
    browser.wait("document.querySelector('#prompt').textContent.includes('resigned')");
    browser.assert_no_errors();
}

#[test]
fn options_are_chosen_and_a_new_game_begins() {
    let Some(mut browser) = Browser::start("options") else { return };
    let server = Server::start("options", &[]);
    let id = open(&mut browser, &server, &json!({ "game": "tic_tac_toe" }));
    browser.click("#new");
    browser.wait("!!document.querySelector('#setup [data-option=size]')");
    browser.eval("(() => { const ruleset = document.querySelector('#setup [name=ruleset]'); ruleset.value = 'four_by_four'; ruleset.dispatchEvent(new Event('change')); })()");
    assert_eq!(browser.eval("document.querySelector('#setup [data-option=size]').value"), json!("4"));
    browser.picture("options");
    browser.click("#setup button[type=submit]");
    browser.wait("document.querySelectorAll('#board .site').length === 16");
    assert_ne!(browser.eval("location.pathname"), json!(format!("/play/{id}")));
    browser.assert_no_errors();
}

#[test]
fn rules_are_written_mended_and_played() {
    let Some(mut browser) = Browser::start("editor") else { return };
    let server = Server::start("editor", &[]);
    open(&mut browser, &server, &json!({ "game": "tic_tac_toe" }));
    browser.click("#edit");
    browser.wait("document.querySelector('#state')?.textContent.startsWith('No mistakes') && !!document.querySelector('.paint .keyword')");
    browser.picture("editor");
    // A slip: the line is marked, the message names it, and the fix is a button.
    browser.write("(() => { const area = document.querySelector('#text'); const at = area.value.indexOf('cell : empty') + 7; area.focus(); area.setSelectionRange(at, at + 5); })()", "emtpy");
    browser.wait("!!document.querySelector('#diagnostics .error') && !!document.querySelector('.paint .bad')");
    browser.picture("mistake");
    browser.click("#play-this");
    // What cannot be played is shown.
    browser.wait("document.querySelector('#state').textContent.includes('mend the error first')");
    browser.wait("document.querySelector('#under .error')?.textContent.includes('emtpy')");
    let selected = "(() => { const { value, selectionStart, selectionEnd } = document.querySelector('#text'); return value.slice(selectionStart, selectionEnd); })()";
    assert_eq!(browser.eval(selected), json!("emtpy"));
    browser.click("#under .fix");
    browser.wait("document.querySelector('#state').textContent.startsWith('No mistakes')");
    // Changed rules are played at once.
    browser.write("(() => { const area = document.querySelector('#text'); const at = area.value.indexOf('= 3 '); area.focus(); area.setSelectionRange(at + 2, at + 3); })()", "5");
    browser.click("#play-this");
    browser.wait("document.querySelectorAll('#board .site').length === 25");
    browser.write(
        "(() => { const area = document.querySelector('#text'); area.focus(); area.setSelectionRange(0, 4); })()",
        "game    ",
    );
    browser.click("#format");
    browser.wait("document.querySelector('#text').value.startsWith('game \"Tic')");
    browser.assert_no_errors();
}

/// Selects the text behind the first place of another, and types over it.
fn type_over(browser: &mut Browser, behind: &str, length: usize, typed: &str) {
    const RULES: &str = "document.querySelector('#text').value";
    let at = format!("{RULES}.indexOf({behind:?}) + {}", behind.len());
    let select = format!(
        "(() => {{ const area = document.querySelector('#text'); const at = {at}; area.focus();\
         area.setSelectionRange(at, at + {length}); area.dispatchEvent(new Event('click')); }})()"
    );
    let wanted = browser.eval(&format!(
        "(() => {{ const at = {at}; return {RULES}.slice(0, at) + {} + {RULES}.slice(at + {length}); }})()",
        json!(typed)
    ));
    let undo = format!(
        "(() => {{ const area = document.querySelector('#text'); area.value = {};\
         area.dispatchEvent(new Event('input')); }})()",
        browser.eval(RULES)
    );
    // A browser that has much to do may take keys late, or drop some: then the text is put back.
    for _ in 0..20 {
        browser.eval(&select);
        browser.type_text(typed);
        for _ in 0..50 {
            if browser.eval(RULES) == wanted {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        browser.eval(&undo);
    }
    panic!("{typed} cannot be typed behind {behind}");
}

#[test]
fn mistakes_stand_under_their_line_while_one_writes() {
    let Some(mut browser) = Browser::start("typing") else { return };
    let server = Server::start("typing", &[]);
    for (width, name) in [(1440, "wide"), (360, "narrow")] {
        browser.size(width, 800);
        open(&mut browser, &server, &json!({ "game": "tic_tac_toe" }));
        browser.click("#edit");
        browser.wait("document.querySelector('#state')?.textContent.startsWith('No mistakes') && !!document.querySelector('.paint .keyword')");
        let began = std::time::Instant::now();
        type_over(&mut browser, "cell : ", 5, "emtpy");
        browser.wait("document.querySelector('#under .error')?.textContent.includes('emtpy')");
        println!("{name}: said {:?} after the first letter", began.elapsed());
        assert!(browser.eval("document.querySelector('.paint .tip').textContent").as_str().unwrap().contains("emtpy"));
        // It stands right below its line, in sight.
        let below = "(() => { const box = document.querySelector('#under').getBoundingClientRect(); \
                     const bad = document.querySelector('.paint .bad').getBoundingClientRect(); \
                     const view = document.querySelector('.layers').getBoundingClientRect(); \
                     return box.top >= bad.bottom - 2 && box.top < bad.bottom + 12 && box.left >= view.left && box.right <= view.right; })()";
        assert_eq!(browser.eval(below), json!(true));
        browser.picture(&format!("under-{name}"));
        browser.assert_no_overflow(&format!("a mistake under its line, {name}"));
        // A letter elsewhere does not take away what is known.
        type_over(&mut browser, "about ", 0, " ");
        let known = "document.querySelectorAll('.paint .tip').length";
        assert_eq!(browser.eval(known), json!(1));
        // Who has seen it sends it away; it is there again when the caret comes back.
        type_over(&mut browser, "cell : ", 5, "emtpy");
        browser.wait("!document.querySelector('#under').hidden");
        browser.key("Escape");
        browser.wait("document.querySelector('#under').hidden");
        type_over(&mut browser, "about ", 0, " ");
        type_over(&mut browser, "cell : ", 5, "emtpy");
        browser.wait("!document.querySelector('#under').hidden && !!document.querySelector('#under .fix')");
        browser.click("#under .fix");
        browser.wait("document.querySelector('#state').textContent.startsWith('No mistakes')");
        assert_eq!(browser.eval(known), json!(0));
    }
    browser.assert_no_errors();
}

#[test]
fn words_are_offered_and_explained() {
    let Some(mut browser) = Browser::start("offers") else { return };
    let server = Server::start("offers", &[]);
    for (width, name) in [(1440, "wide"), (360, "narrow")] {
        browser.size(width, 800);
        open(&mut browser, &server, &json!({ "game": "tic_tac_toe" }));
        browser.click("#edit");
        browser.wait("document.querySelector('#state')?.textContent.startsWith('No mistakes')");
        type_over(&mut browser, "cell : ", 5, "e");
        browser.wait("!document.querySelector('#offers').hidden");
        browser.type_text("m");
        browser.wait("document.querySelector('#offers [aria-selected=true]')?.textContent.startsWith('empty')");
        browser.picture(&format!("offers-{name}"));
        browser.key("Enter");
        browser.wait("document.querySelector('#text').value.includes('cell : empty') && document.querySelector('#offers').hidden");
        browser.wait("document.querySelector('#state').textContent.startsWith('No mistakes')");
        browser.key("F1");
        browser.wait("document.querySelector('#note')?.textContent.includes('empty')");
        browser.picture(&format!("note-{name}"));
        browser.assert_no_overflow(&format!("what a word means, {name}"));
        browser.key("Escape");
        browser.wait("document.querySelector('#note').hidden && document.querySelector('#offers').hidden");
    }
    browser.assert_no_errors();
}

#[test]
fn pages_fit_wide_and_narrow_screens_in_light_and_dark() {
    let Some(mut browser) = Browser::start("sizes") else { return };
    let server = Server::start("sizes", &[]);
    for (width, height, name) in [(1440, 900, "wide"), (768, 1024, "middle"), (360, 740, "narrow")] {
        browser.size(width, height);
        for dark in [false, true] {
            browser.dark(dark);
            let theme = if dark { "dark" } else { "light" };
            browser.open(&format!("http://{}/", server.address));
            browser.wait("document.querySelectorAll('.card').length > 20");
            browser.eval("document.querySelector('.card').scrollIntoView()");
            browser.wait("[...document.images].slice(0, 2).every((image) => image.complete && image.naturalWidth > 0)");
            browser.assert_no_overflow(&format!("the list, {name}"));
            browser.picture(&format!("list-{name}-{theme}"));
            for game in ["chess", "hex"] {
                open(&mut browser, &server, &json!({ "game": game }));
                play_by_clicks(&mut browser, 5, 3);
                browser.assert_no_overflow(&format!("{game}, {name}"));
                browser.picture(&format!("{game}-{name}-{theme}"));
            }
            browser.eval("document.querySelector('#edit').click()");
            browser.wait("!!document.querySelector('.paint .keyword')");
            browser.assert_no_overflow(&format!("the editor, {name}"));
            browser.picture(&format!("editor-{name}-{theme}"));
        }
    }
    browser.assert_no_errors();
}

#[test]
fn the_list_is_searched_and_a_game_begun() {
    let Some(mut browser) = Browser::start("list") else { return };
    let server = Server::start("list", &[]);
    browser.open(&format!("http://{}/", server.address));
    browser.wait("document.querySelectorAll('.card').length > 20");
    browser.click("#query");
    browser.type_text("tic-tac");
    browser.wait("document.querySelectorAll('.card').length === 2");
    // Pictures far below are not asked for.
    browser.eval("(() => { const query = document.querySelector('#query'); query.value = ''; query.dispatchEvent(new Event('input')); })()");
    browser.wait("document.images.length > 20 && document.images[0].complete && document.images[0].naturalWidth > 0");
    assert_eq!(browser.eval("document.images[document.images.length - 1].hasAttribute('src')"), json!(false));
    let choose = |id: &str, value: &str| {
        format!(
            "(() => {{ const list = document.querySelector('#{id}'); list.value = '{value}'; list.dispatchEvent(new Event('input')); }})()"
        )
    };
    browser.eval(&choose("kind", "rows"));
    browser.wait("document.querySelectorAll('.card').length === 8");
    browser.eval(&choose("order", "lines"));
    let lines = "[...document.querySelectorAll('.card .facts')].map((facts) => Number(/(\\d+) lines/.exec(facts.textContent)[1]))";
    let lines: Vec<u64> = serde_json::from_value(browser.eval(lines)).unwrap();
    assert!(lines.is_sorted(), "{lines:?}");
    browser.eval(&choose("count-of-players", "4"));
    browser.wait("document.querySelector('#count').textContent === 'No game is like this.'");
    browser.eval(&choose("count-of-players", ""));
    browser.wait("document.querySelectorAll('.card').length === 8");
    browser.click(".card[data-game=tic_tac_toe]");
    browser.wait("document.querySelectorAll('#board .site').length === 9");
    assert_eq!(browser.eval("document.querySelector('#title').textContent"), json!("Tic-tac-toe"));
    browser.assert_no_errors();
}

/// Opens a game without changing who plays.
pub fn look(browser: &mut Browser, server: &Server, id: &str, search: &str) {
    browser.open(&format!("http://{}/play/{id}{search}", server.address));
    browser.wait(
        "document.querySelectorAll('#board .site').length > 0 && !!document.querySelector('#game').dataset.shown",
    );
}

fn click_site(browser: &mut Browser, site: &str) {
    browser.click(&format!("#board .site[data-site=\"{site}\"]"));
}

/// The rules are shown beside the board, all of them.
const SHOWS_RULES: &str = "(() => { const { hidden, ariaBusy, dataset } = document.querySelector('#lesson'); return !hidden && ariaBusy !== 'true' && !!dataset.of; })()";

#[test]
fn a_new_game_shows_how_it_is_played_and_each_move_in_a_position() {
    let Some(mut browser) = Browser::start("lesson") else { return };
    let server = Server::start("lesson", &[]);
    open(&mut browser, &server, &json!({ "game": "push_and_pull" }));
    browser.wait(SHOWS_RULES);
    let text = browser.eval("document.querySelector('#lesson').innerText");
    let text = text.as_str().unwrap();
    for said in [
        "push and pull a marker of each player",
        "each of the two markers must move at least once",
        "cells along one edge",
    ] {
        assert!(text.to_lowercase().contains(&said.to_lowercase()), "{said}: {text}");
    }
    assert!(!text.contains("theirs !="), "{text}");
    assert_eq!(browser.eval("document.querySelectorAll('#lesson [data-move=drop] .pair svg').length"), json!(2));
    browser.picture("lesson");
    browser.click("#how");
    browser.wait("document.querySelector('#lesson').hidden");
    // Who has seen it is not shown it again, and finds it where it was.
    open(&mut browser, &server, &json!({ "game": "push_and_pull" }));
    assert_eq!(browser.eval("document.querySelector('#lesson').hidden"), json!(true));
    // The board is where it will be when the rules are there, whoever is quicker.
    let board = "(() => { const { x, y, width } = document.querySelector('#board').getBoundingClientRect(); return [x, y, width]; })()";
    let at_once = browser.eval(&format!("(() => {{ document.querySelector('#how').click(); return {board}; }})()"));
    browser.wait(SHOWS_RULES);
    assert_eq!(browser.eval(board), at_once);
    browser.size(390, 844);
    browser.assert_no_overflow("how to play, narrow");
    browser.picture("lesson-narrow");
    browser.assert_no_errors();
}

#[test]
fn distances_castling_and_promotion_are_chosen_on_the_board() {
    let Some(mut browser) = Browser::start("hand") else { return };
    let server = Server::start("hand", &[]);
    open(&mut browser, &server, &json!({ "game": "push_and_pull" }));
    click_site(&mut browser, "k1");
    browser.wait("document.querySelector('#prompt').textContent.includes('where the marker of First goes')");
    assert_eq!(browser.eval("document.querySelectorAll('#names [data-name]').length"), json!(0));
    click_site(&mut browser, "i3");
    browser.wait("document.querySelector('#prompt').textContent.includes('where the marker of Second goes')");
    click_site(&mut browser, "o5");
    browser.wait("document.querySelector('#moves li')?.textContent.startsWith('k1 -')");

    let id = open(&mut browser, &server, &json!({ "game": "chess" }));
    for mv in ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5"] {
        assert_eq!(server.post(&format!("/api/sessions/{id}/moves"), &json!({ "move": mv })).status, 200);
    }
    // The page hears of moves that others play, and castles by the king.
    browser.wait("document.querySelectorAll('#moves li').length === 6");
    click_site(&mut browser, "e1");
    browser.wait("document.querySelector('#board .site[data-site=g1]').classList.contains('can')");
    click_site(&mut browser, "g1");
    browser.wait("document.querySelector('#moves li:nth-child(7)')?.textContent === 'O-O'");

    let id = open(&mut browser, &server, &json!({ "game": "chess" }));
    for mv in ["a4", "b5", "axb5", "a6", "bxa6", "h6", "a7", "h5"] {
        let reply = server.post(&format!("/api/sessions/{id}/moves"), &json!({ "move": mv }));
        assert_eq!(reply.status, 200, "{mv}: {}", reply.body);
    }
    browser.wait("document.querySelectorAll('#moves li').length === 8");
    click_site(&mut browser, "a7");
    browser.wait("document.querySelector('#board .site[data-site=b8]').classList.contains('can')");
    click_site(&mut browser, "b8");
    browser.wait("document.querySelectorAll('#names button[data-name] svg .piece').length === 4");
    browser.picture("promotion");
    browser.eval("[...document.querySelectorAll('#names button')].find((button) => button.textContent.includes('queen')).click()");
    browser.wait("document.querySelector('#board .site[data-site=b8] .piece.queen') !== null");
    browser.assert_no_errors();
}

#[test]
fn a_piece_is_dragged_to_where_it_goes() {
    let Some(mut browser) = Browser::start("drag") else { return };
    let server = Server::start("drag", &[]);
    open(&mut browser, &server, &json!({ "game": "chess" }));
    let middle = |browser: &mut Browser, site: &str| {
        let place = browser.eval(&format!(
            "(() => {{ const box = document.querySelector('#board .site[data-site={site}] .cell').getBoundingClientRect(); \
             return [box.left + box.width / 2, box.top + box.height / 2]; }})()"
        ));
        (place[0].as_f64().unwrap(), place[1].as_f64().unwrap())
    };
    browser.eval("document.querySelector('#how').getAttribute('aria-expanded') === 'true' && document.querySelector('#how').click()");
    let (from, to) = (middle(&mut browser, "e2"), middle(&mut browser, "e4"));
    let mut mouse = |kind: &str, (x, y): (f64, f64)| {
        browser.ask(
            "Input.dispatchMouseEvent",
            json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1 }),
        );
    };
    mouse("mousePressed", from);
    mouse("mouseMoved", (from.0, from.1 - 20.0));
    mouse("mouseMoved", to);
    mouse("mouseReleased", to);
    browser.wait("document.querySelector('#moves li')?.textContent === 'e2e4'");
    browser.assert_no_errors();
}

#[test]
fn a_refusal_is_said_in_plain_words_moves_nothing_and_goes_with_the_next_choice() {
    let Some(mut browser) = Browser::start("refusal") else { return };
    let server = Server::start("refusal", &[]);
    open(&mut browser, &server, &json!({ "game": "chess" }));
    browser.eval("document.querySelector('#how').getAttribute('aria-expanded') === 'true' && document.querySelector('#how').click()");
    let place = "JSON.stringify([...document.querySelectorAll('#board, #typed')].map((node) => node.getBoundingClientRect().top))";
    let before = browser.eval(place);
    click_site(&mut browser, "e2");
    browser.wait("document.querySelector('#game').dataset.shown.endsWith('.1')");
    click_site(&mut browser, "e5");
    browser.wait("!document.querySelector('#why').hidden");
    let said = browser.eval("document.querySelector('#why > p').textContent");
    assert_eq!(
        said,
        json!(
            "e5 is not possible for the pawn on e2. The rule: a piece goes to a square it can reach, and takes what stands there."
        )
    );
    assert_eq!(browser.eval(place), before, "nothing jumps");
    browser.picture("refusal");
    click_site(&mut browser, "e4");
    browser.wait("document.querySelectorAll('#moves li').length === 1 && document.querySelector('#why').hidden");
    browser.assert_no_errors();
}

#[test]
fn two_people_play_from_their_own_seats_and_ask_before_they_take_back() {
    let Some(mut red) = Browser::start("red") else { return };
    let Some(mut blue) = Browser::start("blue") else { return };
    let server = Server::start("seats", &[]);
    let id = open(&mut red, &server, &json!({ "game": "tic_tac_toe" }));
    look(&mut red, &server, &id, "?as=0");
    look(&mut blue, &server, &id, "?as=1");
    red.wait("document.title.startsWith('Your turn')");
    red.wait("document.querySelector('#players').textContent.includes('here')");
    // It is not the other one's turn.
    click_site(&mut blue, "a1");
    blue.wait("document.querySelector('#why').textContent.includes('It is the turn of X')");
    click_site(&mut red, "b2");
    blue.wait(
        "document.title.startsWith('Your turn') && !!document.querySelector('#board .site[data-site=b2] .piece')",
    );
    // A move back is asked for, and given.
    red.click("#undo");
    red.wait("document.querySelector('#request').textContent.includes('You have asked')");
    blue.wait("document.querySelector('#request').textContent.includes('X asks')");
    blue.picture("request");
    blue.click("#request .primary");
    red.wait("document.querySelector('#at').textContent === '0 / 1' && document.querySelector('#request').hidden");
    for (played, (mv, player)) in [("a1", 0), ("b1", 1), ("a2", 0), ("b2", 1), ("a3", 0)].into_iter().enumerate() {
        let now = if player == 0 { &mut red } else { &mut blue };
        // What the other one did has to have come here: it was his turn before the move was taken back, too.
        let heard = format!("document.querySelector('#at').textContent.startsWith('{played} /')");
        now.wait(&format!("document.title.startsWith('Your turn') && {heard}"));
        click_site(now, mv);
    }
    for browser in [&mut red, &mut blue] {
        browser.wait("document.querySelector('#over').textContent.includes('X wins')");
        // The last position is to be seen.
        let below = "document.querySelector('#over').getBoundingClientRect().top >= document.querySelector('#board svg').getBoundingClientRect().bottom";
        assert_eq!(browser.eval(below), json!(true));
    }
    red.picture("over");
    // Both come to the same next game, with their seats changed.
    red.eval(
        "[...document.querySelectorAll('#over button')].find((button) => button.textContent === 'Swap sides').click()",
    );
    red.wait("document.querySelectorAll('#moves li').length === 0");
    blue.wait("document.querySelector('#over').textContent.includes('next game')");
    blue.click("#over .primary");
    blue.wait("document.title.startsWith('Your turn')");
    assert_eq!(red.eval("location.pathname"), blue.eval("location.pathname"));
    assert_eq!(red.eval("document.querySelector('#seat').value"), json!("1"));
    red.assert_no_errors();
    blue.assert_no_errors();
}

#[test]
fn a_game_is_gone_through_step_by_step() {
    let Some(mut browser) = Browser::start("steps") else { return };
    let server = Server::start("steps", &[]);
    let id = open(&mut browser, &server, &json!({ "game": "tic_tac_toe" }));
    for mv in ["a1", "b1", "a2"] {
        assert_eq!(server.post(&format!("/api/sessions/{id}/moves"), &json!({ "move": mv })).status, 200);
    }
    browser.wait("document.querySelector('#at').textContent === '3 / 3'");
    for (button, at) in [("back", 2), ("first", 0), ("forward", 1), ("last", 3)] {
        browser.click(&format!("#{button}"));
        browser.wait(&format!("document.querySelector('#at').textContent === '{at} / 3'"));
        browser.wait(&format!("document.querySelector('#game').dataset.shown.includes('.{at}.')"));
    }
    // Two moves stand in one row.
    let rows = "[...document.querySelectorAll('#moves li')].map((item) => item.style.gridRow + '/' + item.style.gridColumn).join(' ')";
    let rows = browser.eval(rows);
    assert!(rows.as_str().unwrap().matches("1").count() >= 2, "{rows}");
    browser.assert_no_errors();
}
