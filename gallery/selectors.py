"""Who sees which templates. All functions need the organization's transaction."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final
from uuid import UUID

from django.db.models import Case, F, Q, QuerySet, When
from django.db.models.functions import Coalesce

from gallery.models import Template, TemplateKind, TemplateVersion
from gallery.shapes import TemplateDetail, TemplatePage, TemplatesQuery, starter_detail, starter_item, version_detail, version_item
from gallery.starters import Starter, starters
from tenants.access import Actor
from tenants.errors import NotFound
from tenants.rest.pagination import paginate_newest_first

MAX_CHOICES: Final = 500
_RELATED = ("template__owner__user", "template__reviewer__user")


def owned_condition(actor: Actor, prefix: str = "") -> Q:
    """What the actor may change: their own templates, and for admins the organization's."""
    own = Q(**{f"{prefix}owner_id": actor.membership_id})
    return own | Q(**{f"{prefix}owner": None}) if actor.can_administer else own


def is_own(actor: Actor, template: Template) -> bool:
    return template.owner_id == actor.membership_id or (template.owner_id is None and actor.can_administer)


def visible_versions(actor: Actor) -> QuerySet[TemplateVersion]:
    """Return one version of each template that the actor sees: the latest of their own, else the published one.

    Admins also see what waits for them.
    """
    published_number = F("template__published_number")
    others = Coalesce(published_number, F("template__review_number")) if actor.can_administer else published_number
    version_number = Case(When(owned_condition(actor, "template__"), then=F("template__latest_number")), default=others)
    return TemplateVersion.objects.filter(number=version_number)


def template_page(actor: Actor, query: TemplatesQuery) -> TemplatePage:
    """Return one page; Parley's own templates follow the last one. Two queries at most."""
    versions = _apply_query(visible_versions(actor), actor, query)
    limit = query.limit
    page = paginate_newest_first(versions.select_related(*_RELATED), field="created_at", cursor=query.cursor, limit=limit)
    items = [version_item(version, own=is_own(actor, version.template)) for version in page.items]
    if page.next_cursor is None and query.source in ("", "parley"):
        items += [starter_item(starter) for starter in starters().values() if _starter_fits(starter, query)]
    return TemplatePage(items=items, categories=[] if query.cursor else _categories(actor), next_cursor=page.next_cursor)


def _apply_query(versions: QuerySet[TemplateVersion], actor: Actor, query: TemplatesQuery) -> QuerySet[TemplateVersion]:
    if query.source == "parley":
        return versions.none()
    if query.source == "mine":
        versions = versions.filter(template__owner_id=actor.membership_id)
    if query.source == "organization":
        versions = versions.exclude(template__published_number=None)
    if query.kind is not None:
        versions = versions.filter(template__kind=query.kind)
    if query.category:
        versions = versions.filter(category=query.category)
    for word in query.q.replace("\x00", "").split():
        versions = versions.filter(Q(title__icontains=word) | Q(description__icontains=word) | Q(category__icontains=word))
    return versions


def _starter_fits(starter: Starter, query: TemplatesQuery) -> bool:
    text = f"{starter.title}\n{starter.description}\n{starter.category}".lower()
    return (
        query.kind in (None, starter.kind)
        and query.category in ("", starter.category)
        and all(word.lower() in text for word in query.q.split())
    )


def _categories(actor: Actor) -> list[str]:
    categories = visible_versions(actor).exclude(category="").order_by().values_list("category", flat=True).distinct()[:100]
    return sorted({*categories, *(starter.category for starter in starters().values())}, key=str.lower)


def template_choices(actor: Actor, kinds: Collection[TemplateKind]) -> list[dict[str, Any]]:
    """Return what an agent may choose from, with the values that each template asks for: the organization's first. One query."""
    rows = usable_versions(actor, kinds).select_related("template").order_by("-template__uses", "title", "template_id")[:MAX_CHOICES]
    ours = [_choice(row.template_id, row.template.kind, row, row.placeholders) for row in rows]
    parleys = [
        _choice(one.id, one.kind, one, [placeholder.model_dump() for placeholder in one.placeholders])
        for one in starters().values()
        if one.kind in kinds
    ]
    return ours + parleys


def _choice(template_id: UUID, kind: str, words: TemplateVersion | Starter, placeholders: Sequence[dict[str, Any]]) -> dict[str, Any]:
    facts = {"id": str(template_id), "kind": kind, "title": words.title, "description": words.description, "category": words.category}
    return {**facts, "placeholders": [{name: value for name, value in one.items() if value} for one in placeholders]}


def template_detail(actor: Actor, template_id: UUID, *, number: int | None = None) -> TemplateDetail:
    """Return a template as the actor sees it. `number`: another version, for who may change it. Raises NotFound."""
    if starter := starters().get(template_id):
        return starter_detail(starter)
    version = version_get_visible(actor, template_id)
    own = is_own(actor, version.template)
    if number is not None and number != version.number:
        version = _own_version(version.template, number, own=own)
    history = version.template.versions.select_related("author__user").order_by("-number")[:100] if own else []
    return version_detail(version, own=own, history=[*history])


def version_get_visible(actor: Actor, template_id: UUID) -> TemplateVersion:
    """Return the version that the actor sees, with its template. Raises NotFound."""
    version = visible_versions(actor).select_related(*_RELATED).filter(template_id=template_id).first()
    if version is None:
        raise NotFound
    return version


def _own_version(template: Template, number: int, *, own: bool) -> TemplateVersion:
    version = TemplateVersion.objects.select_related(*_RELATED).filter(template=template, number=number).first() if own else None
    if version is None:
        raise NotFound
    return version


def usable_versions(actor: Actor, kinds: Collection[TemplateKind]) -> QuerySet[TemplateVersion]:
    """Return what of the organization the actor may use: published versions, and the latest of their own."""
    return visible_versions(actor).filter(
        Q(number=F("template__published_number")) | owned_condition(actor, "template__"), template__kind__in=kinds
    )
