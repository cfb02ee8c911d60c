//! The ruleset and the options that somebody chooses, checked against what the game declares.

use super::LoadError;
use crate::check::Project;
use crate::diagnostic::closest;
use crate::syntax::ast::{self, ValueKind};
use std::collections::BTreeMap;

pub(crate) fn chosen_ruleset(project: &Project, wanted: Option<&str>) -> Result<Option<String>, LoadError> {
    let Some(wanted) = wanted else { return Ok(None) };
    let known: Vec<&str> = project.rulesets().map(|ruleset| ruleset.name.text.as_str()).collect();
    if known.contains(&wanted) {
        return Ok(Some(wanted.to_owned()));
    }
    let help = if known.is_empty() {
        "the game has no rulesets".to_owned()
    } else {
        let list = format!("the rulesets are {}", known.join(", "));
        closest(wanted, known.iter().copied()).map_or(list.clone(), |best| format!("did you mean `{best}`? {list}"))
    };
    Err(LoadError::Other { message: format!("there is no ruleset `{wanted}`"), help: Some(help) })
}

/// Options as text, checked against what the game declares.
pub(crate) fn chosen_options(
    project: &Project,
    options: &[(String, String)],
) -> Result<BTreeMap<String, ValueKind>, LoadError> {
    let mut settings = BTreeMap::new();
    for (name, text) in options {
        let known = || project.options().flat_map(|option| option.names.iter().map(|name| name.text.as_str()));
        let Some(option) = project.options().find(|option| option.names.iter().any(|known| known.text == *name)) else {
            let list: Vec<&str> = known().collect();
            let help = match closest(name, known()) {
                Some(best) => format!("did you mean `{best}`?"),
                None if list.is_empty() => "the game has no options".to_owned(),
                None => format!("the options are {}", list.join(", ")),
            };
            return Err(LoadError::Other { message: format!("there is no option `{name}`"), help: Some(help) });
        };
        let value = text.parse().map_or_else(|_| ValueKind::Name(text.clone()), ValueKind::Number);
        let allowed = match &option.values {
            ast::Values::Range { low, high, .. } => {
                let fits = matches!(&value, ValueKind::Number(number) if (low..=high).contains(&number));
                if fits { None } else { Some(format!("it goes from {low} to {high}")) }
            }
            ast::Values::List(values) => {
                let fits = values.iter().any(|known| known.kind == value);
                let list = || values.iter().map(|value| value.kind.to_string()).collect::<Vec<_>>();
                if fits {
                    None
                } else {
                    let list = list();
                    let best =
                        closest(text, list.iter().map(String::as_str)).map(|best| format!("did you mean `{best}`? "));
                    Some(format!("{}it can be {}", best.unwrap_or_default(), list.join(", ")))
                }
            }
        };
        if let Some(help) = allowed {
            return Err(LoadError::Other {
                message: format!("the option `{name}` cannot be `{text}`"),
                help: Some(help),
            });
        }
        settings.insert(name.clone(), value);
    }
    Ok(settings)
}
