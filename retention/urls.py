"""URLs of retention: the REST API, under /o/<slug>/ and for tokens at the root."""

from __future__ import annotations

from django.urls import URLPattern, path

from retention.views import RetentionView

rest: list[URLPattern] = [path("api/retention/", RetentionView.as_view(), name="retention")]
