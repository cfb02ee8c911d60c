//! Players: who plays, in what order, and which way each faces.

use super::infer::Typed;
use super::uses::Meaning;
use super::{Checker, Ty, WordState};
use crate::board::{Direction, Directions};
use crate::diagnostic::{Code, Diagnostic, listed};
use crate::rules::*;
use crate::source::Span;
use crate::syntax::ast;

impl Checker<'_> {
    pub(super) fn set_up_players(&mut self) {
        let project = self.project;
        let Some(players) = project
            .items()
            .find_map(|item| if let ast::ItemKind::Players(players) = &item.kind { Some(players) } else { None })
        else {
            return;
        };
        let everyone: Vec<&ast::Player> = match players {
            ast::PlayersItem::List(players) | ast::PlayersItem::Count { players, .. } => players.iter().collect(),
            ast::PlayersItem::By { cases, .. } => cases.iter().flat_map(|(_, players)| players).collect(),
        };
        for player in everyone {
            self.players.insert(player.name.text.clone(), None);
        }
        let playing: Vec<ast::Player> = match players {
            ast::PlayersItem::List(players) => players.clone(),
            ast::PlayersItem::Count { count, players } => {
                let number = self.typed(count, Type::Number).as_constant().and_then(Value::number);
                match number.and_then(|number| usize::try_from(number).ok()) {
                    Some(number) if (1..=players.len()).contains(&number) => players[..number].to_vec(),
                    _ => {
                        self.error(
                            Code::OutOfRange,
                            count.span,
                            format!("between 1 and {} players are listed", players.len()),
                            format!("write a number from 1 to {}", players.len()),
                        );
                        players.clone()
                    }
                }
            }
            ast::PlayersItem::By { subject, cases } => self.constant_case(subject, cases).cloned().unwrap_or_default(),
        };
        if playing.len() > MAX_PLAYERS {
            let span = playing[MAX_PLAYERS].name.span;
            self.report(
                Diagnostic::new(Code::OutOfRange, span, format!("{} players are too many", playing.len()))
                    .help(format!("a game has at most {MAX_PLAYERS} players")),
            );
        }
        for player in playing.iter().take(MAX_PLAYERS) {
            self.check_player_name(&player.name);
        }
        for (index, player) in playing.iter().take(MAX_PLAYERS).enumerate() {
            let id = PlayerId(index as u8);
            if let Some(first) = playing[..index].iter().find(|first| first.name.text == player.name.text) {
                let message = format!("the player `{}` is listed twice", player.name.text);
                self.report(
                    Diagnostic::new(Code::DefinedTwice, player.name.span, message)
                        .label("again here")
                        .also(first.name.span, "first here")
                        .help("give each player a name of its own; who moves twice in a round stands twice in `order`"),
                );
            }
            self.players.insert(player.name.text.clone(), Some(id));
            let facing = player.facing.as_ref().and_then(|name| {
                let direction = Direction::parse(&name.text);
                self.note(name.span, Meaning::Direction);
                if direction.is_none() {
                    self.unknown_direction(name);
                }
                direction
            });
            self.rules.players.push(Player { name: player.name.text.clone(), facing });
        }
        if self.rules.players.is_empty() {
            let span = project.head();
            self.error(
                Code::Section,
                span,
                "nobody plays with these options",
                "list players for every value that the options can have",
            );
        }
        self.rules.order = (0..self.rules.players.len() as u8).map(PlayerId).collect();
        let order = project
            .items()
            .find_map(|item| if let ast::ItemKind::Order(order) = &item.kind { Some(order) } else { None });
        if let Some(order) = order {
            let opening = self.places_of(&order.opening);
            let round = self.places_of(&order.round);
            if !round.is_empty() {
                self.rules.opening = opening.len();
                self.rules.order = [opening, round].concat();
            }
        }
    }

    /// A player who is called like a word of the language hides it.
    fn check_player_name(&mut self, name: &ast::Name) {
        let standard = |word: &WordState| match word {
            WordState::Unchecked(word) => self.project.is_standard(word.body.span).then(|| word.doc.clone()),
            WordState::InProgress | WordState::Done(_) | WordState::Family(_) | WordState::Failed => None,
        };
        let means = match crate::rules::catalogue::find(&name.text) {
            Some(word) => Some(format!("this word means: {}", word.doc)),
            None => self.words.get(&name.text).and_then(standard).map(|doc| match doc {
                Some(doc) => format!("this word means: {}", doc.text),
                None => "this is a word of the language".to_owned(),
            }),
        };
        if let Some(means) = means {
            self.report(
                Diagnostic::new(Code::Reserved, name.span, format!("a player cannot be called `{}`", name.text))
                    .label(means)
                    .help("give the player another name, as in: players White, Black"),
            );
        }
    }

    /// Nor can he have the name of a direction that the board has.
    fn check_players_by_direction(&mut self) {
        let compass = self.rules.board.compass();
        let names: Vec<ast::Name> = self.everyone().map(|player| player.name.clone()).collect();
        for name in names {
            if Direction::parse(&name.text).is_some_and(|direction| compass.contains(direction)) {
                let message = format!("a player cannot be called `{}`", name.text);
                self.report(
                    Diagnostic::new(Code::Reserved, name.span, message)
                        .label("this is a direction of the board, which the player would hide")
                        .help("give the player a longer name, as in: players North, South"),
                );
            }
        }
    }

    /// All players that the line `players` names.
    fn everyone(&self) -> impl Iterator<Item = &ast::Player> {
        let players = self.project.items().find_map(|item| match &item.kind {
            ast::ItemKind::Players(players) => Some(players),
            _ => None,
        });
        let everyone: Vec<&ast::Player> = match players {
            Some(ast::PlayersItem::List(players) | ast::PlayersItem::Count { players, .. }) => players.iter().collect(),
            Some(ast::PlayersItem::By { cases, .. }) => cases.iter().flat_map(|(_, players)| players).collect(),
            None => Vec::new(),
        };
        everyone.into_iter()
    }

    fn places_of(&mut self, names: &[ast::Name]) -> Vec<PlayerId> {
        let mut ids = Vec::new();
        for name in names {
            self.note(name.span, Meaning::Player);
            match self.players.get(&name.text) {
                Some(Some(id)) => ids.push(*id),
                _ => self.unknown_player(&name.text, name.span),
            }
        }
        ids
    }

    /// Whether a player is meant who does not play with these options.
    pub(super) fn is_away(&self, expr: &ast::Expr) -> bool {
        let ast::ExprKind::Name(name) = &expr.kind else { return false };
        let means_more = self.words.contains_key(name) || self.frame.bound.iter().any(|bound| bound.name == *name);
        matches!(self.players.get(name), Some(None)) && !means_more
    }

    /// What is joined to others or compared with them: there a player who does not play with these options is nobody.
    pub(super) fn among(&mut self, expr: &ast::Expr, joined: bool, want: Option<Type>) -> Typed {
        if !joined || !self.is_away(expr) {
            return self.infer_as(expr, want);
        }
        self.note(expr.span, Meaning::Player);
        (Expr::constant(Value::Players(Players::default()), expr.span), Ty::Known(Type::Players))
    }

    fn unknown_direction(&mut self, name: &ast::Name) {
        let known = Direction::ALL.iter().map(|direction| direction.name());
        let diagnostic = Diagnostic::new(Code::NoDirection, name.span, format!("`{}` is no direction", name.text))
            .did_you_mean(&name.text, known);
        let usual: Vec<&str> = Directions::EIGHT.iter().map(Direction::name).collect();
        self.report(diagnostic.help(format!("directions are {}", listed(&usual, "and"))));
    }

    pub(super) fn unknown_player(&mut self, text: &str, span: Span) {
        let names: Vec<String> = self.rules.players.iter().map(|player| player.name.clone()).collect();
        let diagnostic = Diagnostic::new(Code::UnknownPlayer, span, format!("there is no player `{text}`"))
            .label(format!("the players are {}", names.join(", ")))
            .did_you_mean(text, names.iter().map(String::as_str))
            .or_help(|| format!("name one of them, or add `{text}` to `players`"));
        self.report(diagnostic);
    }

    /// Where it is said which way a player faces.
    fn facing_span(&self, name: &str) -> Option<Span> {
        let player = self.everyone().find(|player| player.name.text == name && player.facing.is_some())?;
        player.facing.as_ref().map(|facing| facing.span)
    }

    /// Where the rules ask which way players face, somebody must face somewhere.
    pub(super) fn check_who_faces(&mut self) {
        if !self.asks_facing || self.rules.players.iter().any(|player| player.facing.is_some()) {
            return;
        }
        let line = self.project.items().find(|item| matches!(item.kind, ast::ItemKind::Players(_)));
        let span = line.map_or(self.project.head(), |item| item.span);
        let names: Vec<&str> = self.rules.players.iter().map(|player| player.name.as_str()).collect();
        let faces = |(name, way): (&&str, &str)| format!("{name} facing {way}");
        let example: Vec<String> = names.iter().zip(["N", "S", "E", "W"]).take(2).map(faces).collect();
        self.report(
            Diagnostic::new(
                Code::NoDirection,
                span,
                "the rules ask which way players face, and none of them faces anywhere",
            )
            .label("`facing` and `forward` have no value")
            .help(format!("say it here, as in `players {}`", example.join(", "))),
        );
    }

    pub(super) fn check_facing(&mut self) {
        if !self.board_known {
            return;
        }
        self.check_players_by_direction();
        let compass = self.rules.board.compass();
        for player in self.rules.players.clone() {
            if let Some(facing) = player.facing.filter(|facing| !compass.contains(*facing)) {
                let span = self.facing_span(&player.name).unwrap_or(self.project.head());
                let known: Vec<&str> = compass.iter().map(|direction| direction.name()).collect();
                let message = format!("{} faces {}, which is no direction of this board", player.name, facing.name());
                self.report(
                    Diagnostic::new(Code::NoDirection, span, message)
                        .help(format!("the directions of this board are {}", known.join(", "))),
                );
            }
        }
    }
}
