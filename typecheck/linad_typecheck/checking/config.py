"""The settings of a project: the table ``[tool.linad]`` of the nearest ``pyproject.toml`` that has one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

from ..codes import CODES
from ..diagnostics import Diagnostic, strictly
from ..frozen import frozen

OUTPUT_FORMATS = ("full", "concise", "json", "github", "sarif")


class BadSettings(ValueError):
    """Raised for an invalid setting."""


@frozen
class Settings:
    """Which findings to report, and for which files. Paths are relative to ``folder``."""

    folder: Path | None = None
    select: frozenset[str] = frozenset()  # slugs; empty means all
    ignore: frozenset[str] = frozenset()
    exclude: tuple[str, ...] = ()
    per_file: tuple[tuple[str, frozenset[str]], ...] = ()
    output_format: str = "full"
    strict: bool = False

    def wanted(self, diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
        """The findings to report, with the severities that the project gives them."""
        found = [d for d in diagnostics if self.wants(d)]
        return list(map(strictly, found)) if self.strict else found

    def wants(self, d: Diagnostic) -> bool:
        """Whether to report a finding."""
        if (self.select and d.slug not in self.select) or d.slug in self.ignore:
            return False
        return not any(d.slug in slugs and self._matches(d.span.file, pattern) for pattern, slugs in self.per_file)

    def excludes(self, path: str) -> bool:
        """Whether a file or folder is excluded."""
        return any(self._matches(path, pattern) for pattern in self.exclude)

    def _matches(self, path: str, pattern: str) -> bool:
        whole = Path(path).absolute()
        base = self.folder or Path.cwd()
        inside = whole.relative_to(base).as_posix() if whole.is_relative_to(base) else whole.as_posix()
        heads = [inside, *(p.as_posix() for p in Path(inside).parents)]
        pattern = pattern.rstrip("/")
        return any(fnmatch(head, pattern) for head in heads) or any(
            fnmatch(part, pattern) for part in Path(inside).parts
        )


def slugs(given: Sequence[str]) -> frozenset[str]:
    """The slugs for comma-separated slugs, codes, or prefixes of codes such as ``LIN1``.

    Raises
    ------
    BadSettings
        If there is no such code.
    """
    found: set[str] = set()
    for name in (part.strip() for text in given for part in text.split(",")):
        start = name if name.startswith("LIN") else "no code"
        matching = [c.slug for c in CODES.values() if c.slug == name or c.code.startswith(start)]
        if not matching:
            raise BadSettings(
                f"there is no code `{name}`{did_you_mean(name, (*CODES, *(c.code for c in CODES.values())))}"
            )
        found.update(matching)
    return frozenset(found)


def did_you_mean(name: str, known: Sequence[str], cutoff: float = 0.5) -> str:
    near = get_close_matches(name, known, 1, cutoff)
    return f"; did you mean `{near[0]}`" if near else ""


def settings_of(path: str) -> Settings:
    """The settings for a file or folder. Raises `BadSettings` if they are invalid."""
    start = Path(path).absolute()
    return nearest(start if start.is_dir() else start.parent)


@cache
def nearest(folder: Path) -> Settings:
    """The settings for a folder, memoised."""
    file = folder / "pyproject.toml"
    if file.is_file():
        found = read(file)
        if found is not None:
            return found
    return Settings() if folder.parent == folder else nearest(folder.parent)


def read(file: Path) -> Settings | None:
    """The settings in a ``pyproject.toml``; None if it has no table ``[tool.linad]``.

    Raises
    ------
    BadSettings
        If the file is not TOML, or if a setting is unknown or of the wrong type.
    """
    import tomllib  # imported only if there is a file to read, to keep start-up fast

    try:
        whole = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadSettings(f"{file}: {error}") from None
    table = whole.get("tool", {}).get("linad")
    if table is None:
        return None
    try:
        return _settings(file.parent.absolute(), table)
    except BadSettings as error:
        raise BadSettings(f"{file}: [tool.linad]: {error}") from None


def _settings(folder: Path, table: Mapping[str, object]) -> Settings:
    known = ("select", "ignore", "exclude", "per-file-ignores", "output-format", "strict")
    for key in table:
        if key not in known:
            raise BadSettings(f"there is no setting `{key}`{did_you_mean(key, known)}; there are {', '.join(known)}")
    per_file = table.get("per-file-ignores", {})
    if not isinstance(per_file, dict):
        raise BadSettings('`per-file-ignores` is a table such as { "tests/*" = ["LIN304"] }')
    output = table.get("output-format", "full")
    if output not in OUTPUT_FORMATS:
        raise BadSettings(f"`output-format` is one of {', '.join(OUTPUT_FORMATS)}")
    if not isinstance(table.get("strict", False), bool):
        raise BadSettings("`strict` is true or false")
    return Settings(
        folder,
        slugs(_texts("select", table.get("select", []))),
        slugs(_texts("ignore", table.get("ignore", []))),
        tuple(_texts("exclude", table.get("exclude", []))),
        tuple((pattern, slugs(_texts("per-file-ignores", names))) for pattern, names in per_file.items()),
        str(output),
        bool(table.get("strict", False)),
    )


def _texts(key: str, value: object) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise BadSettings(f"`{key}` is a list of strings")
    return value
