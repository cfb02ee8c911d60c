//! Values that belong to pieces: they go where the pieces go, as lines written by hand would take them, on both engines.

use super::common::compare::compare;
use crate::author::sheet::Sheet;
use crate::check::Project;
use crate::game::{Game, Position};
use crate::library::Library;
use crate::study::perft::perft;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

fn read(text: &str) -> Game {
    Game::from_text("carried.game", text, None, &[], &Library).unwrap_or_else(|error| panic!("{text}\n{error:?}"))
}

fn refused(text: &str) -> String {
    let Err(error) = Game::from_text("carried.game", text, None, &[], &Library) else { panic!("read: {text}") };
    format!("{error:?}")
}

/// The body of a move, and what stands in it for the same rule with a value tracked by site, where all is said by hand.
const MOVES: [(&str, &str); 18] = [
    // One step to an empty site.
    ("from : own, OK; to : empty next_to from; from -> to", "v(to) becomes v(from); v(from) becomes 0"),
    // Onto anything that is not the mover's, growing until the range ends.
    ("from : own, OK; to : next_to from but own; from -> to; +v(to) becomes v(from) + 1", "v(from) becomes 0"),
    // What stands beside the new place is taken.
    (
        "from : own; to : empty next_to from; prey = enemy next_to to; from -> to; prey becomes empty",
        "v(to) becomes v(from); v(from) becomes 0; every x in prey: v(x) becomes 0",
    ),
    // Two change places.
    (
        "pair : 2 of own, some x in pair with OK(x); every x in pair: x -> pair but x",
        "every x in pair: v(x) becomes v(pair but x)",
    ),
    // A piece that becomes another one by itself is a new one.
    (
        "from : own, OK; to : empty next_to from; from -> to; then; to becomes king of mover when v(to) > 1",
        "v(to) becomes v(from); v(from) becomes 0; AFTER v(to) becomes 0 when v(to) > 1",
    ),
    // One that becomes another one on its way is the same.
    (
        "from : own, OK; to : next_to from but own; from -> to as king of mover",
        "v(to) becomes v(from); v(from) becomes 0",
    ),
    // All that can go one way go at once, one behind the other.
    (
        "d : orthogonal; all = { x in own man with any ahead(x, d) (empty or own man) }; \
         every x in all: x -> ahead(x, d)",
        "every x in all: v(ahead(x, d)) becomes v(x); \
         every x in all but { ahead(y, d) for y in all }: v(x) becomes 0",
    ),
    // A new piece.
    ("cell : empty; cell becomes man of mover; +v(cell) becomes 2 when count own > 2", ""),
    // On and on, one line after the other.
    (
        "from : own; runner becomes from; then; repeat at most 3 while any empty ahead(runner, E) { \
         runner -> ahead(runner, E); runner becomes ahead(runner, E) }",
        "REPEAT v(ahead(runner, E)) becomes v(runner); v(runner) becomes 0",
    ),
    // A face is turned.
    ("cell : own, OK(cell); +v(cell) becomes (v(cell) + 1) mod 4", ""),
    // Who comes out of a fight.
    (
        "from : own; to : enemy next_to from; from -> to when v(from) >= v(to); from becomes empty when v(from) < v(to)",
        "v(to) becomes v(from) when v(from) >= v(to); v(from) becomes 0",
    ),
    // The site that was left has nothing any more.
    (
        "from : own; to : empty next_to from; from -> to; +v(from) becomes 3",
        "v(to) becomes v(from); v(from) becomes 0 INSTEAD",
    ),
    // Sometimes another value.
    (
        "from : own; to : next_to from but own; from -> to; +v(to) becomes 3 when to in edge",
        "v(to) becomes v(from) when to not in edge; v(from) becomes 0",
    ),
    // Around the new place all are given a value, whatever stands there.
    (
        "from : own, OK; to : empty next_to from; from -> to; +every x in next_to to: v(x) becomes 1",
        "v(to) becomes v(from); v(from) becomes 0; every x in (piece next_to to) but from: v(x) becomes 1 INSTEAD",
    ),
    // Everywhere, the place where the piece arrives included.
    (
        "from : own; to : next_to from but own; from -> to; +every x in site: v(x) becomes 2",
        "every x in (piece or to) but from: v(x) becomes 2 INSTEAD; v(from) becomes 0",
    ),
    // The turn of a wheel.
    (
        "from : own; over : next_to from; to : next_to over but from; from -> over; over -> to; to -> from",
        "v(over) becomes v(from); v(to) becomes v(over); v(from) becomes v(to)",
    ),
    // A piece that may not go leaves a stone behind it.
    (
        "from : own, OK; to : empty next_to from; from -> to; from becomes man of next when v(from) > 0; +v(from) becomes 1 when v(from) > 0",
        "v(to) becomes v(from); v(from) becomes 0 when v(from) <= 0",
    ),
    // What is asked of the board afterwards.
    (
        "from : own; to : next_to from but own; from -> to; so that v(to) >= v(from) and count { x in own with v(x) > 0 } < 4",
        "v(to) becomes v(from); v(from) becomes 0",
    ),
];

/// A game of some of these moves, with the value on pieces or by hand.
fn text(moves: &[usize], side: u64, ok: &str, by_hand: bool) -> String {
    let mut text = format!(
        "game \"Carried\"\nplayers A, B\nboard square({side}) adjacent all\npiece man, king \"K\" of each player\n\
         track v({}) : 0..3\ntrack runner : site\nword ok(x) = {ok}\n\
         start {{ side(S) becomes man of A; side(N) becomes man of B; v(a1) becomes 1; v(b1) becomes 2; \
         v(a{side}) becomes 1; v(b{side}) becomes 3 }}\n",
        if by_hand { "site" } else { "piece" }
    );
    let mut names = Vec::new();
    for number in moves {
        let (body, hand) = MOVES[*number];
        let replaced = hand.contains("INSTEAD");
        let body = body.replace("OK(x)", "ok(x)").replace("OK(cell)", "ok(cell)").replace("OK", "ok(from)");
        let mut lines: Vec<String> = body.split("; ").map(str::to_owned).collect();
        // What is marked is said in both, unless something else is said by hand.
        lines.retain(|line| !(by_hand && replaced && line.starts_with('+')));
        for line in &mut lines {
            *line = line.trim_start_matches('+').to_owned();
        }
        let mut body = lines.join("; ");
        if by_hand {
            let hand = hand.replace(" INSTEAD", "");
            let first = body.find("; then").unwrap_or(body.len());
            if let Some(hand) = hand.strip_prefix("REPEAT ") {
                body = body.replace("E) { ", &format!("E) {{ {hand}; "));
            } else if let Some((now, after)) = hand.split_once("; AFTER ") {
                body = format!("{}; {now}{}; {after}", &body[..first], &body[first..]);
            } else if !hand.is_empty() {
                body = format!("{body}; {hand}");
            }
        }
        let notation: String = ["from", "over", "to", "cell", "pair", "d"]
            .iter()
            .filter(|part| body.contains(&format!("{part} :")))
            .map(|part| format!("{{{part}}}"))
            .collect();
        let name = format!("m{number}");
        text += &format!("move {name} \"{name} {notation}\" {{ {body} }}\n");
        names.push(name);
    }
    text + &format!("turn {{ ({}) else pass }}\nend {{ draw when turn > 30 }}\n", names.join(" or "))
}

/// The value on every site with a piece.
fn values(position: &Position) -> Vec<String> {
    let json = position.to_json();
    let (sites, values) = (json["sites"].as_object().unwrap(), json["state"]["v"].as_object().unwrap());
    let mut told: Vec<String> = sites.keys().map(|site| format!("{site} {}", values[site])).collect();
    told.sort();
    told
}

/// Texts of a seed, with the value on pieces and by hand; the plies compared.
fn agrees(seed: u64) -> u64 {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let moves: Vec<usize> = (0..random.random_range(1..4)).map(|_| random.random_range(0..MOVES.len())).collect();
    let moves: Vec<usize> =
        moves.iter().enumerate().filter(|(at, one)| !moves[..*at].contains(one)).map(|(_, one)| *one).collect();
    let ok =
        ["v(x) < 3", "v(x) >= 0", "v(x) = count(enemy next_to x)", "x in edge or v(x) > 0"][random.random_range(0..4)];
    let side = random.random_range(3..5);
    let (own, hand) = (text(&moves, side, ok, false), text(&moves, side, ok, true));
    let (one, two) = (read(&own), read(&hand));
    let counts = |game: &Game| perft(&game.start(), 2, false, &mut |_, _| ()).nodes;
    assert_eq!(counts(&one), counts(&two), "seed {seed}\n{own}\n{hand}");
    let (mut first, mut second) = (one.start(), two.start());
    for _ in 0..12 {
        assert_eq!(first.moves(), second.moves(), "seed {seed}\n{own}\n{hand}");
        assert_eq!(values(&first), values(&second), "seed {seed}\n{own}\n{hand}");
        // Where nothing stands there is what there was at first.
        let told = second.to_json();
        let (sites, all) = (told["sites"].as_object().unwrap(), told["state"]["v"].as_object().unwrap());
        assert!(all.iter().all(|(site, value)| sites.contains_key(site) || *value == 0), "seed {seed}\n{hand}");
        let there: Vec<i64> =
            one.engine().values(&first.situation().state, 0).iter().filter_map(crate::rules::Value::number).collect();
        let by_hand: Vec<i64> =
            two.engine().values(&second.situation().state, 0).iter().filter_map(crate::rules::Value::number).collect();
        assert_eq!(there, by_hand, "seed {seed}\n{own}\n{hand}");
        if first.moves().is_empty() {
            break;
        }
        let index = random.random_range(0..first.moves().len());
        (first, second) = (first.play_index(index).unwrap(), second.play_index(index).unwrap());
    }
    compare(&own, &one, |games| games < 1, 12, seed) + compare(&hand, &two, |games| games < 1, 6, seed)
}

#[test]
fn what_is_carried_is_what_lines_by_hand_would_carry() {
    let plies: u64 = (0..60).map(agrees).sum();
    assert!(plies > 400, "{plies}");
}

/// `GAMES=n SEED=n` bound and steer it.
#[test]
#[ignore = "takes as long as it is told to"]
fn what_is_carried_is_what_lines_by_hand_would_carry_for_long() {
    let number = |name: &str, otherwise| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(otherwise);
    let (games, seed): (u64, u64) = (number("GAMES", 500), number("SEED", 7));
    let plies: u64 = (0..games).map(|game| agrees(seed.wrapping_mul(1_000_003).wrapping_add(game))).sum();
    println!("{games} texts twice, {plies} plies compared");
}

const HEAD: &str = "game \"Carried\"\nplayers A, B\nboard square(4)\npiece man of each player\n";
const END: &str = "turn { go else pass }\nend { draw when turn > 9 }\n";

#[test]
fn what_stands_nowhere_carries_nothing() {
    let game = read(&format!(
        "{HEAD}track age(piece) : 1..5\nstart {{ a1 becomes man of A; age(a1) becomes 3; age(b2) becomes 4; b2 becomes man of B }}\n\
         move go \"{{from}}-{{to}}\" {{ from : own; to : next_to from but own; from -> to }}\n{END}"
    ));
    let position = game.start();
    let json = position.to_json();
    assert_eq!(json["state"]["age"], serde_json::json!({"a1": 3, "b2": 1}));
    let again = game.set_up(&json).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(again.to_json(), json);
    let mut wrong = json.clone();
    wrong["state"]["age"]["c3"] = serde_json::json!(2);
    assert_eq!(game.set_up(&wrong).err().as_deref(), Some("`age` belongs to a piece, and nothing stands on c3"));
    let after = position.play("a1-a2").unwrap();
    assert_eq!(after.to_json()["state"]["age"], serde_json::json!({"a2": 3, "b2": 1}));
    let taken = after.play("b2-a2").unwrap();
    assert_eq!(taken.to_json()["state"]["age"], serde_json::json!({"a2": 1}));
}

#[test]
fn what_cannot_be_carried_is_said() {
    let with = |declared: &str, lines: &str| {
        refused(&format!(
            "{HEAD}{declared}\nstart {{ side(S) becomes man of A }}\n\
             move go \"{{from}}-{{to}}\" {{ from : own; to : empty next_to from; {lines} }}\n{END}"
        ))
    };
    let stacks = with("stacks to 3\ntrack age(piece) : 0..3", "from -> to; age(to) becomes 1");
    assert!(stacks.contains("`age` cannot belong to pieces where a site holds several"), "{stacks}");
    let late = with("track age(piece) : 0..3 = count own", "from -> to; age(to) becomes 1");
    assert!(late.contains("what `age` is at first must be known before the game"), "{late}");
    let repeated = with("track age(piece) : 0..3", "repeat at most 2 { from -> to when age(from) = 0 }");
    assert!(repeated.contains("`age` goes along with the piece"), "{repeated}");
    let unsure = with(
        "track age(piece) : 0..3",
        "from -> to; from becomes (dropped(from)); age(from) becomes 2 }\nword dropped(x) = if x in edge then kind(x) of A else empty\nmove other \"o\" { if turn > 1",
    );
    assert!(unsure.contains("whether a piece stands there afterwards is not told"), "{unsure}");
    let many = with("track age(man) : 0..3", "from -> to");
    assert!(many.contains("for each player, site, piece or kind, not for each `man`"), "{many}");
}

#[test]
fn lines_with_many_values_come_to_too_much() {
    let lines: String = (0..150)
        .map(|n| format!("age(to) becomes 1 when {}\n", vec![format!("turn > {n}"); 60].join(" and ")))
        .collect();
    let told = refused(&format!(
        "{HEAD}track age(piece) : 0..3\nmove go \"{{from}}-{{to}}\" {{ from : own; to : empty next_to from; from -> to\n{lines} }}\n{END}"
    ));
    assert!(told.contains("come to too much"), "{told}");
}

#[test]
fn a_name_tracked_for_each_site_is_compared() {
    for of in ["site", "piece"] {
        let game = read(&format!(
            "{HEAD}track face({of}) : heads, tails = heads\nword shows(x) = face(x)\nstart {{ a1 becomes man of A; face(a1) becomes tails }}\n\
             move go \"{{from}}-{{to}}\" {{ from : own, face(from) is tails, shows(from) is not heads; to : empty next_to from; from -> to; face(to) becomes face(from) }}\n{END}"
        ));
        assert_eq!(game.start().moves(), ["a1-a2", "a1-b1"]);
        assert!(compare(of, &game, |games| games < 3, 9, 5) > 3);
    }
}

#[test]
fn a_value_that_goes_with_its_piece_is_told_on_the_sheet() {
    let text = format!(
        "{HEAD}track face(piece) : heads, tails = heads \"the side that is up\"\nmove go \"{{from}}-{{to}}\" {{ from : own, face(from) is heads; to : empty next_to from; from -> to }}\n{END}"
    );
    let game = read(&text);
    assert_eq!(game.rules().memories[0].name, "face");
    assert!(game.rules().memories[0].with_piece);
    let sheet = Sheet::new(&game, &Project::load("carried.game", &text, &Library)).text();
    let told = sheet.lines().find_map(|line| line.strip_prefix("Each piece: "));
    assert_eq!(told, Some("it carries its face (the side that is up) with it, heads or tails; heads for a new piece"));
}
