//! Long work of the library: it runs without the lock of the interpreter, and Ctrl-C ends it.

use crate::errors;
use crate::game::Game;
use crate::jobs::Stop;
use crate::state::State;
use ludwright::Game as Rules;
use ludwright::ai::arena::{self as tournaments, Results, Settings as ArenaSettings};
use ludwright::ai::solve::{self as solving, Way};
use ludwright::ai::{Agent, Mind, given_up, learned, measure as measures};
use ludwright::engine::Engine;
use ludwright::study::estimate::Estimate;
use ludwright::study::halt::{GivenUp, Halt};
use ludwright::study::perft as counts;
use ludwright::study::playout::{Run, Settings, Summary, empty};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// As often it is asked whether somebody wants it to end.
const PATIENCE: Duration = Duration::from_millis(50);

/// Plays games of some rules on a thread of its own until Ctrl-C, or until a ply is given up: both are raised.
pub fn played<T: Send>(py: Python<'_>, rules: &Rules, work: impl FnOnce(Halt<'_>) -> T + Send) -> PyResult<T> {
    let given_up = GivenUp::default();
    let done = watched(py, |stop| work(Halt::when(stop).telling(&given_up)))?;
    unless_given_up(rules, &given_up).map(|()| done)
}

/// What games came to that ended where a ply was given up says nothing.
pub fn unless_given_up(rules: &Rules, given_up: &GivenUp) -> PyResult<()> {
    given_up.told().map_or(Ok(()), |stopped| Err(errors::given_up(rules, &stopped)))
}

/// Does something on a thread of its own; on Ctrl-C `stop` is set, and the exception of that is raised when it has stopped.
pub fn watched<T: Send>(py: Python<'_>, work: impl FnOnce(&AtomicBool) -> T + Send) -> PyResult<T> {
    let stop = AtomicBool::new(false);
    py.detach(|| {
        thread::scope(|scope| {
            let worker = scope.spawn(|| work(&stop));
            let mut wait = Duration::from_micros(200);
            let mut raised = Ok(());
            while !worker.is_finished() {
                thread::sleep(wait);
                wait = (wait * 2).min(PATIENCE);
                if raised.is_ok() {
                    raised = Python::attach(|py| py.check_signals());
                    stop.store(raised.is_err(), Ordering::Relaxed);
                }
            }
            raised?;
            worker.join().map_err(|_| PyRuntimeError::new_err("the work has failed, which is a mistake of Ludwright"))
        })
    })
}

pub fn cores(threads: Option<usize>) -> usize {
    let all = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
    threads.unwrap_or_else(all).max(1)
}

/// The program of a name.
pub fn agent(name: &str) -> PyResult<Agent> {
    name.parse().map_err(|error: ludwright::ai::AgentError| PyValueError::new_err(format!("{error}; {}", error.help())))
}

/// The same for a seat in this process, where `learned` needs weights.
fn seat(name: &str, game: &Game) -> PyResult<Agent> {
    let agent = agent(name)?;
    if matches!(agent, Agent::Learned(_)) && !learned::is_ready(&game.rules.game) {
        return Err(PyValueError::new_err(
            "there are no weights for `learned` in this game here; train some, or name a file: use_weights(game, path)",
        ));
    }
    Ok(agent)
}

/// Refuses what does not name a program for each seat.
pub fn seated(game: &Game, named: usize) -> PyResult<()> {
    let seats = game.rules.game.rules().players.len();
    if named == seats {
        return Ok(());
    }
    Err(PyValueError::new_err(format!("the game has {seats} seats, and {named} programs are named")))
}

/// Every option of a game with its value.
pub fn options<'py>(py: Python<'py>, game: &Rules) -> PyResult<Bound<'py, PyDict>> {
    let options = PyDict::new(py);
    let rules = game.rules();
    for (name, setting) in &rules.settings {
        let text = rules.setting_text(*setting);
        match text.parse::<i64>() {
            Ok(number) => options.set_item(name, number)?,
            Err(_) => options.set_item(name, text)?,
        }
    }
    Ok(options)
}

/// A number with its interval of 95 %.
fn estimate(estimate: Estimate) -> (f64, f64, f64) {
    (estimate.value, estimate.low, estimate.high)
}

/// Random games: how often each player has won, how long they were, how they ended. The same seed gives the same games on any
/// number of threads.
#[pyfunction]
#[pyo3(signature = (game, games, *, seed=0, threads=None, max_plies=Some(10_000)))]
pub fn playouts<'py>(
    py: Python<'py>,
    game: &Game,
    games: u64,
    seed: u64,
    threads: Option<usize>,
    max_plies: Option<u64>,
) -> PyResult<Bound<'py, PyDict>> {
    let rules = &game.rules.game;
    let settings = Settings { games, seed, threads: cores(threads), max_plies, engine: Engine::Fast };
    let sums = played(py, rules, |halt| {
        let mut sums = empty(rules);
        let run = Run { settings, games: 0..games, halt, lines: None };
        run.each(rules, &mut |number, played, _| {
            sums.add(number, played);
            true
        });
        sums
    })?;
    told_playouts(py, rules, &sums)
}

/// What random games came to.
pub fn told_playouts<'py>(py: Python<'py>, rules: &Rules, sums: &Summary) -> PyResult<Bound<'py, PyDict>> {
    let told = PyDict::new(py);
    let players = rules.rules().players.iter().map(|player| player.name.as_str());
    let wins = PyDict::new(py);
    for (player, count) in players.zip(&sums.wins) {
        wins.set_item(player, count)?;
    }
    let ends = PyDict::new(py);
    for (ending, count) in rules.rules().endings.iter().zip(&sums.ends) {
        ends.set_item(&ending.reason, count)?;
    }
    told.set_item("games", sums.totals.games)?;
    told.set_item("plies", sums.totals.plies)?;
    told.set_item("mean_plies", sums.totals.mean_plies())?;
    told.set_item("mean_branching", sums.totals.mean_branching())?;
    told.set_item("wins", wins)?;
    told.set_item("draws", sums.draws)?;
    told.set_item("unfinished", sums.unfinished)?;
    told.set_item("ends", ends)?;
    told.set_item("fingerprint", format!("{:016x}", sums.fingerprint))?;
    Ok(told)
}

/// How many sequences of plies there are of each length up to `depth`, from the start.
#[pyfunction]
#[pyo3(signature = (game, depth))]
pub fn perft(py: Python<'_>, game: &Game, depth: usize) -> PyResult<Vec<u64>> {
    let rules = &game.rules.game;
    let counted = watched(py, |stop| {
        let mut nodes = Vec::new();
        for depth in 1..=depth {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let (counts, _) = counts::perft_from_start(rules, depth, false, Engine::Fast, &mut |_, _| {});
            if let Some(stopped) = counts.stopped {
                return Err(stopped);
            }
            nodes = counts.nodes;
        }
        Ok(nodes)
    })?;
    counted.map_err(|stopped| errors::given_up(rules, &stopped))
}

/// Games between programs, each from every seat equally often.
#[pyfunction]
#[pyo3(signature = (game, players, *, games=100, seed=0, threads=None, max_plies=Some(2_000), opening=0))]
#[allow(clippy::too_many_arguments)]
pub fn arena<'py>(
    py: Python<'py>,
    game: &Game,
    players: Vec<String>,
    games: u64,
    seed: u64,
    threads: Option<usize>,
    max_plies: Option<u64>,
    opening: u64,
) -> PyResult<Bound<'py, PyDict>> {
    let rules = &game.rules.game;
    let agents = players.iter().map(|name| seat(name, game)).collect::<PyResult<Vec<_>>>()?;
    seated(game, agents.len())?;
    let settings = ArenaSettings { agents, games, seed, threads: cores(threads), max_plies, opening };
    let results = played(py, rules, |halt| tournaments::play_each(rules, &settings, halt, None, &mut |_, _| true))?;
    let players: Vec<String> = settings.agents.iter().map(Agent::to_string).collect();
    told_arena(py, &players, &results)
}

/// What games between programs came to.
pub fn told_arena<'py>(py: Python<'py>, players: &[String], results: &Results) -> PyResult<Bound<'py, PyDict>> {
    let standings = PyList::empty(py);
    for (player, standing) in players.iter().zip(&results.standings) {
        let one = PyDict::new(py);
        one.set_item("player", player)?;
        one.set_item("wins", standing.wins)?;
        one.set_item("shared", standing.shared)?;
        one.set_item("points", standing.points)?;
        one.set_item("interval", estimate(standing.interval(results.games)))?;
        standings.append(one)?;
    }
    let told = PyDict::new(py);
    told.set_item("games", results.games)?;
    told.set_item("plies", results.plies)?;
    told.set_item("unfinished", results.unfinished)?;
    told.set_item("standings", standings)?;
    told.set_item("fingerprint", format!("{:016x}", results.fingerprint))?;
    Ok(told)
}

/// What a game is like: each number with its interval, from so many seconds of random games and games of programs.
#[pyfunction]
#[pyo3(signature = (game, *, seconds=60.0, games=None, seed=0, threads=None, max_plies=2_000, stop=None))]
#[allow(clippy::too_many_arguments)]
pub fn measure<'py>(
    py: Python<'py>,
    game: &Game,
    seconds: f64,
    games: Option<u64>,
    seed: u64,
    threads: Option<usize>,
    max_plies: u64,
    stop: Option<&Bound<'py, Stop>>,
) -> PyResult<Bound<'py, PyDict>> {
    let rules = &game.rules.game;
    let time = Duration::try_from_secs_f64(seconds).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let settings = measures::Settings { time, games, seed, threads: cores(threads), max_plies };
    let page = match stop {
        Some(stop) => {
            let (flag, given_up) = (stop.get().flag(), GivenUp::default());
            let halt = Halt::when(flag).telling(&given_up);
            let page = py.detach(|| measures::measure(rules, settings, halt, &mut |_| {}));
            unless_given_up(rules, &given_up).map(|()| page)?
        }
        None => played(py, rules, |halt| measures::measure(rules, settings, halt, &mut |_| {}))?,
    };
    let told = PyDict::new(py);
    for measure in &page.measures {
        told.set_item(measure.name, told_measure(py, measure)?)?;
    }
    Ok(told)
}

/// A measure with its interval.
pub fn told_measure<'py>(py: Python<'py>, measure: &measures::Measure) -> PyResult<Bound<'py, PyDict>> {
    let one = PyDict::new(py);
    one.set_item("value", measure.estimate.map(|known| known.value))?;
    one.set_item("interval", measure.estimate.map(|known| (known.low, known.high)))?;
    one.set_item("games", measure.games)?;
    one.set_item("players", &measure.players)?;
    one.set_item("unit", measure.unit)?;
    one.set_item("about", measure.about)?;
    Ok(one)
}

/// What a program would play in a state, `mcts:1s` or `hard`: the move, what the mover may expect of it from 0 to 1, and the
/// moves that were looked at.
#[pyfunction]
#[pyo3(signature = (state, player="mcts:1s", *, seed=0, threads=1))]
pub fn suggest<'py>(
    py: Python<'py>,
    state: &State,
    player: &str,
    seed: u64,
    threads: usize,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let line = state.told()?;
    let agent = seat(player, &state.game())?;
    let thought = watched(py, |stop| Mind::new(agent, seed).with_threads(threads).think(&line, stop, &mut |_, _| {}))?;
    let Some(thought) = thought else {
        return match given_up(&line).filter(|_| !line.position().is_over()) {
            Some(stopped) => Err(errors::given_up(line.game(), &stopped)),
            None => Ok(None),
        };
    };
    let position = line.position();
    let told = PyDict::new(py);
    told.set_item("move", position.move_text(thought.index))?;
    told.set_item("action", state.action_of(position, thought.index)?)?;
    told.set_item("value", thought.value)?;
    told.set_item("proven", thought.proven)?;
    told.set_item("rounds", thought.rounds)?;
    let candidates = PyList::empty(py);
    for candidate in &thought.candidates {
        candidates.append((position.move_text(candidate.index), candidate.value, candidate.rounds))?;
    }
    told.set_item("candidates", candidates)?;
    Ok(Some(told))
}

/// What a state is worth to each player, from -1 to 1, when all play as well as can be, and what else is known about it.
#[pyfunction]
#[pyo3(signature = (state, *, nodes=10_000_000, memory=1024, way="auto"))]
pub fn solve<'py>(py: Python<'py>, state: &State, nodes: u64, memory: u32, way: &str) -> PyResult<Bound<'py, PyDict>> {
    let line = state.told()?;
    if line.game().hides() {
        let message = "nobody sees everything in this game, and `solve` knows only games where everybody does";
        return Err(PyValueError::new_err(message));
    }
    let way = match way {
        "auto" => None,
        "table" => Some(Way::Table),
        "proof" => Some(Way::Proof),
        other => {
            return Err(PyValueError::new_err(format!("a way is \"auto\", \"table\" or \"proof\", not {other:?}")));
        }
    };
    let bytes = usize::try_from(u64::from(memory) << 20).unwrap_or(usize::MAX);
    let settings = solving::Settings { nodes, bytes, way };
    let solution = watched(py, |stop| solving::solve_with(&line, settings, Halt::when(stop), &mut |_| {}))?;
    let worth = |value: f32| 2.0 * value - 1.0;
    let told = PyDict::new(py);
    told.set_item("values", solution.values.map(|values| values.into_iter().map(worth).collect::<Vec<_>>()))?;
    told.set_item("bounds", solution.bounds.map(|(low, high)| (worth(low), worth(high))))?;
    told.set_item("moves", solution.moves)?;
    told.set_item("distance", solution.distance)?;
    told.set_item("endless", solution.endless)?;
    let positions = solution.counts.map(|counts| -> PyResult<Bound<'py, PyDict>> {
        let positions = PyDict::new(py);
        positions.set_item("all", counts.all())?;
        positions.set_item("won", &counts.won)?;
        positions.set_item("drawn", counts.drawn)?;
        positions.set_item("endless", counts.endless)?;
        positions.set_item("images", counts.images)?;
        positions.set_item("longest", counts.longest)?;
        Ok(positions)
    });
    told.set_item("positions", positions.transpose()?)?;
    told.set_item("way", solution.way.name())?;
    told.set_item("nodes", solution.nodes)?;
    told.set_item("bytes", solution.bytes)?;
    told.set_item("missing", solution.missing.map(|missing| missing.to_string()))?;
    Ok(told)
}
