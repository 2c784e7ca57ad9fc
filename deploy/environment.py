#!/usr/bin/env python3
"""Write the environment of a new installation, with passwords and keys of its own, into a file that this user alone can read.

    python3 deploy/environment.py chat.example.org deploy/.env --database postgres --redis valkey    # compose.yaml
    python3 deploy/environment.py chat.example.org /etc/parley/env                                   # systemd, servers on this machine

Needs Python 3.11 and nothing else. An existing file is never changed: CREDENTIAL_KEYS in it opens the stored provider keys, and
BACKUP_KEY the backups.
"""

from __future__ import annotations

import argparse
import base64
import os
import secrets
import sys
from pathlib import Path

ROLES = ("app", "auth", "owner", "system")


def variables(domain: str, database: str, redis: str) -> dict[str, str]:
    """Return the variables by name. `database`, `redis`: hosts, with a port if it is not the usual one."""
    passwords = {role: secrets.token_urlsafe(32) for role in ROLES}
    redis_password = secrets.token_urlsafe(32)
    urls = {role: f"postgresql://parley_{role}:{password}@{database}/parley" for role, password in passwords.items()}
    return {
        "PUBLIC_URL": f"https://{domain}",
        "DOMAIN": domain,  # the Caddyfile's
        "SECRET_KEY": secrets.token_urlsafe(50),
        "CREDENTIAL_KEYS": f"key1:{base64.b64encode(secrets.token_bytes(32)).decode()}",
        "BACKUP_KEY": base64.b64encode(secrets.token_bytes(32)).decode(),  # keep a copy elsewhere than the backups
        "DATABASE_URL": urls["app"],
        "DATABASE_AUTH_URL": urls["auth"],
        "DATABASE_OWNER_URL": urls["owner"],
        "DATABASE_SYSTEM_URL": urls["system"],
        "REDIS_URL": f"redis://:{redis_password}@{redis}/0",
        # For the servers themselves: deploy/database.sql gives these to the roles, compose.yaml to Valkey.
        **{f"PARLEY_{role.upper()}_PASSWORD": password for role, password in passwords.items()},
        "REDIS_PASSWORD": redis_password,
        "POSTGRES_PASSWORD": secrets.token_urlsafe(32),  # the superuser's, in compose.yaml
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the environment of a new installation.")
    parser.add_argument("domain", help="the name that people type, such as chat.example.org")
    parser.add_argument("file", type=Path)
    parser.add_argument("--database", default="127.0.0.1", help="host of PostgreSQL, with a port if it is not 5432")
    parser.add_argument("--redis", default="127.0.0.1", help="host of Redis or Valkey, with a port if it is not 6379")
    options = parser.parse_args()
    try:
        descriptor = os.open(options.file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        sys.exit(f"{options.file} is there already. Its keys open what is stored, so it is left as it is.")
    with os.fdopen(descriptor, "w") as file:
        file.writelines(f"{name}={value}\n" for name, value in variables(options.domain, options.database, options.redis).items())


if __name__ == "__main__":
    main()
