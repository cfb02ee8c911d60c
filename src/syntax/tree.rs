//! What the grammar finds in a text: flat trees, one for each run of sections, which are read once however often they come.

use super::parse::{Rule, grammar, without_tail};
use super::sections;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// How many bytes of text are remembered before what was not asked for since is forgotten: as long as the longest file.
const REMEMBERED: usize = 1 << 20;

/// A rule that matched; what lies below it follows it in the list.
#[derive(Debug)]
struct Entry {
    rule: Rule,
    start: u32,
    end: u32,
    /// Where it ends without the blanks and comments that the grammar reads along.
    trimmed: u32,
    /// The number of the first entry that does not lie below.
    after: u32,
}

#[derive(Debug, Default)]
struct Tree {
    entries: Vec<Entry>,
}

impl Tree {
    /// Runs the grammar over a text. Whatever it cannot read is a `bad_*` rule, so that there is a tree unless it takes too long.
    fn of(text: &str) -> Self {
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let mut entries: Vec<Entry> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let Ok(pairs) = grammar(Rule::file, text) else { return Self::default() };
        for token in pairs.tokens() {
            match token {
                pest::Token::Start { rule, pos } => {
                    open.push(entries.len());
                    entries.push(Entry { rule, start: number(pos.pos()), end: 0, trimmed: 0, after: 0 });
                }
                pest::Token::End { pos, .. } => {
                    let after = number(entries.len());
                    if let Some(entry) = open.pop().and_then(|at| entries.get_mut(at)) {
                        let start = entry.start as usize;
                        entry.end = number(pos.pos());
                        entry.trimmed = number(start + without_tail(&text[start..pos.pos()]).len());
                        entry.after = after;
                    }
                }
            }
        }
        Self { entries }
    }
}

/// A part of a text that was read by itself.
#[derive(Debug)]
pub(super) struct Section {
    range: Range<usize>,
    tree: Arc<Tree>,
}

impl Section {
    pub(super) fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// The root of what was found; none if that took too long.
    pub(super) fn root<'t>(&'t self, text: &'t str) -> Option<Node<'t>> {
        let text = &text[self.range.clone()];
        (!self.tree.entries.is_empty()).then_some(Node { tree: &self.tree, text, base: self.range.start, at: 0 })
    }
}

/// A rule that matched, with its place in the whole text.
#[derive(Clone, Copy)]
pub(super) struct Node<'t> {
    tree: &'t Tree,
    /// The section.
    text: &'t str,
    /// Where the section begins.
    base: usize,
    at: usize,
}

impl<'t> Node<'t> {
    fn entry(&self) -> &'t Entry {
        &self.tree.entries[self.at]
    }

    pub(super) fn as_rule(&self) -> Rule {
        self.entry().rule
    }

    pub(super) fn start(&self) -> usize {
        self.base + self.entry().start as usize
    }

    pub(super) fn end(&self) -> usize {
        self.base + self.entry().end as usize
    }

    /// Where it ends without the blanks and comments at its end.
    pub(super) fn trimmed_end(&self) -> usize {
        self.base + self.entry().trimmed as usize
    }

    pub(super) fn as_str(&self) -> &'t str {
        let entry = self.entry();
        &self.text[entry.start as usize..entry.end as usize]
    }

    /// What lies directly below it, in order.
    pub(super) fn inner(&self) -> impl Iterator<Item = Node<'t>> + use<'t> {
        let node = *self;
        let end = self.entry().after as usize;
        let mut next = self.at + 1;
        std::iter::from_fn(move || {
            let at = next;
            next = node.tree.entries.get(at).filter(|_| at < end)?.after as usize;
            Some(Node { at, ..node })
        })
    }
}

/// The trees of texts that were read before. Nothing but the text decides about a tree, so it never becomes wrong.
#[derive(Default)]
pub(super) struct Memory {
    shelves: Mutex<Shelves>,
}

/// What was asked for since the last clearing, and what was before: that goes at the next one.
#[derive(Default)]
struct Shelves {
    young: HashMap<Box<str>, Arc<Tree>>,
    old: HashMap<Box<str>, Arc<Tree>>,
    /// Of the young.
    bytes: usize,
}

impl Memory {
    /// The one for everybody: files are mostly read again with one section changed, and the standard words with each.
    pub(super) fn shared() -> &'static Self {
        static SHARED: LazyLock<Memory> = LazyLock::new(Memory::default);
        &SHARED
    }

    /// Reads a text that is within the limits. It takes a large stack.
    pub(super) fn read(&self, text: &str) -> Vec<Section> {
        sections(text).into_iter().map(|range| Section { tree: self.tree(&text[range.clone()]), range }).collect()
    }

    fn tree(&self, text: &str) -> Arc<Tree> {
        let shelves = || self.shelves.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = shelves().known(text) {
            return known;
        }
        let tree = Arc::new(Tree::of(text));
        shelves().keep(text.into(), Arc::clone(&tree));
        tree
    }
}

impl Shelves {
    fn known(&mut self, text: &str) -> Option<Arc<Tree>> {
        if let Some(tree) = self.young.get(text) {
            return Some(Arc::clone(tree));
        }
        let (text, tree) = self.old.remove_entry(text)?;
        self.keep(text, Arc::clone(&tree));
        Some(tree)
    }

    fn keep(&mut self, text: Box<str>, tree: Arc<Tree>) {
        self.bytes += text.len();
        self.young.insert(text, tree);
        if self.bytes > REMEMBERED {
            self.old = std::mem::take(&mut self.young);
            self.bytes = 0;
        }
    }
}

/// A text cut before lines at which a section certainly begins, so that each part can be read without the others.
///
/// If the braces of the text have partners, the cuts are outside of them. If they have none, something is being written, and
/// the rest of the file is not to be read as part of a block that is still open.
fn sections(text: &str) -> Vec<Range<usize>> {
    let Heads { heads, balanced } = heads(text);
    let cuts = heads.into_iter().filter(|(_, within)| !(balanced && *within)).map(|(at, _)| at);
    let mut start = 0;
    cuts.chain([text.len()]).map(|end| std::mem::replace(&mut start, end)..end).collect()
}

/// Lines that begin as sections do.
struct Heads {
    /// Where they begin, and whether that is within braces.
    heads: Vec<(usize, bool)>,
    /// Every brace has its partner.
    balanced: bool,
}

/// Looks for lines that begin in the first column with the word of a section, are no lines of a block (`turn = 3`), and do
/// not go on with the line before.
fn heads(text: &str) -> Heads {
    let bytes = text.as_bytes();
    let mut heads = Vec::new();
    let (mut depth, mut balanced, mut at) = (0usize, true, 0usize);
    // Whether a line can end with what was read last.
    let mut complete = true;
    let mut line_begins = false;
    while at < bytes.len() {
        if std::mem::take(&mut line_begins) && complete && begins_section(&text[at..]) {
            heads.push((at, depth > 0));
        }
        let byte = bytes[at];
        let rest = &bytes[at + 1..];
        match byte {
            b'\n' | b'\r' => line_begins = byte == b'\n' || rest.first() != Some(&b'\n'),
            b' ' | b'\t' => {}
            b'"' => {
                complete = true;
                at += rest.iter().take_while(|byte| !matches!(byte, b'"' | b'\n' | b'\r')).count();
                at += usize::from(bytes.get(at + 1) == Some(&b'"'));
            }
            b'/' if rest.first() == Some(&b'/') => {
                at += rest.iter().take_while(|byte| !matches!(byte, b'\n' | b'\r')).count();
            }
            b'{' => {
                depth += 1;
                complete = true;
            }
            b'}' => {
                balanced &= depth > 0;
                depth = depth.saturating_sub(1);
                complete = true;
            }
            _ if is_word(byte) => {
                let length = 1 + rest.iter().take_while(|byte| is_word(**byte)).count();
                complete = !matches!(&text[at..at + length], "and" | "or" | "but" | "div" | "mod" | "then" | "else");
                at += length - 1;
            }
            _ => complete = !b"=([:,+-*<>.".contains(&byte),
        }
        at += 1;
    }
    Heads { heads, balanced: balanced && depth == 0 }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether a line begins with the word of a section and goes on as one: `outer_start` in the grammar.
fn begins_section(line: &str) -> bool {
    let word = &line[..line.bytes().take_while(|byte| is_word(*byte)).count()];
    let rest = line[word.len()..].trim_start_matches([' ', '\t']);
    let line_of_a_block = rest.starts_with([':', '=', '(', ','])
        || rest.starts_with("->")
        || rest.strip_prefix("becomes").is_some_and(|rest| !rest.bytes().next().is_some_and(is_word));
    sections::find(word).is_some() && !line_of_a_block
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse_by;
    use super::*;
    use crate::source::SourceId;
    use rand::{RngExt as _, SeedableRng as _};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use std::path::{Path, PathBuf};

    /// All of a text at once, as the grammar reads it.
    fn whole(text: &str) -> Vec<Section> {
        vec![Section { range: 0..text.len(), tree: Arc::new(Tree::of(text)) }]
    }

    /// The tree and all that is said about a text, with places.
    fn said(text: &str, read: impl FnOnce(&str) -> Vec<Section> + Send) -> String {
        format!("{:#?}", parse_by(read, SourceId(3), text))
    }

    fn files(folders: &[&str]) -> Vec<(PathBuf, String)> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut waiting: Vec<PathBuf> = folders.iter().map(|folder| root.join(folder)).collect();
        let mut found = Vec::new();
        while let Some(path) = waiting.pop() {
            if path.is_dir() {
                waiting.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            } else if path.extension().is_some_and(|ending| ending == "game") {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
        found.sort();
        found
    }

    #[test]
    fn a_text_is_cut_where_sections_begin() {
        let cut = |text: &'static str| sections(text).into_iter().map(|range| &text[range]).collect::<Vec<_>>();
        assert_eq!(
            cut("// a\nplayers A, B\nturn {\nmove or pass\n}\n// b\nend { }"),
            ["// a\n", "players A, B\n", "turn {\nmove or pass\n}\n// b\n", "end { }"]
        );
        assert_eq!(cut("word a =\nend\nword b = board or\nend\nend { }").len(), 3, "lines that go on");
        assert_eq!(cut("word a = \"{\" // {\nend { }\rties draw\r\n turn\r\nscore(p) = 1").len(), 3);
        assert_eq!(cut("move a {\nturn = 3\nmove b {\nend { }").len(), 3, "a block that is never closed");
        assert_eq!(cut("endless\nends\nend : own"), ["endless\nends\nend : own"]);
    }

    #[test]
    fn sections_say_together_what_the_whole_says() {
        let files = files(&["games", "examples", "grammar", "tests/variants", "tests/broken"]);
        assert!(files.len() > 100);
        for (path, text) in files {
            if heads(&text).balanced {
                assert_eq!(said(&text, sections_of), said(&text, whole), "{}", path.display());
            }
        }
    }

    fn sections_of(text: &str) -> Vec<Section> {
        Memory::default().read(text)
    }

    /// One of the things that hands do to a text.
    fn edited(text: &str, dice: &mut Xoshiro256PlusPlus) -> String {
        const TYPED: [&str; 22] = [
            "{",
            "}",
            "(",
            ")",
            "\"",
            ",",
            ";",
            "=",
            "//",
            "\n",
            "\r",
            " ",
            "x",
            "end",
            "\nend",
            "\nmove or pass\n",
            "\nturn {\n",
            "\n}\n",
            " or",
            " -> ",
            "ä",
            "\nboard lines { a b\n",
        ];
        let mut place = || {
            let at = dice.random_range(0..=text.len());
            (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap()
        };
        let (a, b) = (place(), place());
        let line = text[..a].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[a..].find('\n').map_or(text.len(), |at| a + at + 1);
        let next = text[a..].chars().next().map_or(a, |c| a + c.len_utf8());
        match dice.random_range(0..8) {
            0..=2 => format!("{}{}{}", &text[..a], TYPED[dice.random_range(0..TYPED.len())], &text[a..]),
            3 | 4 => format!("{}{}", &text[..a], &text[next..]),
            5 => format!("{}{}", &text[..line], &text[line_end..]),
            6 => format!("{}{}{}", &text[..b], &text[line..line_end], &text[b..]),
            _ => format!("{}{}", &text[..line], text[line..].trim_start()),
        }
    }

    #[test]
    fn a_text_that_is_edited_is_read_as_if_it_were_new() {
        let mut dice = Xoshiro256PlusPlus::seed_from_u64(7);
        let (mut compared, mut broken) = (0, 0);
        for (path, original) in files(&["games", "grammar"]) {
            let memory = Memory::default();
            let mut text = original.clone();
            for _ in 0..7 {
                text = if dice.random_range(0..4) == 0 { original.clone() } else { edited(&text, &mut dice) };
                let remembered = said(&text, |text| memory.read(text));
                assert_eq!(remembered, said(&text, sections_of), "{}\n{text}", path.display());
                if heads(&text).balanced {
                    compared += 1;
                    assert_eq!(remembered, said(&text, whole), "{}\n{text}", path.display());
                } else {
                    broken += 1;
                }
            }
        }
        assert!(compared > 200 && broken > 50, "{compared} with all braces, {broken} without");
    }

    #[test]
    fn what_nobody_asks_for_is_forgotten() {
        let memory = Memory::default();
        let asked = "players A, B\n";
        for number in 0..4 {
            memory.read(&format!("// {number}{}", " ".repeat(REMEMBERED / 2)));
            memory.read(asked);
        }
        let shelves = memory.shelves.lock().unwrap();
        let known = shelves.young.len() + shelves.old.len();
        assert!(known <= 4, "{known} are remembered");
        assert!(shelves.young.contains_key(asked) || shelves.old.contains_key(asked));
    }
}
