"""An older release in the draft: loaded on purpose, or because a clean draft follows a rollback. Needs the organization's `tenant_tx`."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext

from admin_config.errors import DraftNotRestored
from admin_config.models import AppSettings, Release
from admin_config.release import ReleaseSnapshot
from admin_config.services.changes.diff import named_changes, release_diff
from admin_config.services.changes.draft_authors import DraftAuthor, draft_authors, draft_changes
from admin_config.services.configuration import published_values_keep
from admin_config.services.discarding.discard import draft_write, unpublished_draft
from admin_config.services.drafts.draft import Draft, draft_compose, draft_load
from admin_config.services.drafts.draft_hashes import rows_hash, settings_hash
from admin_config.services.replaced_secrets import with_current_keys
from admin_config.services.restoring import release_restore
from admin_config.services.settings_lock import settings_lock
from security.audit import audit
from tenants.errors import Conflict


@transaction.atomic
def release_load_into_draft(*, organization_id: UUID, release_id: UUID, expected_hash: str, author_id: int | None = None) -> Release:
    """Give the draft the content of a release, completely or not at all, and write an audit event. Nothing goes live.

    `expected_hash`: the `rows_hash` of the draft that the admin saw, which is overwritten. If the draft then differs from the live release, publish on save
    is switched off, because the next save would publish all of it. Locks the organization's settings row. Raises Release.DoesNotExist,
    Conflict when the draft has changed since or holds somebody else's work, and DraftNotRestored.
    """
    settings_lock(organization_id)
    release = Release.objects.get(id=release_id, is_trial=False)
    if others := others_in_draft(author_id):
        raise Conflict(unpublished_by(others))
    if rows_hash(draft_load()) != expected_hash:
        raise Conflict(gettext("The draft has changed since you looked. Look at it again."))
    write_exactly(with_current_keys(ReleaseSnapshot.model_validate(release.content)), author_id)
    if unpublished_draft() is not None:
        AppSettings.objects.filter(organization_id=organization_id).update(publish_on_save=False)
    audit(
        organization_id=organization_id,
        actor_user_id=author_id,
        action="draft.load",
        object_kind="release",
        object_id=release.id,
        object_label=f"release {release.number}",
        detail={"number": release.number},
    )
    return release


def others_in_draft(person_id: int | None) -> list[DraftAuthor]:
    """Return the other people whose changes wait in the draft, those of the last one first. What files and commands changed is nobody's."""
    if unpublished_draft() is None:
        return []
    return [author for author in draft_authors(draft_changes()) if author.person_id not in (None, person_id)]


def unpublished_by(others: Sequence[DraftAuthor]) -> str:
    """Return why no release is loaded into the draft while these people's changes wait there."""
    names = ", ".join(author.who for author in others)
    return gettext("The draft holds unpublished changes of %(names)s. Publish or discard them first.") % {"names": names}


@transaction.atomic
def release_roll_back(*, organization_id: UUID, release_id: UUID, expected_live_id: str = "", author_id: int | None = None) -> Release:
    """Make an older release's content live again, as a new release. A draft without unpublished work follows it and stays clean.

    A draft with such work is kept as it is. `expected_live_id`: the id of the release that was live when the admin looked; "": nobody looked.
    Raises Release.DoesNotExist, and Conflict when another one went live since.
    """
    before = settings_lock(organization_id)
    if expected_live_id and before.live_release is not None and str(before.live_release_id) != expected_live_id:
        raise Conflict(_went_live_since(before.live_release))
    was_clean = unpublished_draft() is None and not _holds_hidden_work(before)
    release = release_restore(organization_id=organization_id, release_id=release_id, author_id=author_id, kept_draft=not was_clean)
    if was_clean and unpublished_draft() is not None and _draft_follows(release, author_id):
        AppSettings.objects.filter(organization_id=organization_id).update(publish_on_save=before.publish_on_save)
        published_values_keep(before)
    return release


def _went_live_since(live: Release) -> str:
    parameters = {"release": live, "who": live.author or "Parley"}
    return gettext("%(release)s of %(who)s went live since you looked. Look at it first.") % parameters


def _holds_hidden_work(current: AppSettings) -> bool:
    """Return whether rows that are switched off, and so in no release, were changed since the live release was made from the draft."""
    return bool(current.published_values) and settings_hash(draft_load()) != current.published_values


def _draft_follows(release: Release, author_id: int | None) -> bool:
    """Write the release into the draft; return whether that could be done. What can't be written back stays a difference, which is shown."""
    try:
        with transaction.atomic():
            write_exactly(with_current_keys(ReleaseSnapshot.model_validate(release.content)), author_id)
    except DraftNotRestored:
        return False
    return True


def write_exactly(snapshot: ReleaseSnapshot, author_id: int | None) -> Draft:
    """Write the snapshot into the working rows; return the draft that they are now.

    Raises DraftNotRestored with the fields that can't be restored.
    """
    draft_write(snapshot, author_id)
    draft = draft_load()
    differences = release_diff(with_current_keys(snapshot), draft_compose(draft))
    if differences:
        raise DraftNotRestored(
            gettext("The draft is unchanged, because this can't be restored: %(named_changes)s.")
            % {"named_changes": named_changes(differences, few=20)}
        )
    return draft
