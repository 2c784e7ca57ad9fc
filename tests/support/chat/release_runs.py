"""Members, and runs of a release that have ended, as rows: what a day leaves behind, without the day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from uuid import UUID, uuid4

from django.utils import timezone

from chat.models import Conversation, Message, ModelCall, Run
from tenants.context import identity_tx, tenant_tx
from tenants.models import Membership, Organization, User


def members_add(organization: Organization, count: int, *, acting: User) -> list[UUID]:
    """Add members to the organization; return the ids of their memberships."""
    users = [User(email=f"member{number}@example.org", name=f"Member {number}") for number in range(count)]
    with identity_tx(organization.pk, acting_user_id=acting.pk):
        User.objects.bulk_create(users)
        places = [Membership(organization=organization, user=user, role=Membership.Role.MEMBER) for user in users]
        return [place.pk for place in Membership.objects.bulk_create(places)]


def runs_add(organization: Organization, release_of: Mapping[UUID, UUID], statuses: Mapping[UUID, Sequence[str]]) -> None:
    """Add ended runs: by membership the release that it gets, and how each of its runs ended. Four statements."""
    now = timezone.now()
    with tenant_tx(organization.pk):
        talks = {member: Conversation(owner_id=member, title="T", updated_at=now) for member in statuses}
        questions, answers, runs = list[Message](), list[Message](), list[Run]()
        for member, status in ((member, status) for member, each in statuses.items() for status in each):
            question = Message(conversation=talks[member], role="user")
            answer = Message(conversation=talks[member], role="assistant", parent=question)
            questions.append(question)
            answers.append(answer)
            runs.append(
                Run(
                    conversation=talks[member],
                    question=question,
                    answer=answer,
                    release_id=release_of[member],
                    model_config_id=uuid4(),
                    status=status,
                    lease_expires_at=now,
                    finished_at=now + timedelta(seconds=2),
                )
            )
        Conversation.objects.bulk_create(talks.values())
        Message.objects.bulk_create([*questions, *answers])
        Run.objects.bulk_create(runs)
        ModelCall.objects.bulk_create(map(_call, runs))


def _call(run: Run) -> ModelCall:
    return ModelCall(
        run=run,
        step=1,
        agent_key="chat",
        model="m",
        prompt_hash="",
        entry_count=1,
        settings={},
        duration_ms=900,
        first_token_ms=400,
        cost_usd=0.01,
    )
