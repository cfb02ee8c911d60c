//! Lines of `end` and scores lowered.

use super::ir::*;
use super::lower::{Env, Lowered, Lowering};
use super::narrow::counted;
use super::values::Val;
use super::{Ending, EndingResult};
use crate::rules;

impl Lowering<'_> {
    pub fn ending(&mut self, line: usize, ending: &rules::Ending) -> Lowered<Vec<Ending>> {
        let count = self.rules.players.len();
        let single = |result, condition| Ending { result, at_once: ending.at_once, condition, line };
        let env = Env::new();
        self.at = ending.span;
        if let rules::EndingResult::AnyPlayer { local, wins } = &ending.result {
            // Tried for every player, the mover first.
            let mut all = Vec::new();
            for step in 0..count {
                let player = (usize::from(self.mover.0) + step) % count;
                let mut env = Env::new();
                env.set(*local, Val::Player(counted(player)));
                let condition = self.guard(ending.condition.as_ref(), &env)?;
                let condition = self.rows_of_new(condition);
                let players = Int::Const(1 << player);
                all.push(single(EndingResult::Players { players, wins: *wins }, condition));
            }
            return Ok(all);
        }
        let condition = self.guard(ending.condition.as_ref(), &env)?;
        let condition = self.rows_of_new(condition);
        let result = match &ending.result {
            rules::EndingResult::Draw => EndingResult::Draw,
            rules::EndingResult::BestScore => EndingResult::BestScore,
            rules::EndingResult::LowestScore => EndingResult::LowestScore,
            rules::EndingResult::Ranks(by) => {
                let mut ranks = Vec::new();
                for player in (0..).map(rules::PlayerId).take(count) {
                    let value = self.as_player(player, |own| own.expr(by, &env))?;
                    let value = self.number_of(value);
                    ranks.push(self.shared_int(value));
                }
                EndingResult::Ranks(ranks)
            }
            rules::EndingResult::Player { player, wins } => {
                let player = self.expr(player, &env)?;
                EndingResult::Players { players: self.mask_of(player), wins: *wins }
            }
            rules::EndingResult::AnyPlayer { .. } => EndingResult::Draw,
        };
        Ok(vec![single(result, condition)])
    }

    pub fn scores(&mut self) -> Lowered<Vec<Int>> {
        let rules = self.rules;
        let Some(word) = rules.score.and_then(|score| rules.words.get(score.0)) else { return Ok(Vec::new()) };
        self.at = word.body.span;
        let mut scores = Vec::new();
        for player in 0..rules.players.len() {
            let locals = vec![Val::Player(counted(player))];
            let value = self.expr(&word.body, &Env { locals, when: When::Now })?;
            let value = self.number_of(value);
            scores.push(self.shared_int(value));
        }
        Ok(scores)
    }
}
