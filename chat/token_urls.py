"""Addresses without an organization, which the API token of the request names (docs/api.md)."""

from __future__ import annotations

from django.urls import URLPattern, path

from chat.api import sse

urlpatterns: list[URLPattern] = [
    path("api/chat", sse.chat_post),
    path("api/chat/<str:key>/stream", sse.chat_resume),
]
