"""REST calls under /o/<slug>/ (docs/protocol.md)."""

from __future__ import annotations

from django.urls import URLPattern, path

from security import views

urlpatterns: list[URLPattern] = [
    path("api/secrets/", views.secrets_view, name="secrets"),
    path("api/secrets/<uuid:secret_id>/", views.secret_view, name="secret"),
]
