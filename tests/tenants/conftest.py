from __future__ import annotations

import pytest

from artifacts.models import Artifact
from tenants.context import tenant_tx
from tests.support.accounts.cast import Cast
from tests.support.chat.conversations import conversation_row


@pytest.fixture
def artifacts(cast: Cast) -> tuple[Artifact, Artifact]:
    """One row of Acme and one of Other Ltd."""
    return artifact_of(cast, "Acme"), artifact_of(cast, "Other Ltd")


def artifact_of(cast: Cast, name: str) -> Artifact:
    organization, user = (cast.acme, cast.alice) if name == "Acme" else (cast.other, cast.charlie)
    with tenant_tx(organization.id):
        owner = user.memberships.get()
        chat = conversation_row(organization_id=organization.pk, owner_id=owner.pk)
        return Artifact.objects.create(conversation_id=chat, owner=owner, title=f"{name}'s plan", kind="text")
