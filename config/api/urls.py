"""URLs of the API schema and its page: under /o/<slug>/ for members, at the root for everybody (it holds no secrets)."""

from __future__ import annotations

from django.urls import URLPattern, path

from config.api import docs as api_docs

root: list[URLPattern] = [
    path("api/schema/", api_docs.root_schema, name="root_schema"),
    path("api/docs/", api_docs.root_docs, name="root_docs"),
]
urlpatterns: list[URLPattern] = [
    path("api/schema/", api_docs.schema, name="schema"),
    path("api/docs/", api_docs.docs, name="docs"),
]
