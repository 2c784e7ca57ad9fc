"""Chat URLs at the root, for API tokens, which determine the organization (docs/api.md)."""

from __future__ import annotations

from django.urls import URLPattern, path

from chat.api import sse

urlpatterns: list[URLPattern] = [
    path("api/chat", sse.chat_post),
    path("api/chat/<str:key>/stream", sse.chat_resume),
]
