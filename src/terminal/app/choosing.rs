//! Moves by what is picked on the board, by name, or typed.

use super::App;
use crate::ai::Seat;
use crate::board::Site;
use crate::board::plan::Heading;
use crate::game::PlayError;
use crate::play::{Choice, Picked};

impl App {
    pub(super) fn go(&mut self, heading: Heading) {
        if self.named.take().is_some() {
            return;
        }
        if let Some(site) = self.drawn.plan.as_ref().and_then(|plan| plan.neighbour(self.cursor, heading)) {
            self.cursor = site;
        }
    }

    /// Goes round all that may be picked: first the sites, then the names.
    pub(super) fn next_choice(&mut self, onward: bool) {
        if !self.is_persons() {
            return;
        }
        let sites: Vec<Site> = self.picker.sites().iter().collect();
        let names = self.picker.names().len();
        let count = sites.len() + names;
        if count == 0 {
            return;
        }
        let now = match self.named {
            Some(name) => Some(sites.len() + name),
            None => sites.iter().position(|site| *site == self.cursor),
        };
        let next = match (now, onward) {
            (Some(now), true) => (now + 1) % count,
            (Some(now), false) => (now + count - 1) % count,
            // From a site that cannot be picked on to the next one that can.
            (None, true) => sites.iter().position(|site| *site > self.cursor).unwrap_or(sites.len()) % count,
            (None, false) => sites.iter().rposition(|site| *site < self.cursor).unwrap_or(count - 1),
        };
        match sites.get(next) {
            Some(site) => (self.cursor, self.named) = (*site, None),
            None => self.named = Some(next - sites.len()),
        }
    }

    pub(super) fn let_go(&mut self) {
        self.message = None;
        self.named = None;
        self.picker.clear();
    }

    pub(super) fn pick_here(&mut self) {
        let names = self.names();
        match self.named.and_then(|at| names.get(at)) {
            Some(name) => self.pick(&Choice::Named(name.clone())),
            None => self.pick(&Choice::Site(self.cursor)),
        }
    }

    pub(super) fn pick(&mut self, choice: &Choice) {
        if let Some(waiting) = self.not_now() {
            return self.complain(waiting);
        }
        self.message = None;
        let before = self.picker.clone();
        let mut picked = self.picker.pick(choice);
        if picked == Picked::Nothing && !before.chosen().is_empty() {
            // Perhaps another piece is meant.
            self.picker.clear();
            picked = self.picker.pick(choice);
        }
        match picked {
            Picked::Move(index) => self.make(index),
            Picked::More => self.named = None,
            Picked::Nothing => {
                self.picker = before;
                if let Choice::Site(site) = choice {
                    self.refuse(*site);
                }
            }
        }
    }

    /// Why nothing can be picked.
    pub(super) fn not_now(&self) -> Option<String> {
        if let Some(result) = self.table.result() {
            return Some(format!("The game is over: {result}"));
        }
        match self.table.decider() {
            Some(Seat::Human) => None,
            Some(Seat::Program(_)) if self.table.is_chance() => Some("Chance decides now.".to_owned()),
            Some(program) => Some(format!("{program} is to move; wait for it, or undo.")),
            None => Some("Nobody is to move.".to_owned()),
        }
    }

    /// Says why a site cannot be picked: what the rules say of the move that seems to be meant.
    pub(super) fn refuse(&mut self, site: Site) {
        let position = self.table.position();
        let name = position.game().rules().board.name(site).to_owned();
        let depth = self.picker.chosen().len();
        let meant = self.picker.open().iter().find_map(|index| {
            let text = position.move_text(*index)?;
            let board = &position.game().rules().board;
            let rules = position.game().rules();
            let part = position.situation().legal.get(*index)?.parts(rules).nth(depth)?.site()?;
            let at = text.rfind(board.name(part))?;
            Some(format!("{}{name}{}", &text[..at], &text[at + board.name(part).len()..]))
        });
        let text = meant.unwrap_or_else(|| name.clone());
        let why = position.why(&text);
        // Of a move that nobody has named yet only what is said about its beginning counts.
        let begun = depth == 0 && text != name;
        let names_it = why.reason.split(|c: char| !c.is_alphanumeric()).any(|word| word == name);
        if why.legal || why.reason.is_empty() || why.reason.starts_with("it cannot be read") || (begun && !names_it) {
            self.tried = None;
            return self.complain(format!("{name} cannot be picked now: no legal move goes on with it."));
        }
        let sentence = if begun { format!("{name} cannot be picked: {}", why.reason) } else { why.sentence(position) };
        self.tried = Some(text);
        self.complain(sentence);
    }

    pub(super) fn play_text(&mut self, text: &str) {
        if let Some(waiting) = self.not_now() {
            return self.complain(waiting);
        }
        match self.position().find_short(text) {
            Ok(index) => self.make(index),
            Err(PlayError::Illegal { .. }) => {
                let sentence = self.position().why(text).sentence(self.position());
                self.tried = Some(text.to_owned());
                self.complain(sentence);
            }
            Err(error) => self.complain(error.to_string()),
        }
    }
}
