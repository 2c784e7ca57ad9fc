"""URLs of the API schema and its page: under /o/<slug>/ for members, at the root for everybody (it holds no secrets)."""

from __future__ import annotations

from django.urls import URLPattern, path

from config.api import docs

root: list[URLPattern] = [
    path("api/schema/", docs.root_schema, name="root_schema"),
    path("api/docs/", docs.root_docs, name="root_docs"),
]
members: list[URLPattern] = [
    path("api/schema/", docs.schema, name="schema"),
    path("api/docs/", docs.docs, name="docs"),
]
