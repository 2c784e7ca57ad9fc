"""Addresses without an organization, which the API token of the request names (docs/api.md)."""

from __future__ import annotations

from django.urls import URLPattern, path

from chat.api import sse as streams

urlpatterns: list[URLPattern] = [
    path("api/chat", streams.chat_post),
    path("api/chat/<str:key>/stream", streams.chat_resume),
]
