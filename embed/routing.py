"""WebSocket URLs of embedded chats."""

from __future__ import annotations

from django.urls import path

from embed.api.consumers import VisitorConsumer

websocket_urlpatterns = [
    path("embed/<str:site>/ws/", VisitorConsumer.as_asgi()),  # type: ignore[arg-type]  # Channels routes ASGI applications with Django's path()
]
