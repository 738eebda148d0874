"""Sparse Jacobians as matrices of `scipy.sparse`.

Entries are computed one by one if single places of the program compute them. Otherwise the pattern is found by
executing the program on sets, and few sweeps suffice after colouring.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from linad_typecheck.engine.values import CHEAPER
from linad_typecheck.signature import Leaf
from linad_typecheck.types import Array

from .. import derive
from ..boundary.arguments import described
from ..boundary.errors import refusal
from ..boundary.results import float_leaves
from ..boundary.workspace import Refilled
from ..adjoint.errors import CannotSplit
from ..function import CheckedFunction
from ..requests import FORWARD, KINDS, PATTERN, PULLED, PUSHED
from ..specialise import Specialisation
from ..transformed import once
from .application import Argnums, Transform, by, checked

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

BITS = 64  # bits in a word of the pattern program
WIDTHS = (8, 64)  # colours per sweep: at least a vector register
CELLS = 2**20  # limit on the cells of a tangent in all directions, beyond eight directions


def sparsity(f: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., csr_matrix]:
    """Transform a function into one that computes the sparsity pattern of its Jacobian.

    Parameters
    ----------
    f, argnums
        As for `linad.jacobian`.

    Returns
    -------
    callable
        A function with the parameters of `f`. It returns a `scipy.sparse.csr_matrix` of bools, with a row for each
        number in the results and a column for each number to differentiate by, in C order; several `argnums` are side
        by side. An entry means that the result depends on the argument through a derivative in this run, whatever the
        float values: the pattern holds for these index arrays and branches.

    Raises
    ------
    LinadError, TypeError
        As for `linad.jacobian`.

    Notes
    -----
    Sets of inputs are propagated through the compiled program, 64 groups of inputs at a time. Groups that no result
    depends on together share a bit, and are divided until they are single inputs: about ``log(n)`` runs if rows have
    few entries.

    Examples
    --------
    >>> import numpy as np
    >>> import linad
    >>> def differences(x, left, right):
    ...     return x[right] ** 2 - x[left]
    >>> left, right = np.array([0, 2]), np.array([1, 0])
    >>> linad.sparsity(differences)(np.ones(3), left, right).toarray().astype(int)
    array([[1, 1, 0],
           [1, 0, 1]])
    """
    function, positions, held = by(f, argnums)
    _require(function)
    pattern = once(function._transforms, (Pattern, positions), lambda: Pattern(function, positions))
    return partial(pattern, *held) if held else pattern


def sparse_jacobian(function: CheckedFunction[..., Any], transform: Transform, given: object) -> SparseJacobian:
    """The sparse Jacobian that `linad.jacobian` returns if `sparsity` is given."""
    _require(function)
    if given is True:
        return once(
            function._transforms, (SparseJacobian, transform), lambda: SparseJacobian(function, transform, None)
        )
    return SparseJacobian(function, transform, _as_pattern(given))


def _require(function: CheckedFunction[..., Any]) -> None:
    if function.options.updates:
        what = f"`{function.__name__}` updates an argument, and has no Jacobian"
        raise refusal("no-gradient", what, help="let it work on a copy and return that: `y = y.copy()`")


@dataclass(frozen=True, eq=False)
class _Columns:
    """A call: the flat arguments, and the leaves to differentiate by, in column order."""

    s: Specialisation
    values: Sequence[Any]
    want: derive.Wanted
    leaves: tuple[Leaf, ...]
    sizes: tuple[int, ...]

    @property
    def count(self) -> int:
        return sum(self.sizes)

    @property
    def widths(self) -> tuple[int, ...]:
        """The number of columns of the matrix by each parameter."""
        sizes = dict(zip((leaf.index for leaf in self.leaves), self.sizes, strict=True))
        return tuple(sum(sizes[leaf.index] for leaf in float_leaves(p.structure)) for p in self.want.params)

    def parts(self, flat: np.ndarray) -> dict[int, Any]:
        """The parts of a vector, or of each column of a matrix, that belong to each leaf, with its shape."""
        ends = np.cumsum(self.sizes)
        found = {}
        for leaf, part in zip(self.leaves, np.split(flat, ends[:-1]), strict=True):
            is_array = isinstance(leaf.type, Array)
            shape = (*np.shape(self.values[leaf.index]), *flat.shape[1:])
            found[leaf.index] = part.reshape(shape) if is_array else part[0]
        return found


def _columns(s: Specialisation, positions: int | tuple[int, ...], arguments: Sequence[object]) -> _Columns:
    values = derive.flat_values(s, arguments)
    known = "columns", positions
    if known not in s.known:
        want = derive.asked(s, (positions,) if isinstance(positions, int) else positions)
        if not float_leaves(s.signature.result):
            raise refusal("no-gradient", f"`{s.signature.name}` has no float result, and no Jacobian")
        s.known[known] = want, tuple(leaf for p in want.params for leaf in float_leaves(p.structure))
    want, leaves = s.known[known]
    sizes = tuple(int(np.size(values[leaf.index])) if isinstance(leaf.type, Array) else 1 for leaf in leaves)
    return _Columns(s, values, want, leaves, sizes)


# --------------------------------------------------------------------------------------------------------- patterns


class Pattern:
    """The sparsity pattern of a function's Jacobian, as a function of its arguments. Created by `sparsity`."""

    __linad_instead__ = "call it in plain Python: the pattern is a `scipy.sparse` matrix, which has no derivative"

    def __init__(self, function: CheckedFunction[..., Any], positions: int | tuple[int, ...]) -> None:
        self.function, self.positions = function, positions
        self.__name__ = f"sparsity_{function.__name__}"

    def __call__(self, *args: Any, **kwargs: Any) -> csr_matrix:
        function, arguments = self.function, self.function._arguments(args, kwargs)
        return function._with_shapes(arguments, lambda s: _pattern(_columns(s, self.positions, arguments)))

    def __reduce__(self) -> tuple[Any, ...]:
        return sparsity, (self.function, self.positions)

    def __repr__(self) -> str:
        return f"<sparsity of {self.function.__name__} by {self.positions}>"


def _pattern(call: _Columns) -> csr_matrix:
    from scipy.sparse import csr_matrix

    n = call.count
    first = _run(call, np.ones(n, np.int64))  # a single group of all columns
    rows = np.flatnonzero(first)
    groups, starts = np.zeros(rows.size, np.int64), np.array([0, n])
    while np.any(np.diff(starts) > 1):
        known = csr_matrix((np.ones(rows.size, bool), (rows, groups)), (first.size, len(starts) - 1))
        rows, groups, starts = _divided(call, rows, groups, starts, colour(known))
    return csr_matrix((np.ones(rows.size, bool), (rows, groups)), (first.size, n))


def _divided(
    call: _Columns, rows: np.ndarray, groups: np.ndarray, starts: np.ndarray, colours: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Divide each group into parts, and find the parts that each row depends on. Groups of one colour share bits."""
    widths = np.diff(starts)
    count = int(colours.max(initial=0)) + 1
    share = int(min(max(BITS // count, 2), widths.max()))  # parts per group
    at_once = BITS // share  # colours per run
    cuts = [starts[:-1] + (widths * k) // share for k in range(share)]
    begins = np.stack(cuts, axis=1)
    ends = np.concatenate((begins[:, 1:], starts[1:, None]), axis=1)
    part = np.repeat(np.arange(begins.size), (ends - begins).ravel())  # the part of each column, counting empty ones
    bit = colours[part // share] % at_once * share + part % share
    words = np.uint64(1) << bit.astype(np.uint64)
    run_of = colours // at_once
    found_rows, found_parts = [], []
    for k in range(int(run_of.max(initial=0)) + 1):
        sets = _run(call, np.where(run_of[part // share] == k, words, np.uint64(0)).view(np.int64))
        mine = run_of[groups] == k
        row, group = rows[mine], groups[mine]
        segment = sets[row].view(np.uint64) >> (colours[group] % at_once * share).astype(np.uint64)
        for j in range(share):
            has = (segment >> np.uint64(j)) & np.uint64(1) != 0
            found_rows.append(row[has])
            found_parts.append(group[has] * share + j)
    filled = (ends > begins).ravel()
    number = np.cumsum(filled) - 1
    parts = number[np.concatenate(found_parts)]
    return np.concatenate(found_rows), parts, np.concatenate((begins.ravel()[filled], starts[-1:]))


def _run(call: _Columns, words: np.ndarray) -> np.ndarray:
    """The sets of all results, given sets of the columns."""
    sets = call.parts(words)
    given = [sets[k] if isinstance(sets[k], np.ndarray) else int(sets[k]) for k in call.want.leaves]
    kernel = call.s.kernel(((call.want.leaves, PATTERN),), call.values)
    out = kernel.run([*call.values, *(np.ascontiguousarray(g) if isinstance(g, np.ndarray) else g for g in given)])
    return np.concatenate([np.ravel(np.asarray(o, np.int64)) for o in out])


def _greedy(row_starts, row_columns, column_starts, column_rows):
    """A colour for each column, different from those of all columns that have an entry in one of its rows."""
    n = len(column_starts) - 1
    colours = np.full(n, -1)
    met = np.full(n + 1, -1)
    for j in range(n):
        for k in range(column_starts[j], column_starts[j + 1]):
            r = column_rows[k]
            for i in range(row_starts[r], row_starts[r + 1]):
                if colours[row_columns[i]] >= 0:
                    met[colours[row_columns[i]]] = j
        c = 0
        while met[c] == j:
            c += 1
        colours[j] = c
    return colours


def colour(pattern: Any) -> np.ndarray:
    """Colour the columns of a sparse matrix, such that columns of the same colour have no row in common.

    This is the greedy algorithm, in column order, of Curtis, Powell and Reid, On the estimation of sparse Jacobian
    matrices, J. Inst. Maths Applics 13 (1974). `scipy.optimize._group_columns`, which does the same, is private.

    Parameters
    ----------
    pattern : sparse matrix

    Returns
    -------
    ndarray of int64, shape (columns,)
    """
    rows, columns = pattern.tocsr(), pattern.tocsc()
    parts = (rows.indptr, rows.indices, columns.indptr, columns.indices)
    return checked(_greedy)(*(np.ascontiguousarray(p, np.int64) for p in parts))


def _as_pattern(given: object) -> csr_matrix:
    from scipy.sparse import csr_matrix, issparse

    if not issparse(given) and not (isinstance(given, np.ndarray) and given.ndim == 2):
        told = "True, a matrix of `scipy.sparse`, or an array of rank 2"
        raise TypeError(f"sparsity: expected {told}, got {described(given)}")
    pattern = csr_matrix(given, copy=True).astype(bool)
    pattern.eliminate_zeros()
    pattern.sum_duplicates()
    return pattern


# -------------------------------------------------------------------------------------------------------- Jacobians


@dataclass(frozen=True, eq=False)
class _Plan:
    """The sweeps that a pattern needs: in forward mode a colour for each column, in reverse mode one for each row."""

    pattern: csr_matrix
    mode: str
    colours: np.ndarray
    known: dict[tuple[int, ...], list] = field(default_factory=dict)

    @cached_property
    def sweeps(self) -> int:
        return int(self.colours.max(initial=-1)) + 1

    @cached_property
    def rows(self) -> np.ndarray:
        """The row of each entry."""
        return np.repeat(np.arange(self.pattern.shape[0]), np.diff(self.pattern.indptr))

    @cached_property
    def cells(self) -> np.ndarray:
        """The position of each entry in the result of `swept`, in C order."""
        line, other = (self.rows, self.pattern.indices) if self.mode == "fwd" else (self.pattern.indices, self.rows)
        return line.astype(np.int64) * self.sweeps + self.colours[other]

    @cached_property
    def directions(self) -> list[np.ndarray]:
        """For each sweep, the columns (or rows) of each of its colours."""
        most = int(np.clip(CELLS // max(self.colours.size, 1), *WIDTHS))
        width = -(-self.sweeps // max(-(-self.sweeps // most), 1))  # blocks of equal size
        starts = range(0, self.sweeps, max(width, 1))
        return [(self.colours[:, None] == np.arange(k, min(k + width, self.sweeps))).astype(float) for k in starts]

    @cached_property
    def probe(self) -> np.ndarray:
        """The direction in which a given pattern is tested."""
        return np.random.default_rng(self.pattern.shape).uniform(0.5, 1.5, self.pattern.shape[1])

    def swept(self, sweep: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """The sums of the columns, or rows, of each colour, side by side; many colours per sweep."""
        return _joined([sweep(d) for d in self.directions] or [np.zeros((0, 0))], axis=1)

    def matrices(self, data: np.ndarray, widths: tuple[int, ...]) -> Iterator[csr_matrix]:
        """The entries as adjacent matrices with these widths."""
        for entries, like in self.parts(widths):
            yield _with_data(like, data if len(widths) == 1 else data[entries])

    def parts(self, widths: tuple[int, ...]) -> list[tuple[np.ndarray, csr_matrix]]:
        """The positions of the entries of each of these matrices, and its structure."""
        found = self.known.get(widths)
        if found is None:
            found, end, indices = [], 0, self.pattern.indices
            for width in widths:
                entries = np.flatnonzero((indices >= end) & (indices < end + width))
                counts = np.bincount(self.rows[entries], minlength=self.pattern.shape[0])
                starts = np.concatenate(([0], np.cumsum(counts))).astype(self.pattern.indptr.dtype)
                columns = indices[entries] - indices.dtype.type(end)
                found.append((entries, _structure(columns, starts, (self.pattern.shape[0], width))))
                end += width
            self.known[widths] = found
        return found


def _structure(columns: np.ndarray, starts: np.ndarray, shape: tuple[int, int]) -> csr_matrix:
    """A matrix without its entries, whose columns are sorted. Its index arrays are read-only, because all matrices of
    the pattern share them."""
    from scipy.sparse import csr_matrix

    made = csr_matrix((np.zeros(columns.size, bool), columns, starts), shape)
    made.has_canonical_format = True
    made.indices.flags.writeable = made.indptr.flags.writeable = False
    made.data = np.zeros(0)
    return made


def _with_data(like: csr_matrix, data: np.ndarray) -> csr_matrix:
    """A matrix with these entries and the index arrays of ``like``.

    The constructor would read the columns once more to check them, and copy entries that are a small part of an array.
    Copies of the index arrays would take longer than the entries of a large matrix.
    """
    made = like.__class__.__new__(like.__class__)
    vars(made).update(vars(like), data=data)  # a third of the time of `copy.copy`
    return made


COUNTED, PLACED, FILLED, SUMMED, BLOCKS, RUNS = KINDS
MANY = np.iinfo(np.int32).max  # maximum number of entries


@dataclass(frozen=True, eq=False)
class _Entries:
    """Entries computed one by one, in program order, with the position of each in the matrices.

    ``fixed``: the positions depend only on ints and on the shapes of arrays, which are kept in ``marks``.
    """

    rows: np.ndarray
    columns: np.ndarray
    shape: tuple[int, int]
    seeds: list[Any]
    fixed: bool
    marks: list[Any]
    cells: np.ndarray
    count: int
    kind: str
    single: bool  # whether the entries are of single precision
    blocks: list[tuple[int, int, csr_matrix]]  # first and last entry of each matrix, and its structure
    mode: str = "entries"
    sweeps: int = 1

    def holds(self, values: Sequence[Any]) -> bool:
        """Whether the positions are the same for other flat arguments."""
        return self.fixed and all(map(_same, self.marks, map(_mark, values)))

    @cached_property
    def pattern(self) -> csr_matrix:
        """The pattern of all matrices side by side."""
        from scipy.sparse import csr_matrix, hstack

        return hstack(list(self.matrices(np.ones(self.count, bool))), "csr") if self.blocks else csr_matrix(self.shape)

    def matrices(self, data: np.ndarray) -> Iterator[csr_matrix]:
        """The entries as adjacent matrices."""
        return (_with_data(like, data[start:stop]) for start, stop, like in self.blocks)


def _mark(value: Any) -> Any:
    """What the positions of entries may depend on: the shape of a float array, or an int value itself."""
    if isinstance(value, np.ndarray):
        return value.shape if value.dtype.kind == "f" else value
    return None if isinstance(value, float | np.floating) else value


def _same(before: Any, now: Any) -> bool:
    if isinstance(before, np.ndarray):
        return isinstance(now, np.ndarray) and np.array_equal(before, now)
    return type(before) is type(now) and before == now


def _side_by_side(cells: np.ndarray, in_block: np.ndarray, in_run: np.ndarray) -> tuple[np.ndarray, str]:
    """The cells of the first entries of all blocks, or runs, if the other entries are in the cells that follow; else
    those of all entries. With them the kernel that stores the entries."""
    for kind, before in ((BLOCKS, in_block), (RUNS, in_run)):
        firsts = cells[before == 0]
        if firsts.size < cells.size and np.array_equal(firsts[np.cumsum(before == 0) - 1] + before, cells):
            return firsts, kind
    return cells, FILLED


def _keys(rows: np.ndarray, columns: np.ndarray, count: int, widths: tuple[int, ...]) -> np.ndarray:
    """A sort key for each position: by matrix, then row, then column."""
    ends = np.cumsum(widths)
    block = np.searchsorted(ends, columns, side="right")
    return (block * count + rows) * (max(widths, default=0) + 1) + columns - (ends - widths)[block]


def _planned(pattern: csr_matrix, mode: str) -> _Plan:
    columns = _Plan(pattern, "fwd", colour(pattern)) if mode != "rev" else None
    if columns is not None and (mode == "fwd" or columns.sweeps <= CHEAPER):
        return columns
    rows = _Plan(pattern, "rev", colour(pattern.T))
    return rows if columns is None or rows.sweeps * CHEAPER < columns.sweeps else columns


class SparseJacobian:
    """A Jacobian as a sparse matrix. Created by `linad.jacobian` if `sparsity` is given.

    Attributes
    ----------
    function : CheckedFunction
    plan
        The plan of the last call: its ``pattern``, and its ``mode``, which is ``"entries"`` or the mode of the
        ``sweeps`` over its colours.
    """

    __linad_instead__ = "take the dense Jacobian, without `sparsity`: a sparse one is for calls in plain Python"

    def __init__(self, function: CheckedFunction[..., Any], transform: Transform, pattern: csr_matrix | None) -> None:
        self.function, self.transform, self.pattern = function, transform, pattern
        self.plan: _Plan | _Entries | None = None
        self.room = Refilled()  # the entries of the last call, to be filled again if the caller has dropped them
        self.__name__ = f"jacobian_{function.__name__}"
        self.__doc__ = function.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        arguments = self.function._arguments(args, kwargs)
        return self.function._with_shapes(arguments, lambda s: self._matrices(s, arguments))

    def _matrices(self, s: Specialisation, arguments: Sequence[object]) -> Any:
        call = _columns(s, self.transform.positions, arguments)
        if (one_by_one := self._one_by_one(call)) is not None:
            found = tuple(one_by_one.matrices(self._filled(call, one_by_one)))
        else:
            plan = self._plan(call)
            found = tuple(plan.matrices(self._entries(call, plan), call.widths))
        return found[0] if self.transform.bare else found

    def _one_by_one(self, call: _Columns) -> _Entries | None:
        """The positions of the entries, if single places of the program compute them; else None."""
        s, leaves, last = call.s, call.want.leaves, self.plan
        known = KINDS, leaves
        if self.transform.mode != "auto" or s.known.get(known) is False:
            return None
        if isinstance(last, _Entries) and last.holds(call.values):
            return last
        outputs = float_leaves(s.signature.result)
        try:
            none = [_seed(leaf, (0,) * _rank(leaf)) for leaf in outputs]
            count, fixed, *sizes = s.kernel(((leaves, COUNTED),), call.values).run([*call.values, *none])
        except CannotSplit:
            s.known[known] = False
            return None
        if count > MANY:
            return None
        sizes = iter(sizes)
        seeds = [_seed(leaf, tuple(next(sizes) for _ in range(_rank(leaf)))) for leaf in outputs]
        heights = [np.size(x) for x in seeds]
        rows, columns, *before = places = [np.empty(count, np.int64) for _ in range(4)]
        first = dict(zip((leaf.index for leaf in call.leaves), np.cumsum((0, *call.sizes)), strict=False))
        starts = [np.cumsum((0, *heights))[:-1], np.array([first[k] for k in leaves], np.int64)]
        values = [*call.values, *seeds, *places, *(np.ascontiguousarray(x, np.int64) for x in starts)]
        s.kernel(((leaves, PLACED),), call.values).run(values)
        marks = [m.copy() if isinstance(m, np.ndarray) else m for m in map(_mark, call.values)]
        shape = sum(heights), call.count
        if (
            isinstance(last, _Entries)
            and last.shape == shape
            and all(np.array_equal(a, b) for a, b in ((last.rows, rows), (last.columns, columns)))
        ):
            made = replace(last, seeds=seeds, fixed=bool(fixed), marks=marks)
        else:
            cells, kind, blocks = self._arranged(rows, columns, shape, call.widths)
            total = blocks[-1][1] if blocks else 0
            if kind == FILLED:
                cells, kind = _side_by_side(cells, *before)
            single = all(leaf.type.dtype == "f32" for leaf in (*call.leaves, *outputs))
            made = _Entries(rows, columns, shape, seeds, bool(fixed), marks, cells, total, kind, single, blocks)
        self.plan = made
        return made

    def _arranged(
        self, rows: np.ndarray, columns: np.ndarray, shape: tuple[int, int], widths: tuple[int, ...]
    ) -> tuple[np.ndarray, str, list]:
        """The position of each entry among those of the matrices, the kernel that stores them, and the structure of the
        matrices. Overwritten entries go to an additional cell at the end."""
        live = rows >= 0
        keys = _keys(rows[live], columns[live], shape[0], widths)
        if self.pattern is None:
            kept, found = np.unique(keys, return_inverse=True)
        else:
            given = self.pattern
            if given.shape[1] != shape[1]:
                raise self._unfit(f"has {given.shape[1]} columns, and there are {shape[1]} numbers to differentiate by")
            if given.shape[0] != shape[0]:
                raise self._unfit(f"has {given.shape[0]} rows, and there are {shape[0]} results")
            lines = np.repeat(np.arange(shape[0]), np.diff(given.indptr))
            kept = np.sort(_keys(lines, given.indices.astype(np.int64), shape[0], widths))
            found = np.searchsorted(kept, keys)
            away = np.append(kept, -1)[found] != keys
            if np.any(away):
                row = int(rows[live][np.flatnonzero(away)[0]])
                raise self._unfit(f"has no entry for something that result {row} depends on here")
        once = np.bincount(found, minlength=kept.size)
        cells = np.full(rows.size, kept.size, np.int32)
        cells[live] = found
        lines, places = np.divmod(kept, max(widths, default=0) + 1)
        kind = np.int32 if max(kept.size, *shape) < 2**31 else np.int64
        blocks, start = [], 0
        for k, width in enumerate(widths):
            stop = int(np.searchsorted(lines, (k + 1) * shape[0]))
            counts = np.bincount(lines[start:stop] - k * shape[0], minlength=shape[0])
            row_starts = np.concatenate(([0], np.cumsum(counts))).astype(kind)
            structure = _structure(places[start:stop].astype(kind), row_starts, (shape[0], width))
            blocks.append((start, stop, structure))
            start = stop
        return cells, FILLED if np.all(once == 1) else SUMMED, blocks

    def _filled(self, call: _Columns, plan: _Entries) -> np.ndarray:
        """The values of the entries of all matrices."""
        room = self.room.zeros if plan.kind == SUMMED else self.room.empty
        data = room(0, (plan.count + 1,), np.dtype(float))
        values = [*call.values, *plan.seeds, plan.cells, data]
        call.s.kernel(((call.want.leaves, plan.kind),), call.values).run(values, (), (len(values) - 1,))
        return data.astype(np.float32) if plan.single else data

    def _plan(self, call: _Columns) -> _Plan:
        last = self.plan if isinstance(self.plan, _Plan) else None
        if self.pattern is not None:
            self.plan = last or _planned(self.pattern, self.transform.mode)
            return self.plan
        pattern = _pattern(call)
        if last is not None and last.pattern.shape == pattern.shape and last.pattern.nnz == pattern.nnz:
            if np.array_equal(last.pattern.indptr, pattern.indptr) and np.array_equal(
                last.pattern.indices, pattern.indices
            ):
                return last
        self.plan = _planned(pattern, self.transform.mode)
        return self.plan

    def _entries(self, call: _Columns, plan: _Plan) -> np.ndarray:
        pattern = plan.pattern
        if pattern.shape[1] != call.count:
            raise self._unfit(f"has {pattern.shape[1]} columns, and there are {call.count} numbers to differentiate by")
        if plan.mode == "fwd":
            swept = plan.swept(partial(_forward, call))
            if plan.sweeps and len(swept) != pattern.shape[0]:
                raise self._unfit(f"has {pattern.shape[0]} rows, and there are {len(swept)} results")
        else:
            _, results = derive.primal(call.s, call.values)
            count = sum(np.size(results[leaf.index]) for leaf in float_leaves(call.s.signature.result))
            if count != pattern.shape[0]:
                raise self._unfit(f"has {pattern.shape[0]} rows, and there are {count} results")
            swept = plan.swept(partial(_backward, call, results))
        data = np.take(swept, plan.cells) if plan.cells.size else np.zeros(0)
        if self.pattern is not None:
            self._verify(call, plan, data)
        return data

    def _verify(self, call: _Columns, plan: _Plan, data: np.ndarray) -> None:
        """Raise an error if a given pattern does not hold: compare the matrix times one direction with the tangent in
        this direction."""
        from scipy.sparse import csr_matrix

        pattern = plan.pattern
        direction = plan.probe
        tangent = _forward(call, direction[:, None])[:, 0]
        if tangent.size != pattern.shape[0]:
            raise self._unfit(f"has {pattern.shape[0]} rows, and there are {tangent.size} results")
        product, size = (
            csr_matrix((d, pattern.indices, pattern.indptr), pattern.shape) @ direction for d in (data, np.abs(data))
        )
        single = any(np.asarray(x).dtype == np.float32 for x in (tangent, *(call.values[k] for k in call.want.leaves)))
        far = np.abs(tangent - product) > (1e-3 if single else 1e-8) * (size + np.abs(tangent))
        if np.any(far):
            told = f"has no entry for something that result {int(np.flatnonzero(far)[0])} depends on here"
            raise self._unfit(told)

    def _unfit(self, what: str) -> ValueError:
        name = self.function.__name__
        return ValueError(f"the given sparsity of `{name}` {what}; take it again: `linad.sparsity({name})(...)`")

    def __reduce__(self) -> tuple[Any, ...]:
        given = True if self.pattern is None else self.pattern
        return sparse_jacobian, (self.function, self.transform, given)

    def __repr__(self) -> str:
        return f"<sparse {self.__name__} by {self.transform.argnums}>"


def _rank(leaf: Leaf) -> int:
    return leaf.type.rank if isinstance(leaf.type, Array) else 0


def _seed(leaf: Leaf, shape: tuple[int, ...]) -> Any:
    """The cotangent of a result, filled with ones."""
    return np.ones(shape, _kind(leaf)) if isinstance(leaf.type, Array) else _kind(leaf)(1.0)


def _forward(call: _Columns, directions: np.ndarray) -> np.ndarray:
    """The tangents of all results along directions, one in each column."""
    one = directions.shape[1] == 1
    dots = call.parts(directions[:, 0] if one else directions)
    given = [_as(leaf, dots[leaf.index]) for leaf in call.want.active]
    level = (call.want.leaves, FORWARD if one else PUSHED)
    out = call.s.kernel((level,), call.values).run([*call.values, *given])
    moved = out[len(out) - len(float_leaves(call.s.signature.result)) :]
    return _joined([np.reshape(o, (-1, directions.shape[1])) for o in moved])


def _backward(call: _Columns, results: Sequence[Any], cotangents: np.ndarray) -> np.ndarray:
    """The gradients by all columns, for cotangents of all results, one in each column."""
    s, count = call.s, cotangents.shape[1]
    ends, seeds = 0, []
    for leaf in float_leaves(s.signature.result):
        shape = np.shape(results[leaf.index])
        size = int(np.prod(shape))
        part = cotangents[ends : ends + size].reshape((*shape, count) if count > 1 else shape)
        seeds.append(_as(leaf, part if part.ndim else part[()]))
        ends += size
    if count == 1:
        buffers = derive.buffers_for(call.want, call.values)
        _, grads = derive.pull(s, call.want, call.values, seeds, buffers, value=False, fresh=True)
    else:
        buffers = {k.index: np.zeros((*np.shape(call.values[k.index]), count), _kind(k)) for k in call.want.arrays}
        values = [*call.values, *seeds, *buffers.values()]
        written = range(len(values) - len(buffers), len(values))
        out = s.kernel(((call.want.leaves, PULLED),), call.values).run(values, written, written)
        grads = {**buffers, **dict(zip(call.want.scalars, out, strict=True))}
    return _joined([np.reshape(grads[leaf.index], (-1, count)) for leaf in call.leaves])


def _joined(parts: list[np.ndarray], axis: int = 0) -> np.ndarray:
    """Concatenate arrays; a single one is not copied."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=axis)


def _kind(leaf: Leaf) -> type:
    return np.float32 if leaf.type.dtype == "f32" else np.float64


def _as(leaf: Leaf, value: Any) -> Any:
    """A tangent or cotangent in the dtype of its leaf."""
    return np.ascontiguousarray(value, _kind(leaf)) if isinstance(value, np.ndarray) else _kind(leaf)(value)
