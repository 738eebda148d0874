"""Which iterations touch one cell: verdicts on small nests, and against recorded runs of random ones."""

from collections.abc import Iterator

import numpy as np
import pytest
from linad_typecheck.ir.core import AddTo, Function, Load, Loop, Store, walk

from linad.analysis.accesses import accesses
from linad.analysis.affine import Ranges
from linad.analysis.dependence import Dependence, Distance, Independent, Nest, Unknown
from linad.analysis.loop_facts import with_ranges
from linad.codegen import EmitOptions
from linad.codegen.passes import prepare
from linad.interpret.machine import Event
from tests.cost.programs import core_of

from ..examples_of import seeds
from ..properties.roads import Whole
from ..sources import Seeded
from ..strategies_loops import written_loops
from ..strategies_scratch import scratch_nests
from .recorded import depths, events

Pair = tuple[Load | Store | AddTo, Load | Store | AddTo]


def pairs(s: Loop) -> Iterator[Pair]:
    """The accesses in a loop, two by two, of which one writes to the array of both."""
    found = [t for t in walk(s.body) if isinstance(t, Load | Store | AddTo)]
    for k, a in enumerate(found):
        for b in found[k:]:
            if a.array == b.array and not (isinstance(a, Load) and isinstance(b, Load)):
                yield a, b


def told(f: Function) -> Iterator[tuple[Loop, Pair, Dependence]]:
    """What the analysis says of each loop."""
    found: list[tuple[Loop, Pair, Dependence]] = []

    def note(s: Loop, r: Ranges) -> list[Loop]:
        nest = Nest(s, ranges=r)
        found.extend((s, (a, b), nest.between(*accesses(a), *accesses(b))) for a, b in pairs(s))
        return [s]

    with_ranges(f, note)
    return iter(found)


# --------------------------------------------------------------------------------------------------- by hand


def shifted(x):
    x = x.copy()
    for i in range(2, len(x)):
        x[i] = x[i - 2] + 1.0
    return x


def steps(x):
    x = x.copy()
    for i in range(0, len(x) - 1, 2):
        x[i] = x[i + 1] + 1.0
    return x


def doubled(x):
    x = x.copy()
    for i in range(len(x) // 2):
        x[2 * i + 1] = x[2 * i] + 1.0
    return x


def mirrored(x):
    x = x.copy()
    for i in range(len(x)):
        x[len(x) - 1 - i] = x[i] + 1.0
    return x


def below(x):
    x = x.copy()
    for i in range(1, len(x)):
        x[0] += x[i]
    return x


def by_sizes(x):
    x = x.copy()
    n = len(x)
    for i in range(n // 2):
        x[n - 1 - i + 1 - 1] += x[n - 1 - i]
    return x


def gathered(x):
    x = x.copy()
    for i in range(len(x)):
        x[int(x[i]) % 2] += 1.0
    return x


SAME, ANY = Distance((0,)), Unknown()
CASES = {  # of the write and the read, then of the write and itself
    shifted: ({Distance((2,)), Distance((-2,))}, SAME),
    steps: ({Independent()}, SAME),
    doubled: ({Independent()}, SAME),
    mirrored: ({ANY}, SAME),
    below: ({Independent()}, ANY),
    by_sizes: ({SAME}, SAME),
    gathered: ({ANY}, ANY),
}


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_verdicts(f) -> None:
    program, _ = core_of(f, np.ones(8))
    found = list(told(program.main))
    crossing, itself = CASES[f]
    assert {d for _, (a, b), d in found if a is b} == {itself}
    others = {d for _, (a, b), d in found if a is not b and (isinstance(a, Load) or isinstance(b, Load))}
    assert others and others <= crossing | {itself}, others


def row_above(a):
    a = a.copy()
    for i in range(1, 6):
        for j in range(6):
            a[i, j] = a[i - 1, j] + 1.0
    return a


def test_a_vector_of_distances() -> None:
    program, _ = core_of(row_above, np.ones((6, 6)))
    f = prepare(program, EmitOptions())[0].main
    (outer,) = (s for s in f.body.stmts if isinstance(s, Loop) and any(isinstance(t, Loop) for t in s.body.stmts))
    (inner,) = (s for s in outer.body.stmts if isinstance(s, Loop))
    load, store = (t for t in inner.body.stmts if isinstance(t, Load | Store))
    assert Nest(outer, inner).between(*accesses(load), *accesses(store)) == Distance((-1, 0))


# ------------------------------------------------------------------------------------------------ against runs


def crossings(run: list[Event], pair: Pair, depth: int) -> tuple[set[int], int]:
    """By how many iterations of a loop at a depth the second of two accesses came later than the first, to one cell in
    one run of the loop; and how many iterations there were."""
    first, second = ([e for e in run if e.statement is t] for t in pair)
    at: dict[object, set[int]] = {}
    for e in first:
        at.setdefault((id(e.array), e.cell, e.iteration[:depth]), set()).add(e.iteration[depth])
    apart = {
        e.iteration[depth] - k for e in second for k in at.get((id(e.array), e.cell, e.iteration[:depth]), ())
    }
    return apart, len({e.iteration[: depth + 1] for e in first})


def held(draw, seed: int) -> tuple[int, int]:
    """Of how many pairs of accesses it is said that no two iterations touch one cell, and of how many none did in a run
    that had several. What is said must be so."""
    program = draw(Seeded(seed))
    whole = Whole(program.load(), program.args, program.updates)
    if whole.errors:
        return 0, 0
    f = whole.prepared.main
    run, depth = events(whole.prepared, whole.values), depths(f)
    level = {s.index.name: depth[id(s)] for s in walk(f.body) if isinstance(s, Loop)}
    by_statement: dict[int, list[Event]] = {}
    for e in run:
        by_statement.setdefault(id(e.statement), []).append(e)
    found = possible = 0
    for s, (a, b), said in told(f):
        mine = [e for t in {id(a): a, id(b): b} for e in by_statement.get(t, ())]
        apart, times = crossings(mine, (a, b), level[s.index.name])
        match said:
            case Independent():
                assert not apart, f"{a} and {b}\n{program.text}"
            case Distance(by=(int(d),)):
                assert apart <= {d}, f"{a} and {b}: {apart} instead of {d}\n{program.text}"
        none = times > 1 and apart <= {0}
        found, possible = found + (none and not said.carried), possible + none
    return found, possible


@pytest.mark.one_in(4)
@pytest.mark.drawn
@pytest.mark.parametrize("draw", (scratch_nests, written_loops))
@pytest.mark.parametrize("seed", seeds(12))
def test_verdicts_held_in_a_run(draw, seed) -> None:
    held(draw, seed)


def test_most_of_what_is_independent_is_found() -> None:
    """What one run does says less than a proof: a cell that a condition chose might have been another one."""
    found, possible = map(sum, zip(*(held(scratch_nests, seed) for seed in range(12)), strict=True))
    assert found >= 0.8 * possible > 30, (found, possible)
