//! Games in motion: the positions of a game one after the other, as animated SVG and as a page.

use super::page::{self, Player};
use super::scene::{Place, Scene};
use super::style::{Marks, Style};
use super::svg::{self, Frame};
use super::text::number;
use super::theme::Colours;
use crate::game::Position;

/// How many times as long the last position stays.
pub const HOLD: u32 = 3;
/// Whoever has asked for less motion sees the end. What is important wins against what is animated.
const STILL: &str = "<style>\n@media (prefers-reduced-motion:reduce){.ludwright .shot{visibility:hidden!important}\
                     .ludwright .shot.end{visibility:visible!important}}\n</style>\n";

/// A game from its first position to its last.
#[derive(Clone, Debug)]
pub struct Replay {
    /// What the page is called.
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

    /// A page that plays the game: one file, which needs nothing else.
    #[must_use]
    pub fn html(&self, style: &Style) -> String {
        page::write(&self.name, &self.shots(style), style)
    }

    /// The same as a part of a page.
    #[must_use]
    pub fn player(&self, style: &Style) -> Player {
        Player::of(&self.shots(style), style)
    }
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
}
