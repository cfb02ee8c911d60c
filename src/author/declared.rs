//! What a rule file says before it is checked: what it is about, and the options and rulesets to choose from.

use crate::check::Project;
use crate::syntax::ast::{ItemKind, OptionItem, PlayersItem, RulesetItem, Setting, Text, ValueKind, Values};
use serde_json::{Map, Value, json};

/// What a file says of its game.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct About {
    pub title: Option<String>,
    pub author: Option<String>,
    pub year: Option<i64>,
    pub summary: Option<String>,
    /// How few and how many can play.
    pub players: Option<(usize, usize)>,
    /// Whether chance makes a move, as dice do.
    pub chance: bool,
    /// Whether it takes over the rules of another game.
    pub extends: bool,
}

impl About {
    #[must_use]
    pub fn of(project: &Project) -> Self {
        let mut about = Self::default();
        for item in project.items() {
            match &item.kind {
                ItemKind::Game(game) => {
                    about.title = Some(game.title.text.clone());
                    about.author = game.author.as_ref().map(|author| author.text.clone());
                    about.year = game.year;
                    about.extends = game.extends.is_some();
                }
                ItemKind::About(text) => about.summary = Some(text.text.clone()),
                ItemKind::Players(players) => about.players = Some(how_many(players)),
                ItemKind::Move(mv) => about.chance |= mv.chance,
                _ => {}
            }
        }
        about
    }

    /// The author and the year, as far as they are known.
    #[must_use]
    pub fn origin(&self) -> String {
        match (&self.author, self.year) {
            (Some(author), Some(year)) => format!("{author}, {year}"),
            (Some(author), None) => author.clone(),
            (None, Some(year)) => year.to_string(),
            (None, None) => String::new(),
        }
    }
}

/// How few and how many can play; a number that is worked out from options may be any from two on.
fn how_many(players: &PlayersItem) -> (usize, usize) {
    match players {
        PlayersItem::List(players) => (players.len(), players.len()),
        PlayersItem::Count { players, .. } => (players.len().min(2), players.len()),
        PlayersItem::By { cases, .. } => {
            let numbers = || cases.iter().map(|(_, players)| players.len());
            (numbers().min().unwrap_or(0), numbers().max().unwrap_or(0))
        }
    }
}

/// What a text beside a declaration says.
#[must_use]
pub fn doc(text: Option<&Text>) -> Option<&str> {
    text.map(|text| text.text.as_str())
}

fn literal(kind: &ValueKind) -> Value {
    match kind {
        ValueKind::Number(number) => json!(number),
        ValueKind::Name(name) => json!(name),
    }
}

fn type_name(values: &Values) -> &'static str {
    match values {
        Values::Range { .. } => "number",
        Values::List(list) if list.iter().all(|value| matches!(value.kind, ValueKind::Number(_))) => "number",
        Values::List(_) => "choice",
    }
}

/// One object for each name, since options of one kind may be written together.
fn options(option: &OptionItem) -> Vec<Value> {
    let values = match &option.values {
        Values::Range { low, high, .. } => json!({ "min": low, "max": high }),
        Values::List(list) => list.iter().map(|value| literal(&value.kind)).collect(),
    };
    let object = |name: &str| {
        json!({
            "name": name,
            "type": type_name(&option.values),
            "default": literal(&option.default.kind),
            "values": values,
            "doc": doc(option.doc.as_ref()),
        })
    };
    option.names.iter().map(|name| object(&name.text)).collect()
}

/// The options of a file, one object for each name.
#[must_use]
pub fn option_objects(project: &Project) -> Vec<Value> {
    project.options().flat_map(options).collect()
}

/// The rulesets of a file with what they set.
#[must_use]
pub fn rulesets(project: &Project) -> Vec<Value> {
    let object = |ruleset: &RulesetItem| json!({ "name": ruleset.name.text, "doc": doc(ruleset.doc.as_ref()), "options": ruleset_options(project, ruleset) });
    project.rulesets().map(object).collect()
}

/// What a ruleset sets, with what it takes over from others.
#[must_use]
pub fn ruleset_options(project: &Project, ruleset: &RulesetItem) -> Map<String, Value> {
    let mut chain: Vec<&[Setting]> = vec![&ruleset.settings];
    let mut base = ruleset.extends.as_ref();
    // A circle of rulesets is an error of the file; the bound keeps it harmless here.
    while let Some(name) = base.filter(|_| chain.len() <= project.rulesets().count()) {
        let Some(found) = project.rulesets().find(|known| known.name.text == name.text) else { break };
        chain.push(&found.settings);
        base = found.extends.as_ref();
    }
    chain
        .iter()
        .rev()
        .flat_map(|settings| settings.iter())
        .map(|set| (set.name.text.clone(), literal(&set.value.kind)))
        .collect()
}
