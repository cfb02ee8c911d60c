//! Ctrl-C, or SIGTERM as `timeout` and schedulers of jobs send it: the first one ends long work in good order, with what there is
//! so far; the second one ends the program. A ply that is given up ends it as well.

use super::error::CliError;
use crate::game::Game;
use crate::study::halt::{GivenUp, Halt};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What ends many games before their end.
pub struct Stop {
    flag: Arc<AtomicBool>,
    given_up: GivenUp,
}

impl Stop {
    /// Listens from now on.
    pub fn new() -> Self {
        Self { flag: flag(), given_up: GivenUp::default() }
    }

    /// What the games look at.
    pub fn halt(&self) -> Halt<'_> {
        Halt::when(&self.flag).telling(&self.given_up)
    }

    /// Whether they were ended.
    pub fn is_set(&self) -> bool {
        self.halt().is_set()
    }

    /// An error where a ply was given up, which is told after what the games before it came to.
    pub fn unless_given_up(&self, game: &Game) -> Result<(), CliError> {
        CliError::unless_stopped(game, self.given_up.told())
    }
}

/// What is set when somebody wants the work to end. Where signals cannot be heard they end the program as ever.
#[must_use]
pub fn flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGINT, SIGTERM};
        use signal_hook::flag;
        for signal in [SIGINT, SIGTERM] {
            // The status that a shell tells of a program which the signal ended. In this order: the first one finds the flag
            // down and only raises it.
            let _ = flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&flag));
            let _ = flag::register(signal, Arc::clone(&flag));
        }
    }
    flag
}
