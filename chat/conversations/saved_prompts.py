"""Saved prompts: texts with which members begin a message, their own and those of the organization."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.db.models import Q

from chat.models import SavedPrompt
from tenants.access import Actor
from tenants.errors import BadRequest, NotFound
from tenants.rest.schemas import ResponseSchema

MAX_OWN: Final = 100  # prompts of one member
MAX_LISTED: Final = 500  # with those of the organization


class SavedPromptItem(ResponseSchema):
    """A prompt. `own`: it is yours; the others are the organization's, and its admins change them. `{{...}}` in the text are gaps to fill."""

    id: UUID
    title: str
    text: str
    own: bool


class SavedPromptList(ResponseSchema):
    """The organization's prompts and your own, by title."""

    items: list[SavedPromptItem]


def prompts_list(actor: Actor) -> SavedPromptList:
    rows = SavedPrompt.objects.filter(Q(owner=None) | Q(owner_id=actor.membership_id)).order_by("title", "pk")[:MAX_LISTED]
    return SavedPromptList(items=[_item(row) for row in rows])


def prompt_create(*, actor: Actor, title: str, text: str) -> SavedPromptItem:
    """Save a prompt of the member's own. Raises BadRequest when there are too many."""
    if SavedPrompt.objects.filter(owner_id=actor.membership_id).count() >= MAX_OWN:
        raise BadRequest(f"You have {MAX_OWN} prompts already. Delete one first.")
    return _item(SavedPrompt.objects.create(owner_id=actor.membership_id, title=title, text=text))


def prompt_change(*, actor: Actor, prompt_id: UUID, title: str, text: str) -> SavedPromptItem:
    """Raises NotFound, also for prompts of the organization and of others."""
    prompt = SavedPrompt.objects.filter(pk=prompt_id, owner_id=actor.membership_id).select_for_update().first()
    if prompt is None:
        raise NotFound
    prompt.title, prompt.text = title, text
    prompt.save(update_fields=["title", "text", "updated_at"])
    return _item(prompt)


def prompt_delete(*, actor: Actor, prompt_id: UUID) -> None:
    """Raises NotFound, also for prompts of the organization and of others."""
    deleted, _ = SavedPrompt.objects.filter(pk=prompt_id, owner_id=actor.membership_id).delete()
    if not deleted:
        raise NotFound


def _item(row: SavedPrompt) -> SavedPromptItem:
    return SavedPromptItem(id=row.pk, title=row.title, text=row.text, own=row.owner_id is not None)
