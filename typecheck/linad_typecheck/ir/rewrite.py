"""Rebuilding of statements with uses and definitions renamed; shared by all passes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from operator import is_

from . import core as ir

Use = Callable[[ir.Atom], ir.Atom]
Define = Callable[[ir.Var], ir.Var]
InBlock = Callable[[ir.Block], ir.Block]


def rebuild(s: ir.Stmt, use: Use, define: Define = lambda v: v, block: InBlock = lambda b: b) -> ir.Stmt:
    """The statement with ``use`` applied to every operand, ``define`` to every definition and ``block`` to its blocks.
    """
    return _REBUILT[type(s)](s, use, define, block)


def renamed(s: ir.Stmt, mapping: Mapping[str, ir.Atom]) -> ir.Stmt:
    """The statement with its operands replaced, but not those of statements in its blocks; the same one if none is."""
    if not any(type(a) is ir.Var and a.name in mapping for a in ir.operands(s)):
        return s
    return rebuild(s, lambda a: mapping.get(a.name, a) if type(a) is ir.Var else a)


def _step(step: ir.Atom) -> ir.Atom:
    """The step of a loop; one that turns out to be 0 has failed a check before the loop, which is not reached."""
    return replace(step, value=1) if isinstance(step, ir.Const) and step.value == 0 else step


def _loop(s: ir.Loop, use: Use, define: Define, block: InBlock) -> ir.Loop:
    return replace(
        s,
        start=use(s.start),
        stop=None if s.stop is None else use(s.stop),
        step=_step(use(s.step)),
        inits=tuple(map(use, s.inits)),
        index=define(s.index),
        carried=tuple(map(define, s.carried)),
        body=block(s.body),
        outs=tuple(map(define, s.outs)),
        trips=None if s.trips is None else define(s.trips),
        mark=None if s.mark is None else _mark(s.mark, use),
    )


_REBUILT: dict[type, Callable[..., ir.Stmt]] = {
    ir.Let: lambda s, use, define, block: ir.Let(define(s.out), s.op, tuple(map(use, s.ins)), s.span),
    ir.Load: lambda s, use, define, block: ir.Load(
        define(s.out), use(s.array), tuple(map(use, s.index)), s.checked, s.span
    ),
    ir.Store: lambda s, use, define, block: ir.Store(
        use(s.array), tuple(map(use, s.index)), use(s.value), s.checked, s.span
    ),
    ir.AddTo: lambda s, use, define, block: ir.AddTo(
        use(s.array), tuple(map(use, s.index)), use(s.value), s.checked, s.span
    ),
    ir.Dup: lambda s, use, define, block: ir.Dup(define(s.first), define(s.second), use(s.x), s.span),
    ir.Drop: lambda s, use, define, block: ir.Drop(use(s.x), s.span),
    ir.Read: lambda s, use, define, block: ir.Read(define(s.out), use(s.x), s.span),
    ir.Same: lambda s, use, define, block: ir.Same(use(s.copy), use(s.array), s.span, s.how),
    ir.Dim: lambda s, use, define, block: ir.Dim(define(s.out), use(s.array), s.axis, s.span),
    ir.Alloc: lambda s, use, define, block: ir.Alloc(define(s.out), tuple(map(use, s.shape)), s.fill, s.span, s.log),
    ir.Copy: lambda s, use, define, block: ir.Copy(define(s.out), use(s.array), s.span),
    ir.AddArray: lambda s, use, define, block: ir.AddArray(use(s.array), use(s.other), s.span),
    ir.Fill: lambda s, use, define, block: ir.Fill(use(s.array), use(s.value), s.span),
    ir.Reserve: lambda s, use, define, block: ir.Reserve(use(s.array), use(s.size), s.span),
    ir.Dense: lambda s, use, define, block: ir.Dense(
        s.op, s.flags, tuple(map(use, s.updated)), tuple(map(use, s.read)), s.span
    ),
    ir.If: lambda s, use, define, block: ir.If(
        use(s.cond), block(s.then), block(s.orelse), tuple(map(define, s.outs)), s.span
    ),
    ir.Loop: _loop,
    ir.Call: lambda s, use, define, block: ir.Call(
        tuple(map(define, s.outs)), s.callee, tuple(map(use, s.args)), s.span
    ),
    ir.Check: lambda s, use, define, block: ir.Check(use(s.cond), s.error, s.message, tuple(map(use, s.args)), s.span),
}


def _mark(mark: ir.Checkpoint, use: Use) -> ir.Checkpoint:
    slots, memory = (None if a is None else use(a) for a in (mark.slots, mark.memory))
    return replace(mark, slots=slots, memory=memory)


def substitute(block: ir.Block, mapping: Mapping[str, ir.Atom]) -> ir.Block:
    """The block with its free variables replaced. Nothing is captured, because names are unique."""
    if not mapping:
        return block

    def use(atom: ir.Atom) -> ir.Atom:
        return mapping.get(atom.name, atom) if isinstance(atom, ir.Var) else atom

    def inside(b: ir.Block) -> ir.Block:
        return ir.Block(tuple(rebuild(s, use, block=inside) for s in b.stmts), tuple(map(use, b.results)))

    return inside(block)


def freshen(block: ir.Block, names: ir.Names, mapping: Mapping[str, ir.Atom]) -> ir.Block:
    """A copy of the block in which every definition has a fresh name. ``mapping`` replaces its free variables."""
    renamed: dict[str, ir.Atom] = dict(mapping)

    def use(atom: ir.Atom) -> ir.Atom:
        return renamed.get(atom.name, atom) if isinstance(atom, ir.Var) else atom

    def define(v: ir.Var) -> ir.Var:
        if v.name not in renamed:
            renamed[v.name] = names.like(v)
        return renamed[v.name]  # type: ignore[return-value]

    def inside(b: ir.Block) -> ir.Block:
        return ir.Block(tuple(rebuild(s, use, define, inside) for s in b.stmts), tuple(map(use, b.results)))

    for s in _all(block):
        for v in ir.outputs(s):
            define(v)
        if isinstance(s, ir.Loop):
            define(s.index)
            for c in s.carried:
                define(c)
    return inside(block)


def numbered(f: ir.Function) -> ir.Function:
    """The function with its names numbered anew per base name, in the order of issue: discarded attempts leave gaps.

    The first name of a base has no number.
    """
    order: dict[str, list[int]] = {}
    for name in ir.all_names(f):
        base, _, k = name.partition(".")
        order.setdefault(base, []).append(int(k or 0))
    renamed = {}
    for base, numbers in order.items():
        for new, k in enumerate(sorted(numbers)):
            if new != k:
                renamed[f"{base}.{k}"] = f"{base}.{new}" if new else base
    if not renamed:
        return f

    def name(a: ir.Atom) -> ir.Atom:
        return ir.Var(renamed[a.name], a.type) if isinstance(a, ir.Var) and a.name in renamed else a

    def inside(b: ir.Block) -> ir.Block:
        return ir.Block(tuple(rebuild(s, name, name, inside) for s in b.stmts), tuple(map(name, b.results)))

    return replace(f, params=tuple(replace(p, var=name(p.var)) for p in f.params), body=inside(f.body))


def _all(block: ir.Block):
    for s in block.stmts:
        yield s
        for b in ir.blocks(s):
            yield from _all(b)


def at_loops(f: ir.Function, change: Callable[[ir.Loop], Iterable[ir.Stmt]]) -> ir.Function:
    """The function with each loop replaced by statements, inner loops first."""
    return at_statements(f, lambda s: change(s) if isinstance(s, ir.Loop) else (s,))


def at_statements(f: ir.Function, change: Callable[[ir.Stmt], Iterable[ir.Stmt]]) -> ir.Function:
    """The function with each statement replaced by statements, after those in its blocks."""

    def inside(b: ir.Block) -> ir.Block:
        return with_statements(b, (t for s in b.stmts for t in change(in_blocks(s, inside))))

    return replace(f, body=inside(f.body))


def in_blocks(s: ir.Stmt, change: InBlock) -> ir.Stmt:
    """The statement with ``change`` applied to its blocks, if it has any; the same one if they stay the same."""
    kind = type(s)
    if kind is ir.If:
        then, orelse = change(s.then), change(s.orelse)
        return s if then is s.then and orelse is s.orelse else ir.If(s.cond, then, orelse, s.outs, s.span)
    if kind is ir.Loop:
        body = change(s.body)
        return s if body is s.body else replace(s, body=body)
    return s


def as_before(made: ir.Function, f: ir.Function) -> bool:
    """Whether a pass has left a function as it was: both consist of the same objects, but for blocks and tuples."""
    return _alike(made, f) and _unchanged(made.body, f.body)


def _unchanged(made: ir.Block, b: ir.Block) -> bool:
    if made is b:
        return True
    if len(made.stmts) != len(b.stmts) or not _same(made.results, b.results):
        return False
    for s, t in zip(made.stmts, b.stmts):
        if s is t:
            continue
        nested = type(s) is type(t) and type(s) in _OWN
        if not nested or not _alike(s, t) or not all(map(_unchanged, ir.blocks(s), ir.blocks(t))):
            return False
    return True


_OWN = {kind: [f.name for f in fields(kind) if f.type != "Block"] for kind in (ir.If, ir.Loop, ir.Function)}


def _alike(made: object, s: object) -> bool:
    """Whether all but the blocks of two functions, branches or loops is the same."""
    return all(_same(getattr(made, name), getattr(s, name)) for name in _OWN[type(s)])


def _same(x: object, y: object) -> bool:
    return x is y or type(x) is type(y) is tuple and len(x) == len(y) and all(map(is_, x, y))


def with_statements(b: ir.Block, stmts: Iterable[ir.Stmt]) -> ir.Block:
    """The block with other statements; the same one if each is the same."""
    made = tuple(stmts)
    same = len(made) == len(b.stmts) and all(map(is_, made, b.stmts))
    return b if same else ir.Block(made, b.results)


def with_results(b: ir.Block, results: Iterable[ir.Atom]) -> ir.Block:
    """The block with other results; the same one if each is the same."""
    made = tuple(results)
    return b if _same(made, b.results) else ir.Block(b.stmts, made)
