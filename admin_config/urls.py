"""URLs of the two admin sites, for the root URLconf."""

from __future__ import annotations

from django.contrib import admin
from django.urls import path

from admin_config.admin.sites import operator_site
from admin_config.admin.sites.mount import organization_admin

admin.autodiscover()  # the pages that the apps register

organization_admin_urls = [
    path("o/<slug:slug>/admin/", organization_admin, name="organization-admin"),
    path("o/<slug:slug>/admin/<path:rest>", organization_admin),
]
operator_admin_urls = [path("operator/", operator_site.urls)]

urlpatterns = [*organization_admin_urls, *operator_admin_urls]
