//! Jobs: long work cut into blocks that are played anywhere, in any order, as often as need be, and add up to the same sums.

use crate::game::Game;
use crate::work::{self, agent, played, unless_given_up};
use ludwright::ai::Agent;
use ludwright::ai::arena::Results;
use ludwright::ai::measure::Quantity;
use ludwright::ai::measure::compare::{self, Compared, Variant};
use ludwright::ai::tournament::{Ending, Shape, Standings};
use ludwright::engine::Engine;
use ludwright::jobs::{self, Crew, JobFile, Line, Merge, Work};
use ludwright::study::halt::{GivenUp, Halt};
use ludwright::{Game as Rules, Library};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};

/// What ends the work of several threads.
#[pyclass(frozen, module = "ludwright")]
#[derive(Default)]
pub struct Stop {
    flag: AtomicBool,
}

#[pymethods]
impl Stop {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// The work ends soon.
    fn set(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Whether it was said that the work ends.
    fn is_set(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }
}

impl Stop {
    /// What the work looks at.
    pub fn flag(&self) -> &AtomicBool {
        &self.flag
    }
}

/// Long work of one game, cut into blocks that are played anywhere. Pickled it is the text of a job, which names the rules.
#[pyclass(frozen, module = "ludwright")]
pub struct Job {
    file: JobFile,
    game: Rules,
    players: Vec<Agent>,
    /// What its parts begin with, so that those of another job are not added to it.
    mark: u64,
}

fn wrong(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Programs whose games come out the same wherever they are played.
fn repeatable(names: &[String]) -> PyResult<Vec<Agent>> {
    let one = |name: &String| match agent(name)? {
        Agent::Learned(_) => Err(wrong("`learned` needs weights, which are not sent with a job; name another program")),
        agent if agent.repeats_itself() => Ok(agent),
        agent => Err(PyValueError::new_err(format!(
            "`{agent}` does not play the same games again, so that parts could not be checked; name programs with a number of \
             rounds, as `mcts:400` or `hard:2000`"
        ))),
    };
    names.iter().map(one).collect()
}

/// A block and what it came to, one after the other.
fn frame(room: &mut Vec<u8>, number: u64, payload: &[u8]) {
    room.extend_from_slice(&number.to_le_bytes());
    room.extend_from_slice(&(payload.len() as u64).to_le_bytes());
    room.extend_from_slice(payload);
}

/// The blocks of a part again, if it is one of this job.
fn frames<'a>(job: &Job, bytes: &'a [u8]) -> PyResult<Vec<(u64, &'a [u8])>> {
    let cut = || wrong("a part of this job is damaged; play it again");
    let (mark, mut rest) = bytes.split_first_chunk::<8>().ok_or_else(cut)?;
    if u64::from_le_bytes(*mark) != job.mark {
        return Err(wrong("this part belongs to another job; add only what `run` of the same job has given"));
    }
    let mut found = Vec::new();
    while !rest.is_empty() {
        let (number, after) = rest.split_first_chunk::<8>().ok_or_else(cut)?;
        let (length, after) = after.split_first_chunk::<8>().ok_or_else(cut)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| cut())?;
        let (payload, after) = after.split_at_checked(length).ok_or_else(cut)?;
        let number = u64::from_le_bytes(*number);
        if number >= job.blocks() {
            return Err(cut());
        }
        found.push((number, payload));
        rest = after;
    }
    Ok(found)
}

impl Job {
    fn of(game: &Game, seed: u64, job: jobs::Job) -> PyResult<Self> {
        let (rules, origin) = (&game.rules.game, &game.rules.origin);
        Self::with(JobFile::new((&origin.name, &origin.text), rules, seed, job), rules.clone())
    }

    fn with(file: JobFile, game: Rules) -> PyResult<Self> {
        let players = repeatable(file.job.work.players())?;
        let mark = file.digest();
        Ok(Self { file, game, players, mark })
    }

    /// Plays blocks; those that are whole are given back.
    fn play(&self, blocks: Range<u64>, threads: usize, halt: Halt<'_>) -> Vec<u8> {
        let mut room = self.mark.to_le_bytes().to_vec();
        let crew = Crew { players: &self.players, threads, halt };
        self.file.job.play(&self.game, crew, blocks, &mut |block| {
            let number = block.number;
            frame(&mut room, number, Line { job: None, block: Some(block) }.text().as_bytes());
            true
        });
        room
    }
}

#[pymethods]
impl Job {
    /// Random games.
    #[staticmethod]
    #[pyo3(signature = (game, games, *, seed=0, max_plies=Some(10_000)))]
    fn playouts(game: &Game, games: u64, seed: u64, max_plies: Option<u64>) -> PyResult<Self> {
        let engine = match game.rules.game.runner(Engine::Fast) {
            Engine::Fast => "fast",
            Engine::Reference => "reference",
        };
        let work = Work::Playout { engine: engine.to_owned() };
        Self::of(game, seed, jobs::Job { work, games, max_plies, ..jobs::Job::default() })
    }

    /// Games between programs, each from every seat equally often.
    #[staticmethod]
    #[pyo3(signature = (game, players, *, games=100, seed=0, max_plies=Some(2_000), opening=0))]
    fn arena(
        game: &Game,
        players: Vec<String>,
        games: u64,
        seed: u64,
        max_plies: Option<u64>,
        opening: u64,
    ) -> PyResult<Self> {
        work::seated(game, players.len())?;
        let work = Work::Arena { players: named(&players)?, opening };
        Self::of(game, seed, jobs::Job { work, games, max_plies, ..jobs::Job::default() })
    }

    /// Games of a program against itself, of which every one is measured.
    #[staticmethod]
    #[pyo3(signature = (game, player, *, games=200, seed=0, max_plies=2_000))]
    fn series(game: &Game, player: String, games: u64, seed: u64, max_plies: u64) -> PyResult<Self> {
        let work = Work::Series { player: named(&[player])?.concat() };
        Self::of(game, seed, jobs::Job { work, games, max_plies: Some(max_plies), ..jobs::Job::default() })
    }

    /// Everybody against everybody, in pairs of games that begin alike with seats exchanged.
    #[staticmethod]
    #[pyo3(signature = (game, players, *, pairs=100, seed=0, max_plies=Some(2_000), opening=2))]
    fn tournament(
        game: &Game,
        players: Vec<String>,
        pairs: u64,
        seed: u64,
        max_plies: Option<u64>,
        opening: u64,
    ) -> PyResult<Self> {
        work::seated(game, 2)?;
        if players.len() < 2 {
            return Err(wrong("a tournament has at least two players"));
        }
        let meetings = (players.len() * (players.len() - 1)) as u64;
        let games = pairs.saturating_mul(meetings);
        let work = Work::Tournament { players: named(&players)?, opening, shape: Shape::RoundRobin };
        Self::of(game, seed, jobs::Job { work, games, max_plies, ..jobs::Job::default() })
    }

    /// A job from its text, as `to_json` or `ludwright playout --job` have written it.
    #[staticmethod]
    fn read(py: Python<'_>, text: &str) -> PyResult<Self> {
        let file = JobFile::read(text.as_bytes()).map_err(wrong)?;
        let game =
            py.detach(|| Rules::from_text(&file.name, &file.text, file.ruleset.as_deref(), &file.chosen(), &Library));
        let game = game.map_err(|error| crate::errors::of_load(&error))?;
        file.fits(&game).map_err(wrong)?;
        Self::with(file, game)
    }

    /// The job as one JSON object, which holds the rules.
    fn to_json(&self) -> String {
        self.file.text()
    }

    /// How many games there are in all.
    #[getter]
    fn games(&self) -> u64 {
        self.file.job.games
    }

    /// Into how many blocks they are cut.
    #[getter]
    fn blocks(&self) -> u64 {
        self.file.job.blocks()
    }

    /// Plays the blocks from `first` to before `last`: what they came to, for `Sums.add`.
    #[pyo3(signature = (first, last, *, threads=1, stop=None))]
    fn run<'py>(
        &self,
        py: Python<'py>,
        first: u64,
        last: u64,
        threads: usize,
        stop: Option<&Bound<'py, Stop>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let last = last.min(self.file.job.blocks());
        let blocks = first.min(last)..last;
        let room = match stop {
            Some(stop) => {
                let (flag, given_up) = (&stop.get().flag, GivenUp::default());
                let room = py.detach(|| self.play(blocks, threads, Halt::when(flag).telling(&given_up)));
                unless_given_up(&self.game, &given_up).map(|()| room)?
            }
            None => played(py, &self.game, |halt| self.play(blocks, threads, halt))?,
        };
        Ok(PyBytes::new(py, &room))
    }

    fn __repr__(&self) -> String {
        let (verb, name) = (&self.file.verb, &self.file.name);
        format!("<ludwright.Job {verb} {name}: {} games in {} blocks>", self.games(), self.blocks())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.get_type::<Self>().getattr("read")?, (self.to_json(),)))
    }
}

/// The names of programs as they call themselves.
fn named(players: &[String]) -> PyResult<Vec<String>> {
    Ok(repeatable(players)?.iter().map(Agent::to_string).collect())
}

/// What parts of a job came to, added up. A part may be added again: it counts once, and must be the same.
#[pyclass(frozen, module = "ludwright")]
pub struct Sums {
    job: Py<Job>,
    blocks: Mutex<BTreeMap<u64, Vec<u8>>>,
}

type Blocks<'a> = MutexGuard<'a, BTreeMap<u64, Vec<u8>>>;

impl Sums {
    fn blocks(&self) -> PyResult<Blocks<'_>> {
        self.blocks.try_lock().map_err(|_| crate::errors::busy("object"))
    }

    fn merged(job: &Job, blocks: &Blocks<'_>) -> PyResult<jobs::Sums> {
        let mut merge = Merge::default();
        merge.begin(job.file.job.clone(), "a part").map_err(wrong)?;
        for payload in blocks.values() {
            let line = Line::read(payload).map_err(wrong)?;
            let block = line.block.ok_or_else(|| wrong("a part holds no block"))?;
            merge.add(block, "a part").map_err(wrong)?;
        }
        merge.so_far().ok_or_else(|| wrong("nothing was played"))
    }

    /// The variant that a job of one program against itself has played.
    fn variant(&self) -> PyResult<Variant> {
        let job = self.job.get();
        match (job.players.as_slice(), Self::merged(job, &self.blocks()?)?) {
            ([agent], jobs::Sums::Series(games)) => Ok(Variant::of(*agent, games)),
            _ => Err(wrong("only series are compared")),
        }
    }
}

#[pymethods]
impl Sums {
    /// Nothing played yet.
    #[new]
    fn new(job: Py<Job>) -> Self {
        Self { job, blocks: Mutex::new(BTreeMap::new()) }
    }

    /// What `Job.run` has given.
    fn add(&self, part: &[u8]) -> PyResult<()> {
        let mut blocks = self.blocks()?;
        for (number, payload) in frames(self.job.get(), part)? {
            match blocks.get(&number) {
                Some(known) if known != payload => {
                    return Err(PyRuntimeError::new_err(format!(
                        "block {number} came out differently when it was played again; one machine or build is wrong"
                    )));
                }
                Some(_) => {}
                None => {
                    blocks.insert(number, payload.to_vec());
                }
            }
        }
        Ok(())
    }

    /// The blocks that are still to come, as ranges from a block to before another.
    fn missing(&self) -> PyResult<Vec<(u64, u64)>> {
        let blocks = self.blocks()?;
        let mut next = 0;
        let mut gaps = Vec::new();
        for number in blocks.keys().copied().chain([self.job.get().blocks()]) {
            if number > next {
                gaps.push((next, number));
            }
            next = number + 1;
        }
        Ok(gaps)
    }

    /// How many games are in it.
    #[getter]
    fn games(&self) -> PyResult<u64> {
        let job = &self.job.get().file.job;
        let games = |block: &u64| job.games_of(*block);
        Ok(self.blocks()?.keys().map(games).map(|games| games.end - games.start).sum())
    }

    /// What they come to by now, in words of the workbench; of a series nothing, see `compared`.
    fn told<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let job = self.job.get();
        let blocks = self.blocks()?;
        let sums = Self::merged(job, &blocks)?;
        match (&job.file.job.work, &sums) {
            (_, jobs::Sums::Random(sums)) => work::told_playouts(py, &job.game, sums),
            (Work::Arena { players, .. }, jobs::Sums::Bouts(sums)) => work::told_arena(py, players, &Results::of(sums)),
            (Work::Tournament { players, shape, .. }, jobs::Sums::Endings(endings)) => {
                told_tournament(py, players, *shape, endings)
            }
            _ => Ok(PyDict::new(py)),
        }
    }
}

fn told_tournament<'py>(
    py: Python<'py>,
    players: &[String],
    shape: Shape,
    endings: &[Ending],
) -> PyResult<Bound<'py, PyDict>> {
    let mut standings = Standings::new(players.len(), shape, None);
    endings.iter().for_each(|ending| standings.add(ending));
    let name = |player: usize| players.get(player);
    let table = PyList::empty(py);
    for row in standings.table() {
        let (one, elo) = (PyDict::new(py), row.pairs.elo());
        one.set_item("player", name(row.player))?;
        one.set_item("points", row.points)?;
        one.set_item("games", row.games)?;
        one.set_item("elo", elo.value)?;
        one.set_item("interval", (elo.low, elo.high))?;
        table.append(one)?;
    }
    let pairs = PyList::empty(py);
    for meeting in &standings.meetings {
        let (one, elo) = (PyDict::new(py), meeting.pairs.elo());
        let [won, drawn, lost] = meeting.results;
        one.set_item("players", meeting.players.map(name))?;
        one.set_item("wins", won)?;
        one.set_item("draws", drawn)?;
        one.set_item("losses", lost)?;
        one.set_item("pentanomial", meeting.pairs.0)?;
        one.set_item("elo", elo.value)?;
        one.set_item("interval", (elo.low, elo.high))?;
        pairs.append(one)?;
    }
    let told = PyDict::new(py);
    told.set_item("games", standings.games)?;
    told.set_item("unfinished", standings.unfinished)?;
    told.set_item("table", table)?;
    told.set_item("pairs", pairs)?;
    Ok(told)
}

/// Variants side by side: a row for each series, with what the measures come to and how surely they differ from the first row.
#[pyfunction]
pub fn compared<'py>(py: Python<'py>, all: Vec<Py<Sums>>, measures: Vec<String>) -> PyResult<Bound<'py, PyList>> {
    let quantity = |name: &String| {
        let names = || Quantity::ALL.map(Quantity::name).join(", ");
        let unknown = || PyValueError::new_err(format!("there is no measure `{name}`: the measures are {}", names()));
        Quantity::named(name).ok_or_else(unknown)
    };
    let quantities = measures.iter().map(quantity).collect::<PyResult<Vec<_>>>()?;
    let variants = all.iter().map(|sums| sums.get().variant()).collect::<PyResult<Vec<_>>>()?;
    let rows = PyList::empty(py);
    for (sums, compared) in all.iter().zip(compare::table(&variants, &quantities)) {
        let game = &sums.get().job.get().game;
        let row = PyDict::new(py);
        row.set_item("ruleset", &game.rules().ruleset)?;
        row.set_item("options", work::options(py, game)?)?;
        row.set_item("rules_hash", game.rules_hash())?;
        let told = PyDict::new(py);
        for one in &compared {
            told.set_item(one.measure.name, told_compared(py, one)?)?;
        }
        row.set_item("measures", told)?;
        rows.append(row)?;
    }
    Ok(rows)
}

fn told_compared<'py>(py: Python<'py>, compared: &Compared) -> PyResult<Bound<'py, PyDict>> {
    let told = work::told_measure(py, &compared.measure)?;
    if let Some(difference) = &compared.difference {
        let one = PyDict::new(py);
        one.set_item("value", difference.estimate.value)?;
        one.set_item("interval", (difference.estimate.low, difference.estimate.high))?;
        one.set_item("p", difference.chance)?;
        one.set_item("p_corrected", compared.corrected)?;
        one.set_item("sure", compared.differs())?;
        told.set_item("difference", one)?;
    }
    Ok(told)
}
