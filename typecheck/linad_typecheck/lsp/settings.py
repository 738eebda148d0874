"""Settings of an editor: which findings and which hints to show."""

from __future__ import annotations

from dataclasses import replace

from ..checking.config import BadSettings, nearest, slugs
from ..checking.config import Settings as Project
from ..checking.config import settings_of as project_settings
from ..frozen import frozen
from ..names.modules import project

KINDS = ("dup", "drop", "copy", "move", "loop", "logged")
_NAMES = {"copies": "copy", "moves": "move", "loops": "loop", "dups": "dup", "drops": "drop"}
_DEFAULT = frozenset({"dup", "drop", "copy", "loop", "logged"})


@frozen
class Settings:
    """``select`` and ``ignore`` are as in ``[tool.linad]``, which they override. ``hints`` are kinds from `KINDS`.
    ``derivative``: whether to request kinds of loops and logged values."""

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] | None = None
    hints: frozenset[str] = _DEFAULT
    derivative: bool = True


def forget_projects() -> None:
    """Read ``pyproject.toml`` again."""
    nearest.cache_clear()
    project.cache_clear()


def settings_of(given: object, base: Settings = Settings()) -> Settings:
    """The settings that an editor sends, merged into a base. Unknown ones are ignored."""
    if not isinstance(given, dict):
        return base
    inner = given.get("linad", given.get("settings"))
    if isinstance(inner, dict):
        return settings_of(inner, base)
    found = base
    for key in ("select", "ignore"):
        if isinstance(given.get(key), list):
            found = replace(found, **{key: tuple(str(x) for x in given[key])})
    if isinstance(given.get("derivative"), bool):
        found = replace(found, derivative=given["derivative"])
    if "inlayHints" in given:
        found = replace(found, hints=_hints(given["inlayHints"], found.hints))
    return found if found.derivative else replace(found, hints=found.hints - {"loop", "logged"})


def _hints(given: object, base: frozenset[str]) -> frozenset[str]:
    match given:
        case bool():
            return base if given else frozenset()
        case dict():
            kinds = {_NAMES.get(k, k): bool(v) for k, v in given.items()}
            on = {k for k in KINDS if kinds.get(k, k in base)}
            return frozenset(on)
    return base


def findings_wanted(settings: Settings, path: str) -> tuple[Project, str]:
    """Which findings of a file to show, by its project overridden by the editor; and what is wrong with either."""
    wrong = ""
    try:
        found = project_settings(path)
    except BadSettings as error:
        found, wrong = Project(), str(error)
    for key in ("select", "ignore"):
        given = getattr(settings, key)
        if given is not None:
            try:
                found = replace(found, **{key: slugs(given)})
            except BadSettings as error:
                wrong = wrong or f"the editor's setting `linad.{key}`: {error}"
    return found, wrong
