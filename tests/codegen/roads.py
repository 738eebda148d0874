"""Three roads from a core program to its results: a small interpreter, the generated text in CPython, machine code."""

from __future__ import annotations

import ast
import itertools
import math
import operator
import re

import numpy as np
from linad_typecheck.ir.core import (
    AddArray, AddTo, Alloc, Block, Check, Const, Copy, Dim, Fill, If, Let, Load, Loop, Program, Reserve, Store,
)
from linad_typecheck.types import Array

from linad.codegen import Generated, compile
from linad.runtime import scalars as runtime
from linad.codegen.llvm.alias_scopes import accessed

NUMPY = {"f64": np.float64, "f32": np.float32, "i64": np.int64, "i32": np.int32, "bool": np.bool_}


class Raised(Exception):
    """An error of the program: its kind and arguments."""


def _int(v: int) -> int:
    return (v + 2**63) % 2**64 - 2**63


OPS = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "neg": operator.neg,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "not": operator.not_,
    "powi": operator.pow,
    "pow": operator.pow,
    "min": min,
    "max": max,
    "select": lambda c, a, b: a if c else b,
    "wrap": lambda i, n: i + n if i < 0 else i,
    "trips": lambda a, b, c: len(range(a, b, c)),
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "sin": math.sin,
    "exp": math.exp,
    "bitor": operator.or_,
    "div": lambda a, b: float(np.float64(a) / np.float64(b)),
}


def interpret(program: Program, args: tuple):
    """The results of the entry; arrays in ``args`` are updated. For programs of float64, int64 and bool."""
    env = dict(zip((p.var.name for p in program.main.params), args, strict=True))
    with np.errstate(all="ignore"):
        return _block(program.main.body, env)


def _block(b: Block, env: dict) -> tuple:
    def value(a):
        return a.value if isinstance(a, Const) else env[a.name]

    def cell(a, index):
        array, at = env[a.name], tuple(map(value, index))
        for i, n in zip(at, array.shape, strict=True):
            if not 0 <= i < n:
                raise Raised("IndexError", i - n if i < 0 else i, n)
        return array, at

    for s in b.stmts:
        match s:
            case Let(out, "cast", (a,)):
                env[out.name] = {"f": float, "i": int, "b": bool}[out.type.dtype[0]](value(a))
            case Let(out, op, ins):
                v = OPS[op](*map(value, ins))
                env[out.name] = _int(v) if out.type.dtype == "i64" else v
            case Load(out, a, index):
                array, at = cell(a, index)
                env[out.name] = array[at].item()
            case Store(a, index, v):
                array, at = cell(a, index)
                array[at] = value(v)
            case AddTo(a, index, v):
                array, at = cell(a, index)
                array[at] += value(v)
            case Dim(out, a, axis):
                env[out.name] = env[a.name].shape[axis]
            case Alloc(out, shape, fill):
                sizes = tuple(map(value, shape))
                if min(sizes, default=0) < 0:
                    raise Raised("ValueError")
                env[out.name] = np.full(sizes, 0 if fill is None else fill.value, NUMPY[out.type.dtype])
            case Copy(out, a):
                env[out.name] = env[a.name].copy()
            case AddArray(a, o):
                env[a.name] += env[o.name]
            case Fill(a, v):
                env[a.name][...] = value(v)
            case Reserve(a, size):
                old = env[a.name]
                if old.shape[0] < value(size):
                    env[a.name] = np.zeros(value(size), old.dtype)
                    env[a.name][: old.shape[0]] = old
            case If(cond, then, orelse, outs):
                results = _block(then if value(cond) else orelse, env)
                env.update(zip((o.name for o in outs), results, strict=True))
            case Loop():
                _loop(s, env, value)
            case Check(cond, error, _, args):
                if not value(cond):
                    raise Raised(error, *map(value, args))
    return tuple(map(value, b.results))


def _loop(s: Loop, env: dict, value) -> None:
    current = tuple(map(value, s.inits))
    start, step = value(s.start), value(s.step)
    steps = iter(range(start, value(s.stop), step)) if s.stop is not None else iter(int, 1)
    count = 0
    for k in steps:
        env[s.index.name] = k if s.stop is not None else start + count * step
        env.update(zip((c.name for c in s.carried), current, strict=True))
        results = _block(s.body, env)
        count += 1
        current = results[1:] if s.exits else results
        if s.exits and not results[0]:
            break
    env.update(zip((o.name for o in s.outs), current, strict=True))
    if s.trips is not None:
        env[s.trips.name] = count


def python(generated: Generated):
    """The driver as CPython runs its text. Of arrays that are promised to share no memory it is found out."""
    namespace: dict = {"np": np, "math": math}
    for name in runtime.__all__:
        helper = getattr(runtime, name)
        namespace[name] = getattr(helper, "py_func", None) or (float if name.startswith("f") else int)
    namespace["trips"] = lambda a, b, c: len(range(a, b, c)) if c else 0  # the helper relies on unsigned wrap-around
    namespace["stack_address"] = lambda: 0
    namespace |= {"grow": _grow, "grow_filled": lambda log, n, fill, *noted: _grow(log, n, *noted, fill), "tried": lambda t, n: np.empty(n, t)}
    namespace |= {"add_into": _add_into, "copy_into": _copy_into, "cells": _cells, "carve": _carve, "assume": _assume}
    namespace["driver"] = lambda *a, **k: lambda f: f
    namespace["kernel"] = lambda *a, **k: lambda f: f
    text = re.sub(r"^from linad.*$", "", generated.source, flags=re.M)
    namespace["_apart"] = _apart
    exec(compile_text(ast.unparse(ast.fix_missing_locations(_Watched().visit(ast.parse(text))))), namespace)  # noqa: S102
    return namespace[generated.entry]


class _Watched(ast.NodeTransformer):
    """Kernels that look, in front of each loop with alias scopes, at what these say."""

    def visit_FunctionDef(self, f: ast.FunctionDef):
        promised = any("noalias=True" in ast.unparse(d) for d in f.decorator_list)
        return self.generic_visit(f) if promised else f

    def visit_For(self, s: ast.For):
        found = accessed(s.body)
        if found is None:
            return self.generic_visit(s)
        return [ast.parse(f"_apart(locals(), {sorted(found[0])}, {sorted(found[1])})").body[0], s]


def _apart(arrays: dict, names: list[str], written: list[str]) -> None:
    for a, b in itertools.product(written, names):
        assert a == b or a not in arrays or b not in arrays or not np.shares_memory(arrays[a], arrays[b]), (a, b)


def _grow(log, size, err, noted, fill=0):
    err[noted] = max(err[noted], size)
    return np.concatenate([log, np.full(size - log.shape[0], fill, log.dtype)])


def _add_into(a, b):
    a += b


def _copy_into(a, b):
    a[...] = b


def _assume(holds):
    assert holds


def _cells(shape):
    return min(-(-math.prod(shape) // 8) * 8, 2**48)


def _carve(workspace, at, shape):
    return workspace[at : at + math.prod(shape)].reshape(shape), at + _cells(shape)


def compile_text(text: str):
    return __builtins__["compile"](text, "<generated>", "exec")


def machine(generated: Generated, folder):
    """The driver as Numba compiles it."""
    return getattr(compile.load(generated.entry, generated.source, folder), generated.entry)


def call(driver, generated: Generated, args: tuple):
    """The results, or the error as `interpret` raises it; None where the checked build is demanded."""
    err = np.zeros(generated.error_words, np.int64)
    with np.errstate(all="ignore"):
        code, *results = driver(*args, err)
    if code == 1:
        return None
    if code == 2:
        site = generated.sites[err[0]]
        raise Raised(site.kind, *map(int, err[1 : 1 + len(site.arguments)]))
    return tuple(results)


def same(a, b) -> bool:
    """Equal results, nan included, up to the last bits of floats."""
    return len(a) == len(b) and all(
        np.shape(x) == np.shape(y) and np.allclose(x, y, rtol=1e-9, atol=1e-12, equal_nan=True)
        for x, y in zip(a, b, strict=True)
    )


__all__ = ["Array", "Raised", "call", "interpret", "machine", "python", "same"]
