"""ETags of what is polled, and how many requests are answered in a minute."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from tenants.rest import throttles
from tests.artifacts.support import make_artifact
from tests.rest.conftest import make_conversation, post, signed_in
from tests.support.accounts.cast import Cast
from tests.support.stores.redis_servers import redis_away

LIST = "/o/acme/api/conversations/"


@pytest.mark.django_db
@pytest.mark.usefixtures("unlimited")
def test_what_has_not_changed_is_not_sent_again(cast: Cast) -> None:
    alice = signed_in(cast.alice)
    conversation_id = make_conversation(cast, cast.alice)
    artifact = make_artifact(cast.actor(cast.alice)).artifact
    paths = [LIST, f"{LIST}{conversation_id}/", "/o/acme/api/artifacts/", f"/o/acme/api/artifacts/{artifact.pk}/", "/o/acme/api/models/"]
    for path in paths:
        etag = alice.get(path).headers["ETag"]
        again = alice.get(path, headers={"If-None-Match": etag})
        assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", etag), path
        assert etag.startswith('W/"')
    before = alice.get(LIST).headers["ETag"]
    alice.patch(f"{LIST}{conversation_id}/", {"title": "Green tea"}, content_type="application/json")
    assert alice.get(LIST, headers={"If-None-Match": before}).status_code == 200


@pytest.mark.django_db
@pytest.mark.usefixtures("unlimited")
def test_an_unchanged_artifact_is_not_even_read(cast: Cast) -> None:
    alice = signed_in(cast.alice)
    path = f"/o/acme/api/artifacts/{make_artifact(cast.actor(cast.alice)).artifact.pk}/"
    with CaptureQueriesContext(connection) as full:
        etag = alice.get(path).headers["ETag"]
    with CaptureQueriesContext(connection) as short:
        alice.get(path, headers={"If-None-Match": etag})
    assert len(short) == len(full) - 3  # the content, the list of versions, the suggestions
    alice.post(f"{path}revert/", {"number": 1}, content_type="application/json")
    assert alice.get(path, headers={"If-None-Match": etag}).status_code == 200


@pytest.mark.django_db
def test_a_client_over_its_rate_limit_is_told_when_to_try_again(cast: Cast, settings: Settings) -> None:
    settings.API_REQUESTS_PER_MINUTE = {"read": 2, "write": 1, "chat": 1}
    alice = signed_in(cast.alice)
    start = datetime.now(UTC)
    reads = [alice.get(LIST) for _ in range(5)]  # a new minute may begin once between them
    writes = [post(alice, LIST) for _ in range(3)]
    response = next(answer for answer in reads if answer.status_code == 429)
    reset = datetime.fromisoformat(response.headers["X-RateLimit-Reset"])
    assert (reads[0].status_code, writes[0].status_code) == (200, 201)
    assert 429 in [answer.status_code for answer in writes]
    assert signed_in(cast.bob).get(LIST).status_code == 200
    assert response.json()["error"]["code"] == "too_many_requests"
    assert f"{reset:%H:%M:%S} UTC" in response.json()["error"]["message"]
    assert reset.second == 0
    assert reset - start <= timedelta(minutes=2)
    assert 1 <= int(response.headers["Retry-After"]) <= 60


@pytest.mark.django_db
def test_without_redis_there_is_no_rate_limit(cast: Cast, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    alice = signed_in(cast.alice)
    monkeypatch.setattr(throttles, "_skip_until", 0.0)  # set back at the end: other tests count
    settings.API_REQUESTS_PER_MINUTE = {"read": 1, "write": 1, "chat": 1}
    with redis_away(settings):
        assert [alice.get(LIST).status_code for _ in range(4)] == [200, 200, 200, 200]
