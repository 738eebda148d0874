"""Constant folding: replace operations whose result is known or already computed.

**Transformation.** Constant folding, copy propagation, algebraic simplification, common-subexpression elimination and
store-to-load forwarding in one forward walk (Muchnick, Advanced Compiler Design and Implementation, 1997, chapters 12
and 13).

**Before.** ``k = mul 3 4; a = sin x; b = sin x; c = add a b``
**After.** ``a = sin x; c = add a a``

Values computed in an arm are available in the same arm of a later branch on the same condition, under the names of the
first branch's results: ``if c { s = sin x; yield s } else { yield 0.0 }; if c { t = sin x }``.

**Legality.** Only identities that hold for every float: neither ``x + 0.0`` (the sign of zero) nor ``x * 0.0`` (inf,
nan) is simplified; ints wrap at 64 bits. A loaded or stored value stays available until its cell may be written.

**Profitability.** Always: the pass never adds work.

**Needs.** Nothing: results are bitwise identical.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from linad_typecheck.ir.core import (
    AddTo, Alloc, Atom, Block, Call, Check, Const, Dim, Function, If, Let, Load, Loop, Stmt, Store, Var, blocks,
    outputs, walk, writes,
)
from linad_typecheck.ir.rewrite import in_blocks, renamed, with_results, with_statements
from linad_typecheck.ir.sizes import known_sizes
from linad_typecheck.infer.affine import Affine, atom
from linad_typecheck.types import BOOL, FLOATS, I64, INTS, Array, Scalar

from linad.analysis.affine import affine_form
from linad.analysis.logs import logs_of, may_grow
from linad.analysis.loop_facts import carrying_only


# Available values by operation; under ("under", condition, bool), a table of those available where the condition has
# this value.
Known = dict[tuple, Any]

_WRAP = 1 << 64
TERMS = 4  # maximum number of ints of which a sum is remembered


def _int64(value: int) -> int:
    value &= _WRAP - 1
    return value - _WRAP if value >= _WRAP >> 1 else value


# Folded exactly as computed at run time: wrapping int64 arithmetic, comparisons, bool logic. Float arithmetic is left
# to run time, except for square roots.
_INT: dict[str, Callable[..., int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "neg": operator.neg,
    "min": min,
    "max": max,
    "wrap": lambda i, n: i + n if i < 0 else i,
    "trips": lambda a, b, c: max(0, -((a - b) // c)) if c else 0,
}
_COMPARE: dict[str, Callable[..., bool]] = {n: getattr(operator, n) for n in ("lt", "le", "gt", "ge", "eq", "ne")}
_LOGIC: dict[str, Callable[..., bool]] = {"and": lambda a, b: a and b, "or": lambda a, b: a or b, "not": operator.not_}
_COMMUTES = frozenset({"add", "mul", "and", "or", "eq", "ne", "bitand", "bitor", "bitxor"})


def fold_constants(f: Function) -> Function:
    """Replace every operation whose value is known or available."""
    return replace(f, body=_Folder(f).block(f.body, {}, {}))


def _changed(s: Stmt, known: dict[int, set[str]]) -> set[str]:
    """The arrays that a statement may write to or rename, at any depth. ``known`` memoises them by block identity."""
    found = {a.name for a in writes(s)}
    given = s.args if isinstance(s, Call) else s.inits if isinstance(s, Loop) else ()
    for b in blocks(s):
        if id(b) not in known:
            known[id(b)] = set().union(*(_changed(t, known) for t in b.stmts))
        found |= known[id(b)]
        given = (*given, *b.results)
    return found.union(a.name for a in given if isinstance(a, Var) and isinstance(a.type, Array))


def _forget(known: Known, arrays: set[str]) -> None:
    """Drop loads of changed arrays, and sizes of logs that may have grown."""
    if arrays:
        for key in [k for k in known if k[0] in ("load", "stored", "log size") and k[1] in arrays]:
            del known[key]


def _forget_cell(known: Known, array: str, index: tuple[Atom, ...]) -> None:
    """After a write to a cell, drop the loads of the array, and what was stored to cells that may be the same."""
    for key in [k for k in known if k[1:2] == (array,)]:
        if key[0] == "load" or key[0] == "stored" and not _differ(key[2:], index):
            del known[key]


def _differ(first: tuple[Atom, ...], second: tuple[Atom, ...]) -> bool:
    """Whether two indices differ in a constant."""
    pairs = zip(first, second, strict=True)
    return any(isinstance(a, Const) and isinstance(b, Const) and a.value != b.value for a, b in pairs)


def _value(a: Atom) -> object:
    return a.value if isinstance(a, Const) else None


def _canonical(op: str, ins: tuple[Atom, ...]) -> tuple[str, tuple[Atom, ...]]:
    """A canonical form: ``n + -2`` becomes ``n - 2``, so that both are recognised as equal."""
    match op, ins:
        case ("add", (x, Const(value=c, type=t))) | ("add", (Const(value=c, type=t), x)) if (
            t == I64 and -(2**62) < c < 0
        ):
            return "sub", (x, Const(-c, I64))
        case ("sub", (x, Const(value=c, type=t))) if t == I64 and -(2**62) < c < 0:
            return "add", (x, Const(-c, I64))
    return op, ins


def _key(v: Var, op: str, ins: tuple[Atom, ...]) -> tuple:
    """The lookup key of an operation."""
    return (op, v.type, *(sorted(ins, key=str) if op in _COMMUTES else ins))


def _seen_outside(arm: Block, outs: tuple[Var, ...]) -> dict[tuple, Atom]:
    """The operations of an arm whose results are results of the branch, by their keys after the branch; they are
    available where the same arm was taken."""
    leaving = {r.name: v for r, v in zip(arm.results, outs, strict=True) if isinstance(r, Var)}
    inside = {v.name for t in arm.stmts for v in outputs(t)} - leaving.keys()
    found: dict[tuple, Atom] = {}
    for t in arm.stmts:
        if isinstance(t, Let) and t.out.name in leaving:
            ins = tuple(leaving.get(a.name, a) if isinstance(a, Var) else a for a in t.ins)
            if not any(isinstance(a, Var) and a.name in inside for a in ins):
                found[_key(t.out, t.op, ins)] = leaving[t.out.name]
    return found


def _once(s: Loop) -> bool:
    """Whether a loop without carried arrays runs exactly once, as a blocked sum with a single block does."""
    ends = (s.start, s.stop, s.step)
    if s.exits or s.mark is not None or not all(isinstance(a, Const) for a in ends) or not s.step.value:
        return False
    return len(range(*(a.value for a in ends))) == 1 and not any(isinstance(c.type, Array) for c in s.carried)


class _Folder:
    def __init__(self, f: Function) -> None:
        made, passed = [s for s in walk(f.body) if isinstance(s, Alloc)], may_grow(f)
        # a callee may extend an empty array
        self.grown = logs_of(f) | {s.out.name for s in made if s.out.name in passed and s.shape == (Const(0, I64),)}
        # also those of logs, unless a callee may extend them
        self.sizes = known_sizes(f) | {s.out.name: s.shape for s in made if s.out.name not in passed}
        self.extents = {s.out for s in walk(f.body) if isinstance(s, Dim)}  # not negative
        self.same: dict[str, Atom] = {}
        self.equals: dict[str, tuple[Atom, Atom]] = {}  # bools that compare two ints for equality
        self.found: list[str] = []  # ints replaced because of a check, in the enclosing blocks
        self.forms: dict[str, Affine] = {}  # ints that are sums of others
        self.ints: dict[str, Var] = {}
        self.changed: dict[int, set[str]] = {}

    def use(self, a: Atom) -> Atom:
        return self.same.get(a.name, a) if isinstance(a, Var) else a

    def total(self, s: Let) -> Atom | None:
        """What remains of a sum of ints whose terms cancel, if that is an int: ``d`` for ``(t + 1) - (t - d + 1)``."""
        if s.out.type != I64 or s.op not in ("add", "sub", "neg"):
            return None
        f = affine_form(s, self.form)
        if f is None or len(f.terms) > TERMS:
            return None
        if len(f.terms) > 1 or f.const and f.terms or f.terms and f.terms[0][1] != 1:
            self.forms[s.out.name] = f
            return None
        return self.ints[f.terms[0][0]] if f.terms else Const(_int64(f.const), I64)

    def form(self, a: Atom) -> Affine:
        if isinstance(a, Const):
            return Affine(int(a.value))
        self.ints[a.name] = a
        return self.forms.get(a.name) or atom(a.name)

    def block(self, block: Block, known: Known, facts: dict[Atom, bool]) -> Block:
        """Fold a block. ``known``: available operations. ``facts``: bools decided by enclosing arms."""
        known, facts, out = dict(known), dict(facts), []
        around = len(self.found)
        for s in block.stmts:
            self.statement(s, known, facts, out)
        folded = with_results(with_statements(block, out), map(self.use, block.results))
        for name in self.found[around:]:  # beyond the block, its checks may not have been executed
            del self.same[name]
        del self.found[around:]
        return folded

    def equate(self, cond: Var) -> None:
        """After a check that two ints are equal, replace one by the other: by the constant, or else by the second."""
        a, b = self.equals.get(cond.name, (cond, cond))
        if isinstance(a, Const):
            a, b = b, a
        if isinstance(a, Var) and a != b and a.name not in self.same:
            self.same[a.name] = b
            self.found.append(a.name)

    def statement(self, s: Stmt, known: Known, facts: dict[Atom, bool], out: list[Stmt]) -> None:
        match s:
            case Let(v, op, ins, span):
                op, ins = _canonical(op, tuple(map(self.use, ins)))
                value = self.known_value(v, op, ins, facts) or self.total(Let(v, op, ins))
                if value is None:
                    key = _key(v, op, ins)
                    value = known.get(key)
                    if value is None:
                        known[key] = v
                        if op == "eq" and all(a.type == I64 for a in ins):
                            self.equals[v.name] = ins
                        out.append(s if op == s.op and all(map(operator.is_, ins, s.ins)) else Let(v, op, ins, span))
                        return
                self.same[v.name] = value
            case Dim(v, a, axis):
                key = ("log size" if self.use(a).name in self.grown else "dim", self.use(a).name, axis)
                if a.name in self.sizes and a.name not in self.grown:
                    self.same[v.name] = self.use(self.sizes[a.name][axis])
                elif key in known:
                    self.same[v.name] = known[key]
                else:
                    known[key] = v
                    out.append(renamed(s, self.same))
            case Load(out=v, array=a, index=index):
                cell = (self.use(a).name, *map(self.use, index))
                value = known.get(("stored", *cell), known.get(("load", *cell)))
                if value is not None:
                    self.same[v.name] = value
                else:
                    known["load", *cell] = v
                    out.append(renamed(s, self.same))
            case Store() | AddTo():
                s = renamed(s, self.same)
                _forget_cell(known, s.array.name, s.index)
                if isinstance(s, Store) and s.value.type.dtype == s.array.type.dtype:
                    known["stored", s.array.name, *s.index] = s.value
                out.append(s)
            case Check(cond):
                cond = self.decided(self.use(cond), facts)
                if _value(cond) is not True:
                    s = renamed(s, self.same)
                    out.append(s if cond is s.cond else replace(s, cond=cond))
                    if isinstance(cond, Var):
                        facts[cond] = True
                        self.equate(cond)
            case If():
                self.branch(s, known, facts, out)
            case Loop():
                self.loop(s, known, facts, out)
            case _:
                self.forget(known, s)
                out.append(renamed(s, self.same))

    def forget(self, known: Known, s: Stmt) -> None:
        """Invalidate what a statement changes, under the names used in ``known``."""
        changed = _changed(s, self.changed)
        _forget(known, changed | {a.name for n in changed if isinstance(a := self.same.get(n), Var)})

    def decided(self, a: Atom, facts: dict[Atom, bool]) -> Atom:
        return Const(facts[a], BOOL) if a in facts else a

    def branch(self, s: If, known: Known, facts: dict[Atom, bool], out: list[Stmt]) -> None:
        cond = self.decided(self.use(s.cond), facts)
        if isinstance(cond, Const):
            taken = s.then if cond.value else s.orelse
            for t in taken.stmts:
                self.statement(t, known, facts, out)
            for v, r in zip(s.outs, taken.results, strict=True):
                self.same[v.name] = self.use(r)
            return
        arms = [
            self.block(b, known | known.get(("under", cond, taken), {}), facts | {cond: taken})
            for b, taken in ((s.then, True), (s.orelse, False))
        ]
        keep: list[int] = []
        for k, v in enumerate(s.outs):
            a, b = (arm.results[k] for arm in arms)
            if a == b and (isinstance(a, Const) or isinstance(a.type, Scalar)):
                self.same[v.name] = a
            elif _value(a) is True and _value(b) is False:
                self.same[v.name] = cond
            else:
                keep.append(k)
        self.forget(known, s)
        arms = [with_results(arm, (arm.results[k] for k in keep)) for arm in arms]
        if keep or any(arm.stmts for arm in arms):
            outs = tuple(s.outs[k] for k in keep)
            same = cond is s.cond and arms[0] is s.then and arms[1] is s.orelse
            out.append(s if same else If(cond, *arms, outs, s.span))
            for arm, taken in zip(arms, (True, False)):
                if seen := _seen_outside(arm, outs):
                    key = ("under", cond, taken)
                    known[key] = {**known.get(key, {}), **seen}

    def loop(self, s: Loop, known: Known, facts: dict[Atom, bool], out: list[Stmt]) -> None:
        s = renamed(s, self.same)
        if _once(s):
            self.same |= {s.index.name: s.start, **{c.name: init for c, init in zip(s.carried, s.inits, strict=True)}}
            for t in s.body.stmts:
                self.statement(t, known, facts, out)
            self.same |= {o.name: self.use(r) for o, r in zip(s.outs, s.body.results, strict=True)}
            return
        for c, init, nxt, o in zip(s.carried, s.inits, s.nexts, s.outs, strict=True):
            if nxt == c or (isinstance(nxt, Const) and nxt == init):  # the same before and after every iteration
                self.same[c.name] = self.same[o.name] = init
        self.forget(known, s)
        s = in_blocks(s, lambda body: self.block(body, known, facts))
        keep = [k for k, c in enumerate(s.carried) if c.name not in self.same]
        out.append(s if len(keep) == len(s.carried) else carrying_only(s, keep))

    def known_value(self, v: Var, op: str, ins: tuple[Atom, ...], facts: dict[Atom, bool]) -> Atom | None:
        """The atom that an operation is equal to, found without run-time computation, or None."""
        dtype = v.type.dtype
        values = [_value(self.decided(a, facts)) for a in ins]
        if None not in values:
            if dtype == "i64" and op in _INT and all(a.type == I64 for a in ins):
                return Const(_int64(_INT[op](*values)), I64)
            if op in _COMPARE and all(a.type.dtype in (*INTS, "bool") for a in ins):
                return Const(_COMPARE[op](*values), BOOL)
            if op in _LOGIC:
                return Const(_LOGIC[op](*values), BOOL)
            if op == "cast" and ins[0].type.dtype in (*INTS, "bool") and dtype == "f64" and abs(values[0]) <= 2**53:
                return Const(float(values[0]), v.type)
            if op == "cast" and ins[0].type.dtype in ("bool", *INTS) and dtype == "i64":
                return Const(int(values[0]), v.type)
            if op == "sqrt" and dtype == "f64" and values[0] >= 0:  # correctly rounded, as at run time
                return Const(math.sqrt(values[0]), v.type)
        if op in _COMPARE and ins[0] == ins[1] and ins[0].type.dtype in INTS:
            return Const(op in ("eq", "le", "ge"), BOOL)
        if op in ("min", "max") and ins[0] == ins[1] and dtype in INTS:
            return ins[0]
        if op == "cast" and ins[0].type == v.type:
            return ins[0]
        if op == "trips" and ins[1] in self.extents and (values[0], values[2]) == (0, 1):
            return ins[1]
        if op == "max" and ins[0] in self.extents and values[1] == 0:
            return ins[0]
        row = _IDENTITIES.get(op)
        return row(ins, values, dtype) if row else None


# Identities that hold for every value, including nan, inf and signed zeros; ints have more of them.
def _add(ins: tuple, values: list, dtype: str) -> Atom | None:
    if dtype not in FLOATS:
        return ins[1] if values[0] == 0 else ins[0] if values[1] == 0 else None
    return ins[1] if repr(values[0]) == "-0.0" else ins[0] if repr(values[1]) == "-0.0" else None


def _sub(ins: tuple, values: list, dtype: str) -> Atom | None:
    if dtype not in FLOATS and ins[0] == ins[1]:
        return Const(0, ins[0].type)
    return ins[0] if repr(values[1]) in ("0", "0.0") else None


def _mul(ins: tuple, values: list, dtype: str) -> Atom | None:
    if dtype not in FLOATS and 0 in values:
        return Const(0, ins[0].type)
    return ins[1] if values[0] == 1 else ins[0] if values[1] == 1 else None


def _div(ins: tuple, values: list, dtype: str) -> Atom | None:
    return ins[0] if values[1] == 1 and ins[0].type.dtype == dtype else None


def _and(ins: tuple, values: list, dtype: str) -> Atom | None:
    if False in values:
        return Const(False, BOOL)
    return ins[1] if values[0] is True else ins[0] if values[1] is True else ins[0] if ins[0] == ins[1] else None


def _or(ins: tuple, values: list, dtype: str) -> Atom | None:
    if True in values:
        return Const(True, BOOL)
    return ins[1] if values[0] is False else ins[0] if values[1] is False else ins[0] if ins[0] == ins[1] else None


def _select(ins: tuple, values: list, dtype: str) -> Atom | None:
    if ins[1] == ins[2]:
        return ins[1]
    return None if values[0] is None else ins[1] if values[0] else ins[2]


def _wrap(ins: tuple, values: list, dtype: str) -> Atom | None:
    return ins[0] if values[0] is not None and values[0] >= 0 else None


_IDENTITIES: dict[str, Callable[[tuple, list, str], Atom | None]] = {
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "div": _div,
    "powi": lambda ins, values, dtype: ins[0] if values[1] == 1 else None,
    "and": _and,
    "or": _or,
    "select": _select,
    "wrap": _wrap,
}
