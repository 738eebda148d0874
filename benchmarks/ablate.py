"""What each optimisation pass is worth: every program with every pass switched off, one at a time.

A pass that changes nothing on the way, or whose absence leaves the generated text as it is, has nothing to do in a
program. Otherwise the code without it is compiled, its gradient is compared with the one of all passes, and both are
timed in turns, in one process.
"""

from __future__ import annotations

import contextlib
import math
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import numpy as np
from jaxtyping import Float64

from benchmarks import everyday
from benchmarks.suite import problems
from benchmarks.timing import least
from benchmarks.unseen import cases

Vector = Float64[np.ndarray, "n"]
EXAMPLES = Path(__file__).parents[1] / "examples"
WORTH = 0.03  # of the time of a gradient: less is not told from noise
AGREE = 1e-6
ROUNDS = 25


@dataclass(frozen=True)
class Program:
    """A function, its arguments, and the parameters that it is differentiated by."""

    name: str
    function: Callable
    args: tuple
    wrt: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Row:
    """A program without a pass, over the program with all: time of value and gradient, time to compile, bytes of object
    code. All are 1 where the pass changes nothing."""

    name: str
    program: str
    time: float = 1.0
    compiling: float = 1.0
    size: float = 1.0
    changed: bool = False


@dataclass
class Built:
    """The gradient of a program without some passes: its text, and after `compile` the seconds and bytes of that."""

    program: Program
    off: tuple[str, ...]
    text: str = ""
    seconds: float = 0.0
    size: int = 0

    def __post_init__(self) -> None:
        from linad import derive, linear_grad
        from linad.codegen import emit

        self.f = linear_grad(self.program.function, wrt=self.program.wrt, passes=dict.fromkeys(self.off, False))
        s = self.f.specialisation(self.program.args)
        values = derive.flat_values(s, self.program.args)
        request = ((derive.wanted(s.signature, self.program.wrt).leaves, True),)
        self.kernel = s.kernel(request, values)
        self.text = emit(s.program(request, s.version(values).sizes), s._wanted(request, "hoisted")).source

    def compile(self) -> None:
        """Everything from the checked function to machine code."""
        began = process_time()
        loaded = self.kernel.build("hoisted")
        self.seconds = process_time() - began
        self.size = sum(len(c.library.serialize_using_object_code()[2][0]) for c in loaded.driver.overloads.values())

    def run(self) -> tuple:
        """The value and the gradient."""
        return self.f.value_and_grad(*self.program.args)


def programs() -> dict[str, Program]:
    """All that is measured, by name: the suite, the everyday programs, those that no pass was written for, the examples,
    and two styles that none of them is written in."""
    found = [Program(f"suite.{p.name}", p.function, p.args, p.wrt) for p in problems.large()]
    found += [Program(f"everyday.{name}", everyday.function(name), args) for name, args in everyday.arguments().items()]
    found += [Program(f"unseen.{name}", cases.function(name), args) for name, args in cases.arguments().items()]
    rng = np.random.default_rng(0)
    found += [Program("styles.switch", switch, (rng.random(1000), 0.3, 50, True))]
    found += [Program("styles.ring", ring, (rng.random(1000), 0.3, 50))]
    return {p.name: p for p in (*found, *examples())}


def switch(u0: Vector, c: float, steps: int, upwind: bool) -> float:
    """Advection by one of two schemes, which a flag chooses in the innermost loop."""
    u, v = u0.copy(), u0.copy()
    for _ in range(steps):
        for i in range(1, len(u) - 1):
            if upwind:
                v[i] = u[i] - c * (u[i] - u[i - 1])
            else:
                v[i] = u[i] - 0.5 * c * (u[i + 1] - u[i - 1])
        u, v = v, u
    return np.sum(u * u)


def ring(u0: Vector, c: float, steps: int) -> float:
    """Reaction and diffusion on a ring, whose ends are joined by `if`."""
    u, n = u0.copy(), len(u0)
    for _ in range(steps):
        v = u.copy()
        for i in range(n):
            if i == n - 1:
                right = 0
            else:
                right = i + 1
            if i == 0:
                left = n - 1
            else:
                left = i - 1
            v[i] = u[i] + c * (u[right] - 2 * u[i] + u[left]) * u[i]
        u = v
    return np.sum(u * u)


def examples() -> Iterator[Program]:
    """The examples that are not in the suite."""
    if str(EXAMPLES) not in sys.path:
        sys.path.insert(0, str(EXAMPLES))
    import heat_model
    import kalman_model

    rng = np.random.default_rng(0)
    side, steps, spots = 48, 40, 3
    states = rng.normal(size=(2, spots, side, side))
    plate = (rng.normal(size=(side, side)), *states, 0.07, steps, 0.01, 12.0)
    yield Program("examples.heat", heat_model.misfit.py_func, plate, ("log_k",))
    nile = kalman_model.Walk(6.0, 9.0), rng.normal(size=(200, 1))
    yield Program("examples.local_level", kalman_model.local_level.py_func, nile, ("theta",))
    swing = kalman_model.Swing(0.5, -1.0, 0.3, -2.0, -3.0), rng.normal(size=(200, 2)), 0.1
    yield Program("examples.swing", kalman_model.swing_likelihood.py_func, swing, ("theta",))


def passes() -> tuple[str, ...]:
    """The passes that can be switched off."""
    from linad.codegen.passes import all_passes

    return tuple(name for name, p in all_passes().items() if not p.required)


def chosen(wanted: Sequence[str] | None, known: Iterable[str], what: str) -> tuple[str, ...]:
    """Those that are wanted, in their order; all where none is named. A name may end before its last dot: ``suite``.

    Raises
    ------
    ValueError
        Where one is not known.
    """
    known = tuple(known)
    if not wanted:
        return known
    for name in wanted:
        if not any(name in (k, k.partition(".")[0]) for k in known):
            raise ValueError(f"there is no {what} {name}: there are {', '.join(known)}")
    return tuple(k for k in known if k in wanted or k.partition(".")[0] in wanted)


def measure(names: Sequence[str] | None = None, off: Sequence[str] | None = None) -> Iterator[Row]:
    """Each program, without each pass in turn."""
    from linad import release_memory

    known = programs()
    with own_cache():
        warm_up()
    for name in chosen(names, known, "program"):
        with own_cache():
            yield from without_each(known[name], chosen(off, passes(), "pass"))
        release_memory()


def warm_up() -> None:
    """Compile something, so that what the first compilation of a process takes longer is no program's."""

    def square(x: float) -> float:
        return x * x

    Built(Program("square", square, (1.0,)), ()).compile()


def without_each(program: Program, off: Sequence[str]) -> list[Row]:
    """The rows of one program."""
    with noted() as acting:
        whole = Built(program, ())
    whole.compile()
    expected = tuple(leaves(whole.run()))
    different: dict[str, Built] = {}
    for name in off:
        if name not in acting:
            continue
        built = Built(program, (name,))
        if built.text != whole.text:
            built.compile()
            pairs = zip(leaves(built.run()), expected, strict=True)
            if not all(np.allclose(a, b, rtol=AGREE, atol=AGREE) for a, b in pairs):
                raise AssertionError(f"{program.name} without {name}: another value or gradient")
            different[name] = built
    times = least({"": whole.run, **{name: b.run for name, b in different.items()}}, ROUNDS)
    return [
        Row(name, program.name, times[name] / times[""], b.seconds / whole.seconds, b.size / whole.size, True)
        if (b := different.get(name))
        else Row(name, program.name)
        for name in off
    ]


@contextlib.contextmanager
def noted() -> Iterator[set[str]]:
    """The names of the passes that change a program meanwhile."""
    from linad.optimise.pass_manager import Pass

    found: set[str] = set()
    run = Pass.__call__

    def noting(self, program, facts, settled=None):
        made = run(self, program, facts, settled)
        if made[0] != program:
            found.add(self.name)
        return made

    Pass.__call__ = noting  # type: ignore[method-assign]
    try:
        yield found
    finally:
        Pass.__call__ = run  # type: ignore[method-assign]


def leaves(x: object) -> Iterator[object]:
    """The numbers and arrays of nested tuples."""
    if isinstance(x, tuple):
        for part in x:
            yield from leaves(part)
    else:
        yield x


@contextlib.contextmanager
def own_cache() -> Iterator[None]:
    """Nothing is compiled yet, and what is compiled is kept as it would be for a user."""
    before = os.environ.get("LINAD_CACHE_DIR")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LINAD_CACHE_DIR"] = folder
        try:
            yield
        finally:
            os.environ.pop("LINAD_CACHE_DIR")
            if before is not None:
                os.environ["LINAD_CACHE_DIR"] = before


# ------------------------------------------------------------------------------------------------------------- table


def mean(values: Iterable[float]) -> float:
    """The geometric mean."""
    logs = [math.log(v) for v in values]
    return math.exp(sum(logs) / len(logs)) if logs else 1.0


def summary(rows: list[Row]) -> list[str]:
    """A line for each pass, those first that the most programs are slower without."""
    lines: list[tuple[tuple, str]] = []
    for name in dict.fromkeys(r.name for r in rows):
        mine = [r for r in rows if r.name == name and r.changed]
        slower, faster = [r for r in mine if r.time > 1 + WORTH], [r for r in mine if r.time < 1 - WORTH]
        most = max(mine, key=lambda r: r.time, default=None)
        where = f"{most.time:.2f} ({most.program})" if most in slower else ""
        cells = (name, str(len(mine)), str(len(slower)), str(len(faster)), where, *(f"{mean(v):.2f}" for v in (
            (r.time for r in mine), (r.compiling for r in mine), (r.size for r in mine))))  # fmt: skip
        lines.append(((-len(slower), -len(mine)), f"| {' | '.join(cells)} |"))
    return [line for _, line in sorted(lines)]


def table(rows: list[Row]) -> str:
    """The passes, and every program that one of them changes."""
    names = {r.program for r in rows}
    changed = sorted((r for r in rows if r.changed), key=lambda r: (r.name, -r.time))
    return "\n".join([
        "## Each pass switched off", "",
        f"{len({r.name for r in rows})} passes, {len(names)} programs: value and gradient without the pass over value "
        f"and gradient with all, the least of {ROUNDS} batches of 4 ms, in turns. More than 1 is what the pass gains. "
        "Means are geometric, over the programs that the pass changes; slower and faster are those that change by more "
        f"than {WORTH:.0%}.", "",
        "| pass | programs changed | slower without | faster without | most | time | time to compile | machine code |",
        "|:---|---:|---:|---:|:---|---:|---:|---:|", *summary(rows), "",
        "| without | program | time | time to compile | machine code |", "|:---|:---|---:|---:|---:|",
        *(f"| {r.name} | {r.program} | {r.time:.2f} | {r.compiling:.2f} | {r.size:.2f} |" for r in changed),
    ]) + "\n"  # fmt: skip
