"""The title that a model gives a visitor's conversation in the background, for the visitor's socket.

A visitor has no socket for notices, and the chat's is on no channel layer. This listens beside it, so that a Redis that is down costs a
title and not the chat.
"""

from __future__ import annotations

import structlog

from chat.conversations.selectors import conversation_get_for_user
from chat.models import Conversation
from tenants.access import Actor
from tenants.db import in_db
from tenants.errors import NotFound
from tenants.redis.clients import REDIS_ERRORS
from tenants.redis.notifications import member_notices

log = structlog.get_logger(__name__)


async def generated_title(actor: Actor, key: str) -> str:
    """Return the title once a model has written it, which may be never; blank when the conversation or Redis is gone."""
    try:
        async with member_notices(actor.membership_id) as next_notice:
            while not (title := await in_db(_read_title, actor, key, organization_id=actor.organization_id)):
                await next_notice()  # of whatever changed in the visitor's conversations
            return title
    except NotFound:
        return ""
    except REDIS_ERRORS as error:
        log.warning("title_not_told", reason=type(error).__name__)
        return ""


def _read_title(actor: Actor, key: str) -> str:
    """Return the title that a model wrote; blank when none has. Raises NotFound."""
    conversation = conversation_get_for_user(actor=actor, key=key)
    return conversation.title if conversation.title_source == Conversation.TitleSource.GENERATED else ""
