//! What legal actions lead to, all of them at once: what look-ahead and learning from positions after a move need.

use ludwright::learn::{Planes, Session, SessionError};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;

/// What every legal action of some games leads to, game by game and in each from the smallest action on. A state has one game.
/// Chance that follows an action has not been played.
#[pyclass(frozen, module = "ludwright")]
pub struct Successors {
    /// int64[k]: the game that each belongs to
    #[pyo3(get)]
    games: Py<PyArray1<i64>>,
    /// int64[k]: the action that leads there
    #[pyo3(get)]
    actions: Py<PyArray1<i64>>,
    /// uint8[k, *observation_shape], as whoever is to move there sees it
    #[pyo3(get)]
    observations: Py<PyArrayDyn<u8>>,
    /// int32[k]: the seat to move there
    #[pyo3(get)]
    players: Py<PyArray1<i32>>,
    /// float32[k, players]: the result where the game is over, else 0
    #[pyo3(get)]
    rewards: Py<PyArray2<f32>>,
    /// bool[k]: whether the game is over there
    #[pyo3(get)]
    terminated: Py<PyArray1<bool>>,
}

#[pymethods]
impl Successors {
    /// How many there are.
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.actions.bind(py).len()
    }
}

/// The same while they are found.
pub struct Found<'a> {
    planes: &'a Planes,
    /// How many players the game has.
    seats: usize,
    games: Vec<i64>,
    actions: Vec<i64>,
    observations: Vec<u8>,
    players: Vec<i32>,
    rewards: Vec<f32>,
    terminated: Vec<bool>,
}

impl<'a> Found<'a> {
    pub fn new(planes: &'a Planes, seats: usize) -> Self {
        Self {
            planes,
            seats,
            games: Vec::new(),
            actions: Vec::new(),
            observations: Vec::new(),
            players: Vec::new(),
            rewards: Vec::new(),
            terminated: Vec::new(),
        }
    }

    /// Adds those of one more game.
    pub fn add(&mut self, game: u64, session: &mut Session<'_>) -> Result<(), SessionError> {
        let Self { planes, seats, games, actions, observations, players, rewards, terminated } = self;
        observations.reserve(session.legal().len() * planes.len());
        session.each_successor(&mut |action, after| {
            games.push(game as i64);
            actions.push(i64::from(action));
            players.push(after.seat() as i32);
            let begin = observations.len();
            observations.resize(begin + planes.len(), 0);
            after.observe(planes, observations.get_mut(begin..).unwrap_or_default());
            let begin = rewards.len();
            rewards.resize(begin + *seats, 0.0);
            terminated.push(after.write_rewards(rewards.get_mut(begin..).unwrap_or_default()));
        })
    }

    /// Adds what another thread has found in later games.
    pub fn append(&mut self, mut other: Self) {
        self.games.append(&mut other.games);
        self.actions.append(&mut other.actions);
        self.observations.append(&mut other.observations);
        self.players.append(&mut other.players);
        self.rewards.append(&mut other.rewards);
        self.terminated.append(&mut other.terminated);
    }

    pub fn into_arrays(self, py: Python<'_>) -> PyResult<Successors> {
        let count = self.actions.len();
        let shape: Vec<usize> = std::iter::once(count).chain(self.planes.shape().iter().copied()).collect();
        Ok(Successors {
            games: self.games.into_pyarray(py).unbind(),
            actions: self.actions.into_pyarray(py).unbind(),
            observations: self.observations.into_pyarray(py).reshape(shape)?.unbind(),
            players: self.players.into_pyarray(py).unbind(),
            rewards: self.rewards.into_pyarray(py).reshape([count, self.seats])?.unbind(),
            terminated: self.terminated.into_pyarray(py).unbind(),
        })
    }
}
