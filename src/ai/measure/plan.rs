//! What is played to measure a game: stages, none of which needs what another came to, so that their games can be shared out.

use super::bound::{Bound, Rule, opposite};
use super::series::{self, of as played};
use super::tally::{Item, Tally};
use super::trials::shares;
use super::{LITTLE, MUCH, Settings, ladder, page, positions, survey, trials};
use crate::ai::agent::{Agent, Budget};
use crate::ai::arena::{self, Played, Watch};
use crate::game::Game;
use crate::rules::{MoveId, NodeKind};
use crate::study::games::Lines;
use crate::study::halt::Halt;
use crate::study::names::Names;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// Games of which each says something about one question.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Random games.
    Random,
    /// How many positions there are.
    Space,
    /// Random games looked at closely.
    Survey,
    /// Games against itself of a program that thinks little.
    Weak,
    /// The same of one that thinks for so many rounds.
    Strong(u64),
    /// A program that thinks for so many rounds against one with half as many.
    Rung(u64),
    /// Each first move in its turn.
    Firsts,
    /// The second seat answers with the mirror image.
    Mirror,
    /// The first program must do without the move of this number.
    Without(usize),
}

/// The words of a game that a page of measures needs, so that parts are added up without the rules.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Words {
    /// The players, and the lines of `end`.
    pub names: Names,
    /// The sites.
    pub sites: Vec<String>,
    /// The moves, and whether a turn calls for them.
    pub moves: Vec<(String, bool)>,
    /// The first moves, and their site where they name just one; none where chance begins or there is no choice.
    pub firsts: Vec<(String, Option<String>)>,
}

/// All that is played to measure a game where games are counted.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// How many games a series has.
    pub each: u64,
    /// The stages, and how many games each has.
    pub stages: Vec<(Stage, u64)>,
    /// The words of the game.
    pub words: Words,
}

impl Words {
    /// Those of a game.
    #[must_use]
    pub fn of(game: &Game) -> Self {
        let (rules, start) = (game.rules(), game.start());
        let called = called(game);
        let first = |at: usize| {
            let text = start.move_text(at).unwrap_or_default();
            let site = rules.board.find(&text).map(|site| rules.board.name(site).to_owned());
            (text, site)
        };
        let chosen = start.seat().is_some() && !start.is_chance() && start.move_count() > 1;
        Self {
            names: Names::of(game),
            sites: rules.board.all().iter().map(|site| rules.board.name(site).to_owned()).collect(),
            moves: rules.moves.iter().enumerate().map(|(at, mv)| (mv.name.clone(), called.contains(&at))).collect(),
            firsts: (0..start.move_count()).filter(|_| chosen).map(first).collect(),
        }
    }
}

impl Plan {
    /// What is played of a game with so many games in each series. Nothing is left out that could turn out to be idle: of the
    /// ladder all rungs, and every move that somebody chooses.
    #[must_use]
    pub fn of(game: &Game, each: u64) -> Self {
        let words = Words::of(game);
        let mut stages = vec![Stage::Random, Stage::Space, Stage::Survey, Stage::Weak, Stage::Strong(MUCH)];
        stages.extend(ladder::rungs());
        stages.extend([Stage::Firsts, Stage::Mirror]);
        stages.extend(trials::choices(game).map(Stage::Without));
        let stages = stages.into_iter().map(|stage| (stage, stage.games(Some(each), &words))).collect();
        Self { each, stages, words }
    }

    /// How many games there are in all.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.stages.iter().map(|(_, games)| *games).fold(0, u64::saturating_add)
    }

    /// Whether a stage may change what the page says, after what came of those before it.
    #[must_use]
    pub fn needs(&self, at: usize, known: &BTreeMap<usize, Tally>) -> bool {
        let before = known.range(..at).filter_map(|(at, tally)| Some((self.stages.get(*at)?.0, tally.clone())));
        let stage = self.stages.get(at).map(|(stage, _)| *stage);
        stage.is_some_and(|stage| page::is_needed(stage, &self.words, Some(self.each), &before.collect::<Vec<_>>()))
    }

    /// Which games of which stages some of the games are, by their numbers; stages that have none of them are left out.
    pub fn within(&self, games: &Range<u64>) -> impl Iterator<Item = (usize, Stage, Range<u64>)> {
        let mut first = 0u64;
        self.stages.iter().enumerate().filter_map(move |(at, (stage, count))| {
            let behind = first.saturating_add(*count);
            let within = |number: u64| number.clamp(first, behind) - first;
            let own = within(games.start)..within(games.end);
            first = behind;
            (!own.is_empty()).then_some((at, *stage, own))
        })
    }

    /// Plays some of the games by their numbers, which go through the stages one after the other; the taker is given the
    /// number of the stage with what each game says, and says whether to go on.
    pub fn part(
        &self,
        game: &Game,
        settings: Settings,
        games: &Range<u64>,
        halt: Halt<'_>,
        take: &mut dyn FnMut(usize, Item<'_>) -> bool,
    ) {
        for (at, stage, own) in self.within(games) {
            let mut more = true;
            stage.play(game, settings, own, (halt, None), &mut |item, _| {
                // What is asked of a whole game and was halted is no answer; of a series the games so far are.
                let whole = !(stage.is_one_question() && halt.is_set());
                more = whole && take(at, item);
                more
            });
            if !more || halt.is_set() {
                return;
            }
        }
    }
}

impl Stage {
    /// How many games it has; where games are not counted, the most that tell something.
    #[must_use]
    pub fn games(self, each: Option<u64>, words: &Words) -> u64 {
        match self {
            Self::Random => each.unwrap_or(super::ENOUGH).max(1_000),
            Self::Space | Self::Survey => 1,
            Self::Weak | Self::Strong(_) => each.unwrap_or(super::ENOUGH),
            Self::Rung(_) => each.unwrap_or(ladder::GAMES),
            Self::Firsts => trials::firsts(each, words.firsts.len()),
            Self::Mirror => trials::mirrors(each),
            Self::Without(_) => each.unwrap_or(trials::MOST),
        }
    }

    /// Whether it is one question, of which a part is no answer.
    fn is_one_question(self) -> bool {
        matches!(self, Self::Space | Self::Survey)
    }

    /// Who plays, in words.
    #[must_use]
    pub fn players(self) -> String {
        match self {
            Self::Rung(rounds) => format!("mcts:{rounds} against mcts:{}", rounds / 2),
            Self::Random
            | Self::Space
            | Self::Survey
            | Self::Strong(_)
            | Self::Weak
            | Self::Firsts
            | Self::Mirror
            | Self::Without(_) => series::against_itself(self.thinkers().0),
        }
    }

    /// What has been said before any game was played.
    #[must_use]
    pub fn nothing(self, words: &Words) -> Tally {
        let (sites, moves) = (words.sites.len(), words.moves.len());
        match self {
            Self::Random | Self::Weak | Self::Strong(_) => Tally::series(sites, moves),
            Self::Space => Tally::Space(None),
            Self::Survey => Tally::Survey(None),
            Self::Rung(_) => Tally::bouts(words.names.players.len()),
            Self::Firsts | Self::Mirror | Self::Without(_) => Tally::Shares(Vec::new()),
        }
    }

    /// What its games are called where they are written down.
    #[must_use]
    pub fn name(self, words: &Words) -> String {
        match self {
            Self::Random => "random".to_owned(),
            Self::Space => "space".to_owned(),
            Self::Survey => "survey".to_owned(),
            Self::Weak => "weak".to_owned(),
            Self::Strong(_) => "strong".to_owned(),
            Self::Rung(rounds) => format!("rung {rounds}"),
            Self::Firsts => "first moves".to_owned(),
            Self::Mirror => "mirror".to_owned(),
            Self::Without(kind) => format!("without {}", words.moves.get(kind).map_or("", |(name, _)| name)),
        }
    }

    /// Plays some of its games, and hands over what each says, with its line if games are written down.
    pub fn play(
        self,
        game: &Game,
        settings: Settings,
        games: Range<u64>,
        (halt, lines): (Halt<'_>, Option<&Lines<'_>>),
        take: &mut dyn FnMut(Item<'_>, &[u8]) -> bool,
    ) {
        let (little, seats) = (mcts(LITTLE), game.rules().players.len());
        let watch = Watch { lines, ..Watch::of(halt) };
        match self {
            Self::Random | Self::Weak | Self::Strong(_) => {
                played(game, settings, self.thinkers(), games, (halt, lines), &mut |one, line| {
                    take(Item::Game(&one), line)
                });
            }
            Self::Space => {
                take(Item::Space(positions::space(game, settings.seed, halt)), &[]);
            }
            Self::Survey => {
                take(Item::Survey(&survey::survey(game, settings, halt)), &[]);
            }
            Self::Rung(rounds) => {
                let agents = (0..seats).map(|seat| mcts(if seat == 0 { rounds } else { rounds / 2 })).collect();
                let settings = Settings { seed: settings.seed.wrapping_add(rounds), ..settings };
                let arena = settings.arena(agents, games.end);
                arena::watched(game, &arena, games, watch, &mut |bout, line| take(Item::Bout(bout), line));
            }
            Self::Firsts => {
                let (start, agents) = (game.start(), vec![little; seats]);
                let seat = start.seat().unwrap_or(0);
                let watch = Watch { firsts: Some(start.move_count()), ..watch };
                let share = |played: &Played| trials::share_of_seat(played, seat);
                shares(game, settings, (agents, games), watch, &share, &mut |share, line| {
                    take(Item::Share(share), line)
                });
            }
            Self::Mirror => match opposite(&game.rules().board).filter(|_| seats == 2) {
                // Without a mirror image no game says anything.
                None => games.take_while(|_| take(Item::Share(None), &[])).for_each(drop),
                Some(images) => {
                    let rules = [Rule::Free, Rule::Mirror(Arc::new(images))];
                    let agents = rules.into_iter().map(|rule| Bound { agent: little, rule }).collect();
                    // Only who comes second can answer.
                    let share =
                        |played: &Played| (played.sat.get(1) == Some(&1)).then(|| trials::share_of_seat(played, 1))?;
                    shares(game, settings, (agents, games), watch, &share, &mut |share, line| {
                        take(Item::Share(share), line)
                    });
                }
            },
            Self::Without(kind) => {
                let rule = |seat| if seat == 0 { Rule::Without(MoveId(kind)) } else { Rule::Free };
                let agents = (0..seats).map(|seat| Bound { agent: little, rule: rule(seat) }).collect();
                let share = |played: &Played| trials::share_of_program(played, 0);
                shares(game, settings, (agents, games), watch, &share, &mut |share, line| {
                    take(Item::Share(share), line)
                });
            }
        }
    }

    /// Who plays against himself, and who thinks less and is asked now and then.
    fn thinkers(self) -> (Agent, Option<Agent>) {
        match self {
            Self::Random | Self::Space | Self::Survey => (Agent::Random, None),
            Self::Strong(rounds) => (mcts(rounds), Some(mcts(LITTLE))),
            Self::Rung(rounds) => (mcts(rounds), None),
            Self::Weak | Self::Firsts | Self::Mirror | Self::Without(_) => (mcts(LITTLE), None),
        }
    }
}

fn mcts(rounds: u64) -> Agent {
    Agent::Mcts(Budget::Rounds(rounds))
}

/// The moves that some turn calls for.
fn called(game: &Game) -> BTreeSet<usize> {
    let mut called = BTreeSet::new();
    for node in game.rules().graph.node_weights() {
        if let NodeKind::Call(call) = &node.kind {
            called.insert(call.mv.0);
        }
    }
    called
}
