"""The server answers in the language of the profile, else of the browser, at each edge; what it stores is for readers of any language."""

from __future__ import annotations

from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from django.test import Client
from django.utils import translation

from tenants.access import raise_if_suspended
from tenants.errors import OrganizationSuspended
from tenants.models import Organization, User
from tests.rest.conftest import make_conversation
from tests.support.accounts.cast import PASSWORD, Cast
from tests.support.chat.chat_socket import Browser, chat_socket

GERMAN = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}
MISSING = "/o/acme/api/conversations/00000000-0000-4000-8000-000000000000/"


def prefer(user: User, language: str) -> None:
    user.language = language
    user.save()


def test_the_profile_decides_and_then_the_browser(cast: Cast) -> None:
    alice = Client(headers=GERMAN)
    alice.force_login(cast.alice)

    def refusal() -> str:
        return str(alice.get(MISSING).json()["error"]["message"])

    assert refusal() == "Das gibt es nicht, oder Sie haben keinen Zugriff darauf."
    prefer(cast.alice, "en")
    assert refusal() == "This does not exist, or you have no access to it."
    prefer(cast.alice, "de")
    plain = Client()
    plain.force_login(cast.alice)
    assert plain.get(MISSING).json()["error"] == {
        "code": "not_found",
        "message": "Das gibt es nicht, oder Sie haben keinen Zugriff darauf.",
    }


def test_pages_before_the_sign_in_are_in_the_browsers_language(cast: Cast) -> None:
    browser = Client(headers=GERMAN)
    page = browser.get("/login/")
    assert page.headers["Content-Language"] == "de"
    assert "Accept-Language" in page.headers["Vary"]
    assert '<html lang="de">' in page.text
    assert "Anmelden" in page.text
    wrong = browser.post("/login/", {"username": cast.bob.email, "password": f"not {PASSWORD}"})
    assert "E-Mail-Adresse und Passwort passen nicht zusammen." in wrong.text
    missing = browser.get("/nothing/", headers={**GERMAN, "Accept": "text/html"})
    assert missing.status_code == 404
    assert "Diese Seite gibt es nicht, oder Sie haben keinen Zugriff darauf." in missing.text
    assert "Dieser Link funktioniert nicht mehr" in browser.get("/s/unknown/").text
    assert '<html lang="en">' in Client().get("/login/").text


@pytest.fixture
def german(cast: Cast) -> Browser:
    prefer(cast.alice, "de")
    return Browser(cast.alice)


async def test_a_socket_speaks_its_members_language(german: Browser) -> None:
    async with chat_socket(german, "acme") as socket:
        await socket.send(str(uuid4()), " ")
        assert (await socket.receive())["errorText"] == "Die Nachricht ist leer. Schreiben Sie zuerst etwas."


async def test_an_export_and_a_refused_field_are_in_the_members_language(cast: Cast, german: Browser) -> None:
    chat = f"/o/acme/api/conversations/{await sync_to_async(make_conversation)(cast, cast.alice, title='Tee')}/"
    response = await german.call("GET", f"{chat}export/?format=md")
    assert "*Exportiert aus Acme am " in b"".join([piece async for piece in response.streaming_content]).decode()
    error_response = await german.call("PATCH", chat, {"title": 5})
    assert error_response.json()["error"]["message"] == "Die Anfrage ist nicht lesbar: title: muss Text sein."


def test_why_an_organization_is_suspended_is_said_in_the_reader_s_language() -> None:
    organization = Organization(name="Acme", is_active=False, suspension_message="It is being deleted.")
    with translation.override("de"), pytest.raises(OrganizationSuspended) as error:
        raise_if_suspended(organization)
    assert str(error.value) == "Acme ist gesperrt. Sie wird gelöscht."
