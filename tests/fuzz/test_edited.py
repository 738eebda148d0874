"""An edit never makes the checker accept a program that then computes something else than CPython."""

from __future__ import annotations

import ast
import importlib.util
import random
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linad.oracle import Ended, attempt

from ..examples_of import quick
from ..lower import test_against_python as lowering
from ..properties.roads import Whole
from .cases import cases

EVENTS = 60_000  # lines that a program may execute


class TooLong(BaseException):
    """The edited program does not end soon."""


def bodies(f: ast.FunctionDef) -> list[list[ast.stmt]]:
    fields = [getattr(n, name, None) for n in ast.walk(f) for name in ("body", "orelse")]
    return [b for b in fields if isinstance(b, list) and b]


def delete(f: ast.FunctionDef, rng: random.Random) -> None:
    body = rng.choice(bodies(f))
    if len(body) > 1:
        del body[rng.randrange(len(body))]


def swap(f: ast.FunctionDef, rng: random.Random) -> None:
    body = rng.choice(bodies(f))
    a, b = rng.randrange(len(body)), rng.randrange(len(body))
    body[a], body[b] = body[b], body[a]


def repeat(f: ast.FunctionDef, rng: random.Random) -> None:
    body = rng.choice(bodies(f))
    body.insert(rng.randrange(len(body)), rng.choice(body))


def move(f: ast.FunctionDef, rng: random.Random) -> None:
    """A statement leaves its block for another."""
    source, target = rng.choice(bodies(f)), rng.choice(bodies(f))
    if len(source) > 1:
        s = source.pop(rng.randrange(len(source)))
        if not any(b is target for n in ast.walk(s) for b in (getattr(n, "body", None), getattr(n, "orelse", None))):
            target.insert(rng.randrange(len(target) + 1), s)


def rename(f: ast.FunctionDef, rng: random.Random) -> None:
    names = [n for n in ast.walk(f) if isinstance(n, ast.Name)]
    if names:
        rng.choice(names).id = rng.choice(names).id


def transplant(f: ast.FunctionDef, rng: random.Random) -> None:
    """An expression takes the place of another."""
    holders = [
        (n, name)
        for n in ast.walk(f)
        for name in ("value", "left", "right", "test", "operand")
        if isinstance(getattr(n, name, None), ast.expr)
    ]
    if not holders:
        return
    (n, name), (m, other) = rng.choice(holders), rng.choice(holders)
    setattr(n, name, ast.parse(ast.unparse(getattr(m, other)), mode="eval").body)


def drop_copy(f: ast.FunctionDef, rng: random.Random) -> None:
    """``x.copy()`` becomes ``x``: the edit that makes two names of one array."""

    class Drop(ast.NodeTransformer):
        def visit_Call(self, node):
            self.generic_visit(node)
            match node:
                case ast.Call(func=ast.Attribute(value=value, attr="copy")) if rng.random() < 0.7:
                    return value
            return node

    Drop().visit(f)


EDITS = [delete, swap, repeat, move, rename, transplant, drop_copy]


def load(tree: ast.Module, folder: Path, name: str) -> ModuleType:
    text = ast.unparse(ast.fix_missing_locations(tree))
    file = folder / f"edited_{abs(hash(text))}.py"
    file.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[file.stem]
    return module


def ends(whole: Whole) -> bool:
    """Whether CPython gets through the program soon."""
    return soon(whole.oracle) is not None


def soon(run: Callable[[], object]) -> Ended | None:
    """How it ends what is run; None if it executes more lines than `EVENTS`."""
    left = EVENTS

    def trace(frame, event, argument):
        nonlocal left
        left -= 1
        if left < 0:
            raise TooLong
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        return attempt(run)
    except TooLong:
        return None
    finally:
        sys.settrace(before)


def within_reach(tree: ast.Module, name: str) -> list[ast.FunctionDef]:
    """A function of a module and those that it mentions, and those that they mention."""
    functions = {s.name: s for s in tree.body if isinstance(s, ast.FunctionDef)}
    found, waiting = [], [name]
    while waiting:
        f = functions.pop(waiting.pop(), None)
        if f is not None:
            found.append(f)
            waiting += [n.id for n in ast.walk(f) if isinstance(n, ast.Name)]
    return found


def edited_case(rng: random.Random, folder: Path, count: int) -> Whole | None:
    case = rng.choice(cases())
    tree = case.tree()
    functions = within_reach(tree, case.name)
    for _ in range(count):
        rng.choice(EDITS)(rng.choice([functions[0], *functions]), rng)
    try:
        loaded = load(tree, folder, case.name)
    except Exception:  # a default that is renamed, a helper that the module itself calls
        return None
    return Whole(getattr(loaded, case.name), case.args, case.updates, case.single)


def agrees(whole: Whole) -> bool:
    """Whether the program was accepted; it then does what CPython does."""
    if whole.errors or whole.checked.program is None or not ends(whole):
        return False
    try:
        whole.primal()
    except AssertionError as error:
        if "None here" not in str(error):  # an annotation promises a number, and Python returns None
            raise
        return False
    return True


@quick(40)
@given(st.randoms(use_true_random=False), st.integers(1, 3))
def test_accepted_programs_do_what_python_does(tmp_path_factory, rng, count):
    whole = edited_case(rng, tmp_path_factory.getbasetemp(), count)
    if whole is not None:
        agrees(whole)


def test_the_edits_leave_programs_to_compare(tmp_path):
    rng = random.Random(1)
    wholes = [w for _ in range(24) if (w := edited_case(rng, tmp_path, 1)) is not None]
    outcomes = [agrees(w) for w in wholes]
    assert sum(outcomes) > 5 and len(outcomes) - sum(outcomes) > 2, "both accepted and refused programs"


def test_a_wrong_result_would_be_seen(monkeypatch):
    case = next(c for c in cases() if hasattr(lowering.programs, c.name) and not c.updates)
    whole = Whole(getattr(lowering.programs, case.name), case.args)
    assert agrees(whole)
    monkeypatch.setattr(Whole, "oracle", lambda self: (1.0 + self.function(*self.args), {}))
    with pytest.raises(AssertionError):
        agrees(whole)
