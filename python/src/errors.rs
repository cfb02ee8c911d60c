//! Mistakes as exceptions.

use ludwright::diagnostic::{Format, render};
use ludwright::engine::Stopped;
use ludwright::learn::SessionError;
use ludwright::{Game, LoadError, PlayError};
use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

create_exception!(
    ludwright,
    RulesError,
    PyValueError,
    "A rule text with errors; its text shows each with its place and a way out."
);
create_exception!(ludwright, IllegalMove, PyValueError, "What was to be played is not legal; the state is as it was.");
create_exception!(
    ludwright,
    GivenUp,
    PyRuntimeError,
    "A ply that takes more steps or more memory than it may; the state is as it was."
);
create_exception!(ludwright, AmbiguousMove, IllegalMove, "Several legal moves are called so; the state is as it was.");

/// Why there is no game.
pub fn of_load(error: &LoadError) -> PyErr {
    match error {
        LoadError::Rules { message, diagnostics, sources } => {
            let shown: Vec<String> = diagnostics
                .iter()
                .map(|diagnostic| render(diagnostic, sources, Format::Human { color: false }))
                .collect();
            let error = RulesError::new_err(format!("{message}\n{}", shown.concat()));
            let codes: Vec<String> = diagnostics.iter().map(|diagnostic| diagnostic.code.to_string()).collect();
            Python::attach(|py| {
                // An exception that has no codes says all the same in its text.
                let _ = error.value(py).setattr("codes", codes);
            });
            error
        }
        LoadError::Other { message, help } => {
            let help = help.as_ref().map_or(String::new(), |help| format!("; {help}"));
            PyValueError::new_err(format!("{message}{help}"))
        }
    }
}

/// Why a move cannot be played, with the clause that forbids it where that is known.
pub fn of_play(error: &PlayError, explained: String) -> PyErr {
    match error {
        PlayError::Ambiguous { .. } => AmbiguousMove::new_err(explained),
        PlayError::Illegal { .. } | PlayError::Over { .. } => IllegalMove::new_err(explained),
        PlayError::Stopped { .. } => GivenUp::new_err(with_help(explained)),
    }
}

/// Why an action cannot be played.
pub fn of_session(game: &Game, error: &SessionError) -> PyErr {
    match error {
        SessionError::Illegal { .. } | SessionError::Over => IllegalMove::new_err(error.to_string()),
        SessionError::Stopped(stopped) => given_up(game, stopped),
    }
}

/// The same in one of many games.
pub fn of_session_in(number: u64, game: &Game, error: &SessionError) -> PyErr {
    match error {
        SessionError::Illegal { .. } | SessionError::Over => IllegalMove::new_err(format!("game {number}: {error}")),
        SessionError::Stopped(stopped) => given_up_in(number, game, stopped),
    }
}

/// A ply was given up.
pub fn given_up(game: &Game, stopped: &Stopped) -> PyErr {
    GivenUp::new_err(with_help(game.told_of_stop(stopped)))
}

/// The same in one of many games.
pub fn given_up_in(number: u64, game: &Game, stopped: &Stopped) -> PyErr {
    GivenUp::new_err(with_help(format!("game {number}: {}", game.told_of_stop(stopped))))
}

fn with_help(message: String) -> String {
    format!(
        "{message}\n  help: `game.with_steps(N)` allows more steps; `ludwright check` tells which clauses may take many"
    )
}

/// Two threads at one state.
pub fn busy(what: &str) -> PyErr {
    PyRuntimeError::new_err(format!("another thread is using this {what}; clone it for each thread"))
}
