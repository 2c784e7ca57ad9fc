"""The changes that wait in the draft: who made each, and what is left out of a release."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from admin_config.services.changes.change_groups import ChangeGroup, change_groups
from admin_config.services.changes.diff import DiffLine
from admin_config.services.changes.draft_authors import DraftAuthor, DraftChange, authors_by_place, draft_authors, draft_changes
from admin_config.services.changes.exclusion import Path, token_of
from admin_config.services.changes.field_authors import authors_by_field
from admin_config.services.discarding.discard import UnpublishedDraft
from admin_config.services.discarding.partial_release import PartialDraft

PAGE: Final = "admin:admin_config_release_publish"
MAX_TOKENS: Final = 200  # an address has room for no more
# What the form and the page's address hold beside what is typed. publish.js leaves out those of the form.
NOT_TYPED: Final = frozenset({"csrfmiddlewaretoken", "seen", "without", "override", "fitting", "part", "opened"})


@dataclass(frozen=True)
class ShownChange:
    """A changed field. `address`: where it is left out, or taken in again; "" when that is done with its row."""

    label: str
    lines: Sequence[DiffLine]
    names: Sequence[str]
    token: str
    address: str = ""


@dataclass(frozen=True)
class ShownGroup:
    """The changes of a row; `names` and `address` as above, for all of them."""

    title: str
    names: Sequence[str]
    changes: Sequence[ShownChange]
    address: str = ""


@dataclass(frozen=True)
class ShownAuthor:
    """Somebody with unpublished changes. `address`: where all that only they changed is left out; "" when there is nothing."""

    author: DraftAuthor
    address: str


def waiting_changes(draft: UnpublishedDraft | None) -> dict[str, Any]:
    """Return the template's context: the draft's differences from the live release, with those who made them."""
    if draft is None:
        return {"groups": [], "authors": []}
    changes = draft_changes()
    groups = change_groups(draft.changes)
    names = authors_by_place(groups, changes)
    return {"groups": [(group, names.get(group.place, [])) for group in groups], "authors": draft_authors(changes)}


def left_out_tokens(request: HttpRequest) -> list[str]:
    """Return the tokens of the changes that are left out, in the order in which they were."""
    parameters = request.POST if request.method == "POST" else request.GET
    return list(dict.fromkeys(parameters.getlist("without")))[:MAX_TOKENS]


def publish_address(tokens: Collection[str] = (), *, fitting_count: int = 0, form_values: Mapping[str, str] | None = None) -> str:
    """Return the address of the publish page with these changes left out.

    `fitting_count`: how many of them, from the first on, are known to go together; the page falls back to these. `form_values`: what the form holds.
    """
    fits = [("fitting", fitting_count)] if fitting_count else []
    query = urlencode([*(("without", token) for token in tokens), *fits, *typed_values(form_values or {}).items()])
    return reverse(PAGE) + (f"?{query}" if query else "")


def typed_values(form_values: Mapping[str, str]) -> dict[str, str]:
    """Return what somebody typed or chose in the form, also in those parts of it that apps above add."""
    return {name: value for name, value in form_values.items() if value and name not in NOT_TYPED}


def fitting_tokens(request: HttpRequest, tokens: Sequence[str]) -> Sequence[str]:
    """Return what was left out before the last choice, which did not go together with the rest."""
    digits = request.GET.get("fitting", "")
    return tokens[: int(digits)] if digits.isdecimal() and len(digits) < 4 else ()


def shown_changes(draft: PartialDraft, tokens: Sequence[str]) -> dict[str, Any]:
    """Return the template's context: what goes live, what is left out, and whose changes they are."""
    changes = draft_changes()
    live_groups = _groups(draft, change_groups(draft.changes), changes, tokens)
    left_out_groups = _groups(draft, change_groups(draft.left_out), changes, tokens) if draft.left_out else []
    return {
        "groups": live_groups,
        "left_out": left_out_groups,
        "authors": [ShownAuthor(author, _without_author(author, live_groups, tokens)) for author in draft_authors(changes)],
    }


def _groups(draft: PartialDraft, groups: Sequence[ChangeGroup], changes: Sequence[DraftChange], tokens: Sequence[str]) -> list[ShownGroup]:
    by_place, by_field = authors_by_place(groups, changes), authors_by_field(groups, changes)
    return [_group(draft, group, by_place.get(group.place, []), by_field, tokens) for group in groups]


def _group(
    draft: PartialDraft, group: ChangeGroup, names: Sequence[str], by_field: Mapping[Path, Sequence[str]], tokens: Sequence[str]
) -> ShownGroup:
    is_whole, row_token = group.place in draft.whole_rows, token_of(group.place)
    changes = []
    for change in group.changes:
        token = row_token if is_whole else token_of(change.where)
        is_open = token in draft.choices
        is_apart = is_open and not is_whole and (token in tokens or row_token not in tokens)
        own = names if is_whole else by_field.get(change.where, names)
        changes.append(
            ShownChange(change.label, change.lines, own, token if is_open else "", _toggle_address(tokens, token) if is_apart else "")
        )
    is_for_all = is_whole or len(group.changes) > 1 or row_token in tokens
    has_button = is_for_all and row_token in draft.choices and any(change.token for change in changes)
    return ShownGroup(group.title, names, changes, _toggle_address(tokens, row_token) if has_button else "")


def _toggle_address(tokens: Sequence[str], token: str) -> str:
    if token in tokens:
        return publish_address([each for each in tokens if each != token])
    return publish_address([*tokens, token], fitting_count=len(tokens))


def _without_author(author: DraftAuthor, groups: Sequence[ShownGroup], tokens: Sequence[str]) -> str:
    own = [change.token for group in groups for change in group.changes if change.token and list(change.names) == [author.who]]
    return publish_address(dict.fromkeys([*tokens, *own]), fitting_count=len(tokens)) if own else ""
