"""Machine code between processes: what Numba made of a function, in a file of linad's cache; all works without it too.
"""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

from . import cache
from .numba_compat import CompileResult, dumps


class MachineCode:
    """The machine code of one function, as a dispatcher of Numba's keeps it.

    What Numba reduces the outcome of a compilation to is stored as a pickle with the machine code, in a file that is
    read only where it is what this user has written (`cache.read`). It may do no more than the machine code may.
    """

    def __init__(self, folder: Path, name: str, text: str) -> None:
        self._folder, self._name, self._text = folder, name, text

    @property
    def cache_path(self) -> str:
        return str(self._folder)

    def _file(self, sig: object, codegen: Any) -> Path:
        """The file of the machine code for these types, of this text, on this processor."""
        return self._folder / f"{self._name}-{cache.digest(str(sig), codegen.magic_tuple(), self._text)}.code"

    def load_overload(self, sig: object, target_context: Any) -> CompileResult | None:
        """What is kept for these types, ready to run."""
        target_context.refresh()
        path = self._file(sig, target_context.codegen())
        content = cache.read(path)
        if content is None:
            return None
        try:
            return CompileResult._rebuild(target_context, *pickle.loads(content))
        except Exception:  # noqa: BLE001 - made by an installation that is no longer as it was
            cache.remove(path)
            return None

    def save_overload(self, sig: object, made: CompileResult) -> None:
        """Keep what was compiled for these types, if it holds no addresses of this process."""
        if not (made.library.has_dynamic_globals or any(not f.can_cache for f in made.lifted)):
            cache.write(self._file(sig, made.codegen), dumps(made._reduce()))

    def enable(self) -> None:
        """It is enabled."""

    disable = flush = enable


def keep(dispatcher: Any, folder: Path | None, name: str, text: str) -> None:
    """Let a dispatcher of Numba's take machine code from a folder of the cache, and leave it there.

    ``text`` is, or stands for, all that it is made from.
    """
    if folder is not None:
        dispatcher._cache = MachineCode(folder, name, text)
