"""`Client.force_login` stands for somebody who has just given their password (tenants.authentication.session_proof)."""

from __future__ import annotations

import time
from typing import Any

from django.contrib.auth.signals import user_logged_in
from django.http import HttpRequest
from django.test import Client

from tenants.authentication.session_proof import METHODS, METHODS_USER, PROVED_AT


def prove_forced(request: HttpRequest, user: Any, **kwargs: Any) -> None:
    """Note a password in the session. Forced sign-ins come without a request; real ones note what was given."""
    if "REQUEST_METHOD" not in request.META:
        request.session[METHODS_USER] = str(user.pk)
        request.session[METHODS] = [{"method": "password", "at": time.time()}]


def connect() -> None:
    user_logged_in.connect(prove_forced, dispatch_uid="tests.fresh_sign_in")


def age_proof(client: Client, seconds: float = 16 * 60) -> None:
    """Make the proofs of the client's session older."""
    session = client.session
    session[METHODS] = [{**step, **{name: step[name] - seconds for name in ("at", PROVED_AT) if name in step}} for step in session[METHODS]]
    session.save()
