"""Type inference for generated functions: one type per variable, in a single walk over the source."""

from __future__ import annotations

import ast
import builtins
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FunctionType, ModuleType

import numpy as np
from numba import types

from ..numba_compat import Dispatcher, Signature
from ..numba_compat import signature as make_signature
from .library import LATE
from .recursion import Open, opened
from .source import Unsupported
from .spread import Chunk

OPERATORS: dict[type, Callable] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.USub: operator.neg,
    ast.Invert: operator.invert,
}
WORD = types.int64
INDEX = (types.int64, types.uint64, types.int32)
LONGEST_POWER = 64  # larger exponents call a power function instead of multiplying
MAKERS = (np.empty, np.zeros, np.full)
EXTREMA = {min: "<", max: ">"}
LINES = {ast.Add, ast.Sub, ast.Mult}


@dataclass(frozen=True, slots=True)
class Resolved:
    """The meaning of a call: a function and its signature, or, if ``function`` is None, a builtin operation or
    conversion."""

    function: object
    signature: Signature | None
    result: types.Type


_resolved: dict[tuple, Resolved] = {}  # functions that are not generated, resolved in this process


@dataclass
class Types:
    """The types of the expressions of one function, and the meanings of its calls."""

    function: FunctionType
    context: object  # Numba's typing context
    variables: dict[str, types.Type]
    of: dict[ast.expr, types.Type] = field(default_factory=dict)
    calls: dict[ast.AST, Resolved] = field(default_factory=dict)
    assigned: set[str] = field(default_factory=set)
    constants: dict[ast.expr, object] = field(default_factory=dict)
    fixed: dict[str, tuple[types.Array, np.ndarray]] = field(default_factory=dict)  # module-level arrays
    returns: list[types.Type] = field(default_factory=list)
    needs: set[Open] = field(default_factory=set)  # functions still being compiled that this one calls

    # ------------------------------------------------------------------------------------------------ statements

    def block(self, body: list[ast.stmt]) -> None:
        for s in body:
            self.stmt(s)

    def stmt(self, s: ast.stmt) -> None:
        match s:
            case ast.Assign(targets=[target], value=value):
                self.assign(target, value)
            case ast.AugAssign(target=target, op=op, value=value):
                t = self.expr(target)
                result = self.binary(s, op, t, self.expr(value), value)
                if isinstance(target, ast.Name) and result != t:
                    raise Unsupported("a variable that changes its type")
                self.numeric(result)
            case ast.If(test=test, body=body, orelse=orelse):
                self.truth(test)
                self.block(body)
                self.block(orelse)
            case ast.For(
                target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=args, keywords=[]), orelse=[]
            ):
                if self.lookup("range") is not range or any(self.expr(a) != WORD for a in args):
                    raise Unsupported("a loop over something else than a range of int64")
                self.bind(name, WORD)
                self.block(s.body)
            case ast.While(test=test, body=body, orelse=[]):
                self.truth(test)
                self.block(body)
            case ast.Return(value=value):
                self.returns.append(types.none if value is None else self.expr(value))
            case ast.Expr(value=ast.Constant()) | ast.Pass() | ast.Break() | ast.Continue():
                pass
            case ast.Expr(value=ast.Call() as call):
                self.expr(call)
            case _:
                raise Unsupported(ast.unparse(s))

    def assign(self, target: ast.expr, value: ast.expr) -> None:
        t = self.expr(value)
        match target:
            case ast.Name(id=name):
                self.bind(name, t)
            case ast.Tuple(elts=targets) if isinstance(t, types.BaseTuple) and len(t.types) == len(targets):
                for part, kind in zip(targets, t.types, strict=True):
                    if not isinstance(part, ast.Name):
                        raise Unsupported("a tuple of places")
                    self.bind(part.id, kind)
            case ast.Subscript():
                self.numeric(t)
                self.expr(target)
            case _:
                raise Unsupported(ast.unparse(target))

    def bind(self, name: str, t: types.Type) -> None:
        known = self.variables.setdefault(name, t)
        if known != t or not (t in SCALARS or plain_array(t)):
            raise Unsupported(f"{name} is {t}")

    def truth(self, e: ast.expr) -> None:
        if self.expr(e) != types.boolean:
            raise Unsupported("a condition that is not a bool")

    def numeric(self, t: types.Type) -> None:
        if t not in SCALARS:
            raise Unsupported(f"{t} in a cell")

    def result(self) -> types.Type:
        """The type that the function returns."""
        found = set(self.returns)
        if not found:
            return types.none
        if len(found) > 1:
            raise Unsupported("results of several types")
        return found.pop()

    # ----------------------------------------------------------------------------------------------- expressions

    def expr(self, e: ast.expr) -> types.Type:
        found = self.of[e] = self._expr(e)
        return found

    def _expr(self, e: ast.expr) -> types.Type:
        match e:
            case ast.Constant(value=value):
                return self.constant(e, value)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))) if value == 2**63:
                return self.constant(e, -value)  # its absolute value is no int64
            case ast.Name(id=name) if name in self.assigned or name in self.variables:
                if name not in self.variables:
                    raise Unsupported(f"{name} has no value yet")
                return self.variables[name]
            case ast.Name() | ast.Attribute(value=ast.Name()):
                return self.outer(e)
            case ast.BinOp(left=left, op=op, right=right):
                return self.binary(e, op, self.expr(left), self.expr(right), right)
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                self.truth(inner)
                return types.boolean
            case ast.UnaryOp(op=op, operand=inner):
                t = self.expr(inner)
                if isinstance(op, ast.USub) and t in (types.float64, types.float32, types.int64):
                    return t
                return self.operation(e, op, t)
            case ast.Compare(left=left, ops=ops, comparators=others):
                return self.comparison(e, [left, *others], ops)
            case ast.BoolOp(values=values):
                for v in values:
                    self.truth(v)
                return types.boolean
            case ast.IfExp(test=test, body=body, orelse=orelse):
                self.truth(test)
                t, u = self.expr(body), self.expr(orelse)
                self.numeric(t)
                if t != u:
                    raise Unsupported("a choice between types")
                return t
            case ast.Tuple(elts=parts):
                return types.Tuple.from_types([self.expr(p) for p in parts])
            case ast.Subscript(value=value, slice=index):
                return self.subscript(value, index)
            case ast.Call(func=func, args=args, keywords=[]):
                return self.call(e, func, args)
        raise Unsupported(ast.unparse(e))

    def constant(self, e: ast.expr, value: object) -> types.Type:
        self.constants[e] = value
        match value:
            case bool():
                return types.boolean
            case int() if -(2**63) <= value < 2**63:
                return WORD
            case float():
                return types.float64
        raise Unsupported(repr(value))

    def outer(self, e: ast.expr) -> types.Type:
        """A module-level name, or an attribute of a module: a number, an array, or a type."""
        value = self.object(e)
        if isinstance(value, bool | int | float):
            return self.constant(e, value)
        if isinstance(e, ast.Name) and (array := self.array(e.id)) is not None:
            return array
        found = self.context.resolve_value_type(value)
        if not isinstance(found, types.NumberClass):
            raise Unsupported(ast.unparse(e))
        return found

    def array(self, name: str) -> types.Array | None:
        """The type of an array variable or of a module-level array."""
        t = self.variables.get(name)
        if t is None and name not in self.assigned and isinstance(value := self.lookup(name), np.ndarray):
            t = self.context.resolve_value_type(value)
            if plain_array(t):
                self.fixed[name] = t, value
        return t if plain_array(t) else None

    def lookup(self, name: str) -> object:
        found = self.function.__globals__.get(name, self)
        return getattr(builtins, name, None) if found is self else found

    def object(self, e: ast.expr) -> object:
        match e:
            case ast.Name(id=name) if name not in self.variables and name not in self.assigned:
                return self.lookup(name)
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if name not in self.variables:
                module = self.lookup(name)
                if isinstance(module, ModuleType):
                    return getattr(module, attr, None)
        raise Unsupported(ast.unparse(e))

    def subscript(self, value: ast.expr, index: ast.expr) -> types.Type:
        match value, index:
            case ast.Attribute(value=ast.Name(id=name), attr="shape"), ast.Constant(value=int(k)):
                t = self.array(name)
                if t is None or not 0 <= k < t.ndim:
                    raise Unsupported(f"{name}.shape")
                return WORD
            case ast.Call(), ast.Constant(value=int(k)):
                t = self.expr(value)
                if isinstance(t, types.BaseTuple) and 0 <= k < len(t.types):
                    self.numeric(t.types[k])
                    return t.types[k]
            case ast.Name(id=name), _ if (t := self.array(name)) is not None:
                parts = index.elts if isinstance(index, ast.Tuple) else [index]
                if len(parts) == t.ndim and all(self.expr(p) in INDEX for p in parts):
                    return t.dtype
        raise Unsupported(f"{ast.unparse(value)}[{ast.unparse(index)}]")

    def binary(self, e: ast.AST, op: ast.operator, a: types.Type, b: types.Type, right: ast.expr) -> types.Type:
        kind = type(op)
        if kind in LINES and (a, b) in ARITHMETIC:
            return ARITHMETIC[a, b]
        if kind is ast.Div and types.float64 in (a, b) and (a, b) in ARITHMETIC:
            return types.float64
        if kind is ast.Pow and a in (types.float64, types.int64):
            k = self.constants.get(right)
            if type(k) is int and 0 <= k <= LONGEST_POWER:
                return a
        if kind in BITS and a == b == WORD:
            return WORD
        return self.operation(e, op, a, b)

    def operation(self, e: ast.AST, op: ast.AST, *given: types.Type) -> types.Type:
        """Resolve an operator in Numba's tables."""
        if type(op) not in OPERATORS:
            raise Unsupported(type(op).__name__)
        for t in given:
            self.numeric(t)
        found = self.calls[e] = self.resolve(OPERATORS[type(op)], given)
        return found.result

    def comparison(self, e: ast.Compare, parts: list[ast.expr], ops: list[ast.cmpop]) -> types.Type:
        given = [self.expr(p) for p in parts]
        for op, a, b in zip(ops, given, given[1:], strict=False):
            if type(op) not in OPERATORS or not ((a, b) in ARITHMETIC or a == b == types.boolean):
                raise Unsupported(ast.unparse(e))
        return types.boolean

    # ------------------------------------------------------------------------------------------------------ calls

    def call(self, e: ast.Call, func: ast.expr, args: list[ast.expr]) -> types.Type:
        match func, args:
            case ast.Attribute(value=ast.Name(id=name), attr="fill"), [value] if plain_array(self.variables.get(name)):
                self.numeric(self.expr(value))
                return types.none
            case ast.Attribute(value=ast.Name(id=name), attr="copy"), [] if plain_array(t := self.variables.get(name)):
                return t
        given = tuple(self.expr(a) for a in args)
        for a, t in zip(args, given, strict=True):
            if isinstance(t, types.Array) and not isinstance(a, ast.Name):
                raise Unsupported("an array without a name")
        target = self.object(func)
        found = self.calls[e] = self.meaning(target, given)
        return found.result

    def meaning(self, target: object, given: tuple[types.Type, ...]) -> Resolved:
        if target is bool and len(given) == 1 and given[0] in SCALARS:
            return Resolved(None, None, types.boolean)
        if isinstance(target, types.Number) and len(given) == 1 and given[0] in SCALARS:
            return Resolved(None, None, target)
        if target is min or target is max:
            if len(given) == 2 and given[0] == given[1] and given in ARITHMETIC:
                return Resolved(None, None, given[0])
            raise Unsupported("an extremum")
        if any(target is maker for maker in MAKERS):
            return Resolved(None, None, new_array(target, given))
        if isinstance(target, Dispatcher):
            return (
                self.dispatched(target, given)
                if getattr(target, "chunk", None) is None
                else self.spread(target.chunk, given)
            )
        return self.resolve(target, given)

    def dispatched(self, target: Dispatcher, given: tuple[types.Type, ...]) -> Resolved:
        """Resolve a jitted function that is compiled for these types or being compiled."""
        folded = tuple(target._compiler.fold_argument_types(given, {})[1])
        if (function := opened(target, folded)) is not None:
            self.needs.add(function)
            return Resolved(function, make_signature(function.result, *folded), types.unliteral(function.result))
        if target.is_compiling:
            raise Unsupported("recursion")
        target.compile(folded)
        compiled = target.overloads[folded]
        if getattr(target, "apart", False):
            LATE.add(compiled.library)
        for function in getattr(compiled.library, "needs", ()):
            self.needs.add(function)
            function.relying.append((target, folded))
        return Resolved(compiled, compiled.signature, types.unliteral(compiled.signature.return_type))

    def spread(self, chunk: Dispatcher, given: tuple[types.Type, ...]) -> Resolved:
        """Resolve the runner of a parallel loop; its arguments are the number of chunks, and the arguments of each
        chunk after its number."""
        found = self.dispatched(chunk, (WORD, *given[1:]))
        if isinstance(found.function, Open) or given[0] != WORD or found.result != types.UniTuple(WORD, 1):
            raise Unsupported("chunks of this form")
        return Resolved(Chunk(found.function), make_signature(WORD, *found.signature.args), WORD)

    def resolve(self, target: object, given: tuple[types.Type, ...]) -> Resolved:
        key = (target, given)
        try:
            found = _resolved.get(key)
        except TypeError:
            raise Unsupported(repr(target)) from None
        if found is None:
            function = self.context.resolve_value_type(target)
            signature = function and self.context.resolve_function_type(function, given, {})
            if signature is None:
                raise Unsupported(f"{target}{given}")
            if len(signature.args) != len(given) or any(
                isinstance(t, types.StarArgTuple | types.StarArgUniTuple) for t in signature.args
            ):
                raise Unsupported(f"{target} of any number of arguments")
            result = types.unliteral(signature.return_type)
            found = _resolved[key] = Resolved(function, signature, result)
        parts = found.result.types if isinstance(found.result, types.BaseTuple) else (found.result,)
        if not all(t in SCALARS or plain_array(t) or t == types.none for t in parts):
            raise Unsupported(f"{target} gives {found.result}")
        return found


def new_array(target: object, given: tuple[types.Type, ...]) -> types.Array:
    """The type of ``np.empty(shape, dtype)`` and related functions."""
    shape, *others = given
    value = others.pop(0) if target is np.full and others else types.float64
    rank = 1 if shape == WORD else len(shape.types) if isinstance(shape, types.BaseTuple) else None
    if (
        rank is None
        or isinstance(shape, types.BaseTuple)
        and any(t != WORD for t in shape.types)
        or value not in SCALARS
    ):
        raise Unsupported(f"an array of shape {shape}")
    match others:
        case []:
            return types.Array(value, rank, "C")
        case [types.NumberClass(dtype=dtype)] if dtype in SCALARS:
            return types.Array(dtype, rank, "C")
    raise Unsupported("an array")


def plain_array(t: object) -> bool:
    """Whether a type is an array type of generated code: contiguous, of numbers."""
    return type(t) is types.Array and t.layout == "C" and t.aligned and t.dtype in SCALARS


# storage only: no arithmetic in these types
STORED = {types.int8, types.int16, types.uint8, types.uint16, types.uint32}
SCALARS = {types.float64, types.float32, types.int64, types.int32, types.boolean, types.uint64, *STORED}
FLOATS = (types.float64, types.float32)
INTS = (types.int64, types.int32)
ARITHMETIC = {  # the result type that Numba computes in: int64 for ints, float64 otherwise, except for float32 alone
    (a, b): a if a == b != types.int32 else types.int64 if a in INTS and b in INTS else types.float64
    for a in (*FLOATS, *INTS)
    for b in (*FLOATS, *INTS)
} | {(types.uint64, types.uint64): types.uint64}
BITS = {ast.BitAnd, ast.BitOr, ast.BitXor}
