"""Writes of links. All functions need the organization's transaction."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.contrib.auth.hashers import make_password
from django.db.models import F, QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext

from artifacts.kinds import kind_get
from artifacts.models import Artifact
from artifacts.selectors import version_get
from chat.conversations.services import require_writer
from chat.models import Conversation
from security.audit import audit
from sharing.checks import has_secrets
from sharing.content import shared_content
from sharing.models import Share, ShareReader
from sharing.people import readers_check
from sharing.policy import allowed_audiences, sharing_policy, sharing_policy_hold
from sharing.selectors import artifact_to_share, conversation_to_share, copied_head, share_point_at_answer, share_preview, versions_now
from sharing.shapes import MAX_ORIGINS, NewShare, ShareChange, ShareRight
from sharing.tokens import token_digest, token_new, token_seal
from tenants.access import Actor
from tenants.errors import BadRequest, Conflict, NotAllowed, NotFound
from tenants.input.origins import origins_read
from tenants.models import Organization

MAX_SHARES: Final = 200  # of one member, without stopped ones


def share_create(*, actor: Actor, new: NewShare) -> Share:
    """Make a link. Raises NotAllowed (viewers, and what the organization doesn't allow), NotFound, BadRequest, Conflict."""
    actor = require_writer(actor, lock=True)
    sharing_policy_hold(actor.organization_id)
    _audience_check(actor, new)
    readers = readers_check(actor, new.readers)
    if Share.objects.filter(owner_id=actor.membership_id, revoked_at=None).count() >= MAX_SHARES:
        raise BadRequest(
            gettext("You have %(max_shares)s shared links already. Stop one that is no longer needed.") % {"max_shares": MAX_SHARES}
        )
    share = _unsaved_share(actor, new)
    _right_check(share)
    if new.previewed is not None:
        _preview_check(actor, new, share)
    _secrets_check(share)
    _later_keys_hide(share)
    _hold_target(share)
    share.save()
    _readers_save(share, readers)
    _audit(
        actor,
        "share.create",
        share,
        audience=share.audience,
        follows=share.follows,
        readers=len(readers),
        password=bool(share.password),
        right=share.right,
        listed=share.is_listed,
        hidden=len(share.hidden),
        hides_keys=share.hides_keys,
    )
    return share


def _unsaved_share(actor: Actor, new: NewShare) -> Share:
    """Return the row of the link: what it points at, for whom, and its new token. Raises NotFound, BadRequest."""
    share = Share(owner_id=actor.membership_id, audience=new.audience, follows=new.follows, expires_at=_end(new.days))
    share.right, share.is_listed = new.right, new.is_listed
    share.hidden, share.hides_keys = new.hidden, new.hides_keys
    share.password = make_password(new.password) if new.password else ""
    match new.of:
        case "artifact":
            _point_at_artifact(share, artifact_to_share(actor, new.target_id), new.version)
        case "answer":
            share_point_at_answer(share, actor, new.target_id)
        case "conversation":
            _point_at_conversation(share, actor, new.target_id)
    token = token_new(actor.organization_id)
    share.digest, share.sealed_token = token_digest(token), token_seal(token, share)
    return share


def share_change(*, actor: Actor, share_id: UUID, change: ShareChange) -> Share:
    """Change the actor's link; a new end counts from now. Raises NotAllowed, NotFound, BadRequest."""
    share = _lock_own_share(require_writer(actor), share_id)
    if (change.right or change.readers) and share.audience != Share.Audience.NAMED:
        raise BadRequest(gettext("Only a link for people whom you name can be changed like this."))
    if "days" in change.model_fields_set:
        _hold_target(share)
        former, share.expires_at = share.expires_at, _end(change.days)
        _audit(actor, "share.extend", share, former=_text(former), until=_text(share.expires_at))
    if change.right:
        former_right = share.right
        _right_change(share, change.right)
        _audit(actor, "share.right", share, former=former_right, right=share.right)
    if change.readers:
        readers = readers_check(actor, change.readers)
        share.readers.all().delete()
        _readers_save(share, readers)
        _audit(actor, "share.readers", share, readers=len(readers))
    if change.frame_origins is not None:
        share.frame_origins = _origins(share, change.frame_origins)
        _audit(actor, "share.frame", share, origins=share.frame_origins)
    share.save(update_fields=["expires_at", "right", "hides_keys", "frame_origins"])
    return share


def share_stop(*, actor: Actor, share_id: UUID) -> Share:
    """Stop the actor's link at once and for good, delete its comments, and return it; a viewer may, too. Raises NotFound."""
    return _stop(actor, _lock_own_share(actor, share_id))


def share_stop_for_member(*, actor: Actor, share_id: UUID) -> Share:
    """Stop a member's link as an admin, as `share_stop` does. Raises NotAllowed, NotFound."""
    if not actor.can_administer:
        raise NotAllowed
    share = _lock_shares().filter(pk=share_id).first()
    if share is None:
        raise NotFound
    return _stop(actor, share)


def share_count_view(share: Share) -> None:
    Share.objects.filter(pk=share.pk).update(view_count=F("view_count") + 1, last_viewed_at=Now())


def _readers_save(share: Share, readers: list[ShareReader]) -> None:
    for reader in readers:
        reader.share = share
    ShareReader.objects.bulk_create(readers)


def _hold_target(share: Share) -> None:
    """Keep what the link shows from retention and deletion until the transaction ends. Raises NotFound when it has gone already.

    Retention takes no conversation that is locked, and asks for its links under its own lock: the link is seen, or is not made.
    """
    rows = Conversation.objects.select_for_update(of=("self",), no_key=True).filter(deleted_at=None)
    conversation_id = share.artifact.conversation_id if share.artifact else share.conversation_id
    if conversation_id is None or rows.filter(pk=conversation_id).values_list("pk").first() is None:
        raise NotFound


def _right_check(share: Share) -> None:
    """Raise BadRequest when what is shared can't be edited by others."""
    if share.right != Share.Right.EDIT:
        return
    if not share.follows:
        raise BadRequest(gettext("A copy can't be edited. Share what always shows the latest."))
    if share.artifact is not None and not kind_get(share.artifact.kind).is_editable:
        raise BadRequest(gettext("Pictures can't be edited by others."))


def _right_change(share: Share, right: ShareRight) -> None:
    """Raise BadRequest when the right is to edit, and the link hides something or would show a key."""
    if right == share.right:
        return
    share.right = right
    _right_check(share)
    if right == Share.Right.EDIT.value:
        if share.hidden:
            raise BadRequest(gettext("This link hides something, and who may edit sees all. Make another link instead."))
        share.hides_keys = False
        _secrets_check(share)
    _later_keys_hide(share)


def _later_keys_hide(share: Share) -> None:
    """Let a link that follows hide keys: nobody is asked again when one is added later. Who may edit sees all."""
    if share.follows and share.right != Share.Right.EDIT:
        share.hides_keys = True


def _preview_check(actor: Actor, new: NewShare, share: Share) -> None:
    """Raise Conflict when the link would show something else than its maker has looked at, such as a title that came since.

    A preview shows a document's latest version.
    """
    _, content = share_preview(actor=actor, of=new.of, target_id=new.target_id)
    is_older = share.artifact is not None and share.version not in {None, share.artifact.latest_number}
    if is_older or content.state != new.previewed:
        raise Conflict(gettext("What is shared has changed since you looked at it. Look at it again, then create the link."))


def _secrets_check(share: Share) -> None:
    """Raise BadRequest when the link would show what looks like a key or a password."""
    if not has_secrets(shared_content(share)):
        return
    if share.right == Share.Right.EDIT:
        raise BadRequest(
            gettext("It contains a key or a password, and who may edit sees all. Remove it first, or let them only read or comment.")
        )
    raise BadRequest(gettext("It contains a key or a password. Hide it first."))


def _origins(share: Share, origins: list[str]) -> list[str]:
    """Return the origins in one form. Raises BadRequest, also for what no frame may show."""
    if share.artifact_id is None or not share.is_for_anyone:
        raise BadRequest(gettext("Other pages can only show a document that anyone with the link may open, without a password."))
    try:
        return origins_read("\n".join(origins), at_most=MAX_ORIGINS)
    except ValueError as error:
        raise BadRequest(str(error)) from None


def _audience_check(actor: Actor, new: NewShare) -> None:
    organization = Organization.objects.get(pk=actor.organization_id)
    if sharing_policy(organization) == "off":
        raise NotAllowed(gettext("%(organization)s doesn't allow sharing by link.") % {"organization": organization.name})
    if new.is_listed and sharing_policy(organization) != "listed":
        raise NotAllowed(gettext("%(organization)s doesn't let search engines list shared pages.") % {"organization": organization.name})
    if new.audience not in allowed_audiences(organization):
        raise NotAllowed(gettext("%(organization)s allows links for its members only.") % {"organization": organization.name})


def _point_at_conversation(share: Share, actor: Actor, conversation_id: UUID) -> None:
    share.conversation = conversation_to_share(actor, conversation_id)
    head = copied_head(share.conversation)
    if head is None:
        raise BadRequest(gettext("There is nothing to share yet. Send a message first."))
    if not share.follows:
        share.copied_title = share.conversation.title
        share.head = head
        share.versions = versions_now(conversation_id, actor)


def _point_at_artifact(share: Share, artifact: Artifact, version: int | None) -> None:
    share.artifact = artifact
    if not artifact.latest_number:
        raise BadRequest(gettext("There is nothing to share yet. Wait until the first version is written."))
    if not share.follows:
        share.copied_title = artifact.title
        share.version = version_get(artifact=artifact, number=version or artifact.latest_number).number


def _lock_own_share(actor: Actor, share_id: UUID) -> Share:
    share = _lock_shares().filter(pk=share_id, owner_id=actor.membership_id).first()
    if share is None:
        raise NotFound
    return share


def _lock_shares() -> QuerySet[Share]:
    rows = Share.objects.filter(revoked_at=None).select_related("conversation", "artifact")
    return rows.select_for_update(of=("self",), no_key=True)


def _stop(actor: Actor, share: Share) -> Share:
    share.revoked_at = timezone.now()
    share.save(update_fields=["revoked_at"])
    share.comments.all().delete()  # nobody can read them any more
    _audit(actor, "share.stop", share)
    return share


def _end(days: int | None) -> datetime | None:
    return None if days is None else timezone.now() + timedelta(days=days)


def _text(moment: datetime | None) -> str:
    return moment.isoformat() if moment else "never"


def _audit(actor: Actor, action: str, share: Share, **detail: object) -> None:
    audit(
        organization_id=actor.organization_id,
        actor_user_id=actor.user_id,
        action=action,
        object_kind="share",
        object_id=share.pk,
        object_label=share.title,
        detail={"of": share.of, **detail},
    )
