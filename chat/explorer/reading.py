"""Whether admins and auditors may read the texts of members' chats: the organization's policy, and the member's consent."""

from __future__ import annotations

from typing import Final

from django.utils import timezone

from chat.models import Conversation
from security.audit import audit
from tenants.access import Actor
from tenants.errors import BadRequest
from tenants.models import Organization

NEVER, CONSENT, ALWAYS = "never", "consent", "always"
POLICIES: Final = {
    NEVER: "Never: admins and auditors see structure and figures only",
    CONSENT: "With consent: a member can share a conversation with admins for seven days",
    ALWAYS: "Always: admins and auditors may read every chat",
}
POLICY_KEY: Final = "chat_reading"


def reading_policy(organization: Organization) -> str:
    """Return one of POLICIES."""
    policy = organization.policy.get(POLICY_KEY, CONSENT)
    return policy if policy in POLICIES else CONSENT


def reading_policy_set(*, actor: Actor, policy: str) -> None:
    """Save the policy, and write what it was before. Needs the organization's `tenant_tx`. Raises BadRequest."""
    if policy not in POLICIES:
        raise BadRequest("Choose who may read members' chats.")
    organization = Organization.objects.select_for_update().get(pk=actor.organization_id)
    former = reading_policy(organization)
    if former == policy:
        return
    organization.policy = {**organization.policy, POLICY_KEY: policy}
    organization.save(update_fields=["policy"])
    audit(
        organization_id=actor.organization_id,
        actor_user_id=actor.user_id,
        action="run.policy",
        object_kind="chat_reading",
        object_id=actor.organization_id,
        before={POLICY_KEY: former},
        after={POLICY_KEY: policy},
    )


def may_read(policy: str, conversation: Conversation) -> bool:
    """Return whether the policy, and where it asks for it the member's consent, lets admins read this conversation now."""
    if conversation.deleted_at is not None or policy == NEVER:
        return False
    until = conversation.admins_may_read_until
    return policy == ALWAYS or (until is not None and until > timezone.now())
