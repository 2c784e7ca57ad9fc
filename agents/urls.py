"""REST calls (docs/rest.md), mounted under /o/<slug>/; `rest` is mounted at the root, too, for API tokens."""

from __future__ import annotations

from django.urls import URLPattern, path

from agents import catalog_views, key_views

rest: list[URLPattern] = [
    path("api/models/", catalog_views.ModelsView.as_view(), name="models"),
    path("api/agents/", catalog_views.AgentsView.as_view(), name="agents"),
]
session_only: list[URLPattern] = [
    path("api/keys/", key_views.KeysView.as_view(), name="keys"),
    path("api/keys/<slug:provider>/", key_views.KeyView.as_view(), name="key"),
    path("api/keys/<slug:provider>/check/", key_views.KeyCheckView.as_view(), name="key_check"),
]
urlpatterns = [*rest, *session_only]
