"""A core program's gradient by `linad`'s passes against dual numbers on the program itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from linad_typecheck.ir.core import Program
from linad_typecheck.ir.verify import verify
from linad_typecheck.types import Array, Scalar, is_float

from linad.pipeline import differentiate, prepare
from tests.well_formed import well_formed

from .dual import Machine, duals, parts


def arguments(program: Program, rng: np.random.Generator, size: int = 4) -> list[object]:
    """Arguments of moderate size; int parameters count few things."""
    made: list[object] = []
    for p in program.main.params:
        t = p.var.type
        shape = (size,) * t.rank if isinstance(t, Array) else ()
        if is_float(t):
            x = rng.uniform(0.3, 1.2, shape) * (0.3 if len(shape) > 1 else 1.0)
            x = x.astype(np.float32).astype(float) if t.dtype == "f32" else x
        elif t.dtype == "bool":
            x = rng.integers(0, 2, shape) > 0
        else:
            x = rng.integers(0, size, shape) if shape or isinstance(t, Array) else np.int64(3)
        made.append(np.asarray(x) if isinstance(t, Array) else x.item() if hasattr(x, "item") else x)
    return made


def fresh(values: Sequence[object]) -> list[object]:
    return [v.copy() if isinstance(v, np.ndarray) else v for v in values]


def zeros(values: Sequence[object]) -> list[object]:
    return [np.zeros(np.shape(v)) if np.ndim(v) or isinstance(v, np.ndarray) else 0.0 for v in values]


def differentiable(program: Program) -> tuple[str, ...]:
    return tuple(p.var.name for p in program.main.params if is_float(p.var.type) and p.mode != "acc")


def directions(values: Sequence[object], names: Sequence[bool]) -> Iterator[tuple[int, tuple[int, ...], list[object]]]:
    """Every single coordinate of the parameters to differentiate by."""
    for k, v in enumerate(values):
        if not names[k]:
            continue
        for at in np.ndindex(np.shape(v)):
            dots = zeros(values)
            if isinstance(v, np.ndarray):
                dots[k][at] = 1.0
            else:
                dots[k] = 1.0
            yield k, at, dots


def cotangent(x: object, k: int) -> object:
    size = int(np.size(x))
    c = np.cos(1.0 + k + np.arange(size)).reshape(np.shape(x))
    return c if isinstance(x, np.ndarray) else float(c.reshape(-1)[0])


def expected(program: Program, values: Sequence[object]) -> tuple[list[object], dict[int, object]]:
    """Results, and per parameter position the gradient of the sum of results and updated arrays with `cotangent`."""
    active = [is_float(p.var.type) and p.mode != "acc" for p in program.main.params]
    found = {k: np.zeros(np.shape(v)) for k, v in enumerate(values) if active[k]}
    plain = Machine(program).run(duals(fresh(values), zeros(values), program))
    for k, at, dots in directions(values, active):
        out = Machine(program).run(duals(fresh(values), dots, program))
        total = 0.0
        for j, (r, t) in enumerate(zip(out.results, (a.type for a in program.main.body.results), strict=True)):
            if is_float(t):
                v, d = parts(r)
                total += np.sum(np.asarray(cotangent(r, j)) * d)
        for j, p in enumerate(program.main.params):
            if p.mode in ("mut", "acc") and is_float(p.var.type):
                x = out.params[p.var.name]
                total += np.sum(cotangent(x, 100 + j) * parts(x)[1])
        found[k][at] = total
    return [parts(r)[0] for r in plain.results], found


def obtained(
    program: Program, derivative: Program, values: Sequence[object], value: bool
) -> tuple[list[object], dict[int, object]]:
    """The same by a derivative program."""
    plain = Machine(program).run(duals(fresh(values), zeros(values), program))
    types = [a.type for a in program.main.body.results]
    seeds = [cotangent(r, j) for j, (r, t) in enumerate(zip(plain.results, types, strict=True)) if is_float(t)]
    wanted = differentiable(program)
    buffers: list[tuple[int, object]] = []
    for j, p in enumerate(program.main.params):
        if isinstance(p.var.type, Array) and is_float(p.var.type):
            updated = p.mode in ("mut", "acc")
            if updated:
                buffers.append((j, cotangent(plain.params[p.var.name], 100 + j)))
            elif p.var.name in wanted:
                buffers.append((j, np.zeros(np.shape(values[j]))))
    args = [*fresh(values), *seeds, *(b for _, b in buffers)]
    given = duals(args, zeros(args), derivative)
    out = Machine(derivative).run(given)
    first = len(types) if value else 0
    results = [parts(r)[0] for r in out.results[:first]]
    scalars = [j for j, p in enumerate(program.main.params) if p.var.name in wanted and isinstance(p.var.type, Scalar)]
    assert len(out.results) == first + len(scalars)
    found = {j: np.asarray(parts(r)[0]) for j, r in zip(scalars, out.results[first:], strict=True)}
    names = [p.var.name for p in derivative.main.params][-len(buffers) :] if buffers else []
    for name, (j, _) in zip(names, buffers, strict=True):
        if program.main.params[j].mode != "acc":
            found[j] = parts(out.params[name])[0]
    return results, found


def compare(program: Program, rng: np.random.Generator, order: int = 1, size: int = 4, tolerance: float = 1e-8) -> None:
    """Every stage of the gradient of a lowered program is well formed, linear and right."""
    assert not verify(program), verify(program)
    program = prepare(program, well_formed)
    values = arguments(program, rng, size)
    results, gradient = expected(program, values)
    assume_finite(results, gradient)
    for value in (True, False):
        for everything in (False, True):
            g = differentiate(program, differentiable(program), value, well_formed, log_everything=everything)
            for stage in (g.stored, g.simplified):
                well_formed("stage", stage)
                again, found = obtained(program, stage, values, value)
                for a, b in zip(results, again, strict=False):
                    np.testing.assert_allclose(b, a, rtol=tolerance, atol=tolerance)
                for k, name in ((k, program.main.params[k].var.name) for k in gradient):
                    np.testing.assert_allclose(found[k], gradient[k], rtol=tolerance, atol=tolerance, err_msg=name)
    if order > 1:
        g = differentiate(program, differentiable(program), True)
        compare(g.simplified, rng, order - 1, size, tolerance)


class NotFinite(Exception):
    """A random program overflowed; its gradient is not compared."""


def assume_finite(results: Sequence[object], gradient: dict[int, object]) -> None:
    if not all(np.all(np.isfinite(x)) and np.all(np.abs(x) < 1e6) for x in (*results, *gradient.values())):
        raise NotFinite
