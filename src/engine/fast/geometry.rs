//! Answers questions about steps and neighbours for whole sets of positions at once.

use crate::board::{Board, Direction, SiteSet};
use crate::program::layout::{Layout, Shift};

use super::set::Set;

/// Stands in the tables of positions and distances for "there is none".
const NONE: u16 = u16::MAX;

/// Stands in the table of aims for "there is none".
const NO_AIM: u8 = u8::MAX;

/// How a set moves one step, the sources as words of the right width.
#[derive(Clone, Copy, Debug)]
pub(super) enum Move<const W: usize> {
    None,
    By { sources: Set<W>, by: i32 },
    Around { sources: Set<W>, by: i32, wrapping: Set<W>, wrap_by: i32 },
    Table,
}

/// A part of the way from a set to its neighbours.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread<const W: usize> {
    pub sources: Set<W>,
    pub by: usize,
}

/// The board in the positions of a layout. Positions that are no site's are never members of
/// what it answers.
#[derive(Clone, Debug)]
pub struct Geometry<const W: usize> {
    /// All sites.
    pub all: Set<W>,
    /// The number of positions; the tables of pairs have so many columns.
    pub positions: usize,
    /// The neighbours by position.
    pub neighbours: Vec<Set<W>>,
    /// The next position by direction and position.
    next: Vec<u16>,
    /// The position a step comes from, by direction and position. No two steps in a direction
    /// lead to the same site.
    previous: Vec<u16>,
    pub(super) moves: [Move<W>; 16],
    /// The shifts to higher and to lower bits that lead to all neighbours, if there are such.
    pub(super) spreads: Option<(Vec<Spread<W>>, Vec<Spread<W>>)>,
    aims: Vec<u8>,
    distances: Vec<u16>,
    /// All positions met from a position in a direction, by direction and position; only for directions in which
    /// positions always ascend or always descend.
    pub(super) rays: Vec<Set<W>>,
    pub(super) ascending: [Option<bool>; 16],
    /// The most steps in one direction.
    longest: usize,
}

impl<const W: usize> Geometry<W> {
    /// Works out the tables; none if the words are too few for the layout.
    pub fn of(board: &Board, layout: &Layout) -> Option<Self> {
        if layout.words > W {
            return None;
        }
        let positions = layout.positions;
        let narrow = |set: SiteSet| Set::<W>::from_words(&set);
        let mut geometry = Geometry {
            all: narrow(layout.set(board.all())),
            positions,
            neighbours: vec![Set::EMPTY; positions],
            next: vec![NONE; 16 * positions],
            previous: vec![NONE; 16 * positions],
            moves: layout.shifts.map(|shift| match shift {
                Shift::None => Move::None,
                Shift::By { sources, by } => Move::By { sources: narrow(sources), by },
                Shift::Around { sources, by, wrapping, wrap_by } => {
                    Move::Around { sources: narrow(sources), by, wrapping: narrow(wrapping), wrap_by }
                }
                Shift::Table => Move::Table,
            }),
            spreads: None,
            aims: vec![NO_AIM; positions * positions],
            distances: vec![NONE; positions * positions],
            rays: vec![Set::EMPTY; 16 * positions],
            ascending: [None; 16],
            longest: 0,
        };
        for from in board.all() {
            let here = layout.position(from);
            *geometry.neighbours.get_mut(here)? = narrow(layout.set(board.neighbours(from)));
            for direction in board.ways() {
                if let Some(next) = board.step(from, direction) {
                    let there = layout.position(next);
                    *geometry.next.get_mut(direction.index() * positions + here)? = there as u16;
                    *geometry.previous.get_mut(direction.index() * positions + there)? = here as u16;
                }
            }
            for to in board.all() {
                let pair = here * positions + layout.position(to);
                if let Some(aim) = board.direction(from, to) {
                    *geometry.aims.get_mut(pair)? = aim.index() as u8;
                }
                if let Some(steps) = board.distance(from, to) {
                    *geometry.distances.get_mut(pair)? = steps as u16;
                }
            }
        }
        geometry.spreads = geometry.spreads(board);
        geometry.cast_rays();
        Some(geometry)
    }

    fn cast_rays(&mut self) {
        for direction in (0..16).filter_map(Direction::from_index) {
            let mut orders = Vec::new();
            for from in self.all {
                let mut ray = Set::EMPTY;
                let mut at = from;
                while let Some(next) = self.step(at, direction) {
                    if next == from || ray.contains(next) {
                        orders.extend([true, false]);
                        break;
                    }
                    orders.push(next > at);
                    ray.insert(next);
                    at = next;
                }
                self.longest = self.longest.max(ray.len());
                if let Some(place) = self.rays.get_mut(direction.index() * self.positions + from) {
                    *place = ray;
                }
            }
            let up = orders.contains(&true);
            if let Some(place) = self.ascending.get_mut(direction.index())
                && up != orders.contains(&false)
            {
                *place = Some(up);
            }
        }
    }

    /// The shifts in the directions of the adjacency, if these lead to all neighbours and to
    /// nothing else. On boards of points there may be links without a direction.
    fn spreads(&self, board: &Board) -> Option<(Vec<Spread<W>>, Vec<Spread<W>>)> {
        let mut up: Vec<Spread<W>> = Vec::new();
        let mut down: Vec<Spread<W>> = Vec::new();
        for direction in board.directions() {
            let groups = match *self.moves.get(direction.index())? {
                Move::None => [None, None],
                Move::By { sources, by } => [Some((sources, by)), None],
                Move::Around { sources, by, wrapping, wrap_by } => [Some((sources, by)), Some((wrapping, wrap_by))],
                Move::Table => return None,
            };
            for (sources, by) in groups.into_iter().flatten() {
                let list = if by >= 0 { &mut up } else { &mut down };
                let by = by.unsigned_abs() as usize;
                match list.iter_mut().find(|spread| spread.by == by) {
                    Some(spread) => spread.sources |= sources,
                    None => list.push(Spread { sources, by }),
                }
            }
        }
        let exact = |position: usize| Some(spread(&up, &down, Set::single(position))) == self.around(position);
        self.all.iter().all(exact).then_some((up, down))
    }

    fn around(&self, position: usize) -> Option<Set<W>> {
        self.neighbours.get(position).copied()
    }

    /// The next position in a direction.
    #[inline]
    pub fn step(&self, position: usize, direction: Direction) -> Option<usize> {
        entry(&self.next, self.positions, direction.index(), position)
    }

    /// The position from which a step in a direction leads here.
    #[inline]
    pub fn step_back(&self, position: usize, direction: Direction) -> Option<usize> {
        entry(&self.previous, self.positions, direction.index(), position)
    }

    /// The direction of the straight line from one position to another.
    #[inline]
    pub fn aim(&self, from: usize, to: usize) -> Option<Direction> {
        if to >= self.positions {
            return None;
        }
        Direction::from_index(usize::from(*self.aims.get(from * self.positions + to)?))
    }

    /// The fewest steps over neighbours from one position to another.
    #[inline]
    pub fn distance(&self, from: usize, to: usize) -> Option<u32> {
        entry(&self.distances, self.positions, from, to).map(|steps| steps as u32)
    }

    /// The positions one step on from the members.
    #[inline]
    pub fn push(&self, set: Set<W>, direction: Direction) -> Set<W> {
        match self.moves.get(direction.index()) {
            Some(&Move::By { sources, by }) => (set & sources).move_by(by),
            Some(&Move::Around { sources, by, wrapping, wrap_by }) => {
                (set & sources).move_by(by) | (set & wrapping).move_by(wrap_by)
            }
            Some(Move::Table) => self.look_up(&self.next, set, direction),
            Some(Move::None) | None => Set::EMPTY,
        }
    }

    /// The positions from which a step in the direction leads into the set.
    #[inline]
    pub fn pull(&self, set: Set<W>, direction: Direction) -> Set<W> {
        match self.moves.get(direction.index()) {
            Some(&Move::By { sources, by }) => set.move_by(-by) & sources,
            Some(&Move::Around { sources, by, wrapping, wrap_by }) => {
                set.move_by(-by) & sources | set.move_by(-wrap_by) & wrapping
            }
            Some(Move::Table) => self.look_up(&self.previous, set, direction),
            Some(Move::None) | None => Set::EMPTY,
        }
    }

    fn look_up(&self, table: &[u16], set: Set<W>, direction: Direction) -> Set<W> {
        let start = direction.index() * self.positions;
        let Some(row) = table.get(start..start + self.positions) else { return Set::EMPTY };
        let mut found = Set::EMPTY;
        for position in set {
            if let Some(&there) = row.get(position) {
                // "None" lies beyond the last word and is not inserted.
                found.insert(usize::from(there));
            }
        }
        found
    }

    /// The neighbours of all members.
    #[inline]
    pub fn dilate(&self, set: Set<W>) -> Set<W> {
        match &self.spreads {
            Some((up, down)) if !few(set) => spread(up, down, set),
            _ => self.dilate_each(set),
        }
    }

    /// The same, member by member.
    #[inline]
    fn dilate_each(&self, set: Set<W>) -> Set<W> {
        let mut found = Set::EMPTY;
        for position in set {
            if let Some(&near) = self.neighbours.get(position) {
                found |= near;
            }
        }
        found
    }

    /// The sites at most so many steps from a member of a set.
    pub fn within(&self, set: Set<W>, steps: i64) -> Set<W> {
        let mut reached = if steps < 0 { Set::EMPTY } else { set };
        for _ in 0..steps {
            let more = reached | self.dilate(reached);
            if more == reached {
                break;
            }
            reached = more;
        }
        reached
    }

    /// The sites that are nearer to one set than to another one, or with `equal` as near; none where one of them is empty. Both
    /// spread step by step: what leads to such a site on the shortest way is one as well.
    pub fn nearer(&self, to: Set<W>, mut than: Set<W>, equal: bool) -> Set<W> {
        if than.is_empty() {
            return than;
        }
        let mut nearer = if equal { to } else { to - than };
        let mut front = nearer;
        while front.any() {
            let spread = than | self.dilate(than);
            front = self.dilate(front) - nearer - if equal { than } else { spread };
            nearer |= front;
            than = spread;
        }
        nearer
    }

    /// The members of `within` that are connected to `from` over members of `within`.
    #[inline]
    pub fn flood(&self, from: Set<W>, within: Set<W>) -> Set<W> {
        let mut reached = from & within;
        let mut left = within - reached;
        let mut fresh = reached;
        while fresh.any() {
            fresh = self.dilate(fresh) & left;
            left -= fresh;
            reached |= fresh;
        }
        reached
    }

    /// What is connected to `from` within a set, when `reached` is known to be so already, with the neighbours of it: these
    /// tell at once when there is nothing new.
    #[inline]
    pub fn grow(&self, (reached, near): (Set<W>, Set<W>), from: Set<W>, within: Set<W>) -> (Set<W>, Set<W>) {
        let rest = within - reached;
        let start = (near | from) & rest;
        if start.is_empty() {
            return (reached, near);
        }
        let new = self.flood(start, rest);
        (reached | new, near | self.dilate(new))
    }

    /// The first position from here in a direction that does not lie in a set.
    #[inline]
    pub fn beyond(&self, position: usize, direction: Direction, through: Set<W>) -> Option<usize> {
        if let Some(&Some(up)) = self.ascending.get(direction.index()) {
            let blocking = *self.rays.get(direction.index() * self.positions + position)? - through;
            return if up { blocking.first() } else { blocking.last() };
        }
        let mut at = position;
        // A line that runs in a circle has no more steps than the board has positions.
        for _ in 0..self.positions {
            at = self.step(at, direction)?;
            if !through.contains(at) {
                return Some(at);
            }
        }
        None
    }

    /// The positions met from here in a direction, as long as they lie in a set, and the first that does not.
    #[inline]
    pub fn run_and_beyond(&self, position: usize, direction: Direction, through: Set<W>) -> (Set<W>, Option<usize>) {
        if let Some(&Some(up)) = self.ascending.get(direction.index()) {
            let row = direction.index() * self.positions;
            let Some(&ray) = self.rays.get(row + position) else { return (Set::EMPTY, None) };
            let blocking = ray - through;
            let blocker = if up { blocking.first() } else { blocking.last() };
            return match blocker.and_then(|blocker| self.rays.get(row + blocker)) {
                Some(&behind) => (ray & (through - behind), blocker),
                None => (ray, None),
            };
        }
        self.walk(position, direction, through)
    }

    /// The same, step by step.
    fn walk(&self, position: usize, direction: Direction, through: Set<W>) -> (Set<W>, Option<usize>) {
        let mut met = Set::EMPTY;
        let start = direction.index() * self.positions;
        let Some(row) = self.next.get(start..start + self.positions) else { return (met, None) };
        // What was met is taken out, so that a line that runs in a circle ends.
        let mut open = through;
        let mut at = position;
        while let Some(&next) = row.get(at) {
            let next = usize::from(next);
            if !open.contains(next) {
                // On a circle the run comes round to where it has been, which is not beyond it.
                let beyond = next < self.positions && !through.contains(next);
                return (met, beyond.then_some(next));
            }
            open.remove(next);
            met.insert(next);
            at = next;
        }
        (met, None)
    }

    /// How many positions are met from here in a direction, as long as they lie in a set.
    #[inline]
    pub fn reach(&self, position: usize, direction: Direction, through: &Set<W>) -> usize {
        let start = direction.index() * self.positions;
        let Some(row) = self.next.get(start..start + self.positions) else { return 0 };
        let (mut at, mut met) = (position, 0);
        while let Some(&next) = row.get(at)
            && through.contains(usize::from(next))
            && met < self.positions
        {
            at = usize::from(next);
            met += 1;
        }
        met
    }

    /// The positions x for which `beyond(x, direction, through)` is in `goal`.
    #[inline]
    pub fn pull_beyond(&self, direction: Direction, goal: Set<W>, through: Set<W>) -> Set<W> {
        self.pull_on(direction, goal - through, through)
    }

    /// The positions x for which `run(x, direction, through)` meets `goal`.
    #[inline]
    pub fn pull_run(&self, direction: Direction, goal: Set<W>, through: Set<W>) -> Set<W> {
        self.pull_on(direction, goal & through, through)
    }

    /// The positions from which steps through a set lead into the goal.
    #[inline]
    fn pull_on(&self, direction: Direction, goal: Set<W>, through: Set<W>) -> Set<W> {
        if W <= 2
            && let Some(&Move::By { sources, by }) = self.moves.get(direction.index())
        {
            // Steps are doubled: after one over two sites comes one over four.
            let mut found = goal.move_by(-by) & sources;
            let mut open = through.move_by(-by) & sources;
            let (mut far, mut steps) = (-by, 1);
            while steps <= self.longest {
                found |= found.move_by(far) & open;
                open &= open.move_by(far);
                far *= 2;
                steps *= 2;
            }
            return found;
        }
        let mut fresh = self.pull(goal, direction);
        let mut found = fresh;
        loop {
            fresh = self.pull(fresh & through, direction) - found;
            if fresh.is_empty() {
                return found;
            }
            found |= fresh;
        }
    }
}

/// Whether the members are so few that to look each up is faster than to shift words about.
#[inline(always)]
fn few<const W: usize>(set: Set<W>) -> bool {
    set.len() <= FEW
}

/// Measured: a look-up takes about 0.5 ns to 1 ns a member, the shifts 3 ns to 15 ns; but to choose
/// takes time too, and the fronts of floods are mostly small.
const FEW: usize = 4;

#[inline(always)]
fn spread<const W: usize>(up: &[Spread<W>], down: &[Spread<W>], set: Set<W>) -> Set<W> {
    let mut found = Set::EMPTY;
    for &Spread { sources, by } in up {
        found |= (set & sources) << by;
    }
    for &Spread { sources, by } in down {
        found |= (set & sources) >> by;
    }
    found
}

#[inline(always)]
fn entry(table: &[u16], columns: usize, row: usize, column: usize) -> Option<usize> {
    match table.get(row * columns + column) {
        Some(&value) if value != NONE && column < columns => Some(usize::from(value)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Site;
    use crate::program::samples::{self, Dice};
    use crate::program::walk::Walk;

    /// What the reference does, site by site.
    fn run(board: &Board, from: Site, way: Direction, through: SiteSet) -> (SiteSet, Option<Site>) {
        let mut set = SiteSet::EMPTY;
        let mut at = from;
        loop {
            match board.step(at, way) {
                Some(next) if through.contains(next) && !set.contains(next) => {
                    set.insert(next);
                    at = next;
                }
                Some(next) if !through.contains(next) => return (set, Some(next)),
                _ => return (set, None),
            }
        }
    }

    fn connected(board: &Board, from: SiteSet, within: SiteSet) -> SiteSet {
        let mut reached = from & within;
        loop {
            let around = reached.iter().fold(SiteSet::EMPTY, |set, site| set | board.neighbours(site));
            let more = reached | around & within;
            if more == reached {
                return reached;
            }
            reached = more;
        }
    }

    fn check<const W: usize>(name: &str, board: &Board, layout: &Layout) {
        let geometry = Geometry::<W>::of(board, layout).unwrap();
        let words = |positions: SiteSet| Set::<W>::from_words(&positions);
        let set = |sites: SiteSet| words(layout.set(sites));
        let opposite = |mask: i64| (mask & 0xff) << 8 | mask >> 8 & 0xff;
        let place = |site: Option<Site>| site.map(|site| layout.position(site));
        assert_eq!(geometry.all, set(board.all()));
        for from in board.all() {
            let here = layout.position(from);
            assert_eq!(geometry.neighbours[here], set(board.neighbours(from)), "{name}");
            for direction in Direction::ALL {
                assert_eq!(geometry.step(here, direction), place(board.step(from, direction)), "{name}");
                let back = board.all().iter().find(|&site| board.step(site, direction) == Some(from));
                assert_eq!(geometry.step_back(here, direction), place(back), "{name}");
            }
            for to in board.all() {
                assert_eq!(geometry.aim(here, layout.position(to)), board.direction(from, to), "{name}");
                assert_eq!(geometry.distance(here, layout.position(to)), board.distance(from, to), "{name}");
            }
        }
        for position in [layout.positions, 1023, 1024, 70_000] {
            let beyond = position.max(layout.positions);
            assert_eq!(geometry.step(beyond, Direction::N), None, "{name}");
            assert_eq!(geometry.distance(0, beyond), None, "{name}");
            assert_eq!(geometry.aim(0, beyond), None, "{name}");
        }

        let mut dice = Dice(board.len() as u64);
        for _ in 0..12 {
            let (a, b) = (dice.set(board), dice.set(board));
            let from = if dice.below(2) == 0 { a } else { SiteSet::single(dice.site(board)) };
            let around = |sites: SiteSet| sites.iter().fold(SiteSet::EMPTY, |all, site| all | board.neighbours(site));
            assert_eq!(geometry.dilate(set(from)), set(around(from)), "{name}");
            assert_eq!(geometry.dilate_each(set(a)), set(around(a)), "{name}");
            assert_eq!(geometry.flood(set(from), set(b)), set(connected(board, from, b)), "{name}");
            for direction in Direction::ALL {
                let pushed = a.iter().filter_map(|site| board.step(site, direction)).collect();
                assert_eq!(geometry.push(set(a), direction), set(pushed), "{name} {direction}");
                let where_step = |holds: &dyn Fn(Site) -> bool| -> SiteSet {
                    board.all().iter().filter(|&site| holds(site)).collect()
                };
                let pulled = where_step(&|site| board.step(site, direction).is_some_and(|next| a.contains(next)));
                assert_eq!(geometry.pull(set(a), direction), set(pulled), "{name} {direction}");
                let beyond =
                    where_step(&|site| run(board, site, direction, b).1.is_some_and(|beyond| a.contains(beyond)));
                assert_eq!(geometry.pull_beyond(direction, set(a), set(b)), set(beyond), "{name} {direction}");
                let met = where_step(&|site| run(board, site, direction, b).0.intersects(a));
                assert_eq!(geometry.pull_run(direction, set(a), set(b)), set(met), "{name} {direction}");
                // What is worked out before a game agrees with what is done in it.
                let walk = Walk { board, layout };
                let (here, through) = (layout.set(from), layout.set(b));
                let mask = 1 << direction.index();
                let each = || from.iter().map(|site| layout.position(site));
                let found = walk.runs(here, mask, through);
                let met = each().map(|at| geometry.run_and_beyond(at, direction, set(b)));
                let (passed, stops): (Vec<_>, Vec<_>) = met.unzip();
                assert_eq!(words(found.0), passed.into_iter().fold(Set::EMPTY, |all, set| all | set), "{name}");
                let stops = stops.into_iter().flatten().fold(Set::EMPTY, |all, at| all | Set::single(at));
                assert_eq!(words(found.1), stops, "{name} {direction}");
                let twice = geometry.push(geometry.push(set(from), direction), direction);
                assert_eq!(words(walk.pushed(here, mask, 2)), twice, "{name} {direction}");
                assert_eq!(words(walk.pushed(here, mask, -2)), words(walk.pushed(here, opposite(mask), 2)), "{name}");
                assert_eq!(words(walk.trail(here, mask, 2)), geometry.push(set(from), direction) | twice, "{name}");
                for _ in 0..8 {
                    let site = dice.site(board);
                    let (passed, stop) = run(board, site, direction, b);
                    let here = layout.position(site);
                    assert_eq!(geometry.run_and_beyond(here, direction, set(b)).0, set(passed), "{name} {direction}");
                    assert_eq!(geometry.beyond(here, direction, set(b)), place(stop), "{name} {direction}");
                }
            }
        }
    }

    #[test]
    fn whole_sets_do_what_each_site_does() {
        for (name, board) in samples::boards() {
            let layout = Layout::of(&board);
            match layout.words {
                0 | 1 => check::<1>(&name, &board, &layout),
                2 => check::<2>(&name, &board, &layout),
                3 => check::<3>(&name, &board, &layout),
                4 => check::<4>(&name, &board, &layout),
                5..=8 => check::<8>(&name, &board, &layout),
                _ => check::<16>(&name, &board, &layout),
            }
            // More words than needed do no harm.
            if board.len() < 200 {
                check::<8>(&name, &board, &layout);
            }
        }
    }

    #[test]
    fn boards_of_cells_and_rings_spread_by_shifts() {
        for (name, board) in samples::boards() {
            let geometry = Geometry::<16>::of(&board, &Layout::of(&board)).unwrap();
            let points = ["morris", "lines on a circle", "random graph", "graph"].contains(&name.as_str());
            let wide = name.starts_with("scattered") || name == "triangles 22";
            assert!(points || wide || geometry.spreads.is_some(), "{name}");
        }
    }

    #[test]
    fn too_few_words_make_no_geometry() {
        let board = samples::hexagon(6, 6);
        assert!(Geometry::<1>::of(&board, &Layout::of(&board)).is_none());
    }
}
