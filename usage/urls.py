"""URLs of usage: the REST API, under /o/<slug>/ and for tokens at the root."""

from __future__ import annotations

from django.urls import URLPattern, path

from usage.views import UsageSummaryView, UsageView

rest: list[URLPattern] = [
    path("api/usage/", UsageView.as_view(), name="usage"),
    path("api/usage/summary/", UsageSummaryView.as_view(), name="usage_summary"),
]
