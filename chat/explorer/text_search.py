"""Search in the texts of conversations that admins may read: by the policy of the organization, and the member's consent where it asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from chat.conversations.admin_reading import ALWAYS, NEVER, reading_policy
from chat.models import Conversation, Run
from chat.search.words import query_words, text_query
from tenants.context import current_organization_id
from tenants.models import Organization
from tenants.postgres.prepared_statements import read_rows

MAX_OWNERS: Final = 500  # members whose texts are searched: those who wrote last
MAX_HITS: Final = 1000  # messages, the newest
# The function reads one member's words at a time (chat.search.search_sql), and limits its hits.
_HITS: Final = """
SELECT found.message_id, found.conversation_id
FROM unnest(%(owners)s::uuid[], %(wanted)s::text[]) AS asked (owner, wanted),
    LATERAL chat_search_texts(asked.owner, asked.wanted::tsquery, %(first)s, 'infinity', %(most)s) AS found
ORDER BY found.at DESC LIMIT %(most)s
"""


def runs_with_text(text: str, *, since: datetime | None, owners: Sequence[UUID] | None = None) -> Q:
    """Return the condition for runs whose question or answer has all words of the text, each as a beginning, as far as admins may read them.

    `owners`: of these members alone. Four queries. The index of texts follows an answer some seconds later.
    """
    words, readable = [*query_words(text)], _readable(since, owners)
    if not words or readable is None:
        return Q(pk=None)
    by_owner = list(dict.fromkeys(readable.values_list("owner_id", flat=True)))[:MAX_OWNERS]
    params = {
        "owners": by_owner,
        "wanted": [text_query(words, owner, {}) for owner in by_owner],
        "first": since or datetime(1970, 1, 1, tzinfo=UTC),
        "most": MAX_HITS,
    }
    hits = read_rows(_HITS, params)
    allowed = set(readable.filter(pk__in={conversation for _, conversation in hits}).values_list("pk", flat=True))
    messages = [message for message, conversation in hits if conversation in allowed]
    runs = Run.objects.filter(Q(answer_id__in=messages) | Q(question_id__in=messages), conversation_id__in=allowed)
    return Q(pk__in=list(runs.values_list("pk", flat=True)[: 2 * MAX_HITS]))


def _readable(since: datetime | None, owners: Sequence[UUID] | None) -> QuerySet[Conversation] | None:
    """Return the members' conversations that admins may read now, whoever wrote last first; None when they may read none."""
    policy = reading_policy(Organization.objects.get(pk=current_organization_id()))
    if policy == NEVER:
        return None
    conversations = Conversation.objects.filter(deleted_at=None, is_trial=False).order_by("-updated_at")
    if policy != ALWAYS:
        conversations = conversations.filter(admins_may_read_until__gt=Now())
    if since is not None:
        conversations = conversations.filter(updated_at__gte=since)
    return conversations if owners is None else conversations.filter(owner_id__in=owners)
