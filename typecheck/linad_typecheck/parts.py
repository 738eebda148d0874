"""Parts that other packages add to the checker: commands and remarks of ``linad``, found by entry points.

The checker is below ``linad`` and names none of its modules. ``linad`` lists its parts in its metadata
(`pyproject.toml`), as plugins do. A checkout that is not installed, or that was installed before a part was added,
lacks this metadata. Then the list is read from its `pyproject.toml`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "linad_typecheck.parts"


@cache
def parts() -> dict[str, EntryPoint]:
    """The available parts by name. Nothing is imported."""
    from importlib.metadata import entry_points  # slow to import, and not needed for a check

    return {e.name: e for e in (*_of_checkout(Path(__file__).parents[2]), *entry_points(group=GROUP))}


def part(name: str) -> EntryPoint | None:
    """The part with a name, to be imported by `load`; None if there is none."""
    return parts().get(name)


def _of_checkout(root: Path) -> list[EntryPoint]:
    import tomllib
    from importlib.metadata import EntryPoint

    try:
        project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    except (OSError, ValueError, KeyError):  # installed, or in a zip archive
        return []
    listed = project.get("entry-points", {}).get(GROUP, {}) if project.get("name") == "linad" else {}
    return [EntryPoint(name, value, GROUP) for name, value in listed.items()]
