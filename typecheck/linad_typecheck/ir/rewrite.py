"""Rebuilding statements: renaming of uses and definitions, shared by every pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from .core import (
    AddArray,
    AddTo,
    Alloc,
    Atom,
    Block,
    Call,
    Check,
    Checkpoint,
    Copy,
    Dense,
    Dim,
    Drop,
    Dup,
    Fill,
    Function,
    If,
    Let,
    Load,
    Loop,
    Names,
    Read,
    Reserve,
    Same,
    Stmt,
    Store,
    Var,
    all_names,
    blocks,
    outputs,
)

Use = Callable[[Atom], Atom]
Define = Callable[[Var], Var]
InBlock = Callable[[Block], Block]


def rebuild(s: Stmt, use: Use, define: Define = lambda v: v, block: InBlock = lambda b: b) -> Stmt:
    """The statement with ``use`` applied to every operand, ``define`` to every definition and ``block`` to its blocks.
    """
    return _REBUILT[type(s)](s, use, define, block)


def _loop(s: Loop, use: Use, define: Define, block: InBlock) -> Loop:
    return replace(
        s,
        start=use(s.start),
        stop=None if s.stop is None else use(s.stop),
        step=use(s.step),
        inits=tuple(map(use, s.inits)),
        index=define(s.index),
        carried=tuple(map(define, s.carried)),
        body=block(s.body),
        outs=tuple(map(define, s.outs)),
        trips=None if s.trips is None else define(s.trips),
        mark=None if s.mark is None else _mark(s.mark, use),
    )


_REBUILT: dict[type, Callable[..., Stmt]] = {
    Let: lambda s, use, define, block: Let(define(s.out), s.op, tuple(map(use, s.ins)), s.span),
    Load: lambda s, use, define, block: Load(define(s.out), use(s.array), tuple(map(use, s.index)), s.checked, s.span),
    Store: lambda s, use, define, block: Store(use(s.array), tuple(map(use, s.index)), use(s.value), s.checked, s.span),
    AddTo: lambda s, use, define, block: AddTo(use(s.array), tuple(map(use, s.index)), use(s.value), s.checked, s.span),
    Dup: lambda s, use, define, block: Dup(define(s.first), define(s.second), use(s.x), s.span),
    Drop: lambda s, use, define, block: Drop(use(s.x), s.span),
    Read: lambda s, use, define, block: Read(define(s.out), use(s.x), s.span),
    Same: lambda s, use, define, block: Same(use(s.copy), use(s.array), s.span),
    Dim: lambda s, use, define, block: Dim(define(s.out), use(s.array), s.axis, s.span),
    Alloc: lambda s, use, define, block: Alloc(define(s.out), tuple(map(use, s.shape)), s.fill, s.span, s.log),
    Copy: lambda s, use, define, block: Copy(define(s.out), use(s.array), s.span),
    AddArray: lambda s, use, define, block: AddArray(use(s.array), use(s.other), s.span),
    Fill: lambda s, use, define, block: Fill(use(s.array), use(s.value), s.span),
    Reserve: lambda s, use, define, block: Reserve(use(s.array), use(s.size), s.span),
    Dense: lambda s, use, define, block: Dense(
        s.op, s.flags, tuple(map(use, s.updated)), tuple(map(use, s.read)), s.span
    ),
    If: lambda s, use, define, block: If(
        use(s.cond), block(s.then), block(s.orelse), tuple(map(define, s.outs)), s.span
    ),
    Loop: _loop,
    Call: lambda s, use, define, block: Call(tuple(map(define, s.outs)), s.callee, tuple(map(use, s.args)), s.span),
    Check: lambda s, use, define, block: Check(use(s.cond), s.error, s.message, tuple(map(use, s.args)), s.span),
}


def _mark(mark: Checkpoint, use: Use) -> Checkpoint:
    slots, memory = (None if a is None else use(a) for a in (mark.slots, mark.memory))
    return replace(mark, slots=slots, memory=memory)


def substitute(block: Block, mapping: Mapping[str, Atom]) -> Block:
    """The block with free variables replaced; names being unique, nothing is captured."""
    if not mapping:
        return block

    def use(atom: Atom) -> Atom:
        return mapping.get(atom.name, atom) if isinstance(atom, Var) else atom

    def inside(b: Block) -> Block:
        return Block(tuple(rebuild(s, use, block=inside) for s in b.stmts), tuple(map(use, b.results)))

    return inside(block)


def freshen(block: Block, names: Names, mapping: Mapping[str, Atom]) -> Block:
    """A copy of the block in which every definition has a fresh name; ``mapping`` says what its free variables become.
    """
    renamed: dict[str, Atom] = dict(mapping)

    def use(atom: Atom) -> Atom:
        return renamed.get(atom.name, atom) if isinstance(atom, Var) else atom

    def define(v: Var) -> Var:
        if v.name not in renamed:
            renamed[v.name] = names.like(v)
        return renamed[v.name]  # type: ignore[return-value]

    def inside(b: Block) -> Block:
        return Block(tuple(rebuild(s, use, define, inside) for s in b.stmts), tuple(map(use, b.results)))

    for s in _all(block):
        for v in outputs(s):
            define(v)
        if isinstance(s, Loop):
            define(s.index)
            for c in s.carried:
                define(c)
    return inside(block)


def numbered(f: Function) -> Function:
    """The function with the names of each base numbered anew, in the order in which they were handed out: attempts that
    were given up leave gaps. The first name of a base keeps no number."""
    order: dict[str, list[int]] = {}
    for name in all_names(f):
        base, _, k = name.partition(".")
        order.setdefault(base, []).append(int(k or 0))
    renamed = {}
    for base, numbers in order.items():
        for new, k in enumerate(sorted(numbers)):
            if new != k:
                renamed[f"{base}.{k}"] = f"{base}.{new}" if new else base
    if not renamed:
        return f

    def name(a: Atom) -> Atom:
        return Var(renamed[a.name], a.type) if isinstance(a, Var) and a.name in renamed else a

    def inside(b: Block) -> Block:
        return Block(tuple(rebuild(s, name, name, inside) for s in b.stmts), tuple(map(name, b.results)))

    return replace(f, params=tuple(replace(p, var=name(p.var)) for p in f.params), body=inside(f.body))


def _all(block: Block):
    for s in block.stmts:
        yield s
        for b in blocks(s):
            yield from _all(b)


def at_loops(f: Function, change: Callable[[Loop], Iterable[Stmt]]) -> Function:
    """The function with statements in place of each loop, the inner ones first."""

    def block(b: Block) -> Block:
        out: list[Stmt] = []
        for s in b.stmts:
            match s:
                case If():
                    out.append(replace(s, then=block(s.then), orelse=block(s.orelse)))
                case Loop(body=body):
                    out += change(replace(s, body=block(body)))
                case _:
                    out.append(s)
        return Block(tuple(out), b.results)

    return replace(f, body=block(f.body))
