"""Pages and REST calls under /o/<slug>/ (docs/protocol.md)."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver

urlpatterns: list[URLPattern | URLResolver] = []
