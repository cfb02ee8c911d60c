//! What the tallies of all stages say of a game, as numbers with intervals.

use super::plan::{Stage, Words};
use super::quantity::Quantity;
use super::survey::Survey;
use super::tally::{Series, Tally};
use super::{Dead, Lengths, Measure, Offered, Restricted, SiteUse, course, ladder, survey, trials};
use super::{First, Rung};
use crate::study::bouts::Bouts;
use crate::study::traffic::Traffic;

/// How games ended.
#[derive(Clone, PartialEq, Debug)]
pub struct End {
    /// The name of the ending.
    pub reason: String,
    /// The file and the line where it stands in the rules; none for games that were cut.
    pub place: Option<String>,
    /// So many games.
    pub games: u64,
    /// Of how many games among all.
    pub share: f64,
}

/// All that was measured.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Page {
    /// The numbers.
    pub measures: Vec<Measure>,
    /// How games ended, the most frequent way first.
    pub ends: Vec<End>,
    /// Who played the games that ended so.
    pub ends_of: String,
    /// What twice the thinking is worth, from the least on.
    pub ladder: Vec<Rung>,
    /// How long games are: those whose ends are told, and random ones.
    pub lengths: Vec<Lengths>,
    /// How many moves there are to choose from in the course of a game, by who played the games that are told first.
    pub offered: Vec<Offered>,
    /// How often something comes to stand on each site, and how often something is there, in the same games.
    pub sites: Vec<SiteUse>,
    /// What each first move is worth to whoever makes it, the best first.
    pub firsts: Vec<First>,
    /// What it costs to do without a kind of move, the dearest first.
    pub restricted: Vec<Restricted>,
    /// What never came up.
    pub dead: Dead,
    /// Who played where moves are weighed one by one.
    pub trials_of: String,
}

/// Games between programs from which numbers are taken: fewer of the stronger ones say less than many of the weaker.
const FEW: u64 = 10;

/// What is asked of the other series too, under names of its own.
const RANDOM_NAMES: [&str; 3] = ["first_seat_random", "draws_random", "plies_random"];
const WEAK_NAMES: [&str; 3] = ["first_seat_weak", "draws_weak", "plies_weak"];

/// The stages that were played, each with what it came to.
pub type Played<'a> = &'a [(Stage, Tally)];

/// A series with the stage that it belongs to.
#[derive(Clone, Copy)]
struct Told<'a> {
    stage: Stage,
    series: &'a Series,
}

impl Told<'_> {
    fn measure(&self, quantity: Quantity) -> Measure {
        quantity.measure(&self.series.games, self.stage.players())
    }

    fn lengths(&self) -> Option<Lengths> {
        Lengths::of(&self.series.games, self.stage.players())
    }
}

/// What happened in all games that were followed, with the clauses that did nothing.
#[must_use]
pub fn seen(words: &Words, played: Played<'_>) -> Survey {
    let mut all = Survey { traffic: Traffic::sized(words.sites.len(), words.moves.len()), idle: Vec::new() };
    for (stage, tally) in played {
        match tally {
            Tally::Survey(Some(survey)) => {
                all.traffic.merge(&survey.traffic);
                all.idle.extend_from_slice(&survey.idle);
            }
            Tally::Series(series) if *stage != Stage::Random => all.traffic.merge(&series.traffic),
            Tally::Survey(None) | Tally::Series(_) | Tally::Shares(_) | Tally::Bouts(_) | Tally::Space(_) => {}
        }
    }
    all
}

/// The rungs among what was played, the lowest first.
pub fn rungs(played: Played<'_>) -> impl Iterator<Item = (u64, &Bouts)> {
    played.iter().filter_map(|(stage, tally)| match (stage, tally) {
        (Stage::Rung(rounds), Tally::Bouts(bouts)) => Some((*rounds, bouts)),
        _ => None,
    })
}

/// Whether a stage may change what the page says, after those that were played: no rungs above a ladder that was climbed, and
/// nobody does without a move that there was no choice about.
#[must_use]
pub fn is_needed(stage: Stage, words: &Words, each: Option<u64>, played: Played<'_>) -> bool {
    match stage {
        Stage::Rung(_) => !ladder::climbed(rungs(played), stage.games(each, words)).1,
        Stage::Without(kind) => seen(words, played).traffic.beside.get(kind) > Some(&0),
        Stage::Random
        | Stage::Space
        | Stage::Survey
        | Stage::Weak
        | Stage::Strong(_)
        | Stage::Firsts
        | Stage::Mirror => true,
    }
}

/// The page, from stages with so many games in each series; where games were not counted, with as many as tell something.
#[must_use]
pub fn page(words: &Words, each: Option<u64>, played: Played<'_>) -> Page {
    let Some([random, weak, strong]) = series(played) else { return Page::default() };
    let games = each.unwrap_or(super::ENOUGH);
    let enough = |told: &Told<'_>, least: u64| told.series.games.len() as u64 >= least;
    let best = [strong, weak].into_iter().find(|told| enough(told, FEW.min(games))).unwrap_or(random);
    let all_seen = seen(words, played);
    let (ladder, _) = ladder::climbed(rungs(played), Stage::Rung(0).games(each, words));
    let of_best = Quantity::ALL.into_iter().filter(|quantity| *quantity != Quantity::Branching);
    let mut measures: Vec<Measure> = of_best.map(|quantity| best.measure(quantity)).collect();
    measures.push(random.measure(Quantity::Branching));
    measures.push(ladder::told(&ladder));
    measures.extend(played.iter().filter_map(|(_, tally)| space(tally)));
    measures.extend(shares(played, Stage::Mirror).map(trials::told_mirror));
    for (told, names) in [(random, RANDOM_NAMES), (weak, WEAK_NAMES)] {
        let asked = [Quantity::FirstSeat, Quantity::Draws, Quantity::Plies];
        measures.extend(asked.into_iter().zip(names).map(|(asked, name)| Measure { name, ..told.measure(asked) }));
    }
    let own = &best.series.traffic;
    let followed = if own.games > 0 { own } else { &all_seen.traffic };
    let mut lengths: Vec<Lengths> = [best, random].iter().filter_map(Told::lengths).collect();
    lengths.dedup_by(|two, one| two.players == one.players);
    Page {
        measures,
        ends: ends(words, best.series),
        ends_of: best.stage.players(),
        ladder,
        lengths,
        offered: course::offered(followed),
        sites: course::sites(&words.sites, followed),
        firsts: shares(played, Stage::Firsts).map_or_else(Vec::new, |found| trials::told_firsts(&words.firsts, found)),
        restricted: restricted(words, &all_seen.traffic, played),
        dead: survey::dead(words, &all_seen.traffic, all_seen.idle),
        trials_of: weak.stage.players(),
    }
}

/// Random games, those of who thinks little, and those of who thinks much.
fn series(played: Played<'_>) -> Option<[Told<'_>; 3]> {
    let find = |wanted: fn(Stage) -> bool| {
        played.iter().find_map(|(stage, tally)| match tally {
            Tally::Series(series) if wanted(*stage) => Some(Told { stage: *stage, series }),
            _ => None,
        })
    };
    let strong = find(|stage| matches!(stage, Stage::Strong(_)))?;
    Some([find(|stage| stage == Stage::Random)?, find(|stage| stage == Stage::Weak)?, strong])
}

fn space(tally: &Tally) -> Option<Measure> {
    match tally {
        Tally::Space(found) => found.map(super::positions::Space::measure),
        Tally::Series(_) | Tally::Shares(_) | Tally::Bouts(_) | Tally::Survey(_) => None,
    }
}

fn shares(played: Played<'_>, wanted: Stage) -> Option<&[Option<f64>]> {
    played.iter().find_map(|(stage, tally)| match tally {
        Tally::Shares(shares) if *stage == wanted => Some(shares.as_slice()),
        _ => None,
    })
}

/// What it costs to do without each of the moves that there was a choice about.
fn restricted(words: &Words, traffic: &Traffic, played: Played<'_>) -> Vec<Restricted> {
    let moves = words.moves.iter().zip(&traffic.beside).enumerate().filter(|(_, (_, beside))| **beside > 0);
    let found = moves.filter_map(|(at, ((name, _), _))| Some((name.as_str(), shares(played, Stage::Without(at))?)));
    trials::told_restricted(&found.collect::<Vec<_>>())
}

/// How games ended, the most frequent way first, each with its line in the rules.
fn ends(words: &Words, series: &Series) -> Vec<End> {
    let games = series.games.len().max(1) as f64;
    let place = |line: usize| words.names.ends.get(line).map(|end| end.place.clone());
    let end = |ended: &super::tally::Ended| End {
        reason: ended.reason.clone(),
        place: ended.line.and_then(place),
        games: ended.games,
        share: ended.games as f64 / games,
    };
    let mut ends: Vec<End> = series.ends.iter().map(end).collect();
    ends.sort_by(|a, b| b.share.total_cmp(&a.share));
    ends
}
