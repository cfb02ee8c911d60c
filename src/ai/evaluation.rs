//! What a position that is no end is worth: weights of pieces, of their places, of mobility and of scores, which are learnt
//! from games of the same rules (logistic regression; J. Baxter, A. Tridgell and L. Weaver, *Learning to play chess using
//! temporal differences*, 2000, for weights of the same kind).

use super::world::{Values, World};
use crate::engine::{MAX_PLACES, Play};
use crate::rules::{Content, MAX_PLAYERS};

/// No position that is no end is worth more: with 20 the chance to lose is one in half a billion.
const MOST: f32 = 20.0;

/// How fast weights follow what is seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rates {
    /// Those of kinds, turns and scores.
    pub kinds: f32,
    /// Those of places, about which every game tells little.
    pub places: f32,
}

/// What is seen of a position.
#[derive(Clone, Debug, Default)]
pub(super) struct Sight {
    /// Code and place of each piece.
    pub pieces: Vec<(u16, u16)>,
    pub mover: usize,
    /// How many plies are legal.
    pub plies: usize,
    pub scores: Vec<i64>,
}

/// Weights for all that is seen.
#[derive(Clone, Debug)]
pub struct Evaluation {
    players: usize,
    /// How many sites the board has.
    sites: f32,
    /// For each player whose result is foretold; of two the first is enough.
    views: Vec<View>,
}

/// What foretells the result of one player.
#[derive(Clone, Debug)]
struct View {
    /// By code.
    kinds: Vec<f32>,
    /// By code and place, beside what the kind weighs anywhere.
    places: Vec<Vec<f32>>,
    /// Both together.
    table: Vec<Vec<f32>>,
    /// By who is to move: that he is, and the logarithm of how many plies he has.
    turn: [f32; MAX_PLAYERS],
    mobility: [f32; MAX_PLAYERS],
    /// The lead in score, as it is and when the board is full.
    lead: f32,
    late_lead: f32,
}

impl Sight {
    pub(super) fn of(player: &mut dyn Play) -> Self {
        let mut pieces = Vec::with_capacity(64);
        player.each_piece(&mut |content, place| pieces.push((content.code(), place as u16)));
        Self { pieces, mover: player.mover(), plies: player.count(), scores: player.scores() }
    }

    /// The lead of a player, between -1 and 1.
    fn lead(&self, player: usize) -> f32 {
        lead(&self.scores, player)
    }
}

fn lead(scores: &[i64], player: usize) -> f32 {
    if scores.is_empty() {
        return 0.0;
    }
    let own = scores.get(player).copied().unwrap_or(0);
    let others = scores.iter().enumerate().filter(|(other, _)| *other != player).map(|(_, score)| *score);
    let lead = own.saturating_sub(others.max().unwrap_or(0)) as f32;
    lead / (lead.abs() + 8.0)
}

impl View {
    fn new(players: usize) -> Self {
        let codes = Content::codes(players);
        Self {
            kinds: vec![0.0; codes],
            places: vec![Vec::new(); codes],
            table: vec![Vec::new(); codes],
            turn: [0.0; MAX_PLAYERS],
            mobility: [0.0; MAX_PLAYERS],
            lead: 0.0,
            late_lead: 0.0,
        }
    }

    fn of_place(&self, code: u16, place: u16) -> f32 {
        let places = self.places.get(usize::from(code));
        places.and_then(|places| places.get(usize::from(place))).copied().unwrap_or(0.0)
    }

    fn learn(&mut self, sight: &Sight, player: usize, result: f32, sites: f32, rates: Rates) {
        let foretold = 1.0 / (1.0 + (-self.raw(sight, player, sites)).exp());
        let step = result - foretold;
        let all = rates.kinds * step;
        for (code, place) in &sight.pieces {
            let code = usize::from(*code);
            if let Some(weight) = self.kinds.get_mut(code) {
                *weight += all / 4.0;
            }
            if let Some(places) = self.places.get_mut(code).filter(|_| rates.places > 0.0) {
                if places.is_empty() {
                    *places = vec![0.0; MAX_PLACES];
                }
                if let Some(weight) = places.get_mut(usize::from(*place)) {
                    *weight += rates.places * step;
                }
            }
        }
        let mobility = (1.0 + sight.plies as f32).ln();
        if let (Some(turn), Some(weight)) = (self.turn.get_mut(sight.mover), self.mobility.get_mut(sight.mover)) {
            *turn += all;
            *weight += all / 4.0 * mobility;
        }
        let lead = sight.lead(player);
        self.lead += all * lead;
        self.late_lead += all * lead * sight.pieces.len() as f32 / sites;
    }

    /// What is foretold, without the table.
    fn raw(&self, sight: &Sight, player: usize, sites: f32) -> f32 {
        let pieces = sight.pieces.iter().map(|(code, place)| {
            self.kinds.get(usize::from(*code)).copied().unwrap_or(0.0) + self.of_place(*code, *place)
        });
        let lead = sight.lead(player) * (self.lead + self.late_lead * sight.pieces.len() as f32 / sites);
        pieces.sum::<f32>() + self.of_turn(sight.mover, sight.plies) + lead
    }

    fn of_turn(&self, mover: usize, plies: usize) -> f32 {
        let turn = self.turn.get(mover).copied().unwrap_or(0.0);
        turn + self.mobility.get(mover).copied().unwrap_or(0.0) * (1.0 + plies as f32).ln()
    }

    fn tabulate(&mut self) {
        for ((table, places), kind) in self.table.iter_mut().zip(&self.places).zip(&self.kinds) {
            // What never stood on the board needs no table: an entry that is not there is 0.
            if *kind != 0.0 || !places.is_empty() {
                *table = (0..MAX_PLACES).map(|at| kind + places.get(at).copied().unwrap_or(0.0)).collect();
            }
        }
    }
}

impl Evaluation {
    /// Weights that know nothing yet.
    #[must_use]
    pub(super) fn new(players: usize, sites: usize) -> Self {
        let views = if players == 2 { 1 } else { players };
        Self { players, sites: sites.max(1) as f32, views: vec![View::new(players); views] }
    }

    /// Sets what a piece weighs for its owner before anything is learnt.
    pub(super) fn suppose(&mut self, content: Content, weight: f32) {
        let Some(owner) = content.owner().map(|owner| usize::from(owner.0)) else { return };
        let others = self.players.saturating_sub(1).max(1) as f32;
        for (player, view) in self.views.iter_mut().enumerate() {
            if let Some(known) = view.kinds.get_mut(usize::from(content.code())) {
                *known = if player == owner { weight } else { -weight / others };
            }
        }
    }

    /// Learns from a position what it was worth to each player in the end; as fast as the rates say.
    pub(super) fn learn(&mut self, sight: &Sight, results: &[f32], rates: Rates) {
        for (player, view) in self.views.iter_mut().enumerate() {
            view.learn(sight, player, results.get(player).copied().unwrap_or(0.5), self.sites, rates);
        }
    }

    /// What is foretold for a player, as a probability.
    pub(super) fn foretold(&self, sight: &Sight, player: usize) -> f32 {
        let raw = self.views.get(player).map_or(0.0, |view| view.raw(sight, player, self.sites));
        1.0 / (1.0 + (-raw).exp())
    }

    /// After learning: what is asked often is put together.
    pub(super) fn finish(&mut self) {
        self.views.iter_mut().for_each(View::tabulate);
    }

    /// What a piece weighs for a player wherever it stands.
    #[must_use]
    pub(super) fn weight(&self, code: u16, player: usize) -> f32 {
        let of = |view: &View| view.kinds.get(usize::from(code)).copied().unwrap_or(0.0);
        match (self.views.get(player), self.views.first()) {
            (Some(view), _) => of(view),
            (None, Some(first)) => -of(first),
            (None, None) => 0.0,
        }
    }

    /// Whether there are at least three kinds, one of which weighs several times as much as another.
    #[must_use]
    pub(super) fn parts_kinds(&self) -> bool {
        let Some(view) = self.views.first() else { return false };
        let weights: Vec<f32> = view.kinds.iter().copied().filter(|weight| *weight > 0.0).collect();
        let most = weights.iter().copied().fold(0.0, f32::max);
        weights.len() >= 3 && weights.iter().any(|weight| weight * 3.0 < most)
    }

    /// Whether no kind of pieces is better lost than kept.
    #[must_use]
    pub(super) fn keeps_all(&self) -> bool {
        (0..).take(Content::codes(self.players)).all(|code| {
            let owner = Content::from_code(code).owner().map(|owner| usize::from(owner.0));
            owner.is_none_or(|owner| owner >= self.players || self.weight(code, owner) >= 0.0)
        })
    }

    /// What the lightest kind weighs that weighs anything for its owner.
    #[must_use]
    pub(super) fn lightest(&self) -> f32 {
        let weights = self.views.iter().flat_map(|view| &view.kinds).map(|weight| weight.abs());
        weights.filter(|weight| *weight > 0.0).min_by(f32::total_cmp).unwrap_or(0.0)
    }

    /// What a position that is no end is worth to each player: the logarithm of the odds to win.
    #[must_use]
    pub(super) fn odds(&self, player: &mut dyn Play) -> [f32; MAX_PLAYERS] {
        let mut odds = [0.0; MAX_PLAYERS];
        let (mover, plies) = (player.mover(), player.count());
        let mut pieces = 0;
        player.each_piece(&mut |content, place| {
            pieces += 1;
            for (odds, view) in odds.iter_mut().zip(&self.views) {
                let table = view.table.get(usize::from(content.code()));
                *odds += table.and_then(|table| table.get(place)).copied().unwrap_or(0.0);
            }
        });
        let scores = player.scores();
        for (at, (odds, view)) in odds.iter_mut().zip(&self.views).enumerate() {
            *odds += view.of_turn(mover, plies);
            if !scores.is_empty() {
                let full = pieces as f32 / self.sites;
                *odds += lead(&scores, at) * (view.lead + view.late_lead * full);
            }
            *odds = odds.clamp(-MOST, MOST);
        }
        if self.players == 2 {
            odds[1] = -odds[0];
        }
        odds
    }

    /// The same as a share of the result for each seat.
    #[must_use]
    pub(super) fn values(&self, world: &mut World<'_>) -> Values {
        let odds = self.odds(&mut *world.player);
        world.by_seat(|player| 1.0 / (1.0 + (-odds.get(player).copied().unwrap_or(0.0)).exp()))
    }
}
