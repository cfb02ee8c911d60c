//! A page of text over the board.

use crate::terminal::app::App;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Text;
use ratatui::widgets::{Block, BorderType, Borders, Clear, Paragraph, Widget, Wrap};

impl App {
    pub(super) fn draw_page(&mut self, area: Rect, buffer: &mut Buffer) {
        let ascii = self.theme.ascii;
        let Some(page) = &mut self.page else { return };
        let text = Text::from(page.text.clone());
        let wide = u16::try_from(text.width()).unwrap_or(u16::MAX).saturating_add(4);
        let inner = wide.min(area.width).max(20.min(area.width));
        let room = usize::from(inner.saturating_sub(4)).max(1);
        let lines: usize = page.text.lines().map(|line| wrapped(line, room)).sum();
        let height = u16::try_from(lines).unwrap_or(u16::MAX).saturating_add(2).min(area.height);
        page.scroll = page.scroll.min(lines.saturating_sub(usize::from(height.saturating_sub(2))));
        let place =
            Rect { x: area.x + (area.width - inner) / 2, y: area.y + (area.height - height) / 2, width: inner, height };
        Clear.render(place, buffer);
        let mut block = Block::new().borders(Borders::ALL).title(format!(" {} ", page.title));
        block = if ascii { block.border_set(ASCII_BORDER) } else { block.border_type(BorderType::Rounded) };
        let scroll = u16::try_from(page.scroll).unwrap_or(u16::MAX);
        let inside =
            Rect { x: place.x + 2, y: place.y + 1, width: inner.saturating_sub(4), height: height.saturating_sub(2) };
        block.render(place, buffer);
        Paragraph::new(text).wrap(Wrap { trim: false }).scroll((scroll, 0)).render(inside, buffer);
    }
}

/// At least as many lines as a text takes when it is wrapped between words.
fn wrapped(line: &str, width: usize) -> usize {
    let (mut lines, mut used) = (1, 0);
    for word in line.split(' ') {
        let wide = word.chars().count();
        if used > 0 && used + wide > width {
            (lines, used) = (lines + 1, 0);
        }
        lines += wide.saturating_sub(1) / width;
        used += wide + 1;
    }
    lines
}

const ASCII_BORDER: ratatui::symbols::border::Set<'static> = ratatui::symbols::border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};
