//! Which games are proved to end, and which may go on for ever.

use crate::author::inspect::check_file;
use crate::diagnostic::Code;
use crate::library::Library;

/// Whether the checker warns of a game without end. Anything else wrong with the file is a mistake of the test.
fn warns(rest: &str) -> bool {
    let text = format!(
        "game \"X\"\nplayers A, B\nboard square(4)\npiece stone of each player\npiece pin neutral\n\
         start {{ a1 becomes pin }}\n\
         move put \"{{at}}\" {{ at : empty; at becomes stone of mover }}\n{rest}"
    );
    let (mut diagnostics, _) = check_file("x.game", &text, &Library);
    // The pin goes off the board in some of them.
    diagnostics.retain(|found| ![Code::OffBoard, Code::Unused, Code::BadAllow].contains(&found.code));
    for diagnostic in &diagnostics {
        assert_eq!(diagnostic.code, Code::Unbounded, "{rest}: {}", diagnostic.message);
    }
    !diagnostics.is_empty()
}

#[test]
fn what_fills_the_board_ends() {
    let stuck = "end { draw when stuck }\n";
    assert!(!warns(&format!("turn {{ put }}\n{stuck}")));
    assert!(!warns(&format!("turn {{ put, maybe put, stop }}\n{stuck}")));
    assert!(warns(&format!("turn {{ put or pass }}\n{stuck}")));
    assert!(!warns("turn { put or pass }\nend { draw when turns without put = 2; draw when stuck }\n"));
    assert!(warns("turn { put or pass }\nend { draw when turns without put = 2 and no empty; draw when stuck }\n"));
    assert!(warns("turn { put or pass }\nend { draw when turns without (put or pass) = 2; draw when stuck }\n"));
}

/// A game in which one move puts down a set of sites that holds the one that is picked.
fn tiles(condition: &str, end: &str) -> bool {
    warns(&format!(
        "word free(S: sites) = every S is empty and no own next_to S\nword near(S: sites) = any empty next_to S\n\
         move tile \"{{cell}}{{d}}\" {{ cell : empty; d : N or E, any ahead(cell, d, 1); cells = cell or ahead(cell, d, 1); {condition}\n\
         cells becomes stone of mover }}\nturn {{ tile or put or pass }}\nend {{ {end}; draw when stuck }}\nallow unused in free, near\n"
    ))
}

#[test]
fn a_set_that_holds_the_picked_site_and_is_asked_to_be_empty_fills_the_board() {
    let end = "draw when turns without (tile or put) = 2";
    assert!(!tiles("if every cells is empty", end));
    assert!(!tiles("if free(cells)", end));
    assert!(!tiles("if near(cells) and free(cells)", end));
    assert!(tiles("if near(cells)", end));
    assert!(tiles("if free(cell)", end));
    assert!(tiles("if near(cells) or free(cells)", end));
}

#[test]
fn passes_that_end_the_game_do_not_go_on_for_ever() {
    let put = |turn: &str, end: &str| warns(&format!("turn {{ {turn} }}\nend {{ {end}; draw when stuck }}\n"));
    assert!(!put("put or pass", "draw when some pass this turn"));
    assert!(!put("put or pass", "draw when some pass this turn and some pass last turn"));
    assert!(put("put or pass", "draw when some pass this turn and no empty"));
    assert!(put("put or pass or skip", "draw when some pass this turn and some pass last turn"));
    // Who passes and skips in turn never passes twice in a row.
    assert!(put("put or pass or skip", "draw when some pass this turn and some skip last turn"));
    assert!(!put("put or pass or skip", "draw when some (pass or skip) this turn and some (pass or skip) last turn"));
    // Of a pass that must fulfil something nothing is known.
    assert!(put("put or pass", "draw when some put with at in corner this turn"));
}

#[test]
fn in_one_phase_alone_passes_end_the_game() {
    let game = |first: &str, end: &str| {
        warns(&format!(
            "phases early, late\nmove go \"go {{at}}\" {{ at : empty; at becomes stone of mover; phase becomes late }}\n\
             turn in early {{ {first} }}\nturn in late {{ put or pass }}\nend {{ {end}; draw when stuck }}\n"
        ))
    };
    let end = "draw when phase is late and turns without put >= 2";
    assert!(!game("put or go", end));
    assert!(game("put or go or pass", end));
    assert!(game("put or go", "draw when phase is early and turns without put >= 2"));
    // The number may be passed over in the other phase.
    assert!(game("put or go", "draw when phase is late and turns without put = 2"));
}

#[test]
fn a_number_that_only_goes_down_is_used_up() {
    let step = |track: &str, changes: &str| {
        warns(&format!(
            "track hand{track}\nmove step \"{{from}}-{{to}}\" {{ from : own; to : empty next_to from; from -> to; {changes} }}\n\
             turn {{ put or step }}\nend {{ draw when stuck }}\n"
        ))
    };
    assert!(!step("(player) : 0..9 = 9", "hand(mover) becomes hand(mover) - 1"));
    assert!(step("(player) : 0..9 = 9", "hand(mover) becomes hand(next) - 1"));
    assert!(step("(player) : 0..9 = 9", "hand(mover) becomes hand(mover) - 1 when to in corner"));
    assert!(step("(player) : 0..9 = 9", "hand(mover) becomes hand(mover) + 0"));
    assert!(step(
        "(player) : 0..9 = 9 ",
        "hand(mover) becomes hand(mover) - 1\n then\n hand(next) becomes hand(next) + 1"
    ));
    assert!(!step("(site) : 0..9 = 9", "hand(to) becomes hand(to) - 2"));
    // What belongs to a piece begins afresh with the piece.
    assert!(step("(piece) : 0..9 = 9", "hand(to) becomes hand(to) - 1"));
}

#[test]
fn plies_that_are_used_up_do_not_stand_in_the_way_of_others() {
    let game = |turn: &str| {
        warns(&format!(
            "track pool : 0..20 = 20\ntrack won : 0..3 = 0\n\
             move take \"{{from}}x{{to}}\" {{ from : own; to : enemy next_to from; from -> to }}\n\
             move onto \"{{from}}+{{to}}\" {{ from : own; to : own next_to from; from -> to }}\n\
             move deal \"+{{at}}\" {{ at : empty; at becomes stone of mover; pool becomes pool - 1 }}\n\
             move spend \"{{from}}-{{to}}\" {{ from : own; to : empty next_to from; from -> to; pool becomes pool - 1 }}\n\
             move earn \"earn\" {{ pool becomes pool + 5 }}\n\
             move win \"win\" {{ won becomes won + 1 }}\n\
             {turn}\nend {{ draw when stuck; mover loses when unfinished }}\nallow unused\n"
        ))
    };
    // Pieces are put down only as long as the pool lasts, and then there are only those that take.
    assert!(!game("turn { deal or (take, (take or onto or pass)) }"));
    assert!(game("turn { put or (take, (take or onto or pass)) }"));
    assert!(game("turn { deal or onto or pass }"));
    assert!(!game("turn 1..9 { put }\nturn { take }"));
    // Whoever earns must win behind it, which can be done three times.
    assert!(!game("turn { again (earn, win), spend }"));
    assert!(game("turn { again (earn, (win or pass)), spend }"));
    assert!(game("turn { (earn or spend), (earn or pass) }"));
}

#[test]
fn whoever_takes_a_piece_in_a_ply_goes_on_only_as_long_as_there_are_some() {
    let take = |to: &str, rest: &str| {
        warns(&format!(
            "move take \"{{from}}x{{to}}\" {{ from : own; to : {to}; from -> to{rest} }}\n\
             turn 1 {{ put }}\nturn {{ again take, take }}\nend {{ draw when stuck; mover loses when unfinished }}\n"
        ))
    };
    assert!(!take("enemy next_to from", ""));
    assert!(!take("enemy first(from, directions)", " as pin"));
    assert!(take("site next_to from", ""));
    assert!(take("own next_to from", ""));
    assert!(take("enemy next_to from", "; from becomes stone of mover"));
    assert!(take("enemy next_to from", "; corner becomes stone of mover"));
}

#[test]
fn what_is_repeated_takes_a_row_that_it_asks_for() {
    let clear = |row: &str, asks: &str| {
        warns(&format!(
            "move clear \"x{{first}}{{d}}\" {{ first : own; d : N or E; row = {row}; {asks}\n row becomes empty }}\n\
             turn {{ put, again clear, stop }}\nend {{ draw when turn > 99; draw when stuck }}\n"
        ))
    };
    let row = "first or ahead_all(first, d, 2)";
    assert!(!clear(row, "if count row = 3 and every row is own"));
    assert!(!clear("run(first, d, enemy)", "if any row"));
    assert!(clear(row, "if count row = 3"));
    assert!(clear("run(first, d, enemy)", ""));
    assert!(clear("ahead_all(first, d, 2)", "if every row is own"));
}

#[test]
fn a_chain_takes_the_line_of_enemies_before_the_piece_that_moves() {
    let approach = |line: &str| {
        warns(&format!(
            "move approach \"{{from}}-{{to}}\" {{ from : own; d : directions; to : empty ahead(from, d)\n\
             prey = run(to, d, {line}); if any prey\n from -> to; prey becomes empty }}\n\
             turn {{ put or approach, again approach by it, stop }}\nend {{ draw when turn > 99; draw when stuck }}\n"
        ))
    };
    assert!(!approach("enemy"));
    assert!(approach("own"));
}

#[test]
fn what_is_repeated_takes_no_piece_off_if_it_only_remembers() {
    let grow = |line: &str| {
        warns(&format!(
            "track seen : sites\nmove grow \"{{at}}\" {{ at : empty; at becomes stone of mover\n then\n\
             repeat at most 9 while any empty {{ {line} }} }}\nturn {{ grow or put }}\nend {{ draw when stuck }}\n"
        ))
    };
    assert!(!grow("seen becomes next_to seen"));
    assert!(grow("seen becomes next_to seen; the pin becomes empty"));
}

#[test]
fn what_is_taken_off_may_be_put_back() {
    let take = "move take \"-{at}\" { at : enemy; at becomes empty }\n";
    assert!(warns(&format!("{take}turn {{ put or take }}\nend {{ draw when stuck }}\n")));
    let onto = "move onto \"{from}-{to}\" { from : own; to : site next_to from; from -> to }\n";
    assert!(warns(&format!("{onto}turn {{ put, (onto else nothing) }}\nend {{ draw when stuck }}\n")));
    let to_empty = "move to_empty \"{from}-{to}\" { from : own; to : empty next_to from; from -> to }\n";
    assert!(!warns(&format!("{to_empty}turn {{ put, (to_empty else nothing) }}\nend {{ draw when stuck }}\n")));
    assert!(warns(&format!("{to_empty}turn {{ put, again to_empty, stop }}\nend {{ draw when stuck }}\n")));
}

#[test]
fn a_slide_no_further_than_the_sites_are_open_takes_nothing_off() {
    let slide = |low: &str, far: &str| {
        let lines = format!("d : directions; k : {low} .. count open(the pin, d); the pin -> ahead(the pin, d, {far})");
        warns(&format!(
            "move slide \"{{at}} {{d}} {{k}}\" {{ at : empty; {lines}; at becomes stone of mover }}\n\
             turn {{ slide or put }}\nend {{ draw when stuck }}\n"
        ))
    };
    assert!(!slide("1", "k"));
    assert!(slide("-1", "k"));
    assert!(slide("1", "2"));
}

#[test]
fn a_definition_may_be_empty_and_then_nothing_is_put() {
    let text = "move beside \"{x}\" { x : stone; at = empty next_to x; at becomes stone of mover }\n";
    assert!(warns(&format!("{text}turn {{ put or beside }}\nend {{ draw when stuck }}\n")));
}

#[test]
fn a_chain_over_sites_not_taken_before_ends() {
    let chain = |over: &str| {
        warns(&format!(
            "move hop \"{{from}}^{{over}}-{{to}}\" {{ from : own; over : {over}; to : empty next_to from; from -> to }}\n\
             turn {{ chain hop, stop or put }}\nend {{ draw when stuck; draw when turn > 100 }}\n"
        ))
    };
    for said in [
        "enemy, not hop.over this turn",
        "enemy not hop.over this turn",
        "enemy but hop.over this turn",
        "enemy, over not in hop.over this turn",
        "enemy, not over in hop.over this turn",
        "enemy; if over not in (hop.over this turn or corner)",
        "{ x in enemy but hop.over this turn with x in site }",
    ] {
        assert!(!chain(said), "{said}");
    }
    for said in ["enemy", "enemy, over in hop.over this turn", "enemy not corner", "enemy or not hop.over this turn"] {
        assert!(chain(said), "{said}");
    }
    assert!(chain("enemy, not hop.over this turn when turn > 3"));
}

#[test]
fn a_chain_that_never_goes_back_where_it_has_left_ends() {
    let canter = |turn: &str, to: &str| {
        let words = if to.contains("left") { "word left = canter.from this turn or corner\n" } else { "" };
        let (to, arrow) = to.split_once("; ").unwrap_or((to, "from -> to"));
        warns(&format!(
            "{words}move canter \"{{from}}-{{to}}\" {{ from : own; to : empty next_to from {to}; {arrow} }}\n\
             move back \"{{from}}<{{to}}\" {{ from : own; to : empty next_to from; from -> to }}\n\
             turn {{ {turn} or put or back }}\nend {{ draw when stuck; draw when turn > 100 }}\n"
        ))
    };
    let chain = "canter, again canter by it, stop";
    assert!(!canter(chain, "not canter.from this turn"));
    assert!(!canter("again canter, stop", "not (canter.from this turn or corner)"));
    assert!(!canter("again canter, stop", "but left"));
    assert!(canter(chain, "but corner"));
    // It may stay where it is, or be put back.
    let never_back = "not canter.from this turn";
    assert!(canter(chain, &format!("{never_back}; from -> to when from in corner")));
    assert!(canter(chain, &format!("{never_back}; from -> to\n then\n to -> from")));
    assert!(!canter(chain, &format!("{never_back}; from -> to; (enemy next_to to) becomes empty")));
    // Something else may be put where it has left.
    assert!(canter("again (canter or back), stop", "not canter.from this turn"));
}

#[test]
fn what_counts_up_to_an_end_is_not_repeated_for_ever() {
    let step = |track: &str, change: &str| {
        warns(&format!(
            "track steps : {track}\nmove step \"{{from}}-{{to}}\" {{ from : own; to : empty next_to from; from -> to; {change} }}\n\
             turn {{ again step, stop or put }}\nend {{ draw when stuck; draw when turn > 100 }}\n"
        ))
    };
    assert!(!step("0..4 = 0 each turn", "steps becomes steps + 1"));
    assert!(step("0..4 = 0 each turn", "steps becomes steps + 1 when from in corner"));
    assert!(step("0..4 = 0 each turn", "steps becomes steps + 0"));
}

#[test]
fn endings_and_boards_that_are_new_bound_what_moves() {
    let hop = "move hop \"{from}-{to}\" { from : own; to : site next_to from; from -> to }\n\
               move new \"{from}+{to}\" { from : own; to : site next_to from; from -> to; so that board new }\n";
    let game = |turn: &str, end: &str| warns(&format!("{hop}turn {{ {turn} }}\nend {{ draw when stuck; {end} }}\n"));
    let both = "hop or new or put";
    assert!(game(both, "draw when no enemy"));
    assert!(!game(both, "draw when position seen 3"));
    assert!(!game(both, "draw when turn > 100"));
    assert!(!game(both, "mover wins when turn = 100"));
    assert!(game(both, "draw when turn > 100 and no enemy"));
    assert!(game(both, "draw when turn < 100"));
    assert!(game(&format!("again ({both}), stop"), "draw when turn > 100"));
    assert!(!game(&format!("again ({both}), stop"), "draw at once when ply > 100"));
}

#[test]
fn a_phase_that_is_left_for_good_is_left_once() {
    let game = |back: &str| {
        warns(&format!(
            "phases bid, play\nmove take \"take\" {{ phase becomes play }}\nmove undo \"{{at}}\" {{ at : empty; at becomes stone of mover; phase becomes {back} }}\n\
             turn {{ put or undo or take when phase is bid }}\nend {{ draw when stuck }}\n"
        ))
    };
    assert!(!game("play"));
    assert!(game("bid"));
}

#[test]
fn a_turn_that_goes_on_taking_ends() {
    let jump = |over: &str, rest: &str| {
        warns(&format!(
            "move jump \"{{from}}x{{to}}\" {{ from : own; over : {over}; to : empty behind(from, over); from -> to; {rest} }}\n\
             turn {{ put or jump, again jump by it, stop }}\nend {{ draw when position seen 3; draw when stuck }}\n"
        ))
    };
    assert!(!jump("enemy next_to from", "over becomes empty"));
    // Nothing may be left behind, and something must be taken that is not the piece itself.
    assert!(jump("enemy next_to from", "over becomes empty; from becomes stone of mover"));
    assert!(jump("enemy next_to from", "over becomes empty when over in edge"));
    assert!(jump("enemy next_to from", "over becomes pin"));
    assert!(jump("own next_to from", "over becomes empty"));
    // What becomes another piece was there before.
    assert!(!jump("enemy next_to from", "over becomes empty; then; to becomes pin when to in stone"));
    assert!(jump("enemy next_to from", "over becomes empty; then; next_to to becomes pin when to in stone"));
}

#[test]
fn positions_run_out_as_boards_do() {
    let anywhere = |new: &str| {
        let lines = format!("at : site but pin; at becomes stone of mover; so that {new}");
        warns(&format!("move lay \"{{at}}\" {{ {lines} }}\nturn {{ lay or put }}\nend {{ draw when stuck }}\n"))
    };
    assert!(!anywhere("board new"));
    assert!(!anywhere("position new"));
    assert!(anywhere("not position new"));
}

#[test]
fn conditions_that_speak_of_themselves_come_to_an_end() {
    for condition in ["cell in (cell but corner)", "cell in cell", "cell in (own or cell), cell in (cell but edge)"] {
        for change in ["cell becomes stone of mover", "cell becomes empty", "a1 -> cell"] {
            let text = format!(
                "game \"Circle\"\nplayers A, B\nboard square(3)\npiece stone of each player\n\
                 move put \"{{cell}}\" {{ cell : site, {condition}; {change} }}\n\
                 turn {{ put else pass }}\nend {{ draw when turn > 9 }}\n"
            );
            for end in ["draw when turn > 9", "draw when stuck"] {
                let text = text.replace("draw when turn > 9", end);
                let (diagnostics, _) = check_file("circle.game", &text, &Library);
                assert!(diagnostics.iter().all(|found| found.code != Code::Syntax), "{text}");
            }
        }
    }
}

/// What is said of a game in which pieces are taken and none is added.
fn said_of_taking(lines: &str) -> Vec<Code> {
    let text = format!(
        "game \"Take\" 2026\nabout \"a test\"\nplayers A, B\nboard rectangle(7, 3)\npiece match \"x\" neutral\npiece man of each player\n\
         start {{ row(1) becomes match; row(2) becomes man of A; row(3) becomes man of B }}\n{lines}"
    );
    let (found, _) = check_file("take.game", &text, &Library);
    assert!(!found.iter().any(|found| found.is_error()), "{text}: {found:?}");
    let codes = found.into_iter().map(|found| found.code);
    codes.filter(|code| [Code::Unbounded, Code::SilentStuck].contains(code)).collect()
}

#[test]
fn what_takes_a_piece_each_turn_ends_and_has_a_move_as_long_as_there_are_some() {
    let turn = "turn { take }\nend { mover wins when no match }";
    for take in
        ["cell : match; cell becomes empty", "cell : match; all = run(cell, E, match) or cell; all becomes empty"]
    {
        assert_eq!(said_of_taking(&format!("move take \"{{cell}}\" {{ {take} }}\n{turn}")), [], "{take}");
    }
    // A row that is asked for may be missing, but what is taken is taken.
    let row = "move take \"{r}\" { r : 1..3, any (match row(r)); (match row(r)) becomes empty }";
    assert_eq!(said_of_taking(&format!("{row}\n{turn}")), [Code::SilentStuck]);
    // It may take nothing, or more may be put there.
    let none = "move take \"{r}\" { r : 1..3; (match row(r)) becomes empty }";
    assert!(said_of_taking(&format!("{none}\n{turn}")).contains(&Code::Unbounded));
    let put = "move take \"{cell}\" { cell : match; cell becomes empty }\nmove put \"+{cell}\" { cell : empty; cell becomes match }";
    assert!(
        said_of_taking(&format!("{put}\nturn {{ take or put }}\nend {{ draw when stuck }}")).contains(&Code::Unbounded)
    );
}

#[test]
fn that_the_mover_has_something_says_nothing_of_who_comes_next() {
    let off = "move off \"{from}\" { from : own; from becomes empty }\nturn { off }\nend { mover wins when no own }";
    assert_eq!(said_of_taking(off), [Code::SilentStuck]);
    // What the first stage has taken is not there for the second.
    let two = "move two \"{a},{b}\" { a : match; a becomes empty\n then\n b : match; b becomes empty }\n\
               turn { two }\nend { draw when no match }";
    assert!(said_of_taking(&two.replace("{a},{b}", "{a}+{b}")).contains(&Code::SilentStuck));
}
