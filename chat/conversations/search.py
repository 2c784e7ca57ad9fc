"""Search of a member's own conversations: titles, and the texts of messages and documents through the index (chat.search).

Ranked by how well the words fit and by age. When nothing is found, words that look like those of the query are taken instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import reduce
from operator import or_
from typing import Final
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from admin_config.defaults.platform import CHAT_AGENT, KINDS, PROVIDERS, agent_key
from admin_config.errors import RunConfigError
from admin_config.release import AgentSnapshot
from admin_config.services.selectors import live_release
from agents.assistants import visible_agents
from artifacts.models import Artifact
from chat.conversations.search_hits import TextHit, text_hits, title_hit
from chat.conversations.selectors import conversations_of
from chat.conversations.shapes import SearchAgent, SearchAgents, SearchHit, SearchPage
from chat.models import NEVER, Conversation
from chat.search.words import has_typos, query_words, stored_trigrams, text_query
from tenants.access import Actor
from tenants.postgres.prepared_statements import read_rows
from tenants.rest.pagination import PAGE_SIZE

TITLES: Final = 8  # hits in titles, on the first page
RECENT: Final = 20
MAX_HITS: Final = 300
RANKED: Final = 1000  # messages that fit, those of the newest conversations: many may be of one
MAX_DOCUMENTS: Final = 10
RANKED_DOCUMENTS: Final = 100  # documents that fit, those of the newest conversations
LEAST_SIMILAR: Final = 0.3  # of trigrams in common, as in pg_trgm
SIMILAR_WORDS: Final = 3
FOREVER: Final = datetime(9999, 1, 1, tzinfo=UTC)

# The best message of each conversation, and the best documents. The newer counts more: what is a year old counts half.
_HITS = """
(SELECT conversation_id, message_id, NULL::uuid AS artifact_id, score FROM (
    SELECT DISTINCT ON (conversation_id) conversation_id, message_id, at,
        rank / (1 + extract(epoch FROM STATEMENT_TIMESTAMP() - at) / 31557600) AS score
    FROM chat_search_texts(
        %(member)s, %(wanted)s::text::tsquery, %(first)s, %(last)s, %(ranked)s, %(agents)s::varchar[], %(project)s, %(document)s, %(archived)s
    )
    ORDER BY conversation_id, score DESC
) AS best
ORDER BY score DESC, conversation_id LIMIT %(most)s)
UNION ALL
(SELECT conversation_id, NULL, artifact_id, rank / (1 + extract(epoch FROM STATEMENT_TIMESTAMP() - at) / 31557600) AS score
FROM chat_search_documents(
    %(member)s, %(wanted)s::text::tsquery, %(first)s, %(last)s, %(ranked_documents)s, %(agents)s::varchar[], %(project)s, %(archived)s
)
ORDER BY score DESC, artifact_id LIMIT %(most_documents)s)
ORDER BY score DESC, conversation_id
"""
_SIMILAR = "SELECT word FROM chat_search_words(%s, %s::text[], %s::real, %s)"


@dataclass(frozen=True, slots=True)
class SearchFilters:
    """`first` and `last`: days in UTC, both inside.

    `agent`: the key of one that has worked in the conversation, or its name at any provider; known as soon as the texts can be searched.
    """

    first: date | None = None
    last: date | None = None
    agent: str = ""
    has_artifact: bool = False
    project_id: UUID | None = None
    with_archived: bool = True

    @property
    def agent_keys(self) -> list[str] | None:
        """The keys that `agent` may mean; None: any agent."""
        return [self.agent, *(agent_key(self.agent, provider) for provider in PROVIDERS)] if self.agent else None

    @property
    def period(self) -> tuple[datetime, datetime]:
        first = datetime.combine(self.first, time(), UTC) if self.first else NEVER
        return first, datetime.combine(self.last, time(), UTC) + timedelta(days=1) if self.last and self.last < date.max else FOREVER


def conversation_search(*, actor: Actor, query: str, filters: SearchFilters, offset: int = 0, limit: int = PAGE_SIZE) -> SearchPage:
    """Return a page of hits: first those in titles, then the best message of each conversation and the best documents, together.

    Without words, the newest conversations.
    """
    words = query_words(query)
    allowed = _filter_conversations(actor, filters)
    if not words:
        return SearchPage(items=_recent(allowed, filters), next_cursor=None, similar=[])
    hits = _find(actor, allowed, words, filters, similar={})
    similar: dict[str, list[str]] = {}
    if not any(hits) and (similar := _similar(actor, words)):
        hits = _find(actor, allowed, words, filters, similar)
    titles, texts = hits
    terms = [*words, *(word for others in similar.values() for word in others)]
    page = texts[offset : offset + limit]
    items = [*([] if offset else [title_hit(row, terms) for row in titles]), *text_hits(actor, allowed, page, terms)]
    more = offset + limit if len(texts) > offset + limit else None
    return SearchPage(items=items, next_cursor=None if more is None else str(more), similar=sorted({*terms} - {*words}))


def _filter_conversations(actor: Actor, filters: SearchFilters) -> QuerySet[Conversation]:
    rows = conversations_of(actor).filter(listed=True)
    if not filters.with_archived:
        rows = rows.filter(archived_at=None)
    if filters.project_id is not None:
        rows = rows.filter(project_id=filters.project_id)
    if filters.has_artifact:
        rows = rows.filter(Exists(Artifact.objects.filter(conversation_id=OuterRef("pk"), deleted_at=None)))
    return rows if filters.agent_keys is None else rows.filter(agent_keys__overlap=filters.agent_keys)


def _in_period(rows: QuerySet[Conversation], filters: SearchFilters) -> QuerySet[Conversation]:
    first, last = filters.period
    return rows.filter(updated_at__gte=first, updated_at__lt=last).order_by("-updated_at", "-id")


def _recent(allowed: QuerySet[Conversation], filters: SearchFilters) -> list[SearchHit]:
    return [title_hit(row, []) for row in _in_period(allowed, filters)[:RECENT]]


def _find(
    actor: Actor, allowed: QuerySet[Conversation], words: Mapping[str, str], filters: SearchFilters, similar: dict[str, list[str]]
) -> tuple[list[Conversation], list[TextHit]]:
    """Return the conversations whose title has all words, and the messages and documents that have; the best first."""
    title_hits = _in_period(allowed, filters)
    for word, spelling in words.items():
        either = [Q(title__icontains=each) for each in {word, spelling, *similar.get(word, ())}]
        title_hits = title_hits.filter(reduce(or_, either))
    first, last = filters.period
    params = {
        "member": actor.membership_id,
        "wanted": text_query([*words], actor.membership_id, similar),
        "first": first,
        "last": last,
        "most": MAX_HITS,
        "ranked": RANKED,
        "most_documents": MAX_DOCUMENTS,
        "ranked_documents": RANKED_DOCUMENTS,
        "agents": filters.agent_keys,
        "project": filters.project_id,
        "document": filters.has_artifact,
        "archived": filters.with_archived,
    }
    hits = [TextHit(*ids) for *ids, _ in read_rows(_HITS, params)]
    ids = set(allowed.filter(pk__in=[hit.conversation_id for hit in hits]).values_list("pk", flat=True))
    return list(title_hits[:TITLES]), [hit for hit in hits if hit.conversation_id in ids]


def _similar(actor: Actor, words: Iterable[str]) -> dict[str, list[str]]:
    """Return words of the member's messages and documents that look like those of the query. A word that they have stays as it is."""
    similar = {}
    for word in filter(has_typos, words):
        params = [actor.membership_id, stored_trigrams(word, actor.membership_id), LEAST_SIMILAR, SIMILAR_WORDS]
        others = [other for (other,) in read_rows(_SIMILAR, params)]
        if others and not any(other.startswith(word) for other in others):
            similar[word] = others
    return similar


# What they do, in the words of the chat.
_AGENT_LABELS: Final = {
    "provider_tools_agent": "Web search",
    "git_mcp_agent": "GitHub",
    "document_agent": "Documents",
    "python_agent": "Python",
    "mermaid_agent": "Diagrams",
}


def search_agents(actor: Actor) -> SearchAgents:
    """Return the agents by which the member may filter: those of the live configuration that are called or chosen."""
    try:
        snapshot = live_release(organization_id=actor.organization_id, membership_id=actor.membership_id).snapshot
    except RunConfigError:
        return SearchAgents(items=[])
    agents = [agent for agent in visible_agents(snapshot, actor) if agent.is_enabled and agent.kind != CHAT_AGENT]
    labels = {(agent.tool_name if agent.kind in KINDS else agent.key): _label(agent) for agent in agents}
    return SearchAgents(items=[SearchAgent(name=name, label=label) for name, label in sorted(labels.items(), key=lambda each: each[1])])


def _label(agent: AgentSnapshot) -> str:
    if agent.assistant is not None:
        return agent.assistant.title
    return _AGENT_LABELS.get(agent.tool_name) or agent.name or KINDS[agent.kind].label
