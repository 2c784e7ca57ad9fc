"""Publishing only a part of the draft (docs/decisions/0076). Needs the organization's `tenant_tx`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from admin_config.errors import DraftNotRestored, Problem
from admin_config.models import Release
from admin_config.release import ReleaseSnapshot
from admin_config.services.changes.diff import FieldDiff, release_diff
from admin_config.services.changes.exclusion import Path, can_leave_out, snapshot_without, token_of, whole_rows
from admin_config.services.discarding.loading import write_exactly
from admin_config.services.drafts.draft import Candidate, Draft, DraftChoice, draft_compose, draft_load, draft_problems, whole_draft
from admin_config.services.replaced_secrets import with_current_keys
from admin_config.services.selectors import release_content
from admin_config.services.settings_lock import settings_lock
from tenants.errors import BadRequest, Conflict


@dataclass(frozen=True)
class PartialDraft:
    """What an admin chose of the draft, compared with the live release."""

    live: Release | None
    candidate: Candidate
    draft_hash: str  # of the whole draft, to notice when it changes
    changes: Sequence[FieldDiff]  # from the live release to what goes live
    left_out: Sequence[FieldDiff]  # from what goes live to the whole draft
    whole_rows: frozenset[Path]  # places of the changed rows that can only be left out as a whole
    choices: frozenset[str]  # tokens of what can be left out

    @property
    def hashes(self) -> str:
        """What an admin has reviewed: the hash of the draft and that of what goes live, which depends on the live release, too."""
        return f"{self.draft_hash}_{self.candidate.snapshot.content_hash()}"

    @property
    def live_number(self) -> int | None:
        return self.live.number if self.live else None

    @property
    def problems(self) -> Sequence[Problem]:
        return self.candidate.problems

    @property
    def differs(self) -> bool:
        """Whether there is anything to publish, or something that could be taken in again."""
        return self.live is None or bool(self.left_out) or self.live.content_hash != self.candidate.snapshot.content_hash()


def partial_draft(tokens: Collection[str]) -> PartialDraft:
    """Return the draft without the changes of these tokens (`exclusion.token_of`). Raises Conflict for one that is not there any more,
    and BadRequest when what is left can't stand alone.
    """
    draft = draft_load()
    live, whole = draft.settings.live_release, draft_compose(draft)
    before = release_content(live.pk) if live else None
    candidate = draft_without(tokens)(draft) if tokens else Candidate(whole, draft_problems(draft))
    choices, rows = _choices(with_current_keys(before) if before else None, whole)
    return PartialDraft(
        live=live,
        candidate=candidate,
        draft_hash=whole.content_hash(),
        changes=release_diff(before, candidate.snapshot),
        left_out=release_diff(candidate.snapshot, whole) if tokens else (),
        whole_rows=frozenset(rows),
        choices=frozenset(choices),
    )


def draft_without(tokens: Collection[str], expected_hash: str | None = None) -> DraftChoice:
    """Return what chooses the draft without these changes. Raises as `partial_draft`.

    `expected_hash`: the hash of what was reviewed; Conflict when something else would go live, because another release is live now.
    """
    if not tokens:
        return whole_draft

    def choose(draft: Draft) -> Candidate:
        candidate = _candidate(draft, tokens)
        if expected_hash is not None and candidate.snapshot.content_hash() != expected_hash:
            raise Conflict(_draft_changed_text())
        return candidate

    return choose


def _draft_changed_text() -> str:
    return gettext("The draft has changed since you looked. Review it first.")


def _live(draft: Draft) -> ReleaseSnapshot | None:
    release = draft.settings.live_release
    return with_current_keys(release_content(release.pk)) if release else None


def _candidate(draft: Draft, tokens: Collection[str]) -> Candidate:
    live, plain = _live(draft), draft_compose(draft)
    if live is None:
        raise BadRequest(gettext("Publish a first release as a whole."))
    snapshot = snapshot_without(plain, live, _paths(tokens, live, plain))
    with transaction.atomic():
        settings_lock(draft.settings.organization_id)  # else two that write rows in another order could block each other
        candidate = _candidate_of(with_current_keys(snapshot))
        transaction.set_rollback(True)
    return candidate


def _candidate_of(snapshot: ReleaseSnapshot) -> Candidate:
    """Write the release into the working rows, to find what is wrong with it. The caller rolls back. Raises BadRequest."""
    try:
        draft = write_exactly(snapshot, None)
    except (DraftNotRestored, IntegrityError) as error:
        raise BadRequest(gettext("These changes need each other: leave out all of them or none.")) from error
    return Candidate(draft_compose(draft), draft_problems(draft))


def _paths(tokens: Collection[str], live: ReleaseSnapshot, draft: ReleaseSnapshot) -> list[Path]:
    """Return the changes that the tokens name. Raises Conflict."""
    choices, _ = _choices(live, draft)
    if any(token not in choices for token in tokens):
        raise Conflict(_draft_changed_text())
    return list(dict.fromkeys(path for token in tokens for path in choices[token]))


def _choices(live: ReleaseSnapshot | None, draft: ReleaseSnapshot) -> tuple[Mapping[str, Sequence[Path]], Collection[Path]]:
    """Return what can be left out, by its token, and the rows that can only be left out as a whole.

    A row's token stands for all of its changes. `live` has today's keys, so that a key that was replaced is no change.
    """
    if live is None:
        return {}, ()
    changes = release_diff(live, draft)
    whole = whole_rows(changes, live, draft)
    choices: dict[str, list[Path]] = {token_of(place): [place] for place in whole}
    for change in changes:
        place = change.where[:2]
        if place not in whole and can_leave_out(change.where):
            choices.setdefault(token_of(change.where), []).append(change.where)
            if len(change.where) > 2:
                choices.setdefault(token_of(place), []).append(change.where)
    return choices, whole
