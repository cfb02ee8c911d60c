//! The rule sheets of the shipped games, as `show` prints them.

use super::common::{ludwright, shipped};

fn show(args: &[&str]) -> String {
    let output = ludwright().arg("show").args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_shipped_game_has_a_rule_sheet() {
    for game in shipped() {
        insta::assert_snapshot!(format!("show_{game}"), show(&[&game]));
    }
}

/// What the options switch off is not on the sheet.
#[test]
fn a_sheet_follows_the_options() {
    insta::assert_snapshot!(
        "show_equi_with_options",
        show(&[
            "equi",
            "-o",
            "opening=free",
            "-o",
            "placing=free",
            "-o",
            "step_then_hop=yes",
            "-o",
            "forced=no",
            "-o",
            "tie_break=last_placer_wins",
            "-o",
            "size=2",
        ])
    );
}

#[test]
fn everything_on_a_sheet_of_a_shipped_game_is_explained() {
    for game in shipped() {
        let sheet: serde_json::Value = serde_json::from_str(&show(&[&game, "--json"])).unwrap();
        for part in ["options", "rulesets", "moves"] {
            for entry in sheet[part].as_array().unwrap() {
                // What a ruleset without a text is, is the game itself.
                let named = entry["name"] == sheet["name"] || entry["doc"].is_string();
                assert!(named, "{game}: the {part} leave {} unexplained", entry["name"]);
            }
        }
        for word in ["title", "author", "summary", "source"] {
            assert!(sheet[word].as_str().is_some_and(|text| !text.is_empty()), "{game} has no {word}");
        }
    }
}
