"""Templates of the kind prompt, as the message box offers them behind `/`: the organization's, one's own and Parley's."""

from __future__ import annotations

from typing import Annotated, Final, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, StringConstraints

from gallery.models import TemplateKind, TemplateVersion
from gallery.placeholders import Placeholder, names_in
from gallery.selectors import usable_versions, version_get_visible
from gallery.services import checked_writer, template_change, template_create, template_delete, template_lock
from gallery.shapes import MAX_PROMPT_CHARS, NOT_BLANK, TemplateText
from gallery.starters import starters
from tenants.access import Actor
from tenants.errors import NotFound
from tenants.rest.schemas import ResponseSchema

MAX_LISTED: Final = 500


class SavedPromptItem(ResponseSchema):
    """A prompt. `own`: you may change it. `source`: whose it is. `{{...}}` in the text are gaps to fill."""

    id: UUID
    title: str
    text: str
    own: bool
    source: Literal["own", "organization", "parley"]


class SavedPromptList(ResponseSchema):
    """The organization's prompts and your own, by title, and then Parley's."""

    items: list[SavedPromptItem]


class NewSavedPrompt(BaseModel):
    """A prompt. `{{...}}` in its text are gaps to fill."""

    model_config = ConfigDict(extra="forbid")

    title: Annotated[str, StringConstraints(min_length=1, max_length=60, strip_whitespace=True, pattern=NOT_BLANK)]
    text: Annotated[str, StringConstraints(min_length=1, max_length=MAX_PROMPT_CHARS, strip_whitespace=True, pattern=NOT_BLANK)]


def prompts_list(actor: Actor) -> SavedPromptList:
    """One query."""
    rows = usable_versions(actor, [TemplateKind.PROMPT]).select_related("template").order_by("title", "template_id")[:MAX_LISTED]
    ours = (starter for starter in starters().values() if starter.kind == TemplateKind.PROMPT)
    parleys = [SavedPromptItem(id=one.id, title=one.title, text=one.body, own=False, source="parley") for one in ours]
    return SavedPromptList(items=[*(_item(row, actor) for row in rows), *parleys])


def prompt_create(*, actor: Actor, new: NewSavedPrompt) -> SavedPromptItem:
    """Save a prompt of the member's own. Raises NotAllowed, and BadRequest when there are too many."""
    text = TemplateText(title=new.title, body=new.text)
    return _item(template_create(actor=actor, kind=TemplateKind.PROMPT, text=text, owner_id=actor.membership_id), actor)


def prompt_change(*, actor: Actor, prompt_id: UUID, new: NewSavedPrompt) -> SavedPromptItem:
    """Add a version with these texts; the rest stays. Raises NotAllowed, NotFound."""
    former = _own_prompt(actor, prompt_id)
    placeholders = [Placeholder.model_validate(one) for one in former.placeholders if one["name"] in names_in(new.text)]
    text = TemplateText(title=new.title, body=new.text, description=former.description, category=former.category, placeholders=placeholders)
    return _item(template_change(actor=actor, template_id=prompt_id, text=text), actor)


def prompt_delete(*, actor: Actor, prompt_id: UUID) -> None:
    """Raises NotAllowed, NotFound, and BadRequest for a published one."""
    _own_prompt(actor, prompt_id)
    template_delete(actor=actor, template_id=prompt_id)


def _own_prompt(actor: Actor, prompt_id: UUID) -> TemplateVersion:
    template_lock(checked_writer(actor), prompt_id)
    version = version_get_visible(actor, prompt_id)
    if version.template.kind != TemplateKind.PROMPT:
        raise NotFound
    return version


def _item(version: TemplateVersion, actor: Actor) -> SavedPromptItem:
    template = version.template
    source: Literal["own", "organization"] = "own" if template.owner_id == actor.membership_id else "organization"
    return SavedPromptItem(id=template.pk, title=version.title, text=version.body, own=source == "own", source=source)
