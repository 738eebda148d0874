"""Some of the programs through the decorator, compiled, against the interpreter's gradient."""

import numpy as np
import pytest

from linad import linear_grad

from . import programs_science, programs_traps, programs_types, programs_unbound
from .roads import Whole, close, fresh, leaves

MODULES = (programs_science, programs_traps, programs_types, programs_unbound)
COMPILED = (
    "thomas", "csr_matvec", "bubble_sort", "index_overwritten_while_used", "swap_in_one_arm",
    "sizes_that_change", "log_in_arms_of_arms", "pair_in_out",
    "rows_of_map", "row_written_above", "shorter_by_one_written",  # nothing but a check stands between these and other memory
)


@pytest.mark.parametrize("name", COMPILED)
@pytest.mark.filterwarnings("ignore::linad.LinadWarning")
def test_compiled_gradients(name):
    (module,) = (m for m in MODULES if name in m.CASES)
    f = getattr(module, name)
    checked = linear_grad(f, updates=module.CASES[name][0][1])
    for args, updates in module.CASES[name]:
        whole = Whole(f, args, updates)
        before = fresh(list(leaves(args)))
        error = whole.primal().error
        if error is not None:
            for call in (checked, checked.grad):
                with pytest.raises(type(error)):
                    call(*args)
            continue
        wrt = whole.active()
        _, found = whole.gradient(whole.derivative(wrt, True).simplified, wrt, True)
        value, pullback = checked.vjp(*args)
        expected, finals = whole.run(whole.prepared)
        if updates:
            expected = tuple(finals.values()) if expected is None else (expected, *finals.values())
        close(list(map(np.asarray, leaves(value))), list(map(np.asarray, leaves(expected))), 1e-12, "value")
        ours = [np.asarray(g) for g in leaves(pullback(whole.cotangent))]
        close(ours, [found[n] for n in wrt], 1e-9, name)
        again = [np.asarray(g) for g in leaves(pullback(whole.cotangent))]
        close(again, ours, 0.0, "the second pullback")
        assert all(map(np.array_equal, before, leaves(args)))
