//! The part of the Python package `ludwright` that is written in Rust; its public side is python/ludwright.

mod errors;
mod game;
mod jobs;
mod live;
mod state;
mod successors;
mod train;
mod vector;
mod work;

use pyo3::prelude::*;

/// What python/ludwright is made of.
#[pymodule]
mod _ludwright {
    #[pymodule_export]
    use crate::errors::{AmbiguousMove, GivenUp, IllegalMove, RulesError};
    #[pymodule_export]
    use crate::game::{Game, catalogue, load, load_file, load_text};
    #[pymodule_export]
    use crate::jobs::{Job, Stop, Sums, compared};
    #[pymodule_export]
    use crate::state::State;
    #[pymodule_export]
    use crate::successors::Successors;
    #[pymodule_export]
    use crate::train::{Trainer, use_weights};
    #[pymodule_export]
    use crate::vector::Vector;
    #[pymodule_export]
    use crate::work::{arena, measure, perft, playouts, solve, suggest};

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
