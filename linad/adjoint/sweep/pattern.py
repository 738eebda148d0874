"""Sparsity patterns: execute a program together with the set of inputs on which each value depends.

A set is a word of 64 bits, so one run distinguishes 64 groups of inputs. Unions replace the sums of tangents in forward
mode (`forward`): the program is the same, with ints in place of the floats that its tangent adds. Loads, stores and
indices are those of the run, so the result holds for the given index arrays; a value that is computed as zero counts
like any other. This is bit pattern propagation (Griewank and Walther, Evaluating Derivatives, section 7.1).
"""

from __future__ import annotations

from collections.abc import Iterable

from linad_typecheck.ir.core import (
    AddArray, AddTo, Alloc, Atom, Block, Call, Copy, Dense, Fill, Function, Let, Load, Names, Param, Reserve, Stmt,
    Store, Var, all_names, base_name,
)
from linad_typecheck.dense_ops import DENSE
from linad_typecheck.linear.uses import Modes
from linad_typecheck.ops import OPS
from linad_typecheck.types import I64, Array, Scalar, Type, is_float

from ...derivatives.matrices import ONE, ZERO, Matrices
from ..facts.activity import analyse_activity
from ..plan.dense import arrays_of
from .tangent import Forward, Forwarded


def pattern(f: Function, modes: Modes, wrt: Iterable[str], name: str, primal: bool) -> Forwarded:
    """The function that computes which inputs the results of ``f`` depend on.

    Parameters
    ----------
    f
        In the form without `Dup`, `Drop` and `Read`.
    wrt
        Names of the float parameters that have a set.
    primal
        Whether to return the results of ``f``, too.

    Returns
    -------
    Forwarded
        ``function``: its parameters are those of ``f``, then the sets of the parameters in ``wrt`` and of updated ones,
        as ints in place of floats. Its results are those of ``f``, then the set of each float result.
    """
    wrt = set(wrt)
    facts = analyse_activity(f, modes, wrt)
    walk = _Pattern(facts, Names(all_names(f)))
    given = []
    for p in f.params:
        if is_float(p.var.type) and (p.var.name in wrt or facts.is_active(p.var) and p.mode in ("mut", "acc")):
            given.append(Param(walk.new(p.var), "mut" if p.mode == "acc" else p.mode))
    stmts = walk.block(f.body)
    sets = tuple(walk.result(r, stmts) for r in f.body.results if is_float(r.type))
    body = Block(tuple(stmts), (*(f.body.results if primal else ()), *sets))
    return Forwarded(Function(name, (*f.params, *given), body, f.span), walk.requests)


def set_type(t: Type) -> Type:
    """The type of the set of a value, or of the sets of the cells of an array."""
    return Array("i64", t.rank) if isinstance(t, Array) else I64


class _Pattern(Forward):
    """Forward mode with sets in place of tangents."""

    suffix = "sets"

    def dot(self, a: Atom) -> Atom:
        return self.dots.get(a.name, ZERO) if isinstance(a, Var) else ZERO

    def new(self, v: Var) -> Var:
        made = self.dots[v.name] = self.names.var(f"{base_name(v.name)}_set", set_type(v.type))
        return made

    def result(self, r: Atom, out: list[Stmt]) -> Atom:
        if isinstance(r.type, Scalar) or self.active(r):
            return self.dot(r)
        m = Matrices(self.names)
        made = self.empty(r, m)
        out += m.stmts
        return made

    def empty(self, v: Var, m: Matrices) -> Var:
        """Empty sets for the cells of an array."""
        made = self.names.var(f"{base_name(v.name)}_set", set_type(v.type))
        m.stmts.append(Alloc(made, m.dims(v), ZERO))
        return made

    def let(self, s: Let, out: list[Stmt]) -> None:
        m = Matrices(self.names, span=s.span)
        self.dots[s.out.name] = _union(m, [self.dot(s.ins[k]) for k in OPS[s.op].diff if self.active(s.ins[k])])
        out += m.stmts

    def tangent(self, s: Stmt, out: list[Stmt]) -> None:
        m = Matrices(self.names, span=s.span)
        match s:
            case AddTo(array=a, index=i, value=e) if self.active(a) and self.active(e):
                sets: Var = self.dots[a.name]  # type: ignore[assignment]
                m.store(sets, i, m.op("bitor", m.load(sets, i), self.dot(e)))
            case AddArray(array=a, other=b) if self.active(a) and self.active(b):
                one, other = self.dots[a.name], self.dots[b.name]
                m.each(m.dims(one), lambda *i: m.store(one, i, m.op("bitor", m.load(one, i), m.load(other, i))))
            case Alloc(out=v, shape=shape) if self.active(v):
                m.stmts.append(Alloc(self.new(v), shape, ZERO, s.span))
            case Copy(out=v, array=a) if self.active(v):
                if self.active(a):
                    m.stmts.append(Copy(self.new(v), self.dots[a.name], s.span))
                else:
                    self.dots[v.name] = self.empty(a, m)
            case Fill(array=a, value=e) if self.active(a):
                m.stmts.append(Fill(self.dots[a.name], self.dot(e), s.span))
            case Reserve(array=a, size=n) if self.active(a):
                m.stmts.append(Reserve(self.dots[a.name], n, s.span))
            case Dense(op=op, updated=updated) if DENSE[op].diff and any(map(self.active, updated)):
                self.whole(s, m)
            case Let() | Load() | Store():
                super().tangent(s, out)
        out += m.stmts

    def dense(self, s: Dense, out: list[Stmt]) -> None:
        raise AssertionError

    def whole(self, s: Dense, m: Matrices) -> None:
        """Linear algebra: a cell of a product depends on a row and a column, a cell of any other result on all cells.
        """
        if s.op == "gemm":
            self.product(s, m)
            return
        arrays, op = arrays_of(s), DENSE[s.op]
        first = len(s.updated)
        for k, sources in op.diff.items():
            if not self.active(arrays[k]):
                continue
            read = [arrays[first + j] for j in sources] + ([arrays[k]] if k in op.in_place else [])
            every = self.names.var("every", Array("i64", 1))
            m.stmts.append(Alloc(every, (ONE,), ZERO))
            for a in (a for a in read if self.active(a)):
                sets = self.dots[a.name]
                m.each(
                    m.dims(sets),
                    lambda *i, sets=sets: m.store(
                        every, (ZERO,), m.op("bitor", m.load(every, (ZERO,)), m.load(sets, i))
                    ),
                )
            m.stmts.append(Fill(self.dots[arrays[k].name], m.load(every, (ZERO,))))

    def product(self, s: Dense, m: Matrices) -> None:
        c, (a, b) = s.updated[0], s.read
        sets = self.dots[c.name]
        flags = s.flags
        rows, columns = m.dims(sets)
        inner = m.dims(a)[flags[0] == "n"]

        def cell(i: Atom, j: Atom, k: Atom) -> None:
            found = [m.load(sets, (i, j))]
            if self.active(a):
                found.append(m.load(self.dots[a.name], (i, k) if flags[0] == "n" else (k, i)))
            if self.active(b):
                found.append(m.load(self.dots[b.name], (k, j) if flags[1] == "n" else (j, k)))
            m.store(sets, (i, j), _union(m, found))

        m.each((rows, columns, inner), cell)

    def call(self, s: Call, out: list[Stmt]) -> None:
        if not self.facts.passes_on(s):
            out.append(s)
            return
        moving = tuple(k for k, a in enumerate(s.args) if self.active(a))
        name = self.request(s, moving)
        outs = tuple(self.new(o) for o in s.outs if is_float(o.type))
        out.append(Call((*s.outs, *outs), name, (*s.args, *(self.dot(s.args[k]) for k in moving)), s.span))


def pattern_of_rule(f: Function, active: tuple[int, ...], name: str) -> Function:
    """The pattern of a function with a custom rule: its results depend on everything that the rule differentiates by.
    """
    names = Names(all_names(f))
    sets = {k: names.var("set", set_type(f.params[k].var.type)) for k in active}
    results = tuple(names.var("result", r.type) for r in f.body.results)
    m = Matrices(names, span=f.span)
    m.stmts.append(Call(results, f.name, tuple(p.var for p in f.params), f.span))
    every = names.var("every", Array("i64", 1))
    m.stmts.append(Alloc(every, (ONE,), ZERO))
    for v in sets.values():

        def add(*i: Atom, v: Var = v) -> None:
            word = m.load(v, i) if isinstance(v.type, Array) else v
            m.store(every, (ZERO,), m.op("bitor", m.load(every, (ZERO,)), word))

        m.each(m.dims(v) if isinstance(v.type, Array) else (), add)
    total = m.load(every, (ZERO,))
    found: list[Atom] = []
    for r in results:
        if is_float(r.type) and isinstance(r.type, Array):
            made = names.var("set", set_type(r.type))
            m.stmts += [Alloc(made, m.dims(r), ZERO), Fill(made, total)]
            found.append(made)
        elif is_float(r.type):
            found.append(total)
    params = (*f.params, *(Param(v, "read" if isinstance(v.type, Array) else "own") for v in sets.values()))
    return Function(name, params, Block(tuple(m.stmts), (*results, *found)), f.span)


def _union(m: Matrices, sets: list[Atom]) -> Atom:
    found = list(dict.fromkeys(s for s in sets if s != ZERO))
    total: Atom = found[0] if found else ZERO
    for s in found[1:]:
        total = m.op("bitor", total, s)
    return total
