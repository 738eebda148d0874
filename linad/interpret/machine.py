"""Execution of the core. Each block is translated once to one closure per statement; each call keeps its values in a
dictionary.

Statements of fixed cost are counted per execution of their block; costs that depend on sizes are added as they occur. A
move rebinds a name. This implements value semantics provided that an array has a single live name when it is updated,
which the linear checker proves.
"""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from operator import itemgetter
from types import MappingProxyType
from typing import NoReturn

import numpy as np
from linad_typecheck.ir.core import (
    AddArray,
    AddTo,
    Alloc,
    Atom,
    Block,
    Call,
    Check,
    Const,
    Copy,
    Dense,
    Dim,
    Drop,
    Dup,
    Fill,
    Function,
    If,
    Let,
    Load,
    Loop,
    Program,
    Read,
    Reserve,
    Stmt,
    Store,
    Var,
)
from linad_typecheck.span import Span
from linad_typecheck.types import FLOATS, INTS, LIMITS, SIGNED, Scalar

from linad.analysis.accesses import AccessKind, accesses

from .counting import Tally, kind_of, totals
from .dense import perform
from .logs import Log, as_log
from .outcome import WEIGHTS, CoreError, CoreFault, StepLimit
from .scalars import DTYPES, RULES, cast

RECURSION_LIMIT = 1000
_MAX_WORDS = 1 << 28


class Env(dict[str, object]):
    """The values of a call, by name."""

    def __missing__(self, name: str) -> NoReturn:
        raise CoreFault(f"{name} is used before its definition or after its drop")


Action = Callable[[Env], None]
# called after each execution of a loop with the environment, the trip count and the cost
After = Callable[[Env, int, int], None]
Record = Callable[["Event"], None]

# The contents of an array allocated without a fill, chosen so that a use of them shows in the result.
_POISON = {
    d: np.nan if d in FLOATS else LIMITS[d][1] // 2 * (-1 if d in SIGNED else 1) if d in INTS else True for d in DTYPES
}


def _poison(dtype: np.dtype) -> object:
    return next(_POISON[name] for name, t in DTYPES.items() if np.dtype(t) == dtype)


@dataclass(frozen=True, slots=True)
class Event:
    """An array access that a statement is about to make.

    ``cell`` is None if it accesses all cells; ``iteration`` holds the iteration number of each enclosing loop.
    """

    statement: Stmt
    array: np.ndarray
    cell: tuple[int, ...] | None
    kind: AccessKind
    iteration: tuple[int, ...]


class _Allocated(weakref.ref):
    """An array that has not been freed."""

    __slots__ = ("key", "size")


class Machine:
    """A program compiled to closures, and the state of one run: its counts and the words that are live."""

    def __init__(
        self,
        program: Program,
        limit: int | None,
        after: Mapping[int, After] = MappingProxyType({}),
        record: Record | None = None,
    ) -> None:
        self.program, self.after, self.record = program, after, record
        self.tallies: list[Tally] = []
        self.words: Counter[str] = Counter()
        self.compiled: dict[str, Callable[[Sequence[object]], tuple[object, ...]]] = {}
        self.start(limit)

    def start(self, limit: int | None) -> None:
        """Prepare for a run: reset all counts."""
        self.limit = limit
        self.counts: Counter[str] = Counter()
        self.executed = 0
        self.iterations: list[int] = []  # iteration numbers of the running loops, if accesses are recorded
        self.frames: list[Env] = []
        self.live = self.peak = self.kept = 0
        self.fills: dict[int, tuple[object, _Allocated]] = {}
        self.allocated: dict[int, _Allocated] = {}
        for tally in self.tallies:
            tally.times = 0
            tally.words.clear()

    # --------------------------------------------------------------------------------------------------- arrays

    def made(self, array: np.ndarray, fill: object = None) -> np.ndarray:
        """Account for a new array until it is freed."""
        ref = _Allocated(array, self._freed)
        ref.key, ref.size = id(array), array.size
        self.live += ref.size
        self.peak = max(self.peak, self.live)
        self.fills[ref.key] = fill, ref
        self.allocated[id(ref)] = ref
        return array

    def _freed(self, ref: _Allocated) -> None:
        if self.allocated.pop(id(ref), None) is None:
            return  # an array of an earlier run
        self.live -= ref.size
        if self.fills.get(ref.key, (None, None))[1] is ref:  # another array may have been allocated at the same address
            del self.fills[ref.key]

    def reserve(self, array: np.ndarray, wanted: int) -> None:
        """Grow a log that is too short: replace it with a longer one in every frame that holds or borrows it."""
        old = array.size
        if wanted <= old:
            return
        fill, _ = self.fills.get(id(array), (None, None))
        longer = np.full(max(wanted, 2 * old), _poison(array.dtype) if fill is None else fill, array.dtype)
        longer[:old] = array
        longer = as_log(longer, array.kind if type(array) is Log else "no", array)
        self.counts["copy"] += old
        if fill is not None:
            self.counts["alloc"] += longer.size - old
        self.live -= old  # the peak counts a log as if it grew in place
        self.made(longer, fill)
        self.live += old
        for env in self.frames:
            for name, value in env.items():
                if value is array:
                    env[name] = longer

    def totals(self) -> dict[str, int]:
        """Executed primitives by kind, so far."""
        return totals(self.counts, self.tallies)

    def work(self) -> int:
        """The cost so far."""
        return sum(WEIGHTS[k] * n for k, n in self.totals().items())

    def recount(self, log: Log, primal: str, kind: str) -> None:
        """Count an access to a log as ``kind`` instead of ``primal``. Slices count as ordinary arrays."""
        if log.kind != "slices":
            self.counts[primal] -= 1
            self.counts[kind] += 1

    # ------------------------------------------------------------------------------------------------ functions

    def function(self, name: str) -> Callable[[Sequence[object]], tuple[object, ...]]:
        if name not in self.compiled:
            self.compiled[name] = self._compile(self.program.functions[name])
        return self.compiled[name]

    def _compile(self, f: Function) -> Callable[[Sequence[object]], tuple[object, ...]]:
        names = [p.var.name for p in f.params]
        body: list[Callable[[Env], tuple[object, ...]]] = []

        def call(args: Sequence[object]) -> tuple[object, ...]:
            if not body:
                body.append(self.block(f.body))
            if len(self.frames) >= RECURSION_LIMIT:
                raise CoreError("RecursionError", "maximum recursion depth exceeded", f.span)
            env = Env(zip(names, args, strict=True))
            self.frames.append(env)
            try:
                return body[0](env)
            finally:
                self.frames.pop()

        return call

    def action(self, s: Stmt, tally: Tally) -> Action:
        self.words = tally.words  # of the enclosing block
        action = _ACTIONS[type(s)](self, s)
        return action if self.record is None else self.recorded(s, action)

    def recorded(self, s: Stmt, action: Action) -> Action:
        """Wrap an action so that it records its accesses first, except those out of range."""
        made = [(_get(a.array), None if a.index is None else _cells(a.index), a.kind) for a in accesses(s)]

        def do(env: Env) -> None:
            for array, index, kind in made:
                a: np.ndarray = array(env)  # type: ignore[assignment]
                at = None if index is None else index(env)
                if at is None or all(0 <= i < n for i, n in zip(at, a.shape, strict=True)):
                    self.record(Event(s, a, at, kind, tuple(self.iterations)))  # type: ignore[misc]
            action(env)

        return do if made else action

    def block(self, block: Block) -> Callable[[Env], tuple[object, ...]]:
        tally = Tally(id(block), Counter(kind for s in block.stmts if (kind := kind_of(s))))
        self.tallies.append(tally)
        actions = [self.action(s, tally) for s in block.stmts]
        results = _all(block.results)
        steps = len(actions) + 1
        made = [s.out.name for s in block.stmts if isinstance(s, Alloc | Copy)]

        def execute(env: Env) -> tuple[object, ...]:
            tally.times += 1
            self.executed += steps
            if self.limit is not None and self.executed > self.limit:
                raise StepLimit(f"more than {self.limit} statements")
            for action in actions:
                action(env)
            values = results(env)
            for name in made:  # these names are local to the block
                env.pop(name, None)
            return values

        return execute


def _get(a: Atom) -> Callable[[Env], object]:
    if isinstance(a, Const):
        value = typed(a.value, a.type)
        return lambda env: value
    return itemgetter(a.name)


def _all(atoms: Sequence[Atom]) -> Callable[[Env], tuple[object, ...]]:
    """The values of atoms."""
    if len(atoms) > 1 and all(isinstance(a, Var) for a in atoms):
        return itemgetter(*[a.name for a in atoms])
    gets = [_get(a) for a in atoms]
    return lambda env: tuple([get(env) for get in gets])


def _cells(index: Sequence[Atom]) -> Callable[[Env], tuple[int, ...]]:
    """The values of an index or a shape, as Python's ints."""
    if len(index) == 1:
        get = _get(index[0])
        return lambda env: (int(get(env)),)
    values = _all(index)
    return lambda env: tuple(map(int, values(env)))


def typed(value: object, t: Scalar) -> object:
    return cast(value, t.dtype)


# ----------------------------------------------------------------------------------------------- simple statements


def _let(m: Machine, s: Let) -> Action:
    out, dtype = s.out.name, s.out.type.dtype
    kind = DTYPES[dtype]
    rule = RULES.get(s.op) or (lambda value: cast(value, dtype))
    do: Action
    match s.ins:  # the common cases first; they need no list of operands
        case [Var(name=x)]:

            def do(env: Env) -> None:
                value = rule(env[x])
                env[out] = value if type(value) is kind else kind(value)

        case [Var(name=x), Var(name=y)]:

            def do(env: Env) -> None:
                value = rule(env[x], env[y])
                env[out] = value if type(value) is kind else kind(value)

        case _:
            values = _all(s.ins)

            def do(env: Env) -> None:
                value = rule(*values(env))
                env[out] = value if type(value) is kind else kind(value)

    return do


def _dup(m: Machine, s: Dup) -> Action:
    first, second, get = s.first.name, s.second.name, _get(s.x)

    def do(env: Env) -> None:
        value = get(env)
        if isinstance(value, np.ndarray):
            raise CoreFault(f"dup of the array {s.x}")
        env[first] = env[second] = value
        env.pop(s.x.name)

    return do


def _drop(m: Machine, s: Drop) -> Action:
    def do(env: Env) -> None:
        if env.pop(s.x.name, None) is None:
            raise CoreFault(f"{s.x} is dropped before its definition or twice")

    return do


def _read(m: Machine, s: Read) -> Action:
    out, get = s.out.name, _get(s.x)

    def do(env: Env) -> None:
        env[out] = get(env)

    return do


def _place(array: Var, index: tuple[Atom, ...], checked: bool, span: Span) -> Callable[[Env], tuple]:
    """A function that returns the array and the index of an access after a range check."""
    name, cells = array.name, _cells(index)

    def place(env: Env) -> tuple:
        a = env[name]
        where = cells(env)
        for i, n in zip(where, a.shape, strict=True):
            if not 0 <= i < n:
                if not checked:
                    raise CoreFault(f"unchecked access {array}[{i}] of size {n} at {span}")
                axis = next(k for k, j in enumerate(where) if not 0 <= j < a.shape[k])
                shown = i - n if i < 0 else i
                text = f"index {shown} is out of bounds for axis {axis} with size {n}"
                raise CoreError("IndexError", text, span)
        return a, where

    return place


def _load(m: Machine, s: Load) -> Action:
    out, place, boolean = s.out.name, _place(s.array, s.index, s.checked, s.span), s.out.type.dtype == "bool"

    def do(env: Env) -> None:
        a, where = place(env)
        if type(a) is Log:
            m.recount(a, "load", "pop")
        env[out] = bool(a[where]) if boolean else a[where]

    return do


def _store(m: Machine, s: Store) -> Action:
    place, get = _place(s.array, s.index, s.checked, s.span), _get(s.value)

    def do(env: Env) -> None:
        a, where = place(env)
        if type(a) is Log:
            m.recount(a, "store", "log")
            m.kept += a.store(where)
        a[where] = get(env)

    return do


def _add_to(m: Machine, s: AddTo) -> Action:
    place, get = _place(s.array, s.index, s.checked, s.span), _get(s.value)

    def do(env: Env) -> None:
        a, where = place(env)
        a[where] = a[where] + get(env)

    return do


def _dim(m: Machine, s: Dim) -> Action:
    out, get, axis = s.out.name, _get(s.array), s.axis

    def do(env: Env) -> None:
        env[out] = np.int64(get(env).shape[axis])

    return do


def _alloc(m: Machine, s: Alloc) -> Action:
    out, cells, dtype = s.out.name, _cells(s.shape), s.out.type.dtype
    given = None if s.fill is None else typed(s.fill.value, s.fill.type)
    fill = _POISON[dtype] if given is None else given
    count = m.words

    def do(env: Env) -> None:
        shape = cells(env)
        if shape and min(shape) < 0:
            raise CoreError("ValueError", "negative dimensions are not allowed", s.span)
        size = prod(shape)
        if size > _MAX_WORDS:
            raise CoreError("MemoryError", f"an array of {size} elements", s.span)
        env.pop(out, None)  # frees the array of the previous iteration first
        env[out] = m.made(as_log(np.full(shape, fill, DTYPES[dtype]), s.log), given)
        if s.fill is not None:
            count["alloc"] += size
        if s.log == "slices":
            m.kept += size

    return do


def _copy(m: Machine, s: Copy) -> Action:
    out, get = s.out.name, _get(s.array)
    count = m.words

    def do(env: Env) -> None:
        a = get(env)
        env.pop(out, None)
        env[out] = m.made(np.array(a))
        count["copy"] += a.size

    return do


def _add_array(m: Machine, s: AddArray) -> Action:
    get, other = _get(s.array), _get(s.other)
    count = m.words

    def do(env: Env) -> None:
        a, b = get(env), other(env)
        if a.shape != b.shape:
            raise CoreFault(f"&{s.array} += &{s.other} of shapes {a.shape} and {b.shape}")
        a[...] = a + b
        count["addarray"] += a.size

    return do


def _fill(m: Machine, s: Fill) -> Action:
    get, value = _get(s.array), _get(s.value)
    count = m.words

    def do(env: Env) -> None:
        a = get(env)
        a[...] = value(env)
        count["fill"] += a.size

    return do


def _reserve(m: Machine, s: Reserve) -> Action:
    get, size = _get(s.array), _get(s.size)
    return lambda env: m.reserve(get(env), int(size(env)))


def _check(m: Machine, s: Check) -> Action:
    cond, values = _get(s.cond), _all(s.args)

    def do(env: Env) -> None:
        if not cond(env):
            raise CoreError(s.error, s.message.format(*values(env)), s.span)

    return do


# ----------------------------------------------------------------------------------------------- region statements


def _if(m: Machine, s: If) -> Action:
    cond, then, orelse = _get(s.cond), m.block(s.then), m.block(s.orelse)
    outs = [o.name for o in s.outs]

    def do(env: Env) -> None:
        env.update(zip(outs, then(env) if cond(env) else orelse(env)))

    return do


def _loop(m: Machine, s: Loop) -> Action:
    start, stop, step = _get(s.start), None if s.stop is None else _get(s.stop), _get(s.step)
    inits, body = _all(s.inits), m.block(s.body)
    index, carried, outs = s.index.name, [v.name for v in s.carried], [v.name for v in s.outs]
    trips = None if s.trips is None else s.trips.name
    if m.record is not None:
        body = _numbered(m, body)

    def do(env: Env) -> int:
        i, by = int(start(env)), int(step(env))
        end = None if stop is None else int(stop(env))
        if by == 0:
            raise CoreFault(f"a loop of step 0 at {s.span}")
        values = inits(env)
        count, go = 0, True
        while go and (end is None or (i < end if by > 0 else i > end)):
            env[index] = np.int64(i)
            env.update(zip(carried, values))
            values = body(env)
            if s.exits:
                go, values = bool(values[0]), values[1:]
            i += by
            count += 1
        m.counts["loop"] += count
        env.update(zip(outs, values))
        if trips is not None:
            env[trips] = np.int64(count)
        return count

    after = m.after.get(id(s))
    if m.record is not None:
        return _nested(m, do)
    if after is None:
        return do

    def watched(env: Env) -> None:
        before = m.work()
        count = do(env)
        after(env, count, m.work() - before)

    return watched


def _numbered(m: Machine, body: Callable[[Env], tuple[object, ...]]) -> Callable[[Env], tuple[object, ...]]:
    def numbered(env: Env) -> tuple[object, ...]:
        m.iterations[-1] += 1
        return body(env)

    return numbered


def _nested(m: Machine, loop: Callable[[Env], int]) -> Action:
    def do(env: Env) -> None:
        m.iterations.append(-1)
        loop(env)
        m.iterations.pop()

    return do


def _call(m: Machine, s: Call) -> Action:
    function, values, outs = m.function(s.callee), _all(s.args), [o.name for o in s.outs]

    def do(env: Env) -> None:
        env.update(zip(outs, function(values(env)), strict=True))

    return do


_ACTIONS: dict[type, Callable[..., Action]] = {
    Let: _let,
    Dup: _dup,
    Drop: _drop,
    Read: _read,
    Load: _load,
    Store: _store,
    AddTo: _add_to,
    Dim: _dim,
    Alloc: _alloc,
    Copy: _copy,
    AddArray: _add_array,
    Dense: lambda m, s: perform(s, m.words, _get),
    Fill: _fill,
    Reserve: _reserve,
    Check: _check,
    If: _if,
    Loop: _loop,
    Call: _call,
}
