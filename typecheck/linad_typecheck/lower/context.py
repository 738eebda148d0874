"""The state of lowering one function: its block under construction, its names, and what has been reported."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..core import Alloc, Atom, Const, Copy, Dim, Let, Names, Stmt, Var
from ..facts import Fact
from ..frozen import frozen
from ..linear.liveness import Liveness
from ..messages import Message
from ..scope import FunctionSource
from ..span import Span
from ..types import BOOL, FLOATS, I64, INTS, Array, Scalar, Type
from .values import ArrayValue, Binding, ScalarValue, Value

if TYPE_CHECKING:
    from .specialise import Specialiser

CTL, RET = "%ctl", "%ret"  # pseudo-names: how the block is being left, and with what value
RUN, CONTINUE, BREAK, RETURN = (Const(k, I64) for k in range(4))
TRUE, FALSE, ZERO, ONE = Const(True, BOOL), Const(False, BOOL), Const(0, I64), Const(1, I64)


@frozen(slots=True)
class Known:
    """What is known of a variable. It is written where the variable is defined and holds wherever that is in scope: nothing is
    added later, and nothing has to be taken back with an attempt that is undone, as no other variable ever gets the name."""

    nonneg: bool = False
    bits: int = 50  # of one that is not negative: below 2**bits; sizes and what is counted to one by one are
    wraps: bool = False  # a sum or product of ints that are not negative, which it is unless it has left its bits
    below: Atom | None = None  # the index of a loop that counts from 0: where it stops
    less: tuple[Atom, int] | None = None  # a size that is another less a literal, or 0
    single: bool = False  # a size that is 1, or 0 where a slice begins beyond the end: that of `a[k : k + 1]`
    in_order: bool = False  # an array whose cells surely lie in the order of C


NOTHING = Known()


@frozen
class Lent:
    """An array that the function does not own: a parameter or a module-level array."""

    name: str
    kind: str  # "entry": the caller of an entry function; "update": declared; "helper": may be moved; "global"


@dataclass
class Lowering:
    """One function on its way to the core."""

    source: FunctionSource
    programs: Specialiser
    live: Liveness
    local_names: frozenset[str]
    names: Names = field(default_factory=Names)
    out: list[Stmt] = field(default_factory=list)
    env: dict[str, Binding] = field(default_factory=dict)
    dims: dict[tuple, Atom] = field(default_factory=dict)  # sizes that the block has asked for
    tested: frozenset[str] = frozenset()  # ints that are not negative on this path: the block has tested them
    about: dict[str, Known] = field(default_factory=dict)
    widened: dict[str, tuple[str, Span]] = field(default_factory=dict)  # floats that are ints on a path: name, and where
    lent: dict[str, Lent] = field(default_factory=dict)
    alike: dict[str, frozenset[str]] = field(default_factory=dict)  # arrays that are one array in Python, each with its class
    looping: bool = False  # whether what is lowered is in a loop
    made: set[str] = field(default_factory=set)  # arrays that this iteration of the innermost loop has made
    owned: frozenset[str] = frozenset()  # names that a loop carries on with an array of their own, where iterations end
    hidden: dict[str, Var] = field(default_factory=dict)  # module-level arrays by key
    flight: list[tuple[Value | None, ast.expr]] = field(default_factory=list)  # evaluated, in expressions that are not yet
    frame: int | None = None  # those before it wait for the expression that is being lowered
    dead: bool = False  # behind a `raise`
    want_ctl: bool = False  # whether somebody asks how the block was left
    depth: Var | None = None  # of recursive calls, where this function is found to be recursive
    stmt: ast.stmt | None = None  # being lowered
    spec: object = None  # what this function is specialised for; None for the entry
    returned: list[tuple[Span, Value]] = field(default_factory=list)

    # -- places and reports

    def span(self, node: ast.AST) -> Span:
        return self.source.source.span(node)

    def report(self, message: Message) -> None:
        self.programs.report(message)

    def fact(self, kind: str, name: str, span: Span, reason: str) -> None:
        self.programs.facts[Fact(kind, name, span, reason)] = None

    def typed(self, name: str, span: Span, value: Value) -> None:
        """The name means this from here on: for editors."""
        self.programs.meanings[name, span] = value

    # -- statements

    def emit(self, s: Stmt) -> None:
        if not self.dead:
            self.out.append(s)
            if isinstance(s, Alloc | Copy):
                self.made.add(s.out.name)

    def fresh(self, hint: str, type: Type, **known: Any) -> Var:
        """A new variable, and what is `Known` of it."""
        out = self.names.var(hint, type)
        if any(known.values()):
            self.about[out.name] = Known(**known)
        return out

    def known(self, a: Atom) -> Known:
        return self.about.get(a.name, NOTHING) if isinstance(a, Var) else NOTHING

    def let(self, hint: str, op: str, ins: tuple[Atom, ...], type: Type, span: Span, **known: Any) -> Var:
        out = self.fresh(hint, type, **known)
        self.emit(Let(out, op, ins, span))
        return out

    @contextmanager
    def block(self) -> Iterator[list[Stmt]]:
        """Statements emitted inside go to a block of their own."""
        saved, dims, tested, dead = self.out, dict(self.dims), self.tested, self.dead
        self.out = []
        try:
            yield self.out
        finally:
            self.out, self.dims, self.tested, self.dead = saved, dims, tested, dead

    def global_array(self, name: str, t: Array, key: str) -> ArrayValue:
        """A module-level array: a hidden parameter."""
        if key not in self.hidden:
            self.hidden[key] = self.fresh(name, t)
            self.lent[self.hidden[key].name] = Lent(name, "global")
        return ArrayValue(self.hidden[key])

    # -- the size of an array along an axis, asked for once per block

    def dim(self, array: Var, axis: int, span: Span) -> Atom:
        known = self.dims.get((array.name, axis))
        if known is None:
            known = self.fresh(f"{array.name.partition('.')[0]}_n{axis if array.type.rank > 1 else ''}", I64, nonneg=True)
            self.emit(Dim(known, array, axis, span))
            self.dims[array.name, axis] = known
        return known

    def new_array(self, var: Var, shape: tuple[Atom, ...]) -> None:
        for axis, n in enumerate(shape):
            self.dims[var.name, axis] = n

    def is_nonneg(self, a: Atom) -> bool:
        return a.value >= 0 if isinstance(a, Const) else a.name in self.tested or self.known(a).nonneg

    def bits(self, a: Atom) -> int:
        """A bound of an int that is not negative: it is below 2 to this power."""
        if isinstance(a, Const):
            return int(a.value).bit_length()
        return self.known(a).bits if self.known(a).nonneg else 63

    def counts(self, a: Atom) -> bool:
        """Whether an int is not negative, unless arithmetic has left its bits."""
        return self.is_nonneg(a) or self.known(a).wraps

    def signed(self, nonneg: bool, bits: int, dtype: str = "i64") -> dict[str, Any]:
        """What is `Known` of the result of arithmetic that is not negative where it does not wrap."""
        fits = bits <= int(dtype[1:]) - 2
        return {"nonneg": True, "bits": bits} if nonneg and fits else {"wraps": nonneg}

    def not_negative(self, *ints: Atom) -> None:
        """From here to the end of the block these are known not to be negative: they were tested, or come from where only such
        ints are."""
        self.tested |= {a.name for a in ints if isinstance(a, Var)}

    def widen(self, out: Atom, name: str, at: Span, value: Value | None) -> None:
        """``out`` is the float that ``value``, bound to ``name`` at ``at``, becomes where paths meet."""
        if not (isinstance(out, Var) and isinstance(value, ScalarValue) and out.type.dtype in FLOATS) or name[0] == "%":
            return
        if value.dtype in INTS:
            self.widened[out.name] = (name, at)
        elif isinstance(value.atom, Var) and value.atom.name in self.widened:
            self.widened[out.name] = self.widened[value.atom.name]

    # -- values in flight

    def waiting(self) -> list[tuple[Value, ast.expr]]:
        """The values that are evaluated and are used only behind the expression that is being lowered, as ``a`` behind the call
        in ``a + g(a)``."""
        return [] if self.frame is None else [(v, node) for v, node in self.flight[: self.frame] if v is not None]

    def landed(self, value: Value) -> None:
        """A value that was in flight is handed on, or computed: it waits no more."""
        self.flight = [(None if v is value else v, node) for v, node in self.flight]

    # -- undoing an attempt

    def save(self) -> tuple:
        return (
            len(self.out),
            dict(self.env),
            dict(self.dims),
            self.tested,
            dict(self.widened),
            dict(self.alike),
            list(self.flight),
            self.dead,
            len(self.returned),
            self.programs.save(),
        )

    def restore(self, state: tuple) -> None:
        length, env, dims, tested, widened, alike, flight, dead, returned, reports = state
        self.env, self.dims, self.tested, self.dead = dict(env), dict(dims), tested, dead
        self.widened, self.alike, self.flight = dict(widened), dict(alike), list(flight)
        del self.out[length:]
        del self.returned[returned:]
        self.programs.restore(reports)


def zero(dtype: str) -> Const:
    return Const({"f": 0.0, "i": 0, "b": False}[dtype[0]], Scalar(dtype))
