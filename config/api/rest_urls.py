"""The URLs of the REST API at the root, for API tokens (docs/rest.md). Under /o/<slug>/ each app mounts its own URLs."""

from __future__ import annotations

from django.urls import URLPattern

from accounts import urls as accounts
from agents import urls as agents
from artifacts import urls as artifacts
from chat import urls as chat
from files import urls as files
from gallery import urls as gallery
from retention import urls as retention
from security import urls as security
from sharing import urls as sharing
from tenants import urls as tenants
from usage import urls as usage

rest: list[URLPattern] = [
    *chat.rest,
    *artifacts.rest,
    *agents.rest,
    *files.rest,
    *gallery.rest,
    *tenants.rest,
    *sharing.rest,
    *retention.rest,
    *usage.rest,
]
# What only a browser session may do has no URL at the root.
session_only: list[URLPattern] = [*agents.session_only, *security.rest, *accounts.rest, *chat.session_only]
urlpatterns = rest
