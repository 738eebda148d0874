"""Which functions of a package are tried, and with which arguments: a rule that was written down before any was tried.

1. A candidate is a public function (or the plain function of one that Numba compiles) that a module of the package defines at
   its top level, with one to six parameters without a default. Modules of tests, examples, plots, data and commands are left out.
2. Its arguments are the first that it takes, of a fixed list: all vectors, all numbers, all matrices, all lists of kinds, then
   mixtures of these; of numbers near 0.5, then of larger ones. It takes them where Python runs it on them without an error and
   without writing to them, gives finite floats, the same ones again, and where these change along a fixed direction.
3. Of what is left, those with the smallest hashes of their names are tried, at most `PER_PACKAGE` of a package.
4. Half of the packages, by the hashes of their names, are held out: only the numbers of their functions are looked at, never
   why one is refused.
"""

from __future__ import annotations

import copy
import hashlib
import importlib
import importlib.metadata
import inspect
import itertools
import pkgutil
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numpy as np

PER_PACKAGE = 10
CANDIDATES = 400  # of a package, looked at in the order of their hashes
MIXTURES = 40
SKIPPED = re.compile(r"test|example|plot|data|cli|command|script|setup|config|conftest|benchmark|__main__|gui|draw|figure|download|app", re.I)
REFUSED = re.compile(r"file|path|folder|filename|url|fname|outdir|directory", re.I)

Call = Callable[..., Any]


@dataclass(frozen=True)
class Chosen:
    """A function with arguments that it takes, and the directions in which it is differentiated."""

    name: str
    function: FunctionType
    arguments: tuple[Any, ...]


def held_out(distribution: str) -> bool:
    """Whether the refusals of a package are counted only."""
    return int(hashlib.sha256(distribution.encode()).hexdigest(), 16) % 2 == 1


def roots(distribution: str) -> list[str]:
    """The names under which a distribution is imported."""
    paths = [p for p in importlib.metadata.files(distribution) or () if p.suffix == ".py" and ".." not in p.parts]
    return sorted({p.parts[0].removesuffix(".py") for p in paths if len(p.parts) <= 1 or (len(p.parts) == 2 and p.name == "__init__.py")})


def modules(distribution: str) -> Iterator[Any]:
    """The modules of a distribution that can be imported."""
    for root in roots(distribution):
        if SKIPPED.search(root):
            continue
        package = imported(root)
        if package is None:
            continue
        yield package
        for info in pkgutil.walk_packages(getattr(package, "__path__", ()), f"{root}.", onerror=lambda name: None):
            if not SKIPPED.search(info.name[len(root) :]) and (module := imported(info.name)) is not None:
                yield module


def imported(name: str) -> Any:
    """A module; None where it needs what is not there, or leaves the program."""
    try:
        return importlib.import_module(name)
    except BaseException:  # noqa: BLE001
        return None


def candidates(distribution: str) -> list[tuple[str, FunctionType]]:
    """The functions that may be tried, in the order of their hashes."""
    found: dict[str, FunctionType] = {}
    for module in modules(distribution):
        for name, value in list(vars(module).items()):
            value = getattr(value, "py_func", value)
            if not isinstance(value, FunctionType) or name.startswith("_") or value.__module__ != module.__name__:
                continue
            if value.__name__ == name and not value.__code__.co_freevars and takes(value):
                found[f"{module.__name__}.{name}"] = value
    return sorted(found.items(), key=lambda item: hashlib.sha256(item[0].encode()).hexdigest())[:CANDIDATES]


def takes(f: FunctionType) -> int:
    """The number of its parameters without a default; 0 where it is no candidate."""
    try:
        parameters = inspect.signature(f).parameters.values()
        inspect.getsource(f)
    except (ValueError, TypeError, OSError):
        return 0
    if any(REFUSED.search(p.name) or p.name in ("self", "cls") for p in parameters):
        return 0
    bare = [p for p in parameters if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return len(bare) if len(bare) <= 6 else 0


def arguments(count: int, name: str) -> Iterator[tuple[Any, ...]]:
    """What is tried as arguments, in order."""
    seed = int(hashlib.sha256(name.encode()).hexdigest()[:8], 16)
    for low, high in ((0.2, 0.9), (2.0, 60.0)):
        draw = np.random.default_rng(seed)
        kinds: dict[str, Callable[[], Any]] = {
            "vector": lambda: draw.uniform(low, high, 6),
            "number": lambda: float(draw.uniform(low, high)),
            "matrix": lambda: draw.uniform(low, high, (4, 4)),
            "three": lambda: draw.uniform(low, high, 3),
            "four": lambda: draw.uniform(low, high, 4),
            "rows": lambda: draw.uniform(low, high, (6, 3)),
            "count": lambda: int(draw.integers(2, 4)),
        }
        for kind in kinds:
            if kind != "count":
                yield tuple(kinds[kind]() for _ in range(count))
        mixed = itertools.product(("vector", "number", "count"), repeat=count) if count > 1 else ()
        for some in itertools.islice((m for m in mixed if len(set(m)) > 1), MIXTURES):
            yield tuple(kinds[kind]() for kind in some)


def numbers(value: Any) -> list[np.ndarray] | None:
    """The float parts of a result as arrays; None where it has none, or has parts that are no numbers."""
    if isinstance(value, (tuple, list)):
        parts = [numbers(v) for v in value]
        return None if None in parts or len(parts) > 10 else [a for p in parts for a in p]
    if isinstance(value, (float, np.floating)) or (isinstance(value, np.ndarray) and value.dtype.kind == "f"):
        return [np.asarray(value, dtype=float)]
    return [] if isinstance(value, (int, np.integer, np.bool_)) or (isinstance(value, np.ndarray) and value.dtype.kind in "iub") else None


def shifted(given: tuple[Any, ...], by: float, seed: int = 1) -> tuple[Any, ...]:
    """The arguments, moved along a fixed direction."""
    return tuple(a + by * d if d is not None else a for a, d in zip(given, directions(given, seed), strict=True))


def directions(given: tuple[Any, ...], seed: int = 1) -> tuple[Any, ...]:
    """A direction for each argument that is a float."""
    draw = np.random.default_rng(seed)
    found: list[Any] = []
    for a in given:
        if isinstance(a, np.ndarray):
            found.append(draw.uniform(-1.0, 1.0, a.shape))
        else:
            found.append(float(draw.uniform(-1.0, 1.0)) if isinstance(a, float) else None)
    return tuple(found)


def value_of(f: Call, given: tuple[Any, ...]) -> list[np.ndarray] | None:
    """The finite float results of a call that leaves its arguments alone; None where there are none."""
    mine = copy.deepcopy(given)
    with np.errstate(all="ignore"):
        found = numbers(f(*mine))
    if not found or not all(np.isfinite(a).all() for a in found) or sum(a.size for a in found) > 10_000:
        return None
    return found if all(np.array_equal(a, b) for a, b in zip(given, mine, strict=True)) else None


def slope(f: Call, given: tuple[Any, ...], seed: int = 1) -> tuple[list[np.ndarray], float] | None:
    """The derivative along a direction by central differences, with how far two step sizes are apart."""
    found = []
    for h in (1e-5, 2e-6):
        ends = [value_of(f, shifted(given, by, seed)) for by in (h, -h)]
        if any(e is None for e in ends) or [a.shape for a in ends[0]] != [a.shape for a in ends[1]]:
            return None
        found.append([(a - b) / (2 * h) for a, b in zip(*ends, strict=True)])
    scale = max(1e-300, *(float(np.abs(a).max(initial=0.0)) for a in found[0]))
    error = max((float(np.abs(a - b).max(initial=0.0)) for a, b in zip(*found, strict=True)), default=0.0)
    return found[1], error / scale


def fitting(name: str, f: FunctionType) -> tuple[Any, ...] | None:
    """The first arguments that a function takes."""
    for given in arguments(takes(f), name):
        try:
            first, again = value_of(f, given), value_of(f, given)
            if first is None or again is None or not all(np.array_equal(a, b) for a, b in zip(first, again, strict=True)):
                continue
            moved = slope(f, given)
        except TimeoutError:
            return None
        except Exception:  # noqa: BLE001 - whatever a function raises on what it does not take
            continue
        if moved is not None and moved[1] < 1e-3 and any(np.abs(a).max(initial=0.0) > 1e-12 for a in moved[0]):
            return given
    return None
