//! The sections of a rule file: one table of the words that begin them, for the parser, messages and editors.

use super::parse::Rule;

/// A word that begins a section.
#[derive(Debug)]
pub struct SectionWord {
    pub word: &'static str,
    /// What the section is for.
    pub doc: &'static str,
    /// How it is written, where nothing better is known.
    pub(super) form: &'static str,
    pub(super) rule: Rule,
}

const fn section(word: &'static str, rule: Rule, doc: &'static str, form: &'static str) -> SectionWord {
    SectionWord { word, doc, form, rule }
}

/// All of them, as an editor offers them. The grammar names them once more, in `section` and `section_word`.
pub static SECTIONS: &[SectionWord] = &[
    section("game", Rule::game, "the name of the game", "as in: game \"Name\" by \"Author\" 2026"),
    section(
        "about",
        Rule::about,
        "one sentence for lists",
        "write the sentence in quotes: about \"Four in a row wins.\"",
    ),
    section(
        "source",
        Rule::source,
        "where the rules come from",
        "write the sentence in quotes: about \"Four in a row wins.\"",
    ),
    section(
        "use",
        Rule::uses,
        "words, changes, moves and patterns of another file",
        "name a shipped game, or a file in quotes: use \"words.game\"",
    ),
    section("players", Rule::players, "who plays, in turn order", "as in: players Black, White"),
    section("order", Rule::order, "the order of turns", "as in: order Black, White, White, Black"),
    section(
        "option",
        Rule::option,
        "what is settled before the game",
        "as in: option side : 3..9 = 5, or: option opening : free, fixed = free",
    ),
    section(
        "ruleset",
        Rule::ruleset,
        "values of options under one name",
        "a ruleset gives options values: ruleset large { side 9, opening fixed }",
    ),
    section(
        "rule",
        Rule::requires,
        "which options go together",
        "as in: rule \"the side is even\" requires side mod 2 = 0",
    ),
    section("board", Rule::board, "the sites", "as in: board square(8), or: board hexagon(side)"),
    section(
        "path",
        Rule::path,
        "a row of sites that leads from each to the next, as a direction does",
        "as in: path track = a1 .. h1, h2 .. a2, round; sites that no other step leads to stand with commas",
    ),
    section("region", Rule::region, "a name for sites", "as in: region goal(p) = side(facing(p))"),
    section(
        "piece",
        Rule::piece,
        "the kinds of pieces",
        "as in: piece stone of each player, or: piece ball neutral; a kind that one player alone has is written like any other, and `start` says who gets it",
    ),
    section(
        "stacks",
        Rule::stacks,
        "several pieces on a site, and how many at most",
        "as in: stacks to 5; the top piece is the piece of the site",
    ),
    section("word", Rule::word, "a name for an expression", "as in: word friends(x) = own next_to x"),
    section(
        "change",
        Rule::named_change,
        "a name for changes that several moves make",
        "as in: change take(S) { prisoners(mover) becomes prisoners(mover) + count S; S becomes empty }",
    ),
    section("track", Rule::track, "a value that is remembered", "as in: track hand(player) : 0..9 = 9"),
    section("phases", Rule::phases, "the phases of the game", "as in: phases opening, play"),
    section("start", Rule::start, "what stands on the board at first", "as in: start { centre becomes ball }"),
    section(
        "move",
        Rule::mv,
        "a table of parts, conditions and changes",
        "as in: move put \"{cell}\" { cell : empty; cell becomes stone of mover }",
    ),
    section(
        "chance",
        Rule::mv,
        "`chance move`: a move made by chance, as of dice",
        "as in: chance move roll \"{n}\" { n : 1..6; die becomes n }",
    ),
    section(
        "after",
        Rule::after_each,
        "`after each ply`, `after each turn`: changes that every move, or every turn, ends with",
        "as in: after each ply { every x in stone not next_to own: x becomes empty }",
    ),
    section("pattern", Rule::pattern, "a name for an order of moves", "as in: pattern step_or_hop = step or hop"),
    section(
        "whole",
        Rule::turn,
        "`whole turn`: only plies after which the turn can be finished",
        "as in: turn { put or pass }",
    ),
    section("turn", Rule::turn, "what a turn consists of", "as in: turn { put or pass }"),
    section(
        "end",
        Rule::end,
        "how the game ends",
        "as in: end { mover wins when line(3, own, directions); draw when stuck }",
    ),
    section("score", Rule::score, "the score of a player", "as in: score(p) = count(piece of p)"),
    section(
        "hidden",
        Rule::hidden,
        "what a player does not see",
        "as in: hidden pieces(p) = site but of p, or: hidden hand(p, q) = q is not p; `p` is who does not see it",
    ),
    section("ties", Rule::ties, "who comes first among equals", "as in: ties draw"),
    section("drop", Rule::drop, "takes out what the base file has", "as in: drop NAME, or several: drop a, b, c"),
    section(
        "allow",
        Rule::allow,
        "a warning that is not given",
        "as in: allow unused in spare \"why\"; `ludwright explain --list` names the lints",
    ),
    section(
        "test",
        Rule::test,
        "steps that must come out as said",
        "as in: test \"the first move\" { play c3; illegal c3 }",
    ),
    section("record", Rule::record, "a published game", "as in: test \"the first move\" { play c3; illegal c3 }"),
];

/// The section that a word begins.
#[must_use]
pub fn find(word: &str) -> Option<&'static SectionWord> {
    SECTIONS.iter().find(|section| section.word == word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// What stands between the braces of a rule of the grammar.
    fn body(rule: &str) -> &'static str {
        let grammar = include_str!("../../grammar/game.pest");
        let (_, rest) = grammar.split_once(&format!("\n{rule} = ")).unwrap();
        rest.split_once('{').unwrap().1.split_once('}').unwrap().0
    }

    #[test]
    fn the_grammar_has_the_sections_of_the_table() {
        let words: BTreeSet<&str> = body("section_word").split('"').skip(1).step_by(2).collect();
        assert_eq!(words, SECTIONS.iter().map(|section| section.word).collect());
        let rules: BTreeSet<String> = body("section").split('|').map(|rule| rule.trim().to_owned()).collect();
        assert_eq!(rules, SECTIONS.iter().map(|section| format!("{:?}", section.rule)).collect());
    }
}
