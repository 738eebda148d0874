"""Whole programs of array expressions for property tests: views of views, overlapping slices, gathers, masks, broadcasting.

The writer knows the sizes of the arguments that it draws with a program, so that shapes agree. It keeps track of which names
share an array, and lets most of them go where the array is updated under another name; the rest the front end has to see.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
from hypothesis import strategies as st

from .prelude import HEADER
from .sources import Drawn, Source
from .strategies import Program
from .strategies_aliases import HELPERS, Name, Scope, Shape


class Writer:
    """Writes one function, statement by statement."""

    def __init__(self, source: Source, n: int, m: int, k: int, size: int) -> None:
        self.pick, self.number = source.pick, source.number
        self.n, self.m, self.k, self.left = n, m, k, size
        self.lines: list[str] = []
        self.depth = 1
        self.names, self.groups = count(), count()
        self.rows: list[str] = []  # what loops iterate over

    def chance(self, one_in: int) -> bool:
        return self.number(1, one_in) == one_in

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def fresh(self, stem: str) -> str:
        return f"{stem}{next(self.names)}"

    def bind(self, s: Scope, stem: str, text: str, shape: Shape, of: str | None = None, writable: bool = True) -> str:
        name = self.fresh(stem)
        self.line(f"{name} = {text}")
        group = next(self.groups) if of is None else s.arrays[of].group
        s.arrays[name] = Name(shape, group, of is not None, writable and (of is None or s.arrays[of].writable))
        return name

    # ------------------------------------------------------------------------------------------------ scalars

    def literal(self) -> str:
        return self.pick(["0.5", "1.25", "2.0", "-0.75", "SCALE", "2", "w"])

    def scalar(self, s: Scope, depth: int = 1) -> str:
        forms = [self.literal, lambda: self.cell(s), lambda: f"np.sum({self.some(s, depth)})", lambda: f"energy({self.some(s, 0)})"]
        forms += [lambda: f"np.mean({self.array(s, (self.n,), depth)})" if self.n else "w", lambda: self.pick([*s.floats, "w"])]
        if s.of((self.n,)):
            v = s.of((self.n,))
            forms.append(lambda: f"np.dot({self.pick(v)}, {self.pick(v)})")
            forms += [lambda: f"np.{self.pick(['max', 'min'])}({self.pick(v)})"] if self.n else []
        if depth:
            forms.append(lambda: f"math.sin({self.scalar(s, depth - 1)} * {self.scalar(s, depth - 1)})")
        return self.pick(forms)()

    def some(self, s: Scope, depth: int) -> str:
        shapes = [(self.n,), (self.m,), (self.n, self.m), (max(self.n - 1, 0),)]
        return self.array(s, self.pick(shapes), depth)

    def place(self, s: Scope, size: int) -> str:
        """An index of an axis: mostly in range."""
        forms = ["0", "-1", *(f"{i} % {size}" for i in s.ints if size), *(f"-1 - {i} % {size}" for i in s.ints if size)]
        forms += [f"idx[{self.number(0, self.k - 1)}]"] if size == self.n else []
        return self.pick(forms)

    def cell(self, s: Scope) -> str:
        names = [a for a, x in s.arrays.items() if all(x.shape)]
        if not names:
            return "w"
        a = self.pick(names)
        return f"{a}[{', '.join(self.place(s, d) for d in s.arrays[a].shape)}]"

    # ------------------------------------------------------------------------------------------------- arrays

    def part(self, s: Scope, size: int, wanted: int) -> str | None:
        """A slice that takes ``wanted`` of ``size`` places, in either direction."""
        if wanted > size:
            return None
        low = self.number(0, size - wanted)
        forms = [f"{low}:{low + wanted}"]
        if wanted == size:
            forms += [":", "::-1", "0:", f":{size + 1}"]
        if low and low + wanted == size:
            forms += [f"{low}:", f"-{wanted}:"] if wanted else []
        if low == 0 and 0 < wanted < size:
            forms += [f":{wanted}", f":-{size - wanted}"]
        if wanted:
            top = low + wanted - 1
            forms.append(f"{top}:{low - 1 if low else ''}:-1")
            if 2 * wanted - 1 <= size:
                forms += ["::2"] * (len(range(0, size, 2)) == wanted) + ["1::2"] * (len(range(1, size, 2)) == wanted)
                forms += ["::-2"] * (len(range(0, size, 2)) == wanted)
        forms += [f"{i} % {size - wanted + 1}:{i} % {size - wanted + 1} + {wanted}" for i in s.ints]
        return self.pick(forms)

    def viewed(self, s: Scope, shape: Shape, writable: bool = False) -> tuple[str, str] | None:
        """A view of that shape, and the name of what it is a view of."""
        found = []
        for a, x in s.arrays.items():
            if writable and (not x.writable or a in self.rows):
                continue
            if len(x.shape) == len(shape):
                parts = [self.part(s, have, want) for have, want in zip(x.shape, shape, strict=True)]
                if None not in parts:
                    found.append((f"{a}[{', '.join(parts)}]", a))
                if len(shape) == 2 and x.shape[::-1] == shape:
                    found.append((f"{a}.T", a))
            elif len(shape) == 1 and len(x.shape) == 2 and all(x.shape):
                row, col = self.part(s, x.shape[1], shape[0]), self.part(s, x.shape[0], shape[0])
                found += [(f"{a}[{self.place(s, x.shape[0])}, {row}]", a)] if row else []
                found += [(f"{a}[{col}, {self.place(s, x.shape[1])}]", a)] if col else []
                found += [(f"{a}[{self.place(s, x.shape[0])}]", a)] if x.shape[1] == shape[0] else []
                found += [(f"{a}.reshape(-1)", a), (f"np.ravel({a})", a)] if x.shape[0] * x.shape[1] == shape[0] and not x.view else []
            elif len(shape) == 2 and len(x.shape) == 1 and x.shape[0] == shape[0] * shape[1] and all(shape):
                found.append((f"{a}.reshape({shape[0]}, {shape[1]})", a))
        return self.pick(found) if found else None

    def leaf(self, s: Scope, shape: Shape) -> str:
        forms: list[Callable[[], str]] = [lambda: f"np.full({shape}, {self.literal()})"]
        names = s.of(shape)
        forms += [lambda: self.pick(names)] * (3 if names else 0)
        view = self.viewed(s, shape)
        forms += [lambda: view[0]] * (4 if view else 0)
        if len(shape) == 1:
            forms.append(lambda: f"0.3 * np.arange({shape[0]})")
            bases = [a for a, x in s.arrays.items() if x.shape == (self.n,)]
            if shape == (self.k,) and bases and self.n:
                forms += [lambda: f"{self.pick(bases)}[idx]", lambda: f"{self.pick(bases)}[idx[::-1]]"]
            mats = [a for a, x in s.arrays.items() if len(x.shape) == 2]
            for axis in (0, 1):
                fit = [a for a in mats if (s.arrays[a].shape[1 - axis],) == shape and s.arrays[a].shape[axis]]
                forms += [lambda fit=fit, axis=axis: f"np.{self.pick(['sum', 'mean', 'max'])}({self.pick(fit)}, axis={axis})"] if fit else []
        elif shape == (self.n, self.m):
            u, v = s.of((self.n,)), s.of((self.m,))
            if u and v:
                forms.append(lambda: f"{self.pick(u)}[:, None] * {self.pick(v)}[None, :]")
                forms.append(lambda: f"np.outer({self.pick(u)}, {self.pick(v)})")
        return self.pick(forms)()

    def array(self, s: Scope, shape: Shape, depth: int = 2) -> str:
        """An expression of that shape."""
        if depth <= 0 or self.chance(4):
            return self.leaf(s, shape)
        a = self.array(s, shape, depth - 1)
        forms = [
            lambda: f"np.sin({a})",
            lambda: f"np.tanh({a} - {self.array(s, shape, depth - 1)})",
            lambda: f"({a} * {self.array(s, shape, depth - 1)})",
            lambda: f"({a} + {self.literal()} * {self.array(s, shape, depth - 1)})",
            lambda: f"({a}) / (1.5 + np.sin({self.array(s, shape, depth - 1)}))",
            lambda: f"np.where({a} > {self.array(s, shape, depth - 1)}, {a}, {self.literal()})",
            lambda: f"np.maximum({a}, {self.array(s, shape, depth - 1)})",
            lambda: f"np.sqrt(1.0 + ({a}) ** 2)",
            lambda: f"-({a})",
            lambda: f"({a} - {self.scalar(s, 0)})",
            lambda: f"(({a} > 0.1) * {self.array(s, shape, depth - 1)})",
        ]
        if len(shape) == 1:
            forms += [lambda: f"blended({a}, {a})", lambda: f"({a})[::-1]"]
        if len(shape) == 2:
            u = s.of(shape[:1])
            forms += [lambda: f"({a} * {self.array(s, shape[1:], depth - 1)})"]
            forms += [lambda: f"({a} + {self.pick(u)}[:, None])", lambda: f"({a} * np.sum({a}, axis=1, keepdims=True))"] if u else []
        return self.pick(forms)()

    def tame(self, s: Scope, shape: Shape) -> str:
        return f"np.{self.pick(['sin', 'tanh'])}({self.array(s, shape)})"

    # --------------------------------------------------------------------------------------------- statements

    def body(self, s: Scope, most: int) -> None:
        before = len(self.lines)
        for _ in range(self.number(1, most)):
            if self.left > 0:
                self.left -= 1
                self.pick(STATEMENTS)(self, s)
        if len(self.lines) == before:
            self.line("pass")

    def new(self, s: Scope) -> None:
        shape = self.pick([(self.n,), (self.n,), (self.m,), (self.n, self.m), (max(self.n - 1, 0),)])
        self.bind(s, "a", self.pick([self.tame(s, shape), f"np.zeros({shape})", self.tame(s, shape)]), shape)

    def chain(self, s: Scope) -> None:
        """Temporaries of one range after another: what fusion looks for."""
        shape = self.pick([(self.n,), (self.n,), (self.n, self.m)])
        for _ in range(self.number(2, 3)):
            self.bind(s, "t", self.tame(s, shape), shape)

    def view(self, s: Scope) -> None:
        shape = self.pick([(self.n,), (max(self.n - 1, 0),), (max(self.n - 2, 0),), (self.m,), (self.n, self.m), (self.n * self.m,)])
        found = self.viewed(s, shape)
        if found:
            self.bind(s, "v", found[0], shape, found[1])

    def returned_view(self, s: Scope) -> None:
        vectors = [a for a, x in s.arrays.items() if len(x.shape) == 1 and x.shape[0]]
        if vectors:
            a = self.pick(vectors)
            text, less = self.pick([(f"tail({a})", 1), (f"backwards({a})", 0), (f"tail(backwards({a}))", 1)])
            self.bind(s, "v", text, (s.arrays[a].shape[0] - less,), a)

    def target(self, s: Scope) -> str | None:
        names = [a for a, x in s.arrays.items() if x.writable and a not in self.rows]
        return self.pick(names) if names else None

    def done(self, s: Scope, name: str) -> None:
        if name in s.arrays:
            s.updated(name, self.chance(10))

    def update(self, s: Scope) -> None:
        a = self.target(s)
        if a is None:
            return
        shape = s.arrays[a].shape
        op = self.pick(["=", "+=", "+=", "*=", "-="])
        if self.chance(3):
            self.line(f"{a} {self.pick(['+=', '*=', '-='])} {self.tame(s, shape)}")
        else:
            taken = tuple(self.pick([d, d, max(d - 1, 0), max(d - 2, 0)]) for d in shape)
            parts = ", ".join(self.part(s, d, t) or ":" for d, t in zip(shape, taken, strict=True))
            value = self.tame(s, taken) if self.chance(2) else self.leaf(s, taken)
            self.line(f"{a}[{parts}] {op} {value}")
        self.done(s, a)

    def stencil(self, s: Scope) -> None:
        vectors = [a for a in s.of((self.n,)) if s.arrays[a].writable and a not in self.rows]
        if vectors:
            a = self.pick(vectors)
            forms = [
                f"{a}[1:-1] += 0.1 * ({a}[2:] - 2.0 * {a}[1:-1] + {a}[:-2])",
                f"{a}[1:] = np.sin({a}[:-1])",
                f"{a}[:-1] = np.sin({a}[1:]) * {a}[:-1]",
                f"{a}[:] = {a}[::-1] * np.cos({a})",
                f"{a} += 0.5 * np.sin({a}[::-1])",
                f"{a}[1:], {a}[:-1] = np.sin({a}[:-1]), np.cos({a}[1:])",
            ]
            self.line(self.pick(forms))
            self.done(s, a)

    def gather_write(self, s: Scope) -> None:
        vectors = [a for a in s.of((self.n,)) if s.arrays[a].writable and a not in self.rows]
        if vectors and self.n:
            a = self.pick(vectors)
            index = self.pick(["idx", "idx[::-1]", "(idx + 1) % n"])
            op = self.pick(["=", "+=", "*="])
            self.line(f"{a}[{index}] {op} {self.pick([self.tame(s, (self.k,)), 'np.sin(w)', f'{a}[idx] * 0.5'])}")
            self.done(s, a)

    def mask_write(self, s: Scope) -> None:
        a = self.target(s)
        if a is not None:
            mask = f"{a} > {self.pick(['0.1', self.leaf(s, s.arrays[a].shape), self.scalar(s, 0)])}"
            self.line(f"{a}[{mask}] {self.pick(['=', '+=', '*='])} math.sin({self.scalar(s, 0)})")
            self.done(s, a)

    def cell_write(self, s: Scope) -> None:
        a = self.target(s)
        if a is not None and all(s.arrays[a].shape):
            index = ", ".join(self.place(s, d) for d in s.arrays[a].shape)
            op = self.pick(["=", "+=", "*="])
            self.line(f"{a}[{index}] {op} {self.pick([f'math.sin({self.scalar(s)})', f'pushed({a}, 0, 0.5)' if len(s.arrays[a].shape) == 1 else 'w'])}")
            self.done(s, a)

    def helper(self, s: Scope) -> None:
        a = self.target(s)
        if a is None:
            return
        shape = s.arrays[a].shape
        if len(shape) == 1:
            peers = [b for b in s.of(shape) if s.arrays[b].group != s.arrays[a].group and s.arrays[b].writable and b not in self.rows]
            forms = [f"scaled({a}, {self.literal()})", f"scaled({a}[::-1], 0.5)", f"scaled({a}[1:], math.sin({self.scalar(s, 0)}))"]
            if peers:
                other = self.pick(peers)
                forms.append(f"exchange({a}, {other})")
                self.done(s, other)
            self.line(self.pick(forms))
        elif all(shape):
            self.line(self.pick([f"scaled({a}[{self.place(s, shape[0])}], 0.5)", f"scaled(column({a}, {self.place(s, shape[1])}), 0.5)"]))
        self.done(s, a)

    def rows_loop(self, s: Scope) -> None:
        mats = [a for a, x in s.arrays.items() if x.shape == (self.n, self.m)]
        if not mats or self.depth > 3:
            return
        M, row, i = self.pick(mats), self.fresh("row"), self.fresh("i")
        inner = s.inner()
        inner.arrays[row] = Name((self.m,), s.arrays[M].group, True, s.arrays[M].writable)
        head, first = self.pick([(f"for {row} in {M}:", ""), (f"for {i} in range(n):", f"{row} = {M}[{i}]"), (f"for {i}, {row} in enumerate({M}):", "")])
        if i in head:
            inner.ints[i] = self.n
        self.line(head)
        self.depth += 1
        self.rows.append(M)
        if first:
            self.line(first)
        self.line(self.pick([f"{row} += 0.1 * {M}[0]", f"{row} *= 0.5", "pass", "pass"]) if s.arrays[M].writable else "pass")
        self.body(inner, 3)
        self.rows.pop()
        self.depth -= 1

    def loop(self, s: Scope) -> None:
        if self.depth > 3:
            return
        i = self.fresh("i")
        inner = s.inner()
        inner.ints[i] = 3
        late = self.chance(3)
        if late:
            self.line(f"bound{i} = 0")
        self.line(f"for {i} in range({self.pick(['3', 'n', '2', '1, n', 'n - 1, -1, -1'])}):")
        self.depth += 1
        if late:
            self.bound_below(inner, i)
        else:
            self.body(inner, 4)
        self.depth -= 1

    def bound_below(self, s: Scope, i: str) -> None:
        """The body of a loop that uses arrays and a size which it binds at its end, from the second iteration on."""
        shape = self.pick([(self.n,), (self.m,), (self.n, self.m), (max(self.n - 1, 0),)])
        size, array = self.fresh("late"), self.fresh("late")
        above = s.inner()
        above.arrays[array] = Name(shape, next(self.groups), False, True)
        above.ints[size] = max(self.n, 1)
        self.line(f"if bound{i}:")
        self.depth += 1
        self.body(above, 3)
        self.depth -= 1
        self.body(s, 3)
        self.line(f"{size} = {self.pick(['n', 'len(idx)', f'{i} + 1', 'A.shape[1]'])}")
        self.line(f"{array} = {self.tame(s, shape)}")
        self.line(f"bound{i} = 1")

    def branch(self, s: Scope) -> None:
        if self.depth > 3:
            return
        self.line(f"if {self.scalar(s, 0)} > {self.literal()}:")
        for again in (True, self.chance(2)):
            if not again:
                break
            self.depth += 1
            self.body(s.inner(), 3)
            self.depth -= 1
            if again and self.lines[-1].strip() != "else:" and not any(x == "    " * self.depth + "else:" for x in self.lines[-12:]):
                if self.chance(2):
                    self.line("else:")
                    self.depth += 1
                    self.body(s.inner(), 2)
                    self.depth -= 1
                break

    def union(self, s: Scope) -> None:
        """One of two arrays, to be read."""
        shape = self.pick([(self.n,), (self.n, self.m), (self.m,)])
        names = s.of(shape)
        if len(names) < 2:
            return
        a, b = self.pick(names), self.pick(names)
        name = self.fresh("c")
        if self.chance(2):
            self.line(f"{name} = {a} if {self.scalar(s, 0)} > 0.2 else {b}")
        else:
            self.line(f"if {self.scalar(s, 0)} > 0.2:\n{'    ' * self.depth}    {name} = {a}\n{'    ' * self.depth}else:\n{'    ' * self.depth}    {name} = {b}")
        s.arrays[name] = Name(shape, s.arrays[self.pick([a, b])].group, True, False)
        self.use(s, name)
        if not self.chance(3):
            s.drop(name)

    def use(self, s: Scope, name: str) -> None:
        self.line(f"s += 0.1 * energy({name})")

    def swap(self, s: Scope) -> None:
        groups = [(a, b) for a in s.arrays for b in s.arrays if a < b and s.arrays[a].shape == s.arrays[b].shape]
        groups = [(a, b) for a, b in groups if a not in self.rows and b not in self.rows and s.arrays[a].writable == s.arrays[b].writable]
        if groups:
            a, b = self.pick(groups)
            self.line(f"{a}, {b} = {b}, {a}")
            s.arrays[a], s.arrays[b] = s.arrays[b], s.arrays[a]
            if s.outer is not None or self.chance(4):  # which name has which array is not known any more
                s.drop(self.pick([a, b]))

    def closure(self, s: Scope) -> None:
        vectors = [a for a, x in s.arrays.items() if len(x.shape) == 1 and x.shape[0]]
        if vectors:
            a, g = self.pick(vectors), self.fresh("g")
            self.line(f"{g} = lambda i: {a}[i] * 0.5 + {a}[-1]")
            if self.chance(3):
                self.update(s)
            if a in s.arrays:
                self.line(f"s += {g}(0)")

    def number_(self, s: Scope) -> None:
        name = self.fresh("r")
        self.line(f"{name} = math.sin({self.scalar(s)})")
        s.floats.append(name)

    def add(self, s: Scope) -> None:
        self.line(f"s += math.tanh({self.scalar(s)})")


STATEMENTS = [
    *[Writer.new] * 3,
    *[Writer.chain] * 3,
    *[Writer.view] * 3,
    *[Writer.update] * 6,
    *[Writer.stencil] * 2,
    *[Writer.gather_write] * 2,
    *[Writer.mask_write] * 2,
    *[Writer.cell_write] * 2,
    *[Writer.helper] * 2,
    *[Writer.rows_loop] * 2,
    *[Writer.loop] * 3,
    *[Writer.branch] * 2,
    Writer.union,
    *[Writer.swap] * 2,
    Writer.closure,
    Writer.number_,
    Writer.returned_view,
    *[Writer.add] * 2,
]


def written(source: Source, size: int = 12) -> Program:
    """A program with arguments, from a source of choices."""
    n, m, k = source.pick([0, 1, 2, 3, 3, 4, 4, 5, 6]), source.number(1, 4), source.number(1, 4)
    w = Writer(source, n, m, k, size)
    single = w.chance(6)
    s = Scope({"x": Name((n,), -1, False, False), "A": Name((n, m), -2, False, False)}, ["s"])
    params = 'x: Float64[np.ndarray, "n"], A: Float64[np.ndarray, "n m"], idx: Int64[np.ndarray, "k"], w: float'
    if single:
        params += ', z: Float32[np.ndarray, "n"]'
        s.arrays["z"] = Name((n,), -3, False, False)
    w.line("n = len(x)")
    w.line("s = 0.0")
    for stem, text, shape in (("u", "x.copy()", (n,)), ("M", "A * 1.0", (n, m)), ("u", "np.cos(x)", (n,))):
        w.bind(s, stem, text, shape)
    if single:
        w.bind(s, "f", "z * 0.5", (n,))
    while w.left > 0:
        w.left -= 1
        w.pick(STATEMENTS)(w, s)
    owned = [a for a, x in s.arrays.items() if x.writable and not x.view]
    for a in owned:
        w.line(f"s += np.sum({a} * {a} * 0.5 + {a})")
    given = [a for k, a in enumerate(owned) if s.arrays[a].group not in {s.arrays[b].group for b in owned[:k]}][:2]
    w.line(f"return {', '.join(['s', *given])}" if w.chance(2) else "return s")
    rng = np.random.default_rng(source.number(0, 2**16))
    args: tuple[Any, ...] = (rng.normal(size=n), rng.normal(size=(n, m)), rng.integers(-max(n, 1), max(n, 1), k), float(rng.normal()))
    if single:
        args += (rng.normal(size=n).astype(np.float32),)
    text = f"{HEADER}{HELPERS}\n\ndef f({params}):\n" + "\n".join(w.lines) + "\n"
    return Program(text, args, single)


@st.composite
def array_programs(draw: Callable, size: int = 12) -> Program:
    """Programs of arrays with arguments; ``size`` is about how many statements there are."""

    return written(Drawn(draw), size)
