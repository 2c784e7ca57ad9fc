"""Whether admins and auditors may read the texts of members' chats: the organization's policy, and the member's consent."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.utils import timezone
from django.utils.translation import gettext, gettext_noop as _

from chat.conversations.selectors import conversation_get_for_user
from chat.conversations.services import require_writer
from chat.conversations.shapes import ConversationReaders, ReadingPolicy
from chat.models import Conversation, Run
from security.audit import audit
from security.organization_policy import organization_policy_save
from tenants.access import Actor
from tenants.context import identity_tx
from tenants.errors import BadRequest
from tenants.models import Organization

NEVER: Final = "never"
CONSENT: Final = "consent"
ALWAYS: Final = "always"
POLICIES: Final[dict[ReadingPolicy, str]] = {
    NEVER: _("Never: admins and auditors see structure and figures only"),
    CONSENT: _("With consent: a member can share a conversation with admins for seven days"),
    ALWAYS: _("Always: admins and auditors may read every chat"),
}
POLICY_KEY: Final = "chat_reading"
SHARED_FOR: Final = timedelta(days=7)


def reading_policy(organization: Organization) -> ReadingPolicy:
    """Return the policy; by default admins need the member's consent."""
    setting = organization.policy.get(POLICY_KEY)
    return next((policy for policy in POLICIES if policy == setting), CONSENT)


def reading_policy_set(*, actor: Actor, policy: str) -> None:
    """Save the policy, and write what it was before. Raises BadRequest."""
    if policy not in POLICIES:
        raise BadRequest(gettext("Choose who may read members' chats."))
    with identity_tx(actor.organization_id, acting_user_id=actor.user_id):
        organization_policy_save(
            actor=actor,
            rules={POLICY_KEY: policy},
            former_rules=lambda organization: {POLICY_KEY: reading_policy(organization)},
            action="run.policy",
            object_kind="chat_reading",
        )


def may_read(policy: ReadingPolicy, conversation: Conversation) -> bool:
    """Return whether the policy, and where it asks for it the member's consent, lets admins read this conversation now."""
    if conversation.is_trial:
        return True  # an admin tried a draft; no member wrote it
    if conversation.deleted_at is not None or policy == NEVER:
        return False
    until = conversation.admins_may_read_until
    return policy == ALWAYS or (until is not None and until > timezone.now())


def may_read_run(policy: ReadingPolicy, run: Run) -> bool:
    """Return whether admins may read a run now; of a replay, whether they may read the run that it replays."""
    return may_read(policy, (run.replay_of or run).conversation)


def conversation_readers(*, actor: Actor, key: str) -> ConversationReaders:
    """Return who besides the owner may read a conversation. Raises NotFound."""
    return _readers(actor, conversation_get_for_user(actor=actor, key=key))


def conversation_share_with_admins(*, actor: Actor, key: str) -> ConversationReaders:
    """Let admins read the owner's conversation for seven days from now.

    Raises NotAllowed, NotFound, and BadRequest where the organization's policy does not ask for consent.
    """
    conversation = conversation_get_for_user(actor=require_writer(actor), key=key)
    if _policy_of(actor) != CONSENT:
        raise BadRequest(gettext("Your organization has decided who may read chats. You can't change it for one conversation."))
    return _consent_set(actor, conversation, timezone.now() + SHARED_FOR)


def conversation_stop_sharing(*, actor: Actor, key: str) -> ConversationReaders:
    """Take the consent back. Raises NotAllowed, NotFound."""
    return _consent_set(actor, conversation_get_for_user(actor=require_writer(actor), key=key), None)


def _consent_set(actor: Actor, conversation: Conversation, until: datetime | None) -> ConversationReaders:
    Conversation.objects.filter(pk=conversation.pk).update(admins_may_read_until=until)
    conversation.admins_may_read_until = until
    audit(
        organization_id=actor.organization_id,
        actor_user_id=actor.user_id,
        action="conversation.share_with_admins" if until else "conversation.stop_sharing",
        object_kind="conversation",
        object_id=conversation.pk,
        detail={"until": until.isoformat()} if until else None,
    )
    return _readers(actor, conversation)


def _readers(actor: Actor, conversation: Conversation) -> ConversationReaders:
    until = conversation.admins_may_read_until
    return ConversationReaders(policy=_policy_of(actor), shared_until=until if until and until > timezone.now() else None)


def _policy_of(actor: Actor) -> ReadingPolicy:
    return reading_policy(Organization.objects.get(pk=actor.organization_id))
