//! The codes of all diagnostics: a stable identifier, a short title and how serious each is.

use super::Severity;
use std::fmt;

macro_rules! codes {
    ($($variant:ident $id:literal $severity:ident $title:literal $($lint:literal)?)*) => {
        /// What kind of problem a diagnostic speaks of. 1xx text, 2xx names, 3xx types, 4xx boards and values, 5xx moves and
        /// turns, 7xx options and rulesets, 8xx tests and records, 9xx lints.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Code { $(#[doc = $title] $variant),* }

        impl Code {
            /// All codes in order.
            pub const ALL: &'static [Code] = &[$(Code::$variant),*];

            /// The stable identifier, `LW` and three digits.
            #[must_use]
            pub fn id(self) -> &'static str {
                match self { $(Code::$variant => $id),* }
            }

            /// What it is about, in a few words.
            #[must_use]
            pub fn title(self) -> &'static str {
                match self { $(Code::$variant => $title),* }
            }

            /// How bad it is, where nobody decides otherwise.
            #[must_use]
            pub fn severity(self) -> Severity {
                match self { $(Code::$variant => Severity::$severity),* }
            }

            /// The name of a lint: warnings have one, by which a file or a command line allows or denies them.
            #[must_use]
            pub fn lint(self) -> Option<&'static str> {
                match self { $(Code::$variant => None $(.or(Some($lint)))?),* }
            }
        }
    };
}

codes! {
    Unreadable "LW101" Error "the text cannot be read"
    TooLarge "LW102" Error "the file is too large"
    TooDeep "LW103" Error "nested too deeply"
    TooCostly "LW110" Error "an expression takes too many steps"
    Syntax "LW104" Error "this is not a line of the language"
    Unterminated "LW105" Error "a quoted text does not end"
    Unclosed "LW106" Error "a brace is never closed"
    BadNumber "LW107" Error "a number is too large"
    NoGame "LW108" Error "the file does not begin with `game`"
    Section "LW109" Error "a section is missing or written twice"
    TwoReadings "LW111" Error "a line can be read in two ways"
    UnknownName "LW201" Error "unknown word"
    UnknownPlayer "LW202" Error "unknown player"
    UnknownPiece "LW203" Error "unknown piece"
    UnknownMove "LW204" Error "unknown move or pattern"
    UnknownOption "LW205" Error "unknown option"
    UnknownSite "LW206" Error "no such site on this board"
    UnknownShape "LW211" Error "unknown shape of a piece"
    DefinedTwice "LW207" Error "a name is defined twice"
    Reserved "LW208" Error "a name is a word of the language"
    Cycle "LW209" Error "definitions go round in a circle"
    UnknownFile "LW210" Error "another file cannot be used"
    WrongType "LW301" Error "the wrong kind of value"
    WrongArity "LW302" Error "the wrong number of values"
    NoOwner "LW303" Error "a piece without an owner"
    AlwaysEmpty "LW304" Error "nothing can ever be picked here"
    BadBoard "LW401" Error "the board cannot be built"
    BadDrawing "LW402" Error "the drawing cannot be read"
    NoDirection "LW403" Error "no such direction on this board"
    OutOfRange "LW404" Error "a value is out of range"
    BadPath "LW405" Error "a path cannot be so"
    TwoChanges "LW501" Error "two changes meet"
    BadNotation "LW502" Error "the notation cannot be printed"
    EmptyTurn "LW503" Error "a turn can be empty"
    SilentEnd "LW504" Error "a turn could end or go on"
    Unfinished "LW505" Error "a turn may be impossible to finish"
    BadPattern "LW506" Error "a pattern that cannot be played"
    BadStart "LW507" Error "the start cannot be set up"
    BadChance "LW508" Error "chance cannot decide like this"
    NoStacks "LW509" Error "a site holds one piece at most"
    BadLeaving "LW510" Error "a player cannot leave like this"
    BadOption "LW701" Error "an option that makes no sense"
    BadRuleset "LW702" Error "a ruleset that makes no sense"
    Excluded "LW703" Error "a combination of options is excluded"
    BadTest "LW801" Error "a test that cannot be run"
    SameNotation "LW902" Warning "two moves may print alike" "same-notation"
    Unused "LW903" Warning "defined and never used" "unused"
    NeverTrue "LW904" Warning "a condition that is never true" "never-true"
    SilentStuck "LW905" Warning "nothing is said about a player who cannot move" "silent-stuck"
    SameRuleset "LW906" Warning "a ruleset equal to another" "same-ruleset"
    Unbounded "LW907" Warning "a game that may have no end" "unbounded"
    Unreachable "LW908" Warning "a line that nothing reaches" "unreachable"
    NeverWins "LW909" Warning "a player who can never win" "never-wins"
    NeverLegal "LW910" Warning "a move that was never legal in play" "never-legal"
    AlwaysLegal "LW911" Warning "a condition that refused nothing in play" "always-legal"
    BadAllow "LW912" Warning "a line `allow` that allows nothing" "bad-allow"
    Slow "LW913" Warning "a clause that may take long" "slow"
    Several "LW914" Warning "several where one is needed" "several"
    NoValue "LW915" Warning "a negation that has no value" "no-value"
    CutMoves "LW916" Warning "moves that lists cut in two" "cut-moves"
    Idle "LW917" Warning "a choice or a line without effect in play" "idle"
    LooseOr "LW918" Warning "an owner who is meant of one word alone" "loose-or"
    OffBoard "LW919" Warning "a piece that goes off the board" "off-board"
    AlwaysTrue "LW920" Warning "a condition that is always true" "always-true"
    Lone "LW921" Warning "one where several may be meant" "lone"
    Costly "LW922" Warning "a clause that takes most of the time" "costly"
    LeftOut "LW923" Warning "a part that is left out though the move needs it" "left-out"
    Bend "LW924" Warning "a line that may turn a corner" "bend"
    Emptied "LW925" Warning "a set that remembers the empty sites" "emptied"
}

impl Code {
    /// The code meant by an identifier in any case, by its number alone, or by the name of a lint.
    #[must_use]
    pub fn find(text: &str) -> Option<Self> {
        let wanted = text.trim().to_lowercase().replace('_', "-");
        Self::ALL.iter().copied().find(|code| {
            let id = code.id().to_lowercase();
            id == wanted || id.trim_start_matches("lw") == wanted || code.lint() == Some(&wanted)
        })
    }

    /// All that `find` understands.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::ALL.iter().map(|code| code.id()).chain(Self::ALL.iter().filter_map(|code| code.lint()))
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}
