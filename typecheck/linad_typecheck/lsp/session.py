"""The state of a conversation with an editor, its open documents, and the answers. It does not depend on the
transport."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from time import perf_counter

from ..diagnostics import Diagnostic
from .analysis import Analyser, Analysis
from .convert import Client, diagnostics, fix_all, quick_fixes
from .positions import edited
from .settings import Settings, findings_wanted, forget_projects
from .sheet import Json, Sheet, of_file, of_notebook

MAX_CHARACTERS = 2_000_000  # longer documents are assumed to be generated, and are not checked


@dataclass
class Document:
    """An open document or cell, as the client has it."""

    text: str
    version: int | None = None
    language: str = "python"


@dataclass
class Session:
    """Open documents, settings, and the analysis of each."""

    client: Client = Client()
    settings: Settings = Settings()
    documents: dict[str, Document] = field(default_factory=dict)
    notebooks: dict[str, list[str]] = field(default_factory=dict)  # URIs of their code cells, in order
    _analysers: dict[str, Analyser] = field(default_factory=dict)
    _sheets: dict[str, tuple[object, Sheet]] = field(default_factory=dict)

    # -- documents

    def open(self, uri: str, text: str, version: int | None = None, language: str = "python") -> None:
        self.documents[uri] = Document(text, version, language)

    def change(self, uri: str, changes: Iterable[Json], version: int | None = None) -> None:
        """Apply changes in order. A change without a range replaces the whole text."""
        document = self.documents.setdefault(uri, Document(""))
        for c in changes:
            where, text = c.get("range"), str(c["text"])
            if where is None:
                document.text = text
            else:
                ends = (where[k] for k in ("start", "end"))  # type: ignore[index]
                start, end = ((at["line"], at["character"]) for at in ends)
                document.text = edited(document.text, start, end, text, self.client.encoding)
        document.version = version

    def close(self, uri: str) -> None:
        for kept in (self.documents, self._analysers, self._sheets):
            kept.pop(uri, None)

    def close_notebook(self, uri: str) -> None:
        for cell in self.notebooks.pop(uri, ()):
            self.documents.pop(cell, None)
        self._analysers.pop(uri, None)
        self._sheets.pop(uri, None)

    def home(self, uri: str) -> str:
        """The document to which findings belong: the notebook of a cell, otherwise the document itself."""
        return next((n for n, cells in self.notebooks.items() if uri == n or uri in cells), uri)

    def homes(self) -> list[str]:
        """All open documents, with notebooks as wholes."""
        return list(dict.fromkeys(self.home(uri) for uri in (*self.notebooks, *self.documents)))

    def versions(self) -> dict[str, int | None]:
        return {uri: d.version for uri, d in self.documents.items()}

    def forget(self) -> None:
        """Discard what was read from disk, because files have changed."""
        forget_projects()
        for analyser in self._analysers.values():
            analyser.forget()

    # -- what is known

    def sheet(self, home: str) -> Sheet:
        cells = self.notebooks.get(home)
        uris = [home] if cells is None else cells
        texts = tuple((u, self.documents[u].text) for u in uris if self._python(u))
        known = self._sheets.get(home)
        if known is None or known[0] != texts:
            sheet = of_notebook(home, texts) if cells is not None else of_file(home, texts[0][1] if texts else "")
            known = self._sheets[home] = (texts, sheet)
        return known[1]

    def _python(self, uri: str) -> bool:
        document = self.documents.get(uri)
        return document is not None and document.language == "python" and len(document.text) <= MAX_CHARACTERS

    def analysis(self, home: str, seconds: float | None = None) -> tuple[Sheet, Analysis]:
        """The analysis of a document or notebook. With ``seconds`` it may be incomplete."""
        sheet = self.sheet(home)
        analyser = self._analysers.setdefault(home, Analyser(sheet.name))
        return sheet, analyser.analyse(sheet.text, None if seconds is None else perf_counter() + seconds)

    def wrong_settings(self, home: str) -> str:
        """What is wrong with the settings that apply to a document."""
        return findings_wanted(self.settings, self.sheet(home).name)[1]

    def _wanted(self, sheet: Sheet, analysis: Analysis) -> list[Diagnostic]:
        settings, _ = findings_wanted(self.settings, sheet.name)
        if settings.excludes(sheet.name):
            return []
        return settings.wanted(analysis.diagnostics)

    # -- answers

    def diagnostics(self, home: str, seconds: float | None = None) -> tuple[dict[str, list[Json]], bool]:
        """The diagnostics of a document, or of each cell of a notebook, by URI; and whether they are complete."""
        sheet, analysis = self.analysis(home, seconds)
        return diagnostics(self._wanted(sheet, analysis), sheet, self.client), analysis.complete

    def pulled(self, uri: str, previous: str | None) -> Json:
        """A report with the diagnostics of one document; abbreviated if they have not changed."""
        found = self.diagnostics(self.home(uri))[0].get(uri, [])
        known = f"{hash(json.dumps(found)) & (1 << 64) - 1:016x}"  # valid in this conversation only
        if known == previous:
            return {"kind": "unchanged", "resultId": known}
        return {"kind": "full", "resultId": known, "items": found}

    def hover(self, uri: str, position: Json) -> Json | None:
        sheet, analysis = self.analysis(self.home(uri))
        if not any(p.uri == uri for p in sheet.parts):
            return None
        from .hover import (
            hover,  # imported late, because the first diagnostics do not need it
        )

        line, column = sheet.place(uri, position, self.client.encoding)
        return hover(analysis, sheet, line, column, self.client, self.settings.derivative)

    def definition(self, uri: str, position: Json) -> list[Json]:
        """The positions at which the array of the name under the pointer was moved or shared."""
        sheet, analysis = self.analysis(self.home(uri))
        if not any(p.uri == uri for p in sheet.parts):
            return []
        from .names import moved_places, word_at

        word = word_at(analysis, *sheet.place(uri, position, self.client.encoding))
        spans = moved_places(analysis, word) if word is not None and not word.attribute else []
        return [sheet.location(s, self.client.encoding) for s in spans]

    def hints(self, uri: str, range: Json) -> list[Json]:
        sheet, analysis = self.analysis(self.home(uri))
        if not self.settings.hints or not any(p.uri == uri for p in sheet.parts):
            return []
        from .hints import hints, shown

        place = lambda k: sheet.place(uri, range[k], self.client.encoding)  # type: ignore[arg-type]
        first, last = place("start")[0], place("end")[0]
        last = (
            max(last, first) if int(range["end"]["line"]) < len(sheet.part(uri).lines.lines) else sheet.part(uri).last
        )  # type: ignore[index]
        found = shown(hints(analysis, first, last, self.settings), analysis, sheet, self.client)
        return [{k: v for k, v in h.items() if k != "uri"} for h in found if h["uri"] == uri]

    def actions(self, uri: str, range: Json, only: list[str] | None = None) -> list[Json]:
        """Fixes of the diagnostics that overlap a range, and one action for all fixes."""
        sheet, analysis = self.analysis(self.home(uri))
        if not self.client.literal_actions or not any(p.uri == uri for p in sheet.parts):
            return []
        wanted, found = self._wanted(sheet, analysis), []
        place = lambda k: sheet.place(uri, range[k], self.client.encoding)  # type: ignore[arg-type]
        (a, b), (c, e) = place("start"), place("end")
        for d in wanted if _asked("quickfix", only) else ():
            s = d.span
            if s.file == sheet.name and (s.line, s.column) <= (c, e) and (a, b) <= (s.end_line, s.end_column):
                one = diagnostics([d], sheet, self.client).get(uri) or []
                for listed in one:
                    found += quick_fixes(d, listed, sheet, self.client, self.versions())
        if _asked("source.fixAll.linad", only):
            whole = fix_all((f for d in wanted for f in d.fixes), sheet, self.client, self.versions())
            found += [whole] if whole else []
        return found


def _asked(kind: str, only: list[str] | None) -> bool:
    return only is None or any(kind == o or kind.startswith(f"{o}.") for o in only)
