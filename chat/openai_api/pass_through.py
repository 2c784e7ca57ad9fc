"""Pass-through calls: a single model call with the caller's own tools or format of the answer, without the chat agent.

The call is read from the request, answered and logged. The answer's text contains links to the files that the model generated.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import orjson

from admin_config.services.own_keys import own_keys_check
from admin_config.services.selectors import live_release
from agents.messages import (
    AnswerFile,
    AssistantText,
    Entry,
    File,
    ModelEvent,
    ModelResponse,
    ResponseEntry,
    TextDelta,
    ToolCall,
    ToolDefinition,
    ToolResult,
    UserMessage,
)
from agents.pass_through import PassThroughCaller, PassThroughRequest, pass_through
from agents.runtime.call_recording import CallRecord
from agents.runtime.files import RunAnswerFiles, RunAttachments
from agents.runtime.key_lookup import KeyOwner, RequestKeys
from agents.runtime.masking import placeholders_open
from chat.conversations.services import require_writer
from chat.entries import StoredEntry
from chat.errors import TooManyRuns
from chat.openai_api.completion import Completion
from chat.openai_api.errors import bad_request, run_error
from chat.openai_api.message_counting import MessageCount
from chat.openai_api.pass_through_text import PassThroughText, pass_through_text
from chat.openai_api.requests import AssistantTurn, CompletionRequest, NamedToolChoice, RequestToolCall, SystemTurn, ToolTurn, UserTurn
from chat.openai_api.stored_tool_calls import answer_keys, answer_store, answers_load, restore_answers, tool_calls_conversation
from chat.runs.run_owner import MAX_RUN_S
from chat.runs.shield import run_shielded
from chat.storage.attached_files import file_entry, file_texts_load, generated_files_attach
from chat.storage.call_log import calls_record
from chat.storage.run_creation import MAX_ACTIVE_RUNS
from files.generated_files import AnswerFiles
from files.inline_files import images_check, inline_files_finish, inline_files_write
from files.models import File as StoredFile
from files.selectors import ConversationFiles, files_with_same_content
from files.services import file_rows_insert, files_attach
from limits.budget_accounts import budgets_load
from tenants.access import Actor
from tenants.db import in_db
from tenants.models import Membership

_open_calls: Counter[UUID] = Counter()  # calls in this process, by membership


class PassThroughCompletion:
    """Implements `CompletionSource` by one model call. The call is logged, and an answer with tool calls is stored."""

    def __init__(self, actor: Actor, request: CompletionRequest, model_config_id: UUID, assistant: str, keys: RequestKeys) -> None:
        """Raises ApiError when the request's messages are not a valid history."""
        self._actor, self._keys = actor, keys
        self._call, self._images = pass_through_call(request, model_config_id, assistant), request.images
        self._records: list[CallRecord] = []
        self._conversation_id: UUID  # this and the prepared call are known after `begin`
        self._prepared: tuple[PassThroughRequest, PassThroughCaller]

    async def begin(self, count: MessageCount) -> None:
        """Count the message, and store its images, so that the logged call can be rebuilt.

        Raises the errors of `MessageCount.count`, and TooManyRuns when the member has too many calls at once.
        """
        _check_room(self._actor.membership_id)  # before anything is stored and counted of a call that is refused
        self._prepared = await run_shielded(self._prepare(count))

    async def parts(self) -> AsyncGenerator[str | Completion, None]:
        """See `CompletionSource.parts`. Needs `begin` before. Raises TooManyRuns when the member has too many calls at once."""
        with _counted_call(self._actor.membership_id):
            call, caller = self._prepared
            answer_text = PassThroughText()
            try:
                async with aclosing(_with_time_limit(MAX_RUN_S, pass_through(call, caller))) as events:
                    async for event in events:
                        match event:
                            case TextDelta() | AnswerFile():
                                if news := answer_text.add(event):
                                    yield news
                            case ModelResponse():
                                completion = await self._finish(event)
                                if rest := answer_text.remainder(completion.text):
                                    yield rest
                                yield completion
                            case _:  # OpenAI's format has no place for reasoning and for the provider's own tools
                                pass
            except TimeoutError:
                raise run_error("time_limit", f"The answer took longer than {MAX_RUN_S // 60} minutes.") from None
            finally:
                await asyncio.shield(in_db(self._log, organization_id=self._actor.organization_id))

    async def _finish(self, response: ModelResponse) -> Completion:
        """Return the whole answer. Its tool calls get unique ids of our own, and it is stored before the caller learns them."""
        if response.malformed_call:
            raise run_error("malformed_call", f"The model called a tool, but the call could not be read: {response.malformed_call}")
        allowed = _first_call_only(response.entries) if self._call.single_tool_call else response.entries
        entries = [replace(entry, id=f"call_{uuid4().hex}") if isinstance(entry, ToolCall) else entry for entry in allowed]
        if any(isinstance(entry, ToolCall | AnswerFile) for entry in entries):
            await in_db(self._keep, entries, organization_id=self._actor.organization_id)
        return Completion(
            text=pass_through_text(entries),
            calls=tuple(entry for entry in entries if isinstance(entry, ToolCall)),
            reason=response.finish_reason.value,
            usage=response.usage,
        )

    def _keep(self, entries: Sequence[Entry]) -> None:
        if any(isinstance(entry, ToolCall) for entry in entries):
            answer_store(conversation_id=self._conversation_id, entries=entries)
        generated_files_attach(map(StoredEntry, entries), conversation_id=self._conversation_id)

    async def _prepare(self, count: MessageCount) -> tuple[PassThroughRequest, PassThroughCaller]:
        """Return the call, with its images stored and its answers restored. It is counted when its images are known to be some."""
        files = await inline_files_write(self._actor, self._images) if self._images else ()
        try:
            images_check(files)
            await count.count()
            return await in_db(self._restore_history, files, organization_id=self._actor.organization_id)
        finally:
            if files:
                await inline_files_finish(files, organization_id=self._actor.organization_id)

    def _restore_history(self, files: Sequence[StoredFile]) -> tuple[PassThroughRequest, PassThroughCaller]:
        actor = require_writer(self._actor)
        self._conversation_id = tool_calls_conversation(actor).pk
        answers = answers_load(actor=actor, keys=answer_keys(self._call.entries))
        entries = restore_answers(self._call.entries, answers)
        if files:
            stored_files = iter(self._attach_files(actor, files))
            entries = file_texts_load([file_entry(next(stored_files)) if isinstance(entry, File) else entry for entry in entries]).entries
        return replace(self._call, entries=entries), self._caller(actor)

    def _attach_files(self, actor: Actor, files: Sequence[StoredFile]) -> list[StoredFile]:
        """Return the stored files of the request. Programs send an image again with every request, so it is stored only once."""
        files_by_hash = files_with_same_content(files, conversation_id=self._conversation_id)
        new = {file.sha256: file for file in files if file.sha256 not in files_by_hash}
        if new:
            file_rows_insert([*new.values()])
            files_attach(actor=actor, file_ids=[file.pk for file in new.values()], conversation_id=self._conversation_id)
        files_by_hash |= new
        return [files_by_hash[file.sha256] for file in files]

    def _caller(self, actor: Actor) -> PassThroughCaller:
        if self._keys.sent_keys:
            own_keys_check()
        membership = Membership.objects.select_related("user", "organization").get(
            pk=actor.membership_id, organization_id=actor.organization_id
        )
        return PassThroughCaller(
            snapshot=live_release(organization_id=actor.organization_id, membership_id=actor.membership_id).snapshot,
            organization_id=actor.organization_id,
            organization_name=membership.organization.name,
            user_name=membership.user.name,
            preferences=membership.preferences,
            key_owner=KeyOwner(membership_id=actor.membership_id, request=self._keys),
            placeholders=placeholders_open(membership_id=actor.membership_id),
            budgets=budgets_load(membership_id=actor.membership_id, token_id=self._keys.token_id, assistant=self._call.assistant),
            record_call=self._records.append,
            files=RunAttachments(ConversationFiles(actor.organization_id, self._conversation_id)),
            answer_file_store=RunAnswerFiles(AnswerFiles(actor.organization_id, actor.membership_id)),
        )

    def _log(self) -> None:
        if self._records:
            calls_record(calls=self._records, conversation_id=self._conversation_id)


def _first_call_only(entries: Iterable[ResponseEntry]) -> list[ResponseEntry]:
    """Return the entries without the calls after the first: Gemini has no setting that forbids them."""
    calls = 0
    allowed_entries = list[ResponseEntry]()
    for entry in entries:
        calls += isinstance(entry, ToolCall)
        if calls < 2 or not isinstance(entry, ToolCall):
            allowed_entries.append(entry)
    return allowed_entries


async def _with_time_limit(limit_s: float, events: AsyncGenerator[ModelEvent, None]) -> AsyncGenerator[ModelEvent, None]:
    """Yield the events. Raises TimeoutError `limit_s` seconds after the start.

    Each event gets its own timeout, because each may be requested from a different task.
    """
    limit = asyncio.get_running_loop().time() + limit_s
    async with aclosing(events):
        while True:
            async with asyncio.timeout_at(limit):
                event = await anext(events, None)
            if event is None:
                return
            yield event


def pass_through_call(request: CompletionRequest, model_config_id: UUID, assistant: str = "") -> PassThroughRequest:
    """Return the request as the engine's types. Raises ApiError when the messages are not a valid history."""
    choice = request.tool_choice
    return PassThroughRequest(
        entries=tuple(_entries(request)),
        tools=tuple(
            ToolDefinition(tool.function.name, tool.function.description, tool.function.parameters) for tool in request.tools or ()
        ),
        tool_choice=choice.function.name if isinstance(choice, NamedToolChoice) else choice or "auto",
        single_tool_call=request.parallel_tool_calls is False,
        answer_format=request.answer_format,
        model_config_id=model_config_id,
        assistant=assistant,
        thinking=request.wants_thinking,
        request_overrides=request.request_overrides(),
    )


def _entries(request: CompletionRequest) -> Iterator[Entry]:
    waiting: dict[str, str] = {}  # tool names of the calls that have no result yet, by call id
    for number, turn in enumerate(request.messages):
        if not isinstance(turn, ToolTurn | SystemTurn) and waiting:
            raise bad_request("After tool_calls comes a tool message for each of them.", param=f"messages.{number}")
        match turn:
            case UserTurn(content=content):
                yield UserMessage(content.text)
                yield from (File("", image.name, "", 0) for image in content.images)  # placeholders; the files are stored later
            case AssistantTurn(content=text, tool_calls=calls):
                if text:
                    yield AssistantText(text)
                yield from (_call(call, number) for call in calls or ())
                waiting = {call.id: call.function.name for call in calls or ()}
            case ToolTurn(tool_call_id=call_id, content=text):
                if call_id not in waiting:
                    raise bad_request("tool_call_id names no call before it.", param=f"messages.{number}.tool_call_id")
                yield ToolResult(call_id, waiting.pop(call_id), text)
            case SystemTurn():
                pass
    if waiting or not isinstance(_last_turn(request), UserTurn | ToolTurn):
        raise bad_request("The last message must be the user's or a tool's.", param="messages")


def _last_turn(request: CompletionRequest) -> Any:
    return next((turn for turn in reversed(request.messages) if not isinstance(turn, SystemTurn)), None)


def _call(call: RequestToolCall, number: int) -> ToolCall:
    try:
        arguments = orjson.loads(call.function.arguments or "{}")
    except orjson.JSONDecodeError:
        arguments = None
    if not isinstance(arguments, dict):
        raise bad_request("The arguments of a tool call must be a JSON object.", param=f"messages.{number}.tool_calls")
    return ToolCall(call.id, call.function.name, arguments)


def _check_room(membership_id: UUID) -> None:
    if _open_calls[membership_id] >= MAX_ACTIVE_RUNS:
        raise TooManyRuns


@contextmanager
def _counted_call(membership_id: UUID) -> Iterator[None]:
    """Count a member's call while it is open. Raises TooManyRuns when there are MAX_ACTIVE_RUNS already."""
    _check_room(membership_id)
    _open_calls[membership_id] += 1
    try:
        yield
    finally:
        _open_calls[membership_id] -= 1
        if not _open_calls[membership_id]:
            del _open_calls[membership_id]
