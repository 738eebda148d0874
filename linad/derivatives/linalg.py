"""The derivatives of dense linear algebra: per operation, the update of the adjoints in its reverse, and its tangent.

Every rule emits core statements, so derivatives can be differentiated again. Adjoints are accumulated by `gemm` with
transpose flags: no transposed copy is made, and factorisations are reused.

Formulas: Giles, An extended collection of matrix derivative results for forward and reverse mode algorithmic
differentiation, Oxford report NA-08/01 (2008): products and solutions (2.2.1, 2.2.3), determinants (2.2.4),
eigenvectors (3.1), singular values (3.2). Murray, Differentiation of the Cholesky decomposition, arXiv:1602.07527
(2016), equations 8 and 10. Townsend, Differentiating the singular value decomposition (2016), for singular vectors.

Conventions: NumPy reads the lower triangle of a symmetric matrix, so derivatives are by the lower triangle. If two
eigenvalues or singular values are equal, a term is infinite or nan, but 0 if no adjoint of their vectors contributes to
its numerator. If there are contributions that cancel, it is also 0 if the values have no adjoint: a function of the
vectors alone whose contributions cancel depends only on the space that they span, which a matrix function such as a
square root does not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from linad_typecheck.ir.core import Atom, Const, Dense, Var

from .matrices import ZERO, Matrices

Arrays = Callable[[int], Var]  # by position among the updated and read arrays
MaybeArrays = Callable[[int], Var | None]


@dataclass(frozen=True, slots=True)
class DenseRule:
    """The derivative of a dense operation.

    ``needs(active)``: the positions of the arrays that the reverse reads, with their contents after the statement.
    ``reverse(m, s, value, bar)`` and ``forward(m, s, dot)`` emit statements into ``m``; a bar or dot is None if it is
    inactive.
    """

    needs: Callable[[frozenset[int]], tuple[int, ...]]
    reverse: Callable[[Matrices, Dense, Arrays, MaybeArrays], None]
    forward: Callable[[Matrices, Dense, MaybeArrays], None]


def _flip(flag: str) -> str:
    return "n" if flag == "t" else "t"


# ------------------------------------------------------------------------------------------------------------ products


def _gemm_reverse(m: Matrices, s: Dense, value: Arrays, bar: MaybeArrays) -> None:
    ta, tb, sign = s.flags
    c_bar, a_bar, b_bar = bar(0), bar(1), bar(2)
    if a_bar is not None and ta == "n":
        m.gemm(a_bar, c_bar, value(2), f"n{_flip(tb)}{sign}")
    elif a_bar is not None:
        m.gemm(a_bar, value(2), c_bar, f"{tb}t{sign}")
    if b_bar is not None and tb == "n":
        m.gemm(b_bar, value(1), c_bar, f"{_flip(ta)}n{sign}")
    elif b_bar is not None:
        m.gemm(b_bar, c_bar, value(1), f"t{ta}{sign}")


def _gemm_forward(m: Matrices, s: Dense, dot: MaybeArrays) -> None:
    a, b = s.read
    if dot(1) is not None:
        m.gemm(dot(0), dot(1), b, s.flags)
    if dot(2) is not None:
        m.gemm(dot(0), a, dot(2), s.flags)


# ----------------------------------------------------------------------------------------------------------- solutions


def _solve_reverse(m: Matrices, s: Dense, value: Arrays, bar: MaybeArrays) -> None:
    """``x_bar = A^-T x_bar`` in place, then ``A_bar -= x_bar x^T``."""
    x_bar, a_bar = bar(0), bar(1)
    m.dense("solve", _flip(s.flags), (x_bar,), (value(1), value(2), value(3)))
    if a_bar is not None:
        left, right = (x_bar, value(0)) if s.flags == "n" else (value(0), x_bar)
        m.gemm(a_bar, left, right, "ntm")


def _solve_forward(m: Matrices, s: Dense, dot: MaybeArrays) -> None:
    """``x_dot = A^-1 (x_dot - A_dot x)``."""
    if dot(1) is not None:
        m.gemm(dot(0), dot(1), s.updated[0], f"{s.flags}nm")
    m.dense("solve", s.flags, (dot(0),), s.read)


def _add_lower(m: Matrices, to: Var, whole: Var) -> None:
    """Add the lower triangle of a matrix."""

    def give(i: Atom, j: Atom) -> None:
        m.add_to(to, (i, j), m.load(whole, (i, j)))

    m.lower(m.dims(whole)[0], give, lambda i: give(i, i))


def _lower_of(m: Matrices, whole: Var) -> Var:
    lower = m.zeros_like(whole)
    _add_lower(m, lower, whole)
    return lower


def _trisolve_reverse(m: Matrices, s: Dense, value: Arrays, bar: MaybeArrays) -> None:
    x_bar, l_bar = bar(0), bar(1)
    m.dense("trisolve", _flip(s.flags), (x_bar,), (value(1),))
    if l_bar is not None:
        left, right = (x_bar, value(0)) if s.flags == "n" else (value(0), x_bar)
        _add_lower(m, l_bar, m.product(left, right, "ntm"))


def _trisolve_forward(m: Matrices, s: Dense, dot: MaybeArrays) -> None:
    l_dot = dot(1)
    if l_dot is not None:
        m.gemm(dot(0), _lower_of(m, l_dot), s.updated[0], f"{s.flags}nm")
    m.dense("trisolve", s.flags, (dot(0),), s.read)


def _gramsolve_reverse(m: Matrices, s: Dense, value: Arrays, bar: MaybeArrays) -> None:
    """``x_bar = (A^T A)^-1 x_bar`` in place, then ``A_bar -= A (x x_bar^T + x_bar x^T)``."""
    x_bar, a_bar = bar(0), bar(1)
    m.dense("gramsolve", "", (x_bar,), (value(1), value(2)))
    if a_bar is not None:
        inner = m.product(value(0), x_bar, "ntp")
        m.gemm(inner, x_bar, value(0), "ntp")
        m.gemm(a_bar, value(1), inner, "nnm")


def _gramsolve_forward(m: Matrices, s: Dense, dot: MaybeArrays) -> None:
    """``x_dot = (A^T A)^-1 (x_dot - A_dot^T (A x) - A^T (A_dot x))``."""
    x, (a, low) = s.updated[0], s.read
    if dot(1) is not None:
        m.gemm(dot(0), dot(1), m.product(a, x), "tnm")
        m.gemm(dot(0), a, m.product(dot(1), x), "tnm")
    m.dense("gramsolve", "", (dot(0),), (a, low))


# -------------------------------------------------------------------------------------------------------- determinants


def _det_reverse(m: Matrices, s: Dense, value: Arrays, bar: MaybeArrays) -> None:
    """``A_bar += d_bar d A^-T``; for the logarithm, without the factor d."""
    d_bar, a_bar = bar(0), bar(1)
    seed = m.load(d_bar, (ZERO,))
    if s.op == "det":
        seed = m.op("mul", seed, m.load(value(0), (ZERO,)))
    inverse = m.eye(a_bar)
    m.dense("solve", "t", (inverse,), (value(1), value(2), value(3)))
    m.each(m.dims(inverse), lambda i, j: m.add_to(a_bar, (i, j), m.op("mul", seed, m.load(inverse, (i, j)))))
    m.clear(d_bar)


def _det_forward(m: Matrices, s: Dense, dot: MaybeArrays) -> None:
    relative = m.copy(dot(1))
    m.dense("solve", "n", (relative,), s.read)
    trace = m.sum(m.dims(relative)[0], lambda i: m.load(relative, (i, i)), relative)
    if s.op == "det":
        trace = m.op("mul", trace, m.load(s.updated[0], (ZERO,)))
    m.store(dot(0), (ZERO,), trace)


# ------------------------------------------------------------------------------------------------------------ Cholesky


def _half_symmetric(m: Matrices, t: Var) -> Var:
    """Half of the lower triangle of a matrix, with the diagonal halved, mirrored to both sides of the diagonal."""
    out = m.zeros_like(t)

    def below(i: Atom, j: Atom) -> None:
        half = m.op("mul", m.const(0.5, t), m.load(t, (i, j)))
        m.store(out, (i, j), half)
        m.store(out, (j, i), half)

    def diagonal(i: Atom) -> None:
        m.store(out, (i, i), m.op("mul", m.const(0.5, t), m.load(t, (i, i))))

    m.lower(m.dims(t)[0], below, diagonal)
    return out


def _transposed(m: Matrices, a: Var) -> Var:
    out = m.zeros_like(a)
    m.each(m.dims(a), lambda i, j: m.store(out, (j, i), m.load(a, (i, j))))
    return out


def _give_lower(m: Matrices, a_bar: Var, symmetric: Var) -> None:
    """Add to the adjoint of a symmetric matrix of which only the lower triangle is read."""

    def below(i: Atom, j: Atom) -> None:
        m.add_to(a_bar, (i, j), m.op("add", m.load(symmetric, (i, j)), m.load(symmetric, (j, i))))

    m.lower(m.dims(symmetric)[0], below, lambda i: m.add_to(a_bar, (i, i), m.load(symmetric, (i, i))))


def _take_lower(m: Matrices, a_dot: Var) -> Var:
    """The symmetric matrix with a given lower triangle."""
    out = m.zeros_like(a_dot)

    def below(i: Atom, j: Atom) -> None:
        e = m.load(a_dot, (i, j))
        m.store(out, (i, j), e)
        m.store(out, (j, i), e)

    m.lower(m.dims(a_dot)[0], below, lambda i: m.store(out, (i, i), m.load(a_dot, (i, i))))
    return out


def _between(m: Matrices, low: Var, inner: Var, flag: str) -> tuple[Var, Var]:
    """For a symmetric matrix S, which is overwritten: ``S L^-T`` and ``L^-1 S L^-T``, or with ``L^T`` in the place of
    L."""
    m.dense("trisolve", flag, (inner,), (low,))
    right = _transposed(m, inner)
    both = m.copy(right)
    m.dense("trisolve", flag, (both,), (low,))
    return right, both


def _lower_half(m: Matrices, t: Var) -> Var:
    """The lower triangle of a matrix, with the diagonal halved."""
    half = m.zeros_like(t)
    m.lower(
        m.dims(t)[0],
        lambda i, j: m.store(half, (i, j), m.load(t, (i, j))),
        lambda i: m.store(half, (i, i), m.op("mul", m.const(0.5, half), m.load(t, (i, i)))),
    )
    return half


def _cholesky_reverse(m: Matrices, s: Dense, value: Arrays, bar: MaybeArrays) -> None:
    m.dense("cholesky_adjoint", "", (bar(2),), (value(1), bar(1)))
    m.clear(bar(1))


def _cholesky_forward(m: Matrices, s: Dense, dot: MaybeArrays) -> None:
    low = s.updated[1]
    _, inner = _between(m, low, _take_lower(m, dot(2)), "n")
    m.clear(dot(1))
    m.gemm(dot(1), low, _lower_half(m, inner))


def _cholesky_adjoint_reverse(m: Matrices, s: Dense, value: Arrays, bar: MaybeArrays) -> None:
    """``A_bar`` gets ``W = L^-T P L^-1``, where P is half of ``L^T X``, mirrored, for ``X = L_bar``."""
    low, x, l_bar, x_bar = value(1), value(2), bar(1), bar(2)
    right, p_bar = _between(m, low, _take_lower(m, bar(0)), "n")
    half = _lower_half(m, p_bar)
    if x_bar is not None:
        m.gemm(x_bar, low, half)
    if l_bar is not None:
        _, w = _between(m, low, _half_symmetric(m, m.product(low, x, "tnp")), "t")
        whole = m.product(x, half, "ntp")
        for _ in range(2):  # the derivatives by L and by L^T are equal
            m.gemm(whole, w, right, "nnm")
        _add_lower(m, l_bar, whole)


def _cholesky_adjoint_forward(m: Matrices, s: Dense, dot: MaybeArrays) -> None:
    (low, x), l_dot, x_dot = s.read, dot(1), dot(2)
    inner = m.zeros_like(low)
    if x_dot is not None:
        m.gemm(inner, low, x_dot, "tnp")
    if l_dot is None:
        inner = _half_symmetric(m, inner)
    else:
        lower = _lower_of(m, l_dot)
        m.gemm(inner, lower, x, "tnp")
        inner = _half_symmetric(m, inner)
        _, w = _between(m, low, _half_symmetric(m, m.product(low, x, "tnp")), "t")
        moved = m.product(lower, m.product(w, low), "tnp")
        m.each(m.dims(moved), lambda i, j: m.add_to(inner, (i, j), m.op("neg", m.load(moved, (i, j)))))
        m.each(m.dims(moved), lambda i, j: m.add_to(inner, (j, i), m.op("neg", m.load(moved, (i, j)))))
    _, inner = _between(m, low, inner, "t")
    _give_lower(m, dot(0), inner)


# --------------------------------------------------------------------------------------------------------- eigenvalues


def _over_gap(m: Matrices, numerator: Atom, low: Atom, high: Atom, parts: Atom | None = None) -> Atom:
    """``numerator / (high - low)``; 0 if the numerator (or the sum of the sizes of its terms) is 0."""
    test = numerator if parts is None else parts
    return m.unless_equal(test, Const(0.0, low.type), lambda: m.op("div", numerator, m.op("sub", high, low)))


def _sizes(m: Matrices, off_diagonal: Atom, *parts: Atom) -> Atom:
    """The sum of the absolute values of a numerator's terms, for an off-diagonal cell."""
    total = m.op("abs", parts[0])
    for part in parts[1:]:
        total = m.op("add", total, m.op("abs", part))
    return m.op("select", off_diagonal, total, Const(0.0, total.type))


def _eigh_reverse(m: Matrices, s: Dense, value: Arrays, bar: MaybeArrays) -> None:
    """``V (diag(w_bar) + F o V^T V_bar) V^T`` with ``F_ij = 1 / (w_j - w_i)``; only the symmetric part matters."""
    w_bar, v_bar, a_bar = bar(1), bar(2), bar(3)
    w, v = value(1), value(2)
    if v_bar is None:
        _give_lower(m, a_bar, m.product(_scaled_columns(m, v, w_bar, "mul"), v, "ntp"))
        m.clear(w_bar)
        return
    k = m.product(v, v_bar, "tnp")
    inner = m.zeros_like(k)

    def below(i: Atom, j: Atom) -> None:
        kij, kji = m.load(k, (i, j)), m.load(k, (j, i))
        skew = m.op("mul", m.const(0.5, k), m.op("sub", kij, kji))
        parts = None if w_bar is None else _sizes(m, m.op("ne", i, j), kij, kji)
        e = _over_gap(m, skew, m.load(w, (i,)), m.load(w, (j,)), parts)
        m.store(inner, (i, j), e)
        m.store(inner, (j, i), e)

    def diagonal(i: Atom) -> None:
        if w_bar is not None:
            m.store(inner, (i, i), m.load(w_bar, (i,)))

    m.lower(m.dims(k)[0], below, diagonal)
    _give_lower(m, a_bar, m.product(m.product(v, inner), v, "ntp"))
    for bar_ in (w_bar, v_bar):
        if bar_ is not None:
            m.clear(bar_)


def _eigh_forward(m: Matrices, s: Dense, dot: MaybeArrays) -> None:
    w, v = s.updated[1:]
    k = m.product(m.product(v, _take_lower(m, dot(3)), "tnp"), v)
    inner = m.zeros_like(k)

    def cell(i: Atom, j: Atom) -> Atom:
        zero_on_diagonal = m.op("select", m.op("eq", i, j), m.const(0.0, k), m.load(k, (i, j)))
        return _over_gap(m, zero_on_diagonal, m.load(w, (i,)), m.load(w, (j,)))

    n = m.dims(k)[0]
    if dot(1) is not None:
        m.loop(n, lambda i: m.store(dot(1), (i,), m.load(k, (i, i))))
    if dot(2) is not None:
        m.each((n, n), lambda i, j: m.store(inner, (i, j), cell(i, j)))
        m.clear(dot(2))
        m.gemm(dot(2), v, inner)


# ----------------------------------------------------------------------------------------------------- singular values


def _scaled_columns(m: Matrices, a: Var, s: Var, op: str) -> Var:
    """``a * s`` or ``a / s`` by columns; 0 where ``a`` is 0."""
    out = m.zeros_like(a)

    def cell(i: Atom, j: Atom) -> None:
        e, by = m.load(a, (i, j)), m.load(s, (j,))
        m.store(out, (i, j), m.unless_equal(e, m.const(0.0, a), lambda: m.op(op, e, by)))

    m.each(m.dims(a), cell)
    return out


def _svd_reverse(m: Matrices, st: Dense, value: Arrays, bar: MaybeArrays) -> None:
    """Townsend's equations, with J = F o (U^T U_bar) and K = F o (V^T V_bar), ``F_ij = 1 / (s_j^2 - s_i^2)``."""
    u_bar, s_bar, vt_bar, a_bar = bar(1), bar(2), bar(3), bar(4)
    u, s, vt = value(1), value(2), value(3)
    if u_bar is None and vt_bar is None:
        m.gemm(a_bar, _scaled_columns(m, u, s_bar, "mul"), vt)
        m.clear(s_bar)
        return
    alone = s_bar is None
    u_bar = m.zeros_like(u) if u_bar is None else u_bar
    s_bar = m.zeros_like(s) if s_bar is None else s_bar
    vt_bar = m.zeros_like(vt) if vt_bar is None else vt_bar
    ju, kv = m.product(u, u_bar, "tnp"), m.product(vt, vt_bar, "ntp")
    inner = m.zeros_like(ju)

    def cell(i: Atom, j: Atom) -> None:
        si, sj = m.load(s, (i,)), m.load(s, (j,))
        jij, jji, kij, kji = (m.load(a, at) for a in (ju, kv) for at in ((i, j), (j, i)))
        by_u = m.op("mul", m.op("sub", jij, jji), sj)
        by_v = m.op("mul", m.op("sub", kij, kji), si)
        parts = None if alone else _sizes(m, m.op("ne", i, j), jij, jji, kij, kji)
        e = _over_gap(m, m.op("add", by_u, by_v), m.op("mul", si, si), m.op("mul", sj, sj), parts)
        m.store(inner, (i, j), m.op("select", m.op("eq", i, j), m.load(s_bar, (i,)), e))

    m.each(m.dims(inner), cell)
    m.gemm(a_bar, m.product(u, inner), vt)
    # the part orthogonal to the vectors: (U_bar - U U^T U_bar) S^-1 V^T + U S^-1 (V_bar - V V^T V_bar)^T
    rest = m.copy(u_bar)
    m.gemm(rest, u, ju, "nnm")
    m.gemm(a_bar, _scaled_columns(m, rest, s, "div"), vt)
    rest = _transposed_of(m, vt_bar)
    m.gemm(rest, vt, kv, "tnm")
    m.gemm(a_bar, u, _scaled_columns(m, rest, s, "div"), "ntp")
    for v in (u_bar, s_bar, vt_bar):
        m.clear(v)


def _transposed_of(m: Matrices, a: Var) -> Var:
    rows, columns = m.dims(a)
    out = m.zeros((columns, rows), a.type.dtype)
    m.each((rows, columns), lambda i, j: m.store(out, (j, i), m.load(a, (i, j))))
    return out


def _svd_forward(m: Matrices, st: Dense, dot: MaybeArrays) -> None:
    u, s, vt = st.updated[1:]
    a_dot = dot(4)
    av = m.product(a_dot, vt, "ntp")
    atu = m.product(a_dot, u, "tnp")
    p = m.product(u, av, "tnp")
    by_u, by_v = m.zeros_like(p), m.zeros_like(p)

    def cell(i: Atom, j: Atom) -> None:
        si, sj = m.load(s, (i,)), m.load(s, (j,))
        low, high = m.op("mul", si, si), m.op("mul", sj, sj)
        pij, pji = m.load(p, (i, j)), m.load(p, (j, i))
        off = m.op("ne", i, j)

        def masked(a: Atom, x: Atom, b: Atom, y: Atom) -> Atom:
            total = m.op("add", m.op("mul", a, x), m.op("mul", b, y))
            return _over_gap(m, m.op("select", off, total, m.const(0.0, p)), low, high)

        m.store(by_u, (i, j), masked(pij, sj, pji, si))
        m.store(by_v, (i, j), masked(pij, si, pji, sj))

    n = m.dims(p)[0]
    if dot(2) is not None:
        m.loop(n, lambda i: m.store(dot(2), (i,), m.load(p, (i, i))))
    if dot(1) is None and dot(3) is None:
        return
    m.each((n, n), cell)
    m.gemm(av, u, p, "nnm")  # A_dot V without the component along U
    if dot(1) is not None:
        m.clear(dot(1))
        m.gemm(dot(1), u, by_u)
        rest = _scaled_columns(m, av, s, "div")
        m.each(m.dims(rest), lambda i, j: m.add_to(dot(1), (i, j), m.load(rest, (i, j))))
    if dot(3) is not None:
        m.gemm(atu, vt, p, "ttm")
        right = _scaled_columns(m, atu, s, "div")
        m.gemm(right, vt, by_v, "tnp")
        m.each(m.dims(right), lambda i, j: m.store(dot(3), (j, i), m.load(right, (i, j))))


def _always(*positions: int) -> Callable[[frozenset[int]], tuple[int, ...]]:
    return lambda active: positions


RULES: dict[str, DenseRule] = {
    "gemm": DenseRule(lambda a: tuple(p for p, q in ((2, 1), (1, 2)) if q in a), _gemm_reverse, _gemm_forward),
    "solve": DenseRule(lambda a: (1, 2, 3, *((0,) if 1 in a else ())), _solve_reverse, _solve_forward),
    "trisolve": DenseRule(lambda a: (1, *((0,) if 1 in a else ())), _trisolve_reverse, _trisolve_forward),
    "gramsolve": DenseRule(lambda a: (1, 2, *((0,) if 1 in a else ())), _gramsolve_reverse, _gramsolve_forward),
    "det": DenseRule(_always(0, 1, 2, 3), _det_reverse, _det_forward),
    "logdet": DenseRule(_always(1, 2, 3), _det_reverse, _det_forward),
    "cholesky": DenseRule(_always(1), _cholesky_reverse, _cholesky_forward),
    "cholesky_adjoint": DenseRule(_always(1, 2), _cholesky_adjoint_reverse, _cholesky_adjoint_forward),
    "eigh": DenseRule(_always(1, 2), _eigh_reverse, _eigh_forward),
    "svd": DenseRule(_always(1, 2, 3), _svd_reverse, _svd_forward),
}
