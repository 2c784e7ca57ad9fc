from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from tests.rest.conftest import post, signed_in, unlimited
from tests.support.cast import Cast

__all__ = ["unlimited"]
BASE = "/o/acme/api/templates/"
BRIEF = {
    "kind": "text",
    "title": "Market brief",
    "description": "The facts of one market.",
    "category": "Research",
    "body": "# Market brief: {{market}}\n\nFor {{reader}}.\n",
    "placeholders": [{"name": "market", "label": "Market", "required": True}],
}


@pytest.fixture
def bob(cast: Cast) -> Client:
    return signed_in(cast.bob)


@pytest.fixture
def alice(cast: Cast) -> Client:
    return signed_in(cast.alice)


@pytest.fixture
def brief(bob: Client) -> Any:
    """Bob's template, which only he sees."""
    made = post(bob, BASE, BRIEF)
    assert made.status_code == 201, made.content
    return made.json()


def put(client: Client, path: str, body: Any) -> Any:
    return client.put(path, body, content_type="application/json")


def listed(client: Client, **query: str) -> list[str]:
    """Return the titles of what is not Parley's own."""
    found = client.get(BASE, query)
    assert found.status_code == 200, found.content
    return [item["title"] for item in found.json()["items"] if item["source"] != "parley"]
