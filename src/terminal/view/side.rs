//! What stands beside the board: players with their scores, what the game keeps count of, and the moves played.

use crate::ai::Seat;
use crate::rules::{Player, PlayerId};
use crate::terminal::app::App;
use crate::terminal::theme::Tone;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Widget};

impl App {
    pub(super) fn draw_side(&self, area: Rect, buffer: &mut Buffer) {
        let area = Rect { x: area.x + 1, width: area.width - 1, ..area };
        let mut lines = self.players();
        lines.push(Line::default());
        let position = self.position();
        lines.push(Line::styled(
            format!("turn {}, ply {}", position.turn(), position.ply()),
            self.theme.style(Tone::Faint),
        ));
        lines.extend(self.kept(usize::from(area.width)));
        lines.extend(self.legend(usize::from(area.width)));
        lines.push(Line::default());
        // Moves get a third at least.
        lines.truncate(usize::from(area.height) * 2 / 3);
        let above = u16::try_from(lines.len()).unwrap_or(area.height).min(area.height);
        Paragraph::new(lines).render(Rect { height: above, ..area }, buffer);
        let below = Rect { y: area.y + above, height: area.height - above, ..area };
        let window = self.move_list(usize::from(area.width), usize::from(below.height));
        Paragraph::new(window).render(below, buffer);
    }

    /// A line for every seat: who plays there, and the score.
    fn players(&self) -> Vec<Line<'static>> {
        let position = self.position();
        let rules = position.game().rules();
        let scores = position.scores();
        let engine = position.game().engine();
        let moving = position.mover().filter(|_| self.table.to_move().is_some());
        let line = |(at, player): (usize, &Player)| {
            let badge = self.look.badge(position.game(), at);
            let here = moving == Some(player.name.as_str());
            let arrow = if here { self.theme.pick("▶", ">") } else { " " };
            let style = if here { self.theme.style(Tone::Title) } else { Style::new() };
            // Sides may have changed seats.
            let place = u8::try_from(at)
                .map_or(at, |side| usize::from(engine.seat(&position.situation().state, PlayerId(side)).0));
            let seat = self.table.seats().get(place).map_or(String::new(), Seat::to_string);
            let mut spans = vec![Span::raw(arrow), Span::raw(" ")];
            if !badge.is_empty() && badge != player.name {
                spans.push(Span::styled(format!("{badge} "), self.theme.style(self.look.tone(at))));
            }
            spans.push(Span::styled(player.name.clone(), style));
            if let Some(left) = self.table.time_left(place) {
                spans.push(Span::styled(format!(" {left}"), style));
            }
            spans.push(Span::styled(format!(" {seat}"), self.theme.style(Tone::Faint)));
            if let Some((_, score)) = scores.get(at) {
                spans.push(Span::styled(format!("  {score}"), self.theme.style(Tone::Title)));
            }
            Line::from(spans)
        };
        rules.players.iter().enumerate().map(line).collect()
    }

    /// What the game keeps count of besides pieces, such as hands.
    fn kept(&self, width: usize) -> Vec<Line<'static>> {
        let style = self.theme.style(Tone::Faint);
        let lines: Vec<String> =
            self.position().store_lines().into_iter().chain(self.position().links_line()).collect();
        let folded = lines.iter().flat_map(|line| folded(line.split(' '), " ", width));
        folded.map(|line| Line::styled(line, style)).collect()
    }

    /// What the letters on the board stand for.
    fn legend(&self, width: usize) -> Vec<Line<'static>> {
        let legend = self.look.legend(self.position().game());
        let lines = folded(legend.iter().map(String::as_str), "  ", width);
        lines.into_iter().map(|line| Line::styled(line, self.theme.style(Tone::Faint))).collect()
    }

    /// The last of the moves played, or those scrolled to, numbered, as many in a line as there is room for players.
    fn move_list(&self, width: usize, shown: usize) -> Vec<Line<'static>> {
        let moves = self.table.line().moves();
        let players = self.look.hues.len();
        let digits = moves.len().to_string().len();
        let longest = moves.iter().map(|text| text.chars().count()).max().unwrap_or(0);
        let per_line = (width.saturating_sub(digits + 2) / (longest + 2)).clamp(1, players.max(1));
        let faint = self.theme.style(Tone::Faint);
        let all = moves.len().div_ceil(per_line);
        let last = all.saturating_sub(self.scroll.min(all.saturating_sub(shown)));
        let first = last.saturating_sub(shown);
        let window = moves.chunks(per_line).enumerate().skip(first).take(last - first);
        let lines = window.map(|(row, chunk)| {
            let mut spans = vec![Span::styled(format!("{:>digits$}. ", row * per_line + 1), faint)];
            for (column, text) in chunk.iter().enumerate() {
                let ply = row * per_line + column;
                let mover = self.table.line().at(ply).map(|position| position.situation().state.mover.0);
                let tone = mover.map_or(Tone::Faint, |mover| self.look.tone(usize::from(mover)));
                let mut style = self.theme.style(tone).remove_modifier(Modifier::BOLD);
                if ply + 1 == moves.len() {
                    style = style.add_modifier(Modifier::BOLD);
                }
                spans.push(Span::styled(format!("{text:longest$}  "), style));
            }
            Line::from(spans)
        });
        lines.collect()
    }
}

/// Words in as many lines as they take, with something between them.
fn folded<'a>(words: impl Iterator<Item = &'a str>, between: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        let wide = word.chars().count() + between.len();
        match lines.last_mut().filter(|line| line.chars().count() + wide <= width) {
            Some(line) => *line += &format!("{between}{word}"),
            None => lines.push(word.chars().take(width).collect()),
        }
    }
    lines
}
