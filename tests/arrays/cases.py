"""A program as text, the arguments that it is run with, and what is expected of the front end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..prelude import HEADER
from ..properties.roads import Whole
from ..kit import load

_rng = np.random.default_rng(0)
ARGUMENTS = {
    "x": _rng.normal(size=5) + 2.0,
    "y": _rng.normal(size=5) + 3.0,
    "A": _rng.normal(size=(4, 5)),
    "B": _rng.normal(size=(4, 4)),
    "T": _rng.normal(size=(2, 3, 4)),
    "idx": np.array([0, 3, 3, 1, -1]),
    "perm": np.array([0, 3, 2, 1, 4]),
}


@dataclass(frozen=True)
class Case:
    """Functions, ``f`` the last; ``args`` are names of `ARGUMENTS` or numbers; ``refused`` the code of the error, if any."""

    text: str
    args: tuple[Any, ...]
    refused: str = ""

    def whole(self) -> Whole:
        values = tuple(ARGUMENTS[a] if isinstance(a, str) else a for a in self.args)
        return Whole(load(HEADER + "\n\n" + self.text), values)


def programs(name: str) -> Iterator[Case]:
    """The programs of a file: before each a comment with its arguments and, behind ``--``, the code that refuses it."""
    text = "\n" + (Path(__file__).parent / "programs" / f"{name}.txt").read_text()
    for part in text.split("\n# ")[1:]:
        head, body = part.split("\n", 1)
        args, _, refused = head.partition(" -- ")
        yield Case(body, tuple(a if a in ARGUMENTS else float(a) for a in args.split(", ")), refused)
