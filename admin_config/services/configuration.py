"""Services that write an organization's configuration. All need the organization's `tenant_tx`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext

from admin_config.defaults.platform import DEFAULT_PROVIDER, DEMO_PROVIDER, DEMO_WIRES, PROVIDERS
from admin_config.errors import PublishBlocked, ReleaseInvalid
from admin_config.extension_kinds import plugin_kinds
from admin_config.models import AgentPlugin, AppSettings, Canary, ModelConfig, ProviderEndpoint, Release, ScheduledRelease, ToolSource
from admin_config.publish_gate import gate_reasons
from admin_config.release import ReleaseSnapshot
from admin_config.services.agents.changed_defaults import customized_texts_note
from admin_config.services.changes.diff import release_diff
from admin_config.services.changes.draft_authors import KEPT_DRAFT, LEFT_ROWS, row_ids
from admin_config.services.drafts.draft import Candidate, DraftChoice, draft_compose, draft_load, draft_problems, whole_draft
from admin_config.services.drafts.draft_hashes import settings_hash
from admin_config.services.replaced_secrets import with_current_keys
from admin_config.services.seeding import defaults_seed
from admin_config.services.settings_lock import settings_lock
from security.audit import audit
from security.secrets.services import secret_create, secret_delete
from tenants.context import current_organization_id
from tenants.errors import Conflict

CREDENTIAL_PURPOSE = "provider endpoint"
PLUGIN_PURPOSE = "plugin"
TOOL_PURPOSE = "tool source"
MAX_AUDITED_FIELDS = 100


@transaction.atomic
def organization_seed(*, organization_id: UUID, demo_wires: bool = False) -> None:
    """Create the missing rows of every provider and agent kind, and publish them. Existing rows stay as they are.

    Nothing is published if admins publish their draft themselves and a release is live. The demo provider becomes active if the operator
    runs one, else Google. `demo_wires`: add the demo on other providers' wires, which users may choose from the beginning. Raises
    ReleaseInvalid.
    """
    active = DEMO_PROVIDER if settings.DEMO_PROVIDER_URL else DEFAULT_PROVIDER
    current, _ = AppSettings.objects.get_or_create(organization_id=organization_id, defaults={"active_provider": active})
    if demo_wires:
        _offer_demo_wires(organization_id)
    defaults_seed(demo_wires=demo_wires)
    if current.publish_on_save or current.live_release_id is None:
        release_publish_if_open(organization_id=organization_id, note="Platform defaults")


@transaction.atomic
def release_publish(
    *,
    organization_id: UUID,
    author_id: int | None = None,
    note: str = "",
    expected_hash: str | None = None,
    override: str = "",
    choose: DraftChoice = whole_draft,
    locked_settings: AppSettings | None = None,
) -> Release:
    """Turn the draft into the next release and make it live. Return the live release unchanged when nothing has changed.

    `expected_hash`, `override`, `choose`: see `publishable_draft`. When something is left out, publish on save is switched off, because the next
    save would publish it. Locks the organization's settings row, so that release numbers are assigned one at a time. `locked_settings`: the
    row, where the caller has locked it already. Raises ReleaseInvalid, PublishBlocked, and Conflict when the draft has changed since it was
    reviewed.
    """
    current = locked_settings or settings_lock(organization_id)
    # Without its content, of which nothing is read here.
    current.live_release = Release.objects.defer("content").filter(pk=current.live_release_id).first()  # type: ignore[misc]  # of None, too
    snapshot, detail, values = publishable_draft(
        current, expected_hash=expected_hash, override=override, author_id=author_id, choose=choose
    )
    if KEPT_DRAFT in detail and current.publish_on_save:
        current.publish_on_save = False
        current.save(update_fields=["publish_on_save"])
    return release_go_live(current, snapshot, author_id=author_id, note=note, detail=detail, values=values)


def release_publish_if_open(*, organization_id: UUID, author_id: int | None = None, note: str = "") -> Release | None:
    """Publish the draft, or return None and leave it as it is while checks or a canary keep it from going live. Raises ReleaseInvalid."""
    try:
        return release_publish(organization_id=organization_id, author_id=author_id, note=note)
    except PublishBlocked:
        return None


class PublishableDraft(NamedTuple):
    """A draft as it may go live."""

    snapshot: ReleaseSnapshot
    detail: dict[str, Any]  # what the audit log should say of it
    values: str  # the settings_hash of its rows; "": something of them is left out


def publishable_draft(
    current: AppSettings, *, expected_hash: str | None, override: str, author_id: int | None, choose: DraftChoice = whole_draft
) -> PublishableDraft:
    """Return the draft as it may go live now. Call it in a transaction, and publish the draft in it.

    The platform's defaults of customized texts are noted here, because each way of publishing calls this: at once, as a canary, later.

    `expected_hash`: the hash of the draft that was reviewed; None: whatever is in it. `override`: an owner's reason for publishing in spite of
    checks, which the caller has to allow. `choose`: what of the draft goes live. Raises ReleaseInvalid, PublishBlocked, Conflict, and what
    `choose` raises.
    """
    draft = draft_load()
    whole = draft_compose(draft)
    if expected_hash is not None and whole.content_hash() != expected_hash:
        raise Conflict(gettext("The draft has changed since you looked. Review it first."))
    candidate = Candidate(whole, draft_problems(draft)) if choose is whole_draft else choose(draft)
    if candidate.problems:
        raise ReleaseInvalid(candidate.problems)
    customized_texts_note((*draft.bases, *draft.agents), draft.defaults)
    snapshot, left_out = candidate.snapshot, _left_out_detail(candidate.snapshot, whole)
    values = "" if left_out else settings_hash(draft)
    live: Release | None = current.live_release
    if live is not None and live.content_hash == snapshot.content_hash():
        return PublishableDraft(snapshot, left_out, values)
    if canary_number := Canary.objects.filter(ended_at=None).values_list("release__number", flat=True).first():
        raise PublishBlocked([gettext("Release %(running)s is a canary. Promote it or take it back first.") % {"running": canary_number}])
    if schedule_number := ScheduledRelease.objects.filter(ended_at=None).values_list("release__number", flat=True).first():
        raise PublishBlocked(
            [gettext("Release %(waiting)s is to go live later. Publish it now or cancel it first.") % {"waiting": schedule_number}]
        )
    reasons = gate_reasons(snapshot)
    if reasons and not override:
        raise PublishBlocked(reasons)
    if reasons:
        _audit_override(current, author_id, override, reasons)
    return PublishableDraft(snapshot, {**left_out, **({"override": override} if reasons else {})}, values)


def _left_out_detail(snapshot: ReleaseSnapshot, whole: ReleaseSnapshot) -> dict[str, Any]:
    """Return what the audit log says of the changes that stay in the draft."""
    if snapshot is whole or snapshot.content_hash() == whole.content_hash():
        return {}
    changes = release_diff(snapshot, whole)
    fields = [change.path for change in changes[:MAX_AUDITED_FIELDS]]
    return {KEPT_DRAFT: True, "left_out": fields, LEFT_ROWS: row_ids({change.where[:2] for change in changes})}


def model_save(model: ModelConfig) -> None:
    """Save the model. A new default model replaces its provider's old default."""
    if model.is_default:
        ModelConfig.objects.filter(provider=model.provider, is_default=True).exclude(id=model.id).update(is_default=False)
    model.save()


@transaction.atomic
def credential_set(*, endpoint: ProviderEndpoint, value: str, author_id: int | None = None) -> None:
    """Give the endpoint a key bound to its address, replacing the old one."""
    address = endpoint.base_url or PROVIDERS[endpoint.provider].base_url
    secret = secret_create(
        organization_id=current_organization_id(), value=value, url=address, purpose=CREDENTIAL_PURPOSE, actor_user_id=author_id
    )
    _replace_secret(endpoint, secret.id, author_id)


@transaction.atomic
def credential_remove(*, endpoint: ProviderEndpoint, author_id: int | None = None) -> None:
    """Delete the endpoint's key, if it has one."""
    _replace_secret(endpoint, None, author_id)


def _replace_secret(row: ProviderEndpoint | ToolSource | AgentPlugin, secret_id: UUID | None, author_id: int | None) -> None:
    old_id, row.secret_id = row.secret_id, secret_id
    row.save(update_fields=["secret"])
    if old_id is not None:
        secret_delete(secret_id=old_id, actor_user_id=author_id)


@transaction.atomic
def plugin_secret_set(*, plugin: AgentPlugin, value: str, author_id: int | None = None) -> None:
    """Give the plugin a secret bound to the address in its settings, replacing the old one."""
    kind = plugin_kinds()[plugin.name]
    assert kind.secret_url is not None
    secret = secret_create(
        organization_id=current_organization_id(),
        value=value,
        url=kind.secret_url(kind.settings.model_validate(plugin.settings)),
        purpose=PLUGIN_PURPOSE,
        actor_user_id=author_id,
    )
    _replace_secret(plugin, secret.id, author_id)


@transaction.atomic
def tool_source_secret_set(*, source: ToolSource, value: str, author_id: int | None = None) -> None:
    """Give the source a secret bound to the address in its settings, replacing the old one."""
    secret = secret_create(
        organization_id=current_organization_id(),
        value=value,
        url=source.secret_address,
        purpose=TOOL_PURPOSE,
        actor_user_id=author_id,
    )
    _replace_secret(source, secret.id, author_id)


@transaction.atomic
def tool_source_secret_remove(*, source: ToolSource, author_id: int | None = None) -> None:
    """Delete the source's secret, if it has one."""
    _replace_secret(source, None, author_id)


def release_append(snapshot: ReleaseSnapshot, *, author_id: int | None, note: str) -> Release:
    """Store the snapshot as the next release. It is not live yet. The caller holds the lock of `settings_lock`."""
    number = (Release.objects.filter(is_trial=False).aggregate(last=Max("number"))["last"] or 0) + 1
    content_hash = snapshot.content_hash()
    return Release.objects.create(number=number, content=snapshot.as_json(), content_hash=content_hash, author_id=author_id, note=note)


def stored_release_go_live(current: AppSettings, release: Release, *, author_id: int | None, detail: Mapping[str, Any]) -> Release:
    """Make a stored release live for everybody, with the keys that the endpoints hold today; return the release that is live then.

    The audit event says when the draft holds work that is not in it.
    """
    snapshot = with_current_keys(ReleaseSnapshot.model_validate(release.content))
    if snapshot.content_hash() != release.content_hash:
        release = release_append(snapshot, author_id=author_id, note=_new_keys_note(release))
    draft = draft_load()
    left_out = _left_out_detail(snapshot, draft_compose(draft))
    values = "" if left_out else settings_hash(draft)
    release_live_set(current, release, author_id=author_id, detail={**detail, **left_out}, values=values)
    return release


def live_in_place_of(release: Release) -> Release:
    """Return what went live when this stored release did: another one, with a number of its own, if a key had been changed meanwhile."""
    successor = Release.objects.filter(number__gt=release.number, is_trial=False, note=_new_keys_note(release))
    return successor.defer("content").order_by("number").first() or release


def _new_keys_note(release: Release) -> str:
    return f"Release {release.number} with the keys of today"


def release_live_set(current: AppSettings, release: Release, *, author_id: int | None, detail: Mapping[str, Any], values: str = "") -> None:
    """Make a stored release live, and write the audit event. `values`: see `PublishableDraft`."""
    live: Release | None = current.live_release
    current.live_release, current.published_values = release, values
    current.save(update_fields=["live_release", "published_values"])
    audit(
        organization_id=current_organization_id(),
        actor_user_id=author_id,
        action="release.publish",
        object_kind="release",
        object_id=release.id,
        object_label=f"release {release.number}",
        detail={"number": release.number, "replaces": live.number if live else None, **detail},
    )


def release_go_live(
    current: AppSettings, snapshot: ReleaseSnapshot, *, author_id: int | None, note: str, detail: Mapping[str, Any], values: str = ""
) -> Release:
    """Store the snapshot as the next release and make it live; return the live release when it is the same. `values`: see `PublishableDraft`."""
    live: Release | None = current.live_release
    if live is not None and live.content_hash == snapshot.content_hash():
        if values and values != current.published_values:
            published_values_keep(current, values)
        return live
    release = release_append(snapshot, author_id=author_id, note=note)
    release_live_set(current, release, author_id=author_id, detail=detail, values=values)
    return release


def published_values_keep(current: AppSettings, values: str = "") -> None:
    """Keep what the live release was made from: `values`, else the draft's rows, which were written from it."""
    current.published_values = values or settings_hash(draft_load())
    current.save(update_fields=["published_values"])


def _audit_override(current: AppSettings, author_id: int | None, override: str, reasons: Sequence[str]) -> None:
    audit(
        organization_id=current.organization_id,
        actor_user_id=author_id,
        action="release.override",
        object_kind="release",
        object_id=current.live_release_id or "",
        object_label="the checks before publishing",
        detail={"reason": override, "failed": [reason[:300] for reason in reasons[:20]]},
    )


def _offer_demo_wires(organization_id: UUID) -> None:
    """Offer each demo wire once: one that an admin has removed stays removed."""
    existing_wires = set(ProviderEndpoint.objects.filter(provider__in=DEMO_WIRES).values_list("provider", flat=True))
    current = settings_lock(organization_id)
    current.offered_providers = [*current.offered_providers, *(wire for wire in DEMO_WIRES if wire not in existing_wires)]
    current.save(update_fields=["offered_providers"])
