"""Renderers of diagnostics, one function per format: text, one line each, JSON, SARIF, or CI annotations."""

from __future__ import annotations

from .lines import render_concise, render_github, render_json
from .sarif import render_sarif
from .text import Sources, render_text

FORMATS = {
    "full": render_text,
    "concise": render_concise,
    "json": render_json,
    "github": render_github,
    "sarif": render_sarif,
}

__all__ = ["FORMATS", "Sources", "render_concise", "render_github", "render_json", "render_sarif", "render_text"]
