//! A whole game lowered: planes, memory, turns, and one version of everything for each player.

use super::fuse::fuse;
use super::ir::{Domain, Int, Part, Sets, Test, When};
use super::layout::Layout;
use super::lower::{Env, FrameSize, Lowered, Lowering};
use super::numbering::{Memories, Planes};
use super::turn_places::{Place, Places, Said};
use super::ways::Ways;
use super::{
    DutyKind, FirstValue, ForMover, How, MAX_PARTS, Program, Reset, Section, Slow, Straight, TurnNode, Unsupported,
    narrow::narrow, turns,
};
use crate::rules::{self, MemoryId, PlayerId, Rules};
use crate::source::Span;
use petgraph::graph::NodeIndex;

/// What is the same for all players.
pub(super) struct Shared<'r> {
    pub rules: &'r Rules,
    pub layout: Layout,
    pub planes: Planes,
    pub memories: Memories,
    pub places: Places<'r>,
    pub ways: Ways,
    /// What is said to be unsupported where nothing narrower is to blame.
    pub span: Span,
}

/// Lowers checked rules.
pub fn compile(rules: &Rules) -> Result<Program, Unsupported> {
    let shared = Shared::of(rules)?;
    let mut program = shared.program();
    for player in (0..).map(PlayerId).take(rules.players.len()) {
        shared.add_player(player, &mut program)?;
    }
    program.note_lists(rules);
    program.note_members(rules);
    program.decide_whole_turns(rules);
    program.slow.sort_by_key(|slow| (slow.span.source, slow.span.start));
    program.parts = program.calls().map(|call| call.parts.len()).max().unwrap_or(0);
    let lost = program.calls().fold(0, |all, call| all | call.takes);
    fuse(&mut program, shared.ways.rings, lost, shared.span)?;
    program.tell_of_places();
    Ok(program)
}

impl<'r> Shared<'r> {
    fn of(rules: &'r Rules) -> Result<Self, Unsupported> {
        let span = rules.turns.first().map(|turn| turn.span).or(rules.words.first().map(|word| word.span));
        let Some(span) = span else {
            return Err(Unsupported { what: "a game without turns".into(), span: rules.graph[NodeIndex::new(0)].span });
        };
        let layout = Layout::of(&rules.board);
        let planes = Planes::of(rules, span)?;
        Ok(Self {
            rules,
            memories: Memories::of(rules, layout.positions, planes.contents.len())?,
            planes,
            places: Places::of(rules, span)?,
            ways: Ways::of(&rules.board),
            layout,
            span,
        })
    }

    /// A program without any player.
    fn program(&self) -> Program {
        let rules = self.rules;
        let base = |memory: Option<rules::MemoryId>| self.memories.place(memory?).map(|place| place.base);
        let section = |turn: &rules::Turn| Section {
            of: turn.of,
            entry: self.places.number.get(&turn.entry).copied().unwrap_or(0),
            whole: turn.whole,
        };
        Program {
            layout: self.layout.clone(),
            planes: self.planes.contents.clone(),
            plane_of: self.planes.of.clone(),
            memories: self.memories.places.clone(),
            cell_count: self.memories.cells,
            stacks: self.memories.stacks,
            set_count: self.memories.sets,
            grown: 0,
            failed: 0,
            int_slots: MAX_PARTS,
            set_slots: 1,
            players: rules.players.len(),
            order: rules.order.clone(),
            opening: rules.opening,
            by_mover: Vec::new(),
            parts: 0,
            nodes: Vec::new(),
            sections: rules.turns.iter().map(section).collect(),
            phase: base(rules.phase),
            seats: base(rules.seats),
            left: base(rules.left),
            end_of_turn: self.memories.end_of_turn(rules),
            repetition: rules.repetition,
            recalls: false,
            clock: false,
            at_once: rules.endings.iter().any(|ending| ending.at_once),
            asks_on: false,
            once: Vec::new(),
            plain: Vec::new(),
            straight: Vec::new(),
            chances: Vec::new(),
            slow: Vec::new(),
        }
    }

    /// The player after one, where that is the same in every turn of his.
    pub fn next_player(&self, mover: PlayerId) -> Option<PlayerId> {
        let rules = self.rules;
        let extra = |duty: &rules::Duty| matches!(duty.kind, rules::DutyKind::ExtraTurn | rules::DutyKind::NextTurn(_));
        if rules.seats.is_some() || rules.left.is_some() || rules.turns.iter().flat_map(|turn| &turn.duties).any(extra)
        {
            return None;
        }
        let places: Vec<usize> = (0..rules.order.len()).filter(|at| rules.order[*at] == mover).collect();
        let [at] = places.as_slice() else { return None };
        rules.order.get(rules.place_behind(*at)).copied()
    }

    /// Lowers everything once more for another player.
    fn add_player(&self, mover: PlayerId, program: &mut Program) -> Result<(), Unsupported> {
        let mut lowering = Lowering::of(self, mover, self.next_player(mover));
        let (own, nodes) = lowering.player(&self.places)?;

        let slots = lowering.slots(self.span)?;
        program.recalls |= lowering.moves_recall;
        program.int_slots = program.int_slots.max(slots.ints + 1);
        program.set_slots = program.set_slots.max(slots.sets + 1);
        program.clock |= lowering.clock.get();
        for slow in lowering.slow.into_iter().filter(|slow| !lowering.mended.contains(slow)) {
            program.note(slow);
        }
        program.by_mover.push(own);
        program.nodes = nodes;
        Ok(())
    }
}

impl<'r> Lowering<'r> {
    /// Everything that one player reads, and the nodes of turns.
    fn player(&mut self, places: &'r Places<'r>) -> Lowered<(ForMover, Vec<TurnNode>)> {
        let mut own = ForMover::default();
        let (nodes, calls) = self.nodes(places, &mut own)?;
        self.after_turns(&mut own)?;
        let whole = self.rules.turns.iter().find(|turn| turn.whole);
        if let Some(turn) = whole {
            self.finishes(&nodes, &mut own, turn.span)?;
            self.close(&nodes, &mut own, turn.span)?;
        }
        for turn in &self.rules.turns {
            self.begin(FrameSize::default());
            own.duties.push(turn.duties.iter().map(|duty| self.duty(duty, &calls)).collect::<Lowered<_>>()?);
        }
        for duty in own.duties.iter_mut().flatten() {
            if let DutyKind::MustMost(number, leave) = &mut duty.kind {
                *leave = turns::that_leave(&nodes, &own.calls, number);
            }
        }
        // Lines of `end` may ask for earlier positions too, but not of states that are tried.
        self.moves_recall = self.recalls;
        self.ends(&mut own)?;
        own.resets = self.resets()?;
        Ok((own, nodes))
    }

    /// The nodes of turns, with the guards and calls that stand there.
    fn nodes(&mut self, places: &'r Places<'r>, own: &mut ForMover) -> Lowered<(Vec<TurnNode>, Vec<&'r rules::Call>)> {
        let (mut nodes, mut calls) = (Vec::new(), Vec::new());
        for place in &places.all {
            nodes.push(self.turn_node(place, own)?);
            if let Said::Call(call) = place.says {
                calls.push(call);
            }
        }
        Ok((nodes, calls))
    }

    /// One node of a turn, with the guard or call that stands there.
    pub fn turn_node(&mut self, place: &'r Place<'r>, own: &mut ForMover) -> Lowered<TurnNode> {
        let span = || self.rules.graph.node_weight(place.node).map_or_else(Span::default, |node| node.span);
        Ok(match place.says {
            Said::End => TurnNode::End,
            Said::Prefer => TurnNode::Prefer(place.next.clone()),
            Said::Turn | Said::Fork => TurnNode::Fork(place.next.clone()),
            Said::Guard(condition, holds) => {
                let at = narrow(own.guards.len(), "more conditions in turns than can be numbered", span())?;
                self.begin(FrameSize::default());
                let test = self.holds(condition, &Env::new())?;
                own.guards.push(if holds { test } else { super::build::not(test) });
                TurnNode::Guard(at, place.next.clone())
            }
            Said::Call(call) => {
                let at = narrow(own.calls.len(), "more calls of moves than can be numbered", span())?;
                own.calls.push(self.call(place, call)?);
                TurnNode::Call(at)
            }
        })
    }

    /// What is done after each turn, as one more call.
    fn after_turns(&mut self, own: &mut ForMover) -> Lowered<()> {
        let Some(id) = self.rules.after_turn else { return Ok(()) };
        let span = self.rules.moves.get(id.0).map_or_else(Span::default, |mv| mv.span);
        own.after_turn = Some(narrow(own.calls.len(), "more calls of moves than can be numbered", span)?);
        own.calls.push(self.after_turn(id, span)?);
        Ok(())
    }

    /// The lines of `end`, with what they count.
    fn ends(&mut self, own: &mut ForMover) -> Lowered<()> {
        self.begin(FrameSize::default());
        for (line, ending) in self.rules.endings.iter().enumerate() {
            own.endings.extend(self.ending(line, ending)?);
        }
        own.kept = self.shared_lines(&mut own.endings);
        own.scores = self.scores()?;
        for (favoured, guard) in &self.rules.ties {
            self.at = favoured.span;
            let favoured = self.expr(favoured, &Env::new())?;
            let guard = self.guard(guard.as_ref(), &Env::new())?;
            let favoured = self.mask_of(favoured);
            own.ties.push((self.shared_int(favoured), self.shared_test(guard)));
        }
        Ok(())
    }

    /// First values of what belongs to a turn. What is remembered of the turn before is taken over before anything begins
    /// afresh.
    fn resets(&mut self) -> Lowered<Vec<Reset>> {
        let rules = self.rules;
        let each_turn = rules.memories.iter().zip(self.memories).zip(0..).filter(|((_, place), _)| place.each_turn);
        let mut of_turn: Vec<_> =
            each_turn.map(|((info, place), id)| (info, place, rules.carried_from(MemoryId(id)))).collect();
        of_turn.sort_by_key(|(_, _, from)| from.is_none());
        let mut resets = Vec::new();
        for (info, place, from) in of_turn {
            let value = match from {
                Some(from) => self.recall(from, None, When::Now, info.span)?,
                None => self.expr(&info.first, &Env::new())?,
            };
            let value = if place.sites {
                FirstValue::Sets(self.sets_of(value))
            } else {
                FirstValue::Int(self.stored(info.ty, value))
            };
            resets.push(Reset { place: *place, value });
        }
        Ok(resets)
    }
}

impl Program {
    fn calls(&self) -> impl Iterator<Item = &super::Call> {
        self.by_mover.iter().flat_map(|own| &own.calls)
    }

    fn note(&mut self, slow: Slow) {
        if !self.slow.contains(&slow) {
            self.slow.push(slow);
        }
    }

    /// Notes the moves whose plies must be compared.
    fn note_lists(&mut self, rules: &Rules) {
        let compared = self.calls().filter(|call| call.may_repeat).filter_map(|call| rules.moves.get(call.mv.0));
        let lists: Vec<Slow> = compared.map(|mv| Slow { how: How::Lists, span: mv.span, because: None }).collect();
        lists.into_iter().for_each(|slow| self.note(slow));
    }

    /// Notes the lines of `end` that go through the sites of a set.
    fn note_members(&mut self, rules: &Rules) {
        let is_slow = |part: &Part<'_>| match part {
            Part::Test(Test::Exists { domain, .. })
            | Part::Int(Int::Reduce { domain, .. } | Int::MaskCollect { domain, .. })
            | Part::Sets(Sets::Collect { domain, .. }) => matches!(**domain, Domain::Sites(_)),
            _ => false,
        };
        let endings = self.by_mover.iter().flat_map(|own| &own.endings);
        let slow = endings.filter(|ending| asks_all(&Part::Test(&ending.condition), &is_slow));
        let lines = slow.filter_map(|ending| rules.endings.get(ending.line)).map(|ending| ending.span);
        let notes: Vec<Slow> = lines.map(|span| Slow { how: How::Members, span, because: None }).collect();
        notes.into_iter().for_each(|slow| self.note(slow));
    }

    /// Turns that can be finished whatever is played need not be tried to their ends.
    fn decide_whole_turns(&mut self, rules: &Rules) {
        for (at, turn) in rules.turns.iter().enumerate() {
            let Some(section) = self.sections.get(at).copied().filter(|section| section.whole) else { continue };
            if !turns::always_finished(self, section.entry) {
                self.note(Slow { how: How::Turns, span: turn.span, because: None });
            } else if let Some(section) = self.sections.get_mut(at) {
                section.whole = false;
            }
        }
    }

    /// What is known of every place in a turn.
    fn tell_of_places(&mut self) {
        let places = || (0u16..).take(self.nodes.len());
        let once = places().map(|node| turns::calls_once(self, node, &|_| true)).collect();
        let plain = places().map(|node| turns::calls_once(self, node, &|call| !call.may_repeat)).collect();
        let straight = places().map(|node| {
            let mut straight = Straight::default();
            turns::straighten(&self.nodes, node, &mut Vec::new(), &mut straight).then_some(straight)
        });
        let straight = straight.collect();
        if self.calls().any(|call| call.chance) {
            self.chances = places().map(|node| turns::chances(self, node)).collect();
        }
        let asks = |test: &Test| Part::Test(test).asks(&|part| matches!(part, Part::Test(Test::Possible { .. })));
        self.asks_on = self.by_mover.iter().any(|own| {
            own.endings.iter().map(|ending| &ending.condition).chain(own.ties.iter().map(|tie| &tie.1)).any(asks)
        });
        (self.once, self.plain, self.straight) = (once, plain, straight);
    }
}

/// Whether an instruction, or one within it, is of a kind, but for what is asked of new members only.
fn asks_all(part: &Part<'_>, wanted: &dyn Fn(&Part<'_>) -> bool) -> bool {
    let mut found = wanted(part);
    if !matches!(part, Part::Test(Test::OfNew { .. })) {
        part.parts(&mut |part| found = found || asks_all(&part, wanted));
    }
    found
}
