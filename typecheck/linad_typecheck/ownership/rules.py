"""The table of ownership rules. The messages that enforce a rule name it; its documentation and its tests are
generated from its row."""

from __future__ import annotations

from ..frozen import frozen


@frozen(slots=True)
class Rule:
    """One rule. ``codes``: the slugs of the diagnostics that enforce it. ``accepted`` and ``refused``: programs,
    without `HEAD`."""

    number: str
    statement: str
    reason: str  # what would go wrong without it
    codes: tuple[str, ...]
    instead: str  # what to write in place of a refused program
    accepted: str
    refused: str

    def __str__(self) -> str:
        return f"{self.number}: {self.statement}"


HEAD = """import numpy as np
from jaxtyping import Float64
from linad import linear_grad
"""

FOLLOWED = Rule(
    "R1",
    "an update shows under every name and view that is known to mean the same array",
    "`v = u` is often written where a copy is meant. linad computes what Python computes, and warns where an update "
    "shows "
    "under a second name; with `strict` the warning is an error.",
    ("shared-update",),
    "`v = u.copy()` where the old values are meant; one name, or `# linad: ignore[shared-update]`, where they are not",
    """@linear_grad
def f(x: Float64[np.ndarray, "n"]) -> float:
    u = x.copy()
    v = u[1:]
    v[0] = 2.0 * u[0]
    return u[1]          # the array that `v` is a view of
""",
    """@linear_grad
def f(x: Float64[np.ndarray, "n"]) -> float:
    u = x.copy()
    v = u
    u[0] = 1.0
    return v[0]
""",
)
PERHAPS_UPDATED = Rule(
    "R2",
    "after an update, what may or may not be the updated array is not used under another name",
    "Python shows the update under that name on some paths only. The compiled function would have to choose one of the "
    "two, and be wrong on the other paths.",
    ("use-after-move", "conflicting-updates"),
    "`.copy()` where the second name is bound, or only one of the names after the update",
    """@linear_grad
def f(x: Float64[np.ndarray, "n"], c: bool) -> float:
    u = x.copy()
    v = u if c else 2.0 * x
    v[0] = 1.0
    return v[0] + v[1]
""",
    """@linear_grad
def f(x: Float64[np.ndarray, "n"], c: bool) -> float:
    u = x.copy()
    v = u if c else 2.0 * x
    v[0] = 1.0
    return u[0]
""",
)
ON_SOME_PATHS = Rule(
    "R3",
    "a name that means different arrays on different paths is only read while one of them has another name",
    "An update through the name changes the other array on some paths only.",
    ("moved-on-some-paths",),
    "`.copy()` where the name is bound, or `u, v = v, u` for two buffers that change places",
    """@linear_grad
def f(x: Float64[np.ndarray, "n"], c: bool) -> float:
    u = x.copy()
    v = np.zeros(2)
    if c:
        v = u
    return u[0] + v[0]
""",
    """@linear_grad
def f(x: Float64[np.ndarray, "n"], c: bool) -> float:
    u = x.copy()
    v = np.zeros(2)
    if c:
        v = u
    v[0] = 1.0
    return u[0] + v[0]
""",
)
VIEW_OR_COPY = Rule(
    "R4",
    "what NumPy makes a view or a copy, depending on sizes at run time, is only read",
    "Whether an update reaches the base array would depend on the sizes.",
    ("moved-on-some-paths",),
    "`.copy()` after the `reshape` or `ravel`",
    """@linear_grad
def f(a: Float64[np.ndarray, "m n"]) -> float:
    return a[:, 1:].ravel().sum()
""",
    """@linear_grad
def f(a: Float64[np.ndarray, "m n"]) -> float:
    b = a.copy()
    part = b[:, 1:].ravel()
    part[0] = 1.0
    return b[0, 1]
""",
)
RETURNED_VIEWS = Rule(
    "R5",
    "a helper that returns a view of an argument on some paths only neither reshapes it nor chooses it in a loop",
    "Its caller could not know which array the result is, and so which updates are visible in it.",
    ("moved-on-some-paths",),
    "`.copy()` of the view in the helper",
    """def part(a):
    return a[1:]


@linear_grad
def f(x: Float64[np.ndarray, "n"]) -> float:
    return part(x.copy())[0]
""",
    """def positive(a, b):
    for i in range(3):
        if a[i] > 0.0:
            return a[i:]
    return b


@linear_grad
def f(x: Float64[np.ndarray, "n"]) -> float:
    return positive(x.copy(), 2.0 * x)[0]
""",
)
GIVEN_AWAY = Rule(
    "R6",
    "an array that a call takes over is not used afterwards",
    "A helper that returns its argument on some paths only, and updates it, leaves one array with two names on those "
    "paths and two arrays on the others.",
    ("use-after-move",),
    "go on with the result alone (`u = helper(u)`), or pass `u.copy()`",
    """def limited(a, limit):
    a[0] = 1.0
    return a if a[1] < limit else a * 0.5


@linear_grad
def f(x: Float64[np.ndarray, "n"]) -> float:
    u = x.copy()
    u = limited(u, 2.0)
    return u[0]
""",
    """def limited(a, limit):
    a[0] = 1.0
    return a if a[1] < limit else a * 0.5


@linear_grad
def f(x: Float64[np.ndarray, "n"]) -> float:
    u = x.copy()
    v = limited(u, 2.0)
    return u[0] + v[0]
""",
)
IN_LOOPS = Rule(
    "R7",
    "an array that an iteration gives away is bound again before the next one",
    "The next iteration would use an array that is not the function's any more.",
    ("moved-in-loop",),
    "bind the result to the same name, or pass `u.copy()`",
    """def limited(a, limit):
    a[0] = 1.0
    return a if a[1] < limit else a * 0.5


@linear_grad
def f(x: Float64[np.ndarray, "n"]) -> float:
    u = x.copy()
    for i in range(3):
        u = limited(u, 2.0)
    return u[0]
""",
    """def limited(a, limit):
    a[0] = 1.0
    return a if a[1] < limit else a * 0.5


@linear_grad
def f(x: Float64[np.ndarray, "n"]) -> float:
    u = x.copy()
    s = 0.0
    for i in range(3):
        v = limited(u, 2.0)
        s += v[0]
    return s
""",
)
ARGUMENTS = Rule(
    "R8",
    "a call updates or takes over no argument that may or may not be the array of another argument",
    "Whether the helper sees its own update under the other parameter would depend on the path.",
    ("overlapping-arguments",),
    "pass a copy for one of them; one array passed twice, or two parts of it, is accepted as such",
    """def put(a, b):
    a[0] = b[0]


@linear_grad
def f(x: Float64[np.ndarray, "n"]) -> float:
    u = x.copy()
    put(u[:1], u[1:])
    return u[0]
""",
    """def put(a, b):
    a[0] = b[0]


@linear_grad
def f(x: Float64[np.ndarray, "n"], c: bool) -> float:
    u = x.copy()
    v = u if c else 2.0 * x
    put(u, v)
    return u[0]
""",
)
STORED = Rule(
    "R9",
    "what a tuple or record may or may not hold in two places is not updated in one of them",
    "The other place changes with it on some paths only.",
    ("stored-twice",),
    "store a copy in one of the two places",
    """@linear_grad
def f(x: Float64[np.ndarray, "n"]) -> float:
    p = (x.copy(), 2.0 * x)
    p[0][0] = 1.0
    return p[0][0] + p[1][0]
""",
    """@linear_grad
def f(x: Float64[np.ndarray, "n"], c: bool) -> float:
    u = x.copy()
    p = (u, u if c else 2.0 * x)
    p[0][0] = 1.0
    return p[1][0]
""",
)
DECLARED = Rule(
    "R10",
    "a function that Python calls updates only those arguments that it declares",
    "The caller's array would change although nothing declares it, and a derivative, which works on a copy, would not "
    "change it.",
    ("argument-updated",),
    '`x = x.copy()` first, or `@linear_grad(updates=("x",))`',
    """@linear_grad(updates=("x",))
def f(x: Float64[np.ndarray, "n"]) -> float:
    x[0] = 1.0
    return x[0]
""",
    """@linear_grad
def f(x: Float64[np.ndarray, "n"]) -> float:
    x[0] = 1.0
    return x[0]
""",
)
OF_THE_MODULE = Rule(
    "R11",
    "an array of the module is not updated",
    "A second call would find other values than the first one, and a derivative may run a part of the function again.",
    ("captured-array-updated",),
    "pass the array as a parameter, or update a copy",
    """WEIGHTS = np.array([0.5, 1.5])


@linear_grad
def f(x: float) -> float:
    w = WEIGHTS.copy()
    w[0] = x
    return w[0] * w[1]
""",
    """WEIGHTS = np.array([0.5, 1.5])


@linear_grad
def f(x: float) -> float:
    WEIGHTS[0] = x
    return WEIGHTS[0] * WEIGHTS[1]
""",
)
OF_THE_CALLER = Rule(
    "R12",
    "an array of the caller is not given away or updated under a name that may mean it, and no helper returns one of "
    "the module",
    "The caller would hold one array under two names, or would see it change on some paths.",
    ("alias-escapes",),
    "`.copy()` where it is returned, passed on or bound to the other name",
    """@linear_grad
def f(x: Float64[np.ndarray, "n"], c: bool) -> float:
    u = np.zeros(2)
    if c:
        u = x
    return u[0]
""",
    """@linear_grad
def f(x: Float64[np.ndarray, "n"], c: bool) -> float:
    u = np.zeros(2)
    if c:
        u = x
    u[0] = 1.0
    return u[0]
""",
)
RETURNED_ONCE = Rule(
    "R13",
    "no helper returns an array and a part of it",
    "Its caller would hold cells under two names without having made them one. A whole array may be returned twice:\n"
    "the two names of the caller are then known to be one array. The caller of an entry function gets copies.",
    ("returned-twice",),
    "return a copy the second time",
    """def pair(x):
    u = 2.0 * x
    return u, u[1:].copy()

@linear_grad
def f(x: Float64[np.ndarray, "n"]) -> float:
    a, b = pair(x)
    return a[0] * b[1]
""",
    """def pair(x):
    u = 2.0 * x
    return u, u[1:]

@linear_grad
def f(x: Float64[np.ndarray, "n"]) -> float:
    a, b = pair(x)
    return a[0] * b[1]
""",
)
IDENTITY = Rule(
    "R14",
    "no program depends on which of two equal arrays, lists, dicts or objects it has",
    "A compiled loop may copy an array that Python would share. If a condition chooses between two lists, dicts or "
    "objects, a change would have to reach the chosen one only. (If it is known which object a name means, a change is "
    "visible under all its names.)",
    ("unsupported",),
    "`==` in place of `is` of arrays; a new list, dict or object in place of changing what may be one of two",
    """@linear_grad
def f(x: Float64[np.ndarray, "n"]) -> float:
    u = x.copy()
    return u[0] if u[0] == x[0] else 0.0
""",
    """@linear_grad
def f(x: Float64[np.ndarray, "n"]) -> float:
    u = x.copy()
    return u[0] if u is x else 0.0
""",
)

RULES: dict[str, Rule] = {
    r.number: r
    for r in (
        FOLLOWED,
        PERHAPS_UPDATED,
        ON_SOME_PATHS,
        VIEW_OR_COPY,
        RETURNED_VIEWS,
        GIVEN_AWAY,
        IN_LOOPS,
        ARGUMENTS,
        STORED,
        DECLARED,
        OF_THE_MODULE,
        OF_THE_CALLER,
        RETURNED_ONCE,
        IDENTITY,
    )
}
