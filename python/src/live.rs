//! A game in progress together with the rules that it borrows from.

use ludwright::Game;
use ludwright::learn::{Actions, Format, Planes, Session};
use self_cell::self_cell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

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
    begun: AtomicU32,
    /// What is written about positions, by layout, from when it was first asked for.
    planes: [OnceLock<Planes>; 3],
}

impl Rulebook {
    pub fn new(game: Game, actions: Actions, origin: Origin) -> Self {
        Self { game, actions, origin, begun: AtomicU32::new(0), planes: Default::default() }
    }

    /// What is written about positions.
    pub fn planes(&self, format: Format) -> &Planes {
        let [channels, cells, nodes] = &self.planes;
        let kept = match format {
            Format::Channels => channels,
            Format::Cells => cells,
            Format::Nodes => nodes,
        };
        kept.get_or_init(|| Planes::of(&self.game, &self.actions, format))
    }
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
