//! Games that a seat may be in, where it does not see everything: each is played anew from the start, and fits all that the
//! seat has been told. A program that plays such a game knows of the true one what its seat was told, and nothing else.

use crate::game::{Game, Line, Told};
use crate::study::playout::pick;
use rand::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// So many worlds are looked for.
pub const WORLDS: usize = 8;

/// So many plies are tried in one search for a world, and in all those of one decision.
const TRIES: usize = 600;
const ALL_TRIES: usize = 4_000;

/// The worlds of the last decision, which are gone on with at the next one.
#[derive(Debug, Default)]
pub struct Worlds {
    seat: usize,
    told: Vec<Told>,
    lines: Vec<Line>,
}

impl Worlds {
    /// Worlds that fit what a seat has been told since the start of a game; fewer where few are found before `late`.
    pub fn fit(
        &mut self,
        game: &Game,
        seat: usize,
        told: Vec<Told>,
        chance: &mut Xoshiro256PlusPlus,
        late: &dyn Fn() -> bool,
    ) -> &[Line] {
        let goes_on = self.seat == seat && told.starts_with(&self.told);
        let before = if goes_on { std::mem::take(&mut self.lines) } else { Vec::new() };
        let mut lines: Vec<Line> = Vec::with_capacity(WORLDS);
        let mut search = Search { seat, told: &told, chance, late, left: ALL_TRIES };
        // One of them begins anew each time, so that they do not become all alike.
        for line in before.into_iter().take(WORLDS - 1) {
            let found = match search.from(line) {
                Ok(found) => Some(found),
                // One that is mended is enough where others fit.
                Err(broken) if lines.is_empty() => search.mended(broken),
                Err(_) => None,
            };
            lines.extend(found);
        }
        while lines.len() < WORLDS && search.left > 0 && !late() {
            lines.extend(search.from(Line::new(game.start())).ok());
        }
        (self.seat, self.told, self.lines) = (seat, told, lines);
        &self.lines
    }
}

/// A search for one world: plies that the seat did not see are drawn, and taken back where what it was told next does not
/// fit, the last one first.
struct Search<'a> {
    seat: usize,
    told: &'a [Told],
    chance: &'a mut Xoshiro256PlusPlus,
    late: &'a dyn Fn() -> bool,
    /// So many plies may still be tried.
    left: usize,
}

impl Search<'_> {
    /// Goes on from a world of an earlier moment; or as far as it was when it was given up.
    fn from(&mut self, mut line: Line) -> Result<Line, Line> {
        let mut furthest = line.clone();
        match self.extended(&mut line, &mut furthest) {
            Some(()) => Ok(line),
            None => Err(furthest),
        }
    }

    /// Changes one of the plies that were not seen, plays the others again, and keeps that if it leads as far: what a seat
    /// learns late may have been decided at the start, and then plies in between need not be drawn anew.
    fn mended(&mut self, mut line: Line) -> Option<Line> {
        while self.left > 0 && !(self.late)() {
            if line.played() == self.told.len() {
                return Some(line);
            }
            let at = pick(line.played(), self.chance)?;
            let plies = line.moves();
            let mut other = line.clone();
            other.go_to(at);
            let was = line.chosen().get(at).copied();
            let mut changed = self.drawn(&other, self.told.get(at)?);
            changed.retain(|index| Some(*index) != was);
            let Some(index) = changed.pop() else { continue };
            if !self.fits(&mut other, index) {
                continue;
            }
            while let Some(told) = self.told.get(other.played()) {
                let same = plies.get(other.played()).and_then(|text| other.position().find(text).ok());
                let mut ways = self.drawn(&other, told);
                ways.extend(same);
                let Some(index) = ways.pop().filter(|_| self.left > 0) else { break };
                if !self.fits(&mut other, index) && !ways.pop().is_some_and(|index| self.fits(&mut other, index)) {
                    break;
                }
            }
            if other.played() >= line.played() {
                line = other;
            }
        }
        None
    }

    /// Plays a ply if the seat then sees what it was told.
    fn fits(&mut self, line: &mut Line, index: usize) -> bool {
        self.left = self.left.saturating_sub(1);
        let ply = line.played();
        let fits = line.play(index).is_some()
            && self.told.get(ply).is_some_and(|told| told.sight == line.position().sight(self.seat));
        if !fits {
            line.go_to(ply);
        }
        fits
    }

    /// Plays on until the seat was told no more; `furthest` is where it came to on the way.
    fn extended(&mut self, line: &mut Line, furthest: &mut Line) -> Option<()> {
        // For each ply that was chosen here, and for those of the earlier moment once they are taken back, what else there is.
        let mut open: Vec<Option<Vec<usize>>> = vec![None; line.played()];
        let mut tries = 0;
        while let Some(next) = self.told.get(line.played()) {
            if open.len() == line.played() {
                open.push(Some(self.drawn(line, next)));
            }
            let ply = line.played();
            let index = open.get_mut(ply).and_then(Option::as_mut).and_then(Vec::pop);
            let Some(index) = index else {
                // Nothing is left here: the ply before it was another.
                open.truncate(ply);
                let back = ply.checked_sub(1)?;
                line.go_to(back);
                if let Some(unknown @ None) = open.get_mut(back) {
                    let known = self.told.get(back)?;
                    let was = line.chosen().get(back).copied();
                    let mut others = self.drawn(line, known);
                    others.retain(|other| Some(*other) != was);
                    *unknown = Some(others);
                }
                continue;
            };
            tries += 1;
            if tries > TRIES + ply || self.left == 0 || (self.late)() {
                return None;
            }
            if self.fits(line, index) && line.played() > furthest.played() {
                *furthest = line.clone();
            }
        }
        Some(())
    }

    /// The legal plies that read like what the seat was told, those of chance by their weights, in the order of a draw; the
    /// last comes first.
    fn drawn(&mut self, line: &Line, told: &Told) -> Vec<usize> {
        let position = line.position();
        let weights = position.weights();
        let weight = |index: usize| weights.as_ref().and_then(|weights| weights.get(index)).copied().unwrap_or(1);
        let reads = |index: &usize| position.ply_seen_from(*index, self.seat).as_ref() == Some(&told.ply);
        let fitting: Vec<usize> = (0..position.move_count()).filter(reads).collect();
        // The method of Efraimidis and Spirakis: of keys u^(1/w) the largest come as those drawn without putting back.
        let keys = fitting.into_iter().map(|index| {
            let even = (self.chance.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
            (even.powf(1.0 / f64::from(weight(index).max(1))), index)
        });
        let mut keys: Vec<(f64, usize)> = keys.collect();
        keys.sort_by(|a, b| a.0.total_cmp(&b.0));
        keys.into_iter().map(|(_, index)| index).collect()
    }
}
