"""One expression on all its edge arguments: what NumPy makes of them in CPython, and what linad makes of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from linad_typecheck.check import check
from linad_typecheck.ir.verify import verify
from linad_typecheck.types import Scalar

from linad import oracle
from linad.boundary.arguments import argument_type
from linad.boundary.live import Record
from linad.interpret.machine import Machine, typed
from linad.pipeline import prepare
from tests.kit import load

from .edges import arguments, letters
from .table import SHORT

HEAD = "import math\nimport operator\n\nimport numpy as np\n" + "".join(
    f"import {home} as {short}\n" for home, short in SHORT.items() if home.startswith("scipy.")
)
TOLERANCE = {"f64": 1e-10, "f32": 3e-5}


@cache
def function(text: str) -> Callable[..., Any]:
    """An expression, or statements that return, as a function of its letters."""
    lines = text.split("; ") if "return " in text else [f"return {text}"]
    return load(f"{HEAD}def f({', '.join(letters(text))}):\n" + "".join(f"    {line}\n" for line in lines))


@dataclass(frozen=True)
class Mismatch:
    """Where linad's outcome is not NumPy's: the arguments of a whole call, or of one cell of it."""

    name: str
    text: str
    dtype: str
    args: tuple[Any, ...]
    numpy: Any
    linad: Any

    def __str__(self) -> str:
        args = ", ".join(map(_shown, self.args))
        return f"{self.text} of {self.dtype}, {args}: NumPy {_shown(self.numpy)}, linad {_shown(self.linad)}"


def _shown(x: Any) -> str:
    if isinstance(x, oracle.Ended):
        return f"{type(x.error).__name__}({x.error})" if x.error else _shown(x.value)
    if isinstance(x, (tuple, list)):
        return f"({', '.join(map(_shown, x))})"
    if isinstance(x, np.ndarray):
        return f"{x.dtype.name}{list(x.shape) if 0 in x.shape or x.ndim != 1 else ''}{x.tolist()}"
    return repr(x)


class Refused(Exception):
    """The checker has something against the expression in this dtype."""


class Interpreted:
    """An expression in the reference interpreter, made once for arguments of one kind: as lowered, or ``prepared``."""

    def __init__(self, text: str, args: tuple[Any, ...], prepared: bool = True) -> None:
        source = Record(function(text), ()).entry()
        kinds = {n: argument_type(v, n) for n, v in zip(letters(text), args, strict=True)}
        self.checked = check(source, kinds)
        errors = [d.message for d in self.checked.diagnostics if d.severity == "error"]
        if errors:
            raise Refused(errors)
        assert self.checked.program is not None, self.checked.missing
        assert not verify(self.checked.program), f"{text}: {verify(self.checked.program)}"
        program = prepare(self.checked.program) if prepared else self.checked.program
        self.kinds = [p.var.type for p in program.main.params]
        self.function = Machine(program, None, {}).function(program.entry)

    def __call__(self, *args: Any) -> Any:
        pairs = zip(args, self.kinds, strict=True)
        given = [typed(a, t) if isinstance(t, Scalar) else np.array(a, order="C") for a, t in pairs]
        with np.errstate(all="ignore"):
            return structured(self.checked.signature.result, self.function(given))


def structured(s: Any, flat: Any) -> Any:
    from linad_typecheck.signature import Leaf

    if isinstance(s, Leaf):
        return flat[s.index]
    return None if s is None else tuple(structured(x, flat) for x in s)


def plain(text: str, args: tuple[Any, ...]) -> oracle.Ended:
    """What CPython makes of an expression; by the declared deviations, where `math` or a Python number raises."""
    f = function(text)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ended = oracle.attempt(lambda: f(*(a.copy() if isinstance(a, np.ndarray) else a for a in args)))
        if set(letters(text)) & set("uvmnp"):
            shim = oracle.attempt(lambda: oracle.shimmed(f)(*args)[0])
            if ended.error is not None or isinstance(ended.value, complex) or _big(ended.value):
                return shim
    return ended


def _big(x: Any) -> bool:
    return isinstance(x, int) and not -(2**63) <= x < 2**63 or isinstance(x, tuple) and any(map(_big, x))


def leaves(x: Any) -> Iterator[Any]:
    if isinstance(x, (tuple, list)):
        for part in x:
            yield from leaves(part)
    elif x is not None:
        yield x


def _kind(x: Any) -> str:
    return np.asarray(x).dtype.name


def same(theirs: oracle.Ended, ours: oracle.Ended, single: bool, rtol: float = 0.0, mixed: bool = False) -> bool:
    """The same exception; or values with the same shapes, dtypes, NaNs, infinities, signs of zero, up to rounding."""
    if theirs.error is not None or ours.error is not None:
        # NumPy's own kinds are kinds of Python's
        return ours.error is not None and isinstance(theirs.error, type(ours.error))
    a, b = list(leaves(theirs.value)), list(leaves(ours.value))
    rtol = max(rtol, TOLERANCE["f32" if single else "f64"])
    return len(a) == len(b) and all(_alike(x, y, rtol, mixed) for x, y in zip(a, b, strict=True))


def _alike(x: Any, y: Any, rtol: float, mixed: bool) -> bool:
    x, y = np.asarray(x), np.asarray(y)
    return x.dtype == y.dtype and x.shape == y.shape and bool(np.all(cells_alike(x, y, rtol, mixed)))


def cells_alike(x: np.ndarray, y: np.ndarray, rtol: float, mixed: bool) -> np.ndarray:
    """Where two arrays agree; ``mixed`` where a cell is made of several, so that its error is measured by the largest
    one, and the sign of a zero is that of the order in which they are taken."""
    if x.dtype.kind != "f":
        return x == y
    with np.errstate(all="ignore"):
        size = np.max(np.abs(x), initial=0.0, where=np.isfinite(x)) if mixed else np.abs(x)
        tiny = 1e2 * np.finfo(x.dtype).smallest_subnormal
        close = np.isfinite(x) & (np.abs(x - y) <= np.maximum(rtol * size, tiny))
    signs = (np.signbit(x) == np.signbit(y)) | (x != 0) | (y != 0) | mixed
    return (close | (x == y)) & signs | np.isnan(x) & np.isnan(y)


CELLS = set("efgh")  # of these an expression makes cells, each of its own


def sweep(
    name: str, text: str, dtype: str, other: str = "",
    *, rtol: float = 0.0, all_numbers: bool = False, prepared: bool = True,
) -> Iterator[Mismatch]:
    """All mismatches of an expression in the interpreter in a dtype; `Refused` where it is not accepted."""
    kinds = f"{dtype}, {other}" if other else dtype
    run = None
    for args in arguments(text, dtype, other, all_numbers):
        run = run or Interpreted(text, args, prepared)
        ours = oracle.attempt(lambda args=args: run(*args))
        yield from mismatches(Mismatch(name, text, kinds, args, plain(text, args), ours), run, rtol)


def mismatches(m: Mismatch, run: Callable[..., Any] | None = None, rtol: float = 0.0) -> Iterator[Mismatch]:
    """What two outcomes differ in; cell by cell if an expression is one of cells, by ``run`` if it raises for some."""
    single = "f32" in m.dtype or "float32" in m.text
    by_cell = bool(set(letters(m.text)) & CELLS)
    if same(m.numpy, m.linad, single, rtol, not set(letters(m.text)) & set("efghuvmnp")):
        return
    if not by_cell or not np.size(m.args[0]):
        yield m
        return
    found = [c for k in range(len(m.args[0])) if not same((c := _cell(m, k, run)).numpy, c.linad, single, rtol)]
    yield from found or [m]


def _cell(m: Mismatch, k: int, run: Callable[..., Any] | None) -> Mismatch:
    args = tuple(a[k : k + 1] for a in m.args)
    if m.numpy.error is None and m.linad.error is None:
        theirs, ours = (oracle.Ended(tuple(x[k : k + 1] for x in leaves(e.value))) for e in (m.numpy, m.linad))
    else:
        theirs, ours = plain(m.text, args), oracle.attempt(lambda: run(*args))
    return Mismatch(m.name, m.text, m.dtype, args, theirs, ours)
