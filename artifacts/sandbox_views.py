"""Pages of the sandboxed frames that run Python and draw diagrams (SECURITY 17; docs/decisions/0008).

The pages hold no data and need no sign-in. `sandbox` without allow-same-origin gives each frame an opaque origin, so that it can reach
neither the session's cookie nor our storage nor the page around it. The policy allows no URLs but those of our own script files.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_GET

# 'self' never matches for an opaque origin, so the policies name the server's URL.
_PYTHON = (
    "sandbox allow-scripts; default-src 'none'; script-src {dist} {pyodide} blob: 'wasm-unsafe-eval'; worker-src blob:; "
    "connect-src {dist} {pyodide}; img-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors {ancestors}"
)
_MERMAID = (
    "sandbox allow-scripts; default-src 'none'; script-src {dist}; style-src 'unsafe-inline'; img-src data:; connect-src 'none'; "
    "form-action 'none'; base-uri 'none'; frame-ancestors {ancestors}"
)


@dataclass(frozen=True)
class Frame:
    """One sandboxed frame."""

    title: str
    entry: str  # its script, below frontend/
    policy: str
    isolated: bool = False  # allows SharedArrayBuffer, which interrupts a running program, without affecting the page around the frame


FRAMES = {
    "python": Frame("Python runner", "src/sandbox/python/frame.ts", _PYTHON, isolated=True),
    "mermaid": Frame("Diagram renderer", "src/sandbox/mermaid/frame.ts", _MERMAID),
}


@require_GET
@xframe_options_exempt
def sandbox_view(request: HttpRequest, name: str) -> HttpResponse:
    """Return the page of a frame, which our own pages may show. Raises Http404 for an unknown one."""
    return frame_response(request, name, ancestors="'self'")


def frame_response(request: HttpRequest, name: str, *, ancestors: str) -> HttpResponse:
    """Return the page of a frame, with its own policy. `ancestors`: which pages may show it. Raises Http404 for an unknown one."""
    frame = FRAMES.get(name)
    if frame is None:
        raise Http404
    static = request.build_absolute_uri(settings.STATIC_URL)
    pyodide = f"{static}pyodide/{_pyodide_folder()}/" if name == "python" else ""
    response = render(request, "artifacts/sandbox.html", {"frame": frame, "pyodide": pyodide})
    response["Content-Security-Policy"] = frame.policy.format(dist=f"{static}dist/", pyodide=f"{static}pyodide/", ancestors=ancestors)
    if frame.isolated:
        response["Document-Isolation-Policy"] = "isolate-and-require-corp"
    return response


def _pyodide_folder() -> str:
    """Return the folder of the Python console's files. It is read each time: packages may arrive while the server runs."""
    current = finders.find("pyodide/current")
    return Path(current).read_text().strip() if isinstance(current, str) else "missing"
