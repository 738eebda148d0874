"""Which arrays are private to iterations: the verdicts of the analysis against recorded runs of random nests."""

import pytest
from linad_typecheck.ir.core import Loop, walk

from linad.analysis.regions import Privacy

from ..examples_of import seeds
from ..properties.roads import Whole
from ..sources import Seeded
from ..strategies_scratch import scratch_nests
from .recorded import depths, events, is_private, iterations

UNTOUCHED = frozenset({"array_privatisation"})


def verdicts(seed: int) -> tuple[int, int]:
    """How many arrays are found private to a loop, and how many were so in a run, where that says something: of loops that
    ran more than once and read the array. Those found must have been."""
    program = scratch_nests(Seeded(seed))
    whole = Whole(program.load(), program.args, off=UNTOUCHED)
    if whole.errors:
        return 0, 0
    f = whole.prepared.main
    told = Privacy(f)
    run, depth = events(whole.prepared, whole.values), depths(f)
    found = possible = 0
    for s in (s for s in walk(f.body) if isinstance(s, Loop)):
        for a in told.refilled(s):
            private = is_private(run, s, depth[id(s)], a)
            said = a in told.found.get(id(s), {})
            assert private or not said, f"{a} is not private to the loop over {s.index}\n{program.text}"
            told_by = iterations(run, s, depth[id(s)], a) if private else 0
            found, possible = found + (said and told_by > 1), possible + (told_by > 1)
    return found, possible


@pytest.mark.drawn
@pytest.mark.parametrize("seed", seeds(30))
def test_what_is_private_was_so_in_a_run(seed) -> None:
    verdicts(seed)


def test_most_of_what_is_private_is_found() -> None:
    """What one run does says less than a proof: a loop that fills an array might not have run at all."""
    found, possible = map(sum, zip(*map(verdicts, range(60)), strict=True))
    assert found >= 0.8 * possible > 20, (found, possible)
