"""`linad.custom_vjp` and `linad.custom_jvp`: functions whose derivative is defined by other functions of the language.

A call becomes a call of a core function that carries a `core.Rule`. The functions of the rule are lowered last, so that
they may call the function itself. They are converted here to the form of `core.Rule`: flat parameters, with sizes
checked. Their signatures are checked against the function, and the derivative is checked to be linear.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from ..ir import core as ir
from ..diagnostics import Label
from ..linearity import departures
from ..messages.derivatives import BadRule, NotLinear
from ..names.scope import CustomRule, FunctionSource
from ..span import Span
from ..types import BOOL, I64, Array, Scalar, Type, is_float
from .function import header
from .spec import CallOptions, LinearityClaim, Spec, Typed, value_of
from .programs import Programs
from .specialise import BY_RULE
from .values import (
    ArrayType, ClosureType, DerivativeType, NoneValue, OtherType, Poison, ScalarType, TupleType, UnionType, ValueType,
    ViewType, contains, describe, type_leaves,
)

NONE = OtherType(NoneValue())
NEEDED = {
    "vjp": "write `{0}.defvjp(forward, backward)` after the function",
    "jvp": "write `@{0}.defjvp` above the function of its tangents",
    "jvps": "write `@{0}.defjvp` above the function of its tangents",
}


class _Bad(Exception):
    """Raised after a problem with a rule has been reported."""


# ------------------------------------------------------------------------------------------------------- the primal


def with_rule(programs: Programs, source: FunctionSource, params: Typed, captures: Typed) -> Spec:
    """A function with a rule, specialised for argument types. It is lowered to a call of the rule's function."""
    rule = source.rule
    assert rule is not None
    plain = programs.specialise(source.plain(), params, captures, CallOptions(apart=True))
    if plain.failed or not plain.done:  # within its own body it is an ordinary function
        return plain
    key = (plain.name, "by rule")
    known = programs.specs.get(key)
    if known is not None:
        return known
    f = plain.function
    assert f is not None
    if any(p.mode not in ("read", "own") or plain.writes(k) for k, p in enumerate(f.params)):
        what = f"`{source.name}` updates an argument, and has a rule for its derivative"
        programs.report(BadRule(header(source), what, "let it work on a copy", "updates an argument"))
        plain.failed = True
        return plain
    names = ir.Names(p.var.name for p in f.params)
    lent = [p for p in f.params if not (plain.recursive and p is f.params[-1])]
    stmts: list[ir.Stmt] = []
    args = [_on_copy(p, p.var, names, stmts) for p in lent]
    outs = tuple(names.var("result", r.type) for r in f.body.results)
    stmts.append(ir.Call(outs, f.name, (*args, *((ir.Const(0, I64),) if plain.recursive else ())), f.span))
    made = Spec(programs.name(f"{source.name}_ruled"), source, plain.params, result=plain.result, done=True)
    made.modes = tuple("read" if isinstance(p.var.type, Array) else "own" for p in lent[: len(plain.modes)])
    made.flat, made.hidden = plain.flat, plain.hidden
    made.function = ir.Function(made.name, tuple(_read(p) for p in lent), ir.Block(tuple(stmts), outs), f.span)
    programs.specs[key] = made
    plain.rule = rule
    return made


def _read(p: ir.Param) -> ir.Param:
    return replace(p, mode="read") if isinstance(p.var.type, Array) else p


def _on_copy(p: ir.Param, v: ir.Var, names: ir.Names, stmts: list[ir.Stmt]) -> ir.Var:
    """The argument for a parameter; a copy if the callee updates or consumes an array."""
    if p.mode == "read" or not isinstance(v.type, Array):
        return v
    copy = names.like(v)
    stmts.append(ir.Copy(copy, v))
    return copy


# ------------------------------------------------------------------------------------------------- the rule's functions


def lower_rules(programs: Programs) -> None:
    """Lower the rules of all functions found so far, and of the functions that the rules call."""
    while waiting := [s for s in programs.specs.values() if s.rule is not None and not s.failed]:
        for plain in waiting:
            rule, plain.rule = plain.rule, None
            try:
                _Lowered(programs, plain, rule).install()
            except _Bad:
                plain.failed = programs.poisoned = True  # otherwise it would be differentiated as if it had no rule
    for claim in programs.claims:  # with all rules, because a function may call others that have one
        _decide(programs, claim)


def _decide(programs: Programs, claim: LinearityClaim) -> None:
    """Report a function that is not linear, or mark it if it is a backward function, which reverse mode only calls."""
    found = departures(
        programs.functions(), programs.derivatives(), claim.function, claim.positions, claim.free_results
    )
    for d in found[:1]:  # later ones may follow from the first
        span = d.span if d.span.line else claim.span
        if claim.backward:
            spec = programs.spec(claim.function)
            spec.function = replace(spec.function, nonlinear=ir.Nonlinear(d.why, span))
        else:
            programs.report(NotLinear(span, claim.what, claim.by, d.why))
            programs.poisoned = True


class _Lowered:
    """One rule, at the types of its function."""

    def __init__(self, programs: Programs, plain: Spec, rule: CustomRule) -> None:
        self.programs, self.plain, self.rule = programs, plain, rule
        assert plain.function is not None
        self.f: ir.Function = plain.function
        self.name = plain.source.name
        self.own = Label(header(plain.source), f"the rule is for `{self.name}`")
        a = plain.source.node.args
        count = len([*a.posonlyargs, *a.args, *a.kwonlyargs]) + bool(a.vararg)
        self.types = [t for _, t in plain.params[:count]]
        self.names = [n for n, _ in plain.params[:count]]
        self.first: list[int] = []  # per argument, the position of its first leaf
        at = 0
        for _, t in plain.params:
            self.first.append(at)
            at += len(list(type_leaves(t)))
        self.hidden = {key: at + k for k, key in enumerate(plain.hidden)}
        self.wanted = [k for k in range(count) if k not in rule.nondiff]

    # -- reports

    def bad(self, source: FunctionSource, what: str, instead: str = "", where: str = "of the rule") -> _Bad:
        function = None if source is self.plain.source else self.own
        self.programs.report(BadRule(header(source), what, instead, where, function))
        return _Bad()

    def install(self) -> None:
        rule, source = self.rule, self.plain.source
        outside = [k for k in rule.nondiff if not 0 <= k < len(self.types)]
        if outside:
            told = f"`{self.name}` has {len(self.types)} parameters, and `nondiff_argnums` names number {outside[0]}"
            raise self.bad(source, told, where="of these parameters")
        # it has no derivative, which is an error only if one is needed
        if not rule.functions and source.compiled is not None:
            blocked = tuple(self._float_leaves(self.wanted))
            self.plain.function = replace(self.f, rule=ir.Rule("jvp", self.f.name, (), blocked))
            return
        if not rule.functions:
            told = f"`{self.name}` has no rule yet"
            raise self.bad(source, told, NEEDED[rule.kind].format(self.name), "its derivative is to be given by a rule")
        for k in self.wanted:
            if isinstance(self.types[k], (ViewType, UnionType)):
                raise self.bad(
                    source, f"`{self.name}` is given a view of an array as `{self.names[k]}`", "give it a copy"
                )
        made = {"vjp": self.vjp, "jvp": self.jvp, "jvps": self.jvps}[rule.kind]()
        if rule.tangent is not None:
            other = _Lowered(self.programs, self.plain, rule.tangent)
            made = replace(made, tangent={"jvp": other.jvp, "jvps": other.jvps}[rule.tangent.kind]())
        blocked = [
            k for k in self._float_leaves(range(len(self.plain.params))) if k not in self._float_leaves(self.wanted)
        ]
        hidden = self.hidden.values()
        self.plain.function = replace(self.f, rule=replace(made, blocked=tuple(k for k in blocked if k not in hidden)))

    def _float_leaves(self, positions) -> list[int]:
        """The flat positions of the float leaves of some arguments, including those captured by functions."""
        found = []
        for k in positions:
            t = self.plain.params[k][1]
            if k in self.wanted and contains_function(t):
                continue
            found += [self.first[k] + j for j, leaf in enumerate(type_leaves(t)) if is_float(leaf)]
        return found

    # -- functions

    def parameters(self, source: FunctionSource, told: list[tuple[str, ValueType]], takes: str) -> Typed:
        """The types of the parameters of a function of the rule, by their names there."""
        a = source.node.args
        names = [p.arg for p in (*a.posonlyargs, *a.args)]
        if a.kwonlyargs or a.kwarg or a.vararg or len(names) != len(told):
            instead = f"write its parameters as `({', '.join(n for n, _ in told)})`"
            raise self.bad(source, f"{called(source)} is to take {takes}", instead, "has other parameters")
        return tuple((n, t) for n, (_, t) in zip(names, told, strict=True))

    def lowered(self, source: FunctionSource, told: list[tuple[str, ValueType]], takes: str, copies: bool) -> Spec:
        """A function of the rule, lowered at these types. It may update its arguments only with ``copies``."""
        options = CallOptions(apart=True, twice=True)
        spec = self.programs.specialise(source, self.parameters(source, told, takes), (), options)
        if spec.failed or not spec.done or contains(value_of(spec.result), Poison):
            raise _Bad
        for k, p in enumerate(spec.function.params):
            if not copies and (p.mode not in ("read", "own") or spec.writes(k)):
                raise self.bad(
                    source, f"{called(source)} updates an argument", "let it work on a copy", "updates an argument"
                )
        for key, (name, _) in spec.hidden.items():
            if key not in self.hidden:
                array = name.partition("#")[0]
                told = f"{called(source)} reads the array `{array}` of the module, which `{self.name}` does not"
                raise self.bad(source, told, "make it a parameter")
        return spec

    def call(
        self, spec: Spec, args: list[ir.Var], params: tuple[ir.Param, ...], names: ir.Names, stmts: list[ir.Stmt]
    ) -> tuple[ir.Var, ...]:
        """Call a function of the rule. ``params``: the parameters of the function that the rule belongs to."""
        f = spec.function
        every: list[ir.Atom] = [*args, *(params[self.hidden[key]].var for key in spec.hidden)]
        every = [_on_copy(p, a, names, stmts) for p, a in zip(f.params, every, strict=False)]
        if spec.recursive:
            every.append(ir.Const(0, I64))
        outs = tuple(names.var("made", r.type) for r in f.body.results)
        stmts.append(ir.Call(outs, f.name, tuple(every), f.span))
        return outs

    def declare(
        self,
        name: str,
        params: tuple[ir.Param, ...],
        stmts: list[ir.Stmt],
        results: tuple[ir.Atom, ...],
        source: FunctionSource,
    ) -> ir.Function:
        made = Spec(self.programs.name(name), source, (), modes=tuple(p.mode for p in params), done=True)
        made.function = ir.Function(made.name, params, ir.Block(tuple(stmts), results), source.source.span(source.node))
        self.programs.specs[made.name, "of a rule"] = made
        return made.function

    def own_params(self) -> tuple[ir.Param, ...]:
        return tuple(_read(p) for p in self.f.params)

    def flat(self, k: int, params: tuple[ir.Param, ...]) -> list[ir.Var]:
        """The leaves of one argument."""
        size = len(list(type_leaves(self.types[k])))
        return [p.var for p in params[self.first[k] : self.first[k] + size]]

    def pair(self, spec: Spec, second: str) -> tuple[ValueType, ValueType]:
        """The types of the value of the function and of the second result, from a function of the rule that returns
        both."""
        source, result = spec.source, spec.result
        if not isinstance(result, TupleType) or len(result.items) != 2:
            told = f"{called(source)} returns {describe(result)}, not the value of `{self.name}` and {second}"
            raise self.bad(
                source, told, f"return a pair: `return value, {second.split()[-1]}`", "returns something else"
            )
        value = result.items[0]
        if list(type_leaves(value)) != list(type_leaves(self.plain.result)) or _skeleton(value) != _skeleton(
            self.plain.result
        ):
            of_it = f"`{self.name}` returns {describe(self.plain.result)}"
            told = f"{called(source)} returns {describe(value)} as the value, where {of_it}"
            raise self.bad(source, told, f"return what `{self.name}` returns", "another value")
        return result.items

    def claim(self, f: ir.Function, linear: range, source: FunctionSource, by: str, **options: Any) -> None:
        claim = LinearityClaim(f.name, tuple(linear), called(source), by, header(source), **options)
        self.programs.claims.append(claim)

    # -- custom_vjp

    def vjp(self) -> ir.Rule:
        forward, backward = self.rule.functions
        assert forward is not None and backward is not None
        told = list(zip(self.names, self.types, strict=True))
        spec = self.lowered(forward, told, f"what `{self.name}` takes", copies=False)
        _, kept = self.pair(spec, "the residuals")
        params = self.own_params()
        names = ir.Names(p.var.name for p in params)
        stmts: list[ir.Stmt] = []
        outs = self.call(spec, [v for k in range(len(told)) for v in self.flat(k, params)], params, names, stmts)
        count = len(self.f.body.results)
        same = _copied_parameters(spec.function)
        residuals = outs[count:]
        places: list[int | ir.Result] = []
        results: list[ir.Var] = []
        for k, v in enumerate(residuals, start=count):
            if k in same:
                places.append(same[k])
                continue
            places.append(ir.Result(len(results)))
            results.append(v)
        made = self.declare(f"{self.name}_forward", params, stmts, (*outs[:count], *results), forward)
        return self.backward(backward, made, kept, places)

    def backward(
        self, source: FunctionSource, forward: ir.Function, kept: ValueType, places: list[int | ir.Result]
    ) -> ir.Rule:
        result = self.plain.result
        nondiff = sorted(self.rule.nondiff)
        told = [
            *((self.names[k], self.types[k]) for k in nondiff),
            ("residuals", kept),
            ("cotangent", cotangent_type(result)),
        ]
        takes = f"{'the arguments in `nondiff_argnums`, ' if nondiff else ''}the residuals and a cotangent"
        spec = self.lowered(source, told, takes, copies=True)
        wrt, zero, casts = self.gradients(spec)
        given: list[int | ir.Result | ir.Size] = [
            self.first[k] + j for k in nondiff for j in range(len(list(type_leaves(self.types[k]))))
        ]
        given += places
        given += self.hidden.values()
        arrays = [k for k in wrt if isinstance(self.f.params[k].var.type, Array)]
        given += [ir.Size(k, axis) for k in arrays for axis in range(self.f.params[k].var.type.rank)]
        given = list(dict.fromkeys(given))
        names = ir.Names(())
        held: dict[int | ir.Result | ir.Size, ir.Var] = {}
        for p in given:
            t = (
                I64
                if isinstance(p, ir.Size)
                else self.f.params[p].var.type
                if isinstance(p, int)
                else forward.body.results[len(self.f.body.results) + p.position].type
            )
            held[p] = names.var("n" if isinstance(p, ir.Size) else "kept", t)
        seeds = [names.var("cotangent", t) for t in type_leaves(cotangent_type(result))]
        params = tuple(ir.Param(v, "read" if isinstance(v.type, Array) else "own") for v in (*held.values(), *seeds))
        own = tuple(ir.Param(held.get(k, p.var), p.mode) for k, p in enumerate(self.f.params))
        stmts: list[ir.Stmt] = []
        args = [held[self.first[k] + j] for k in nondiff for j in range(len(list(type_leaves(self.types[k]))))]
        outs = self.call(spec, [*args, *(held[p] for p in places), *seeds], own, names, stmts)
        results: list[ir.Atom] = []
        for k, (position, path) in wrt.items():
            v, t = outs[position], self.f.params[k].var.type
            if isinstance(t, Array):
                for axis in range(t.rank):
                    made_ = f"{called(source)} returns a gradient by `{path}` of size {{0}}"
                    told_ = f"{made_} along axis {axis}, but `{path}` has size {{1}}"
                    _same_size(v, axis, held[ir.Size(k, axis)], told_, names, stmts, header(source))
            results.append(_cast(v, t, names, stmts) if k in casts else v)
        made = self.declare(f"{self.name}_backward", params, stmts, tuple(results), source)
        self.claim(made, range(len(given), len(params)), source, "the cotangent", backward=True)
        return ir.Rule("vjp", forward.name, tuple(wrt), backward=made.name, given=tuple(given))

    def gradients(self, spec: Spec) -> tuple[dict[int, tuple[int, str]], set[int], set[int]]:
        """How the result of the backward function maps to gradients.

        Returns, by flat float parameter, the leaf that is its gradient and the name of the argument; the parameters
        without a gradient; and those whose gradient has the wrong type.
        """
        source, result = spec.source, spec.result
        names = [self.names[k] for k in self.wanted]
        shown = f"({', '.join(names)}{',' if len(names) == 1 else ''})"
        if not isinstance(result, TupleType) or len(result.items) != len(self.wanted):
            told = f"{called(source)} returns {describe(result)}, not a tuple with a gradient for each of {shown}"
            written = f"({names[0]}_bar,)" if len(names) == 1 else ", ".join(f"{n}_bar" for n in names)
            raise self.bad(source, told, f"return a tuple: `return {written}`", "returns something else")
        found: dict[int, tuple[int, str]] = {}
        zero: set[int] = set()
        casts: set[int] = set()
        at = 0

        def match(t: ValueType, g: ValueType, k: int, path: str) -> None:
            nonlocal at
            size = len(list(type_leaves(t)))
            if g == NONE:
                zero.update(range(k, k + size))
                return
            if isinstance(t, TupleType) and isinstance(g, TupleType) and len(t.items) == len(g.items):
                labels = t.record.names if t.record is not None and t.record.names else range(len(t.items))
                for label, x, y in zip(labels, t.items, g.items, strict=True):
                    match(x, y, k, f"{path}.{label}" if isinstance(label, str) else f"{path}[{label}]")
                    k += len(list(type_leaves(x)))
                return
            here, at = at, at + len(list(type_leaves(g)))
            if isinstance(t, (ScalarType, ArrayType)) and not is_float(next(type_leaves(t))):
                return
            if (
                isinstance(t, ScalarType)
                and isinstance(g, ScalarType)
                and (g.weak or g.dtype == t.dtype)
                and g.dtype != "bool"
            ):
                found[k] = here, path
                casts.update({k} if g.dtype != t.dtype else ())
                return
            if isinstance(t, ArrayType) and isinstance(g, ArrayType) and (t.dtype, t.rank) == (g.dtype, g.rank):
                found[k] = here, path
                return
            told = f"{called(source)} returns {describe(g)} as the gradient by `{path}`, which is {describe(t)}"
            raise self.bad(source, told, "return a gradient like the argument, or None for zero", "another gradient")

        for k, g in zip(self.wanted, result.items, strict=True):
            match(self.types[k], g, self.first[k], self.names[k])
        return found, zero, casts

    # -- custom_jvp

    def tangents(self) -> tuple[list[int], list[ValueType]]:
        """The flat float parameters that have a tangent, and the types of the tangents by argument."""
        return self._float_leaves(self.wanted), [cotangent_type(self.types[k]) for k in self.wanted]

    def jvp(self) -> ir.Rule:
        (source,) = self.rule.functions
        assert source is not None
        wrt, dots = self.tangents()
        primals = TupleType(tuple(self.types[k] for k in self.wanted))
        nondiff = sorted(self.rule.nondiff)
        told = [
            *((self.names[k], self.types[k]) for k in nondiff),
            ("primals", primals),
            ("tangents", TupleType(tuple(dots))),
        ]
        takes = (
            f"{'the arguments in `nondiff_argnums`, ' if nondiff else ''}a tuple of arguments and a tuple of tangents"
        )
        spec = self.lowered(source, told, takes, copies=False)
        _, tangent = self.pair(spec, "its tangent")
        params = self.own_params()
        names = ir.Names(p.var.name for p in params)
        given = tuple(ir.Param(names.var("dot", self.f.params[k].var.type), _read(self.f.params[k]).mode) for k in wrt)
        stmts: list[ir.Stmt] = []
        args = [v for k in (*nondiff, *self.wanted) for v in self.flat(k, params)]
        outs = self.call(spec, [*args, *(p.var for p in given)], params, names, stmts)
        count = len(self.f.body.results)
        moved = self.of_results(source, tangent, outs[count:], outs[:count], names, stmts)
        made = self.declare(f"{self.name}_tangent", (*params, *given), stmts, (*outs[:count], *moved), source)
        linear = range(len(params), len(params) + len(given))
        self.claim(made, linear, source, "the tangents", free_results=count)
        return ir.Rule("jvp", made.name, tuple(wrt))

    def of_results(
        self,
        source: FunctionSource,
        t: ValueType,
        given: tuple[ir.Var, ...],
        values: tuple[ir.Var, ...],
        names: ir.Names,
        stmts: list[ir.Stmt],
    ) -> tuple[ir.Atom, ...]:
        """The tangents of the float results, with their sizes checked."""
        wanted = cotangent_type(self.plain.result)
        if _skeleton(t) != _skeleton(wanted) or not all(
            _fits(a, b) for a, b in zip(type_leaves(t), type_leaves(wanted), strict=True)
        ):
            of_it = f"`{self.name}`, whose value is {describe(self.plain.result)}"
            told = f"{called(source)} returns {describe(t)} as the tangent of {of_it}"
            raise self.bad(source, told, "return a tangent like the value, None for ints in it", "another tangent")
        floats = [v for v in values if is_float(v.type)]
        found: list[ir.Atom] = []
        for v, like in zip(given, floats, strict=True):
            if isinstance(like.type, Array):
                for axis in range(like.type.rank):
                    size = names.var("n", I64)
                    stmts.append(ir.Dim(size, like, axis))
                    made_ = f"{called(source)} returns a tangent of size {{0}}"
                    told_ = f"{made_} along axis {axis}, but the value has size {{1}}"
                    _same_size(v, axis, size, told_, names, stmts, header(source))
            found.append(_cast(v, like.type, names, stmts) if v.type != like.type else v)
        return tuple(found)

    def jvps(self) -> ir.Rule:
        """A rule with one function per argument, of the tangent, the value and the arguments. The tangents are added.
        """
        if len(self.rule.functions) != len(self.wanted):
            told = (
                f"`{self.name}.defjvps` is given {len(self.rule.functions)} functions for {len(self.wanted)} arguments"
            )
            raise self.bad(
                self.plain.source, told, "give one function for each argument, None for zero", "of these parameters"
            )
        params = self.own_params()
        names = ir.Names(p.var.name for p in params)
        wrt, dots = self.tangents()
        given = {k: ir.Param(names.var("dot", self.f.params[k].var.type), _read(self.f.params[k]).mode) for k in wrt}
        stmts: list[ir.Stmt] = []
        level = (ir.Const(0, I64),) if self.plain.recursive else ()
        mine = [_on_copy(p, q.var, names, stmts) for p, q in zip(self.f.params, params, strict=True)]
        outs = tuple(names.var("value", r.type) for r in self.f.body.results)
        stmts.append(ir.Call(outs, self.f.name, (*mine[: len(mine) - len(level)], *level), self.f.span))
        totals: list[ir.Atom] | None = None
        checked: list[tuple[FunctionSource, Spec]] = []
        for k, dot, source in zip(self.wanted, dots, self.rule.functions, strict=True):
            if source is None:
                continue
            told = [
                ("tangent", dot),
                ("value", self.plain.result),
                *((self.names[j], self.types[j]) for j in self.wanted),
            ]
            spec = self.lowered(source, told, "a tangent, the value and the arguments", copies=False)
            tangents = [
                given[j].var for j in range(self.first[k], self.first[k] + len(self.flat(k, params))) if j in given
            ]
            args = [*tangents, *outs, *(v for j in self.wanted for v in self.flat(j, params))]
            parts = self.call(spec, args, params, names, stmts)
            moved = self.of_results(source, spec.result, parts, outs, names, stmts)
            checked.append((source, spec))
            totals = (
                list(moved)
                if totals is None
                else [_sum(a, b, names, stmts) for a, b in zip(totals, moved, strict=True)]
            )
        if totals is None:
            raise self.bad(
                self.plain.source, f"`{self.name}.defjvps` is given no function", where="of these parameters"
            )
        made = self.declare(f"{self.name}_tangent", (*params, *given.values()), stmts, (*outs, *totals), checked[0][0])
        linear = range(len(params), len(params) + len(given))
        self.claim(made, linear, checked[0][0], "the tangent", free_results=len(outs))
        return ir.Rule("jvp", made.name, tuple(wrt))


# ----------------------------------------------------------------------------------------------------------- helpers


def called(source: FunctionSource) -> str:
    """The description of a rule's function in messages."""
    return f"`{source.name}`" if isinstance(source.node, ast.FunctionDef) else "the `lambda`"


def contains_function(t: ValueType) -> bool:
    return (
        isinstance(t, (ClosureType, DerivativeType))
        or isinstance(t, TupleType)
        and any(map(contains_function, t.items))
    )


def cotangent_type(t: ValueType) -> ValueType:
    """The type of the cotangent of a value; None for what is not a float."""
    match t:
        case TupleType(items=items, record=record):
            return TupleType(tuple(map(cotangent_type, items)), record)
        case ScalarType() | ArrayType() if is_float(next(type_leaves(t))):
            return t
    return NONE


def _skeleton(t: ValueType) -> object:
    """The structure of a type, without the types of its leaves."""
    if isinstance(t, TupleType):
        return tuple(map(_skeleton, t.items))
    return t if isinstance(t, OtherType) else isinstance(t, ScalarType)


def _fits(a: Type, b: Type) -> bool:
    """Whether a tangent of type ``a`` is acceptable for a value of type ``b``. Numbers are converted."""
    return a == b or isinstance(a, Scalar) and isinstance(b, Scalar) and a.dtype != "bool"


def _copied_parameters(f: ir.Function) -> dict[int, int]:
    """Results that are copies of array parameters that the function only reads: position of the result to parameter."""
    copies = {s.out.name: s.array.name for s in f.body.stmts if isinstance(s, ir.Copy)}
    positions = {p.var.name: k for k, p in enumerate(f.params) if p.mode == "read"}
    uses = ir.count_uses(f)
    found = {}
    for k, r in enumerate(f.body.results):
        if isinstance(r, ir.Var) and uses[r.name] == 1 and copies.get(r.name) in positions:
            found[k] = positions[copies[r.name]]
    return found


def _same_size(
    v: ir.Var, axis: int, wanted: ir.Atom, told: str, names: ir.Names, stmts: list[ir.Stmt], span: Span
) -> None:
    size, ok = names.var("n", I64), names.var("ok", BOOL)
    stmts += [
        ir.Dim(size, v, axis, span),
        ir.Let(ok, "eq", (size, wanted), span),
        ir.Check(ok, "ValueError", told, (size, wanted), span),
    ]


def _cast(v: ir.Var, t: Type, names: ir.Names, stmts: list[ir.Stmt]) -> ir.Var:
    out = names.var(v.name, t)
    stmts.append(ir.Let(out, "cast", (v,)))
    return out


def _sum(a: ir.Atom, b: ir.Atom, names: ir.Names, stmts: list[ir.Stmt]) -> ir.Atom:
    if isinstance(a.type, Array):
        total = names.like(a)  # type: ignore[arg-type]
        stmts += [ir.Copy(total, a), ir.AddArray(total, b)]  # type: ignore[arg-type]
        return total
    out = names.var("total", a.type)
    stmts.append(ir.Let(out, "add", (a, b)))
    return out


BY_RULE.append(with_rule)
