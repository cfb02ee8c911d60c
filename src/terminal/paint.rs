//! The board with all that is on it, drawn into the cells of a screen.

use super::scene::{Look, Mark};
use super::theme::{Theme, Tone};
use crate::board::plan::{Bar, Plan, Size, Spot};
use crate::board::{Grid, Site, SiteSet};
use crate::game::{Home, Position};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

/// What is to be drawn.
pub struct Picture<'a> {
    pub plan: &'a Plan,
    pub position: &'a Position,
    pub look: &'a Look,
    pub theme: Theme,
    /// Where the next part of a move may be.
    pub open: SiteSet,
    /// The parts that have been picked.
    pub chosen: SiteSet,
    /// Where the last move changed something.
    pub recent: SiteSet,
    pub cursor: Option<Site>,
}

/// Where the first column and line of a plan are on the screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Origin {
    pub x: i32,
    pub y: i32,
}

/// The part of a screen that may be drawn on.
struct Sheet<'b> {
    buffer: &'b mut Buffer,
    area: Rect,
    origin: Origin,
}

impl Sheet<'_> {
    /// Draws a text at a place of the plan, as far as it is to be seen.
    fn put(&mut self, x: i32, y: i32, text: &str, style: Style) {
        // Marks and names are what authors wrote.
        let shown = text.chars().map(|c| if c.is_control() { ' ' } else { c });
        for (dx, c) in (0..).zip(shown) {
            if let Some(cell) = self.cell(x + dx, y) {
                match c {
                    // The one figure that is an emoji too, two columns wide: the sign behind it asks for a letter.
                    '♟' => cell.set_symbol("♟\u{fe0e}"),
                    c => cell.set_char(c),
                };
                cell.set_style(style);
            }
        }
    }

    fn ground(&mut self, x: i32, y: i32, width: i32, style: Style) {
        for dx in 0..width {
            if let Some(cell) = self.cell(x + dx, y) {
                cell.set_style(style);
            }
        }
    }

    fn cell(&mut self, x: i32, y: i32) -> Option<&mut ratatui::buffer::Cell> {
        let x = u16::try_from(x + self.origin.x).ok()?;
        let y = u16::try_from(y + self.origin.y).ok()?;
        if self.area.contains((x, y).into()) { self.buffer.cell_mut((x, y)) } else { None }
    }
}

/// Draws a picture into an area, in its middle; what does not fit is scrolled so that the cursor is seen.
pub fn paint(picture: &Picture<'_>, buffer: &mut Buffer, area: Rect) -> Origin {
    let plan = picture.plan;
    let spot = picture.cursor.and_then(|site| plan.spot(site)).unwrap_or(Spot { x: 0, y: 0, bar: None });
    let shift = |from: u16, room: u16, whole: i32, at: i32| {
        let (from, room) = (i32::from(from), i32::from(room));
        if whole <= room { from + (room - whole) / 2 } else { from - (at - room / 2).clamp(0, whole - room) }
    };
    let origin =
        Origin { x: shift(area.x, area.width, plan.width, spot.x), y: shift(area.y, area.height, plan.height, spot.y) };
    let mut sheet = Sheet { buffer, area, origin };
    let theme = picture.theme;
    shades(picture, &mut sheet);
    for ink in plan.ink() {
        let glyph = ink.stroke.glyph(theme.ascii);
        sheet.put(ink.x, ink.y, glyph.encode_utf8(&mut [0; 4]), theme.style(Tone::Line));
    }
    let label = theme.style(Tone::Faint);
    for name in plan.labels() {
        sheet.put(name.x, name.y, &name.text, label);
    }
    let homes = picture.position.homes();
    let home = |site: Site| homes.get(site.index()).copied().flatten();
    for (site, spot) in plan.spots().filter(|(site, _)| Some(*site) != picture.cursor) {
        draw_site(picture, &mut sheet, site, spot, home(site));
    }
    // Last, so that its brackets lie over what is beside it.
    if let Some((site, spot)) = picture.cursor.and_then(|site| Some((site, plan.spot(site)?))) {
        draw_site(picture, &mut sheet, site, spot, home(site));
    }
    origin
}

/// The squares of a board without borders are told apart by their grounds.
fn shades(picture: &Picture<'_>, sheet: &mut Sheet<'_>) {
    let board = &picture.position.game().rules().board;
    let plan = picture.plan;
    if board.grid() != Grid::Square || plan.size != Size::Medium || board.cells() != board.all() {
        return;
    }
    let (width, height) = plan.pitch();
    let Some(first) = plan.spot(Site(0)) else { return };
    for (_, spot) in plan.spots() {
        let odd = ((spot.x - first.x) / width + (spot.y - first.y) / height).rem_euclid(2) == 1;
        if odd {
            sheet.ground(spot.x - 1, spot.y, width, picture.theme.shade());
        }
    }
}

fn draw_site(picture: &Picture<'_>, sheet: &mut Sheet<'_>, site: Site, spot: Spot, home: Option<Home>) {
    let theme = picture.theme;
    let mut mark = picture.look.mark(picture.position, site);
    let open = picture.open.contains(site);
    if open && !mark.taken {
        mark = Mark { text: theme.pick("•", "*").to_owned(), tone: Tone::Offered, taken: false };
    }
    if let (Some(Home::Player(player)), false) = (home, mark.taken) {
        mark.tone = picture.look.home(usize::from(player.0));
    }
    if let Some(bar) = spot.bar {
        return draw_bar(picture, sheet, site, spot, bar, &mark);
    }
    let holes = picture.look.has_holes() && picture.plan.size <= Size::Medium;
    let width = i32::try_from(mark.text.chars().count()).unwrap_or(1);
    // Numbers in holes end in the same column.
    let left = if holes { spot.x + 1 - width } else { spot.x - width / 2 };
    let before_mark = if holes { left.min(spot.x - 1) - 1 } else { left - 1 };
    let mut ground = Style::new();
    if picture.recent.contains(site) {
        ground = theme.recent();
        sheet.ground(left - picture.plan.room, spot.y, width + 2 * picture.plan.room, ground);
    }
    let mut style = theme.style(mark.tone);
    style.bg = ground.bg;
    if open && mark.taken && picture.plan.room == 0 {
        style = style.add_modifier(Modifier::UNDERLINED);
    }
    sheet.put(left, spot.y, &mark.text, style.patch(ground));
    let cursor = picture.cursor == Some(site);
    let beside = || {
        if picture.plan.room > 0 && open && mark.taken {
            Some(("(", ")", theme.style(Tone::Open)))
        } else {
            holes.then(|| ("(", ")", theme.style(Tone::Line)))
        }
    };
    if let Some((before, after, style)) = grasp(picture, site).or_else(beside) {
        sheet.put(before_mark, spot.y, before, style);
        sheet.put(left + width, spot.y, after, style);
    }
    if cursor {
        sheet.ground(left, spot.y, width, Style::new().add_modifier(Modifier::REVERSED));
    }
}

/// The brackets of what is under the cursor or picked.
fn grasp(picture: &Picture<'_>, site: Site) -> Option<(&'static str, &'static str, Style)> {
    if picture.cursor == Some(site) {
        Some(("[", "]", picture.theme.style(Tone::Title).add_modifier(Modifier::REVERSED)))
    } else if picture.chosen.contains(site) {
        Some(("{", "}", picture.theme.style(Tone::Open)))
    } else {
        None
    }
}

/// An edge: a line where something lies, else as little as shows that it can be picked.
fn draw_bar(picture: &Picture<'_>, sheet: &mut Sheet<'_>, site: Site, spot: Spot, bar: Bar, mark: &Mark) {
    let theme = picture.theme;
    let (reach, (dx, dy), line, gap) = match bar {
        Bar::Lying(reach) => (reach, (1, 0), theme.pick("━", "-"), theme.pick("╌", ".")),
        Bar::Standing(reach) => (reach, (0, 1), theme.pick("┃", "|"), theme.pick("╎", ".")),
    };
    let mut style = theme.style(mark.tone);
    if picture.recent.contains(site) {
        style = style.patch(theme.recent());
    }
    let open = picture.open.contains(site);
    for step in -reach..=reach {
        let glyph = match (mark.taken, open) {
            (true, _) => line,
            (false, true) => gap,
            (false, false) => " ",
        };
        // Only a piece that belongs to somebody says more than that it is there.
        let named = step == 0 && mark.taken && matches!(mark.tone, Tone::Owned(_)) && !theme.has_shapes();
        sheet.put(spot.x + step * dx, spot.y + step * dy, if named { &mark.text } else { glyph }, style);
    }
    if let Some((before, after, style)) = grasp(picture, site) {
        sheet.put(spot.x - 1, spot.y, before, style);
        sheet.put(spot.x + 1, spot.y, after, style);
        sheet.ground(spot.x, spot.y, 1, Style::new().add_modifier(Modifier::REVERSED));
    }
}
