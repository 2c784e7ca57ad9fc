"""URLs of the REST calls (docs/rest.md), mounted under /o/<slug>/ and, for API tokens, at the root."""

from __future__ import annotations

from django.urls import URLPattern, path

from tenants import views

rest: list[URLPattern] = [path("api/me/", views.MeView.as_view(), name="me")]
urlpatterns = rest
