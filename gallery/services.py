"""Writes of templates by their authors, and their use. All functions need the organization's transaction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from uuid import UUID

from django.db.models import F
from django.utils.translation import gettext

from gallery.filling import placeholders_replace, title_of
from gallery.models import Template, TemplateKind, TemplateVersion
from gallery.placeholders import Placeholder, placeholders_check, values_check
from gallery.selectors import owned_condition, usable_versions
from gallery.shapes import GAP_KINDS, MAX_PROMPT_CHARS, FilledTemplate, TemplateText
from gallery.starters import starters
from security.audit import audit
from tenants.access import Actor, actor_refresh
from tenants.errors import BadRequest, NotAllowed, NotFound
from tenants.localization.figures import figure

MAX_OWN: Final = 200  # templates of one member


def template_create(*, actor: Actor, kind: TemplateKind, text: TemplateText, owner_id: UUID | None) -> TemplateVersion:
    """Make a template with its first version, which only its owner sees. `owner_id` None: the organization's.

    Raises NotAllowed, and BadRequest when there are too many or the text can't be one.
    """
    actor = checked_writer(actor)
    if owner_id is not None and Template.objects.filter(owner_id=owner_id).count() >= MAX_OWN:
        raise BadRequest(gettext("You have %(max_own)s templates already. Delete one first.") % {"max_own": MAX_OWN})
    return _append(Template.objects.create(owner_id=owner_id, kind=kind), actor, text)


def template_change(*, actor: Actor, template_id: UUID, text: TemplateText) -> TemplateVersion:
    """Add a version. What is published stays until the new one is. Raises NotAllowed, NotFound, BadRequest."""
    return _append(template_lock(checked_writer(actor), template_id), actor, text)


def template_delete(*, actor: Actor, template_id: UUID) -> None:
    """Raises NotAllowed, NotFound, and BadRequest for a published one."""
    template = template_lock(checked_writer(actor), template_id)
    if template.published_number is not None:
        raise BadRequest(gettext("This template is published. Withdraw it first."))
    template.delete()


def template_submit(*, actor: Actor, template_id: UUID) -> Template:
    """Ask for the latest version to be published; from an admin it is at once. Raises NotAllowed, NotFound, BadRequest."""
    actor = checked_writer(actor)
    template = template_lock(actor, template_id)
    if template.published_number == template.latest_number:
        raise BadRequest(gettext("This version is published already."))
    if actor.can_administer:
        return template_publish(actor, template, template.latest_number)
    template.review_number, template.reason = template.latest_number, ""
    template.save(update_fields=["review_number", "reason"])
    template_audit(actor, "template.submit", template, template.latest_number)
    return template


def template_withdraw(*, actor: Actor, template_id: UUID) -> Template:
    """Take a version back from review, else the published one from the gallery. Raises NotAllowed, NotFound, BadRequest."""
    template = template_lock(checked_writer(actor), template_id)
    if template.review_number is not None:
        number, template.review_number = template.review_number, None
        template.save(update_fields=["review_number"])
        template_audit(actor, "template.take_back", template, number)
        return template
    return template_unpublish(actor, template)


def template_publish(actor: Actor, template: Template, number: int) -> Template:
    """Let the organization see this version. `template` is locked, and the actor an admin."""
    template.published_number, template.review_number, template.reason = number, None, ""
    template.is_withdrawn, template.reviewer_id = False, actor.membership_id
    template.save(update_fields=["published_number", "review_number", "reason", "is_withdrawn", "reviewer"])
    template_audit(actor, "template.publish", template, number)
    return template


def template_unpublish(actor: Actor, template: Template) -> Template:
    """Take the published version out of the gallery. `template` is locked. Raises BadRequest when there is none."""
    number = template.published_number
    if number is None:
        raise BadRequest(gettext("This template is not published."))
    template.published_number, template.is_withdrawn = None, True
    template.save(update_fields=["published_number", "is_withdrawn"])
    template_audit(actor, "template.withdraw", template, number)
    return template


def template_fill(*, actor: Actor, template_id: UUID, values: Mapping[str, str] | None) -> FilledTemplate:
    """Return the text with the values, or as it is without them, and count the use. Raises NotFound, and BadRequest for values that don't fit."""
    if starter := starters().get(template_id):
        return _fill(starter.kind, starter.title, starter.body, starter.placeholders, values)
    version = usable_versions(actor, [*TemplateKind]).select_related("template").filter(template_id=template_id).first()
    if version is None:
        raise NotFound
    placeholders = [Placeholder.model_validate(entry) for entry in version.placeholders]
    text = _fill(TemplateKind(version.template.kind), version.title, version.body, placeholders, values)
    Template.objects.filter(pk=template_id).update(uses=F("uses") + 1)
    return text


def checked_writer(actor: Actor) -> Actor:
    """Return the actor with their current role. Raises NotAllowed for those who may only read."""
    actor = actor_refresh(actor)
    if not actor.can_write:
        raise NotAllowed
    return actor


def template_lock(actor: Actor, template_id: UUID) -> Template:
    """Return a template that the actor may change, locked. Raises NotFound."""
    template = Template.objects.select_for_update(no_key=True).filter(owned_condition(actor), pk=template_id).first()
    if template is None:
        raise NotFound
    return template


def template_audit(actor: Actor, action: str, template: Template, number: int, **detail: object) -> None:
    audit(
        organization_id=actor.organization_id,
        actor_user_id=actor.user_id,
        action=action,
        object_kind="template",
        object_id=template.pk,
        object_label=template.versions.get(number=number).title,
        detail={"version": number, **detail},
    )


def _append(template: Template, actor: Actor, text: TemplateText) -> TemplateVersion:
    if not text.title or not text.body.strip():
        raise BadRequest(gettext("A template needs a title and a text."))
    if template.kind == TemplateKind.PROMPT and len(text.body) > MAX_PROMPT_CHARS:
        raise BadRequest(gettext("A prompt can have %(max_prompt)s characters.") % {"max_prompt": figure(MAX_PROMPT_CHARS)})
    placeholders = placeholders_check(text.body, text.placeholders, all_gaps=template.kind in GAP_KINDS)
    template.latest_number += 1
    template.save(update_fields=["latest_number"])
    return TemplateVersion.objects.create(
        template=template,
        number=template.latest_number,
        title=text.title,
        description=text.description,
        category=text.category,
        body=text.body,
        placeholders=[placeholder.model_dump() for placeholder in placeholders],
        author_id=actor.membership_id,
    )


def _fill(
    kind: TemplateKind, title: str, body: str, placeholders: list[Placeholder] | tuple[Placeholder, ...], values: Mapping[str, str] | None
) -> FilledTemplate:
    text = body if values is None else placeholders_replace(kind, body, values_check(placeholders, values))
    return FilledTemplate(kind=kind, title=title_of(kind, text, title) if values is not None else title, text=text)
