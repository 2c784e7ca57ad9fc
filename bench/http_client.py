"""A model's stream over plain HTTP, read with as little as that needs: what is measured against this client measures no client."""

from __future__ import annotations

from urllib.parse import urlsplit

import httptools
import orjson

from bench.clients import RequestProtocol, TextCallback

_BETWEEN_EVENTS = b"\r\n\r\n"
_BEFORE_JSON = len(b"data: ")


class HttpConnection(RequestProtocol):
    """One kept connection to a server of the Gemini wire."""

    def __init__(self) -> None:
        self._rest = b""

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    async def stream(self, request: bytes, on_text: TextCallback) -> None:
        """Send the request's bytes and hear its answer's text. Raises MeasureError."""
        self._parser = httptools.HttpResponseParser(self)
        await self.exchange(request, on_text)

    def on_body(self, body: bytes) -> None:
        if self._parser.get_status_code() != 200:
            self.failed(body.decode(errors="replace"))
            return
        *events, self._rest = (self._rest + body).split(_BETWEEN_EVENTS)
        for event in events:
            text: str = orjson.loads(event[_BEFORE_JSON:])["candidates"][0]["content"]["parts"][0]["text"]
            if text:
                self.on_text(text)

    def on_message_complete(self) -> None:
        self.finished()


def post_bytes(url: str, headers: dict[str, str], content: bytes) -> bytes:
    """A whole POST as it goes over the wire."""
    address = urlsplit(url)
    fields = {"host": address.netloc, **headers, "content-length": str(len(content))}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"POST {address.path}?{address.query} HTTP/1.1\r\n{head}\r\n".encode() + content
