"""What open pages are told of a link: that it, or its comments, changed. They read it again, which checks their right again.

Both functions need the organization's transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from asgiref.sync import async_to_sync
from django.db import transaction

from sharing.models import Share, ShareComment
from sharing.people import member_name
from sharing.rights import named_members
from tenants.access import Actor
from tenants.context import current_alias
from tenants.redis.notifications import notify_members


def notify_share(share: Share, former: Iterable[UUID] = ()) -> None:
    """Tell the link's owner and whom it names, once the transaction is committed. `former`: whom it named before."""
    recipients = {share.owner_id, *former, *named_members([share.pk])}
    _send(sorted(recipients), {"type": "share", "shareId": str(share.pk)})


def notify_comment(comment: ShareComment, actor: Actor) -> None:
    """The same, for a new comment. The owner, if somebody else wrote it, is told who did."""
    share = comment.share
    notify_share(share)
    if share.owner_id != actor.membership_id and comment.author is not None:
        author = member_name(comment.author)
        thread = str(comment.thread_id or comment.pk)
        news = {"type": "comment", "shareId": str(share.pk), "threadId": thread, "author": author, "title": share.title}
        _send([share.owner_id], news)


def _send(membership_ids: Sequence[UUID], notice: dict[str, Any]) -> None:
    transaction.on_commit(partial(async_to_sync(notify_members), membership_ids, notice), using=current_alias())
