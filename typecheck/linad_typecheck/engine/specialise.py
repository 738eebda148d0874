"""Specialisation: one core function per user function and argument types. Recursive functions are lowered to a
fixpoint."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..ir.core import Const
from ..messages.language import BadCall, EverDeeper
from ..names.scope import FunctionSource
from ..ownership.objects import number_objects as given_objects, origins, rename_objects
from ..types import Array
from .fixpoint import fixpoint
from .function import header, lower_function
from .programs import Programs
from .spec import CallOptions, Contract, Spec, Typed, value_of
from .state import ONE, Lowering
from .values import (
    KNOWN_RANGE, Bottom, FlagValue, Poison, ScalarValue, TupleValue, Value, as_literal, contains, deepens, leaves,
    passed, type_leaves, type_of,
)

DEPTH = 20  # limit for recursive calls with arguments of new types
# Specialises a function with a rule for its derivative. The module that lowers rules enters it here, because it imports
# this one.
BY_RULE: list[Callable[[Programs, FunctionSource, Typed, Typed], Spec]] = []


class Specialiser(Programs):
    """Lowers functions when they are first called with arguments of new types."""

    def specialise(
        self, source: FunctionSource, params: Typed, captures: Typed, options: CallOptions = CallOptions()
    ) -> Spec:
        """The function specialised for arguments of these types."""
        if source.rule is not None:
            return BY_RULE[0](self, source, params, captures)
        within = [s.options for s in self.stack if s.source == source]  # a recursive call asks no more than its caller
        answers, changes = all(a.answers for a in within), all(a.changes for a in within)
        sizes, short = ((), ()) if within else (options.sizes, options.short)
        both = {"answers": options.answers and answers, "changes": options.changes and changes}
        options = replace(options, **both, sizes=sizes, short=short)
        key = (id(source.node), source.key, params, captures, options)
        known = self.specs.get(key)
        if known is not None:
            if known.done:
                self.findings.take(known.findings)  # the attempt that first called it may have been discarded
                return known
            for spec in self.stack[self.stack.index(known) :]:  # everything on the stack from there on is recursive
                spec.recursive = True
            return known
        spec = self.specs[key] = Spec(self.name(source.name), source, (*params, *captures), options)
        inside = self.inside(source)
        if inside == 0:
            self.endless.discard(id(source.node))
        caller = next((s.params for s in reversed(self.stack) if s.source == source), spec.params)
        deeper = any(deepens(t, u) for (_, t), (_, u) in zip(caller, spec.params))
        if inside > DEPTH or deeper or id(source.node) in self.endless:
            self.endless.add(id(source.node))  # otherwise each of the calls around would be tried in all ways
            self.report(
                BadCall(source.source.span(source.node), source.name, "calls itself with arguments of ever new types")
            )
            spec.failed = spec.done = True
            return spec
        spec.returned = frozenset()  # as far as a recursive call knows
        spec.modes = tuple("read" if isinstance(t, Array) else "own" for _, p in spec.params for t in type_leaves(p))
        self.stack.append(spec)
        self._solve(spec)
        self.stack.pop()
        spec.done = True
        self._check_returns(spec)
        spec.failed = spec.failed or contains(value_of(spec.result), (Poison, Bottom))
        if not spec.failed:  # what was unknown during the iteration is known now
            spec.findings.bottoms = 0
        self.findings.take(spec.findings)
        spec.findings.bottoms = 0
        return spec

    def _solve(self, spec: Spec) -> None:
        """Lower a function until its body satisfies what its recursive calls assume."""
        before = set(self.specs)

        def run(known: Contract) -> tuple[Contract, None]:
            for other in set(self.specs) - before if spec.recursive else ():  # lowered against the previous contract
                self.taken.discard(self.specs.pop(other).name)
            spec.contract = known
            with self.apart() as spec.findings:
                lower_function(self, spec)
            return spec.contract if spec.recursive else known, None

        start, changed = spec.contract, None
        # terminates: an ascending chain in a finite lattice, the subsets of what is passed
        while changed != spec.changed:
            changed = spec.changed
            spec.left = tuple(n for n, t in spec.params if not changed.isdisjoint(origins(t)))
            flat = [n in spec.left and isinstance(leaf, Array) for n, t in spec.params for leaf in type_leaves(t)]
            # what it changes it takes over: a recursive call that is given a copy would leave it unchanged
            fixpoint(run, replace(start, written=start.written | {k for k, changes in enumerate(flat) if changes}))

    def _check_returns(self, spec: Spec) -> None:
        """Report a function that calls itself on every path, or whose result has no type that settles."""
        if spec.deeper:
            spec.findings.note(EverDeeper(header(spec.source), f"what `{spec.source.name}` returns").diagnostic())
        elif (
            spec.recursive
            and isinstance(value_of(spec.result), Bottom)
            and not spec.findings.diagnostics
            and not self.unsettled()
        ):
            never = BadCall(
                header(spec.source),
                spec.source.name,
                "never returns without calling itself",
                where="every path calls it again",
                instead="begin with the case that needs no call: `if n == 0: return ...`",
            )
            spec.findings.note(never.diagnostic())


def specialised(
    ctx: Lowering,
    source: FunctionSource,
    given: dict[str, Value],
    captures: dict[str, Value],
    options: CallOptions = CallOptions(),
    once: bool = False,
) -> tuple[Spec, dict[str, Value]]:
    """A function specialised for the types of these arguments, and for the literal values that it needs to know.

    ``once`` is as in `passed`.
    """

    def types(*values: dict[str, Value]) -> tuple[Typed, ...]:
        every = passed([v for some in values for v in some.values()], once)
        numbers = given_objects(every)
        found = iter([rename_objects(v, numbers) for v in every])
        return tuple(tuple((n, type_of(next(found))) for n in some) for some in values)

    def lowered(literals: dict[str, Value], every: bool) -> Spec:
        """With these values instead of the given ones; ``every``: for all sizes that are known, not only those of 1,
        which broadcast."""
        values = [{n: literals.get(n, v) for n, v in some.items()} for some in (given, captures)]
        flat = [a for v in passed([v for some in values for v in some.values()], once) for a in leaves(v)]
        known = replace(options, sizes=_known_sizes(ctx, flat, every), short=_short(ctx, flat))
        return ctx.programs.specialise(source, *types(*values), known)

    sized = ctx.programs.sized
    with ctx.programs.apart() as found:
        spec = lowered({}, sized)
    literals: dict[str, Value] = {}
    if spec.failed and not spec.wanted:  # a known int, or the size of an array, may decide of which types others are
        literals = {n: k for some in (given, captures) for n, v in some.items() if (k := _with_literals(v)) != v}
        with ctx.programs.apart() as other:
            again = lowered(literals, True)
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
    with ctx.programs.apart() as found:
        spec = lowered(literals, sized)
    if spec.failed and not sized:
        with ctx.programs.apart() as other:
            again = lowered(literals, True)
        if not again.failed:
            spec, found = again, other
    ctx.programs.findings.take(found)
    return spec, literals


def _with_literals(v: Value) -> Value:
    """A value whose known ints, also in tuples, are flags, for which the callee is specialised."""
    if isinstance(v, TupleValue) and v.record in (None, KNOWN_RANGE):
        return replace(v, items=tuple(map(_with_literals, v.items)))
    return as_literal(v) if isinstance(v, ScalarValue) else v


def _short(ctx: Lowering, flat: list[Atom]) -> tuple[tuple[int, int], ...]:
    """The axes of flat arguments that are known to have at most one cell, and which are not known to have one."""
    found: list[tuple[int, int]] = []
    for k, a in enumerate(flat):
        if isinstance(a.type, Array):
            ones = ctx.ones(a)
            found += ((k, axis) for axis, exact in sorted(ones) if not exact and (axis, True) not in ones)
        elif ctx.known(a).single:
            found.append((k, -1))
    return tuple(found)


def _known_sizes(ctx: Lowering, flat: list[Atom], every: bool) -> tuple[tuple[int, int, int], ...]:
    """The sizes of arrays among flat arguments that are known: of which, along an axis, the size."""
    stored = ((k, a) for k, a in enumerate(flat) if isinstance(a.type, Array))
    size = lambda a, axis: ONE if (axis, True) in ctx.known(a).ones else ctx.path.dims.get((a.name, axis))
    of = ((k, j, size(a, j)) for k, a in stored for j in range(a.type.rank))
    return tuple((k, j, n.value) for k, j, n in of if isinstance(n, Const) and (every or n.value == 1))
