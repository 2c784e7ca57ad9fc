from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from tests.rest.conftest import post, signed_in, unlimited
from tests.support.accounts.cast import Cast

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
    response = post(bob, BASE, BRIEF)
    assert response.status_code == 201, response.content
    return response.json()


def put(client: Client, path: str, body: Any) -> Any:
    return client.put(path, body, content_type="application/json")


def template_titles(client: Client, **query: str) -> list[str]:
    """Return the titles of what is not Parley's own."""
    response = client.get(BASE, query)
    assert response.status_code == 200, response.content
    return [item["title"] for item in response.json()["items"] if item["source"] != "parley"]
