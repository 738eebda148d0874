"""What is held against what: one program on every road to its value and its gradient.

What comes of it is a word: ``agrees``, ``raises`` (as CPython does), ``wrong in CPython too``, or ``refused`` with
the errors. Anything else is an exception: an `AssertionError` where two roads disagree, whatever was raised where the
machinery failed.
"""

from __future__ import annotations

import ast
import os
import re
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any, Literal
from unittest.mock import patch

import numpy as np

from linad import LinadError, linear_grad, release_memory
from linad.baseline import dual, tape
from linad.optimise.environment import GUARD
from linad.oracle import Ended, attempt, difference
from linad.codegen.passes import all_passes

from ..properties.roads import Whole, as_tuples, close, everything, floats, fresh, leaves
from ..strategies import Program
from . import guard_pages

# Sizes of 1 are stretched by NumPy, and not by linad where they come up at run time: a declared deviation.
STRETCHED = re.compile(r"broadcast|shape|size|axis")
# Where a Python number meets one of NumPy it has the attributes of NumPy's: join widening, a declared deviation.
WIDENED = re.compile(r"'(float|int|bool)' object (is not subscriptable|has no attribute)")
DECLARED = re.compile(r"docs/reference/deviations\.md|one row at least")  # others, most of which say so themselves
INTERNAL = "LIN9"


class Unknown(Exception):
    """The oracles cannot tell what is right: the program is no evidence."""


@cache
def optional_passes() -> dict[str, bool]:
    """All passes that a function can do without, off."""
    return {name: False for name, p in all_passes().items() if not p.required}


COMPILED: dict[str, Callable[[], dict[str, Any]]] = {
    "compiled": dict,
    "compiled, no passes": lambda: {"passes": optional_passes()},
    "compiled, fastmath off": lambda: {"fastmath": False},
    "compiled, threads": lambda: {"parallel": True},
    "compiled, pure": lambda: {"update": "pure"},
    "guarded": dict,
    "guarded, no passes": lambda: {"passes": optional_passes()},
}


Depth = Literal["lowered", "value", "derivative", "stages"]


def judge(
    program: Program,
    compiled: tuple[str, ...] = (),
    depth: Depth = "stages",
    off: frozenset[str] = frozenset(),
    others: Sequence[Program] = (),
    early: bool = True,
) -> str:
    """Hold a program against all that knows better.

    Parameters
    ----------
    program
        What is judged.
    compiled
        Rows of `COMPILED`: machine code that is held against the interpreter.
    depth
        How much is held against it on the interpreter: the value of the ``"lowered"`` program, against CPython; the
        ``"value"`` of the prepared program too; the ``"derivative"`` too, that which is compiled, against the tape; at
        the ``"stages"`` of both, and after each pass, everything that `Whole` knows. Each takes a few times as long as the one before.
    off
        The passes that are left out.
    others
        The program at other arguments, of which the value of the lowered program alone is compared.
    early
        Whether it is examined without the types of its arguments, too, as decorators do.
    """
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        f = program.load()
        whole = Whole(f, program.args, program.updates, program.single, off=off, watched=depth == "stages")
        errors = whole.errors or _of_the_call(whole)
        if errors:
            codes = [e for e in errors if e.startswith(INTERNAL)]
            assert not codes, f"internal: {codes}"
            runs = attempt(lambda: f(*fresh(list(program.args)))).error is None
            return "refused: " + "; ".join(errors) if runs else "wrong in CPython too"
        refusals = _early(program) if early else []
        assert not refusals, f"refused before types are known: {refusals}"
        if depth == "lowered":
            if whole.lowered.derivatives:  # which only the passes make
                return "derivatives inside"
            for other in others:
                with suppress(Unknown):
                    _lowered(whole.at(other.args))
            return _lowered(whole)
        ended = _value(whole)
        wanted = None
        if depth != "value" and ended.error is None:
            wanted = _gradient(whole, depth)
        elif depth != "value" and not compiled:
            whole.raises(ended.error, (True, False) if depth == "stages" else (True,))
        for name in compiled:
            _compiled(whole, name, ended, wanted)
    return "agrees" if ended.error is None else "raises"


def _early(program: Program) -> list[str]:
    """Why a program is refused when it is decorated, if its parameters have no annotations."""
    before, entry = program.parts()
    tree = ast.parse(entry)
    f = next((n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "f"), None)
    if f is None or not before:
        return []
    for a in f.args.args:
        a.annotation = None
    untyped = replace(program, text=f"{before}\n{ast.unparse(tree)}\n")
    return Whole(untyped.load(), program.args, program.updates).errors_of_decorating()


def _of_the_call(whole: Whole) -> list[str]:
    """Why a function is refused of which the values of a call decide what it means."""
    if whole.checked.program is not None:
        return []
    f = linear_grad(whole.function, updates=whole.updates, backend="interpret")
    ended = attempt(lambda: f(*fresh(list(whole.args))))
    if ended.error is None:
        raise Unknown("accepted with these values, of which `Whole` knows the types alone")
    errors = re.findall(r"^error\[(LIN\d+)\](.*)", str(ended.error), re.MULTILINE)  # besides what it informs of
    return ["".join(parts) for parts in errors] or [str(ended.error)]


def _lowered(whole: Whole) -> str:
    """What comes of the program as it is lowered, which the oracle that knows of deviations only sees if it differs."""
    plain = attempt(lambda: _plain(whole))
    got = attempt(lambda: whole.run(whole.lowered))
    rtol, atol = _rounding(whole)
    if difference(everything(plain), everything(got), rtol=rtol, atol=atol) is not None:
        plain = _value(whole)
    return "agrees" if plain.error is None else "raises"


def _rounding(whole: Whole) -> tuple[float, float]:
    return (1e-4, 1e-5) if whole.single else (1e-9, 1e-12)


def _value(whole: Whole) -> Ended:
    """How the program ends, in CPython and in the interpreter, before and after its passes."""
    try:
        return whole.primal()
    except (AssertionError, Exception) as error:
        plain = attempt(lambda: _plain(whole))
        rtol, atol = _rounding(whole)
        inside = whole.lowered.derivatives  # which only the passes make
        for program in (whole.prepared,) if inside else (whole.lowered, whole.prepared):
            got = attempt(lambda program=program: whole.run(program))
            if got.error is not None and STRETCHED.search(str(got.error)) and "1" in str(got.error):
                raise Unknown(f"stretched: {got.error}") from None
            if got.error is not None and DECLARED.search(str(got.error)):
                raise Unknown(f"declared: {got.error}") from None
            if isinstance(got.error, ZeroDivisionError) and not isinstance(plain.error, ZeroDivisionError):
                raise Unknown("declared: // and % by zero of NumPy's ints") from None
            if got.error is None and isinstance(plain.error, IndexError) and _no_cells(whole.args):
                raise Unknown("declared: indices of arrays of no cells are not checked")
            index, size = isinstance(plain.error, IndexError), isinstance(got.error, ValueError)
            if index and size and STRETCHED.search(str(got.error)):
                raise Unknown("declared: sizes of an array expression are compared before its cells are read") from None
            if got.error is None and isinstance(plain.error, ZeroDivisionError) and "float" in str(plain.error):
                raise Unknown("declared: a division by zero of Python's floats") from None
            kind = isinstance(plain.error, TypeError | AttributeError)
            if got.error is None and kind and WIDENED.match(str(plain.error)):
                raise Unknown(f"widened: {plain.error}") from None
            told = difference(everything(plain), everything(got), rtol=rtol, atol=atol)
            if told is not None and told.startswith("structures differ"):  # of dicts and lists, outside of the core
                f = linear_grad(whole.function, updates=whole.updates, backend="interpret")
                called, itself = (
                    attempt(lambda g=g: as_tuples(g(*fresh(list(whole.args))))) for g in (f, whole.function)
                )
                told = difference(itself, called, rtol=rtol, atol=atol)
            if told is not None:
                raise AssertionError(f"value: {told}; the oracle: {str(error)[:200]}") from error
        if plain.error is not None:
            return plain
        return Ended(plain.value)


def _no_cells(args: Sequence[Any]) -> bool:
    return any(isinstance(a, np.ndarray) and a.ndim > 1 and a.size == 0 for a in args)


def _plain(whole: Whole) -> tuple[Any, dict[str, np.ndarray]]:
    """The undecorated function itself."""
    args = fresh(list(whole.args))
    value = as_tuples(whole.function(*args))
    names = [p.name for p in whole.checked.signature.params]
    return value, {n: a for n, a in zip(names, args, strict=True) if n in whole.updates}


def _gradient(whole: Whole, depth: Depth) -> list[np.ndarray] | None:
    """The gradient on which the roads agree, None where nothing has one."""
    wrt = whole.active()
    if not wrt or not (any(map(floats, leaves(whole.run(whole.prepared)[0]))) or whole.updates):
        return None
    found, known = _stored(whole), False
    for baseline in (dual, tape) if depth == "stages" else (tape, dual):  # the tape is ten times as fast
        try:
            expected = whole.expected(baseline)
        except Exception as error:  # what neither knows, differences do
            cause = error
        else:
            close(found, expected, whole.tolerance, "the simplified derivative")
            known = True
            break
    if not known:
        _differences(whole, found, cause)
    if depth == "stages":
        if known and baseline is dual:
            whole.gradients(thorough=False)
        whole.inner_product()
    return found


def _stored(whole: Whole) -> list[np.ndarray]:
    wrt = whole.active()
    _, found = whole.gradient(whole.derivative(wrt, True).simplified, wrt, True)
    return [found[n] for n in wrt]


def _differences(whole: Whole, found: list[np.ndarray], cause: Exception) -> None:
    """Central differences of the plain function, where those of two widths agree with each other."""
    if whole.updates or whole.single:
        return

    def value(args: list[Any]) -> float:
        parts = [np.asarray(v, dtype=float) for v in leaves(as_tuples(whole.function(*fresh(args)))) if floats(v)]
        seeds = [np.asarray(c, dtype=float) for c in whole.seeds()]
        if len(parts) != len(seeds):
            raise Unknown("dicts and sets among the results")
        return sum(float(np.sum(p * c)) for p, c in zip(parts, seeds, strict=True))

    args, active, count = list(whole.args), set(whole.active()), 0
    pairs = zip([p.var.name for p in whole.prepared.main.params], args, strict=False)
    for k, (name, a) in enumerate(pairs):
        if name not in active:
            continue
        ours = found[count]
        count += 1
        for cell in np.ndindex(np.shape(a)):
            ends = []
            for step in (1e-5, -1e-5, 1e-6, -1e-6):
                moved = np.array(a, dtype=float)
                moved[cell] += step
                given = type(a)(moved) if isinstance(a, float | np.floating) else moved
                try:
                    ends.append(value([*args[:k], given, *args[k + 1 :]]))
                except ArithmeticError:  # a division by zero, where linad gives an infinity: a declared deviation
                    return
            wide, narrow = (ends[0] - ends[1]) / 2e-5, (ends[2] - ends[3]) / 2e-6
            scale = max(1.0, abs(narrow))
            if abs(wide - narrow) < 1e-5 * scale:  # no kink near by
                got = float(np.asarray(ours)[cell])
                told = f"differences: {narrow} by {name}{list(cell)}, ours is {got} (dual numbers: {cause!r})"
                assert abs(got - narrow) <= 1e-3 * scale, told


def _compiled(whole: Whole, name: str, ended: Ended, wanted: list[np.ndarray] | None) -> None:
    """A build of the program gives what the interpreter gives; guarded ones test each access."""
    with patch.dict(os.environ, {GUARD: "1" if name.startswith("guarded") else ""}):
        _built(whole, name, ended, wanted)


def _built(whole: Whole, name: str, ended: Ended, wanted: list[np.ndarray] | None) -> None:
    try:
        f = linear_grad(whole.function, updates=whole.updates, **COMPILED[name]())
        _called(f, whole, name, ended, wanted)
        if guard_pages.preloaded() is not None:  # now that all is compiled
            for side in guard_pages.SIDES:
                release_memory()
                with guard_pages.on(side):
                    _called(f, whole, f"{name}, guard pages", ended, wanted)
    except LinadError as error:
        raise AssertionError(f"{name}: refused only there: {error}") from error


def _called(f: Any, whole: Whole, name: str, ended: Ended, wanted: list[np.ndarray] | None) -> None:
    args = tuple(fresh(whole.args))
    if ended.error is not None:
        got = attempt(lambda: f(*args))
        assert type(got.error) is type(ended.error), f"{name}: {got.error!r} instead of {ended.error!r}"
        return
    without = whole.updates or wanted is None
    value, pullback = (f(*args), None) if without else f.vjp(*args)
    rounding = 1e-4 if whole.single else 1e-8
    told = difference(Ended(as_tuples(value)), Ended(as_tuples(ended.value[0])), rtol=rounding, atol=rounding)
    assert told is None, f"{name}: value: {told}"
    if without:
        return
    ours = [np.asarray(g) for g in leaves(pullback(whole.cotangent))]
    close(ours, wanted, 2e-3 if whole.single else 1e-7, name)
    again = [np.asarray(g) for g in leaves(pullback(whole.cotangent))]
    close(again, ours, 1e-9, f"{name}: the second pullback")
    assert all(map(np.array_equal, leaves(whole.args), leaves(args))), f"{name}: an argument has changed"
