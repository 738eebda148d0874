"""Functions of libraries that the language does not have, each with what to write instead."""

from __future__ import annotations

LOOP = "write a loop that adds up"
_NEXT = "it depends on the bits of a float: compute the number outside the function and pass it"
_DRAW = "draw the numbers outside the function and pass them as an array"
ELSEWHERE: dict[str, str] = {
    **dict.fromkeys(("builtins.complex", "numpy.complex64", "numpy.complex128"), "keep real and imaginary parts apart"),
    "builtins.range": "use it in a `for`", "builtins.enumerate": "use it in a `for`", "builtins.zip": "use it in a `for`",
    "builtins.reversed": "use it in a `for`", "builtins.print": "print the results outside the function",
    "builtins.map": "write a comprehension: `np.array([f(v) for v in x])`",
    "functools.reduce": "write a loop, or `linad.reduce(f, first, x)`", "itertools.accumulate": "write a loop, or `linad.scanl(f, first, x)`",
    "builtins.filter": "write a loop with an `if`", "builtins.list": "use an array",
    "builtins.dict": "use an array", "builtins.set": "use an array of bools", "builtins.tuple": "write the elements out",
    "builtins.str": "format outside the function", "builtins.isinstance": "types are known when the function is compiled: leave the test out, and annotate the parameter",
    "builtins.object": "arrays hold numbers", "builtins.id": "compare values with `==`", "builtins.sorted": "sort outside the function",
    "builtins.eval": "write the expression out", "builtins.exec": "write the statements out",
    "builtins.getattr": "write the attribute out", "builtins.hasattr": "types are fixed: leave the test out", "builtins.type": "types are fixed: leave the test out",
    "builtins.open": "do I/O outside the function", "builtins.input": "do I/O outside the function",
    "numpy.append": "make an array of the final size and store its cells", "numpy.vectorize": "write a loop",
    "numpy.unique": "find the values outside the function and pass their indices",
    "numpy.nextafter": _NEXT, "math.nextafter": _NEXT,
    "numpy.spacing": _NEXT, "math.ulp": _NEXT, "math.frexp": _NEXT, "numpy.frexp": _NEXT, "math.fsum": LOOP,
    **dict.fromkeys(("numpy.linalg.eig", "numpy.linalg.eigvals"), "of a symmetric matrix take `np.linalg.eigh`; what others have is complex"),
    "numpy.linalg": "there are solve, inv, det, slogdet, cholesky, eigh, eigvalsh, svd, norm and lstsq; write loops for the rest",
    "numpy.kron": "write `(a[:, None, :, None] * b[None, :, None, :]).reshape(n, m)`",
    "numpy.tensordot": "write `np.einsum` with its subscripts", "numpy.average": "write `np.sum(w * a) / np.sum(w)`, or `np.mean(a)`",
    "numpy.take": "index: `a[idx]`, `a[:, idx]`", "numpy.take_along_axis": "index: `a[np.arange(n), idx]`",
    "numpy.polyval": "write Horner's rule: `for c in p: s = s * x + c`", "numpy.insert": "use `np.concatenate`", "numpy.delete": "use `np.concatenate`",
    "numpy.polyfit": "write `np.linalg.lstsq(x[:, None] ** np.arange(n, -1, -1), y)[0]`",
    "numpy.pad": "make `np.zeros` of the larger shape and store the array inside: `p[1:-1] = a`", "numpy.gradient": "write the differences: `(a[2:] - a[:-2]) / 2`",
    "numpy.partition": "sort: `np.sort(a)[:k]`", "numpy.argpartition": "sort: `np.argsort(a)[:k]`", "numpy.choose": "write `np.select`, or nest `np.where`",
    **dict.fromkeys(("numpy.put", "numpy.putmask", "numpy.place"), "assign: `a[idx] = values`, `a[mask] = values[mask]`"),
    "numpy.apply_along_axis": "write `np.array([f(row) for row in a])`", "numpy.trim_zeros": "slice: `a[lo:hi]`", "numpy.unstack": "index: `a[0]`, `a[1]`",
    "numpy.add.reduceat": "write a loop over the parts: `a[lo:hi].sum()`", "numpy.cov": "write `d = a - a.mean(axis=1, keepdims=True)`, then `d @ d.T / (n - 1)`",
    "numpy.quantile": "sort, and interpolate: `s = np.sort(a)`", "numpy.percentile": "sort, and interpolate: `s = np.sort(a)`",
    "numpy.select": "nest `np.where`", "numpy.piecewise": "nest `np.where`", "numpy.block": "use `np.concatenate`, row of blocks by row of blocks",
    "numpy.unravel_index": "use `divmod(k, a.shape[1])`", "numpy.copyto": "assign: `a[...] = b`",
    "numpy.array_equal": "write `np.all(a == b)`", "numpy.allclose": "write `np.all(np.abs(a - b) <= 1e-8 + 1e-5 * np.abs(b))`",
    "numpy.add.reduce": "use `np.sum`", "numpy.multiply.reduce": "use `np.prod`", "numpy.maximum.reduce": "use `np.max`", "numpy.minimum.reduce": "use `np.min`",
    "numpy.add.accumulate": "use `np.cumsum`", "numpy.multiply.accumulate": "use `np.cumprod`", "numpy.multiply.outer": "use `np.outer`, or `a[:, None] * b`",
    "numpy.fft": "write the transform as products with `np.cos` and `np.sin`, or as loops", "numpy.lib": "write the slices out: `x[:-2] + x[1:-1] + x[2:]`",
    "numpy.random": _DRAW, "random": _DRAW,
    "numba.prange": "use it in a `for`",
    "linad.checkpoint": "put it around what a `for` runs over, around the condition of a `while`, or around a function",
}  # fmt: skip


OF_ARRAYS = ("jax", "torch", "cupy", "autograd", "tensorflow", "dask", "mxnet", "paddle", "mlx", "bottleneck", "numexpr")
_NUMPY = "write it with NumPy: arrays are NumPy's here"
_WITHOUT: dict[str, str] = {
    **dict.fromkeys(OF_ARRAYS, _NUMPY),
    "pandas": "pass the columns as arrays (`df[\"x\"].to_numpy()`), and compute with NumPy inside",
    "polars": "pass the columns as arrays (`df[\"x\"].to_numpy()`), and compute with NumPy inside",
    "xarray": "pass the arrays themselves (`a.values`), and compute with NumPy inside",
    "scipy.optimize": "solve it outside and pass the solution, or write the iteration as a loop: Newton steps, say",
    "scipy.integrate": "write the steps as a loop: `y = y + h * rhs(t, y)`, or a Runge-Kutta step",
    "scipy.sparse": "pass the arrays `data`, `indices` and `indptr` of the matrix, and write the product as a loop over them",
    "scipy.interpolate": "use `np.interp`, or write the polynomial of each piece as a loop",
    "scipy.ndimage": "write the filter with slices: `x[:-2] + x[1:-1] + x[2:]`",
    "scipy.signal": "use `np.convolve`, or write the recurrence as a loop",
    "scipy.fft": "write the transform as products with `np.cos` and `np.sin`, or as loops",
    "scipy.stats": "write the density with `np.exp`, `np.log` and `scipy.special`",
    "scipy.spatial": "write the distances: `np.sqrt(((a[:, None] - b[None]) ** 2).sum(axis=-1))`",
    "scipy.linalg": "use `np.linalg`: there are solve, inv, det, slogdet, cholesky, eigh, eigvalsh, svd, norm and lstsq",
    "sklearn": "write the model with NumPy, or compute its part outside and pass the numbers",
    "matplotlib": "draw outside the function",
    "tqdm": "leave it out: the loop is compiled, and shows nothing while it runs",
    "collections": "use tuples, and arrays with int indices",
    "itertools": "write the loops out, one inside the other",
    "functools": "write the loop or the call out",
    "re": "work on texts outside the function and pass numbers",
    "json": "read it outside the function and pass the numbers",
    "copy": "use the method: `a.copy()`",
    "statistics": "use `np.mean`, `np.median`, `np.std`",
    "decimal": "use floats", "fractions": "use floats", "cmath": "keep real and imaginary parts apart",
    "enum": "use ints", "operator": "write the operator out",
}  # fmt: skip


def without(dotted: str) -> str:
    """How to do without a library function that nothing here stands for; empty where there is no better word than for all."""
    parts = dotted.split(".")
    return next((_WITHOUT[d] for k in range(len(parts), 0, -1) if (d := ".".join(parts[:k])) in _WITHOUT), "")


def elsewhere(dotted: str) -> str | None:
    """How to write what a library function, or all of a part of a library, does."""
    parts = dotted.split(".")
    return next((ELSEWHERE[d] for k in range(len(parts), 0, -1) if (d := ".".join(parts[:k])) in ELSEWHERE), None)
