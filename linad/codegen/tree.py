"""The statement tree of the generated program: virtual variables, expression trees and structured control flow.

This form is between the core and its source text. Unlike the core it is not in static single assignment form: a carried
value is one variable that a parallel copy updates, so that `name_allocation` can decide which variables share a Python
name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from linad_typecheck.ir.core import Const, Var
from linad_typecheck.types import Type

# ---------------------------------------------------------------------------------------------------- expressions


@dataclass(frozen=True, slots=True)
class Leaf:
    var: Var


@dataclass(frozen=True, slots=True)
class Num:
    const: Const


@dataclass(frozen=True, slots=True)
class Apply:
    """A scalar operation of the core."""

    op: str
    args: tuple[Expr, ...]
    type: Type
    source: Type  # the type of the first operand


@dataclass(frozen=True, slots=True)
class At:
    """``array[index]``."""

    array: Var
    index: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Size:
    """``array.shape[axis]``."""

    array: Var
    axis: int


@dataclass(frozen=True, slots=True)
class New:
    """A new array, uninitialised if ``fill`` is None."""

    type: Type
    shape: tuple[Expr, ...]
    fill: Const | None
    tried: bool = False  # its sizes are zero if there is no memory for it


@dataclass(frozen=True, slots=True)
class CopyOf:
    array: Var


@dataclass(frozen=True, slots=True)
class Grown:
    """A log reallocated with space for ``size`` cells, with the contents of the old one."""

    array: Var
    size: Expr
    fill: Const | None


@dataclass(frozen=True, slots=True)
class Cells:
    """The number of workspace cells of an array of this shape."""

    shape: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Hint:
    """The length that a log, or the logs of its element type, reached before."""

    log: Var


Expr = Leaf | Num | Apply | At | Size | New | CopyOf | Grown | Cells | Hint


def children(e: Expr) -> tuple[Expr, ...]:
    """The operands of an expression."""
    match e:
        case Apply(args=args):
            return args
        case At(index=index):
            return index
        case New(shape=shape) | Cells(shape=shape):
            return shape
        case Grown(size=size):
            return (size,)
        case _:
            return ()


def subexpressions(e: Expr) -> Iterator[Expr]:
    """An expression and all expressions in it."""
    yield e
    for child in children(e):
        yield from subexpressions(child)


def uses(e: Expr) -> set[str]:
    """The variables that an expression reads."""
    found: set[str] = set()
    for sub in subexpressions(e):
        match sub:
            case Leaf(var) | At(array=var) | Size(array=var) | CopyOf(array=var) | Grown(array=var):
                found.add(var.name)
    return found


def cells_read(e: Expr) -> dict[str, Var]:
    """The arrays whose contents or size may differ if the expression is evaluated later."""
    return {s.array.name: s.array for s in subexpressions(e) if isinstance(s, At | Size | CopyOf | Grown)}


# ----------------------------------------------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class Assign:
    target: Var
    value: Expr


@dataclass(frozen=True, slots=True)
class ParallelCopy:
    """A parallel copy: every value is read before any target is written."""

    pairs: tuple[tuple[Var, Expr], ...]


@dataclass(frozen=True, slots=True)
class Put:
    """``array[index] = value``, or ``+=`` if ``add``."""

    array: Var
    index: tuple[Expr, ...]
    value: Expr
    add: bool


@dataclass(frozen=True, slots=True)
class PutAll:
    """``array[...] = value``."""

    array: Var
    value: Expr


@dataclass(frozen=True, slots=True)
class AddAll:
    """``array += other``, for equal shapes."""

    array: Var
    other: Var


@dataclass(frozen=True, slots=True)
class NoteNan:
    """Record in the error buffer whether a cell of an array is nan."""

    array: Var


@dataclass(frozen=True, slots=True)
class Matrix:
    """A dense operation of `linad_typecheck.dense_ops`."""

    op: str
    flags: str
    arrays: tuple[Var, ...]


@dataclass(frozen=True, slots=True)
class CopyAll:
    """``array[...] = other``, for equal shapes."""

    array: Var
    other: Var


@dataclass(frozen=True, slots=True)
class Carve:
    """Make ``target`` the part of a workspace that starts at ``at``, and advance ``at`` past it."""

    target: Var
    workspace: Var
    at: Var
    shape: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Demand:
    """Return the number of cells that each workspace must have."""

    cells: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Invoke:
    """``code, *targets = callee(*args)``; a failure of the callee is propagated."""

    targets: tuple[Var, ...]
    callee: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Spread:
    """Call ``callee(c, *args)`` for each c below ``chunks``, in parallel.

    If a chunk does not run to completion, return the error of ``site`` after all have ended, or request the checked
    build if it is None.
    """

    callee: str
    chunks: Expr
    args: tuple[Expr, ...]
    site: int | None


@dataclass(frozen=True, slots=True)
class Fail:
    """Return the error of a site, or request the checked build if ``site`` is None."""

    site: int | None
    args: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Finish:
    """Return the results."""

    values: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Forward:
    """Return the result of another function."""

    callee: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Branch:
    cond: Expr
    then: tuple[Node, ...]
    orelse: tuple[Node, ...]
    even: bool = False  # whether its library functions belong to an even loop that follows


@dataclass(frozen=True, slots=True)
class For:
    index: Var
    start: Expr
    stop: Expr
    step: Expr
    body: tuple[Node, ...]
    even: bool = False  # whether each iteration computes the same bits, whatever its position


@dataclass(frozen=True, slots=True)
class Forever:
    body: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Leave:
    """``break``."""


Node = (
    Assign
    | ParallelCopy
    | Put
    | PutAll
    | AddAll
    | NoteNan
    | Matrix
    | CopyAll
    | Carve
    | Demand
    | Invoke
    | Spread
    | Fail
    | Finish
    | Forward
    | Branch
    | For
    | Forever
    | Leave
)


def ends(nodes: tuple[Node, ...]) -> bool:
    """Whether control never reaches the end of the nodes."""
    if not nodes:
        return False
    match nodes[-1]:
        case Fail() | Finish() | Forward() | Leave() | Demand():
            return True
        case Branch(then=a, orelse=b):
            return ends(a) and ends(b)
        case _:
            return False


def read_by(node: Node) -> set[str]:
    """The variables that a node itself reads."""
    match node:
        case Assign(value=e):
            return uses(e)
        case ParallelCopy(pairs=pairs):
            return set().union(*(uses(e) for _, e in pairs))
        case Put(array=a, index=index, value=v):
            return {a.name}.union(uses(v), *map(uses, index))
        case PutAll(array=a, value=v):
            return {a.name} | uses(v)
        case Matrix(arrays=arrays):
            return {a.name for a in arrays}
        case NoteNan(array=a):
            return {a.name}
        case AddAll(array=a, other=b) | CopyAll(array=a, other=b):
            return {a.name, b.name}
        case Carve(workspace=w, at=at, shape=shape):
            return {w.name, at.name}.union(*map(uses, shape))
        case Demand(cells=args) | Invoke(args=args) | Fail(args=args) | Finish(values=args) | Forward(args=args):
            return set().union(*map(uses, args))
        case Spread(chunks=chunks, args=args):
            return uses(chunks).union(*map(uses, args))
        case Branch(cond=c):
            return uses(c)
        case For(start=a, stop=b, step=c):
            return uses(a) | uses(b) | uses(c)
        case _:
            return set()


def written_by(node: Node) -> tuple[Var, ...]:
    """The variables that a node itself assigns, except loop indices."""
    match node:
        case Assign(target=t):
            return (t,)
        case ParallelCopy(pairs=pairs):
            return tuple(t for t, _ in pairs)
        case Invoke(targets=ts):
            return ts
        case Carve(target=t, at=at):
            return t, at
        case _:
            return ()
