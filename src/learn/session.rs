//! A game in progress, by the numbers of actions.

use super::actions::{Actions, NO_ACTION};
use super::planes::Planes;
use crate::ai::worth;
use crate::engine::observe::Saved;
use crate::engine::reference::Reference;
use crate::engine::{Engine, Over, Play, Snapshot, Stopped};
use crate::game::{Game, Line, Position};
use crate::rules::{MAX_PLAYERS, MoveId, PlayerId, Value};

/// Why an action cannot be played.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SessionError {
    /// It is not among the legal ones.
    #[error("action {action} is not legal here; the legal ones are {legal:?}")]
    Illegal {
        /// What was asked for.
        action: u32,
        /// What can be played, or the first of it.
        legal: Vec<u32>,
    },
    /// Nothing can be played any more.
    #[error("the game is over")]
    Over,
    /// What follows it takes more steps or more memory than a ply may: nothing was played.
    #[error("{0}")]
    Stopped(Stopped),
}

/// A game in progress: its legal actions, and what can be seen of it. Nothing is allocated from ply to ply.
pub struct Session<'g> {
    actions: &'g Actions,
    player: Box<dyn Play + 'g>,
    /// What tells what is not seen, in games that hide something.
    referee: Option<&'g Reference>,
    /// Whether chance decides anything.
    chances: bool,
    /// The legal actions. Where they are whole plies, in the order of those.
    legal: Vec<u32>,
    /// Of split actions, the choices that make each legal ply, and those made by now.
    rows: Vec<u32>,
    chosen: Vec<u32>,
    /// The actions of all plies played, and of split actions these plies in terms of the rules.
    history: Vec<u32>,
    told: Vec<(MoveId, Vec<Value>)>,
    plies: u32,
    stopped: Option<Stopped>,
}

/// A session that was saved, to go on from.
#[derive(Debug)]
pub struct SavedSession {
    position: Saved,
    legal: Vec<u32>,
    rows: Vec<u32>,
    chosen: Vec<u32>,
    history: Vec<u32>,
    told: Vec<(MoveId, Vec<Value>)>,
    plies: u32,
    stopped: Option<Stopped>,
}

impl<'g> Session<'g> {
    /// A game of which nothing has been played.
    #[must_use]
    pub fn new(game: &'g Game, actions: &'g Actions) -> Self {
        let player = game.player(Engine::Fast);
        let mut session = Self {
            actions,
            player,
            referee: referee(game),
            chances: game.rules().has_chance(),
            legal: Vec::new(),
            rows: Vec::new(),
            chosen: Vec::new(),
            history: Vec::new(),
            told: Vec::new(),
            plies: 0,
            stopped: None,
        };
        session.stopped = session.player.stopped();
        session.look();
        session
    }

    /// All that there is to go on from here.
    #[must_use]
    pub fn saved(&self) -> SavedSession {
        SavedSession {
            position: self.player.save(),
            legal: self.legal.clone(),
            rows: self.rows.clone(),
            chosen: self.chosen.clone(),
            history: self.history.clone(),
            told: self.told.clone(),
            plies: self.plies,
            stopped: self.stopped,
        }
    }

    /// A game that goes on from what was saved of one with the same rules; from the start if the rules are others.
    #[must_use]
    pub fn restored(game: &'g Game, actions: &'g Actions, saved: &SavedSession) -> Self {
        let mut player = game.player(Engine::Fast);
        if !player.restore(&saved.position) {
            return Self::new(game, actions);
        }
        Self {
            actions,
            player,
            referee: referee(game),
            chances: game.rules().has_chance(),
            legal: saved.legal.clone(),
            rows: saved.rows.clone(),
            chosen: saved.chosen.clone(),
            history: saved.history.clone(),
            told: saved.told.clone(),
            plies: saved.plies,
            stopped: saved.stopped,
        }
    }

    /// Goes back to the start.
    pub fn reset(&mut self) {
        self.player.reset();
        self.plies = 0;
        self.history.clear();
        self.told.clear();
        self.look();
    }

    /// What is legal is found anew.
    #[inline]
    fn look(&mut self) {
        let Self { actions, player, legal, rows, chosen, .. } = self;
        legal.clear();
        if !actions.is_split() {
            return player.sheaves(&mut |sheaf| actions.tell(&sheaf, legal));
        }
        rows.clear();
        chosen.clear();
        player.sheaves(&mut |sheaf| actions.tell_rows(&sheaf, rows));
        self.offer();
    }

    /// The choices that some legal ply goes on with.
    fn offer(&mut self) {
        let Self { actions, legal, rows, chosen, .. } = self;
        legal.clear();
        let open = rows.chunks_exact(actions.width()).filter(|row| row.starts_with(chosen));
        legal.extend(open.filter_map(|row| row.get(chosen.len())));
        legal.sort_unstable();
        legal.dedup();
    }

    /// The legal actions, none when the game is over. Whole plies stand in the order in which the engine has them.
    #[must_use]
    #[inline]
    pub fn legal(&self) -> &[u32] {
        &self.legal
    }

    /// Whether a legal ply has no number, which would be a mistake of ours.
    #[must_use]
    pub fn has_lost(&self) -> bool {
        self.legal.iter().any(|action| *action >= NO_ACTION - 1)
    }

    /// Plays a legal action; any other changes nothing.
    #[inline]
    pub fn apply(&mut self, action: u32) -> Result<(), SessionError> {
        let index = self.find(action)?;
        self.take(index)
    }

    /// Where an action stands among the legal ones.
    #[inline]
    pub fn find(&self, action: u32) -> Result<usize, SessionError> {
        let at = place_of(action, &self.legal);
        at.ok_or_else(|| self.refuse(action))
    }

    /// Plays the legal action that stands there; where it is given up everything is as before.
    #[inline]
    pub fn take(&mut self, at: usize) -> Result<(), SessionError> {
        match self.legal.get(at) {
            Some(action) if self.actions.is_split() => self.choose(*action),
            Some(_) => self.play(at),
            None => Ok(()),
        }
    }

    #[cold]
    fn refuse(&self, action: u32) -> SessionError {
        if self.legal.is_empty() {
            return SessionError::Over;
        }
        SessionError::Illegal { action, legal: self.legal.iter().copied().take(20).collect() }
    }

    fn choose(&mut self, action: u32) -> Result<(), SessionError> {
        self.chosen.push(action);
        match self.whole() {
            Some(index) => self.play(index).inspect_err(|_| {
                self.chosen.pop();
                self.offer();
            }),
            None => {
                self.offer();
                Ok(())
            }
        }
    }

    /// The number of the legal ply that the choices made by now come to; none as long as more are to be made.
    fn whole(&self) -> Option<usize> {
        let done = |row: &[u32]| row.starts_with(&self.chosen) && row.get(self.chosen.len()) == Some(&NO_ACTION);
        self.rows.chunks_exact(self.actions.width()).position(done)
    }

    /// Tells of every legal action, from the smallest on, what it leads to: `tell` sees the game as it is right after it,
    /// before any chance, but without its legal actions, which are not worked out. Afterwards everything is as before.
    pub fn each_successor(&mut self, tell: &mut dyn FnMut(u32, &Self)) -> Result<(), SessionError> {
        let legal = std::mem::take(&mut self.legal);
        let mut places: Vec<(u32, usize)> = legal.iter().copied().zip(0..).collect();
        places.sort_unstable();
        let told = places.into_iter().try_for_each(|(action, at)| self.tell_successor(action, at, tell));
        self.legal = legal;
        told
    }

    fn tell_successor(&mut self, action: u32, at: usize, tell: &mut dyn FnMut(u32, &Self)) -> Result<(), SessionError> {
        let split = self.actions.is_split();
        if split {
            self.chosen.push(action);
        }
        let ply = if split { self.whole() } else { Some(at) };
        let told = match ply {
            Some(ply) => {
                let chosen = std::mem::take(&mut self.chosen);
                self.player.push();
                self.player.play(ply);
                let stopped = self.player.over().and_then(|_| self.player.stopped());
                if stopped.is_none() {
                    tell(action, self);
                }
                self.player.pop();
                self.chosen = chosen;
                stopped.map_or(Ok(()), |stopped| Err(SessionError::Stopped(stopped)))
            }
            None => {
                tell(action, self);
                Ok(())
            }
        };
        if split {
            self.chosen.pop();
        }
        told
    }

    /// Plays a legal ply by its number, if there is one; where it is given up everything is as before.
    #[inline]
    pub fn play(&mut self, index: usize) -> Result<(), SessionError> {
        if index >= self.player.count() {
            return Ok(());
        }
        if self.actions.is_split() {
            let row = self.rows.chunks_exact(self.actions.width()).nth(index).unwrap_or_default();
            self.history.extend(row.iter().take_while(|action| **action != NO_ACTION));
            self.told.extend(self.player.ply(index));
        } else {
            self.history.extend(self.legal.get(index));
        }
        self.player.play(index);
        self.plies += 1;
        if self.player.is_over()
            && let Some(stopped) = self.player.stopped()
        {
            self.take_back();
            return Err(SessionError::Stopped(stopped));
        }
        self.look();
        Ok(())
    }

    /// Goes back to before the last ply, by playing the others again: what could be played once can be played again.
    #[cold]
    fn take_back(&mut self) {
        let (mut history, mut told) = (std::mem::take(&mut self.history), std::mem::take(&mut self.told));
        let chosen = std::mem::take(&mut self.chosen);
        history.pop();
        told.pop();
        self.reset();
        if self.actions.is_split() {
            let again = told.into_iter().map_while(|ply| {
                let index = (0..self.player.count()).find(|index| self.player.ply(*index).as_ref() == Some(&ply))?;
                self.play(index).ok()
            });
            again.for_each(drop);
            self.chosen = chosen;
            self.offer();
        } else {
            history.into_iter().map_while(|action| self.apply(action).ok()).for_each(drop);
        }
    }

    /// Why the start of the game could not be worked out; then nothing is legal, and nobody has won.
    #[must_use]
    pub fn stopped(&self) -> Option<Stopped> {
        self.stopped
    }

    /// Plays one legal ply, each as likely as any other, and where chance decides as likely as it is heavy: `roll` gives a
    /// number below the one that it is told.
    pub fn play_any(&mut self, roll: &mut dyn FnMut(usize) -> usize) -> Result<(), SessionError> {
        let index = self.player.choose(roll);
        self.play(index)
    }

    /// The actions by which the game came here, without those of a ply that is not chosen to its end.
    #[must_use]
    pub fn history(&self) -> &[u32] {
        &self.history
    }

    /// The choices made by now of a ply that takes several.
    #[must_use]
    pub fn chosen(&self) -> &[u32] {
        &self.chosen
    }

    /// Plays on a line what has been played here since, so that it can be asked for texts; false where the line belongs to
    /// another game.
    pub fn follow(&self, line: &mut Line) -> bool {
        let rules = line.game().clone();
        while line.played() < self.told_plies() {
            let at = line.played();
            let ply = if self.actions.is_split() {
                self.told.get(at).cloned()
            } else {
                let action = self.history.get(at).and_then(|action| usize::try_from(*action).ok());
                action.and_then(|action| self.actions.ply(rules.rules(), action))
            };
            let index = ply.and_then(|ply| line.position().places_of_plies().get(&ply).copied());
            if index.and_then(|index| line.play(index)).is_none() {
                return false;
            }
        }
        true
    }

    fn told_plies(&self) -> usize {
        if self.actions.is_split() { self.told.len() } else { self.history.len() }
    }

    /// Plays a legal move of the position that a line has come to, which is the present one, by its number there. False where
    /// there is none.
    pub fn play_legal(&mut self, position: &Position, index: usize) -> Result<bool, SessionError> {
        let places = position.places_of_plies();
        let is_meant = |ply: Option<_>| ply.and_then(|ply| places.get(&ply).copied()) == Some(index);
        let found = (0..self.player.count()).find(|ply| is_meant(self.player.ply(*ply)));
        match found {
            Some(found) => self.play(found).map(|()| true),
            None => Ok(false),
        }
    }

    /// The number that an action has among the legal moves of the position that a line has come to; none for split actions.
    #[must_use]
    pub fn legal_index(&mut self, position: &Position, action: u32) -> Option<usize> {
        if self.actions.is_split() {
            return None;
        }
        let ply = self.player.ply(self.find(action).ok()?)?;
        position.places_of_plies().get(&ply).copied()
    }

    /// The action that plays a legal move of that position; none for split actions.
    #[must_use]
    pub fn action_of(&mut self, position: &Position, index: usize) -> Option<u32> {
        if self.actions.is_split() {
            return None;
        }
        let places = position.places_of_plies();
        let is_meant = |ply: Option<_>| ply.and_then(|ply| places.get(&ply).copied()) == Some(index);
        let found = (0..self.player.count()).find(|ply| is_meant(self.player.ply(*ply)))?;
        self.legal.get(found).copied()
    }

    /// The position as engines exchange it.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.player.snapshot()
    }

    /// Plies played.
    #[must_use]
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// How the game ended; none while it goes on.
    #[must_use]
    #[inline]
    pub fn over(&self) -> Option<Over> {
        self.player.over()
    }

    /// Whether it has ended.
    #[must_use]
    #[inline]
    pub fn is_over(&self) -> bool {
        self.player.is_over()
    }

    /// The seat to move, also when the game is over.
    #[must_use]
    #[inline]
    pub fn seat(&self) -> usize {
        self.player.seat(self.player.mover())
    }

    /// Whether chance decides here.
    #[must_use]
    #[inline]
    pub fn is_chance(&mut self) -> bool {
        self.chances && self.player.chance()
    }

    /// The legal actions where chance decides, each with how likely it is; empty where a player decides. Of split actions the
    /// choices that are open, each with the sum of what it may come to.
    #[must_use]
    pub fn chances(&mut self) -> Vec<(u32, f64)> {
        if !self.is_chance() {
            return Vec::new();
        }
        let weights: Vec<f64> = (0..self.player.count()).map(|index| f64::from(self.player.weight(index))).collect();
        let mut found: Vec<(u32, f64)> = self.legal.iter().map(|action| (*action, 0.0)).collect();
        for (index, weight) in weights.iter().enumerate() {
            let action = if self.actions.is_split() {
                let row = self.rows.chunks_exact(self.actions.width()).nth(index);
                row.filter(|row| row.starts_with(&self.chosen)).and_then(|row| row.get(self.chosen.len())).copied()
            } else {
                self.legal.get(index).copied()
            };
            if let Some((_, sum)) = found.iter_mut().find(|(known, _)| Some(*known) == action) {
                *sum += weight;
            }
        }
        let all: f64 = found.iter().map(|(_, weight)| weight).sum();
        found.iter_mut().for_each(|(_, weight)| *weight /= all);
        found
    }

    /// The result of each seat from -1 for the last place to 1 for the first alone; none while the game goes on.
    #[must_use]
    pub fn rewards(&self) -> Option<Vec<f32>> {
        let mut rewards = [0.0; MAX_PLAYERS];
        let players = self.player.players().min(MAX_PLAYERS);
        self.write_rewards(&mut rewards).then(|| rewards.into_iter().take(players).collect())
    }

    /// Writes the result of each seat; false while the game goes on.
    pub fn write_rewards(&self, rewards: &mut [f32]) -> bool {
        if !self.player.is_over() {
            return false;
        }
        let Some(over) = self.player.over() else { return false };
        let players = self.player.players();
        let places = over.places.get(..players).unwrap_or_default();
        for player in 0..players {
            if let Some(reward) = rewards.get_mut(self.player.seat(player)) {
                *reward = 2.0 * worth(places, player) - 1.0;
            }
        }
        true
    }

    /// Writes what the player to move sees of the position; all room is written.
    #[inline]
    pub fn observe(&self, planes: &Planes, room: &mut [u8]) {
        self.observe_as(self.player.mover(), planes, room);
    }

    /// Writes what a seat sees of the position; all room is written. When the game is over everybody sees everything.
    pub fn observe_from(&self, seat: usize, planes: &Planes, room: &mut [u8]) {
        let mut players = 0..self.player.players();
        let looker = players.find(|player| self.player.seat(*player) == seat);
        self.observe_as(looker.unwrap_or_else(|| self.player.mover()), planes, room);
    }

    #[inline]
    fn observe_as(&self, looker: usize, planes: &Planes, room: &mut [u8]) {
        if self.chosen.is_empty() {
            planes.write(self.player.as_ref(), looker, &[], room);
        } else {
            // What is chosen of a ply that is not made is known to whoever chooses.
            let own = self.chosen.iter().filter(|_| looker == self.player.mover());
            let sites: Vec<usize> = own.filter_map(|action| self.actions.site(*action)).collect();
            planes.write(self.player.as_ref(), looker, &sites, room);
        }
        if let Some(referee) = self.referee.filter(|_| !self.player.is_over()) {
            let state = referee.state_of(&self.player.snapshot());
            let player = PlayerId(u8::try_from(looker).unwrap_or_default());
            planes.hide(looker, &referee.unseen(&state, player), room);
        }
    }

    /// Writes the mask of the legal actions.
    pub fn mask(&self, room: &mut [u8]) {
        room.fill(0);
        self.mark(room, 1);
    }

    /// Writes a byte at every legal action.
    #[inline]
    pub fn mark(&self, room: &mut [u8], byte: u8) {
        for action in &self.legal {
            if let Some(place) = usize::try_from(*action).ok().and_then(|action| room.get_mut(action)) {
                *place = byte;
            }
        }
    }
}

fn referee(game: &Game) -> Option<&Reference> {
    game.hides().then(|| game.engine())
}

/// Where a number stands in a list. Sixteen are compared at once, and of these it is found without asking one after the other.
#[inline]
fn place_of(number: u32, list: &[u32]) -> Option<usize> {
    for (row, numbers) in list.chunks(16).enumerate() {
        let found = numbers.iter().zip(0u32..).fold(0u32, |found, (own, bit)| found | u32::from(*own == number) << bit);
        if found != 0 {
            return usize::try_from(found.trailing_zeros()).ok().map(|at| 16 * row + at);
        }
    }
    None
}
