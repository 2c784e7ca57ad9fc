"""URLs of the REST calls (docs/rest.md), mounted under /o/<slug>/ and, for API tokens, at the root."""

from __future__ import annotations

from django.urls import URLPattern, path

from artifacts import export_views, views

rest: list[URLPattern] = [
    path("api/artifacts/", views.ArtifactsView.as_view(), name="artifacts"),
    path("api/artifacts/<uuid:artifact_id>/", views.ArtifactView.as_view(), name="artifact"),
    path("api/artifacts/<uuid:artifact_id>/versions/", views.VersionsView.as_view(), name="artifact_versions"),
    path("api/artifacts/<uuid:artifact_id>/versions/<int:number>/", views.VersionView.as_view(), name="artifact_version"),
    path("api/artifacts/<uuid:artifact_id>/revert/", views.RevertView.as_view(), name="artifact_revert"),
    path("api/artifacts/<uuid:artifact_id>/diff/", views.DiffView.as_view(), name="artifact_diff"),
    path("api/artifacts/<uuid:artifact_id>/export/", export_views.ExportView.as_view(), name="artifact_export"),
    path("api/artifacts/<uuid:artifact_id>/suggestions/decide/", views.DecisionView.as_view(), name="suggestions_decide"),
]
urlpatterns = rest
