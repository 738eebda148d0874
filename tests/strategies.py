"""Whole Python programs for property tests: typed by construction, terminating, with values in a tame range.

A program is text, so that a failing one can be pasted into a file and run. Every construct of the language appears; what
an arm or a loop body defines is not used after it, and no array has two live names when it is updated.
"""

from __future__ import annotations

import re
import types
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np
from hypothesis import strategies as st

from .kit import beginning, executed, load
from .prelude import HEADER
from .sources import Drawn, Source


@dataclass(frozen=True)
class Program:
    """The text of a module whose function ``f`` is the entry, and arguments for it."""

    text: str
    args: tuple[Any, ...]
    single: bool = False  # f32 is involved
    updates: tuple[str, ...] = ()

    def load(self) -> types.FunctionType:
        """The function; what stands before it, which many programs have in common, is run and parsed once."""
        before, entry = self.parts()
        return executed(entry, dict(beginning(before)))["f"] if before else load(self.text)

    def parts(self) -> tuple[str, str]:
        """What stands before the function, and the function; nothing and all of it if something follows."""
        before, entry, last = self.text.rpartition(_ENTRY)
        return (f"{before}\n", entry + last) if before and not _MORE.search(last) else ("", self.text)


_ENTRY = "\ndef f("
_MORE = re.compile(r"\n[^\s)#]")  # a line of the module itself


@dataclass
class _Scope:
    """The names visible at a point. Arrays come with whether they may be written."""

    floats: list[str] = field(default_factory=list)
    changing: list[str] = field(default_factory=list)  # the floats that may be assigned again
    ints: list[str] = field(default_factory=list)  # non-negative
    vectors: dict[str, bool] = field(default_factory=dict)  # of length n
    matrices: dict[str, bool] = field(default_factory=dict)  # of shape n, m
    frozen: frozenset[str] = frozenset()  # being iterated over
    own: list[str] = field(default_factory=list)  # vectors made in this block

    def inner(self) -> _Scope:
        return _Scope(
            list(self.floats), list(self.changing), list(self.ints), dict(self.vectors), dict(self.matrices), self.frozen
        )

    def writable(self, arrays: dict[str, bool]) -> list[str]:
        return [a for a, ok in arrays.items() if ok and a not in self.frozen]


class _Writer:
    """Draws one function, statement by statement."""

    def __init__(self, source: Source, size: int, gathers: bool, rich: bool = False, errors: bool = True) -> None:
        self.pick, self.number = source.pick, source.number
        self.left, self.gathers, self.rich, self.errors = size, gathers, rich, errors
        self.result = "{}"  # what is returned, around a float
        self.lines: list[str] = []
        self.depth = 1
        self.names = count()

    def chance(self, one_in: int) -> bool:
        return self.number(1, one_in) == one_in

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def fresh(self, stem: str) -> str:
        return f"{stem}{next(self.names)}"

    @contextmanager
    def block(self, head: str):
        self.line(head)
        self.depth += 1
        yield
        self.depth -= 1

    # ---------------------------------------------------------------------------------------------- expressions

    def index(self, s: _Scope, size: str) -> str:
        forms = ["0", "-1", f"{size} - 1"]
        for i in s.ints:
            forms += [f"{i} % {size}", f"({i} * 3 + 1) % {size}", f"-1 - {i} % {size}", f"{size} - 1 - {i} % {size}"]
        if size == "n" and self.gathers:
            forms += [f"idx[{i} % k]" for i in s.ints] or ["idx[0]"]
        if size == "n" and self.rich:
            forms += ["p[0]", *(f"p[{i} % k]" for i in s.ints), *(f"(p[-1] + {i}) % n" for i in s.ints), "KEYS[1] % n"]
        return self.pick(forms)

    def leaf(self, s: _Scope) -> str:
        kinds = ["constant", *["float"] * (3 * bool(s.floats)), *["cell"] * (4 * bool(s.vectors)), "cell2", "int"]
        match self.pick(kinds + ["other"] * (2 * self.rich)):
            case "other":
                return self.other(s)
            case "float":
                return self.pick(s.floats)
            case "cell" if s.vectors:
                return f"{self.pick(list(s.vectors))}[{self.index(s, 'n')}]"
            case "cell2" if s.matrices:
                return f"{self.pick(list(s.matrices))}[{self.index(s, 'n')}, {self.index(s, 'm')}]"
            case "int" if s.ints:
                return f"0.1 * {self.pick(s.ints)}"
            case _:
                return self.pick(["0.5", "1.25", "2", "-0.75", "SCALE", "math.pi"])

    def other(self, s: _Scope) -> str:
        """A read of what only rich programs have."""
        third = self.pick(["0", "1", "-1"])
        forms = [f"C[{self.index(s, 'n')}, {self.index(s, 'm')}, {third}]", "r[()]", "TABLE[0]", "pair[1]"]
        forms += [f"TABLE[{i} % 3]" for i in s.ints] + [f"TABLE[KEYS[{i} % 4]]" for i in s.ints]
        return self.pick(forms + [f"{a}[{self.index(s, 'n')}]" for a in ("g", "y", "pair[0]")])

    def float(self, s: _Scope, depth: int = 2) -> str:
        """An expression of moderate size whatever its operands are, if they are."""
        if depth == 0 or self.chance(4):
            return self.leaf(s)
        a, b = self.float(s, depth - 1), self.float(s, depth - 1)
        forms = [
            f"math.sin({a})",
            f"np.cos({a})",
            f"math.tanh({a} - {b})",
            f"np.tanh({a} * {b})",
            f"({a}) ** 2 / (1.0 + ({a}) ** 2)",
            f"math.exp(-({a}) ** 2)",
            f"np.sqrt(1.0 + ({a}) * ({a}))",
            f"math.log(1.5 + np.abs(np.sin({b})))",
            f"(1.5 + math.sin({a})) ** math.cos({b})",
            f"0.5 * ({a} + {b})",
            f"math.sin({a} * {b})",
            f"max({a}, {b})",
            f"min({a}, 0.5 * {b})",
            f"np.maximum({a}, {b})",
            f"({a} if {self.condition(s)} else {b})",
            f"math.atan2({a}, 2.0 + math.sin({b}))",
            f"abs({a})",
            f"-({a})",
        ]
        if self.rich:
            forms += [
                f"np.where({self.condition(s)}, {a}, {b})",
                f"np.clip({a}, -0.5, 0.5)",
                f"max({a}, {a}, {b})",
                f"np.minimum({a}, {a})",
                f"math.copysign({a}, {b})",
                f"math.erf({a})",
                f"({a}) ** 3 * math.exp(-({a}) ** 4)",
            ]
        return self.pick(forms)

    def condition(self, s: _Scope) -> str:
        a, b = self.leaf(s), self.leaf(s)
        forms = [f"{a} > {b}", f"{a} < 0.3", f"0.0 < {a} <= 1.0", f"not {a} >= {b}"]
        forms += [f"{i} % 2 == 0" for i in s.ints] + [f"{i} < 2 or {a} > {b}" for i in s.ints]
        return self.pick(forms)

    def tame(self, s: _Scope) -> str:
        e = self.float(s)
        return self.pick([f"math.sin({e})", f"math.tanh({e})", f"np.sin({e})", f"({e}) / (1.0 + abs({e}))"])

    # ----------------------------------------------------------------------------------------------- statements

    def body(self, s: _Scope, most: int, loop: bool = False) -> None:
        for _ in range(self.number(1, most)):
            if self.left <= 0:
                break
            self.left -= 1
            self.pick(_STATEMENTS + (_EXITS if loop else []) + (_RICH if self.rich else []))(self, s)
        if self.lines[-1].endswith(":"):
            self.line("pass")

    def new_float(self, s: _Scope) -> None:
        name = self.fresh("t")
        self.line(f"{name} = {self.tame(s)}")
        s.floats.append(name)
        s.changing.append(name)

    def change_float(self, s: _Scope) -> None:
        if s.changing:
            name = self.pick(s.changing)
            e = self.tame(s)
            self.line(self.pick([f"{name} += {e}", f"{name} = {e}", f"{name} *= {e}", f"{name} -= 0.5 * {e}"]))

    def two_floats(self, s: _Scope) -> None:
        a, b = self.fresh("t"), self.fresh("t")
        self.line(self.pick([f"{a}, {b} = both({self.tame(s)}, {self.tame(s)})", f"{a}, {b} = {self.tame(s)}, 1"]))
        s.floats += [a, b]

    def write_cell(self, s: _Scope) -> None:
        two = self.chance(3)
        arrays = s.writable(s.matrices if two else s.vectors)
        if not arrays:
            return
        index = f"{self.index(s, 'n')}, {self.index(s, 'm')}" if two else self.index(s, "n")
        op = self.pick(["=", "+=", "+=", "*=", "-="])
        self.line(f"{self.pick(arrays)}[{index}] {op} {self.tame(s)}")

    def new_array(self, s: _Scope) -> None:
        name = self.fresh("v")
        choices = ["np.zeros(n)", "np.ones(n)", "np.full(n, 0.5)", f"{self.pick(list(s.vectors))}.copy()", "weights(n)"]
        self.line(f"{name} = {self.pick(choices + ['squared(u)'] * self.rich)}")
        s.vectors[name] = True
        s.own.append(name)

    def new_matrix(self, s: _Scope) -> None:
        name = self.fresh("M")
        self.line(f"{name} = {self.pick(['np.zeros((n, m))', f'{self.pick(list(s.matrices))}.copy()'])}")
        s.matrices[name] = True

    def filled_array(self, s: _Scope) -> None:
        name, i = self.fresh("v"), self.fresh("i")
        self.line(f"{name} = {self.pick(['np.empty(n)', 'np.empty_like(x)', 'np.zeros_like(x)'])}")
        inner = s.inner()
        inner.ints.append(i)
        with self.block(f"for {i} in range(n):"):
            self.line(f"{name}[{i}] = {self.tame(inner)}")
        s.vectors[name] = True
        s.own.append(name)

    def swap(self, s: _Scope) -> None:
        arrays = [a for a in s.writable(s.vectors) if a in ("u", "v")]
        if len(arrays) == 2:
            self.line("u, v = v, u")

    def call(self, s: _Scope) -> None:
        name, read = self.fresh("t"), self.pick(list(s.vectors))
        forms = [
            f"{name} = product({read}, {self.index(s, 'n - 1 + 1')})",
            f"{name} = first_above({read}, {self.tame(s)})",
            f"{name} = math.sin(total({read}))",
            f"{name} = tower({self.tame(s)}, 3)",
        ]
        updated = s.writable(s.vectors)
        if updated:
            target = self.pick(updated)
            forms += [f"add_into({target}, {self.index(s, 'n')}, {self.tame(s)})", f"smooth({target}, {self.tame(s)})"]
        if self.rich:
            forms += [f"{name} = dot({read}, {read})", f"{name} = dot({read}, u)", f"{name} = tree({read}, 0, n)"]
            forms += [f"{name} = push({a}, {self.index(s, 'n')}, {self.tame(s)})" for a in updated]
            pairs = [(a, b) for a in updated for b in updated if a != b]
            forms += [f"{name} = mix({a}, {b}, {self.index(s, 'n')})" for a, b in pairs[:3]]
        text = self.pick(forms)
        self.line(text)
        if text.startswith(f"{name} ="):
            s.floats.append(name)

    def branch(self, s: _Scope) -> None:
        if self.depth > 4:
            return
        with self.block(f"if {self.condition(s)}:"):
            self.body(s.inner(), 3)
        if self.chance(3):
            with self.block(f"elif {self.condition(s)}:"):
                self.body(s.inner(), 2)
        if self.chance(2):
            with self.block("else:"):
                self.body(s.inner(), 2)

    def loop(self, s: _Scope) -> None:
        if self.depth > 3:
            return
        i, e = self.fresh("i"), self.fresh("e")
        loops = [j for j in s.ints if j.startswith("i")]
        if self.rich and loops and self.chance(8):
            i = self.pick(loops)
        inner = s.inner()
        inner.ints.append(i)
        read = self.pick(list(s.vectors))
        ranges = ["n", "m", "1, n", "n - 1, -1, -1", "0, n, 2", "3", "n, n", "5, 1, -2"]
        heads = [f"for {i} in range({r}):" for r in ranges] * 2
        heads += [f"for {i}, {e} in enumerate({read}):", f"for {i}, {e} in zip(range(n), {read}):"]
        heads += [f"for {i} in reversed(range(n)):"]
        head = self.pick(heads)
        if e in head:
            inner.floats.append(e)
            inner.frozen |= {read}
        late = self.chance(4)
        if late:
            self.line(f"bound{i} = 0")
        with self.block(head):
            if late:
                self.bound_below(inner, i)
            else:
                self.body(inner, 4, loop=True)
        if self.chance(6):
            with self.block("else:"):
                self.body(s.inner(), 1)

    def bound_below(self, s: _Scope, i: str) -> None:
        """The body of a loop that uses names which it binds at its end, from the second iteration on."""
        number, array = self.fresh("late"), self.fresh("late")
        above = s.inner()
        above.floats.append(number)
        above.changing.append(number)
        above.vectors[array] = True
        with self.block(f"if bound{i}:"):
            self.body(above, 2)
        self.body(s, 3, loop=True)
        self.line(f"{number} = {self.pick([self.tame(s), '1', f'0.25 * {i}'])}")
        if self.chance(3):
            with self.block(f"if {self.condition(s)}:"):
                self.line(f"{number} = {self.tame(s)}")
        self.line(f"{array} = {self.pick(['np.ones(n)', 'weights(n)', 'x.copy()', f'{self.pick(list(s.vectors))}.copy()'])}")
        self.line(f"bound{i} = 1")

    def while_(self, s: _Scope) -> None:
        if self.depth > 3:
            return
        c = self.fresh("c")
        self.line(f"{c} = 0")
        inner = s.inner()
        inner.ints.append(c)
        with self.block(f"while {c} < {self.pick(['n', '3', 'n - 1'])}{self.pick(['', f' and ({self.condition(inner)})'])}:"):
            self.line(f"{c} += 1")
            self.body(inner, 3, loop=True)

    def leave(self, s: _Scope) -> None:
        with self.block(f"if {self.condition(s)}:"):
            self.line(self.pick(["break", "continue", "break"]))

    def return_(self, s: _Scope) -> None:
        with self.block(f"if {self.condition(s)}:"):
            self.line(f"return {self.result.format(self.tame(s))}")

    # ------------------------------------------------------------------------------------- rich programs only

    def write_other(self, s: _Scope) -> None:
        third, op = self.pick(["0", "1", "-1"]), self.pick(["=", "+=", "*=", "-="])
        cells = [f"{a}[{self.index(s, 'n')}]" for a in "yg"]
        place = self.pick([f"C[{self.index(s, 'n')}, {self.index(s, 'm')}, {third}]", "r[()]", *cells])
        if place.split("[")[0] not in s.frozen:
            self.line(f"{place} {op} {self.tame(s)}")

    def write_int(self, s: _Scope) -> None:
        i = self.pick([*s.ints, "0"])
        values = [f"(p[0] + {i}) % n", f"p[({i} + 1) % k]", f"(p[{i} % k] * 2 + 1) % n", "0"]
        self.line(f"p[{i} % k] = {self.pick(values)}")

    def read_int(self, s: _Scope) -> None:
        name = self.fresh("j")
        self.line(f"{name} = p[{self.pick([*s.ints, '0'])} % k]")
        s.ints.append(name)

    def rebind(self, s: _Scope) -> None:
        """A fresh array under an old name, sometimes one that this block has made and filled."""
        if {"u", "v"} & s.frozen:
            return
        mine = [a for a in s.own if a not in s.frozen]
        if mine and self.chance(2):
            source = self.pick(mine)
            s.own.remove(source)
            del s.vectors[source]
        else:
            source = self.pick(["np.ones(n)", "weights(n)", "v.copy()", "squared(v)", "squared(u)"])
        self.line(f"u = {source}")

    def rotate(self, s: _Scope) -> None:
        if not {"u", "v", "z0"} & s.frozen:
            self.line(self.pick(["u, v, z0 = v, z0, u", "u, z0 = z0, u", "z0, v = v, z0"]))

    def swap_cells(self, s: _Scope) -> None:
        arrays = s.writable(s.vectors)
        if arrays:
            a, b = self.pick(arrays), self.pick(arrays)
            i, j = self.index(s, "n"), self.index(s, "n")
            self.line(f"{a}[{i}], {b}[{j}] = {b}[{j}], {a}[{i}]")

    def swap_floats(self, s: _Scope) -> None:
        if len(s.changing) > 1:
            a, b = self.pick(s.changing), self.pick(s.changing)
            self.line(f"{a}, {b} = {b}, {a}")

    def fail(self, s: _Scope) -> None:
        """Errors that must come in Python's order, also where the derivative puts work off."""
        text = self.pick(["assert {}", "if not {}: raise ValueError('no')", "if not {}: raise ZeroDivisionError('no')"])
        c = self.condition(s)
        may_not_hold = [f"({c} or w > -0.8)", "n > 1", f"({c} or n < 4)"]
        self.line(text.format(self.pick(may_not_hold if self.errors else ["n > 0"])))

    def until(self, s: _Scope) -> None:
        """A `while` on cells that it updates."""
        arrays = s.writable(s.vectors)
        if self.depth > 3 or not arrays:
            return
        a, i, c = self.pick(arrays), self.index(s, "n"), self.fresh("c")
        self.line(f"{c} = 0")
        inner = s.inner()
        inner.ints.append(c)
        with self.block(f"while abs({a}[{i}]) > 0.2 and {c} < 4:"):
            self.line(f"{a}[{i}] *= 0.3 + 0.2 * math.sin({a}[{self.index(inner, 'n')}])")
            self.body(inner, 2, loop=True)
            self.line(f"{c} += 1")


_STATEMENTS = [
    *[_Writer.new_float] * 2,
    *[_Writer.change_float] * 3,
    *[_Writer.write_cell] * 4,
    *[_Writer.loop] * 3,
    *[_Writer.branch] * 2,
    _Writer.two_floats,
    _Writer.new_array,
    _Writer.new_matrix,
    _Writer.filled_array,
    _Writer.swap,
    *[_Writer.call] * 2,
    _Writer.while_,
    _Writer.return_,
]
_EXITS = [_Writer.leave] * 2
_RICH = [
    *[_Writer.write_other] * 3,
    *[_Writer.write_int] * 2,
    _Writer.read_int,
    *[_Writer.rebind] * 2,
    _Writer.rotate,
    _Writer.swap_cells,
    _Writer.swap_floats,
    _Writer.until,
    _Writer.fail,
]


def written(source: Source, size: int = 14, errors: bool = True, rich: bool = False) -> Program:
    """A program with arguments, from a source of choices.

    Parameters
    ----------
    size : int
        The most statements to draw.
    errors : bool
        Whether index arrays may hold indices out of range, and what the program asks for may not hold.
    rich : bool
        Also parameters that are tuples or updated, module-level arrays, arrays of rank 0 and 3, f32 arrays that are
        written, int arrays overwritten while they are used as indices, tuples and arrays as results.
    """
    def chance(one_in: int) -> bool:
        return source.number(1, one_in) == one_in

    w = _Writer(source, size, chance(2), rich, errors)
    single = chance(5)
    s = _Scope(["w"], [], [], {"x": False, "u": True, "v": True}, {"A": False, "B": True})
    params = 'x: Float64[np.ndarray, "n"], A: Float64[np.ndarray, "n m"], idx: Int64[np.ndarray, "k"], w: float'
    if single:
        params += ', z: Float32[np.ndarray, "n"]'
        s.vectors["z"] = False
    if rich:
        params += ', y: Float64[np.ndarray, "n"], pair, unused: float'
        s.vectors |= {"y": True, "z0": True}
        w.result = source.pick(["{}", "({}, n)", "({}, u.copy())", "(({}, 1.0), (n, B.copy()))"])
    start = source.pick(["0.0", "w"])
    for text in ("n = len(x)", "m = A.shape[1]", "k = idx.size", "u = x.copy()", "v = np.zeros(n)", "B = A.copy()"):
        w.line(text)
    if rich:
        kind = ", dtype=np.float32" if single else ""
        for text in ("z0 = np.ones(n)", "C = np.zeros((n, m, 2))", "r = np.array(w)", f"g = np.zeros(n{kind})"):
            w.line(text)
        w.line("p = idx.copy()\n    for i in range(k):\n        p[i] = p[i] % n")
    w.line(f"s = {start}")
    s.floats.append("s")
    s.changing.append("s")
    while w.left > 0 and len(w.lines) < 60:
        w.body(s, 4)
        if chance(2):
            break
    for name in ("u", "v", *(("g", "z0") if rich else ())):
        w.line(f"for i in range(n):\n        s += {name}[i] * (1.0 + 0.1 * i)")
    w.line("for i in range(n):\n        for j in range(m):\n            s += B[i, j] * math.cos(1.0 * i * j)")
    if rich:
        w.line("for i in range(n):\n        for j in range(m):\n            s += C[i, j, 0] - 0.5 * C[i, j, 1] * r[()]")
    w.line(f"return {w.result.format('s')}")
    n, m, k = source.number(1, 5), source.number(1, 3), source.number(1, 4)
    if errors and rich and chance(16):
        n = 0
    rng = np.random.default_rng(source.number(0, 2**16))
    idx = rng.integers(-max(n, 1), max(n, 1), k)
    if errors and chance(12):
        idx[-1] = n
    args: tuple[Any, ...] = (rng.normal(size=n), rng.normal(size=(n, m)), idx, float(rng.normal()))
    if single:
        args += (rng.normal(size=n).astype(np.float32),)
    if rich:
        args += (rng.normal(size=n), (rng.normal(size=n), float(rng.normal())), 0.5)
    text = f"{HEADER}\n\ndef f({params}):\n" + "\n".join(w.lines) + "\n"
    return Program(text, args, single, ("y",) if rich else ())


@st.composite
def programs(draw: Callable, size: int = 14, errors: bool = True, rich: bool = False) -> Program:
    """Programs with arguments, as `written` makes them."""
    return written(Drawn(draw), size, errors, rich)
