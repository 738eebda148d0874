"""Well-formedness of the core: what every pass may take for granted. An empty answer means well formed.

This is not the linear checker: a well-formed program may still use an array twice. It is run between all passes in the
tests, so a pass that breaks the form is named at once and not three passes later.
"""

from __future__ import annotations

import builtins
import string
from collections.abc import Callable, Iterable
from typing import get_args

from .core import (
    RETRY,
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
    Same,
    Scheme,
    Stmt,
    Store,
    Var,
    blocks,
    operands,
    outputs,
    walk,
    written,
)
from .printing import let_type, print_stmt
from ..dense_ops import DENSE
from ..ops import LITERAL_SECOND, OPS
from ..types import BOOL, FLOATS, I64, INTS, NARROW, Array, Scalar, Type

_INTS = tuple(d for d in INTS if d not in NARROW)
_NUMERIC = (*FLOATS, *_INTS)
_ANY = (*_NUMERIC, "bool")
_KINDS = ("sequential", "map", "sum", "scan")

# The element types that an operation takes where its kind does not decide it.
_TAKES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("abs", "sign", "floordiv", "mod", "pow"), _NUMERIC),
    **dict.fromkeys(("copysign", "mul_rounded", "powi", "isnan", "isinf", "isfinite"), FLOATS),
    **dict.fromkeys(("bitand", "bitor", "bitxor", "invert"), (*_INTS, "bool")),
    **dict.fromkeys(("shl", "shr"), _INTS),
    **dict.fromkeys(("trips", "wrap", "gcd", "comb", "perm", "isqrt"), ("i64",)),
    "select": (*_ANY, *NARROW),
    **dict.fromkeys(("eq", "ne", "lt", "le", "gt", "ge"), _ANY),
}
_TAKES_BY_KIND: dict[str, tuple[str, ...]] = {
    "add": _NUMERIC,
    "mul": _NUMERIC,
    "div": FLOATS,
    "unary": FLOATS,
    "choose": _NUMERIC,
    "logic": ("bool",),
    "cast": (*_ANY, *NARROW),
}


def dtypes_of(op: str) -> tuple[str, ...]:
    """The element types of the operands of an operation (of `select` those it chooses from, but for literal ones)."""
    return _TAKES.get(op, _TAKES_BY_KIND.get(OPS[op].kind, _ANY))


class _Verifier:
    """The errors of one function, with the types of the names that are visible."""

    def __init__(self, program: Program, function: Function, linear: bool) -> None:
        self.program, self.function, self.linear = program, function, linear
        self.errors: list[str] = []
        self.defined: dict[str, Var] = {}
        self.here: Stmt | str = ""  # what is looked at

    def report(self, what: str) -> None:
        here = self.here if isinstance(self.here, str) else print_stmt(self.here).partition("\n")[0]
        self.errors.append(f"{self.function.name}: {what}{here and f' in `{here}`'}")

    def require(self, condition: bool, what: str) -> bool:
        if not condition:
            self.report(what)
        return condition

    # -------------------------------------------------------------------------------------------------- names

    def define(self, v: Var, scope: dict[str, Type]) -> None:
        self.require(v.name not in self.defined, f"{v.name} is defined twice")
        self.defined[v.name] = v
        scope[v.name] = v.type

    def use(self, a: Atom, scope: dict[str, Type]) -> None:
        match a:
            case Const(value=value, type=t):
                kind = bool if t == BOOL else (int, float) if t.dtype in FLOATS else int
                if not (isinstance(value, kind) and (t == BOOL or type(value) is not bool)):
                    self.report(f"{a!r} is no {t}")
            case Var(name=name) if name not in scope:
                self.report(f"{name} is not defined here")
            case Var(name=name, type=t) if scope[name] != t:
                self.report(f"{name} is {scope[name]}, used as {t}")
            case Var(name=name, adjoint=adjoint) if self.defined[name].adjoint != adjoint:
                self.report(f"{name} is {'no' if adjoint else 'an'} adjoint")

    # -------------------------------------------------------------------------------------------------- types

    def typed(self, what: str, a: Atom, expected: Type) -> None:
        if a.type != expected:
            self.report(f"{what} {a} is {a.type}, not {expected}")

    def is_array(self, a: Atom) -> bool:
        return self.require(isinstance(a, Var) and isinstance(a.type, Array), f"{a} is not an array")

    def access(self, array: Var, index: tuple[Atom, ...]) -> None:
        if not self.is_array(array):
            return
        self.require(len(index) == array.type.rank, f"{len(index)} indices for {array}: {array.type}")
        for i in index:
            self.typed("index", i, I64)

    def element(self, array: Var, value: Atom) -> None:
        if isinstance(array.type, Array):
            self.typed("value", value, Scalar(array.type.dtype))

    def agree(self, what: str, left: Iterable[Atom], right: Iterable[Atom]) -> None:
        """Equal numbers of values, pairwise of equal types."""
        left, right = tuple(left), tuple(right)
        if self.require(len(left) == len(right), f"{len(left)} {what} for {len(right)}"):
            for a, b in zip(left, right):
                self.require(a.type == b.type, f"{what}: {a} is {a.type}, {b} is {b.type}")

    def both(self, source: Var, target: Var) -> None:
        """Both names of one array are adjoints or neither is: a user may update it under one of them."""
        if source.adjoint != target.adjoint:
            self.report(f"of {source} and {target}, names of one array, one is an adjoint")

    # --------------------------------------------------------------------------------------------- statements

    def block(self, block: Block, scope: dict[str, Type]) -> None:
        scope = dict(scope)
        for s in block.stmts:
            self.here = s
            for a in operands(s):
                self.use(a, scope)
            _RULES[type(s)](self, s)
            inner = scope
            if isinstance(s, Loop):
                inner = dict(scope)
                for v in (s.index, *s.carried):
                    self.define(v, inner)
            for nested in blocks(s):
                self.block(nested, inner)
            for v in outputs(s):
                self.define(v, scope)
        self.here = "results"
        for a in block.results:
            self.use(a, scope)
        self.here = ""

    def let(self, s: Let) -> None:
        op = OPS.get(s.op)
        if op is None:
            self.report(f"unknown operation {s.op}")
            return
        if not self.require(len(s.ins) == op.arity, f"{s.op} takes {op.arity} operands"):
            return
        if not all([self.require(isinstance(a.type, Scalar), f"{a} is not a scalar") for a in s.ins]):
            return
        takes = dtypes_of(s.op)
        literal = s.op in LITERAL_SECOND
        agreeing = s.ins[:1] if literal else s.ins[1:] if s.op == "select" else s.ins
        for a in agreeing:
            if a.type.dtype not in takes:
                self.report(f"{s.op} does not take {a}: {a.type}")
            if a.type != agreeing[0].type:
                self.report(f"the operands of {s.op} differ: {a.type}, {agreeing[0].type}")
        if s.op == "select":
            self.typed("condition", s.ins[0], BOOL)
        if literal:
            self.require(
                isinstance(s.ins[1], Const) and s.ins[1].type == I64,
                f"the {'exponent' if s.op == 'powi' else 'order'} of {s.op} is an i64 literal",
            )
        if s.op == "pow" and s.ins[0].type.dtype in INTS:
            exponent = s.ins[1]
            self.require(isinstance(exponent, Const) and exponent.value >= 0, "int pow needs a literal exponent >= 0")
        expected = let_type(s.op, s.ins)
        self.require(isinstance(s.out.type, Scalar), f"{s.out} is {s.out.type}")
        if expected is not None:
            self.typed("result", s.out, expected)

    def only_linear(self, s: Dup | Drop | Read | Same) -> None:
        self.require(self.linear, f"{type(s).__name__} outside the linear form")

    def same(self, s: Same) -> None:
        self.only_linear(s)
        if self.is_array(s.copy) and self.is_array(s.array):  # the copy of a row, say
            self.require(s.copy.type.dtype == s.array.type.dtype, f"{s.copy} is no copy of cells of {s.array}")

    def dup(self, s: Dup) -> None:
        self.only_linear(s)
        self.agree("results", (s.first, s.second), (s.x, s.x))

    def read(self, s: Read) -> None:
        self.only_linear(s)
        self.typed("result", s.out, s.x.type)
        self.require(isinstance(s.x.type, Scalar), f"{s.x} is an array: it needs no read")

    def load(self, s: Load) -> None:
        self.access(s.array, s.index)
        self.element(s.array, s.out)

    def store(self, s: Store | AddTo) -> None:
        self.access(s.array, s.index)
        self.element(s.array, s.value)
        if isinstance(s, AddTo):
            self.require(s.array.type.dtype != "bool", "+= on bools")

    def dim(self, s: Dim) -> None:
        self.typed("result", s.out, I64)
        if self.is_array(s.array):
            self.require(0 <= s.axis < s.array.type.rank, f"{s.array}: {s.array.type} has no axis {s.axis}")

    def alloc(self, s: Alloc) -> None:
        if self.is_array(s.out):
            self.require(s.out.type.rank == len(s.shape), f"{len(s.shape)} sizes for {s.out.type}")
        for n in s.shape:
            self.typed("size", n, I64)
        if s.fill is not None:
            self.element(s.out, s.fill)

    def copy(self, s: Copy) -> None:
        if self.is_array(s.array):
            self.typed("result", s.out, s.array.type)

    def add_array(self, s: AddArray) -> None:
        if self.is_array(s.array) and self.is_array(s.other):
            self.typed("summand", s.other, s.array.type)
            self.require(s.array.type.dtype != "bool", "+= on bools")

    def fill(self, s: Fill) -> None:
        if self.is_array(s.array):
            self.element(s.array, s.value)

    def dense(self, s: Dense) -> None:
        op = DENSE.get(s.op)
        if op is not None and op.compiled:
            self.require(all(map(self.is_array, (*s.updated, *s.read))), f"{s.op} is of arrays")
            return
        if op is None or s.flags not in op.flags:
            self.report(f"unknown operation {s.op}:{s.flags}")
            return
        arrays, ranks = (*s.updated, *s.read), (*op.updated, *op.read)
        if not self.require(
            len(s.updated) == len(op.updated) and len(s.read) == len(op.read), f"{s.op} is of {len(ranks)} arrays"
        ):
            return
        floats = {a.type.dtype for k, a in enumerate(arrays) if k not in op.ints}
        self.require(len(floats) == 1 and floats <= set(FLOATS), f"{s.op} is of floats of one type")
        for k, (a, rank) in enumerate(zip(arrays, ranks, strict=True)):
            if self.is_array(a):
                self.require(a.type.rank == rank, f"{a}: {a.type} in {s.op} has rank {rank}")
                self.require((a.type.dtype == "i64") == (k in op.ints), f"{a}: {a.type} in {s.op}")

    def reserve(self, s: Reserve) -> None:
        self.typed("size", s.size, I64)
        if self.is_array(s.array):
            self.require(s.array.type.rank == 1, f"reserve of {s.array}: {s.array.type}")

    def if_(self, s: If) -> None:
        self.typed("condition", s.cond, BOOL)
        self.agree("results of the first arm", s.then.results, s.outs)
        self.agree("results of the second arm", s.orelse.results, s.outs)

    def loop(self, s: Loop) -> None:
        for a in (s.index, s.start, s.step, *(() if s.stop is None else (s.stop,))):
            self.typed("range", a, I64)
        self.require(s.step != Const(0, I64), "step 0")
        self.require(s.kind in _KINDS, f"unknown kind {s.kind}")
        self.require(s.exits or s.trips is None, "trips without exits")
        self.require(s.exits or s.stop is not None, "a loop without stop needs exits")
        self.agree("initial values", s.inits, s.carried)
        self.agree("results of the loop", s.outs, s.carried)
        results = s.body.results
        if s.exits and self.require(len(results) > 0, "the body of a loop with exits says whether to go on"):
            self.typed("first result of a loop with exits", results[0], BOOL)
            results = results[1:]
        self.agree("results of the body", results, s.carried)
        if s.trips is not None:
            self.typed("trips", s.trips, I64)
        if s.mark is not None:
            self.require(s.mark.scheme in get_args(Scheme), f"unknown scheme {s.mark.scheme}")
            for a in s.mark.atoms:
                self.typed("checkpoint", a, I64)

    def call(self, s: Call) -> None:
        callee = self.program.functions.get(s.callee)
        if callee is None:
            self.report(f"there is no function {s.callee}")
            return
        self.agree("arguments", s.args, [p.var for p in callee.params])
        self.agree("results", s.outs, callee.body.results)
        for o, r in zip(s.outs, callee.body.results):
            if isinstance(r, Var) and isinstance(r.type, Array):
                self.both(r, o)

    def check(self, s: Check) -> None:
        self.typed("condition", s.cond, BOOL)
        error = getattr(builtins, s.error, None)
        is_error = isinstance(error, type) and issubclass(error, Exception)
        self.require(is_error or s.error in ("LinAlgError", RETRY), f"{s.error} is not a builtin exception")
        try:
            fields = [f for _, f, _, _ in string.Formatter().parse(s.message) if f is not None]
            s.message.format(*(0 for _ in s.args))
        except (ValueError, IndexError, KeyError) as e:
            self.report(f"the message cannot be formatted ({e})")
            return
        self.require(len(fields) <= len(s.args) or any(fields), "more places than arguments in the message")

    # ------------------------------------------------------------------------------------------------- modes

    def modes(self) -> None:
        """Lent arrays are used as their modes allow, under whatever name they are bound to."""
        modes: dict[str, set[str]] = {p.var.name: {p.mode} for p in self.function.params if p.mode in ("read", "acc")}
        bindings = list(_bindings(self.function.body))
        for source, target in bindings:
            self.both(source, target)
        if not modes:
            return
        grown = True
        while grown:
            grown = False
            for source, target in bindings:
                new = modes.get(source.name, set()) - modes.get(target.name, set())
                if new:
                    modes.setdefault(target.name, set()).update(new)
                    grown = True
        for s in walk(self.function.body):
            self.here = s
            for name, use in self.uses(s):
                for mode in modes.get(name, ()):
                    self.require(use in _ALLOWED[mode], f"{name} is lent as `{mode}`, used as `{use}`")
        self.here = ""

    def uses(self, s: Stmt) -> list[tuple[str, str]]:
        """The arrays a statement touches and how."""
        match s:
            case AddTo(array=a):
                return [(a.name, "acc")]
            case AddArray(array=a, other=b):
                return [(a.name, "acc"), (b.name, "read")]
            case Dense(op=op, updated=updated, read=read):
                return [*((a.name, DENSE[op].mode) for a in updated), *((a.name, "read") for a in read)]
            case Load(array=a) | Copy(array=a):
                return [(a.name, "read")]
            case Call(callee=callee, args=args) if callee in self.program.functions:
                params = self.program.functions[callee].params
                return [(a.name, p.mode) for a, p in zip(args, params) if isinstance(a, Var)]
            case _:
                target = written(s)
                return [] if target is None else [(target.name, "mut")]


_ALLOWED = {"read": ("read",), "acc": ("acc",)}


def _bindings(block: Block) -> Iterable[tuple[Var, Var]]:
    """Pairs (array, other name it may be bound to): carried values and results of regions."""
    for s in walk(block):
        pairs: list[tuple[Atom, Var]] = []
        match s:
            case If(then=then, orelse=orelse, outs=outs):
                pairs = [*zip(then.results, outs), *zip(orelse.results, outs)]
            case Loop(carried=carried, inits=inits, body=body, outs=outs, exits=exits):
                results = body.results[1:] if exits else body.results
                pairs = [*zip(inits, carried), *zip(results, carried), *zip(carried, outs)]
        for a, v in pairs:
            if isinstance(a, Var) and isinstance(a.type, Array):
                yield a, v


_RULES: dict[type, Callable[..., None]] = {
    Let: _Verifier.let,
    Dup: _Verifier.dup,
    Drop: _Verifier.only_linear,
    Read: _Verifier.read,
    Same: _Verifier.same,
    Load: _Verifier.load,
    Store: _Verifier.store,
    AddTo: _Verifier.store,
    Dim: _Verifier.dim,
    Alloc: _Verifier.alloc,
    Copy: _Verifier.copy,
    AddArray: _Verifier.add_array,
    Dense: _Verifier.dense,
    Fill: _Verifier.fill,
    Reserve: _Verifier.reserve,
    If: _Verifier.if_,
    Loop: _Verifier.loop,
    Call: _Verifier.call,
    Check: _Verifier.check,
}


def verify(program: Program, *, linear: bool = False) -> list[str]:
    """What is wrong with the form of a program; empty where nothing is.

    Parameters
    ----------
    program : Program
    linear : bool
        Whether `Dup`, `Drop`, `Read` and `Same` may occur.
    """
    errors: list[str] = []
    if program.entry not in program.functions:
        errors.append(f"there is no entry function {program.entry}")
    for name, function in program.functions.items():
        v = _Verifier(program, function, linear)
        v.require(name == function.name, f"listed as {name}")
        scope: dict[str, Type] = {}
        for p in function.params:
            v.define(p.var, scope)
            v.require(isinstance(p.var.type, Array) or p.mode == "own", f"scalar {p.var} has mode {p.mode}")
        v.block(function.body, scope)
        v.modes()
        errors += v.errors
    return errors
