//! Training: a program learns a game by playing against itself, and sits at the seat `learned` then.

use crate::errors;
use crate::game::Game;
use crate::live::Rulebook;
use crate::work::{cores, watched};
use ludwright::ai::learned;
use ludwright::ai::train::{Plan, Progress, Proof, Trainer as Inner};
use ludwright::jobs::settings;
use ludwright::study::halt::Halt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// A program that learns a game of two players by playing against itself. What it knows stays when a training is interrupted.
#[pyclass(frozen, module = "ludwright")]
pub struct Trainer {
    rules: Arc<Rulebook>,
    inner: Mutex<Inner>,
}

impl Trainer {
    fn inner(&self) -> PyResult<MutexGuard<'_, Inner>> {
        self.inner.try_lock().map_err(|_| errors::busy("trainer"))
    }
}

#[pymethods]
impl Trainer {
    /// One that knows nothing, or goes on from weights that were saved.
    #[new]
    #[pyo3(signature = (game, *, seed=0, weights=None))]
    fn new(py: Python<'_>, game: &Game, seed: u64, weights: Option<&[u8]>) -> PyResult<Self> {
        let rules = Arc::clone(&game.rules);
        let inner = py.detach(|| match weights {
            Some(bytes) => Inner::resumed(bytes, &rules.game).map_err(|error| unfit(&error)),
            None => Inner::new(&rules.origin.name, &rules.game, settings(&rules.game), seed)
                .map_err(|error| PyValueError::new_err(error.to_string())),
        })?;
        Ok(Self { rules, inner: Mutex::new(inner) })
    }

    /// Plays and learns: for so many minutes, with matches against `mcts` in between that end it when it is surely the stronger
    /// one; or for so many games, which give the same weights for the same seed. From then on the seat `learned` plays this game
    /// by what was learnt. `progress` is called with a dict after every 32 games.
    #[pyo3(signature = (*, minutes=None, games=None, threads=None, progress=None))]
    fn run(
        &self,
        py: Python<'_>,
        minutes: Option<f64>,
        games: Option<u64>,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let time = match (minutes, games) {
            (None, Some(_)) => None,
            (minutes, None) => Some(
                Duration::try_from_secs_f64(60.0 * minutes.unwrap_or(5.0))
                    .map_err(|error| PyValueError::new_err(error.to_string()))?,
            ),
            (Some(_), Some(_)) => return Err(PyValueError::new_err("give minutes or games, not both")),
        };
        let plan = Plan { time, games, threads: cores(threads) };
        let mut inner = self.inner()?;
        let mut failed = Ok(());
        let learner: &mut Inner = &mut inner;
        let done = watched(py, |stop| {
            learner.run(plan, Halt::when(stop), &mut |now| {
                if let (Some(progress), Ok(())) = (&progress, &failed) {
                    failed = Python::attach(|py| progress.call1(py, (told(py, now)?,)).map(drop));
                    if failed.is_err() {
                        stop.store(true, Ordering::Relaxed);
                    }
                }
            });
        });
        let bytes = inner.written();
        py.detach(|| learned::load(&bytes, &self.rules.game)).map_err(|error| unfit(&error))?;
        done?;
        failed
    }

    /// The weights as a file has them; `ludwright play GAME --players human,learned:FILE` reads it too.
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.inner()?.written()))
    }

    /// Writes them into a file.
    fn save(&self, path: std::path::PathBuf) -> PyResult<()> {
        std::fs::write(path, self.inner()?.written()).map_err(PyErr::from)
    }

    /// What is known of the training: games, plies, seed, minutes, and the last match.
    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let inner = self.inner()?;
        let facts = inner.facts();
        let all = PyDict::new(py);
        all.set_item("game", &facts.game)?;
        all.set_item("rules_hash", &facts.rules_hash)?;
        all.set_item("seed", facts.seed)?;
        all.set_item("games", facts.games)?;
        all.set_item("plies", facts.plies)?;
        all.set_item("minutes", facts.minutes)?;
        all.set_item("proof", facts.proof.as_ref().map(|proof| told_proof(py, proof)).transpose()?)?;
        Ok(all)
    }

    /// The patterns that weigh most: for whom they speak, how much, who is to move, and what stands where.
    #[pyo3(signature = (most=12))]
    fn explain<'py>(&self, py: Python<'py>, most: usize) -> PyResult<Bound<'py, PyList>> {
        let features = self.inner()?.explained(most);
        let all = PyList::empty(py);
        for feature in features {
            let one = PyDict::new(py);
            one.set_item("weight", feature.weight)?;
            one.set_item("player", feature.player)?;
            one.set_item("mover", feature.mover)?;
            one.set_item("sites", feature.sites)?;
            one.set_item("picture", feature.picture.join("\n"))?;
            all.append(one)?;
        }
        Ok(all)
    }

    fn __repr__(&self) -> PyResult<String> {
        let games = self.inner()?.facts().games;
        Ok(format!("<ludwright.Trainer of {} after {games} games>", self.rules.game.rules().about.title))
    }
}

/// From now on the seat `learned` plays this game by these weights, in this process.
#[pyfunction]
pub fn use_weights(py: Python<'_>, game: &Game, weights: &[u8]) -> PyResult<()> {
    py.detach(|| learned::load(weights, &game.rules.game)).map_err(|error| unfit(&error))
}

fn unfit(error: &learned::WeightsError) -> PyErr {
    PyValueError::new_err(format!("the weights are of no use here: {error}; {}", error.help()))
}

fn told<'py>(py: Python<'py>, progress: &Progress) -> PyResult<Bound<'py, PyDict>> {
    let now = PyDict::new(py);
    now.set_item("games", progress.games)?;
    now.set_item("plies_per_game", progress.length)?;
    now.set_item("error", progress.error)?;
    now.set_item("done", progress.done)?;
    now.set_item("is_match", progress.is_match)?;
    now.set_item("proof", progress.proof.as_ref().map(|proof| told_proof(py, proof)).transpose()?)?;
    Ok(now)
}

fn told_proof<'py>(py: Python<'py>, proof: &Proof) -> PyResult<Bound<'py, PyDict>> {
    let told = PyDict::new(py);
    told.set_item("accepted", proof.accepted)?;
    told.set_item("against", &proof.against)?;
    told.set_item("games", proof.games)?;
    told.set_item("score", proof.score)?;
    told.set_item("elo", proof.elo)?;
    told.set_item("interval", (proof.low, proof.high))?;
    Ok(told)
}
