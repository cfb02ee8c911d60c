//! Games in motion: the positions of a game one after the other, as animated SVG, as GIF, and as a page.

use super::raster::{Raster, RenderError};
use super::scene::{Place, Scene};
use super::style::{Marks, Style};
use super::svg::{self, Frame};
use super::text::number;
use super::theme::Colours;
use super::{PIXELS, page};
use crate::game::Position;
use gif::{DisposalMethod, Encoder, Repeat};

/// How many times as long the last position stays.
const HOLD: u32 = 3;
/// Whoever has asked for less motion sees the end. What is important wins against what is animated.
const STILL: &str = "<style>\n@media (prefers-reduced-motion:reduce){.ludwright .shot{visibility:hidden!important}\
                     .ludwright .shot.end{visibility:visible!important}}\n</style>\n";
/// How carefully GIF chooses its colours, from 1 to 30, the best first.
const GIF_SPEED: i32 = 10;

/// A game from its first position to its last.
#[derive(Clone, Debug)]
pub struct Replay {
    pub name: String,
    /// The positions, each with the move that led to it; none where one was set up.
    pub steps: Vec<(Option<String>, Position)>,
}

/// A position on the way, ready to be drawn.
pub struct Shot {
    pub scene: Scene,
    pub mv: Option<String>,
    /// What is to be seen on each place of the scene.
    pub contents: Vec<String>,
    /// What is said below the board.
    pub caption: Vec<String>,
}

impl Replay {
    /// The positions as scenes, with what each move changed marked.
    pub fn shots(&self, style: &Style) -> Vec<Shot> {
        let captioned = Style { caption: true, ..style.clone() };
        let mut before: Option<&Position> = None;
        self.steps
            .iter()
            .map(|(mv, position)| {
                let scene = Scene::of(position, &captioned);
                let marks = match before.filter(|_| mv.is_some()) {
                    Some(before) => Marks::default().with_last(before, position),
                    None => Marks::default(),
                };
                before = Some(position);
                let drawn =
                    |place: &Place| svg::marks(place, &marks, scene.ground) + &svg::content(place, scene.ground);
                let contents = scene.places.iter().map(drawn).collect();
                let moved = mv.as_ref().map(|mv| format!("{}. {mv}", position.ply()));
                let caption = moved.into_iter().chain(scene.caption.iter().cloned()).collect();
                Shot { mv: mv.clone(), contents, caption, scene }
            })
            .collect()
    }

    /// One SVG that plays the game over and over; where nothing moves or nothing is to move, it shows the end.
    #[must_use]
    pub fn svg(&self, style: &Style, milliseconds: u32) -> String {
        let shots = self.shots(style);
        let Some(last) = shots.last() else { return String::new() };
        let clock = Clock { shots: shots.len(), milliseconds };
        let lines = shots.iter().map(|shot| shot.caption.len()).max().unwrap_or(0);
        let scene = &last.scene;
        let frame = Frame::of(scene, lines);
        let mut out = svg::open(scene, style, &frame, Colours::Variables);
        out.push_str(STILL);
        out.push_str(&svg::under(scene));
        for (index, place) in scene.places.iter().enumerate() {
            let seen: Vec<&str> =
                shots.iter().map(|shot| shot.contents.get(index).map_or("", String::as_str)).collect();
            out.push_str(&svg::site(place, scene.ground, &clock.runs(&seen)));
        }
        out.push_str(&svg::coordinates(scene, &frame));
        let captions: Vec<String> = shots.iter().map(|shot| svg::caption(&shot.caption, &frame)).collect();
        out.push_str(&clock.runs(&captions.iter().map(String::as_str).collect::<Vec<_>>()));
        out.push_str("</svg>\n");
        out
    }

    /// A GIF that plays the game over and over.
    ///
    /// # Errors
    /// When a picture of this size cannot be made.
    pub fn gif(&self, style: &Style, milliseconds: u32) -> Result<Vec<u8>, RenderError> {
        let shots = self.shots(style);
        let Some(first) = shots.first() else { return Ok(Vec::new()) };
        let lines = shots.iter().map(|shot| shot.caption.len()).max().unwrap_or(0);
        let frame = Frame::of(&first.scene, lines);
        let (width, height) = frame.pixels(style.size.unwrap_or(PIXELS));
        let size = || RenderError::Size { width, height };
        let (wide, high) = (u16::try_from(width).map_err(|_| size())?, u16::try_from(height).map_err(|_| size())?);
        let packing = |error: gif::EncodingError| RenderError::Packing(error.to_string());

        let raster = Raster::default();
        let mut encoder = Encoder::new(Vec::new(), wide, high, &[]).map_err(packing)?;
        encoder.set_repeat(Repeat::Infinite).map_err(packing)?;
        let mut before: Option<Vec<u8>> = None;
        for (index, shot) in shots.iter().enumerate() {
            let picture = still(shot, style, &frame);
            let pixels = raster.draw(&picture, width, height)?.take();
            let held = if index + 1 == shots.len() { HOLD } else { 1 };
            // GIF counts in hundredths of a second.
            let delay = u16::try_from(milliseconds.saturating_mul(held) / 10).unwrap_or(u16::MAX);
            let part = Part::changed(before.as_deref(), &pixels, usize::from(wide), usize::from(high));
            let mut cut = part.cut(&pixels, usize::from(wide));
            let mut image = gif::Frame::from_rgba_speed(part.width, part.height, &mut cut, GIF_SPEED);
            (image.left, image.top, image.delay, image.dispose) = (part.left, part.top, delay, DisposalMethod::Keep);
            encoder.write_frame(&image).map_err(packing)?;
            before = Some(pixels);
        }
        encoder.into_inner().map_err(|error| RenderError::Packing(error.to_string()))
    }

    /// A page that plays the game: one file, which needs nothing else.
    #[must_use]
    pub fn html(&self, style: &Style) -> String {
        page::write(&self.name, &self.shots(style), style)
    }
}

/// One position by itself, in a box that all positions share.
fn still(shot: &Shot, style: &Style, frame: &Frame) -> String {
    let mut out = svg::open(&shot.scene, style, frame, Colours::Fixed);
    out.push_str(&svg::under(&shot.scene));
    for (place, content) in shot.scene.places.iter().zip(&shot.contents) {
        out.push_str(&svg::site(place, shot.scene.ground, content));
    }
    out.push_str(&svg::coordinates(&shot.scene, frame));
    out.push_str(&svg::caption(&shot.caption, frame));
    out.push_str("</svg>\n");
    out
}

/// When each position is shown.
struct Clock {
    shots: usize,
    milliseconds: u32,
}

impl Clock {
    /// What is to be seen at one place, shot by shot, as groups that show and hide themselves.
    fn runs(&self, seen: &[&str]) -> String {
        let mut out = String::new();
        let mut start = 0;
        while let Some(shown) = seen.get(start) {
            let length = seen.iter().skip(start).take_while(|other| *other == shown).count().max(1);
            if !shown.is_empty() {
                out.push_str(&self.run(start, start + length, shown));
            }
            start += length;
        }
        out
    }

    fn run(&self, start: usize, end: usize, shown: &str) -> String {
        let total = self.shots - 1 + HOLD as usize;
        let at = |shot: usize| (shot as f64 / total as f64 * 1e5).round() / 1e5;
        let (times, values) = match (start, end == self.shots) {
            (0, true) => return format!("<g>{shown}</g>"),
            (0, false) => (format!("0;{}", at(end)), "visible;hidden"),
            (_, true) => (format!("0;{}", at(start)), "hidden;visible"),
            (_, false) => (format!("0;{};{}", at(start), at(end)), "hidden;visible;hidden"),
        };
        let still = if end == self.shots { r#" class="shot end""# } else { r#" class="shot" visibility="hidden""# };
        let seconds = number(total as f64 * f64::from(self.milliseconds) / 1000.0);
        format!(
            r#"<g{still}><animate attributeName="visibility" calcMode="discrete" dur="{seconds}s" repeatCount="indefinite" keyTimes="{times}" values="{values}"/>{shown}</g>"#
        )
    }
}

/// A part of a picture in pixels.
struct Part {
    left: u16,
    top: u16,
    width: u16,
    height: u16,
}

impl Part {
    /// The smallest box around all pixels that differ; one pixel where none does.
    fn changed(before: Option<&[u8]>, now: &[u8], width: usize, height: usize) -> Self {
        let Some(before) = before else {
            return Self { left: 0, top: 0, width: width as u16, height: height as u16 };
        };
        let (mut left, mut top, mut right, mut bottom) = (width, height, 0, 0);
        for (index, (old, new)) in before.chunks_exact(4).zip(now.chunks_exact(4)).enumerate() {
            if old != new {
                let (x, y) = (index % width, index / width);
                (left, top) = (left.min(x), top.min(y));
                (right, bottom) = (right.max(x + 1), bottom.max(y + 1));
            }
        }
        if right == 0 {
            (left, top, right, bottom) = (0, 0, 1, 1);
        }
        Self { left: left as u16, top: top as u16, width: (right - left) as u16, height: (bottom - top) as u16 }
    }

    /// The pixels of this part.
    fn cut(&self, pixels: &[u8], width: usize) -> Vec<u8> {
        let (left, length) = (usize::from(self.left) * 4, usize::from(self.width) * 4);
        pixels
            .chunks_exact(width * 4)
            .skip(usize::from(self.top))
            .take(usize::from(self.height))
            .flat_map(|row| row.get(left..left + length).unwrap_or_default())
            .copied()
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_is_one_run() {
        let clock = Clock { shots: 3, milliseconds: 1000 };
        assert_eq!(clock.runs(&["a", "a", "a"]), "<g>a</g>");
        assert_eq!(clock.runs(&["", "", ""]), "");
        let late = clock.runs(&["", "b", "b"]);
        assert!(late.contains(r#"dur="5s""#) && late.contains(r#"keyTimes="0;0.2""#), "{late}");
        assert!(late.starts_with(r#"<g class="shot end"><animate"#), "{late}");
        assert_eq!(clock.runs(&["a", "", "a"]).matches("<animate").count(), 2);
    }

    #[test]
    fn only_what_differs_is_cut() {
        let (before, mut now) = (vec![0; 4 * 6], vec![0; 4 * 6]);
        now[4 * 4] = 1;
        let part = Part::changed(Some(&before), &now, 3, 2);
        assert_eq!((part.left, part.top, part.width, part.height), (1, 1, 1, 1));
        assert_eq!(part.cut(&now, 3), [1, 0, 0, 0]);
        let none = Part::changed(Some(&now), &now, 3, 2);
        assert_eq!((none.width, none.height), (1, 1));
    }
}
