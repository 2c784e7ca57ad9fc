"""Pages of somebody else: a server of its own, whose pages embed a chat. Its origin is the test's choice of a loopback name."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# No inline script and no foreign style, and only the chat's origin may give scripts and frames: what the chat asks of a page is no more.
POLICY = "default-src 'none'; script-src 'self' {chat}; frame-src {chat}; style-src 'self'; connect-src 'self'; require-trusted-types-for 'script'"


@contextmanager
def host_pages(files: Mapping[str, tuple[str, str]], *, chat: str) -> Iterator[int]:
    """Serve the files (path to content type and text) under a page's strict policy. Yields the port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kind, text = files.get(self.path.partition("?")[0], ("text/plain", ""))
            self.send_response(200 if text else 404)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Security-Policy", POLICY.format(chat=chat))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
