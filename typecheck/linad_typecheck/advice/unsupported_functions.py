"""Unsupported library functions, each with a replacement."""

from __future__ import annotations

_WAVES = "write it with `np.fft.fft`, `np.fft.rfft` and their inverses"
LOOP = "write it out with scalar operations and loops"
_NEXT = "it depends on the bits of a float: compute the number outside the function and pass it"
_DRAW = "draw the numbers outside the function and pass them as an array"
_FIXED = (
    "it is decided when the function is compiled, from names that are written out: `isinstance(x, (int, float))`, "
    '`hasattr(x, "ndim")`'
)
ELSEWHERE: dict[str, str] = {
    "builtins.range": "use it in a `for`, or write `np.arange(n)`",
    "builtins.enumerate": "use it in a `for`",
    "builtins.zip": "use it in a `for`",
    "builtins.reversed": "use it in a `for`, or slice: `x[::-1]`",
    "builtins.print": "print the results outside the function",
    "builtins.map": "use it in a `for`, or write a comprehension: `np.array([f(v) for v in x])`",
    "builtins.list": "write an array: `np.array([...])`, `np.arange(n)`",
    "builtins.dict": "use separate names, or an array with int indices",
    "builtins.tuple": "write the elements out",
    **dict.fromkeys(
        ("builtins.str", "builtins.repr"), 'write texts outside the function; `raise` and `assert` take `f"... {n}"`'
    ),
    "builtins.isinstance": _FIXED,
    "builtins.issubclass": _FIXED,
    "builtins.callable": _FIXED,
    "functools.partial": "write the call out in a function of its own: `f(a, x)`",
    "builtins.hasattr": _FIXED,
    "builtins.type": _FIXED,
    "builtins.getattr": "write the attribute out: `x.shape`",
    "builtins.object": "make an array of floats, ints or bools",
    "builtins.id": "compare values with `==`",
    "builtins.sorted": "write `np.sort(x)`",
    "builtins.eval": "write the expression out",
    "builtins.exec": "write the statements out",
    "builtins.open": "read and write outside the function",
    "builtins.input": "ask outside the function and pass the answer",
    "numpy.vectorize": "call the function in a comprehension: `np.array([f(v) for v in x])`",
    **dict.fromkeys(
        ("numpy.nextafter", "math.nextafter", "numpy.spacing", "math.ulp", "math.frexp", "numpy.frexp"), _NEXT
    ),
    **dict.fromkeys(
        ("numpy.linalg.eig", "numpy.linalg.eigvals"),
        "of a symmetric matrix take `np.linalg.eigh`; what others have may be complex: call it in a function under "
        "`linad.rule`, with the derivative of the eigenvalue that is meant",
    ),
    "numpy.ndarray": "write `np.empty(shape)`",
    **dict.fromkeys(
        ("numpy.matrix", "numpy.asmatrix", "numpy.bmat"),
        "use an array of rank 2: `np.array(...)`, `np.block(...)`, with `@` for the product of matrices and `.T`",
    ),
    "numpy.apply_along_axis": "write `np.array([f(row) for row in a])`",
    "numpy.unstack": "index: `a[0]`, `a[1]`",
    "numpy.fft": _WAVES,
    "numpy.lib": "write the slices out: `x[:-2] + x[1:-1] + x[2:]`",
    "numpy.random": _DRAW,
    "random": _DRAW,
    "numba.prange": "use it in a `for`",
    "linad.checkpoint": "put it around what a `for` runs over, around the condition of a `while`, or around a function",
}


OF_ARRAYS = (
    "jax",
    "torch",
    "cupy",
    "autograd",
    "tensorflow",
    "dask",
    "mxnet",
    "paddle",
    "mlx",
    "bottleneck",
    "numexpr",
)
_MATRICES = (
    "use what there is in `np.linalg`: solve, inv, det, slogdet, cholesky, eigh, eigvalsh, svd, norm, cond, lstsq, "
    "matrix_power"
)
_NUMPY = "write it with NumPy: arrays are NumPy's here"
# of the system, of texts and of files: nothing that one would differentiate
OF_THE_SYSTEM = (
    "os",
    "sys",
    "io",
    "pathlib",
    "shutil",
    "glob",
    "tempfile",
    "subprocess",
    "threading",
    "multiprocessing",
    "socket",
    "urllib",
    "requests",
    "datetime",
    "calendar",
    "re",
    "string",
    "textwrap",
    "json",
    "csv",
    "pickle",
    "struct",
    "argparse",
    "inspect",
    "gc",
    "hashlib",
    "uuid",
    "platform",
    "configparser",
    "sqlite3",
    "yaml",
    "toml",
    "tomllib",
)

_WITHOUT: dict[str, str] = {
    **dict.fromkeys(OF_ARRAYS, _NUMPY),
    "pandas": 'pass the columns as arrays (`df["x"].to_numpy()`), and compute with NumPy inside',
    "polars": 'pass the columns as arrays (`df["x"].to_numpy()`), and compute with NumPy inside',
    "xarray": "pass the arrays themselves (`a.values`), and compute with NumPy inside",
    "scipy.optimize": "solve it outside and pass the solution, or write the iteration as a loop: Newton steps, say",
    "scipy.integrate": "use `solve_ivp`, `quad`, `trapezoid`, `simpson`, or a loop over steps: `y = y + h * rhs(t, y)`",
    "scipy.sparse": "pass the arrays `data`, `indices` and `indptr` of the matrix, and write products as loops",
    "scipy.interpolate": (
        "use `splrep` and `splev`, `interp1d`, `CubicSpline`, `InterpolatedUnivariateSpline` or `np.interp`"
    ),
    "scipy.ndimage": "write the filter with slices: `x[:-2] + x[1:-1] + x[2:]`",
    **dict.fromkeys(
        (
            f"scipy.signal.{n}"
            for n in "cheby1 cheby2 ellip bessel firwin2 iirfilter sosfreqz zpk2tf".split()
        ),
        "design the filter outside the function, and pass its coefficients",
    ),
    "scipy.signal": "use `np.convolve`, or write the recurrence as a loop",
    "scipy.fft": _WAVES,
    "scipy.stats": "write the density with `np.exp`, `np.log` and `scipy.special`",
    "scipy.spatial.transform": "write the rotation as a matrix, from its angles or its quaternion, and `r @ x`",
    "numpy.ma": "keep the mask beside the array: `np.where(mask, 0.0, x)`, `x[~mask]`",
    **dict.fromkeys(
        ("numpy.roots", "numpy.poly1d.r", "numpy.poly1d.roots", "numpy.polynomial.Polynomial.roots"),
        "which roots there are is known only when it runs: find the one that is meant, by `scipy.optimize.brentq` or "
        "Newton steps with `np.polyval`",
    ),
    "numpy.polynomial": "write `np.polyval(p, x)`, `np.polyfit(x, y, n)`",
    "builtins.globals": "name what is meant",
    "scipy.spatial": "write the distances: `np.sqrt(((a[:, None] - b[None]) ** 2).sum(axis=-1))`",
    "numpy.linalg": _MATRICES,
    "scipy.linalg": _MATRICES,
    "sklearn": "write the model with NumPy, or compute its part outside and pass the numbers",
    "matplotlib": "draw outside the function",
    "tqdm": "leave it out: the loop is compiled, and shows nothing while it runs",
    "collections": "use `deque`, `defaultdict`, `Counter`, a list or a dict",
    "itertools": "write the loops out, one inside the other",
    "functools": "write the loop or the call out",
    "re": "work on texts outside the function and pass numbers",
    "json": "read it outside the function and pass the numbers",
    "copy": "use the method: `a.copy()`",
    "statistics": "use `np.mean`, `np.median`, `np.std`",
    "decimal": "use floats",
    "fractions": "use floats",
    "cmath": "write it with `cmath.exp`, `cmath.log` and `cmath.sqrt`",
    "enum": "use ints",
    "operator": "write the operator out",
}


def without(dotted: str) -> str:
    """How to replace a library function that has no suggestion here; empty if the general advice applies."""
    parts = dotted.split(".")
    outside = "call it outside the function, and pass the numbers or texts that it gives"
    other = outside if parts[0] in OF_THE_SYSTEM else ""
    return next((_WITHOUT[d] for k in range(len(parts), 0, -1) if (d := ".".join(parts[:k])) in _WITHOUT), other)


def elsewhere(dotted: str) -> str | None:
    """How to write what a library function, or everything in a part of a library, does."""
    parts = dotted.split(".")
    return next((ELSEWHERE[d] for k in range(len(parts), 0, -1) if (d := ".".join(parts[:k])) in ELSEWHERE), None)
