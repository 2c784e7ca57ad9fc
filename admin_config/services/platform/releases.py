"""The draft of the platform's defaults and its releases. Reads and writes as the auth role, which is the operator's."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any, Final

import orjson
from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from admin_config.defaults.kinds import KindDefaults
from admin_config.defaults.platform import KINDS
from admin_config.models import AgentConfig, PlatformDraft, PlatformRelease
from admin_config.models.platform import (
    FIELDS,
    OPERATION_FIELDS,
    SECTION_FIELDS,
    SHARED_OPTIONS,
    Content,
    defaults_of,
)
from admin_config.services.changes.change_groups import ChangeGroup, WordedChange, field_label, part_label
from admin_config.services.changes.diff import FieldDiff, text_diff
from admin_config.services.platform.rollout import rollout_start
from security.audit import platform_audit
from tenants.errors import BadRequest, Conflict

OPERATOR: Final = "auth"  # the role of the operator's site, which alone may write here


def draft_content() -> dict[str, dict[str, Any]]:
    """Return what the draft sets, by kind. One query."""
    return {row.kind: row.values for row in PlatformDraft.objects.using(OPERATOR) if row.values}


def live_content() -> Content:
    """Return what the newest release sets, by kind. One query."""
    return newest()[1]


def newest() -> tuple[int, Content]:
    """Return the number of the newest release, 0 before the first, and what it sets. One query."""
    return PlatformRelease.objects.using(OPERATOR).values_list("number", "content").first() or (0, {})


def review_hash(live: Content, draft: Content) -> str:
    """Return a hash of what a review compares, to notice when either changes."""
    return hashlib.sha256(orjson.dumps([live, draft], option=orjson.OPT_SORT_KEYS)).hexdigest()


def platform_publish(*, operator_id: int, note: str, expected_hash: str) -> PlatformRelease:
    """Make the draft the next release; organizations follow in a moment.

    `expected_hash`: the `review_hash` of what was reviewed. Raises BadRequest when it changes nothing or has no note, and Conflict when somebody
    else has changed the draft or published meanwhile.
    """
    content, (number, live) = draft_content(), newest()
    if review_hash(live, content) != expected_hash:
        raise Conflict(gettext("The draft has changed since you looked. Review it first."))
    if not note.strip():
        raise BadRequest(gettext("Say in a note what changes."))
    if content == live:
        raise BadRequest(gettext("There is nothing to publish: the draft is live already."))
    return _append(content, number + 1, operator_id=operator_id, note=note.strip(), detail={})


def platform_restore(*, number: int, operator_id: int) -> PlatformRelease:
    """Publish the content of an earlier release again, under a new number. A draft without unpublished work follows it.

    Raises PlatformRelease.DoesNotExist, and BadRequest when that content is live already.
    """
    old, (last, live) = PlatformRelease.objects.using(OPERATOR).get(number=number), newest()
    if old.content == live:
        raise BadRequest(gettext("There is nothing to change: these defaults are live already."))
    note = gettext("Restores platform release %(number)s") % {"number": number}
    with transaction.atomic(using=OPERATOR):
        if draft_content() == live:
            _draft_write(old.content)
        return _append(old.content, last + 1, operator_id=operator_id, note=note, detail={"restores": number})


def content_changes(before: Content, after: Content) -> list[ChangeGroup]:
    """Return what differs between two contents, by kind, in the order of the pages."""
    old, new = defaults_of(0, before), defaults_of(0, after)
    groups = ((kind, _changes(kind, old.of(kind), new.of(kind))) for kind in KINDS)
    return [ChangeGroup(("agents", kind), gettext(KINDS[kind].label), changes) for kind, changes in groups if changes]


def _changes(kind: str, before: KindDefaults, after: KindDefaults) -> tuple[WordedChange, ...]:
    old, new = dict(_values(before)), dict(_values(after))
    diffs = [FieldDiff((kind, *place), text_diff(old[place], text)) for place, text in new.items() if old[place] != text]
    return tuple(WordedChange(_label(*diff.where[1:]), diff.lines, diff.where) for diff in diffs)


def _values(defaults: KindDefaults) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield each field's place and its value in words."""
    yield from (((name,), _value_text(getattr(defaults, name))) for name in FIELDS)
    yield from (((name,), _value_text(getattr(defaults.options, name))) for name in SHARED_OPTIONS)
    for section in defaults.sections:
        yield from ((("sections", section.name, field), _value_text(getattr(section, field))) for field in SECTION_FIELDS)
    for operation in defaults.operations:
        yield from ((("operations", operation.name, field), _value_text(getattr(operation, field))) for field in OPERATION_FIELDS)


def _value_text(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: gettext("None"), True: gettext("On"), False: gettext("Off")}[value]
    return "\n".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _label(*place: str) -> str:
    return part_label(*place) if len(place) == 3 else field_label(AgentConfig, *place)


def _draft_write(content: Content) -> None:
    PlatformDraft.objects.using(OPERATOR).exclude(kind__in=content).delete()
    for kind, values in content.items():
        PlatformDraft.objects.using(OPERATOR).update_or_create(kind=kind, defaults={"values": values})


def _append(content: Content, number: int, *, operator_id: int, note: str, detail: dict[str, Any]) -> PlatformRelease:
    """Store the next release with its audit event. Of two at once, the second is refused by the number."""
    try:
        with transaction.atomic(using=OPERATOR):
            release = PlatformRelease.objects.using(OPERATOR).create(number=number, content=content, author_id=operator_id, note=note)
            platform_audit(
                actor_user_id=operator_id,
                action="platformrelease.operator.publish",
                object_kind="platformrelease",
                object_id=release.number,
                object_label=str(release.number),
                detail={"number": release.number, "note": note, **detail},
            )
            transaction.on_commit(rollout_start, using=OPERATOR)
    except IntegrityError as error:
        raise Conflict(gettext("Somebody else has published just now. Review the draft again.")) from error
    return release
