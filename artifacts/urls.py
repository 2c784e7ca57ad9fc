"""REST calls under /o/<slug>/ (docs/protocol.md)."""

from __future__ import annotations

from django.urls import URLPattern, path

from artifacts import views

urlpatterns: list[URLPattern] = [
    path("api/artifacts/<uuid:artifact_id>/", views.artifact_view, name="artifact"),
    path("api/artifacts/<uuid:artifact_id>/versions/<int:number>/", views.version_view, name="artifact_version"),
    path("api/artifacts/<uuid:artifact_id>/revert/", views.revert_view, name="artifact_revert"),
]
