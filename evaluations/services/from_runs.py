"""Cases made from what members asked: only where the organization's rule, or the member, lets admins read the conversation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from agents.messages import Entry, File, UserMessage
from agents.runtime.message_tool import visible_text
from agents.runtime.replay.recorded_calls import given_results
from chat.conversations.admin_reading import may_read_run, reading_policy
from chat.models import Run
from chat.storage.branches import branch_entries
from chat.storage.run_loading import stored_entries
from evaluations.interchange.cases import MAX_MESSAGES, CaseContent, are_storable, case_check, name_of
from evaluations.models import Case, DataSet
from evaluations.services.cases import cases_add, check_room
from security.audit import audit
from tenants.access import Actor
from tenants.errors import NotFound
from tenants.models import Organization


@dataclass(frozen=True, slots=True)
class CopiedCase:
    """A case made from a run, and what was left out of it."""

    case: Case
    lost_files: bool
    lost_results: (
        bool  # the tools gave more than a case holds, so it has none of it: half of it would fail at the first call without a result
    )


def case_from_run(*, actor: Actor, run: Run, data_set: DataSet) -> CopiedCase:
    """Copy a run's question, with what was said before it and what its tools gave, into a new case.

    The copy is a reading, and an audit event. Raises NotFound where the texts may not be read, and BadRequest for what no case can be.
    """
    if not may_read_run(reading_policy(Organization.objects.get(pk=actor.organization_id)), run):
        raise NotFound
    entries = branch_entries(organization_id=actor.organization_id, leaf_id=run.question_id)
    messages = messages_of(entries)
    question = messages[-1]["text"] if messages else ""
    all_results = given_results(each.entry for each in stored_entries(run.answer_id))
    results = all_results if are_storable(all_results) else []
    content = case_check(
        CaseContent(name=name_of("", question), messages=messages, tool_results=results, recorded_tools=bool(results)), "This question"
    )
    check_room(data_set, 1)
    [case] = cases_add(data_set, [content])
    Case.objects.filter(pk=case.pk).update(source_run=run)
    audit(
        organization_id=actor.organization_id,
        actor_user_id=actor.user_id,
        action="case.copy",
        object_kind="case",
        object_id=case.pk,
        object_label=str(data_set),
        detail={"run": str(run.pk), "conversation": str(run.conversation_id)},
    )
    return CopiedCase(case, any(isinstance(entry, File) for entry in entries), lost_results=len(results) < len(all_results))


def messages_of(entries: Iterable[Entry]) -> list[dict[str, str]]:
    """Return what both sides said, as a case has it: texts of one side that follow each other are one message."""
    messages: list[dict[str, str]] = []
    for entry in entries:
        role, text = ("user", entry.text) if isinstance(entry, UserMessage) else ("assistant", visible_text(entry))
        if not text.strip():
            continue
        if messages and messages[-1]["role"] == role:
            messages[-1]["text"] += f"\n\n{text}"
        else:
            messages.append({"role": role, "text": text})
    return messages[-MAX_MESSAGES + 1 :] if len(messages) > MAX_MESSAGES else messages
