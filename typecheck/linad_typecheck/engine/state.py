"""The state of lowering one function: the block under construction, its names, and what has been reported."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from ..ir.core import Alloc, Atom, Const, Copy, Dim, Let, Names, Stmt, Var
from ..facts import Fact
from ..frozen import frozen
from ..ownership.liveness import Liveness
from ..messages import Message
from ..names.scope import FunctionSource
from ..span import Span
from ..types import BOOL, BYTES, I64, INTS, NARROW, UNSIGNED, ZEROS, Array, DType, Scalar, Type
from .findings import Findings
from .path import Fixed, Path, Settled
from .programs import Programs
from .spec import Spec
from .quoted import Quoted
from .values import ArrayValue, Binding, ScalarValue, Value

CTL, RET = "%ctl", "%ret"  # pseudo-names: how control leaves the block, and the value returned
GIVEN_OBJECT = "%given."  # prefix of the names of the objects that a function is given and changes
RUN, CONTINUE, BREAK, RETURN = (Const(k, I64) for k in range(4))
_SMALL, _UNSIGNED = frozenset(NARROW), frozenset(UNSIGNED)
_NEITHER: tuple[str, tuple[Atom, ...]] = ("", ())
_AFFINE = frozenset(("add", "sub", "mul", "wrap", "min"))
MOVES = ("cast", "select")  # operations that take small ints without widening
TRUE, FALSE, ZERO, ONE = Const(True, BOOL), Const(False, BOOL), Const(0, I64), Const(1, I64)


@frozen
class Lent:
    """A borrowed array: a parameter or a module-level array, which the function does not own."""

    name: str
    # lender: "entry" the caller of an entry function; "update" declared as updated; "helper" may be moved; "global"
    kind: str


# An exception, the test in `attempts.TESTS` for whether it is raised, and the operands of that test.
Raises = tuple[tuple[str, str, tuple[Atom, ...]], ...]


Ones = frozenset[tuple[int, bool]]


@frozen(slots=True)
class Known:
    """Facts about a variable.

    They are recorded at its definition and hold wherever it is in scope. Nothing is added later, and nothing has to be
    undone when an attempt is discarded, because variable names are never reused.
    """

    nonneg: bool = False
    bits: int = 50  # a non-negative int is below 2**bits; 50 for sizes and counters with step one
    wraps: bool = False  # a sum or product of non-negative ints: non-negative unless it has overflowed
    least: int = 0  # a lower bound of a non-negative int
    below: Atom | None = None  # the upper bound of the index of a loop that counts from 0
    less: tuple[Atom, int] | None = None  # a size that is max(another size minus a literal, 0)
    single: bool = False  # a size of at most 1, that of `a[k : k + 1]`
    in_order: bool = False  # an array known to be in C order
    ones: Ones = frozenset()  # see `Lowering.ones`
    lent: Lent | None = None  # who lends the array, if it is borrowed
    # what Python raises for its own numbers, where generated code continues with inf or nan
    raises: Raises = ()
    copied: str = ""  # the caller's array of which this is a copy, though Python returns that array itself
    widened: tuple[str, Span] | None = None  # a float that is an int on some path: its name there, and where


NOTHING = Known()


T = TypeVar("T")


class Variables(Names):
    """The variables of a function, with unique names, and the facts about each."""

    def __init__(self) -> None:
        super().__init__()
        self.known: dict[str, Known] = {}
        self.made: dict[str, tuple[str, tuple[Atom, ...]]] = {}  # the affine operations by which ints were computed
        self.globals: dict[str, Var] = {}  # module-level arrays by key; they become hidden parameters
        self.updated: set[str] = set()  # arrays with updated cells; storing an item in a list is no update
        self.items_updated: set[str] = set()  # cells of lists, of which an array that is an item is updated

    def lent(self, name: str) -> Lent | None:
        return self.known.get(name, NOTHING).lent

    def all_lent(self) -> Iterator[tuple[str, Lent]]:
        return ((name, known.lent) for name, known in self.known.items() if known.lent is not None)


@dataclass
class Ahead(Generic[T]):
    """The result of lowering code tentatively: a value, statements, and the final path.

    It has no effect until `Lowering.take`. ``findings`` is None if they were reported right away.
    """

    value: T
    stmts: list[Stmt]
    path: Path
    findings: Findings | None = None


@dataclass
class Inlined:
    """The generators of a function that are inlined in their consumers, and other syntax trees that are made once.

    ``made``: by what they are made for, which the dictionary keeps alive. ``around``: the generator functions that are
    inlined around the current statement.
    """

    made: dict[object, Any] = field(default_factory=dict)
    around: list[ast.AST] = field(default_factory=list)


@dataclass
class Lowering:
    """The lowering of one function to the core."""

    source: FunctionSource
    programs: Programs
    live: Liveness
    local_names: frozenset[str]
    spec: Spec | None = None  # the specialisation; None for the entry
    variables: Variables = field(default_factory=Variables)
    path: Path = Path()
    out: list[Stmt] = field(default_factory=list)  # the block under construction
    settled: dict[object, Settled] = field(default_factory=dict)  # memoised results, by the node of the text
    inlined: Inlined = field(default_factory=lambda: Inlined())

    # -- the path

    @property
    def env(self) -> Fixed[str, Binding]:
        """The current bindings of names."""
        return self.path.env

    def go(self, **changes: Any) -> None:
        """Continue with some fields of the path replaced."""
        self.path = self.path.but(changes)

    def bind(self, name: str, binding: Binding) -> None:
        self.path = self.path.naming(name, binding)

    def bind_all(self, bindings: Mapping[str, Binding]) -> None:
        if bindings:
            self.go(env=self.env.having(bindings))

    def unbind(self, *names: str) -> Binding | None:
        """Remove bindings of names, and return the binding of the first one."""
        last = self.env.get(names[0]) if names else None
        if any(n in self.env for n in names):
            self.go(env=self.env.without(names))
        return last

    def pseudo(self, what: str, at: Span) -> str:
        """A name that cannot occur in Python text, for the expression at a position. It is the same each time that is
        lowered."""
        name = f"%{what}.{at.line}:{at.column}"
        while name in self.env:
            name += "'"
        return name

    @contextmanager
    def within(self, **around: Any) -> Iterator[None]:
        """Lower the code inside with some fields of the path replaced, and restore them."""
        before = {name: getattr(self.path, name) for name in around}
        self.go(**around)
        yield
        self.go(**before)

    @contextmanager
    def block(self) -> Iterator[list[Stmt]]:
        """Collect the statements emitted inside in a separate block."""
        before, out = self.path, self.out
        self.out = []
        try:
            yield self.out
        finally:
            self.out = out
            self.go(dims=before.dims, cells=before.cells, tested=before.tested, dead=before.dead)

    def ahead(self, run: Callable[[], T]) -> Ahead[T]:
        """Run ``run`` from the current path without committing its statements or path."""
        before, out = self.path, self.out
        self.out = []
        try:
            return Ahead(run(), self.out, self.path)
        finally:
            self.path, self.out = before, out

    def attempt(self, run: Callable[[], T]) -> Ahead[T]:
        """As `ahead`, and keep its diagnostics separate."""
        before = self.programs.findings
        self.programs.findings = Findings(before)
        try:
            found = self.ahead(run)
            found.findings = self.programs.findings
            return found
        finally:
            self.programs.findings = before

    def take(self, found: Ahead[T], emit: bool = True) -> T:
        """Commit a tentative result. Without ``emit`` its statements are dropped."""
        before = self.path
        self.path = found.path
        if emit:
            self.out += found.stmts
        else:
            self.go(dims=before.dims, cells=before.cells, tested=before.tested, dead=before.dead)
        if found.findings is not None:
            self.programs.findings.take(found.findings)
        return found.value

    # -- places and reports

    def span(self, node: ast.AST) -> Span:
        return self.source.source.spans[node]

    def report(self, message: Message) -> None:
        self.programs.report(message)

    def raised(self, error: str) -> None:
        """Record that the next report is an error that Python raises too, whatever the arguments are."""
        found = self.programs.findings
        if not found.raised and not any(d.severity == "error" for d in found.diagnostics):
            found.raised = error

    def fact(self, kind: str, name: str, span: Span, reason: str) -> None:
        if not self.source.library and "%" not in name:
            self.programs.findings.facts[Fact(kind, name, span, reason)] = None

    def typed(self, name: str, span: Span, value: Value) -> None:
        """Record the value of a name of the user from here on, for editors."""
        if not self.source.library:
            self.programs.meanings[name, span] = value

    # -- statements

    def emit(self, s: Stmt) -> None:
        if not self.path.dead:
            self.out.append(s)
            if isinstance(s, Alloc | Copy):
                self.go(made=self.path.made | {s.out.name})

    def fresh(self, hint: str, type: Type, **known: Any) -> Var:
        """A new variable, with what is `Known` about it."""
        out = self.variables.var(hint, type)
        if known and any(known.values()):
            self.variables.known[out.name] = Known(**known)
        return out

    def computed(self, a: Atom) -> tuple[str, tuple[Atom, ...]]:
        """The affine operation that computed an int, if any."""
        return self.variables.made.get(a.name, _NEITHER) if isinstance(a, Var) else _NEITHER

    def known(self, a: Atom) -> Known:
        return self.variables.known.get(a.name, NOTHING) if isinstance(a, Var) else NOTHING

    def let(self, hint: str, op: str, ins: tuple[Atom, ...], type: Type, span: Span, **known: Any) -> Var:
        if ins and ins[0].type.dtype in _SMALL and op not in MOVES:  # small ints are a storage format only
            wide = tuple(self.wide(a, span) for a in ins)
            if type.dtype not in NARROW:
                return self.let(hint, op, wide, type, span, **known)
            return self.let(hint, "cast", (self.let(hint, op, wide, I64, span, **known),), type, span)
        out = self.fresh(hint, type, **known)
        if op in _AFFINE and type == I64:
            self.variables.made[out.name] = (op, ins)
        self.emit(Let(out, op, ins, span))
        return out

    def wide(self, a: Atom, span: Span) -> Atom:
        """A small int converted to the int64 in which the core computes; any other atom unchanged."""
        if a.type.dtype not in NARROW:
            return a
        if isinstance(a, Const):
            return Const(a.value, I64)
        return self.let("t", "cast", (a,), I64, span, **self.signed(self.counts(a), self.bits(a)))

    def global_array(self, name: str, t: Array, key: str) -> ArrayValue:
        """A module-level array, which becomes a hidden parameter."""
        found = self.variables.globals
        if key not in found:
            found[key] = self.fresh(name, t, lent=Lent(name, "global"))
        return ArrayValue(found[key])

    # -- the size of an array along an axis, asked for once per block

    def dim(self, array: Var, axis: int, span: Span) -> Atom:
        known = self.path.dims.get((array.name, axis))
        if known is None:
            ones = self.known(array).ones
            if (axis, True) in ones:
                return ONE
            name = f"{array.name.partition('.')[0]}_n{axis if array.type.rank > 1 else ''}"
            known = self.fresh(name, I64, nonneg=True, single=(axis, False) in ones)
            self.emit(Dim(known, array, axis, span))
            self.asked({(array.name, axis): known})
        return known

    def ones(self, array: Var, path: Path | None = None) -> Ones:
        """The axes of an array that are known to have at most one cell, ``(axis, False)``, and of these again those
        that have exactly one, ``(axis, True)``: the axes that broadcasting stretches."""
        dims = (path or self.path).dims
        return self.known(array).ones | self.ones_among([dims.get((array.name, k)) for k in range(array.type.rank)])

    def ones_among(self, shape: Iterable[Atom | None]) -> Ones:
        """`ones` of an array of this shape; None for a size that is not known."""
        found = frozenset()
        for axis, n in enumerate(shape):
            if n == ONE:
                found |= {(axis, False), (axis, True)}
            elif n == ZERO or (type(n) is Var and self.known(n).single):
                found |= {(axis, False)}
        return found

    def asked(self, sizes: Mapping[tuple, Atom]) -> None:
        """Record sizes that are known from here to the end of the block."""
        self.go(dims=self.path.dims.having(sizes))

    def is_nonneg(self, a: Atom) -> bool:
        if isinstance(a, Const):
            return a.value >= 0
        return a.type.dtype in _UNSIGNED or a.name in self.path.tested or self.known(a).nonneg

    def bits(self, a: Atom) -> int:
        """The number of bits of a non-negative int; 63 if no bound is known."""
        if isinstance(a, Const):
            return int(a.value).bit_length() if isinstance(a.value, int) else 63  # a float may be infinite
        if a.type.dtype in _UNSIGNED:
            return 8 * BYTES[a.type.dtype]
        return self.known(a).bits if self.known(a).nonneg else 63

    def counts(self, a: Atom) -> bool:
        """Whether an int is non-negative, or would be if its arithmetic had not wrapped."""
        return self.is_nonneg(a) or self.known(a).wraps

    def signed(self, nonneg: bool, bits: int, dtype: DType = "i64") -> dict[str, Any]:
        """What is `Known` about the result of arithmetic that is non-negative unless it wraps."""
        fits = bits <= 8 * BYTES[dtype] - 2
        return {"nonneg": True, "bits": bits} if nonneg and fits else {"wraps": nonneg}

    def not_negative(self, *ints: Atom) -> None:
        """Record that ints are non-negative from here to the end of the block."""
        self.go(tested=self.path.tested.union(a.name for a in ints if isinstance(a, Var)))

    def widened(self, name: str, at: Span, value: Value | None) -> tuple[str, Span] | None:
        """What is `Known` about the float into which ``value``, bound to ``name`` at ``at``, is converted at a join."""
        if not isinstance(value, ScalarValue) or name[0] == "%":
            return None
        return (name, at) if value.dtype in INTS else self.known(value.atom).widened

    def wants_literal(self, v: object) -> None:
        """Note that an int or a bool has to be known here. If it comes from a parameter, the function is specialised
        for its value."""
        pending = [v.atom] if isinstance(v, ScalarValue) else []
        made = {s.out: s.ins for s in self.out if isinstance(s, Let)} if pending else {}
        for a in pending:  # the operands it is computed from are needed too
            pending += made.pop(a, ())
            if not isinstance(a, Var) or a.type not in (I64, BOOL):
                continue
            if self.spec is None:
                name = self.programs.numbers.get(a.name)
                if name is not None:
                    self.programs.wanted[name] = None
            elif a.name in self.spec.numbers:
                self.spec.wanted[self.spec.numbers[a.name]] = None

    # -- values in flight

    def waiting(self) -> list[tuple[Value, ast.expr]]:
        """The values that have been evaluated and are used after the current expression, such as ``a`` during the call
        in ``a + g(a)``."""
        return [(v, node) for v, node in self.path.flight[: self.path.frame] if v is not None]

    def all_landed(self) -> None:
        """Mark the values that the current expression has evaluated as used."""
        flight, frame = self.path.flight, self.path.frame
        used = ((None, node if v is None else Quoted(node, v)) for v, node in flight[frame:])
        self.go(flight=(*flight[:frame], *used))

    def landed(self, value: Value) -> None:
        """Mark a pending value as used. It may be pending twice, as ``p`` in ``f(p, p.change())``: then the last; and
        it may be used several times on its way into a call."""
        flight = self.path.flight
        for k in reversed(range(len(flight))):
            held, node = flight[k]
            if held is None and isinstance(node, Quoted) and node.value is value:
                return
            if held is value:
                return self.go(flight=(*flight[:k], (None, Quoted(node, value)), *flight[k + 1 :]))


def zero(dtype: DType) -> Const:
    return Const(ZEROS[dtype], Scalar(dtype))
