"""Static files under ASGI.

whitenoise's middleware is sync only, so Django would run every request and stream through a thread.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, cast

from asgiref.sync import iscoroutinefunction, markcoroutinefunction, sync_to_async
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from whitenoise.middleware import WhiteNoiseMiddleware

LATE_FOLDER = "pyodide/"  # tools/console_wheels.py adds folders here while the server runs


class StaticFilesMiddleware(WhiteNoiseMiddleware):  # type: ignore[misc]  # has no types
    """Serves the URLs of static files, in a thread under ASGI. All other requests pass through without one."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        super().__init__(get_response)
        self.is_async = iscoroutinefunction(get_response)
        if self.is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        static_file = self.find_file(request.path_info) if self.autorefresh else self._known_file(request.path_info)
        if static_file is None:
            return cast("HttpResponseBase | Awaitable[HttpResponseBase]", self.get_response(request))
        if self.is_async:
            return sync_to_async(_file_response, thread_sensitive=False)(static_file, request)
        return _file_response(static_file, request)

    def _known_file(self, path: str) -> Any:
        """Return a file that was there at the start, or one of the Python console's, whose packages may have arrived since."""
        file = self.files.get(path)
        if file is None and path.startswith(f"{self.static_prefix}{LATE_FOLDER}"):
            file = self.find_file(path)
            if file is not None:
                self.files[path] = file
        return file


def _file_response(static_file: Any, request: HttpRequest) -> HttpResponse:
    """Return the file (or 304, or a range) as one response in memory.

    A streaming response would gain nothing: Django reads a sync stream at once under ASGI, and warns about it.
    """
    file_response = static_file.get_response(request.method, request.META)
    content = b""
    if file_response.file is not None:
        with file_response.file as file:
            content = file.read()
    response = HttpResponse(content, status=int(file_response.status))
    del response["Content-Type"]
    for name, value in file_response.headers:
        response[name] = value
    return response
