"""Whether the iterations of a loop can run in parallel, and what each thread needs of its own.

The analysis looks at the loop alone. A cell that one iteration writes must not be accessed by another, unless its array
is only added to. A carried value must be a reduction, or be set by the last iteration. Anything else orders the
iterations and is named in the verdict.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from linad_typecheck.ir.core import (
    AddTo, Alloc, Atom, Call, Check, Copy, Dense, If, Let, Load, Loop, Reserve, Stmt, Store, Var, base_name, blocks,
    operands, outputs, walk,
)
from linad_typecheck.span import NOWHERE, Span
from linad_typecheck.types import FLOATS, Array

from .accesses import Access
from .affine import Ranges
from .dependence import Nest, farthest
from .loop_facts import defined, outer_accesses
from .operation_costs import is_library_call
from .reductions import is_reduction, without_handed_on

Reduction = Literal["add", "bitor", "last"]
LARGEST_SPAN = 64  # largest distance from its own cell at which an iteration adds, for adjacent chunks to run in turns


@dataclass(frozen=True)
class Verdict:
    """How a loop can run.

    ``sums`` says for each carried value how the parts are combined. ``added``: outer arrays that iterations add to
    anywhere. ``private``: the allocations of arrays local to an iteration. ``near``: arrays to which iterations add
    only around their own cell; iterations more than ``span`` apart do not conflict. If ``reason`` is set, the loop is
    sequential.
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
    """Raised for anything that orders the iterations."""


def verdict(s: Loop, fastmath: bool) -> Verdict:
    """Whether the iterations of a loop without checked accesses can run in parallel.

    ``fastmath`` allows float sums to be reassociated.
    """
    try:
        _reject_unsupported(s)
        private = tuple(t for t in walk(s.body) if isinstance(t, Alloc | Copy))
        sums = tuple(_reduction(s, k, fastmath) for k in range(len(s.carried)))
        added, near, span = _shared(s, fastmath)
        _sizes_known(private, defined(s))
        return Verdict("", sums, added, private, near, span)
    except _Order as order:
        return Verdict(str(order))


def reads_earlier_cells(s: Loop, r: Ranges | None = None) -> bool:
    """Whether an iteration may read a cell that an earlier one has written: a recurrence through memory. ``r``: facts
    about ints at the start of the loop."""
    nest = Nest(s, ranges=r)
    reads: dict[str, list[Access]] = {}
    writes: dict[str, list[Access]] = {}
    for _, a in outer_accesses(s):
        (reads if a.kind == "read" else writes).setdefault(a.array.name, []).append(a)
    both = ((a, b) for name in reads.keys() & writes.keys() for a in reads[name] for b in writes[name])
    return any(nest.between(a, b).carried for a, b in both)


def is_even(s: Loop) -> bool:
    """Whether a loop is vectorised and calls library functions, so that all iterations must compute the same bits,
    including the remaining ones that fill no vector."""
    if not any(map(is_library_call, s.body.stmts)):
        return False
    if not all(isinstance(t, Let | Load | Store | AddTo | If) for t in walk(s.body)):
        return False
    if s.exits:
        return False
    v = verdict(without_handed_on(s), True)
    return not (v.reason or v.added or v.near)


# --------------------------------------------------------------------------------------------------------------- kinds


def _reject_unsupported(s: Loop) -> None:
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
        # in sequential order, statements after an error are not reached and need not terminate
        raise _Order("an error must keep what comes after it, which has a while loop, from running")


def _at(span: Span) -> str:
    return "" if span == NOWHERE else f" (line {span.line})"


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
    """How the values of a carried variable from chunks of iterations are combined."""
    c, name = s.carried[k], base_name(s.carried[k].name)
    result = s.body.results[k]
    used = any(a == c for t in walk(s.body) for a in (*operands(t), *(r for b in blocks(t) for r in b.results)))
    if not used and c not in s.body.results:
        return "last"
    if is_reduction(s, k, ("add", "sub")):
        if c.type.dtype == "bool":
            raise _Order(f"each iteration needs {name} of the one before")
        if not fastmath and c.type.dtype in FLOATS and result != c:
            raise _Order(f"the terms of {name} are added in the order of the program, as fastmath=False asks for")
        return "add"
    if c.type.dtype == "i64" and is_reduction(s, k, ("bitor",)):
        return "bitor"
    raise _Order(f"each iteration needs {name} of the one before{_at(_definition(s, result))}")


def _definition(s: Loop, a: Atom) -> Span:
    return next((t.span for t in walk(s.body) if a in outputs(t)), NOWHERE)


# --------------------------------------------------------------------------------------------------------------- cells


def _shared(s: Loop, fastmath: bool) -> tuple[tuple[Var, ...], tuple[Var, ...], int]:
    """The outer arrays to which different iterations add: anywhere, or near their own cells, and the largest distance.
    All other arrays must be accessed disjointly."""
    added: list[Var] = []
    near: list[Var] = []
    span = 0
    nest = Nest(s)
    touched: dict[Var, list[tuple[Stmt, Access]]] = {}
    for t, access in outer_accesses(s):
        touched.setdefault(access.array, []).append((t, access))
    for array, uses in touched.items():
        reads, stores, adds = ([t.span for t, a in uses if a.kind == kind] for kind in ("read", "write", "update"))
        if not (stores or adds) or (far := farthest(nest, (a for _, a in uses))) == 0:
            continue
        name = base_name(array.name)
        if stores and not reads and not adds:
            raise _Order(f"two iterations may store to one cell of {name}{_at(stores[0])}")
        if stores or reads:
            write = (*stores, *adds)[0]
            read = (*reads, *adds)[0]
            raise _Order(f"an iteration uses cells of {name}{_at(read)} that another one may write{_at(write)}")
        if not fastmath and array.type.dtype in FLOATS:
            raise _Order(
                f"the terms in the cells of {name} are added in the order of the program, as fastmath=False asks for"
            )
        if far is not None and far <= LARGEST_SPAN:
            near.append(array)
            span = max(span, far)
        else:
            added.append(array)
    return tuple(added), tuple(near), span
