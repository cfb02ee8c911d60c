//! What newcomers write, in the words of rule sheets and of other programs, is answered with what the language says.

use crate::author::inspect::check_file;
use crate::diagnostic::{Format, render};
use crate::library::Library;

/// What is said first about a game with one line more in its move, in `end`, or as a section.
fn first(put: &str, end: &str, section: &str) -> String {
    let text = format!(
        "game \"Phrases\"\nplayers Black, White\nboard square(5)\npiece stone, king of each player\n{section}\n\
         move put \"{{cell}}\" {{\n  cell : empty\n  {put}\n  cell becomes stone of mover\n}}\n\
         turn {{ put }}\nend {{\n  {end}\n  draw when turn > 100\n  next loses when stuck\n}}\n"
    );
    let (found, sources) = check_file("phrases.game", &text, &Library);
    let errors: Vec<_> = found.iter().filter(|found| found.is_error()).collect();
    assert!(errors.len() <= 2, "{put}{end}{section}: {} errors", errors.len());
    errors.first().map_or(String::new(), |error| render(error, &sources, Format::Short))
}

#[test]
fn lines_that_say_what_is_done_are_answered_with_how_it_is_written() {
    for (line, written) in [
        ("remove cell", "`x becomes empty`"),
        ("capture enemy next_to cell", "`x becomes empty`"),
        ("place stone on cell", "`x becomes stone of mover`"),
        ("swap cell and a1", "`a -> b` and `b -> a`"),
        ("promote cell to king", "`x becomes king of mover`"),
        ("choose x from own", "`x : own`"),
        ("require any own", "`if any own next_to cell`"),
        ("cell adjacent to own", "stands behind `if`"),
        ("cell not in corner", "stands behind `if`"),
    ] {
        let said = first(line, "", "");
        assert!(said.contains("LW104") && said.contains(written), "{line}: {said}");
    }
    for (section, written) in [
        ("start { put stone of Black on a1 }", "`x becomes stone of mover`"),
        ("start { for each x in row(1): x becomes stone of Black }", "`every x in row(1): x becomes stone of Black`"),
        ("after each move { corner becomes empty }", "after each turn { corner becomes empty }"),
        ("after turn { corner becomes empty }", "after each turn { corner becomes empty }"),
    ] {
        let said = first("", "", section);
        assert!(said.contains("LW104") && said.contains(written), "{section}: {said}");
    }
}

#[test]
fn words_of_rule_sheets_are_answered_with_those_of_the_language() {
    for (line, written) in [
        ("mover wins when checkmate", "next loses when stuck and in_check(next)"),
        ("mover wins when three in a row", "written in digits"),
        ("mover wins when mover has king", "`any king of mover`"),
        ("mover wins when mover has 3", "`any king of mover`"),
        ("current wins when any own", "`mover`"),
        ("mover wins when any own middle", "`centre`"),
        ("mover wins when any own row(width)", "option size"),
        ("Player1 wins when any own", "name one of them, `mover` or `next`"),
        ("player wins when any own", "`mover`"),
        ("win when any own", "mover wins when"),
        ("next loses when next cannot move", "`stuck`"),
        ("mover wins when any own man reaches edge", "side by side"),
        ("mover wins when 3 own in line", "`line(3, own, directions)`"),
        ("mover wins when any own rank(5)", "`row_of(mover, 1)`"),
        ("mover wins when any own row(4, 5)", "`row(1) or row(2)`"),
    ] {
        let said = first("", line, "");
        assert!(said.contains(written), "{line}: {said}");
    }
}
