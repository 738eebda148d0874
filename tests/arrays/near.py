"""One expression of arrays held against NumPy: value, dtype, shape, exception; and its gradient against differences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from linad import oracle
from linad.pipeline import differentiate
from tests.properties.roads import Whole, fresh
from tests.kit import load

HEAD = "import numpy as np\nimport scipy.special as sp\n\n\n"


def program(body: str, names: str, before: str = ""):
    """The function ``f`` of the parameters ``names``: ``body`` is an expression, or statements that return."""
    lines = body.splitlines() if "return " in body else [f"return {body}"]
    return load(f"{HEAD}{before}def f({', '.join(names)}):\n" + "".join(f"    {line}\n" for line in lines))


def parts(x: Any) -> Iterator[Any]:
    if isinstance(x, (tuple, list)):
        for p in x:
            yield from parts(p)
    elif x is not None:
        yield x


def refusals(body: str, *args: Any) -> list[str]:
    """What the checker has to say against a program."""
    return Whole(program(body, "xyzw"[: len(args)]), args).errors


def check(body: str, *args: Any, smooth: bool = True, before: str = "") -> None:
    """The program does what NumPy does; ``smooth`` asks for its gradient as well."""
    f = program(body, "xyzw"[: len(args)], before)
    whole = Whole(f, args)
    assert not whole.errors, f"{body}: {whole.errors}"
    with np.errstate(all="ignore"):
        wanted = oracle.attempt(lambda: f(*fresh(args)))
        got = oracle.attempt(lambda: whole.run(whole.prepared)[0])
    assert type(wanted.error) is type(got.error), f"{body}: NumPy {wanted.error!r}, linad {got.error!r}"
    if "zero-size" in str(wanted.error) or "empty" in str(wanted.error):
        assert str(wanted.error) == str(got.error)
    if wanted.error:
        return
    single = any(np.asarray(p).dtype == np.float32 for p in parts(wanted.value))
    for a, b in zip(parts(wanted.value), parts(got.value), strict=True):
        a, b = np.asarray(a), np.asarray(b)
        assert (a.dtype, a.shape) == (b.dtype, b.shape), f"{body}: NumPy {a.dtype} {a.shape}, linad {b.dtype} {b.shape}"
        np.testing.assert_allclose(b, a, rtol=1e-4 if single else 1e-11, atol=1e-5 if single else 1e-12, err_msg=body)
    if smooth:
        gradient(whole, f, args, body)


def gradient(whole: Whole, f: Any, args: tuple[Any, ...], body: str) -> None:
    wrt = whole.active()
    if not wrt or not whole.seeds():
        return
    seeds = [np.asarray(s, dtype=float) for s in whole.seeds()]
    program = differentiate(whole.prepared, wrt, False).simplified
    found = whole.gradient(program, wrt, False)[1]
    for k, (name, x) in enumerate(zip((p.var.name for p in whole.prepared.main.params), args, strict=True)):
        if name not in wrt:
            continue
        cells = np.asarray(x, dtype=float)
        expected = np.zeros_like(cells)
        for index in np.ndindex(cells.shape):

            def at(step: float, index=index, k=k, cells=cells, x=x) -> float:
                moved = cells.copy()
                moved[index] += step
                given = [*args[:k], moved if isinstance(x, np.ndarray) else float(moved), *args[k + 1 :]]
                out = [np.asarray(p) for p in parts(f(*fresh(given)))]
                return sum(float(np.sum(s * p)) for s, p in zip(seeds, (p for p in out if p.dtype.kind == "f"), strict=True))

            expected[index] = (at(1e-6) - at(-1e-6)) / 2e-6
        scale = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
        np.testing.assert_allclose(found[name], expected, rtol=3e-5, atol=3e-5 * scale, err_msg=f"{body}, by {name}")


