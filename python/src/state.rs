//! A game in progress.

use crate::errors;
use crate::game::Game;
use crate::live::{Live, Rulebook};
use crate::successors::{Found, Successors};
use ludwright::render::{Style, svg};
use ludwright::{Line, PlayError, Position};
use numpy::{IntoPyArray, PyArray1, PyArrayDyn, PyArrayMethods, PyReadwriteArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, MutexGuard};

/// What a pickle keeps of a state.
type Reduced<'py> = (Bound<'py, PyAny>, (Game, Vec<i64>));

/// What OpenSpiel calls who is to move where chance is, and where the game is over.
const CHANCE: i64 = -1;
const TERMINAL: i64 = -4;

/// What a player has scored.
#[derive(IntoPyObject)]
enum Points {
    Whole(i64),
    Half(f64),
}

/// A game in progress. States change in place; `clone()` makes another one. Only one thread at a time may use a state: a second
/// one is refused with `RuntimeError`.
#[pyclass(frozen, module = "ludwright")]
pub struct State {
    rules: Arc<Rulebook>,
    live: Mutex<Live>,
    /// The same game for questions in words, made when there is one and brought up to date then.
    line: Mutex<Option<Line>>,
}

impl State {
    pub fn start(rules: &Arc<Rulebook>) -> PyResult<Self> {
        let live = Live::start(rules);
        match live.look(|session| session.stopped()) {
            None => Ok(Self::of(live, rules)),
            Some(stopped) => Err(errors::given_up(&rules.game, &stopped)),
        }
    }

    fn of(live: Live, rules: &Arc<Rulebook>) -> Self {
        let rules = Arc::clone(rules);
        Self { rules, live: Mutex::new(live), line: Mutex::new(None) }
    }

    #[inline]
    fn live(&self) -> PyResult<MutexGuard<'_, Live>> {
        self.live.try_lock().map_err(|_| errors::busy("state"))
    }

    /// The line of the game up to now.
    fn line(&self, live: &Live) -> PyResult<Line> {
        let mut kept = self.line.try_lock().map_err(|_| errors::busy("state"))?;
        let mut line = kept.take().unwrap_or_else(|| Line::new(self.rules.game.start()));
        if !live.look(|session| session.follow(&mut line)) {
            return Err(PyRuntimeError::new_err(
                "the engines disagree about this game, which is a mistake of Ludwright",
            ));
        }
        *kept = Some(line.clone());
        Ok(line)
    }

    /// Refuses seats that there are not.
    fn checked(&self, seat: usize) -> PyResult<()> {
        match seat < self.rules.game.rules().players.len() {
            true => Ok(()),
            false => Err(PyValueError::new_err(format!("there is no seat {seat}: they are numbered from 0"))),
        }
    }

    fn position(&self, live: &Live) -> PyResult<Position> {
        Ok(self.line(live)?.position().clone())
    }

    fn legal(live: &Live) -> PyResult<Vec<i64>> {
        live.look(|session| {
            if session.has_lost() {
                return Err(PyRuntimeError::new_err("a legal ply has no number, which is a mistake of Ludwright"));
            }
            let mut legal: Vec<i64> = session.legal().iter().map(|action| i64::from(*action)).collect();
            legal.sort_unstable();
            Ok(legal)
        })
    }
}

fn number(action: i64) -> PyResult<u32> {
    u32::try_from(action).map_err(|_| errors::IllegalMove::new_err(format!("there is no action {action}")))
}

#[pymethods]
impl State {
    /// The number of the player to move, -1 where chance is, -4 when the game is over. It is the seat: who has changed sides
    /// keeps it.
    fn current_player(&self) -> PyResult<i64> {
        let mut live = self.live()?;
        Ok(live.change(|session| match (session.over(), session.is_chance()) {
            (Some(_), _) => TERMINAL,
            (None, true) => CHANCE,
            (None, false) => session.seat() as i64,
        }))
    }

    /// The legal actions, ascending.
    fn legal_actions(&self) -> PyResult<Vec<i64>> {
        Self::legal(&*self.live()?)
    }

    /// The same as int64[legal].
    fn legal_actions_array<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        Ok(Self::legal(&*self.live()?)?.into_pyarray(py))
    }

    /// How many legal actions there are.
    fn num_legal_actions(&self) -> PyResult<usize> {
        Ok(self.live()?.look(|session| session.legal().len()))
    }

    /// One legal action by its place in the engine's order, which has no meaning: for random choices.
    fn legal_action(&self, index: usize) -> PyResult<i64> {
        let action = self.live()?.look(|session| session.legal().get(index).copied());
        action.map(i64::from).ok_or_else(|| PyValueError::new_err(format!("there is no legal action number {index}")))
    }

    /// int8[actions] with 1 for every legal action; written into `out` if that is given, uint8 or int8 of the same length.
    #[pyo3(signature = (out=None))]
    fn legal_actions_mask<'py>(
        &self,
        py: Python<'py>,
        out: Option<Bound<'py, PyArray1<u8>>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let live = self.live()?;
        let out = out.unwrap_or_else(|| PyArray1::zeros(py, self.rules.actions.len(), false));
        let mut room = out.try_readwrite().map_err(|error| PyValueError::new_err(error.to_string()))?;
        let room = room.as_slice_mut().map_err(|error| PyValueError::new_err(error.to_string()))?;
        if room.len() != self.rules.actions.len() {
            return Err(PyValueError::new_err(format!("a mask has {} bytes", self.rules.actions.len())));
        }
        live.look(|session| session.mask(room));
        out.call_method1("view", ("int8",))
    }

    /// Plays an action; one that is not legal raises `IllegalMove` and leaves the state as it was.
    fn apply_action(&self, action: i64) -> PyResult<()> {
        let action = number(action)?;
        let applied = self.live()?.change(|session| session.apply(action));
        applied.map_err(|error| errors::of_session(&self.rules.game, &error))
    }

    /// Plays an action of every player there is: the same as `apply_action`, one after the other.
    fn apply_actions(&self, actions: Vec<i64>) -> PyResult<()> {
        actions.into_iter().try_for_each(|action| self.apply_action(action))
    }

    /// Whether the game is over.
    fn is_terminal(&self) -> PyResult<bool> {
        Ok(self.live()?.look(|session| session.is_over()))
    }

    /// Whether chance decides here.
    fn is_chance_node(&self) -> PyResult<bool> {
        Ok(self.live()?.change(|session| session.is_chance()))
    }

    /// The actions of chance, each with its probability.
    fn chance_outcomes(&self) -> PyResult<Vec<(i64, f64)>> {
        let found = self.live()?.change(|session| session.chances());
        Ok(found.into_iter().map(|(action, chance)| (i64::from(action), chance)).collect())
    }

    /// The result of each player: from -1 for the last place to 1 for the first alone, 0 while the game goes on.
    fn returns(&self) -> PyResult<Vec<f32>> {
        let players = self.rules.game.rules().players.len();
        Ok(self.live()?.look(|session| session.rewards()).unwrap_or_else(|| vec![0.0; players]))
    }

    /// What the last action has brought each player: nothing before the end of the game.
    fn rewards(&self) -> PyResult<Vec<f32>> {
        self.returns()
    }

    /// The actions played from the start.
    fn history(&self) -> PyResult<Vec<i64>> {
        Ok(self.live()?.look(|session| {
            session.history().iter().chain(session.chosen()).map(|action| i64::from(*action)).collect()
        }))
    }

    /// Plies played.
    fn move_number(&self) -> PyResult<u32> {
        Ok(self.live()?.look(|session| session.plies()))
    }

    /// What stands where and is tracked, as a seat sees it, by default the one to move: uint8 of
    /// `Game.observation_shape(layout)`. What is hidden from the seat is not in it.
    #[pyo3(signature = (layout="CHW", out=None, *, seat=None))]
    fn observation<'py>(
        &self,
        py: Python<'py>,
        layout: &str,
        out: Option<Bound<'py, PyArrayDyn<u8>>>,
        seat: Option<usize>,
    ) -> PyResult<Bound<'py, PyArrayDyn<u8>>> {
        let planes = Game::planes_of(&self.rules, layout)?;
        seat.map_or(Ok(()), |seat| self.checked(seat))?;
        let out = out.unwrap_or_else(|| PyArrayDyn::zeros(py, planes.shape(), false));
        if out.shape() != planes.shape() {
            return Err(PyValueError::new_err(format!("an observation has the shape {:?}", planes.shape())));
        }
        {
            let mut room: PyReadwriteArrayDyn<'_, u8> =
                out.try_readwrite().map_err(|error| PyValueError::new_err(error.to_string()))?;
            let room = room.as_slice_mut().map_err(|error| PyValueError::new_err(error.to_string()))?;
            self.live()?.look(|session| match seat {
                Some(seat) => session.observe_from(seat, planes, room),
                None => session.observe(planes, room),
            });
        }
        Ok(out)
    }

    /// What every legal action leads to, from the smallest on, with observations in a layout. Chance that follows is not played.
    #[pyo3(signature = (layout="CHW"))]
    fn successors(&self, py: Python<'_>, layout: &str) -> PyResult<Successors> {
        Game::refuse_hidden(&self.rules)?;
        let planes = Game::planes_of(&self.rules, layout)?;
        let mut found = Found::new(planes, self.rules.game.rules().players.len());
        let told = self.live()?.change(|session| found.add(0, session));
        told.map_err(|error| errors::of_session(&self.rules.game, &error))?;
        found.into_arrays(py)
    }

    /// Another state with the same game up to now.
    fn clone(&self) -> PyResult<Self> {
        Ok(Self::of(self.live()?.copied(), &self.rules))
    }

    fn __copy__(&self) -> PyResult<Self> {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.clone()
    }

    /// An action of this position in the notation of the rules; of split actions and others what `Game.actions()` says. With
    /// two arguments, as OpenSpiel has it, the first is the player.
    #[pyo3(signature = (player_or_action, action=None))]
    fn action_to_string(&self, player_or_action: i64, action: Option<i64>) -> PyResult<String> {
        let action = number(action.unwrap_or(player_or_action))?;
        let mut live = self.live()?;
        let position = self.position(&live)?;
        let index = live.change(|session| session.legal_index(&position, action));
        let text = index.and_then(|index| position.move_text(index));
        let words = || self.rules.actions.text(self.rules.game.rules(), action as usize);
        text.or_else(words).ok_or_else(|| PyValueError::new_err(format!("there is no action {action}")))
    }

    /// The action that a text means: a legal move in notation, or what `Game.actions()` says.
    fn string_to_action(&self, text: &str) -> PyResult<i64> {
        let rules = self.rules.game.rules();
        let mut live = self.live()?;
        let position = self.position(&live)?;
        let found = match position.find(text) {
            Ok(index) => live.change(|session| session.action_of(&position, index)),
            Err(_) => None,
        };
        let by_name = || {
            let legal = live.look(|session| session.legal().to_vec());
            legal.into_iter().find(|action| self.rules.actions.text(rules, *action as usize).as_deref() == Some(text))
        };
        match found.or_else(by_name) {
            Some(action) => Ok(i64::from(action)),
            None => Err(refused(&position, text)),
        }
    }

    /// The legal moves in notation, in the order of the rules.
    fn moves(&self) -> PyResult<Vec<String>> {
        let live = self.live()?;
        Ok(self.position(&live)?.moves())
    }

    /// Plays a move given in notation, and returns it as it is printed; what is not legal raises `IllegalMove` with the clause
    /// that forbids it.
    fn play(&self, text: &str) -> PyResult<String> {
        let mut live = self.live()?;
        let position = self.position(&live)?;
        let index = position.find(text).map_err(|error| of_play(&position, text, &error))?;
        let printed = position.move_text(index).unwrap_or_default();
        let played = live.change(|session| session.play_legal(&position, index));
        if played.map_err(|error| errors::of_session(&self.rules.game, &error))? {
            return Ok(printed);
        }
        Err(PyRuntimeError::new_err("the engines disagree about this game, which is a mistake of Ludwright"))
    }

    /// Why a move is legal or not here, or why the game is over: the clause of the rules, in words.
    fn why(&self, text: &str) -> PyResult<String> {
        let live = self.live()?;
        let position = self.position(&live)?;
        Ok(why(&position, text))
    }

    /// The moves played, in notation.
    fn moves_played(&self) -> PyResult<Vec<String>> {
        let live = self.live()?;
        Ok(self.line(&live)?.moves())
    }

    /// How the game ended, in words; none while it goes on.
    fn result(&self) -> PyResult<Option<String>> {
        let live = self.live()?;
        let position = self.position(&live)?;
        let reason = position.outcome().map(|outcome| outcome.reason.clone());
        Ok(position.result_text().zip(reason).map(|(result, reason)| format!("{result}: {reason}")))
    }

    /// The score of each player by name; empty in games without score.
    fn scores(&self) -> PyResult<std::collections::BTreeMap<String, Points>> {
        let live = self.live()?;
        let points = |points: ludwright::game::Points| match points.to_json().as_i64() {
            Some(whole) => Points::Whole(whole),
            None => Points::Half(points.number as f64 / 2.0),
        };
        Ok(self.position(&live)?.scores().into_iter().map(|(name, score)| (name, points(score))).collect())
    }

    /// The position as JSON text.
    fn to_json(&self) -> PyResult<String> {
        let live = self.live()?;
        Ok(self.position(&live)?.to_json().to_string())
    }

    /// What a seat sees, as JSON text: the position without what is hidden from it, `moves` where it is to move, and `told`,
    /// the moves played as it reads them.
    fn view(&self, seat: usize) -> PyResult<String> {
        let live = self.live()?;
        let line = self.line(&live)?;
        self.checked(seat)?;
        let position = line.position();
        let mut view = position.seen_from(seat).to_json();
        let decides = position.seat() == Some(seat) && !position.is_chance();
        view["moves"] = if decides { position.moves() } else { Vec::new() }.into();
        view["told"] = line.moves_seen_from(seat).into();
        Ok(view.to_string())
    }

    /// All that a seat has been told since the start, as text: two states of a game give the same exactly if the seat cannot
    /// tell them apart. A line for each ply, as the seat reads it, and a number for what it saw then.
    fn information_state(&self, seat: usize) -> PyResult<String> {
        let live = self.live()?;
        let line = self.line(&live)?;
        self.checked(seat)?;
        Ok(line.information_state(seat))
    }

    /// A number that equal positions share, on every machine.
    fn position_hash(&self) -> PyResult<u64> {
        let live = self.live()?;
        Ok(self.position(&live)?.hash())
    }

    /// The board as SVG, for notebooks.
    fn _repr_svg_(&self) -> PyResult<String> {
        let live = self.live()?;
        Ok(svg(&self.position(&live)?, &Style::default()))
    }

    fn __str__(&self) -> PyResult<String> {
        let live = self.live()?;
        let position = self.position(&live)?;
        let who = match (position.mover(), position.result_text()) {
            (Some(mover), _) => format!("{mover} to move"),
            (None, result) => result.unwrap_or_default(),
        };
        Ok(format!("{}\n{who}", position.draw().trim_end()))
    }

    fn __repr__(&self) -> PyResult<String> {
        let plies = self.live()?.look(|session| session.plies());
        Ok(format!("<ludwright.State of {} after {plies} plies>", self.rules.game.rules().about.title))
    }

    /// The game, with which this can be begun anew.
    #[getter]
    pub fn game(&self) -> Game {
        Game { rules: Arc::clone(&self.rules) }
    }

    /// Pickled are the rules and the actions from the start.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        Ok((py.import("ludwright")?.getattr("_state_again")?, (self.game(), self.history()?)))
    }

    #[staticmethod]
    #[pyo3(name = "_again")]
    fn again(game: &Bound<'_, Game>, history: Vec<i64>) -> PyResult<Self> {
        let state = Self::start(&game.get().rules)?;
        state.apply_actions(history)?;
        Ok(state)
    }
}

impl State {
    /// The action that plays a legal move of the present position.
    pub fn action_of(&self, position: &Position, index: usize) -> PyResult<Option<i64>> {
        Ok(self.live()?.change(|session| session.action_of(position, index)).map(i64::from))
    }

    /// The line of the game, for programs that think about it.
    pub fn told(&self) -> PyResult<Line> {
        let live = self.live()?;
        self.line(&live)
    }
}

fn why(position: &Position, text: &str) -> String {
    let why = position.why(text);
    let game = position.game();
    let mut lines = vec![why.sentence(position)];
    lines.extend(why.clause_text(game).filter(|_| !why.legal).map(|clause| format!("  {clause}")));
    lines.extend(why.value_lines(game).into_iter().map(|line| format!("  {line}")));
    lines.join("\n")
}

fn of_play(position: &Position, text: &str, error: &PlayError) -> PyErr {
    match error {
        PlayError::Illegal { .. } => errors::of_play(error, format!("{error}\n{}", why(position, text))),
        PlayError::Ambiguous { .. } | PlayError::Over { .. } | PlayError::Stopped { .. } => {
            errors::of_play(error, error.to_string())
        }
    }
}

fn refused(position: &Position, text: &str) -> PyErr {
    match position.find(text) {
        Err(error) => of_play(position, text, &error),
        Ok(_) => PyValueError::new_err(format!("`{text}` is a move of several actions; play it with `play`")),
    }
}
