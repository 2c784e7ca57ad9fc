"""The data that the chat page starts with."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.rest.conftest import signed_in
from tests.support.accounts.cast import Cast

pytestmark = pytest.mark.django_db


def boot_of(cast: Cast, path: str) -> dict[str, Any]:
    page = signed_in(cast.bob).get(path).content.decode()
    match = re.search(r'<script id="boot" type="application/json">(.*?)</script>', page)
    assert match
    return dict(json.loads(match[1]))


def test_the_page_knows_who_it_is_for_and_where_to_ask(cast: Cast) -> None:
    boot = boot_of(cast, "/o/acme/")
    assert boot["organization"] in boot["organizations"]
    assert (boot["role"], boot["api"], boot["adminUrl"]) == ("member", "/o/acme/api", None)
    assert boot["files"] == {"maxFiles": 10, "maxBytes": 20 * 1024 * 1024, "maxMessageBytes": 50 * 1024 * 1024}
    assert boot["conversationId"] is None


def test_without_a_configuration_there_is_nothing_to_choose(cast: Cast) -> None:
    boot = boot_of(cast, "/o/acme/")
    assert (boot["provider"], boot["models"], boot["switches"], boot["usesGithub"]) == (None, [], [], False)


@pytest.mark.parametrize(
    ("profile", "browser", "language"), [("", "de-CH,de;q=0.9", "de"), ("", "fr", "en"), ("en", "de", "en"), ("de", "en", "de")]
)
def test_the_page_is_in_the_language_of_the_profile_or_else_of_the_browser(cast: Cast, profile: str, browser: str, language: str) -> None:
    bob = signed_in(cast.bob)
    assert bob.patch("/o/acme/api/profile/", {"language": profile}, content_type="application/json").status_code == 200
    page = bob.get("/o/acme/", headers={"Accept-Language": browser}).content.decode()
    assert f'<html lang="{language}">' in page
    assert f'"language": "{language}"' in page
