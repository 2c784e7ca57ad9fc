"""The newest releases, for an agent's history. Needs the organization's `tenant_tx`."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from django.db.models import TextField
from django.db.models.fields.json import KeyTransform
from django.db.models.functions import MD5, Cast

from admin_config.models import AgentConfig, Release

MAX_SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class AgentRelease:
    """A release, and whether it had other values of the agent than the one before it."""

    release: Release
    changed_agent: bool


def agent_releases(agent: AgentConfig) -> list[AgentRelease]:
    """Return the newest releases, newest first. One query."""
    values = KeyTransform(agent.key, KeyTransform("bases" if agent.is_base else "agents", "content"))
    newest = (
        Release.objects.filter(is_trial=False)
        .select_related("author")
        .defer("content")
        .annotate(values_hash=MD5(Cast(values, TextField())))
        .order_by("-number")[: MAX_SHOWN + 1]
    )
    releases: list[tuple[Release, str | None]] = [(release, release.values_hash) for release in newest]
    entries = [AgentRelease(release, own != before) for (release, own), (_, before) in pairwise(releases)]
    if 0 < len(releases) <= MAX_SHOWN:
        entries.append(AgentRelease(releases[-1][0], changed_agent=False))  # the first one has none before it
    return entries
