"""Middleware for a separate origin of files (FILES_URL), on which nothing else is served."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.deprecation import MiddlewareMixin

CONTENT_PATH = re.compile(r"^/o/[^/]+/api/files/[^/]+/content/$")


class FilesOriginMiddleware(MiddlewareMixin):
    """Serve files only on their own origin, if there is one, and nothing else there: no page or cookie of ours has that origin."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        if not settings.FILES_URL:
            return None
        is_files_host = request.get_host() == urlsplit(settings.FILES_URL).netloc
        if is_files_host == bool(CONTENT_PATH.match(request.path_info)):
            return None
        if is_files_host and request.method == "GET" and "text/html" in request.headers.get("Accept", ""):
            return redirect(settings.PUBLIC_URL + request.get_full_path())  # somebody typed localhost, where `make run` has the files
        raise Http404
