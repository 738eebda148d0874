"""Whether the iterations of a loop may run at the same time, and what each thread then needs of its own.

The answer is found in the text of the loop alone. A cell that one iteration writes must not be touched by another one,
unless all that is done to its array is adding to it; a value that is carried must be a sum, or be left by the last
iteration. Everything else is an order, and is named in the verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from linad_typecheck.ir.core import (
    AddTo,
    Alloc,
    Atom,
    Call,
    Check,
    Const,
    Copy,
    Dense,
    If,
    Let,
    Load,
    Loop,
    Reserve,
    Store,
    Var,
    base_name,
    blocks,
    operands,
    outputs,
    walk,
)
from linad_typecheck.ops import OPS
from linad_typecheck.span import NOWHERE, Span
from linad_typecheck.types import FLOATS, Array

from .accesses import AccessKind, accesses
from .loop_facts import is_chain, without_handed_on

Reduction = Literal["add", "bitor", "last"]
LARGEST_FACTOR = 2**10  # by which an index that tells iterations apart may move faster than they are counted
LARGEST_OFFSET = 2**20
LARGEST_SPAN = 64  # of the cells around its own that an iteration adds to, for chunks to take turns


@dataclass(frozen=True)
class Verdict:
    """How a loop may run.

    ``sums`` says of each carried value how the parts of it are put together, ``added`` are the outer arrays that
    iterations add to anywhere, ``private`` makes the arrays of one iteration. To the arrays ``near`` iterations add
    around their own cell only: those that are more than ``span`` apart do not meet. Where ``reason`` is set, the loop
    is sequential.
    """

    reason: str = ""
    sums: tuple[Reduction, ...] = ()
    added: tuple[Var, ...] = ()
    private: tuple[Alloc | Copy, ...] = ()
    near: tuple[Var, ...] = ()
    span: int = 0

    @property
    def kind(self) -> Literal["map", "sum", "sequential"]:
        if self.reason:
            return "sequential"
        return "sum" if self.added or self.near or set(self.sums) - {"last"} else "map"


class _Order(Exception):
    """What gives the iterations an order."""


def verdict(s: Loop, fastmath: bool) -> Verdict:
    """Whether the iterations of a loop without checked accesses may run at the same time.

    ``fastmath`` allows the terms of float sums to be added in another order than that of the program.
    """
    try:
        _only_what_can_be_spread(s)
        private = tuple(t for t in walk(s.body) if isinstance(t, Alloc | Copy))
        made = _made(s)
        sums = tuple(_reduction(s, k, fastmath) for k in range(len(s.carried)))
        added, near, span = _shared(s, made, fastmath)
        _sizes_known(private, made)
        return Verdict("", sums, added, private, near, span)
    except _Order as order:
        return Verdict(str(order))


def is_even(s: Loop) -> bool:
    """Whether a loop is one of vector instructions with library functions in it: those then compute the same bits in
    each iteration, also in the last ones, for which no vector is left."""
    if not any(isinstance(t, Let) and OPS[t.op].dear for t in s.body.stmts):
        return False
    if not all(isinstance(t, Let | Load | Store | AddTo | If) for t in walk(s.body)):
        return False
    if s.exits:
        return False
    v = verdict(without_handed_on(s), True)
    return not (v.reason or v.added or v.near)


# --------------------------------------------------------------------------------------------------------------- kinds


def _only_what_can_be_spread(s: Loop) -> None:
    if s.stop is None:
        raise _Order("how often it runs is not known before it starts")
    if s.exits or s.trips is not None:
        raise _Order("an iteration may end it")
    for t in walk(s.body):
        match t:
            case Call(callee=callee):
                raise _Order(f"it calls {callee.partition('#')[0]}, which calls itself")
            case Reserve(array=a):
                raise _Order(f"what it logs, {base_name(a.name)}, grows as it runs")
            case Dense():
                raise _Order(f"it has linear algebra on whole matrices in it{_at(t.span)}")
        if isinstance(t, Loop | If):
            named = [*t.outs, *(t.carried if isinstance(t, Loop) else ())]
            for v in named:
                if isinstance(v.type, Array):
                    raise _Order(f"the name {base_name(v.name)} goes from one array to another in it{_at(t.span)}")
    for v in s.carried:
        if isinstance(v.type, Array):
            raise _Order(f"the name {base_name(v.name)} goes from one array to another in it")
    fails = any(isinstance(t, Check) for t in walk(s.body))
    if fails and any(isinstance(t, Loop) and (t.stop is None) for t in walk(s.body)):
        # what runs behind an error in Python's order has never run there, and need not end
        raise _Order("an error must keep what comes after it, which has a while loop, from running")


def _at(span: Span) -> str:
    return "" if span == NOWHERE else f" (line {span.line})"


def _made(s: Loop) -> set[str]:
    """The names that differ from one iteration to another."""
    names = {s.index.name, *(c.name for c in s.carried)}
    for t in walk(s.body):
        names.update(v.name for v in outputs(t))
        if isinstance(t, Loop):
            names.update((t.index.name, *(c.name for c in t.carried)))
    return names


def _sizes_known(private: Iterable[Alloc | Copy], made: set[str]) -> None:
    known: set[str] = set()
    for t in private:
        inner = [a.name for a in t.shape if isinstance(a, Var)] if isinstance(t, Alloc) else [t.array.name]
        if any(n in made and n not in known for n in inner):
            raise _Order(f"the size of its array {base_name(t.out.name)} differs between iterations{_at(t.span)}")
        if isinstance(t, Alloc) and t.log == "stack":
            raise _Order(f"what it logs, {base_name(t.out.name)}, grows as it runs")
        known.add(t.out.name)


# ------------------------------------------------------------------------------------------------------ carried values


def _reduction(s: Loop, k: int, fastmath: bool) -> Reduction:
    """How the values that chunks of iterations leave in a carried value are put together."""
    c, name = s.carried[k], base_name(s.carried[k].name)
    result = s.body.results[k]
    used = any(a == c for t in walk(s.body) for a in (*operands(t), *(r for b in blocks(t) for r in b.results)))
    if not used and c not in s.body.results:
        return "last"
    if is_chain(s, k, ("add", "sub")):
        if c.type.dtype == "bool":
            raise _Order(f"each iteration needs {name} of the one before")
        if not fastmath and c.type.dtype in FLOATS and result != c:
            raise _Order(f"the terms of {name} are added in the order of the program, as fastmath=False asks for")
        return "add"
    if c.type.dtype == "i64" and is_chain(s, k, ("bitor",)):
        return "bitor"
    raise _Order(f"each iteration needs {name} of the one before{_at(_definition(s, result))}")


def _definition(s: Loop, a: Atom) -> Span:
    return next((t.span for t in walk(s.body) if a in outputs(t)), NOWHERE)


# --------------------------------------------------------------------------------------------------------------- cells


@dataclass
class _Touches:
    """What a loop does to an outer array."""

    array: Var
    spans: dict[AccessKind, list[Span]] = field(default_factory=lambda: {"read": [], "write": [], "update": []})
    places: list[dict[int, Own] | None] = field(default_factory=list)  # own indices by axis; None: all cells at once

    @property
    def apart(self) -> bool:
        """Whether each iteration keeps to cells of its own: one axis is indexed by the same function of the loop's
        index in all accesses, and that tells iterations apart."""
        return self.spread == 0

    @property
    def spread(self) -> int | None:
        """How far apart the cells of one iteration are along the axis where they are closest; None: anywhere."""
        known = [p for p in self.places if p is not None]
        if len(known) < len(self.places):
            return None
        found: list[int] = []
        for axis in set.intersection(*(set(p) for p in known)):
            if len({p[axis].text for p in known}) == 1:
                offsets = [p[axis].offset for p in known]
                found.append(max(offsets) - min(offsets))
        return min(found, default=None)


def _shared(s: Loop, made: set[str], fastmath: bool) -> tuple[tuple[Var, ...], tuple[Var, ...], int]:
    """The outer arrays that iterations add to where others do, anywhere or near their own cells, and how near; all
    others must be touched apart."""
    added: list[Var] = []
    near: list[Var] = []
    span = 0
    for t in _touches(s, made):
        reads, stores, adds = t.spans.values()
        if not (stores or adds) or t.apart:
            continue
        name = base_name(t.array.name)
        if stores and not reads and not adds:
            raise _Order(f"two iterations may store to one cell of {name}{_at(stores[0])}")
        if stores or reads:
            write = (*stores, *adds)[0]
            read = (*reads, *adds)[0]
            raise _Order(f"an iteration uses cells of {name}{_at(read)} that another one may write{_at(write)}")
        if not fastmath and t.array.type.dtype in FLOATS:
            raise _Order(
                f"the terms in the cells of {name} are added in the order of the program, as fastmath=False asks for"
            )
        if t.spread is not None and t.spread <= LARGEST_SPAN:
            near.append(t.array)
            span = max(span, t.spread)
        else:
            added.append(t.array)
    return tuple(added), tuple(near), span


def _touches(s: Loop, made: set[str]) -> Iterator[_Touches]:
    found: dict[str, _Touches] = {}
    own = own_indices(s, made)

    for t in walk(s.body):
        for access in accesses(t):
            if access.array.name not in made:
                touches = found.setdefault(access.array.name, _Touches(access.array))
                touches.spans[access.kind].append(t.span)
                known = {
                    k: own[i.name] for k, i in enumerate(access.index or ()) if isinstance(i, Var) and i.name in own
                }
                touches.places.append(None if access.index is None else known)
    yield from found.values()


@dataclass(frozen=True)
class Own:
    """An int that differs between any two iterations: a function of the loop's index, by its text, and a number added
    to it.

    ``factor`` bounds how much faster it moves than the iterations are counted.
    """

    text: str
    offset: int
    factor: int


def own_indices(s: Loop, made: set[str]) -> dict[str, Own]:
    """The ints that differ between any two iterations, by name: the loop's index, and what is a fixed distance from it
    or a multiple of it. Multiples are small, so that no two wrap around to the same within the life of a machine."""
    step = abs(int(s.step.value)) if isinstance(s.step, Const) else LARGEST_FACTOR
    own = {s.index.name: Own("i", 0, step)}
    for t in walk(s.body):
        if not isinstance(t, Let) or t.out.type.dtype != "i64" or any(x.type.dtype != "i64" for x in t.ins):
            continue
        if t.op == "cast" and isinstance(t.ins[0], Var) and t.ins[0].name in own:
            own[t.out.name] = own[t.ins[0].name]
        if len(t.ins) != 2:
            continue
        a, b = t.ins
        for x, y, first in ((a, b, True), (b, a, False)):
            if isinstance(x, Var) and x.name in own and not (isinstance(y, Var) and y.name in made):
                moved = _moved(own[x.name], t.op, y, first)
                if moved is not None and abs(moved.offset) < LARGEST_OFFSET:
                    own[t.out.name] = moved
    return own


def _moved(x: Own, op: str, y: Atom, first: bool) -> Own | None:
    """``x op y``, or ``y op x``, for a ``y`` that is the same in all iterations."""
    number = int(y.value) if isinstance(y, Const) else None
    match op, first:
        case "add", _:
            return (
                Own(f"({x.text}+{y})", x.offset, x.factor) if number is None else replace(x, offset=x.offset + number)
            )
        case "sub", True:
            return (
                Own(f"({x.text}-{y})", x.offset, x.factor) if number is None else replace(x, offset=x.offset - number)
            )
        case "sub", False:
            return Own(f"({y if number is None else 0}-{x.text})", (number or 0) - x.offset, x.factor)
        case "mul", _ if number and x.factor * abs(number) <= LARGEST_FACTOR:
            return Own(f"({x.text}*{number})", x.offset * number, x.factor * abs(number))
    return None
