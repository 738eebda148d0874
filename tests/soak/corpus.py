"""Programs that were found, each a file of the folder `found`: its text, then what it is called with."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ..kit import load
from ..strategies import Program

FOUND = Path(__file__).parent / "found"
_ARGS = "\n\n# called with\nimport numpy as np  # noqa: E402\n\n"


def shown(x: Any) -> str:
    """A value as Python text."""
    match x:
        case np.ndarray():
            return f"np.array({x.tolist()!r}, dtype=np.{x.dtype.name}).reshape({x.shape})"
        case np.generic():
            return f"np.{x.dtype.name}({x.item()!r})"
        case tuple():
            return f"({''.join(shown(v) + ', ' for v in x)})"
    return repr(x)


def text_of(program: Program) -> str:
    """The file of a program."""
    given = {"ARGS": shown(program.args), "UPDATES": repr(program.updates), "SINGLE": repr(program.single)}
    return program.text.rstrip() + _ARGS + "".join(f"{name} = {value}\n" for name, value in given.items())


@lru_cache(maxsize=4096)
def program_of(text: str) -> Program:
    """The program of a file."""
    given = load(text).__globals__
    return Program(text.partition(_ARGS)[0] + "\n", given["ARGS"], given["SINGLE"], given["UPDATES"])


def keep(program: Program, name: str, folder: Path = FOUND) -> Path:
    """Write a program into a folder under a name that is free."""
    folder.mkdir(parents=True, exist_ok=True)
    files = (folder / f"{name}{k or ''}.py" for k in range(10_000))
    file = next(f for f in files if not f.exists())
    file.write_text(text_of(program), encoding="utf-8")
    return file
