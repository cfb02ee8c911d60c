//! A whole game lowered: planes, memory, turns, and one version of everything for each player.

use super::build::Ground;
use super::fuse::fuse;
use super::ir::{Part, Test, When};
use super::layout::Layout;
use super::lower::{Env, Lowered, Lowering, mask_of_directions};
use super::{
    EndOfTurn, FirstValue, ForMover, MAX_PARTS, MemoryInfo, Program, Reset, Section, Straight, TurnNode, Unsupported,
};
use super::{How, Slow, turns};
use crate::board::Board;
use crate::rules::{self, Content, DutyKind, KindId, MemoryId, NodeKind, PlayerId, Rules, Scope, Type};
use petgraph::graph::NodeIndex;
use std::cell::Cell;
use std::collections::HashMap;

/// Lowers checked rules.
pub fn compile(rules: &Rules) -> Result<Program, Unsupported> {
    let span = rules.turns.first().map(|turn| turn.span).or(rules.words.first().map(|word| word.span));
    let Some(span) = span else {
        return Err(Unsupported { what: "a game without turns", span: rules.graph[NodeIndex::new(0)].span });
    };
    let layout = Layout::of(&rules.board);
    let (planes, plane_of) = planes(rules);
    if planes.len() > 64 {
        return Err(Unsupported { what: "more kinds of pieces than fit a word", span });
    }
    let (memories, cell_count, set_count) = memories(rules, layout.positions);
    let (nodes, index) = turn_nodes(rules);
    let steady = rules.seats.is_none()
        && rules.turns.iter().flat_map(|turn| &turn.duties).all(|duty| !matches!(duty.kind, DutyKind::ExtraTurn));
    let rings = leads_back(&rules.board);
    let steps_lead_back = super::rows::steps_lead_back(&rules.board);
    let mut program = Program {
        planes: planes.clone(),
        plane_of: plane_of.clone(),
        memories: memories.clone(),
        cell_count,
        set_count,
        grown: 0,
        failed: 0,
        int_slots: MAX_PARTS,
        set_slots: 1,
        players: rules.players.len(),
        order: rules.order.clone(),
        by_mover: Vec::new(),
        parts: 0,
        nodes: Vec::new(),
        sections: Vec::new(),
        phase: rules.phase.and_then(|phase| memories.get(phase.0)).map(|place| place.base),
        seats: rules.seats.and_then(|seats| memories.get(seats.0)).map(|place| place.base),
        end_of_turn: end_of_turn(rules, &memories),
        repetition: rules.repetition,
        recalls: false,
        clock: false,
        at_once: rules.endings.iter().any(|ending| ending.at_once),
        asks_on: false,
        once: Vec::new(),
        plain: Vec::new(),
        straight: Vec::new(),
        slow: Vec::new(),
        layout,
    };
    program.sections = rules
        .turns
        .iter()
        .map(|turn| Section { of: turn.of, entry: index.get(&turn.entry).copied().unwrap_or(0), whole: turn.whole })
        .collect();
    for player in 0..rules.players.len() as u8 {
        let mover = PlayerId(player);
        let places: Vec<usize> = (0..rules.order.len()).filter(|at| rules.order[*at] == mover).collect();
        let next = match places.as_slice() {
            [at] if steady => rules.order.get((at + 1) % rules.order.len()).copied(),
            _ => None,
        };
        let mut lowering = Lowering {
            rules,
            layout: &program.layout,
            ground: Ground { all: program.layout.set(rules.board.all()), planes: all_planes(planes.len()) },
            planes: &planes,
            plane_of: &plane_of,
            memories: &memories,
            mover,
            next,
            nodes: &index,
            ints: 0,
            most_ints: MAX_PARTS as u16,
            sets: 0,
            most_sets: 1,
            steps_are_neighbours: steps_are_neighbours(&rules.board),
            rings,
            steps_lead_back,
            facts: super::overlay::Facts::new(),
            at: span,
            slow: Vec::new(),
            clock: Cell::new(false),
            recalls: false,
        };
        let (own, shape, recalls) = for_mover(&mut lowering, &nodes, &index)?;
        program.recalls |= recalls;
        program.int_slots = program.int_slots.max(usize::from(lowering.most_ints) + 1);
        program.set_slots = program.set_slots.max(usize::from(lowering.most_sets) + 1);
        program.clock |= lowering.clock.get();
        for slow in lowering.slow {
            if !program.slow.contains(&slow) {
                program.slow.push(slow);
            }
        }
        program.by_mover.push(own);
        program.nodes = shape;
    }
    for call in program.by_mover.iter().flat_map(|own| &own.calls) {
        let slow = rules.moves.get(call.mv.0).map(|mv| Slow { how: How::Lists, span: mv.span });
        if let Some(slow) = slow.filter(|slow| call.may_repeat && !program.slow.contains(slow)) {
            program.slow.push(slow);
        }
    }
    for at in 0..program.sections.len() {
        let section = program.sections[at];
        program.sections[at].whole &= !turns::always_finished(&program, section.entry);
    }
    program.slow.sort_by_key(|slow| (slow.span.source, slow.span.start));
    program.parts = program.by_mover.iter().flat_map(|own| &own.calls).map(|call| call.parts.len()).max().unwrap_or(0);
    let lost = program.by_mover.iter().flat_map(|own| &own.calls).fold(0, |all, call| all | call.takes);
    fuse(&mut program, rings, lost);
    program.once = (0..program.nodes.len()).map(|node| turns::calls_once(&program, node as u16, &|_| true)).collect();
    program.plain = (0..program.nodes.len())
        .map(|node| turns::calls_once(&program, node as u16, &|call| !call.may_repeat))
        .collect();
    program.straight = (0..program.nodes.len())
        .map(|node| {
            let mut straight = Straight::default();
            turns::straighten(&program.nodes, node as u16, &mut Vec::new(), &mut straight).then_some(straight)
        })
        .collect();
    let asks = |test: &Test| Part::Test(test).asks(&|part| matches!(part, Part::Test(Test::Possible(_))));
    program.asks_on = program.by_mover.iter().any(|own| {
        own.endings.iter().map(|ending| &ending.condition).chain(own.ties.iter().map(|tie| &tie.1)).any(asks)
    });
    Ok(program)
}

fn all_planes(count: usize) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

fn planes(rules: &Rules) -> (Vec<Content>, Vec<Vec<u8>>) {
    let mut planes = vec![Content::EMPTY];
    let players = rules.players.len();
    let mut plane_of = Vec::new();
    for (kind, info) in rules.kinds.iter().enumerate() {
        let mut row = vec![0u8; players + 1];
        let owners = if info.neutral { players..players + 1 } else { 0..players };
        for owner in owners {
            row[owner] = planes.len().min(255) as u8;
            let owner = (owner < players).then_some(PlayerId(owner as u8));
            planes.push(Content::piece(KindId(kind as u8), owner));
        }
        plane_of.push(row);
    }
    (planes, plane_of)
}

fn memories(rules: &Rules, positions: usize) -> (Vec<MemoryInfo>, usize, usize) {
    let (mut cells, mut sets) = (0, 0);
    let places = rules
        .memories
        .iter()
        .map(|memory| {
            let count = match memory.scope {
                Scope::Game => 1,
                Scope::Player => rules.players.len(),
                Scope::Site => rules.board.len(),
            };
            let sites = memory.ty == Type::Sites;
            let next = if sites { &mut sets } else { &mut cells };
            let base = *next as u16;
            // Entries for sites stand at the positions of the sites.
            let count = if memory.scope == Scope::Site { positions } else { count };
            *next += count;
            MemoryInfo {
                sites,
                base,
                count: count as u16,
                counted: memory.declared && !memory.each_turn,
                each_turn: memory.each_turn,
            }
        })
        .collect();
    (places, cells, sets)
}

fn end_of_turn(rules: &Rules, memories: &[MemoryInfo]) -> Vec<EndOfTurn> {
    let place = |memory: &MemoryId| memories.get(memory.0).copied();
    let mut all = Vec::new();
    for chronicle in &rules.chronicles {
        match chronicle {
            rules::Chronicle::Without { seen, count, .. } => {
                if let (Some(seen), Some(count)) = (place(seen), place(count)) {
                    all.push(EndOfTurn::Without { seen: seen.base, count: count.base });
                }
            }
            rules::Chronicle::Carry { from, to } => {
                if let (Some(from), Some(to)) = (place(from), place(to)) {
                    all.push(if from.sites {
                        EndOfTurn::CarrySet { from: from.base, to: to.base }
                    } else {
                        EndOfTurn::CarryCell { from: from.base, to: to.base }
                    });
                }
            }
            rules::Chronicle::Happened { .. }
            | rules::Chronicle::Part { .. }
            | rules::Chronicle::LastTo { .. }
            | rules::Chronicle::It { .. } => {}
        }
    }
    all
}

/// The nodes of turns and patterns, numbered.
fn turn_nodes(rules: &Rules) -> (Vec<NodeIndex>, HashMap<NodeIndex, u16>) {
    let nodes: Vec<NodeIndex> = rules
        .graph
        .node_indices()
        .filter(|node| {
            matches!(
                rules.graph[*node].kind,
                NodeKind::Turn
                    | NodeKind::Fork
                    | NodeKind::Prefer
                    | NodeKind::Guard { .. }
                    | NodeKind::Call(_)
                    | NodeKind::End
            )
        })
        .collect();
    let index = nodes.iter().enumerate().map(|(at, node)| (*node, at as u16)).collect();
    (nodes, index)
}

fn for_mover(
    lowering: &mut Lowering<'_>,
    nodes: &[NodeIndex],
    index: &HashMap<NodeIndex, u16>,
) -> Lowered<(ForMover, Vec<TurnNode>, bool)> {
    let rules = lowering.rules;
    let mut own = ForMover::default();
    let mut shape = Vec::new();
    let place = |node: NodeIndex| index.get(&node).copied().unwrap_or(u16::MAX);
    let mut calls = Vec::new();
    for node in nodes {
        let next: Vec<u16> =
            rules.ways(*node).into_iter().map(|(_, next)| place(next)).filter(|next| *next != u16::MAX).collect();
        shape.push(match &rules.graph[*node].kind {
            NodeKind::End => TurnNode::End,
            NodeKind::Prefer => TurnNode::Prefer(next),
            NodeKind::Guard { condition, holds } => {
                lowering.begin(0);
                // Inside moves there are guards too; they read parts and belong to the moves.
                let test = lowering.holds(condition, &Env::new())?;
                own.guards.push(if *holds { test } else { super::build::not(test) });
                TurnNode::Guard((own.guards.len() - 1) as u16, next)
            }
            NodeKind::Call(call) => {
                own.calls.push(lowering.call(*node, call, &place)?);
                calls.push(call);
                TurnNode::Call((own.calls.len() - 1) as u16)
            }
            _ => TurnNode::Fork(next),
        });
    }
    for turn in &rules.turns {
        lowering.begin(0);
        own.duties.push(turn.duties.iter().map(|duty| lowering.duty(duty, &calls)).collect::<Lowered<_>>()?);
    }
    for duty in own.duties.iter_mut().flatten() {
        if let super::DutyKind::MustMost(number, leave) = &mut duty.kind {
            *leave = own.calls.iter().map(|call| turns::ends_and_leaves(&shape, call, number)).collect();
        }
    }
    // Lines of `end` may ask for earlier positions too, but not of states that are tried.
    let recalls = lowering.recalls;
    lowering.begin(0);
    for (line, ending) in rules.endings.iter().enumerate() {
        own.endings.extend(lowering.ending(line, ending)?);
    }
    own.scores = lowering.scores()?;
    for (favoured, guard) in &rules.ties {
        let favoured = lowering.expr(favoured, &Env::new())?;
        let guard = lowering.guard(guard.as_ref(), &Env::new())?;
        own.ties.push((lowering.mask_of(favoured), guard));
    }
    for (memory, info) in rules.memories.iter().enumerate() {
        let Some(place) = lowering.memories.get(memory).copied().filter(|place| place.each_turn) else { continue };
        let value = lowering.expr(&info.first, &Env { when: When::Now, ..Env::new() })?;
        let value = if place.sites {
            FirstValue::Sets(lowering.sets_of(value))
        } else {
            FirstValue::Int(lowering.stored(info.ty, value))
        };
        own.resets.push(Reset { place, value });
    }
    Ok((own, shape, recalls))
}

fn steps_are_neighbours(board: &Board) -> bool {
    board.all().iter().all(|site| {
        let mut count = 0;
        let reached = board.directions().iter().filter_map(|way| board.step(site, way)).inspect(|_| count += 1);
        let reached: crate::board::SiteSet = reached.collect();
        reached == board.neighbours(site)
            && count == reached.len()
            && board.neighbours(site).iter().all(|other| board.neighbours(other).contains(site))
    }) && mask_of_directions(board.directions()) != 0
}

/// Whether steps in one direction, or in different ones, can come to the same site.
fn leads_back(board: &Board) -> bool {
    board.all().iter().any(|site| {
        board.compass().iter().any(|way| {
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
            let mut seen = crate::board::SiteSet::EMPTY;
            board.compass().iter().filter_map(|way| board.step(site, way)).any(|next| {
                let again = seen.contains(next);
                seen.insert(next);
                again
            })
        })
    }
}
