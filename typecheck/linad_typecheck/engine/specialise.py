"""Specialisation: one core function per user function and argument types. Recursive functions are lowered to a
fixpoint."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from weakref import WeakKeyDictionary

from ..ir.core import Block, Call, Check, Const, Derivative, Function, Let, Load, Mode, Param, Stmt, Var, walk
from ..facts import Fact
from ..frozen import frozen
from ..ownership.liveness import liveness
from ..ownership.modes import infer_modes, later_names
from ..ownership.objects import given as given_objects, named, origins, results as results_of, without
from ..ownership.state import others
from ..linear.uses import uses
from ..messages import Message
from ..messages.language import BadCall, MixedReturns, Unsupported
from ..messages.ownership import ViewOnSomePaths
from ..names.scope import CustomRule, FunctionSource, parameters
from ..span import Span
from ..types import BOOL, I64, Array
from ..words import with_article
from .blocks import block
from .compiled import call_of_compiled
from .findings import Findings
from .fixpoint import fixpoint
from .joins import coerce
from .loop_head import TOP
from .path import Fixed
from .places import simplest
from .results import against_annotation
from .returning import apart, lent_back
from .simpler import simpler
from .state import RET, Lent, Lowering
from .values import (
    GROWING, ArrayValue, Binding, Bottom, FlagValue, FunctionValue, LostArray, NoneValue, Origin, OtherType, Poison,
    ScalarType, ScalarValue, TupleType, TupleValue, UnionValue, Value, ValueType, ViewValue, arrays, as_literal,
    contains, describe, is_optional, join_results, join_types, leaves, map_arrays, passed, rebuild, slot, type_leaves,
    type_of,
)
from .views import whole

Typed = tuple[tuple[str, ValueType], ...]
RECURSION_LIMIT = 1000
DEPTH = 20  # limit for recursive calls with arguments of new types
MODES = ("read", "acc", "mut", "own")  # from the weakest to the strongest


@frozen
class Contract:
    """What callers rely on. A recursive function is lowered until its body satisfies what its calls assume; each field
    only grows."""

    result: ValueType = OtherType(Bottom())
    modes: tuple[Mode, ...] = ()
    written: frozenset[int] = frozenset()  # flat parameters that the function owns and also updates
    # parameters (flat, then hidden) that a result may be identical to in Python, though it is a copy here
    alike: frozenset[int] = frozenset()
    together: frozenset[int] = frozenset()  # parts of the result that may be one array in Python
    hidden: Fixed[str, tuple[str, Array]] = field(default_factory=Fixed)
    recursive: bool = False

    def join(self, other: Contract) -> Contract:
        return Contract(
            join_types(self.result, other.result) or TOP,
            tuple(max(m, n, key=MODES.index) for m, n in zip(self.modes, other.modes, strict=True)),
            self.written | other.written,
            self.alike | other.alike,
            self.together | other.together,
            other.hidden.having(self.hidden),
            self.recursive or other.recursive,
        )


# Specialises a function with a rule for its derivative. The module that lowers rules enters it here, because it imports
# this one.
BY_RULE: list[Callable[[Specialiser, FunctionSource, Typed, Typed], Spec]] = []


@dataclass(eq=False)
class Spec:
    """A function specialised for argument types, and what is known about it so far."""

    name: str
    source: FunctionSource
    params: Typed
    result: ValueType = OtherType(Bottom())  # this and the next five fields are those of `Contract`
    modes: tuple[Mode, ...] = ()
    written: frozenset[int] = frozenset()
    alike: frozenset[int] = frozenset()
    together: frozenset[int] = frozenset()
    hidden: Fixed[str, tuple[str, Array]] = field(default_factory=Fixed)
    recursive: bool = False
    numbers: dict[str, str] = field(default_factory=dict)  # variable of a scalar parameter -> its name
    wanted: dict[str, None] = field(default_factory=dict)  # scalar parameters whose values have to be known
    flat: tuple[str, ...] = ()  # the core parameters, for results that are views of one
    depth: Var | None = None  # the parameter with the recursion depth, if recursive
    apart: bool = False  # whether results that are the caller's arrays are copied
    returned: frozenset[int] | None = None  # flat parameters that a result may be; None: not known yet
    twice: bool = False  # an array may be returned in two places, because the result is not updated
    disjoint: bool = False  # parameters that are views of one array share no cell of it
    answers: bool = False  # known bools and ints of the result become part of its type
    changes: bool = False  # may change lists, dicts and objects that are passed to it
    changed: frozenset[Origin] = frozenset()  # those that it is known to change
    # the parameters that hold one of these: their final values are returned beside the result
    left: tuple[str, ...] = ()
    failed: bool = False
    done: bool = False
    function: Function | None = None
    derivative: Derivative | None = None  # a derivative that is declared here and generated later
    rule: CustomRule | None = None  # lowered after everything else
    findings: Findings = field(default_factory=Findings)  # of its lowering

    @property
    def contract(self) -> Contract:
        return Contract(self.result, self.modes, self.written, self.alike, self.together, self.hidden, self.recursive)

    @contract.setter
    def contract(self, known: Contract) -> None:
        for f in fields(known):
            setattr(self, f.name, getattr(known, f.name))

    def may_return(self, k: int) -> bool:
        return self.returned is None or k in self.returned

    def writes(self, k: int) -> bool:
        return k in self.written


@dataclass
class Specialiser:
    """All functions that an entry function reaches, and all facts about them."""

    entry: FunctionSource
    limit: int = RECURSION_LIMIT
    findings: Findings = field(default_factory=Findings)  # where the code being lowered reports to
    twice: int = 0  # nesting depth of tail duplication, see `blocks.apart`
    meanings: dict[tuple[str, Span], Value] = field(default_factory=dict)  # values of names, where they are bound
    depends: list[tuple[str, object]] = field(default_factory=list)
    specs: dict[object, Spec] = field(default_factory=dict)
    stack: list[Spec] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    # derivatives as functions: pullbacks, by the calls that create them
    pullbacks: dict[object, FunctionSource] = field(default_factory=dict)
    numbers: dict[str, str] = field(default_factory=dict)  # variable of a scalar parameter of the entry -> its name
    wanted: dict[str, None] = field(default_factory=dict)  # scalar parameters whose values have to be known
    permuted: bool = False  # an indexing result was met whose axes NumPy lays out in another order
    in_order: bool = False  # C order was assumed for an array whose axes may be permuted later
    unknown: bool = False  # something of unknown type was met

    def report(self, message: Message) -> None:
        self.findings.note(message.diagnostic())

    @property
    def poisoned(self) -> bool:
        return self.findings.poisoned

    @poisoned.setter
    def poisoned(self, value: bool) -> None:
        self.findings.poisoned = value

    @contextmanager
    def apart(self) -> Iterator[Findings]:
        """Keep findings made inside separate."""
        before = self.findings
        self.findings = found = Findings(before)
        try:
            yield found
        finally:
            self.findings = before

    @contextmanager
    def perhaps_dead(self, unknown: bool) -> Iterator[None]:
        """Code lowered inside may be dead, because of a constant that the text does not determine.

        Nothing is reported about it here. Functions that it calls are still reported where other code calls them.
        """
        if not unknown:
            yield
            return
        with self.apart() as found:
            yield
        self.findings.take_quietly(found)

    def all_facts(self) -> tuple[Fact, ...]:
        """The facts, and the type of each name where it is bound."""
        types = (
            (n, at, describe(type_of(v))) for (n, at), v in self.meanings.items() if not contains(v, (Poison, Bottom))
        )
        return (*self.findings.facts, *(Fact("type", n, at, t) for n, at, t in types if n[0] != "%"))

    def spec(self, callee: str) -> Spec:
        return next(s for s in self.specs.values() if s.name == callee)

    def function(self, callee: str) -> Function | None:
        """The lowered function; None while it is being lowered."""
        found = self.spec(callee)
        return found.function if found.done else None

    def modes(self, callee: str) -> tuple[Mode, ...]:
        spec = self.spec(callee)
        return (*spec.modes, *("read",) * len(spec.hidden), *(("own",) if spec.recursive else ()))

    def inside(self, source: FunctionSource) -> int:
        """How many lowerings of a function are in progress: several if it calls itself with other argument types."""
        return sum(s.source.node is source.node for s in self.stack)

    def unsettled(self) -> bool:
        """Whether a recursion is being lowered whose results are not known yet."""
        return any(s.recursive for s in self.stack)

    def specialise(
        self,
        source: FunctionSource,
        params: Typed,
        captures: Typed,
        apart: bool = False,
        twice: bool = False,
        disjoint: bool = False,
        answers: bool = False,
        changes: bool = False,
    ) -> Spec:
        """The function specialised for arguments of these types.

        ``apart``: its results share nothing with the arguments. The other options are as in `Spec`.
        """
        if source.rule is not None:
            return BY_RULE[0](self, source, params, captures)
        answers, changes = (
            wanted and not any(s.source == source and not getattr(s, how) for s in self.stack)
            for wanted, how in ((answers, "answers"), (changes, "changes"))
        )
        key = (id(source.node), source.key, params, captures, apart, twice, disjoint, answers, changes)
        known = self.specs.get(key)
        if known is not None:
            if known.done:
                self.findings.take(known.findings)  # the attempt that first called it may have been discarded
                return known
            for spec in self.stack[self.stack.index(known) :]:  # everything on the stack from there on is recursive
                spec.recursive = True
            return known
        how = {"apart": apart, "twice": twice, "disjoint": disjoint, "answers": answers, "changes": changes}
        spec = Spec(self.name(source.name), source, (*params, *captures), **how)
        if self.inside(source) > DEPTH:
            self.report(
                BadCall(source.source.span(source.node), source.name, "calls itself with arguments of ever new types")
            )
            spec.failed = spec.done = True
            self.specs[key] = spec
            return spec
        spec.modes = tuple("read" if isinstance(t, Array) else "own" for _, p in spec.params for t in type_leaves(p))
        self.specs[key] = spec
        self.stack.append(spec)
        others = set(self.specs)

        def run(known: Contract) -> tuple[Contract, None]:
            for other in set(self.specs) - others:  # they were lowered against the previous contract
                self.taken.discard(self.specs.pop(other).name)
            spec.contract = known
            with self.apart() as spec.findings:
                lower_spec(self, spec)
            return spec.contract if spec.recursive else known, None

        start, changed = spec.contract, None
        # terminates: an ascending chain in a finite lattice, the subsets of what is passed
        while changed != spec.changed:
            changed = spec.changed
            spec.left = tuple(n for n, t in spec.params if not changed.isdisjoint(origins(t)))
            fixpoint(run, start)
        self.stack.pop()
        spec.done = True
        if (
            isinstance(_value(spec.result), Bottom)
            and not spec.findings.diagnostics
            and not self.unsettled()
        ):
            place = header(source)
            instead = "begin with the case that needs no call: `if n == 0: return ...`"
            never = BadCall(
                place,
                source.name,
                "never returns without calling itself",
                where="every path calls it again",
                instead=instead,
            )
            spec.findings.note(never.diagnostic())
        spec.failed = spec.failed or contains(_value(spec.result), (Poison, Bottom))
        if not spec.failed:  # what was unknown during the iteration is known now
            spec.findings.bottoms = 0
        self.findings.take(spec.findings)
        spec.findings.bottoms = 0
        return spec

    def name(self, wanted: str) -> str:
        base = "".join(c if c.isalnum() or c == "_" else "" for c in wanted) or "function"
        name, k = base, 1
        while name in self.taken:
            k += 1
            name = f"{base}#{k}"
        self.taken.add(name)
        return name

    def derivatives(self) -> dict[str, Derivative]:
        return {s.name: s.derivative for s in self.specs.values() if s.derivative is not None}

    def functions(self) -> dict[str, Function]:
        return {s.name: s.function for s in self.specs.values() if s.function is not None}


def _value(t: ValueType) -> Value:
    return t.value if isinstance(t, OtherType) else NoneValue()


def start(programs: Specialiser, source: FunctionSource, names: Iterator[str]) -> Lowering:
    """The initial state for lowering a function."""
    live = liveness(body := body_of(source))
    return Lowering(source, programs, live, frozenset(live.binds(body)) | frozenset(names))


def body_of(source: FunctionSource) -> list[ast.stmt]:
    """The statements of a function, with an explicit `return` at the end."""
    found = _BODIES.get(source.node)
    if found is None:
        node = source.node
        if isinstance(node, ast.Lambda):
            body: list[ast.stmt] = [ast.copy_location(ast.Return(node.body), node.body)]
        else:
            body = [*simpler(node.body, source.scope), ast.copy_location(ast.Return(None), node.body[-1])]
        found = _BODIES[node] = body
    return found


_BODIES: WeakKeyDictionary[ast.AST, list[ast.stmt]] = WeakKeyDictionary()  # weak keys: a language server runs for days


def lower_spec(programs: Specialiser, spec: Spec) -> None:
    source = spec.source
    ctx = start(programs, source, (n for n, _ in spec.params))
    ctx.spec = spec
    span = source.source.span(source.node)
    params: list[Var] = []
    values: dict[str, Value] = {}
    for name, t in spec.params:
        lent = Lent(name, "helper")
        fresh = [
            ctx.fresh(name.replace("?", "_set"), leaf, lent=lent if isinstance(leaf, Array) else None)
            for leaf in type_leaves(t)
        ]
        params += fresh
        values[name] = rebuild(t, iter(fresh))
    held = {slot(k, p.type): p for k, p in enumerate(p for p in params if isinstance(p.type, Array))}
    for name, value in values.items():
        at_last = lambda v: simplest(held[v.var], v.view) if isinstance(v, ViewValue) and v.var in held else v
        ctx.bind(name, Binding(map_arrays(value, at_last), span))
    if isinstance(source.node, ast.FunctionDef):  # inside a nested function, its own name denotes itself
        names = tuple(n for n, _ in spec.params)
        args = {a.arg for a in parameters(source.node.args)}
        if "/" in source.key and source.name not in ctx.local_names:
            own = tuple((n, ctx.env[n].value) for n in names if n not in args)
            ctx.bind(source.name, Binding(FunctionValue(source, (), own), span))
    spec.numbers = {
        a.name: n
        for n, b in ctx.env.items()
        if isinstance(b.value, ScalarValue | FunctionValue)
        for a in leaves(b.value)
        if isinstance(a, Var)
    }
    flags = {name[:-1]: ctx.env[name].value.atom for name, _ in spec.params if name[-1] == "?"}
    bound = {n: b for n, b in ctx.env.items() if n[-1] != "?"}
    ctx.go(env=Fixed({n: replace(b, defined=flags[n]) if n in flags else b for n, b in bound.items()}))
    spec.depth = ctx.fresh("level", I64)
    for key, (name, t) in spec.hidden.items():
        ctx.global_array(name, t, key)
    spec.flat = tuple(p.name for p in params)
    ctx.bind_all({f"%given.{n}": ctx.env[n] for n in spec.left})
    value = lower_body(ctx) if source.compiled is None else call_of_compiled(ctx)
    if spec.left and not contains(value, (Poison, Bottom)):
        left = tuple(ctx.env[f"%given.{n}"].value for n in spec.left)
        if any(contains(v, UnionValue) or (spec.recursive and _has_parts(ctx, v)) for v in left):
            what = "keeping a part of an array, or one of two arrays, in an object that is given"
            ctx.report(Unsupported(span, what, "keep a copy: `.copy()`"))
            left = tuple(Poison() for _ in left)
        value = TupleValue((value, *left) if spec.recursive else tuple(once_each(ctx, without(value, left), left)))
        if twice := _twice(ctx, value):
            what = f"returning the array `{twice}`, which an argument holds from here on, too,"
            ctx.report(Unsupported(span, what, f"return a copy: `{twice}.copy()`"))
            value = Poison()
    if spec.apart:
        value = apart(ctx, value, span)
    elif not spec.recursive:  # if recursive, the next iteration finds its results
        value = lent_back(ctx, value)
        value = answered(value) if spec.answers else value
    if spec.recursive:  # as the recursive calls assume
        value = _widened(ctx, value, join_types(spec.result, type_of(value)) or TOP)
    spec.result = results_of(type_of(value))
    if spec.recursive and contains(value, (Poison, Bottom)):
        spec.result = _of_base_cases(ctx)
        if spec.left:
            left = (results_of(type_of(ctx.env[f"%given.{n}"].value)) for n in spec.left)
            spec.result = TupleType((spec.result, *left))
    spec.failed = any(d.severity == "error" for d in programs.findings.diagnostics)
    hidden = Fixed({k: (ctx.variables.lent(v.name).name, v.type) for k, v in ctx.variables.globals.items()})
    if contains(value, (Poison, Bottom)):
        spec.hidden = hidden
        return
    results = tuple(leaves(value))
    body = Block(tuple(ctx.out), results)
    if not spec.failed:
        modes = infer_modes(params, body, programs.modes)
        spec.modes = tuple(max(m, n, key=MODES.index) for m, n in zip(spec.modes, modes, strict=True))
        written = {v.name for s in walk(body) for v in _written(s, programs)}
        later = [later_names(p, body, programs.modes) for p in params]
        spec.written = frozenset(k for k, names in enumerate(later) if names & written)
        if not spec.recursive:
            spec.returned = frozenset(
                k for k, names in enumerate(later) if names & {r.name for r in results if isinstance(r, Var)}
            )
        spec.alike = frozenset(
            k
            for k, p in enumerate((*params, *ctx.variables.globals.values()))
            if any(p.name in others(ctx, r) for r in results if isinstance(r, Var))
        )
        given = {r.name for r in results if isinstance(r.type, Array)}
        spec.together = frozenset(
            k for k, r in enumerate(results) if isinstance(r.type, Array) and given & others(ctx, r)
        )
    spec.hidden = hidden
    linear = () if source.compiled is None else source.compiled.linear
    named = [n for n, t in spec.params for _ in type_leaves(t)]
    everything = [Param(p, m, n in linear) for p, m, n in zip(params, spec.modes, named, strict=True)]
    everything += [Param(v, "read") for v in ctx.variables.globals.values()]
    if spec.recursive:
        everything.append(Param(spec.depth, "own"))
        ok = ctx.fresh("ok", BOOL)
        limit = Const(programs.limit, I64)
        text = "maximum recursion depth exceeded"
        body = Block(
            (Let(ok, "lt", (spec.depth, limit), span), Check(ok, "RecursionError", text, (), span), *body.stmts),
            results,
        )
    spec.function = Function(spec.name, tuple(everything), body, span)
    for p, m in zip(params, spec.modes, strict=True):
        if isinstance(p.type, Array):
            ctx.fact("mode", p.name, span, m)


_LEFT = "#left "  # prefix of the name of an array of the result that stands for one that an argument holds


def once_each(ctx: Lowering, value: Value, left: Sequence[Value]) -> list[Value]:
    """A result, and the values that a call leaves in arguments, in which an array of the function's own has one place:
    all others, in the result too, are placeholders. A part of an array is passed with the array."""
    places: dict[str, int] = {}
    count = itertools.count()

    def placed(v: Value, new: bool) -> Value:
        k = next(count) if new else 0
        view = isinstance(v, ViewValue)
        if not isinstance(v, ArrayValue | ViewValue) or ctx.variables.lent(v.var.name) is not None:
            return v
        if v.var.name in places:
            place = replace(v.var, name=f"{_LEFT}{places[v.var.name]}")
            return ViewValue(place, v.view if view else whole(v.var.type.rank))
        if new:
            places[v.var.name] = k
        return replace(v, lent=True) if view and new else v

    after = [map_arrays(v, lambda leaf: placed(leaf, True)) for v in left]
    return [map_arrays(value, lambda leaf: placed(leaf, False)), *after]


def everywhere(value: Value, left: Sequence[Value]) -> list[Value]:
    """The inverse of `once_each`, in the caller."""
    found: list[Value] = []
    for v in left:
        map_arrays(v, lambda leaf: found.append(leaf) or leaf)

    def given(v: Value) -> Value:
        if not isinstance(v, ViewValue) or not v.var.name.startswith(_LEFT):
            return v
        held = found[int(v.var.name.removeprefix(_LEFT))]
        return simplest(held.var, v.view)

    return [map_arrays(v, given) for v in (value, *left)]


def _has_parts(ctx: Lowering, v: Value) -> bool:
    """Whether a value holds a part of an array of the function's own."""
    found: list[Value] = []
    map_arrays(v, lambda leaf: found.append(leaf) or leaf)
    return any(isinstance(leaf, ViewValue) and ctx.variables.lent(leaf.var.name) is None for leaf in found)


def _twice(ctx: Lowering, value: TupleValue) -> str:
    """The name of an array of the function's own that occurs twice in its result, or an empty string."""
    found = [a.name for a in arrays(value) if ctx.variables.lent(a.name) is None and not a.name.startswith(_LEFT)]
    return next((n.partition(".")[0] for k, n in enumerate(found) if n in found[:k]), "")


def answered(v: Value) -> Value:
    """The result of a helper, with known bools and ints recorded in its type, so that its caller can decide tests on
    them at compile time."""
    if isinstance(v, TupleValue) and v.record not in GROWING:
        return replace(v, items=tuple(map(answered, v.items)))
    return as_literal(v) if isinstance(v, ScalarValue) else v


def _written(s: Stmt, programs: Specialiser) -> list[Var]:
    if isinstance(s, (Let, Load)):  # a fast path for most statements
        return []
    if isinstance(s, Call):
        spec = programs.spec(s.callee)
        return [
            a for k, (a, m) in enumerate(zip(s.args, spec.modes, strict=False)) if m in ("mut", "acc") or spec.writes(k)
        ]
    return [v for v, use in uses(s, programs.modes) if use in ("update", "accumulate")]


def lower_body(ctx: Lowering) -> Value:
    """Lower the statements of a function and return its result."""
    value = _body(ctx)
    against_annotation(ctx, value)
    return value


def _body(ctx: Lowering) -> Value:
    for name, b in ctx.env.items():
        ctx.typed(name, b.span, b.value)
    block(ctx, body_of(ctx.source), frozenset())
    ctx.go(dead=False)
    kinds: ValueType | None = None
    first: tuple[Span, ValueType] | None = None
    for span, value in ctx.path.returned:
        t = type_of(value)
        if first is None:
            first, kinds = (span, t), t
            continue
        joined = (join_results if ctx.spec is None else join_types)(kinds, t)
        none = joined is not None and ctx.spec is None and _has_optional(joined)  # None has no derivative
        if joined is None or (
            none and not (is_optional(joined) and _is_return(ctx, span) and not _has_optional(joined.items[0]))
        ):
            ctx.report(MixedReturns(span, describe(first[1]), describe(t), first[0], not _is_return(ctx, span)))
            return Poison()
        kinds = joined
    held = ctx.env.get(RET)
    if held is None:  # every path raises
        return NoneValue() if kinds is None else Poison()
    value = held.value
    if ctx.spec is None and is_optional(value):
        span = next(at for at, v in ctx.path.returned if isinstance(v, NoneValue) or is_optional(v))
        kinds = kinds.items[0]
        text = (
            f"`{ctx.source.name}` returns None here, and {with_article(describe(kinds))} on other paths: "
            "what is differentiated has results of one type (see 'None' in docs/reference/deviations.md)"
        )
        ctx.emit(Check(value.items[1].atom, "TypeError", text, (), span))
        value = value.items[0]
    if contains(value, (UnionValue, LostArray)) and not contains(value, (Poison, Bottom)):
        ctx.report(ViewOnSomePaths(ctx.path.returned[-1][0], ctx.source.name))
        return Poison()
    if kinds is not None and type_of(value) != kinds:
        return _widened(ctx, value, kinds)
    return value


def _has_optional(t: ValueType) -> bool:
    """Whether a result, or a part of it, may be None."""
    return is_optional(t) or (isinstance(t, TupleType) and any(map(_has_optional, t.items)))


def _is_return(ctx: Lowering, span: Span) -> bool:
    """Whether a result comes from a `return` statement rather than from the end of the function."""
    if isinstance(ctx.source.node, ast.Lambda):
        return True
    returns = (n for n in ast.walk(ctx.source.node) if isinstance(n, ast.Return))
    return any(ctx.span(n.value if n.value is not None else n) == span for n in returns)


def header(source: FunctionSource) -> Span:
    """``def name``, or the whole of a lambda."""
    span = source.source.span(source.node)
    if isinstance(source.node, ast.Lambda):
        return span
    line = source.source.lines[span.line - source.source.first_line]
    at = line.find(source.node.name, span.column - 1)
    return span if at < 0 else replace(span, end_line=span.line, end_column=at + 1 + len(source.node.name))


def _of_base_cases(ctx: Lowering) -> ValueType:
    """The result of a recursive function on the paths that do not call it."""
    found: ValueType = OtherType(Bottom())
    for _, value in ctx.path.returned:
        if not contains(value, (Poison, Bottom)):
            found = join_types(found, type_of(value)) or OtherType(Poison())
    return found


def _widened(ctx: Lowering, value: Value, t: ValueType) -> Value:
    if contains(value, (Poison, Bottom)) or not isinstance(t, (ScalarType, TupleType)) or type_of(value) == t:
        return value
    return rebuild(t, coerce(ctx, value, t, ctx.span(ctx.source.node)))


def specialised(
    ctx: Lowering,
    source: FunctionSource,
    given: dict[str, Value],
    captures: dict[str, Value],
    once: bool = False,
    disjoint: bool = False,
    answers: bool = False,
    changes: bool = False,
) -> tuple[Spec, dict[str, Value]]:
    """A function specialised for the types of these arguments, and for the literal values that it needs to know.

    ``once`` is as in `passed`, ``disjoint``, ``answers`` and ``changes`` as in `Spec`.
    """
    how = {"disjoint": disjoint, "answers": answers, "changes": changes}

    def types(*values: dict[str, Value]) -> tuple[Typed, ...]:
        every = passed([v for some in values for v in some.values()], once)
        numbers = given_objects(every)
        found = iter([named(v, numbers) for v in every])
        return tuple(tuple((n, type_of(next(found))) for n in some) for some in values)

    with ctx.programs.apart() as found:
        spec = ctx.programs.specialise(source, *types(given, captures), **how)
    literals: dict[str, Value] = {}

    def with_literals() -> Spec:
        again = [{n: literals.get(n, v) for n, v in some.items()} for some in (given, captures)]
        return ctx.programs.specialise(source, *types(*again), **how)

    if spec.failed and not spec.wanted:  # a known int may decide of which types others are
        literals = {n: as_literal(v) for some in (given, captures) for n, v in some.items()}
        literals = {n: v for n, v in literals.items() if isinstance(v, FlagValue) and v.dtype == "i64"}
        with ctx.programs.apart() as other:
            again = with_literals() if literals else spec
        if not again.failed:
            ctx.programs.findings.take(other)
            return again, literals
        literals = {}
    for name in spec.wanted if spec.failed else ():
        value = given.get(name, captures.get(name))
        if isinstance(value, ScalarValue) and isinstance(value.atom, Const):
            literals[name] = FlagValue(value.atom.value, value.weak, value.dtype)
        elif value is not None:
            for a in leaves(value):
                ctx.wants_literal(ScalarValue(a))
    if not literals:
        ctx.programs.findings.take(found)
        return spec, {}
    return with_literals(), literals
