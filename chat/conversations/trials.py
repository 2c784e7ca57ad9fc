"""Trials: an admin talks to the draft, or to the live release beside it, before members do (SPEC 8.3, docs/decisions/0041)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID, uuid4

from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext_lazy

from admin_config.services.trials import trial_release
from agents.messages import AssistantText, UserMessage
from agents.runtime.key_lookup import NO_KEYS, RequestKeys
from agents.runtime.replay.recorded_calls import DefinitionChange, GivenResult, given_results
from agents.runtime.request_overrides import RequestOverrides
from chat.conversations.admin_reading import may_read_run, reading_policy
from chat.conversations.selectors import conversation_get_for_user
from chat.conversations.services import check_idle, clean_text, provisional_title, require_writer
from chat.entries import StoredEntry
from chat.models import Conversation, Message, Part, Run
from chat.storage.cancel_waiting import cancel_waiting_run
from chat.storage.run_creation import RunOptions, StartedRun, check_run_limit, run_create
from chat.storage.run_loading import stored_entries
from chat.storage.run_writes import part_rows
from security.audit import audit
from tenants.access import Actor
from tenants.errors import NotAllowed, NotFound
from tenants.models import Organization

ADMINS_ONLY: Final = gettext_lazy("Only owners and admins can try a draft.")
NO_RESULTS: Final = gettext_lazy("Run not found, or you may not read it. Choose another run whose tool results to use.")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialQuestion:
    """A question to an agent that is tried.

    `release_id`: what it runs with (admin_config.services.trials). `conversation`: the trial's own, to continue it; None: a new one.
    `again`: the last question is asked again instead of a further one. `results`: what tools give, `results_of`: a run whose tools'
    results are given as well. Tools run only when both are None.
    """

    agent_id: UUID
    release_id: UUID
    text: str
    conversation: UUID | None = None
    model_config_id: UUID | None = None
    again: bool = False
    results: Sequence[GivenResult] | None = None
    results_of: UUID | None = None


def trial_post(*, actor: Actor, question: TrialQuestion, keys: RequestKeys) -> StartedRun:
    """Store the question, the empty answer and its run, which works with a stored draft. Needs the organization's `tenant_tx`.

    Locks the membership, and the conversation if it continues one. Raises NotAllowed, NotFound, BadRequest (text), RunActive,
    TooManyRuns, RunConfigError.
    """
    actor = require_writer(actor, lock=True)
    if not actor.can_administer:
        raise NotAllowed(ADMINS_ONLY)
    text = clean_text(question.text)
    conversation = _conversation(actor, question.conversation, text)
    check_run_limit(actor)
    release = trial_release(question.release_id)
    parent_id = _before_last_question(conversation) if question.again else conversation.head_id
    message = Message(conversation=conversation, parent_id=parent_id, role=Message.Role.USER)
    rows = [message, *part_rows(message_id=message.pk, position=0, entries=[StoredEntry(UserMessage(text))])]
    options = RunOptions(question.model_config_id, tool_results=_results(actor, question))
    is_first = question.conversation is None
    started, run = run_create(
        conversation, message.pk, rows, release=release, run_options=options, keys=keys, actor=actor, is_first=is_first
    )
    audit(
        organization_id=actor.organization_id,
        actor_user_id=actor.user_id,
        action="agent.try",
        object_kind="agent",
        object_id=question.agent_id,
        detail={"release": str(release.id), **({"results_of": str(question.results_of)} if question.results_of else {})},
        run_id=run.pk,
    )
    return started


def _before_last_question(conversation: Conversation) -> UUID | None:
    """Return what the last question of the trial followed; None when it was the first."""
    question = Run.objects.filter(answer=conversation.head_id).values_list("question__parent", flat=True).first()
    message: UUID | None = question
    return message


def _results(actor: Actor, question: TrialQuestion) -> list[GivenResult] | None:
    """Return what the tools give: what was entered, then what the tools of a run gave; None: they run. Raises NotFound for a run that may not be read."""
    if question.results_of is None:
        return None if question.results is None else list(question.results)
    run = Run.objects.select_related("conversation__owner").filter(pk=question.results_of).first()
    if run is None or not may_read_run(reading_policy(Organization.objects.get(pk=actor.organization_id)), run):
        raise NotFound(NO_RESULTS)
    return [*(question.results or ()), *given_results(each.entry for each in stored_entries(run.answer_id))]


@dataclass(frozen=True, slots=True)
class SampleLine:
    """A text of a conversation that a trial continues."""

    role: Message.Role
    text: str


def sample_post(*, actor: Actor, release_id: UUID, lines: Sequence[SampleLine], results: Sequence[GivenResult] | None = None) -> StartedRun:
    """Store a new trial with these texts, the last of which is the question, and its run. Needs the organization's `tenant_tx`.

    `results`: what its tools give; None: they run. Whoever has many of them asked writes one audit event for all (evaluations). Raises NotAllowed, NotFound, TooManyRuns, RunConfigError.
    """
    actor = require_writer(actor, lock=True)
    if not actor.can_administer:
        raise NotAllowed(ADMINS_ONLY)
    check_run_limit(actor)
    release = trial_release(release_id)
    conversation = _conversation(actor, None, lines[-1].text)
    rows: list[Message | Part] = []
    parent_id: UUID | None = None
    for line in lines:
        message = Message(conversation=conversation, parent_id=parent_id, role=line.role)
        entry = UserMessage(line.text) if line.role == Message.Role.USER else AssistantText(line.text, from_caller=True)
        rows += [message, *part_rows(message_id=message.pk, position=0, entries=[StoredEntry(entry)])]
        parent_id = message.pk
    assert parent_id is not None
    options = RunOptions(None, tool_results=results)
    return run_create(conversation, parent_id, rows, release=release, run_options=options, keys=NO_KEYS, actor=actor, is_first=True)[0]


def replay_post(
    *,
    actor: Actor,
    original: Run,
    release_id: UUID,
    model_config_id: UUID | None,
    looks_up: bool,
    tool_definitions: Mapping[str, DefinitionChange],
) -> StartedRun:
    """Store a run that replays a recorded one, in a conversation that nobody opens. Needs the organization's `tenant_tx`.

    Nothing of the original is copied: the replay reads its history there. To all that opens conversations, the replay's own is deleted,
    and it is purged like those. The caller has checked that the actor may read the original. Raises NotAllowed, NotFound, TooManyRuns,
    RunConfigError.
    """
    actor = require_writer(actor, lock=True)
    if not actor.can_administer:
        raise NotAllowed(ADMINS_ONLY)
    check_run_limit(actor)
    conversation = _conversation(actor, None, "Replay")
    conversation.deleted_at = timezone.now()
    question = Message(conversation=conversation, role=Message.Role.USER)
    options = RunOptions(
        model_config_id or original.model_config_id,
        original.thinking,
        original.switches,
        original.assistant,
        original.page_state,
        original.page_tools,
        replay_of=original.pk,
        looks_up=looks_up,
        tool_definitions=tool_definitions,
    )
    return run_create(
        conversation,
        question.pk,
        [question],
        release=trial_release(release_id),
        run_options=options,
        keys=NO_KEYS,
        request_overrides=RequestOverrides.model_validate(original.request_overrides),
        actor=actor,
        is_first=True,
    )[0]


def _conversation(actor: Actor, key: UUID | None, text: str) -> Conversation:
    """Return the trial to continue, or a new one, not stored yet. Raises NotFound, also for a conversation that is no trial."""
    if key is None:
        return Conversation(
            id=uuid4(),
            owner_id=actor.membership_id,
            title=provisional_title(text),
            title_source=Conversation.TitleSource.USER,  # so that no model is asked for a title that nobody sees
            listed=False,
            is_trial=True,
            updated_at=Now(),
        )
    conversation = conversation_get_for_user(actor=actor, key=str(key), lock=True)
    if not conversation.is_trial:
        raise NotFound
    cancel_waiting_run(conversation)
    check_idle(conversation)
    return conversation
