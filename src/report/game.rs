//! All that there is to know of a game on one page: how it is played, a game to look at, what it is like, what options change.

use super::frame::{figure, page, section};
use super::{lesson, measures, options};
use crate::ai::measure::{Page, Settings};
use crate::ai::{Agent, Budget, Mind};
use crate::author::declared::About;
use crate::check::Project;
use crate::game::{Game, Line, Position};
use crate::render::text::escape;
use crate::render::{self, Replay, Style, Theme};
use crate::study::halt::Halt;
use std::sync::atomic::AtomicBool;

/// A game with all that is shown of it.
pub struct Report<'a> {
    /// The game.
    pub game: &'a Game,
    /// Its file.
    pub project: &'a Project,
    /// What was measured.
    pub measured: &'a Page,
    /// What its options change.
    pub swept: &'a [options::Swept],
    /// Who played the variants.
    pub sweeper: String,
    /// A game between programs.
    pub sample: &'a Line,
    /// Who played it.
    pub players: String,
    /// A line about options, seed and version.
    pub about: String,
}

/// A sample game is cut here.
const LONGEST: usize = 400;

/// How much is thought about each ply of it, and how much once the time is over.
const ROUNDS: u64 = 1_000;
const HURRIED: u64 = 16;

/// A game of a program against itself. When it is halted it goes on with little thought, so that there is a whole game.
#[must_use]
pub fn sample(game: &Game, settings: Settings, halt: Halt<'_>, told: &mut dyn FnMut()) -> (Line, String) {
    let never = AtomicBool::new(false);
    let mind = |rounds: u64, seed| Mind::new(Agent::Mcts(Budget::Rounds(rounds)), seed);
    let mut minds = (mind(ROUNDS, settings.seed), mind(HURRIED, settings.seed));
    let mut line = Line::new(game.start());
    while line.played() < LONGEST && !line.position().is_over() {
        let mind = if halt.is_set() { &mut minds.1 } else { &mut minds.0 };
        let Some(thought) = mind.think(&line, &never, &mut |_, _| {}) else { break };
        if line.play(thought.index).is_none() {
            break;
        }
        told();
    }
    (line, format!("mcts:{ROUNDS} against itself"))
}

/// The positions of a line with their moves.
#[must_use]
pub fn replay(line: &Line) -> Replay {
    let moves = std::iter::once(None).chain(line.moves().into_iter().map(Some));
    let positions = (0..=line.played()).filter_map(|ply| line.at(ply).cloned());
    Replay { name: "a game".to_owned(), steps: moves.zip(positions).collect() }
}

impl Report<'_> {
    /// The page.
    #[must_use]
    pub fn html(&self) -> String {
        let style = Style { theme: Theme::Auto, sheet: false, ..Style::default() };
        let player = replay(self.sample).player(&style);
        let told = self.result().map_or(String::new(), |result| format!(" {result}"));
        // The script that steps through the game has data of the name `game`.
        let game = section(
            "sample",
            "A game",
            &format!("<p class=\"quiet\">{}.{}</p>\n{}", escape(&self.players), escape(&told), player.board),
        );
        let body = [
            self.header(),
            lesson::lesson(self.game, self.project),
            game,
            measures::sections(self.game, self.measured),
            options::section_of(self.swept, &self.sweeper),
            format!("<footer class=\"quiet\">{}</footer>\n", escape(&self.about)),
        ];
        let head = render::sheet(&self.game.start(), Theme::Auto) + player.sheet;
        page(&self.game.rules().about.title, &head, &body.concat(), &player.script)
    }

    fn result(&self) -> Option<String> {
        let position = self.sample.position();
        let reason = &position.outcome()?.reason;
        Some(format!("{}: {reason}, after {} plies.", position.result_text()?, self.sample.played()))
    }

    fn header(&self) -> String {
        let about = About::of(self.project);
        let line = |class: &str, text: &str| match text {
            "" => String::new(),
            text => format!("<p class=\"{class}\">{}</p>\n", escape(text)),
        };
        let links = [
            ("how", "How to play"),
            ("sample", "A game"),
            ("fair", "Is it fair?"),
            ("board", "Where it happens"),
            ("options", "Options"),
            ("numbers", "All numbers"),
        ];
        let shown = links.iter().filter(|(id, _)| *id != "options" || !self.swept.is_empty());
        let links: String = shown.map(|(id, text)| format!("<a href=\"#{id}\">{text}</a>\n")).collect();
        // What stands at the start says little of games that begin with an empty board.
        let middle = self.sample.at(self.sample.played() * 2 / 3).unwrap_or(self.sample.position());
        format!(
            "<header class=\"top\">\n<div>\n<h1>{}</h1>\n{}{}<nav aria-label=\"On this page\">\n{links}</nav>\n</div>\n{}</header>\n",
            escape(&self.game.rules().about.title),
            line("quiet", &about.origin()),
            line("lead", about.summary.as_deref().unwrap_or("")),
            figure("On the way", &picture(middle), "A position of the game below.")
                .replace("<h3>On the way</h3>\n", ""),
        )
    }
}

fn picture(position: &Position) -> String {
    render::svg(position, &Style { theme: Theme::Auto, sheet: false, ..Style::default() })
}
