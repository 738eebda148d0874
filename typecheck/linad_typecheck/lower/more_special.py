"""Special functions that are written in terms of others, or as loops: beta and gamma functions, elliptic integrals, polynomials.

Gamma functions of large arguments are put together from Stirling's remainder, never from differences of large logarithms.
What is a loop runs a few steps beyond what its value needs, so that derivatives have converged too; what has not converged
raises ValueError.
"""

from __future__ import annotations

from ..messages.types import WrongType
from ..types import FLOATS
from .context import Lowering
from .externals import Args, Rule
from .numbers import as_scalar, cast, promote
from .operands import bound, literal_int
from .texts import texts
from .values import Poison, ScalarValue, Value, literal
from .written import called, written

# ------------------------------------------------------------------------------- what others are made of, of floats

_STIRLING = """
def stirling(a):
    if a < 10.0:
        return math.lgamma(a) - (a - 0.5) * np.log(a) + a - 0.9189385332046728
    z = 1.0 / (a * a)
    t = 1.0 / 1188.0 - z * (691.0 / 360360.0 - z / 156.0)
    return (1.0 / 12.0 - z * (1.0 / 360.0 - z * (1.0 / 1260.0 - z * (1.0 / 1680.0 - z * t)))) / a
"""  # what Stirling's formula lacks of the logarithm of the gamma function
_LOG_EXCESS = """
def log_excess(part, whole):
    u = (part - whole) / whole
    if not abs(u) < 0.5:
        return np.log(part / whole) - u
    r = u / (2.0 + u)
    z = r * r
    total = 0.0
    for k in range(20, 0, -1):
        total = z * (1.0 / (2.0 * k + 1.0) + total)
    return r * (2.0 * total - u)
"""  # log(1 + u) - u for u = part / whole - 1
_SINPI = """
def sinpi(z):
    k = np.rint(z)
    return np.sin(np.pi * (z - k)) * (1.0 if k % 2.0 == 0.0 else -1.0)
"""
_RGAMMA = """
def rgamma(z):
    if z == -np.inf or z == 0.0:
        return 0.0 if z < 0.0 else z
    if not z < 0.5:
        return 1.0 / sp.gamma(z)
    s = sinpi(z)
    return s * sp.gamma(1.0 - z) / np.pi + 0.0 if z > -171.0 or s != 0.0 else 0.0
"""
_POLE = """
def pole(a, b):
    if not (a <= 0.0 and a == np.floor(a)):
        return False
    if a > -np.inf and 0.0 < b < 1.0 - a and b == np.floor(b):
        raise ValueError("beta of ints that are not both positive, where two poles cancel and it has no derivative")
    return True
"""
_BETALN = """
def betaln(a, b):
    if pole(a, b) or pole(b, a):
        return np.inf
    if a != a or b != b:
        return np.nan
    p = min(a, b)
    q = max(a, b)
    if q == np.inf:
        return -q if p > 0.0 else q
    if not (q >= 10.0 and p + q > 0.0):
        return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    far = stirling(q) - stirling(p + q)
    if p < 10.0:
        return math.lgamma(p) + p - (q - 0.5) * np.log1p(p / q) - p * np.log(p + q) + far
    near = (p - 0.5) * np.log(p / (p + q)) - (q - 0.5) * np.log1p(p / q)
    return near - 0.5 * np.log(p + q) + 0.9189385332046728 + stirling(p) + far
"""

# --------------------------------------------------------------------------------------- beta and binomial functions

_BETA = """
def beta(a, b):
    if a > 0.0 and b > 0.0:
        return np.exp(betaln(a, b))
    if pole(a, b) or pole(b, a):
        return -np.inf if a <= 0.0 and a == np.floor(a) and b < 0.0 and b % 2.0 == 1.0 else np.inf
    if a != a or b != b:
        return np.nan
    q = max(a, b)
    exact = q >= 10.0 and a + b > 0.0
    if max(abs(a), abs(b)) > 1e5 and not exact:
        raise ValueError("beta of a negative number and a large one")
    sign = 1.0
    for t in (a, b, a + b):
        if t < 0.0 and np.floor(t) % 2.0 != 0.0:
            sign = -sign
    if a + b == np.floor(a + b) and a + b <= 0.0:
        return sp.gamma(a) * rgamma(a + b) * sp.gamma(b)
    return sign * np.exp(betaln(a, b))
"""
_BINOM = """
def binom(n, k):
    j = n - k
    if n != n or k != k or (n < 0.0 and n == np.floor(n)) or k == np.inf:
        return np.nan
    if k == -np.inf or n == np.inf:
        return 0.0 if k < 0.0 else 1.0 if k == 0.0 else np.inf
    sign = 1.0
    if n > -1.0 and k > -1.0 and j > -1.0:
        p, q, sign = 1.0 + j, 1.0 + k, -1.0
        if n > 1e5:  # 1 over beta may be infinite
            return np.exp(-betaln(p, q) - np.log1p(n))
        factor = 1.0 / (1.0 + n)
    else:
        if max(abs(n), abs(k)) > 1e5:
            raise ValueError("binom of large numbers that are not 0 <= k <= n")
        sn, sk, sj = sinpi(n + 1.0), sinpi(k + 1.0), sinpi(j + 1.0)
        if n > -1.0:
            p, q = n + 1.0, -j if k > -1.0 else -k
            factor = (sj if k > -1.0 else sk) / np.pi
        elif k > -1.0 or j > -1.0:
            p, q, sign = -n, k + 1.0 if k > -1.0 else j + 1.0, -1.0
            factor = sj / sn / -j if k > -1.0 else sk / sn / -k
        else:
            p, q = -k, -j
            factor = sk * sj / (np.pi * sn)
    return factor * np.exp(sign * betaln(p, q))
"""
_POCH = """
def poch(z, m):
    s = z + m
    if z == np.inf and m > -np.inf:
        return 1.0 if m == 0.0 else np.inf if m > 0.0 else 0.0
    if z > 0.0 and m == np.inf:
        return np.inf
    if z <= 0.0 and z == np.floor(z) and (s > 171.0 or 0.0 < abs(s) < 1e-300):
        return 0.0
    if abs(z) < 1e-300 and 0.0 < abs(s) < 1e-300:
        return z / s
    if s <= 0.0 and s == np.floor(s) and z != np.floor(z):
        if s - m != z:
            raise ValueError("poch so near to a pole that the sum of its arguments is rounded to it")
        return np.inf
    if s == np.floor(s) and s <= 0.0 and z == np.floor(z):
        raise ValueError("poch between ints that are not positive: its second argument is an int there")
    if not (z > 0.0 and s > 0.0):
        return sp.gamma(s) * rgamma(z) + 0.0
    if z >= 10.0 and s >= 10.0:
        return np.exp((z - 0.5) * np.log1p(m / z) + m * np.log(s) - m + stirling(s) - stirling(z))
    return np.exp(math.lgamma(s) - math.lgamma(z))
"""

_POCH_BY_INT = """
def product(z, m):
    if abs(m) > 100.0:
        return poch(z, m)
    total = 1.0
    for i in range(int(max(m, 0.0))):
        total *= z + i
    for i in range(int(max(-m, 0.0))):
        if z == i + 1.0:
            return np.inf
        total /= z - i - 1.0
    return total
"""

# ----------------------------------------------------------------------------------- incomplete functions, as loops

_GAMMAINC_FRONT = """
def front(a, x):
    if a < 10.0:
        return np.exp(a * np.log(x) - x - math.lgamma(a))
    return np.sqrt(a / (2.0 * np.pi)) * np.exp(a * log_excess(x, a) - stirling(a))
"""
_GAMMAINC_SUM = """
def lower(a, x):
    term = 1.0 / a
    total = term
    k = a
    n = 0.0
    while term > total * 1e-19 and n < 100000.0:
        n += 1.0
        k += 1.0
        term *= x / k
        total += term
    return total * front(a, x)
"""
_GAMMAINC_FRACTION = """
def upper(a, x):
    b = x + 1.0 - a
    c = 1e300
    d = 1.0 / b
    h = d
    n = 0.0
    more = 4.0
    while more > 0.0 and n < 100000.0:
        n += 1.0
        an = n * (a - n)
        b += 2.0
        d = 1.0 / (an * d + b)
        c = b + an / c
        change = c * d
        h *= change
        more -= 0.0 if abs(change - 1.0) > 1e-15 else 1.0
    return h * front(a, x)
"""
_GAMMAINC = """
def gammainc(a, x):
    if not (a >= 0.0 and x >= 0.0) or (a == np.inf and x == np.inf) or (a == 0.0 and x == 0.0):
        return np.nan
    if x == 0.0 or a == np.inf:
        return {none}
    if a < 1e-300 or x == np.inf:
        return {whole}
    if a > 1e6:
        raise ValueError("{name} of an order beyond 1e6")
    {small}
    return {below} if x < a + 1.0 else {above}
"""
_GAMMAINCC_SMALL = """if a < 1.0 and x < a + 1.0:
        if x > 1.1:
            return upper(a, x)
        scaled = math.lgamma(1.0 + a) if a > 1e-3 else a * (-0.5772156649015329 + a * (0.8224670334241132
                 - a * (0.40068563438653143 - a * (0.27058080842778454 - a * 0.20738555102867398))))
        term = -x
        total = term / (a + 1.0)
        k = 1.0
        while abs(term) > 1e-20:
            k += 1.0
            term *= -x / k
            total += term / (a + k)
        power = a * np.log(x) - scaled
        return -np.expm1(power) - np.exp(power) * a * total"""
_BETAINC = """
def betainc(a, b, x):
    if not (a >= 0.0 and b >= 0.0 and 0.0 <= x <= 1.0) or (a == 0.0 and b == 0.0) or (a == np.inf and b == np.inf):
        return np.nan
    if x == 0.0 or x == 1.0:
        return x
    if a == 0.0 or b == np.inf:
        return 1.0
    if b == 0.0 or a == np.inf:
        return 0.0
    if min(a, b) < 1e-100 or max(a, b) > 1e100:
        raise ValueError("betainc of orders that are too small or too large")
    turned = x >= (a + 1.0) / (a + b + 2.0)
    p = b if turned else a
    q = a if turned else b
    y = 1.0 - x if turned else x
    z = x if turned else 1.0 - x
    log_y = np.log1p(-x) if turned else np.log(x)
    log_z = np.log(x) if turned else np.log1p(-x)
    s = p + q
    if p < 10.0 and q < 10.0:
        power = p * log_y + q * log_z + math.lgamma(s) - math.lgamma(p) - math.lgamma(q)
        front = np.exp(power) / p
    elif p < 10.0 or q < 10.0:
        front = np.exp(p * log_y + q * log_z - betaln(p, q)) / p
    else:
        power = p * log_excess(y, p / s) + q * log_excess(z, q / s) + stirling(s) - stirling(p) - stirling(q)
        front = np.sqrt(p * (q / s) / (2.0 * np.pi)) * np.exp(power) / p
    c = 1.0
    d = 1.0 / (1.0 - s * y / (p + 1.0))
    h = d
    m = 0.0
    more = 4.0
    while more > 0.0 and m < 100000.0:
        m += 1.0
        t = m * (q - m) * y / ((p + 2.0 * m - 1.0) * (p + 2.0 * m))
        d = 1.0 / (1.0 + t * d)
        c = 1.0 + t / c
        h *= d * c
        t = -(p + m) * (s + m) * y / ((p + 2.0 * m) * (p + 2.0 * m + 1.0))
        d = 1.0 / (1.0 + t * d)
        c = 1.0 + t / c
        change = d * c
        h *= change
        more -= 0.0 if abs(change - 1.0) > 1e-15 else 1.0
    if more > 0.0 or h != h:
        raise ValueError("betainc of orders that are too large")
    return 1.0 - front * h if turned else front * h
"""
_EXP1 = """
def exp1(x):
    if not x > 0.0:
        return np.inf if x == 0.0 else np.nan
    if x > 800.0:
        return 0.0
    if x <= 1.0:
        total = -0.5772156649015329 - np.log(x)
        term = 1.0
        k = 0.0
        while abs(term) > 1e-20:
            k += 1.0
            term *= -x / k
            total -= term / k
        return total
    b = x + 1.0
    c = 1e300
    d = 1.0 / b
    h = d
    n = 0.0
    more = 4.0
    while more > 0.0 and n < 1000.0:
        n += 1.0
        an = -n * n
        b += 2.0
        d = 1.0 / (an * d + b)
        c = b + an / c
        change = c * d
        h *= change
        more -= 0.0 if abs(change - 1.0) > 1e-15 else 1.0
    return h * np.exp(-x)
"""
_ELLIPTIC = """
def elliptic(m):
    if not m < 1.0:
        return {end}
    if m == -np.inf:
        return {far}
    a = 1.0
    b = np.sqrt(1.0 - m)
    power = 0.5
    total = 1.0 - 0.5 * m
    for _ in range(14):
        c = 0.5 * (a - b)
        g = np.sqrt(a * b)
        a = 0.5 * (a + b)
        b = g
        power *= 2.0
        total -= power * c * c
    return {result}
"""
_POLYNOMIAL = """
def polynomial(n, x):
    if n < 0:
        raise ValueError("{name} of a negative degree")
    before = 1.0
    now = {first}
    if n == 0:
        return before if x == x else {zero}
    if abs(x) == np.inf and n > 1:
        return {far}
    for k in range(1, n):
        new = {new}
        before = now
        now = new
    return now
"""
_GROWS = "x if n % 2 == 1 else abs(x)"  # as the highest power at infinity
_POLYNOMIALS = {
    "legendre": ("x", "((2.0 * k + 1.0) * x * now - k * before) / (k + 1.0)", _GROWS),
    "chebyt": ("x", "2.0 * x * now - before", "np.nan"),
    "chebyu": ("2.0 * x", "2.0 * x * now - before", "np.nan"),
    "hermite": ("2.0 * x", "2.0 * x * now - 2.0 * k * before", "np.nan"),
    "hermitenorm": ("x", "x * now - k * before", "np.nan"),
    "laguerre": ("1.0 - x", "((2.0 * k + 1.0 - x) * now - k * before) / (k + 1.0)", "-x if n % 2 == 1 else abs(x)"),
}

# ------------------------------------------------------------------------------------------------- of one expression

_EXPREL = """
def exprel(x):
    if abs(x) < 0.5:
        total = 1.0
        for k in range(17, 1, -1):
            total = 1.0 + x / k * total
        return total
    return x if x == np.inf else np.expm1(x) / x
"""
_BOXCOX = """
def boxcox(x, lmbda):
    t = {log}
    if lmbda == 0.0 and abs(t) == np.inf:
        return t
    return t * exprel(lmbda * t) if abs(lmbda * t) < 0.5 else np.expm1(lmbda * t) / lmbda
"""
_HUBER = """
def huber(delta, r):
    size = np.abs(r)
    near = np.where(size <= delta, 0.5 * r * r, delta * (size - 0.5 * delta))
    return np.where(delta < 0.0, np.inf, near)
"""
_PSEUDO_HUBER = """
def pseudo_huber(delta, r):
    if delta < 0.0:
        return np.inf
    if delta == 0.0:
        return 0.0
    if np.abs(r) > delta:
        return delta * (np.hypot(delta, r) - delta)
    return r * r / (1.0 + np.hypot(1.0, r / delta))
"""
RULES: dict[str, Rule] = {
    "scipy.special.cosm1": texts("s = np.sin(0.5 * x)\n0.0 - 2.0 * s * s", "x"),
    "scipy.special.factorial": texts("np.where(n < 0, 0.0, sp.gamma(np.where(n < 0, 0.0, n) + np.float64(1.0)))", "n", bools=False),
    "scipy.special.comb": texts(
        "good = (k >= 0) & (k <= N)\nm = np.where(good, N, 1.0)\nj = np.where(good, k, 0.0)\nnp.where(good, sp.binom(m, j), 0.0)", "N", "k", needed=2
    ),
}  # fmt: skip


def _multigammaln(ctx: Lowering, args: Args) -> Value:
    found = bound(ctx, args, ("a", "d"), 2)
    d = None if found is None else literal_int(ctx, found["d"], 1, "the dimension", args.span)
    if d is None:
        return Poison()
    terms = " + ".join(["0.25 * d * (d - 1) * np.log(np.pi)", *(f"sp.gammaln(a - {0.5 * j})" for j in range(d))])
    return written(ctx, args, f"if np.any(a <= 0.5 * (d - 1)): raise ValueError('condition a > 0.5 * (d-1) not met')\n{terms}", a=found["a"], d=literal(d))


RULES["scipy.special.multigammaln"] = _multigammaln


def _looped(*parts: str, count: int = 1) -> Rule:
    """A function of scalars given as text, of floats; the parts before the last one are what it calls."""
    text = "".join(parts)

    def apply(ctx: Lowering, args: Args) -> Value:
        if args.keywords or len(args.values) != count:
            ctx.report(WrongType(args.span, f"`{args.name}` takes {count} argument{'s' * (count > 1)} by position", f"{len(args.values)}"))
            return Poison()
        found = [as_scalar(ctx, v, args.span, f"`{args.name}` is of numbers") for v in args.values]
        if None in found:
            return Poison()
        best = found[0]
        for v in found[1:]:
            dtype, weak = promote(best, v)
            best = ScalarValue(cast(ctx, best.atom, dtype, args.span), weak)
        wide = [ScalarValue(cast(ctx, v.atom, "f64", args.span)) for v in found]
        value = called(ctx, args, text, *wide)
        return ScalarValue(cast(ctx, value.atom, best.dtype if best.dtype in FLOATS else "f64", args.span)) if isinstance(value, ScalarValue) else value

    return apply


def _poch(ctx: Lowering, args: Args) -> Value:
    m = args.values[1] if len(args.values) == 2 else None
    by_int = isinstance(m, ScalarValue) and m.dtype not in FLOATS
    return _looped(_STIRLING, _SINPI, _RGAMMA, _POCH, *[_POCH_BY_INT] * by_int, count=2)(ctx, args)


def _of_order(text: str) -> Rule:
    """A polynomial of a literal or computed degree, an int."""

    def apply(ctx: Lowering, args: Args) -> Value:
        found = [as_scalar(ctx, v, args.span, f"`{args.name}` is of numbers") for v in args.values]
        if args.keywords or len(found) != 2 or None in found:
            if args.keywords or len(found) != 2:
                ctx.report(WrongType(args.span, f"`{args.name}` takes a degree and a number, by position", f"{len(found)}"))
            return Poison()
        if found[0].dtype in FLOATS:
            ctx.report(WrongType(args.span, f"`{args.name}` is of an int degree here", "a float", "convert it: `int(n)`"))
            return Poison()
        degree = ScalarValue(cast(ctx, found[0].atom, "i64", args.span))
        return called(ctx, args, text, degree, ScalarValue(cast(ctx, found[1].atom, "f64", args.span)))

    return apply


_LOWER = (_STIRLING, _LOG_EXCESS, _GAMMAINC_FRONT, _GAMMAINC_SUM, _GAMMAINC_FRACTION)
_INC = {"none": "0.0", "whole": "1.0", "small": "", "below": "lower(a, x)", "above": "1.0 - upper(a, x)"}
_INCC = {"none": "1.0", "whole": "0.0", "small": _GAMMAINCC_SMALL, "below": "1.0 - lower(a, x)", "above": "upper(a, x)"}
SCALARS: dict[str, Rule] = {
    "scipy.special.huber": _looped(_HUBER, count=2),
    "scipy.special.pseudo_huber": _looped(_PSEUDO_HUBER, count=2),
    "scipy.special.betaln": _looped(_STIRLING, _POLE, _BETALN, count=2),
    "scipy.special.beta": _looped(_STIRLING, _SINPI, _RGAMMA, _POLE, _BETALN, _BETA, count=2),
    "scipy.special.binom": _looped(_STIRLING, _SINPI, _POLE, _BETALN, _BINOM, count=2),
    "scipy.special.poch": _poch,
    "scipy.special.rgamma": _looped(_SINPI, _RGAMMA),
    "scipy.special.exprel": _looped(_EXPREL),
    "scipy.special.boxcox": _looped(_EXPREL, _BOXCOX.format(log="np.log(x)"), count=2),
    "scipy.special.boxcox1p": _looped(_EXPREL, _BOXCOX.format(log="np.log1p(x)"), count=2),
    "scipy.special.gammainc": _looped(*_LOWER, _GAMMAINC.format(name="gammainc", **_INC), count=2),
    "scipy.special.gammaincc": _looped(*_LOWER, _GAMMAINC.format(name="gammaincc", **_INCC), count=2),
    "scipy.special.betainc": _looped(_STIRLING, _LOG_EXCESS, _POLE, _BETALN, _BETAINC, count=3),
    "scipy.special.exp1": _looped(_EXP1),
    "scipy.special.ellipk": _looped(_ELLIPTIC.format(end="np.inf if m == 1.0 else np.nan", far="0.0", result="0.5 * np.pi / a")),
    "scipy.special.ellipe": _looped(_ELLIPTIC.format(end="1.0 if m == 1.0 else np.nan", far="np.inf", result="0.5 * np.pi / a * total")),
    **{
        f"scipy.special.eval_{name}": _of_order(_POLYNOMIAL.format(name=f"eval_{name}", first=first, new=new, far=far, zero="1.0" if name == "legendre" else "x"))
        for name, (first, new, far) in _POLYNOMIALS.items()
    },
}
