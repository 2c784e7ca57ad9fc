"""The socket of visitors: the chat's own, whose first frame has the visitor's bearer, and which does less."""

from __future__ import annotations

import asyncio
import time
from typing import Any, Final

from django.utils.translation import gettext
from pydantic import ValidationError

from agents.runtime.key_lookup import NO_KEYS, RequestKeys
from chat.api.access_watch import WatchedConnection
from chat.api.chat_requests import ContinuedRunStream
from chat.api.consumers import ChatConsumer
from chat.api.frames import ChatOptions, ChatRequest, SendFrame
from chat.api.member_socket import CLOSE_TOO_MUCH
from chat.api.run_streams import RunStream
from embed.api.schemas import EmbedAuthentication, VisitorTitle
from embed.api.titles import generated_title
from embed.api.views import VISITORS_ALLOW_NOTHING
from embed.api.visibility import VisibleRunStream
from embed.api.waiting_sockets import WaitingSockets
from embed.keys import site_ids
from embed.visitors.bearers import BearerRefused, Visit, visit_by_bearer
from tenants.db import in_db
from tenants.errors import BadRequest, NotAllowed, NotFound
from tenants.localization.language import socket_language_use

AUTHENTICATE_S: Final = 10.0  # how long a socket may say nothing
CLOSE_BEARER: Final = 4401  # the frame opens another socket with another bearer


class VisitorConsumer(ChatConsumer):
    """See the module. Cookies of the handshake count for nothing."""

    _bearer = ""
    _end_timer: asyncio.TimerHandle | None = None
    _title: asyncio.Task[None] | None = None  # waits for the title of the conversation that was answered last
    _waits_in: str | None = None  # the network for which it counts until it has said whose it is

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._titled: set[str] = set()  # conversations whose title it has told

    async def connect(self) -> None:
        self._key: str = self.scope["url_route"]["kwargs"]["site"]
        socket_language_use(self.scope)
        self._waits_in = WaitingSockets.current().open(self.scope)
        if self._waits_in is None:
            await self._refuse_socket(CLOSE_TOO_MUCH)
        await self.accept()
        self._close_in(AUTHENTICATE_S)

    async def websocket_receive(self, message: Any) -> None:
        if self._is_closing:
            return
        if hasattr(self, "_watched"):
            await super().websocket_receive(message)
        else:
            await self._authenticate(message.get("text") or "")

    @property
    def pause_key(self) -> str | None:
        return str(self.actor.membership_id)

    def keys(self) -> RequestKeys:
        return NO_KEYS

    def leave(self) -> None:
        super().leave()
        self._wait_no_longer()
        if self._end_timer is not None:
            self._end_timer.cancel()
        if self._title is not None:
            self._title.cancel()

    def answer_ended(self, conversation: str) -> None:
        if conversation in self._titled:
            return
        if self._title is not None:
            self._title.cancel()
        self._title = asyncio.create_task(self._tell_title(conversation), name=f"embed-title-{conversation}")

    async def _tell_title(self, conversation: str) -> None:
        if title := await generated_title(self.actor, conversation):
            self._titled.add(conversation)
            await self.send(text_data=VisitorTitle(conversation_id=conversation, title=title).model_dump_json(by_alias=True))

    async def request_of(self, frame: SendFrame) -> ChatRequest:
        """Return the request with the embed's assistant, whatever the frame chose. Looks again whether the visitor may still chat here."""
        visit = await self._visit()
        request = frame.as_request()
        if any(message.files for message in request.messages):
            raise BadRequest(gettext("Files can't be sent in this chat."))
        if any(decision.approved for decision in request.decisions):
            raise NotAllowed(VISITORS_ALLOW_NOTHING)
        body, site = frame.body, visit.site
        switches = body.switches if site.shows_switches else {}
        options = ChatOptions(assistant=site.assistant, switches=switches, page_state=body.page_state, page_tools=body.page_tools)
        return request.model_copy(update={"options": options})

    def visible_stream(self, run_stream: RunStream | ContinuedRunStream) -> VisibleRunStream:
        return VisibleRunStream(run_stream)

    async def _authenticate(self, text: str) -> None:
        try:
            self._bearer = EmbedAuthentication.model_validate_json(text).bearer
            visit = await self._visit()
        except (ValidationError, BearerRefused, NotFound):
            await self.end(CLOSE_BEARER, None, str(BearerRefused.message))
            return
        self.actor = visit.actor
        if self._limits.is_paused(self.pause_key) or not self.count_socket():
            await self.end(CLOSE_TOO_MUCH, None, "")
            return
        self._wait_no_longer()
        self._close_in(visit.ends_at - time.time())
        self.watch(WatchedConnection(self.actor, "", "", self._access_ended, is_visitor=True))

    def _wait_no_longer(self) -> None:
        if self._waits_in is not None:
            WaitingSockets.current().close(self._waits_in)
            self._waits_in = None

    async def _visit(self) -> Visit:
        """Raises BearerRefused, NotFound."""
        return await in_db(visit_by_bearer, self._bearer, self._key, organization_id=site_ids(self._key)[0])

    async def tell(self, text: str | None, reason: str) -> None:
        if text is not None:
            await super().tell(text, reason)

    def _close_in(self, seconds: float) -> None:
        if self._end_timer is not None:
            self._end_timer.cancel()
        self._end_timer = asyncio.get_running_loop().call_later(seconds, self._expire)

    def _expire(self) -> None:
        self._expiry = asyncio.create_task(self.end(CLOSE_BEARER, None, str(BearerRefused.message)))
