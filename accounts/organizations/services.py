"""Services of organizations: create them, change name, address and logo, and delete them."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext, gettext_noop as _

from accounts.mail.languages import day, reader_language
from accounts.mail.message import Mail
from accounts.mail.outbox import mail_write
from accounts.members.owners import owners_of
from accounts.models import OrganizationLogo
from admin_config.services.configuration import organization_seed
from security.audit import audit
from security.deletion import organization_delete
from tenants.access import Actor, actor_refresh
from tenants.context import identity_tx, tenant_tx
from tenants.errors import BadRequest, Conflict, NotAllowed
from tenants.input.pictures import Picture
from tenants.models import FormerSlug, Membership, Organization, User
from tenants.rounds import rows_round

SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?\Z")
COLOR = re.compile(r"#[0-9a-f]{6}\Z")
DELETION_DAYS = 14
MAX_OWNED = 20  # organizations that one user may make


def organization_create(*, name: str, owner: User | None, slug: str = "", by_user_id: int | None = None) -> Organization:
    """Make an organization that can chat at once, with its owner if there is one. Raises BadRequest, ReleaseInvalid.

    A blank slug is made from the name.
    """
    clean = _clean_name(name)
    with transaction.atomic(using="auth"):
        organization = Organization.objects.using("auth").create(name=clean, slug=slug_check(slug) if slug else _free_slug(clean))
        with identity_tx(organization.pk, acting_user_id=None):
            if owner is not None:
                Membership.objects.create(organization=organization, user=owner, role=Membership.Role.OWNER)
            _audit(organization.pk, by_user_id or (owner.pk if owner else None), "organization.create", {"slug": organization.slug})
    with tenant_tx(organization.pk, using="default"):  # its agents are rows of another role, which sees it from here on
        organization_seed(organization_id=organization.pk)
    return organization


def organization_create_own(*, user: User, name: str) -> Organization:
    """Make an organization of the user's own, where the operator allows it. Raises NotAllowed, BadRequest."""
    if not settings.USERS_MAKE_ORGANIZATIONS:
        raise NotAllowed(gettext("Only the operator of this installation makes organizations."))
    if Membership.objects.using("auth").filter(user=user, role=Membership.Role.OWNER, is_active=True).count() >= MAX_OWNED:
        raise BadRequest(gettext("You own %(max_owned)s organizations. More are made by the operator.") % {"max_owned": MAX_OWNED})
    return organization_create(name=name, owner=user)


def organization_change(*, actor: Actor, name: str, slug: str, accent_color: str) -> Organization:
    """Change name, address and accent. The old address leads to the new one. Raises NotAllowed, BadRequest, Conflict."""
    with identity_tx(actor.organization_id, acting_user_id=actor.user_id):
        return _change(_lock_organization(actor), actor, name=name, slug=slug, accent_color=accent_color)


def _change(row: Organization, actor: Actor, *, name: str, slug: str, accent_color: str) -> Organization:
    clean, color = _clean_name(name), accent_color.strip().lower()
    if color and not COLOR.match(color):
        raise BadRequest(gettext("Write the color as # and six digits, such as #3b5bd9."))
    before = {"name": row.name, "slug": row.slug, "accent_color": row.accent_color}
    if slug != row.slug:
        _move(row, slug_check(slug, own_id=row.pk))
    row.name, row.accent_color = clean, color
    try:
        with transaction.atomic(using="auth"):
            row.save(update_fields=["name", "slug", "accent_color"])
    except IntegrityError:
        raise Conflict(gettext("This address is taken.")) from None
    after = {"name": row.name, "slug": row.slug, "accent_color": row.accent_color}
    if changed := [key for key in after if after[key] != before[key]]:
        detail = {"before": {key: before[key] for key in changed}, "after": {key: after[key] for key in changed}}
        _audit(row.pk, actor.user_id, "organization.change", detail)
    return row


def organization_logo_set(*, actor: Actor, picture: Picture | None) -> None:
    """Set or remove the logo. Raises NotAllowed."""
    with identity_tx(actor.organization_id, acting_user_id=actor.user_id):
        row = _lock_organization(actor)
        with tenant_tx(row.pk, using="default"):
            OrganizationLogo.objects.filter(organization_id=row.pk).delete()
            if picture is not None:
                OrganizationLogo.objects.create(content=picture.content)
        row.logo_version = picture.version if picture else ""
        row.save(update_fields=["logo_version"])
        _audit(row.pk, actor.user_id, "organization.logo", {"set": picture is not None})


def organization_deletion_request(*, actor: Actor, typed_name: str) -> datetime:
    """Have the organization deleted after DELETION_DAYS, tell all owners, and return when. Raises NotAllowed, BadRequest, Conflict.

    `typed_name`: the organization's name, which an owner typed to say that they mean it.
    """
    with identity_tx(actor.organization_id, acting_user_id=actor.user_id):
        return _deletion_request(_deletable(actor), actor, typed_name)


def _deletion_request(row: Organization, actor: Actor, typed_name: str) -> datetime:
    check_typed_name(row, typed_name)
    row.deletion_due_at = timezone.now() + timedelta(days=DELETION_DAYS)
    row.save(update_fields=["deletion_due_at"])
    _audit(row.pk, actor.user_id, "organization.deletion_request", {"due": row.deletion_due_at.isoformat()})
    deletion_tell(row)
    return row.deletion_due_at


def check_typed_name(row: Organization, typed_name: str) -> None:
    """Raise BadRequest unless the organization's name was typed, which says that its deletion is meant."""
    if " ".join(typed_name.split()).casefold() != row.name.casefold():
        raise BadRequest(gettext("Type the name of the organization, %(name)s, to delete it.") % {"name": row.name})


def deletion_tell(row: Organization) -> None:
    """Write to all owners when the organization will be deleted. In a transaction of the organization."""
    for owner in owners_of(row.pk):
        with reader_language(owner.email):
            mail_write(to=owner.email, mail=_deletion_mail(row), organization_id=row.pk)


def _deletion_mail(row: Organization) -> Mail:
    assert row.deletion_due_at is not None
    params = {"name": row.name, "day": day(row.deletion_due_at)}
    if row.deletion_by_operator:
        until = gettext("The operator of the installation asked for it. Export what you need until then, and write to them to keep it.")
    else:
        until = gettext("Until then everything works: export what you need, or keep the organization on its page.")
    return Mail(
        kind="organization_deletion",
        subject=gettext("%(name)s will be deleted") % params,
        paragraphs=[
            gettext("%(name)s on Parley will be deleted on %(day)s, with all conversations, documents and files.") % params,
            until,
        ],
        button=(gettext("Open its page"), f"{settings.PUBLIC_URL}/o/{row.slug}/admin/tenants/organization/"),
    )


def organization_deletion_cancel(*, actor: Actor) -> None:
    """Keep the organization. Raises NotAllowed, also when the platform's operator asked for the deletion, and Conflict from its day on."""
    with identity_tx(actor.organization_id, acting_user_id=actor.user_id):
        row = _deletable(actor)
        if row.deletion_due_at is not None:
            row.deletion_due_at = None
            row.save(update_fields=["deletion_due_at"])
            _audit(row.pk, actor.user_id, "organization.deletion_cancel", {})


def _deletable(actor: Actor) -> Organization:
    """Return an owner's organization, locked, if its owners decide about its deletion. Raises NotAllowed, Conflict."""
    row = _lock_organization(actor, owner=True)
    if row.deletion_by_operator:  # another request would postpone the day that the operator has set
        raise NotAllowed(gettext("The operator of this installation has it deleted, and can keep it. Write to them."))
    check_deletion_not_begun(row)
    return row


def check_deletion_not_begun(row: Organization) -> None:
    """Raise Conflict from the day of its deletion on: part of it may be deleted already, and the rest will be."""
    if row.deletion_due_at is not None and row.deletion_due_at <= timezone.now():
        raise Conflict(gettext("Its deletion has begun. It can't be kept any more."))


def organizations_delete_due() -> int:
    """Delete the organizations whose waiting time is over; return how many. An interrupted deletion goes on with the next call."""
    due = [{"organization_id": organization_id} for organization_id in _organizations_due().values_list("pk", flat=True)]
    return rows_round(_delete_if_due, due, failure="organization_not_deleted")


def _organizations_due() -> QuerySet[Organization]:
    return Organization.objects.using("auth").filter(deletion_due_at__lte=timezone.now())


def _delete_if_due(organization_id: UUID) -> bool:
    """Delete the organization unless it was kept meanwhile; return whether it was deleted."""
    row = Organization.objects.using("auth").filter(pk=organization_id)
    if not _organizations_due().filter(pk=organization_id).update(is_active=False, suspension_message=_("It is being deleted.")):
        return False
    organization_delete(organization_id=organization_id, actor_user_id=None)
    FormerSlug.objects.filter(organization_id=organization_id).delete()
    row.update(deletion_due_at=None, deletion_by_operator=False, suspension_message="", accent_color="", logo_version="")
    return True


def slug_check(slug: str, *, own_id: UUID | None = None) -> str:
    """Return the address if it is free. One that another organization had before is not. Raises BadRequest, Conflict."""
    if not SLUG.match(slug):
        raise BadRequest(gettext("An address has small letters, digits and hyphens, at most 60, and no hyphen at its ends."))
    present = Organization.objects.using("auth").filter(slug=slug).values_list("pk", flat=True)
    former = FormerSlug.objects.filter(slug=slug).values_list("organization_id", flat=True)
    if {*present, *former} - {own_id}:
        raise Conflict(gettext("This address is taken."))
    return slug


def _move(row: Organization, slug: str) -> None:
    FormerSlug.objects.filter(slug=slug, organization=row).delete()
    FormerSlug.objects.get_or_create(slug=row.slug, defaults={"organization": row})
    row.slug = slug


def _free_slug(name: str) -> str:
    base = slugify(name)[:50].strip("-") or "organization"
    existing_slugs = {*Organization.objects.using("auth").filter(slug__startswith=base).values_list("slug", flat=True)}
    existing_slugs |= {*FormerSlug.objects.filter(slug__startswith=base).values_list("slug", flat=True)}
    return next(
        slug for slug in (base, *(f"{base}-{number}" for number in range(2, len(existing_slugs) + 3))) if slug not in existing_slugs
    )


def _clean_name(name: str) -> str:
    clean = " ".join(name.replace("\x00", "").split())
    if not clean or len(clean) > 120:
        raise BadRequest(gettext("Give the organization a name of at most 120 characters."))
    return clean


def _lock_organization(actor: Actor, *, owner: bool = False) -> Organization:
    """Return the organization, locked until the enclosing `identity_tx` ends."""
    current = actor_refresh(actor, lock=True)
    if owner and current.role != Membership.Role.OWNER:
        raise NotAllowed(gettext("Only an owner may do this."))
    if not current.can_administer:
        raise NotAllowed(gettext("Only owners and admins of the organization may do this."))
    return Organization.objects.select_for_update(no_key=True).get(pk=actor.organization_id)


def _audit(organization_id: UUID, by_user_id: int | None, action: str, detail: dict[str, Any]) -> None:
    audit(
        organization_id=organization_id,
        actor_user_id=by_user_id,
        action=action,
        object_kind="organization",
        object_id=organization_id,
        detail=detail,
    )
