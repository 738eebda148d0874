"""The checkpointing schedules as functions of the core, lowered from their Python source."""

from __future__ import annotations

import inspect
from dataclasses import replace
from functools import cache

from linad_typecheck.check import check
from linad_typecheck.ir.core import Block, Check, Function
from linad_typecheck.ir.rewrite import in_blocks
from linad_typecheck.source import SourceFile
from linad_typecheck.span import NOWHERE
from linad_typecheck.names.modules import StaticModule
from linad_typecheck.names.uses import functions_named

from linad.adjoint.checkpoints import schedules


@cache
def _module() -> StaticModule:
    return StaticModule(SourceFile("schedules.py", inspect.getsource(schedules)))


@cache
def lowered(name: str) -> Function:
    """A function of `schedules` as a core function, without its checks (no divisor is zero) and source positions (they
    do not refer to the user's file)."""
    done = check(functions_named(_module())[name], {})
    assert done.program is not None, [d.message for d in done.diagnostics]
    main = done.program.main
    return Function(name, main.params, _bare(main.body))


def _bare(block: Block) -> Block:
    kept = (in_blocks(s, _bare) for s in block.stmts if not isinstance(s, Check))
    return Block(tuple(replace(s, span=NOWHERE) for s in kept), block.results)
