"""What a read, and an update, of one cell costs: in place, and purely with `delta_vec` (`update="pure"`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks import programs
from benchmarks.timing import seconds, slope

SIZES = (100, 1_000, 10_000, 100_000, 1_000_000)
LONGEST = 2.0                                   # seconds one gradient may take; the pure version of a loop is quadratic
MOST_STEPS = 6e6                                # the interpreter that counts steps is slow, and exact


def _inputs(n: int) -> tuple[np.random.Generator, np.ndarray]:
    rng = np.random.default_rng(n)
    return rng, rng.random(n)


def _cell(n: int) -> tuple:
    return _inputs(n)[1], n // 2


def _vector(n: int) -> tuple:
    return (_inputs(n)[1],)


def _indices(n: int) -> tuple:
    rng, v = _inputs(n)
    return v, rng.integers(0, n // 4, n)


CASES: tuple[tuple[Callable[..., float], Callable[[int], tuple]], ...] = (
    (programs.read_one, _cell),
    (programs.gather, _indices),
    (programs.sum_loop, _vector),
    (programs.prefix_sums, _vector),
    (programs.relaxation, _vector),
)


@dataclass(frozen=True)
class Curve:
    """One program in one way: seconds and, where they were counted, steps of a gradient for each size."""

    program: str
    update: str
    sizes: tuple[int, ...]
    times: tuple[float, ...]
    steps: tuple[int | None, ...]

    @property
    def time_slope(self) -> float:
        return slope(self.sizes, self.times)

    @property
    def step_slope(self) -> float:
        counted = [(n, s) for n, s in zip(self.sizes, self.steps) if s is not None]
        return slope([n for n, _ in counted], [s for _, s in counted])


def measure(sizes: tuple[int, ...] = SIZES) -> Iterator[Curve]:
    """Every program in both ways; both are checked to give one gradient, at the smallest size."""
    from linad import linear_grad

    for program, inputs in CASES:
        in_place, pure = linear_grad(program), linear_grad(update="pure")(program)
        small = inputs(sizes[0])
        if not np.allclose(in_place.grad(*small), pure.grad(*small), rtol=1e-12, atol=1e-300):
            raise AssertionError(f"{program.__name__}: the pure gradient differs from the one in place")
        for update, f in (("in-place", in_place), ("pure", pure)):
            yield _curve(str(program.__doc__).rstrip("."), update, f, inputs, sizes)


def _curve(title: str, update: str, f, inputs: Callable[[int], tuple], sizes: tuple[int, ...]) -> Curve:
    done: list[int] = []
    times: list[float] = []
    steps: list[int | None] = []
    for n in sizes:
        growth = 100.0 if len(times) < 2 else max(10.0, times[-1] / times[-2])
        if update == "pure" and times and times[-1] * growth > LONGEST:
            break
        arguments = inputs(n)
        buffer = np.zeros(n)
        times.append(seconds(lambda: f.vjp_into(1.0, *arguments, into=buffer)))
        done.append(n)
        steps.append(count(f, arguments) if _countable(steps) else None)
    return Curve(title, update, tuple(done), tuple(times), tuple(steps))


def _countable(steps: list[int | None]) -> bool:
    """Whether the next size, ten times the last, can be counted in a reasonable time, judged by the growth so far."""
    match steps:
        case []:
            return True
        case [*_, None]:
            return False
        case [*_, int(before), int(last)]:
            return last * max(1.0, last / before) <= MOST_STEPS
        case _:
            return True


def count(f, arguments: tuple) -> int:
    """Steps of value and gradient of the program that is compiled, counted by the reference interpreter."""
    from linad.derive import wanted
    from linad.interpret import run

    specialised = f.specialisation(arguments)
    leaves = wanted(specialised.signature, f.options.wrt).leaves
    buffers = [np.zeros_like(arguments[k]) for k in leaves]
    return run(specialised.program(((leaves, True),)), [*arguments, 1.0, *buffers]).work
