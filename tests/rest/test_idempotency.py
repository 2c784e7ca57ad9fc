"""A POST with an Idempotency-Key is carried out once; the same call again gets the first answer."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone

from chat.models import Conversation
from tenants.context import tenant_tx
from tenants.models import IdempotentAnswer
from tenants.rest.idempotency import RETENTION, answers_expire
from tests.rest.conftest import post, signed_in
from tests.support.accounts.cast import Cast

PATH = "/o/acme/api/conversations/"
KEY = {"Idempotency-Key": "k1"}

pytestmark = pytest.mark.usefixtures("unlimited")


@pytest.fixture
def alice(cast: Cast) -> Client:
    return signed_in(cast.alice)


def titles(cast: Cast) -> list[str]:
    with tenant_tx(cast.acme.pk):
        return list(Conversation.objects.order_by("created_at").values_list("title", flat=True))


def change_kept(cast: Cast, **values: Any) -> None:
    with tenant_tx(cast.acme.pk):
        IdempotentAnswer.objects.update(**values)


@pytest.mark.django_db
def test_the_same_call_again_gets_the_first_answer_and_does_nothing(alice: Client, cast: Cast) -> None:
    first, second = (post(alice, PATH, {"title": "Tea"}, **KEY) for _ in range(2))
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json()
    assert (first.headers.get("Idempotent-Replayed"), second.headers["Idempotent-Replayed"]) == (None, "true")
    assert titles(cast) == ["Tea"]


@pytest.mark.django_db
def test_refusals_are_kept_too(alice: Client) -> None:
    answers = [post(alice, PATH, {"title": " "}, **KEY) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [400, 400]
    assert answers[0].content == answers[1].content
    assert "Idempotent-Replayed" in answers[1].headers


@pytest.mark.django_db
def test_another_request_with_the_key_is_refused(alice: Client, cast: Cast) -> None:
    post(alice, PATH, {"title": "Tea"}, **KEY)
    other = post(alice, PATH, {"title": "Coffee"}, **KEY)
    assert (other.status_code, other.json()["error"]["code"]) == (422, "idempotency_key_reused")
    assert titles(cast) == ["Tea"]


@pytest.mark.django_db
def test_a_call_that_is_being_worked_on_is_not_begun_again(alice: Client, cast: Cast) -> None:
    post(alice, PATH, {"title": "Tea"}, **KEY)
    change_kept(cast, status=None)
    busy = post(alice, PATH, {"title": "Tea"}, **KEY)
    assert (busy.status_code, busy.json()["error"]["code"]) == (409, "still_working")
    change_kept(cast, created_at=timezone.now() - timedelta(minutes=5))  # its process has died
    assert post(alice, PATH, {"title": "Tea"}, **KEY).status_code == 201


@pytest.mark.django_db
def test_an_answer_that_cannot_be_kept_is_given_all_the_same(alice: Client, cast: Cast) -> None:
    def busy(execute: Any, sql: str, *args: Any) -> Any:
        if sql.startswith(f'UPDATE "{IdempotentAnswer._meta.db_table}"'):
            raise OperationalError("canceling statement due to lock timeout")
        return execute(sql, *args)

    with connection.execute_wrapper(busy):
        response = post(alice, PATH, {"title": "Tea"}, **KEY)
    again = post(alice, PATH, {"title": "Tea"}, **KEY)
    assert (response.status_code, response.json()["title"]) == (201, "Tea")
    assert (again.status_code, again.json()["error"]["code"]) == (409, "still_working")
    assert titles(cast) == ["Tea"]


@pytest.mark.django_db
def test_a_key_belongs_to_one_member_of_one_organization(alice: Client, cast: Cast) -> None:
    answers = [
        post(alice, PATH, {"title": "Tea"}, **KEY),
        post(signed_in(cast.bob), PATH, {"title": "Coffee"}, **KEY),
        post(signed_in(cast.charlie), "/o/other/api/conversations/", {"title": "Milk"}, **KEY),
    ]
    assert [answer.status_code for answer in answers] == [201, 201, 201]
    assert len({answer.json()["id"] for answer in answers}) == 3


@pytest.mark.django_db(databases=["default", "system"], transaction=True)
def test_answers_are_kept_for_a_day(alice: Client, cast: Cast) -> None:
    post(alice, PATH, {"title": "Tea"}, **KEY)
    assert answers_expire() == 0
    change_kept(cast, created_at=timezone.now() - RETENTION)
    assert post(alice, PATH, {"title": "Coffee"}, **KEY).status_code == 201
    change_kept(cast, created_at=timezone.now() - RETENTION)
    assert answers_expire() == 1
    assert titles(cast) == ["Tea", "Coffee"]


@pytest.mark.django_db
@pytest.mark.parametrize("headers", [{}, KEY])
@pytest.mark.parametrize("content_type", ["multipart/form-data; boundary=b", "multipart/form-data"])
def test_a_form_is_refused_with_and_without_a_key(cast: Cast, headers: dict[str, str], content_type: str) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(cast.alice)
    browser.cookies[django_settings.CSRF_COOKIE_NAME] = "c" * 32
    body = b'--b\r\nContent-Disposition: form-data; name="title"\r\n\r\nTea\r\n--b--\r\n'
    form = browser.post(PATH, body, content_type=content_type, headers={"X-CSRFToken": "c" * 32, **headers})
    assert (form.status_code, form.json()["error"]["code"]) == (415, "unsupported_media")
    assert post(browser, PATH, {"title": "Tea"}, **{"X-CSRFToken": "c" * 32, **headers}).status_code == 201
    assert titles(cast) == ["Tea"]


@pytest.mark.django_db
@pytest.mark.parametrize("key", ["", "two words", "x" * 256, "schlüssel"])
def test_a_key_that_is_none_is_refused(alice: Client, key: str) -> None:
    assert post(alice, PATH, {"title": "Tea"}, **{"Idempotency-Key": key}).status_code == 400
