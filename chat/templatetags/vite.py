"""The `{% vite "src/main.tsx" %}` tag: style sheets, preloads and script of a built entry, each with the page's CSP nonce."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from django import template
from django.contrib.staticfiles import finders
from django.template import Context
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

register = template.Library()

MANIFEST = "dist/.vite/manifest.json"


class FrontEndMissing(Exception):
    """The front end has not been built."""


@register.simple_tag(takes_context=True)
def vite(context: Context, entry: str) -> SafeString:
    """Return the HTML elements that load the entry. Raises FrontEndMissing."""
    nonce = context["request"].csp_nonce
    manifest_path = finders.find(MANIFEST)
    if not manifest_path:
        raise FrontEndMissing("The browser code is not built: run `python -m tools.frontend build`.")
    path = Path(manifest_path)
    styles, modules, script = _files(path, path.stat().st_mtime_ns, entry)
    return format_html(
        '{}{}<script type="module" src="{}" nonce="{}"></script>',
        format_html_join("\n", '<link rel="stylesheet" href="{}" nonce="{}">', ((static(f"dist/{file}"), nonce) for file in styles)),
        format_html_join("\n", '<link rel="modulepreload" href="{}" nonce="{}">', ((static(f"dist/{file}"), nonce) for file in modules)),
        static(f"dist/{script}"),
        nonce,
    )


@lru_cache(maxsize=8)
def _files(path: Path, _changed_ns: int, entry: str) -> tuple[list[str], list[str], str]:
    """Return (style sheets, preloaded modules, script) of an entry. `_changed_ns` gives each build its own cache key."""
    manifest: dict[str, Any] = json.loads(path.read_text())
    styles: list[str] = []
    modules: list[str] = []
    visited_names: set[str] = set()

    def visit(name: str) -> None:
        if name in visited_names:
            return
        visited_names.add(name)
        for dependency in manifest[name].get("imports", []):
            visit(dependency)
            modules.append(manifest[dependency]["file"])
        styles.extend(manifest[name].get("css", []))

    visit(entry)
    return styles, list(dict.fromkeys(modules)), manifest[entry]["file"]
