//! Random playouts choose every legal move equally often: counts of positions after one ply, by chi-squared.

use crate::engine::Play;
use crate::engine::dice::Dice;
use crate::engine::fast::{Fast, MachineCode};
use crate::engine::reference::{Ply, State};
use crate::engine::shunned::{Shunned, Surroundings};
use crate::game::Game;
use crate::library::Library;
use crate::rules::MoveId;
use crate::study::playout::{generator, pick};
use std::collections::HashMap;
use std::sync::Arc;

/// Games for each position.
const DRAWS: u64 = 8_000;

/// The 99.99 % point of chi-squared, by the approximation of Wilson and Hilferty.
fn bound(degrees: f64) -> f64 {
    let part = 2.0 / (9.0 * degrees);
    degrees * (1.0 - part + 3.719 * part.sqrt()).powi(3)
}

/// Plays some plies, then the next one again and again as playouts do, with a generator for each game.
fn draw(name: &str, game: &Game, plies: u64, seed: u64) {
    let (rules, engine) = (game.rules(), game.engine());
    let mut player = game.fast().expect("lowered").player();
    player.load(&game.start_snapshot());
    let mut situation = engine.start();
    let mut path = Vec::new();
    for ply in 0..plies {
        let Some(index) = pick(player.count(), &mut generator(seed, ply)) else { return };
        let (mv, parts) = player.ply(index).unwrap();
        let same = |ply: &&Ply| ply.mv == mv && ply.parts(rules).eq(parts.iter().cloned());
        let ply = situation.legal.iter().find(same).unwrap().clone();
        situation = engine.play(&situation, &ply);
        player.play(index);
        path.push(index);
    }
    // Each move the reference offers, by the state it leads to: several may lead to one.
    let count = situation.legal.len();
    if situation.outcome.is_some() {
        return;
    }
    let mut expected: HashMap<String, f64> = HashMap::new();
    for ply in situation.legal.iter() {
        let after = engine.play(&situation, ply);
        *expected.entry(format!("{:?}", engine.snapshot(&after.state))).or_default() += DRAWS as f64 / count as f64;
    }
    let mut drawn: HashMap<String, f64> = HashMap::new();
    for number in 0..DRAWS {
        player.reset();
        path.iter().for_each(|index| player.play(*index));
        player.playout(&mut Dice::new(generator(seed, plies + number)), 1);
        *drawn.entry(format!("{:?}", player.snapshot())).or_default() += 1.0;
    }
    let unknown: Vec<_> = drawn.keys().filter(|state| !expected.contains_key(*state)).collect();
    assert!(unknown.is_empty(), "{}: states that no legal move leads to: {unknown:?}", name);
    if expected.len() > 1 {
        let times = |state| drawn.get(state).copied().unwrap_or(0.0);
        let chi: f64 = expected.iter().map(|(state, mean)| (times(state) - mean).powi(2) / mean).sum();
        let most = bound(expected.len() as f64 - 1.0);
        assert!(chi < most, "{}: chi-squared {chi:.1} of at most {most:.1}, {count} moves", name);
    }
}

#[test]
fn every_lawful_move_is_as_likely() {
    for (name, options, plies) in [
        ("tic_tac_toe", &[][..], [0, 3]),
        ("equi", &[("size", "3")], [4, 9]),
        ("epoxy", &[("size", "hexagon"), ("side", "2")], [1, 5]),
        ("pushpin", &[("side", "2")], [0, 3]),
        ("iqishiqi", &[("side", "4")], [0, 2]),
        ("reversi", &[("size", "4")], [0, 4]),
        ("english_draughts", &[], [0, 12]),
    ] {
        let text = Library::text(name).expect("shipped");
        let options: Vec<(String, String)> =
            options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let game = Game::from_text(name, text, None, &options, &Library).expect(name);
        for plies in plies {
            draw(name, &game, plies, 20_261_121);
        }
    }
}

/// Plays the next two plies again and again as playouts do: the second one is drawn or counted, as the game's rules ask for.
fn draw_two(name: &str, game: &Game, plies: u64, seed: u64) {
    let engine = game.engine();
    let mut player = game.fast().expect("lowered").player();
    player.load(&game.start_snapshot());
    let mut situation = engine.start();
    for ply in 0..plies {
        let Some(index) = pick(player.count(), &mut generator(seed, ply)) else { return };
        let (mv, parts) = player.ply(index).unwrap();
        let same = |ply: &&Ply| ply.mv == mv && ply.parts(game.rules()).eq(parts.iter().cloned());
        let ply = situation.legal.iter().find(same).unwrap().clone();
        situation = engine.play(&situation, &ply);
        player.play(index);
    }
    if situation.outcome.is_some() {
        return;
    }
    let mut expected: HashMap<String, f64> = HashMap::new();
    let mut expect = |state: &State, share: f64| {
        *expected.entry(format!("{:?}", engine.snapshot(state))).or_default() += share * DRAWS as f64;
    };
    for first in situation.legal.iter() {
        let after = engine.play(&situation, first);
        let share = 1.0 / situation.legal.len() as f64;
        if after.outcome.is_some() {
            expect(&after.state, share);
        }
        for second in after.legal.iter().filter(|_| after.outcome.is_none()) {
            expect(&engine.play(&after, second).state, share / after.legal.len() as f64);
        }
    }
    player.mark();
    let mut drawn: HashMap<String, f64> = HashMap::new();
    for number in 0..DRAWS {
        player.reset();
        player.playout(&mut Dice::new(generator(seed, plies + number)), 2);
        *drawn.entry(format!("{:?}", player.snapshot())).or_default() += 1.0;
    }
    let unknown = drawn.keys().find(|state| !expected.contains_key(*state));
    assert!(unknown.is_none(), "{name}: a state that no two legal plies lead to: {unknown:?}");
    // States that are too rare for the test stand together.
    let (common, rare): (Vec<_>, Vec<_>) = expected.iter().partition(|(_, mean)| **mean >= 5.0);
    let times = |state: &String| drawn.get(state).copied().unwrap_or(0.0);
    let rest = [rare.iter().map(|(state, _)| times(state)).sum::<f64>(), rare.iter().map(|(_, mean)| **mean).sum()];
    let mut chi: f64 = common.iter().map(|(state, mean)| (times(state) - **mean).powi(2) / **mean).sum();
    if rest[1] > 0.0 {
        chi += (rest[0] - rest[1]).powi(2) / rest[1];
    }
    let most = bound((common.len() + usize::from(rest[1] > 0.0)).saturating_sub(1).max(1) as f64);
    assert!(chi < most, "{name}: chi-squared {chi:.1} of at most {most:.1}, {} states", expected.len());
}

#[test]
fn plies_that_are_drawn_are_as_likely_as_plies_that_are_counted() {
    for (name, options, plies) in [
        ("go", &[("size", "3")][..], [2, 9]),
        ("go", &[("size", "4")], [12, 24]),
        ("slither", &[("size", "3")], [0, 4]),
        ("slither", &[("size", "4")], [9, 14]),
        ("push_and_pull", &[("side", "3")], [3, 8]),
        ("oware", &[], [0, 11]),
        ("push_and_pull", &[("side", "3"), ("protocol", "single")], [0, 5]),
        ("go", &[("size", "3"), ("suicide", "allowed"), ("ko", "situational")], [5, 11]),
        ("oware", &[("pits", "3"), ("grand_slam", "unlawful")], [6, 17]),
        ("slither", &[("size", "4"), ("movable", "touching")], [7, 12]),
        ("weituweiqi", &[("side", "3")], [3, 6]),
        ("iqishiqi", &[("side", "4")], [1, 5]),
        ("lines_of_action", &[("size", "4")], [0, 3]),
        ("lines_of_action", &[("size", "6")], [2, 9]),
        ("refugia", &[], [0, 6]),
        ("pushpin", &[("side", "3")], [2, 7]),
        ("halma", &[("size", "8")], [0, 20]),
        // Steps and hops have their numbers in common.
        ("halma", &[], [0, 20]),
        ("chinese_checkers", &[], [0, 15]),
    ] {
        let text = Library::text(name).expect("shipped");
        let options: Vec<(String, String)> =
            options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let game = Game::from_text(name, text, None, &options, &Library).expect(name);
        for plies in plies {
            draw_two(name, &game, plies, 20_261_122);
        }
    }
}

/// Two stones a turn, of which each may tug at two pieces as far as they see it, and of which one must tug at either.
const TUGS: &str = r#"game "Tugs"
option far : 0..2 = 0
option also : 0..1 = 1
players A, B
board square(4)
piece stone "x" neutral
piece tug of each player
start { b2 becomes tug of A; d4 becomes tug of B }
word pull(m, cell) = if m in in_sight(cell) then distance(m, cell) - 1 else far
word push(m, cell) = if m in in_sight(cell) then count open(m, direction(cell, m)) else far
word least(m, cell) = if m in next_to cell then 0 else also - 1
word most(m, cell) = push(m, cell) - 1 + also
move drop "{cell} {mine} {theirs}" {
  cell   : empty
  me     = the tug of mover
  you    = the tug of next
  mine   : -pull(me, cell) .. push(me, cell)
  theirs : least(you, cell) .. most(you, cell)
  cell becomes stone
  me  -> ahead(me, direction(cell, me), mine)       when mine != 0
  you -> ahead(you, direction(cell, you), theirs)   when theirs != 0
}
whole turn { drop, drop such that some drop this turn with mine != 0 }
end {
  next loses when stuck
  draw when turn > 12
}"#;

/// A ring, on which a line comes back to where it began: a site is seen from both sides.
const ROUND: &str = r#"game "Round"
players A, B
board ring(9)
piece stone "x" neutral
piece tug of each player
start { 1 becomes tug of A; 5 becomes tug of B }
move drop "{cell} {far}" {
  cell : empty
  me   = the tug of mover
  far  : (if me in in_sight(cell) then 1 - distance(me, cell) else 0) .. (if me in in_sight(cell) then count open(me, direction(cell, me)) else 0)
  cell becomes stone
  me -> ahead(me, direction(cell, me), far) when far != 0
}
whole turn { drop, drop such that some drop this turn with far != 0 }
end {
  next loses when stuck
  draw when turn > 12
}"#;

#[test]
fn plies_with_numbers_of_ranges_are_as_likely_too() {
    for (text, options, plies) in [
        (TUGS, &[][..], [0, 3]),
        (TUGS, &[("far", "1")], [1, 4]),
        (TUGS, &[("far", "2"), ("also", "0")], [0, 5]),
        (TUGS, &[("also", "0")], [2, 6]),
        (ROUND, &[], [0, 1]),
        (ROUND, &[], [2, 3]),
    ] {
        let options: Vec<(String, String)> =
            options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let game = Game::from_text("a text", text, None, &options, &Library).expect("a game");
        let fast = game.fast().expect("lowered");
        assert!(!fast.drawn_places().is_empty(), "plies are drawn");
        for plies in plies {
            draw_two("a text", &game, plies, 20_261_123);
        }
        let expected = digest(&game, MachineCode::Never);
        assert_eq!(digest(&game, MachineCode::AtOnce), expected);
    }
}

/// Pieces of three kinds, of which some go to many more sites than others. Two words are to be put in.
const KINDS: &str = r#"game "Kinds"
players A, B
board square(6) adjacent all
piece rook, wazir, camel of each player
start { a1 or f1 becomes rook of A; b1 or c1 becomes wazir of A; d1 or e1 becomes camel of A
        a6 or f6 becomes rook of B; b6 or c6 becomes wazir of B; d6 or e6 becomes camel of B }
word goes(x) = case kind(x) { rook: ray(x, orthogonal), wazir: ahead(x, orthogonal), camel: ray(x, directions) or knights(x) }
word number(x) = 3 * distance(x, a1) + 5 * distance(x, f1)
move go "{from}-{to}" {
  from : FROM
  to   : goes(from) but own
  from -> to
  so that WHICH
  so that no x in (enemy rook) with any (ray(x, orthogonal) own wazir)
}
turn { go }
end {
  next loses when stuck
  next loses when no enemy
  draw when turn > 40
}"#;

fn of_kinds(from: &str, which: &str) -> Game {
    let text = KINDS.replace("FROM", from).replace("WHICH", which);
    let game = Game::from_text("a text", &text, None, &[], &Library).expect("a game");
    assert!(!game.fast().expect("lowered").drawn_places().is_empty(), "plies are drawn");
    game
}

#[test]
fn plies_of_different_pieces_are_as_likely_too() {
    for (from, which) in [
        ("own", "any site"),
        ("own (rook or camel)", "any site"),
        ("own (rook or wazir)", "any site"),
        ("own but own camel", "any site"),
        ("own next_to empty", "any site"),
        ("own", "(7 * number(from) + number(to)) mod 5 = 3"),
    ] {
        let game = of_kinds(from, which);
        for plies in [0, 5, 12] {
            draw_two(from, &game, plies, 20_261_128);
        }
        assert_eq!(digest(&game, MachineCode::AtOnce), digest(&game, MachineCode::Never), "{from}, {which}");
    }
}

/// Two plies a turn, of which the second is closed after a check: what its moves are drawn from is worked out only where it is
/// open.
const TWO_A_TURN: &str = r#"game "Two a turn"
players White facing N, Black facing S
board square(6) adjacent all
piece king, queen, bishop, knight "N", pawn of each player
start drawn {
  . b q k n .
  p p p p p p
  . . . . . .
  . . . . . .
  P P P P P P
  . B Q K N .
}
word attacks(x: site) = case kind(x) {
  king: next_to x, queen: ray(x, directions), bishop: ray(x, diagonal), knight: knights(x)
  pawn: ahead(x, diagonal_forward(owner(x)))
}
word in_check(p: player) = some x in of other(p) with (king of p in attacks(x))
move go "{from}-{to}" {
  from : own not pawn
  to   : attacks(from) but own
  from -> to
  so that not in_check(mover)
}
move double "{from}-{to}" {
  from : own pawn row_of(mover, 2)
  over = empty ahead(from, forward(mover))
  to   : empty ahead(over, forward(mover))
  from -> to
  so that not in_check(mover)
}
pattern act = go or double
turn { act, (act when not in_check(other(mover)) else nothing) }
end {
  draw when stuck
  draw when turn > 20
}"#;

#[test]
fn plies_that_are_open_in_some_turns_are_as_likely_too() {
    // The condition at the second move, or at the choice of it and nothing.
    let otherwise = TWO_A_TURN.replace(
        "(act when not in_check(other(mover)) else nothing)",
        "(act else nothing) when not in_check(other(mover))",
    );
    for text in [TWO_A_TURN, &otherwise] {
        let game = Game::from_text("a text", text, None, &[], &Library).expect("a game");
        assert!(!game.fast().expect("lowered").drawn_places().is_empty(), "plies are drawn");
        for plies in [1, 3, 7] {
            draw("two a turn", &game, plies, 20_261_129);
        }
        assert_eq!(digest(&game, MachineCode::AtOnce), digest(&game, MachineCode::Never));
    }
}

#[test]
fn drawn_plies_tell_without_bias_how_many_there_are() {
    // Of the last two more than a fifth of all plies are listed after candidates were drawn in vain.
    for (which, games) in [
        ("any site", DRAWS),
        ("(7 * number(from) + number(to)) mod 29 = 9", 4 * DRAWS),
        ("(7 * number(from) + number(to)) mod 41 = 17", 4 * DRAWS),
    ] {
        let game = of_kinds("own", which);
        for code in [MachineCode::Never, MachineCode::AtOnce] {
            tells_without_bias(which, &game, code, games);
        }
    }
}

fn tells_without_bias(which: &str, game: &Game, code: MachineCode, games: u64) {
    let fast = Fast::with(&Arc::new(game.rules().clone()), code).expect("lowered");
    let mut player = fast.player();
    player.load(&game.start_snapshot());
    // The first ply is chosen from a list, and the second one drawn.
    let first = player.count();
    let after = |index: usize| {
        player.reset();
        player.play(index);
        player.count()
    };
    let count = first as f64 + (0..first).map(after).sum::<usize>() as f64 / first as f64;
    let told = |number| {
        player.reset();
        player.playout(&mut Dice::new(generator(20_261_128, number)), 2).1 as f64
    };
    let told: Vec<f64> = (0..games).map(told).collect();
    let mean = told.iter().sum::<f64>() / games as f64;
    let variance = told.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / games as f64;
    // Four times the error that is to be expected of the mean.
    let most = 4.0 * (variance / games as f64).sqrt();
    assert!((mean - count).abs() <= most, "{which}: {mean:.2} told of {count:.2}, at most {most:.2} apart");
}

/// What a series of games comes to, in one number.
fn digest(game: &Game, code: MachineCode) -> u64 {
    digest_without(game, code, None)
}

/// The same where some plies are left out.
fn digest_without(game: &Game, code: MachineCode, shunned: Option<Arc<Shunned>>) -> u64 {
    let fast = Fast::with(&Arc::new(game.rules().clone()), code).expect("lowered");
    let mut player = fast.player();
    player.load(&game.start_snapshot());
    player.shun(shunned);
    (0..12).fold(0, |sum: u64, number| {
        player.reset();
        let mut dice = Dice::new(generator(7, number));
        player.playout(&mut dice, 120);
        sum.wrapping_mul(31).wrapping_add(dice.digest())
    })
}

#[test]
fn a_seed_plays_the_same_games_with_machine_code_and_without() {
    for (name, options) in [
        ("go", &[("size", "5")][..]),
        ("slither", &[("size", "5")]),
        ("push_and_pull", &[("side", "3")]),
        ("oware", &[]),
        ("lines_of_action", &[]),
        ("iqishiqi", &[("side", "4")]),
        ("weituweiqi", &[("side", "4")]),
        ("refugia", &[]),
        ("hex", &[("size", "5")]),
        ("english_draughts", &[]),
        ("chess", &[]),
        ("halma", &[]),
    ] {
        let text = Library::text(name).expect("shipped");
        let options: Vec<(String, String)> =
            options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let game = Game::from_text(name, text, None, &options, &Library).expect(name);
        let expected = digest(&game, MachineCode::Never);
        assert_eq!(digest(&game, MachineCode::AtOnce), expected, "{name}");
        assert_eq!(digest(&game, MachineCode::WhenWarm), expected, "{name}");
    }
}

/// Plies of one site around which there are two or more own pieces, whatever the move.
fn crowded() -> Arc<Shunned> {
    let mut shunned = Shunned::default();
    for (seat, mv, own) in (0..2).flat_map(|seat| (0..12).flat_map(move |mv| (2..=8).map(move |own| (seat, mv, own)))) {
        for others in 0..=6 {
            (0..=6).for_each(|empty| shunned.add(seat, Surroundings::of(MoveId(mv), own, others, empty)));
        }
    }
    Arc::new(shunned)
}

#[test]
fn what_is_left_out_is_left_out_by_machine_code_and_without() {
    for (name, options) in [("go", &[("size", "5")][..]), ("slither", &[("size", "5")]), ("oware", &[]), ("chess", &[])]
    {
        let text = Library::text(name).expect("shipped");
        let options: Vec<(String, String)> =
            options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let game = Game::from_text(name, text, None, &options, &Library).expect(name);
        let expected = digest_without(&game, MachineCode::Never, Some(crowded()));
        assert_eq!(digest_without(&game, MachineCode::AtOnce, Some(crowded())), expected, "{name}");
        assert_eq!(digest_without(&game, MachineCode::WhenWarm, Some(crowded())), expected, "{name}");
        // Plies of chess name two sites, and no pieces lie around those of Oware.
        assert_eq!(digest(&game, MachineCode::AtOnce) == expected, ["chess", "oware"].contains(&name), "{name}");
    }
}

/// Plies of one site around which all is own, as far as the board goes, whatever the move.
fn eyes() -> Arc<Shunned> {
    let mut shunned = Shunned::default();
    for (seat, mv, own) in (0..2).flat_map(|seat| (0..12).flat_map(move |mv| (2..=4).map(move |own| (seat, mv, own)))) {
        shunned.add(seat, Surroundings::of(MoveId(mv), own, 0, 0));
    }
    Arc::new(shunned)
}

#[test]
fn plies_that_are_left_out_are_seldom_played() {
    let text = Library::text("go").expect("shipped");
    let game = Game::from_text("go", text, None, &[], &Library).expect("go");
    let played = |these: &Shunned, shunned: Option<Arc<Shunned>>| {
        let fast = Fast::with(&Arc::new(game.rules().clone()), MachineCode::AtOnce).expect("lowered");
        let mut player = fast.player();
        player.load(&game.start_snapshot());
        player.shun(shunned);
        let mut sum = 0;
        for number in 0..20 {
            player.reset();
            let mut tell = |player: &mut dyn Play, index: usize| {
                sum += usize::from(player.surroundings(index).is_some_and(|around| these.holds(0, around)));
            };
            player.playout_told(&mut Dice::new(generator(3, number)), 400, &mut tell);
        }
        sum
    };
    for (these, most) in [(crowded(), 20), (eyes(), 100)] {
        let (with, without) = (played(&these, None), played(&these, Some(Arc::clone(&these))));
        assert!(with > 100 && without * most < with, "{with} and {without}");
    }
}

/// How many moves there are to choose from is told without bias where plies are drawn, also of a way that is played where the
/// preferred one has none.
#[test]
fn moves_of_a_way_that_is_not_preferred_are_counted_where_plies_are_drawn() {
    let text = "game \"Prisoners\"\nplayers Black, White\nboard square(8) adjacent diagonal keeping dark\npiece man of each player\nstacks to 24\n\
                start { (row(1) or row(2) or row(3)) becomes man of Black; (row(6) or row(7) or row(8)) becomes man of White }\n\
                move walk \"{from}-{to}\" {\n  from : own\n  to : empty next_to from\n  from -> to\n}\n\
                move jump \"{from}x{to}\" {\n  from : own\n  to : empty, distance(from, to) = 2 and between(from, to) in enemy\n  \
                over = between(from, to)\n  from -> to\n  top of over becomes empty\n  then\n  to gets man of next as bottom\n}\n\
                turn { jump else walk }\nend { mover wins when no enemy; next loses when stuck; draw when turn > 100 }\n";
    let game = Game::from_text("prisoners.game", text, None, &[], &Library).unwrap();
    let mean = |listed: bool| {
        let mut player = game.fast().unwrap().player();
        let (mut plies, mut choices) = (0, 0);
        for number in 0..120 {
            player.load(&game.start_snapshot());
            let (played, offered) = if listed {
                let mut dice = generator(9, number);
                let mut sums = (0, 0);
                while let Some(index) = pick(player.count(), &mut dice) {
                    sums = (sums.0 + 1, sums.1 + player.count() as u64);
                    player.play(index);
                }
                sums
            } else {
                player.playout(&mut Dice::new(generator(9, number)), u64::MAX)
            };
            (plies, choices) = (plies + played, choices + offered);
        }
        choices as f64 / plies as f64
    };
    let (drawn, listed) = (mean(false), mean(true));
    assert!((drawn / listed - 1.0).abs() < 0.1, "{drawn} and {listed}");
}
