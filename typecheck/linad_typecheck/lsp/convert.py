"""Conversion of findings to the protocol: diagnostics with related places, and fixes as edits."""

from __future__ import annotations

from collections.abc import Iterable

from ..diagnostics import Diagnostic, Edit, Fix
from ..frozen import frozen
from ..ownership.rules import RULES
from ..span import Span
from .positions import Encoding, negotiated
from .sheet import Json, Sheet

_SEVERITY = {"error": 1, "warning": 2, "information": 3}
_UNNECESSARY = 1  # a tag with which clients fade text


@frozen
class Client:
    """The relevant capabilities of a client."""

    encoding: Encoding = "utf-16"
    related: bool = False  # shows places that are related to a diagnostic
    tags: bool = False
    pulls: bool = False  # requests diagnostics instead of waiting for them
    refresh: bool = False  # can be told to request diagnostics again
    refresh_hints: bool = False
    versioned_edits: bool = False
    literal_actions: bool = False
    markdown: bool = False
    configuration: bool = False
    notebooks: bool = False


def client_of(capabilities: Json) -> Client:
    """The client with these capabilities, given as the protocol's JSON."""

    def at(*path: str):
        found: object = capabilities
        for key in path:
            found = found.get(key) if isinstance(found, dict) else None
        return found

    pushed = ("textDocument", "publishDiagnostics")
    formats = at("textDocument", "hover", "contentFormat")
    return Client(
        encoding=negotiated(at("general", "positionEncodings")),
        related=bool(at(*pushed, "relatedInformation")) or bool(at("textDocument", "diagnostic", "relatedInformation")),
        tags=_UNNECESSARY in (at(*pushed, "tagSupport", "valueSet") or ()),
        pulls=at("textDocument", "diagnostic") is not None,
        refresh=bool(at("workspace", "diagnostics", "refreshSupport")),
        refresh_hints=bool(at("workspace", "inlayHint", "refreshSupport")),
        versioned_edits=bool(at("workspace", "workspaceEdit", "documentChanges")),
        literal_actions=at("textDocument", "codeAction", "codeActionLiteralSupport") is not None,
        markdown="markdown" in formats if isinstance(formats, list) else False,
        configuration=bool(at("workspace", "configuration")),
        notebooks=at("notebookDocument") is not None,
    )


def diagnostics(found: Iterable[Diagnostic], sheet: Sheet, client: Client) -> dict[str, list[Json]]:
    """The diagnostics of each document of a sheet, by URI. Diagnostics of other files are omitted, and belong to
    those files."""
    listed: dict[str, list[Json]] = {part.uri: [] for part in sheet.parts}
    for d in found:
        if d.span.file == sheet.name:
            where = sheet.location(d.span, client.encoding)
            listed[str(where["uri"])].append(diagnostic(d, where["range"], sheet, client))
    return listed


def diagnostic(d: Diagnostic, place: object, sheet: Sheet, client: Client) -> Json:
    """One diagnostic. For clients that do not show related places, the message mentions them."""
    text = [d.message]
    if not client.related:
        text += [f"line {x.span.line}: {x.message}" for x in d.labels]
    text += d.notes
    text += [f"rule {RULES[d.rule]}"] if d.rule else []
    text += [f"help: {fix.message}" for fix in d.fixes]
    found: Json = {
        "range": place,
        "severity": _SEVERITY[d.severity],
        "code": d.code,
        "source": "linad",
        "message": "\n".join(text),
        "data": {"slug": d.slug},
    }
    if client.related and d.labels:
        found["relatedInformation"] = [
            {"location": sheet.location(x.span, client.encoding), "message": x.message} for x in d.labels
        ]
    if client.tags and d.slug == "unused-suppression":
        found["tags"] = [_UNNECESSARY]
    return found


# --------------------------------------------------------------------------------------------------------------- edits


def quick_fixes(
    d: Diagnostic, shown: Json, sheet: Sheet, client: Client, versions: dict[str, int | None]
) -> list[Json]:
    """A code action for each repair of a diagnostic that consists of edits, and one that suppresses it if that is
    allowed."""
    actions: list[Json] = []
    for fix in d.fixes:
        if fix.edits:
            action = _action(fix.message, fix.edits, sheet, client, versions)
            actions.append({**action, "diagnostics": [shown], "isPreferred": fix.safe})
    if d.severity != "error" and d.slug != "unused-suppression":
        edit = _silence(d, sheet)
        if edit is not None:
            action = _action(f"silence `{d.slug}` in this line", (edit,), sheet, client, versions)
            actions.append({**action, "diagnostics": [shown]})
    return actions


def fix_all(fixes: Iterable[Fix], sheet: Sheet, client: Client, versions: dict[str, int | None]) -> Json | None:
    """One action with all safe repairs. Of two that conflict, the first is applied."""
    from ..checking.fixes import together

    edits, count = together(f for f in fixes if f.safe and f.edits)
    if not count:
        return None
    return {**_action("make every safe repair", edits, sheet, client, versions), "kind": "source.fixAll.linad"}


def _silence(d: Diagnostic, sheet: Sheet) -> Edit | None:
    part = next((p for p in sheet.parts if p.first <= d.span.line <= p.last), None)
    if part is None:
        return None
    line = part.lines.lines[d.span.line - part.first]
    if "linad:" in line or line.endswith("\\"):
        return None
    end = len(line.rstrip()) + 1
    return Edit(Span(sheet.name, d.span.line, end, d.span.line, end), f"  # linad: ignore[{d.slug}]")


def _action(title: str, edits: Iterable[Edit], sheet: Sheet, client: Client, versions: dict[str, int | None]) -> Json:
    changes: dict[str, list[Json]] = {}
    for e in edits:
        where = sheet.location(e.span, client.encoding)
        changes.setdefault(str(where["uri"]), []).append({"range": where["range"], "newText": e.text})
    edit: Json = {"changes": changes}
    if client.versioned_edits:
        edit = {
            "documentChanges": [
                {"textDocument": {"uri": uri, "version": versions.get(uri)}, "edits": made}
                for uri, made in changes.items()
            ]
        }
    return {"title": title, "kind": "quickfix", "edit": edit}
