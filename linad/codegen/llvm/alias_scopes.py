"""Alias scopes: in an innermost loop, arrays with different names do not overlap if the kernel has been promised so.

LLVM knows that for parameters. A variable that is bound to different arrays (two buffers swapped in each time step) may
alias anything: LLVM then checks for overlap at the entry of each loop, or does not vectorise if this takes too many
checks. The promise is expressed like C's ``restrict`` in an inlined function: a scope per array, declared before the
loop, and for each access the scopes that it does not belong to. Scopes hold for one execution of the loop, in which no
name is rebound.
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
    """The alias metadata of the accesses to one array: its own scope, and all others."""

    own: ir.MDValue
    others: ir.MDValue


def accessed(body: list[ast.stmt]) -> tuple[set[str], set[str]] | None:
    """The names of the arrays that an innermost loop accesses, and of those that it writes, except variables that it
    assigns; None if it contains a loop."""
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
    """Declare a scope for each array, valid from here until control reaches this point again."""
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
    """Attach a scope to the accesses generated in this context, in the current block."""
    block = builder.block
    first = len(block.instructions)
    yield
    for access in block.instructions[first:] if scope is not None else ():
        if isinstance(access, ACCESSES):
            access.set_metadata("alias.scope", scope.own)
            access.set_metadata("noalias", scope.others)


def _distinct(module: ir.Module, *rest: ir.MDValue) -> ir.MDValue:
    """A distinct node: its first operand is itself."""
    own = _node(module)
    own.operands = (own, *rest)
    return own


def _node(module: ir.Module, *operands: ir.MDValue) -> ir.MDValue:
    """A metadata node created without llvmlite's search for an equal one, which would not terminate for
    self-referential nodes."""
    return ir.MDValue(module, operands, str(len(module.metadata)))
