//! The whole screen: title, board, what stands beside it, choices, messages and keys.

mod page;
mod side;

use super::app::App;
use super::help;
use super::paint::{Origin, Picture, paint};
use super::theme::Tone;
use super::thinking::Thinking;
use crate::ai::Seat;
use crate::board::plan::{Plan, Size};
use crate::board::{Site, SiteSet};
use crate::play::Choice;
use crate::play::{command, expectation};
use ratatui::Frame;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Paragraph, Widget, Wrap};

/// The least window in which a game can be played.
const LEAST: (u16, u16) = (24, 8);

/// Columns for players and moves: the least that is of use, and the most.
const SIDE: (u16, u16) = (17, 40);

/// Where things were drawn, for the mouse.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    pub board: Rect,
    pub origin: Origin,
    pub plan: Option<Plan>,
    /// The names that may be picked.
    pub names: Vec<(Rect, usize)>,
}

impl Drawn {
    /// The site under a character of the screen.
    pub fn site_at(&self, x: u16, y: u16) -> Option<Site> {
        let plan = self.plan.as_ref().filter(|_| self.board.contains((x, y).into()))?;
        plan.site_at(i32::from(x) - self.origin.x, i32::from(y) - self.origin.y)
    }
}

impl App {
    /// Draws the screen.
    pub fn draw(&mut self, frame: &mut Frame<'_>) {
        let area = frame.area();
        if area.width < LEAST.0 || area.height < LEAST.1 {
            return self.draw_too_small(area, frame.buffer_mut());
        }
        let rows = Layout::vertical([
            Constraint::Length(1),
            Constraint::Min(1),
            Constraint::Length(1),
            Constraint::Length(1),
            Constraint::Length(1),
        ]);
        let [title, middle, choices, message, keys] = rows.areas(area);
        let buffer = frame.buffer_mut();
        self.draw_title(title, buffer);
        // Colours of pieces are made for this ground, whatever that of the terminal is.
        buffer.set_style(middle, self.theme.style(Tone::Board));
        let plan = self.plan_for(middle);
        let least = i32::from(middle.width) - plan.width - 3;
        let side = u16::try_from(least).unwrap_or(0).min(SIDE.1);
        let (board, side) = if side >= SIDE.0 {
            let [board, side] = Layout::horizontal([Constraint::Min(1), Constraint::Length(side)]).areas(middle);
            (board, Some(side))
        } else {
            (middle, None)
        };
        self.draw_board(plan, board, buffer);
        if let Some(side) = side {
            self.draw_side(side, buffer);
        }
        self.draw_choices(choices, buffer);
        self.draw_message(message, buffer);
        self.draw_keys(keys, buffer);
        if self.page.is_some() {
            self.draw_page(middle, buffer);
        }
        if self.theme.ascii {
            // Titles and names are what authors wrote.
            let foreign = |cell: &&mut Cell| !cell.symbol().is_ascii();
            frame.buffer_mut().content.iter_mut().filter(foreign).for_each(|cell| {
                cell.set_char('?');
            });
        }
        if let Some(prompt) = &self.prompt {
            let width = u16::try_from(prompt.text.chars().count()).unwrap_or(u16::MAX);
            frame.set_cursor_position((
                message.x.saturating_add(width.saturating_add(2)).min(message.right() - 1),
                message.y,
            ));
        }
    }

    fn draw_too_small(&mut self, area: Rect, buffer: &mut Buffer) {
        self.drawn = Drawn::default();
        let text = format!(
            "This window is too small: {} columns and {} lines are needed. ^Q quits; `--plain` plays in any window.",
            LEAST.0, LEAST.1
        );
        Paragraph::new(text).wrap(Wrap { trim: true }).render(area, buffer);
    }

    /// The largest layout that leaves room for the list of moves, or else the largest that fits at all.
    fn plan_for(&self, area: Rect) -> Plan {
        let game = self.table.line().game();
        let board = &game.rules().board;
        let width = self.look.width(game);
        let (columns, lines) = (i32::from(area.width) - 2, i32::from(area.height));
        let beside = columns - i32::from(SIDE.0) - 1;
        let plans: Vec<Plan> = Size::ALL.into_iter().filter_map(|size| Plan::new(board, size, width)).collect();
        let fitting = |room: i32| plans.iter().find(|plan| plan.width <= room && plan.height <= lines).cloned();
        let smallest = || Plan::fitting(board, width, 0, 0);
        fitting(beside).or_else(|| fitting(columns)).or_else(smallest).unwrap_or_else(Plan::nothing)
    }

    fn draw_title(&self, area: Rect, buffer: &mut Buffer) {
        let style = Style::new().add_modifier(Modifier::REVERSED | Modifier::BOLD);
        buffer.set_style(area, style);
        let status = match self.table.to_move() {
            Some(_) if self.table.is_chance() => {
                format!("chance decides for {} ", self.position().mover().unwrap_or_default())
            }
            Some(place) => {
                let seat = self.table.seats().get(place).map_or(String::new(), Seat::to_string);
                let left = self.table.time_left(place).map_or(String::new(), |left| format!(", {left}"));
                format!("{} ({seat}) to move{left} ", self.position().mover().unwrap_or_default())
            }
            None => "The game is over ".to_owned(),
        };
        let width = usize::from(area.width);
        let room = width.saturating_sub(status.chars().count() + 1);
        let title: String = self.title.chars().take(room).collect();
        buffer.set_stringn(area.x + 1, area.y, title, room, style);
        Line::from(status).right_aligned().style(style).render(area, buffer);
    }

    fn draw_board(&mut self, plan: Plan, area: Rect, buffer: &mut Buffer) {
        let (open, mut chosen) = (self.open(), SiteSet::EMPTY);
        for choice in self.picker.chosen() {
            if let Choice::Site(site) = choice {
                chosen.insert(*site);
            }
        }
        let position = self.position().clone();
        let picture = Picture {
            plan: &plan,
            position: &position,
            look: &self.look,
            theme: self.theme,
            open,
            chosen,
            recent: self.table.line().changed(),
            cursor: self.named.is_none().then_some(self.cursor),
        };
        let origin = paint(&picture, buffer, area);
        self.drawn = Drawn { board: area, origin, plan: Some(plan), names: Vec::new() };
    }

    fn open(&self) -> SiteSet {
        if self.is_persons() { self.picker.sites() } else { SiteSet::EMPTY }
    }

    /// What may be picked by name, or what a program thinks, or how what is typed may go on.
    fn draw_choices(&mut self, area: Rect, buffer: &mut Buffer) {
        let faint = self.theme.style(Tone::Faint);
        let width = usize::from(area.width);
        if let Some(prompt) = &self.prompt {
            let found = match prompt.command() {
                Some(_) => command::NAMES.join("  "),
                None => {
                    let found = prompt.completions(&self.moves);
                    if found.is_empty() { "no legal move begins like that".to_owned() } else { found.join("  ") }
                }
            };
            buffer.set_stringn(area.x + 1, area.y, found, width.saturating_sub(1), faint);
            return;
        }
        if let Some(thinking) = self.thinking.as_ref().or(self.hinting.as_ref()) {
            buffer.set_stringn(area.x + 1, area.y, self.thinking_text(thinking, width), width.saturating_sub(1), faint);
            return;
        }
        if !self.is_persons() {
            return;
        }
        let parts = self.picker.parts().join(" or ");
        let asked = if parts.is_empty() { "pick".to_owned() } else { format!("pick {parts}") };
        let (mut x, _) = buffer.set_stringn(area.x + 1, area.y, format!("{asked}:"), width / 2, faint);
        if self.picker.names().is_empty() {
            let board = &self.table.line().game().rules().board;
            let here = board.name(self.cursor);
            buffer.set_stringn(x + 1, area.y, here, width / 3, Style::new().add_modifier(Modifier::BOLD));
            return;
        }
        x += 1;
        self.draw_names(Rect { x, width: area.right().saturating_sub(x), ..area }, buffer);
    }

    /// The names that may be picked, side by side; those before the one under the cursor make room for it.
    fn draw_names(&mut self, area: Rect, buffer: &mut Buffer) {
        let numbered = self.numbered();
        let label = |(at, name): (usize, String)| {
            if numbered && at < 9 { format!("{} {name}", at + 1) } else { name }
        };
        let labels: Vec<String> = self.names().into_iter().enumerate().map(label).collect();
        // With a blank or a bracket on both sides.
        let wide = |label: &String| u16::try_from(label.chars().count() + 2).unwrap_or(u16::MAX);
        let mut first = 0;
        if let Some(focus) = self.named {
            let taken = |first: usize| labels.iter().take(focus + 1).skip(first).map(wide).fold(0, u16::saturating_add);
            while first < focus && taken(first) > area.width.saturating_sub(2) {
                first += 1;
            }
        }
        let mut x = area.x;
        for (at, label) in labels.iter().enumerate().skip(first) {
            let left = usize::from(area.right().saturating_sub(x));
            if at > first && usize::from(wide(label)) + 2 > left {
                buffer.set_stringn(x, area.y, self.theme.pick("…", "..."), left, self.theme.style(Tone::Faint));
                break;
            }
            let (text, style) = if self.named == Some(at) {
                (format!("[{label}]"), Style::new().add_modifier(Modifier::REVERSED | Modifier::BOLD))
            } else {
                (format!(" {label} "), self.theme.style(Tone::Open))
            };
            let (end, _) = buffer.set_stringn(x, area.y, text, left, style);
            self.drawn.names.push((Rect { x, y: area.y, width: end.saturating_sub(x), height: 1 }, at));
            x = end;
        }
    }

    /// A bar, the best move so far and what it promises.
    fn thinking_text(&self, thinking: &Thinking, width: usize) -> String {
        let seat = match self.table.seats().get(thinking.place) {
            Some(seat @ (Seat::Program(_) | Seat::Guest(_))) => format!("{seat} thinks"),
            _ => "looking for a hint".to_owned(),
        };
        let Some((part, thought)) = thinking.progress() else { return format!("{seat} ...") };
        let length = (width / 4).min(20);
        let full = (part.clamp(0.0, 1.0) * length as f64).round() as usize;
        let bar = self.theme.pick("█", "#").repeat(full) + &self.theme.pick("░", ".").repeat(length - full);
        let best = self.position().move_text(thought.index).unwrap_or_default();
        format!("{seat} {bar} {best}, {}", expectation(&thought))
    }

    fn draw_message(&self, area: Rect, buffer: &mut Buffer) {
        let width = usize::from(area.width.saturating_sub(1));
        if let Some(prompt) = &self.prompt {
            // The end is what is being typed.
            let count = prompt.text.chars().count();
            let text: String = prompt.text.chars().skip(count.saturating_sub(width.saturating_sub(3))).collect();
            buffer.set_stringn(area.x, area.y, format!("> {text}"), width, Style::new().add_modifier(Modifier::BOLD));
            return;
        }
        let (text, style) = match (&self.message, self.table.result()) {
            (Some(message), _) => (message.text.clone(), self.theme.style(message.tone)),
            (None, Some(result)) => (format!("The game is over: {result}"), self.theme.style(Tone::Title)),
            (None, None) => return,
        };
        let text = text.lines().next().unwrap_or_default();
        let more = self.theme.pick("… (F3)", "... (F3)");
        let cut = if text.chars().count() > width {
            let kept: String = text.chars().take(width.saturating_sub(more.chars().count() + 1)).collect();
            format!("{kept}{more}")
        } else {
            text.to_owned()
        };
        buffer.set_stringn(area.x + 1, area.y, cut, width, style);
    }

    fn draw_keys(&self, area: Rect, buffer: &mut Buffer) {
        let mut x = area.x + 1;
        for (key, does) in help::KEYS {
            let wide = u16::try_from(key.len() + does.len() + 3).unwrap_or(u16::MAX);
            if x.saturating_add(wide) > area.right() {
                break;
            }
            let (end, _) = buffer.set_stringn(x, area.y, key, usize::from(wide), self.theme.style(Tone::Title));
            let (end, _) = buffer.set_stringn(end + 1, area.y, does, usize::from(wide), self.theme.style(Tone::Faint));
            x = end + 2;
        }
    }
}
