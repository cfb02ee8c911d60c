//! The keys, in words.

/// What stands at the bottom of the screen, the most needed first: keys and what they do.
pub const KEYS: [(&str, &str); 11] = [
    ("F1", "keys"),
    ("Enter", "pick"),
    ("Tab", "next"),
    ("a-z", "type a move"),
    ("^Z", "undo"),
    ("F2", "hint"),
    ("^Q", "quit"),
    ("F4", "rules"),
    ("Esc", "back"),
    ("^Y", "redo"),
    ("F3", "why"),
];

/// The whole list.
pub const TEXT: &str = "\
arrows         go to the next site that way
Enter, Space   pick the site or name under the cursor
mouse          a click picks, the wheel scrolls
Tab, S-Tab     go to the next or last choice
1 2 3 ...      pick a name, where names are numbered
Esc            let go of what is picked; close
letters        type a move; Tab completes it, Enter plays

Ctrl-Z  Ctrl-Y   undo, redo
F2 or Ctrl-T     hint: what a program would play
F3 or Ctrl-W     why the last try is no legal move
F4               the rules of the game in words
PgUp  PgDn       scroll the list of moves
Ctrl-R           resign
Ctrl-S           save the game to a file
Ctrl-Q           quit; the game is saved at every move

The same as words: type : and then
undo redo hint why MOVE rules moves draw resign save FILE quit
(draw offers one to the other person)

Marks: [ ] cursor   ( ) or a dot: may be picked
       { } picked   coloured ground: the last move";
