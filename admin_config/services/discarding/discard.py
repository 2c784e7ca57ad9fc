"""What waits in the draft, and how it is thrown away. All functions need the organization's `tenant_tx`."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext

from admin_config.errors import DraftNotRestored, NothingPublished
from admin_config.models import AgentPlugin, AppSettings, ProviderEndpoint, Release, ToolSource
from admin_config.release import ReleaseSnapshot
from admin_config.services.changes.diff import FieldDiff, named_changes, release_diff
from admin_config.services.configuration import MAX_AUDITED_FIELDS, published_values_keep
from admin_config.services.discarding.agents import agents_write
from admin_config.services.discarding.rows import endpoints_write, models_write, settings_write, sources_write
from admin_config.services.drafts.draft import Draft, draft_compose, draft_load
from admin_config.services.drafts.draft_hashes import rows_hash
from admin_config.services.replaced_secrets import with_current_keys
from admin_config.services.selectors import release_content
from admin_config.services.settings_lock import settings_lock
from security.audit import audit
from tenants.errors import Conflict


@dataclass(frozen=True)
class UnpublishedDraft:
    """A draft that differs from the live release. Keys don't count: a replaced key is gone for the live release, too."""

    release: Release
    live: ReleaseSnapshot  # with today's keys
    draft: ReleaseSnapshot
    rows: Draft

    @property
    def draft_hash(self) -> str:
        """A hash of what publishing would make live, to notice when it changes."""
        return self.draft.content_hash()

    @property
    def rows_hash(self) -> str:
        """A hash of what discarding may overwrite, to notice when anything of it is saved."""
        return rows_hash(self.rows)

    @property
    def changes(self) -> list[FieldDiff]:
        """What publishing would change."""
        return release_diff(self.live, self.draft)

    @property
    def discarded_changes(self) -> list[FieldDiff]:
        """What discarding would change."""
        return release_diff(self.draft, self.live)


@dataclass(frozen=True)
class DiscardedDraft:
    """The result of a discard."""

    release: Release  # whose content the draft has now
    keys_needed: tuple[str, ...]  # names of what has lost its key and needs it again


def unpublished_draft(draft: Draft | None = None) -> UnpublishedDraft | None:
    """Return the current organization's draft if it differs from the live release; None before anything was published.

    `draft`: where the caller has loaded it already.
    """
    draft = draft or draft_load()
    release: Release | None = draft.settings.live_release
    if release is None:
        return None
    unpublished = UnpublishedDraft(release, with_current_keys(release_content(release.pk)), draft_compose(draft), draft)
    return None if unpublished.draft_hash == unpublished.live.content_hash() else unpublished


@transaction.atomic
def draft_discard(*, organization_id: UUID, expected_hash: str, author_id: int | None = None) -> DiscardedDraft:
    """Write the live release back into the working rows, completely or not at all, and write an audit event.

    `expected_hash`: the `rows_hash` that the admin reviewed. Keys stay where the address stays. Locks the organization's settings row. Raises
    NothingPublished, Conflict when the draft has changed since or does not differ, and DraftNotRestored.
    """
    current = settings_lock(organization_id)
    if current.live_release is None:
        raise NothingPublished
    draft = unpublished_draft()
    if draft is None or draft.rows_hash != expected_hash:
        raise Conflict(gettext("The draft has changed since you looked. Look at it again."))
    draft_write(draft.live, author_id)
    remaining_draft = unpublished_draft()
    if remaining_draft is not None:
        raise DraftNotRestored(
            gettext("The draft is unchanged, because this can't be restored: %(named_changes)s.")
            % {"named_changes": named_changes(remaining_draft.changes, few=20)}
        )
    published_values_keep(current)
    _audit(current, draft, author_id)
    return DiscardedDraft(draft.release, _rows_without_key(release_content(draft.release.pk)))


def draft_write(snapshot: ReleaseSnapshot, author_id: int | None) -> None:
    """Write all working rows: models and sources before the agents that refer to them."""
    settings_write(snapshot)
    endpoints_write(snapshot.endpoints, author_id)
    models_write(snapshot.models)
    sources_write(snapshot.tool_sources, author_id)
    agents_write(snapshot.agents, snapshot.bases, author_id)


def _rows_without_key(live: ReleaseSnapshot) -> tuple[str, ...]:
    """Return the endpoints, sources and plugins that had a key when they were published and have none now."""
    secrets = {row.id: row.secret_id for row in live.endpoints}
    secrets |= {row.id: row.secret_id for row in live.tool_sources}
    secrets |= {row.id: row.secret_id for agent in live.agents.values() for row in agent.plugins if row.id is not None}
    with_key = [row_id for row_id, secret_id in secrets.items() if secret_id is not None]
    rows: list[ProviderEndpoint | ToolSource | AgentPlugin] = [
        row for model in (ProviderEndpoint, ToolSource, AgentPlugin) for row in model.objects.filter(id__in=with_key, secret=None)
    ]
    return tuple(str(row) for row in rows)


def _audit(current: AppSettings, draft: UnpublishedDraft, author_id: int | None) -> None:
    audit(
        organization_id=current.organization_id,
        actor_user_id=author_id,
        action="draft.discard",
        object_kind="release",
        object_id=draft.release.id,
        detail={
            "number": draft.release.number,
            "fields": [change.path for change in draft.discarded_changes[:MAX_AUDITED_FIELDS]],
        },
    )
