"""Derivatives of functions with a custom rule, in reverse and forward mode.

In reverse mode a call becomes a pair of functions, as for recursive functions (`calls`): the first one runs the forward
function of the rule and pushes what the backward function needs, the second one pops it and runs the backward function.
Arrays that are unchanged are not pushed. A rule for one mode serves the other by transposition: the reverse derivative
of a linear function is its transpose.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from linad_typecheck.ir.build import Builder
from linad_typecheck.ir.core import (
    AddArray, Alloc, Atom, Block, Call, Const, Dim, Function, Names, Param, Program, Result, Rule, Size,
    Stmt, Var, all_names, reached,
)
from linad_typecheck.types import I64, Array, Scalar, is_float

from ...derivatives.matrices import Matrices
from ..bars import bar_of
from ..errors import NoDerivative
from ..growing_logs import GrowingLogs, kind_of
from .pairs import Key


@dataclass(frozen=True, slots=True)
class UnusedSize:
    """The size of an array result that has no adjoint."""

    result: int
    axis: int


Place = int | Result | Size | UnusedSize  # of what the reverse needs


class Transposes:
    """Transposes of the functions of custom rules with respect to their linear parameters, built on demand.

    Attributes
    ----------
    made
        By name, the transposes built so far and the functions that they call.
    """

    def __init__(
        self,
        functions: Mapping[str, Function],
        make: Callable[[Program, tuple[str, ...]], Program],
        adopt: Callable[[Program, str, Mapping[str, Function]], dict[str, Function]],
    ) -> None:
        self.functions, self.make, self.adopt = functions, make, adopt
        self.made: dict[str, Function] = {}

    def backward(self, rule: Rule) -> str:
        """The transpose of the backward function of a ``vjp`` with respect to its cotangents.

        After its parameters it takes a tangent per scalar result and, per array result, an array of tangents that it
        adds to. It returns the tangents of scalars.
        """
        f = self.functions[rule.backward]
        refuse_nonlinear(f, "in forward mode")
        return self._of(f, range(len(rule.given), len(f.params)))

    def forward(self, rule: Rule) -> str:
        """The transpose of the forward function of a ``jvp`` with respect to its tangents, without its primal results,
        in the same form."""
        f = self.functions[rule.forward]
        count = len(f.params) - len(rule.wrt)
        name = f"{f.name}_tangents"
        names = Names(all_names(f))
        outs = tuple(names.var("result", r.type) for r in f.body.results)
        call = Call(outs, f.name, tuple(p.var for p in f.params), f.span)
        kept = _tangents(outs)
        only = Function(name, f.params, Block((call,), kept), f.span)
        return self._of(only, range(count, len(f.params)))

    def _of(self, f: Function, wrt: range) -> str:
        name = f"{f.name}_transposed"
        if name not in self.made:
            known = {**self.functions, f.name: f}
            program = Program(f.name, {k: known[k] for k in reached(known, f.name)})
            made = self.make(program, tuple(f.params[k].var.name for k in wrt))
            self.made |= self.adopt(made, name, {**self.functions, **self.made})
        return name


def _tangents(outs: tuple[Var, ...]) -> tuple[Var, ...]:
    """The tangents among the results of the forward function of a ``jvp``."""
    count = next(n for n in range(len(outs) + 1) if n + sum(is_float(o.type) for o in outs[:n]) == len(outs))
    return outs[count:]


def primal_name(name: str) -> str:
    """The name of the function to whose rule a core function belongs."""
    return re.sub(r"(_ruled|_backward|_tangents?)+(#\d+)?$", "", name)


def refuse_blocked(f: Function, active: tuple[int, ...]) -> None:
    """Refuse a derivative with respect to parameters that a rule excludes."""
    assert f.rule is not None
    for k in active:
        if k in f.rule.blocked:
            name = f.params[k].var.name.partition("#")[0]
            why = "which is in its `nondiff_argnums`"
            if f.rule.forward == f.name:
                why = f"which is compiled elsewhere and has no rule: write `{f.name}.defvjp(forward, backward)`"
            raise NoDerivative(f"`{f.name}` by `{name}`, {why}", f.span)


def refuse_nonlinear(f: Function, needed: str) -> None:
    """Refuse what needs the transpose of a backward function, or of a sum of its cotangents."""
    if f.nonlinear is not None:
        help = "differentiate in reverse mode (`grad`, `vjp`, `jacrev`), or only scale and add parts of the cotangent"
        what = f"`{primal_name(f.name)}` {needed}, because its backward function is not linear: {f.nonlinear.why}"
        raise NoDerivative(what, f.nonlinear.span, "not-linear", help)


def refuse_sparse(functions: Iterable[Function]) -> None:
    """Refuse the entries of a Jacobian of which one cotangent determines several."""
    for f in functions:
        refuse_nonlinear(f, "as a sparse matrix")


# ---------------------------------------------------------------------------------------------------------- reverse


@dataclass(eq=False)
class RulePair:
    """The two functions that implement a call of a function with a rule; the attributes are those of `calls.Pair`."""

    key: Key
    forward: str
    reverse: str
    primal: Function
    known: Mapping[str, Function]
    calls: tuple[Key, ...] = ()
    kinds: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        f, active = self.primal, self.key.active
        refuse_blocked(f, active)
        self.seeds = tuple(k for k, r in enumerate(f.body.results) if is_float(r.type) and k not in self.key.unused)
        self.lent = tuple(k for k in active if isinstance(f.params[k].var.type, Array))
        self.given = tuple(k for k in active if isinstance(f.params[k].var.type, Scalar))

    @property
    def rule(self) -> Rule:
        assert self.primal.rule is not None
        return self.primal.rule

    @property
    def places(self) -> tuple[Place, ...]:
        """The primal values that the reverse needs."""
        if self.rule.kind == "vjp":
            return self.rule.given
        return tuple(range(len(self.primal.params)))

    @property
    def pushed(self) -> tuple[Place, ...]:
        """The needed values that are pushed: all but unchanged arrays, and sizes of arrays with an adjoint."""
        kept, lent = self.key.kept, self.lent
        needed = [p for p in self.places if p not in kept and not (isinstance(p, Size) and p.param in lent)]
        return tuple(dict.fromkeys([*needed, *self._unused_sizes()]))

    def _unused_sizes(self) -> list[UnusedSize]:
        """The sizes of array results without an adjoint."""
        results = self.primal.body.results
        arrays = [k for k in self.key.unused if isinstance(results[k].type, Array)]
        return [UnusedSize(k, axis) for k in arrays for axis in range(results[k].type.rank)]  # type: ignore[union-attr]

    def _type(self, p: Place) -> Array | Scalar:
        match p:
            case Result(position=k):
                results = self.known[self.rule.forward].body.results
                return results[len(self.primal.body.results) + k].type
            case Size() | UnusedSize():
                return I64
        return self.primal.params[p].var.type

    def own_kinds(self) -> set[str]:
        """The element types that the call pushes."""
        types = [self._type(p) for p in self.pushed]
        return {kind_of(t) for t in types} | {"i64" for t in types if isinstance(t, Array)}

    def functions(self, primal: Mapping[str, Function], transposes: Transposes | None) -> dict[str, Function]:
        """Both functions, by name."""
        assert transposes is not None
        return {self.forward: self._forward(), self.reverse: self._reverse(transposes)}

    def _forward(self) -> Function:
        f, rule = self.primal, self.rule
        names = Names(all_names(f))
        logs = GrowingLogs(names, self.kinds)
        out: list[Stmt] = []
        args = tuple(p.var for p in f.params)
        results = tuple(names.var("result", r.type) for r in f.body.results)
        residuals: tuple[Var, ...] = ()
        if rule.kind == "vjp":
            made = self.known[rule.forward].body.results[len(results) :]
            residuals = tuple(names.var("residual", r.type) for r in made)
            out.append(Call((*results, *residuals), rule.forward, args, f.span))
        else:
            out.append(Call(results, f.name, args, f.span))
        held: list[Var] = []
        for p in self.pushed:
            match p:
                case Result(position=k):
                    held.append(residuals[k])
                case Size() | UnusedSize():
                    size = names.var("n", I64)
                    of = args[p.param] if isinstance(p, Size) else results[p.result]
                    out.append(Dim(size, of, p.axis))
                    held.append(size)
                case _:
                    held.append(args[p])
        b = Builder(names, out)
        logs.push(b, [v for v in held if isinstance(v.type, Scalar)])
        for v in (v for v in held if isinstance(v.type, Array)):
            logs.push_array(b, v)
        return Function(self.forward, (*f.params, *logs.params("mut")), Block(tuple(out), results), f.span)

    def _reverse(self, transposes: Transposes) -> Function:
        f, rule = self.primal, self.rule
        names = Names(all_names(f))
        logs = GrowingLogs(names, self.kinds)
        kept = {k: f.params[k].var for k in self.key.kept}
        seeds = {k: names.var("seed", f.body.results[k].type) for k in self.seeds}
        lent = {k: bar_of(f.params[k].var, names) for k in self.lent}
        params = [Param(v, "read") for v in kept.values()]
        params += logs.params("read")
        params += [Param(v, "own", linear=True) for v in seeds.values()]
        params += [Param(v, "acc", linear=True, like=f.params[k].var.name) for k, v in lent.items()]
        out: list[Stmt] = []
        values: dict[Place, Atom] = dict(kept)
        pushed = [(p, names.var("held", self._type(p))) for p in self.pushed]
        for p, v in reversed([pair for pair in pushed if isinstance(pair[1].type, Array)]):
            values[p] = logs.pop_array(Builder(names, out), v)
        scalars = [pair for pair in pushed if isinstance(pair[1].type, Scalar)]
        found = logs.pop(Builder(names, out), [v for _, v in scalars])
        values |= {p: found[v.name] for p, v in scalars}
        for p in self.places:
            if p not in values:
                assert isinstance(p, Size)
                size = values[p] = names.var("n", I64)
                out.append(Dim(size, lent[p.param], p.axis))
        args = [values[p] for p in self.places]
        cotangents: list[Atom] = []
        for k, r in enumerate(f.body.results):
            if k in seeds:
                cotangents.append(seeds[k])
            elif isinstance(r.type, Array) and is_float(r.type):
                zeros = names.var("zeros", r.type)
                shape = tuple(values[UnusedSize(k, axis)] for axis in range(r.type.rank))
                out.append(Alloc(zeros, shape, Const(0.0, Scalar(r.type.dtype)), f.span))
                cotangents.append(zeros)
            elif is_float(r.type):
                cotangents.append(Const(0.0, r.type))
        grads: dict[int, Atom] = {}
        if rule.kind == "vjp":
            found_ = [names.var("grad", f.params[k].var.type) for k in rule.wrt]
            out.append(Call(tuple(found_), rule.backward, (*args, *cotangents), f.span))
            for k, v in zip(rule.wrt, found_, strict=True):
                grads[k] = v
                if k in lent:
                    out.append(AddArray(lent[k], v, f.span))
        else:
            m = Matrices(names, span=f.span, array_hint="zeros")
            inputs: list[Atom] = []
            bars: list[Var] = []
            for k in rule.wrt:
                v = f.params[k].var
                value: Var = values[k]  # type: ignore[assignment]
                inputs.append(m.zeros_like(value) if isinstance(v.type, Array) else Const(0.0, v.type))
                if isinstance(v.type, Array):
                    bars.append(lent[k] if k in lent else m.zeros_like(values[k]))  # type: ignore[arg-type]
            out += m.stmts
            outs = {
                k: names.var("grad", f.params[k].var.type) for k in rule.wrt if isinstance(f.params[k].var.type, Scalar)
            }
            call = Call(tuple(outs.values()), transposes.forward(rule), (*args, *inputs, *cotangents, *bars), f.span)
            out.append(call)
            grads |= outs
        given = tuple(grads.get(k, Const(0.0, f.params[k].var.type)) for k in self.given)
        return Function(self.reverse, tuple(params), Block(tuple(out), given), f.span)


# ---------------------------------------------------------------------------------------------------------- forward


def tangent_of(
    f: Function, active: tuple[int, ...], name: str, functions: Mapping[str, Function], transposes: Transposes
) -> Function:
    """The forward-mode replacement for a call of ``f``, in the form that `forward` gives for functions without a rule:
    it takes the tangents of the parameters ``active`` and returns those of the float results."""
    assert f.rule is not None
    rule = f.rule.tangent or f.rule
    refuse_blocked(f, active)
    names = Names(all_names(f))
    m = Matrices(names, span=f.span, array_hint="zeros")
    args = [p.var for p in f.params]
    dots: dict[int, Atom] = {k: names.var("dot", args[k].type) for k in active}
    given = [
        Param(v, "read" if isinstance(v.type, Array) else "own", linear=True, like=args[k].name)
        for k, v in dots.items()
    ]  # type: ignore[arg-type]
    for k in rule.wrt:
        if k not in dots:
            dots[k] = m.zeros_like(args[k]) if isinstance(args[k].type, Array) else Const(0.0, args[k].type)
    made = functions[rule.forward].body.results
    outs = tuple(names.var("result", r.type) for r in made)
    count = len(f.body.results)
    results = outs[:count]
    inputs = tuple(dots[k] for k in rule.wrt)
    if rule.kind == "jvp":
        m.stmts.append(Call(outs, rule.forward, (*args, *inputs), f.span))
        tangents: tuple[Atom, ...] = outs[count:]
    else:
        m.stmts.append(Call(outs, rule.forward, tuple(args), f.span))
        places: list[Atom] = []
        for p in rule.given:
            match p:
                case Result(position=k):
                    places.append(outs[count + k])
                case Size(param=k, axis=axis):
                    size = names.var("n", I64)
                    m.stmts.append(Dim(size, args[k], axis, f.span))
                    places.append(size)
                case _:
                    places.append(args[p])
        floats = [r for r in results if is_float(r.type)]
        seeds = [m.zeros_like(r) if isinstance(r.type, Array) else Const(0.0, r.type) for r in floats]
        moved = [m.zeros_like(r) if isinstance(r.type, Array) else names.var("dot", r.type) for r in floats]
        call = Call(
            tuple(v for v in moved if isinstance(v.type, Scalar)),
            transposes.backward(rule),
            (*places, *seeds, *inputs, *(v for v in moved if isinstance(v.type, Array))),
            f.span,
        )
        m.stmts.append(call)
        tangents = tuple(moved)
    return Function(name, (*f.params, *given), Block(tuple(m.stmts), (*results, *tangents)), f.span)
