"""Saved views: filters of the list of runs that an admin keeps under a name, for themselves or for all admins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from chat.explorer.filters import RunFilters
from chat.models import MAX_VIEW_NAME_CHARS, RunView
from security.audit import audit
from tenants.access import Actor
from tenants.errors import BadRequest, NotFound

MAX_VIEWS: Final = 30  # of an admin, and of all together


def view_save(*, actor: Actor, name: str, filters: RunFilters, is_shared: bool) -> RunView:
    """Keep the filters under a name. Raises BadRequest: no name, a name that is taken, too many views."""
    owner_id = None if is_shared else actor.membership_id
    _require_place(owner_id)
    view = RunView(owner_id=owner_id, name=_clean_name(name), query=filters.query())
    _store(view)
    _note(actor, view, "run.view_save", after=_facts(view))
    return view


def view_change(*, actor: Actor, view_id: UUID, name: str, is_shared: bool) -> RunView:
    """Give a view another name, share it with all admins, or take it for oneself. Raises BadRequest, NotFound."""
    view = _own_view(actor, view_id)
    before, owner_id = _facts(view), None if is_shared else actor.membership_id
    if owner_id != view.owner_id:
        _require_place(owner_id)
    view.name, view.owner_id = _clean_name(name), owner_id
    if (after := _facts(view)) != before:
        _store(view)
        _note(actor, view, "run.view_change", before=before, after=after)
    return view


def view_delete(*, actor: Actor, view_id: UUID) -> RunView:
    """Delete a view and return it. Raises NotFound."""
    view = _own_view(actor, view_id)
    _note(actor, view, "run.view_delete", before=_facts(view))
    RunView.objects.filter(pk=view.pk).delete()
    return view


def _own_view(actor: Actor, view_id: UUID) -> RunView:
    """Return a view of the actor or of all admins. Raises NotFound, also for another admin's."""
    view = RunView.objects.filter(pk=view_id).first()
    if view is None or view.owner_id not in (None, actor.membership_id):
        raise NotFound
    return view


def _require_place(owner_id: UUID | None) -> None:
    """Raises BadRequest when an admin, or all together (None), have as many views as they can."""
    if RunView.objects.filter(owner_id=owner_id).count() >= MAX_VIEWS:
        raise BadRequest(gettext("There are %(count)s views already. Delete one first.") % {"count": MAX_VIEWS})


def _clean_name(name: str) -> str:
    clean = " ".join(name.replace("\x00", "").split())
    if not clean:
        raise BadRequest(gettext("Give the view a name."))
    if len(clean) > MAX_VIEW_NAME_CHARS:
        raise BadRequest(gettext("A name can have %(count)s characters.") % {"count": MAX_VIEW_NAME_CHARS})
    return clean


def _store(view: RunView) -> None:
    try:
        with transaction.atomic():
            view.save()
    except IntegrityError:
        raise BadRequest(gettext("There is a view with this name already. Choose another name, or delete that view.")) from None


def _facts(view: RunView) -> dict[str, Any]:
    return {"name": view.name, "is_shared": view.owner_id is None, "query": view.query}


def _note(
    actor: Actor, view: RunView, action: str, *, before: Mapping[str, Any] | None = None, after: Mapping[str, Any] | None = None
) -> None:
    audit(
        organization_id=actor.organization_id,
        actor_user_id=actor.user_id,
        action=action,
        object_kind="run_view",
        object_id=view.pk,
        object_label=view.name,
        before=before,
        after=after,
    )
