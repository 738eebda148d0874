"""The writers of programs by name, each with the codes of the refusals that its programs may meet."""

from __future__ import annotations

import ast
import copy
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..fuzz.test_edited import EDITS, within_reach
from ..properties import test_rebinding
from ..properties.test_checkpointed import OPTIONS, Marker
from ..sources import Seeded, Source
from ..strategies import Program, written
from ..strategies_arrays import written as written_arrays
from ..strategies_iteration import written_iteration
from ..strategies_language import written_language
from ..strategies_loops import written_loops
from ..strategies_scratch import scratch_nests
from ..strategies_unbound import written_unbound
from .corpus import program_of
from .objects import written_objects

OWNERSHIP = ("LIN1",)
ANY = (
    "LIN1",
    "LIN2",
    "LIN3",
    "LIN4",
)  # what is refused is a program that means nothing, or that the language does not promise


@dataclass(frozen=True)
class Writer:
    write: Callable[[Source], Program]
    refusals: tuple[str, ...] = ()  # how the codes that are no finding begin
    share: int = 1
    brief: Callable[[Source], Program] | None = None  # programs of a few statements


def marked(source: Source) -> Program:
    """A program some of whose loops are marked for checkpoints."""
    program = written(source, size=source.number(2, 8), errors=False, rich=source.number(0, 1) == 1)
    few = source.number(1, 4)
    marker = Marker(lambda: source.pick(list(OPTIONS)) if source.number(1, 4) <= few else None)
    tree = ast.fix_missing_locations(marker.visit(ast.parse(program.text)))
    return replace(program, text=f"import linad\n{ast.unparse(tree)}\n")


def rebinding(source: Source) -> Program:
    text = test_rebinding.program(source.number(0, 2**30))
    return Program(text, (np.array([0.7, 1.3, 0.4]), 0.9, source.pick([0, 1, 3])))


def edited(source: Source) -> Program:
    """A program of another writer in which statements and expressions have changed places."""
    name = source.pick([n for n, w in WRITERS.items() if w.write not in (edited, rebinding)])
    return changed(source, WRITERS[name].write(source))


def edited_brief(source: Source) -> Program:
    name = source.pick([n for n, w in WRITERS.items() if w.brief not in (None, edited_brief, rebinding)])
    return changed(source, WRITERS[name].brief(source))


def changed(source: Source, program: Program) -> Program:
    """The program with one to three edits of its function."""
    before, entry = program.parts()
    tree = ast.parse(entry.replace("np.empty", "np.zeros"))  # what is unset is anything
    f = within_reach(tree, "f")[0]
    parameters = copy.deepcopy(f.args)  # they say what it is called with, which stays the same
    rng = random.Random(source.number(0, 2**30))
    for _ in range(source.number(1, 3)):
        rng.choice(EDITS)(f, rng)
    f.args = parameters
    return replace(program, text=f"{before}\n{ast.unparse(ast.fix_missing_locations(tree))}\n")


WRITERS = {
    "language": Writer(
        lambda s: written_language(s, s.number(2, 10)), OWNERSHIP, 6, lambda s: written_language(s, s.number(1, 4), s.common)
    ),
    "plain": Writer(lambda s: written(s, s.number(2, 12)), brief=lambda s: written(s, s.number(1, 4))),
    "rich": Writer(
        lambda s: written(s, s.number(2, 12), rich=True), share=2, brief=lambda s: written(s, s.number(1, 4), rich=True)
    ),
    "arrays": Writer(
        lambda s: written_arrays(s, s.number(2, 12)),
        (*OWNERSHIP, "LIN303"),
        2,
        lambda s: written_arrays(s, s.number(1, 3)),
    ),
    "loops": Writer(lambda s: written_loops(s, s.number(1, 6)), share=2, brief=lambda s: written_loops(s, 1)),
    "scratch": Writer(scratch_nests, share=2),
    "objects": Writer(written_objects, ANY, 2, lambda s: written_objects(s, 1, 5)),
    "iteration": Writer(written_iteration, ("LIN2", "LIN301")),
    "unbound": Writer(written_unbound, ANY, 2),
    "rebinding": Writer(rebinding, ANY, brief=rebinding),
    "marked": Writer(marked),
    "edited": Writer(edited, ANY, 4, edited_brief),
}


class Grouped(Seeded):
    """Choices with others that all seeds of a group have in common: they decide what stands before the function, which
    takes longer to load than a function of a few statements."""

    SIZE = 30

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.common = Seeded(seed // self.SIZE)


def drawn(seed: int, only: str | None = None, pool: Sequence[str] = (), brief: bool = False) -> tuple[str, Program]:
    """The program of a seed, and the name of its writer; of half of the seeds a program of the pool, edited."""
    source = Grouped(seed)
    if pool and only in (None, "edited") and source.number(0, 1):
        return "edited", changed(source, program_of(source.pick(pool)))
    named = source.common if brief else source
    name = only or named.pick([name for name, w in WRITERS.items() for _ in range(w.share) if w.brief or not brief])
    return name, (WRITERS[name].brief if brief else WRITERS[name].write)(source)


def at_other_sizes(program: Program, seed: int) -> list[Program]:
    """The program with arguments of the same types: other numbers, each size one larger, or 0 or 1, or the same."""
    rng = np.random.default_rng(seed)
    fixed = re.search(r"\[np\.ndarray, ['\"][^'\"]*\d", program.text)  # an annotation says how long an axis is
    sizes = (0,) if fixed else (1, -1)
    return [replace(program, args=tuple(_moved(a, more, rng) for a in program.args)) for more in sizes]


def _size(shape: tuple[int, ...], more: int) -> tuple[int, ...]:
    return tuple(n + more if more >= 0 else n // 3 for n in shape)


def _moved(a: object, more: int, rng: np.random.Generator) -> object:
    match a:
        case tuple() if type(a) is tuple:
            return tuple(_moved(v, more, rng) for v in a)
        case np.ndarray(dtype=dtype) if dtype.kind == "f":
            shape = _size(a.shape, more)
            return rng.normal(size=shape).astype(dtype)
        case np.ndarray():
            return np.resize(a, _size(a.shape, more)) if a.size else a
        case float():
            return (-1.5 * a + 0.25) if more >= 0 else 0.0
        case bool() | np.generic():
            return a
        case int():
            return a + more
    return a
