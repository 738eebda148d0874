"""Disabled optimisation passes: those disabled by options of a function, and those of ``LINAD_DISABLE``."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from .boundary.errors import refusal
from .optimise.environment import OFF, disabled


def switched_off(passes: Mapping[str, bool] | None = None) -> tuple[str, ...]:
    """The names of the disabled passes, sorted.

    Parameters
    ----------
    passes
        For each named pass, whether it runs. ``LINAD_DISABLE``, a comma-separated list of names, disables further
        passes.

    Raises
    ------
    LinadError
        If there is no such pass, or if it is required for correctness.
    """
    if passes is not None and not (isinstance(passes, Mapping) and all(type(run) is bool for run in passes.values())):
        what = f"`passes` is a dictionary from names of passes to bools, got {passes!r}"
        raise refusal("bad-option", what, help='write `passes={"loop_fusion": False}`')
    wanted = {name: ("`passes`", run) for name, run in (passes or {}).items()}
    wanted |= {name: (f"`{OFF}`", False) for name in disabled()}
    if not wanted:
        return ()  # and no pass is imported
    from .codegen.passes import all_passes

    known = all_passes()
    for name, (where, run) in wanted.items():
        if name not in known:
            near = get_close_matches(str(name), known, 3, 0.5)
            hint = f"did you mean {' or '.join(f'`{n}`' for n in near)}?" if near else f"there are {', '.join(known)}"
            raise refusal("bad-option", f"{where}: there is no optimisation pass `{name}`", help=hint)
        if known[name].required and not run:
            raise refusal("bad-option", f"{where}: the pass `{name}` cannot be switched off: {known[name].required}")
    return tuple(sorted(name for name, (_, run) in wanted.items() if not run))
