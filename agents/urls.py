"""REST calls under /o/<slug>/ (docs/protocol.md)."""

from __future__ import annotations

from django.urls import URLPattern, path

from agents import key_views

urlpatterns: list[URLPattern] = [
    path("api/keys/", key_views.keys_view, name="keys"),
    path("api/keys/<slug:provider>/", key_views.key_view, name="key"),
    path("api/keys/<slug:provider>/check/", key_views.key_check_view, name="key_check"),
]
