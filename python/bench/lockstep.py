"""Random games of OpenSpiel played here as well: at each ply the same actions must be legal, and at the end the results the same.

    pip install open_spiel
    python bench/lockstep.py --plies 8000
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import ludwright as lw

# From what OpenSpiel calls an action to what the parts of ours are called.
Names = Callable[[str], str]


def letter(column: int) -> str:
    return chr(ord("a") + column)


def plain(text: str) -> str:
    """Moves from a square to a square, however they are joined."""
    return re.sub(r"[-x*>]", "", text.split(" ")[-1]).lower()


def grid(height: int) -> Names:
    """Rows and columns from the top left, counted from 0."""

    def name(text: str) -> str:
        row, column = (int(number) for number in re.findall(r"\d+", text))
        return f"{letter(column)}{height - row}"

    return name


def flipped(height: int) -> Names:
    """Upside down."""
    return lambda text: re.sub(r"\d+", lambda row: str(height + 1 - int(row[0])), plain(text))


def mirrored(width: int) -> Names:
    """Left and right exchanged."""
    turn = {letter(column): letter(width - 1 - column) for column in range(width)}
    return lambda text: "".join(turn.get(c, c) for c in plain(text))


def lines(rows: int) -> Names:
    """The lines of Dots and Boxes."""

    def name(text: str) -> str:
        kind, row, column = re.findall(r"\((\w),(\d+),(\d+)\)", text)[0]
        at, along = int(row), int(column)
        if kind == "h":
            return f"{letter(along)}{rows - at}n" if at < rows else f"{letter(along)}1s"
        return f"{letter(along - 1)}{rows - at}e" if along > 0 else f"a{rows - at}w"

    return name


def amazon(text: str) -> str:
    row, column = (int(number) for number in re.findall(r"\d+", text))
    return f"{letter(column - 1)}{11 - row}"


def pit(text: str) -> str:
    """South's pits are A to F from the left, North's a to f from the right."""
    return f"{text.lower()}1" if text.isupper() else f"{letter(5 - (ord(text) - ord('a')))}2"


def chess(state: Any, action: int, said: str) -> str:
    """From square to square, and the piece that a pawn becomes."""
    import pyspiel

    if said.startswith("O-O"):
        return "castle_long" if said.startswith("O-O-O") else "castle"
    move: str = pyspiel.chess.action_to_move(action, state.board()).to_lan()
    return move[:4] + move[4:].upper()


def triangle(side: int) -> Names:
    return lambda text: f"{text[0]}{side + 1 - int(text[1:])}"


def ends(text: str) -> str:
    """The first and the last square of a jump."""
    squares = re.findall(r"[a-z]\d+", text)
    return f"{squares[0]}{squares[-1]}" if len(squares) == 3 else text


@dataclass
class Pair:
    """A game there and here."""

    spiel: str
    ours: lw.Game
    name: Names
    # What of our parts is compared, where that is not all.
    part: Callable[[str], str] = field(default=lambda text: text)
    # When a game may be over there and go on here.
    sooner: Sooner | None = None


@dataclass
class Course:
    """A game up to now."""

    moves: list[str]
    positions: list[int]
    longest: int

    def repeats(self) -> bool:
        return self.positions[-1] in self.positions[:-1]

    def is_cut(self) -> bool:
        return len(self.moves) == self.longest

    def is_quiet(self) -> bool:
        """Forty plies without a capture, which is a jump over a square."""
        last = self.moves[-40:]
        return len(last) == 40 and all(abs(ord(move[0]) - ord(move[2])) == 1 for move in last)


Sooner = Callable[[Course], bool]


def pairs() -> list[Pair]:
    return [
        Pair("tic_tac_toe", lw.load("tic_tac_toe"), grid(3)),
        Pair("connect_four", lw.load("connect_four"), lambda text: letter(int(text[1:])), lambda text: text[0]),
        Pair("hex(board_size=7)", lw.load("hex", size=7), plain),
        Pair("breakthrough", lw.load("breakthrough"), flipped(8)),
        Pair("othello", lw.load("reversi"), plain),
        Pair("go(board_size=7)", lw.load("go", size=7, ko="simple"), plain, sooner=Course.is_cut),
        Pair("lines_of_action", lw.load("lines_of_action"), plain, sooner=Course.repeats),
        Pair("y(board_size=7)", lw.load("y", size=7), triangle(7)),
        Pair("clobber(rows=5,columns=6)", lw.load("clobber"), mirrored(6)),
        Pair("oware", lw.load("oware"), pit, sooner=Course.repeats),
        Pair("dots_and_boxes(num_rows=4,num_cols=4)", lw.load("dots_and_boxes", size=4), lines(4)),
        Pair("gomoku", lw.load("gomoku"), grid(15)),
        Pair("mnk(m=7,n=7,k=5)", lw.load("gomoku", size=7), grid(7)),
        Pair("checkers", lw.load("english_draughts"), plain, ends, sooner=Course.is_quiet),
        Pair("amazons", lw.load("amazons"), amazon),
        Pair("chess", lw.load("chess"), plain),
    ]


class Lockstep:
    """Games of a pair played side by side."""

    def __init__(self, pair: Pair, seed: int) -> None:
        import pyspiel

        self.pair, self.dice = pair, random.Random(seed)
        self.spiel: Any = pyspiel.load_game(pair.spiel)
        names = [text.split(" ", 1)[1] if " " in text else text for text in pair.ours.actions()]
        self.names = [pair.part(name.replace(" ", "")) for name in names]
        self.differences: dict[str, int] = {}
        self.plies = self.games = self.sooner = 0

    def note(self, what: str) -> None:
        self.differences[what] = self.differences.get(what, 0) + 1

    def their(self, state: Any) -> dict[str, int]:
        player = state.current_player()
        text = {action: state.action_to_string(player, action) for action in state.legal_actions()}
        if self.pair.spiel == "chess":
            return {chess(state, action, said): action for action, said in text.items()}
        return {"pass" if "pass" in said.lower() else self.pair.name(said): action for action, said in text.items()}

    def our(self, state: lw.State) -> dict[str, int]:
        return {self.names[action]: action for action in state.legal_actions()}

    def game(self) -> None:
        """One game, to its end or to the first difference."""
        self.games += 1
        theirs, ours = self.spiel.new_initial_state(), self.pair.ours.new_initial_state()
        course = Course([], [ours.position_hash()], self.spiel.max_game_length())
        # In its chess White, who begins, is player 1.
        first = theirs.current_player()
        while not theirs.is_terminal() and not ours.is_terminal():
            their, our = self.their(theirs), self.our(ours)
            if self.pair.spiel == "amazons" and len(next(iter(our))) > 3:
                # There a piece and its goal are two actions, here they are one.
                our_from = {re.findall(r"[a-z]\d+", text)[0] for text in our}
                if set(their) != our_from:
                    return self.note(f"who may move: {sorted(set(their) ^ our_from)[:4]}")
                start = self.dice.choice(sorted(their))
                theirs.apply_action(their[start])
                their = {start + goal: action for goal, action in self.their(theirs).items()}
                our = {text: action for text, action in our.items() if re.findall(r"[a-z]\d+", text)[0] == start}
            if set(their) != set(our):
                only = (sorted(set(their) - set(our))[:4], sorted(set(our) - set(their))[:4])
                return self.note(f"legal only there {only[0]}, only here {only[1]}, at ply {ours.move_number()}")
            chosen = self.dice.choice(sorted(their))
            theirs.apply_action(their[chosen])
            ours.apply_action(our[chosen])
            self.plies += 1
            course.moves.append(chosen)
            course.positions.append(ours.position_hash())
        # There a game is over as soon as nobody can move, here both players pass first.
        while theirs.is_terminal() and not ours.is_terminal() and list(self.our(ours)) == ["pass"]:
            ours.apply_action(ours.legal_actions()[0])
        if theirs.is_terminal() and not ours.is_terminal() and self.pair.sooner and self.pair.sooner(course):
            self.sooner += 1
            return None
        if theirs.is_terminal() != ours.is_terminal():
            where = "here" if ours.is_terminal() else "there"
            return self.note(f"over only {where}: {ours.result() if ours.is_terminal() else theirs.returns()}")
        returns = theirs.returns()
        returns = returns if first == 0 else returns[::-1]
        if [round(value, 3) for value in returns] != [round(value, 3) for value in ours.returns()]:
            self.note(f"results: there {theirs.returns()}, here {ours.returns()}, {ours.result()}")


def main() -> None:
    """Prints what was compared, and what differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plies", type=int, default=8_000, help="of each game")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=[])
    settings = parser.parse_args()
    everything = 0
    for pair in pairs():
        if settings.only and not any(name in pair.spiel for name in settings.only):
            continue
        lockstep = Lockstep(pair, settings.seed)
        while lockstep.plies < settings.plies and sum(lockstep.differences.values()) < 200:
            lockstep.game()
        everything += lockstep.plies
        differ = sum(lockstep.differences.values())
        found = f"{lockstep.games:5} games, {lockstep.sooner} over sooner there, {differ} differ"
        print(f"{pair.spiel:40} {lockstep.plies:7} plies, {found}", flush=True)
        for what, count in list(lockstep.differences.items())[:3]:
            print(f"    {count} x {what}", flush=True)
    print(f"{everything} plies")


if __name__ == "__main__":
    main()
