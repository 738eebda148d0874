"""The first answers, given before the protocol's library is loaded.

Loading it takes longer than checking a file of a thousand lines. So the start of every conversation (`initialize`,
`initialized`, the first document) is answered here, with the standard library only. Then the full server takes over: it
receives the same messages again, and its answers to what has been answered are dropped.
"""

from __future__ import annotations

import gc
import json
from time import perf_counter
from typing import TYPE_CHECKING, BinaryIO

from . import BEGAN
from .convert import Client, client_of
from .sheet import Json

if TYPE_CHECKING:
    from .session import Session

# Time from the start of the process to the first diagnostics. What is found by then is published, and the rest follows.
SECONDS = 0.2
_WAITED = ("initialized", "$/setTrace", "workspace/didChangeConfiguration", "textDocument/didOpen")


def capabilities(client: Client) -> Json:
    """The capabilities of the server in the protocol's JSON. A test compares them with those of the full server."""
    notebooks: Json = {
        "notebookDocumentSync": {"notebookSelector": [{"notebook": "*", "cells": [{"language": "python"}]}]}
    }
    return {
        "positionEncoding": client.encoding,
        "textDocumentSync": {"openClose": True, "change": 2, "save": True},
        **(notebooks if client.notebooks else {}),
        "hoverProvider": True,
        "definitionProvider": True,
        "codeActionProvider": {"codeActionKinds": ["quickfix", "source.fixAll.linad"]},
        "inlayHintProvider": True,
        "diagnosticProvider": {"identifier": "linad", "interFileDependencies": True, "workspaceDiagnostics": False},
        "executeCommandProvider": {"commands": []},
        "workspace": {"workspaceFolders": {"supported": True, "changeNotifications": True}, "fileOperations": {}},
    }


def serve(stdin: BinaryIO, stdout: BinaryIO) -> int:
    """Run a whole conversation and return the exit code."""
    beginning = Beginning(stdin, stdout)
    beginning.hold()
    from .server import run

    gc.enable()
    stdin, stdout = _Again(beginning.raw, stdin), _Quiet(stdout, beginning.answered)  # type: ignore[assignment]
    return run(stdin, stdout, beginning.session)


class Beginning:
    """The first messages: their bytes (``raw``), and the ids of the requests that were ``answered``."""

    def __init__(self, stdin: BinaryIO, stdout: BinaryIO) -> None:
        self.stdin, self.stdout = stdin, stdout
        self.session: Session | None = None
        self.raw = b""
        self.answered: list[object] = []

    def hold(self) -> None:
        """Answer until a document has been analysed, or until a message arrives that needs the full server."""
        expected: tuple[str, ...] = ("initialize",)
        while (message := self._read()) is not None:
            method = message.get("method")
            if method not in expected:
                return
            try:
                if self._answer(str(method), message):
                    return
            except (KeyError, TypeError, ValueError, AttributeError):
                return  # a protocol violation: the full server reports it
            opened = self.session is not None and self.session.documents
            expected = (*_WAITED, "textDocument/diagnostic") if opened else _WAITED

    def _answer(self, method: str, message: Json) -> bool:
        """Answer one message. Returns whether it was the last one to be answered here."""
        session = self.session
        params: Json = message.get("params") or {}  # type: ignore[assignment]
        match method:
            case "initialize":
                client = client_of(params.get("capabilities") or {})  # type: ignore[arg-type]
                self._result(message, {"capabilities": capabilities(client), "serverInfo": {"name": "linad"}})
                self.session = _session(client, params.get("initializationOptions"))
            case "textDocument/didOpen":
                d: Json = params["textDocument"]  # type: ignore[assignment]
                uri = str(d["uri"])
                if session is None or uri in session.documents:
                    return True
                version, language = d.get("version"), str(d.get("languageId", "python"))
                session.open(uri, str(d["text"]), version, language)  # type: ignore[arg-type]
                if not session.client.pulls:
                    self._publish(session, uri, d.get("version"))
                    return True
            case "textDocument/diagnostic":
                uri = str(params["textDocument"]["uri"])  # type: ignore[index]
                if session is not None and uri in session.documents:
                    self._result(message, session.pulled(uri, None))
                return True
        return False

    def _publish(self, session: Session, uri: str, version: object) -> None:
        """Publish what is found in time, and then everything: finding the rest is faster than loading the library."""
        found, complete = session.diagnostics(uri, max(0.03, BEGAN + SECONDS - perf_counter()))
        self._send(found, version)
        if not complete:
            whole, _ = session.diagnostics(uri)
            if whole != found:
                self._send(whole, version)

    def _send(self, found: dict[str, list[Json]], version: object) -> None:
        for document, listed in found.items():
            params = {"uri": document, "version": version, "diagnostics": listed}
            self._write({"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params})

    def _result(self, message: Json, result: object) -> None:
        self.answered.append(message["id"])
        self._write({"jsonrpc": "2.0", "id": message["id"], "result": result})

    def _write(self, message: Json) -> None:
        data = json.dumps(message, separators=(",", ":")).encode()
        self.stdout.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.stdout.flush()

    def _read(self) -> Json | None:
        """The next message; None at the end of input, or if it is malformed. The bytes are kept for the full server."""
        length = 0
        while True:
            line = self.stdin.readline()
            self.raw += line
            if not line:
                return None
            if line.strip() == b"":
                break
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length" and value.strip().isdigit():
                length = int(value)
        data = self.stdin.read(length)
        self.raw += data
        try:
            message = json.loads(data)
        except ValueError:
            return None
        return message if isinstance(message, dict) else None


def _session(client: Client, options: object) -> Session:
    """A session. Importing it loads the checker, while the client prepares its first document."""
    from .. import check  # noqa: F401  (loaded now rather than with the first function)
    from .session import Session
    from .settings import settings_of

    return Session(client, settings_of(options))


class _Again:
    """Input that starts with the bytes that were already read."""

    def __init__(self, raw: bytes, rest: BinaryIO) -> None:
        self.raw, self.rest = raw, rest

    def readline(self) -> bytes:
        if not self.raw:
            return self.rest.readline()
        end = self.raw.find(b"\n") + 1 or len(self.raw)
        line, self.raw = self.raw[:end], self.raw[end:]
        return line if line.endswith(b"\n") else line + self.rest.readline()

    def read(self, count: int) -> bytes:
        found, self.raw = self.raw[:count], self.raw[count:]
        return found if len(found) == count else found + self.rest.read(count - len(found))


class _Quiet:
    """Output without the answers that were already sent."""

    def __init__(self, out: BinaryIO, answered: list[object]) -> None:
        self.out, self.answered = out, answered

    def write(self, data: bytes) -> int:
        if self.answered:
            message = json.loads(data[data.index(b"\r\n\r\n") + 4 :])
            if "method" not in message and message.get("id") in self.answered:
                self.answered.remove(message["id"])
                return len(data)
        return len(data) if self.out.closed else self.out.write(data)  # the client has disconnected

    def flush(self) -> None:
        if not self.out.closed:
            self.out.flush()

    def close(self) -> None:
        self.out.close()
