"""The core, the form of programs from lowering to code generation: structured A-normal form in SSA.

The program, its linear form, its adjoint and the adjoint of its adjoint are all built from the dataclasses below. There
is no control-flow graph: a `Block` is a sequence of statements, and `If` and `Loop` hold blocks.

Scalars are SSA values: every `Var` is defined once in its function, and is in scope in the rest of its block and in the
blocks nested there. A value that changes in a loop is *carried* (`Loop.carried`); one that differs between arms is a
result of the `If` (`If.outs`).

Arrays are mutable places that statements update in place under one name (`Store`, `AddTo`, ...). In the linear reading,
such a statement takes the array and gives it back. An array is carried, or is a result of a block, only where a *name*
is bound to another array (``u, v = v, u``). Being carried, a result, or an `own` argument moves it.

The linear form of a program is the same program with explicit `Dup`, `Drop` and `Read`, so that every float scalar and
every array is used exactly once (`linear/check_linear.py`), and with `Same` where a copy stands for an array. Passes
that do not need it work on the form without them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from typing import Literal

from .atoms import Atom as Atom
from .atoms import Const as Const
from .atoms import Names as Names
from .atoms import Saves as Saves
from .atoms import Var as Var
from .atoms import base_name as base_name
from ..frozen import frozen
from ..span import NOWHERE, Span

# ---------------------------------------------------------------------------------------------------- statements


@frozen(slots=True)
class Let:
    """``out = op(ins)``: a pure scalar operation of `ops.OPS`."""

    out: Var
    op: str
    ins: tuple[Atom, ...]
    span: Span = NOWHERE


@frozen(slots=True)
class Dup:
    """``(first, second) = dup x``, in the linear form only. Its derivative is ``+``."""

    first: Var
    second: Var
    x: Var
    span: Span = NOWHERE


@frozen(slots=True)
class Drop:
    """``drop x``: the last use of a float scalar or an array, in the linear form only."""

    x: Var
    span: Span = NOWHERE


@frozen(slots=True)
class Read:
    """``out = read &x``: borrows a float scalar of an outer block inside a loop or an arm, in the linear form only."""

    out: Var
    x: Var
    span: Span = NOWHERE


@frozen(slots=True)
class Same:
    """``same &copy &array``: in Python the two are one array, of which ``copy`` is a copy from here on.

    Lowering emits it, and only the linear form keeps it. `linear/check_aliases.py` proves that the copy cannot be
    observed.

    For lists of arrays, whose items are copied into one array, ``how`` is another relation: the list ``copy`` ``holds``
    the array; it is ``like`` the list ``array``, with the same items or some of them; or ``copy`` is an item ``taken``
    off that list. ``updated`` says that an array which is an item of ``copy`` is updated from here on.
    """

    copy: Var
    array: Var
    span: Span = NOWHERE
    how: Literal["same", "holds", "like", "taken", "updated"] = "same"


@frozen(slots=True)
class Load:
    """``out = array[index]``. Indices are non-negative: lowering applies `wrap` to an index that may be negative.

    ``checked``: the index may be out of range, which raises IndexError at ``span``. Passes that duplicate an access
    which has already succeeded with the same index and size clear it.
    """

    out: Var
    array: Var
    index: tuple[Atom, ...]
    checked: bool = True
    span: Span = NOWHERE


@frozen(slots=True)
class Store:
    """``array[index] = value``."""

    array: Var
    index: tuple[Atom, ...]
    value: Atom
    checked: bool = True
    span: Span = NOWHERE


@frozen(slots=True)
class AddTo:
    """``array[index] += value``."""

    array: Var
    index: tuple[Atom, ...]
    value: Atom
    checked: bool = True
    span: Span = NOWHERE


@frozen(slots=True)
class Dim:
    """``out = array.shape[axis]``."""

    out: Var
    array: Var
    axis: int
    span: Span = NOWHERE


LogKind = Literal["no", "cells", "stack", "slices"]


@frozen(slots=True)
class Alloc:
    """A fresh array of ``shape`` with every cell ``fill``. With ``fill`` None it is uninitialised, and every cell is
    written before it is read.

    ``log`` is the role of the array in a reverse sweep: none; a log of ``cells``, each stored to at most once; a log
    used as a ``stack``, whose cells may be stored to again; or ``slices``, one per iteration, of an array that the
    primal allocates in each iteration. The words of all of them count as logged.
    """

    out: Var
    shape: tuple[Atom, ...]
    fill: Const | None
    span: Span = NOWHERE
    log: LogKind = "no"


@frozen(slots=True)
class Copy:
    """``out = array.copy()``."""

    out: Var
    array: Var
    span: Span = NOWHERE


@frozen(slots=True)
class AddArray:
    """``array += other``, cell by cell, for equal shapes. The derivative of `Copy`."""

    array: Var
    other: Var
    span: Span = NOWHERE


@frozen(slots=True)
class Fill:
    """``array[...] = value``: stores to every cell."""

    array: Var
    value: Atom
    span: Span = NOWHERE


@frozen(slots=True)
class Reserve:
    """Grow a rank-1 log to at least ``size`` cells. It keeps its contents; new cells are the ``fill`` of its `Alloc`.

    Capacity grows geometrically, so filling a log of unknown length cell by cell takes linear time.
    """

    array: Var
    size: Atom
    span: Span = NOWHERE


@frozen(slots=True)
class Dense:
    """Linear algebra on whole arrays. `dense_ops` defines how ``op`` changes the ``updated`` arrays in place and
    what it reads."""

    op: str
    flags: str
    updated: tuple[Var, ...]
    read: tuple[Var, ...]
    span: Span = NOWHERE


class _Kept:
    """What is computed of a block once, and is no part of its value: the results of `walk`, `free_vars` and `names_in`.
    """

    __slots__ = ("free", "names", "walked")


@frozen(slots=True)
class Block(_Kept):
    stmts: tuple[Stmt, ...] = ()
    results: tuple[Atom, ...] = ()


@frozen(slots=True)
class If:
    """A branch. ``outs`` are the results of the arm that is taken."""

    cond: Atom
    then: Block
    orelse: Block
    outs: tuple[Var, ...] = ()
    span: Span = NOWHERE


LoopKind = Literal["sequential", "chunks", "chunk"]
Scheme = Literal["tape", "recompute", "periodic", "bisect", "revolve"]


@frozen(slots=True)
class Checkpoint:
    """The mark of a loop whose reverse starts from snapshots of its state.

    There are at most ``slots`` snapshots at a time, or as many as fit into ``memory`` bytes, or the default of the
    scheme.
    """

    scheme: Scheme
    slots: Atom | None = None
    memory: Atom | None = None

    @property
    def atoms(self) -> tuple[Atom, ...]:
        return tuple(a for a in (self.slots, self.memory) if a is not None)


@frozen(slots=True)
class Loop:
    """``for index in range(start, stop, step)`` with carried values. With ``stop`` None it is a ``while``, which never
    ends by itself.

    ``body.results`` are the next values of ``carried``; the last ones are ``outs``. With ``exits``, ``body.results[0]``
    is an additional bool, evaluated last: the loop ends after the iteration in which it is False. ``trips``, allowed
    only with ``exits``, is the number of iterations executed.

    ``kind``: the iterations of ``chunks`` are calls that threads run; those of a ``chunk`` may be divided among threads
    anywhere, so what an iteration computes must not depend on its neighbours.
    """

    index: Var
    start: Atom
    stop: Atom | None
    step: Atom
    carried: tuple[Var, ...]
    inits: tuple[Atom, ...]
    body: Block
    outs: tuple[Var, ...]
    exits: bool = False
    trips: Var | None = None
    kind: LoopKind = "sequential"
    span: Span = NOWHERE
    mark: Checkpoint | None = None

    @property
    def nexts(self) -> tuple[Atom, ...]:
        """The next values of ``carried``."""
        return self.body.results[1:] if self.exits else self.body.results


@frozen(slots=True)
class Call:
    """``outs = callee(args)``. The modes of the callee's parameters decide whether an argument is borrowed or moved."""

    outs: tuple[Var, ...]
    callee: str
    args: tuple[Atom, ...]
    span: Span = NOWHERE


RETRY = "retry"


@frozen(slots=True)
class Check:
    """Raise ``error(message.format(*args))`` at ``span`` unless ``cond``. A pass may delete it only with a proof of
    ``cond``.

    With the error `RETRY` nothing is raised: the call is run again in code in which every access is checked.
    """

    cond: Atom
    error: str
    message: str
    args: tuple[Atom, ...] = ()
    span: Span = NOWHERE


Stmt = (
    Let
    | Dup
    | Drop
    | Read
    | Same
    | Load
    | Store
    | AddTo
    | Dim
    | Alloc
    | Copy
    | AddArray
    | Fill
    | Reserve
    | Dense
    | If
    | Loop
    | Call
    | Check
)

# ----------------------------------------------------------------------------------------------------- functions

Mode = Literal["read", "acc", "mut", "own", "out"]


@frozen(slots=True)
class Param:
    """A parameter. Scalars are always ``own``; arrays are borrowed (``read``, ``acc``, ``mut``) or moved (``own``).

    ``linear``: an adjoint or a tangent, in which the function is linear by construction. ``like``: the parameter of
    which it is the adjoint or tangent, and whose sizes it has.
    """

    var: Var
    mode: Mode
    linear: bool = field(default=False, compare=False)
    like: str = field(default="", compare=False)


@frozen(slots=True)
class Size:
    """The size of an array parameter, given by the position of the parameter."""

    param: int
    axis: int


@frozen(slots=True)
class Result:
    """An additional result of the forward function of a `Rule`, after those of the primal function, by its position."""

    position: int


@frozen(slots=True)
class Rule:
    """A user-defined derivative of a function, used in place of the derivative of its body.

    ``vjp``: ``forward`` has the parameters of the function and returns its results, then the residuals. ``backward``
    takes what ``given`` lists (parameters by position, residuals and sizes), then a cotangent for each float result,
    and returns the adjoints of the parameters ``wrt``.

    ``jvp``: ``forward`` has the parameters of the function, then a tangent for each of ``wrt``. It returns the results
    of the function, then a tangent for each float result.

    The derivative with respect to a float parameter that is neither in ``wrt`` nor in ``blocked`` is zero. With respect
    to one in ``blocked`` there is none. A ``vjp`` may have a ``tangent``: a ``jvp`` for forward mode.
    """

    kind: Literal["vjp", "jvp"]
    forward: str
    wrt: tuple[int, ...]
    blocked: tuple[int, ...] = ()
    backward: str = ""
    given: tuple[int | Result | Size, ...] = ()
    tangent: Rule | None = None

    @property
    def functions(self) -> tuple[str, ...]:
        own = (self.forward, self.backward) if self.backward else (self.forward,)
        return own if self.tangent is None else (*own, *self.tangent.functions)


@frozen(slots=True)
class Nonlinear:
    """Why the backward function of a rule is not linear in the cotangents, and where."""

    why: str
    span: Span = field(default=NOWHERE, compare=False)


@frozen(slots=True)
class Function:
    """A function. ``body.results`` are its results, flattened to scalars and arrays.

    A function with a ``rule`` is not inlined until all derivatives are taken. One that is ``nonlinear`` is the backward
    function of a rule that serves reverse mode only, one direction at a time.
    """

    name: str
    params: tuple[Param, ...]
    body: Block
    span: Span = NOWHERE
    rule: Rule | None = None
    nonlinear: Nonlinear | None = None


@frozen(slots=True)
class Derivative:
    """The definition of a declared function: the derivative of ``callee`` with respect to its flat parameters ``wrt``.

    Its parameters and results are those that `linad.adjoint.sweep.reverse` or `tangent` produce. ``value``: the results
    of ``callee`` are among them. With ``directions``, tangents, cotangents and gradients have one more axis, the last,
    with a cell per direction.
    """

    callee: str
    kind: Literal["reverse", "forward"]
    wrt: tuple[int, ...]
    value: bool = True
    directions: bool = False


@frozen(slots=True)
class Program:
    """Functions by name; Python calls `entry`. Functions in ``derivatives`` are only declared, and are generated
    before anything runs (`linad.expand`)."""

    entry: str
    functions: Mapping[str, Function] = field(default_factory=dict)
    derivatives: Mapping[str, Derivative] = field(default_factory=dict)

    @property
    def main(self) -> Function:
        return self.functions[self.entry]

    def with_main(self, function: Function) -> Program:
        return replace(self, functions={**self.functions, self.entry: function})


# ---------------------------------------------------------------------------------------- queries and traversals


def named(f: Function) -> Iterator[str]:
    """The names of the functions that a function calls, and of those of its rule."""
    yield from (s.callee for s in walk(f.body) if type(s) is Call)
    if f.rule is not None:
        yield from f.rule.functions


def reached(functions: Mapping[str, Function], start: str) -> set[str]:
    """The names of a function and of all functions that it reaches by calls and rules."""
    found, todo = {start}, [start]
    while todo:
        for name in named(functions[todo.pop()]):
            if name not in found:
                found.add(name)
                todo.append(name)
    return found


def operands(s: Stmt) -> tuple[Atom, ...]:
    """The operands of a statement at its own level, in order of evaluation, with the arrays that it updates."""
    return _OPERANDS[type(s)](s)


_OPERANDS: dict[type, Callable[..., tuple[Atom, ...]]] = {
    Let: lambda s: s.ins,
    Dup: lambda s: (s.x,),
    Drop: lambda s: (s.x,),
    Read: lambda s: (s.x,),
    Same: lambda s: (s.copy, s.array),
    Load: lambda s: (s.array, *s.index),
    Store: lambda s: (s.array, *s.index, s.value),
    AddTo: lambda s: (s.array, *s.index, s.value),
    Dim: lambda s: (s.array,),
    Copy: lambda s: (s.array,),
    Alloc: lambda s: s.shape,
    AddArray: lambda s: (s.array, s.other),
    Fill: lambda s: (s.array, s.value),
    Reserve: lambda s: (s.array, s.size),
    Dense: lambda s: (*s.updated, *s.read),
    If: lambda s: (s.cond,),
    Loop: lambda s: (
        s.start, *(() if s.stop is None else (s.stop,)), s.step, *s.inits, *(() if s.mark is None else s.mark.atoms)
    ),
    Call: lambda s: s.args,
    Check: lambda s: (s.cond, *s.args),
}  # fmt: skip


def outputs(s: Stmt) -> tuple[Var, ...]:
    """The variables that a statement defines in its own block."""
    found = _OUTPUTS.get(type(s))
    return () if found is None else found(s)


_ONE_OUTPUT = frozenset((Let, Load, Read, Dim, Alloc, Copy))
_OUTPUTS: dict[type, Callable[..., tuple[Var, ...]]] = {
    **dict.fromkeys(_ONE_OUTPUT, lambda s: (s.out,)),
    Dup: lambda s: (s.first, s.second),
    **dict.fromkeys((If, Call), lambda s: s.outs),
    Loop: lambda s: s.outs if s.trips is None else (*s.outs, s.trips),
}


def blocks(s: Stmt) -> tuple[Block, ...]:
    """The blocks nested directly in a statement."""
    kind = type(s)
    return (s.then, s.orelse) if kind is If else (s.body,) if kind is Loop else ()


def walk(block: Block) -> Iterator[Stmt]:
    """Every statement of a block, with those of nested blocks, in text order; kept with the block."""
    try:
        return iter(block.walked)
    except AttributeError:
        found: list[Stmt] = []
        for s in block.stmts:
            found.append(s)
            for b in blocks(s):
                found += walk(b)
        block.walked = tuple(found)
        return iter(found)


def free_vars(block: Block) -> Mapping[str, Var]:
    """The variables of outer blocks that a block mentions, by name, in order of first mention; kept with the block."""
    try:
        return block.free
    except AttributeError:
        block.free = found = _free(block)
        return found


def _free(block: Block) -> dict[str, Var]:
    bound: set[str] = set()
    found: dict[str, Var] = {}
    for s in block.stmts:
        kind = type(s)
        if kind is Loop or kind is If:
            for name, var in mentioned(s).items():
                if name not in bound:
                    found.setdefault(name, var)
        else:
            for a in operands(s):
                if type(a) is Var and a.name not in bound:
                    found.setdefault(a.name, a)
        if kind in _ONE_OUTPUT:
            bound.add(s.out.name)
        else:
            bound.update([v.name for v in outputs(s)])
    for atom in block.results:
        if type(atom) is Var and atom.name not in bound:
            found.setdefault(atom.name, atom)
    return found


def mentioned(s: Stmt) -> dict[str, Var]:
    """The variables of outer blocks that a statement, or a block in it, mentions, by name."""
    found = {a.name: a for a in operands(s) if type(a) is Var}
    for b in blocks(s):
        found |= free_vars(b)
    if type(s) is Loop:
        for v in (s.index, *s.carried):
            found.pop(v.name, None)
    return found


def using(block: Block, v: Var) -> list[Stmt]:
    """The statements of a block, with nested ones, that use a variable themselves or return it as a result of one of
    their blocks."""
    return [s for s in walk(block) if v in operands(s) or any(v in b.results for b in blocks(s))]


def written(s: Stmt) -> Var | None:
    """The array that a simple statement updates in place. Calls are excluded: the modes of the callee say what they
    update."""
    match s:
        case Store(array=a) | AddTo(array=a) | AddArray(array=a) | Fill(array=a) | Reserve(array=a):
            return a
        case Dense(updated=updated):
            return updated[0]
        case _:
            return None


def writes(s: Stmt) -> tuple[Var, ...]:
    """All arrays that a simple statement updates in place."""
    if isinstance(s, Dense):
        return s.updated
    target = written(s)
    return () if target is None else (target,)


def defined(f: Function) -> Iterator[Var]:
    """Every variable of a function, in text order."""
    yield from (p.var for p in f.params)
    for s in walk(f.body):
        yield from outputs(s)
        if type(s) is Loop:
            yield from (s.index, *s.carried)


def names_in(block: Block) -> frozenset[str]:
    """Every name defined in a block and those inside it; kept with the block."""
    try:
        return block.names
    except AttributeError:
        block.names = found = frozenset(_names(block))
        return found


def _names(block: Block) -> set[str]:
    found: set[str] = set()
    for s in block.stmts:
        kind = type(s)
        if kind in _ONE_OUTPUT:  # without a tuple: most statements, asked for by most passes
            found.add(s.out.name)
            continue
        found.update([v.name for v in outputs(s)])
        if kind is Loop:
            found.add(s.index.name)
            found.update([c.name for c in s.carried])
        for b in blocks(s):
            found |= names_in(b)
    return found


def all_names(f: Function) -> frozenset[str]:
    """Every name defined in a function."""
    return names_in(f.body).union(p.var.name for p in f.params)


def count_uses(f: Function) -> Counter[str]:
    """The number of mentions of each variable, with those in the results of blocks."""
    found = Counter(a.name for a in f.body.results if type(a) is Var)
    for s in walk(f.body):
        found.update(a.name for a in operands(s) if type(a) is Var)
        for b in blocks(s):
            found.update(a.name for a in b.results if type(a) is Var)
    return found
