"""The verifier of the core: the well-formedness that every pass relies on.

It is not the linear checker: a well-formed program may use an array twice. Tests run it after every pass, so that a
pass that breaks the form is identified at once.
"""

from __future__ import annotations

import builtins
import string
from collections.abc import Callable, Iterable
from typing import get_args

from . import core as ir
from .printing import let_type, print_stmt
from ..dense_ops import DENSE
from ..ops import LITERAL_SECOND, OPS
from ..types import BOOL, FLOATS, I64, INTS, NARROW, Array, Scalar, Type

_INTS = tuple(d for d in INTS if d not in NARROW)
_NUMERIC = (*FLOATS, *_INTS)
_ANY = (*_NUMERIC, "bool")
_KINDS = get_args(ir.LoopKind)

# The element types that an operation takes, if its kind does not determine them.
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
    """The element types of the operands of an operation. For `select`, of the values that it selects from, except
    literals."""
    return _TAKES.get(op, _TAKES_BY_KIND.get(OPS[op].kind, _ANY))


class _Verifier:
    """The errors of one function, and the types of the names in scope."""

    def __init__(self, program: ir.Program, function: ir.Function, linear: bool) -> None:
        self.program, self.function, self.linear = program, function, linear
        self.errors: list[str] = []
        self.defined: dict[str, ir.Var] = {}
        self.here: ir.Stmt | str = ""  # what is being verified

    def report(self, what: str) -> None:
        here = self.here if isinstance(self.here, str) else print_stmt(self.here).partition("\n")[0]
        self.errors.append(f"{self.function.name}: {what}{here and f' in `{here}`'}")

    def require(self, condition: bool, what: str) -> bool:
        if not condition:
            self.report(what)
        return condition

    # -------------------------------------------------------------------------------------------------- names

    def define(self, v: ir.Var, scope: dict[str, Type]) -> None:
        self.require(v.name not in self.defined, f"{v.name} is defined twice")
        self.defined[v.name] = v
        scope[v.name] = v.type

    def use(self, a: ir.Atom, scope: dict[str, Type]) -> None:
        match a:
            case ir.Const(value=value, type=t):
                kind = bool if t == BOOL else (int, float) if t.dtype in FLOATS else int
                if not (isinstance(value, kind) and (t == BOOL or type(value) is not bool)):
                    self.report(f"{a!r} is no {t}")
            case ir.Var(name=name) if name not in scope:
                self.report(f"{name} is not defined here")
            case ir.Var(name=name, type=t) if scope[name] != t:
                self.report(f"{name} is {scope[name]}, used as {t}")
            case ir.Var(name=name, adjoint=adjoint) if self.defined[name].adjoint != adjoint:
                self.report(f"{name} is {'no' if adjoint else 'an'} adjoint")

    # -------------------------------------------------------------------------------------------------- types

    def typed(self, what: str, a: ir.Atom, expected: Type) -> None:
        if a.type != expected:
            self.report(f"{what} {a} is {a.type}, not {expected}")

    def is_array(self, a: ir.Atom) -> bool:
        return self.require(isinstance(a, ir.Var) and isinstance(a.type, Array), f"{a} is not an array")

    def access(self, array: ir.Var, index: tuple[ir.Atom, ...]) -> None:
        if not self.is_array(array):
            return
        self.require(len(index) == array.type.rank, f"{len(index)} indices for {array}: {array.type}")
        for i in index:
            self.typed("index", i, I64)

    def element(self, array: ir.Var, value: ir.Atom) -> None:
        if isinstance(array.type, Array):
            self.typed("value", value, Scalar(array.type.dtype))

    def agree(self, what: str, left: Iterable[ir.Atom], right: Iterable[ir.Atom]) -> None:
        """Verify that two sequences have the same length and pairwise equal types."""
        left, right = tuple(left), tuple(right)
        if self.require(len(left) == len(right), f"{len(left)} {what} for {len(right)}"):
            for a, b in zip(left, right):
                self.require(a.type == b.type, f"{what}: {a} is {a.type}, {b} is {b.type}")

    def both(self, source: ir.Var, target: ir.Var) -> None:
        """Verify that both or neither of two names of one array are adjoints: the user may update it under either
        name."""
        if source.adjoint != target.adjoint:
            self.report(f"of {source} and {target}, names of one array, one is an adjoint")

    # --------------------------------------------------------------------------------------------- statements

    def block(self, block: ir.Block, scope: dict[str, Type]) -> None:
        scope = dict(scope)
        for s in block.stmts:
            self.here = s
            for a in ir.operands(s):
                self.use(a, scope)
            _RULES[type(s)](self, s)
            inner = scope
            if isinstance(s, ir.Loop):
                inner = dict(scope)
                for v in (s.index, *s.carried):
                    self.define(v, inner)
            for nested in ir.blocks(s):
                self.block(nested, inner)
            for v in ir.outputs(s):
                self.define(v, scope)
        self.here = "results"
        for a in block.results:
            self.use(a, scope)
        self.here = ""

    def let(self, s: ir.Let) -> None:
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
                isinstance(s.ins[1], ir.Const) and s.ins[1].type == I64,
                f"the {'exponent' if s.op == 'powi' else 'order'} of {s.op} is an i64 literal",
            )
        if s.op == "pow" and s.ins[0].type.dtype in INTS:
            exponent = s.ins[1]
            literal = isinstance(exponent, ir.Const) and exponent.value >= 0
            self.require(literal, "int pow needs a literal exponent >= 0")
        expected = let_type(s.op, s.ins)
        self.require(isinstance(s.out.type, Scalar), f"{s.out} is {s.out.type}")
        if expected is not None:
            self.typed("result", s.out, expected)

    def only_linear(self, s: ir.Dup | ir.Drop | ir.Read | ir.Same) -> None:
        self.require(self.linear, f"{type(s).__name__} outside the linear form")

    def same(self, s: ir.Same) -> None:
        self.only_linear(s)
        if self.is_array(s.copy) and self.is_array(s.array):  # for example, the copy of a row
            self.require(s.copy.type.dtype == s.array.type.dtype, f"{s.copy} is no copy of cells of {s.array}")

    def dup(self, s: ir.Dup) -> None:
        self.only_linear(s)
        self.agree("results", (s.first, s.second), (s.x, s.x))

    def read(self, s: ir.Read) -> None:
        self.only_linear(s)
        self.typed("result", s.out, s.x.type)
        self.require(isinstance(s.x.type, Scalar), f"{s.x} is an array: it needs no read")

    def load(self, s: ir.Load) -> None:
        self.access(s.array, s.index)
        self.element(s.array, s.out)

    def store(self, s: ir.Store | ir.AddTo) -> None:
        self.access(s.array, s.index)
        self.element(s.array, s.value)
        if isinstance(s, ir.AddTo):
            self.require(s.array.type.dtype != "bool", "+= on bools")

    def dim(self, s: ir.Dim) -> None:
        self.typed("result", s.out, I64)
        if self.is_array(s.array):
            self.require(0 <= s.axis < s.array.type.rank, f"{s.array}: {s.array.type} has no axis {s.axis}")

    def alloc(self, s: ir.Alloc) -> None:
        if self.is_array(s.out):
            self.require(s.out.type.rank == len(s.shape), f"{len(s.shape)} sizes for {s.out.type}")
        for n in s.shape:
            self.typed("size", n, I64)
        if s.fill is not None:
            self.element(s.out, s.fill)

    def copy(self, s: ir.Copy) -> None:
        if self.is_array(s.array):
            self.typed("result", s.out, s.array.type)

    def add_array(self, s: ir.AddArray) -> None:
        if self.is_array(s.array) and self.is_array(s.other):
            self.typed("summand", s.other, s.array.type)
            self.require(s.array.type.dtype != "bool", "+= on bools")

    def fill(self, s: ir.Fill) -> None:
        if self.is_array(s.array):
            self.element(s.array, s.value)

    def dense(self, s: ir.Dense) -> None:
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
        one = len(floats) == (len(op.ints) < len(arrays))
        self.require(one and floats <= set(FLOATS), f"{s.op} is of floats of one type")
        for k, (a, rank) in enumerate(zip(arrays, ranks, strict=True)):
            if self.is_array(a):
                self.require(a.type.rank == rank, f"{a}: {a.type} in {s.op} has rank {rank}")
                self.require((a.type.dtype == "i64") == (k in op.ints), f"{a}: {a.type} in {s.op}")

    def reserve(self, s: ir.Reserve) -> None:
        self.typed("size", s.size, I64)
        if self.is_array(s.array):
            self.require(s.array.type.rank == 1, f"reserve of {s.array}: {s.array.type}")

    def if_(self, s: ir.If) -> None:
        self.typed("condition", s.cond, BOOL)
        self.agree("results of the first arm", s.then.results, s.outs)
        self.agree("results of the second arm", s.orelse.results, s.outs)

    def loop(self, s: ir.Loop) -> None:
        for a in (s.index, s.start, s.step, *(() if s.stop is None else (s.stop,))):
            self.typed("range", a, I64)
        self.require(s.step != ir.Const(0, I64), "step 0")
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
            self.require(s.mark.scheme in get_args(ir.Scheme), f"unknown scheme {s.mark.scheme}")
            for a in s.mark.atoms:
                self.typed("checkpoint", a, I64)

    def call(self, s: ir.Call) -> None:
        callee = self.program.functions.get(s.callee)
        if callee is None:
            self.report(f"there is no function {s.callee}")
            return
        self.agree("arguments", s.args, [p.var for p in callee.params])
        self.agree("results", s.outs, callee.body.results)
        for o, r in zip(s.outs, callee.body.results):
            if isinstance(r, ir.Var) and isinstance(r.type, Array):
                self.both(r, o)

    def check(self, s: ir.Check) -> None:
        self.typed("condition", s.cond, BOOL)
        error = getattr(builtins, s.error, None)
        is_error = isinstance(error, type) and issubclass(error, Exception)
        known = is_error or "." in s.error or s.error in ("LinAlgError", ir.RETRY)  # with a dot: a class of a module
        self.require(known, f"{s.error} is not a builtin exception")
        try:
            fields = [f for _, f, _, _ in string.Formatter().parse(s.message) if f is not None]
            s.message.format(*(0 for _ in s.args))
        except (ValueError, IndexError, KeyError) as e:
            self.report(f"the message cannot be formatted ({e})")
            return
        self.require(len(fields) <= len(s.args) or any(fields), "more places than arguments in the message")

    # ------------------------------------------------------------------------------------------------- modes

    def modes(self) -> None:
        """Verify that borrowed arrays are used as their modes allow, under any name that they are bound to."""
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
        for s in ir.walk(self.function.body):
            self.here = s
            for name, use in self.uses(s):
                for mode in modes.get(name, ()):
                    self.require(use in _ALLOWED[mode], f"{name} is lent as `{mode}`, used as `{use}`")
        self.here = ""

    def uses(self, s: ir.Stmt) -> list[tuple[str, str]]:
        """The arrays that a statement uses, and how."""
        match s:
            case ir.AddTo(array=a):
                return [(a.name, "acc")]
            case ir.AddArray(array=a, other=b):
                return [(a.name, "acc"), (b.name, "read")]
            case ir.Dense(op=op, updated=updated, read=read):
                return [*((a.name, DENSE[op].mode) for a in updated), *((a.name, "read") for a in read)]
            case ir.Load(array=a) | ir.Copy(array=a):
                return [(a.name, "read")]
            case ir.Call(callee=callee, args=args) if callee in self.program.functions:
                params = self.program.functions[callee].params
                return [(a.name, p.mode) for a, p in zip(args, params) if isinstance(a, ir.Var)]
            case _:
                target = ir.written(s)
                return [] if target is None else [(target.name, "mut")]


_ALLOWED = {"read": ("read",), "acc": ("acc",)}


def _bindings(block: ir.Block) -> Iterable[tuple[ir.Var, ir.Var]]:
    """Pairs of an array and another name that it may be bound to, by carried values and results of regions."""
    for s in ir.walk(block):
        pairs: list[tuple[ir.Atom, ir.Var]] = []
        match s:
            case ir.If(then=then, orelse=orelse, outs=outs):
                pairs = [*zip(then.results, outs), *zip(orelse.results, outs)]
            case ir.Loop(carried=carried, inits=inits, nexts=nexts, outs=outs):
                pairs = [*zip(inits, carried), *zip(nexts, carried), *zip(carried, outs)]
        for a, v in pairs:
            if isinstance(a, ir.Var) and isinstance(a.type, Array):
                yield a, v


_RULES: dict[type, Callable[..., None]] = {
    ir.Let: _Verifier.let,
    ir.Dup: _Verifier.dup,
    ir.Drop: _Verifier.only_linear,
    ir.Read: _Verifier.read,
    ir.Same: _Verifier.same,
    ir.Load: _Verifier.load,
    ir.Store: _Verifier.store,
    ir.AddTo: _Verifier.store,
    ir.Dim: _Verifier.dim,
    ir.Alloc: _Verifier.alloc,
    ir.Copy: _Verifier.copy,
    ir.AddArray: _Verifier.add_array,
    ir.Dense: _Verifier.dense,
    ir.Fill: _Verifier.fill,
    ir.Reserve: _Verifier.reserve,
    ir.If: _Verifier.if_,
    ir.Loop: _Verifier.loop,
    ir.Call: _Verifier.call,
    ir.Check: _Verifier.check,
}


def verify(program: ir.Program, *, linear: bool = False) -> list[str]:
    """The violations of well-formedness in a program; an empty list if there are none.

    Parameters
    ----------
    program : Program linear : bool
        Whether `Dup`, `Drop`, `Read` and `Same` are allowed.
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
