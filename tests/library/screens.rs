//! Screens of a game as they are drawn, with and without colours, in ASCII, in windows of several sizes.

use crate::ai::Seat;
use crate::board::plan::Heading;
use crate::game::Game;
use crate::game::Line;
use crate::library::Library;
use crate::play::table::Table;
use crate::terminal::input::Key;
use crate::terminal::{App, Colors, Input, Theme};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};
use std::time::Duration;

const PLAIN: Theme = Theme { colors: Colors::None, ascii: false, letters: false };
const ASCII: Theme = Theme { colors: Colors::None, ascii: true, letters: false };
const FULL: Theme = Theme { colors: Colors::Indexed, ascii: false, letters: false };

/// A game between people after some moves.
fn app(name: &str, options: &[(&str, &str)], moves: &[&str], theme: Theme) -> App {
    let options: Vec<(String, String)> =
        options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let game = Game::from_text(name, Library::text(name).unwrap(), None, &options, &Library).unwrap();
    let line = Line::replayed(&game, moves).unwrap();
    let seats = vec![Seat::Human; game.rules().players.len()];
    App::new(Table::new(name, None, &options, line, &seats, Some(1)), theme, Duration::ZERO)
}

fn draw(app: &mut App, width: u16, height: u16) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| app.draw(frame)).unwrap();
    terminal.backend().buffer().clone()
}

fn text(buffer: &Buffer) -> String {
    let lines = buffer.content().chunks(usize::from(buffer.area.width));
    lines
        .map(|line| {
            let line: String = line.iter().map(|cell| cell.symbol()).collect();
            format!("{}\n", line.trim_end())
        })
        .collect()
}

fn screen(name: &str, options: &[(&str, &str)], moves: &[&str], theme: Theme, size: (u16, u16)) -> String {
    let shown = text(&draw(&mut app(name, options, moves, theme), size.0, size.1));
    format!("{name} {options:?} {moves:?} {}x{}\n{shown}\n", size.0, size.1)
}

#[test]
fn boards_of_every_kind_on_the_screen() {
    let mut shown = String::new();
    for (name, options, moves) in [
        ("chess", &[][..], &["e2e4", "e7e5"][..]),
        ("equi", &[], &["i5"]),
        ("hex", &[("size", "5")], &["c3", "b2"]),
        ("nine_mens_morris", &[], &["a7", "d6"]),
        ("dots_and_boxes", &[("size", "2")], &["a1n", "a1e", "a1s", "a1w"]),
        ("oware", &[], &["c1"]),
        ("english_draughts", &[], &["a3-b4"]),
        ("epoxy", &[], &[]),
        ("trike", &[], &["a1"]),
        ("hops_a_daisy", &[("player_count", "4")], &["d1", "f1", "h1", "j1"]),
    ] {
        shown += &screen(name, options, moves, PLAIN, (80, 24));
    }
    shown += &screen("chess", &[], &["e2e4", "e7e5"], FULL, (80, 24));
    shown += &screen("chess", &[], &["e2e4"], FULL, (24, 12));
    shown += &screen("pushpin", &[], &[], ASCII, (80, 24));
    shown += &screen("twelve_mens_morris", &[], &["a7"], ASCII, (80, 24));
    shown += &screen("dots_and_boxes", &[("size", "3")], &["b2n"], ASCII, (60, 14));
    shown += &screen("go", &[], &["e5"], FULL, (50, 16));
    shown += &screen("gomoku", &[], &["h8"], FULL, (30, 12));
    shown += &screen("tic_tac_toe", &[], &["b2"], FULL, (120, 30));
    shown += &screen("tic_tac_toe", &[], &["b2"], FULL, (20, 5));
    insta::assert_snapshot!(shown);
}

#[test]
fn colours_tell_players_open_sites_and_the_last_move_apart() {
    let mut app = app("breakthrough", &[], &["b2-b3"], FULL);
    let buffer = draw(&mut app, 80, 24);
    let cells: Vec<_> = buffer.content().iter().collect();
    let color = |symbol: &str| cells.iter().find(|cell| cell.symbol() == symbol).map(|cell| cell.fg);
    // White stands at the bottom and is the circle, as on paper.
    assert_eq!((color("○"), color("●")), (Some(Color::Indexed(231)), Some(Color::Indexed(247))));
    let recent = cells.iter().filter(|cell| cell.bg == Color::Indexed(24)).count();
    assert_eq!(recent, 6, "three columns each for where it came from and went to");
    let reversed =
        |buffer: &Buffer| buffer.content().iter().filter(|cell| cell.modifier.contains(Modifier::REVERSED)).count();
    assert_eq!(reversed(&buffer), 80 + 3, "the title and the cursor");
    let none = Theme { colors: Colors::None, ascii: false, letters: false };
    let mut plain = self::app("breakthrough", &[], &["b2-b3"], none);
    let plain = draw(&mut plain, 80, 24);
    assert!(plain.content().iter().all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset));
}

#[test]
fn edges_that_belong_to_players_have_their_colours() {
    let buffer = draw(&mut app("hex", &[("size", "4")], &[], FULL), 80, 24);
    let open = |color: u8| {
        let cells = buffer.content().iter();
        cells.filter(|cell| cell.symbol() == "•" && cell.fg == Color::Indexed(color)).count()
    };
    // Red joins above and below, Blue left and right; a corner that two lines share is nobody's.
    assert_eq!((open(202), open(74)), (5, 5));
}

#[test]
fn letters_are_explained_and_a_narrow_window_names_the_key_for_the_others() {
    let shogi = text(&draw(&mut app("shogi", &[], &[], FULL), 80, 24));
    assert!(shogi.contains("G gold") && shogi.contains("ABC Black") && shogi.contains("abc White"), "{shogi}");
    let hex = text(&draw(&mut app("hex", &[], &[], FULL), 80, 24));
    assert!(!hex.contains("stone"), "one kind of piece needs no legend: {hex}");
    let small = text(&draw(&mut app("hex", &[], &[], FULL), 40, 15));
    assert!(small.contains("F1 keys"), "{small}");
}

#[test]
fn chess_pieces_are_figures_that_differ_without_colours_too() {
    let shown = |theme| text(&draw(&mut app("chess", &[], &[], theme), 80, 24));
    let figures = |text: &str| text.chars().filter(|c| ('♔'..='♟').contains(c)).collect::<String>();
    let all = figures(&shown(FULL));
    // The first of each side stands beside the names of the players.
    assert_eq!(all.replace(['♙', '♟'], ""), "♔♚♜♞♝♛♚♝♞♜♖♘♗♕♔♗♘♖");
    assert_eq!((all.matches('♙').count(), all.matches('♟').count()), (8, 8));
    let buffer = draw(&mut app("chess", &[], &[], FULL), 80, 24);
    assert!(buffer.content().iter().all(|cell| !cell.symbol().starts_with('♟') || cell.symbol() == "♟\u{fe0e}"));
    // Letters where figures may be missing, and where colours are.
    let console = Theme { colors: Colors::Sixteen, ascii: false, letters: false };
    let ascii = Theme { colors: Colors::Indexed, ascii: true, letters: false };
    let letters = Theme { letters: true, ..FULL };
    for theme in [PLAIN, ASCII, console, ascii, letters] {
        assert_eq!(figures(&shown(theme)), "", "{theme:?}");
        assert!(shown(theme).contains("R") && shown(theme).contains("r"), "{theme:?}");
    }
    // Where there is one kind of piece, its colour and form say more than its name.
    assert_eq!(figures(&text(&draw(&mut app("amazons", &[], &[], FULL), 80, 24))), "");
}

#[test]
fn pieces_picked_and_names_to_pick_are_shown() {
    let mut app = app("weituweiqi", &[], &[], PLAIN);
    draw(&mut app, 80, 24);
    app.input(Input::Key(Key::Tab));
    app.input(Input::Key(Key::Enter));
    let picked = text(&draw(&mut app, 80, 24));
    let mut draughts = self::app("slimetrail", &[], &[], PLAIN);
    draw(&mut draughts, 80, 24);
    for _ in 0..3 {
        draughts.input(Input::Key(Key::BackTab));
    }
    let named = text(&draw(&mut draughts, 80, 24));
    let mut chess = self::app("chess", &[], &[], PLAIN);
    draw(&mut chess, 80, 24);
    for key in [Key::Tab, Key::Enter, Key::Char('e'), Key::Char('4')] {
        chess.input(Input::Key(key));
    }
    let typed = text(&draw(&mut chess, 80, 24));
    insta::assert_snapshot!(format!("{picked}\n{named}\n{typed}"));
}

/// The line for messages after some keys.
fn message(app: &mut App, keys: &[Key]) -> String {
    for key in keys {
        draw(app, 160, 40);
        app.input(Input::Key(*key));
    }
    let shown = text(&draw(app, 160, 40));
    shown.lines().rev().nth(1).unwrap().to_owned()
}

#[test]
fn what_cannot_be_picked_is_explained_at_once() {
    let up = Key::Go(Heading::Up);
    let down = Key::Go(Heading::Down);
    let mut said = Vec::new();
    // From d5 down to the own piece on d2, then too far.
    let mut pawns = app("breakthrough", &[], &[], PLAIN);
    said.push(message(&mut pawns, &[Key::Enter]));
    said.push(message(&mut pawns, &[down, down, down, Key::Enter, up, up, up, Key::Enter]));
    said.push(message(&mut pawns, &[Key::Escape, Key::Char('d'), Key::Char('4'), Key::Enter]));
    let mut stones = app("gomoku", &[], &["h8"], PLAIN);
    said.push(message(&mut stones, &[Key::Enter]));
    let mut over = app("tic_tac_toe", &[], &["a1", "a2", "b1", "b2", "c1"], PLAIN);
    said.push(message(&mut over, &[Key::Enter]));
    said.push(message(&mut over, &[Key::Char(':'), Key::Char('x'), Key::Enter]));
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn every_shipped_game_fits_any_window() {
    for name in Library::names() {
        let mut app = app(name, &[], &[], FULL);
        for (width, height) in [(1, 1), (24, 8), (30, 10), (50, 50), (80, 24), (300, 100)] {
            let buffer = draw(&mut app, width, height);
            if width >= 24 {
                assert!(text(&buffer).contains('['), "{name}: the cursor is seen in {width}x{height}");
            }
        }
        let letters = text(&draw(&mut self::app(name, &[], &[], ASCII), 80, 24));
        assert!(letters.is_ascii(), "{name}:\n{letters}");
    }
}
