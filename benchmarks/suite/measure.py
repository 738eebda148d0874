"""Times of the suite, in turns, after its results were found to agree."""

from __future__ import annotations

import shutil
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.util import find_spec

from benchmarks.suite import against, memory, native
from benchmarks.suite.gradients import C, C_PRIMAL, LINAD, PRIMAL, agree, buffers, linad_gradient
from benchmarks.suite.problems import Problem, decorated, large, small
from benchmarks.timing import engineering, least

PEERS = ("JAX", "PyTorch")


@dataclass(frozen=True)
class Row:
    """One problem: seconds of linad and C, logged words, other tools over linad, and megabytes that one call added."""

    problem: Problem
    times: dict[str, float]
    words: int  # of linad's logs
    peers: dict[str, float | str] = field(default_factory=dict)  # the time over that of linad, or why there is none
    memory: dict[str, float] = field(default_factory=dict)

    @property
    def ratio(self) -> float:
        """Gradient over primal, both by linad."""
        return self.times[LINAD] / self.times[PRIMAL]

    def over(self, contender: str, of: str = LINAD) -> float | None:
        """The time of one contender over that of another."""
        return self.times[of] / self.times[contender] if contender in self.times else None


def table(rows: list[Row]) -> str:
    """The rows as Markdown, with the medians of the ratios."""

    def ratio(value: float | None) -> str:
        return "" if value is None else f"{value:.2f}"

    lines, columns = [], {"gradient": [r.ratio for r in rows], C: [q for r in rows if (q := r.over(C)) is not None]}
    for row in rows:
        shown = [engineering(row.times[name]) if name in row.times else "" for name in (PRIMAL, LINAD, C_PRIMAL, C)]
        cells = [row.problem.title, *shown, f"**{row.ratio:.2f}**", ratio(row.over(C)), ratio(row.over(C_PRIMAL, C))]
        found = [row.peers.get(name) for name in PEERS]
        lines.append([*cells, *(q if isinstance(q, str) else ratio(q) for q in found), f"{row.words:,}"])
    middle = [f"{statistics.median(v):.2f}" if v else "" for v in columns.values()]
    lines.append(["median", "", "", "", "", f"**{middle[0]}**", middle[1], *[""] * 4])
    headings = ["problem", "primal", "gradient", "primal in C", "adjoint in C", "gradient / primal", "gradient / adjoint in C"]
    headings += ["C: adjoint / primal", "JAX / linad", "PyTorch / linad", "log words (small size)"]
    rule = "|" + "|".join([":---"] + ["---:"] * (len(headings) - 1)) + "|"
    return "\n".join(["| " + " | ".join(headings) + " |", rule, *("| " + " | ".join(c) + " |" for c in lines)])


def memory_table(rows: list[Row]) -> str:
    """The peaks as Markdown."""
    tools = [t for t in (LINAD, C, *PEERS) if any(t in r.memory for r in rows)]
    lines = [[r.problem.title, *(f"{r.memory[t]:.1f}" if t in r.memory else "" for t in tools)] for r in rows]
    head = ["| " + " | ".join(["problem", *tools]) + " |", "|" + "|".join([":---"] + ["---:"] * len(tools)) + "|"]
    return "\n".join([*head, *("| " + " | ".join(c) + " |" for c in lines)])


def versions() -> str:
    """The other tools that take part."""
    return ", ".join(f"{p} {version(p)}" for p in ("jax", "torch") if find_spec(p) is not None) or "no JAX, no PyTorch"


def whole(rows: list[Row]) -> str:
    """The section of the documents."""
    return "\n\n".join([
        "## Suite",
        f"Value and gradient of {len(rows)} programs (`benchmarks/suite`), on one core; {versions()}. All contenders were "
        "found to agree before they were timed. The primal is the program compiled by linad; C is by hand, gcc -O3 "
        "-march=native -ffast-math, with its memory given to it; JAX is jitted and vectorised, PyTorch eager and "
        "vectorised. Times are the least of a hundred batches of 4 ms, in turns: linad and C in one process, and for each "
        "problem JAX, PyTorch and linad in another one, as their threads and memory disturb the others. Log words are "
        "what linad keeps for the reverse sweep on the small size that the tests use.",
        table(rows),
        "Peak memory: the megabytes that one value and gradient adds at its highest, each in a process of its own that has its "
        "inputs and has been compiled and warmed up (a tenth or two of each number is the process itself). The gradient is "
        "counted where the tool makes it: linad and C are given buffers.",
        memory_table(rows),
    ]) + "\n"  # fmt: skip


def counterpart(problem: Problem) -> Problem:
    """The same problem in the size that is counted."""
    return next(p for p in small() if p.name == problem.name)


def log_words(problem: Problem) -> int:
    """Words that linad's gradient keeps for the way back."""
    from linad.cost import cost

    return cost(decorated(problem.function, problem.wrt), *problem.args).log_words


def measure(problems: tuple[Problem, ...] | None = None) -> Iterator[Row]:
    """Each problem in turn."""
    compiler = shutil.which("gcc")
    for problem in problems or large():
        f, args = decorated(problem.function, problem.wrt), problem.args
        calls: dict[str, Callable[[], object]] = {
            PRIMAL: lambda f=f, args=args: f(*args),
            LINAD: linad_gradient(problem, buffers(problem)),
        }
        if compiler:
            agree(problem)
            calls |= {C_PRIMAL: native.primal(problem), C: native.gradient(problem, buffers(problem))}
        beside = against.of(problem)
        tools = [*calls, *(name for name, found in beside.items() if not isinstance(found, str))]
        yield Row(problem, least(calls), log_words(counterpart(problem)), beside, memory.of(problem, tools))
