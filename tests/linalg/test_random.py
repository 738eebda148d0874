"""Random programs on matrices: loops, arms, updates in place and whole-matrix statements in any order."""

import linecache

import numpy as np
import pytest
from linad_typecheck.check import check
from linad_typecheck.ir.verify import verify
from linad_typecheck.signature import ArgType
from linad_typecheck.source import SourceFile
from linad_typecheck.names.modules import StaticModule
from linad_typecheck.types import Array

from linad import interpret
from linad.pipeline import differentiate, prepare
from tests.well_formed import well_formed
from tests.examples_of import seeds

from .running import differences, fresh

MENU = [
    "{m} = {m} @ {o}",
    "{m} = {o} @ {m}.T + {m}",
    "{m} = np.linalg.solve(2.0 * np.eye(3) + 0.1 * {o}, {m})",
    "v = np.linalg.solve(2.0 * np.eye(3) + 0.1 * {m}, v)",
    "v = {m} @ v * 0.5",
    "{m}[{i}, {j}] = np.sin({o}[{j}, {i}])",
    "{m}[{i}, {j}] += v[{i}] * {o}[{i}, {i}]",
    "s += np.linalg.det({m}) * 0.1",
    "s += v @ v",
    "v[{i}] = s * 0.1",
    "p, q = q, p",
    "{m} = np.linalg.inv(2.0 * np.eye(3) + 0.1 * {o}) + {m}",
    "k = k % 3 + 1",  # the sizes of what comes next are not known before
    "s += np.linalg.det({m}[:k, :k] @ {o}[:k, :k]) * 0.1 + np.sum({m}[:k] @ {o} @ {m})",
]


def program(rng: np.random.Generator) -> str:
    lines = ["import numpy as np", "", "", "def f(a, b, c):", "    p = a.copy()", "    q = b.copy()", "    v = c.copy()", "    s = 0.0", "    k = 2"]

    def statements(depth: int, pad: str) -> None:
        for _ in range(int(rng.integers(2, 5))):
            kind = rng.integers(0, 9) if depth < 2 else 9
            if kind == 0:
                lines.append(f"{pad}for t{depth} in range({rng.integers(1, 4)}):")
                statements(depth + 1, pad + "    ")
            elif kind == 1:
                lines.append(f"{pad}if v[{rng.integers(0, 3)}] > {rng.uniform(-0.5, 0.5):.2f}:")
                statements(depth + 1, pad + "    ")
                if rng.integers(0, 2):
                    lines.append(f"{pad}else:")
                    statements(depth + 1, pad + "    ")
            else:
                m, o = rng.permutation(["p", "q"])
                text = MENU[rng.integers(0, len(MENU))].format(m=m, o=o, i=rng.integers(0, 3), j=rng.integers(0, 3))
                lines.append(pad + (text if depth == 0 or "p, q" not in text else "s += p[0, 0] * q[1, 1]"))

    statements(0, "    ")
    lines.append("    return s + np.linalg.norm(p) + p[0, 0] * q[1, 2] + v @ v")
    return "\n".join(lines) + "\n"


@pytest.mark.one_in(6)
@pytest.mark.drawn
@pytest.mark.parametrize("seed", seeds(6))
def test_gradients(seed):
    rng = np.random.default_rng(seed)
    text = program(rng)
    name = f"random_{seed}.py"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space: dict = {}
    exec(compile(text, name, "exec"), space)
    args = [rng.normal(size=(3, 3)) * 0.5, rng.normal(size=(3, 3)) * 0.5, rng.normal(size=3)]
    types = [ArgType(Array("f64", a.ndim)) for a in args]
    source = StaticModule(SourceFile(name, text)).scope.lookup("f").function
    done = check(source, dict(zip("abc", types, strict=True)))
    errors = [d.message for d in done.diagnostics if d.severity == "error"]
    assert not errors, (errors, text)
    assert not verify(done.program)
    ready = prepare(done.program, well_formed)
    wanted = float(space["f"](*fresh(args)))
    assert float(interpret.run(ready, args).results[0]) == pytest.approx(wanted, rel=1e-9)
    if abs(wanted) > 1e12:  # matrices multiplied until steps of differences say nothing
        return
    expected = differences(space["f"], args)
    scale = max(1.0, *(float(np.abs(e).max()) for e in expected))
    for everything in (False, True):
        reverse = differentiate(ready, ("a", "b", "c"), True, well_formed, everything).simplified
        bars = [np.zeros_like(a) for a in args]
        interpret.run(reverse, [*fresh(args), np.float64(1.0), *bars], in_place=True)
        for found, e in zip(bars, expected, strict=True):
            np.testing.assert_allclose(found, e, rtol=1e-5, atol=1e-6 * scale, err_msg=text)
