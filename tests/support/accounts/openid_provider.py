"""A real OpenID provider in a process of its own: `python -m tests.support.accounts.openid_provider PORT FOLDER`.

It is the identity provider of the accounts library, in a project that knows nothing of Parley, with an SQLite file. FOLDER/state.json says
which keys sign (the last one; all are published) and who is in which groups; a test rewrites it while the provider runs.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tools.embedded.children import Child
from tools.embedded.programs import Program

CLIENT_ID, CLIENT_SECRET = "parley", "secret-of-the-client"
PASSWORD = "at the provider 7"


@dataclass
class OpenIdProvider:
    """The running provider as a test sees it."""

    url: str
    folder: Path
    keys: list[str] = field(default_factory=list)
    groups: dict[str, list[str]] = field(default_factory=dict)

    def write(self) -> None:
        new = self.folder / "state.new"
        new.write_text(json.dumps({"keys": self.keys, "groups": self.groups}))
        new.replace(self.folder / "state.json")  # whole, or not at all

    def rotate_key(self) -> None:
        """Sign with a new key, and publish only that."""
        self.keys = [new_key()]
        self.write()

    def put_into(self, email: str, *groups: str) -> None:
        self.groups[email] = [*groups]
        self.write()


def new_key() -> str:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    form = serialization.PrivateFormat.PKCS8
    return key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()).decode()


@contextmanager
def openid_provider(folder: Path, port: int, *, redirect_uri: str, after_logout: str, people: dict[str, str]) -> Iterator[OpenIdProvider]:
    """Start it for one client. `people`: addresses and names; they share PASSWORD."""
    folder.mkdir()
    running = OpenIdProvider(f"http://127.0.0.1:{port}", folder)
    running.rotate_key()
    setup = {"redirect_uri": redirect_uri, "after_logout": after_logout, "people": people}
    (folder / "setup.json").write_text(json.dumps(setup))
    env = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    program = Program("openid", ["-m", "tests.support.accounts.openid_provider", str(port), str(folder)], env, folder, ("127.0.0.1", port))
    child = Child("openid", program.start, program.wait_ready, program.log, stop_rank=0, grace_s=5)
    child.launch()
    try:
        child.ready()
        yield running
    finally:
        if child.process is not None:
            child.process.kill()
            child.process.wait()


def serve(port: int, folder: Path) -> None:
    """Serve it until the process is ended."""
    import django
    from django.conf import settings

    settings.configure(
        SECRET_KEY="x" * 50,
        DEBUG=True,
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF="tests.support.accounts.openid_urls",
        INSTALLED_APPS=[
            "django.contrib.auth",
            "django.contrib.contenttypes",
            "django.contrib.sessions",
            "django.contrib.messages",
            "allauth",
            "allauth.account",
            "allauth.idp.oidc",
        ],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
            "django.contrib.messages.middleware.MessageMiddleware",
            "allauth.account.middleware.AccountMiddleware",
        ],
        TEMPLATES=[
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "APP_DIRS": True,
                "OPTIONS": {"context_processors": ["django.template.context_processors.request"]},
            }
        ],
        AUTHENTICATION_BACKENDS=["allauth.account.auth_backends.AuthenticationBackend"],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": folder / "db.sqlite3"}},
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        USE_TZ=True,
        # Cookies don't tell ports apart, and Parley runs on the same host.
        SESSION_COOKIE_NAME="openid_session",
        CSRF_COOKIE_NAME="openid_csrf",
        ACCOUNT_LOGIN_METHODS={"email"},
        ACCOUNT_SIGNUP_FIELDS=["email*", "password1*"],
        ACCOUNT_EMAIL_VERIFICATION="none",
        ACCOUNT_RATE_LIMITS=False,
        IDP_OIDC_ADAPTER="tests.support.accounts.openid_adapter.StateAdapter",
        IDP_OIDC_RP_INITIATED_LOGOUT_ASKS_FOR_OP_LOGOUT=False,
        PROVIDER_STATE=folder / "state.json",
    )
    django.setup()
    seed(json.loads((folder / "setup.json").read_text()))

    from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
    from django.core.wsgi import get_wsgi_application

    server = ThreadedWSGIServer(("127.0.0.1", port), WSGIRequestHandler)
    server.set_app(get_wsgi_application())
    server.serve_forever()


def seed(setup: dict[str, Any]) -> None:
    from allauth.account.models import EmailAddress
    from allauth.idp.oidc.models import Client
    from django.contrib.auth.models import User
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    client = Client(id=CLIENT_ID, name="Parley", skip_consent=True, scopes="openid\nemail\nprofile")
    client.set_redirect_uris([setup["redirect_uri"]])
    client.set_post_logout_redirect_uris([setup["after_logout"]])
    client.set_secret(CLIENT_SECRET)
    client.save()
    for email, name in setup["people"].items():
        user = User.objects.create_user(email, email, PASSWORD, first_name=name)
        EmailAddress.objects.create(user=user, email=email, verified=True, primary=True)


if __name__ == "__main__":
    serve(int(sys.argv[1]), Path(sys.argv[2]))
