"""URLs of files below /o/<slug>/ (docs/protocol.md). `rest` is also mounted at the root, for API tokens (docs/rest.md)."""

from __future__ import annotations

from django.urls import URLPattern, path

from files.api import views

rest: list[URLPattern] = [
    path("api/files/", views.FilesView.as_view(), name="files"),
    path("api/files/<uuid:file_id>/", views.FileView.as_view(), name="file"),
    path("api/files/<uuid:file_id>/text/", views.FileTextView.as_view(), name="file_text"),
]
urlpatterns: list[URLPattern] = [
    *rest,
    path("api/files/<uuid:file_id>/content/", views.content_view, name="file_content"),
]
