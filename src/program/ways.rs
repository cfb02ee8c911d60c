//! What the form of a board says of the steps on it.

use super::lower::mask_of_directions;
use crate::board::{Board, Direction, Site, SiteSet};

#[derive(Clone, Copy)]
pub(super) struct Ways {
    /// Steps in the directions of the board lead to exactly the neighbours.
    pub steps_are_neighbours: bool,
    /// Steps in one direction, or in different ones, can come to the same site.
    pub rings: bool,
    /// The lines that lead from a site in different directions have no site in common.
    pub rays_are_apart: bool,
    /// From a site to each on its lines there is the direction of the line, and to no other site is there one.
    pub directions_are_lines: bool,
    /// A step and one in the opposite direction always lead back.
    pub steps_lead_back: bool,
    /// As many steps along a line as one takes are as great a distance.
    pub lines_are_short: bool,
    /// The most steps from a site in one direction.
    pub longest: usize,
    /// The greatest distance between two sites; none where some two are not linked.
    pub farthest: Option<u32>,
    /// Three of six directions one after the other, where the steps in these cover the board with triangles.
    pub triangles: Option<[Direction; 3]>,
}

impl Ways {
    pub fn of(board: &Board) -> Self {
        let steps_are_neighbours = steps_are_neighbours(board);
        let (rings, steps_lead_back) = (has_rings(board), steps_lead_back(board));
        let simple = steps_are_neighbours && steps_lead_back && !rings;
        Self {
            steps_are_neighbours,
            rings,
            rays_are_apart: rays_are_apart(board),
            directions_are_lines: directions_are_lines(board),
            steps_lead_back,
            lines_are_short: lines_are_short(board),
            longest: longest(board),
            farthest: farthest(board),
            triangles: triangles(board).filter(|_| simple),
        }
    }
}

fn steps_are_neighbours(board: &Board) -> bool {
    board.all().iter().all(|site| {
        let mut count = 0;
        let reached = board.directions().iter().filter_map(|way| board.step(site, way)).inspect(|_| count += 1);
        let reached: SiteSet = reached.collect();
        reached == board.neighbours(site)
            && count == reached.len()
            && board.neighbours(site).iter().all(|other| board.neighbours(other).contains(site))
    }) && mask_of_directions(board.directions()) != 0
}

/// Whether steps in one direction, or in different ones, can come to the same site.
fn has_rings(board: &Board) -> bool {
    board.all().iter().any(|site| {
        board.ways().iter().any(|way| {
            let mut at = site;
            (0..board.len()).any(|_| match board.step(at, way) {
                Some(next) => {
                    at = next;
                    at == site
                }
                None => false,
            })
        })
    }) || {
        // Two different steps from one site to the same other one.
        board.all().iter().any(|site| {
            let mut seen = SiteSet::EMPTY;
            board.ways().iter().filter_map(|way| board.step(site, way)).any(|next| {
                let again = seen.contains(next);
                seen.insert(next);
                again
            })
        })
    }
}

/// Whether a step and one in the opposite direction always lead back.
fn steps_lead_back(board: &Board) -> bool {
    board.all().iter().all(|site| {
        board
            .ways()
            .iter()
            .all(|way| board.step(site, way).is_none_or(|next| board.step(next, way.opposite()) == Some(site)))
    })
}

/// The sites one step on, two steps on and so forth in a direction, no more than the board has.
fn line(board: &Board, from: Site, way: Direction) -> impl Iterator<Item = Site> {
    std::iter::successors(board.step(from, way), move |at| board.step(*at, way)).take(board.len())
}

/// Whether the lines that lead from a site in different directions have no site in common, for every site.
fn rays_are_apart(board: &Board) -> bool {
    board.all().iter().all(|from| {
        let mut seen = SiteSet::single(from);
        board.ways().iter().all(|way| {
            line(board, from, way).all(|at| {
                let new = !seen.contains(at);
                seen.insert(at);
                new
            })
        })
    })
}

/// Whether from every site there is a direction to the sites on its lines, that of the line, and to no others.
fn directions_are_lines(board: &Board) -> bool {
    board.all().iter().all(|from| {
        let mut told = 0;
        let follows = board.compass().iter().all(|way| {
            line(board, from, way).all(|at| {
                told += 1;
                board.direction(from, at) == Some(way)
            })
        });
        follows && board.all().iter().filter(|at| board.direction(from, *at).is_some()).count() == told
    })
}

/// The most steps from a site in one direction, no more than the board has sites.
fn longest(board: &Board) -> usize {
    let lines = board.all().iter().flat_map(|from| board.ways().iter().map(move |way| (from, way)).collect::<Vec<_>>());
    lines.map(|(from, way)| line(board, from, way).count()).max().unwrap_or(0)
}

/// The greatest distance between two sites, if there is always one.
fn farthest(board: &Board) -> Option<u32> {
    let sites = || board.all().iter();
    let distances = sites().flat_map(|from| sites().map(move |to| board.distance(from, to)));
    distances.collect::<Option<Vec<_>>>()?.into_iter().max()
}

/// Whether so many steps along a line always come to a site at that distance.
fn lines_are_short(board: &Board) -> bool {
    board.all().iter().all(|from| {
        board
            .ways()
            .iter()
            .all(|way| (1..).zip(line(board, from, way)).all(|(steps, at)| board.distance(from, at) == Some(steps)))
    })
}

/// Three of six directions one after the other, where the steps in these cover the board with triangles: it is a part of the
/// triangular grid, in one piece and without holes, if steps lead to neighbours and back and no line comes round.
fn triangles(board: &Board) -> Option<[Direction; 3]> {
    let all: Vec<Direction> = board.directions().iter().collect();
    let [a, b, c, d, e, f] = <[Direction; 6]>::try_from(all).ok()?;
    let opposite = [(a, d), (b, e), (c, f)].iter().all(|(way, back)| way.opposite() == *back);
    // A step in a direction and one two further on are a step in the direction between them.
    let turns = [(a, c, b), (b, d, c), (c, e, d), (d, f, e), (e, a, f), (f, b, a)];
    let is_grid = board.all().iter().all(|site| {
        let fits = |(first, second, both)| {
            board.step(site, first).is_none_or(|at| board.step(at, second) == board.step(site, both))
        };
        turns.into_iter().all(fits)
    });
    let count = |ways: &[Direction]| {
        let has = |site: &_| ways.iter().all(|way| board.step(*site, *way).is_some());
        board.all().iter().filter(has).count()
    };
    let steps = count(&[a]) + count(&[b]) + count(&[c]);
    let without_holes = board.len() + count(&[a, b]) + count(&[b, c]) == steps + 1;
    let in_one_piece = board.all().iter().all(|site| board.distance(Site(0), site).is_some());
    (opposite && is_grid && without_holes && in_one_piece).then_some([a, b, c])
}
