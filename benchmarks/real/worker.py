"""Runs in an environment with the packages: tries the functions of one of them, and prints a line of JSON for each."""

from __future__ import annotations

import inspect
import json
import linecache
import os
import re
import signal
import sys
import time
import warnings
from types import FunctionType
from typing import Any

import numpy as np

from benchmarks.real.choose import candidates, directions, fitting, imported, numbers, slope, value_of

CHOICE, TRIAL = 5, 60  # seconds for the choice of arguments (of the processor), and for a function


class _Late(BaseException):
    pass


def _late(*_: object) -> None:
    raise _Late


def verdict(f: FunctionType, given: tuple[Any, ...], name: str, quick: bool) -> dict[str, Any]:
    """Try a function: unchanged, then after a trivial change."""
    found = attempt(f, given, quick)
    if found["verdict"] == "refused":
        other = trivially_changed(f, given, name)
        if other is not None:
            again = attempt(other, given, quick)
            if again["verdict"] == "accepted":
                return {**found, "verdict": "trivial"}
    return found


def attempt(f: FunctionType, given: tuple[Any, ...], quick: bool) -> dict[str, Any]:
    from linad import LinadError, linear_grad

    start = time.perf_counter()
    try:
        checked = linear_grad(f, cache=False)
        arguments = checked._arguments(given, {})
        found = checked.specialisation(arguments)
        assert found.signature
        return {"verdict": "accepted"} if quick else compared(checked, f, given, start)
    except LinadError as error:
        first = next((d for d in error.diagnostics if d.severity == "error"), None)
        cause = f"{first.code} {first.message}" if first else str(error).strip()
        help = "; ".join(fix.message for fix in first.fixes) if first else ""
        line = linecache.getline(first.span.file, first.span.line).strip() if first else ""
        return {"verdict": "refused", "cause": cause, "help": help, "line": line}
    except TypeError as error:
        return {"verdict": "refused", "cause": f"TypeError {error}", "line": ""}


def compared(checked: Any, f: FunctionType, given: tuple[Any, ...], start: float) -> dict[str, Any]:
    """Value, direction and dot test of an accepted function against the original."""
    wanted = value_of(f, given)
    try:
        value, tangent = checked.jvp(given, directions(given))
        ours, slopes = numbers(value), parts(tangent)
        first, pull = checked.vjp(*given)
        weights = [np.random.default_rng(2).uniform(-1.0, 1.0, a.shape) for a in ours]
        back = tuple(pull(weighted(first, iter(weights))))
    except Exception as error:  # noqa: BLE001 - a crash is what is looked for
        if type(error).__name__ == "LinadError" or (isinstance(error, TypeError) and ": expected " in str(error)):
            raise  # it is refused
        return {"verdict": "disagrees", "cause": f"{type(error).__name__}: {error}"}
    seconds = time.perf_counter() - start
    if len(ours) != len(wanted):  # an int on some paths is a float on all
        ours, wanted, slopes = (numbers(as_floats(v)) for v in (value, f(*given), tangent_of(value, tangent)))
    narrow = any(np.asarray(v).dtype == np.float32 for v in flat(value))
    if len(ours) != len(wanted) or not all(a.shape == b.shape and np.allclose(a, b, 1e-4 if narrow else 1e-9, 1e-12) for a, b in zip(ours, wanted, strict=True)):
        return {"verdict": "disagrees", "cause": f"value {ours} and not {wanted}"[:300]}
    differences, error = slope(f, given)
    scale = max(float(np.abs(a).max(initial=0.0)) for a in differences)
    for a, b in zip(slopes, differences if len(slopes) == len(differences) else slopes, strict=True):
        if narrow:  # differences of single precision say little
            break
        if not np.allclose(a, b, 1e-4 + 10 * error, (1e-5 + 10 * error) * scale):
            if not np.any(a) and rounds(f):
                return {"verdict": "accepted", "note": "it rounds, and the derivative of that is zero"}
            return {"verdict": "disagrees", "cause": f"direction {a.ravel()[:4]} and not {b.ravel()[:4]}"[:300]}
    one = sum(float(np.sum(w * a)) for w, a in zip(weights, slopes, strict=True))
    notes = [p.annotation for p in inspect.signature(f).parameters.values()]
    has = [not isinstance(a, int) or note in (float, "float") for a, note in zip(given, notes)]
    pairs = zip(back, [d for d, own in zip(directions(given), has) if own])  # defaults come behind
    other = sum(float(np.sum(g * d)) for g, d in pairs if g is not None and d is not None)
    close = 1e-4 if narrow else 1e-8
    if not np.isclose(one, other, close, close * max(1.0, scale)):
        return {"verdict": "disagrees", "cause": f"dot test: {one} and {other}"}
    return {"verdict": "accepted", "seconds": seconds}


def flat(value: Any) -> list[Any]:
    """The parts of a structure."""
    return [a for v in value for a in flat(v)] if isinstance(value, (tuple, list)) else [value]


def as_floats(value: Any) -> Any:
    """A value with floats in place of ints."""
    if isinstance(value, (tuple, list)):
        return tuple(map(as_floats, value))
    return np.asarray(value, dtype=float) if np.asarray(value).dtype.kind in "ifb" else value


def tangent_of(value: Any, tangent: Any) -> Any:
    """The tangent with zeros for the ints of the value."""
    if isinstance(value, (tuple, list)):
        return tuple(map(tangent_of, value, tangent))
    return np.zeros(np.shape(value)) if tangent is None else tangent


def rounds(f: FunctionType) -> bool:
    """Whether the text of a function, or of one that it names, rounds."""
    named = [g for n in f.__code__.co_names if isinstance(g := f.__globals__.get(n), FunctionType)]
    return any(re.search(r"round|floor|//|astype\(int|int\(", inspect.getsource(g)) for g in (f, *named))


def parts(tangent: Any) -> list[np.ndarray]:
    """The parts of a tangent that are not None, as `numbers` gives those of a value."""
    if isinstance(tangent, (tuple, list)):
        return [a for t in tangent for a in parts(t)]
    return [] if tangent is None else [np.asarray(tangent, dtype=float)]


def weighted(value: Any, weights: Any) -> Any:
    """A cotangent of a value."""
    if isinstance(value, tuple):
        made = [weighted(v, weights) for v in value]
        return tuple.__new__(type(value), made)
    if isinstance(value, list):
        return [weighted(v, weights) for v in value]
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return next(weights).astype(value.dtype)
    return value.dtype.type(next(weights)) if isinstance(value, np.floating) else float(next(weights)) if isinstance(value, float) else None


def trivially_changed(f: FunctionType, given: tuple[Any, ...], name: str) -> FunctionType | None:
    """The function without decorators and annotations, and with the first fix of each message applied, where that is an edit."""
    import ast
    import textwrap

    from linad import LinadError, linear_grad

    text = textwrap.dedent(inspect.getsource(f))
    try:
        node = ast.parse(text).body[0]
    except SyntaxError:
        return None
    if not isinstance(node, ast.FunctionDef):
        return None
    node.decorator_list = []
    node.returns = None
    for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
        a.annotation = None
    changed = ast.unparse(node) + "\n"
    for k in range(4):
        file = f"<trivial {name} {k}>"
        linecache.cache[file] = (len(changed), None, changed.splitlines(True), file)
        space = dict(f.__globals__)
        exec(compile(changed, file, "exec"), space)
        made = space[node.name]
        try:
            checked = linear_grad(made, cache=False)
            checked.specialisation(checked._arguments(given, {}))
            return made
        except LinadError as error:
            found = error.diagnostics
        errors = [d for d in found if d.severity == "error"]
        edits = {e for d in errors for fix in d.fixes[:1] for e in fix.edits if e.span.file == file}
        if not edits:
            return None
        lines = changed.splitlines(True)
        for e in sorted(edits, key=lambda e: (e.span.line, e.span.column), reverse=True):
            line = lines[e.span.line - 1]
            lines[e.span.line - 1] = line[: e.span.column - 1] + e.text + line[e.span.end_column - 1 :]
        changed = "".join(lines)
    return None


def kept(names: list[str]) -> list[tuple[str, FunctionType]]:
    """The functions that an earlier run chose."""
    found = []
    for name in names:
        module, _, last = name.rpartition(".")
        value = getattr(imported(module), last, None)
        if isinstance(value := getattr(value, "py_func", value), FunctionType):
            found.append((name, value))
    return found


def main() -> None:
    task = json.loads(sys.argv[1])
    quick, wanted = task["quick"], task["count"]
    tried = kept(task["kept"]) if task["kept"] is not None else candidates(task["package"])
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, _late)
    signal.signal(signal.SIGVTALRM, _late)
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(1, 2)
    chosen = task["chosen"]
    for name, f in tried:
        if chosen >= wanted:
            break
        if name in task["skip"]:
            continue
        out.write(json.dumps({"begins": name}) + "\n")
        try:
            signal.setitimer(signal.ITIMER_VIRTUAL, CHOICE)
            signal.alarm(20 * CHOICE)  # one that waits for something
            given = fitting(name, f)
        except BaseException:  # noqa: BLE001 - also what leaves the program
            given = None
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.alarm(0)
        if given is None:
            continue
        chosen += 1
        out.write(json.dumps({"chosen": name}) + "\n")
        signal.alarm(TRIAL)
        try:
            found = verdict(f, given, name, quick)
        except _Late:
            found = {"verdict": "disagrees", "cause": f"takes more than {TRIAL} s"}
        except Exception as error:  # noqa: BLE001 - a defect of linad, which the table shows
            found = {"verdict": "disagrees", "cause": f"{type(error).__name__}: {error}"[:300]}
        finally:
            signal.alarm(0)
        found["given"] = [re.sub(r"\s+", " ", f"{type(a).__name__}{np.shape(a)}") for a in given]
        out.write(json.dumps({"name": name, **found}) + "\n")


if __name__ == "__main__":
    main()
