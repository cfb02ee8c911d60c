//! What only shows in play: some random games, and the warnings that they give rise to.

use super::idle::idle;
use super::off_board::{LONG, off_board};
use crate::check::Project;
use crate::diagnostic::{Code, Diagnostic};
use crate::game::{Game, Position};
use crate::rules::{ChangeKind, Move, MoveId, NodeKind, Recorder, Rules};
use crate::source::Span;
use crate::study::playout::{choose, generator};
use crate::syntax::ast::Values;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Plies played with the default options, and with each ruleset.
const PLIES: usize = 1500;
/// Plies played with each value of an option, to see a move that was never legal.
const PLIES_WITH_OPTION: usize = 300;
/// A game is cut here, so that a long one does not take all.
const GAME: usize = 300;
/// A condition is asked rarely if it is asked in fewer than one of so many positions.
const RARE: u64 = 10;
const SEED: u64 = 0;

/// What play has shown of the moves of a file, whatever the ruleset. Moves are known by their place.
#[derive(Default)]
struct Seen {
    /// Moves that turns call for, with their names.
    called: BTreeMap<Span, String>,
    /// Moves that only place pieces, by name.
    placing: BTreeSet<String>,
    legal: BTreeSet<Span>,
    /// Changes that are made only sometimes, with their conditions.
    guarded: BTreeMap<Span, Span>,
    /// Why no move is possible in the first position, if there is none in any variant.
    over_at_once: Option<String>,
    /// What is tracked after each turn, with the range of the number and where it is declared, by the place of its value.
    after_turns: BTreeMap<Span, (Span, (i64, i64))>,
    /// Two moves that were once printed alike, and how.
    alike: BTreeMap<(Span, Span), String>,
    positions: usize,
    /// What keeps rules from running on the fast engine.
    not_lowered: BTreeMap<Span, Cow<'static, str>>,
}

/// Plays a project that checks, always the same games, and tells what is odd.
#[must_use]
pub fn trial(project: &Project) -> Vec<Diagnostic> {
    let recorder = Arc::new(Recorder::default());
    let mut seen = Seen::default();
    let rulesets = project.rulesets().map(|ruleset| Some(ruleset.name.text.clone()));
    for ruleset in std::iter::once(None).chain(rulesets) {
        if let Ok(game) = Game::from_project(project, ruleset.as_deref(), &[]) {
            seen.follow_after_turns(game.rules(), &recorder);
            if let Err(reason) = game.lowered() {
                seen.not_lowered.insert(reason.span, reason.what.clone());
            }
            seen.play(&game.recording(&recorder, project.main));
        }
    }
    let mut found = Vec::new();
    if let Some(why) = seen.over_at_once.as_ref().filter(|_| seen.positions == 0) {
        let message = format!("the game is over before anybody has moved: {why}");
        return vec![
            Diagnostic::new(Code::NeverLegal, project.head(), message)
                .help("set up the pieces in `start`, or ask `ludwright why GAME` what ends it"),
        ];
    }
    seen.play_with_options(project);
    for (change, guard) in &seen.guarded {
        let clauses = recorder.clauses();
        let within = |span: &Span| guard.start <= span.start && span.end <= guard.end;
        let asked = clauses.iter().any(|(span, clause)| within(span) && clause.condition && clause.failed);
        if asked && clauses.iter().any(|(span, clause)| span == change && !clause.held) {
            let message = format!(
                "this was never true in {} positions of random play, so that the change was never made",
                seen.positions
            );
            found.push(
                Diagnostic::new(Code::Idle, *guard, message)
                    .label("asked before any change of this stage is made")
                    .help("to ask what is so after the lines above, write `then` before this line; what is only rare may stay: allow idle \"rare\""),
            );
        }
    }
    found.extend(seen.out_of_range(project, &recorder));
    for (span, what) in &seen.not_lowered {
        found.push(
            Diagnostic::new(Code::Slow, *span, format!("only the reference engine can play this: {what}"))
                .label("a ply may take hundreds of times as long")
                .help("make what is named here smaller, or take the time: the answers are the same"),
        );
    }
    let meeting = meeting(&recorder);
    for (span, name) in &seen.called {
        let told = meeting.iter().any(|found| project.is_within(found.span, name));
        if !seen.legal.contains(span) && !told {
            let message = format!("`{name}` was never legal in {} positions of random play", seen.positions);
            found.push(
                Diagnostic::new(Code::NeverLegal, *span, message)
                    .label("nobody could ever make this move")
                    .help("ask `ludwright why GAME --move ...` what forbids it, or take it out"),
            );
        }
    }
    found.extend(meeting);
    for ((first, second), text) in &seen.alike {
        let found_alike = if first == second {
            Diagnostic::new(Code::SameNotation, *first, format!("two legal moves were both written `{text}`"))
                .label("they differ in what the notation does not show")
                .help("show the part in which they differ, with a `?` if only where it is needed: {part?}")
        } else {
            Diagnostic::new(Code::SameNotation, *second, format!("two legal moves were both written `{text}`"))
                .label("one of them is this move")
                .also(*first, "the other is this one")
                .help("tell them apart by a letter or a sign in one notation: \"x{cell}\"")
        };
        found.push(found_alike);
    }
    let placing = |span: Span| seen.placing.iter().any(|name| project.is_within(span, name));
    for (span, clause) in recorder.clauses() {
        if clause.condition && clause.held && !clause.failed && placing(span) {
            found.push(never_refused(span, clause.times, seen.positions));
        }
    }
    found.extend(off_board(project, LONG));
    found.extend(idle(project));
    found.retain(|diagnostic| diagnostic.span.source == project.main);
    found
}

/// A condition that was true wherever it was asked.
fn never_refused(span: Span, times: u64, positions: usize) -> Diagnostic {
    let rare = times < positions as u64 / RARE;
    let message = match times {
        1 => format!("this refused nothing in {positions} positions of random play, in which it was asked once"),
        many if rare => {
            format!("this refused nothing in {positions} positions of random play, in which it was asked {many} times")
        }
        _ => format!("this refused nothing in {positions} positions of random play"),
    };
    let found = Diagnostic::new(Code::AlwaysLegal, span, message).label("always true where it was asked");
    found.help(match rare {
        true => "it was asked so rarely that it may still refuse something: test a position in which what it forbids comes up, or say why it stays: allow always-legal \"why\"",
        false => "if it says more than was meant to be allowed, mend it; else take it out",
    })
}

/// Changes that met another one on a site whenever they had something to change: no such ply is legal.
fn meeting(recorder: &Recorder) -> Vec<Diagnostic> {
    let fates = recorder.fates();
    let never_made = |span: &Span| fates.get(span).is_some_and(|fate| fate.made == 0);
    let mut found = Vec::new();
    for (span, fate) in &fates {
        // Of two that always meet each other the second is told.
        let Some(other) = fate.other.filter(|other| fate.made == 0 && !(span < other && never_made(other))) else {
            continue;
        };
        let times = match fate.met {
            1 => "the only time that this had something to change".to_owned(),
            times => format!("each of the {times} times that this had something to change"),
        };
        let message =
            format!("{times}, another change put something else on the same site, so that the move was not legal");
        found.push(
            Diagnostic::new(Code::NeverLegal, *span, message)
                .label("never made")
                .also(other, "this change met it")
                .help("changes of one stage happen at once: to make one after the other write `then` between them, or leave the site out of one of them, as in `S but to`"),
        );
    }
    found
}

impl Seen {
    /// Watches the numbers that are tracked after each turn: one that leaves its range keeps all that is done there from
    /// being done, and bars no move.
    fn follow_after_turns(&mut self, rules: &Rules, recorder: &Recorder) {
        let after = rules.after_turn.and_then(|mv| rules.moves.get(mv.0));
        for line in after.into_iter().flat_map(|mv| &mv.lines).filter_map(|line| rules.graph.node_weight(*line)) {
            let NodeKind::Change(changes) = &line.kind else { continue };
            for change in changes.iter().filter(|change| !change.carried) {
                if let ChangeKind::Remember { memory, value, .. } = &change.kind
                    && let Some(info) = rules.memories.get(memory.0)
                    && let Some(range) = info.range
                {
                    recorder.expect(value.span);
                    self.after_turns.insert(value.span, (info.span, range));
                }
            }
        }
    }

    /// The numbers that left their range after some turn.
    fn out_of_range(&self, project: &Project, recorder: &Recorder) -> Vec<Diagnostic> {
        let clauses = recorder.clauses();
        let failed = clauses.iter().filter(|(_, clause)| clause.failed && !clause.condition);
        let left = failed.filter_map(|(value, _)| Some((*value, *self.after_turns.get(value)?)));
        left.map(|(value, (track, (low, high)))| {
            let text = project.sources.slice(value);
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let message = format!(
                "after some turn this is not from {low} to {high}, so that nothing of `after each turn` was done"
            );
            Diagnostic::new(Code::Idle, value, message)
                .label("and the turn ended all the same")
                .also(track, "its range is declared here")
                .help(format!(
                    "give it room where it is declared, or keep it within its range: `max({low}, min({high}, {text}))`"
                ))
        })
        .collect()
    }

    fn play(&mut self, game: &Game) {
        let rules = game.rules();
        for node in rules.graph.node_weights() {
            if let NodeKind::Change(changes) = &node.kind {
                let written = changes.iter().filter(|change| !change.carried);
                let guards = written.filter_map(|change| Some((change.span, change.guard.as_ref()?.span)));
                self.guarded.extend(guards);
            }
        }
        for (id, mv) in called_by_turns(rules) {
            self.called.insert(mv.span, mv.name.clone());
            if places(rules, id) {
                self.placing.insert(mv.name.clone());
            }
        }
        self.play_plies(game, PLIES);
    }

    /// Plays on with one option after another set to its other values, for as long as some move was never legal: of a range
    /// both ends are tried.
    fn play_with_options(&mut self, project: &Project) {
        for option in project.options() {
            let values = match &option.values {
                Values::List(values) => values.iter().map(|value| value.kind.to_string()).collect(),
                Values::Range { low, high, .. } => vec![low.to_string(), high.to_string()],
            };
            for (name, value) in option.names.iter().flat_map(|name| values.iter().map(move |value| (name, value))) {
                if self.called.keys().all(|span| self.legal.contains(span)) {
                    return;
                }
                if let Ok(game) = Game::from_project(project, None, &[(name.text.clone(), value.clone())]) {
                    // Which positions were seen is told of the games without them.
                    let positions = self.positions;
                    self.play_plies(&game, PLIES_WITH_OPTION);
                    self.positions = positions;
                }
            }
        }
    }

    fn play_plies(&mut self, game: &Game, most: usize) {
        let rules = game.rules();
        let mut plies = 0;
        for number in 0.. {
            let mut random = generator(SEED, number);
            let mut position = game.start();
            let before = plies;
            if position.is_over() {
                self.over_at_once = position.outcome().map(|outcome| outcome.reason.clone());
            }
            while plies < most && plies - before < GAME && !position.is_over() {
                self.look(rules, &position);
                let next = choose(&position, &mut random).and_then(|index| position.play_index(index));
                let Some(next) = next else { break };
                position = next;
                plies += 1;
            }
            if plies >= most || plies == before {
                break;
            }
        }
    }

    fn look(&mut self, rules: &Rules, position: &Position) {
        self.positions += 1;
        let place = |index: usize| {
            let ply = position.situation().legal.get(index)?;
            rules.moves.get(ply.mv.0).map(|mv| mv.span)
        };
        let moves = position.moves();
        self.legal.extend((0..moves.len()).filter_map(place));
        for (index, text) in moves.iter().enumerate() {
            // The second of two that look alike is told apart by a number.
            if let Some(base) = text.strip_suffix("~2")
                && let Some(first) = moves.iter().position(|other| other == base)
                && let (Some(first), Some(second)) = (place(first), place(index))
            {
                self.alike.entry((first, second)).or_insert_with(|| base.to_owned());
            }
        }
    }
}

/// The moves that turns are made of, and not those that only a question names, as in `so that possible`.
fn called_by_turns(rules: &Rules) -> Vec<(MoveId, &Move)> {
    let mut waiting: Vec<_> = rules.turns.iter().map(|turn| turn.entry).collect();
    let mut visited = BTreeSet::new();
    let mut called = BTreeSet::new();
    while let Some(node) = waiting.pop() {
        if !visited.insert(node) {
            continue;
        }
        if let Some(NodeKind::Call(call)) = rules.graph.node_weight(node).map(|node| &node.kind) {
            called.insert(call.mv);
        }
        waiting.extend(rules.graph.neighbors(node));
    }
    called.into_iter().filter_map(|id| Some((id, rules.moves.get(id.0)?))).collect()
}

/// Whether a move puts pieces down and moves none.
fn places(rules: &Rules, mv: MoveId) -> bool {
    let mut waiting: Vec<_> = rules.moves.get(mv.0).map(|mv| mv.entry).into_iter().collect();
    let mut visited = BTreeSet::new();
    let mut puts = false;
    while let Some(node) = waiting.pop() {
        if !visited.insert(node) {
            continue;
        }
        if let Some(NodeKind::Change(changes)) = rules.graph.node_weight(node).map(|node| &node.kind) {
            for change in changes {
                if change.kind.source().is_some() {
                    return false;
                }
                puts |= change.kind.target().is_some();
            }
        }
        waiting.extend(rules.graph.neighbors(node));
    }
    puts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Alone;

    fn said(start: &str, capture: &str) -> Vec<String> {
        let text = format!(
            "game \"Catch\" 2026\nplayers Black, White\nboard square(4)\npiece stone of each player\n{start}\n\
             move put \"{{cell}}\" {{ cell : empty next_to piece; cell becomes stone of mover; {capture}\n\
             every x in enemy next_to cell: group(x) becomes empty when no empty next_to group(x) }}\n\
             turn {{ put }}\nend {{ draw when turn > 60; next loses when stuck \"no room\" }}"
        );
        trial(&Project::load("x.game", &text, &Alone)).into_iter().map(|found| found.message).collect()
    }

    #[test]
    fn a_change_whose_condition_is_never_true_is_told() {
        let start = "start { b2 becomes stone of Black }";
        let told = said(start, "");
        assert!(told.iter().any(|said| said.ends_with("so that the change was never made")), "{told:?}");
        assert_eq!(said(start, "then"), [] as [&str; 0]);
    }

    #[test]
    fn a_change_that_always_meets_another_is_told() {
        let told = |capture: &str| {
            let text = format!(
                "game \"Meet\" 2026\nplayers Black, White\nboard square(4) adjacent all\npiece stone of each player\n\
                 start {{ row(1) becomes stone of White; row(4) becomes stone of Black }}\n\
                 move step \"{{from}}-{{to}}\" {{ from : own; to : next_to from but own; from -> to; {capture} }}\n\
                 turn {{ step }}\nend {{ next loses when stuck; draw when turn > 60 }}"
            );
            let found = trial(&Project::load("x.game", &text, &Alone));
            found
                .into_iter()
                .filter(|found| found.code == Code::NeverLegal)
                .map(|found| found.message)
                .collect::<Vec<_>>()
        };
        let always = told("(to or next_to to) enemy becomes empty when to in enemy");
        let [message] = always.as_slice() else { panic!("{always:?}") };
        assert!(message.contains("another change put something else on the same site"), "{message}");
        for capture in ["(enemy next_to to) becomes empty when to in enemy", "then; (enemy next_to to) becomes empty"] {
            assert_eq!(told(capture), [] as [&str; 0], "{capture}");
        }
    }

    /// What is said of a game of stones put on sixteen squares.
    fn said_of(lines: &str) -> Vec<String> {
        let text = format!(
            "game \"Put\" 2026\nplayers Black, White\nboard square(4)\npiece stone of each player\n\
             move put \"{{cell}}\" {{ cell : empty; cell becomes stone of mover }}\n{lines}\nend {{ draw when stuck }}"
        );
        trial(&Project::load("x.game", &text, &Alone)).into_iter().map(|found| found.message).collect()
    }

    #[test]
    fn of_a_condition_that_is_asked_rarely_it_is_told_how_often() {
        let refused = |asked: &str| {
            let told = said_of(&format!(
                "move late \"+{{cell}}\" {{ cell : empty; {asked}; cell becomes stone of mover }}\nturn {{ put or late }}"
            ));
            told.into_iter().filter(|said| said.starts_with("this refused nothing")).collect::<Vec<_>>()
        };
        let [often] = refused("if count piece < 17").try_into().unwrap();
        assert!(often.ends_with("positions of random play"), "{often}");
        let [rarely] = refused("if turn = 3; if count piece < 17").try_into().unwrap();
        assert!(rarely.contains("positions of random play, in which it was asked "), "{rarely}");
    }

    #[test]
    fn a_number_that_leaves_its_range_after_a_turn_is_told() {
        let count = |value: &str| {
            said_of(&format!(
                "track taken(player) : 0..2 = 0\nturn {{ put }}\nafter each turn {{ taken(mover) becomes {value} }}"
            ))
        };
        let told = count("taken(mover) + 1");
        assert_eq!(told, ["after some turn this is not from 0 to 2, so that nothing of `after each turn` was done"]);
        assert_eq!(count("min(2, taken(mover) + 1)"), [] as [&str; 0]);
    }

    #[test]
    fn moves_of_questions_and_of_options_are_not_told_to_be_never_legal() {
        let never = |lines: &str| said_of(lines).iter().any(|said| said.contains("was never legal"));
        let more = "move more \"+{cell}\" { cell : empty; cell becomes stone of mover";
        assert!(never(&format!("{more}; if turn > 90 }}\nturn {{ put or more }}")));
        let asked = format!(
            "{more} }}\nmove ask \"{{cell}}?\" {{ cell : empty; cell becomes stone of mover; so that possible more }}"
        );
        assert!(!never(&format!("{asked}\nturn {{ put or ask }}")));
        let option = "option double : no, yes = no";
        assert!(!never(&format!("{option}\n{more}; if double is yes }}\nturn {{ put or more }}")));
    }

    #[test]
    fn what_a_value_of_a_piece_asks_for_by_itself_is_no_condition_of_the_text() {
        let text = "game \"Turn\" 2026\nplayers Black, White\nboard square(4)\npiece ship of each player\npiece rock \"x\" neutral\n\
                    track heading(piece) : 0..3 = 0\nstart { a1 becomes ship of Black; d4 becomes ship of White }\n\
                    move turn_about \"{from}/{new}\" { from : own ship; new : 0..3, new != heading(from); \
                    heading(from) becomes new; (empty next_to from) becomes rock }\n\
                    turn { turn_about }\nend { draw when turn > 60; next loses when stuck }";
        let found = trial(&Project::load("x.game", text, &Alone));
        assert!(found.iter().all(|found| found.code != Code::AlwaysLegal), "{found:?}");
    }

    #[test]
    fn the_last_key_of_a_case_refuses_nothing_by_itself() {
        let text = "game \"Keys\" 2026\nplayers Black, White\nboard square(4)\npiece stone of each player\n\
                    move put \"{cell}{n}\" { cell : empty; n : 1..3; if (case n { 1: count own, 2: count enemy, 3: 2 }) < 4; \
                    cell becomes stone of mover }\nturn { put else pass }\nend { draw when turn > 30 }";
        let found = trial(&Project::load("x.game", text, &Alone));
        assert!(found.iter().all(|found| found.code != Code::AlwaysLegal), "{found:?}");
    }

    #[test]
    fn what_only_the_reference_engine_can_play_is_told() {
        let told = |height: u32| {
            let piles = format!("stacks to {height}\nturn {{ put }}");
            said_of(&piles).iter().any(|said| said.starts_with("only the reference engine can play this"))
        };
        assert!(told(33) && !told(32));
    }

    #[test]
    fn a_game_without_a_first_move_is_told_once() {
        assert_eq!(said("", "then"), ["the game is over before anybody has moved: no room"]);
    }
}
