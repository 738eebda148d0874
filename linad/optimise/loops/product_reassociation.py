"""Product reassociation: multiply the loop-carried adjoint last, and by one precomputed factor without division.

**Transformation.** Height reduction by reassociation of the products and quotients on the recurrence of a loop.

**Before.** ``a = mul t_bar u; c = div a b``
**After.** ``k = div u b; c = mul k t_bar``

**Legality.** Only values in which the function is linear, that is, adjoints and tangents: a quotient of the user's
program may be an exact integer, ``c * (n - k) / (k + 1)``, and must stay so. The factor may overflow or underflow where
the original chain does not, so it is tested: if a partial product is not a normal number (zero is not), the original
chain is evaluated instead.

**Profitability.** A division takes as long as five to twenty products. In a chain on the recurrence, the factors
available earlier are multiplied first, before the loop if invariant. Not in loops with library functions: these take
longer than a division and do not wait for it.

**Needs.** Reassociation of sums (fastmath); arrays with different names do not overlap (noalias).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import reduce

from linad_typecheck.ir.core import (
    Atom, Block, Const, Function, If, Let, Loop, Names, Stmt, Var, all_names,
    outputs, walk,
)
from linad_typecheck.ir.rewrite import at_loops
from linad_typecheck.types import BOOL, is_float

from linad.analysis.flows import linear_values
from linad.analysis.loop_body import needed
from linad.analysis.loop_facts import defined
from linad.analysis.operation_costs import is_library_call

from .critical_path_reassociation import inputs, needed_for, passed_on, waits_of

LINKS = ("mul", "div", "neg")
LOWEST = {"f64": 2.0**-1022, "f32": 2.0**-126}  # smallest normal numbers


def reassociate_products(f: Function) -> Function:
    """Multiply loop-carried adjoints by precomputed factors in innermost loops."""
    linear = linear_values(f) if any(map(_is_division, walk(f.body))) else set()
    if not linear:
        return f
    names = Names(all_names(f))

    def multiplied(s: Loop) -> list[Stmt]:
        inside = [*walk(s.body)]
        idle = not any(isinstance(t, Loop) or is_library_call(t) for t in inside)
        return _multiplied(s, linear, names) if idle and any(map(_is_division, s.body.stmts)) else [s]

    return at_loops(f, multiplied)


def _is_division(s: Stmt) -> bool:
    return isinstance(s, Let) and s.op == "div"


@dataclass(frozen=True)
class _Chain:
    """The product of ``base`` and ``ups``, divided by ``downs``, as computed by the statements ``links``."""

    base: Var
    ups: tuple[Atom, ...] = ()
    downs: tuple[Atom, ...] = ()
    negative: bool = False
    links: tuple[Let, ...] = ()

    @property
    def needed(self) -> set[str]:
        return {a.name for a in (self.base, *self.ups, *self.downs) if isinstance(a, Var)}


@dataclass
class _Factors:
    """Emits the factors of adjoints, in the loop and before it, without repeating a product."""

    loop: Loop
    names: Names
    chains: list[_Chain]
    before: list[Stmt] = field(default_factory=list)
    known: dict[tuple, Var] = field(default_factory=dict)
    # products and quotients before the loop (True) and in it (False)
    made: dict[bool, list[Var]] = field(default_factory=lambda: {True: [], False: []})

    def __post_init__(self) -> None:
        s = self.loop
        self.inside = defined(s)

    def op(self, out: list[Stmt], op: str, *ins: Atom) -> Var:
        key = (op, *ins)
        if key not in self.known:
            made = self.known[key] = self.names.var("t", BOOL if op in ("isfinite", "ge", "and") else ins[-1].type)
            out.append(Let(made, op, ins, self.loop.span))
            if op in ("mul", "div"):
                self.made[out is self.before].append(made)
        return self.known[key]

    def factor(self, chain: _Chain, out: list[Stmt]) -> Atom:
        """The factor of a chain. Invariant operands come first, and quotients before products, because other chains may
        share them."""
        (ups, fixed_ups), (downs, fixed_downs) = (
            [[a for a in xs if self.moves(a) == m] for m in (True, False)] for xs in (chain.ups, chain.downs)
        )
        k: Atom | None = None
        for a in fixed_ups:
            k = a if k is None else self.op(self.before, "mul", k, a)
        one = Const(1.0, chain.base.type)
        for a in fixed_downs:
            k = self.op(self.before, "div", one if k is None else k, a)
        if k is None:
            k = ups.pop(0) if ups and not self.shared(chain) else one
        for a in downs:
            k = self.op(out, "div", k, a)
        for a in ups:
            k = self.op(out, "mul", k, a)
        return self.op(out, "neg", k) if chain.negative else k

    def normal(self, factors: list[Atom], out: list[Stmt]) -> Var:
        """Test that all factors are finite and that no partial product has lost digits by underflow."""
        lowest: Atom = Const(LOWEST[factors[0].type.dtype], factors[0].type)
        # not finite if any factor is inf or nan
        total = reduce(lambda a, b: self.op(out, "add", a, b), dict.fromkeys(factors))
        tests: list[Var] = []
        if self.made[True]:
            normal = self.op(self.before, "ge", self.least(self.made[True], self.before), lowest)
            # with nan, the comparison in the loop always fails
            lowest = self.op(self.before, "select", normal, lowest, Const(math.nan, lowest.type))
            tests += [] if self.made[False] else [normal]
        if self.made[False]:
            tests.append(self.op(out, "ge", self.least(self.made[False], out), lowest))
        return reduce(lambda a, b: self.op(out, "and", a, b), [*tests, self.op(out, "isfinite", total)])

    def least(self, values: list[Var], out: list[Stmt]) -> Var:
        """The least absolute value, computed as a balanced tree."""
        sizes = [self.op(out, "abs", v) for v in values]
        while len(sizes) > 1:
            a, b, *others = sizes
            sizes = [*others, self.op(out, "min", a, b)]
        return sizes[0]

    def shared(self, chain: _Chain) -> bool:
        """Whether other chains have the same divisors, so that one quotient serves all of them."""
        return any(c.downs == chain.downs and c.ups != chain.ups for c in self.chains)

    def moves(self, a: Atom) -> bool:
        return isinstance(a, Var) and a.name in self.inside


def _multiplied(s: Loop, linear: set[str], names: Names) -> list[Stmt]:
    late, ends = passed_on(s)
    if not late or not ends:
        return [s]
    waits, way = waits_of(s.body.stmts, late), needed_for(s.body, ends)
    links = {
        t.out.name: t for t in s.body.stmts if isinstance(t, Let) and t.out.name in way and _is_link(t, waits, linear)
    }
    others = [t for t in s.body.stmts if not (isinstance(t, Let) and t.out.name in links)]
    looked_at = {v.name for t in others for v in inputs(t)} | {r.name for r in s.body.results if isinstance(r, Var)}
    chains = {name: _chain(t.out, links, waits) for name, t in links.items() if name in looked_at}
    chains = {
        name: c
        for name, c in chains.items()
        if c.downs and not (links[name].op == "neg" and c.links[-2].out.name in chains)
    }
    if not chains:
        return [s]
    factors, out = _Factors(s, names, [*chains.values()]), []
    coming = {v.name for t in s.body.stmts for v in outputs(t)}
    for t in s.body.stmts:
        name = t.out.name if isinstance(t, Let) else ""
        if name in chains:  # include all other chains that can be computed here, to share one test
            here = [name, *(n for n, c in chains.items() if n != name and not coming & c.needed)]
            group = [(links[n], chains[n], factors.factor(chains.pop(n), out)) for n in here]
            out.append(_last(group, factors.normal([k for *_, k in group], out), names))
            coming -= {*here}
        elif name not in links or name in coming:
            out.append(t)
        coming -= {v.name for v in outputs(t)}
    alive = (t for t in out if not (isinstance(t, Let) and t.out.name in links))  # without dead links
    return [*factors.before, replace(s, body=replace(s.body, stmts=tuple(needed(out, alive, s.body.results))))]


def _is_link(t: Let, waits: Mapping[str, int], linear: set[str]) -> bool:
    """Whether a statement is linear in the single operand that depends on the previous iteration."""
    waiting = [k for k, a in enumerate(t.ins) if isinstance(a, Var) and a.name in waits]
    same = all(a.type == t.out.type for a in t.ins) and is_float(t.out.type)
    return (
        t.op in LINKS
        and same
        and len(waiting) == 1
        and t.ins[waiting[0]].name in linear
        and (t.op != "div" or waiting == [0])
    )


def _chain(v: Var, links: Mapping[str, Let], waits: Mapping[str, int]) -> _Chain:
    t = links.get(v.name)
    if t is None:
        return _Chain(v)
    (base,) = (a for a in t.ins if isinstance(a, Var) and a.name in waits)
    inner = _chain(base, links, waits)
    longer = replace(inner, links=(*inner.links, t))
    match t.op:
        case "neg":
            return replace(longer, negative=not inner.negative)
        case "div":
            return replace(longer, downs=(*inner.downs, t.ins[1]))
    return replace(longer, ups=(*inner.ups, t.ins[0] if t.ins[1] == base else t.ins[1]))


def _last(group: list[tuple[Let, _Chain, Atom]], normal: Var, names: Names) -> If:
    """The values as products with their factors, or by the original chains if the test fails."""
    products = [Let(names.like(t.out), "mul", (factor, chain.base), t.span) for t, chain, factor in group]
    again: dict[str, Let] = {}  # copies of the links, by the names the originals defined
    for _, chain, _ in group:
        for u in chain.links:
            ins = tuple(again[a.name].out if isinstance(a, Var) and a.name in again else a for a in u.ins)
            again.setdefault(u.out.name, Let(names.like(u.out), u.op, ins, u.span))
    then = Block(tuple(products), tuple(p.out for p in products))
    orelse = Block(tuple(again.values()), tuple(again[t.out.name].out for t, *_ in group))
    return If(normal, then, orelse, tuple(t.out for t, *_ in group), group[0][0].span)
