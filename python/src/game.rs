//! Games: loaded from the library, a text or a file.

use crate::errors;
use crate::live::{Origin, Rulebook};
use crate::state::State;
use crate::vector::Vector;
use crate::work;
use ludwright::learn::{Actions, Format, Image, Planes};
use ludwright::{Game as Rules, Library};
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::exceptions::{PyFileNotFoundError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::Arc;

/// A checked game with all options resolved. Games never change, and may be shared between threads.
#[pyclass(frozen, module = "ludwright")]
#[derive(Debug)]
pub struct Game {
    pub rules: Arc<Rulebook>,
}

/// The names of the games that come with the package.
#[pyfunction]
pub fn catalogue() -> Vec<&'static str> {
    Library::names()
}

/// A game of the library by its name, with a ruleset and options: `load("hex", size=9)`.
#[pyfunction]
#[pyo3(signature = (name, *, ruleset=None, **options))]
pub fn load(
    py: Python<'_>,
    name: &str,
    ruleset: Option<String>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Game> {
    let Some(text) = Library::text(name) else {
        let hint = Library::similar(name).map_or(String::new(), |best| format!("; did you mean `{best}`?"));
        return Err(PyValueError::new_err(format!("there is no shipped game `{name}`{hint}")));
    };
    Game::new(
        py,
        Origin { name: name.to_owned(), text: text.to_owned(), ruleset, options: settings(options)?, steps: None },
    )
}

/// A game from a rule text; mistakes in it are raised as `RulesError`.
#[pyfunction]
#[pyo3(signature = (rules, *, name="text.game", ruleset=None, **options))]
pub fn load_text(
    py: Python<'_>,
    rules: &str,
    name: &str,
    ruleset: Option<String>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Game> {
    Game::new(
        py,
        Origin { name: name.to_owned(), text: rules.to_owned(), ruleset, options: settings(options)?, steps: None },
    )
}

/// A game from a rule file, which may extend or use others beside it.
#[pyfunction]
#[pyo3(signature = (path, *, ruleset=None, **options))]
pub fn load_file(
    py: Python<'_>,
    path: std::path::PathBuf,
    ruleset: Option<String>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Game> {
    let name = path.display().to_string();
    let bytes = ludwright::library::read_bytes(&path)
        .map_err(|error| PyFileNotFoundError::new_err(format!("{name}: {}", ludwright::library::describe(&error))))?;
    let text = String::from_utf8(bytes).map_err(|_| PyValueError::new_err(format!("{name} is not text in UTF-8")))?;
    let text = ludwright::library::unmarked(text);
    Game::new(py, Origin { name, text, ruleset, options: settings(options)?, steps: None })
}

/// Options as on a command line: numbers and names; what is true or false is `yes` or `no`.
fn settings(options: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<(String, String)>> {
    let Some(options) = options else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    for (name, value) in options.iter() {
        let text = match value.extract::<bool>() {
            Ok(true) => "yes".to_owned(),
            Ok(false) => "no".to_owned(),
            Err(_) => value.str()?.to_string(),
        };
        all.push((name.extract()?, text));
    }
    Ok(all)
}

impl Game {
    fn new(py: Python<'_>, origin: Origin) -> PyResult<Self> {
        let made = py.detach(|| {
            let Origin { name, text, ruleset, options, .. } = &origin;
            let game = Rules::from_text(name, text, ruleset.as_deref(), options, &Library)?;
            let actions = Actions::of(&game);
            Ok(Arc::new(Rulebook::new(game, actions, origin)))
        });
        let rules = made.map_err(|error| errors::of_load(&error))?;
        Ok(Self { rules })
    }

    /// What actions lead to would show what is hidden.
    pub fn refuse_hidden(rules: &Rulebook) -> PyResult<()> {
        match rules.game.hides() {
            true => Err(PyValueError::new_err(
                "this game hides something from its players, and what actions lead to would show it",
            )),
            false => Ok(()),
        }
    }

    fn planes(&self, layout: &str) -> PyResult<&Planes> {
        Self::planes_of(&self.rules, layout)
    }

    /// What is written about positions in a layout.
    pub fn planes_of<'r>(rules: &'r Rulebook, layout: &str) -> PyResult<&'r Planes> {
        let format = match layout {
            "CHW" => Format::Channels,
            "HWC" => Format::Cells,
            "graph" => Format::Nodes,
            _ => return Err(PyValueError::new_err(format!("there is no layout `{layout}`: it is CHW, HWC or graph"))),
        };
        Ok(rules.planes(format))
    }
}

#[pymethods]
impl Game {
    /// What the game is called in its text.
    #[getter]
    fn title(&self) -> &str {
        &self.rules.game.rules().about.title
    }

    /// The name it was loaded by.
    #[getter]
    fn name(&self) -> &str {
        &self.rules.origin.name
    }

    /// The rule text.
    #[getter]
    fn text(&self) -> &str {
        &self.rules.origin.text
    }

    /// Every option with its value.
    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        work::options(py, &self.rules.game)
    }

    /// 16 hexadecimal digits: the version of everything that is derived from the rules.
    #[getter]
    fn rules_hash(&self) -> String {
        self.rules.game.rules_hash()
    }

    /// The names of the players in the order of turns.
    #[getter]
    fn players(&self) -> Vec<&str> {
        self.rules.game.rules().players.iter().map(|player| player.name.as_str()).collect()
    }

    /// How many players there are.
    #[getter]
    fn num_players(&self) -> usize {
        self.rules.game.rules().players.len()
    }

    /// How many actions there are, legal or not.
    #[getter]
    fn num_actions(&self) -> usize {
        self.rules.actions.len()
    }

    /// OpenSpiel's name for `num_actions`.
    fn num_distinct_actions(&self) -> usize {
        self.num_actions()
    }

    /// Whether a ply takes several actions, one for each choice.
    #[getter]
    fn is_split(&self) -> bool {
        self.rules.actions.is_split()
    }

    /// Whether chance decides some plies.
    #[getter]
    fn has_chance(&self) -> bool {
        self.rules.game.rules().has_chance()
    }

    /// Whether something is hidden from players, so that observations are those of a seat, and there are no `successors`.
    #[getter]
    fn has_hidden_information(&self) -> bool {
        self.rules.game.hides()
    }

    /// What every action is, by its number: the move and its parts.
    fn actions(&self) -> Vec<String> {
        (0..self.rules.actions.len()).filter_map(|action| self.action_text(action)).collect()
    }

    /// What an action is: the move and its parts.
    fn action_text(&self, action: usize) -> Option<String> {
        self.rules.actions.text(self.rules.game.rules(), action)
    }

    /// The shape of an observation in a layout: `CHW`, `HWC` or `graph`.
    #[pyo3(signature = (layout="CHW"))]
    fn observation_shape<'py>(&self, py: Python<'py>, layout: &str) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.planes(layout)?.shape())
    }

    /// What each plane of an observation says.
    fn plane_names(&self) -> PyResult<Vec<String>> {
        Ok(self.planes("CHW")?.names().to_vec())
    }

    /// The names of the sites, in the order of nodes.
    #[getter]
    fn sites(&self) -> Vec<&str> {
        self.rules.game.rules().board.names().collect()
    }

    /// For each site its cell in an observation of layout CHW, `row * width + column`; int64[sites].
    fn site_cells<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let cells: Vec<i64> = self.planes("CHW")?.cells().iter().map(|cell| i64::from(*cell)).collect();
        Ok(cells.into_pyarray(py))
    }

    /// The board as a graph: `edge_index` int64[2, edges] and `edge_type` int64[edges], the direction of each step.
    fn graph<'py>(&self, py: Python<'py>) -> PyResult<Graph<'py>> {
        let board = &self.rules.game.rules().board;
        let (mut from, mut to, mut way) = (Vec::new(), Vec::new(), Vec::new());
        for site in board.all() {
            for direction in board.compass() {
                if let Some(next) = board.step(site, direction) {
                    from.push(site.index() as i64);
                    to.push(next.index() as i64);
                    way.push(direction.index() as i64);
                }
            }
        }
        Ok((PyArray2::from_vec2(py, &[from, to])?, way.into_pyarray(py)))
    }

    /// The symmetries of the game, the one that changes nothing first: for each the site, the action and the plane of an
    /// observation to which every one goes, int64[sites], int64[actions] and int64[planes], and whether the players change
    /// places as well (then planes say who sees them, and are not permuted). Where actions are split there are none.
    fn symmetries<'py>(&self, py: Python<'py>) -> PyResult<Vec<Permuted<'py>>> {
        let planes = self.planes("CHW")?;
        let rules = &self.rules;
        let images = py.detach(|| Image::all(&rules.game, &rules.actions));
        let numbers = |all: &[usize]| all.iter().map(|one| *one as i64).collect::<Vec<_>>().into_pyarray(py);
        let kept = images.into_iter().filter(|image| image.actions.len() == rules.actions.len());
        let told = kept.map(|image| {
            let planes = numbers(&planes.image(&rules.game, &image));
            (numbers(&image.sites), numbers(&image.actions), planes, image.swaps_players)
        });
        Ok(told.collect())
    }

    /// The state before the first move.
    fn new_initial_state(&self) -> PyResult<State> {
        State::start(&self.rules)
    }

    /// The same game, in which working out one ply may take so many steps: 1,000,000,000 unless this is said. A ply that takes
    /// more raises `GivenUp`.
    fn with_steps(&self, steps: u64) -> Self {
        let Rulebook { game, actions, origin, .. } = self.rules.as_ref();
        let origin = Origin { steps: Some(steps), ..origin.clone() };
        let (game, actions) = (game.with_steps(steps), actions.clone());
        Self { rules: Arc::new(Rulebook::new(game, actions, origin)) }
    }

    /// `n` games stepped together; see `ludwright.vector_env`.
    #[pyo3(signature = (n, *, threads=1, seed=0, autoreset="next_step", layout="CHW", max_plies=None))]
    #[allow(clippy::too_many_arguments)]
    fn vector(
        &self,
        py: Python<'_>,
        n: usize,
        threads: usize,
        seed: u64,
        autoreset: &str,
        layout: &str,
        max_plies: Option<u32>,
    ) -> PyResult<Vector> {
        Vector::new(py, &self.rules, self.planes(layout)?.clone(), n, threads, seed, autoreset, max_plies)
    }

    /// The board of the start as SVG, for notebooks.
    fn _repr_svg_(&self) -> String {
        ludwright::render::svg(&self.rules.game.start(), &ludwright::render::Style::default())
    }

    fn __repr__(&self) -> String {
        let settings: Vec<String> =
            self.rules.origin.options.iter().map(|(name, value)| format!(", {name}={value}")).collect();
        format!("<ludwright.Game {}{} {}>", self.rules.origin.name, settings.concat(), self.rules_hash())
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.rules_hash() == other.rules_hash()
    }

    fn __hash__(&self) -> u64 {
        u64::from_str_radix(&self.rules_hash(), 16).unwrap_or(0)
    }

    /// Loads the game again from its text and refuses where that has come to mean something else.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Reduced)> {
        let again = py.import("ludwright")?.getattr("_game_again")?;
        let Origin { name, text, ruleset, options, steps } = self.rules.origin.clone();
        Ok((again, (name, text, ruleset, options, self.rules_hash(), steps)))
    }

    #[staticmethod]
    #[pyo3(name = "_again", signature = (name, text, ruleset, options, hash, steps=None))]
    #[allow(clippy::too_many_arguments)]
    fn again(
        py: Python<'_>,
        name: String,
        text: String,
        ruleset: Option<String>,
        options: Vec<(String, String)>,
        hash: &str,
        steps: Option<u64>,
    ) -> PyResult<Self> {
        let game = Self::new(py, Origin { name, text, ruleset, options, steps: None })?;
        if game.rules_hash() == hash {
            return Ok(match steps {
                Some(steps) => game.with_steps(steps),
                None => game,
            });
        }
        Err(PyRuntimeError::new_err(format!(
            "the rules of {} have changed since this was saved: they were {hash} and are {}",
            game.rules.origin.name,
            game.rules_hash()
        )))
    }
}

/// Where steps lead, and in which direction.
type Graph<'py> = (Bound<'py, PyArray2<i64>>, Bound<'py, PyArray1<i64>>);

/// Where sites, actions and planes go, and whether players change places.
type Permuted<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, bool);

/// What a pickle keeps of a game.
type Reduced = (String, String, Option<String>, Vec<(String, String)>, String, Option<u64>);
