"""Environment variables of the children. Values that the user set take precedence; the others are made here."""

from __future__ import annotations

import base64
import json
import os
import secrets

from tools.embedded.layout import Layout
from tools.embedded.postgres import Postgres
from tools.embedded.valkey import Valkey

DATABASE_VARIABLES = ("DATABASE_URL", "DATABASE_AUTH_URL", "DATABASE_OWNER_URL", "DATABASE_SYSTEM_URL")
REDIS_VARIABLES = ("REDIS_BROKER_URL", "REDIS_CACHE_URL", "REDIS_EVENT_LOG_URL")  # those beside REDIS_URL
CREDENTIAL_KEY_BYTES = 32  # AES-256


def has_own_database() -> bool:
    return any(os.environ.get(name) for name in DATABASE_VARIABLES)


def has_own_redis() -> bool:
    return bool(os.environ.get("REDIS_URL"))


def database_urls(postgres: Postgres) -> dict[str, str]:
    from tools.embedded import postgres as roles

    return dict(zip(DATABASE_VARIABLES, (postgres.url(role) for role in (roles.APP, roles.AUTH, roles.OWNER, roles.SYSTEM)), strict=True))


def generated_secrets(layout: Layout) -> dict[str, str]:
    """Return SECRET_KEY and CREDENTIAL_KEYS of this data directory, generated at the first start and stored there (mode 0600).

    Losing the file makes stored provider keys unreadable.
    """
    if not layout.secrets.exists():
        key = base64.b64encode(secrets.token_bytes(CREDENTIAL_KEY_BYTES)).decode()
        new_secrets = {"SECRET_KEY": secrets.token_urlsafe(50), "CREDENTIAL_KEYS": f"local1:{key}"}
        temporary = layout.secrets.with_suffix(".tmp")
        temporary.unlink(missing_ok=True)
        with os.fdopen(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
            json.dump(new_secrets, file)
        temporary.replace(layout.secrets)
    stored_secrets: dict[str, str] = json.loads(layout.secrets.read_text())
    return stored_secrets


def child_environment(
    layout: Layout, *, postgres: Postgres | None, valkey: Valkey | None, public_url: str, files_url: str, demo_port: int | None
) -> dict[str, str]:
    """Return the complete environment of every child. `demo_port`: the demo provider's port; `files_url`: "" for the pages' own."""
    defaults = {
        **generated_secrets(layout),
        "PUBLIC_URL": public_url,
        "FILES_URL": files_url,
        "PARLEY_DATA_DIR": str(layout.data),
        "PYTHONUNBUFFERED": "1",
        "BEAT_IN_WORKERS": "1",  # one process less
        "DRAIN_NOTICE_S": "0",  # no load balancer asks
        "DRAIN_S": "5",  # whoever presses Ctrl-C waits
    }
    if postgres:
        defaults |= database_urls(postgres)
    if valkey:
        defaults["REDIS_URL"] = valkey.url
    overrides = {name: value for name, value in os.environ.items() if value or name not in defaults}
    env = {**defaults, **overrides}
    if demo_port is not None:
        address = f"127.0.0.1:{demo_port}"
        env["DEMO_PROVIDER_URL"] = f"http://{address}"
        env.setdefault("OPERATOR_SECOND_FACTOR", "optional")  # its password is published anyway
        env["EGRESS_ALLOW"] = ",".join(filter(None, [env.get("EGRESS_ALLOW", ""), address]))
    return env
