"""Whole programs about iteration: generators with `yield`s, loops, returns and state anywhere, and consumers that leave
them by `break`, `continue` and `return`; `itertools` in each other; iterators that several loops share."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import strategies as st

from .prelude import HEADER
from .sources import Drawn, Source
from .strategies import Program

TESTS = ("{v} > {c}", "k % 2 == 0", "{v} * {v} < {c}", "k > 3", "s < {c}", "{v} > s")
NUMBERS = ("{v} * {v}", "{v} + t", "t", "{v} * k", "np.sin({v})", "{v} - {c}", "2 * t")


class _Writer:
    """One program. ``k`` counts, ``t`` is a float of a generator, ``s`` one of the function itself."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.generators: list[str] = []

    def of(self, templates: tuple[str, ...], v: str) -> str:
        c = self.source.pick(["0.4", "1.3", "2.0", "-0.5"])
        return self.source.pick(list(templates)).format(v=v, c=c)

    def iterable(self, depth: int = 0) -> str:
        """An iterable of floats."""
        inner = lambda: self.iterable(depth + 1)
        plain = ["x", "y", "x[1:]", "x[::-1]", "[y[0], 1.5, x[0]]", "reversed(x)", "sorted(y)"]
        if depth > 2 or self.source.number(0, 2) == 0:
            return self.source.pick(plain)
        one = self.source.pick(plain)
        generators = [f"{name}({self.source.pick(plain[:4])})" for name in self.generators]
        made = self.source.pick([
            f"islice({inner()}, 1, 5)", f"islice({inner()}, 4)", f"chain({inner()}, {one})", f"accumulate({inner()})",
            f"takewhile(lambda e: e < 2.5, {inner()})", f"dropwhile(lambda e: e > 0.5, {inner()})",
            f"filter(lambda e: e > 0.3, {inner()})", f"filterfalse(lambda e: e > 1.0, {inner()})",
            f"map(lambda e: e * c, {inner()})", f"(e * 0.5 for e in {inner()} if e != 1.25)",
            f"starmap(lambda a, b: a - b * c, pairwise({inner()}))", f"(a * b for a, b in zip({inner()}, {one}))",
            f"(a + b for a, b in combinations({one}, 2))", f"(k * e for k, e in enumerate({inner()}))",
            f"islice(cycle({one}), 7)", f"(a * b for a, b in product({one}, {inner()}))",
            f"accumulate({inner()}, lambda a, e: a * 0.5 + e, initial=c)", f"compress({inner()}, [1, 0, 1, 1])",
            *generators, *generators, *generators,
        ])  # fmt: skip
        return made

    def body(self, depth: int, indent: str, v: str, looping: bool) -> list[str]:
        """Statements of a generator."""
        lines: list[str] = []
        for _ in range(self.source.number(1, 3)):
            kind = self.source.number(0, 9)
            if kind < 3 or depth > 2:
                lines.append(f"{indent}yield {self.of(NUMBERS, v)}")
            elif kind == 3:
                lines.append(f"{indent}t = 0.5 * t + {v}")
            elif kind == 4:
                lines += [f"{indent}if {self.of(TESTS, v)}:", *self.body(depth + 1, indent + "    ", v, looping)]
                if self.source.number(0, 1):
                    lines += [f"{indent}else:", *self.body(depth + 1, indent + "    ", v, looping)]
            elif kind < 7:
                w = "uvw"[depth]
                over = self.iterable(2)
                lines += [f"{indent}for {w} in {over}:", f"{indent}    k += 1"]
                lines += self.body(depth + 1, indent + "    ", w, True)
                if self.source.number(0, 3) == 0:
                    lines += [f"{indent}else:", f"{indent}    t += 1.0"]
            elif kind == 7:
                word = self.source.pick(["return", *(["break", "continue"] if looping else [])])
                lines.append(f"{indent}if {self.of(TESTS, v)}: {word}")
            elif kind == 8 and self.generators:
                lines.append(f"{indent}yield from {self.source.pick(self.generators)}(z[1:])")
            else:
                lines.append(f"{indent}k += 1")
        return lines

    def generator(self, name: str) -> list[str]:
        """A generator function of one array."""
        inside = self.body(0, "    ", "t", False)
        if not any("yield" in line for line in inside):
            inside.append("    yield t")
        text = re.sub(r"\b[xy]\b", "z", "\n".join(inside))
        return [f"def {name}(z, c=0.9):", "    k, t, s = 0, 0.5, 0.25", text]

    def consumer(self, depth: int, indent: str) -> list[str]:
        """A loop over something."""
        v = "abd"[depth]
        lines = [f"{indent}for {v} in {self.iterable()}:", f"{indent}    k += 1"]
        for _ in range(self.source.number(1, 3)):
            kind = self.source.number(0, 7)
            if kind < 3:
                lines.append(f"{indent}    s = 0.5 * s + {v} * {v}")
            elif kind < 5:
                word = self.source.pick(["break", "continue", "return s * k"] if depth == 0 else ["break", "continue"])
                lines.append(f"{indent}    if {self.of(TESTS, v)}: {word}".replace(" t ", " s "))
            elif kind == 5 and depth < 2:
                lines += self.consumer(depth + 1, indent + "    ")
            else:
                lines.append(f"{indent}    w[k % 3] += s")
        if self.source.number(0, 2) == 0:
            lines += [f"{indent}else:", f"{indent}    s += c"]
        return lines

    def program(self) -> str:
        found: list[str] = ["from itertools import *"]
        for k in range(self.source.number(0, 2)):
            found += self.generator(f"g{k}")
            self.generators.append(f"g{k}")
        inside: list[str] = ["    s, k, w = 0.0, 0, np.zeros(3)"]
        for _ in range(self.source.number(1, 3)):
            kind = self.source.number(0, 5)
            if kind < 3:
                inside += self.consumer(0, "    ")
            elif kind == 3:
                inside.append(f"    s += sum({self.iterable()})")
            elif kind == 4:
                inside.append(f"    s += sum(e * c for e in {self.iterable()} if e > 0.2)")
            else:
                inside += ["    p = iter(x)", "    s += next(p)", "    for e in p:", "        s *= e"]
                inside += ["        if s > 1: break", "    s += next(p, c)"]
        inside.append("    return s + k + w[0] * w[1] + w[2]")
        return "\n".join([*found, "def f(x, y, c):", *inside])


def written_iteration(source: Source) -> Program:
    """A program, and arguments for it."""
    text = f"{HEADER}\n{_Writer(source).program()}\n"
    some = lambda n: np.array([0.37 + 0.61 * source.number(-2, 3) for _ in range(n)])
    return Program(text, (some(source.number(1, 5)), some(source.number(1, 4)), 0.83))


@st.composite
def iterations(draw) -> Program:
    return written_iteration(Drawn(draw))
