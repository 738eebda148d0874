"""What other packages add to the checker: the commands and the remarks of ``linad``, found by their entry points.

The checker is below ``linad`` and names none of its modules: ``linad`` lists what it adds in its metadata
(`pyproject.toml`), as plugins of other tools do. A checkout that is not installed, or was before something was added,
has no such metadata: there the list is read from the `pyproject.toml` that it would be made of.
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
    """What there is, by name; nothing of it is imported."""
    from importlib.metadata import entry_points  # slow to import, and not needed by a check

    return {e.name: e for e in (*_of_checkout(Path(__file__).parents[2]), *entry_points(group=GROUP))}


def part(name: str) -> EntryPoint | None:
    """What is added under a name, to be imported by `load`; None where nothing is."""
    return parts().get(name)


def _of_checkout(root: Path) -> list[EntryPoint]:
    import tomllib
    from importlib.metadata import EntryPoint

    try:
        project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    except (OSError, ValueError, KeyError):  # it is installed, or in a zip
        return []
    listed = project.get("entry-points", {}).get(GROUP, {}) if project.get("name") == "linad" else {}
    return [EntryPoint(name, value, GROUP) for name, value in listed.items()]
