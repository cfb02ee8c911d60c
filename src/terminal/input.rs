//! Keys and clicks, free of what a terminal sends for them.

use crate::board::plan::Heading;
use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

/// What a person does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    Key(Key),
    /// A press of the left button at a column and line.
    Click(u16, u16),
    /// A turn of the wheel there: lines downwards.
    Wheel(u16, u16, i32),
    /// Text pasted in.
    Paste(String),
    /// The window has another size.
    Resize,
}

/// A key with a meaning. What is typed stays a character: only a prompt knows what to do with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Key {
    Char(char),
    Go(Heading),
    Enter,
    Escape,
    Tab,
    BackTab,
    Backspace,
    Delete,
    Home,
    End,
    PageUp,
    PageDown,
    Undo,
    Redo,
    Hint,
    Why,
    Resign,
    Save,
    Help,
    Rules,
    Quit,
}

impl Input {
    /// What an event of the terminal means; none if nothing.
    #[must_use]
    pub fn of(event: Event) -> Option<Self> {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => Key::of(key).map(Input::Key),
            Event::Mouse(MouseEvent { kind, column, row, .. }) => match kind {
                MouseEventKind::Down(MouseButton::Left) => Some(Input::Click(column, row)),
                MouseEventKind::ScrollDown => Some(Input::Wheel(column, row, 1)),
                MouseEventKind::ScrollUp => Some(Input::Wheel(column, row, -1)),
                _ => None,
            },
            Event::Paste(text) => Some(Input::Paste(text)),
            Event::Resize(..) => Some(Input::Resize),
            _ => None,
        }
    }
}

impl Key {
    /// Letters, digits and signs are notation, so commands are keys that no notation has: with Ctrl, or function keys.
    fn of(key: KeyEvent) -> Option<Self> {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return match key.code {
                KeyCode::Char('z') => Some(Key::Undo),
                KeyCode::Char('y') => Some(Key::Redo),
                KeyCode::Char('t') => Some(Key::Hint),
                KeyCode::Char('w') => Some(Key::Why),
                KeyCode::Char('r') => Some(Key::Resign),
                KeyCode::Char('s') => Some(Key::Save),
                KeyCode::Char('q' | 'c' | 'd') => Some(Key::Quit),
                KeyCode::Char('h') => Some(Key::Backspace),
                KeyCode::Char('j' | 'm') => Some(Key::Enter),
                KeyCode::Char('i') => Some(Key::Tab),
                _ => None,
            };
        }
        Some(match key.code {
            KeyCode::Char(c) => Key::Char(c),
            KeyCode::Up => Key::Go(Heading::Up),
            KeyCode::Down => Key::Go(Heading::Down),
            KeyCode::Left => Key::Go(Heading::Left),
            KeyCode::Right => Key::Go(Heading::Right),
            KeyCode::Enter => Key::Enter,
            KeyCode::Esc => Key::Escape,
            KeyCode::Tab => Key::Tab,
            KeyCode::BackTab => Key::BackTab,
            KeyCode::Backspace => Key::Backspace,
            KeyCode::Delete => Key::Delete,
            KeyCode::Home => Key::Home,
            KeyCode::End => Key::End,
            KeyCode::PageUp => Key::PageUp,
            KeyCode::PageDown => Key::PageDown,
            KeyCode::F(1) => Key::Help,
            KeyCode::F(2) => Key::Hint,
            KeyCode::F(3) => Key::Why,
            KeyCode::F(4) => Key::Rules,
            _ => return None,
        })
    }
}
