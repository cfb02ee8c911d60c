//! Tests of loading games, of moves as text, and of the hash of rules.

use super::*;
use crate::library::Library;

const ROW: &str = r#"
    game "Row"
    players Black, White
    board square(3)
    piece stone of each player
    move put "{cell}" { cell : empty; cell becomes stone of mover }
    turn { put }
    end { mover wins when line(3, own, directions) "three in a row"; draw when stuck }
"#;

#[test]
fn moves_may_be_written_as_people_write_them_where_only_one_is_meant() {
    let chess = Game::from_text("chess", Library::text("chess").unwrap(), None, &[], &Library).unwrap();
    let mut position = chess.start();
    for short in ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Bxc6", "dxc6", "e1g1"] {
        let index = position.find_short(short).unwrap_or_else(|error| panic!("{short}: {error}"));
        position = position.play_index(index).unwrap();
    }
    // The notation of the rules comes first, also where it is no legal move.
    for wrong in ["e2e5", "a9", "Qd9", "Nf3"] {
        assert!(matches!(position.find_short(wrong), Err(PlayError::Illegal { .. })), "{wrong}");
    }
}

#[test]
fn the_name_of_a_site_is_not_short_for_a_longer_one() {
    let start = |text: &str| Game::from_text("short", text, None, &[], &Library).unwrap().start();
    let text = ROW.replace("square(3)", "rectangle(3, 12)").replace("line(3, own, directions)", "line(3, own, E)");
    let position = start(&text).play("a1").unwrap().play("a11").unwrap().play("a12").unwrap();
    // Of a1 and what begins like it only a10 is free.
    assert!(matches!(position.find("a1"), Err(PlayError::Illegal { .. })));
    assert!(!position.why("a1").legal);
    assert!(position.why("a1").reason.contains("stone:Black"), "{}", position.why("a1").reason);
    assert!(position.find("a10").is_ok());
    // What is no whole move is still read as a beginning, a direction that the board does not have among it.
    let text = r#"
        game "Hop"
        players Black, White
        board hexagon(3)
        piece stone of each player
        start { a3 becomes stone of Black; e3 becomes stone of White }
        move hop "{from}{d}" { from : own; d : directions; if any empty ahead(from, d); from -> ahead(from, d) }
        turn { hop }
        end { draw when turn > 9 }
    "#;
    let position = start(text);
    assert_eq!(position.find("a3n").ok(), position.find("a3ne").ok());
    assert!(position.find("a3n").is_ok());
    let text = ROW.replace("\"{cell}\"", "\"put {cell} down\"");
    let position = start(&text);
    assert_eq!(position.find("put b2").ok(), position.find("put b2 down").ok());
    assert!(position.find("put b2").is_ok());
}

#[test]
fn two_changes_that_meet_are_told_with_the_place() {
    let text = r#"
        game "Meet"
        players A, B
        board square(3)
        piece man of each player
        start { a1 becomes man of A; c3 becomes man of B }
        move go "{from}-{to}" {
          from : own
          to   : next_to from
          foes = next_to to
          foes becomes empty
          every x in from: x -> ahead(x, E) when to in ahead(x, E)
          every x in from: x -> ahead(x, N) when to in ahead(x, N)
        }
        turn { go or pass }
        end { draw when turn > 9 }
    "#;
    let lines = text.replace("foes = next_to to", "foes = to or centre");
    let position = Game::from_text("meet", &lines, None, &[], &Library).unwrap().start();
    let reason = position.why("a1-b1").reason;
    assert!(reason.contains("cannot be done at once with `foes becomes empty`"), "{reason}");
    assert!(reason.ends_with("they leave different things on b1"), "{reason}");
}

#[test]
fn a_refusal_can_be_said_without_a_word_of_the_rule_text() {
    let position = Game::from_text("row", ROW, None, &[], &Library).unwrap().start().play("b2").unwrap();
    let said = position.why("b2").plain(&position);
    assert_eq!(said, "b2 cannot be chosen: a stone of Black stands there.");
}

const SLIDE: &str = r#"
    game "Slide"
    option far : 1..3 = 2
    players Light, Dark
    board square(4)
    piece stone of each player
    track passed : 0..3 = 0
    start { every x in row(1) : x becomes stone of Light; every x in row(4) : x becomes stone of Dark }
    move slide "{from}-{to}[x]?" {
      from : own
      d : directions
      k : 1..far
      to = ahead(from, d, k)
      if to in empty
      from -> to
      passed becomes 0
    }
    move wait "wait" { if passed < 2; passed becomes passed + 1 }
    turn {
      slide or wait
      extra turn when some slide this turn with to in corner
    }
    end { draw when turns without slide > 3 "nobody moves"; draw when position seen 3; next loses when stuck }
"#;

const HEXES: &str = r#"
    game "Hexes"
    players A, B
    board hexagon(3)
    piece stone of each player
    word near(x) = count (own next_to x)
    move put "{cell}{if near(cell) > 1 then 1 else 0}" { cell : empty; if not (some put last turn with cell in edge); cell becomes stone of mover }
    turn { two or pass }
    pattern two = put, (put with near(cell) = 1 or skip)
    end { best score when ply >= 12 }
    score(p) = most { count connected(x, of p) for x in of p }
"#;

fn game(text: &str) -> Game {
    match Game::from_text("test.game", text, None, &[], &Library) {
        Ok(game) => game,
        Err(error) => panic!("{error:?}"),
    }
}

/// These change if the rules are written out in another way. Games saved before then warn that the rules have changed:
/// raise the version in `rules/canonical.rs`, and say so in the list of changes. They change too if the words of the
/// prelude that the games use say something else, which is a change of the rules.
#[test]
fn hashes_of_rules_stay_what_they_are() {
    let hashes = [ROW, SLIDE, HEXES].map(|text| game(text).rules_hash());
    assert_eq!(hashes, ["7cddbdf7be5ccfa7", "f2284258fa4df5a9", "c59863756986ad3e"]);
}

#[test]
fn rules_that_differ_only_in_a_reason_that_looks_like_a_place_have_two_hashes() {
    let [one, two] = ["span: one", "span: two"].map(|reason| game(&ROW.replace("three in a row", reason)));
    assert_ne!(one.rules_hash(), two.rules_hash());
}

#[test]
fn places_and_names_of_words_and_what_the_game_does_not_reach_are_not_in_the_hash() {
    let hash = game(HEXES).rules_hash();
    assert_eq!(game(&format!("\n\n// moved\n{HEXES}")).rules_hash(), hash, "places");
    assert_eq!(game(&HEXES.replace("near", "friends_of")).rules_hash(), hash, "names");
    assert_eq!(game(&format!("{HEXES}\nword spare = own next_to empty\n")).rules_hash(), hash, "words without use");
    assert_eq!(game(&format!("{HEXES}\nmove spare {{ a : own; a becomes empty }}\n")).rules_hash(), hash, "moves");
    assert_ne!(game(&HEXES.replace("> 1", "> 2")).rules_hash(), hash);
    assert_ne!(game(&HEXES.replace("connected(x, of p)", "connected(x, empty)")).rules_hash(), hash);
}

#[test]
fn what_is_asked_twice_is_remembered_once() {
    let text = SLIDE.replace("if passed < 2", "if passed < 2; if not some slide this turn with to in corner");
    let memories = |text: &str| game(text).rules().memories.len();
    assert_eq!(memories(&text), memories(SLIDE));
    let other = text.replace("with to in corner\n", "with to in edge\n");
    assert_ne!(other, text);
    assert_eq!(memories(&other), memories(SLIDE) + 1);
}
