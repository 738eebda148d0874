"""`docs/reference/functions.md`: a row for each name of the checker's registry, made of what the checker itself says.

What a function takes is the answer to a call without arguments. Its example is a call that the checker accepts; it is
differentiable by those arguments of the example of which the checker does not say that the gradient is zero. Written
here are only the examples that are not the first accepted one of `TRIED`.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import linad_typecheck.check  # noqa: F401 - every table is loaded
from linad_typecheck import check_source
from linad_typecheck.arrays.operands import REFUSED
from linad_typecheck.diagnostics import Diagnostic
from linad_typecheck.engine import rulebook
from linad_typecheck.registry import Kind
from linad_typecheck.registry import registry as registered
from linad_typecheck.types import DTYPE_CLASSES

HEADER = """import bisect
import cmath
import collections
import copy
import dataclasses
import functools
import heapq
import itertools
import math
import operator
import statistics
import typing
import numba
import numpy as np
import scipy.integrate as si
import scipy.linalg as sl
import scipy.ndimage as sn
import scipy.interpolate as sx
import scipy.optimize as so
import scipy.signal as sg
import scipy.signal.windows as sw
from scipy.spatial.transform import Rotation
import scipy.sparse
import scipy.spatial.distance as sd
import scipy.special as sp
import scipy.stats as st
import linad
from jaxtyping import Bool, Float64, Int64
from linad import linear_grad


@dataclasses.dataclass
class Made:
    x: float


@dataclasses.dataclass(frozen=True)
class P:
    x: float
    y: float


def cube(t: float) -> float:
    return t * t * t


"""
TYPES = {
    **dict.fromkeys("vu", 'Float64[np.ndarray, "n"]'), **dict.fromkeys("AB", 'Float64[np.ndarray, "n n"]'),
    **dict.fromkeys("xy", "float"), **dict.fromkeys("km", "int"), "p": "P",
    "idx": 'Int64[np.ndarray, "n"]', "mask": 'Bool[np.ndarray, "n"]',
}  # fmt: skip
SHORT = {
    "numpy": "np", "scipy.special": "sp", "scipy.linalg": "sl", "scipy.stats": "st", "scipy.integrate": "si", "scipy.optimize": "so", "scipy.interpolate": "sx",
    "scipy.spatial.distance": "sd", "scipy.signal.windows": "sw", "scipy.ndimage": "sn",
}  # fmt: skip
TRIED = ("v", "v, u", "x", "x, y", "A", "A, B", "v, k", "k", "k, m", "v, u, v", "[v, u]", "A, v", "k, x", "A, 0, 1")
METHODS_TRIED = ("", "k", "x", "u", "0, 0")
VALUES = ("    return float(np.sum({}))\n", "    return float(np.sum({}[0]))\n")  # of an example, or its first result
UPDATED = {"w": "v.copy()", "C": "A.copy()", "heap": "list(v)", "made": "Made(y)"}  # names that examples update, and what they are copies of
_POLYNOMIALS = ("chebyt", "chebyu", "hermite", "hermitenorm", "laguerre", "legendre")
_SHAPED = {"gamma": "pdf logpdf cdf sf", "lognorm": "pdf logpdf cdf ppf", "t": "pdf logpdf cdf sf", "chi2": "logpdf cdf sf", "weibull_min": "logpdf cdf"}
EXAMPLES = {
    **{f"heapq.{n}": f"heapq.{n}(heap, x)" for n in ("heappush", "heappushpop", "heapreplace")},
    **{f"heapq.{n}": f"heapq.{n}(heap)" for n in ("heapify", "heappop")},
    **{f"heapq.{n}": f"heapq.{n}(k, v)" for n in ("nlargest", "nsmallest")},
    **{f"bisect.{n}": f"x * bisect.{n}(v, x)" for n in ("bisect", "bisect_left", "bisect_right")},
    **{f"bisect.{n}": f"bisect.{n}(heap, x)" for n in ("insort", "insort_left", "insort_right")},
    "builtins.set": "x * len(set(idx))", "collections.Counter": "x * collections.Counter(idx)[k]",
    "collections.defaultdict": "x + len(collections.defaultdict(float))", "collections.deque": "sum(collections.deque(v, k))",
    "numpy.dtype": 'v.astype(np.dtype("float64"))', "numpy.finfo": "x + np.finfo(np.float64).eps", "numpy.iinfo": "x * np.iinfo(np.int32).max",
    "numpy.broadcast": "v * np.broadcast(v, u).size", "numpy.issubdtype": "x * np.issubdtype(v.dtype, np.floating)", "numpy.result_type": "v.astype(np.result_type(v, u))",
    **{f"cmath.{n}": f"abs(cmath.{n}(x))" for n in "cos cosh exp log log10 phase sin sinh sqrt tan tanh".split()},
    **{f"cmath.{n}": f"x * cmath.{n}(x)" for n in ("isfinite", "isinf", "isnan")}, "cmath.polar": "cmath.polar(x)[0]",
    "cmath.rect": "abs(cmath.rect(x, y))", "builtins.complex": "abs(complex(x, y))",
    **{f"numpy.{n}": f"abs(np.{n}(x))" for n in ("complex64", "complex128", "csingle", "cdouble")},
    **{f"numpy.fft.{n}": f"np.abs(np.fft.{n}(v))" for n in ("fft", "ifft", "rfft")},
    **{f"scipy.fft.{n}": f"np.abs(scipy.fft.{n}(v))" for n in ("fft", "ifft", "rfft")},
    **{f"numpy.fft.{n}": f"np.abs(np.fft.{n}(A))" for n in ("fft2", "ifft2", "fftn", "ifftn", "rfft2")},
    "scipy.signal.filtfilt": "sg.filtfilt([1.0, 0.5], [1.0], v)", "scipy.signal.savgol_coeffs": "sg.savgol_coeffs(5, 2, 1, x)",
    "scipy.signal.savgol_filter": "sg.savgol_filter(v, 5, 2)", "scipy.signal.lfilter_zi": "sg.lfilter_zi(v, u)", "scipy.signal.sosfilt": "sg.sosfilt(A, v)",
    "scipy.signal.hilbert": "np.abs(sg.hilbert(v))", "builtins.len": "len(v)", "builtins.round": "round(x, 2)", "builtins.pow": "pow(x, y)",
    "builtins.max": "max(x, y)", "builtins.min": "min(x, y)", "builtins.all": "all(t > 0.0 for t in v)",
    "builtins.any": "any(t > 0.0 for t in v)", "builtins.sum": "sum(t * t for t in v)",
    "builtins.range": "[t * x for t in range(k)]", "numba.prange": "[t * x for t in numba.prange(k)]",
    "builtins.reversed": "[t * x for t in reversed(range(k))]",
    "builtins.enumerate": "[i * t for i, t in enumerate(v)]", "builtins.zip": "[s * t for s, t in zip(v, u)]",
    "builtins.map": "[t for t in map(cube, v)]", "builtins.sorted": "[t for t in sorted(v)]",
    "functools.reduce": "functools.reduce(lambda s, t: s * t, v)",
    "builtins.filter": "[t for t in filter(lambda s: s > 0.0, v)]", "builtins.iter": "next(iter(v))", "builtins.next": "next(t for t in v if t > 0.0)",
    "numpy.fromiter": "np.fromiter((t * x for t in v), float)", "itertools.accumulate": "[t for t in itertools.accumulate(v)]",
    "itertools.chain.from_iterable": "[t for t in itertools.chain.from_iterable(A)]", "itertools.compress": "[t for t in itertools.compress(v, mask)]",
    "itertools.count": "[i * t for i, t in zip(itertools.count(1), v)]", "itertools.cycle": "[s * t for s, t in zip(v, itertools.cycle((x, y)))]",
    **{f"itertools.{n}": f"[t for t in itertools.{n}(lambda s: s > 0.0, v)]" for n in ("dropwhile", "filterfalse", "takewhile")},
    "itertools.groupby": "[sum(ts) for s, ts in itertools.groupby(v, lambda t: t > 0.0)]", "itertools.islice": "[t for t in itertools.islice(v, 1, None)]",
    "itertools.pairwise": "[t - s for s, t in itertools.pairwise(v)]", "itertools.repeat": "[s * t for s, t in zip(v, itertools.repeat(x))]",
    "itertools.starmap": "[t for t in itertools.starmap(lambda s, t: s * t, zip(v, u))]", "itertools.zip_longest": "[s * t for s, t in itertools.zip_longest(v, u, fillvalue=1.0)]",
    "itertools.chain": "[t * x for t in itertools.chain((x, y), (1.0,))]", "itertools.product": "[s * t for s, t in itertools.product((x, y), (x, 2.0))]",
    **{f"itertools.{n}": f"[s * t for s, t in itertools.{n}((x, y, 2.0), 2)]" for n in ("combinations", "combinations_with_replacement", "permutations")},
    "numpy.ndindex": "[A[i, j] for i, j in np.ndindex(A.shape)]",
    "numpy.ndenumerate": "[t for i, t in np.ndenumerate(v)]", "copy.replace": "copy.replace(p, x=0.0).y",
    "dataclasses.replace": "dataclasses.replace(p, x=0.0).y", "math.dist": "math.dist((x, 1.0), (y, 2.0))",
    "math.prod": "math.prod((x, y, 2.0))", "math.fsum": "math.fsum((x, y, 2.0))",
    "math.ldexp": "math.ldexp(x, k)", "math.gcd": "math.gcd(k, m)",
    "math.lcm": "math.lcm(k, m)", "math.hypot": "math.hypot(x, y)", "math.perm": "math.perm(k, m)",
    "linad.build": "linad.build(k, lambda i: x * i)", "linad.map": "linad.map(lambda s, t: s * t, v, u)",
    "linad.sum": "linad.sum(len(v), lambda i: v[i] * u[i])", "linad.reduce": "linad.reduce(max, 0.0, v)",
    "linad.fold": "linad.fold(lambda s, t: s * x + t, 0.0, v)",
    "linad.scanl": "linad.scanl(lambda s, t: s * x + t, 0.0, v)",
    "linad.scanr": "linad.scanr(lambda t, s: s * x + t, 0.0, v)", "linad.shift1l": "linad.shift1l(v)",
    "linad.shift1r": "linad.shift1r(v, x)", "linad.grad": "linad.grad(cube)(x)",
    "linad.value_and_grad": "linad.value_and_grad(cube)(x)[1]", "linad.vjp": "linad.vjp(cube, x)[0]",
    "linad.jvp": "linad.jvp(cube, (x,), (1.0,))[1]", "linad.checkpoint": "linad.checkpoint(cube)(x)",
    "linad.hvp": "linad.hvp(cube, (x,), (1.0,))", "linad.linearize": "linad.linearize(cube, x)[0]",
    **{f"linad.{name}": f"linad.{name}(cube)(x)" for name in ("jacfwd", "jacrev", "jacobian", "hessian")},
    "linad.value_and_jacobian": "linad.value_and_jacobian(cube)(x)[1]", "linad.vmap": "linad.vmap(cube)(v)",
    "linad.linear_transpose": "linad.linear_transpose(lambda t: 2.0 * t, x)(y)[0]",
    **{
        f"numpy.{n}.at": f"np.{n}.at(w, idx, u)"
        for n in "add subtract multiply divide true_divide power maximum minimum fmax fmin logaddexp hypot".split()
    },
    "numpy.fill_diagonal": "np.fill_diagonal(C, x)", "numpy.copyto": "np.copyto(w, u)",
    "numpy.put": "np.put(w, idx, u)", "numpy.putmask": "np.putmask(w, mask, u)", "numpy.place": "np.place(w, mask, u)",
    "numpy.put_along_axis": "np.put_along_axis(w, idx, x, 0)",
    "numpy.arange": "np.arange(0.0, x, 0.5)", "numpy.array": "np.array([x, y])",
    "numpy.asarray": "np.asarray([x, y])", "numpy.astype": "np.astype(v, np.float32)",
    "numpy.average": "np.average(v, weights=u)", "numpy.bincount": "np.bincount(idx, v)",
    "numpy.block": "np.block([[A, B], [B, A]])", "numpy.broadcast_arrays": "np.broadcast_arrays(v, x)",
    "numpy.clip": "np.clip(v, x, y)", "numpy.broadcast_to": "np.broadcast_to(v, (3, len(v)))",
    **{f"numpy.{n}": f"np.{n}([v, u])" for n in "column_stack concat concatenate dstack hstack stack vstack".split()},
    "numpy.compress": "np.compress(mask, v)", "numpy.extract": "np.extract(mask, v)", "numpy.cov": "np.cov(v, u)",
    "numpy.cross": "np.cross(v[:3], u[:3])", "numpy.delete": "np.delete(v, k)",
    "numpy.diag_indices": "np.diag_indices(k)", "numpy.einsum": 'np.einsum("ij,j->i", A, v)',
    "numpy.expand_dims": "np.expand_dims(v, 1)",
    "numpy.fromfunction": "np.fromfunction(lambda i, j: x * i + j, (3, 4))", "numpy.full": "np.full(k, x)",
    "numpy.full_like": "np.full_like(v, x)", "numpy.geomspace": "np.geomspace(x, y, 5)",
    "numpy.gradient": "np.gradient(v, x)", "numpy.histogram": "np.histogram(v, bins=5, weights=u)",
    "numpy.indices": "np.indices((2, 3))", "numpy.insert": "np.insert(v, k, x)", "numpy.interp": "np.interp(x, v, u)",
    "numpy.isin": "np.isin(idx, idx)", "numpy.ix_": "A[np.ix_(idx, idx)]", "numpy.ldexp": "np.ldexp(v, idx)",
    "numpy.lexsort": "np.lexsort((v, u))", "numpy.linalg.lstsq": "np.linalg.lstsq(A, v)",
    "numpy.linalg.cross": "np.linalg.cross(v[:3], u[:3])",
    "numpy.linalg.matrix_power": "np.linalg.matrix_power(A, 3)",
    "numpy.linalg.multi_dot": "np.linalg.multi_dot([A, B, v])", "numpy.linalg.solve": "np.linalg.solve(A, v)",
    "numpy.linalg.svd": "np.linalg.svd(A, full_matrices=False)[1]",
    "numpy.linalg.tensordot": "np.linalg.tensordot(A, B, axes=1)", "numpy.linalg.matmul": "np.linalg.matmul(A, B)",
    "numpy.linspace": "np.linspace(x, y, 5)", "numpy.logspace": "np.logspace(x, y, 5)",
    "numpy.matmul": "np.matmul(A, v)", "numpy.matvec": "np.matvec(A, v)", "numpy.vecmat": "np.vecmat(v, A)",
    "numpy.meshgrid": "np.meshgrid(v, u)", "numpy.pad": "np.pad(v, 1)", "numpy.ndim": "np.ndim(A)",
    "numpy.shape": "np.shape(A)", "numpy.size": "np.size(A)", "numpy.permute_dims": "np.permute_dims(A, (1, 0))",
    "numpy.quantile": "np.quantile(v, 0.5)", "numpy.percentile": "np.percentile(v, 50.0)",
    "numpy.ravel_multi_index": "np.ravel_multi_index((idx, idx), A.shape)",
    "numpy.unravel_index": "np.unravel_index(idx, A.shape)", "numpy.reshape": "np.reshape(A, -1)",
    "numpy.round": "np.round(v, 2)", "numpy.around": "np.around(v, 2)", "numpy.searchsorted": "np.searchsorted(v, x)",
    "numpy.digitize": "np.digitize(v, u)", "numpy.select": "np.select([mask], [v], 0.0)", "numpy.piecewise": "np.piecewise(v, [mask], [lambda t: t * t, 0.0])",
    **{f"numpy.{n}": f"np.{n}(v, 2)" for n in ("split", "array_split", "hsplit")}, "numpy.vsplit": "np.vsplit(A, 2)",
    "numpy.dsplit": "np.dsplit(A[:, :, None], 1)", "numpy.squeeze": "np.squeeze(A[:1], axis=0)",
    "numpy.take": "np.take(v, idx)", "numpy.take_along_axis": "np.take_along_axis(v, idx, 0)",
    "numpy.tensordot": "np.tensordot(A, B, 1)", "numpy.transpose": "np.transpose(A, (1, 0))",
    "numpy.tri": "np.tri(k)", "numpy.tril_indices": "np.tril_indices(k)", "numpy.triu_indices": "np.triu_indices(k)",
    "numpy.vander": "np.vander(v, 3)", "numpy.where": "np.where(mask, v, u)",
    "scipy.special.betainc": "sp.betainc(x, y, v)", "scipy.special.comb": "sp.comb(x, y)",
    "scipy.special.logsumexp": "sp.logsumexp(v, b=u)", "scipy.special.multigammaln": "sp.multigammaln(x, 2)",
    "scipy.special.polygamma": "sp.polygamma(1, v)",
    "scipy.linalg.cho_solve": "sl.cho_solve((A, True), v)", "numpy.broadcast_shapes": "np.broadcast_shapes((k, 1), (m,))",
    **{f"scipy.special.{n}": f"sp.{n}(2, v)" for n in ("iv", "ive", "jn", "jv", "kn", "kv", "kve")},
    **{f"scipy.special.eval_{n}": f"sp.eval_{n}(k, v)" for n in _POLYNOMIALS},
    "scipy.special.huber": "sp.huber(x, v)", "scipy.special.pseudo_huber": "sp.pseudo_huber(x, v)",
    **{f"scipy.stats.norm.{n}": f"st.norm.{n}(v, x, y)" for n in "pdf logpdf cdf logcdf sf logsf ppf isf".split()},
    **{f"scipy.stats.beta.{n}": f"st.beta.{n}(v, x, y)" for n in "pdf logpdf cdf".split()},
    **{f"scipy.stats.{d}.{n}": f"st.{d}.{n}(v, x, scale=y)" for d, ns in _SHAPED.items() for n in ns.split()},
    **{f"scipy.stats.poisson.{n}": f"st.poisson.{n}(k, x)" for n in ("pmf", "logpmf")},
    **{f"scipy.stats.binom.{n}": f"st.binom.{n}(k, m, x)" for n in ("pmf", "logpmf")},
    **{f"scipy.stats.multivariate_normal.{n}": f"st.multivariate_normal.{n}(v, u, A)" for n in ("pdf", "logpdf")},
    "scipy.spatial.distance.minkowski": "sd.minkowski(v, u, 3)", "scipy.linalg.block_diag": "sl.block_diag(A, B)",
    "scipy.linalg.solve_banded": "sl.solve_banded((1, 1), A, v)", "numpy.polyfit": "np.polyfit(v, u, 2)",
    **{f"scipy.signal.{n}": f"sg.{n}(v, u)" for n in "convolve fftconvolve oaconvolve correlate".split()},
    "scipy.signal.convolve2d": "sg.convolve2d(A, B)", "scipy.signal.lfilter": "sg.lfilter(v, u, v)",
    "numpy.resize": "np.resize(v, k)", **{f"numpy.{n}": f"np.{n}(v, u)" for n in "union1d intersect1d setdiff1d".split()},
    **{f"scipy.ndimage.{n}": f"sn.{n}(v, u)" for n in "correlate1d convolve1d correlate convolve".split()},
    **{f"scipy.ndimage.{n}": f"sn.{n}(v, x)" for n in ("gaussian_filter1d", "gaussian_filter")},
    "scipy.ndimage.uniform_filter1d": "sn.uniform_filter1d(v, k)", "numpy.promote_types": "v.astype(np.promote_types(v.dtype, np.float32))",
    "numpy.nanquantile": "np.nanquantile(v, 0.5)", "numpy.nanpercentile": "np.nanpercentile(v, 50.0)", "numpy.rollaxis": "np.rollaxis(A, 1)",
    "numpy.setxor1d": "np.setxor1d(v, u)", "numpy.common_type": "v.astype(np.common_type(v, u))",
    "scipy.linalg.solve_sylvester": "sl.solve_sylvester(A, B, A)", "scipy.linalg.svd": "sl.svd(A, full_matrices=False)",
    "scipy.stats.pearsonr": "st.pearsonr(v, u)[0]", "scipy.stats.scoreatpercentile": "st.scoreatpercentile(v, 30.0)",
    "numpy.lib.stride_tricks.sliding_window_view": "np.lib.stride_tricks.sliding_window_view(v, 2)",
    "numpy.lib.stride_tricks.as_strided": "np.lib.stride_tricks.as_strided(v, (2, 2), v.strides + v.strides)",
    "scipy.signal.windows.gaussian": "sw.gaussian(k, x)", "scipy.signal.windows.kaiser": "sw.kaiser(k, x)",
    "scipy.signal.windows.general_hamming": "sw.general_hamming(k, x)",
    "scipy.signal.windows.exponential": "sw.exponential(k, tau=x)",
    "ndarray.astype": "v.astype(np.float32)", "ndarray.clip": "v.clip(x, y)", "ndarray.diagonal": "A.diagonal()",
    "ndarray.setflags": "x if w.setflags(write=False) is None else 0.0", "ndarray.trace": "A.trace()", "ndarray.compress": "v.compress(mask)", "ndarray.dot": "v.dot(u)", "ndarray.fill": "w.fill(x)", "ndarray.item": "v.item()",
    "ndarray.nonzero": "v.nonzero()", "ndarray.repeat": "v.repeat(2)", "ndarray.reshape": "A.reshape(-1)",
    "ndarray.round": "v.round(2)", "ndarray.searchsorted": "v.searchsorted(x)", "ndarray.sort": "w.sort()",
    "ndarray.squeeze": "A[:1].squeeze(axis=0)", "ndarray.swapaxes": "A.swapaxes(0, 1)", "ndarray.take": "v.take(idx)",
    "ndarray.transpose": "A.transpose()", "ndarray.T": "A.T", "ndarray.mT": "A.mT", "ndarray.flat": "A.flat",
    "ndarray.dtype": "np.zeros(k, v.dtype)", "ndarray.ndim": "A.ndim", "numpy.r_": "np.r_[v, x, u]",
    "numpy.c_": "np.c_[v, u]", "numpy.mgrid": "np.mgrid[0:k, 0:m]", "numpy.ogrid": "np.ogrid[0:k, 0:m]",
    "numpy.newaxis": "v[:, np.newaxis]",
    **{n: f"{n.replace('numpy', 'np').replace('builtins.', '')}(x)" for n in DTYPE_CLASSES},
    **{n: n.replace("numpy", "np").replace("builtins.", "") for n in rulebook.CONSTANTS if n != "numpy.newaxis"},
    "builtins.NotImplemented": "x if y is NotImplemented else y", "operator.itemgetter": "operator.itemgetter(0)(v)",
    "operator.attrgetter": "operator.attrgetter('x')(Made(x))",
    "builtins.Ellipsis": "v[Ellipsis]", "numpy.s_": "v[np.s_[1:]]", "numpy.index_exp": "A[np.index_exp[0, 1:]]",
    "numpy.choose": "np.choose(mask, [v, u])", "scipy.integrate.quad": "si.quad(lambda t: t * x, 0.0, y)",
    "scipy.integrate.solve_ivp": "si.solve_ivp(lambda t, z: -x * z, (0.0, 1.0), u).y[0]",
    "scipy.interpolate.interp1d": "sx.interp1d(v, u)(x)", "scipy.interpolate.PchipInterpolator": "sx.PchipInterpolator(v, u)(x)",
    "scipy.interpolate.Akima1DInterpolator": "sx.Akima1DInterpolator(v, u)(x)",
    "scipy.interpolate.RegularGridInterpolator": "sx.RegularGridInterpolator((v, u), A)((x, y))",
    "scipy.linalg.lu_solve": "sl.lu_solve(sl.lu_factor(A), v)", "scipy.special.hyp2f1": "sp.hyp2f1(x, y, 2.5, 0.5)",
    "scipy.special.lambertw": "sp.lambertw(x).real", "scipy.special.lpmv": "sp.lpmv(k, m, x)",
    **{f"scipy.special.eval_{n}": f"sp.eval_{n}(k, x, y)" for n in ("genlaguerre", "gegenbauer")},
    "scipy.special.sph_harm_y": "sp.sph_harm_y(m, k, x, y).real",
    **{f"scipy.stats.multivariate_t.{n}": f"st.multivariate_t.{n}(v, u, A, 2.5)" for n in ("pdf", "logpdf")},
    **{
        f"scipy.stats.{n}.interval": f"st.{n}.interval(x{shape})[0]"
        for n, shape in {
            **dict.fromkeys("norm halfnorm expon uniform cauchy laplace logistic".split(), ""),
            **dict.fromkeys("lognorm gamma chi2 weibull_min t".split(), ", 2.5"), "beta": ", 2.5, y", "f": ", 2.5, y",
        }.items()
    },
    "scipy.stats.norm.fit": "st.norm.fit(v)[1]",
    "numpy.fft.ihfft": "np.fft.ihfft(v).real", "numpy.fft.rfftn": "np.fft.rfftn(A).real", "scipy.fft.dst": "scipy.fft.dst(v)", "scipy.fft.idst": "scipy.fft.idst(v)",
    "scipy.integrate.fixed_quad": "si.fixed_quad(lambda t: t**2, x, y)[0]", "scipy.linalg.cho_solve_banded": "sl.cho_solve_banded((A, True), v)",
    **{f"scipy.linalg.solve_{n}_are": f"sl.solve_{n}_are(A, A, A, A)" for n in ("continuous", "discrete")},
    "scipy.ndimage.map_coordinates": "sn.map_coordinates(v, A, order=1)", "scipy.optimize.fixed_point": "so.fixed_point(lambda t: np.cos(t) * x, y)",
    "scipy.signal.chirp": "sg.chirp(v, x, y, 2.0)", "scipy.special.elliprj": "sp.elliprj(x, y, 1.0, v)",
    **{f"scipy.special.hankel{n}": f"sp.hankel{n}(0, v).real" for n in (1, 2)}, **{f"scipy.special.{n}": f"sp.{n}(1, v)" for n in ("jvp", "ivp")},
    "scipy.special.wofz": "sp.wofz(v).real", "scipy.stats.gaussian_kde": "st.gaussian_kde(v)(x)",
    **{f"statistics.{n}": f"statistics.{n}(v)" for n in "mean fmean geometric_mean harmonic_mean median median_low median_high".split()},
    **{f"statistics.{n}": f"statistics.{n}(v)" for n in "stdev pstdev variance pvariance".split()},
    **{f"statistics.{n}": f"statistics.{n}(v, u)" for n in ("covariance", "correlation")},
    "statistics.linear_regression": "statistics.linear_regression(v, u).slope", "statistics.quantiles": "statistics.quantiles(v)[0]",
    **{f"scipy.stats.wishart.{n}": f"st.wishart.{n}(A, 5.0, A)" for n in ("pdf", "logpdf")},
    "scipy.interpolate.CubicSpline": "sx.CubicSpline(v, u)(x)",
    "scipy.interpolate.InterpolatedUnivariateSpline": "sx.InterpolatedUnivariateSpline(v, u)(x)",
    "scipy.interpolate.splrep": "sx.splev(x, sx.splrep(v, u))", "scipy.interpolate.splev": "sx.splev(w, sx.splrep(v, u), der=1)",
    "scipy.optimize.fsolve": "so.fsolve(lambda t: t * t - x, 1.0)", "scipy.optimize.root": "so.root(lambda t: t * t - x, 1.0).x",
    "scipy.optimize.root_scalar": "so.root_scalar(lambda t: t + x, bracket=(-9.0, 9.0)).root",
    "scipy.optimize.leastsq": "so.leastsq(lambda p: p * v - u, 1.0)[0]", "scipy.optimize.least_squares": "so.least_squares(lambda p: p * v - u, 1.0).x",
    "scipy.optimize.curve_fit": "so.curve_fit(lambda t, a: a * t, v, u)[0]",
    "scipy.integrate.odeint": "si.odeint(lambda z, t: -z, x, v)",
    **{f"numpy.{n}.reduceat": f"np.{n}.reduceat(v, [0, 1])" for n in ("add", "multiply", "maximum", "minimum")},
    "numpy.histogram2d": "np.histogram2d(v, u, 3)[0]", "builtins.locals": "locals()['v']", "numpy.seterr": "x * len(np.seterr())", "numpy.geterr": "x * len(np.geterr())", "collections.OrderedDict": "collections.OrderedDict(a=v)['a']",
    **{f"scipy.ndimage.{n}": f"sn.{n}(v, 3)" for n in ("median_filter", "maximum_filter", "minimum_filter")},
    **{f"scipy.fftpack.{n}": f"scipy.fftpack.{n}(v)" for n in ("dct", "idct", "dctn", "idctn")},
    "builtins.setattr": "setattr(made, 'x', x)", "builtins.object.__setattr__": "object.__setattr__(made, 'x', x)",
    "numpy.polynomial.polynomial.polyfit": "np.polynomial.polynomial.polyfit(v, u, 1)",
    **{
        f"numpy.polynomial.{home}.{name}{what}": f"np.polynomial.{home}.{name}{what}({call})"
        for home, name in {
            "polynomial": "poly", "chebyshev": "cheb", "legendre": "leg", "hermite": "herm", "hermite_e": "herme",
            "laguerre": "lag",
        }.items()
        for what, call in {"val": "x, v", "vander": "v, k", "gauss": "k"}.items()
        if (home, what) != ("polynomial", "gauss")
    },
    **{f"cmath.{n}": f"cmath.{n}(x).real" for n in "acos asin asinh atan atanh".split()},
    "numpy.sort_complex": "np.sort_complex(v).real", "scipy.signal.firwin": "sg.firwin(k, x)", "scipy.signal.get_window": "sg.get_window('hann', k)",
    "scipy.signal.windows.get_window": "sw.get_window(('tukey', 0.3), k)",
    "scipy.optimize.minimize_scalar": "so.minimize_scalar(lambda t: (t - x) ** 2, bounds=(-9.0, 9.0)).x",
    **{
        f"scipy.spatial.transform.Rotation.{n}": f"Rotation.{n}({call}).as_rotvec()"
        for n, call in {
            "from_quat": "[x, y, 1.0, 1.0]", "from_rotvec": "v", "from_matrix": "np.eye(3) + x", "from_euler": "'xyz', [x, y, 0.5]",
            "identity": "",
        }.items()
    },
    **{
        f"scipy.spatial.transform.Rotation.{n}": f"Rotation.from_rotvec(v).{n}({call})"
        for n, call in {
            "as_quat": "", "as_rotvec": "", "as_matrix": "", "as_euler": "'xyz'", "magnitude": "", "apply": "u", "inv": ").apply(u",
            "__mul__": "Rotation.from_rotvec(u)).apply(v",
        }.items()
    },
    **{
        f"{key}{n and '.'}{n}": call.replace("F(", f"{key.replace('numpy', 'np')}(")
        for key, own in {
            "numpy.poly1d": {
                **{n: f"F(v).{n}" for n in "c coef coefficients".split()}, "__array__": "F(v).c", "__getitem__": "F(v)[1]",
                **{n: f"x * F(v).{n}" for n in ("o", "order")}, "__len__": "x * len(F(v))",
            },
            "numpy.polynomial.Polynomial": {
                "fit": "F.fit(v, u, 2)(x)".replace("F.", "np.polynomial.Polynomial."), "convert": "F(v).convert()(x)", "copy": "F(v).copy()(x)",
                "degree": "x * F(v).degree()", "mapparms": "F(v, domain=[0.0, x]).mapparms()[1]", "__array_ufunc__": "(F(v) * x).coef",
            },
        }.items()
        for n, call in {
            "": "F(v)(x)", "__call__": "F(v)(x)", "deriv": "F(v).deriv()(x)", "integ": "F(v).integ()(x)", "__add__": "(F(v) + x)(y)",
            "__radd__": "(x + F(v))(y)", "__sub__": "(F(v) - x)(y)", "__rsub__": "(x - F(v))(y)", "__mul__": "(F(v) * x)(y)",
            "__rmul__": "(x * F(v))(y)", "__truediv__": "(F(v) / x)(y)", "__pow__": "(F(v) ** 2)(x)", "__neg__": "(-F(v))(x)", **own,
        }.items()
    },
    "scipy.optimize.brentq": "so.brentq(lambda t: t + x, -9.0, 9.0)",
    "scipy.optimize.bisect": "so.bisect(lambda t: t + x, -9.0, 9.0)",
    "scipy.optimize.newton": "so.newton(lambda t: t * t - x, 1.0)",
}  # fmt: skip
INTERNAL = ("linad.vjp's pullback", "linad.jvp's directions", "linad.vjp's directions")

Chosen = Callable[[str, Kind], bool]


_POLYNOMIALS = ("numpy.poly1d", "numpy.polynomial.Polynomial")


def _of_numpy(n: str, kind: Kind, dots: int) -> bool:
    return n.startswith("numpy.") and not n.startswith(_POLYNOMIALS) and not n.startswith("numpy.linalg.") and kind == "rule" and n.count(".") == dots


SECTIONS: tuple[tuple[str, Chosen], ...] = (
    ("NumPy", lambda n, kind: _of_numpy(n, kind, 1) or (n.startswith(("numpy.polynomial.", "numpy.lib.", "numpy.seterr", "numpy.geterr")) and not n.startswith(_POLYNOMIALS))),
    ("Polynomials as objects", lambda n, kind: n.startswith(_POLYNOMIALS)),
    ("Methods of ufuncs", lambda n, kind: _of_numpy(n, kind, 2) and not n.startswith(("numpy.ma.", "numpy.fft."))),
    ("numpy.linalg", lambda n, kind: n.startswith("numpy.linalg.")),
    ("scipy.linalg", lambda n, kind: n.startswith("scipy.linalg.")),
    ("scipy.special", lambda n, kind: n.startswith("scipy.special.")),
    ("scipy.stats", lambda n, kind: n.startswith("scipy.stats.")),
    ("numpy.fft, scipy.fft, scipy.fftpack", lambda n, kind: n.startswith(("numpy.fft.", "scipy.fft.", "scipy.fftpack."))),
    ("scipy.integrate", lambda n, kind: n.startswith("scipy.integrate.")),
    ("scipy.interpolate", lambda n, kind: n.startswith("scipy.interpolate.")),
    ("scipy.optimize", lambda n, kind: n.startswith("scipy.optimize.")),
    ("scipy.ndimage", lambda n, kind: n.startswith("scipy.ndimage.")),
    ("scipy.signal", lambda n, kind: n.startswith("scipy.signal.") and n.count(".") == 2),
    ("scipy.signal.windows", lambda n, kind: n.startswith("scipy.signal.windows.")),
    ("scipy.spatial.distance", lambda n, kind: n.startswith("scipy.spatial.distance.")),
    ("scipy.spatial.transform", lambda n, kind: n.startswith("scipy.spatial.transform.")),
    ("math", lambda n, kind: n.startswith("math.") and kind in ("rule", "fold")),
    ("statistics", lambda n, kind: n.startswith("statistics.")),
    ("cmath", lambda n, kind: n.startswith("cmath.")),
    ("Built-in functions", lambda n, kind: n.startswith("builtins.") and kind in ("rule", "fold")),
    ("Iteration: what a `for` runs over, beside arrays and tuples", lambda n, kind: kind == "iterable"),
    ("linad", lambda n, kind: n.startswith("linad.")),
    ("operator, copy, dataclasses, functools, itertools", lambda n, kind: n.partition(".")[0] in ("operator", "copy", "dataclasses", "functools", "itertools")),
    ("bisect, collections, heapq", lambda n, kind: n.partition(".")[0] in ("bisect", "collections", "heapq")),
    ("Questions about other kinds of arrays", lambda n, kind: n.startswith(("scipy.sparse.", "numpy.ma."))),
    ("Methods of arrays", lambda n, kind: kind == "method"),
    ("Attributes of arrays", lambda n, kind: kind == "attribute"),
    ("Subscripts", lambda n, kind: kind == "subscript"),
    ("Types", lambda n, kind: kind == "dtype"),
    ("Constants", lambda n, kind: kind == "constant"),
)
HEADLINE = """# Supported functions

Generated from the checker's registry by `pytest tests/documents --regenerate`. Any other function is refused by name,
with a suggestion.

- **takes**: the parameters, by position or by name; for a function that is applied elementwise, the number of numbers or
  arrays. Functions of `math` take numbers. `axis`, `keepdims` and other parameters that decide the shape or kind of a
  result must be literals.
- **example**: a call that is accepted. `v`, `u` are vectors, `A`, `B` square matrices, `x`, `y` floats, `k`, `m` ints,
  `idx` an int array, `mask` a bool array; `np` is `numpy`, `sp` `scipy.special`, `sl` `scipy.linalg`, `st`
  `scipy.stats`, `si` `scipy.integrate`, `so` `scipy.optimize`, `sx` `scipy.interpolate`, `sd` `scipy.spatial.distance`, `sg` `scipy.signal`,
  `sn` `scipy.ndimage`, `sw` `scipy.signal.windows`; `w` and `C` are copies of `v` and `A`, `heap` is `list(v)`,
  `made` an object that was made here, `cube` is a function, `p` a dataclass.
- **differentiable by**: the float arguments of the example through which derivatives flow. In the others the function is
  constant or has jumps; a gradient that is zero for this reason gives [a warning](codes.md).

NumPy scalars have the methods of arrays that they have in NumPy. Elementwise functions of NumPy and SciPy take `out=`
and `where=`. [Arrays](arrays.md), [linear algebra](linear-algebra.md) and [deviations](deviations.md) describe
differences from NumPy.
"""


@dataclass(frozen=True)
class Row:
    name: str
    takes: str
    example: str
    derivative: tuple[str, ...]


def shown(dotted: str) -> str:
    """A name as programs write it."""
    home, _, name = dotted.rpartition(".")
    for library, short in SHORT.items():
        if home == library or home.startswith(f"{library}."):
            return f"{short}{home[len(library) :]}.{name}"
    return name if home == "builtins" else f"v.{name}" if home == "ndarray" else dotted


def candidates(dotted: str, kind: Kind) -> Iterator[str]:
    """Examples to try, best first."""
    if dotted in EXAMPLES:
        yield EXAMPLES[dotted]
    elif kind == "attribute":
        yield shown(dotted)
    else:
        yield from (f"{shown(dotted)}({given})" for given in (METHODS_TRIED if kind == "method" else TRIED))


def bodies(example: str) -> tuple[str, ...]:
    """Functions that use an example, the first that is accepted counts."""
    for name, of in UPDATED.items():
        if re.search(rf"\b{name}\b", example):
            return (f"    {name} = {of}\n    {example}\n    return float(np.sum({name}{'.x' * (name == 'made')}))\n",)
    return tuple(value.format(example) for value in VALUES)


def answers(texts: Iterable[str]) -> list[list[Diagnostic]]:
    """What the checker says of functions with these bodies, one list for each."""
    text, starts = HEADER, []
    for k, body in enumerate(texts):
        starts.append(text.count("\n") + 1)
        given = [f"{n}: {t}" for n, t in TYPES.items() if re.search(rf"\b{n}\b", body)]
        text += f"@linear_grad\ndef f{k}({', '.join(given)}) -> float:\n{body}\n\n"
    found: list[list[Diagnostic]] = [[] for _ in starts]
    for d in check_source(text, "functions.py"):
        found[bisect(starts, d.span.line) - 1].append(d)
    return found


Tried = Callable[[str, Kind], Iterable[str]]


def examples(registry: dict[str, Kind], tried: Tried) -> dict[str, tuple[str, tuple[str, ...]]]:
    """For each name the first example that is accepted, and the arguments by which it has a derivative."""
    waiting = {name: [(e, b) for e in tried(name, kind) for b in bodies(e)] for name, kind in registry.items()}
    made: dict[str, tuple[str, tuple[str, ...]]] = {}
    while any(waiting.values()):
        now = {name: left.pop(0) for name, left in waiting.items() if left}
        for (name, (example, _)), said in zip(now.items(), answers(b for _, b in now.values()), strict=True):
            if not any(d.severity == "error" for d in said):
                flat = {m[1] for d in said if d.slug == "zero-gradient" and (m := re.search(r"by `(\w+)`", d.message))}
                made[name] = example, tuple(n for n in "vuABxyp" if re.search(rf"\b{n}\b", example) and n not in flat)
                waiting[name] = []
    return made


def taken(registry: dict[str, Kind]) -> dict[str, str]:
    """What the checker says of a call without arguments, in the words of the page."""
    called = [n for n, kind in registry.items() if kind in ("rule", "fold", "combinator", "derivative")]
    said = answers(f"    {shown(n)}()\n    return 0.0\n" for n in called)
    found = {}
    for name, diagnostics in zip(called, said, strict=True):
        m = re.search(r"` takes (.*?)(?:, but this is .*)?$", diagnostics[0].message) if diagnostics else None
        words = m[1].replace(" here", "") if m else ""
        elementwise = rulebook.is_elementwise(name)
        if re.fullmatch(r"(?:`\w+`(?:, )?)+", words):
            names = re.findall(r"`(\w+)`", words)
            words = ", ".join(f"`{n}`" for n in names if n not in REFUSED or n == "out")
        elif elementwise:
            words = re.sub(r"argument$", "number or array", re.sub(r"arguments$", "numbers or arrays", words))
        found[name] = words
    return found


def rows(registry: dict[str, Kind], tried: Tried = candidates) -> dict[str, Row]:
    """The rows of the page by name; a name without an example that is accepted has none."""
    takes = taken(registry)
    return {n: Row(shown(n), takes.get(n, ""), *found) for n, found in examples(registry, tried).items()}


def registry() -> dict[str, Kind]:
    """The names that the page is about."""
    return {n: kind for n, kind in sorted(registered().items()) if n not in INTERNAL}


def line(r: Row, takes: bool) -> str:
    by = ", ".join(f"`{n}`" for n in r.derivative)
    cells = [f"`{r.name}`", *([r.takes] if takes else []), f"`{r.example}`".replace("|", "\\|"), by]
    return "| " + " | ".join(cells) + " |"


def page(made: dict[str, Row]) -> str:
    """The document, of these rows."""
    names = registry()
    parts = [HEADLINE]
    for title, chosen in SECTIONS:
        inside = [made[n] for n, kind in names.items() if chosen(n, kind) and n in made]
        takes = any(r.takes for r in inside)
        head = ["function", *(["takes"] if takes else []), "example", "differentiable by"]
        lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *(line(r, takes) for r in inside)]
        parts.append("\n".join([f"## {title}", "", *lines]) + "\n")
    return "\n".join(parts)
