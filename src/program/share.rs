//! What a search for plies, or a test, works out more than once is worked out before and kept in a slot.

use super::build::*;
use super::ir::*;
use super::lower::Lowering;
use super::{Generator, Step};

/// Larger rules are left as they are: to look for what they share would take longer than it saves.
const MAX_SIZE: usize = 4_000;

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

    fn size(&self) -> usize {
        match self {
            Self::Sets(sets) => sets.size(),
            Self::Int(int) => int.size(),
        }
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
    pub fn shared_generator(&mut self, generator: Generator) -> Generator {
        match generator {
            mut whole @ (Generator::Leaf { .. } | Generator::Fan { .. } | Generator::Loop { .. }) => {
                let kept = self.keep_shared(&mut |visit| walk_generator(&mut whole, &Bound::default(), false, visit));
                let whole = whole.map_inner(&mut |inner| self.shared_generator(inner));
                kept.into_iter().fold(whole, |inner, (slot, node)| match node {
                    Node::Sets(set) => Generator::LetSites(slot, set, Box::new(inner)),
                    Node::Int(int) => Generator::Let(slot, int, Box::new(inner)),
                })
            }
            other => other.map_inner(&mut |inner| self.shared_generator(inner)),
        }
    }

    /// The same for a test.
    pub fn shared_test(&mut self, mut test: Test) -> Test {
        let kept = self.keep_shared(&mut |visit| walk(&mut PartMut::Test(&mut test), &Bound::default(), false, visit));
        kept.into_iter().fold(test, |test, (slot, node)| {
            let test = Box::new(test);
            match node {
                Node::Sets(set) => Test::WithSites { slot, value: set, test },
                Node::Int(int) => Test::With { slot, value: Box::new(int), test },
            }
        })
    }

    /// The changes of a stage, and before them what they have in common.
    pub fn shared_effects(&mut self, effects: Vec<Effect>) -> Vec<Step> {
        let mut effects = effects;
        let kept = self.keep_shared(&mut |visit| {
            effects.iter_mut().for_each(|effect| walk_effect(effect, &Bound::default(), false, visit));
        });
        let known = kept.into_iter().rev().map(|(slot, node)| match node {
            Node::Sets(set) => Step::LetSites(slot, set),
            Node::Int(int) => Step::Let(slot, int),
        });
        known.chain([Step::Change(effects)]).collect()
    }

    /// Puts slots in the place of what is shared; what they hold, the last to be worked out first.
    fn keep_shared(&mut self, root: &mut dyn FnMut(&mut Visit<'_>)) -> Vec<(u16, Node)> {
        let mut kept: Vec<(u16, Node)> = Vec::new();
        while kept.len() < MAX_KEPT {
            let mut found: Vec<(Node, usize)> = Vec::new();
            let mut size = 0;
            let mut gather = |part: &mut PartMut<'_>, bound: &Bound, looped: bool| {
                size += 1;
                let part = shared_part(part);
                if size <= MAX_SIZE && worth(&part) && !bound.read_by(&part) {
                    let weight = if looped { 2 } else { 1 };
                    if let Some(node) = Node::of(&part) {
                        match found.iter_mut().find(|(known, _)| *known == node) {
                            Some((_, times)) => *times += weight,
                            None => found.push((node, weight)),
                        }
                    }
                }
                size <= MAX_SIZE
            };
            root(&mut gather);
            for (_, node) in &mut kept {
                walk_node(node, &mut gather);
            }
            if size > MAX_SIZE {
                break;
            }
            let largest = found.into_iter().filter(|(_, times)| *times > 1).max_by_key(|(node, _)| node.size());
            let Some((node, _)) = largest else { break };
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

fn shared_part<'a>(part: &'a PartMut<'_>) -> Part<'a> {
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
            Int::Arithmetic(_, a, b) | Int::MaskAnd(a, b) | Int::MaskOr(a, b) => {
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
        PartMut::Test(Test::With { slot, .. }) => inner.ints.push(*slot),
        PartMut::Test(Test::WithSites { slot, .. } | Test::OfNew { slot, .. }) => inner.sets.push(*slot),
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

/// What is read before the next stage: behind one the state is another.
fn walk_generator(generator: &mut Generator, bound: &Bound, looped: bool, visit: &mut Visit<'_>) {
    let mut own = bound.clone();
    match generator {
        Generator::One | Generator::Stage(..) | Generator::Repeat(..) => return,
        Generator::Leaf { slot, .. }
        | Generator::Fan { slot, .. }
        | Generator::Loop { slot, .. }
        | Generator::Let(slot, ..) => own.ints.push(*slot),
        Generator::LetSites(slot, ..) => own.sets.push(*slot),
        Generator::Test(..) | Generator::If(..) => {}
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
