//! What an expression may come to: how deep it is with its words put in, and an upper bound on its steps, so that no
//! accepted file exhausts a stack or seems to hang.

use super::Checker;
use crate::board::Board;
use crate::diagnostic::{Code, Diagnostic};
use crate::rules::catalogue::{Id, Primitive};
use crate::rules::*;
use crate::source::Span;
use petgraph::graph::NodeIndex;
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Levels of an expression with the words put in that it asks for. Both engines, the lowering and the checker recurse on
/// them within the stack of an ordinary thread.
pub(super) const MAX_LEVELS: usize = 64;
/// Levels of the text that the checker may be within, words that it looks up on the way included.
pub(super) const MAX_OPEN: usize = 2 * MAX_LEVELS;
/// More steps than this in one question would look like a program that hangs.
pub(super) const MAX_COST: u64 = 10_000_000_000;
/// From so many steps on a clause is slow enough for its author to be told.
const SLOW: u64 = 100_000_000;

/// What is known of a word by whoever asks for it.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    levels: usize,
    /// Asked with single values, or with sets.
    one: Size,
    many: Size,
}

/// At most how many steps a value takes, how many members it has, and how large its number is.
#[derive(Clone, Copy)]
struct Size {
    steps: u64,
    members: u64,
    most: u64,
}

/// How large a board is.
#[derive(Clone, Copy, Default)]
pub(super) struct Extent {
    sites: u64,
    /// Sites of its longest line.
    longest: u64,
    /// Sites on all lines from one site together.
    star: u64,
    /// Of one site.
    neighbours: u64,
    directions: u64,
    /// Steps from one site to any other.
    across: u64,
}

impl Extent {
    fn of(board: &Board) -> Self {
        let sites = board.len() as u64;
        let longest = board.lines().iter().map(Vec::len).max().map_or(sites, |length| length as u64);
        let line = |site, way| {
            let steps = std::iter::successors(board.step(site, way), |at| board.step(*at, way));
            steps.take(board.len()).count() as u64
        };
        let star = |site| board.ways().iter().map(|way| line(site, way)).sum::<u64>();
        let middle = board.centre().iter().next().or_else(|| board.all().iter().next());
        let from = |middle| board.all().iter().map(|site| board.distance(middle, site).map_or(sites, u64::from)).max();
        Self {
            sites,
            longest,
            star: board.all().iter().map(star).max().unwrap_or(0),
            neighbours: board.all().iter().map(|site| board.neighbours(site).len() as u64).max().unwrap_or(0),
            directions: board.ways().len() as u64,
            across: middle.and_then(from).map_or(sites, |half| (2 * half).min(sites)),
        }
    }
}

/// What a clause of the rules takes in one ply, at most.
struct Clause {
    span: Span,
    /// The steps of asking it once, and how often it is asked.
    once: u64,
    times: u64,
    /// The sets that are gone through to answer it where that takes long, each within those before it, with their members.
    through: Vec<(Span, u64)>,
    /// It changes something, and nothing is asked behind it: it is done for the ply that is played alone, unless it may fail.
    last: bool,
}

impl Clause {
    fn steps(&self) -> u64 {
        self.once.saturating_mul(self.times)
    }

    /// The steps where what is done at the end of a move is done once.
    fn steps_if_last_once(&self) -> u64 {
        if self.last { self.once } else { self.steps() }
    }
}

/// What words come to with arguments of some sizes, as far as that was asked for.
type Asked = RefCell<HashMap<(WordId, Vec<u64>), Size>>;

/// Of more words with arguments of other sizes it is not worked out what they come to.
const MOST_ASKED: usize = 10_000;

/// Expressions measured where some names are known.
struct Measure<'c> {
    rules: &'c Rules,
    words: &'c [Bounds],
    asked: &'c Asked,
    extent: Extent,
    /// At most how many members a definition or a parameter has; any other name stands for a single value.
    locals: BTreeMap<Local, u64>,
    /// At most how far from nothing the numbers are that are picked or defined.
    numbers: BTreeMap<Local, u64>,
}

impl Measure<'_> {
    fn sites(&self) -> u64 {
        self.extent.sites
    }

    fn word(&self, word: WordId, args: &[Expr]) -> Option<Size> {
        let bounds = self.words.get(word.0)?;
        let members: Vec<u64> = args.iter().map(|arg| self.members(arg)).collect();
        if members.iter().all(|members| *members <= 1) {
            return Some(bounds.one);
        }
        let key = (word, members);
        if let Some(known) = self.asked.borrow().get(&key) {
            return Some(*known);
        }
        let body = self.rules.words.get(word.0).map(|word| &word.body);
        let Some(body) = body.filter(|_| self.asked.borrow().len() < MOST_ASKED) else { return Some(bounds.many) };
        let locals = key.1.iter().enumerate().map(|(local, members)| (Local(local), *members)).collect();
        let size = Measure { locals, numbers: BTreeMap::new(), ..*self }.size(body);
        self.asked.borrow_mut().insert(key, size);
        Some(size)
    }

    fn size(&self, expr: &Expr) -> Size {
        Size { steps: self.steps(expr), members: self.members(expr), most: self.most(expr) }
    }

    /// At most how many steps an expression takes: what stands beside a set that is gone through is done for every member.
    fn steps(&self, expr: &Expr) -> u64 {
        if let ExprKind::If { condition, then, otherwise } = &expr.kind {
            return self.steps(condition).saturating_add(self.steps(then).max(self.steps(otherwise)));
        }
        let (mut once, mut each, mut times) = (0u64, self.own_steps(expr), 1);
        expr.kind.visit(&mut |part, role| match role {
            Role::Domain => (once, times) = (self.steps(part), self.members(part)),
            Role::Operand | Role::Condition => each = each.saturating_add(self.steps(part)),
        });
        once.saturating_add(times.saturating_mul(each))
    }

    /// An expression that is asked so many times.
    fn asked(&self, expr: &Expr, times: u64) -> Clause {
        self.clause_of(expr, self.steps(expr), times)
    }

    /// A clause, with the sets that make it slow.
    fn clause_of(&self, expr: &Expr, once: u64, times: u64) -> Clause {
        let mut clause = Clause { span: expr.span, once, times, through: Vec::new(), last: false };
        if clause.steps() > SLOW {
            self.go_through(expr, &mut clause.through);
        }
        clause
    }

    /// The sets that are gone through where most of the steps of an expression are taken, the outermost first.
    fn go_through(&self, expr: &Expr, found: &mut Vec<(Span, u64)>) {
        let (mut domain, mut within) = (None, Vec::new());
        expr.kind.visit(&mut |part, role| match role {
            Role::Domain => domain = Some((self.steps(part), part)),
            Role::Operand | Role::Condition => within.push((self.steps(part), part)),
        });
        let mut gone_through = domain.map(|(_, domain)| (domain.span, self.members(domain)));
        if let ExprKind::Word(word, _) | ExprKind::Adjective { word, .. } = &expr.kind {
            let body = self.rules.words.get(word.0).map(|word| (self.own_steps(expr), &word.body));
            within.extend(body);
            if matches!(expr.kind, ExprKind::Adjective { .. }) {
                gone_through = Some((expr.span, self.sites()));
            }
        }
        let times = gone_through.map_or(1, |(_, members)| members);
        let heaviest = within.into_iter().max_by_key(|(steps, _)| *steps);
        match (domain, heaviest) {
            (Some((steps, domain)), within)
                if within.is_none_or(|(within, _)| times.saturating_mul(within) < steps) =>
            {
                self.go_through(domain, found);
            }
            (_, Some((_, part))) => {
                found.extend(gone_through.filter(|(_, members)| *members > 1));
                self.go_through(part, found);
            }
            (_, None) => {}
        }
    }

    /// The steps of the word that an expression asks for; one where it asks for none.
    fn own_steps(&self, expr: &Expr) -> u64 {
        if let ExprKind::Word(word, args) = &expr.kind {
            self.word(*word, args).map_or(1, |size| size.steps)
        } else if let ExprKind::Adjective { word, .. } = &expr.kind {
            let each = self.words.get(word.0).map_or(1, |bounds| bounds.one.steps);
            self.sites().saturating_mul(each)
        } else {
            1
        }
    }

    /// At most how many of so many pass conditions: they are members of each set that these ask them to be in, too.
    fn fewest<'e>(&self, local: Local, members: u64, conditions: impl IntoIterator<Item = &'e Expr>) -> u64 {
        let asked = conditions.into_iter().flat_map(Expr::conjuncts);
        let among = asked.filter_map(|condition| condition.set_around(local));
        among.map(|set| self.members(set)).fold(members, u64::min)
    }

    /// At most how many members a set has.
    fn members(&self, expr: &Expr) -> u64 {
        if matches!(expr.kind.result(), Some(Type::Condition | Type::Number | Type::Piece | Type::List)) {
            return 1;
        }
        let least = |parts: &[Expr]| parts.iter().map(|part| self.members(part)).min().unwrap_or(0);
        match &expr.kind {
            ExprKind::Constant(Value::Range(range)) => range.map_or(0, |(low, high)| {
                high.saturating_sub(low).saturating_add(1).clamp(0, MAX_RANGE as i64).unsigned_abs()
            }),
            ExprKind::Constant(value) => value.members().len() as u64,
            ExprKind::Local(local) => self.locals.get(local).copied().unwrap_or(1),
            ExprKind::Range(low, high) => {
                let numbers = match low.kind {
                    ExprKind::Constant(Value::Number(Some(low @ 0..))) => {
                        self.most(high).saturating_sub(low.unsigned_abs())
                    }
                    _ => self.most(low).saturating_add(self.most(high)),
                };
                numbers.saturating_add(1).min(MAX_RANGE as u64)
            }
            ExprKind::Intersection(parts) => least(parts),
            ExprKind::Union(parts) => {
                parts.iter().fold(0u64, |sum, part| sum.saturating_add(self.members(part))).min(self.sites().max(16))
            }
            ExprKind::The(_) => 1,
            ExprKind::Before(inner) => self.members(inner),
            ExprKind::SetOf { local, domain, condition } => {
                self.fewest(*local, self.members(domain), condition.as_deref())
            }
            ExprKind::Each { body, domain, .. } => {
                self.members(domain).saturating_mul(self.members(body)).min(self.sites().max(16))
            }
            ExprKind::If { then, otherwise, .. } => self.members(then).max(self.members(otherwise)),
            ExprKind::Word(word, args) => self.word(*word, args).map_or(self.sites(), |size| size.members),
            ExprKind::Memory { memory, .. } => match self.rules.memories.get(memory.0).map(|memory| memory.ty) {
                Some(Type::Players) => MAX_PLAYERS as u64,
                _ => self.sites(),
            },
            ExprKind::Primitive(primitive, args) => self.of_primitive(primitive, args),
            // As many as there are of anything: an upper bound for a set of which no more is known.
            _ if expr.kind.result() == Some(Type::Sites) => self.sites(),
            _ => self.sites().max(16),
        }
    }

    /// At most how many members a word of the catalogue has: what starts from few sites comes to few.
    fn of_primitive(&self, primitive: &Primitive, args: &[Expr]) -> u64 {
        let (extent, board) = (self.extent, &self.rules.board);
        let from = args.iter().take(2).fold(1u64, |all, arg| all.saturating_mul(self.members(arg)));
        let first = args.first().map_or(1, |arg| self.members(arg));
        let players = (self.rules.players.len() as u64).max(1);
        let known = match primitive.id {
            Id::NextTo => first.saturating_mul(extent.neighbours),
            Id::Ahead | Id::Beyond => from,
            // Where it begins is no part of it.
            Id::Run | Id::AheadAll => {
                let line = extent.longest.saturating_sub(1).max(1);
                from.saturating_mul(line).min(first.saturating_mul(extent.star))
            }
            Id::Between => from.saturating_mul(extent.longest),
            Id::Corner => board.corners().len() as u64,
            Id::Edge => board.edge().len() as u64,
            Id::Centre => board.centre().len() as u64,
            Id::Row | Id::Column => extent.longest,
            Id::Direction => from,
            Id::Opposite | Id::Turned | Id::Facing | Id::PlayerAfter | Id::Owner | Id::Kind => first,
            Id::Mover | Id::Next | Id::Previous => 1,
            // Of the others no more is known than their type says.
            _ => u64::MAX,
        };
        known.min(match primitive.result {
            Type::Sites => extent.sites,
            Type::Directions => extent.directions,
            Type::Players => players,
            Type::Kinds => (self.rules.kinds.len() as u64).max(1),
            Type::Number | Type::Range | Type::Piece | Type::Choice | Type::Condition | Type::List | Type::Unknown => 1,
        })
    }

    /// At most how far from nothing a number is; what nothing is declared of counts sites.
    fn most(&self, expr: &Expr) -> u64 {
        match &expr.kind {
            ExprKind::Constant(Value::Number(number)) => number.map_or(0, i64::unsigned_abs),
            ExprKind::Memory { memory, .. } => self
                .rules
                .memories
                .get(memory.0)
                .and_then(|memory| memory.range)
                .map_or(self.sites(), |(low, high)| low.unsigned_abs().max(high.unsigned_abs())),
            ExprKind::Local(local) => self.numbers.get(local).copied().unwrap_or(self.sites()),
            ExprKind::Negative(inner) | ExprKind::Before(inner) => self.most(inner),
            ExprKind::Arithmetic(ArithmeticOp::Multiply, left, right) => {
                self.most(left).saturating_mul(self.most(right))
            }
            ExprKind::Arithmetic(ArithmeticOp::Add | ArithmeticOp::Subtract, left, right) => {
                self.most(left).saturating_add(self.most(right))
            }
            ExprKind::Arithmetic(ArithmeticOp::Divide, left, _) => self.most(left),
            ExprKind::Arithmetic(ArithmeticOp::Modulo, _, right) => self.most(right),
            ExprKind::Count(inner) => self.members(inner),
            ExprKind::If { then, otherwise, .. } => self.most(then).max(self.most(otherwise)),
            ExprKind::Reduce { reduce: Reduce::Sum, body, domain, .. } => {
                self.members(domain).saturating_mul(self.most(body))
            }
            ExprKind::Reduce { body, .. } => self.most(body),
            ExprKind::Word(word, args) => self.word(*word, args).map_or(self.sites(), |size| size.most),
            ExprKind::Primitive(primitive, args) => match primitive.id {
                Id::Distance => self.extent.across,
                Id::Max | Id::Min | Id::Abs => args.iter().map(|arg| self.most(arg)).max().unwrap_or(0),
                _ => self.sites(),
            },
            _ => self.sites(),
        }
    }

    /// At most how far from nothing a number of a range is.
    fn furthest(&self, range: &Expr) -> u64 {
        match &range.kind {
            ExprKind::Range(low, high) => self.most(low).max(self.most(high)),
            ExprKind::Constant(Value::Range(Some((low, high)))) => low.unsigned_abs().max(high.unsigned_abs()),
            _ => self.sites(),
        }
    }

    fn changes(&self, changes: &[Change]) -> u64 {
        let all = |parts: &[&Expr]| parts.iter().fold(1u64, |sum, part| sum.saturating_add(self.steps(part)));
        changes.iter().fold(0u64, |sum, change| {
            let guard = change.guard.as_ref();
            let once = all(&guard.into_iter().chain(change.kind.exprs()).collect::<Vec<_>>());
            let every = change.each.as_ref().map_or(once, |(_, domain)| {
                self.steps(domain).saturating_add(self.members(domain).saturating_mul(once))
            });
            sum.saturating_add(every)
        })
    }

    /// At most how many sites change where they are changed for each member of a set, each of them as often.
    fn changed(&self, changes: &[Change]) -> u64 {
        changes.iter().fold(0u64, |sum, change| {
            let times = change.each.as_ref().map_or(1, |(_, domain)| self.members(domain));
            let sites = change.kind.target().map_or(1, |target| self.members(target));
            sum.saturating_add(times.saturating_mul(sites))
        })
    }
}

impl Checker<'_> {
    /// How deep an expression is with the words put in that it asks for.
    fn levels(&self, expr: &Expr) -> usize {
        let below = expr.children().into_iter().map(|part| self.levels(part)).max().unwrap_or(0);
        let word = if let ExprKind::Word(word, _) | ExprKind::Adjective { word, .. } = &expr.kind {
            self.bounds.get(word.0).map_or(0, |bounds| bounds.levels)
        } else {
            0
        };
        1 + below + word
    }

    /// Whether an expression that is checked stays within the levels; said once where it does not.
    pub(super) fn is_shallow(&mut self, expr: &Expr) -> bool {
        let shallow = self.levels(expr) <= MAX_LEVELS;
        if !shallow {
            self.too_deep(expr.span);
        }
        shallow
    }

    /// How large the board is, looked at once.
    fn extent(&mut self) -> Extent {
        if self.extent.sites != self.rules.board.len() as u64 {
            self.extent = Extent::of(&self.rules.board);
        }
        self.extent
    }

    pub(super) fn too_deep(&mut self, span: Span) {
        // Whatever asks for what is too deep is too deep as well.
        if self.diagnostics.iter().any(|diagnostic| diagnostic.code == Code::TooDeep) {
            return;
        }
        self.report(
            Diagnostic::new(Code::TooDeep, span, "this is nested too deeply, with the words put in that it asks for")
                .label(format!("more than {MAX_LEVELS} levels"))
                .help("ask for less at once: keep a part of it with `name = ...` in the move, or with `track`"),
        );
    }

    /// What a word that has been checked may come to; said where it is too much.
    pub(super) fn measure_word(&mut self, name: &str, params: &[Type], body: &Expr, live: bool) {
        let levels = self.levels(body);
        let extent = self.extent();
        let asked = Asked::default();
        let measure = |param: u64| {
            let locals = params.iter().enumerate().map(|(local, _)| (Local(local), param)).collect();
            Measure { rules: &self.rules, words: &self.bounds, asked: &asked, extent, locals, numbers: BTreeMap::new() }
        };
        let (one, many) = (measure(1).size(body), measure(self.rules.board.len() as u64).size(body));
        let clause = measure(1).clause_of(body, one.steps, 1);
        self.bounds.push(Bounds { levels, one, many });
        if one.steps > MAX_COST && live {
            let help = self.how_to_be_quicker(&clause);
            self.costly(body.span, one.steps, true, &format!("finding `{name}`"), help);
        }
    }

    /// What a slow clause spends its steps on, and what helps against that.
    fn how_to_be_quicker(&self, clause: &Clause) -> String {
        let sets: Vec<String> = clause
            .through
            .iter()
            .map(|(span, members)| format!("`{}` (up to {members})", self.project.sources.phrase(*span)))
            .collect();
        let mut help = String::new();
        if clause.times > 1 {
            help =
                format!("it is asked for each way to make the move up to here, of which there may be {}", clause.times);
        }
        if !sets.is_empty() {
            let joined = if help.is_empty() { "" } else { "; " };
            help = format!("{help}{joined}each time it goes through {}", sets.join(", and for each of these through "));
        }
        let cure = match (clause.times > clause.once, sets.is_empty()) {
            (true, _) => "pick the parts before it from smaller sets, or put what refuses most of them first",
            (false, false) => {
                "go through smaller sets, such as `own next_to x` instead of `own`, or ask whole sets at once: `any`, `count`, `line`, `connected`"
            }
            (false, true) => {
                "ask for less at once, and give what is asked for many times a name in the move: `n = ...`"
            }
        };
        if help.is_empty() { cure.to_owned() } else { format!("{help}: {cure}") }
    }

    fn costly(&mut self, span: Span, steps: u64, refused: bool, what: &str, help: String) {
        let most = if steps == u64::MAX { "beyond counting".to_owned() } else { format!("up to {steps} steps") };
        self.report(match refused {
            true => Diagnostic::new(Code::TooCostly, span, format!("{what} may take more than {MAX_COST} steps"))
                .label(most)
                .help(help),
            false => Diagnostic::new(Code::Slow, span, format!("nothing that is declared keeps {what} below {SLOW} steps"))
                .label(format!("{most}, if all sets are as large as they can be"))
                .help(format!(
                    "{help}; what games take may be far less: `bench` measures it, and `check --play` says nothing of this where they are fast"
                )),
        });
    }

    /// Looks at what each clause of the rules may cost in one ply.
    pub(super) fn check_costs(&mut self) {
        if self.diagnostics.iter().any(Diagnostic::is_error) {
            return;
        }
        let mut clauses: Vec<Clause> = Vec::new();
        let extent = self.extent();
        let (locals, numbers) = (BTreeMap::new(), BTreeMap::new());
        let asked = Asked::default();
        let measure = Measure { rules: &self.rules, words: &self.bounds, asked: &asked, extent, locals, numbers };
        let mut ways: BTreeMap<MoveId, u64> = BTreeMap::new();
        for (index, mv) in self.rules.moves.iter().enumerate() {
            let mut measure = Measure { locals: BTreeMap::new(), numbers: BTreeMap::new(), ..measure };
            ways.insert(MoveId(index), measure.of_move(mv.entry, &mut clauses));
        }
        for node in self.rules.graph.node_weights() {
            match &node.kind {
                NodeKind::Call(call) => {
                    let times = ways.get(&call.mv).copied().unwrap_or(1);
                    for condition in call.with.iter().chain(&call.until) {
                        clauses.push(measure.asked(condition, times));
                    }
                }
                // Those of moves are counted with the parts before them.
                NodeKind::Guard { condition, .. } => clauses.push(measure.asked(condition, 1)),
                NodeKind::Turn
                | NodeKind::Fork
                | NodeKind::Prefer
                | NodeKind::End
                | NodeKind::Move(_)
                | NodeKind::Choose { .. }
                | NodeKind::Let { .. }
                | NodeKind::Require { .. }
                | NodeKind::Weigh(_)
                | NodeKind::Change(_)
                | NodeKind::Repeat { .. }
                | NodeKind::Done => {}
            }
        }
        for duty in self.rules.turns.iter().flat_map(|turn| &turn.duties) {
            match &duty.kind {
                DutyKind::Must(event) => clauses.extend(event.alternatives.iter().filter_map(|(mv, condition)| {
                    let times = ways.get(mv).copied().unwrap_or(1);
                    condition.as_ref().map(|limit| measure.asked(limit, times))
                })),
                DutyKind::MustMost(value) | DutyKind::NextTurn(value) => {
                    clauses.push(measure.asked(value, 1));
                }
                DutyKind::ExtraTurn => {}
            }
            clauses.extend(duty.guard.iter().map(|guard| measure.asked(guard, 1)));
        }
        let players = self.rules.players.len() as u64;
        for ending in &self.rules.endings {
            let times = if matches!(ending.result, EndingResult::AnyPlayer { .. }) { players } else { 1 };
            if let Some(condition) = &ending.condition {
                clauses.push(measure.asked(condition, times));
            }
            if let EndingResult::Ranks(by) = &ending.result {
                clauses.push(measure.asked(by, players));
            }
        }
        if let Some(word) = self.rules.score.and_then(|score| self.rules.words.get(score.0)) {
            clauses.push(measure.asked(&word.body, players));
        }
        for hidden in &self.rules.hidden {
            let Some(word) = self.rules.words.get(hidden.word.0) else { continue };
            let times = match hidden.what {
                Hides::Pieces | Hides::Kinds | Hides::Move(..) => 1,
                Hides::Memory(memory) => {
                    let scope = self.rules.memories.get(memory.0).map_or(Scope::Game, |memory| memory.scope);
                    scope.entries(&self.rules, self.rules.board.len()) as u64
                }
            };
            clauses.push(measure.asked(&word.body, players.saturating_mul(times)));
        }
        let cost = clauses.iter().fold(0u64, |sum, clause| sum.saturating_add(clause.steps()));
        // Where turns are looked through before they are played their changes are made as well.
        let looks_ahead =
            |turn: &Turn| turn.whole || turn.duties.iter().any(|duty| matches!(duty.kind, DutyKind::MustMost(_)));
        let cost_once = if self.asks_possible || self.rules.turns.iter().any(looks_ahead) {
            cost
        } else {
            clauses.iter().fold(0u64, |sum, clause| sum.saturating_add(clause.steps_if_last_once()))
        };
        let most_plies = ways.values().fold(0, |sum, ways| ways.saturating_add(sum));
        // Of several the first: what follows a dear clause of a move is dear as well.
        let clause = clauses.iter().min_by_key(|clause| Reverse(clause.steps())).map(|clause| clause.span);
        let most = ways.iter().min_by_key(|(_, ways)| Reverse(**ways)).map(|(mv, _)| *mv);
        let mv = most.and_then(|mv| self.rules.moves.get(mv.0)).map(|mv| mv.span);
        let dearest = (clause.unwrap_or_default(), mv.unwrap_or_default());
        let mut said = BTreeSet::new();
        clauses.retain(|clause| clause.steps() > SLOW && said.insert((clause.span.source, clause.span.start)));
        // What follows a slow clause of a move is slow as well.
        clauses.sort_by_key(|clause| Reverse(clause.steps()));
        for clause in clauses.into_iter().take(3) {
            let help = self.how_to_be_quicker(&clause);
            // What is done at the end of a move is counted when it is done, however many ways there may be to make the move.
            let refused = clause.steps_if_last_once() > MAX_COST;
            self.costly(clause.span, clause.steps(), refused, "this", help);
        }
        (self.rules.cost, self.rules.cost_once) = (cost, cost_once);
        (self.rules.most_plies, self.rules.dearest) = (most_plies, dearest);
    }
}

impl Measure<'_> {
    /// Notes what each clause of a move may cost in one ply; at most how many ways there are to make the move.
    fn of_move(&mut self, entry: NodeIndex, clauses: &mut Vec<Clause>) -> u64 {
        // In how many ways a node may be come to. Forks of parts that are left out join again, and nothing goes back.
        let mut ways: BTreeMap<NodeIndex, u64> = BTreeMap::from([(entry, 1)]);
        let mut missing: BTreeMap<NodeIndex, usize> = BTreeMap::new();
        let mut seen = BTreeSet::from([entry]);
        let mut waiting = vec![entry];
        while let Some(node) = waiting.pop() {
            for (_, next) in self.rules.ways(node) {
                *missing.entry(next).or_default() += 1;
                if seen.insert(next) {
                    waiting.push(next);
                }
            }
        }
        let mut ready = vec![entry];
        let mut all = 1;
        while let Some(node) = ready.pop() {
            let times = ways.get(&node).copied().unwrap_or(1);
            let onward = match self.rules.graph.node_weight(node) {
                Some(weight) => self.clause(weight, (times, self.asks_no_more(node)), clauses),
                None => times,
            };
            all = onward;
            for (_, next) in self.rules.ways(node) {
                let come = ways.entry(next).or_insert(0);
                *come = come.saturating_add(onward);
                if let Some(missing) = missing.get_mut(&next) {
                    *missing -= 1;
                    if *missing == 0 {
                        ready.push(next);
                    }
                }
            }
        }
        all
    }

    /// Whether nothing is picked and nothing asked behind a node of a move.
    fn asks_no_more(&self, node: NodeIndex) -> bool {
        self.rules.ways(node).into_iter().all(|(_, next)| {
            let asks = |node: &Node| matches!(node.kind, NodeKind::Choose { .. } | NodeKind::Require { .. });
            !self.rules.graph.node_weight(next).is_some_and(asks) && self.asks_no_more(next)
        })
    }

    /// Notes the cost of one node that is come to so many times, of which may be known that nothing is asked behind it; how
    /// many ways lead on.
    fn clause(&mut self, node: &Node, (times, last): (u64, bool), clauses: &mut Vec<Clause>) -> u64 {
        let plain = |once: u64| Clause { span: node.span, once, times, through: Vec::new(), last };
        match &node.kind {
            NodeKind::Choose { local, domain, conditions, guard } => {
                // Left out, a part has no value, and the move goes on in one way.
                let guarded = guard.as_ref().map_or(0, |guard| self.steps(guard));
                clauses.push(self.clause_of(domain, self.steps(domain).saturating_add(guarded), times));
                let left_out = u64::from(guard.is_some());
                let members = self.members(domain);
                let each = times.saturating_mul(members.saturating_add(left_out));
                let fewest = self.fewest(*local, members, conditions);
                self.locals.insert(*local, 1);
                self.numbers.insert(*local, self.furthest(domain));
                for condition in conditions {
                    clauses.push(self.asked(condition, each));
                }
                return times.saturating_mul(fewest.saturating_add(left_out));
            }
            NodeKind::Let { local, value, guard } => {
                let guarded = guard.as_ref().map_or(0, |guard| self.steps(guard));
                clauses.push(self.clause_of(value, self.steps(value).saturating_add(guarded), times));
                self.locals.insert(*local, self.members(value));
                self.numbers.insert(*local, self.most(value));
            }
            NodeKind::Require { condition, .. } | NodeKind::Guard { condition, .. } => {
                clauses.push(self.asked(condition, times));
            }
            // Asked once while plies are looked for, and once when one of them is drawn.
            NodeKind::Weigh(weight) => clauses.push(self.asked(weight, times.saturating_mul(2))),
            NodeKind::Change(changes) => clauses.push(plain(self.changes(changes))),
            NodeKind::Repeat { times: rounds, condition, changes } => {
                let round = condition.as_ref().map_or(0, |condition| self.steps(condition));
                let round = round.saturating_add(self.changes(changes)).saturating_add(self.changed(changes));
                let rounds = self.most(rounds).min(MAX_ROUNDS.into());
                clauses.push(plain(rounds.saturating_mul(round).saturating_add(1)));
            }
            NodeKind::Turn
            | NodeKind::Fork
            | NodeKind::Prefer
            | NodeKind::Call(_)
            | NodeKind::End
            | NodeKind::Move(_)
            | NodeKind::Done => {}
        }
        times
    }
}
