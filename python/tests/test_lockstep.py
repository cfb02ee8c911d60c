"""Random games of OpenSpiel, where it is installed, played here as well: the same actions, the same results."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("pyspiel", reason="pip install open_spiel")


def bench() -> ModuleType:
    path = Path(__file__).parent.parent / "bench" / "lockstep.py"
    spec = importlib.util.spec_from_file_location("lockstep", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["lockstep"] = module
    spec.loader.exec_module(module)
    return module


def test_what_is_legal_there_is_legal_here() -> None:
    lockstep = bench()
    pairs = lockstep.pairs()
    assert len(pairs) >= 12
    for pair in pairs:
        course = lockstep.Lockstep(pair, 1)
        while course.plies < 150:
            course.game()
        assert not course.differences, (pair.spiel, course.differences)


def test_a_difference_is_noticed() -> None:
    lockstep = bench()
    wrong = next(pair for pair in lockstep.pairs() if pair.spiel == "breakthrough")
    wrong.spiel = "breakthrough(columns=7)"
    course = lockstep.Lockstep(wrong, 1)
    course.game()
    assert "legal only" in next(iter(course.differences))
