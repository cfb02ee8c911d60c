//! Games of a player against himself, by their numbers: those that a file holds, and those that are played now.

use super::error::CliError;
use super::resume::Resumed;
use super::source::RuleText;
use crate::ai::Agent;
use crate::ai::measure::{Numbers, Settings, compare};
use crate::game::Game;
use crate::jobs::{Job, JobFile, Sums, Work};
use crate::study::halt::Halt;
use std::ops::Range;

/// Where the games of variants come from.
pub struct Source<'a> {
    pub text: &'a RuleText,
    pub player: Agent,
    pub settings: Settings,
    /// What was written down, and how many games each series has.
    pub resumed: Option<(Resumed, u64)>,
}

impl Source<'_> {
    /// Refuses a file of other games before anything is played.
    pub fn expect(&mut self, games: &[&Game]) -> Result<(), CliError> {
        let Self { text, player, settings, resumed } = self;
        let Some((resumed, most)) = resumed else { return Ok(()) };
        resumed.expect(games.iter().map(|game| series((text, game), *player, *settings, *most)))
    }

    /// The games with these numbers; fewer where it is halted.
    pub fn games(&mut self, game: &Game, numbers: Range<u64>, halt: Halt<'_>) -> Result<Vec<Numbers>, CliError> {
        let Settings { threads, .. } = self.settings;
        if let Some((resumed, most)) = &mut self.resumed {
            let job = series((self.text, game), self.player, self.settings, *most);
            let all = told(resumed.play((&job, game), (threads, halt), numbers.end, &mut |_| {})?);
            let at = |number: u64| usize::try_from(number).unwrap_or(usize::MAX).min(all.len());
            return Ok(all.get(at(numbers.start)..at(numbers.end)).unwrap_or_default().to_vec());
        }
        let mut games = Vec::new();
        compare::part(game, self.settings, self.player, numbers, halt, &mut |numbers| {
            games.push(numbers);
            true
        });
        Ok(games)
    }
}

/// Games of a player against himself, as a job.
pub fn series((text, game): (&RuleText, &Game), player: Agent, settings: Settings, games: u64) -> Job {
    let work = Work::Series { player: player.to_string() };
    let job = Job { work, games, max_plies: Some(settings.max_plies), ..Job::default() };
    JobFile::new((&text.name, &text.text), game, settings.seed, job).job
}

/// What its games say.
pub fn told(sums: Sums) -> Vec<Numbers> {
    match sums {
        Sums::Series(games) => games,
        Sums::Random(_) | Sums::Bouts(_) | Sums::Endings(_) | Sums::Measured(_) => Vec::new(),
    }
}
