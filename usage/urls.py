"""URLs of usage: the REST API, under /o/<slug>/ and for tokens at the root."""

from __future__ import annotations

from django.urls import URLPattern, path

from usage.views import UsageView

rest: list[URLPattern] = [path("api/usage/", UsageView.as_view(), name="usage")]
