//! The pages that `measure`, `sweep` and `report` write, in a real browser: wide and narrow, light and dark, with nothing
//! fetched.
//!
//! `AXE=/path/to/axe.min.js` looks at each with axe too, and `SCREENSHOTS=folder` keeps pictures, also in grey.

use super::common::browser::Browser;
use super::common::{folder, text_in};
use serde_json::{Value, json};

/// All that axe finds, as text; nothing without axe.
fn violations(browser: &mut Browser, axe: Option<&str>) -> String {
    let Some(axe) = axe else { return String::new() };
    browser.eval(&format!("{axe}; true"));
    let found = "axe.run().then((result) => result.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).slice(0, 3)}`).join('\\n'))";
    browser.eval(found).as_str().unwrap_or_default().to_owned()
}

/// A picture of the whole page.
fn picture(browser: &mut Browser, name: &str, width: u32) {
    if std::env::var_os("SCREENSHOTS").is_none() {
        return;
    }
    let height = browser.eval("document.documentElement.scrollHeight").as_u64().unwrap();
    browser.size(width, u32::try_from(height.min(12_000)).unwrap());
    browser.picture(name);
    browser.size(width, 900);
}

#[test]
fn pages_fit_wide_and_narrow_in_light_and_dark_and_fetch_nothing() {
    let Some(mut browser) = Browser::start("sheets") else { return };
    let axe = std::env::var("AXE").ok().map(|path| std::fs::read_to_string(path).unwrap());
    let folder = folder("sheets");
    text_in(&folder, "measure hex -o size=4 --games 2 --html measure.html");
    text_in(&folder, "sweep hex -o size=3..5 --player random --games 60 --html sweep.html");
    text_in(&folder, "report tic_tac_toe --games 2 --output report");
    for page in ["measure.html", "sweep.html", "report/index.html"] {
        let address = format!("file://{}", folder.join(page).display());
        for (width, dark) in [(1280, false), (1280, true), (360, false), (360, true)] {
            browser.size(width, 900);
            browser.dark(dark);
            browser.open(&address);
            let what =
                format!("{} {width} {}", page.split(['.', '/']).next().unwrap(), if dark { "dark" } else { "light" });
            browser.assert_no_overflow(&what);
            let fetched = browser.eval("performance.getEntriesByType('resource').map((one) => one.name)");
            assert_eq!(fetched, json!([]), "{what}");
            // Every plot has something to read for those who do not see it, and letters that are large enough.
            let small = "[...document.querySelectorAll('svg.plot text')].filter((text) => text.getBoundingClientRect().height < 8).length";
            assert_eq!(browser.eval(small), json!(0), "{what}");
            let unnamed = "[...document.querySelectorAll('svg[role=img]')].filter((plot) => !plot.getAttribute('aria-label') && !plot.querySelector('title')).length";
            assert_eq!(browser.eval(unnamed), json!(0), "{what}");
            let twice = "(() => { const all = [...document.querySelectorAll('[id]')].map((node) => node.id); return all.filter((id, at) => all.indexOf(id) !== at); })()";
            assert_eq!(browser.eval(twice), json!([]), "{what}");
            picture(&mut browser, &what.replace(' ', "_"), width);
            assert_eq!(violations(&mut browser, axe.as_deref()), "", "{what}");
        }
        browser.assert_no_errors();
        browser.size(1280, 900);
        browser.dark(false);
        browser.open(&address);
        browser.eval("document.documentElement.style.filter = 'grayscale(1)'; true");
        picture(&mut browser, &format!("{}_grey", page.split(['.', '/']).next().unwrap()), 1280);
    }
    let told: Value = serde_json::from_str(&text_in(
        &folder,
        "sweep hex -o size=3..5 --player random --games 60 --html again.html --json",
    ))
    .unwrap();
    assert_eq!(told["rows"].as_array().unwrap().len(), 3);
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    assert_eq!(read("again.html"), read("sweep.html"), "the same seed writes the same page");
    std::fs::remove_dir_all(&folder).unwrap();
}
