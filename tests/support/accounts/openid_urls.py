"""The pages of the provider of `tests.support.accounts.openid_provider`."""

from __future__ import annotations

from django.urls import include, path

urlpatterns = [path("", include("allauth.idp.urls")), path("accounts/", include("allauth.urls"))]
