"""A strict OpenID Connect provider with one person at its screen, whose answers a test can spoil.

It checks what a real provider checks: client, secret, redirect address, PKCE, and that a code is used once (OpenID Connect Core 1.0, RFC 7636).
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import time
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from jwt.algorithms import ECAlgorithm

from doubles.asgi import Receive, Scope, Send, read_body, send_json

LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout"


class OidcDouble:
    """An ASGI application. `person` are the claims of who signs in; `spoil` replaces claims of tokens, None leaves one out."""

    base_url = ""  # where it is served, and its issuer

    def __init__(self, *, client_id: str = "parley", redirect_uris: tuple[str, ...] = ()) -> None:
        self.client_id, self.redirect_uris = client_id, redirect_uris
        self.secret = secrets.token_urlsafe(16)
        self.person: dict[str, Any] = {}
        self.signed_in_at = int(time.time())  # the person, here
        self.spoil: dict[str, Any] = {}
        self.clock_offset_s = 0
        self.only_in_user_info: tuple[str, ...] = ()  # claims that the ID token leaves out
        self.user_info: dict[str, Any] = {}  # replaces claims of the user-info answer
        self.algorithm = "ES256"
        self.document: dict[str, Any] = {}  # replaces parts of the discovery document
        self.codes: dict[str, dict[str, str]] = {}
        self.request_paths: list[str] = []  # oldest first
        self.refusals: list[str] = []
        self.rotate_key()

    def rotate_key(self, *, is_published: bool = True) -> None:
        """Sign with a new key from now on."""
        self.key, self.key_id = ec.generate_private_key(ec.SECP256R1()), secrets.token_hex(4)
        if is_published:
            public = json.loads(ECAlgorithm.to_jwk(self.key.public_key()))
            self.published = [{**public, "kid": self.key_id, "use": "sig", "alg": "ES256"}]

    def authorize(self, address: str) -> str:
        """Sign the person in at the provider; return the address that the browser is sent back to."""
        query = dict(parse_qsl(urlsplit(address).query))
        assert query["client_id"] == self.client_id, "unknown client"
        assert query["redirect_uri"] in self.redirect_uris, "unknown redirect address"
        assert query["response_type"] == "code"
        assert "openid" in query["scope"].split()
        assert query["code_challenge_method"] == "S256"
        assert query["state"]
        assert query["nonce"]
        if query.get("prompt") == "login":
            self.signed_in_at = int(time.time())
        code = secrets.token_urlsafe(16)
        self.codes[code] = query
        return f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state'], 'iss': self.base_url})}"

    def token(self, **claims: Any) -> str:
        """Sign a token; `spoil` is applied last."""
        now = int(time.time()) + self.clock_offset_s
        body = {"iss": self.base_url, "aud": self.client_id, "iat": now, "exp": now + 300, **claims, **self.spoil}
        payload = {name: value for name, value in body.items() if value is not None}
        key: Any = {"none": None, "HS256": self.secret * 2}.get(self.algorithm, self.key)
        return jwt.encode(payload, key, algorithm=self.algorithm, headers={"kid": self.key_id})

    def logout_token(self, **claims: Any) -> str:
        defaults: dict[str, Any] = {
            "sub": self.person.get("sub"),
            "sid": self.person.get("sid"),
            "jti": secrets.token_hex(8),
            "events": {LOGOUT_EVENT: {}},
        }
        return self.token(**{**defaults, **claims})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.request_paths.append(scope["path"])
        match scope["method"], scope["path"]:
            case "GET", "/.well-known/openid-configuration":
                await send_json(send, 200, {**self._discovery(), **self.document})
            case "GET", "/keys":
                await send_json(send, 200, {"keys": self.published})
            case "GET", "/me":
                is_bearer = dict(scope["headers"]).get(b"authorization") == b"Bearer access"
                await send_json(send, 200 if is_bearer else 401, {**self.person, **self.user_info})
            case "POST", "/token":
                await self._exchange(scope, dict(parse_qsl((await read_body(receive)).decode())), send)
            case _:
                await send_json(send, 404, {"error": "not_found"})

    async def _exchange(self, scope: Scope, form: dict[str, str], send: Send) -> None:
        query = self.codes.pop(form.get("code", ""), None)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest()).rstrip(b"=").decode()
        if self._client(scope, form) != (self.client_id, self.secret):
            problem = "invalid_client"
        elif query is None or form.get("redirect_uri") != query["redirect_uri"] or challenge != query["code_challenge"]:
            problem = "invalid_grant"
        else:
            claims = {name: value for name, value in self.person.items() if name not in self.only_in_user_info}
            if "max_age" in query:  # Core 1.0, 3.1.2.1
                claims["auth_time"] = self.signed_in_at
            token = self.token(nonce=query["nonce"], **claims)
            await send_json(send, 200, {"access_token": "access", "token_type": "Bearer", "id_token": token})
            return
        self.refusals.append(problem)
        await send_json(send, 400, {"error": problem})

    def _client(self, scope: Scope, form: dict[str, str]) -> tuple[str, str]:
        header = dict(scope["headers"]).get(b"authorization", b"").decode()
        if header.startswith("Basic "):
            name, _, secret = base64.b64decode(header[6:]).decode().partition(":")
            return name, secret
        return form.get("client_id", ""), form.get("client_secret", "")

    def _discovery(self) -> dict[str, Any]:
        return {
            "issuer": self.base_url,
            "authorization_endpoint": f"{self.base_url}/authorize",
            "token_endpoint": f"{self.base_url}/token",
            "jwks_uri": f"{self.base_url}/keys",
            "userinfo_endpoint": f"{self.base_url}/me",
            "end_session_endpoint": f"{self.base_url}/logout",
            "response_types_supported": ["code"],
            "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"],
            "authorization_response_iss_parameter_supported": True,
        }
