//! What follows a ply: turns that end and begin, and the end of the game.

use super::ends::split;
use super::eval::{Core, View};
use super::found::Found;
use super::scratch::Scratch;
use super::state::{Places, State};
use crate::engine::Over;
use crate::program::ir::NONE;
use crate::program::{DutyKind, EndOfTurn, EndingResult, FirstValue, TurnNode};
use crate::rules::{MAX_PLAYERS, TurnOf};

/// Whose turn it was.
#[derive(Clone, Copy, Debug)]
struct Turn {
    mover: u8,
    next: u8,
    order: usize,
    turn: u32,
}

impl Turn {
    /// The turn as the lines of `end` see it, when it is over.
    #[inline]
    fn view<'a, const W: usize>(self, core: &'a Core<W>, state: &'a State<W>, next: u8) -> View<'a, W> {
        View { mover: self.mover, next, turn: self.turn, ..View::of(core, state) }
    }
}

impl<const W: usize> Core<W> {
    /// What follows a ply: `found` holds the plies of the turn or the next turn, or the game is over.
    pub fn settle<'p>(
        &'p self,
        state: &mut State<W>,
        scratch: &mut Scratch<'p, W>,
        found: &mut Found<'p, W>,
    ) -> Option<Over> {
        if self.program.at_once {
            let view = View::of(self, state);
            if let Some(over) = self.outcome(&view, true, scratch) {
                return Some(over);
            }
        }
        // The turn of a player who leaves is over.
        if self.has_left(state, state.mover) {
            return self.end_turn(state, scratch, found);
        }
        if let Some(place) = state.places.only()
            && matches!(self.program.nodes.get(usize::from(place)), Some(TurnNode::End))
        {
            return self.end_turn(state, scratch, found);
        }
        self.offer(state, scratch, found);
        if found.count > 0 {
            return None;
        }
        if found.end {
            return self.end_turn(state, scratch, found);
        }
        let view = View { unfinished: true, ..View::of(self, state) };
        let over = self.outcome(&view, false, scratch);
        Some(over.unwrap_or_else(|| self.lost_by(state, state.mover)))
    }

    fn end_turn<'p>(
        &'p self,
        state: &mut State<W>,
        scratch: &mut Scratch<'p, W>,
        found: &mut Found<'p, W>,
    ) -> Option<Over> {
        for action in &self.program.end_of_turn {
            match action {
                EndOfTurn::Without { seen, count } => {
                    let had = state.cells.get(usize::from(*seen)) == Some(&1);
                    if let Some(count) = state.cells.get_mut(usize::from(*count)) {
                        *count = if had { 0 } else { count.max(&mut 0).saturating_add(1) };
                    }
                }
            }
        }
        self.after_turn(state, scratch);
        let chosen = self.chosen_next(state, scratch);
        let extra = chosen == Some(state.mover);
        let before = Turn { mover: state.mover, next: state.next, order: state.order, turn: state.turn };
        let (section, places) = (state.section, state.places.clone());
        // Lines of `end` read the turn that is over: what begins afresh with a turn has to be kept for them.
        scratch.turn.keep(self, state);
        if !extra {
            let chosen = chosen.and_then(|player| self.place_of(state, player));
            state.order = chosen.unwrap_or_else(|| self.following(state, state.order));
        }
        if !extra || self.program.seats.is_some() {
            state.mover = self.player_at(state, state.order);
        }
        state.next = self.player_at(state, self.following(state, state.order));
        state.turn += 1;
        self.begin_turn(state, scratch);
        self.offer(state, scratch, found);
        let stuck = found.count == 0;
        let mut over = if self.program.asks_on {
            // Whether something is possible is asked of the turn to come as it stands.
            let mut finished = scratch.state(state);
            scratch.turn.exchange(self, &mut finished);
            let view = View { stuck, following: Some(state), ..before.view(self, &finished, state.mover) };
            let over = self.outcome(&view, false, scratch);
            scratch.turn.exchange(self, &mut finished);
            scratch.give_back(finished);
            over
        } else {
            let mut kept = std::mem::take(&mut scratch.turn);
            kept.exchange(self, state);
            let view = View { stuck, following: Some(state), ..before.view(self, state, state.mover) };
            let over = self.outcome(&view, false, scratch);
            kept.exchange(self, state);
            scratch.turn = kept;
            over
        };
        over = over.or_else(|| self.over_for_want_of_players(state));
        if over.is_none() && stuck {
            over = Some(self.lost_by(state, state.mover));
        }
        if over.is_some() {
            scratch.turn.exchange(self, state);
            (state.mover, state.next, state.order, state.turn) = (before.mover, before.next, before.order, before.turn);
            (state.section, state.places) = (section, places);
            state.seen.pop();
        }
        over
    }

    /// Whose turn is next by the first duty that names one player who is still in the game; none where the order of turns
    /// says it.
    fn chosen_next<'p>(&'p self, state: &State<W>, scratch: &mut Scratch<'p, W>) -> Option<u8> {
        let duties = self.own(state).duties.get(state.section)?;
        let view = View::of(self, state);
        let chosen = duties.iter().filter_map(|duty| match &duty.kind {
            DutyKind::ExtraTurn => view.test(&duty.guard, &mut scratch.frame).then_some(state.mover),
            DutyKind::NextTurn(player) => {
                if !view.test(&duty.guard, &mut scratch.frame) {
                    return None;
                }
                let player = view.int(player, &mut scratch.frame);
                let one = player != NONE && player.count_ones() == 1;
                one.then(|| u8::try_from(player.trailing_zeros()).ok()).flatten()
            }
            DutyKind::Must(_) | DutyKind::MustMost(..) => None,
        });
        let mut chosen = chosen.filter(|player| !self.has_left(state, *player));
        chosen.next()
    }

    /// The next player's turn begins.
    pub(super) fn pass_on<'p>(&'p self, state: &mut State<W>, scratch: &mut Scratch<'p, W>) {
        state.order = self.following(state, state.order);
        state.mover = self.player_at(state, state.order);
        state.next = self.player_at(state, self.following(state, state.order));
        state.turn += 1;
        self.begin_turn(state, scratch);
    }

    /// The player at a place in the order of turns, whatever he plays by now.
    #[inline]
    pub(super) fn player_at(&self, state: &State<W>, order: usize) -> u8 {
        let seat = self.program.order.get(order).map_or(0, |player| player.0);
        let Some(base) = self.program.seats.map(usize::from) else { return seat };
        let seats = state.cells.iter().skip(base).take(self.program.players);
        seats.zip(0..).find(|(cell, _)| **cell == 1 << seat).map_or(seat, |(_, player)| player)
    }

    /// The seat of a player, who may have changed places with another.
    #[inline]
    pub(super) fn seat(&self, state: &State<W>, player: usize) -> usize {
        let Some(base) = self.program.seats.map(usize::from) else { return player };
        let cell = state.cells.get(base + player).copied().unwrap_or(0);
        if cell > 0 { usize::try_from(cell.trailing_zeros()).unwrap_or(player) } else { player }
    }

    /// Values of the turn begin afresh, and the state stands at the beginning of the section in force.
    fn begin_turn<'p>(&'p self, state: &mut State<W>, scratch: &mut Scratch<'p, W>) {
        for reset in &self.own(state).resets {
            let (base, count) = (usize::from(reset.place.base), usize::from(reset.place.count));
            match &reset.value {
                FirstValue::Int(int) => {
                    let value = View::of(self, state).int(int, &mut scratch.frame);
                    state.cells.iter_mut().skip(base).take(count).for_each(|cell| *cell = value);
                }
                FirstValue::Sets(set) => {
                    let value = View::of(self, state).sets(set, &mut scratch.frame);
                    state.sets.iter_mut().skip(base).take(count).for_each(|set| *set = value);
                }
            }
        }
        self.enter_turn(state);
        self.remember(state);
    }

    /// The more special section comes first: a number, a phase, any.
    pub(super) fn enter_turn(&self, state: &mut State<W>) {
        if let [only] = self.program.sections.as_slice()
            && matches!(only.of, TurnOf::Any)
        {
            state.section = 0;
            state.places = Places::one(only.entry);
            return;
        }
        let phase = self.program.phase.and_then(|phase| state.cells.get(usize::from(phase)).copied());
        let rank = |of: TurnOf| match of {
            TurnOf::Numbers(first, last) => (first..=last).contains(&i64::from(state.turn)).then_some(0),
            TurnOf::Phase(choice) => (phase == Some(i64::from(choice.0))).then_some(1),
            TurnOf::Any => Some(2),
        };
        let ranked = self.program.sections.iter().enumerate().filter_map(|(at, section)| Some((rank(section.of)?, at)));
        match ranked.min() {
            Some((_, at)) => {
                state.section = at;
                state.places = Places::one(self.program.sections[at].entry);
            }
            None => {
                state.section = 0;
                state.places = Places::from(&[][..]);
            }
        }
    }

    pub(super) fn lost_by(&self, state: &State<W>, player: u8) -> Over {
        self.split(state, 1 << player, false, None)
    }

    /// First place for those in the mask, or for all others.
    fn split(&self, state: &State<W>, players: i64, wins: bool, line: Option<usize>) -> Over {
        self.placed(state, split(&self.program, players, wins, line), if wins { players } else { 0 })
    }

    pub(super) fn outcome<'p>(
        &'p self,
        view: &View<'_, W>,
        at_once: bool,
        scratch: &mut Scratch<'p, W>,
    ) -> Option<Over> {
        if !self.program.asks_on {
            return self.outcome_of_lines(view, at_once, scratch);
        }
        scratch.frame.begin_lines();
        let over = self.outcome_of_lines(view, at_once, scratch);
        scratch.frame.end_lines();
        over
    }

    fn outcome_of_lines<'p>(&'p self, view: &View<'_, W>, at_once: bool, scratch: &mut Scratch<'p, W>) -> Option<Over> {
        let own = &self.program.by_mover[usize::from(view.mover).min(self.program.by_mover.len() - 1)];
        if !at_once {
            own.kept.iter().for_each(|kept| view.keep(kept, &mut scratch.frame));
        }
        for (index, ending) in own.endings.iter().enumerate() {
            if (!at_once || ending.at_once) && view.test(&ending.condition, &mut scratch.frame) {
                let over = self.concluded(view, Some(index), scratch);
                if over.is_some() {
                    return over;
                }
            }
        }
        None
    }

    /// What comes of a line of `end` that holds; nothing where it names nobody.
    pub(super) fn concluded<'p>(
        &'p self,
        view: &View<'_, W>,
        held: Option<usize>,
        scratch: &mut Scratch<'p, W>,
    ) -> Option<Over> {
        let mover = usize::from(view.mover).min(self.program.by_mover.len() - 1);
        if let Some(over) = *self.ends.get(mover)?.get(held?)? {
            return Some(over);
        }
        let own = &self.program.by_mover[mover];
        let ending = own.endings.get(held?)?;
        let line = Some(ending.line);
        Some(match &ending.result {
            EndingResult::Draw => self.split(view.now, 0, false, line),
            EndingResult::Players { players, wins } => {
                let players = view.int(players, &mut scratch.frame);
                // A player who is not known (a role that nobody has taken) decides nothing, nor does one who has left.
                if players == 0 || players == NONE {
                    return None;
                }
                if self.program.left.is_some() && players & self.playing(view.now) == 0 {
                    return None;
                }
                self.split(view.now, players, *wins, line)
            }
            EndingResult::BestScore => self.ranked(view, &own.scores, 1, line, scratch),
            EndingResult::LowestScore => self.ranked(view, &own.scores, -1, line, scratch),
            EndingResult::Ranks(ranks) => self.ranked(view, ranks, 1, line, scratch),
        })
    }

    /// The score of each player.
    pub fn scores<'p>(&'p self, state: &State<W>, scratch: &mut Scratch<'p, W>) -> Vec<i64> {
        let view = View::of(self, state);
        self.own(state).scores.iter().map(|score| known(view.int(score, &mut scratch.frame))).collect()
    }

    /// Places by score; ties go to whom the rules name, if it is exactly one of those tied.
    fn ranked<'p>(
        &'p self,
        view: &View<'_, W>,
        by: &[crate::program::ir::Int],
        sign: i64,
        line: Option<usize>,
        scratch: &mut Scratch<'p, W>,
    ) -> Over {
        let own = &self.program.by_mover[usize::from(view.mover).min(self.program.by_mover.len() - 1)];
        let count = self.program.players.min(MAX_PLAYERS);
        let mut scores = [0i64; MAX_PLAYERS];
        for (score, int) in scores.iter_mut().zip(by) {
            *score = known(view.int(int, &mut scratch.frame)).saturating_mul(sign);
        }
        // Those who have left compare with nobody.
        for (score, player) in scores[..count].iter_mut().zip(0..) {
            if self.has_left(view.now, player) {
                *score = i64::MIN;
            }
        }
        let mut places = [0u8; MAX_PLAYERS];
        for player in 0..count {
            places[player] = 1 + scores[..count].iter().filter(|other| **other > scores[player]).count() as u8;
        }
        for (favoured, guard) in &own.ties {
            if !view.test(guard, &mut scratch.frame) {
                continue;
            }
            let favoured = view.int(favoured, &mut scratch.frame);
            for place in 1..=count as u8 {
                let tied = (0..count).filter(|player| places[*player] == place).fold(0i64, |mask, at| mask | 1 << at);
                let ahead = tied & favoured;
                if tied.count_ones() > 1 && ahead.count_ones() == 1 && favoured != NONE {
                    for player in (0..count).filter(|player| (tied & !ahead) >> player & 1 == 1) {
                        places[player] += 1;
                    }
                }
            }
        }
        self.placed(view.now, Over { places, line }, 0)
    }

    /// A state made by hand: ready to be played from, or over.
    pub fn begin<'p>(
        &'p self,
        state: &mut State<W>,
        scratch: &mut Scratch<'p, W>,
        found: &mut Found<'p, W>,
    ) -> Option<Over> {
        if let Some(over) = self.over_for_want_of_players(state) {
            found.clear();
            return Some(over);
        }
        self.offer(state, scratch, found);
        if found.count > 0 {
            return None;
        }
        let mover = self.player_at(state, self.preceding(state, state.order));
        let view = View { mover, next: state.mover, stuck: true, following: Some(state), ..View::of(self, state) };
        let over = self.outcome(&view, false, scratch);
        Some(over.unwrap_or_else(|| self.lost_by(state, state.mover)))
    }
}

/// A score that is missing counts as nothing.
fn known(score: i64) -> i64 {
    if score == NONE { 0 } else { score }
}
