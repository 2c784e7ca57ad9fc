"""The lean relay's ASGI application: sign-in, a socket, and the call of the model."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from typing import Any

import django

django.setup()  # loads the apps; the imports below need them

import httpx2  # noqa: E402
from channels.auth import AuthMiddlewareStack  # noqa: E402
from channels.db import database_sync_to_async  # noqa: E402
from channels.generic.websocket import AsyncJsonWebsocketConsumer  # noqa: E402
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from channels.security.websocket import AllowedHostsOriginValidator  # noqa: E402
from django.contrib.auth import authenticate, login  # noqa: E402
from django.core.asgi import get_asgi_application  # noqa: E402
from django.db import transaction  # noqa: E402
from django.http import HttpRequest, HttpResponse  # noqa: E402
from django.urls import path  # noqa: E402

from bench.lean_relay.models import Conversation, Message  # noqa: E402

CALL = "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
BEFORE_JSON = "data: "
client = httpx2.AsyncClient(base_url=os.environ["MODEL_URL"], timeout=60, trust_env=False)


class ChatConsumer(AsyncJsonWebsocketConsumer):
    """A user's socket, with one answer at a time."""

    async def connect(self) -> None:
        user = self.scope["user"]
        if user is None or not user.is_authenticated:
            await self.close()
            return
        self.user_id = user.pk
        await self.accept()

    async def receive_json(self, content: dict[str, Any], **kwargs: Any) -> None:
        question = content["messages"][-1]["parts"][0]["text"]
        answer, history = await store_question(self.user_id, content["id"], question)
        async for text in model_stream(history):
            answer.text += text
            await self.send_json({"type": "chunk", "chunk": {"type": "text-delta", "delta": text}})
        await store_answer(answer)
        await self.send_json({"type": "end"})


@database_sync_to_async
@transaction.atomic
def store_question(user_id: int, conversation_id: str, question: str) -> tuple[Message, list[tuple[str, str]]]:
    """Store a question and an empty answer; return the answer and the role and text of each message before it, oldest first."""
    conversation, _ = Conversation.objects.get_or_create(id=conversation_id, user_id=user_id)
    Message.objects.create(conversation=conversation, role="user", text=question)
    history = list(Message.objects.filter(conversation=conversation).order_by("pk").values_list("role", "text"))
    return Message.objects.create(conversation=conversation, role="model"), history


@database_sync_to_async
def store_answer(answer: Message) -> None:
    answer.save(update_fields=["text"])


async def model_stream(history: list[tuple[str, str]]) -> AsyncIterator[str]:
    """Yield the texts of the model's next answer as they arrive. Raises httpx2.HTTPError."""
    contents = [{"role": role, "parts": [{"text": text}]} for role, text in history]
    async with client.stream("POST", CALL, json={"contents": contents}, headers={"x-goog-api-key": "none"}) as response:
        response.raise_for_status()
        async for line in response.aiter_lines():
            if line.startswith(BEFORE_JSON):
                text = json.loads(line.removeprefix(BEFORE_JSON))["candidates"][0]["content"]["parts"][0]["text"]
                if text:
                    yield text


def sign_in(request: HttpRequest) -> HttpResponse:
    user = authenticate(request, username=request.POST.get("username"), password=request.POST.get("password"))
    if user is None:
        return HttpResponse(status=403)
    login(request, user)
    return HttpResponse(status=204)


urlpatterns = [path("login/", sign_in)]
socket_urlpatterns = [path("chat/", ChatConsumer.as_asgi())]  # type: ignore[arg-type]  # Channels routes ASGI applications with Django's path()
application = ProtocolTypeRouter(
    {
        "http": get_asgi_application(),
        "websocket": AllowedHostsOriginValidator(AuthMiddlewareStack(URLRouter(socket_urlpatterns))),  # type: ignore[arg-type]  # Django's path()
    }
)
