"""A program as the source of a Python module: imports, kernels, and the driver that allocates and calls the entry."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count

from linad_typecheck.dense_ops import DENSE
from linad_typecheck.ir.core import (
    Alloc, Block, Call, Const, Dense, Function, Names, Program, Reserve, Var, all_names, walk,
)
from linad_typecheck.types import BOOL, I64, NUMPY_NAMES, Array, Type

from linad.analysis.logs import empty, growing, grown_params

from .name_allocation import assign_names
from .build import build
from .driver_allocation import Lifted, lift, scratch
from .options import EmitOptions
from .parallel import OnThreads, chunk_functions, spread_text
from .function_splitting import split_function
from .passes import prepare
from .printer import Printer
from .restart_safety import retries_after_writes
from .arena import carve, workspaces
from .error_sites import Site, Sites
from .text import CASTS, ERROR_WORDS, FLOOR, HINTS, KINDS, LOGS, MATRICES, SORTING, SPECIAL, gaussians, matrix_helper
from .tree import Apply, Branch, Fail, Forward, Leaf, Node, NoteNan, Num

DEPTH = Var(" depth", I64)  # recursion depth; no variable of a program has this name


@dataclass(frozen=True, slots=True)
class Generated:
    """A generated module: its source, the name of its driver, and the meaning of its error codes.

    ``driver(*args, *workspaces, err)`` returns ``(code, *results)``. Code 0 is success; 1 requests the build that
    checks every access; 2 is the error ``sites[err[0]]`` with its arguments in ``err[1:]``; 3 says that nothing has
    been done yet because the workspaces, flat arrays of the types `workspace`, must have ``err[0]``, ``err[1]``, ...
    cells.

    ``err`` is an int64 array of `error_words`. If the program is recursive, the caller sets the word at `FLOOR`: the
    lowest address that the stack may grow to. If it has logs that grow, the words from `HINTS` on are, on entry, the
    initial lengths of such logs by element type, and then of each of them; on return, the greatest lengths reached. If
    it is ``parallel``, the number of threads follows ``args``. ``again``: whether it may have written to ``args`` when
    it requests the other build.
    """

    source: str
    entry: str
    sites: tuple[Site, ...]
    error_words: int = ERROR_WORDS
    workspace: tuple[str, ...] = ()
    parallel: bool = False
    again: bool = False


def emit(program: Program, options: EmitOptions | None = None) -> Generated:
    """Generate the Numba module of a program of the non-linear core."""
    return Emitter(program, options or EmitOptions()).module()


class Emitter:
    """The state of the generation of one module."""

    def __init__(self, program: Program, options: EmitOptions) -> None:
        self.options = options
        self.sites = Sites()
        self.program, _ = prepare(program, options)
        self.needed: set[str] = set()
        self.spaces: tuple[str, ...] = ()
        self.chunks = chunk_functions(self.program)
        self.again = retries_after_writes(self.program)
        self.called = {s.callee for f in self.program.functions.values() for s in walk(f.body) if isinstance(s, Call)}
        self.recursive = bool(self.called - self.chunks)
        self.grows = any(isinstance(s, Reserve) for f in self.program.functions.values() for s in walk(f.body))
        self.main, self.parts = self.divided()
        self.grown = grown_params(self.program)
        self.entry, self.inner = self.function_names()

    def function_names(self) -> tuple[str, dict[str | OnThreads, str]]:
        """The Python names of the driver and of every function, all different."""
        taken = self.imported()

        def free(text: str) -> str:
            name = next(n for k in count() if (n := text + "_" * k) not in taken)
            taken.add(name)
            return name

        main = self.program.entry
        entry = free(identifier(main))
        inner: dict[str | OnThreads, str] = {main: free(f"{entry}_kernel")}
        inner |= {name: free(identifier(name)) for name in self.program.functions if name != main}
        inner |= {OnThreads(name): free(f"{inner[name]}_threads") for name in sorted(self.chunks)}
        return entry, inner

    @property
    def vector(self) -> tuple[str, ...]:
        """The vectorised math functions that may be used."""
        if self.options.vector_math != "libmvec":
            return ()
        from .vector_math import NAMES

        return NAMES

    @cached_property
    def compiled(self) -> set[str]:
        """The functions declared by `linad.rule`."""
        found = (s for f in self.program.functions.values() for s in walk(f.body) if isinstance(s, Dense))
        return {matrix_helper(s.op, s.flags) for s in found if DENSE[s.op].compiled}

    @property
    def mutual(self) -> bool:
        """Whether functions call each other in a cycle. Numba cannot cache their machine code, because each contains
        the address of the other."""
        calls = {
            n: {s.callee for s in walk(f.body) if isinstance(s, Call)} - {n} for n, f in self.program.functions.items()
        }
        while leaves := [n for n, called in calls.items() if not called & calls.keys()]:
            for n in leaves:
                del calls[n]
        return bool(calls)

    @property
    def hidden(self) -> str:
        return "err, depth + 1" if self.recursive else "err"

    def imported(self) -> set[str]:
        """Names that have a meaning in the module before it defines any."""
        from ..runtime import scalars as runtime

        own = "np math err depth code driver kernel stack_address spreading prange chunks".split()
        tables = (own, runtime.__all__, LOGS, SPECIAL, MATRICES, SORTING, self.compiled, self.vector, dir(builtins))
        return set(CASTS.values()).union(*tables)

    def reserved(self) -> set[str]:
        """Names that variables must not take: what the module defines, imports or calls."""
        return self.imported() | {self.entry, *self.inner.values()}

    def module(self) -> Generated:
        lifted = self.main
        self.logs = self.known_logs(lifted)
        fixed = {lifted.kernel.name: _fixed_axes(lifted)}
        kernels = [self.kernel(f, fixed.get(f.name, ())) for f in self.functions(lifted.kernel)]
        driver = self.driver(lifted)
        header = self.header()
        source = "\n\n\n".join([header, *kernels, driver]) + "\n"
        words = HINTS + len(KINDS) + len(self.logs) if self.grows else ERROR_WORDS + self.recursive
        return Generated(source, self.entry, tuple(self.sites.found), words, self.spaces, bool(self.chunks), self.again)

    def known_logs(self, lifted: Lifted) -> dict[str, int]:
        """A number for each log that grows, if every one has the same name wherever it grows."""
        stmts = (s for f in self.functions(lifted.kernel) for s in walk(f.body))
        grow = dict.fromkeys(s.array.name for s in stmts if isinstance(s, Reserve))
        made = {s.out.name for s in lifted.arrays if isinstance(s, Alloc) and empty(s)}
        return {n: k for k, n in enumerate(grow)} if grow.keys() <= made else {}

    def divided(self) -> tuple[Lifted, frozenset[str]]:
        """The entry without the work of its driver, and the parts that a long entry is split into."""
        main = self.program.main
        if main.name in self.called:
            return Lifted(main), frozenset()
        found = lift(main, copies=self.options.noalias)
        if self.recursive:
            return found, frozenset()
        kernel, parts = split_function(self.program, found.kernel, self.options.long, self.options.part)
        self.program = replace(self.program, functions={**self.program.functions, **parts})
        self.called |= parts.keys()
        return replace(found, kernel=kernel), frozenset(parts)

    def functions(self, main: Function) -> list[Function]:
        reached = [n for n in self.program.functions if n in self.called and n != main.name]
        return [*(self.program.functions[n] for n in reached), main]

    def header(self) -> str:
        lines = [f'"""Generated: {self.program.entry}."""', ""]
        lines += [f"import {m}" if m == "math" else "import numpy as np" for m in ("math", "np") if m in self.needed]
        helpers = sorted(self.needed - {"math", "np"})
        if lines[-1]:
            lines.append("")
        lines.append("from linad.codegen.compile import driver, kernel")
        if self.recursive:
            lines.append("from linad.runtime.stack import stack_address")
        if self.chunks:
            lines += ["from linad.codegen.threads import spreading", "from numba import int64, prange"]
        vector = self.needed & set(self.vector)
        tables = (SPECIAL, MATRICES, SORTING, LOGS)
        special, matrices, sorting, logs = (self.needed & set(names) for names in tables)
        own = set(helpers) - vector - special - matrices - sorting - logs - self.compiled
        groups = (
            ("runtime.scalars", own),
            ("runtime.logs", logs),
            ("runtime.linalg", matrices),
            ("runtime.sorting", sorting),
            ("runtime.compiled", self.needed & self.compiled),
            ("runtime.special", special),
            ("codegen.vector_math", vector),
        )
        for module, names in groups:
            if names:
                lines.append(f"from linad.{module} import {', '.join(sorted(names))}")
        return "\n".join(lines)

    def kernel(self, f: Function, fixed: Sequence[tuple[Var, int, int]] = ()) -> str:
        """A function that the driver or another kernel calls. ``fixed``: array parameters with an axis after the first
        and its size, which the driver guarantees: LLVM then knows how far apart rows are."""
        *nodes, last = build(self.program, f, self.grown, self.sites, careful=not self.options.noalias)
        nodes = (*nodes, *(NoteNan(p.var) for p in f.params if p.mode == "out"), last)
        params = tuple(p.var for p in f.params)
        hidden = ("err", "depth") if self.recursive else ("err",)
        names = assign_names(nodes, params, self.reserved()) | {DEPTH.name: "depth"}
        deeper = self.recursive and f.name in self.called
        if deeper:
            nodes = (self.depth_test(f), *nodes)
        grown = self.grown[f.name]
        extra = tuple(p.var.type for p, g in zip(f.params, grown, strict=False) if g)
        types = tuple(r.type for r in f.body.results) + extra
        printer = Printer(
            names, params, types, self.needed, self.inner, self.hidden, self.vector, self.logs, gaussians(f.body)
        )
        for array, axis, size in fixed:
            printer.line(1, f"{printer.text.helper('assume')}({names[array.name]}.shape[{axis}] == {size})")
        for p in (p for p in f.params if p.like in (v.name for v in params) and isinstance(p.var.type, Array)):
            for axis in range(1, p.var.type.rank):  # what is tested of the sizes of a parameter holds for its adjoint
                sizes = (f"{names[name]}.shape[{axis}]" for name in (p.var.name, p.like))
                printer.line(1, f"{printer.text.helper('assume')}({' == '.join(sizes)})")
        if deeper:
            printer.line(1, f"if stack_address() < err[{FLOOR}]:")
            printer.fail(self.too_deep(f), [], 2)
        printer.nodes(nodes, 1)
        entry = f.name == self.program.entry
        noalias = self.options.noalias and (f.name in self.chunks | self.parts or entry and f.name not in self.called)
        head = f"@kernel(fastmath={self.options.fastmath}, noalias={noalias})"
        arguments = ", ".join([*(names[p.name] for p in params), *hidden])
        text = [head, f"def {self.inner[f.name]}({arguments}):", *printer.lines]
        if f.name in self.chunks:
            text += ["", "", *spread_text(self.inner[OnThreads(f.name)], self.inner[f.name], arguments)]
        return "\n".join(text)

    def too_deep(self, f: Function) -> int:
        return self.sites.add(Site(f.span, "RecursionError", "maximum recursion depth exceeded"))

    def depth_test(self, f: Function) -> Node:
        site = self.too_deep(f)
        depth = Leaf(DEPTH)
        limit = Num(Const(self.options.recursion_limit, I64))
        return Branch(Apply("gt", (depth, limit), BOOL, I64), (Fail(site),), ())

    def driver(self, lifted: Lifted) -> str:
        """The function that Python calls: it computes sizes, allocates arrays, and calls the kernel."""
        main = self.program.main
        params = tuple(p.var for p in main.params)
        given = (*params, *(s.out for s in lifted.arrays))
        f = replace(main, body=Block((*lifted.sizes, *lifted.arrays), given))
        alone = Program(main.name, {main.name: f})
        nodes = build(alone, f, grown_params(alone), self.sites, careful=False, tries=False)[:-1]
        nodes = (*nodes, Forward(main.name, tuple(Leaf(v) for v in given)))
        spaces: tuple[Var, ...] = ()
        own = scratch(main) if self.options.workspace else ()
        if taken := [s for s in lifted.arrays if s.out.name in own]:
            fresh = Names(all_names(main))
            longer = growing(main, self.grown)
            grown = {s.out.name for s in taken if s.out.name in longer and isinstance(s, Alloc) and empty(s)}
            found = workspaces(taken, fresh)
            nodes = carve(nodes, found, {s.out.name for s in taken}, grown, fresh)
            spaces = tuple(found.values())
            self.spaces = tuple(found)
        names = assign_names(nodes, (*params, *spaces), self.reserved())
        hidden = "err, 0" if self.recursive else "err"
        results = tuple(r.type for r in main.body.results)
        printer = Printer(names, params, results, self.needed, self.inner, hidden, logs=self.logs)
        printer.nodes(nodes, 1)
        signature = ", ".join([*(numba_type(p.type) for p in (*params, *spaces)), "int64[::1]"])
        signature = f"({signature}{'' if params or spaces else ','})"
        head = (
            f'@driver("{signature}", fastmath={self.options.fastmath}, cache={self.options.cache and not self.mutual})'
        )
        arguments = ", ".join([*(names[p.name] for p in (*params, *spaces)), "err"])
        return "\n".join([head, f"def {self.entry}({arguments}):", *printer.lines])


def _fixed_axes(lifted: Lifted) -> list[tuple[Var, int, int]]:
    """The axes after the first of arrays that the driver allocates with a literal size."""
    return [
        (s.out, axis, size.value)
        for s in lifted.arrays
        if isinstance(s, Alloc) and s.log == "no"
        for axis, size in enumerate(s.shape)
        if axis and isinstance(size, Const)
    ]


def identifier(name: str) -> str:
    """A function's name as a Python name."""
    text = re.sub(r"\W", "_", name)
    if keyword.iskeyword(text):
        return f"{text}_"
    return text if text and not text[0].isdigit() else f"f_{text}"


def numba_type(t: Type) -> str:
    """A core type in Numba's notation."""
    scalar = "boolean" if t.dtype == "bool" else NUMPY_NAMES[t.dtype]
    match t:
        case Array(rank=0):
            return f"Array({scalar}, 0, 'C')"
        case Array(rank=r):
            return f"{scalar}[{':, ' * (r - 1)}::1]"
    return scalar
