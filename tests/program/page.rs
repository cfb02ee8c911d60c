//! The page beyond a game by the mouse: rules beside the board, files that change, links, phones.

use super::browser::{open, shown};
use super::common::browser::Browser;
use super::common::fresh;
use super::common::server::Server;
use serde_json::json;

const CHECKED: &str = "!document.querySelector('#editor').hidden && document.querySelector('#state')?.textContent.startsWith('No mistakes') && !!document.querySelector('.paint .keyword')";

#[test]
fn rules_and_board_share_the_window_and_tests_are_shown_on_the_board() {
    let Some(mut browser) = Browser::start("beside") else { return };
    let server = Server::start("beside", &[]);
    browser.size(1280, 800);
    open(&mut browser, &server, &json!({ "game": "tic_tac_toe" }));
    browser.click("#edit");
    browser.wait(CHECKED);
    let widths =
        "['.editor .text', '.stage'].map((part) => document.querySelector(part).getBoundingClientRect().width)";
    let seen = browser.eval(widths);
    assert!(seen[0].as_f64().unwrap() > 560.0 && seen[1].as_f64().unwrap() > 560.0, "{seen}");
    // Every letter of the coloured copy lies below that of the text, also where lines are broken.
    let same = "(() => { const paint = document.querySelector('.paint'), area = document.querySelector('#text'); \
                return Math.abs(paint.scrollHeight - area.scrollHeight); })()";
    browser.wait(&format!("{same} <= 12"));
    browser.eval("document.querySelector('#divider').focus()");
    browser.key("ArrowLeft");
    browser.wait("document.querySelector('#divider').ariaValueNow === '48'");
    assert!(browser.eval(widths)[0].as_f64() < seen[0].as_f64());
    browser.wait(&format!("{same} <= 12"));
    // A test is run from the margin, and seen.
    browser.click("#run-tests");
    browser.wait("document.querySelector('#state').textContent.startsWith('All 11 tests pass')");
    // It stays where the checker looks at the same text afterwards.
    browser.write("(() => { const area = document.querySelector('#text'), end = area.value.length; area.focus(); area.setSelectionRange(end, end); })()", " ");
    browser.click("#run-tests");
    browser.wait("document.querySelector('#state').textContent.startsWith('All 11 tests pass')");
    browser.wait("performance.now() - (window.since ??= performance.now()) > 2000");
    assert_eq!(
        browser.eval("document.querySelector('#state').textContent.startsWith('All 11 tests pass')"),
        json!(true)
    );
    let first = ".margin [data-test=\"an upright row of O\"]";
    browser.eval(&format!("document.querySelector('{first}').click()"));
    browser.wait("!!document.querySelector('#to-game') && document.querySelectorAll('#board .piece').length === 6");
    browser.picture("beside");
    // The position of a test is none of the game: nothing can be done from it.
    assert_eq!(
        browser.eval("['#hint', '#move'].map((part) => document.querySelector(part).disabled)"),
        json!([true, true])
    );
    assert_eq!(browser.eval("document.querySelector('#from-here').hidden"), json!(true));
    assert_eq!(browser.eval("document.querySelectorAll('#board .mark').length"), json!(0));
    // The focus is at the test that was run.
    browser.wait("document.activeElement.dataset.test === 'an upright row of O' && !document.querySelector('#run-tests').disabled");
    browser.click("#to-game");
    browser.wait("!document.querySelector('#hint').disabled && !document.querySelector('#move').disabled");
    browser.wait("document.querySelectorAll('#board .piece').length === 0");
    // A link holds the text, whoever opens it.
    browser.write("(() => { const area = document.querySelector('#text'); const at = area.value.indexOf('= 3 '); area.focus(); area.setSelectionRange(at + 2, at + 3); })()", "4");
    let link =
        browser.eval("import('/assets/link.js').then(({ linkTo }) => linkTo(document.querySelector('#text').value))");
    browser.ask("Page.navigate", json!({ "url": link }));
    browser.wait(&format!("document.querySelectorAll('#board .site').length === 16 && {CHECKED}"));
    assert_eq!(browser.eval("location.hash"), json!("#rules"));
    browser.click("#derive");
    browser.wait("document.querySelector('#text').value.startsWith('game \"My Tic-tac-toe\"')");
    browser.assert_no_errors();
}

#[test]
fn a_variant_begins_with_the_text_that_is_shown() {
    let Some(mut browser) = Browser::start("derive") else { return };
    let server = Server::start("derive", &[]);
    open(&mut browser, &server, &json!({ "game": "tic_tac_toe" }));
    browser.click("#edit");
    browser.wait(CHECKED);
    let value = "document.querySelector('#text').value";
    browser.write("(() => { const area = document.querySelector('#text'); const at = area.value.indexOf('= 3 '); area.focus(); area.setSelectionRange(at + 2, at + 3); })()", "4");
    browser.click("#derive");
    browser.wait(&format!("{value}.startsWith('game \"My Tic-tac-toe\"') && {value}.includes('= 4 ')"));
    assert_eq!(browser.eval(&format!("{value}.includes('extends')")), json!(false));
    open(&mut browser, &server, &json!({ "game": "tic_tac_toe" }));
    browser.click("#edit");
    browser.wait(CHECKED);
    browser.click("#derive");
    browser.wait(&format!("{value}.startsWith('game \"My Tic-tac-toe\" extends tic_tac_toe')"));
    browser.assert_no_errors();
}

#[test]
fn a_link_that_is_cut_or_too_long_is_told_in_one_sentence() {
    let Some(mut browser) = Browser::start("links") else { return };
    let server = Server::start("links", &[]);
    open(&mut browser, &server, &json!({ "game": "tic_tac_toe" }));
    for text in ["'game '.repeat(100)", "' '.repeat(200 * 1024)"] {
        let cut = if text.contains("1024") { "" } else { ".slice(0, -5)" };
        let told = browser.eval(&format!(
            "import('/assets/link.js').then(async ({{ linkTo, linked }}) => \
             linked(new URL(await linkTo({text})).hash{cut}).catch((error) => error.message))"
        ));
        assert!(told.as_str().unwrap().starts_with("The rules in this link cannot be read"), "{told}");
    }
}

#[test]
fn a_file_that_changes_is_offered_to_be_played_anew() {
    let Some(mut browser) = Browser::start("watch") else { return };
    let folder = fresh("watch-games");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("grid.game");
    let rules = |side: usize| {
        format!(
            "game \"Grid\"\nplayers A, B\nboard square({side})\npiece man of each player\nmove put \"{{cell}}\" {{\n  cell : empty\n  cell becomes man of mover\n}}\nturn {{ put }}\nend {{\n  next loses when stuck\n}}\n"
        )
    };
    std::fs::write(&path, rules(3)).unwrap();
    let server = Server::start("watch", &[path.to_str().unwrap()]);
    open(&mut browser, &server, &json!({ "game": "grid" }));
    assert_eq!(browser.eval("document.querySelector('#fresh').hidden"), json!(true));
    std::fs::write(&path, rules(4)).unwrap();
    browser.wait("!document.querySelector('#fresh').hidden");
    browser.click("#edit");
    browser.wait(CHECKED);
    browser.write("document.querySelector('#text').focus()", "// mine ");
    browser.click("#fresh .primary");
    browser.wait("document.querySelectorAll('#board .site').length === 16 && document.querySelector('#fresh').hidden");
    assert_eq!(server.get("/api/games/grid/text").body, rules(4));
    // What was being written is still there.
    assert_eq!(browser.eval("document.querySelector('#text').value.startsWith('// mine ')"), json!(true));
    browser.assert_no_errors();
}

#[test]
fn on_a_phone_boards_are_turned_and_small_sites_are_touched_twice() {
    let Some(mut browser) = Browser::start("phone") else { return };
    let server = Server::start("phone", &[]);
    browser.size(390, 844);
    browser.ask("Emulation.setTouchEmulationEnabled", json!({ "enabled": true }));
    open(&mut browser, &server, &json!({ "game": "hex" }));
    let width = "document.querySelector('#board .cell').getBoundingClientRect().width";
    let width = browser.eval(width).as_f64().unwrap();
    assert!(width >= 32.0, "{width}");
    browser.assert_no_overflow("hex on a phone");
    browser.picture("hex-turned");
    open(&mut browser, &server, &json!({ "game": "go", "options": { "size": 19 } }));
    let before = shown(&mut browser);
    browser.touch("#board .site[data-site=c3]");
    browser.wait("document.querySelector('#prompt').textContent.startsWith('c3: touch it once more')");
    assert_eq!(shown(&mut browser), before, "nothing is played yet");
    browser.touch("#board .site[data-site=c3]");
    browser.wait("document.querySelectorAll('#moves li').length === 1");
    // Who plays and what is held stands above the board.
    let id = open(&mut browser, &server, &json!({ "game": "shogi" }));
    let held = "[...document.querySelectorAll('#players .held')].map((held) => held.textContent)";
    assert_eq!(browser.eval(held), json!(["hand: none", "hand: none"]));
    for mv in ["c3c4", "g7g6", "Bb2-xh8=+B"] {
        assert_eq!(server.post(&format!("/api/sessions/{id}/moves"), &json!({ "move": mv })).status, 200, "{mv}");
    }
    browser.wait(&format!("{held}[0] === 'hand: bishop'"));
    let above = "document.querySelector('#players').getBoundingClientRect().bottom <= document.querySelector('#board svg').getBoundingClientRect().top";
    assert_eq!(browser.eval(above), json!(true));
    browser.size(844, 390);
    open(&mut browser, &server, &json!({ "game": "chess" }));
    let seen = "(() => { const { height, bottom } = document.querySelector('#board svg').getBoundingClientRect(); return [height, bottom]; })()";
    let seen = browser.eval(seen);
    assert!(seen[0].as_f64().unwrap() >= 250.0 && seen[1].as_f64().unwrap() <= 390.0, "{seen}");
    browser.assert_no_errors();
}

#[test]
fn tab_goes_through_what_can_be_chosen() {
    let Some(mut browser) = Browser::start("tab") else { return };
    let server = Server::start("tab", &[]);
    open(&mut browser, &server, &json!({ "game": "chess" }));
    browser.eval("document.querySelector('#board .site[data-site=a2]').focus()");
    let here = "document.activeElement.dataset.site ?? ''";
    let mut seen = Vec::new();
    for _ in 0..10 {
        seen.push(browser.eval(here).as_str().unwrap().to_owned());
        browser.key("Tab");
    }
    assert_eq!(seen, ["a2", "b2", "c2", "d2", "e2", "f2", "g2", "h2", "b1", "g1"]);
    browser.eval("document.querySelector('#board .site[data-site=e2]').focus()");
    browser.key("Enter");
    browser.wait("document.querySelector('#board .site[data-site=e4]').classList.contains('can')");
    assert!(
        browser
            .eval("document.querySelector('#board .site[data-site=e4]').ariaLabel")
            .as_str()
            .unwrap()
            .contains("can be chosen")
    );
    // Where most of the board can be chosen, only the site where one is stops the key.
    open(&mut browser, &server, &json!({ "game": "hex" }));
    browser.eval("document.querySelector('#board .site[tabindex=\"0\"]').focus()");
    for key in ["ArrowDown", "ArrowRight", "ArrowDown"] {
        browser.key(key);
    }
    assert_eq!(browser.eval("document.querySelectorAll('#board .site[tabindex=\"0\"]').length"), json!(1));
    browser.assert_no_errors();
}
