//! The end of plies, turns and games.

use super::eval::{Frame, View, set_local};
use super::state::{Seen, hash_value};
use super::{Outcome, Reference, Situation, State};
use crate::board::SiteSet;
use crate::rules::{
    Chronicle, DutyKind, Ending, EndingResult, Expr, ExprKind, MemoryId, PlayerId, Players, Value, WordId,
};
use std::ops::ControlFlow;
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

impl Reference {
    /// What follows a ply: a further ply of the turn, the next turn, or the end of the game.
    pub(super) fn settle(&self, state: State) -> Situation {
        if let Some(outcome) = self.outcome_at_once(&state) {
            return Situation::over(state, outcome);
        }
        // The turn of a player who leaves is over.
        if !self.is_playing(&state, state.mover) {
            return self.end_turn(state);
        }
        let legal = self.legal(&state);
        if !legal.plies.is_empty() {
            return Situation::open(state, legal.plies);
        }
        if legal.end {
            return self.end_turn(state);
        }
        let mut view = View::of(self, &state);
        view.unfinished = true;
        let outcome = self.outcome(&view, false).unwrap_or_else(|| {
            self.loses(&state, Players::single(state.mover), "the turn cannot be finished".to_owned(), None)
        });
        Situation::over(state, outcome)
    }

    fn end_turn(&self, state: State) -> Situation {
        let mut finished = state;
        for chronicle in &self.rules.chronicles {
            match chronicle {
                Chronicle::Without { seen, count, .. } => {
                    let had = self.memory(&finished, *seen).is_true();
                    let turns = if had { 0 } else { self.memory(&finished, *count).number().unwrap_or(0) + 1 };
                    self.set_memory(&mut finished, *count, Value::Number(Some(turns)));
                }
                Chronicle::Carry { .. }
                | Chronicle::Happened { .. }
                | Chronicle::Part { .. }
                | Chronicle::LastTo { .. }
                | Chronicle::It { .. } => {}
            }
        }
        let finished = self.after_turn(finished);
        let following = self.following(&finished);
        let legal = self.legal(&following);
        let stuck = legal.plies.is_empty();
        if let Some(outcome) = self.outcome_between(&finished, &following, stuck) {
            return Situation::over(finished, outcome);
        }
        if let Some(outcome) = self.nobody_to_play_with(&finished) {
            return Situation::over(finished, outcome);
        }
        if stuck {
            let outcome = self.stuck_outcome(&following);
            return Situation::over(finished, outcome);
        }
        Situation::open(following, legal.plies)
    }

    /// A finished turn with what the rules do after each; what cannot be done is left out.
    fn after_turn(&self, finished: State) -> State {
        let Some(mv) = self.rules.after_turn.and_then(|after| self.rules.moves.get(after.0)) else { return finished };
        let mut done = None;
        let _ = self.walk(&View::of(self, &finished), mv.entry, None, &mut Frame::new(), &mut |changed, _, _| {
            done = Some(changed.clone());
            ControlFlow::Break(())
        });
        done.unwrap_or(finished)
    }

    /// The beginning of the turn after a finished one.
    pub(super) fn following(&self, finished: &State) -> State {
        self.next_turn(finished, self.chosen_next(finished))
    }

    /// The beginning of the next player's turn, as if the one under way were over.
    pub(super) fn passed_on(&self, state: &State) -> State {
        self.next_turn(state, None)
    }

    fn next_turn(&self, finished: &State, chosen: Option<PlayerId>) -> State {
        let mut following = finished.clone();
        following.order = match chosen {
            Some(player) if player == finished.mover => finished.order,
            Some(player) => self.place_of(finished, player),
            None => self.place_after(finished),
        };
        if self.rules.seats.is_some() || following.order != finished.order {
            // After an extra turn too: who stays at it may play something else by now.
            following.mover = self.player_at(&following, following.order);
        }
        following.next = self.player_after(&following);
        following.turn += 1;
        self.reset_turn(&mut following);
        self.enter_turn(&mut following);
        self.remember_position(&mut following);
        following
    }

    /// Whose turn is next by the first duty that names one player who is still in the game; none where it is that of the next
    /// player in order.
    fn chosen_next(&self, state: &State) -> Option<PlayerId> {
        let turn = self.rules.turns.get(state.section)?;
        let view = View::of(self, state);
        turn.duties.iter().find_map(|duty| {
            if !duty.guard.as_ref().is_none_or(|guard| view.holds(guard, &mut Frame::new())) {
                return None;
            }
            let chosen = match &duty.kind {
                DutyKind::ExtraTurn => Some(state.mover),
                DutyKind::NextTurn(player) => view.eval(player, &mut Frame::new()).players().only(),
                DutyKind::Must(_) | DutyKind::MustMost(_) => None,
            };
            chosen.filter(|player| self.is_playing(state, *player)).inspect(|_| self.saw(duty.span, true))
        })
    }

    pub(super) fn remember_position(&self, state: &mut State) {
        if self.rules.repetition.any() {
            let seen = Seen { position: self.position_hash(state, state.mover), board: state.board_hash() };
            Arc::make_mut(&mut state.seen).push(seen);
        }
    }

    /// Pieces, tracked values that outlast a turn, and the player to move.
    pub(super) fn position_hash(&self, state: &State, mover: PlayerId) -> u64 {
        let mut hasher = Xxh3::new();
        hasher.update(&state.board_hash().to_le_bytes());
        hasher.update(&[mover.0]);
        for (index, memory) in self.rules.memories.iter().enumerate() {
            if memory.declared && !memory.each_turn {
                let base = self.bases[index];
                let end = self.bases.get(index + 1).copied().unwrap_or(state.memory.len());
                state.memory.get(base..end).unwrap_or_default().iter().for_each(|value| hash_value(&mut hasher, value));
            }
        }
        hasher.digest()
    }

    fn outcome_at_once(&self, state: &State) -> Option<Outcome> {
        if !self.rules.endings.iter().any(|ending| ending.at_once) {
            return None;
        }
        self.outcome(&View::of(self, state), true)
    }

    /// Whether the game is over between a finished turn and the next.
    pub(super) fn outcome_between(&self, finished: &State, following: &State, stuck: bool) -> Option<Outcome> {
        self.outcome(&self.between(finished, following, stuck), false)
    }

    /// What the lines of `end` read between a finished turn and the next.
    pub(super) fn between<'v>(&'v self, finished: &'v State, following: &'v State, stuck: bool) -> View<'v> {
        View { next: following.mover, stuck, following: Some(following), ..View::of(self, finished) }
    }

    /// Nobody said what happens to a player who cannot move: he loses.
    pub(super) fn stuck_outcome(&self, state: &State) -> Outcome {
        self.loses(state, Players::single(state.mover), "no legal move".to_owned(), None)
    }

    pub(super) fn outcome(&self, view: &View<'_>, at_once: bool) -> Option<Outcome> {
        self.outcome_by(view, |ending| ending.at_once || !at_once)
    }

    /// Whether a position made by hand is over, as if a turn had just led to it. How it came about is not known, so that only
    /// lines of `end` count that read nothing of that, but for `it`, which may be any piece of the player before; nor do those
    /// that hold before anything was played.
    pub(super) fn outcome_by_hand(&self, state: &State) -> Option<Outcome> {
        let start = self.first();
        let told = self.rules.endings.iter().filter(|ending| self.is_told_by_position(ending));
        told.filter(|ending| self.decided(&start, ending).is_none()).find_map(|ending| self.decided(state, ending))
    }

    /// What a line of `end` says of a position to which the player before has just moved some piece.
    fn decided(&self, state: &State, ending: &Ending) -> Option<Outcome> {
        let mut before = state.clone();
        before.mover = self.player_before(state);
        let judged =
            |before: &State| self.outcome_by(&self.between(before, state, false), |line| line.span == ending.span);
        let Some(it) = self.memory_of_it() else { return judged(&before) };
        judged(&before).or_else(|| {
            state.of_players(Players::single(before.mover)).iter().find_map(|site| {
                let mut moved = before.clone();
                self.set_memory(&mut moved, it, Value::of_site(site));
                judged(&moved)
            })
        })
    }

    /// Where the piece that went last is remembered.
    fn memory_of_it(&self) -> Option<MemoryId> {
        self.rules.chronicles.iter().find_map(|chronicle| match chronicle {
            Chronicle::It { memory } => Some(*memory),
            Chronicle::Happened { .. }
            | Chronicle::Part { .. }
            | Chronicle::LastTo { .. }
            | Chronicle::Without { .. }
            | Chronicle::Carry { .. } => None,
        })
    }

    /// Whether a line of `end` reads nothing of the plies that led to a position.
    fn is_told_by_position(&self, ending: &Ending) -> bool {
        let asked = match &ending.result {
            EndingResult::Player { player, .. } => Some(player),
            EndingResult::Ranks(by) => Some(by),
            EndingResult::Draw
            | EndingResult::BestScore
            | EndingResult::LowestScore
            | EndingResult::AnyPlayer { .. } => None,
        };
        let score = self.rules.score.and_then(|score| self.rules.words.get(score.0)).map(|word| &word.body);
        ending.condition.iter().chain(asked).chain(score).all(|expr| self.is_of_position(expr))
    }

    fn is_of_position(&self, expr: &Expr) -> bool {
        let here = match &expr.kind {
            ExprKind::Memory { memory, .. } => {
                self.memory_of_it() == Some(*memory)
                    || self.rules.memories.get(memory.0).is_some_and(|memory| memory.declared)
            }
            ExprKind::Word(word, _) | ExprKind::Adjective { word, .. } => {
                self.rules.words.get(word.0).is_some_and(|word| self.is_of_position(&word.body))
            }
            kind => !matches!(kind, ExprKind::Before(_) | ExprKind::Seen { .. }),
        };
        here && expr.children().into_iter().all(|part| self.is_of_position(part))
    }

    fn outcome_by(&self, view: &View<'_>, counts: impl Fn(&Ending) -> bool) -> Option<Outcome> {
        let mut frame = Frame::new();
        for (index, ending) in self.rules.endings.iter().enumerate() {
            if !counts(ending) {
                continue;
            }
            let reason = ending.reason.clone();
            if let EndingResult::AnyPlayer { local, wins } = &ending.result {
                let count = self.rules.players.len();
                for step in 0..count {
                    let player = PlayerId(((usize::from(view.mover.0) + step) % count) as u8);
                    let players = self.still_open(view.state, Players::single(player));
                    if players.0 == 0 {
                        continue;
                    }
                    set_local(&mut frame, local.0, Value::Players(players));
                    if ending.condition.as_ref().is_none_or(|condition| view.holds(condition, &mut frame)) {
                        return Some(if *wins {
                            self.wins(view.state, players, reason, Some(index))
                        } else {
                            self.loses(view.state, players, reason, Some(index))
                        });
                    }
                }
                continue;
            }
            if ending.condition.as_ref().is_some_and(|condition| !view.holds(condition, &mut frame)) {
                continue;
            }
            self.saw(ending.span, true);
            let everyone = vec![1; self.rules.players.len()];
            return Some(match &ending.result {
                EndingResult::Draw => {
                    self.placed(view.state, Outcome { places: everyone, reason, ending: Some(index) })
                }
                EndingResult::BestScore => self.ranked(view, self.scores_in(view), reason, index),
                EndingResult::LowestScore => {
                    let scores = self.scores_in(view).into_iter().map(i64::saturating_neg).collect();
                    self.ranked(view, scores, reason, index)
                }
                EndingResult::Ranks(by) => {
                    let scores = (0..self.rules.players.len() as u8)
                        .map(|player| {
                            let mut own = *view;
                            own.mover = PlayerId(player);
                            own.eval(by, &mut frame).number().unwrap_or(0)
                        })
                        .collect();
                    self.ranked(view, scores, reason, index)
                }
                EndingResult::Player { player, wins } => {
                    let players = view.eval(player, &mut frame).players();
                    // A player who is not known (a role that nobody has taken) decides nothing, nor does one who has left.
                    if self.still_open(view.state, players).0 == 0 {
                        continue;
                    }
                    if *wins {
                        self.wins(view.state, players, reason, Some(index))
                    } else {
                        self.loses(view.state, players, reason, Some(index))
                    }
                }
                EndingResult::AnyPlayer { .. } => continue,
            });
        }
        None
    }

    fn wins(&self, state: &State, players: Players, reason: String, ending: Option<usize>) -> Outcome {
        let outcome = Outcome { places: self.places_of(|player| players.contains(player)), reason, ending };
        self.placed_with(state, outcome, players)
    }

    /// Some come first, and all others behind them.
    fn places_of(&self, first: impl Fn(PlayerId) -> bool) -> Vec<u8> {
        let first: Vec<bool> = (0..).map(PlayerId).map(first).take(self.rules.players.len()).collect();
        let behind = 1 + first.iter().filter(|first| **first).count() as u8;
        first.into_iter().map(|first| if first { 1 } else { behind }).collect()
    }

    fn loses(&self, state: &State, players: Players, reason: String, ending: Option<usize>) -> Outcome {
        self.placed(state, Outcome { places: self.places_of(|player| !players.contains(player)), reason, ending })
    }

    fn scores_in(&self, view: &View<'_>) -> Vec<i64> {
        let Some(word) = self.rules.score.and_then(|score| self.rules.words.get(score.0)) else {
            return vec![0; self.rules.players.len()];
        };
        (0..self.rules.players.len() as u8)
            .map(|player| {
                let mut frame = vec![Value::Players(Players::single(PlayerId(player)))];
                view.eval(&word.body, &mut frame).number().unwrap_or(0)
            })
            .collect()
    }

    /// The score of each player, none where the game keeps none.
    #[must_use]
    pub fn scores(&self, state: &State) -> Vec<i64> {
        if self.rules.score.is_none() { Vec::new() } else { self.scores_in(&View::of(self, state)) }
    }

    /// The sites that a word stands for in a state.
    #[must_use]
    pub fn sites_of(&self, state: &State, word: WordId, arguments: &[Value]) -> SiteSet {
        let Some(word) = self.rules.words.get(word.0) else { return SiteSet::EMPTY };
        let mut frame = arguments.to_vec();
        View::of(self, state).eval(&word.body, &mut frame).sites()
    }

    /// Whether a condition holds in a state, read as in `end`; used by tests in the text.
    #[must_use]
    pub fn check(&self, state: &State, expr: &crate::rules::Expr) -> bool {
        View::of(self, state).holds(expr, &mut Frame::new())
    }

    /// Places by score; ties go to whom the rules name, if it is exactly one of those tied.
    fn ranked(&self, view: &View<'_>, scores: Vec<i64>, reason: String, ending: usize) -> Outcome {
        let scores = self.scores_of_those_playing(view.state, scores);
        let mut places: Vec<u8> =
            scores.iter().map(|score| 1 + scores.iter().filter(|other| *other > score).count() as u8).collect();
        for (favoured, guard) in &self.rules.ties {
            if guard.as_ref().is_some_and(|guard| !view.holds(guard, &mut Frame::new())) {
                continue;
            }
            let tie = favoured.span;
            let favoured = view.eval(favoured, &mut Frame::new()).players();
            for place in 1..=places.len() as u8 {
                let tied: Vec<usize> = (0..places.len()).filter(|player| places[*player] == place).collect();
                let ahead: Vec<usize> =
                    tied.iter().copied().filter(|player| favoured.contains(PlayerId(*player as u8))).collect();
                if tied.len() > 1 && ahead.len() == 1 {
                    self.saw(tie, true);
                    for player in tied.into_iter().filter(|player| *player != ahead[0]) {
                        places[player] += 1;
                    }
                }
            }
        }
        self.placed(view.state, Outcome { places, reason, ending: Some(ending) })
    }
}
