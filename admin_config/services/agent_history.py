"""An agent's history on its page: its changes, the releases to load, and what waits in the draft. Needs the organization's `tenant_tx`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from admin_config.models import AgentConfig, AppSettings
from admin_config.services.changes.agent_releases import agent_releases
from admin_config.services.changes.draft_authors import DraftAuthor, agent_changes, draft_authors, draft_changes, others_since
from admin_config.services.discarding.discard import unpublished_draft


@dataclass(frozen=True)
class HistoryLine:
    """A change of the agent."""

    at: datetime
    who: str
    what: str
    is_draft: bool


@dataclass(frozen=True)
class DraftBar:
    """What waits in the draft, and who changed it."""

    live_number: int
    changes: int
    authors: list[DraftAuthor]


def agent_page_context(agent: AgentConfig) -> dict[str, Any]:
    """Return the template's context: the changes of the agent and the releases, newest first, and the draft's bar where changes are collected.

    Eight queries, and about fifteen more for the bar.
    """
    changes, unpublished_times = agent_changes(agent.pk)
    publishes, live_id = AppSettings.objects.values_list("publish_on_save", "live_release_id").first() or (False, None)
    bar = None if publishes else draft_bar()
    if bar is None:
        unpublished_times = set()  # without a draft, a save that changed nothing for users has no release
    history = [HistoryLine(change.at, change.who, change.what, change.at in unpublished_times) for change in changes]
    return {
        "publishes_on_save": publishes,
        "history": history,
        "releases": agent_releases(agent),
        "live_release_id": live_id,
        "draft_release_id": live_id if bar is None else None,
        "draft_bar": bar,
        "opened_at": (changes[0].at.isoformat() if changes else "-"),
    }


def draft_bar() -> DraftBar | None:
    """Return what waits in the draft; None when nothing does."""
    draft = unpublished_draft()
    if draft is None:
        return None
    return DraftBar(draft.release.number, len(draft.changes), draft_authors(draft_changes()))


def others_changes(agent: AgentConfig, *, opened_at: str, person_id: int) -> str:
    """Return what other people have saved of this agent since the page was opened; "" when nothing. `opened_at`: from the page's form.

    At most three queries.
    """
    newer = others_since(agent.pk, opened_at=opened_at, person_id=person_id)
    lines = dict.fromkeys(f"{change.who} {change.what}" for change in newer)
    return "; ".join(lines)
