"""In which language the server answers: the one of the member's profile, else the first of ours that the browser asks for.

The texts are marked with gettext where they are written; docs/decisions/0062-server-texts.md says how they become German.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import date
from typing import Any, TypeVar, cast

from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware, auser, get_user
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.decorators import sync_and_async_middleware
from django.utils.formats import date_format
from django.utils.functional import SimpleLazyObject
from django.utils.translation import pgettext
from django.utils.translation.trans_real import parse_accept_lang_header

from tenants.models import User

GetResponse = Callable[[HttpRequest], HttpResponseBase | Awaitable[HttpResponseBase]]
Asker = TypeVar("Asker")


@sync_and_async_middleware
def LanguageMiddleware(get_response: GetResponse) -> GetResponse:  # noqa: N802  named like the other entries of MIDDLEWARE
    """Answer in the browser's language until the member is known (`language_use`). Costs no query."""

    async def handle_async(request: HttpRequest) -> HttpResponseBase:
        # To the end of the request's task: streams go on after the view.
        translation.activate(browser_language(request))
        return _with_language(await cast(Awaitable[HttpResponseBase], get_response(request)))

    def handle(request: HttpRequest) -> HttpResponseBase:
        with translation.override(browser_language(request)):
            return _with_language(cast(HttpResponseBase, get_response(request)))

    return handle_async if iscoroutinefunction(get_response) else handle


def _with_language(response: HttpResponseBase) -> HttpResponseBase:
    if response.headers.get("Content-Type", "").startswith("text/html"):
        response.headers.setdefault("Content-Language", translation.get_language())
        patch_vary_headers(response, ("Accept-Language",))
    return response


class UserMiddleware(AuthenticationMiddleware):
    """Django's middleware, which goes on in the language of the user's profile as soon as somebody asks for the user."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)

        async def known_async() -> Any:
            return language_use(await auser(request))

        request.user = SimpleLazyObject(lambda: language_use(get_user(request)))  # type: ignore[assignment]  # as Django does
        request.auser = known_async


def language_use(user: Asker) -> Asker:
    """Go on in the language of this user's profile, when it names one. Returns the user."""
    if isinstance(user, User) and user.language:
        translation.activate(user.language)
    return user


def socket_language_use(scope: Any, user: User | None = None) -> None:
    """Do the same for a socket, whose handshake has the browser's languages."""
    accept_language = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"accept-language"), "")
    translation.activate(accepted_language(accept_language))
    language_use(user)


def browser_language(request: HttpRequest) -> str:
    """Return which of our languages the browser asks for, else the product's."""
    return translation.get_language_from_request(request)


def accepted_language(header: str) -> str:
    """Return which of our languages a header Accept-Language asks for, else the product's."""
    for code, _ in parse_accept_lang_header(header.lower()):
        try:
            return translation.get_supported_language_variant(code)
        except LookupError:
            continue
    return settings.LANGUAGE_CODE


def date_pattern(pattern: str) -> str:
    """Return a pattern of a date in Django's letters, such as "j F Y", as the active language has it."""
    return pgettext("format of a date, in Django's letters", pattern)


def date_in_words(value: date, pattern: str) -> str:
    """Return a date as the active language writes it. `pattern`: as English has it."""
    return date_format(value, date_pattern(pattern))
