"""Lists of arrays in random programs: what lowering accepts is certified and as in Python, and errors of lowering about
what a list holds are found."""

from collections.abc import Iterator
from unittest import mock

import numpy as np
import pytest
from linad_typecheck.engine import growing
from linad_typecheck.linear.check_aliases import NotLinear

from ..examples_of import seeds
from ..properties.roads import Whole
from ..sources import Seeded, Source
from ..kit import load

HEAD = """
import numpy as np

def put(h, v):
    h.append(v)

def put_twice(h, v, c):
    h.append(v)
    w = v * c
    h.append(w)
    w[0] = c
    return h

def last(h):
    return h[-1]

def bump(h, c):
    h[-1][0] += c

def scale(w, c):
    w *= c

def f(x, c, n):
    u, v, s = x * c, x + c, 0.0
    out, rows = [], []
    for i in range(n):
        u = x * (c + i)
        out.append(u)
        rows.append(v * i)
"""
END = "    return s + u @ v + out[-1].sum() + 0.5 * rows[0].sum() + len(out) * c + 0.1 * len(rows)\n"


def _statements(source: Source, depth: int) -> Iterator[str]:
    for _ in range(source.number(2, 6)):
        h, g, a, b, k = (source.pick(p) for p in (("out", "rows"),) * 2 + (("u", "v", "x"),) * 2 + (("c", "s", "1.5"),))
        if depth and source.number(0, 3) == 0:
            yield source.pick((f"if {k} > 1.0:", "for i in range(2):", "for i in range(n):"))
            yield from (f"    {line}" for line in _statements(source, depth - 1))
            continue
        a = "u" if a == "x" else a
        yield source.pick((
            f"{h}.append({b})", f"{h}.append({a})", f"{h}.append({b} * {k})", f"{a}[0] = {k}", f"{a} *= 0.5", f"{a} = {b} + {k}",
            f"{a} = {h}[-1] * 1.0", f"s += {h}[-1][0] * {k}", f"s += {a} @ {h}[0]", f"{h} = {g}.copy()", f"{h} = {g}[1:] + {g}",
            f"put({h}, {b})", f"{h} = put_twice({h}, {b}, {k})", f"s += last({h})[1]", f"{h} = {g}", f"{a} = {b} * 1.0", f"{h}.reverse()",
            f"{h}[-1] = {b} * {k}", f"{h}[0] = {a}", f"{h}[0], {h}[-1] = {h}[-1], {h}[0]", f"{a} = {h}[0]", f"{h}[n - 2] = {h}[1]",
            f"{h}[0][1] = {k}", f"{h}[-1] *= {k}", f"{h}[n - 2] += {b}", f"for w in {h}: w -= {b}", f"bump({h}, {k})",
            f"scale({h}[0], {k})", f"{h}[0], {a} = {a}, {h}[0]", f"{h} = [w for w in {h}]",
            f"s += {h}.pop()[0]", f"{h}.append({h}[0] + {a})", f"{a} = {h}.pop(0)", f"for w in {h}: s += w @ {b}", f"s += np.array({h}).sum()",
        ))  # fmt: skip


def program(seed: int) -> str:
    return HEAD + "".join(f"    {line}\n" for line in _statements(Seeded(seed), 2)) + END


def given(f) -> Whole:
    return Whole(f, (np.array([0.5, -1.0]), 1.3, 3))


def whole(seed: int) -> Whole:
    return given(load(program(seed)))


@pytest.mark.one_in(4)
@pytest.mark.drawn
@pytest.mark.parametrize("seed", seeds(12))
def test_random_programs(seed):
    found = whole(seed)
    if not found.errors:
        found.holds(thorough=False)


HELD = "    out.append(x * 1.0)\n    u[0] = 5.0\n    s += out[n - 1][0]\n"
IN_A_COPY = "    rows = out.copy()\n    u[0] = 5.0\n    s += rows[n - 1][0]\n"
BY_A_HELPER = "    put(out, v)\n    v[0] = 5.0\n    s += out[n][0]\n"
TAKEN = "    w = out.pop()\n    u[0] = 5.0\n    s += w[0]\n"


@pytest.mark.parametrize("lines", [HELD, IN_A_COPY, BY_A_HELPER, TAKEN])
def test_an_array_that_lowering_forgets_is_found(lines):
    f = load(HEAD + lines + END)
    assert any("LIN10" in e for e in given(f).errors)
    with mock.patch.object(growing, "join_aliases", lambda ctx, *names: None), pytest.raises(NotLinear):
        given(f).errors  # noqa: B018 - which checks it
