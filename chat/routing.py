"""WebSocket URLs (docs/protocol.md)."""

from __future__ import annotations

from django.urls import path

from chat.api.consumers import ChatConsumer, NotifyConsumer
from chat.live.consumer import LiveConsumer

websocket_urlpatterns = [
    path("o/<slug:slug>/ws/chat/", ChatConsumer.as_asgi()),  # type: ignore[arg-type]  # Channels routes ASGI applications with Django's path()
    path("o/<slug:slug>/ws/notify/", NotifyConsumer.as_asgi()),  # type: ignore[arg-type]  # Channels routes ASGI applications with Django's path()
    path("o/<slug:slug>/ws/live/<uuid:artifact_id>/", LiveConsumer.as_asgi()),  # type: ignore[arg-type]  # Channels routes ASGI applications with Django's path()
]
