"""Alias scopes: in an innermost loop, arrays of different names share no memory, where the kernel was promised so.

LLVM knows that of parameters. A variable that holds one array and then another one (two buffers that are swapped after
each time step) is to it whatever may have come in: it tests at the entry of each loop whether the arrays overlap, or
makes no vectors where these are too many tests. The promise is written down as it is for C's ``restrict`` in a function
that has been inlined: a scope for each array, declared in front of the loop, and for each access the scopes that it is
not in. Scopes hold for one run of the loop, in which no array changes its name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from llvmlite import ir

from ..numba_compat import cgutils

DECLARE = "llvm.experimental.noalias.scope.decl"
ACCESSES = (ir.instructions.LoadInstr, ir.instructions.StoreInstr)


@dataclass(frozen=True)
class Scope:
    """What is told of the accesses to one array: the scope that they are in, and those that they are not in."""

    own: ir.MDValue
    others: ir.MDValue


def accessed(body: list[ast.stmt]) -> tuple[set[str], set[str]] | None:
    """The names of the arrays that an innermost loop accesses, and of those that it writes to, without variables that
    it assigns; None where there is a loop in it."""
    read: set[str] = set()
    written: set[str] = set()
    assigned: set[str] = set()
    for n in (n for s in body for n in ast.walk(s)):
        match n:
            case ast.For() | ast.While():
                return None
            case ast.Subscript(value=ast.Name(id=name), ctx=ctx):
                read.add(name)
                if isinstance(ctx, ast.Store):
                    written.add(name)
            case ast.Name(id=name, ctx=ast.Store()):
                assigned.add(name)
    return read - assigned, written - assigned


def declared(builder: ir.IRBuilder, names: set[str]) -> dict[str, Scope]:
    """A scope for each array, which holds from here to the next time that the program comes here."""
    module = builder.module
    domain = _distinct(module)
    scopes = {name: _distinct(module, domain) for name in sorted(names)}
    declare = cgutils.get_or_insert_function(module, ir.FunctionType(ir.VoidType(), [ir.MetaDataType()]), DECLARE)
    found: dict[str, Scope] = {}
    for name, scope in scopes.items():
        own, others = _node(module, scope), _node(module, *(s for other, s in scopes.items() if other != name))
        builder.call(declare, [own])
        found[name] = Scope(own, others)
    return found


@contextmanager
def within(builder: ir.IRBuilder, scope: Scope | None) -> Iterator[None]:
    """The accesses that are made meanwhile, in the block that is at hand, are in a scope."""
    block = builder.block
    first = len(block.instructions)
    yield
    for access in block.instructions[first:] if scope is not None else ():
        if isinstance(access, ACCESSES):
            access.set_metadata("alias.scope", scope.own)
            access.set_metadata("noalias", scope.others)


def _distinct(module: ir.Module, *rest: ir.MDValue) -> ir.MDValue:
    """A node that is no other: the first of its operands is itself."""
    own = _node(module)
    own.operands = (own, *rest)
    return own


def _node(module: ir.Module, *operands: ir.MDValue) -> ir.MDValue:
    """A node, without llvmlite's look for an equal one, which does not come to an end where a node is in itself."""
    return ir.MDValue(module, operands, str(len(module.metadata)))
