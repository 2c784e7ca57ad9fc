"""REST calls under /o/<slug>/ (docs/protocol.md)."""

from __future__ import annotations

from django.urls import URLPattern, path

from security import token_views, views

urlpatterns: list[URLPattern] = [
    path("api/secrets/", views.secrets_view, name="secrets"),
    path("api/secrets/<uuid:secret_id>/", views.secret_view, name="secret"),
    path("api/tokens/", token_views.tokens_view, name="api_tokens"),
    path("api/tokens/<uuid:token_id>/", token_views.token_view, name="api_token"),
]
