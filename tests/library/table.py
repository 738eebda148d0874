"""Every function of the libraries that the language knows, as the expressions that the sweep runs it in (see `edges`).

A new function needs a row here, or a name and a reason in `ELSEWHERE`.
"""

from __future__ import annotations

import re

from .ordinary import ORDINARY

TABLE: dict[str, tuple[str, ...]] = {}
SHORT = {
    "numpy": "np", "scipy.special": "sp", "scipy.linalg": "sl", "scipy.stats": "st", "scipy.spatial.distance": "sd",
    "scipy.integrate": "si", "scipy.ndimage": "sn", "scipy.signal": "sg", "scipy.signal.windows": "sw", "scipy.fft": "sf", "scipy.fftpack": "sfp", "math": "math", "operator": "operator", "builtins": "",
}  # what the modules are called in expressions


def _each(home: str, names: str, *templates: str) -> None:
    root = next(r for r in SHORT if home == r or home.startswith(f"{r}."))
    written = "".join(f"{part}." for part in (SHORT[root], home[len(root) + 1 :]) if part)
    for name in names.split():
        TABLE[f"{home}.{name}"] = (*TABLE.get(f"{home}.{name}", ()), *(t.replace("F", written + name) for t in templates))


def _rows(home: str, text: str) -> None:
    """Lines of a name and, after a colon, its expressions."""
    for line in filter(None, map(str.strip, text.splitlines())):
        name, _, calls = line.partition(": ")
        TABLE[f"{home}.{name}"] = (*TABLE.get(f"{home}.{name}", ()), *(c.strip() for c in calls.split(" | ")))


# ------------------------------------------------------------------------------------------------------- cell by cell

_each("numpy", "sin cos tan sinh cosh tanh exp exp2 expm1 log log2 log10 log1p sqrt cbrt", "F(e)")
_each("numpy", "arcsin arccos arctan arcsinh arccosh arctanh asin acos atan asinh acosh atanh", "F(e)")
_each("numpy", "floor ceil trunc rint sign fabs abs absolute negative positive square reciprocal fix sinc signbit", "F(e)")
_each("numpy", "isnan isinf isfinite isposinf isneginf logical_not invert bitwise_not bitwise_invert", "F(e)")
_each("numpy", "radians degrees deg2rad rad2deg conj conjugate isreal iscomplex angle modf i0 nan_to_num", "F(e)")
_each("numpy", "round around", "F(e)", "F(e, 2)", "F(e, decimals=-1)")
_each("numpy", "add subtract multiply divide true_divide power pow floor_divide mod remainder float_power divmod", "F(e, f)")
_each("numpy", "bitwise_and bitwise_or bitwise_xor left_shift right_shift bitwise_left_shift bitwise_right_shift", "F(e, f)")
_each("numpy", "less less_equal greater greater_equal equal not_equal logical_and logical_or logical_xor", "F(e, f)")
_each("numpy", "arctan2 atan2 hypot logaddexp logaddexp2 copysign fmod fmin fmax heaviside maximum minimum gcd lcm", "F(e, f)")
for _home in ("emath", "lib.scimath"):
    _each(f"numpy.{_home}", "sqrt log log2 log10", "F(e * e)")
    _each(f"numpy.{_home}", "arcsin arccos arctanh", "F(1.0 / (1.0 + h * h))")
_rows("numpy", """
    where: np.where(e > 0, e, -e) | np.where(e > f, e, f) | np.where(x > 1) | np.where(e, 1.0, 2.0)
    real: np.real(e).copy()
    ldexp: np.ldexp(e, h)
    isclose: np.isclose(e, f) | np.isclose(e, f, rtol=0.5, atol=1.0) | np.isclose(e, f, equal_nan=True)
    nan_to_num: np.nan_to_num(e, nan=1.5, posinf=2.0, neginf=-2.0)
    clip: np.clip(e, -1, 2) | np.clip(e, f, g) | np.clip(e, None, 2) | np.clip(e, 1, None)
    power: np.power(e, 2) | np.power(e, 3) | np.power(e, 0.5) | e ** 2 | e ** 3 | e ** -1 | e ** 0.5
    astype: np.astype(e, np.float32) | np.astype(e, np.float64) | np.astype(e, bool)
""")  # fmt: skip
_each("math", "sin cos tan sinh cosh tanh exp exp2 expm1 log log2 log10 log1p sqrt cbrt erf erfc gamma lgamma fabs", "F(u)")
_each("math", "asin acos atan asinh acosh atanh isnan isinf isfinite floor ceil trunc radians degrees modf isqrt", "F(u)")
_each("math", "atan2 copysign pow fmod remainder hypot isclose gcd lcm log", "F(u, v)")
_each("math", "comb perm", "F(m, n)")
_rows("math", """
    hypot: math.hypot(u) | math.hypot() | math.hypot(u, v, 3.0)
    dist: math.dist((u, 1.0), (v, 2.0)) | math.dist(x, y) | math.dist([u, 1.0], (v, 2.0))
    prod: math.prod((u, v)) | math.prod((u, v), start=2) | math.prod(())
    fsum: math.fsum((u, v)) | math.fsum((u, v, 2.0))
    ldexp: math.ldexp(u, 3) | math.ldexp(u, -1100) | math.ldexp(u, 1100)
    perm: math.perm(m)
    factorial: math.factorial(m)
    gcd: math.gcd() | math.gcd(u) | math.gcd(u, v, 6)
    lcm: math.lcm() | math.lcm(u) | math.lcm(u, v, 6)
""")  # fmt: skip
_rows("builtins", """
    abs: abs(u) | abs(e) | abs(x)
    all: all(x) | all([c > 0 for c in x])
    any: any(x) | any([c > 0 for c in x])
    bool: bool(u)
    float: float(u)
    int: int(u)
    divmod: divmod(u, v)
    len: len(x) | len(A)
    max: max(u, v) | max(x) | max([c * 2 for c in x]) | max(u, v, 1)
    min: min(u, v) | min(x) | min([c * 2 for c in x]) | min(u, v, 1)
    pow: pow(u, v) | pow(e, 2) | pow(u, 2)
    round: round(u) | round(u, 2) | round(u, -1)
    sum: sum(x) | sum([c * 2 for c in x]) | sum(x, 5)
""")  # fmt: skip
_each("operator", "add sub mul truediv floordiv mod pow", "F(u, v)", "F(e, f)")
_each("operator", "and_ or_ xor", "F(u, v)", "F(e, f)")
_rows("operator", "index: operator.index(x.size) * x | operator.index(np.int32(3)) * x")
_rows("operator", "matmul: operator.matmul(S, C) | operator.matmul(x, y)")

_each("scipy.special", "erf erfc erfinv erfcinv erfcx ndtr ndtri log_ndtr expit logit log_expit entr digamma psi gamma gammaln", "F(e)")
_each("scipy.special", "exp2 exp10 expm1 log1p cbrt cosm1 softplus sinc i0 i1 i0e i1e j0 j1 rgamma exprel exp1 ellipk ellipe factorial", "F(e)")
_each("scipy.special", "gammaincinv gammainccinv stdtrit", "F(h + 0.5, 0.25)", "F(2.5, e * 0.25)")
_rows("scipy.special", "betaincinv: sp.betaincinv(h + 0.5, 2.5, 0.25) | sp.betaincinv(1.5, 0.75, e * 0.25)")
_each("scipy.special", "xlogy xlog1py rel_entr kl_div huber pseudo_huber beta betaln binom comb poch boxcox boxcox1p gammainc gammaincc", "F(e, f)")
_each("scipy.special", "iv ive jv jn", "F(0, e)", "F(2, e)", "F(-3, e)")
_each("scipy.special", "eval_legendre eval_chebyt eval_chebyu eval_hermite eval_hermitenorm eval_laguerre", "F(0, e)", "F(1, e)", "F(3, e)", "F(-1, e)")
_each(
    "scipy.special", "eval_genlaguerre eval_gegenbauer",
    "F(0, 1.5, h)", "F(3, 0.75, h)", "F(2, h, 0.25)", "F(-2, 0.5, h)",
)  # fmt: skip
_each("scipy.special", "loggamma k0 k1 k0e k1e dawsn expi", "F(e)")
_each("scipy.special", "sici fresnel", "F(e)[0]", "F(e)[1]")
_each("scipy.special", "spherical_jn spherical_yn", "F(0, h)", "F(2, h)", "F(1, h, True)")
_each("scipy.special", "spherical_in", "F(0, h)", "F(2, h)", "F(1, h / (1.0 + h * h), True)")
_each("scipy.special", "y0 y1", "F(h)", "F(30.0 + h)")
_each("scipy.special", "yn expn", "F(0, h)", "F(3, h)", "F(3, 30.0 + h)")
_rows("scipy.special", """
    zeta: sp.zeta(h / 40.0) | sp.zeta(2.5 + h * h, 0.5) | sp.zeta(2.5, 1.0 + h * h)
    lambertw: sp.lambertw(e * e).real | sp.lambertw(-0.3 / (1.0 + e * e), -1).real
    hyp1f1: sp.hyp1f1(4.0 / (1.0 + h * h), 1.5, -2.5) | sp.hyp1f1(-2, 0.5, 4.0 / (1.0 + h * h)) | sp.hyp1f1(0.75, 2.5, h)
    hyp2f1: sp.hyp2f1(4.0 / (1.0 + h * h), 0.5, 1.5, 0.25) | sp.hyp2f1(-2, 0.75, 1.5, -1.0 / (1.0 + h * h)) | sp.hyp2f1(0.75, 0.5, 1.25, -h * h)
    lpmv: sp.lpmv(1, 2, h) | sp.lpmv(-1, 3, h) | sp.lpmv(2, 1, h)
    sph_harm_y: sp.sph_harm_y(2, 1, h, 0.25).real | sp.sph_harm_y(3, -2, h, 0.5).imag
""")  # fmt: skip
_each("scipy.special", "kv kve", "F(0.5, e)", "F(e, 1.5)")
_each("scipy.special", "kn", "F(2, e)")
_each("scipy.special", "inv_boxcox inv_boxcox1p perm agm", "F(e, f)")
_each("scipy.special", "softmax log_softmax", "F(x)", "F(A)", "F(A, axis=0)", "F(A, axis=1)")
_rows("scipy.special", """
    polygamma: sp.polygamma(0, e) | sp.polygamma(1, e) | sp.polygamma(3, e)
    betainc: sp.betainc(e, f, g)
    poch: sp.poch(e, 2) | sp.poch(e, -2) | sp.poch(e, 0)
    multigammaln: sp.multigammaln(u, 1) | sp.multigammaln(u, 3)
    logsumexp: sp.logsumexp(x) | sp.logsumexp(A) | sp.logsumexp(A, axis=0) | sp.logsumexp(A, axis=1, keepdims=True) | sp.logsumexp(x, b=y)
""")  # fmt: skip

# ----------------------------------------------------------------------------------------------- reductions and scans

_rows("numpy.linalg", """
    qr: q, r = np.linalg.qr(A); return q @ r | np.linalg.qr(A, mode="r") | np.linalg.qr(S)[1]
    pinv: np.linalg.pinv(A) | np.linalg.pinv(S, 1e-3)
    matrix_rank: np.linalg.matrix_rank(A) | np.linalg.matrix_rank(x) | np.linalg.matrix_rank(A, 0.5)
""")  # fmt: skip
_rows("numpy.linalg", """
    solve: np.linalg.solve(T, T)
    inv: np.linalg.inv(T)
    det: np.linalg.det(T)
    slogdet: np.linalg.slogdet(T)[1]
    cholesky: np.linalg.cholesky(T) | np.linalg.cholesky(S, upper=True)
    eigh: np.linalg.eigh(T)[0] | np.linalg.eigh(S, "U")[0]
    eigvalsh: np.linalg.eigvalsh(T)
    svd: np.linalg.svd(T, full_matrices=False)[1]
    cond: np.linalg.cond(T)
    matrix_power: np.linalg.matrix_power(T, 2)
""")  # fmt: skip
_rows("scipy.linalg", """
    lu: sl.lu(A)[2] | sl.lu(A, True)[0] | sl.lu(S)[1]
    lu_factor: sl.lu_factor(S)[0]
    lu_solve: sl.lu_solve(sl.lu_factor(S), b) | sl.lu_solve(sl.lu_factor(S), C, 1)
    sqrtm: sl.sqrtm(np.array([[3.0, 0.5], [0.25, 2.0 + 0.5 * np.clip(np.nan_to_num(u), -1, 1)]]))
    logm: sl.logm(np.array([[3.0, 0.5], [0.25, 2.0 + 0.5 * np.clip(np.nan_to_num(u), -1, 1)]]))
    cosm: sl.cosm(S / max(1.0, np.max(np.abs(S))))
    sinm: sl.sinm(S / max(1.0, np.max(np.abs(S))))
    toeplitz: sl.toeplitz(x) | sl.toeplitz(x, y)
    hankel: sl.hankel(x) | sl.hankel(x, y)
    circulant: sl.circulant(x)
    block_diag: sl.block_diag(A, B) | sl.block_diag(x, A, 2.5)
    solve_banded: sl.solve_banded((1, 1), np.vstack((x, x + 3, x)), x[::-1])
    solve_triangular: sl.solve_triangular(S, b) | sl.solve_triangular(S, C) | sl.solve_triangular(S, b, lower=True) | sl.solve_triangular(S, b, trans=1, unit_diagonal=True) | sl.solve_triangular(S, b, trans='C')
    solve: sl.solve(S, b) | sl.solve(S, C) | sl.solve(S, b, assume_a="pos") | sl.solve(S, C, lower=True, assume_a="sym")
    cho_factor: sl.cho_factor(S)[0] | sl.cho_factor(S, lower=True)[0]
    cho_solve: sl.cho_solve(sl.cho_factor(S), b) | sl.cho_solve(sl.cho_factor(S, True), C)
    cholesky: sl.cholesky(S) | sl.cholesky(S, lower=True)
    expm: sl.expm(S / max(1.0, np.max(np.abs(S)))) | sl.expm(0.01 * A)
    inv: sl.inv(S)
    det: sl.det(S)
    norm: sl.norm(x) | sl.norm(A) | sl.norm(A, 1) | sl.norm(A, axis=1)
    eigh: sl.eigh(S)[0] | sl.eigh(S, lower=False, eigvals_only=True) | sl.eigh(S * 1.0, S @ S.T + np.eye(len(S), dtype=(S * 1.0).dtype))[0]
    eigvalsh: sl.eigvalsh(S) | sl.eigvalsh(S, lower=False)
    svd: sl.svd(A, full_matrices=False)[1] | sl.svd(A, compute_uv=False) | sl.svd(S)[1]
    svdvals: sl.svdvals(A)
    pinvh: sl.pinvh(S @ S.T + np.eye(len(S)))
    qr: q_, r_ = sl.qr(S + np.eye(len(S))); return q_ @ r_ | q_, r_ = sl.qr(np.vander(np.arange(4.0), 2) * u, mode="economic"); return q_ @ r_ | 1e3 + np.abs(sl.qr(np.eye(2) * (abs(u) + 1.0), mode="r")[0])
    pinv: sl.pinv(A) | sl.pinv(S, rtol=1e-3)
    lstsq: sl.lstsq(A, b)[0] | sl.lstsq(A, C)[0]
    solve_sylvester: sl.solve_sylvester(np.clip(np.nan_to_num(S), -1, 1), np.clip(np.nan_to_num(S), -1, 1) + 9.0 * np.eye(len(S)), np.clip(np.nan_to_num(S), -1, 1))
    solve_continuous_lyapunov: sl.solve_continuous_lyapunov(np.clip(np.nan_to_num(S), -1, 1) + 9.0 * np.eye(len(S)), np.clip(np.nan_to_num(S), -1, 1))
    solve_lyapunov: sl.solve_lyapunov(np.clip(np.nan_to_num(S), -1, 1) + 9.0 * np.eye(len(S)), np.clip(np.nan_to_num(S), -1, 1))
    solve_discrete_lyapunov: sl.solve_discrete_lyapunov(0.1 * np.clip(np.nan_to_num(S), -1, 1), np.clip(np.nan_to_num(S), -1, 1))
    companion: sl.companion(x)
""")  # fmt: skip

_each("numpy", "sum prod mean var std any all count_nonzero nansum nanprod nanmean nanvar nanstd", "F(x)", "F(A)", "F(A, axis=0)", "F(A, axis=1, keepdims=True)", "F(T, axis=1)")
_each("numpy", "max min amax amin ptp argmax argmin nanmax nanmin nanargmax nanargmin median", "F(x)", "F(A)", "F(A, axis=0)", "F(A, axis=1)", "F(T, axis=1)")
_each("numpy", "cumsum cumprod nancumsum nancumprod", "F(x)", "F(A)", "F(A, axis=0)", "F(A, axis=1)")
_each("numpy", "cumulative_sum cumulative_prod", "F(x)", "F(A, axis=0)")
_rows("numpy", """
    sum: np.sum(A, axis=(0, 1)) | np.sum(x, dtype=np.float64)
    var: np.var(x, ddof=1) | np.var(A, axis=0, ddof=1)
    std: np.std(x, ddof=1) | np.std(A, axis=1, ddof=2)
    nanvar: np.nanvar(x, ddof=1)
    max: np.max(A, axis=(0, 1), keepdims=True)
    median: np.median(A, axis=0, keepdims=True)
    average: np.average(x) | np.average(A, axis=0) | np.average(x, weights=y) | np.average(A, axis=1, weights=B) | np.average(A, weights=B) | np.average(A, axis=0, weights=b)
    cov: np.cov(x) | np.cov(A) | np.cov(A, rowvar=False) | np.cov(x, y) | np.cov(A, bias=True)
    corrcoef: np.corrcoef(x) | np.corrcoef(A) | np.corrcoef(x, y) | np.corrcoef(A, rowvar=False)
    quantile: np.quantile(x, 0.3) | np.quantile(x, 0.5) | np.quantile(x, [0.0, 0.25, 1.0]) | np.quantile(A, 0.5, axis=0) | np.quantile(A, 0.7) | np.quantile(x, 1.5)
    percentile: np.percentile(x, 30) | np.percentile(x, 50.0) | np.percentile(x, [0, 25, 100]) | np.percentile(A, 50, axis=1, keepdims=True) | np.percentile(x, -1)
    trapezoid: np.trapezoid(x) | np.trapezoid(x, y) | np.trapezoid(x, dx=0.5) | np.trapezoid(A, axis=0)
    trapz: np.trapezoid(x)
    diff: np.diff(x) | np.diff(x, n=2) | np.diff(A, axis=0) | np.diff(A, n=3)
    ediff1d: np.ediff1d(x) | np.ediff1d(A)
    gradient: np.gradient(x) | np.gradient(x, 0.5) | np.gradient(A, axis=0) | np.gradient(x, edge_order=2)
    unwrap: np.unwrap(x) | np.unwrap(A) | np.unwrap(A, axis=0) | np.unwrap(x, period=3.0) | np.unwrap(x, 4.0)
    broadcast_shapes: np.broadcast_shapes((m, 1), (n,)) | np.broadcast_shapes((m,), (n, 1, 3)) | np.broadcast_shapes()
    histogram: np.histogram(x) | np.histogram(x, 3) | np.histogram(x, 2, (0.0, 2.0)) | np.histogram(x, np.array([0.0, 1.0, 2.0])) | np.histogram(x, 3, weights=y)
    bincount: np.bincount(x % 7) | np.bincount(np.full(n, 255, dtype=np.uint8)) | np.bincount(x > 3, minlength=1) | np.bincount(x % 7 - 1) | np.bincount(x % 7, minlength=4) | np.bincount(x % 7, weights=y)
    interp: np.interp(e, np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0, -1.0])) | np.interp(x, np.arange(3.0), np.array([1.0, np.inf, 0.0])) | np.interp(e, np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0, -1.0]), period=2.5)
    searchsorted: np.searchsorted(np.sort(x), y) | np.searchsorted(np.sort(x), y, side="right") | np.searchsorted(np.array([-1.0, 0.0, 2.0]), e)
    digitize: np.digitize(e, np.array([-1.0, 0.0, 2.0])) | np.digitize(e, np.array([2.0, 0.0, -1.0]), right=True) | np.digitize(x, np.array([1.0, 1.0]))
""")  # fmt: skip
_rows("numpy", """
    add.reduce: np.add.reduce(x) | np.add.reduce(A) | np.add.reduce(A, axis=1) | np.add.reduce(x, where=x > 1, initial=2) | np.add.reduce(A, axis=1, initial=1)
    logical_and.reduce: np.logical_and.reduce(x > 0) | np.logical_and.reduce(A) | np.logical_and.reduce(A > 0, axis=1) | np.logical_and.reduce([x > 0, x < 2])
    logical_or.reduce: np.logical_or.reduce(x > 0) | np.logical_or.reduce(A) | np.logical_or.reduce(A > 0, axis=1, keepdims=True)
    true_divide.outer: np.true_divide.outer(x, y)
    logical_and.outer: np.logical_and.outer(x, y)
    logical_or.outer: np.logical_or.outer(x, y)
    multiply.reduce: np.multiply.reduce(x) | np.multiply.reduce(A)
    maximum.reduce: np.maximum.reduce(x) | np.maximum.reduce(A) | np.maximum.reduce(x, initial=1)
    minimum.reduce: np.minimum.reduce(x) | np.minimum.reduce(A, axis=1)
    logaddexp.reduce: np.logaddexp.reduce(x) | np.logaddexp.reduce(A) | np.logaddexp.reduce(A, axis=1)
    add.accumulate: np.add.accumulate(x) | np.add.accumulate(A)
    multiply.accumulate: np.multiply.accumulate(x) | np.multiply.accumulate(A, axis=1)
    maximum.accumulate: np.maximum.accumulate(x) | np.maximum.accumulate(A)
    minimum.accumulate: np.minimum.accumulate(x) | np.minimum.accumulate(A, axis=1)
""")  # fmt: skip
for _name in "add subtract multiply divide power maximum minimum arctan2 hypot logaddexp equal not_equal less less_equal greater greater_equal".split():
    TABLE[f"numpy.{_name}.outer"] = (f"np.{_name}.outer(x, y)", f"np.{_name}.outer(x, A)")
_rows("numpy", """
    add.at: z = x.copy(); np.add.at(z, k, 2); return z | z = x.copy(); np.add.at(z, k, 0.5 * k); return z
    subtract.at: z = x.copy(); np.subtract.at(z, k, 2); return z
    multiply.at: z = x.copy(); np.multiply.at(z, k, 2); return z
    divide.at: z = x.copy(); np.divide.at(z, k, 2.5); return z
    true_divide.at: z = x.copy(); np.true_divide.at(z, k, 2.5); return z
    power.at: z = x.copy(); np.power.at(z, k, 2); return z
    maximum.at: z = x.copy(); np.maximum.at(z, k, 2); return z
    minimum.at: z = x.copy(); np.minimum.at(z, k, 2); return z
    fmax.at: z = x.copy(); np.fmax.at(z, k, 2); return z
    fmin.at: z = x.copy(); np.fmin.at(z, k, 2); return z
    logaddexp.at: z = x * 1.0; np.logaddexp.at(z, k, x[0]); return z
    hypot.at: z = x * 1.0; np.hypot.at(z, k, x[0]); return z
""")  # fmt: skip

# ------------------------------------------------------------------------------------- distributions, distances, windows

_PLACED = ("F(e)", "F(1.5, e, 2.0)", "F(1.5, 0.25, e)")  # by the number, the place and the scale
_SHAPED = ("F(e, 0.75)", "F(1.5, e, 0.25, 2.0)", "F(1.5, 0.75, 0.25, e)")  # and by a shape
_each("scipy.stats.norm", "pdf logpdf cdf logcdf sf logsf", *_PLACED)
_each("scipy.stats.norm", "ppf isf", "F(e)", "F(0.75, 0.25, e)")
_rows("scipy.stats", """
    trim_mean: st.trim_mean(np.append(np.nan_to_num(x), 1), 0.2) | st.trim_mean(A * 1.0, 0.1, axis=None) | st.trim_mean(A * 1.0, 0.3, axis=1)
    iqr: st.iqr(np.append(np.clip(np.nan_to_num(x), -9, 9), 1)) | st.iqr(np.append(np.clip(np.nan_to_num(x), -9, 9), 1), rng=(10, 80), scale="normal")
""")  # fmt: skip
_each("scipy.stats.norm", "fit", "F(np.clip(np.nan_to_num(x), -9, 9))")
for _name, _shape in {"lognorm": "0.5", "gamma": "2.5", "chi2": "3.0", "weibull_min": "1.5", "beta": "2.0, 3.0", "t": "4.0", "f": "3.0, 5.0"}.items():
    _each(f"scipy.stats.{_name}", "interval", f"F(0.75, {_shape}, 0.5, 2.0)")
for _name in "norm halfnorm expon uniform cauchy laplace logistic".split():
    _each(f"scipy.stats.{_name}", "interval", "F(0.75)", "F(0.75, 0.5, 2.0)")
_each("scipy.stats.expon", "pdf logpdf cdf sf", *_PLACED)
_each("scipy.stats.uniform", "pdf logpdf cdf", "F(e)", "F(1.5, e, 2.0)", "F(1.5, 0.25, e)")
_each("scipy.stats.expon", "ppf", "F(e)", "F(0.75, 0.25, e)")
_each("scipy.stats.uniform", "ppf", "F(e)", "F(0.75, 0.25, e)")
_each("scipy.stats.cauchy", "pdf logpdf cdf", *_PLACED)
_each("scipy.stats.laplace", "pdf logpdf cdf", *_PLACED[:2])
_each("scipy.stats.halfnorm", "logpdf", *_PLACED)
_each("scipy.stats.logistic", "logpdf cdf", *_PLACED)
_each("scipy.stats.lognorm", "pdf logpdf cdf", "F(e, 0.75)", "F(1.5, e + 0.5, 0.25, 2.0)", "F(1.5, 0.75, 0.25, e)")
_each("scipy.stats.lognorm", "ppf", "F(e, 0.75)", "F(0.75, e)")
_each("scipy.stats.gamma", "pdf logpdf", *_SHAPED)
_each("scipy.stats.chi2", "logpdf", *_SHAPED)
_each("scipy.stats.weibull_min", "logpdf cdf", *_SHAPED)
_each("scipy.stats.t", "pdf logpdf", "F(e, 0.75)", "F(1.5, e + 0.5, 0.25, 2.0)", "F(1.5, 0.75, 0.25, e)")
_each("scipy.stats.beta", "pdf logpdf", "F(e, 0.75, 2.0)", "F(0.25, e, 2.0)", "F(0.25, 0.75, e)")
_each("scipy.stats.gamma", "cdf sf", "F(h, 0.75, -0.5, 2.0)")  # whose derivatives are those of incomplete functions
_each("scipy.stats.invgamma", "pdf logpdf", *_SHAPED)
_each("scipy.stats.invgamma", "cdf sf", "F(h + 1.0, 0.75, 0.5, 2.0)")
_each("scipy.stats.invgamma", "ppf", "F(0.75, 1.5, e)")
_each("scipy.stats.truncnorm", "pdf logpdf cdf sf", "F(e, -1.0, 2.0)", "F(1.5, e * 1.0, 4.0)")
_each("scipy.stats.skewnorm", "pdf logpdf", "F(e, 0.75)", "F(1.5, e)")
_each("scipy.stats.vonmises", "pdf logpdf", "F(h, 0.75)", "F(1.5, e)")
_each("scipy.stats.maxwell", "pdf logpdf", *_PLACED[:2])
_each("scipy.stats.maxwell", "cdf sf", "F(h, -0.5, 2.0)")
_each("scipy.stats.halfcauchy", "pdf logpdf cdf", *_PLACED[:2])
_each("scipy.stats.genpareto", "pdf logpdf cdf sf", "F(e, 0.75)", "F(0.5, h * 1.0)")
_each("scipy.stats.genextreme", "pdf logpdf cdf", "F(h, 0.75)", "F(0.5, h * 1.0)")
_each("scipy.stats.bernoulli", "pmf logpmf cdf sf", "F(h, 0.25)", "F(1, e * 1.0)")
_each("scipy.stats.geom", "pmf logpmf cdf sf", "F(h, 0.25)", "F(2, e * 1.0)")
_each("scipy.stats.nbinom", "pmf logpmf", "F(h, 3, 0.25)", "F(2, 3, e * 1.0)")
_each("scipy.stats.nbinom", "cdf", "F(h, 3, 0.25)")
_rows("scipy.stats.dirichlet", """
    logpdf: st.dirichlet.logpdf(np.array([0.25, 0.75]), np.array([2.0, 1.5 + 1.0 / (1.0 + abs(u * 1.0))])) | st.dirichlet.logpdf(np.array([0.25]), [2.0, 1.5])
    pdf: st.dirichlet.pdf(np.array([0.25, 0.75]), np.array([2.0, 1.5]))
""")  # fmt: skip
_each("scipy.stats.multivariate_t", "pdf logpdf", "F(b, 0.5 * b, S @ S.T + np.eye(len(b)), 2.5)")
_each("scipy.stats.wishart", "pdf logpdf", "F(S @ S.T + np.eye(len(S)), len(S) + 1.5, np.eye(len(S)) * 2.5)")
_each("scipy.stats.chi2", "cdf", "F(h, 0.75, -0.5, 2.0)")
_each("scipy.stats.t", "sf", "F(h, 0.75, -0.5, 2.0)")
_each("scipy.stats.chi2", "sf", "F(h, 0.75, -0.5, 2.0)")
_each("scipy.stats.t", "cdf", "F(h, 0.75, -0.5, 2.0)")
_each("scipy.stats.beta", "cdf", "F(h, 0.75, 2.0, -0.5, 4.0)")
_each("scipy.stats.poisson", "pmf logpmf", "F(h, 2.5)", "F(2, e)")
_each("scipy.stats.binom", "pmf logpmf", "F(h, 3, 0.25)", "F(2, 3, e * 0.5)")
for _name, _methods in (
    ("halfnorm", "pdf cdf sf"), ("expon", "logcdf logsf"), ("uniform", "sf"), ("cauchy", "sf"), ("laplace", "sf"),
    ("logistic", "pdf sf logcdf logsf"), ("rayleigh", "pdf logpdf cdf sf"), ("gumbel_r", "pdf logpdf cdf logcdf sf"),
):  # fmt: skip
    _each(f"scipy.stats.{_name}", _methods, *_PLACED[:2])
for _name in ("halfnorm", "cauchy", "laplace", "logistic", "rayleigh", "gumbel_r"):
    _each(f"scipy.stats.{_name}", "ppf", "F(e)", "F(0.75, 0.25, e)")
_each("scipy.stats.expon", "isf", "F(e)", "F(0.75, 0.25, e)")
_each("scipy.stats.uniform", "isf", "F(e)", "F(0.75, 0.25, e)")
_each("scipy.stats.lognorm", "sf logcdf logsf", "F(e, 0.75)", "F(1.5, 0.75, 0.25, e)")
_each("scipy.stats.lognorm", "isf", "F(e, 0.75)", "F(0.75, e)")
_each("scipy.stats.chi2", "pdf", *_SHAPED)
_each("scipy.stats.weibull_min", "pdf sf", *_SHAPED)
_each("scipy.stats.weibull_min", "ppf", "F(e, 0.75)", "F(0.75, e)")
_each("scipy.stats.pareto", "pdf logpdf cdf sf", "F(e + 1.0, 0.75)", "F(2.5, e + 0.5, 0.25, 2.0)")
_each("scipy.stats.pareto", "ppf", "F(e, 0.75)", "F(0.75, e)")
_each("scipy.stats.f", "pdf logpdf", "F(h, 1.5, 2.5)", "F(h, 3.0, 2.5, -0.5, 2.0)")
_each("scipy.stats.f", "cdf sf", "F(h, 1.5, 2.5, -0.5, 2.0)")
_each("scipy.stats.f", "ppf", "F(h * 0.25, 1.5, 2.5)")
for _name in ("gamma", "chi2"):
    _each(f"scipy.stats.{_name}", "logcdf logsf", "F(h, 0.75, -0.5, 2.0)")
    _each(f"scipy.stats.{_name}", "ppf isf", "F(h * 0.25, 0.75)", "F(h * 0.25, 2.5, -0.5, 2.0)")
_each("scipy.stats.t", "logcdf logsf", "F(h, 0.75, -0.5, 2.0)")
_each("scipy.stats.t", "ppf isf", "F(h * 0.25, 0.75)", "F(h * 0.25, 2.5, -0.5, 2.0)")
_each("scipy.stats.beta", "sf logcdf logsf", "F(h, 0.75, 2.0, -0.5, 4.0)")
_each("scipy.stats.beta", "ppf", "F(h * 0.25, 0.75, 2.0)")
_each("scipy.stats.poisson", "cdf sf", "F(h, 2.5)")
_each("scipy.stats.binom", "cdf sf", "F(h, 3, 0.25)")
for _home, _short in (("numpy.fft", "np.fft"), ("scipy.fft", "sf")):
    _rows(_home, f"""
        fftfreq: {_short}.fftfreq(m + 1, 0.5)
        rfftfreq: {_short}.rfftfreq(m + 1, 0.5)
        fftshift: {_short}.fftshift(x) | {_short}.fftshift(A) | {_short}.fftshift(A, 1)
        ifftshift: {_short}.ifftshift(x) | {_short}.ifftshift(A) | {_short}.ifftshift(A, 0)
    """)  # fmt: skip
_rows("scipy.linalg", "helmert: sl.helmert(m + 2) | sl.helmert(m + 2, full=True)")
_rows("scipy.ndimage", "center_of_mass: sn.center_of_mass(x * 1.0) | sn.center_of_mass(A * 1.0)")
_each("scipy.stats.multivariate_normal", "pdf logpdf", "F(b, 0.5 * b, S @ S.T + np.eye(len(b)))")
_each("scipy.spatial.distance", "sqeuclidean cityblock cosine correlation braycurtis", "F(x, y)")
_rows("scipy.spatial.distance", """
    euclidean: sd.euclidean(np.append(x, 1.5), np.append(x, 0.5)[::-1])
    canberra: sd.canberra(x * 1.0, y)
    chebyshev: sd.chebyshev(np.clip(x, -9, 9), np.clip(y, -9, 9))
    minkowski: sd.minkowski(x, y, 3)
    cdist: sd.cdist(A, B) | sd.cdist(A, B, "cityblock") | sd.cdist(A, B, "cosine") | sd.cdist(A, B, "minkowski", p=3)
    squareform: sd.squareform(x) | sd.squareform((S + S.T) * (1 - np.eye(len(S)))) | sd.squareform(A)
    pdist: sd.pdist(A) | sd.pdist(A, "sqeuclidean")
""")  # fmt: skip
_rows("scipy.integrate", """
    trapezoid: si.trapezoid(x, dx=0.5)
    cumulative_trapezoid: si.cumulative_trapezoid(x) | si.cumulative_trapezoid(A, axis=0, initial=0)
    simpson: si.simpson(np.ones((2, 3)) * u, dx=0.5) | si.simpson(np.ones((3, 2)) * u, axis=0) | si.simpson(x * np.float64(1.0)) | si.simpson(np.append(x, 1.5), x=np.arange(len(x) + 1) * 2.0)
""")  # fmt: skip
_rows("scipy.stats", """
    skew: st.skew(x * 1.0) | st.skew(A * 1.0, axis=1)
    kurtosis: st.kurtosis(x * 1.0) | st.kurtosis(A * 1.0, 1, False)
    zscore: st.zscore(x * 1.0) | st.zscore(A * 1.0, axis=1, ddof=1)
    sem: st.sem(x * 1.0) | st.sem(A * 1.0, axis=1, ddof=0)
    linregress: st.linregress(np.append(np.clip(x, -9, 9), 1.5), np.append(np.clip(x, -9, 9), 0.5)[::-1] ** 2 + 1.0)
    entropy: st.entropy(x * x + 1.0) | st.entropy(x * x + 1.0, x * x + 2.0, 2.0) | st.entropy(A * A + 1.0, axis=1)
    hmean: st.hmean(x * x + 1.0) | st.hmean(A * A + 1.0, axis=1)
    variation: st.variation(x * x + 1.0) | st.variation(A * A + 1.0, axis=1, ddof=1)
    gmean: st.gmean(x * x + 1.0) | st.gmean(A * A + 1.0, axis=1)
    median_abs_deviation: st.median_abs_deviation(x * 1.0) | st.median_abs_deviation(A * 1.0, axis=1) | st.median_abs_deviation(A * 1.0, axis=None, scale="normal")
    pearsonr: st.pearsonr(x * 1.0, y * 1.0)[0] | 1e3 + st.pearsonr(x * 1.0, y * 1.0)[1]
""")  # fmt: skip
_rows("scipy.signal", """
    convolve: sg.convolve(np.append(np.clip(np.nan_to_num(x), -9, 9), 1), np.append(np.clip(np.nan_to_num(y), -9, 9), 2)) | sg.convolve(np.append(np.clip(np.nan_to_num(x), -9, 9), 1), [1.5, -2.0, 0.5], "same") | sg.convolve([1.5, 2.0], np.append(np.clip(np.nan_to_num(x), -9, 9), 2), mode="valid")
    fftconvolve: 1e3 + sg.fftconvolve(np.append(np.clip(np.nan_to_num(x), -9, 9), 1) * 1.0, np.append(np.clip(np.nan_to_num(y), -9, 9), 2) * 1.0, "same")
    oaconvolve: 1e3 + sg.oaconvolve(np.append(np.clip(np.nan_to_num(x), -9, 9), 1) * 1.0, np.append(np.clip(np.nan_to_num(y), -9, 9), 2) * 1.0)
    correlate: sg.correlate(np.append(np.clip(np.nan_to_num(x), -9, 9), 1), np.append(np.clip(np.nan_to_num(y), -9, 9), 2)) | sg.correlate(np.append(np.clip(np.nan_to_num(x), -9, 9), 1), [1.5, -2.0], mode="same") | sg.correlate([1.5, 2.0], np.append(np.clip(np.nan_to_num(x), -9, 9), 2), "valid")
    convolve2d: sg.convolve(np.clip(np.nan_to_num(A), -9, 9) * 1.0, np.array([[0.5, 2.0], [1.5, 3.0]]), "same") | sg.convolve2d(np.clip(np.nan_to_num(A), -9, 9) * 1.0, np.array([[0.5, 2.0], [1.5, 3.0]])) | sg.convolve2d(np.clip(np.nan_to_num(A), -9, 9) * 1.0, np.array([[0.5, 2.0]]), "same")
    lfilter: sg.lfilter([0.5, 0.25], [2.0, -1.0, 0.5], np.append(np.clip(np.nan_to_num(x), -9, 9), 1) * 1.0) | sg.lfilter(np.append(np.clip(np.nan_to_num(x), -9, 9), 1), 1.0, np.append(np.clip(np.nan_to_num(y), -9, 9), 2) * 1.0)
""")  # fmt: skip
_SIGNAL = "np.append(np.arange(8.0), np.clip(np.nan_to_num(x), -9, 9) * 1.0)"
_rows("scipy.signal", f"""
    lfilter: sg.lfilter([0.5, 0.25, 1.0], [2.0, 0.5], [u, v, 1.0], zi=[1.0, u])[0]
    detrend: 1e3 + sg.detrend({_SIGNAL}) | 1e3 + sg.detrend({_SIGNAL}, type="constant") | 1e3 + sg.detrend(np.outer({_SIGNAL}, [1.0, 2.0]), axis=0) | 1e3 + sg.detrend([1, 2, 4])
    firwin: sg.firwin(7, 0.3) | sg.firwin(7, [0.2, 0.5]) | sg.firwin(7, [0.2, 0.5], pass_zero=False) | sg.firwin(7, 0.3, pass_zero="highpass") | sg.firwin(8, 10.0, fs=100.0, window="hann") | sg.firwin(5, 0.3, scale=False, window=("kaiser", 3.0)) | sg.firwin(9, [0.1, 0.3, 0.5])
    lfilter_zi: sg.lfilter_zi([0.5, 0.25], [2.0, -1.0, 0.5]) | sg.lfilter_zi([0.5, u], [1.0])
    filtfilt: sg.filtfilt([0.5, 0.25], [2.0, -1.0], {_SIGNAL}) | sg.filtfilt([0.5], [1.0, 0.5], {_SIGNAL}, padtype=None) | sg.filtfilt([0.5], [1.0, 0.5], x * 1.0)
    sosfilt: sg.sosfilt(np.array([[0.5, 0.25, 0.0, 1.0, -0.5, 0.25]]), {_SIGNAL})
    savgol_coeffs: sg.savgol_coeffs(5, 2) | sg.savgol_coeffs(4, 3, 1, 0.5, use="dot") | sg.savgol_coeffs(3, 3)
    savgol_filter: sg.savgol_filter({_SIGNAL}, 5, 2) | sg.savgol_filter({_SIGNAL}, 4, 2, mode="mirror") | sg.savgol_filter({_SIGNAL}, 3, 1, 1, 0.5, mode="wrap")
""")  # fmt: skip
_rows("scipy.fft", f"""
    dct: sf.dct({_SIGNAL}) | sf.dct({_SIGNAL}, 1) | sf.dct({_SIGNAL}[:2], 1) | sf.dct({_SIGNAL}[1:], 3, norm="ortho") | sf.dct({_SIGNAL}, n=5)
    idct: sf.idct({_SIGNAL}) | sf.idct({_SIGNAL}[1:], 1) | sf.idct({_SIGNAL}[1:], norm="ortho") | sf.idct({_SIGNAL}, 3)
    dctn: sf.dctn(np.outer({_SIGNAL}[:3], {_SIGNAL}))
    idctn: sf.idctn(np.outer({_SIGNAL}[:3], {_SIGNAL}), norm="ortho")
""")  # fmt: skip
_rows("scipy.fftpack", f"""
    dct: sfp.dct({_SIGNAL}) | sfp.dct({_SIGNAL}[1:], 3, norm="ortho") | sfp.dct({_SIGNAL}, n=5)
    idct: sfp.idct({_SIGNAL}) | sfp.idct({_SIGNAL}[1:], norm="ortho") | sfp.idct({_SIGNAL}, 3)
    dctn: sfp.dctn(np.outer({_SIGNAL}[:3], {_SIGNAL}))
    idctn: sfp.idctn(np.outer({_SIGNAL}[:3], {_SIGNAL})) | sfp.idctn(np.outer({_SIGNAL}[:3], {_SIGNAL}), norm="ortho")
""")  # fmt: skip
_rows("scipy.ndimage", f"""
    median_filter: sn.median_filter({_SIGNAL}, 3) | sn.median_filter({_SIGNAL}, 4, mode="nearest") | sn.median_filter(np.outer({_SIGNAL}[:4], {_SIGNAL}[6:]), (3, 2))
    maximum_filter: sn.maximum_filter({_SIGNAL}, 3) | sn.maximum_filter(np.outer({_SIGNAL}[:4], {_SIGNAL}[6:]), 2, mode="wrap")
    minimum_filter: sn.minimum_filter({_SIGNAL}, 4) | sn.minimum_filter({_SIGNAL}, 3, mode="constant", cval=1.5)
""")  # fmt: skip
_rows("scipy.stats", f"""
    scoreatpercentile: st.scoreatpercentile({_SIGNAL}, 37.5) | st.scoreatpercentile({_SIGNAL}, [20, 100.0], (1.0, 6.0), "lower") | st.scoreatpercentile(np.outer({_SIGNAL}[:4], {_SIGNAL}), 37.5, interpolation_method="higher", axis=0)
    rankdata: st.rankdata({_SIGNAL}) | st.rankdata(x * 1.0) | st.rankdata(k) | st.rankdata({_SIGNAL}, method="min") * 1.0 | st.rankdata({_SIGNAL}, "max") * 1.0 | st.rankdata({_SIGNAL}, "dense") * 1.0 | st.rankdata({_SIGNAL}, "ordinal") * 1.0
""")  # fmt: skip
_rows("numpy", f"""
    add.reduceat: np.add.reduceat({_SIGNAL}, [0, 3, 2]) | np.add.reduceat(np.outer({_SIGNAL}, {_SIGNAL}), [1, 4], axis=1)
    multiply.reduceat: np.multiply.reduceat({_SIGNAL}[:6], np.array([0, 3, 2]))
    maximum.reduceat: np.maximum.reduceat({_SIGNAL}, [5, 0])
    minimum.reduceat: np.minimum.reduceat({_SIGNAL}, [0, 5])
    histogram2d: np.histogram2d({_SIGNAL}, {_SIGNAL} ** 2, 3) | np.histogram2d({_SIGNAL}, {_SIGNAL}, (2, [0.0, 2.5, 9.0]), weights={_SIGNAL}) | np.histogram2d({_SIGNAL}, {_SIGNAL}, 2, ((0, 4), (0, 7)), density=True)
    asfortranarray: np.asfortranarray(A) | np.asfortranarray(x, dtype=np.float64)
    max: np.max({_SIGNAL}, initial=8.0) | np.max(A * np.float64(1.0), axis=1, initial=0.5, keepdims=True) | np.max({_SIGNAL}, where={_SIGNAL} < 3, initial=0.0)
    min: np.min({_SIGNAL}, initial=8.0) | np.min(A * np.float64(1.0), axis=0, initial=0.5)
""")  # fmt: skip
_rows("scipy.ndimage", """
    correlate1d: sn.correlate1d(np.append(np.clip(np.nan_to_num(x), -9, 9), 1) * 1.0, [0.5, 2.0, 1.0]) | sn.correlate1d(np.append(np.clip(np.nan_to_num(x), -9, 9), 1) * 1.0, [0.5, 2.0], mode="mirror") | sn.correlate1d(np.append(np.clip(np.nan_to_num(x), -9, 9), 1) * 1.0, [0.5, 2.0, -1.0, 0.5], mode="constant", cval=1.5)
    convolve1d: sn.convolve1d(np.append(np.clip(np.nan_to_num(x), -9, 9), 1) * 1.0, [0.5, 2.0, 1.0], mode="wrap") | sn.convolve1d(np.append(np.clip(np.nan_to_num(x), -9, 9), 1) * 1.0, [0.5, 2.0], mode="nearest")
    correlate: sn.correlate(np.append(np.clip(np.nan_to_num(x), -9, 9), 1) * 1.0, [0.5, 2.0, 1.0])
    convolve: sn.convolve(np.append(np.clip(np.nan_to_num(x), -9, 9), 1) * 1.0, [0.5, 2.0], mode="constant")
    gaussian_filter1d: sn.gaussian_filter1d(np.append(np.clip(np.nan_to_num(x), -9, 9), 1) * 1.0, 0.75) | sn.gaussian_filter1d(np.append(np.clip(np.nan_to_num(x), -9, 9), 1) * 1.0, 1.5, truncate=2.0, mode="nearest")
    gaussian_filter: sn.gaussian_filter(np.append(np.clip(np.nan_to_num(x), -9, 9), 1) * 1.0, 0.75)
    uniform_filter1d: sn.uniform_filter1d(np.append(np.clip(np.nan_to_num(x), -9, 9), 1) * 1.0, 3) | sn.uniform_filter1d(np.append(np.clip(np.nan_to_num(x), -9, 9), 1) * 1.0, 2, mode="wrap")
""")  # fmt: skip
_each("scipy.signal.windows", "hann hamming blackman blackmanharris bartlett cosine nuttall flattop boxcar triang tukey parzen bohman", "F(4)", "F(5, 0)", "F(1)")
_rows("scipy.signal.windows", """
    general_hamming: sw.general_hamming(4, 0.75)
    gaussian: sw.gaussian(4, u)
    exponential: sw.exponential(4, tau=u) | sw.exponential(4, 0, u, False)
    kaiser: sw.kaiser(5, u)
    tukey: sw.tukey(6, 0.4) | sw.tukey(4, 0) | sw.tukey(5, 2.0)
    get_window: sw.get_window("hamming", 5) | sw.get_window(("gaussian", 1.5), 4) | sw.get_window(8.0, 4)
""")  # fmt: skip
TABLE["scipy.signal.get_window"] = (
    *(f"sg.get_window({n!r}, 4)" for n in "hann black bkh bart box tri nutl flat parz bman cosine tukey".split()),
    'sg.get_window(("tukey", 0.3), 5, False)', 'sg.get_window(("kaiser", 2.0), 4)', 'sg.get_window(("general_hamming", 0.6), 4)',
)
_rows("numpy", """
    kaiser: np.kaiser(5, u) | np.kaiser(1, u) | np.kaiser(0, u)
    partition: np.partition(np.append(x, 1.5), 0)[0] | np.partition(x, 2)[:0] | np.partition(A, 1, axis=0)[:1]
    argpartition: np.argpartition(x, 2)[:0] | np.argpartition(np.arange(3) % 2, -1)[:0]
    polyadd: np.polyadd(x, y[:2])
    polysub: np.polysub(x[:1], y)
    polymul: np.polymul(x, y)
    poly: np.poly(np.append(x, 1.5))
    polynomial.polynomial.polyfit: np.polynomial.polynomial.polyfit(np.arange(len(x)) * 0.5, x, 1)
    polyfit: np.polyfit(np.arange(len(x)) * 0.5, x, 1)
    polyder: np.polyder(x, 2)
    polyint: np.polyint(x, 2, 1.5)
""")  # fmt: skip

# ------------------------------------------------------------------------------------------------- making and joining

_each("numpy", "zeros ones empty", "np.zeros_like(F(3))", "F((2, 0))", "F(2, dtype=np.float32)", "F(-1)")
_each("numpy", "zeros_like ones_like", "F(x)", "F(A)", "F(x, dtype=np.float32)")
_rows("numpy", """
    unique: np.unique(x) | np.unique(A) | np.unique(x, return_counts=True) | np.unique(x, True, True)
    union1d: np.union1d(x, y)
    setxor1d: np.setxor1d(x, y) | np.setxor1d(x, x[:1])
    rollaxis: np.rollaxis(T, 2).copy() | np.rollaxis(T, 0, 3).copy() | np.rollaxis(T, 1).copy() | np.rollaxis(T, -1, 1).copy()
    nanmedian: np.nanmedian(x) | np.nanmedian(A) | np.nanmedian(A, axis=0) | np.nanmedian(A, axis=1, keepdims=True)
    nanquantile: np.nanquantile(x, 0.3) | np.nanquantile(A, 0.7) | np.nanquantile(A, 0.25, axis=0)
    nanpercentile: np.nanpercentile(x, 30) | np.nanpercentile(A, 50, axis=1)
    intersect1d: np.intersect1d(x, y) | np.intersect1d(x, x[::-1])
    setdiff1d: np.setdiff1d(x, y) | np.setdiff1d(x, x[:1])
    resize: np.resize(x, 5) | np.resize(A, (2, 3)) | np.resize(x, (0,))
    asarray_chkfinite: np.asarray_chkfinite(x) * 1 | np.asarray_chkfinite([u, 2])
    require: np.require(x) * 1 | np.require(A, np.float64, "C") * 2
    imag: np.imag(e) | np.imag(A)
    empty_like: np.empty_like(x).shape | np.empty_like(A)[:0]
    full: np.full(3, 2.5) | np.full((2, 0), 1) | np.full(2, np.nan, dtype=np.float32) | np.full(-1, 0.0) | np.full(3, u)
    full_like: np.full_like(x, 2) | np.full_like(A, 2.5)
    eye: np.eye(3) | np.eye(2, 4, 1) | np.eye(0) | np.eye(3, k=-5) | np.eye(-1)
    identity: np.identity(2) | np.identity(0)
    tri: np.tri(3) | np.tri(2, 4, -1) | np.tri(0)
    arange: np.arange(5) | np.arange(0.5, 3.0, 0.5) | np.arange(p) | np.arange(m) | np.arange(3, -2, -2) | np.arange(0, 5, 0) | np.arange(0.0, p, 0.75)
    linspace: np.linspace(0.0, 1.0, m) | np.linspace(u, 2.0, 4) | np.linspace(u, v, 3) | np.linspace(0.0, 1.0, 0) | np.linspace(0.0, u, 1) | np.linspace(0.0, 1.0, -1) | np.linspace(u, 1.0, 3, endpoint=False) | np.linspace(x, 2.0, 3) | np.linspace(A, B, 4, endpoint=False) | np.linspace(x, y, 1)
    logspace: np.logspace(u, 2.0, 3) | np.logspace(0.0, 1.0, 0) | np.logspace(0.0, u, 2, base=2.0)
    geomspace: np.geomspace(u, 8.0, 3) | np.geomspace(1.0, u, 4) | np.geomspace(1.0, 2.0, 0)
    array: np.array(x) | np.array([u, 2]) | np.array([[u], [1.5]]) | np.array([]) | np.array([c * 2 for c in x])
    asarray: np.asarray(x) * 1 | np.asarray([u, 2])
    ascontiguousarray: np.ascontiguousarray(A.T).copy() | np.ascontiguousarray(x).copy()
    copy: np.copy(x) | np.copy(A.T)
    fromfunction: np.fromfunction(lambda i, j: i * 2.0 - j, (2, 3)) | np.fromfunction(lambda i: i, (0,))
    indices: np.indices((2, 3)) | np.indices((0, 2))
    meshgrid: np.meshgrid(x, y) | np.meshgrid(x, x[:1], indexing="ij")
    ix_: A[np.ix_(np.array([0, 1]), np.array([0]))] | A[np.ix_(np.array([0]), np.array([5]))]
    diag: np.diag(x).copy() | np.diag(A).copy() | np.diag(x, 1).copy() | np.diag(A, -1).copy() | np.diag(A, 9).copy()
    diagflat: np.diagflat(x) | np.diagflat(A) | np.diagflat(x, 1)
    diagonal: np.diagonal(A).copy() | np.diagonal(A, 1).copy() | np.diagonal(A, -9).copy()
    trace: np.trace(A) | np.trace(A, 1) | np.trace(A, offset=-1)
    tril: np.tril(A) | np.tril(A, 1) | np.tril(A, -9)
    triu: np.triu(A) | np.triu(A, -1)
    vander: np.vander(x) | np.vander(x, 2) | np.vander(x, 3, increasing=True) | np.vander(x, 0)
    hanning: np.hanning(4) | np.hanning(1) | np.hanning(0) | np.hanning(-2)
    hamming: np.hamming(4) | np.hamming(1) | np.hamming(0)
    blackman: np.blackman(4) | np.blackman(1) | np.blackman(0)
    bartlett: np.bartlett(4) | np.bartlett(1) | np.bartlett(0) | np.bartlett(5)
    concatenate: np.concatenate((x, y)) | np.concatenate((A, B), axis=1) | np.concatenate((A, B), axis=None) | np.concatenate((A, x[None, :])) | np.concatenate((x, np.array([1.5])))
    concat: np.concat((x, y)) | np.concat((A, B))
    stack: np.stack((x, y)) | np.stack((A, B), axis=2) | np.stack((x, x[:1]))
    vstack: np.vstack((x, y)) | np.vstack((A, B))
    hstack: np.hstack((x, y)) | np.hstack((A, B)) | np.hstack(x)
    dstack: np.dstack((x, y)) | np.dstack((A, B))
    column_stack: np.column_stack((x, y)) | np.column_stack((A, b)) | np.column_stack((A, x))
    block: np.block([x, y]) | np.block([[A], [B]]) | np.block([[A, B]])
    append: np.append(x, y) | np.append(x, 2.5) | np.append(A, B, axis=0) | np.append(A, 1)
    insert: np.insert(x, 0, 2) | np.insert(x, -1, 2) | np.insert(x, 9, 1) | np.insert(x, k, 1) | np.insert(x, (0, 0), (1, 2)) | np.insert(A, k, 0, axis=0) |  np.insert(A, 1, 0, axis=0)
    row_stack: np.row_stack((x, y)) | np.row_stack((x, A))
    delete: np.delete(x, 0) | np.delete(x, k) | np.delete(x, x > 1) | np.delete(A, k, axis=0) |  np.delete(x, -1) | np.delete(A, 1, axis=1)
    pad: np.pad(x, 1) | np.pad(np.ones(2), (1, u % 3)) | np.pad(x, (1, 2), mode="edge") | np.pad(x, 2, mode="reflect") | np.pad(x, 2, mode="symmetric") | np.pad(x, 1, mode="wrap") | np.pad(A, 1, constant_values=2)
    split: np.split(x, 1)[0].copy() | np.split(A, [1])[0].copy() | np.split(A, [1])[1].copy() | np.split(x, [1, 2])[0].copy() | np.split(A, 1, axis=1)[0].copy()
    array_split: np.array_split(x, 2)[0].copy() | np.array_split(x, 2)[1].copy() | np.array_split(A, [1])[0].copy() | np.array_split(A, [1])[1].copy() | np.array_split(x, 3)[0].copy()
    vsplit: np.vsplit(A, [1])[0].copy() | np.vsplit(A, [1])[1].copy()
    hsplit: np.hsplit(A, [1])[0].copy() | np.hsplit(A, [1])[1].copy() | np.hsplit(x, [2])[0].copy() | np.hsplit(x, [2])[1].copy()
    dsplit: np.dsplit(T, [1])[0].copy() | np.dsplit(T, [1])[1].copy()
    tile: np.tile(x, 2) | np.tile(x, (2, 2)) | np.tile(A, 0) | np.tile(x, -1)
    repeat: np.repeat(x, 2) | np.repeat(A, 2, axis=0) | np.repeat(A, 3) | np.repeat(x, 0) | np.repeat(x, -1)
    roll: np.roll(x, 1) | np.roll(x, -7) | np.roll(A, 1, axis=0) | np.roll(A, 2)
    flip: np.flip(x).copy() | np.flip(A).copy() | np.flip(A, axis=1).copy()
    flipud: np.flipud(x).copy() | np.flipud(A).copy()
    fliplr: np.fliplr(A).copy()
    rot90: np.rot90(A).copy() | np.rot90(A, 2).copy() | np.rot90(A, -1).copy()
    reshape: np.reshape(x, (-1,)).copy() | np.reshape(A, (A.size,)).copy() | np.reshape(A, (-1, 1)).copy() | np.reshape(x, (2, 2)).copy() | np.reshape(A, (-1, 2)).copy() | np.reshape(A, (2, -1), order="F").copy() | np.reshape(x[0], (1, 1))
    ravel: np.ravel(x).copy() | np.ravel(A.T).copy()
    transpose: np.transpose(x).copy() | np.transpose(A).copy() | np.transpose(T, (2, 0, 1)).copy()
    permute_dims: np.permute_dims(T, (1, 2, 0)).copy()
    matrix_transpose: np.matrix_transpose(A).copy()
    swapaxes: np.swapaxes(A, 0, 1).copy() | np.swapaxes(T, 0, -1).copy()
    moveaxis: np.moveaxis(T, 0, -1).copy() | np.moveaxis(A, 0, 1).copy()
    expand_dims: np.expand_dims(x, 0).copy() | np.expand_dims(A, (0, 2)).copy()
    squeeze: np.squeeze(x[None, :], axis=0).copy()
    broadcast_to: np.broadcast_to(x, (2, len(x))).copy() | np.broadcast_to(x[:, None], (len(x), 0)).copy() | np.broadcast_to(x, (2, 3)).copy()
    broadcast_arrays: np.broadcast_arrays(x[:, None], y)[0] * 1 | np.broadcast_arrays(A, x)[1] * 1
    atleast_1d: np.atleast_1d(x).copy() | np.atleast_1d(u)
    atleast_2d: np.atleast_2d(x).copy() | np.atleast_2d(A).copy()
    atleast_3d: np.atleast_3d(x).copy() | np.atleast_3d(A).copy()
    shape: np.shape(x) | np.shape(A)
    size: np.size(x) | np.size(A) | np.size(A, 1)
    ndim: np.ndim(x) | np.ndim(A) | np.ndim(u)
""")  # fmt: skip

# ------------------------------------------------------------------------------------ picking, sorting, sets, indices

_rows("numpy", """
    take: np.take(x, k) | np.take(x, 0) | np.take(A, k, axis=0) | np.take(A, k) | np.take(x, -1)
    take_along_axis: np.take_along_axis(x, np.argsort(x, kind="stable"), axis=0) | np.take_along_axis(A, np.argsort(A, axis=1, kind="stable"), axis=1)
    choose: np.choose(x > 1, (x, y)) | np.choose([0, 1, 1], [1.0, 2.5, 3.0]) | np.choose(np.array([3, -1, 0]), [1.5, 2.5], mode="clip") | np.choose(np.array([3, -1, 0]), [1.5, 2.5], mode="wrap") | np.choose(5, [1.5, 2.5]) | np.choose(1, [x, y])
    select: np.select([x > 1, x < 0], [x, -x], 2) | np.select([x > 1], [x]) | np.select([x], [y])
    compress: np.compress(A[0] > 0, A, axis=1) | np.compress(A[:, 0] > 0, A, 0) | np.compress(x > 0, x) | np.compress(x > 0, y) | np.compress(np.array([True]), x)
    extract: np.extract(x > 0, y) | np.extract(A > 0, A)
    argwhere: np.argwhere(x) | np.argwhere(A)
    nonzero: np.nonzero(x) | np.nonzero(A)
    flatnonzero: np.flatnonzero(x) | np.flatnonzero(A)
    unravel_index: np.unravel_index(k, (2, 3)) | np.unravel_index(x % 6, (2, 3)) | np.unravel_index(k, (2, x.size)) | np.unravel_index(5, (2, 3)) | np.unravel_index(7, (2, 3))
    ravel_multi_index: np.ravel_multi_index((k, k), (3, 3)) | np.ravel_multi_index((x % 3, x % 3), (3, 3)) | np.ravel_multi_index((1, 2), (2, 3)) | np.ravel_multi_index((2, 2), (2, 3))
    array_equal: np.array_equal(x, y) | np.array_equal(x, x) | np.array_equal(A, B) | np.array_equal(x, A)
    allclose: np.allclose(x, y) | np.allclose(A, B) | np.allclose(x, y, rtol=0.5, atol=1.0) | np.allclose(x, y, equal_nan=True)
    isin: np.isin(x, y) | np.isin(x, y, False, True) | np.isin(A, np.array([1.0, 2.0]))
    sort: np.sort(x) | np.sort(A) | np.sort(A, axis=0) | np.sort(A, axis=None)
    argsort: np.argsort(x, kind="stable") | np.argsort(A, axis=0, kind="stable") | np.argsort(A, kind="stable")
    lexsort: np.lexsort((x, y)) | np.lexsort((x,)) | np.lexsort(np.array([[1.0, 1.0, 0.0], x[:3]]))
    tril_indices: np.tril_indices(3) | np.tril_indices(2, 1, 4) | np.tril_indices(0)
    triu_indices: np.triu_indices(3) | np.triu_indices(3, -1) | np.triu_indices(3, 9)
    tril_indices_from: np.tril_indices_from(A) | np.tril_indices_from(S)
    triu_indices_from: np.triu_indices_from(A) | np.triu_indices_from(S, 1)
    diag_indices: np.diag_indices(3) | np.diag_indices(0)
    diag_indices_from: np.diag_indices_from(S) | np.diag_indices_from(A)
    fill_diagonal: Z = A.copy(); np.fill_diagonal(Z, 2); return Z
    copyto: z = x.copy(); np.copyto(z, y); return z | z = x.copy(); np.copyto(z, 2); return z
    put: z = x.copy(); np.put(z, [0, -1], y[:1]); return z | Z = A.copy(); np.put(Z, [[1, 0]], x[:2]); return Z | z = x.copy(); np.put(z, [9], 1); return z | z = x.copy(); np.put(z, 1, 2); return z
    putmask: z = x.copy(); np.putmask(z, x > 1, x * x); return z | Z = A.copy(); np.putmask(Z, A > 1, A[0]); return Z | z = x.copy(); np.putmask(z, x > 1, 2); return z | z = x.copy(); np.putmask(z, x[1:] > 1, 2); return z
    place: z = x.copy(); np.place(z, x > 1, y[:2]); return z | Z = A.copy(); np.place(Z, A > 1, x); return Z | z = x.copy(); np.place(z, x[1:] > 1, y); return z | z = x.copy(); np.place(z, x > -9, y[:0]); return z
    put_along_axis: Z = A.copy(); np.put_along_axis(Z, np.argmax(A, axis=1)[:, None], 2, axis=1); return Z | Z = A.copy(); np.put_along_axis(Z, np.argmin(A, axis=0)[None], A[:1], 0); return Z
    trim_zeros: np.trim_zeros(x) | np.trim_zeros(x * (x > 1), "f") | np.trim_zeros(x * (x > 1), "b") | np.trim_zeros(x * 0)
    correlate: np.correlate(x, y) | np.correlate(x, y, "full") | np.correlate(x, y[:2], "same")
    convolve: np.convolve(x, y) | np.convolve(x, y, "valid") | np.convolve(x, y[:2], "same")
    polyval: np.polyval(x, 2.0) | np.polyval(x, y) | np.polyval([1.0, 2.0], e)
    polyder: np.polyder(x)
    polyint: np.polyint(x)
""")  # fmt: skip
_each("numpy.polynomial.polynomial", "polyadd polysub polymul", "F(1.0 + x * x, y * 1.0)")
_each("numpy.polynomial.polynomial", "polyder", "F(x)", "F(x, 2)", "F(x, scl=0.5)")
for _home, _names in {
    "polynomial": "polyval polyvander", "chebyshev": "chebval chebvander", "legendre": "legval legvander",
    "hermite": "hermval hermvander", "hermite_e": "hermeval hermevander", "laguerre": "lagval lagvander",
}.items():  # fmt: skip
    _value, _matrix = _names.split()
    _each(f"numpy.polynomial.{_home}", _value, "F(h, [1.0, 2.0, -0.5])", "F(0.5, S)", "F(S[0], S, 1 > 2)")
    _each(f"numpy.polynomial.{_home}", _matrix, "F(h, 0)", "F(h, 3)", "F(A, 2)")
    if _home != "polynomial":
        _each(f"numpy.polynomial.{_home}", f"{_value.removesuffix('val')}gauss", "F(1)[1]", "F(3)[0] * x[0]", "F(12)[1] * x[1]")
_each("scipy.special", "roots_legendre p_roots roots_hermite h_roots roots_hermitenorm he_roots roots_laguerre l_roots roots_chebyt t_roots", "F(4)[0] * x[0]", "F(5, True)[2]", "F(7)[1]")

# --------------------------------------------------------------------------------------------------- products, linalg

_rows("numpy", """
    matmul: np.matmul(x, y) | np.matmul(S, C) | np.matmul(S, b) | np.matmul(A, B.T) | np.matmul(T, T)
    dot: np.dot(2.5, A) | np.dot(x, y) | np.dot(S, C) | np.dot(S, b) | np.dot(A, A)
    inner: np.inner(x, y) | np.inner(A, B) | np.inner(A, x)
    vdot: np.vdot(x, y) | np.vdot(A, B)
    outer: np.outer(x, y)
    kron: np.kron(x, y) | np.kron(A, B) | np.kron(A, x)
    cross: np.cross(x, y) | np.cross(A, B)
    tensordot: np.tensordot(A, B, axes=([1], [1])) | np.tensordot(A, B) | np.tensordot(x, y, 1) | np.tensordot(x, y, 0) | np.tensordot(S, C, 1)
    vecdot: np.vecdot(x, y) | np.vecdot(A, B) | np.vecdot(A, B, axis=0)
    matvec: np.matvec(S, b) | np.matvec(A, x)
    vecmat: np.vecmat(b, A) | np.vecmat(x, A)
    einsum: np.einsum(A, [0, 1], B, [0, 1], [1]) | np.einsum(S, [0, 0]) | np.einsum("i,i", x, y) | np.einsum("ij,ij->i", A, B) | np.einsum("ij->ji", A) | np.einsum("ii", S) | np.einsum("ij->", A) | np.einsum("i,j->ij", x, y) | np.einsum("ij,jk->ik", S, C)
""")  # fmt: skip
_rows("numpy.linalg", """
    solve: np.linalg.solve(S, b) | np.linalg.solve(S, C) | np.linalg.solve(A, b) | np.linalg.solve(S, x)
    inv: np.linalg.inv(S) | np.linalg.inv(A)
    det: np.linalg.det(S) | np.linalg.det(A)
    slogdet: np.linalg.slogdet(S).logabsdet | np.linalg.slogdet(S) | np.linalg.slogdet(A)
    cholesky: np.linalg.cholesky(S) | np.linalg.cholesky(A)
    eigh: np.linalg.eigh(S).eigenvalues | np.linalg.eigh(S)[0] | np.linalg.eigh(A)[0] | w_, v_ = np.linalg.eigh(S); return (v_ * w_) @ v_.T
    eigvalsh: np.linalg.eigvalsh(S) | np.linalg.eigvalsh(A)
    svd: np.linalg.svd(A, full_matrices=False).S | np.linalg.svd(A, compute_uv=False) | np.linalg.svd(S, full_matrices=False)[1] | u_, s_, t_ = np.linalg.svd(A, full_matrices=False); return (u_ * s_) @ t_
    svdvals: np.linalg.svdvals(A) | np.linalg.svdvals(S)
    lstsq: np.linalg.lstsq(A, b, rcond=None) | np.linalg.lstsq(A, C, rcond=None) | np.linalg.lstsq(S, b) | np.linalg.lstsq(A, x)
    cond: np.linalg.cond(S) | np.linalg.cond(A)
    matrix_power: np.linalg.matrix_power(S, 0) | np.linalg.matrix_power(S, 3) | np.linalg.matrix_power(S, -1) | np.linalg.matrix_power(S, -2) | np.linalg.matrix_power(A, 2)
    multi_dot: np.linalg.multi_dot([S, S, C]) | np.linalg.multi_dot([S, b]) | np.linalg.multi_dot([b, S, b])
    norm: np.linalg.norm(x) | np.linalg.norm(A) | np.linalg.norm(T) | np.linalg.norm(A, "fro") | np.linalg.norm(A, "nuc") | np.linalg.norm(A, axis=1, keepdims=True)
    matmul: np.linalg.matmul(S, C) | np.linalg.matmul(S, b)
    outer: np.linalg.outer(x, y)
    trace: np.linalg.trace(A)
    diagonal: np.linalg.diagonal(A).copy()
    matrix_transpose: np.linalg.matrix_transpose(A).copy()
    cross: np.linalg.cross(x, y) | np.linalg.cross(A, B)
    vecdot: np.linalg.vecdot(x, y) | np.linalg.vecdot(A, B)
    tensordot: np.linalg.tensordot(A, B, axes=([1], [1]))
    vector_norm: np.linalg.vector_norm(x) | np.linalg.vector_norm(A)
    matrix_norm: np.linalg.matrix_norm(A) | np.linalg.matrix_norm(T)
""")  # fmt: skip
_ORDERS = "1 2 3 1.5 0.5 0 -1 -2 -3 np.inf -np.inf".split()
TABLE["numpy.linalg.norm"] += (
    *(f"np.linalg.norm(x, {p})" for p in _ORDERS),
    *(f"np.linalg.norm(A, {p}, axis=0)" for p in _ORDERS),
    *(f"np.linalg.norm(A, {p})" for p in "1 2 -1 -2 np.inf -np.inf".split()),
    *(f"np.linalg.norm(T, {p}, axis=(1, 2))" for p in "1 np.inf".split()),
)

# ------------------------------------------------------------------------------------------------- dtypes and methods

_each("numpy", "float64 double float32 single", "F(u)", "F(e)")
_each("numpy", "int64 intp int_ int32 intc", "F(u)")
_each("numpy", "bool bool_", "F(u)", "F(e)")
METHODS: dict[str, tuple[str, ...]] = {
    **{name: (f"x.{name}()", f"A.{name}(axis=0)") for name in "sum prod mean var std min max argmin argmax any all cumsum cumprod".split()},
    "argsort": ('x.argsort(kind="stable")', 'A.argsort(axis=0, kind="stable")'),
    "astype": ("e.astype(np.float32)", "e.astype(np.float64)", "e.astype(bool)", "x.astype(int)"),
    "clip": ("e.clip(-1, 2)",),
    "conj": ("e.conj().copy()",),
    "conjugate": ("e.conjugate().copy()",),
    "compress": ("x.compress(x > 0)", "x.compress(y > 0)"),
    "copy": ("x.copy()", "A.T.copy()"),
    "diagonal": ("A.diagonal().copy()",),
    "dot": ("x.dot(y)", "S.dot(b)"),
    "fill": ("z = x.copy(); z.fill(2); return z",),
    "flatten": ("A.flatten()", "A.T.flatten()"),
    "item": ("x.item()", "A.item()"),
    "nonzero": ("x.nonzero()", "A.nonzero()"),
    "ravel": ("A.ravel().copy()",),
    "repeat": ("x.repeat(2)",),
    "reshape": ("A.reshape(-1).copy()", "A.reshape(-1, 1).copy()", "x.reshape((2, 2)).copy()"),
    "round": ("e.round()", "e.round(2)"),
    "searchsorted": ("np.sort(x).searchsorted(y)",),
    "sort": ("z = x.copy(); z.sort(); return z", "Z = A.copy(); Z.sort(axis=0); return Z"),
    "squeeze": ("x[None, :].squeeze(axis=0).copy()",),
    "swapaxes": ("A.swapaxes(0, 1).copy()",),
    "take": ("x.take(k)",),
    "tolist": ("np.array(x.tolist(), dtype=np.float64)",),
    "trace": ("A.trace()",),
    "__len__": ("x.__len__()", "A.__len__()"),
    "transpose": ("A.transpose().copy()", "T.transpose(2, 0, 1).copy()"),
}
TABLE |= {f"ndarray.{name}": calls for name, calls in METHODS.items()}

ELSEWHERE = {
    **{
        f"scipy.{name}": "calls or returns a function: tests/library/test_functions_of_functions.py"
        for name in (
            "optimize.bisect", "optimize.brentq", "optimize.newton", "integrate.quad", "interpolate.interp1d",
            "interpolate.PchipInterpolator", "interpolate.Akima1DInterpolator", "interpolate.RegularGridInterpolator",
            "interpolate.CubicSpline", "interpolate.InterpolatedUnivariateSpline", "interpolate.splrep", "interpolate.splev", "optimize.fsolve", "optimize.root",
            "optimize.root_scalar", "optimize.minimize_scalar", "optimize.leastsq", "optimize.least_squares", "optimize.curve_fit",
            "integrate.odeint", "integrate.solve_ivp",
        )
    },
    **{
        name: "functions of lists and other containers: tests/constructs/test_containers.py"
        for name in (
            *(f"heapq.{n}" for n in "heapify heappop heappush heappushpop heapreplace nlargest nsmallest".split()),
            *(f"bisect.{n}" for n in "bisect bisect_left bisect_right insort insort_left insort_right".split()),
            "builtins.set", "collections.Counter", "collections.OrderedDict", "collections.defaultdict", "collections.deque",
        )
    },
    **{
        f"builtins.{name}": "of names and attributes: tests/api/test_other_peoples_code.py"
        for name in ("locals", "setattr", "object.__setattr__")
    },
    **{f"numpy.{name}": "of warnings: tests/api/test_other_peoples_code.py" for name in ("seterr", "geterr")},
    **{
        name: "complex numbers: tests/constructs/test_complexes.py"
        for name in (
            *(f"cmath.{n}" for n in "acos asin asinh atan atanh cos cosh exp isfinite isinf isnan log log10 phase polar rect sin sinh sqrt tan tanh".split()),
            "numpy.real_if_close", "numpy.sort_complex",
            *(f"{home}.fft.{n}" for home in ("numpy", "scipy") for n in "fft ifft rfft irfft".split()), "scipy.signal.hilbert",
            *(f"numpy.fft.{n}" for n in "fft2 ifft2 fftn ifftn rfft2 irfft2".split()),
            "builtins.complex", "numpy.complex64", "numpy.complex128", "numpy.csingle", "numpy.cdouble",
        )
    },
    **{
        f"linad.{name}": "linad's own, plain Python without it: tests/constructs/test_combinators.py, tests/adjoint/sweep/test_derivatives_inside.py"
        for name in "build fold grad jvp map reduce scanl scanr shift1l shift1r sum value_and_grad vjp".split()
    },
    **{
        f"linad.{name}": "linad's own: tests/transforms"
        for name in "hessian hvp jacfwd jacobian jacrev linear_transpose linearize stop_gradient value_and_jacobian vmap".split()
    },
    "linad.vjp's pullback": "no function of a library: tests/adjoint/sweep/test_derivatives_inside.py",
    "linad.jvp's directions": "no function of a library: tests/transforms/test_jacobian.py",
    "linad.vjp's directions": "no function of a library: tests/transforms/test_jacobian.py",
    **{
        f"numpy.{name}": "of types, known when compiled: tests/api/test_static_arguments.py, test_other_peoples_code.py"
        for name in "common_type dtype finfo iinfo iscomplexobj isrealobj isscalar issubdtype iterable promote_types result_type".split()
    },
    "ndarray.setflags": "no value depends on it: tests/api/test_other_peoples_code.py",
    "numpy.asanyarray": "`asarray`, which has a row: tests/api/test_other_peoples_code.py",
    "numpy.broadcast": "of shapes: tests/api/test_other_peoples_code.py",
    **{
        f"itertools.{name}": "iterators: tests/constructs/test_iterators.py"
        for name in (
            "accumulate chain chain.from_iterable combinations combinations_with_replacement compress count cycle "
            "dropwhile filterfalse groupby islice pairwise permutations product repeat starmap takewhile zip_longest"
        ).split()
    },
    **{
        name: "iterators: tests/constructs/test_iterators.py"
        for name in "builtins.filter builtins.iter builtins.next numpy.fromiter".split()
    },
    **{
        f"numpy.{name}": "conversions: tests/arrays/test_small_ints.py"
        for name in "byte int16 int8 short ubyte uint uint16 uint32 uint64 uint8 uintc uintp ushort".split()
    },
    **{
        name: "of types, known when compiled: tests/constructs/test_texts_and_slices.py"
        for name in "numpy.ma.isMA numpy.ma.isMaskedArray numpy.ma.is_masked scipy.sparse.issparse scipy.sparse.isspmatrix".split()
    },
    **{f"operator.{n}": "functions that read a part: tests/constructs/test_statements.py" for n in ("itemgetter", "attrgetter")},
    **{name: "copies of structures: tests/api/test_functions_of_packages.py" for name in ("copy.copy", "copy.deepcopy")},
    "functools.reduce": "of functions: tests/api/test_functions_of_packages.py",
    "numpy.piecewise": "of functions: tests/api/test_functions_of_packages.py",
    "numpy.lib.stride_tricks.as_strided": "of strides, which are no numbers: tests/api/test_known_shapes.py",
    "numpy.lib.stride_tricks.sliding_window_view": "a view of one array: tests/api/test_known_shapes.py",
    **{
        f"scipy.spatial.transform.Rotation.{name}": "rotations: tests/library/test_rotations.py"
        for name in (
            "from_quat from_rotvec from_matrix from_euler identity as_quat as_rotvec as_matrix as_euler inv apply "
            "magnitude __mul__"
        ).split()
    },
    **{
        f"numpy.poly1d{name and '.'}{name}": "objects: tests/library/test_objects.py"
        for name in (
            "c coef coefficients o order deriv integ __call__ __array__ __len__ __getitem__ __add__ __radd__ __sub__ "
            "__rsub__ __mul__ __rmul__ __truediv__ __pow__ __neg__"
        ).split()
        + [""]
    },
    **{
        f"numpy.polynomial.Polynomial{name and '.'}{name}": "objects: tests/library/test_objects.py"
        for name in (
            "fit convert copy degree mapparms deriv integ __call__ __array_ufunc__ __add__ __radd__ __sub__ __rsub__ "
            "__mul__ __rmul__ __truediv__ __pow__ __neg__"
        ).split()
        + [""]
    },
    "copy.replace": "of records, not of numbers: tests/constructs/test_records.py",
    "dataclasses.replace": "of records, not of numbers: tests/constructs/test_records.py",
}
_HOMES = {short: home for home, short in SHORT.items()} | {"so": "scipy.optimize", "sx": "scipy.interpolate", "statistics": "statistics"}
_CALLED = {f"{_HOMES[short]}.{name}" for text in ORDINARY for short, name in re.findall(r"\b([a-z]+)\.([\w.]+)\(", text) if short in _HOMES}
ELSEWHERE |= {name: "on ordinary arguments: tests/library/test_ordinary.py" for name in sorted(_CALLED - TABLE.keys() - ELSEWHERE.keys())}
