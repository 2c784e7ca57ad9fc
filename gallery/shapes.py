"""Schemas of templates in the REST API (docs/protocol.md), and the functions that fill them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Final, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator
from pydantic.alias_generators import to_camel

from gallery.models import MAX_CATEGORY_CHARS, MAX_DESCRIPTION_CHARS, MAX_TITLE_CHARS, TemplateKind, TemplateState, TemplateVersion
from gallery.placeholders import MAX_PLACEHOLDERS, MAX_VALUE_CHARS, Placeholder, PlaceholderKind
from gallery.starters import Starter
from tenants.input.visible_text import visible_line
from tenants.models import Membership
from tenants.rest.pagination import TIME, LimitQuery, QueryParams, cursor_field
from tenants.rest.schemas import NO_NUL, WHOLE, ResponseSchema

MAX_BODY_CHARS: Final = 100_000
MAX_PROMPT_CHARS: Final = 8000
NOT_BLANK: Final = r"^[^\x00]*[^\x00\s][^\x00]*$"
GAP_KINDS: Final = frozenset(
    {TemplateKind.TEXT, TemplateKind.SHEET, TemplateKind.PROMPT}
)  # braces in programs and diagrams may mean something else
EXCERPT: Final = 700  # characters, from which the page draws a picture
MAX_NUMBER: Final = 2**31 - 1
Source = Literal["organization", "parley"]


class TemplateItem(ResponseSchema):
    """A template as lists show it. `excerpt`: how its text begins. `source`: whose it is. `own`: you wrote it, or you are an admin and nobody
    else owns it. `reviewer`: who published it. `uses`: null for Parley's own.
    """

    id: UUID
    kind: TemplateKind
    title: str
    description: str
    category: str
    excerpt: str
    state: TemplateState
    source: Source
    own: bool
    author: str
    reviewer: str
    uses: int | None
    version: int
    updated_at: datetime | None


class VersionNote(ResponseSchema):
    number: int
    created_at: datetime
    author: str


class PlaceholderItem(ResponseSchema):
    """See Placeholder; `label` is never empty."""

    name: str
    label: str
    kind: PlaceholderKind
    default: str
    required: bool
    choices: list[str]


class TemplateDetail(TemplateItem):
    """`versions`: newest first, for those who may change it. `reason`: why an admin sent it back."""

    body: str
    placeholders: list[PlaceholderItem]
    latest_version: int
    published_version: int | None
    review_version: int | None
    reason: str
    versions: list[VersionNote]


class TemplatePage(ResponseSchema):
    """The organization's and your own templates, changed last first, and then Parley's own. `categories`: of all, on the first page only."""

    items: list[TemplateItem]
    categories: list[str]
    next_cursor: str | None


class TemplatesQuery(LimitQuery):
    """Which templates."""

    cursor: str = cursor_field(TIME)
    q: str = Field(default="", max_length=100, description="Words in the title, the description or the category.")
    kind: TemplateKind | None = None
    category: str = Field(default="", max_length=MAX_CATEGORY_CHARS, pattern=NO_NUL)
    source: Literal["", "organization", "parley", "mine"] = ""


class TemplateQuery(QueryParams):
    version: (
        Annotated[
            int, Field(ge=1, le=MAX_NUMBER, description="For those who may change it. Without one, what is shown in the list."), WHOLE
        ]
        | None
    ) = None


class TemplateText(BaseModel):
    """What a version of a template has. `{{name}}` in the body are its placeholders; only in programs and diagrams each needs an entry."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, populate_by_name=True)

    title: Annotated[str, StringConstraints(min_length=1, max_length=MAX_TITLE_CHARS, pattern=NOT_BLANK)]
    description: Annotated[str, StringConstraints(max_length=MAX_DESCRIPTION_CHARS)] = ""
    category: Annotated[str, StringConstraints(max_length=MAX_CATEGORY_CHARS)] = ""
    body: Annotated[str, StringConstraints(min_length=1, max_length=MAX_BODY_CHARS, pattern=NOT_BLANK)]
    placeholders: Annotated[list[Placeholder], Field(max_length=MAX_PLACEHOLDERS)] = []

    @field_validator("title", "description", "category")
    @classmethod
    def _show(cls, text: str) -> str:
        return visible_line(text)

    @field_validator("body")
    @classmethod
    def _clean(cls, text: str) -> str:
        return text.replace("\r\n", "\n")


class NewTemplate(TemplateText):
    """A template of your own, which only you see until you submit it."""

    kind: TemplateKind


class TemplateValues(BaseModel):
    """`values`: by placeholder. Null: the placeholders stay in the text."""

    model_config = ConfigDict(extra="forbid")

    values: dict[str, Annotated[str, StringConstraints(max_length=MAX_VALUE_CHARS)]] | None


class FilledTemplate(ResponseSchema):
    """A template's text with its values."""

    kind: TemplateKind
    title: str
    text: str


def version_item(version: TemplateVersion, *, own: bool) -> TemplateItem:
    """`version` has its template with owner and reviewer."""
    return TemplateItem(**_item(version, own=own))


def version_detail(version: TemplateVersion, *, own: bool, history: Sequence[TemplateVersion]) -> TemplateDetail:
    template = version.template
    return TemplateDetail(
        **_item(version, own=own),
        body=version.body,
        placeholders=[_placeholder_item(Placeholder.model_validate(entry)) for entry in version.placeholders],
        latest_version=template.latest_number,
        published_version=template.published_number,
        review_version=template.review_number,
        reason=template.reason if own else "",
        versions=[VersionNote(number=one.number, created_at=one.created_at, author=_name(one.author)) for one in history],
    )


def starter_item(starter: Starter) -> TemplateItem:
    return TemplateItem(**_starter(starter))


def starter_detail(starter: Starter) -> TemplateDetail:
    return TemplateDetail(
        **_starter(starter),
        body=starter.body,
        placeholders=[*map(_placeholder_item, starter.placeholders)],
        latest_version=1,
        published_version=1,
        review_version=None,
        reason="",
        versions=[],
    )


def _item(version: TemplateVersion, *, own: bool) -> dict[str, object]:
    template = version.template
    is_published = template.published_number is not None
    return {
        "id": template.pk,
        "kind": TemplateKind(template.kind),
        "title": version.title,
        "description": version.description,
        "category": version.category,
        "excerpt": version.body[:EXCERPT],
        "state": template.state if own or version.number == template.review_number else TemplateState.PUBLISHED,
        "source": "organization",
        "own": own,
        "author": _name(template.owner),
        "reviewer": _name(template.reviewer) if is_published else "",
        "uses": template.uses,
        "version": version.number,
        "updated_at": version.created_at,
    }


def _starter(starter: Starter) -> dict[str, object]:
    return {
        "id": starter.id,
        "kind": starter.kind,
        "title": starter.title,
        "description": starter.description,
        "category": starter.category,
        "excerpt": starter.body[:EXCERPT],
        "state": TemplateState.PUBLISHED,
        "source": "parley",
        "own": False,
        "author": "",
        "reviewer": "",
        "uses": None,
        "version": 1,
        "updated_at": None,
    }


def _placeholder_item(placeholder: Placeholder) -> PlaceholderItem:
    return PlaceholderItem(**{**placeholder.model_dump(), "label": placeholder.shown_label})


def _name(member: Membership | None) -> str:
    return str(member.user) if member else ""
