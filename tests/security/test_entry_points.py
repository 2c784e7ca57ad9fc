"""Every way in is registered in entry_points.py; a new one that is not fails here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from django.urls import URLPattern, URLResolver, get_resolver

from admin_config.admin import sites
from admin_config.defaults.platform import TOOLS
from agents.artifact_agents.rules import ARTIFACT_TOOLS
from agents.runtime import message_tool
from agents.tools.registry import SOURCE_KINDS
from chat.api.frames import AbortFrame, ResumeFrame, SendFrame
from chat.live.frames import LiveFrame
from chat.routing import websocket_urlpatterns
from config.celery import app
from embed.api.schemas import EmbedAuthentication
from embed.routing import websocket_urlpatterns as embed_urlpatterns
from tests.security import entry_points

ADMIN_MOUNTS = ("o/<slug:slug>/admin/", "operator/")


def routes(patterns: list[URLPattern | URLResolver], prefix: str = "") -> Iterator[str]:
    for entry in patterns:
        path = prefix + str(entry.pattern)
        if path.startswith(ADMIN_MOUNTS):
            continue
        if isinstance(entry, URLResolver):
            yield from routes(entry.url_patterns, path)
        else:
            yield path


def test_every_route_is_a_registered_entry_point() -> None:
    assert set(routes(get_resolver().url_patterns)) == set(entry_points.ROUTES)


def test_every_socket_and_frame_is_a_registered_entry_point() -> None:
    assert {str(entry.pattern) for entry in (*websocket_urlpatterns, *embed_urlpatterns)} == set(entry_points.SOCKETS)
    frames = (SendFrame, ResumeFrame, AbortFrame, EmbedAuthentication, *get_args(LiveFrame))
    kinds = {get_args(frame.model_fields["type"].annotation)[0] for frame in frames}
    assert kinds == set(entry_points.FRAMES)


def test_every_task_is_a_registered_entry_point() -> None:
    app.loader.import_default_modules()
    assert {name for name in app.tasks if not name.startswith(("celery.", "bench."))} == set(entry_points.TASKS)


def test_every_tool_is_a_registered_entry_point() -> None:
    assert set(entry_points.TOOLS) == set(TOOLS)
    assert {*ARTIFACT_TOOLS, message_tool.NAME} <= set(TOOLS)


def test_every_kind_of_tool_source_is_a_registered_entry_point() -> None:
    assert set(SOURCE_KINDS) == set(entry_points.TOOL_SOURCES)


def test_every_admin_class_is_a_registered_entry_point() -> None:
    registered = {
        "organization": {model.__name__ for model in sites.organization_site._registry},
        "operator": {model.__name__ for model in sites.operator_site._registry},
    }
    assert registered == {site: set(classes) for site, classes in entry_points.ADMIN_CLASSES.items()}
