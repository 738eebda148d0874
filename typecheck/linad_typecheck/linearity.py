"""Linearity analysis: whether a function is linear in some of its parameters, as the derivative in a custom rule has to
be.

A forward data-flow analysis of three facts about each value: it is zero, independent of those parameters, or linear in
them. Linear means homogeneous of degree one: ``g + 1`` is not linear. All cells of an array share one fact. The first
statements that combine values in any other way are reported. The analysis is conservative: a function such as ``sqrt(g
* g)`` for a positive ``g`` is reported although it is linear.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from .ir import core
from .ir.core import Atom, Block, Const, Function, Stmt, Var
from .dense_ops import DENSE
from .ops import OPS
from .span import Span
from .types import Array, is_float

ZERO, FREE, LINEAR = 0, 1, 2  # joined by bitwise or: FREE | LINEAR is neither
Fact = int
Flow = tuple[Fact, ...]

_KEEPS = ("neg", "cast", "stop_gradient")
_PRODUCTS = ("mul", "mul_rounded")
_SCALES_FIRST = ("div", "ldexp", "copysign")


@dataclass(frozen=True)
class Departure:
    """A place where a function stops being linear, and why."""

    span: Span
    why: str


@dataclass
class _Analysis:
    functions: Mapping[str, Function]
    opaque: Mapping[str, core.Derivative]
    found: dict[tuple[Span, str], None] = field(default_factory=dict)
    # facts of the parameters afterwards, and of the results
    known: dict[tuple[str, Flow], tuple[Flow, Flow]] = field(default_factory=dict)
    version: int = 0  # of `known`
    done: dict[tuple[str, Flow], int] = field(default_factory=dict)  # calls analysed, with the version after each
    running: list[str] = field(default_factory=list)
    cut: int = 0  # calls that were not entered, because their function is running

    def call(self, name: str, args: Flow) -> tuple[Flow, Flow]:
        """The facts of the parameters after a call, and of its results."""
        f = self.functions[name]
        key = (name, args)
        if key not in self.known:
            self.known[key] = (
                tuple(a if isinstance(p.var.type, Array) else ZERO for a, p in zip(args, f.params)),
                (ZERO,) * len(f.body.results),
            )
            self.version += 1
        if name in self.running:
            self.cut += 1
        elif self.done.get(key) != self.version:
            cut = self.cut
            self.running.append(name)
            _Walk(self, key).run(f, args)
            self.running.remove(name)
            if self.cut == cut:
                self.done[key] = self.version
        return self.known[key]

    def learn(self, key: tuple[str, Flow], now: tuple[Flow, Flow]) -> None:
        before = self.known[key]
        joined = tuple(tuple(a | b for a, b in zip(x, y, strict=True)) for x, y in zip(before, now, strict=True))
        if joined != before:
            self.known[key] = joined  # type: ignore[assignment]
            self.version += 1


@dataclass
class _Walk:
    analysis: _Analysis
    key: tuple[str, Flow]
    env: dict[str, Fact] = field(default_factory=dict)
    grown: bool = False

    def run(self, f: Function, args: Flow) -> None:
        for p, fact in zip(f.params, args, strict=True):
            self.env[p.var.name] = fact
        self.block(f.body)
        finals = tuple(self.env[p.var.name] for p in f.params)
        self.analysis.learn(self.key, (finals, tuple(map(self.of, f.body.results))))

    def of(self, a: Atom) -> Fact:
        if isinstance(a, Const):
            return ZERO if is_float(a.type) and a.value == 0.0 else FREE
        return self.env.get(a.name, ZERO)

    def put(self, v: Var, fact: Fact) -> None:
        before = self.env.get(v.name, ZERO)
        if before | fact != before:
            self.env[v.name] = before | fact
            self.grown = True

    def depart(self, s: Stmt, why: str) -> Fact:
        self.analysis.found[s.span, why] = None
        return LINEAR

    def merge(self, v: Var, atoms: Iterable[Atom], s: Stmt) -> None:
        """Join facts into a variable that is one of several values, or into an array that gets another cell."""
        fact = self.env.get(v.name, ZERO)
        before = fact
        for a in atoms:
            fact |= self.of(a)
        if fact == FREE | LINEAR and is_float(v.type):
            self.depart(s, "a part does not depend on it, and another one does")
            fact = before | LINEAR if before != FREE else FREE
        self.put(v, fact if is_float(v.type) else FREE)

    def block(self, block: Block) -> None:
        for s in block.stmts:
            self.statement(s)

    def statement(self, s: Stmt) -> None:
        match s:
            case core.Let(out=v):
                self.put(v, self.let(s))
            case core.Load(out=v, array=a):
                self.put(v, self.of(a) if is_float(v.type) else FREE)
            case core.Store(array=a, value=v) | core.AddTo(array=a, value=v) | core.Fill(array=a, value=v):
                self.merge(a, (v,), s)
            case core.AddArray(array=a, other=b):
                self.merge(a, (b,), s)
            case core.Copy(out=v, array=a):
                self.put(v, self.of(a))
            case core.Alloc(out=v, fill=fill):
                self.put(v, ZERO if fill is None else self.of(fill))
            case core.Dim(out=v):
                self.put(v, FREE)
            case core.Dense():
                self.dense(s)
            case core.If(then=then, orelse=orelse, outs=outs):
                self.block(then)
                self.block(orelse)
                for o, a, b in zip(outs, then.results, orelse.results, strict=True):
                    self.merge(o, (a, b), s)
            case core.Loop():
                self.loop(s)
            case core.Call():
                self.call(s)
            case core.Dup() | core.Read():
                for v in core.outputs(s):
                    self.put(v, self.of(s.x))

    def let(self, s: core.Let) -> Fact:
        facts = [self.of(a) if is_float(a.type) else FREE for a in s.ins]
        if not any(f & LINEAR for f in facts):
            if not is_float(s.out.type):
                return FREE
            if s.op in ("add", "sub"):
                return facts[0] | facts[1]
            if s.op in _KEEPS:
                return facts[0]
            if s.op == "select":
                return facts[1] | facts[2]
            return ZERO if s.op in _PRODUCTS and ZERO in facts or s.op == "div" and facts[0] == ZERO else FREE
        match s.op:
            case "add" | "sub":
                fact = facts[0] | facts[1]
                return fact if fact == LINEAR else self.depart(s, "adds what does not depend on it")
            case "select":
                fact = facts[1] | facts[2]
                return fact if fact == LINEAR else self.depart(s, "a part does not depend on it, and another one does")
            case "mul" | "mul_rounded":
                return LINEAR if not facts[0] & facts[1] & LINEAR else self.depart(s, "a product of two parts of it")
        if s.op in _KEEPS and is_float(s.out.type):
            return LINEAR
        if s.op in _SCALES_FIRST and not facts[1] & LINEAR and s.op != "copysign":
            return LINEAR
        if OPS[s.op].result == "bool":
            self.depart(s, "decides something by its value")
            return FREE
        told = (
            "made an int"
            if not is_float(s.out.type)
            else "divides by it"
            if s.op == "div"
            else f"`{s.op}` is not linear"
        )
        self.depart(s, told)
        return LINEAR if is_float(s.out.type) else FREE

    def dense(self, s: core.Dense) -> None:
        read = [self.of(a) & LINEAR for a in s.read]
        op = DENSE[s.op]
        if s.op == "gemm":
            if read[0] and read[1]:
                self.depart(s, "a product of two parts of it")
            both = ZERO if ZERO in map(self.of, s.read) else LINEAR if any(read) else FREE
            fact = self.of(s.updated[0]) | both
            if fact == FREE | LINEAR:
                self.depart(s, "adds what does not depend on it")
            self.put(s.updated[0], fact)
            return
        if any(read):
            of_matrix = f"`{s.op}` of a matrix that depends on it"
            self.depart(s, "a function that is not declared to be linear in it" if op.compiled else of_matrix)
        for k, v in enumerate(s.updated):
            if k not in op.in_place:
                self.put(v, FREE)

    def loop(self, s: core.Loop) -> None:
        self.put(s.index, FREE)
        for c, i in zip(s.carried, s.inits, strict=True):
            self.put(c, self.of(i))
        outer, self.grown = self.grown, True
        while self.grown:  # terminates, because facts only grow
            self.grown = False
            self.block(s.body)
            for c, n in zip(s.carried, s.nexts, strict=True):
                self.merge(c, (n,), s)
            outer = outer or self.grown
        self.grown = outer
        for o, c in zip(s.outs, s.carried, strict=True):
            self.put(o, self.of(c))
        if s.trips is not None:
            self.put(s.trips, FREE)

    def call(self, s: core.Call) -> None:
        d = self.analysis.opaque.get(s.callee)
        args = tuple(map(self.of, s.args))
        if d is not None:
            self.derivative(s, d, args)
            return
        if any(p.linear for p in self.analysis.functions[s.callee].params):
            self.declared(s, args)
            return
        finals, results = self.analysis.call(s.callee, args)
        rule = self.analysis.functions[s.callee].rule
        if rule is not None and rule.backward and any(fact & LINEAR for fact in args):  # the transpose calls it
            cotangents = len(self.analysis.functions[rule.backward].params) - len(rule.given)
            self.analysis.call(rule.backward, (FREE,) * len(rule.given) + (LINEAR,) * cotangents)
        for a, final in zip(s.args, finals, strict=True):
            if isinstance(a, Var) and isinstance(a.type, Array):
                self.put(a, final)
        for o, fact in zip(s.outs, results, strict=True):
            self.put(o, fact if is_float(o.type) else FREE)

    def declared(self, s: core.Call, args: Flow) -> None:
        """A function compiled elsewhere, declared to be linear in some of its parameters."""
        params = self.analysis.functions[s.callee].params
        if any(fact & LINEAR for fact, p in zip(args, params, strict=True) if not p.linear and is_float(p.var.type)):
            self.depart(s, f"`{s.callee}` is not declared to be linear in what depends on it")
        facts = [fact for fact, p in zip(args, params, strict=True) if p.linear]
        if any(fact & LINEAR for fact in facts) and any(fact & FREE for fact in facts):
            self.depart(s, "a part does not depend on it, and another one does")
        fact = LINEAR if any(fact & LINEAR for fact in facts) else FREE if any(facts) else ZERO
        for o in s.outs:
            self.put(o, fact if is_float(o.type) else FREE)

    def derivative(self, s: core.Call, d: core.Derivative, args: Flow) -> None:
        """A derivative is linear in the cotangents or tangents, which follow the arguments of the function."""
        f = self.analysis.functions[d.callee]
        count = len(f.params)
        if any(fact & LINEAR and is_float(a.type) for fact, a in zip(args[:count], s.args)):
            self.depart(s, "the derivative of a function at a point that depends on it")
        fact = LINEAR if any(fact & LINEAR for fact in args[count:]) else FREE
        primal = len(f.body.results) if d.value else 0
        for k, o in enumerate(s.outs):
            self.put(o, FREE if k < primal or not is_float(o.type) else fact)
        for a, mode in zip(s.args, (p.mode for p in self.analysis.functions[s.callee].params)):
            if mode != "read" and isinstance(a, Var) and isinstance(a.type, Array):
                self.put(a, fact)


def departures(
    functions: Mapping[str, Function],
    opaque: Mapping[str, core.Derivative],
    name: str,
    linear: Iterable[int],
    free_results: int = 0,
) -> list[Departure]:
    """The places where a function is not linear in the parameters at some positions.

    Parameters
    ----------
    functions, opaque
        The functions of a program, and the derivatives that it declares.
    linear
        Positions of float parameters.
    free_results
        The number of leading results that must not depend on them. The other results must be linear in them.
    """
    f = functions[name]
    chosen = set(linear)
    args = tuple(LINEAR if k in chosen else FREE for k in range(len(f.params)))
    analysis = _Analysis(functions, opaque)
    version = -1
    while analysis.version != version:
        version = analysis.version
        analysis.found.clear()
        analysis.done.clear()
        _, results = analysis.call(name, args)
    for k, (fact, r) in enumerate(zip(results, f.body.results, strict=True)):
        if not is_float(r.type):
            continue
        if k < free_results and fact & LINEAR:
            analysis.found[f.span, "the value depends on it"] = None
        elif k >= free_results and fact & FREE:
            analysis.found[f.span, "a part of what is returned does not depend on it, and is not zero"] = None
    return [Departure(*found) for found in analysis.found]
