"""The chat agent's answer to a program: a normal run, followed as text."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from functools import partial
from typing import Any
from uuid import UUID

import orjson
from django.db import DatabaseError, InterfaceError

from agents.messages import Usage
from agents.runtime.key_lookup import RequestKeys
from chat.api.run_streams import RunStream, resumable_stream
from chat.api.sends import run_start
from chat.models import Run
from chat.openai_api.agent_questions import CONVERSATION_HEADER, Question, question_post
from chat.openai_api.answer_text import AnswerText
from chat.openai_api.completion import Completion
from chat.openai_api.errors import ApiError, run_error
from chat.openai_api.message_counting import MessageCount
from chat.runs import commands
from chat.runs.failures import GAVE_UP_TEXT
from chat.runs.shield import run_shielded
from chat.storage.run_creation import StartedRun
from chat.stream.viewer import LogRebuilt
from files.inline_files import images_check, inline_files_finish, inline_files_write
from tenants.access import Actor
from tenants.db import in_db
from tenants.errors import ParleyError


class AgentCompletion:
    """Implements `CompletionSource` by a run of the chat agent. Create it with `begin`."""

    def __init__(self, actor: Actor, run_id: UUID, conversation_id: UUID, *, streamed: bool) -> None:
        self.run_id, self.conversation_id = run_id, conversation_id
        self._actor, self._streamed = actor, streamed
        self._text = AnswerText()
        self._error_text = ""
        self._reason = "stop"

    @classmethod
    async def begin(cls, actor: Actor, question: Question, keys: RequestKeys, count: MessageCount, *, streamed: bool) -> AgentCompletion:
        """Count and store the question and start its run. `streamed`: `parts` yields text as it arrives.

        Raises the errors of `MessageCount.count` and of `question_post`.
        """
        start = asyncio.ensure_future(_store_and_start(actor, question, keys, count))
        try:
            started = await asyncio.shield(start)
        except asyncio.CancelledError:
            await run_shielded(_stop_after_start(actor, start))  # the MCP SDK cancels again and again until this ends
            raise
        return cls(actor, started.run_id, started.conversation_id, streamed=streamed)

    @property
    def text_length(self) -> int:
        """How many characters of the answer are written so far."""
        return len(self._text.full_text)

    async def parts(self) -> AsyncGenerator[str | Completion, None]:
        """See `CompletionSource.parts`. Stops the run when the caller leaves."""
        try:
            async with aclosing(self._chunks()) as chunks:
                async for chunk in chunks:
                    self._apply(chunk)
                    if self._streamed and (news := self._text.take_new()):
                        yield news
            completion = await in_db(self._completion, organization_id=self._actor.organization_id)
        except (GeneratorExit, asyncio.CancelledError):
            await _stop(self._actor, self.run_id, self.conversation_id)
            raise
        yield completion

    async def _chunks(self) -> AsyncGenerator[dict[str, Any], None]:
        """Yield the run's chunks to its end; from its start again when its log was lost in between."""
        run_stream: RunStream | None = RunStream(self.run_id, self._actor.organization_id)
        while run_stream is not None:
            self._text.start_over()
            try:
                async with aclosing(run_stream.batches()) as batches:
                    async for batch in batches:
                        for chunk in batch:
                            yield orjson.loads(chunk)
                return
            except LogRebuilt:
                run_stream = await resumable_stream(self._actor, str(self.conversation_id))

    def _apply(self, chunk: dict[str, Any]) -> None:
        match chunk:
            case {"type": "error", "errorText": text}:
                self._error_text = text
            case {"type": "finish", "finishReason": reason}:
                self._reason = reason
            case _:
                self._text.read(chunk)

    def _completion(self) -> Completion:
        run = Run.objects.get(pk=self.run_id)
        if run.status == Run.Status.FAILED:
            raise run_error(run.error_code, self._error_text or GAVE_UP_TEXT)
        if run.status == Run.Status.WAITING_FOR_APPROVAL:
            raise self._approval_error()
        # To a program, an answer that waits for a reply or a page is finished.
        reason = "stop" if run.status in Run.WAITING else self._reason
        return Completion(text=self._text.full_text, reason=reason, usage=Usage(**run.usage))

    def _approval_error(self) -> ApiError:
        """Return the error that tells where a person decides. The run waits for it, and goes on after it."""
        text = (
            "The agent wants to use a tool that needs a person's approval, and waits for it. Decide in the conversation"
            f" {self.conversation_id} (in the browser, or over POST /api/chat), then read the answer there."
        )
        error = ApiError(text, status=409, code="approval_required", is_final=True)
        error.headers = {CONVERSATION_HEADER: str(self.conversation_id)}
        return error


async def _store_and_start(actor: Actor, question: Question, keys: RequestKeys, count: MessageCount) -> StartedRun:
    """Store the question with its images and start the run. It is counted when its images are known to be some."""
    images = question.images
    files = await inline_files_write(actor, images) if images else ()
    try:
        images_check(files)
        await count.count()
        store = partial(question_post, actor=actor, question=question, keys=keys, files=files)
        return await run_start(store, keys, organization_id=actor.organization_id)
    finally:
        if files:
            await inline_files_finish(files, organization_id=actor.organization_id)


async def _stop_after_start(actor: Actor, start: asyncio.Future[StartedRun]) -> None:
    with suppress(Exception):  # if the start failed, nobody is left to get the error
        started = await start
        await _stop(actor, started.run_id, started.conversation_id)


async def _stop(actor: Actor, run_id: UUID, conversation_id: UUID) -> None:
    """Stop a run whose caller has left."""
    with suppress(ParleyError, DatabaseError, InterfaceError):
        await commands.stop_run(actor, key=str(conversation_id), run_id=run_id)
