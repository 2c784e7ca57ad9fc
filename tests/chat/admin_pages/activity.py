"""Runs and calls of organizations at given times, and the fixtures of the pages that count them."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from admin_config.models import Release
from chat.models import Conversation, Message, ModelCall, Run
from tenants.context import tenant_tx
from tenants.models import Organization, User
from tests.support.accounts.cast import Cast
from tests.support.chat.seeding import seed_organization


class Activity:
    """Runs and calls of one organization, as if they had ended at given times."""

    def __init__(self, cast: Cast, organization: Organization, owner: User) -> None:
        self.organization_id = organization.pk
        with tenant_tx(organization.pk):
            self.owner_id = cast.actor(owner).membership_id
            self.release = Release.objects.create(number=900, content={}, content_hash="")

    def run(self, at: datetime, *, owner: Any = None, status: str = "done", error: str = "", trial: bool = False, **call: Any) -> Run:
        with tenant_tx(self.organization_id):
            conversation = Conversation.objects.create(owner_id=owner or self.owner_id, title="T", updated_at=at, is_trial=trial)
            question = Message.objects.create(conversation=conversation, role="user")
            answer = Message.objects.create(conversation=conversation, role="assistant", parent=question)
            is_open = status in {*Run.ACTIVE, *Run.WAITING}
            run = Run.objects.create(
                conversation=conversation,
                question=question,
                answer=answer,
                release=self.release,
                model_config_id=uuid4(),
                status=status,
                error_code=error,
                lease_expires_at=at,
                finished_at=None if is_open else at,
            )
            Message.objects.filter(pk=answer.pk).update(run=run)
            values: dict[str, Any] = {"usage": {"input_tokens": 10, "output_tokens": 4, "thinking_tokens": 1}, "cost_usd": 0.5, **call}
            model_call = ModelCall.objects.create(
                run=run,
                step=1,
                agent_key="chat",
                model="m",
                prompt_hash="",
                entry_count=1,
                settings={},
                duration_ms=900,
                **{"first_token_ms": 400, **values},
            )
            ModelCall.objects.filter(pk=model_call.pk).update(created_at=at)
            return run


@pytest.fixture
def acme(cast: Cast) -> Activity:
    with tenant_tx(cast.acme.pk):
        seed_organization(cast.acme)
    return Activity(cast, cast.acme, cast.alice)


@pytest.fixture
def other(cast: Cast) -> Activity:
    return Activity(cast, cast.other, cast.charlie)


@pytest.fixture
def alice(cast: Cast) -> Client:
    client = Client()
    client.force_login(cast.alice)
    return client
