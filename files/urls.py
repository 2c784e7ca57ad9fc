"""Calls under /o/<slug>/ (docs/protocol.md)."""

from __future__ import annotations

from django.urls import URLPattern, path

from files import views

urlpatterns: list[URLPattern] = [
    path("api/files/", views.FilesView.as_view(), name="files"),
    path("api/files/<uuid:file_id>/", views.FileView.as_view(), name="file"),
    path("api/files/<uuid:file_id>/content/", views.content_view, name="file_content"),
]
