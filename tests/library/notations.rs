//! What a notation prints only where there is something to print: printed so, read again, and never ambiguous unsaid.

use super::common::compare::compare;
use crate::author::inspect::check_file;
use crate::author::script::Scripts;
use crate::check::Project;
use crate::diagnostic::{Format, render};
use crate::game::Game;
use crate::library::Library;

/// Men step and take, and may become kings on the far side.
fn game(notation: &str) -> String {
    format!(
        "game \"Signs\"\nplayers A facing N, B facing S\nboard square(4)\npiece man, king of each player\n\
         start {{ (row(1) but d1) becomes man of A; (row(4) but d4) becomes man of B; a3 becomes man of A }}\n\
         move go \"{notation}\" {{\n  from : own\n  to   : (next_to from) but own\n\
         rank : kinds(man, king) when from in man and to in side(forward(mover))\n  prey = to enemy\n\
         from -> to as (if rank is king or from in king then king else man) of mover\n}}\n\
         turn {{ go else pass }}\nend {{ mover wins when no enemy; draw when turn > 60 }}\n"
    )
}

fn found(text: &str) -> Vec<String> {
    let (found, sources) = check_file("signs.game", text, &Library);
    found.iter().map(|found| render(found, &sources, Format::Short)).collect()
}

#[test]
fn signs_are_printed_where_there_is_something_and_read_with_them_and_without() {
    let text = game("{kind(from)?}{from}[x when any prey]{to}[={rank}]")
        + "test \"printed and read\" {\n  legal a1a2, a3xa4=K, a3xa4=M, a3b3\n  illegal a3xb3, a3b3=K, a1xa2\n\
           play Ma3xa4=K, b4b3\n  legal a4b4\n  illegal a4b4=K\n}\n";
    assert_eq!(found(&text), Vec::<String>::new());
    let project = Project::load("signs.game", &text, &Library);
    let reports = Scripts::default().run(&project, None, &[]).unwrap();
    assert!(
        reports.iter().all(|report| report.ok),
        "{:?}",
        reports.iter().map(|report| &report.message).collect::<Vec<_>>()
    );
    let game = Game::from_text("signs.game", &text, None, &[], &Library).unwrap();
    let printed = game.start().moves();
    for wanted in ["a1a2", "a3b3", "a3xa4=k", "a3xa4=m"] {
        assert!(printed.iter().any(|text| text == wanted), "{wanted} is not among {printed:?}");
    }
    assert!(!printed.iter().any(|text| text.ends_with('=')), "{printed:?}");
    let compared = compare(&text, &game, |games| games < 20, 40, 3);
    assert!(compared > 60, "{compared}");
}

#[test]
fn every_move_is_read_again_as_it_is_printed() {
    for notation in [
        "{from}[x when any prey]{to}[={rank}]",
        "{from}[x{prey}][-{to}]?[(={rank})]",
        "{from}{to}[ takes {prey}][ as {rank}]",
        "{from}[x when any prey]?{to}[={rank}]?",
    ] {
        let text = game(notation);
        assert_eq!(found(&text), Vec::<String>::new(), "{notation}");
        let game = Game::from_text("signs.game", &text, None, &[], &Library).unwrap();
        let mut position = game.start();
        for ply in 0..30 {
            let moves = position.moves();
            for (index, printed) in moves.iter().enumerate() {
                let read = position.find(printed).unwrap_or_else(|error| panic!("{notation}: {printed}: {error:?}"));
                assert_eq!(read, index, "{notation}: {printed} among {moves:?}");
            }
            if moves.is_empty() {
                break;
            }
            position = position.play_index(ply * 7 % moves.len()).unwrap();
        }
    }
}

#[test]
fn the_sign_of_a_remark_tells_moves_apart_where_a_notation_has_it() {
    let text = "game \"Signs\"\nplayers Black, White\nboard square(3)\npiece stone of each player\n\
        move put \"{cell}\" { cell : empty; cell becomes stone of mover }\n\
        move blast \"{cell}!\" { cell : empty; next_to cell becomes empty }\n\
        turn { put or blast }\nend { draw when turn > 9 }\n";
    let game = Game::from_text("signs.game", text, None, &[], &Library).unwrap();
    let start = game.start();
    let read = |written: &str| start.moves()[start.find(written).unwrap()].clone();
    assert_eq!(["a1", "a1!", " A1! "].map(read), ["a1", "a1!", "a1!"]);
    // Elsewhere it is a remark.
    assert!(start.play("a1").unwrap().find("b1!").is_ok());
    assert_eq!(read("a1?"), "a1");
}

#[test]
fn what_nobody_could_read_is_an_error_with_its_place() {
    let alike = found(&game("{from}{to}[={from}][={prey}]"));
    assert!(alike.iter().any(|line| line.contains("LW502") && line.contains("print alike")), "{alike:?}");
    for (notation, said) in [
        ("{from}{to}[={rank}{prey}]", "hold one value"),
        ("{from}{to}[x when]", "cannot be read"),
        ("{from}{to}[x when {to} in enemy]", "cannot be read"),
        ("{from}{to}[+ when to in {a1}]", "cannot be read"),
        ("{from}{to}[when any own]", "cannot be read"),
        ("{from}{to}[={}]", "cannot be read"),
        ("{from}{to}[={rank?}]", "needs no other mark"),
        ("{from}{to}{any prey}", "[x when any prey]"),
        ("{from}{to}[x when prey]", "condition"),
    ] {
        let found = found(&game(notation));
        assert!(found.iter().any(|line| line.contains(said)), "{notation}: {found:?}");
    }
    // A condition on sites tells nothing of them; one on a rank may tell it.
    let hidden = found(&game("go[x when any prey]"));
    assert!(hidden.iter().any(|line| line.contains("LW902") && line.contains("`to`")), "{hidden:?}");
    assert_eq!(found(&game("{from}-{to}[+ when rank is king]")), Vec::<String>::new());
}

/// A direction is told by where it leads to, whether the text says so itself or by words.
#[test]
fn a_direction_is_told_by_the_site_that_a_word_leads_to() {
    for (to, is_told) in [
        ("run(from, d, empty)", true),
        ("open(from, d)", true),
        ("ray(from, d) but own", true),
        ("far(from, d)", true),
        ("empty next_to from, near(from, d)", false),
    ] {
        let text = format!(
            "game \"Told\"\nabout \"a test\"\nplayers A, B\nboard square(5)\npiece man of each player\n\
             start {{ row(1) becomes man of A; row(5) becomes man of B }}\n\
             word far(x: site, way: direction) = {{ y in open(x, way) with no empty ahead(y, way) }}\n\
             word near(x: site, way: direction) = some y in own next_to x with (any ahead(y, way))\n\
             move go \"{{from}}-{{to}}\" {{ from : own; d : directions; to : {to}; from -> to }}\nturn {{ go }}\n\
             end {{ mover wins when no enemy; next loses when stuck; draw when turn > 50 }}\n"
        );
        let found = found(&text);
        assert_eq!(!found.iter().any(|line| line.contains("LW902")), is_told, "{to}: {found:?}");
    }
}
