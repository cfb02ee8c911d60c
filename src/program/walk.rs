//! Walks on the board from sets of positions, step by step: what the engines do at once, said for what is known before a game.

use super::build::ways;
use super::layout::Layout;
use crate::board::{Board, Direction, Site, SiteSet};

/// A board whose sites are numbered as positions; all sets are of positions.
#[derive(Clone, Copy)]
pub(crate) struct Walk<'a> {
    pub board: &'a Board,
    pub layout: &'a Layout,
}

impl Walk<'_> {
    fn site(&self, position: Site) -> Option<Site> {
        self.layout.site(position.index())
    }

    pub fn step(&self, from: Option<Site>, way: Option<Direction>) -> Option<Site> {
        let next = self.board.step(self.site(from?)?, way?)?;
        Site::from_index(self.layout.position(next))
    }

    /// The direction of the straight line from one position to another.
    pub fn aim(&self, from: Option<Site>, to: Option<Site>) -> Option<Direction> {
        self.board.direction(self.site(from?)?, self.site(to?)?)
    }

    pub fn neighbours(&self, set: SiteSet) -> SiteSet {
        let sites = self.layout.sites_at(set).iter();
        self.layout.set(sites.fold(SiteSet::EMPTY, |all, site| all | self.board.neighbours(site)))
    }

    /// The positions so many steps on in each of some directions, backwards for a negative number. Numbers that lead round a
    /// ring more than once are cut off, as the engines do.
    pub fn pushed(&self, from: SiteSet, mask: i64, steps: i64) -> SiteSet {
        if steps == 0 {
            return if mask == 0 { SiteSet::EMPTY } else { from };
        }
        let count = steps.unsigned_abs().min(self.layout.sites as u64 + 1);
        self.in_each(mask, |way| {
            let way = if steps < 0 { way.opposite() } else { way };
            (0..count).fold(from, |set, _| if set.is_empty() { set } else { self.pushed_once(set, way) })
        })
    }

    fn pushed_once(&self, set: SiteSet, way: Direction) -> SiteSet {
        set.iter().filter_map(|at| self.step(Some(at), Some(way))).collect()
    }

    /// The positions one step on up to so many in each of some directions.
    pub fn trail(&self, from: SiteSet, mask: i64, steps: i64) -> SiteSet {
        self.in_each(mask, |way| {
            let (mut met, mut at) = (SiteSet::EMPTY, from);
            for _ in 0..steps {
                at = self.pushed_once(at, way);
                // What comes behind positions that were met before was met before, too.
                if at.is_subset(met) {
                    break;
                }
                met |= at;
            }
            met
        })
    }

    /// The runs through a set in each of some directions, and what comes behind them.
    pub fn runs(&self, from: SiteSet, mask: i64, through: SiteSet) -> (SiteSet, SiteSet) {
        let (mut met, mut beyond) = (SiteSet::EMPTY, SiteSet::EMPTY);
        for way in self.ways(mask) {
            for start in from {
                let (mut open, mut at) = (through, start);
                while let Some(next) = self.step(Some(at), Some(way)) {
                    if !open.contains(next) {
                        // On a ring a run comes round to where it has been, which is not behind it.
                        if !through.contains(next) {
                            beyond.insert(next);
                        }
                        break;
                    }
                    open.remove(next);
                    met.insert(next);
                    at = next;
                }
            }
        }
        (met, beyond)
    }

    /// What lies on the straight line between two positions.
    pub fn between(&self, from: Option<Site>, to: Option<Site>) -> SiteSet {
        let (Some(start), Some(end), Some(way)) = (from, to, self.aim(from, to)) else { return SiteSet::EMPTY };
        let all = self.layout.set(self.board.all());
        self.runs(SiteSet::single(start), 1 << way.index(), all - SiteSet::single(end)).0
    }

    /// By direction and position, the positions from which a step in the direction leads there.
    pub fn sources(&self) -> Vec<Vec<SiteSet>> {
        let mut all = vec![vec![SiteSet::EMPTY; self.layout.positions]; 16];
        for way in self.ways(i64::MAX) {
            for from in self.layout.set(self.board.all()) {
                let to = self.step(Some(from), Some(way));
                let sources = to.and_then(|to| all.get_mut(way.index())?.get_mut(to.index()));
                if let Some(sources) = sources {
                    sources.insert(from);
                }
            }
        }
        all
    }

    /// The directions of a mask in which the board has steps.
    fn ways(&self, mask: i64) -> impl Iterator<Item = Direction> + use<> {
        let board = self.board.ways();
        let all = ways(mask & 0xffff).filter_map(|way| Direction::from_index(usize::from(way)));
        all.filter(move |way| board.contains(*way))
    }

    fn in_each(&self, mask: i64, f: impl Fn(Direction) -> SiteSet) -> SiteSet {
        self.ways(mask).fold(SiteSet::EMPTY, |all, way| all | f(way))
    }
}
