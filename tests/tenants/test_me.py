"""A member's own preferences: read and written at /o/<slug>/api/me/, for that organization alone."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tenants.models import MAX_PREFERENCES_CHARS, Membership, User
from tests.rest.conftest import signed_in
from tests.support.accounts.cast import Cast

AT_FIRST = {"preferences": "", "defaultAssistant": "", "commentMails": True, "showsCost": True, "codeLigatures": False}


def me(user: User, slug: str = "acme") -> Any:
    return signed_in(user).get(f"/o/{slug}/api/me/")


def change(user: User, body: Any, slug: str = "acme") -> Any:
    text = body if isinstance(body, str) else json.dumps(body)
    return signed_in(user).patch(f"/o/{slug}/api/me/", text, content_type="application/json")


def test_a_member_writes_and_reads_preferences(cast: Cast) -> None:
    assert me(cast.bob).json() == AT_FIRST
    expected: dict[str, Any] = {"preferences": "Short answers."}
    assert change(cast.bob, {"preferences": "  Short answers.\x00 "}).json() == {**AT_FIRST, **expected}
    for name, value in {"defaultAssistant": "poet", "commentMails": False, "showsCost": False, "codeLigatures": True}.items():
        expected[name] = value
        assert change(cast.bob, {name: value}).json() == {**AT_FIRST, **expected}
    assert me(cast.bob).json() == expected
    assert change(cast.bob, {"preferences": " ", "showsCost": True}).json() == {**expected, "preferences": "", "showsCost": True}


def test_nobody_elses_preferences_change(cast: Cast) -> None:
    change(cast.bob, {"preferences": "Short answers."})
    change(cast.bob, {"defaultAssistant": "poet", "showsCost": False, "codeLigatures": True})
    others = Membership.objects.exclude(user=cast.bob)
    assert not others.exclude(preferences="", default_assistant="", shows_cost=True, code_ligatures=False).exists()


def test_preferences_belong_to_one_organization(cast: Cast) -> None:
    Membership.objects.create(organization=cast.other, user=cast.bob, role=Membership.Role.MEMBER)
    change(cast.bob, {"preferences": "Formal."}, slug="other")
    assert [me(cast.bob, slug).json()["preferences"] for slug in ("other", "acme")] == ["Formal.", ""]


def test_sockets_stay_open_when_preferences_change(cast: Cast) -> None:
    """They close with a new version of the membership, which only a new role makes."""
    before = cast.bob.memberships.get().version
    change(cast.bob, {"preferences": "Short answers."})
    assert cast.bob.memberships.get().version == before


def test_a_foreign_organization_is_not_there(cast: Cast) -> None:
    assert me(cast.charlie).status_code == 404
    assert change(cast.charlie, {"preferences": "x"}).status_code == 404


@pytest.mark.parametrize(
    "body",
    [
        "",
        "[]",
        {"preferences": 1},
        {"defaultAssistant": "No Key"},
        {"showsCost": "no"},
        {"codeLigatures": 1},
        {"preferences": "x", "role": "owner"},
        {"preferences": "x" * (MAX_PREFERENCES_CHARS + 1)},
        '{"preferences": "\\ud83d"}',
    ],
)
def test_anything_else_is_refused_and_changes_nothing(cast: Cast, body: Any) -> None:
    change(cast.bob, {"preferences": "🍵" * MAX_PREFERENCES_CHARS})
    assert change(cast.bob, body).status_code == 400
    assert me(cast.bob).json() == {**AT_FIRST, "preferences": "🍵" * MAX_PREFERENCES_CHARS}
