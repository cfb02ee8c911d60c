//! Players who are bound by a rule of their own, to see what it costs them: never a certain move, or always the mirror image.

use crate::ai::agent::Agent;
use crate::ai::bout::{Contestant, Failure, Player};
use crate::ai::mind::{Mind, Thought};
use crate::board::{Board, Site, SiteSet};
use crate::game::{Line, Position};
use crate::rules::{MoveId, Value};
use crate::study::halt::Halt;
use crate::study::playout::{generator, pick};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A program, and what binds it.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The program.
    pub agent: Agent,
    /// Its own rule.
    pub rule: Rule,
}

/// What a player may not do, or does whenever he can.
#[derive(Clone, Debug)]
pub enum Rule {
    /// Nothing beyond the rules of the game.
    Free,
    /// He never makes this move where there is another one.
    Without(MoveId),
    /// He answers with the mirror image of the ply before.
    Mirror(Arc<Vec<Site>>),
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rule {
            Rule::Free => write!(f, "{}", self.agent),
            Rule::Without(_) => write!(f, "{} without a move", self.agent),
            Rule::Mirror(_) => write!(f, "{} as a mirror", self.agent),
        }
    }
}

impl Contestant for Bound {
    fn player(&self) -> Box<dyn Player> {
        Box::new(Seated { bound: self.clone(), mind: Mind::new(self.agent, 0), chance: generator(0, 0) })
    }
}

struct Seated {
    bound: Bound,
    mind: Mind,
    chance: Xoshiro256PlusPlus,
}

impl Player for Seated {
    fn begin(&mut self, seed: u64) {
        self.mind = Mind::new(self.bound.agent, seed);
        self.chance = generator(seed, 1);
    }

    fn decide(&mut self, line: &Line, halt: Halt<'_>) -> Result<Thought, Failure> {
        if let Rule::Mirror(images) = &self.bound.rule
            && let Some(index) = mirrored(line, images)
        {
            return Ok(Thought { index, value: 0.5, ..Thought::default() });
        }
        let never = AtomicBool::new(false);
        let thought = self.mind.think(line, halt.flag().unwrap_or(&never), &mut |_, _| {});
        let thought = thought.ok_or_else(|| Failure::of(line))?;
        Ok(match self.bound.rule {
            Rule::Without(mv) => self.avoiding(line.position(), mv, thought),
            Rule::Free | Rule::Mirror(_) => thought,
        })
    }
}

impl Seated {
    /// The best of the other moves; where nothing is known of them any of them.
    fn avoiding(&mut self, position: &Position, mv: MoveId, thought: Thought) -> Thought {
        let legal = &position.situation().legal;
        let is_other = |index: usize| legal.get(index).is_some_and(|ply| ply.mv != mv);
        if is_other(thought.index) {
            return thought;
        }
        let others: Vec<usize> = (0..legal.len()).filter(|index| is_other(*index)).collect();
        let known = thought.candidates.iter().find(|candidate| is_other(candidate.index));
        let any = || others.get(pick(others.len(), &mut self.chance)?).copied();
        match known.map(|candidate| candidate.index).or_else(any) {
            Some(index) => Thought { index, ..thought },
            None => thought,
        }
    }
}

/// The legal ply that is the mirror image of the last one.
fn mirrored(line: &Line, images: &[Site]) -> Option<usize> {
    let rules = line.game().rules();
    let last = line.played().checked_sub(1)?;
    let ply = line.at(last)?.situation().legal.get(*line.chosen().get(last)?)?;
    let image = |value: Value| match value {
        Value::Sites(sites) => Value::of_sites(reflected(sites.get(), images)),
        other => other,
    };
    let parts: Vec<Value> = ply.parts(rules).map(image).collect();
    let same =
        |other: &crate::engine::reference::Ply| other.mv == ply.mv && other.parts(rules).eq(parts.iter().cloned());
    line.position().situation().legal.iter().position(same)
}

fn reflected(sites: SiteSet, images: &[Site]) -> SiteSet {
    sites.iter().filter_map(|site| images.get(site.index()).copied()).collect()
}

/// For every site the one opposite to it, seen from the middle of the board; none where a board is not made so.
#[must_use]
pub fn opposite(board: &Board) -> Option<Vec<Site>> {
    let places: Vec<(Site, (f64, f64))> = board.all().iter().map(|site| (site, board.xy(site))).collect();
    let ends = |of: fn(&(f64, f64)) -> f64| {
        let values = places.iter().map(|(_, place)| of(place));
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
    };
    let (across, down) = (ends(|place| place.0), ends(|place| place.1));
    let near = board.spacing() * 0.05;
    let image = |(_, (x, y)): &(Site, (f64, f64))| {
        let (x, y) = (across.0 + across.1 - x, down.0 + down.1 - y);
        let found = places.iter().find(|(_, other)| (other.0 - x).abs() < near && (other.1 - y).abs() < near)?;
        Some(found.0)
    };
    places.iter().map(image).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::library::Library;

    #[test]
    fn every_site_of_a_square_has_an_opposite_and_the_middle_is_its_own() {
        let game = Game::from_text("t", Library::text("tic_tac_toe").unwrap(), None, &[], &Library).unwrap();
        let board = &game.rules().board;
        let opposite = opposite(board).unwrap();
        let named = |name: &str| board.name(opposite[board.find(name).unwrap().index()]).to_owned();
        assert_eq!([named("a1"), named("b2"), named("a2")], ["c3", "b2", "c2"]);
    }
}
