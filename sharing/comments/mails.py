"""Mails about comments: to the link's owner, and to those who commented on it themselves, where they want them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext

from accounts.mail.languages import reader_language
from accounts.mail.message import Mail
from accounts.mail.outbox import mail_write
from sharing.models import ShareComment
from sharing.people import member_name
from sharing.rights import readers_now
from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.models import Membership

MAX_RECEIVERS: Final = 50


def mail_receivers(comment: ShareComment) -> list[Membership]:
    """Return, with their users, who may read this comment and wants a mail. Six queries at most. Needs the organization's transaction."""
    share = comment.share
    commenters = ShareComment.objects.filter(share=share).exclude(author=None).values_list("author_id", flat=True)
    recipients = ({*commenters} & {*readers_now(share)} | {share.owner_id}) - {comment.author_id}
    members = Membership.objects.filter(pk__in=recipients, organization_id=share.organization_id, is_active=True, comment_mails=True)
    return list(members.filter(user__is_active=True, user__is_service_account=False).select_related("user").order_by("pk")[:MAX_RECEIVERS])


def comment_mails_write(comment: ShareComment, receivers: Sequence[Membership], *, actor: Actor) -> None:
    """Write to each of them, at most once an hour for each link. Opens a transaction of its own."""
    share = comment.share
    with tenant_tx(share.organization_id, using="auth"):
        for member in receivers:
            key = f"comment:{share.pk}:{timezone.now():%Y-%m-%dT%H}:{member.pk}"
            with reader_language(member.user.email):
                mail_write(to=member.user.email, mail=_mail(comment, actor), key=key, organization_id=share.organization_id)


def _mail(comment: ShareComment, actor: Actor) -> Mail:
    """The comment itself stays in Parley, where a link that is stopped hides it."""
    author = member_name(comment.author) if comment.author else gettext("A member")
    params = {"author": author, "title": comment.share.title}
    return Mail(
        kind="comment",
        subject=gettext("%(author)s commented on “%(title)s”") % params,
        paragraphs=[gettext("There is a new comment on “%(title)s”, by %(author)s.") % params],
        button=(gettext("Read the comment"), f"{settings.PUBLIC_URL}/o/{actor.organization_slug}/shared/{comment.share.pk}/"),
        closing=[gettext("You hear of each link at most once an hour. You can switch these mails off in your settings, under Data.")],
    )
