"""The URL of the MCP server, at /mcp and /o/<slug>/mcp."""

from __future__ import annotations

from django.urls import URLPattern, path

from chat.mcp_server import views

urlpatterns: list[URLPattern] = [path("mcp", views.mcp, name="mcp")]
