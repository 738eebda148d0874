"""A whole Python program through the passes and the reference interpreter, held against all that knows better."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from linad_typecheck.check import check, examine
from linad_typecheck.ir.core import Call, Program, base_name, walk
from linad_typecheck.ir.verify import verify
from linad_typecheck.signature import Leaf
from linad_typecheck.types import Array, is_float

from linad import linear_grad, oracle
from linad.baseline import dual, tape
from linad.baseline.pure import purify
from linad.boundary.arguments import argument_type
from linad.boundary.live import Record
from linad.boundary.results import is_scalar_float
from linad.cost import bound
from linad.codegen.passes import RESHAPING
from linad.interpret import Outcome, run
from linad.optimise.pass_manager import Phase
from linad.optimise.pass_manager import run as run_passes
from linad.optimise.scalars.size_naming import with_sizes
from linad.oracle import Ended, attempt, difference
from linad.pipeline import differentiate, prepare, tangent
from tests.examples_of import MANY
from tests.well_formed import well_formed

STEPS = 2_000_000
_VARIANTS = ((True, False), (False, True), (False, False), (True, True))  # value, log_everything
WRITTEN = ("mut", "acc")


def leaves(x: Any) -> Iterator[Any]:
    """The scalars and arrays of nested tuples and dicts; None has none."""
    if isinstance(x, (tuple, dict)):
        for part in x.values() if isinstance(x, dict) else x:
            yield from leaves(part)
    elif x is not None:
        yield x


def wave(x: Any, phase: float) -> Any:
    """A cotangent or tangent for a value, the same each time and never zero."""
    if isinstance(x, tuple):
        return tuple(wave(v, phase + 1.7 * (k + 1)) for k, v in enumerate(x))
    kind = np.float32 if getattr(x, "dtype", None) == np.float32 else np.float64
    cells = (0.2 + np.cos(phase + np.arange(np.size(x)))).astype(kind).reshape(np.shape(x))
    return cells if isinstance(x, np.ndarray) else kind(cells)


def as_tuples(x: Any) -> Any:
    """A result as `Whole.result` builds it: dicts, lists and objects of classes are tuples of what they hold."""
    if hasattr(x, "__dict__") and not isinstance(x, tuple):
        return as_tuples(vars(x))
    if isinstance(x, (tuple, list, dict)):
        return tuple(map(as_tuples, x.values() if isinstance(x, dict) else x))
    return x


def everything(ended: Ended) -> Ended:
    """The result and the final contents of updated arrays as one value."""
    return Ended(None, ended.error) if ended.error else Ended((ended.value[0], *ended.value[1].values()))


def floats(x: Any) -> bool:
    return np.asarray(x).dtype.kind == "f"


def fresh(values: Sequence[Any]) -> list[Any]:
    return [v.copy() if isinstance(v, np.ndarray) else v for v in values]


def close(a: Sequence[Any], b: Sequence[Any], tolerance: float, what: str) -> None:
    """Equal up to rounding, relative to the largest number of each leaf and never below 1."""
    for k, (x, y) in enumerate(zip(a, b, strict=True)):
        scale = max(1.0, float(np.max(np.abs(y), initial=0.0)))
        np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance * scale, err_msg=f"{what}, leaf {k}")



def _errors(checked) -> list[str]:
    return [f"{d.code} line {d.span.line}: {d.message}" for d in checked.diagnostics if d.severity == "error"]


def emitted(program: Program) -> Program:
    """The program with its loops in the shape that is printed for the compiler, and all index checks in their places."""
    return run_passes(program, Phase(RESHAPING), ("fastmath", "noalias"))[0]


@dataclass(frozen=True)
class Whole:
    """A Python function with arguments.

    Attributes
    ----------
    updates : tuple of str
        Parameters whose final contents are part of the result.
    single : bool
        Whether f32 is involved, which loosens comparisons.
    sized : bool
        Whether the program is made for the sizes that the last axes of the arguments have.
    off : frozenset of str
        Passes that are left out.
    watched : bool
        Whether what each pass leaves is held against what it must leave, besides what comes at the end.
    """

    function: Callable[..., Any]
    args: tuple[Any, ...]
    updates: tuple[str, ...] = ()
    single: bool = False
    sized: bool = False
    off: frozenset[str] = frozenset()
    watched: bool = True

    @property
    def tolerance(self) -> float:
        return 2e-3 if self.single else 1e-9

    def at(self, args: tuple[Any, ...]) -> Whole:
        """The same function at other arguments of the same types."""
        other = replace(self, args=args)
        vars(other).update({name: getattr(self, name) for name in ("record", "checked", "lowered")})
        return other

    # ----------------------------------------------------------------------------------------------- front end

    @cached_property
    def record(self) -> Record:
        return Record(self.function, self.updates)

    @cached_property
    def checked(self):
        source = self.record.entry()
        names = [a.arg for a in source.node.args.args]
        unknown = {a.arg for a in source.node.args.args if a.annotation is None}
        binding = {n: argument_type(v, n) for n, v in zip(names, self.args, strict=True) if n in unknown}
        return check(source, binding)

    @property
    def errors(self) -> list[str]:
        return _errors(self.checked)

    def errors_of_decorating(self) -> list[str]:
        """Those that are reported before the types of arguments without annotations are known."""
        return _errors(examine(self.record.entry(), {}))

    @cached_property
    def lowered(self) -> Program:
        assert not self.errors, self.errors
        assert self.checked.program is not None, self.checked.missing
        if not self.sized:
            return self.checked.program
        last = [(k, v.shape[-1]) for k, v in enumerate(self.values) if isinstance(v, np.ndarray) and v.ndim > 1]
        return with_sizes(self.checked.program, last)

    @cached_property
    def prepared(self) -> Program:
        well_formed("lowering", self.lowered)
        program = prepare(self.lowered, well_formed if self.watched else None, self.off)
        well_formed("prepare", program)
        return program

    @cached_property
    def values(self) -> list[Any]:
        """The flat arguments, module-level arrays last."""
        given = [x for a in self.args for x in leaves(a)]
        hidden = [self.record.array(key) for key in self.checked.signature.hidden]
        return [*given, *hidden]

    def active(self) -> tuple[str, ...]:
        """Names in the core of all float parameters; module-level arrays are constants."""
        params = self.prepared.main.params
        count = len(params) - len(self.checked.signature.hidden)
        return tuple(p.var.name for p in params[:count] if is_float(p.var.type))

    # ------------------------------------------------------------------------------------------------- primal

    def result(self, flat: Sequence[Any]) -> Any:
        def build(s: Any) -> Any:
            match s:
                case None:
                    return None
                case Leaf(index=k):
                    return flat[k]
            return tuple(map(build, s))

        return build(self.checked.signature.result)

    def run(self, program: Program) -> tuple[Any, dict[str, np.ndarray]]:
        out = run(program, self.values, limit=STEPS)
        updated = {p.name: out.params[p.name] for p in self.checked.signature.params if p.name in self.updates}
        return self.result(out.results), updated

    def oracle(self) -> tuple[Any, dict[str, np.ndarray]]:
        value, arrays = oracle.shimmed(self.function)(*self.args)
        return as_tuples(value), {k: arrays[k] for k in self.updates}

    def primal(self) -> Ended:
        """The lowered and the prepared program do what CPython does; how it ended."""
        expected = attempt(self.oracle)
        rtol, atol = (1e-4, 1e-5) if self.single else (1e-9, 1e-12)
        flat = everything(expected)
        for program in (self.lowered, self.prepared):
            got = attempt(lambda program=program: self.run(program))
            told = difference(flat, everything(got), rtol=rtol, atol=atol)
            assert told is None, f"value: {told}"
        return expected

    # ------------------------------------------------------------------------------------------------ gradients

    @cached_property
    def cotangent(self) -> Any:
        """One for everything that comes out: of the result and of the final contents of updated arrays."""
        value, finals = self.run(self.prepared)
        if not self.updates:
            return wave(value, 0.0)
        parts = tuple(wave(v, 50.0 + k) for k, v in enumerate(finals.values()))
        return parts if value is None else (wave(value, 0.0), *parts)

    def expected(self, baseline: Any) -> list[np.ndarray]:
        """The gradients by the float leaves, as another way to a derivative computes them on the Python text."""
        _, gradient = baseline.vjp(self.function, self.args, self.cotangent, self.updates)
        return [np.asarray(g) for g in leaves(gradient)]

    def seeds(self) -> list[Any]:
        value, _ = self.run(self.prepared)
        own = self.cotangent if not self.updates else None if value is None else self.cotangent[0]
        pairs = zip(leaves(value), leaves(own), strict=True)
        return [c for v, c in pairs if floats(v)]

    def derivative_arguments(self, wrt: Sequence[str]) -> list[Any]:
        """Arguments of a derivative program: primal ones, cotangents, buffers."""
        finals = dict(zip(self.updates, self.cotangent[-len(self.updates) :])) if self.updates else {}
        buffers = []
        for p, v in zip(self.prepared.main.params, self.values, strict=True):
            if isinstance(p.var.type, Array) and is_float(p.var.type):
                if p.var.name in finals:
                    buffers.append(finals[p.var.name].copy())
                elif p.var.name in wrt:
                    buffers.append(np.zeros_like(v))
        return [*fresh(self.values), *self.seeds(), *buffers]

    @cached_property
    def derivatives(self) -> dict[tuple[Any, ...], Any]:
        """Those that have been made."""
        return {}

    def derivative(self, wrt: Sequence[str], value: bool, log_everything: bool = False, after: bool = True):
        key = tuple(wrt), value, log_everything
        if key not in self.derivatives:
            self.derivatives[key] = self._derivative(*key, after)
        return self.derivatives[key]

    def _derivative(self, wrt: tuple[str, ...], value: bool, log_everything: bool, after: bool):
        look = well_formed if after and self.watched else None
        g = differentiate(self.prepared, wrt, value, look, log_everything, self.off)
        well_formed("reverse", g.stored)
        well_formed("simplified reverse", g.simplified)
        return g

    def gradient(self, program: Program, wrt: Sequence[str], value: bool) -> tuple[Outcome, dict[str, np.ndarray]]:
        """A derivative program run; the gradients by the core's parameters."""
        out = run(program, self.derivative_arguments(wrt), limit=50 * STEPS)
        main = self.prepared.main
        count = len(main.body.results) if value else 0
        found: dict[str, np.ndarray] = {}
        scalars = [p.var.name for p in main.params if not isinstance(p.var.type, Array) and p.var.name in wrt]
        found.update(zip(scalars, map(np.asarray, out.results[count:]), strict=True))
        arrays = [p for p in main.params if isinstance(p.var.type, Array) and is_float(p.var.type)]
        arrays = [p.var.name for p in arrays if p.var.name in wrt or p.mode in WRITTEN]
        given = program.main.params[len(program.main.params) - len(arrays) :]
        found.update((n, out.params[g.var.name]) for n, g in zip(arrays, given, strict=True))
        return out, found

    def gradients(self, thorough: bool) -> None:
        """Every stage and variant of the reverse derivative gives the gradient that other ways give.

        An everyday run takes the tape's word, and of each program one more variant, or the gradient by one parameter.
        """
        wrt = self.active()
        taped = self.expected(tape)
        if thorough:
            close(self.expected(dual), taped, self.tolerance, "dual numbers and tape")
        expected = dict(zip(wrt, taped, strict=True))
        value, _ = self.run(self.prepared)
        wanted = list(expected.values())
        turn = sum(1 for _ in walk(self.prepared.main.body)) % 4
        for with_value, everything in _VARIANTS if thorough else (_VARIANTS[0], *_VARIANTS[1:][turn : turn + 1]):
            g = self.derivative(wrt, with_value, everything, thorough or with_value)
            stages = {"stored": g.stored, "simplified": g.simplified}
            if not everything and with_value:
                stages["pure"] = purify(g.simplified)
                stages["emitted"] = emitted(g.simplified)
                assert not verify(stages["pure"]) and not verify(stages["emitted"])
            for name, stage in stages.items():
                what = f"{name}, value={with_value}, log_everything={everything}"
                out, found = self.gradient(stage, wrt, with_value)
                close([found[n] for n in wrt], wanted, self.tolerance, what)
                if with_value:
                    again = out.results[: len(self.prepared.main.body.results)]
                    told = difference(Ended(self.result(again)), Ended(value), rtol=self.tolerance)
                    assert told is None, f"{what}: value: {told}"
                if name == "simplified" and with_value and not everything:
                    self.within_bound(out)
        for n in dict.fromkeys((*wrt[:1], *wrt[-1:])) if thorough else wrt[-1:] if turn == 3 else ():
            some = tuple(w for w in wrt if w == n or w in self.updates)
            _, found = self.gradient(self.derivative(some, False, after=thorough).simplified, some, False)
            close([found[n]], [expected[n]], self.tolerance, f"by {n} alone")

    def within_bound(self, out: Outcome) -> None:
        """The cost theorem, for the buffers that `gradient` gives."""
        most = bound(self.prepared, self.values)
        assert most is None or out.work <= most, f"{out.work} steps, the bound is {most}"

    def inner_product(self) -> None:
        """Forward mode against reverse mode: the same number from both sides."""
        wrt = self.active()
        program = tangent(self.prepared, wrt, well_formed, self.off)
        dots = {n: wave(v, 9.0 + k) for k, (n, v) in enumerate(self.by_name(wrt).items())}
        values = fresh(self.values)
        given = [dots[p.var.name] for p in self.prepared.main.params if p.var.name in dots]
        out = run(program, [*values, *fresh(given)], limit=10 * STEPS)
        count = len(self.prepared.main.body.results)
        ours = sum(float(np.sum(c * t)) for c, t in zip(self.seeds(), out.results[count:], strict=True))
        tangents = dict(zip((p.var.name for p in self.prepared.main.params if p.var.name in dots),
                            program.main.params[len(self.values) :], strict=True))
        for k, name in enumerate(self.updates):
            cotangent = self.cotangent[len(self.cotangent) - len(self.updates) + k]
            ours += float(np.sum(cotangent * out.params[tangents[name].var.name]))
        _, found = self.gradient(self.derivative(wrt, True).simplified, wrt, True)
        theirs = sum(float(np.sum(found[n] * dots[n])) for n in wrt)
        size = sum(float(np.sum(np.abs(found[n] * dots[n]))) for n in wrt)
        assert abs(ours - theirs) <= self.tolerance * max(1.0, size), f"tangents give {ours}, adjoints {theirs}"

    def by_name(self, wrt: Sequence[str]) -> dict[str, Any]:
        pairs = zip(self.prepared.main.params, self.values, strict=True)
        return {p.var.name: v for p, v in pairs if p.var.name in wrt}

    # ------------------------------------------------------------------------------------------------ second order

    def second_order(self, step: float | None = 1e-5) -> None:
        """The adjoint of the adjoint and its tangent agree; with ``step``, with differences of the first adjoint too.

        Both are asked for one number: how the sum of the first adjoint's outputs, weighted, changes along a direction.
        """
        wrt = self.active()
        first = self.derivative(wrt, False).simplified
        args = self.derivative_arguments(wrt)
        main = first.main
        moving = [k for k, p in enumerate(main.params) if is_float(p.var.type) and p.mode != "acc"]
        moving = [k for k in moving if k >= len(self.values) or main.params[k].var.name in wrt]
        names = tuple(main.params[k].var.name for k in moving)
        dots = {k: wave(args[k], 3.0 + k) for k in moving}

        def outputs(o: Outcome, program: Program, count: int) -> list[Any]:
            arrays = [p.var.name for p in program.main.params[:count] if p.mode in WRITTEN and is_float(p.var.type)]
            return [*o.results[: len(main.body.results)], *(o.params[n] for n in arrays)]

        base = outputs(run(first, fresh(args), limit=50 * STEPS), first, len(main.params))
        weights = [wave(x, 20.0 + k) for k, x in enumerate(base)]

        def weighed(values: Sequence[Any]) -> float:
            return sum(float(np.sum(w * x)) for w, x in zip(weights, values, strict=True))

        # reverse over reverse
        second = differentiate(first, names, False, well_formed)
        well_formed("second reverse", second.stored)
        well_formed("simplified second reverse", second.simplified)
        count = len(main.body.results)
        seeds = [w for w, r in zip(weights, main.body.results) if is_float(r.type)]
        written = [p.var.name for p in main.params if p.mode in WRITTEN and is_float(p.var.type)]
        finals = dict(zip(written, weights[count:], strict=True))
        buffers, holders = [], []
        for k, (p, v) in enumerate(zip(main.params, args, strict=True)):
            if isinstance(p.var.type, Array) and is_float(p.var.type) and (k in moving or p.var.name in finals):
                buffers.append(finals[p.var.name].copy() if p.var.name in finals else np.zeros_like(v))
                holders.append(k)
        out = run(second.simplified, [*fresh(args), *seeds, *buffers], limit=500 * STEPS)
        scalars = [k for k in moving if not isinstance(main.params[k].var.type, Array)]
        found = dict(zip(scalars, out.results, strict=True))
        given = second.simplified.main.params[-len(holders) :] if holders else ()
        found.update((k, out.params[p.var.name]) for k, p in zip(holders, given, strict=True))
        reverse = sum(float(np.sum(found[k] * dots[k])) for k in moving)
        size = max(1.0, sum(float(np.sum(np.abs(found[k] * dots[k]))) for k in moving))

        # forward over reverse
        program = tangent(first, names, well_formed)
        extra = program.main.params[len(main.params) :]
        by_name = {main.params[k].var.name: dots[k] for k in moving}
        dotted: dict[str, str] = {}  # which parameters have a tangent, and its name
        given = []
        waiting = list(extra)
        for p, v in zip(main.params, args, strict=True):
            if waiting and base_name(waiting[0].var.name) == f"{base_name(p.var.name)}_dot":
                dotted[p.var.name] = waiting.pop(0).var.name
                given.append(by_name.get(p.var.name, np.zeros_like(v)))
        assert not waiting
        out = run(program, [*fresh(args), *fresh(given)], limit=500 * STEPS)
        tangents = [*out.results[count:], *(out.params[dotted[n]] if n in dotted else 0.0 for n in written)]
        forward = weighed(tangents)
        tolerance = 10 * self.tolerance * size
        assert abs(reverse - forward) <= tolerance, f"second order: reverse {reverse}, forward {forward}"

        if step is not None and not self.single:
            ends = []
            for h in (step, -step):
                moved = [v + h * dots[k] if k in dots else v for k, v in enumerate(fresh(args))]
                ends.append(weighed(outputs(run(first, moved, limit=50 * STEPS), first, len(main.params))))
            slope = (ends[0] - ends[1]) / (2 * step)
            assert abs(slope - reverse) <= 1e-5 * size, f"second order: {reverse}, differences give {slope}"

    # ------------------------------------------------------------------------------------------------------ all

    def recursive(self) -> bool:
        return any(isinstance(s, Call) for f in self.prepared.functions.values() for s in walk(f.body))

    def raises(self, error: Exception, variants: tuple[bool, ...] = (True, False)) -> None:
        """Where the program raises, so does its derivative, with its value or without.

        Of two exceptions an adjoint may come to the later one first; callers get the first, as the function is run then.
        With arrays as results it is run before the adjoint, whose cotangents have their shapes.
        """
        wrt = self.active()
        values = fresh(self.values)
        floating = [r for r in self.prepared.main.body.results if is_float(r.type)]
        if any(isinstance(r.type, Array) for r in floating):
            return
        seeds = [1.0 for _ in floating]
        pairs = zip(self.prepared.main.params, values, strict=True)
        arrays = [(p, v) for p, v in pairs if isinstance(p.var.type, Array) and is_float(p.var.type)]
        buffers = [np.zeros_like(v) for p, v in arrays if p.var.name in wrt or p.mode in WRITTEN]
        for value in variants:
            g = self.derivative(wrt, value)
            got = attempt(lambda g=g: run(g.simplified, [*values, *seeds, *buffers], limit=50 * STEPS))
            assert got.error is not None, f"value={value}: no {error!r}"
            if type(got.error) is not type(error) and is_scalar_float(self.checked.signature.result):
                f = linear_grad(self.function, updates=self.updates, backend="interpret")
                told = attempt(lambda f=f, value=value: (f.value_and_grad if value else f.grad)(*fresh(self.args)))
                assert type(told.error) is type(error), f"value={value}: {told.error!r} instead of {error!r}"

    def holds(self, order: int = 1, step: float | None = None, thorough: bool = MANY > 1) -> None:
        """Everything that must hold of an accepted program at these arguments."""
        ended = self.primal()
        if ended.error is not None:
            self.raises(ended.error)
            return
        self.gradients(thorough)
        self.inner_product()
        if order > 1:
            self.second_order(step)
