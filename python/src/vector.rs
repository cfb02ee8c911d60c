//! Many games stepped together, straight into arrays that are used again.

use crate::errors;
use crate::live::{Live, Rulebook};
use crate::successors::{Found, Successors};
use ludwright::Game;
use ludwright::engine::Stopped;
use ludwright::learn::{Planes, Session, SessionError};
use ludwright::study::playout::{generator, pick};
use numpy::{
    PyArray1, PyArray2, PyArrayDyn, PyArrayMethods, PyReadonlyArray1, PyReadwriteArray1, PyReadwriteArray2,
    PyReadwriteArrayDyn,
};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rand_core::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::{Arc, Mutex};

/// Masks longer than this are not cleared as a whole, but where they were set.
const LONG_MASK: usize = 512;

/// When a game that has ended begins anew.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Autoreset {
    NextStep,
    SameStep,
    Disabled,
}

/// One game with its chance.
struct Lane {
    live: Live,
    number: u64,
    episode: u64,
    /// What chance in the rules comes from, anew for each episode, and what random actions come from.
    dice: Xoshiro256PlusPlus,
    policy: Xoshiro256PlusPlus,
    ended: bool,
    /// Where the next action stands among the legal ones.
    next: usize,
    marked: Vec<u32>,
    /// A ply that was given up, until it is told.
    stopped: Option<Stopped>,
}

/// The rows of the arrays that belong to one game.
struct Rows<'a> {
    observation: &'a mut [u8],
    mask: &'a mut [u8],
    rewards: &'a mut [f32],
    terminated: &'a mut u8,
    truncated: &'a mut u8,
    player: &'a mut i32,
    last: &'a mut [u8],
}

/// What is the same for all games.
#[derive(Clone, Copy)]
struct Course<'a> {
    planes: &'a Planes,
    autoreset: Autoreset,
    max_plies: Option<u32>,
    seed: u64,
}

fn seeded(seed: u64, number: u64, episode: u64) -> Xoshiro256PlusPlus {
    generator(generator(seed, number).next_u64(), episode)
}

impl Lane {
    fn new(rules: &Arc<Rulebook>, seed: u64, number: u64) -> Self {
        Self {
            live: Live::start(rules),
            number,
            episode: 0,
            dice: seeded(seed, number, 0),
            policy: seeded(!seed, number, 0),
            ended: false,
            next: 0,
            marked: Vec::new(),
            stopped: None,
        }
    }

    /// Begins the next game, up to the first choice of a player.
    fn begin(&mut self, course: Course<'_>) {
        self.dice = seeded(course.seed, self.number, self.episode);
        self.episode += 1;
        self.ended = false;
        let dice = &mut self.dice;
        let begun = self.live.change(|session| {
            session.reset();
            match session.stopped() {
                Some(stopped) => Err(SessionError::Stopped(stopped)),
                None => roll_on(session, dice),
            }
        });
        self.note(begun);
    }

    /// Keeps in mind that a ply was given up.
    fn note(&mut self, played: Result<(), SessionError>) {
        if let Err(SessionError::Stopped(stopped)) = played {
            self.stopped = Some(stopped);
        }
    }

    /// Plays the next action, or begins anew where the game was over, and writes what there is to see.
    fn step(&mut self, course: Course<'_>, rows: &mut Rows<'_>) {
        rows.rewards.fill(0.0);
        (*rows.terminated, *rows.truncated) = (0, 0);
        if self.ended {
            if course.autoreset == Autoreset::NextStep {
                self.begin(course);
                self.write(course, rows);
            }
            return;
        }
        let (dice, next) = (&mut self.dice, self.next);
        let (played, over, cut) = self.live.change(|session| {
            let played = session.take(next).and_then(|()| roll_on(session, dice));
            let over = session.write_rewards(rows.rewards);
            (played, over, !over && course.max_plies.is_some_and(|most| session.plies() >= most))
        });
        self.note(played);
        (*rows.terminated, *rows.truncated) = (u8::from(over), u8::from(cut));
        self.ended = over || cut;
        if self.ended && course.autoreset == Autoreset::SameStep {
            self.live.look(|session| session.observe(course.planes, rows.last));
            self.begin(course);
        }
        self.write(course, rows);
    }

    /// Writes what there is to see and what is legal.
    fn write(&mut self, course: Course<'_>, rows: &mut Rows<'_>) {
        let marked = &mut self.marked;
        self.live.look(|session| {
            session.observe(course.planes, rows.observation);
            if rows.mask.len() <= LONG_MASK {
                session.mask(rows.mask);
            } else {
                for action in marked.drain(..) {
                    if let Some(place) = rows.mask.get_mut(action as usize) {
                        *place = 0;
                    }
                }
                session.mark(rows.mask, 1);
                marked.extend_from_slice(session.legal());
            }
            *rows.player = session.seat() as i32;
        });
    }
}

/// Chance plays as long as it decides.
fn roll_on(session: &mut Session<'_>, dice: &mut Xoshiro256PlusPlus) -> Result<(), SessionError> {
    while !session.is_over() && session.is_chance() {
        session.play_any(&mut |count| pick(count, dice).unwrap_or(0))?;
    }
    Ok(())
}

/// `n` games stepped together. All arrays are made once and written again at every step.
#[pyclass(frozen, module = "ludwright")]
pub struct Vector {
    rules: Arc<Rulebook>,
    planes: Planes,
    lanes: Mutex<Lanes>,
    threads: usize,
    autoreset: Autoreset,
    max_plies: Option<u32>,
    /// uint8[n, *observation_shape]
    #[pyo3(get)]
    observations: Py<PyArrayDyn<u8>>,
    /// uint8[n, actions]
    #[pyo3(get)]
    masks: Py<PyArray2<u8>>,
    /// float32[n, players]
    #[pyo3(get)]
    rewards: Py<PyArray2<f32>>,
    /// uint8[n]
    #[pyo3(get)]
    terminated: Py<PyArray1<u8>>,
    /// uint8[n]
    #[pyo3(get)]
    truncated: Py<PyArray1<u8>>,
    /// int32[n]
    #[pyo3(get)]
    players: Py<PyArray1<i32>>,
    /// uint8[n, *observation_shape], written where `autoreset` is `same_step` and a game has ended
    #[pyo3(get)]
    last_observations: Py<PyArrayDyn<u8>>,
    /// int64[n], written by `sample`
    #[pyo3(get)]
    sampled: Py<PyArray1<i64>>,
}

struct Lanes {
    seed: u64,
    all: Vec<Lane>,
}

/// The arrays, lent for a step.
struct Arrays<'py> {
    observations: PyReadwriteArrayDyn<'py, u8>,
    masks: PyReadwriteArray2<'py, u8>,
    rewards: PyReadwriteArray2<'py, f32>,
    terminated: PyReadwriteArray1<'py, u8>,
    truncated: PyReadwriteArray1<'py, u8>,
    players: PyReadwriteArray1<'py, i32>,
    last: PyReadwriteArrayDyn<'py, u8>,
}

fn lent(error: impl std::fmt::Display) -> PyErr {
    PyRuntimeError::new_err(format!("the arrays of this environment cannot be written: {error}"))
}

impl Vector {
    #[allow(clippy::too_many_arguments)]
    pub fn new(
        py: Python<'_>,
        rules: &Arc<Rulebook>,
        planes: Planes,
        n: usize,
        threads: usize,
        seed: u64,
        autoreset: &str,
        max_plies: Option<u32>,
    ) -> PyResult<Self> {
        let autoreset = match autoreset {
            "next_step" => Autoreset::NextStep,
            "same_step" => Autoreset::SameStep,
            "disabled" => Autoreset::Disabled,
            _ => {
                return Err(PyValueError::new_err(format!(
                    "there is no autoreset `{autoreset}`: it is next_step, same_step or disabled"
                )));
            }
        };
        if n == 0 {
            return Err(PyValueError::new_err("an environment has one game at least"));
        }
        if n > 1 {
            py.detach(|| rules.game.warm());
        }
        let shape: Vec<usize> = std::iter::once(n).chain(planes.shape().iter().copied()).collect();
        let mut last = shape.clone();
        if autoreset != Autoreset::SameStep {
            // Nobody writes there.
            last.iter_mut().skip(1).for_each(|size| *size = 0);
        }
        let (actions, players) = (rules.actions.len(), rules.game.rules().players.len());
        let all = (0..).take(n).map(|number| Lane::new(rules, seed, number)).collect();
        Ok(Self {
            rules: Arc::clone(rules),
            planes,
            lanes: Mutex::new(Lanes { seed, all }),
            threads: threads.clamp(1, n),
            autoreset,
            max_plies,
            observations: PyArrayDyn::zeros(py, shape, false).unbind(),
            masks: PyArray2::zeros(py, [n, actions], false).unbind(),
            rewards: PyArray2::zeros(py, [n, players], false).unbind(),
            terminated: PyArray1::zeros(py, n, false).unbind(),
            truncated: PyArray1::zeros(py, n, false).unbind(),
            players: PyArray1::zeros(py, n, false).unbind(),
            last_observations: PyArrayDyn::zeros(py, last, false).unbind(),
            sampled: PyArray1::zeros(py, n, false).unbind(),
        })
    }

    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Arrays<'py>> {
        Ok(Arrays {
            observations: self.observations.bind(py).try_readwrite().map_err(lent)?,
            masks: self.masks.bind(py).try_readwrite().map_err(lent)?,
            rewards: self.rewards.bind(py).try_readwrite().map_err(lent)?,
            terminated: self.terminated.bind(py).try_readwrite().map_err(lent)?,
            truncated: self.truncated.bind(py).try_readwrite().map_err(lent)?,
            players: self.players.bind(py).try_readwrite().map_err(lent)?,
            last: self.last_observations.bind(py).try_readwrite().map_err(lent)?,
        })
    }

    /// Does something with every game and its rows, on as many threads as wanted, without the lock of the interpreter.
    fn each(
        &self,
        py: Python<'_>,
        lanes: &mut Lanes,
        work: impl Fn(Course<'_>, &mut Lane, &mut Rows<'_>) + Sync,
    ) -> PyResult<()> {
        let mut arrays = self.arrays(py)?;
        let n = lanes.all.len();
        let (planes, autoreset, max_plies) = (&self.planes, self.autoreset, self.max_plies);
        let course = Course { planes, autoreset, max_plies, seed: lanes.seed };
        let (size, actions) = (planes.len(), self.rules.actions.len().max(1));
        let players = self.rules.game.rules().players.len().max(1);
        let observations = arrays.observations.as_slice_mut().map_err(lent)?;
        let masks = arrays.masks.as_slice_mut().map_err(lent)?;
        let rewards = arrays.rewards.as_slice_mut().map_err(lent)?;
        let terminated = arrays.terminated.as_slice_mut().map_err(lent)?;
        let truncated = arrays.truncated.as_slice_mut().map_err(lent)?;
        let seats = arrays.players.as_slice_mut().map_err(lent)?;
        let last = arrays.last.as_slice_mut().map_err(lent)?;
        let lanes = lanes.all.as_mut_slice();
        py.detach(|| {
            let share = n.div_ceil(self.threads);
            let room = if last.is_empty() { 0 } else { size };
            let mut last_parts: Vec<&mut [u8]> = if room == 0 {
                (0..self.threads).map(|_| <&mut [u8]>::default()).collect()
            } else {
                last.chunks_mut(share * room).collect()
            };
            let mut parts: Vec<Part<'_>> = lanes
                .chunks_mut(share)
                .zip(observations.chunks_mut(share * size))
                .zip(masks.chunks_mut(share * actions))
                .zip(rewards.chunks_mut(share * players))
                .zip(terminated.chunks_mut(share).zip(truncated.chunks_mut(share)))
                .zip(seats.chunks_mut(share))
                .zip(last_parts.drain(..))
                .map(|((((((lanes, observations), masks), rewards), (terminated, truncated)), seats), last)| Part {
                    lanes,
                    observations,
                    masks,
                    rewards,
                    terminated,
                    truncated,
                    seats,
                    last,
                })
                .collect();
            let sizes = (size, actions, players);
            match parts.as_mut_slice() {
                [only] => only.each(course, sizes, &work),
                many => std::thread::scope(|scope| {
                    for part in many {
                        let work = &work;
                        scope.spawn(move || part.each(course, sizes, work));
                    }
                }),
            }
        });
        lanes_stopped(lanes, &self.rules.game)
    }
}

/// Tells of the first ply that was given up, and forgets them all.
fn lanes_stopped(lanes: &mut [Lane], game: &Game) -> PyResult<()> {
    let mut told = lanes.iter_mut().filter_map(|lane| lane.stopped.take().map(|stopped| (lane.number, stopped)));
    let first = told.next();
    told.for_each(drop);
    match first {
        None => Ok(()),
        Some((number, stopped)) => Err(errors::given_up_in(number, game, &stopped)),
    }
}

/// What one thread does.
struct Part<'a> {
    lanes: &'a mut [Lane],
    observations: &'a mut [u8],
    masks: &'a mut [u8],
    rewards: &'a mut [f32],
    terminated: &'a mut [u8],
    truncated: &'a mut [u8],
    seats: &'a mut [i32],
    last: &'a mut [u8],
}

impl Part<'_> {
    fn each(
        &mut self,
        course: Course<'_>,
        (size, actions, players): (usize, usize, usize),
        work: &impl Fn(Course<'_>, &mut Lane, &mut Rows<'_>),
    ) {
        let mut last = self.last.chunks_mut(size);
        let rows = self.observations.chunks_mut(size).zip(self.masks.chunks_mut(actions));
        let rows = rows.zip(self.rewards.chunks_mut(players)).zip(self.terminated.iter_mut().zip(&mut *self.truncated));
        for ((lane, (((observation, mask), rewards), (terminated, truncated))), player) in
            self.lanes.iter_mut().zip(rows).zip(&mut *self.seats)
        {
            let last = last.next().unwrap_or_default();
            work(course, lane, &mut Rows { observation, mask, rewards, terminated, truncated, player, last });
        }
    }
}

#[pymethods]
impl Vector {
    /// How many games there are.
    #[getter]
    fn num_envs(&self) -> PyResult<usize> {
        Ok(self.lanes.try_lock().map_err(|_| errors::busy("environment"))?.all.len())
    }

    /// Begins all games anew, with another seed if one is given, or those of a mask bool[n].
    #[pyo3(signature = (seed=None, mask=None))]
    fn reset(&self, py: Python<'_>, seed: Option<u64>, mask: Option<Vec<bool>>) -> PyResult<()> {
        let mut lanes = self.lanes.try_lock().map_err(|_| errors::busy("environment"))?;
        if let Some(mask) = &mask
            && mask.len() != lanes.all.len()
        {
            return Err(PyValueError::new_err(format!(
                "the mask has {} entries for {} games",
                mask.len(),
                lanes.all.len()
            )));
        }
        if let Some(seed) = seed {
            lanes.seed = seed;
            for lane in &mut lanes.all {
                lane.episode = 0;
                lane.policy = seeded(!seed, lane.number, 0);
            }
        }
        let wanted = |number: u64| mask.as_ref().is_none_or(|mask| mask.get(number as usize) == Some(&true));
        self.each(py, &mut lanes, |course, lane, rows| {
            if wanted(lane.number) {
                lane.begin(course);
                rows.rewards.fill(0.0);
                (*rows.terminated, *rows.truncated) = (0, 0);
                lane.write(course, rows);
            }
        })
    }

    /// Plays an action in every game. An action that is not legal raises `IllegalMove`, and no game is changed; of a game that
    /// is over the action does not count. Where a ply takes more steps than it may, `GivenUp` names the game: that one is as it
    /// was, the others have been stepped.
    fn step(&self, py: Python<'_>, actions: PyReadonlyArray1<'_, i64>) -> PyResult<()> {
        let mut lanes = self.lanes.try_lock().map_err(|_| errors::busy("environment"))?;
        let actions = actions.as_slice().map_err(|error| PyValueError::new_err(error.to_string()))?;
        if actions.len() != lanes.all.len() {
            return Err(PyValueError::new_err(format!("{} actions for {} games", actions.len(), lanes.all.len())));
        }
        for (lane, action) in lanes.all.iter_mut().zip(actions).filter(|(lane, _)| !lane.ended) {
            // What was sampled is where it was found.
            let sampled = lane.live.look(|session| session.legal().get(lane.next).copied());
            if sampled.is_some_and(|sampled| i64::from(sampled) == *action) {
                continue;
            }
            let found = u32::try_from(*action).ok().map(|action| lane.live.look(|session| session.find(action)));
            lane.next = match found {
                Some(Ok(index)) => index,
                Some(Err(error)) => return Err(errors::of_session_in(lane.number, &self.rules.game, &error)),
                None => {
                    return Err(errors::IllegalMove::new_err(format!(
                        "game {}: there is no action {action}",
                        lane.number
                    )));
                }
            };
        }
        self.each(py, &mut lanes, |course, lane, rows| lane.step(course, rows))
    }

    /// A legal action of every game, each as likely as any other: int64[n], written again at every call.
    fn sample<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let mut lanes = self.lanes.try_lock().map_err(|_| errors::busy("environment"))?;
        let sampled = self.sampled.bind(py);
        {
            let mut room = sampled.try_readwrite().map_err(lent)?;
            let room = room.as_slice_mut().map_err(lent)?;
            for (lane, action) in lanes.all.iter_mut().zip(room) {
                let Lane { live, policy, next, .. } = lane;
                *action = live.look(|session| {
                    *next = pick(session.legal().len(), policy).unwrap_or(0);
                    session.legal().get(*next).map_or(0, |action| i64::from(*action))
                });
            }
        }
        Ok(sampled.clone())
    }

    /// What every legal action of all games leads to, with observations in the layout of the environment. Games that are over
    /// have none. Chance that follows is not played, and no game is changed.
    fn successors(&self, py: Python<'_>) -> PyResult<Successors> {
        crate::game::Game::refuse_hidden(&self.rules)?;
        let mut lanes = self.lanes.try_lock().map_err(|_| errors::busy("environment"))?;
        let seats = self.rules.game.rules().players.len();
        let lanes = lanes.all.as_mut_slice();
        let share = lanes.len().div_ceil(self.threads);
        let look = |lanes: &mut [Lane]| {
            let mut found = Found::new(&self.planes, seats);
            for Lane { live, number, .. } in lanes.iter_mut().filter(|lane| !lane.ended) {
                live.change(|session| found.add(*number, session)).map_err(|error| (*number, error))?;
            }
            Ok(found)
        };
        let parts: Vec<_> = py.detach(|| {
            let mut chunks = lanes.chunks_mut(share);
            match (chunks.next(), chunks.len()) {
                (Some(only), 0) => vec![Some(look(only))],
                (first, _) => std::thread::scope(|scope| {
                    let look = &look;
                    let workers: Vec<_> =
                        first.into_iter().chain(chunks).map(|lanes| scope.spawn(move || look(lanes))).collect();
                    workers.into_iter().map(|worker| worker.join().ok()).collect()
                }),
            }
        });
        let mut all = Found::new(&self.planes, seats);
        for part in parts {
            match part {
                Some(Ok(part)) => all.append(part),
                Some(Err((number, error))) => return Err(errors::of_session_in(number, &self.rules.game, &error)),
                None => return Err(PyRuntimeError::new_err("the work has failed, which is a mistake of Ludwright")),
            }
        }
        all.into_arrays(py)
    }

    /// The moves of one game up to now, as actions.
    fn history(&self, number: usize) -> PyResult<Vec<i64>> {
        let lanes = self.lanes.try_lock().map_err(|_| errors::busy("environment"))?;
        let lane = lanes.all.get(number).ok_or_else(|| PyValueError::new_err(format!("there is no game {number}")))?;
        Ok(lane.live.look(|session| session.history().iter().map(|action| i64::from(*action)).collect()))
    }
}
