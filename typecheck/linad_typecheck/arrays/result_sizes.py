"""The sizes of the arrays that a function returns, as expressions of its arguments.

They are derived from the core of the function and evaluated by callers: a caller that allocates arrays for results
before a loop needs their sizes before the first call.
"""

from __future__ import annotations

from collections.abc import Callable

from ..ir.core import Atom, Call, Const, Copy, Dim, Function, If, Let, Stmt, Var, outputs, walk
from ..ir.sizes import known_sizes
from ..frozen import frozen
from ..types import Scalar

# Int operations, none of which raises.
SAFE = ("add", "sub", "mul", "neg", "min", "max", "cast", "wrap", "select", "lt", "le", "gt", "ge", "eq", "ne")


@frozen
class Given:
    """An int argument."""

    param: int


@frozen
class SizeOf:
    """The size of an array argument."""

    param: int
    axis: int


@frozen
class Made:
    """An operation on sizes."""

    op: str
    type: Scalar
    ins: tuple[Recipe, ...]


Recipe = Const | Given | SizeOf | Made
Functions = Callable[[str], Function | None]  # by name; None for an unknown function


def result_size(functions: Functions, name: str, result: int, axis: int) -> Recipe | None:
    """The size of a result of a function along an axis; None if it does not follow from the sizes of the arguments."""
    f = functions(name)
    return None if f is None else _Reader(functions, f).of_atom(f.body.results[result], axis)


def is_safe(op: str, ins: tuple[Atom, ...]) -> bool:
    """Whether a statement may be executed speculatively."""
    return op in SAFE or (op == "trips" and isinstance(ins[2], Const))


class _Reader:
    def __init__(self, functions: Functions, f: Function) -> None:
        self.functions = functions
        self.params = {p.var.name: k for k, p in enumerate(f.params)}
        made = ((v.name, (s, k)) for s in walk(f.body) for k, v in enumerate(outputs(s)))
        self.made: dict[str, tuple[Stmt, int]] = dict(made)
        self.sizes = known_sizes(f)

    def of_atom(self, a: Atom, axis: int) -> Recipe | None:
        """The size of an array."""
        assert isinstance(a, Var)
        if a.name in self.params:
            return SizeOf(self.params[a.name], axis)
        if a.name in self.sizes:
            return self.of_int(self.sizes[a.name][axis])
        match self.made.get(a.name):
            case Copy(array=array), _:
                return self.of_atom(array, axis)
            case Call(callee=callee, args=args), k:
                return self._called(result_size(self.functions, callee, k, axis), args)
            case If(then=then, orelse=orelse), k:
                one, other = (self.of_atom(b.results[k], axis) for b in (then, orelse))
                return one if one == other else None
        return None

    def of_int(self, a: Atom) -> Recipe | None:
        if isinstance(a, Const):
            return a
        if a.name in self.params:
            return Given(self.params[a.name])
        match self.made.get(a.name):
            case Dim(array=array, axis=axis), _:
                return self.of_atom(array, axis)
            case Let(op=op, ins=ins, out=out), _ if is_safe(op, ins):
                parts = tuple(map(self.of_int, ins))
                return None if None in parts else Made(op, out.type, parts)  # type: ignore[arg-type]
        return None

    def _called(self, recipe: Recipe | None, args: tuple[Atom, ...]) -> Recipe | None:
        """The size expression of a callee, in terms of the caller."""
        match recipe:
            case Given(param=k):
                return self.of_int(args[k])
            case SizeOf(param=k, axis=axis):
                return self.of_atom(args[k], axis)
            case Made(op=op, type=t, ins=ins):
                parts = tuple(self._called(x, args) for x in ins)
                return None if None in parts else Made(op, t, parts)  # type: ignore[arg-type]
        return recipe
