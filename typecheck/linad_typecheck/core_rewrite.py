"""Rebuilding statements: renaming of uses and definitions, shared by every pass."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
    If,
    Let,
    Load,
    Loop,
    Names,
    Read,
    Reserve,
    Stmt,
    Store,
    Var,
    blocks,
    outputs,
)

Use = Callable[[Atom], Atom]
Define = Callable[[Var], Var]
InBlock = Callable[[Block], Block]


def rebuild(s: Stmt, use: Use, define: Define = lambda v: v, block: InBlock = lambda b: b) -> Stmt:
    """The statement with ``use`` applied to every operand, ``define`` to every definition and ``block`` to its blocks."""
    match s:
        case Let(out, op, ins, span):
            return Let(define(out), op, tuple(map(use, ins)), span)
        case Load(out, a, i, checked, span):
            return Load(define(out), use(a), tuple(map(use, i)), checked, span)
        case Store(a, i, v, checked, span):
            return Store(use(a), tuple(map(use, i)), use(v), checked, span)
        case AddTo(a, i, v, checked, span):
            return AddTo(use(a), tuple(map(use, i)), use(v), checked, span)
        case Dup(a, b, x, span):
            return Dup(define(a), define(b), use(x), span)
        case Drop(x, span):
            return Drop(use(x), span)
        case Read(out, x, span):
            return Read(define(out), use(x), span)
        case Dim(out, a, axis, span):
            return Dim(define(out), use(a), axis, span)
        case Alloc(out, shape, fill, span, log):
            return Alloc(define(out), tuple(map(use, shape)), fill, span, log)
        case Copy(out, a, span):
            return Copy(define(out), use(a), span)
        case AddArray(a, b, span):
            return AddArray(use(a), use(b), span)
        case Fill(a, v, span):
            return Fill(use(a), use(v), span)
        case Reserve(a, v, span):
            return Reserve(use(a), use(v), span)
        case Dense(op, flags, updated, read, span):
            return Dense(op, flags, tuple(map(use, updated)), tuple(map(use, read)), span)
        case If(cond, then, orelse, outs, span):
            return If(use(cond), block(then), block(orelse), tuple(map(define, outs)), span)
        case Loop():
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
        case Call(outs, callee, args, span):
            return Call(tuple(map(define, outs)), callee, tuple(map(use, args)), span)
        case Check(cond, error, message, args, span):
            return Check(use(cond), error, message, tuple(map(use, args)), span)
    raise TypeError(s)


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
    """A copy of the block in which every definition has a fresh name; ``mapping`` says what its free variables become."""
    renamed: dict[str, Atom] = dict(mapping)

    def use(atom: Atom) -> Atom:
        return renamed.get(atom.name, atom) if isinstance(atom, Var) else atom

    def define(v: Var) -> Var:
        if v.name not in renamed:
            renamed[v.name] = names.var(v.name, v.type)
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


def _all(block: Block):
    for s in block.stmts:
        yield s
        for b in blocks(s):
            yield from _all(b)
