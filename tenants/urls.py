"""REST calls under /o/<slug>/ (docs/protocol.md)."""

from __future__ import annotations

from django.urls import URLPattern, path

from tenants import views

urlpatterns: list[URLPattern] = [path("api/me/", views.me, name="me")]
