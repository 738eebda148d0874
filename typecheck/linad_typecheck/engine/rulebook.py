"""Rules for library functions: the evaluated arguments of a call, and the table of rules.

Each module of rules registers its table with `enter_rules` when it is imported.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Literal

from ..ir.core import Const
from ..frozen import frozen
from ..messages.language import BadCall
from ..registry import Kind, enter, is_known
from ..names.scope import LIBRARY_OBJECT, External, RecordClass, RecordField
from ..span import Span
from ..types import BOOL
from .numbers import as_scalar
from .refusal import Refused
from .state import Lowering
from .values import EntityValue, NoneValue, ScalarValue, Value, literal


@frozen(slots=True)
class Args:
    """The evaluated arguments of a library call."""

    name: str
    span: Span
    values: tuple[Value, ...]
    keywords: dict[str, Value]
    hint: str = "t"
    node: ast.expr | None = None  # the call
    function: str = ""  # the library function that is called

    @property
    def all(self) -> tuple[Value, ...]:
        return (*self.values, *self.keywords.values())

    def having(self, k: int, v: Value) -> Args:
        """The arguments with another one in place ``k`` of all."""
        values = [v if j == k else x for j, x in enumerate(self.all)]
        count = len(self.values)
        keywords = dict(zip(self.keywords, values[count:], strict=True))
        return replace(self, values=tuple(values[:count]), keywords=keywords)


Rule = Callable[[Lowering, Args], Value]


Of = Literal["arrays", "stored arrays", "scalars"]
_RULES: dict[str, tuple[Rule, Of]] = {}


def enter_rules(rules: Mapping[str, Rule], of: Of = "arrays", kind: Kind = "rule") -> None:
    """Register library functions.

    Rules of ``arrays`` take all kinds of arrays, including views and delayed expressions. Rules of ``stored arrays``
    get expressions evaluated first. Rules of ``scalars`` are applied elementwise. Names that begin with ``%`` are
    visible only in the prelude.
    """
    twice = rules.keys() & _RULES.keys()
    assert not twice, f"two rules for {sorted(twice)}"
    _RULES.update((name, (rule, of)) for name, rule in rules.items())
    enter(kind, (name for name in rules if name[0] != "%"))


def rule_of(dotted: str) -> tuple[Rule, Of] | None:
    """The rule of a library function and its kind; None if there is none."""
    return _RULES.get(dotted)


def is_elementwise(dotted: str) -> bool:
    """Whether a scalar function is applied to arrays elementwise."""
    of_arrays = dotted.startswith(("numpy.", "scipy.", "%")) or dotted in ("builtins.abs", "builtins.pow")
    return of_arrays and dotted in _RULES and _RULES[dotted][1] == "scalars"


_NUMBERS = {
    "numpy.pi": math.pi, "math.pi": math.pi, "numpy.e": math.e, "math.e": math.e, "math.tau": math.tau,
    "numpy.inf": math.inf, "math.inf": math.inf, "numpy.nan": math.nan, "math.nan": math.nan,
    "numpy.euler_gamma": 0.5772156649015329, "typing.TYPE_CHECKING": False, "builtins.__debug__": True,
}  # fmt: skip
CONSTANTS: dict[str, Value] = {name: literal(value) for name, value in _NUMBERS.items()} | {
    "numpy.True_": ScalarValue(Const(True, BOOL)),
    "numpy.False_": ScalarValue(Const(False, BOOL)),
    "numpy.newaxis": NoneValue(),
    "builtins.Ellipsis": EntityValue(External("builtins.Ellipsis"), "..."),
    "builtins.NotImplemented": EntityValue(External("builtins.NotImplemented"), "NotImplemented"),
}
enter("constant", CONSTANTS)


def _attributes(name: str, *fields: str, home: str = "scipy") -> RecordClass:
    key = f"{home}.{name}"
    return RecordClass(name, key, False, tuple(map(RecordField, fields)), mark=f"{LIBRARY_OBJECT}{key}")


def _named(name: str, *fields: str) -> RecordClass:
    key = f"numpy.linalg.{name}"
    return RecordClass(name, key, True, tuple(map(RecordField, fields)), mark=key)


_ROTATION = replace(_attributes("spatial.transform.Rotation", "quat"), name="Rotation")

_OPERATORS = "__add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __pow__ __neg__"
_POLY1D = _attributes("poly1d", "coeffs", home="numpy")
_POLYNOMIAL = replace(_attributes("polynomial.Polynomial", "coef", "domain", "window", home="numpy"), name="Polynomial")

RESULTS: dict[str, RecordClass] = {
    "numpy.linalg.slogdet": _named("SlogdetResult", "sign", "logabsdet"),
    "numpy.linalg.eigh": _named("EighResult", "eigenvalues", "eigenvectors"),
    "numpy.linalg.svd": _named("SVDResult", "U", "S", "Vh"),
    "numpy.linalg.qr": _named("QRResult", "Q", "R"),
    "scipy.stats.linregress": _named("LinregressResult", "slope", "intercept", "rvalue", "pvalue", "stderr"),
    **{f"scipy.stats.ttest_{name}": _named("TtestResult", "statistic", "pvalue") for name in ("ind", "rel", "1samp")},
    "statistics.linear_regression": _named("LinearRegression", "slope", "intercept"),
    "scipy.optimize.root": _attributes("OptimizeResult", "x", "fun", "success", "status"),
    "scipy.optimize.least_squares": _attributes("OptimizeResult", "x", "cost", "fun", "jac", "success"),
    "scipy.integrate.solve_ivp": _attributes(
        "OdeResult", "t", "y", "nfev", "njev", "nlu", "status", "message", "success"
    ),
    "scipy.optimize.root_scalar": _attributes("RootResults", "root", "converged"),
    "scipy.optimize.minimize_scalar": _attributes("OptimizeResult", "x", "fun", "success", "nfev", "nit"),
    **{
        f"scipy.spatial.transform.Rotation.{name}": _ROTATION
        for name in "from_quat from_rotvec from_matrix from_euler identity inv __mul__".split()
    },
    "numpy.poly1d": _POLY1D,
    **{f"numpy.poly1d.{name}": _POLY1D for name in f"deriv integ __truediv__ {_OPERATORS}".split()},
    "numpy.polynomial.Polynomial": _POLYNOMIAL,
    **{
        f"numpy.polynomial.Polynomial.{name}": _POLYNOMIAL
        for name in f"fit convert copy deriv integ __truediv__ {_OPERATORS}".split()
    },
}  # functions that return a named tuple of NumPy or SciPy, or an object with attributes
PROPERTIES = frozenset(f"numpy.poly1d.{name}" for name in "c coef coefficients o order".split())


def scalars(ctx: Lowering, args: Args, least: int, most: int | None = None) -> list[ScalarValue]:
    """The arguments as scalars, after checking how many there are."""
    most = least if most is None else most
    if args.keywords or not least <= len(args.values) <= most:
        takes = "1 argument" if most == 1 else f"{least} arguments" if least == most else f"{least} to {most} arguments"
        raise Refused(BadCall(args.span, args.name, f"takes {takes}" + (" and no keywords" if args.keywords else "")))
    instead = "" if all(isinstance(v, ScalarValue) for v in args.values) else of_arrays(args.name)
    return [as_scalar(ctx, v, args.span, f"`{args.name}` is applied to scalars here", instead) for v in args.values]


def of_arrays(name: str, several: bool = False) -> str:
    """A suggestion: the variant of a scalar function for arrays. Empty if there is none."""
    last = name.rpartition(".")[2]
    if several and last in ("min", "max"):
        return f"write `np.{last}imum`, which works cell by cell"
    found = next((n for n in (last, f"arc{last[1:]}", _OF_ARRAYS.get(last, "")) if n and is_known(f"numpy.{n}")), "")
    return f"write `np.{found}`, which takes arrays" if found else ""


_OF_ARRAYS = {"pow": "power", "atan2": "arctan2", "fabs": "abs", "min": "min", "max": "max"}


def strong(v: Value) -> Value:
    """A scalar as a NumPy scalar, which is not weak."""
    return ScalarValue(v.atom) if isinstance(v, ScalarValue) else v
