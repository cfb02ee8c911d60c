//! A game in progress together with the rules that it borrows from.

use ludwright::Game;
use ludwright::learn::{Actions, Session};
use self_cell::self_cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Where a game comes from: enough to load it again.
#[derive(Clone, Debug)]
pub struct Origin {
    pub name: String,
    pub text: String,
    pub ruleset: Option<String>,
    pub options: Vec<(String, String)>,
    /// How many steps a ply may take, where somebody has said so.
    pub steps: Option<u64>,
}

/// Rules with their actions.
#[derive(Debug)]
pub struct Rulebook {
    pub game: Game,
    pub actions: Actions,
    pub origin: Origin,
    /// How many states were begun.
    pub begun: AtomicU32,
}

/// From so many states on machine code is worth its making, a tenth of a second.
const MANY: u32 = 20;

self_cell!(
    /// A session that keeps its rules alive.
    pub struct Live {
        owner: Arc<Rulebook>,
        #[not_covariant]
        dependent: Session,
    }
);

impl Live {
    /// A game of which nothing has been played.
    pub fn start(rules: &Arc<Rulebook>) -> Self {
        if rules.begun.fetch_add(1, Ordering::Relaxed) == MANY {
            rules.game.warm();
        }
        Self::new(Arc::clone(rules), |rules| Session::new(&rules.game, &rules.actions))
    }

    /// A game that goes on from here by itself.
    pub fn copied(&self) -> Self {
        self.with_dependent(|rules, session| {
            let saved = session.saved();
            Self::new(Arc::clone(rules), |rules| Session::restored(&rules.game, &rules.actions, &saved))
        })
    }

    pub fn look<T>(&self, look: impl FnOnce(&Session<'_>) -> T) -> T {
        self.with_dependent(|_, session| look(session))
    }

    #[inline]
    pub fn change<T>(&mut self, change: impl FnOnce(&mut Session<'_>) -> T) -> T {
        self.with_dependent_mut(|_, session| change(session))
    }
}
