"""The password of a link for anyone: asked for on a page, checked, and limited in how often it can be guessed.

Nothing remembers that it was given: the page is the answer to the form, so that it needs no cookie.
"""

from __future__ import annotations

from typing import Final

from django.contrib.auth.hashers import check_password
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy

from accounts.network_rate import wait_of, wait_of_network
from sharing.models import Share
from sharing.pages.reader_pages import WITH_FORM, busy_page, reader_page

TRIES_OF_NETWORK: Final = 10  # a minute, at one link
TRIES_OF_ALL: Final = 60  # a minute, at one link, from wherever
WRONG: Final = gettext_lazy("That is not the password. Ask whoever sent you the link.")


def password_page(request: HttpRequest, share: Share) -> HttpResponse | None:
    """Return the page that asks for the password; None when the request has it. Raises Unavailable while nobody can count the tries."""
    if request.method != "POST":
        return reader_page("sharing/password.html", {}, headers=WITH_FORM)
    what = f"share-password:{share.pk}"
    of_network = wait_of_network(request.META.get("REMOTE_ADDR", ""), what=what, per_minute=TRIES_OF_NETWORK, must_count=True)
    if wait_s := of_network or wait_of("all", what=what, per_minute=TRIES_OF_ALL, must_count=True):
        return busy_page(wait_s)
    if not check_password(request.POST.get("password", ""), share.password):
        return reader_page("sharing/password.html", {"problem": WRONG}, 403, WITH_FORM)
    return None
