//! What a search for plies, or a test, works out more than once is worked out before and kept in a slot.

use super::build::*;
use super::finish::put_set;
use super::ir::*;
use super::lower::Lowering;
use super::parts::conjuncts;
use super::{Ending, Generator, MAX_PARTS, Repeat, Step};
use rustc_hash::FxBuildHasher;
use std::collections::HashMap;
use std::hash::BuildHasher;

/// Larger rules are left as they are: to look for what they share would take longer than it saves.
const MAX_SIZE: usize = 20_000;

/// So many instructions are looked at for a player; what is found later is worked out as often as it is written.
const MAX_COMPARED: usize = 4_000_000;

/// More than this is not kept at one place.
const MAX_KEPT: usize = 40;

/// An instruction that may be kept.
#[derive(Clone, PartialEq)]
enum Node {
    Sets(Sets),
    Int(Int),
}

impl Node {
    fn of(part: &Part<'_>) -> Option<Self> {
        match part {
            Part::Sets(sets) => Some(Self::Sets((*sets).clone())),
            Part::Int(int) => Some(Self::Int((*int).clone())),
            Part::Test(_) => None,
        }
    }

    fn part(&self) -> Part<'_> {
        match self {
            Self::Sets(sets) => Part::Sets(sets),
            Self::Int(int) => Part::Int(int),
        }
    }

    /// Whether an instruction reads what is kept of this one in a slot.
    fn is_read(&self, slot: u16, part: &Part<'_>) -> bool {
        part.asks(&|part| {
            let (Part::Sets(Sets::Slot(read)) | Part::Int(Int::Slot(read))) = part else { return false };
            *read == slot && matches!((self, part), (Self::Sets(_), Part::Sets(_)) | (Self::Int(_), Part::Int(_)))
        })
    }

    fn kept(self, slot: u16) -> Kept {
        match self {
            Self::Sets(set) => Kept::Sets(slot, Box::new(set)),
            Self::Int(int) => Kept::Int(slot, Box::new(int)),
        }
    }

    /// Kept in a slot before plies are looked for.
    fn before(self, slot: u16, inner: Generator) -> Generator {
        match self {
            Self::Sets(set) => Generator::LetSites(slot, set, Box::new(inner)),
            Self::Int(int) => Generator::Let(slot, int, Box::new(inner)),
        }
    }

    /// Kept in a slot for a test.
    fn within(self, slot: u16, test: Test) -> Test {
        let test = Box::new(test);
        match self {
            Self::Sets(value) => Test::WithSites { held: slot, value, test },
            Self::Int(value) => Test::With { slot, value: Box::new(value), test },
        }
    }
}

/// How often instructions stand in what is looked at, by their hashes: two that share theirs by chance are told apart when
/// one is looked for.
#[derive(Default)]
struct Repeats {
    known: HashMap<u64, usize, FxBuildHasher>,
    /// The hash of each, its size and how often it stands there, in the order in which they were found.
    found: Vec<(u64, usize, usize)>,
}

impl Repeats {
    fn note(&mut self, part: &Part<'_>, times: usize) {
        let hash = hash_of(part);
        let at = *self.known.entry(hash).or_insert(self.found.len());
        match self.found.get_mut(at) {
            Some((.., known)) => *known += times,
            None => self.found.push((hash, part.size(), times)),
        }
    }

    /// The largest that stands there more than once.
    fn largest(&self) -> Option<u64> {
        let repeated = self.found.iter().filter(|(.., times)| *times > 1);
        repeated.max_by_key(|(_, size, _)| *size).map(|(hash, ..)| *hash)
    }
}

fn hash_of(part: &Part<'_>) -> u64 {
    FxBuildHasher.hash_one(part)
}

/// What is kept, with the slots of it.
type AllKept = Vec<(u16, Node)>;

/// What stands one behind the other.
enum Item {
    Let(u16, Node),
    Test(Test),
}

impl Item {
    fn walk(&mut self, visit: &mut Visit<'_>) {
        let bound = Bound::default();
        match self {
            Self::Let(_, Node::Sets(set)) => walk(&mut PartMut::Sets(set), &bound, false, visit),
            Self::Let(_, Node::Int(int)) => walk(&mut PartMut::Int(int), &bound, false, visit),
            Self::Test(test) => walk(&mut PartMut::Test(test), &bound, false, visit),
        }
    }

    fn size(&mut self) -> usize {
        let mut size = 0;
        self.walk(&mut |_, _, _| {
            size += 1;
            true
        });
        size
    }

    /// What works it out when a ply is played.
    fn step(self) -> Option<Step> {
        match self {
            Self::Let(slot, Node::Sets(set)) => Some(Step::LetSites(slot, set)),
            Self::Let(slot, Node::Int(int)) => Some(Step::Let(slot, int)),
            Self::Test(_) => None,
        }
    }

    /// Whether it reads what is kept in a slot.
    fn reads(&self, slot: u16, node: &Node) -> bool {
        match self {
            Self::Let(_, own) => node.is_read(slot, &own.part()),
            Self::Test(test) => node.is_read(slot, &Part::Test(test)),
        }
    }
}

/// What stands behind such items and may read what they keep.
enum Rest<'a> {
    Nothing,
    Plies(&'a mut Generator),
    Changes(&'a mut [Effect]),
}

impl Rest<'_> {
    fn walk(&mut self, visit: &mut Visit<'_>) {
        let bound = Bound::default();
        match self {
            Self::Nothing => {}
            Self::Plies(generator) => walk_generator(generator, &bound, false, visit),
            Self::Changes(effects) => effects.iter_mut().for_each(|effect| walk_effect(effect, &bound, false, visit)),
        }
    }
}

/// Items without what is kept for nothing.
fn read_later(items: Vec<Item>, rest: &mut Generator) -> Vec<Item> {
    let mut later: Vec<Item> = Vec::new();
    for item in items.into_iter().rev() {
        let is_read = match &item {
            // Parts that are left out are read when a ply is found.
            Item::Let(slot, Node::Int(_)) if usize::from(*slot) < MAX_PARTS => true,
            Item::Let(slot, node) => {
                let mut read = later.iter().any(|item| item.reads(*slot, node));
                rest.walk_mut(&mut |part| read |= node.is_read(*slot, &shared_part(&part)));
                read
            }
            Item::Test(_) => true,
        };
        if is_read {
            later.push(item);
        }
    }
    later.reverse();
    later
}

/// Before each item what it is the first to read of what is kept, and at the end what none of them reads.
fn in_order(items: Vec<Item>, mut kept: AllKept) -> Vec<Item> {
    let mut all = Vec::new();
    for item in items {
        take_read(&item, &mut kept, &mut all);
        all.push(item);
    }
    // What was found last is read by what was found before it.
    all.extend(kept.into_iter().rev().map(|(slot, node)| Item::Let(slot, node)));
    all
}

/// Takes out what an item reads of what is kept, and what that reads, in the order in which it is worked out.
fn take_read(item: &Item, kept: &mut AllKept, taken: &mut Vec<Item>) {
    while let Some(at) = kept.iter().position(|(slot, node)| item.reads(*slot, node)) {
        let (slot, node) = kept.remove(at);
        let needed = Item::Let(slot, node);
        take_read(&needed, kept, taken);
        taken.push(needed);
    }
}

/// Slots bound around an instruction.
#[derive(Clone, Default)]
struct Bound {
    ints: Vec<u16>,
    sets: Vec<u16>,
}

impl Bound {
    fn read_by(&self, part: &Part<'_>) -> bool {
        part.asks(&|part| match part {
            Part::Int(Int::Slot(slot)) => self.ints.contains(slot),
            Part::Sets(Sets::Slot(slot)) => self.sets.contains(slot),
            _ => false,
        })
    }
}

/// Told of every instruction, whether it is in a loop, and the slots bound around it; false if the way ends there.
type Visit<'v> = dyn FnMut(&mut PartMut<'_>, &Bound, bool) -> bool + 'v;

impl Lowering<'_> {
    /// Shares what the parts of a generator have in common, from the outside in.
    fn shared_generator(&mut self, generator: Generator) -> Generator {
        match generator {
            mut whole @ (Generator::Leaf { .. }
            | Generator::Fan { .. }
            | Generator::Loop { .. }
            | Generator::Either(_)) => {
                let kept = self.keep_shared(&mut |visit| walk_generator(&mut whole, &Bound::default(), false, visit));
                let whole = whole.map_inner(&mut |inner| self.shared_generator(inner));
                kept.into_iter().fold(whole, |inner, (slot, node)| node.before(slot, inner))
            }
            steps @ (Generator::Test(..) | Generator::Let(..) | Generator::LetSites(..)) => {
                let (mut items, mut rest) = (Vec::new(), steps);
                loop {
                    rest = match rest {
                        Generator::Test(test, inner) => {
                            items.extend(conjuncts(test).into_iter().map(Item::Test));
                            *inner
                        }
                        Generator::Let(slot, int, inner) => {
                            items.push(Item::Let(slot, Node::Int(int)));
                            *inner
                        }
                        Generator::LetSites(slot, set, inner) => {
                            items.push(Item::Let(slot, Node::Sets(set)));
                            *inner
                        }
                        other => {
                            rest = other;
                            break;
                        }
                    };
                }
                let items = self.shared_items(read_later(items, &mut rest), Rest::Plies(&mut rest));
                let rest = self.shared_generator(rest);
                items.into_iter().rev().fold(rest, |rest, item| match item {
                    Item::Test(test) => rest.guarded_by(test),
                    Item::Let(slot, node) => node.before(slot, rest),
                })
            }
            Generator::Repeat(mut repeat, inner) => {
                self.share_in_rounds(&mut repeat);
                Generator::Repeat(repeat, Box::new(self.shared_generator(*inner)))
            }
            other @ (Generator::One | Generator::If(..) | Generator::Stage(..)) => {
                other.map_inner(&mut |inner| self.shared_generator(inner))
            }
        }
    }

    /// What a line that is done again and again asks for more than once. Each reads the state that the one before it leaves.
    fn share_in_rounds(&mut self, repeat: &mut Repeat) {
        let changes = repeat.steps.iter_mut().filter_map(|step| match step {
            Step::Change(effects) => Some(effects),
            Step::Let(..) | Step::LetSites(..) | Step::Repeat(_) => None,
        });
        for effect in changes.flatten() {
            if let Effect::Set { value, .. } = effect {
                *value = self.shared_int(std::mem::replace(value, Int::Const(NONE)));
            } else if let Effect::SetSites { value, .. } = effect {
                *value = self.shared_set(std::mem::replace(value, nothing()));
            }
        }
    }

    /// The same, with what is asked of the members of sets.
    pub fn shared_plies(&mut self, generator: Generator) -> Generator {
        let parted = self.parted(generator);
        let mut whole = self.shared_generator(parted);
        whole.walk_mut(&mut |part| self.share_of_members(part));
        whole
    }

    /// The same for a test: what its conditions have in common is worked out where it is read first, so that what is asked
    /// before that decides whether it is worked out at all.
    pub fn shared_test(&mut self, test: Test) -> Test {
        let mut whole = match test {
            Test::Or(all) => self.shared_one_by_one(all, or),
            test => self.shared_one_by_one(conjuncts(test), and),
        };
        self.share_of_members(PartMut::Test(&mut whole));
        whole
    }

    /// What several lines of `end` ask for one after the other as long as none of them holds, then what each asks for more
    /// than once. Only what takes longest is looked for, to go from site to site.
    pub fn shared_lines(&mut self, lines: &mut [Ending]) -> Vec<Kept> {
        let mut kept = AllKept::new();
        while kept.len() < MAX_KEPT {
            let mut asked: Vec<(Sets, usize)> = Vec::new();
            for line in lines.iter().filter(|line| !line.at_once) {
                let mut own = Vec::new();
                floods_asked(&Part::Test(&line.condition), &mut own);
                for set in own {
                    match asked.iter_mut().find(|(known, _)| *known == set) {
                        Some((_, times)) => *times += 1,
                        None => asked.push((set, 1)),
                    }
                }
            }
            let largest = asked.into_iter().filter(|(_, times)| *times > 1).max_by_key(|(set, _)| set.size());
            let Some((set, _)) = largest else { break };
            let slot = self.set_slot();
            let mut replace = |part: &mut PartMut<'_>, _: &Bound, _: bool| match part {
                PartMut::Sets(own) if **own == set => {
                    **own = Sets::Slot(slot);
                    false
                }
                PartMut::Sets(_) | PartMut::Int(_) | PartMut::Test(_) => true,
            };
            for line in lines.iter_mut().filter(|line| !line.at_once) {
                walk(&mut PartMut::Test(&mut line.condition), &Bound::default(), false, &mut replace);
            }
            kept.iter_mut().for_each(|(_, node)| walk_node(node, &mut replace));
            kept.push((slot, Node::Sets(set)));
        }
        for line in lines {
            line.condition = self.shared_test(std::mem::replace(&mut line.condition, Test::Const(false)));
        }
        // What was found last is read by what was found before it.
        kept.into_iter().rev().map(|(slot, node)| node.kept(slot)).collect()
    }

    /// The same for a number that stands by itself.
    pub fn shared_int(&mut self, mut int: Int) -> Int {
        let kept = self.keep_shared(&mut |visit| walk(&mut PartMut::Int(&mut int), &Bound::default(), false, visit));
        let with = |of, (slot, node): (u16, Node)| Int::With { kept: node.kept(slot), of: Box::new(of) };
        let mut whole = kept.into_iter().fold(int, with);
        self.share_of_members(PartMut::Int(&mut whole));
        whole
    }

    /// The same for a set.
    fn shared_set(&mut self, mut set: Sets) -> Sets {
        let kept = self.keep_shared(&mut |visit| walk(&mut PartMut::Sets(&mut set), &Bound::default(), false, visit));
        let with = |of, (slot, node): (u16, Node)| Sets::With { kept: node.kept(slot), of: Box::new(of) };
        let mut whole = kept.into_iter().fold(set, with);
        self.share_of_members(PartMut::Sets(&mut whole));
        whole
    }

    /// What stands one behind the other, and what follows on it: what they have in common is worked out just before it is
    /// read first.
    fn shared_items(&mut self, mut items: Vec<Item>, mut rest: Rest<'_>) -> Vec<Item> {
        // Too much to look at as a whole is looked at one by one.
        if items.len() > 1 && items.iter_mut().map(Item::size).sum::<usize>() > MAX_SIZE {
            return items.into_iter().flat_map(|item| self.shared_items(vec![item], Rest::Nothing)).collect();
        }
        let kept = self.keep_shared(&mut |visit| {
            items.iter_mut().for_each(|item| item.walk(visit));
            rest.walk(visit);
        });
        in_order(items, kept)
    }

    /// What some tests have in common that are asked one after the other, each before it is read.
    fn shared_one_by_one(&mut self, tests: Vec<Test>, joined: fn(Vec<Test>) -> Test) -> Test {
        let items = self.shared_items(tests.into_iter().map(Item::Test).collect(), Rest::Nothing);
        items.into_iter().rev().fold(joined(Vec::new()), |rest, item| match item {
            Item::Test(test) => joined(vec![test, rest]),
            Item::Let(slot, node) => node.within(slot, rest),
        })
    }

    /// The steps that play a ply: what those have in common that read the same state is worked out once.
    pub fn shared_body(&mut self, body: Vec<Step>) -> Vec<Step> {
        let (mut steps, mut items) = (Vec::new(), Vec::new());
        for step in body {
            match step {
                Step::Let(slot, int) => items.push(Item::Let(slot, Node::Int(int))),
                Step::LetSites(slot, set) => items.push(Item::Let(slot, Node::Sets(set))),
                Step::Change(mut effects) => {
                    steps.extend(self.shared_steps(std::mem::take(&mut items), Rest::Changes(&mut effects)));
                    steps.push(Step::Change(effects));
                }
                Step::Repeat(mut repeat) => {
                    self.share_in_rounds(&mut repeat);
                    steps.extend(self.shared_steps(std::mem::take(&mut items), Rest::Nothing));
                    steps.push(Step::Repeat(repeat));
                }
            }
        }
        steps.extend(self.shared_steps(items, Rest::Nothing));
        for step in &mut steps {
            step.parts_mut(&mut |part| self.share_of_members(part));
        }
        steps
    }

    fn shared_steps(&mut self, items: Vec<Item>, rest: Rest<'_>) -> impl Iterator<Item = Step> + use<> {
        self.shared_items(items, rest).into_iter().filter_map(Item::step)
    }

    /// The same for all that is asked of one member after the other, in an instruction and those within it.
    fn share_of_members(&mut self, mut part: PartMut<'_>) {
        let test = match &mut part {
            PartMut::Sets(Sets::Filter { test, .. } | Sets::Collect { test, .. })
            | PartMut::Int(Int::Reduce { test, .. } | Int::MaskWhere { test, .. } | Int::MaskCollect { test, .. })
            | PartMut::Test(Test::Exists { test, .. }) => Some(test),
            PartMut::Sets(_) | PartMut::Int(_) | PartMut::Test(_) => None,
        };
        if let Some(test) = test {
            **test = self.shared_one_by_one(conjuncts(std::mem::replace(&mut **test, Test::Const(true))), and);
        }
        // All within a body is looked at with it.
        let (domain, test) = match &mut part {
            PartMut::Int(Int::Reduce { domain, test, body, .. } | Int::MaskCollect { domain, test, body, .. }) => {
                **body = self.shared_int(std::mem::replace(body, Int::Const(NONE)));
                (domain, test)
            }
            PartMut::Sets(Sets::Collect { domain, test, body, .. }) => {
                **body = self.shared_set(std::mem::replace(body, super::build::nothing()));
                (domain, test)
            }
            PartMut::Sets(_) | PartMut::Int(_) | PartMut::Test(_) => {
                return part.parts_mut(&mut |part| self.share_of_members(part));
            }
        };
        domain.parts_mut(&mut |part| self.share_of_members(part));
        self.share_of_members(PartMut::Test(test));
    }

    /// Puts slots in the place of what is shared; what they hold, the last to be worked out first.
    fn keep_shared(&mut self, root: &mut dyn FnMut(&mut Visit<'_>)) -> AllKept {
        let mut kept = AllKept::new();
        while kept.len() < MAX_KEPT && self.compared < MAX_COMPARED {
            let mut found = Repeats::default();
            let mut size = 0;
            let mut gather = |part: &mut PartMut<'_>, bound: &Bound, looped: bool| {
                size += 1;
                let part = shared_part(part);
                if size <= MAX_SIZE && worth(&part) && !bound.read_by(&part) {
                    found.note(&part, if looped { 2 } else { 1 });
                }
                size <= MAX_SIZE
            };
            root(&mut gather);
            for (_, node) in &mut kept {
                walk_node(node, &mut gather);
            }
            self.compared += size;
            if size > MAX_SIZE {
                break;
            }
            let Some(wanted) = found.largest() else { break };
            let mut node = None;
            let mut find = |part: &mut PartMut<'_>, bound: &Bound, _: bool| {
                let part = shared_part(part);
                if node.is_none() && !bound.read_by(&part) && hash_of(&part) == wanted {
                    node = Node::of(&part);
                }
                node.is_none()
            };
            root(&mut find);
            for (_, node) in &mut kept {
                walk_node(node, &mut find);
            }
            let Some(node) = node else { break };
            let slot = if matches!(node, Node::Sets(_)) { self.set_slot() } else { self.int_slot() };
            let mut replace = |part: &mut PartMut<'_>, bound: &Bound, _: bool| {
                if bound.read_by(&shared_part(part)) {
                    return true;
                }
                match (part, &node) {
                    (PartMut::Sets(sets), Node::Sets(old)) if **sets == *old => **sets = Sets::Slot(slot),
                    (PartMut::Int(int), Node::Int(old)) if **int == *old => **int = Int::Slot(slot),
                    _ => return true,
                }
                false
            };
            root(&mut replace);
            for (_, node) in &mut kept {
                walk_node(node, &mut replace);
            }
            kept.push((slot, node));
        }
        kept
    }
}

/// The sets of connected sites that an instruction asks for in any case, each once: those of conditions joined by `or`, which
/// hold but rarely, and what is the same for all members that are gone through.
fn floods_asked(part: &Part<'_>, found: &mut Vec<Sets>) {
    let is_bound = |part: &Part<'_>| matches!(part, Part::Sets(Sets::Slot(_)) | Part::Int(Int::Slot(_)));
    match part {
        Part::Sets(set @ Sets::Connected { .. }) if !part.asks(&|part| is_bound(part)) => {
            if !found.contains(set) {
                found.push((*set).clone());
            }
        }
        Part::Test(Test::And(all)) => all.iter().take(1).for_each(|one| floods_asked(&Part::Test(one), found)),
        Part::Sets(Sets::If(test, ..)) | Part::Int(Int::If(test, ..)) => floods_asked(&Part::Test(test), found),
        Part::Test(Test::CanApply(_)) => {}
        part => part.parts(&mut |part| floods_asked(&part, found)),
    }
}

pub(super) fn shared_part<'a>(part: &'a PartMut<'_>) -> Part<'a> {
    match part {
        PartMut::Sets(sets) => Part::Sets(sets),
        PartMut::Int(int) => Part::Int(int),
        PartMut::Test(test) => Part::Test(test),
    }
}

/// Whether to work something out takes longer than to look it up.
fn worth(part: &Part<'_>) -> bool {
    match part {
        Part::Test(_) => false,
        Part::Sets(Sets::Const(_) | Sets::Slot(_) | Sets::Planes(..) | Sets::Memory(..)) => false,
        Part::Sets(Sets::One(site)) => worth(&Part::Int(site)),
        Part::Sets(_) => true,
        Part::Int(int) => match int {
            Int::Const(_) | Int::Slot(_) | Int::Cell(..) | Int::Turn | Int::Ply | Int::Next => false,
            Int::Step(_, inner)
            | Int::Negative(inner)
            | Int::Abs(inner)
            | Int::Opposite(inner)
            | Int::OppositeMask(inner)
            | Int::Bit(inner)
            | Int::OnlyBit(inner) => worth(&Part::Int(inner)),
            // A piece that is made where it is put is known to be one of a few.
            Int::Arithmetic(_, a, b) | Int::MaskAnd(a, b) | Int::MaskOr(a, b) | Int::Make(a, b) => {
                worth(&Part::Int(a)) || worth(&Part::Int(b))
            }
            _ => true,
        },
    }
}

fn walk_node(node: &mut Node, visit: &mut Visit<'_>) {
    // The node itself stays: only what is within can be shared with others. What it binds is bound there all the same.
    let mut root = true;
    let mut within =
        |part: &mut PartMut<'_>, bound: &Bound, looped: bool| std::mem::take(&mut root) || visit(part, bound, looped);
    let part = &mut match node {
        Node::Sets(sets) => PartMut::Sets(sets),
        Node::Int(int) => PartMut::Int(int),
    };
    walk(part, &Bound::default(), false, &mut within);
}

fn walk(part: &mut PartMut<'_>, bound: &Bound, looped: bool, visit: &mut Visit<'_>) {
    if !visit(part, bound, looped) {
        return;
    }
    let mut inner = bound.clone();
    match part {
        PartMut::Sets(Sets::Filter { slot, domain, test }) => {
            walk(&mut PartMut::Sets(domain), bound, looped, visit);
            inner.ints.push(*slot);
            return walk(&mut PartMut::Test(test), &inner, true, visit);
        }
        PartMut::Sets(Sets::Collect { slot, domain, test, body }) => {
            domain.parts_mut(&mut |mut part| walk(&mut part, bound, looped, visit));
            inner.ints.push(*slot);
            walk(&mut PartMut::Test(test), &inner, true, visit);
            return walk(&mut PartMut::Sets(body), &inner, true, visit);
        }
        PartMut::Int(Int::Reduce { slot, domain, test, body, .. } | Int::MaskCollect { slot, domain, test, body }) => {
            domain.parts_mut(&mut |mut part| walk(&mut part, bound, looped, visit));
            inner.ints.push(*slot);
            walk(&mut PartMut::Test(test), &inner, true, visit);
            return walk(&mut PartMut::Int(body), &inner, true, visit);
        }
        PartMut::Int(Int::MaskWhere { slot, domain, test }) => {
            walk(&mut PartMut::Int(domain), bound, looped, visit);
            inner.ints.push(*slot);
            return walk(&mut PartMut::Test(test), &inner, true, visit);
        }
        PartMut::Test(Test::Exists { slot, domain, test }) => {
            domain.parts_mut(&mut |mut part| walk(&mut part, bound, looped, visit));
            inner.ints.push(*slot);
            return walk(&mut PartMut::Test(test), &inner, true, visit);
        }
        PartMut::Sets(Sets::With { kept, .. }) | PartMut::Int(Int::With { kept, .. }) => match kept {
            Kept::Int(slot, _) => inner.ints.push(*slot),
            Kept::Sets(slot, _) => inner.sets.push(*slot),
        },
        PartMut::Test(Test::With { slot, .. }) => inner.ints.push(*slot),
        PartMut::Test(Test::WithSites { held, .. } | Test::OfNew { held, .. }) => inner.sets.push(*held),
        PartMut::Test(Test::CanApply(effects)) => {
            return effects.iter_mut().for_each(|effect| walk_effect(effect, bound, looped, visit));
        }
        _ => {}
    }
    let mut each = |mut part: PartMut<'_>| walk(&mut part, &inner, looped, visit);
    match part {
        PartMut::Sets(sets) => sets.parts_mut(&mut each),
        PartMut::Int(int) => int.parts_mut(&mut each),
        PartMut::Test(test) => test.parts_mut(&mut each),
    }
}

/// What an effect reads; of one for each member of a set the rest is read as often as there are members.
fn walk_effect(effect: &mut Effect, bound: &Bound, looped: bool, visit: &mut Visit<'_>) {
    if let Effect::Each { slot, domain, effect } = effect {
        domain.parts_mut(&mut |mut part| walk(&mut part, bound, looped, visit));
        let mut inner = bound.clone();
        inner.ints.push(*slot);
        return walk_effect(effect, &inner, true, visit);
    }
    effect.parts_mut(&mut |mut part| walk(&mut part, bound, looped, visit));
}

/// What is read before the next stage, and by its changes: behind one the state is another.
fn walk_generator(generator: &mut Generator, bound: &Bound, looped: bool, visit: &mut Visit<'_>) {
    let mut own = bound.clone();
    match generator {
        Generator::One | Generator::Repeat(..) => return,
        Generator::Stage(effects, _) => {
            return effects.iter_mut().for_each(|effect| walk_effect(effect, bound, looped, visit));
        }
        Generator::Leaf { slot, .. }
        | Generator::Fan { slot, .. }
        | Generator::Loop { slot, .. }
        | Generator::Let(slot, ..) => own.ints.push(*slot),
        Generator::LetSites(slot, ..) => own.sets.push(*slot),
        Generator::Test(..) | Generator::If(..) | Generator::Either(_) => {}
    }
    let looped_inside = match generator {
        // The domain is worked out once, what is asked of its members for each of them.
        Generator::Loop { domain, tests, .. } => {
            domain.parts_mut(&mut |mut part| walk(&mut part, bound, looped, visit));
            tests.iter_mut().for_each(|test| walk(&mut PartMut::Test(test), &own, true, visit));
            true
        }
        _ => {
            generator.own_mut(&mut |mut part| walk(&mut part, &own, looped, visit));
            looped
        }
    };
    generator.inner_mut().into_iter().for_each(|inner| walk_generator(inner, &own, looped_inside, visit));
}

/// Whether something is kept in a slot at this part for what it is made of.
pub(super) fn is_kept(part: &Part<'_>) -> bool {
    matches!(
        part,
        Part::Sets(Sets::With { .. })
            | Part::Int(Int::With { .. })
            | Part::Test(Test::With { .. } | Test::WithSites { .. })
    )
}

/// Puts what is kept in the place of the slots that are read for it, so that nothing is kept any more.
pub(super) fn unshare(mut part: PartMut<'_>) {
    part.parts_mut(&mut |part| unshare(part));
    match part {
        PartMut::Sets(set) => {
            if let Sets::With { kept, of } = set {
                put_kept(kept, PartMut::Sets(of));
                *set = std::mem::replace(of, nothing());
            }
        }
        PartMut::Int(int) => {
            if let Int::With { kept, of } = int {
                put_kept(kept, PartMut::Int(of));
                *int = std::mem::replace(of, Int::Const(NONE));
            }
        }
        PartMut::Test(test) => {
            if let Test::With { slot, value, test: of } = test {
                put_in(PartMut::Test(of), *slot, value);
                *test = std::mem::replace(of, Test::Const(false));
            } else if let Test::WithSites { held, value, test: of } = test {
                put_set(PartMut::Test(of), *held, value);
                *test = std::mem::replace(of, Test::Const(false));
            }
        }
    }
}

fn put_kept(kept: &Kept, part: PartMut<'_>) {
    match kept {
        Kept::Int(slot, value) => put_in(part, *slot, value),
        Kept::Sets(held, value) => put_set(part, *held, value),
    }
}
