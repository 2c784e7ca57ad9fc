"""Rows of the call log as agents would have written them, at any time."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from admin_config.models import Release
from chat.models import Conversation, Message, ModelCall, Run
from tenants.context import tenant_tx
from tenants.models import Organization, User
from tests.support.accounts.cast import Cast

USAGE = {
    "input_tokens": 1000,
    "cached_tokens": 400,
    "cache_write_tokens": 10,
    "tool_tokens": 3,
    "output_tokens": 50,
    "thinking_tokens": 7,
}


class LoggedCalls:
    """What one member of an organization had models do."""

    def __init__(self, cast: Cast, organization: Organization, owner: User) -> None:
        self.organization_id = organization.pk
        with tenant_tx(organization.pk):
            self.member_id = cast.actor(owner).membership_id
            self.release, _ = Release.objects.get_or_create(number=900, defaults={"content": {}, "content_hash": ""})

    def conversation(self, *, trial: bool = False, project_id: UUID | None = None) -> Conversation:
        with tenant_tx(self.organization_id):
            return Conversation.objects.create(
                owner_id=self.member_id, title="T", updated_at=self.release.created_at, is_trial=trial, project_id=project_id
            )

    def run(self, conversation: Conversation, at: datetime, **values: Any) -> Run:
        with tenant_tx(self.organization_id):
            question = Message.objects.create(conversation=conversation, role="user")
            answer = Message.objects.create(conversation=conversation, role="assistant", parent=question)
            row = Run.objects.create(
                conversation=conversation,
                question=question,
                answer=answer,
                release=self.release,
                model_config_id=uuid4(),
                lease_expires_at=at,
                finished_at=at,
                **{"status": "done", **values},
            )
            Run.objects.filter(pk=row.pk).update(created_at=at)
            return row

    def call(self, at: datetime, *, run: Run | None = None, conversation: Conversation | None = None, **values: Any) -> ModelCall:
        """Log a call, of a run of its own if none is given and it has no conversation."""
        run = run or (None if conversation else self.run(self.conversation(), at))
        defaults: dict[str, Any] = {
            "agent_key": "chat_model_agent_google",
            "provider": "google",
            "model": "gemini-2.5-flash",
            "usage": USAGE,
            "cost_usd": 0.0125,
            "step": 1,
            "first_token_ms": 400,
            "duration_ms": 2000,
        }
        with tenant_tx(self.organization_id):
            row = ModelCall.objects.create(
                run=run, conversation=conversation, prompt_hash="", entry_count=1, settings={}, **{**defaults, **values}
            )
            ModelCall.objects.filter(pk=row.pk).update(created_at=at)
        return row
