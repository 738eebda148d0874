"""The source text of a live function, verified to be the text that it was compiled from."""

from __future__ import annotations

import __future__
import ast
import functools
import linecache
import operator
import os
import sys
import time
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from inspect import CO_OPTIMIZED
from types import CodeType, FunctionType

from linad_typecheck.diagnostics import LinadError
from linad_typecheck.source import SourceFile
from linad_typecheck.span import Span

from .errors import refusal

_IMPORTED = time.time()
# prefixes of the file names of IPython cells and of inputs at Python's prompt
CELLS = ("<ipython-input-", "<python-input-")
Definition = ast.FunctionDef | ast.Lambda
FUTURES = functools.reduce(
    operator.or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
)


@dataclass(frozen=True, eq=False)
class LiveFile:
    """A file in its current state: text, syntax tree and the code objects that it compiles to."""

    source: SourceFile

    @cached_property
    def nodes(self) -> tuple[ast.FunctionDef | ast.Lambda, ...]:
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
        return tuple(n for n in ast.walk(self.source.tree) if isinstance(n, kinds))

    @cached_property
    def _codes(self) -> dict[int, tuple[CodeType, ...]]:
        return {}

    def codes(self, futures: int) -> tuple[CodeType, ...]:
        """All code objects of the file, including those of nested functions.

        ``futures``: features that an earlier cell of the notebook or doctest imported from ``__future__``.
        """
        known = self._codes.get(futures)
        if known is not None:
            return known
        found: list[CodeType] = []
        pending = [compile(self.source.text, self.source.name, "exec", flags=futures, dont_inherit=True)]
        while pending:
            code = pending.pop()
            found.append(code)
            pending += [c for c in code.co_consts if isinstance(c, CodeType)]
        self._codes[futures] = tuple(found)
        return self._codes[futures]

    @cached_property
    def bound(self) -> frozenset[str]:
        """All names bound by the module's own statements."""
        found: set[str] = set()
        pending: list[ast.AST] = list(self.source.tree.body)
        while pending:
            node = pending.pop()
            match node:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                    found.add(name)
                    continue
                case ast.Lambda():
                    continue
                case ast.Name(id=name, ctx=ast.Store()):
                    found.add(name)
                case ast.alias(name=name, asname=asname):
                    found.add(asname or name.partition(".")[0])
            pending += ast.iter_child_nodes(node)
        return frozenset(found)


def as_compiled(code: CodeType) -> CodeType:
    """The code of a function as `compile` created it: Numba's dispatcher clears one of its flags when called under a
    profiler."""
    return code if code.co_flags & CO_OPTIMIZED else code.replace(co_flags=code.co_flags | CO_OPTIMIZED)


_files: dict[str, tuple[object, LiveFile]] = {}
_sent: dict[CodeType, LiveFile] = {}  # code objects are equal if their names, lines and instructions are
_located: weakref.WeakKeyDictionary[FunctionType, tuple[CodeType, LiveFile, Definition]] = weakref.WeakKeyDictionary()


def live_file(name: str, module_globals: dict[str, object] | None = None) -> LiveFile | None:
    """The file of a code object, parsed once per modification; None if no source is available."""
    linecache.checkcache(name)
    text = "".join(linecache.getlines(name, module_globals))
    if not text:
        return None
    stamp = _stamp(name) or text
    known = _files.get(name)
    if known is not None and known[0] == stamp:
        return known[1]
    fresh = LiveFile(SourceFile(name, text))
    _files[name] = (stamp, fresh)
    return fresh


def came_with_text(file: LiveFile, futures: int) -> None:
    """Let `file_of` find the functions of this file by their code, whatever file name they were pickled with.

    Since version 3.1.3, cloudpickle replaces the file name by `<dynamic-code>`.
    """
    _sent.update(dict.fromkeys(file.codes(futures), file))


def file_of(f: FunctionType) -> LiveFile | None:
    """The file of a function; None if no source is available."""
    return live_file(f.__code__.co_filename, f.__globals__) or _sent.get(as_compiled(f.__code__))


def _stamp(name: str) -> object:
    try:
        status = os.stat(name)
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_size)


def located(f: FunctionType) -> tuple[LiveFile, Definition]:
    """The definition of a function, and its file as `locate` last saw it (it may have been edited since).

    Raises
    ------
    LinadError
        As raised by `locate`, which is called if it has not been called before.
    """
    known = _located.get(f)
    if known is None or known[0] is not f.__code__:
        locate(f)
        known = _located[f]
    return known[1:]


def locate(f: FunctionType) -> tuple[SourceFile, Definition]:
    """The file and the definition of a function.

    Raises
    ------
    LinadError
        If the source is not available, or is not the text that the function was compiled from.
    """
    code = as_compiled(f.__code__)
    try:
        file = file_of(f)
        tree_nodes = () if file is None else file.nodes
    except (SyntaxError, UnicodeDecodeError):
        raise _edited(f) from None
    if file is None:
        raise _no_source(f)
    candidates = [n for n in tree_nodes if _first_line(n) == code.co_firstlineno and _called(n) == code.co_name]
    if len(candidates) > 1:
        candidates = [n for n in candidates if _covers(n, code)]
    if len(candidates) > 1:
        raise refusal(
            "no-source",
            f"there are {len(candidates)} functions in line {code.co_firstlineno} that cannot be told apart",
            _place(f),
            "give each of them a line of its own",
        )
    if candidates and (
        any(c == code for c in file.codes(code.co_flags & FUTURES)) or _rewritten(candidates[0], file, code)
    ):
        _located[f] = (f.__code__, file, _supported(candidates[0], f))
        return file.source, candidates[0]
    # since Python 3.13, `python -c` uses the same file name as `exec`
    raise _no_source(f) if code.co_filename == "<string>" else _edited(f)


def _no_source(f: FunctionType) -> LinadError:
    file = f.__code__.co_filename
    if file.startswith(CELLS) or "ipykernel_" in file or file == "<dynamic-code>":  # the last is used by cloudpickle
        help = "decorate it with `linear_grad` where it is defined: then a pickle takes its text along"
    else:
        help = "define the function in a file or in a notebook cell, not through `exec`, `eval` or `python -c`"
    return refusal(
        "no-source",
        f"the source text of `{f.__name__}` is not available, and linad reads the text of a function",
        _place(f),
        help,
    )


def _first_line(node: ast.FunctionDef | ast.Lambda) -> int:
    decorators = getattr(node, "decorator_list", ())
    return min([node.lineno, *(d.lineno for d in decorators)])


def _called(node: ast.FunctionDef | ast.Lambda) -> str:
    return getattr(node, "name", "<lambda>")


def _covers(node: ast.FunctionDef | ast.Lambda, code: CodeType) -> bool:
    """Whether the code ends with the node's last expression: this distinguishes lambdas on the same line by their
    columns."""
    body = node.body if isinstance(node, ast.Lambda) else node.body[-1]
    places = {(e.lineno, e.end_lineno, e.col_offset, e.end_col_offset) for e in _ends(body)}
    return any(p in places for p in code.co_positions())


def _ends(node: ast.AST) -> Iterator[ast.AST]:
    """An expression, or the arms of a conditional one, which has no instruction of its own."""
    arms = (node.body, node.orelse) if isinstance(node, ast.IfExp) else ()
    yield from (e for arm in arms for e in _ends(arm)) if arms else (node,)


def _rewritten(node: ast.FunctionDef | ast.Lambda, file: LiveFile, code: CodeType) -> bool:
    """Whether byte code may differ from that of the source: pytest rewrites `assert` in test modules.

    The modification time of the file then decides: it must be before this process's first use of linad.
    """
    if not any(isinstance(n, ast.Assert) for n in ast.walk(node)) or "_pytest" not in sys.modules:
        return False
    names = tuple(a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs))
    try:
        unchanged = os.stat(file.source.name).st_mtime <= _IMPORTED
    except OSError:
        return False
    return unchanged and code.co_varnames[: len(names)] == names


def _supported(node: ast.AST, f: FunctionType) -> ast.FunctionDef | ast.Lambda:
    if isinstance(node, ast.AsyncFunctionDef):
        raise refusal("no-source", f"`{f.__name__}` is a coroutine function", _place(f), "write `def` for `async def`")
    return node


def _place(f: FunctionType) -> Span:
    line = f.__code__.co_firstlineno
    return Span(f.__code__.co_filename, line, 1, line, 1)


def _edited(f: FunctionType) -> Exception:
    return refusal(
        "source-changed",
        f"the file of `{f.__name__}` was edited after it was imported, so its text is not what Python runs",
        _place(f),
        "reload the module (`importlib.reload`) or start Python again",
    )
