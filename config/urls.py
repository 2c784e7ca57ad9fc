"""The root URL configuration: each app's URLs under /o/<slug>/, the API at the root, accounts and health checks."""

from __future__ import annotations

from django.urls import include, path

from accounts import urls as accounts
from artifacts.sandbox_views import sandbox_view
from config.api import urls as api
from config.pages import health, home
from config.pages.proxy_check import proxy_check
from config.pages.security_txt import security_txt
from gallery import urls as gallery
from retention import urls as retention
from sharing import urls as sharing
from usage import urls as usage

urlpatterns = [
    path("", home.home, name="home"),
    path(".well-known/security.txt", security_txt, name="security_txt"),
    path("livez", health.livez, name="livez"),
    path("readyz", health.readyz, name="readyz"),
    path("proxy-check", proxy_check, name="proxy_check"),
    path("sandbox/<slug:name>/", sandbox_view, name="sandbox"),
    path("", include(accounts.pages)),
    path("", include(sharing.pages)),
    path("", include("embed.urls")),
    path("", include("admin_config.urls")),
    path("", include("chat.token_urls")),
    path("v1/", include("chat.openai_api.urls")),
    path("o/<slug:slug>/v1/", include("chat.openai_api.urls")),
    path("", include("chat.mcp_server.urls")),
    path("o/<slug:slug>/", include("chat.mcp_server.urls")),
    path("", include("config.api.rest_urls")),
    *api.root,
    path("o/<slug:slug>/", include(api.members)),
    path("o/<slug:slug>/", include("chat.urls")),
    path("o/<slug:slug>/", include("agents.urls")),
    path("o/<slug:slug>/", include("artifacts.urls")),
    path("o/<slug:slug>/", include("files.urls")),
    path("o/<slug:slug>/", include(gallery.rest)),
    path("o/<slug:slug>/", include("tenants.urls")),
    path("o/<slug:slug>/", include(accounts.rest)),
    path("o/<slug:slug>/", include("security.urls")),
    path("o/<slug:slug>/", include(sharing.rest)),
    path("o/<slug:slug>/", include(retention.rest)),
    path("o/<slug:slug>/", include(usage.rest)),
]

handler400 = "config.api.errors.bad_request"
handler403 = "config.api.errors.forbidden"
handler404 = "config.api.errors.not_found"
handler500 = "config.api.errors.internal_error"
