//! What a program would play in a position, what it expects, and how it thinks that the game goes on.

use super::agent::Agent;
use super::mind::{Mind, Thought};
use crate::game::Line;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// A ply that fewer rounds went through is too little known to be told.
const KNOWN: u64 = 8;

/// As many plies of a line are worth telling.
const MAX_LINE: usize = 24;

/// A move with what speaks for it.
#[derive(Clone, PartialEq, Debug)]
pub struct Suggestion {
    /// What the program thinks of the position; the moves in it are numbers of legal moves.
    pub thought: Thought,
    /// The move as text.
    pub mv: String,
    /// The moves that the program expects, the suggested one first.
    pub line: Vec<String>,
    /// How long it thought.
    pub time: Duration,
}

impl Suggestion {
    /// What the mover may expect, from 0 to 1; none where nothing was weighed, as with a single legal move.
    #[must_use]
    pub fn value(&self) -> Option<f64> {
        (self.thought.rounds > 0).then_some(self.thought.value)
    }
}

/// Lets a program think about the position of a line, on so many threads; none when the game is over. `report` is told how
/// far the thinking is, and when `stop` is set the best so far is the answer.
pub fn suggest(
    line: &Line,
    agent: Agent,
    seed: u64,
    threads: usize,
    stop: &AtomicBool,
    report: &mut dyn FnMut(f64, &Thought),
) -> Option<Suggestion> {
    let began = Instant::now();
    let mut mind = Mind::new(agent, seed).with_threads(threads);
    let thought = mind.think(line, stop, report)?;
    let time = began.elapsed();
    let mv = line.position().move_text(thought.index)?;
    let line = expected(&mut mind, line.clone(), thought.index);
    Some(Suggestion { thought, mv, line, time })
}

/// A move and what follows it, as far as the program remembers of its thinking: asked again without time it answers from
/// what it has kept.
pub(crate) fn expected(mind: &mut Mind, mut line: Line, first: usize) -> Vec<String> {
    let no_time = AtomicBool::new(true);
    let mut moves = Vec::new();
    let mut next = Some(first);
    while let Some(text) = next.take().and_then(|index| line.play(index)) {
        moves.push(text);
        let position = line.position();
        // What the others would answer depends on what the seat does not see.
        if moves.len() >= MAX_LINE || position.game().hides() || position.is_over() || position.is_chance() {
            break;
        }
        let forced = position.move_count() == 1;
        let known = |thought: &Thought| {
            let best = thought.candidates.iter().find(|candidate| candidate.index == thought.index);
            forced || best.is_some_and(|best| best.rounds >= KNOWN)
        };
        next = mind.think(&line, &no_time, &mut |_, _| {}).filter(known).map(|thought| thought.index);
    }
    moves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ai::Budget;
    use crate::game::Game;
    use crate::library::Library;

    fn suggested(moves: &[&str], agent: Agent) -> Suggestion {
        let text = Library::text("tic_tac_toe").unwrap();
        let game = Game::from_text("tic_tac_toe", text, None, &[], &Library).unwrap();
        let line = Line::replayed(&game, moves).unwrap();
        suggest(&line, agent, 1, 1, &AtomicBool::new(false), &mut |_, _| {}).unwrap()
    }

    #[test]
    fn the_line_begins_with_the_move_and_can_be_played() {
        let suggestion = suggested(&[], Agent::Mcts(Budget::Rounds(3000)));
        assert_eq!(suggestion.line.first(), Some(&suggestion.mv));
        assert!(suggestion.line.len() > 2, "{:?}", suggestion.line);
        let line: Vec<&str> = suggestion.line.iter().map(String::as_str).collect();
        suggested(&line[..2], Agent::Random);
    }

    #[test]
    fn a_win_is_proven_and_ends_the_line() {
        let suggestion = suggested(&["a1", "b1", "a2", "b2"], Agent::Mcts(Budget::Rounds(500)));
        assert_eq!((suggestion.line, suggestion.thought.proven), (vec!["a3".to_owned()], true));
        assert_eq!(suggestion.thought.value, 1.0);
    }

    #[test]
    fn nothing_is_expected_where_nothing_was_weighed() {
        assert_eq!(suggested(&[], Agent::Random).value(), None);
    }
}
