"""Whole programs whose loops bind names below the places that use them: numbers, indices, sizes, rows, views, functions.

What such a name means is found by lowering the body again and again. A name may be bound to an int and later to a float,
be the target of a loop over rows and then an index, and be used where no path has bound it. Arrays come and go under the
same names, so that what was found out in one attempt would, told of another, be wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

import numpy as np
from hypothesis import strategies as st

from .prelude import HEADER
from .sources import Drawn, Source
from .strategies import Program
from .strategies_aliases import HELPERS


def _split(text: str) -> list[str]:
    return [part.strip() for part in " ".join(text.split()).split("|")]


# what a name may be bound to, by kind, of names of all kinds
VALUES = {
    "index": _split("""
        {t} | rows - 1 | len(y) | 2 + {t} | -1 - {t} | {index} - 1 | {size} - 1 | idx[{t} % count] | {index} + {t} |
        {t} % 3
    """),
    "size": _split("""
        4 | rows | len(y) | {t} + 1 | rows - {t} | {vector}.size | {size} - 1 | len({vector}) - 1 | abs({index}) |
        A.shape[0]
    """),
    "number": _split("""
        {t} | c | 2 | 1.5 | s * 0.125 | {number} + 1 | {vector}.sum() | x[{t} % rows] | {number} * c | len(y)
    """),
    "vector": _split("""
        x * {number} | x[1:] | x[:{size}] | x[{index}:] | y | y * c | np.ones({size}) | np.zeros(rows) |
        {matrix}[{t} % rows] | A[:, 0] | A[{index}] | {vector}[1:] - {vector}[:-1] | x[{index}:{index} + 1] |
        {vector}[::-1] | {vector}.copy() | {vector} | TABLE[{t} % 2:] | {matrix}[0] * c | {matrix}.ravel() * 1.0 |
        tail({vector}) | np.array([e * c for e in {vector}]) | linad.map(lambda e: e * c, {vector}) | x[:{size}][1:]
    """),
    "matrix": _split("""
        A * {number} | A.T * 2.0 | np.zeros((rows, cols)) | A[1:] | A + 1.0 | {matrix} * c | {matrix}[:, 1:] |
        A[::-1] | np.ones((3, 3)) | {matrix}.copy() | np.array([row * c for row in {matrix}]) |
        A[:, idx % cols] * 1.0 | A.copy()
    """),
    "pair": _split("""
        ({index}, {vector}) | ({t}, x * {number}) | ({number}, y) | ({pair}[0] + 1, {pair}[1]) | ({pair}[0], {vector})
    """),
    "function": _split("""
        lambda e: e * {number} | lambda e: x[{index} % rows] + e | lambda e: e + {vector}[0] | lambda e: e * c
    """),
}
KINDS = tuple(VALUES)
# by kind; names that lowering gives to variables of its own are among them: facts of one must not be told of the other
NAMES = {"index": "ij", "size": "nk", "number": "bh", "vector": "vz", "matrix": "MW", "pair": "pr", "function": "fg"}

# statements that use names
USES = _split("""
    s += {vector}.sum() | s += {vector} @ {vector} | s += (3 * {vector}[1:] - 2 * {vector}[:-1]).sum() |
    s += {vector}[{index}] | s += ({vector} + {vector}).sum() | s += {number} * c | s += {matrix}[{index}].sum() |
    s += A[{index}] @ A[{index}] | s += A[{t}].sum() | s += {matrix}[{t}] @ {matrix}[{t}] | B[{t}] = 2.0 |
    s += (B[{t}] * c).sum() | s += {matrix}[1, 0] + 2 * {matrix}[0, 1] | s += x[{index}] | s += {matrix}.sum() |
    s += {pair}[0] * {pair}[1].sum() | s += {function}(0.5) | s += sum({function}(e) for e in {vector}) |
    s += sum(x[j] for j in range({size})) | s += np.ones({size}).sum() * {number} | s += ({matrix} * {matrix}).sum() |
    s += np.max({vector}) | s += energy({vector}) | s += {matrix}.ravel()[{index}] |
    s += ({vector}[1:] * {vector}[1:]).sum() | s += linad.map(lambda row: row @ row, {matrix})[0] |
    s += linad.fold(lambda a, e: a * 0.5 + e, {number}, {vector}) | s += ({vector} if s > c else {vector}).sum() |
    for e in {vector}: s += e * {number} | for row in {matrix}: s += row[0] * {number} |
    for j in range({size}): s += {vector}[j] | for j, row in enumerate({matrix}): s += row @ A[j]
""")
# and slices whose sizes are known to be others less one, 1 at most, or the same
SLICES = _split("""
    s += (3 * {vector}[1:] - 2 * {vector}[:-1]).sum() + {vector}[:-1].sum() |
    s += (y + x[:{size}][:{index}][:5]).sum() | s += (y * x[{t}:{t} + 1]).sum() |
    z = np.ones({size}); s += (3 * z[1:] - 2 * z[:-1]).sum() + z[:-1].sum() |
    s += (x[1:{size}] * x[:{size} - 1]).sum() | s += (x[:{size}][1:] - x[:{size}][:-1]).sum() |
    s += x[{index}:][{t}:{t} + 1].sum() | s += (np.ones({size})[1:] * 2 - x[1:]).sum()
""")
# that update what they hold
UPDATES = _split("""
    {vector}[{index}] = c | {vector}[1:] += {vector}[:-1] | {vector} *= {number} | {vector}[:] = s * 0.125 |
    {matrix}[{index}] = 0.5 | {matrix}[0, 1] += s * 0.125 | scaled({vector}, c) | {matrix} += 1.0 |
    for row in {matrix}: row *= 0.5 | for j in range({size}): {vector}[j] = c * j |
    flat = {matrix}.ravel(); flat[1] = 100.0 | {vector}[{index}] += pushed({vector}, 0, c) |
    {vector}, {vector} = {vector}, {vector}
""")
# loops whose target is a name that is something else below
ROWS = _split("""
    for {name} in {matrix}: s += {name}.sum() | for {name} in {vector}: s += {name} * 2 |
    for {name} in range(rows): s += x[{name}] | for {name}, e in enumerate(x): s += e
""")
# that use no name of a loop
BEFORE = _split("""
    s += linad.map(lambda row: row @ row, {matrix}).sum() |
    s += np.array([row[0] * row[1] for row in {matrix}]).sum() | s += sum(row @ row for row in {matrix}) |
    for i in {matrix}: s += i.sum() | d = x[1:] - x[:-1]; s += d.sum() | s += sum(e * e for e in y) |
    z = x[1:]; s += z[0] | s += linad.fold(lambda a, e: a + e, 0.0, x)
""")
OWN = {"vector": ["u", "u", "w"], "matrix": ["B"]}  # to be updated
KNOWN = {
    "index": ["0", "1"],
    "size": ["2", "rows"],
    "number": ["c", "2.0"],
    "vector": ["x", "y"],
    "matrix": ["A"],
    "pair": ["(1, x)"],
    "function": ["abs"],
}


class _Writer:
    def __init__(self, source: Source) -> None:
        self.pick, self.number = source.pick, source.number
        self.lines: list[str] = []
        self.depth = 1
        self.turns: list[str] = []
        self.names: dict[str, list[str]] = {}  # by kind, those that the loop at hand binds

    def chance(self, one_in: int) -> bool:
        return self.number(1, one_in) == one_in

    def line(self, text: str) -> None:
        self.lines += ["    " * self.depth + line for line in text.splitlines()]

    @contextmanager
    def block(self, head: str):
        self.line(head)
        self.depth += 1
        yield
        self.depth -= 1

    def filled(self, text: str, updated: bool = False) -> str:
        """The text with a name of the kind in each place, one that the loop binds as often as there is one."""
        while "{" in text:
            kind = text[text.index("{") + 1 : text.index("}")]
            if kind == "t":
                name = self.pick(self.turns)
            else:
                name = self.pick(self.names.get(kind, []) * 4 + (OWN if updated else KNOWN).get(kind, KNOWN[kind]))
            text = text.replace("{" + kind + "}", name, 1)
        return text

    def uses(self, most: int) -> None:
        for _ in range(self.number(1, most)):
            update = self.chance(5)
            text = self.pick(UPDATES if update else SLICES if self.chance(3) else USES)
            self.line(self.filled(text, update))

    def bind(self, kind: str, name: str) -> None:
        if kind in ("index", "number") and self.chance(5):
            self.line(self.filled(self.pick(ROWS).replace("{name}", name)))
        own = self.names[kind]
        if self.chance(2):  # not what it was, which it may never have been
            self.names[kind] = []
        self.line(f"{name} = {self.filled(self.pick(VALUES[kind]))}")
        self.names[kind] = own

    def some_name(self) -> tuple[str, str]:
        kind = self.pick(list(self.names))
        return kind, self.pick(self.names[kind])

    def loop(self) -> None:
        """A loop that uses names and binds them below; the uses are behind a test that the first turn fails, but for some."""
        kinds = [self.pick(KINDS) for _ in range(self.number(1, 4))]
        self.names = {kind: list(NAMES[kind][: kinds.count(kind)]) for kind in kinds}
        turn = self.pick([t for t in ("t", "i", "i", "k", "row") if t not in sum(self.names.values(), [])])
        others = [f"for {turn}, e0 in enumerate(x):", f"for {turn} in range(3):", f"while {turn} < turns:"]
        head = self.pick([f"for {turn} in range(turns):"] * 4 + others)
        if head[0] == "w":
            self.line(f"{turn} = -1")
        with self.block(head):
            if head[0] == "w":
                self.line(f"{turn} += 1")
            self.turns.append(turn)
            self.body(False)
            for kind, names in self.names.items():
                for name in names:
                    if self.chance(8):
                        with self.block(f"if s > {self.pick(['0.0', '2.0'])}:"):
                            self.bind(kind, name)
                    else:
                        self.bind(kind, name)
            self.turns.pop()

    def body(self, inner: bool) -> None:
        turn = self.turns[0]
        with self.block(f"if {turn} > {self.pick(['0', '0', '0', '1'])}:"):
            self.uses(3)
        for _ in range(self.number(0, 2)):
            match self.number(0, 5):
                case 0:
                    self.line(self.filled(self.pick(BEFORE))) if self.chance(2) else self.uses(2)
                case 1 if not inner:
                    with self.block(f"for q in range({self.pick(['2', turn, '1, 3'])}):"):
                        self.turns.append("q")
                        self.body(True)
                        self.bind(*self.some_name())
                        self.turns.pop()
                case 2:
                    with self.block(f"if {self.pick([f'{turn} > 1', 's > 2.0', f'{turn} % 2 == 0'])}:"):
                        self.bind(*self.some_name())
                        if self.chance(4):
                            self.line(self.pick(["break", "continue"]) if not inner else "break")
                    if self.chance(2):
                        with self.block("else:"):
                            self.bind(*self.some_name())
                case _:
                    self.bind(*self.some_name())


def written_unbound(source: Source) -> Program:
    """A program with arguments, from a source of choices."""
    w = _Writer(source)
    for text in ("rows, cols = A.shape", "count = len(idx)", "s = 0.0", "u, w, B = x.copy(), np.ones(rows), A.copy()"):
        w.line(text)
    for _ in range(source.number(1, 2)):
        if w.chance(3):
            w.line(w.filled(w.pick(BEFORE)))
        w.loop()
    if source.number(0, 4) == 0:
        w.turns = ["turns"]
        w.uses(2)
    w.line("return s + u.sum() + B.sum() * c")
    n, m, k = source.number(3, 5), source.number(2, 4), source.number(1, 3)
    rng = np.random.default_rng(source.number(0, 2**16))
    args: tuple[Any, ...] = (rng.normal(size=n), rng.normal(size=source.pick([1, 2, 2, n])), rng.normal(size=(n, m)))
    args += (rng.integers(0, n, k), float(rng.normal()), source.pick([0, 1, 2, 3, 3, 4, 6]))
    params = 'x: Float64[np.ndarray, "n"], y: Float64[np.ndarray, "k"], A: Float64[np.ndarray, "n m"], '
    params += 'idx: Int64[np.ndarray, "l"], c: float, turns: int'
    text = f"{HEADER}\nimport linad\n{HELPERS}\n\ndef f({params}):\n" + "\n".join(w.lines) + "\n"
    return Program(text, args)


@st.composite
def unbound_programs(draw: Callable) -> Program:
    """Programs with arguments, of names that loops bind below the places that use them."""

    return written_unbound(Drawn(draw))
