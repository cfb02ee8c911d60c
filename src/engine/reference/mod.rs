//! The reference engine: enumerates the paths of the rule graph, clones states, evaluates site by site. Correctness is
//! its only virtue; it is the judge of every other engine.

mod changes;
mod eval;
mod hidden;
mod outcome;
mod player;
mod plies;
mod stacks;
mod standing;
mod state;
mod values;
mod why;

pub use hidden::Unseen;
pub use plies::Ply;
pub use state::State;
pub use why::{Cause, Reading, Refusal};

use super::Outcome;
use super::steps::{self, STEPS, Stopped};
use crate::rules::{Edge, MemoryId, PlayerId, Recorder, Rules, Span, Value};
use petgraph::graph::NodeIndex;
use std::sync::Arc;

/// Runs one set of rules.
#[derive(Clone, Debug)]
pub struct Reference {
    rules: Arc<Rules>,
    /// Where the values of each memory begin in a state.
    bases: Vec<usize>,
    /// The ways out of every node in the order of the text; what a call plays is not among them.
    ways: Vec<Vec<(Edge, NodeIndex)>>,
    /// Told which clauses play comes to, where somebody wants to know.
    recorder: Option<Arc<Recorder>>,
    /// How many steps a ply may take.
    steps: u64,
}

/// A state together with what may be done in it.
#[derive(Clone, Debug)]
pub struct Situation {
    pub state: State,
    pub legal: Arc<Vec<Ply>>,
    pub outcome: Option<Outcome>,
    /// The steps that a ply may take did not suffice; then nobody wins, and nothing can be played.
    pub stopped: Option<Stopped>,
}

impl Situation {
    fn open(state: State, legal: Vec<Ply>) -> Self {
        Self { state, legal: Arc::new(legal), outcome: None, stopped: None }
    }

    fn over(state: State, outcome: Outcome) -> Self {
        Self { state, legal: Arc::default(), outcome: Some(outcome), stopped: None }
    }

    /// The same without its legal plies, each of which holds a state: [`Reference::listed`] finds them again.
    #[must_use]
    pub fn unlisted(&self) -> Self {
        Self { legal: Arc::default(), ..self.clone() }
    }

    /// About how many bytes the legal plies take.
    #[must_use]
    pub fn listed_bytes(&self) -> u64 {
        self.legal.first().map_or(0, |ply| ply.size().saturating_mul(self.legal.len() as u64))
    }
}

impl Reference {
    #[must_use]
    pub fn new(rules: Arc<Rules>) -> Self {
        let mut bases = Vec::new();
        let mut next = 0;
        for memory in &rules.memories {
            bases.push(next);
            next += memory.scope.entries(&rules, rules.board.len());
        }
        let ways = rules.graph.node_indices().map(|node| rules.ways(node)).collect();
        Self { rules, bases, ways, recorder: None, steps: STEPS }
    }

    /// The same engine, which tells a recorder what it comes to.
    #[must_use]
    pub fn recording(mut self, recorder: Arc<Recorder>) -> Self {
        self.recorder = Some(recorder);
        self
    }

    /// Whether somebody hears of what play comes to.
    #[must_use]
    pub fn is_recording(&self) -> bool {
        self.recorder.is_some()
    }

    /// The same engine, which gives up a ply that takes more steps than this.
    #[must_use]
    pub fn with_steps(mut self, steps: u64) -> Self {
        self.steps = steps;
        self
    }

    /// How many steps a ply may take.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// What some work comes to, unless it takes more steps than a ply may.
    fn within_steps(&self, work: impl FnOnce() -> Situation) -> Situation {
        let situation = steps::within(self.steps, work);
        let Some(stopped) = steps::used_up() else { return situation };
        let places = vec![1; self.rules.players.len()];
        let outcome = Outcome { places, reason: stopped.to_string(), ending: None };
        Situation { stopped: Some(stopped), ..Situation::over(situation.state, outcome) }
    }

    /// A condition held or failed, or a line was done.
    fn saw(&self, span: Span, held: bool) {
        if let Some(recorder) = &self.recorder {
            recorder.saw(span, held);
        }
    }

    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    fn base(&self, memory: MemoryId) -> usize {
        self.bases.get(memory.0).copied().unwrap_or(0)
    }

    fn ways(&self, node: NodeIndex) -> &[(Edge, NodeIndex)] {
        self.ways.get(node.index()).map_or(&[], Vec::as_slice)
    }

    /// The position before the first ply.
    #[must_use]
    pub fn start(&self) -> Situation {
        self.within_steps(|| self.begun(self.first()))
    }

    /// What stands on the board before the first ply, and what is remembered.
    fn first(&self) -> State {
        let blank = self.blank();
        self.apply_setup(&blank, &self.rules.start).unwrap_or(blank)
    }

    /// A state made by hand, which may be one that decides the game.
    #[must_use]
    pub fn arrange(&self, state: State) -> Situation {
        self.within_steps(|| {
            let begun = self.begun(state);
            match begun.outcome.is_none().then(|| self.outcome_by_hand(&begun.state)).flatten() {
                Some(outcome) => Situation::over(begun.state, outcome),
                None => begun,
            }
        })
    }

    /// An empty board with the first values of all that is tracked, to be filled by hand.
    #[must_use]
    pub fn blank(&self) -> State {
        let mut state = State::new(&self.rules);
        self.first_memories(&mut state);
        state
    }

    /// Makes it a player's turn.
    pub fn set_mover(&self, state: &mut State, player: PlayerId) {
        state.mover = player;
        // What is set up after the first turn is as far along the opening as its turns, or beyond it.
        let (all, opening) = (self.rules.order.len(), self.rules.opening);
        let turns = usize::try_from(state.turn.saturating_sub(1)).unwrap_or(opening);
        let from = turns.min(opening);
        // Whoever comes several times in a round is where the number of the turn says, as if nobody had had an extra one.
        let round = all.saturating_sub(opening).max(1);
        let due = if turns < opening { turns } else { opening + (turns - opening) % round };
        let mut places = std::iter::once(due).chain(from..all).chain(0..from);
        state.order = places.find(|place| self.player_at(state, *place) == player).unwrap_or(0);
        state.next = self.player_after(state);
    }

    /// The values of a memory: one, or one for each player or site.
    #[must_use]
    pub fn values<'s>(&self, state: &'s State, memory: usize) -> &'s [Value] {
        let base = self.bases.get(memory).copied().unwrap_or(state.memory.len());
        let end = self.bases.get(memory + 1).copied().unwrap_or(state.memory.len());
        state.memory.get(base..end).unwrap_or_default()
    }

    /// Sets one value of a memory.
    pub fn set_value(&self, state: &mut State, memory: usize, offset: usize, value: Value) {
        let base = self.bases.get(memory).copied().unwrap_or(usize::MAX / 2);
        if let Some(place) = state.memory.get_mut(base + offset) {
            *place = value;
        }
    }

    /// A state between two turns, ready to be played from.
    #[must_use]
    pub fn begin(&self, state: State) -> Situation {
        self.within_steps(|| self.begun(state))
    }

    fn begun(&self, mut state: State) -> Situation {
        state.next = self.player_after(&state);
        self.enter_turn(&mut state);
        self.remember_position(&mut state);
        if let Some(outcome) = self.nobody_to_play_with(&state) {
            return Situation::over(state, outcome);
        }
        let legal = self.legal(&state);
        if legal.plies.is_empty() {
            // Whoever is to move cannot: as if the player before had just made it so.
            let mut before = state.clone();
            before.mover = self.player_before(&state);
            let outcome = self.outcome_between(&before, &state, true).unwrap_or_else(|| self.stuck_outcome(&state));
            return Situation::over(state, outcome);
        }
        Situation::open(state, legal.plies)
    }

    /// A situation with its legal plies.
    #[must_use]
    pub fn listed(&self, situation: &Situation) -> Situation {
        if situation.outcome.is_some() {
            return situation.clone();
        }
        self.within_steps(|| Situation::open(situation.state.clone(), self.legal(&situation.state).plies))
    }

    /// A state as both engines know it.
    #[must_use]
    pub fn snapshot(&self, state: &State) -> super::Snapshot {
        super::Snapshot {
            contents: state.contents().to_vec(),
            beneath: state.beneath().to_vec(),
            memory: state.memory.clone(),
            mover: state.mover,
            order: state.order,
            turn: state.turn,
            ply: state.ply,
        }
    }

    /// The situation after a legal ply.
    #[must_use]
    pub fn play(&self, situation: &Situation, ply: &Ply) -> Situation {
        self.within_steps(|| self.settle(self.after(&situation.state, ply)))
    }
}
