"""What is known about a function specialised for argument types, during and after its lowering."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from ..frozen import frozen
from ..ir.core import Derivative, Function, Mode, Var
from ..names.scope import CustomRule, FunctionSource
from ..span import Span
from ..types import Array
from .findings import Findings
from .loop_head import TOP
from .path import Fixed
from .values import Bottom, NoneValue, Origin, OtherType, Value, ValueType, join_settling

Typed = tuple[tuple[str, ValueType], ...]
MODES = ("read", "acc", "mut", "own")  # from the weakest to the strongest


@frozen
class CallOptions:
    """What a caller wants of a function besides argument types."""

    apart: bool = False  # results that are the caller's arrays are copied: they share nothing with the arguments
    twice: bool = False  # an array may be returned in two places, because the result is not updated
    disjoint: bool = False  # parameters that are views of one array share no cell of it
    answers: bool = False  # known bools and ints of the result become part of its type
    changes: bool = False  # it may change lists, dicts and objects that are passed to it
    sizes: tuple[tuple[int, int, int], ...] = ()  # known sizes: of a flat argument, along an axis, the size
    # sizes of at most 1, in the same way; with axis -1 a flat argument that is the size of a view
    short: tuple[tuple[int, int], ...] = ()


@frozen
class LinearityClaim:
    """That a core function is linear in the parameters at some positions, and how messages refer to it.

    ``free_results``: the number of leading results that must not depend on them. ``backward``: the backward function of
    a rule, which may be called in reverse mode if it is not linear.
    """

    function: str
    positions: tuple[int, ...]
    what: str
    by: str
    span: Span
    free_results: int = 0
    backward: bool = False


@frozen
class Contract:
    """What callers rely on. A recursive function is lowered until its body satisfies what its calls assume; each field
    only grows."""

    result: ValueType = OtherType(Bottom())
    modes: tuple[Mode, ...] = ()
    written: frozenset[int] = frozenset()  # flat parameters that the function owns and also writes to
    updated: frozenset[int] = frozenset()  # those of them that it updates: of lists it may replace items only
    # results, each with a parameter (flat, then hidden) that it may share cells with in Python, but not here
    alike: frozenset[tuple[int, int]] = frozenset()
    together: frozenset[tuple[int, int]] = frozenset()  # pairs of results that may share cells in Python
    items: frozenset[int] = frozenset()  # parameters with the items of lists, of which an array is updated
    sharing: frozenset[int] = frozenset()  # results with the items of lists that may be one array twice
    # results, each with a parameter that the function owns and that it may be; None: any of those
    returned: frozenset[tuple[int, int]] | None = None
    hidden: Fixed[str, tuple[str, Array]] = field(default_factory=Fixed)
    recursive: bool = False

    def join(self, other: Contract) -> Contract:
        return Contract(
            join_settling(self.result, other.result) or TOP,
            tuple(max(m, n, key=MODES.index) for m, n in zip(self.modes, other.modes, strict=True)),
            self.written | other.written,
            self.updated | other.updated,
            self.alike | other.alike,
            self.together | other.together,
            self.items | other.items,
            self.sharing | other.sharing,
            None if self.returned is None or other.returned is None else self.returned | other.returned,
            other.hidden.having(self.hidden),
            self.recursive or other.recursive,
        )


@dataclass(eq=False)
class Spec:
    """A function specialised for argument types, and what is known about it so far."""

    name: str
    source: FunctionSource
    params: Typed
    options: CallOptions = CallOptions()
    result: ValueType = OtherType(Bottom())  # this and the next ten fields are those of `Contract`
    modes: tuple[Mode, ...] = ()
    written: frozenset[int] = frozenset()
    updated: frozenset[int] = frozenset()
    alike: frozenset[tuple[int, int]] = frozenset()
    together: frozenset[tuple[int, int]] = frozenset()
    items: frozenset[int] = frozenset()
    sharing: frozenset[int] = frozenset()
    returned: frozenset[tuple[int, int]] | None = None
    hidden: Fixed[str, tuple[str, Array]] = field(default_factory=Fixed)
    recursive: bool = False
    ones: tuple[frozenset[tuple[int, bool]], ...] = ()  # `Lowering.ones` of the results; unknown if recursive
    numbers: dict[str, str] = field(default_factory=dict)  # variable of a scalar parameter -> its name
    wanted: dict[str, None] = field(default_factory=dict)  # scalar parameters whose values have to be known
    flat: tuple[str, ...] = ()  # the core parameters, for results that are views of one
    depth: Var | None = None  # the parameter with the recursion depth, if recursive
    changed: frozenset[Origin] = frozenset()  # those that it is known to change
    # the parameters that hold one of these: their final values are returned beside the result
    left: tuple[str, ...] = ()
    deeper: bool = False  # the result of a recursive function gets deeper with every iteration
    raises: bool = False  # on every path
    failed: bool = False
    done: bool = False
    function: Function | None = None
    derivative: Derivative | None = None  # a derivative that is declared here and generated later
    rule: CustomRule | None = None  # lowered after everything else
    findings: Findings = field(default_factory=Findings)  # of its lowering

    @property
    def contract(self) -> Contract:
        return Contract(**{f.name: getattr(self, f.name) for f in fields(Contract)})

    @contract.setter
    def contract(self, known: Contract) -> None:
        for f in fields(known):
            setattr(self, f.name, getattr(known, f.name))

    def may_return(self, k: int, j: int) -> bool:
        """Whether the result ``k`` may be the argument ``j``, which the function owns."""
        owned = j < len(self.modes) and self.modes[j] == "own"
        return owned and (self.returned is None or (k, j) in self.returned)

    def writes(self, k: int) -> bool:
        return k in self.written


def value_of(t: ValueType) -> Value:
    """A value of a type that has no core type."""
    return t.value if isinstance(t, OtherType) else NoneValue()
