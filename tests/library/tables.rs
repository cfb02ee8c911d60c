//! Tables of positions: small games made at random are worth what play on the reference engine says, and every position what
//! those behind it are worth.

use crate::ai::solve::{MEMORY, Missing, Settings, Solution, Way, solve_with};
use crate::game::{Game, Line, Position};
use crate::library::Library;
use crate::study::halt::Halt;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

fn by(way: Option<Way>, nodes: u64, line: &Line) -> Solution {
    solve_with(line, Settings { nodes, bytes: MEMORY, way }, Halt::never(), &mut |_| {})
}

fn table(line: &Line) -> Solution {
    by(Some(Way::Table), 20_000, line)
}

/// The text of a small game: few men on few sites, with some of the endings that look back, count, or do neither.
fn made(random: &mut Xoshiro256PlusPlus) -> String {
    let mut one = |texts: &[&str]| texts[random.random_range(0..texts.len())].to_owned();
    let board = one(&[
        "square(2) adjacent all",
        "square(3) adjacent orthogonal",
        "rectangle(3, 2) adjacent all",
        "square(3) adjacent all",
    ]);
    let hand = one(&["0", "1", "2"]);
    let start = one(&[
        "a1 becomes man of A\n  b2 becomes man of B",
        "a1 or b1 becomes man of A\n  a2 or b2 becomes man of B",
        "a1 becomes man of A\n  (a2 or b2) becomes man of B",
        "a1 becomes man of A",
        "b1 becomes man of B",
    ]);
    let to = one(&["empty next_to from", "(empty or enemy) next_to from", "enemy next_to from or empty next_to from"]);
    let turn = one(&[
        "step",
        "step or put",
        "step or put",
        "(step or put), (take else nothing) when it in corner",
        "step, (put else nothing)",
        "step else put",
        "put else step",
    ]);
    let mut lines: Vec<String> = (0..3)
        .map(|_| {
            one(&[
                "mover wins when count(of next) + hand(next) = 0",
                "mover wins when line(3, own, directions)",
                "A wins when any of A side(N)",
                "B wins when any of B a1",
                "next loses when count(of next) < 1 and hand(next) < 1",
                "draw when no empty",
                "draw when position seen 2",
                "draw when position seen 3",
                "draw when position seen 3 and no own corner",
                "draw when turns without (put or take) = 3",
                "draw when turns without put = 5",
                "draw when turns without (put or take) >= 8",
                "mover wins when turns without put = 4",
                "mover loses when position seen 3",
                "draw when ply > 9",
                "draw when ply > 40",
                "draw when turn >= 12",
                "draw at once when turn = 9 and no own corner",
            ])
        })
        .collect();
    lines.push(one(&["next loses when stuck", "draw when stuck", "next wins when stuck"]));
    format!(
        "game \"Made\"\nplayers A, B\nboard {board}\npiece man of each player\ntrack hand(player) : 0..2 = {hand}\n\
         start {{\n  {start}\n}}\n\
         move step \"{{from}}-{{to}}\" {{\n  from : own\n  to : {to}\n  from -> to\n}}\n\
         move put \"{{cell}}\" {{\n  cell : empty\n  if hand(mover) > 0\n  cell becomes man of mover\n  \
         hand(mover) becomes hand(mover) - 1\n}}\n\
         move take \"x{{prey}}\" {{\n  prey : enemy\n  prey becomes empty\n}}\n\
         turn {{ {turn} }}\nend {{\n  {}\n}}\n",
        lines.join("\n  ")
    )
}

/// Whether a seat wins within so many plies whatever the other does, on the reference engine.
fn wins(position: &Position, seat: usize, plies: u32) -> bool {
    if let Some(places) = position.outcome_by_seat() {
        return places[seat] < places[1 - seat];
    }
    let mut behind = (0..position.move_count()).map(|index| position.play_index(index).unwrap());
    plies > 0
        && if position.seat() == Some(seat) {
            behind.any(|next| wins(&next, seat, plies - 1))
        } else {
            behind.all(|next| wins(&next, seat, plies - 1))
        }
}

/// Compares what a table says of a position with the reference engine, as far as so many plies tell.
fn agrees_with_play(solution: &Solution, position: &Position, plies: u32, text: &str) {
    let values = solution.values.as_ref().unwrap();
    for (seat, value) in values.iter().enumerate() {
        match solution.distance.filter(|_| *value == 1.0) {
            Some(distance) if distance <= plies => {
                assert!(wins(position, seat, distance), "{text}\n{solution:?}");
                assert!(distance == 0 || !wins(position, seat, distance - 1), "{text}\n{solution:?}");
            }
            Some(_) | None => assert!(!wins(position, seat, plies), "{text}\n{solution:?}"),
        }
    }
}

/// Compares what a table says of a position with what tables say of those behind it.
fn follows_from_those_behind(solution: &Solution, line: &Line, text: &str) {
    let seat = line.position().seat().unwrap();
    let mine = |solution: &Solution| solution.values.as_ref().unwrap()[seat];
    let behind: Vec<Solution> = (0..line.position().move_count())
        .map(|index| {
            let mut line = line.clone();
            line.play(index).unwrap();
            table(&line)
        })
        .collect();
    if behind.iter().any(|solution| solution.values.is_none()) {
        return;
    }
    let best = behind.iter().map(mine).fold(0.0, f32::max);
    assert_eq!(mine(solution), best, "{text}\n{:?}", line.moves());
    let away = behind.iter().filter(|solution| mine(solution) == best).map(|solution| solution.distance);
    let away: Option<Vec<u32>> = away.collect();
    let expected = match (away, best) {
        (Some(away), 1.0) => away.into_iter().min().map(|plies| plies + 1),
        (Some(away), 0.0) => away.into_iter().max().map(|plies| plies + 1),
        (Some(_) | None, _) => None,
    };
    assert_eq!(solution.distance, expected, "{text}\n{:?}", line.moves());
}

fn campaign(games: u32, seed: u64) -> [u32; 5] {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let [mut tables, mut won, mut drawn, mut endless, mut past] = [0; 5];
    for _ in 0..games {
        let text = made(&mut random);
        // Some boards have no three sites in a line.
        let Ok(game) = Game::from_text("made.game", &text, None, &[], &Library) else { continue };
        let mut line = Line::new(game.start());
        for _ in 0..random.random_range(0..6) {
            let count = line.position().move_count();
            if count > 0 {
                line.play(random.random_range(0..count)).unwrap();
            }
        }
        if line.position().is_over() {
            continue;
        }
        let solution = table(&line);
        past += u32::from(matches!(solution.missing, Some(Missing::Past(_))));
        let Some(values) = &solution.values else { continue };
        tables += 1;
        won += u32::from(values[0] != 0.5);
        drawn += u32::from(values[0] == 0.5);
        endless += u32::from(solution.endless);
        let counts = solution.counts.as_ref().unwrap();
        assert!(counts.all() > 0 && counts.endless <= counts.drawn);
        agrees_with_play(&solution, line.position(), 4, &format!("{text}\n{:?}", line.moves()));
        follows_from_those_behind(&solution, &line, &text);
        // What is proved is the same.
        let proved = by(Some(Way::Proof), 3_000, &line);
        assert!(proved.values.is_none_or(|proved| proved == *values), "{text}\n{:?}", line.moves());
        // The play that is told leads there.
        let mut told = line.clone();
        solution.moves.iter().for_each(|mv| assert!(told.play_text(mv).is_ok(), "{text}\n{mv}"));
        if let Some(places) = told.position().outcome_by_seat() {
            let first = 0.5 + (f32::from(places[1]) - f32::from(places[0])) / 2.0;
            assert_eq!(first, values[0], "{text}\n{:?}: {:?}", line.moves(), solution.moves);
        } else {
            assert!(solution.endless, "{text}\n{:?}: {:?}", line.moves(), solution.moves);
        }
    }
    [tables, won, drawn, endless, past]
}

#[test]
fn small_games_made_at_random_are_worth_what_play_and_the_positions_behind_say() {
    let [tables, won, drawn, endless, past] = campaign(200, 7);
    println!("{tables} tables, {won} won, {drawn} drawn, {endless} without an end, {past} without a table");
    assert!(tables > 60 && won > 20 && drawn > 10 && endless > 3 && past > 3);
}

#[test]
#[ignore = "as long as is wished"]
fn many_small_games_are_worth_what_play_and_the_positions_behind_say() {
    let number = |name: &str, or: u64| std::env::var(name).map_or(or, |value| value.parse().unwrap());
    println!("{:?}", campaign(u32::try_from(number("GAMES", 1_000)).unwrap(), number("SEED", 11)));
}

fn text(text: &str) -> Game {
    Game::from_text("test.game", text, None, &[], &Library).unwrap()
}

fn shipped(name: &str, options: &[(&str, &str)]) -> Game {
    let options: Vec<_> = options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Game::from_text(name, Library::text(name).unwrap(), None, &options, &Library).unwrap()
}

/// The ends of the game and 4,520 positions that go on, eight of them one.
#[test]
fn tic_tac_toe_has_as_many_positions_as_everybody_counts() {
    let solution = table(&Line::new(shipped("tic_tac_toe", &[]).start()));
    let counts = solution.counts.unwrap();
    assert_eq!(solution.values, Some(vec![0.5, 0.5]));
    assert!([(765, 8), (5_478, 1)].contains(&(counts.all(), counts.images)), "{counts:?}");
    assert!(!solution.endless);
}

#[test]
fn a_proof_looks_once_at_positions_that_are_turned_or_mirrored() {
    // It takes 4,665 where each counts.
    let start = Line::new(shipped("tic_tac_toe", &[]).start());
    assert_eq!(by(Some(Way::Proof), 2_000, &start).values, Some(vec![0.5, 0.5]));
    // What is mirrored is worth the same.
    let sides = shipped("connect_four", &[("width", "4"), ("height", "4")]);
    for moves in [&["a1", "d1", "a2"][..], &["d1", "a1", "d2"]] {
        let solution = by(Some(Way::Proof), 200_000, &Line::replayed(&sides, moves).unwrap());
        assert_eq!(solution.values, Some(vec![0.5, 0.5]), "{moves:?}");
    }
}

/// Marcia Ascher, Mu Torere: an analysis of a Maori game, 1987: nobody need lose.
#[test]
fn mu_torere_goes_on_for_ever() {
    let rules = std::fs::read_to_string("examples/mu_torere.game").unwrap();
    let solution = by(None, 100_000, &Line::new(text(&rules).start()));
    assert_eq!((solution.values, solution.endless, solution.way), (Some(vec![0.5, 0.5]), true, Way::Table));
    // Without a table the circles are no draw.
    let proof = by(Some(Way::Proof), 10_000, &Line::new(text(&rules).start()));
    assert_eq!(proof.values, None);
}

/// A king and a piece against a king, on a board of this size.
fn kings_and(piece: &str, size: usize) -> Solution {
    let last = ["a", "b", "c", "d", "e", "f", "g", "h"][size - 1];
    let rules = format!(
        "game \"Kings\"\n\
         players White, Black\n\
         board square({size}) adjacent all\n\
         piece king, rook, queen of each player\n\
         start {{\n\
           a1 becomes king of White\n\
           b3 becomes {piece} of White\n\
           {last}{size} becomes king of Black\n\
         }}\n\
         word attacked(x, p: player) = any of p (king next_to x or rook first(x, orthogonal) or queen first(x, directions))\n\
         move go \"{{kind(from)}}{{from}}{{to}}\" {{\n\
           from : own\n\
           to : case kind(from) {{ king: next_to from, rook: ray(from, orthogonal), queen: ray(from, directions) }} but own\n\
           from -> to\n\
           so that not attacked(own king, other(mover))\n\
         }}\n\
         turn {{ go }}\n\
         end {{\n\
           next loses when stuck and attacked(king of next, other(next)) \"mate\"\n\
           draw when stuck\n\
           draw when count piece = 2\n\
           draw when position seen 3\n\
         }}\n"
    );
    by(None, 3_000_000, &Line::new(text(&rules).start()))
}

#[test]
fn a_rook_mates_alone_with_its_king() {
    let rook = kings_and("rook", 5);
    assert_eq!(rook.values, Some(vec![1.0, 0.0]), "{rook:?}");
    assert_eq!(rook.distance.map(|plies| plies as usize), Some(rook.moves.len()));
    assert!(rook.moves.len() % 2 == 1, "{:?}", rook.moves);
    assert!(rook.counts.unwrap().won[1] == 0);
}

/// Ken Thompson and others: mate in sixteen with a rook, in ten with a queen, and Black's move before that.
#[test]
#[ignore = "half a million positions with all their moves: half a minute"]
fn kings_and_one_piece_have_their_published_distances() {
    for (piece, longest) in [("queen", 20), ("rook", 32)] {
        let solution = kings_and(piece, 8);
        assert_eq!(solution.counts.map(|counts| counts.longest), Some(longest), "{piece}");
    }
}

/// A count that was left out comes to its end before the game is won: that is told, and no win.
#[test]
fn a_count_that_ends_the_game_too_early_is_no_win() {
    let race = |least: &str, more: &str| {
        let rules = format!(
            "game \"Race\"\nplayers A, B\nboard rectangle(6, 2)\npiece man of each player\n\
             start {{\n  a1 becomes man of A\n  a2 becomes man of B\n}}\n\
             move step \"{{from}}-{{to}}\" {{\n  from : own\n  to = ahead(from, E)\n  if any to\n  from -> to\n}}\n\
             move back \"{{from}}<{{to}}\" {{\n  from : own\n  to : ahead(from, W)\n  from -> to\n}}\n\
             turn {{ step or back }}\nend {{\n  A wins when any of A f1\n{more}  draw when turns without none_such = {least}\n}}\n"
        );
        by(
            Some(Way::Table),
            100_000,
            &Line::new(text(&rules.replace("turns without none_such", "turns without (step with to in b2)")).start()),
        )
    };
    assert_eq!(race("40", "").values, Some(vec![1.0, 0.0]));
    assert_eq!(race("40", "").distance, Some(9));
    // Counted with each position, since nothing else looks back.
    assert_eq!(race("5", "").values, Some(vec![0.5, 0.5]));
    let both = race("5", "  draw when position seen 3\n");
    assert_eq!((both.values, both.bounds, both.missing), (None, Some((0.5, 1.0)), Some(Missing::Count)));
}

#[test]
fn memory_keeps_to_its_bound() {
    let line = Line::new(shipped("connect_four", &[("width", "5"), ("height", "5")]).start());
    for (way, bytes) in [(Way::Table, 2 << 20), (Way::Proof, 1 << 20), (Way::Table, 1 << 20)] {
        let settings = Settings { nodes: 60_000, bytes, way: Some(way) };
        let solution = solve_with(&line, settings, Halt::never(), &mut |_| {});
        assert!(solution.bytes <= bytes as u64 && solution.bytes > 100_000, "{way:?}: {}", solution.bytes);
        let missing = if way == Way::Table { Missing::Memory } else { Missing::Positions };
        assert_eq!((solution.values, solution.missing), (None, Some(missing)));
    }
    // What was forgotten is proved again.
    let line = Line::new(shipped("hex", &[("size", "4")]).start());
    let settings = Settings { nodes: 2_000_000, bytes: 100_000, way: Some(Way::Proof) };
    assert_eq!(solve_with(&line, settings, Halt::never(), &mut |_| {}).values, Some(vec![1.0, 0.0]));
}
