"""Whether a recorded run, done again without a change, makes the same requests byte for byte (docs/decisions/0064).

The agent is built from the run's release and works through the run again. Its tools and models give what was recorded, so nobody is asked
and nothing is stored; each request is written by its provider's adapter, and the hash of its body is compared with that of the body that
was sent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.utils.translation import gettext_lazy

from admin_config.services.switches import release_with_switches
from agents.engine.loop import run_agent
from agents.engine.ports import RunPorts
from agents.errors import RunError
from agents.messages import Usage
from agents.orchestrator import chat_agent_build
from agents.runtime.key_lookup import KeyOwner
from agents.runtime.replay.recorded_model import RecordedModels, request_hash_for
from chat.models import ModelCall
from chat.runs.title_generation import RunActions
from chat.storage.call_log import sent_request_of
from chat.storage.loaded_run import LoadedRun, RunLinks
from chat.storage.recorded_runs import RecordedRun, recorded_run
from chat.storage.run_loading import recorded_run_load
from evaluations.replays.changes import without_plugins
from evaluations.replays.memory_journal import MemoryJournal, RecordedInbox
from evaluations.replays.recorded_answers import recorded_model_calls
from tenants.db import in_db
from tenants.errors import ParleyError

EQUAL: Final = "equal"
DIFFERENT: Final = "different"
NOT_MADE: Final = gettext_lazy("not made")  # the run ended before it
UNKNOWN: Final = "unknown"  # nothing was sent, or its owner died
KINDS: Final = (ModelCall.Kind.STEP, ModelCall.Kind.SUB_AGENT)


@dataclass(frozen=True, slots=True)
class CheckedCall:
    """A recorded call and what came of it. `inside`: a tool made it whose result came from the record, so that its stored request was used."""

    call: ModelCall
    rebuilt: str  # SHA-256 (hex); "": none
    inside: bool = False

    @property
    def outcome(self) -> str:
        if not self.call.request_hash:
            return UNKNOWN
        if not self.rebuilt:
            return str(NOT_MADE)
        return EQUAL if self.rebuilt == self.call.request_hash else DIFFERENT


@dataclass(frozen=True, slots=True)
class RunCheck:
    """All calls of a run's agents. `problem`: why the agent could not work as before; "" when it did."""

    calls: Sequence[CheckedCall]
    problem: str = ""

    def count(self, outcome: str) -> int:
        return Counter(call.outcome for call in self.calls)[outcome]

    @property
    def equal(self) -> int:
        return self.count(EQUAL)

    @property
    def comparable(self) -> int:
        """How many calls can be compared."""
        return len(self.calls) - self.count(UNKNOWN)

    @property
    def is_equal(self) -> bool:
        return self.equal == self.comparable


@dataclass(frozen=True, slots=True)
class _RecordedRequests:
    run: LoadedRun
    recorded: RecordedRun
    calls: Sequence[ModelCall]
    models: RecordedModels


async def run_check(run_id: UUID, *, organization_id: UUID) -> RunCheck:
    """Check a run's requests. Raises NotFound."""
    recording = await in_db(_load, run_id, organization_id=organization_id)
    problem = ""
    try:
        await _work(recording)
    except (RunError, ParleyError) as error:
        problem = str(error)
    hashes = recording.models.hashes
    inside = await _inside(recording)
    calls = [CheckedCall(call, hashes.get(call.pk) or inside.get(call.pk, ""), inside=call.pk in inside) for call in recording.calls]
    return RunCheck(calls, "" if all(call.outcome in (EQUAL, UNKNOWN) for call in calls) else problem)


def _load(run_id: UUID) -> _RecordedRequests:
    recorded = recorded_run(run_id)
    calls = list(ModelCall.objects.filter(run_id=run_id, kind__in=KINDS).select_related("run__replay_of").order_by("created_at", "pk"))
    models = RecordedModels(recorded_model_calls(calls, recorded.answer))
    return _RecordedRequests(recorded_run_load(recorded, models=models), recorded, calls, models)


async def _work(recording: _RecordedRequests) -> None:
    """Work through the run. Raises RunError, also at the end of what was recorded, and ParleyError."""
    run = recording.run
    journal = MemoryJournal(run.history)
    agent = await chat_agent_build(
        release_with_switches(without_plugins(run.release.snapshot), run.switches), run.context(_links(run, journal))
    )
    try:
        await journal.append(*run.opening_entries(agent.tools))
        await run_agent(agent, RunPorts(model=agent.model, journal=journal, inbox=RecordedInbox(journal, recording.recorded.answer)))
    finally:
        await agent.hooks.aclose()
        await agent.exit_stack.aclose()


def _links(run: LoadedRun, journal: MemoryJournal) -> RunLinks:
    async def no_spending(call_ids: Collection[str]) -> tuple[Usage, float]:
        return Usage(), 0.0

    return RunLinks(
        record_call=lambda call: None,
        call_opened=lambda call: None,
        branch=lambda: journal.entries,
        spent_on_calls=no_spending,
        is_handed_over=lambda: False,
        actions=RunActions(run.organization_id, run.conversation_id),
        key_owner=KeyOwner(membership_id=run.membership_id),
    )


async def _inside(recording: _RecordedRequests) -> dict[UUID, str]:
    """Return the hashes of what is stored of calls that were made inside a recorded tool call, such as an artifact agent's."""
    endpoints = {(endpoint.provider, endpoint.name): endpoint for endpoint in recording.run.release.snapshot.endpoints}
    inside = {}
    for call in recording.calls:
        endpoint = endpoints.get((call.provider, call.endpoint))
        if call.pk not in recording.models.hashes and call.parent_call_id and call.request_hash and endpoint:
            request = await sent_request_of(call)
            inside[call.pk] = request_hash_for(request, endpoint)
    return inside
