"""Google, Microsoft and GitHub as far as a sign-in meets them: their token endpoints, and who is signed in.

Sources: Google "OpenID Connect", Microsoft Graph "Get user", GitHub "Authorizing OAuth apps" and "List email addresses".
"""

from __future__ import annotations

import secrets
import time
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import jwt

from doubles.asgi import Receive, Scope, Send, read_body, send_json

CLIENT_ID, CLIENT_SECRET = "parley-at-provider", "secret-at-provider"


class SocialDouble:
    """An ASGI application. `person` is who is at the screen, in the provider's own words."""

    base_url = ""

    def __init__(self) -> None:
        self.person: dict[str, Any] = {}
        self.emails: list[dict[str, Any]] = []  # GitHub's
        self.codes: dict[str, dict[str, str]] = {}
        self.tokens: set[str] = set()
        self.request_paths: list[str] = []

    def authorize(self, address: str) -> str:
        """Sign the person in at the provider; return the address that the browser is sent back to."""
        query = dict(parse_qsl(urlsplit(address).query))
        assert query["client_id"] == CLIENT_ID
        assert query["response_type"] == "code"
        assert query["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(16)
        self.codes[code] = query
        return f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.request_paths.append(scope["path"])
        if scope["method"] == "POST":
            await self._exchange(dict(parse_qsl((await read_body(receive)).decode())), send)
            return
        token = dict(scope["headers"]).get(b"authorization", b"").decode().partition(" ")[2]
        if token not in self.tokens:
            await send_json(send, 401, {"message": "Bad credentials"})
        elif scope["path"].endswith("/user/emails"):
            await send_json(send, 200, self.emails)
        else:
            await send_json(send, 200, self.person)

    async def _exchange(self, form: dict[str, str], send: Send) -> None:
        query = self.codes.pop(form.get("code", ""), None)
        is_client = (form.get("client_id"), form.get("client_secret")) == (CLIENT_ID, CLIENT_SECRET)
        if query is None or not is_client or form.get("redirect_uri") != query["redirect_uri"] or not form.get("code_verifier"):
            await send_json(send, 400, {"error": "invalid_grant"})
            return
        token = secrets.token_urlsafe(16)
        self.tokens.add(token)
        now = int(time.time())
        claims = {"iss": "https://accounts.google.com", "aud": CLIENT_ID, "iat": now, "exp": now + 300, **self.person}
        id_token = jwt.encode(claims, "k" * 32, algorithm="HS256") if "sub" in self.person else ""
        await send_json(send, 200, {"access_token": token, "token_type": "bearer", "expires_in": 3600, "id_token": id_token})
