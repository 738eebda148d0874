"""A few storms of edits; `python -m tests.fuzz.long --only stormed` goes on."""

import random

import pytest

from ..examples_of import seeds
from . import storms


@pytest.mark.drawn
@pytest.mark.parametrize("seed", seeds(2))
def test_storms(seed):
    assert sum(1 for _ in storms.storm(random.Random(seed))) == storms.EDITS


def test_a_range_outside_of_the_text_would_be_seen(monkeypatch):
    outside = {"start": {"line": 0, "character": 0}, "end": {"line": 10**6, "character": 0}}
    monkeypatch.setattr(storms.Session, "hints", lambda *args: [{"range": outside}])
    with pytest.raises((AssertionError, IndexError)):
        for seed in range(5):
            list(storms.storm(random.Random(seed)))
