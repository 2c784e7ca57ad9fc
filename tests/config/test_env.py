from __future__ import annotations

import asyncio
import base64
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import urlsplit

import pytest
import uvicorn

from config import env
from config.env import Environment, InvalidEnvironment
from config.env_values import DatabaseUrl
from config.settings import django
from config.settings.celery import broker_url

KEY = base64.b64encode(bytes(32)).decode()
COMPLETE = {
    "SECRET_KEY": "s" * 32,
    "CREDENTIAL_KEYS": f"new:{KEY},old:{KEY}",
    "DATABASE_URL": "postgresql://app:p%40ss@db.example:5433/parley",
    "DATABASE_AUTH_URL": "postgresql://auth@db.example/parley",
    "DATABASE_OWNER_URL": "postgresql://owner@/parley?host=/run/pg",
    "DATABASE_SYSTEM_URL": "postgres://system@db.example/parley",
    "REDIS_URL": "redis://cache.example:6379/0",
}


def read_environment(environ: Mapping[str, str]) -> Environment:
    """The variables of a process that has these and no others."""
    with patch.dict(os.environ, environ, clear=True):
        return env.read_environment()


def test_a_complete_environment_is_typed() -> None:
    environment = read_environment(COMPLETE | {"EGRESS_ALLOW": "Llm.local:8080, [::1]:9"})
    assert environment.database_url == DatabaseUrl("parley", "app", "p@ss", "db.example", "5433")
    assert environment.database_owner_url == DatabaseUrl("parley", "owner", "", "/run/pg", "")
    assert [*environment.credential_keys] == ["new", "old"]
    assert environment.egress_allow == {("llm.local", 8080), ("::1", 9)}
    assert (environment.redis_prefix, environment.run_executor, environment.db_pool_size) == ("parley", "inline", 10)


def test_all_problems_are_reported_together() -> None:
    with pytest.raises(InvalidEnvironment) as problems:
        read_environment({"SECRET_KEY": "short", "REDIS_URL": "http://x"})
    lines = str(problems.value).splitlines()
    assert [line.split()[0] for line in lines[1:-1]] == [
        "SECRET_KEY",
        "CREDENTIAL_KEYS",
        "DATABASE_URL",
        "DATABASE_AUTH_URL",
        "DATABASE_OWNER_URL",
        "DATABASE_SYSTEM_URL",
        "REDIS_URL",
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SECRET_KEY", "x" * 31),
        ("CREDENTIAL_KEYS", "a:not base64"),
        ("CREDENTIAL_KEYS", "a:c2hvcnQ="),
        ("CREDENTIAL_KEYS", f"a:{KEY},a:{KEY}"),
        ("CREDENTIAL_KEYS", KEY),
        ("DATABASE_URL", "mysql://app@db/parley"),
        ("DATABASE_URL", "postgresql://db/parley"),
        ("DATABASE_URL", "postgresql://app@db"),
        ("DATABASE_URL", "postgresql://app:two words@db/parley"),
        ("REDIS_URL", "unix://"),
        ("REDIS_URL", "redis://a:6379,b:6379"),
        ("REDIS_URL", "redis+sentinel://a:26379"),
        ("REDIS_BROKER_URL", "redis+cluster://a:6379"),
        ("REDIS_CACHE_URL", "redis+sentinel://a:port/main"),
        ("REDIS_EVENT_LOG_URL", "redis+cluster://a:6379/1"),
        ("REDIS_PREFIX", "a:b"),
        ("PUBLIC_URL", "chat.example.org"),
        ("PUBLIC_URL", "https://chat.example.org/path"),
        ("DEMO_PROVIDER_URL", "localhost:9000"),
        ("RUN_EXECUTOR", "thread"),
        ("EGRESS_ALLOW", "10.0.0.1"),
        ("FORWARDED_ALLOW_IPS", "10.0.0.5/16"),
        ("FORWARDED_ALLOW_IPS", "proxy.internal"),
        ("FORWARDED_ALLOW_IPS", "127.0.0.1,*"),
        ("LOG_LEVEL", "LOUD"),
        ("DB_POOL_SIZE", "-1"),
        ("DEBUG", "yes"),
    ],
)
def test_a_wrong_value_is_named(name: str, value: str) -> None:
    with pytest.raises(InvalidEnvironment, match=rf"(?m)^{name} "):
        read_environment(COMPLETE | {name: value})


@pytest.mark.parametrize("name", ["SECRET_KEY", "CREDENTIAL_KEYS", "DATABASE_URL", "REDIS_URL"])
def test_a_wrong_secret_is_not_repeated(name: str) -> None:
    with pytest.raises(InvalidEnvironment) as problems:
        read_environment(COMPLETE | {name: "hunter2"})
    assert "hunter2" not in str(problems.value)
    assert problems.value.__cause__ is None


def test_an_empty_variable_is_not_set_and_spaces_around_a_value_do_not_count() -> None:
    environment = read_environment(COMPLETE | {"FILES_URL": "", "EGRESS_ALLOW": " ", "LOG_LEVEL": " ERROR ", "DEMO_PROVIDER_URL": ""})
    assert (environment.files_url, environment.egress_allow, environment.log_level) == (None, frozenset(), "ERROR")
    with pytest.raises(InvalidEnvironment, match="SECRET_KEY is not set"):
        read_environment(COMPLETE | {"SECRET_KEY": "  "})


def test_options_of_the_client_library_pass_on() -> None:
    url = COMPLETE["DATABASE_URL"] + "?sslmode=verify-full&sslrootcert=%2Fetc%2Fca.pem&connect_timeout=3&application_name=parley%20web"
    environment = read_environment(COMPLETE | {"DATABASE_URL": url})
    assert environment.database_url == DatabaseUrl(
        *("parley", "app", "p@ss", "db.example", "5433"),
        options={"sslmode": "verify-full", "sslrootcert": "/etc/ca.pem", "connect_timeout": "3", "application_name": "parley web"},
    )


def test_options_reach_the_connection_beside_our_limits() -> None:
    url = DatabaseUrl("parley", "app", "", "db", "", options={"sslmode": "require", "connect_timeout": "3", "options": "-c jit=off"})
    options = django._database(url, {"max_size": 4})["OPTIONS"]
    assert options["options"] == "-c jit=off"
    assert (options["sslmode"], options["connect_timeout"], options["pool"]) == ("require", "3", {"max_size": 4})
    assert options["tcp_user_timeout"] == 10_000
    assert options["keepalives_idle"] == 5


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("sslmod=require", "has options that PostgreSQL's client library does not know: sslmod"),
        ("sslmode=require&pool=4&ssl=1", "has options that PostgreSQL's client library does not know: pool, ssl"),
        ("user=root", "has user after the question mark"),
    ],
)
def test_other_options_are_refused_by_name(query: str, problem: str) -> None:
    with pytest.raises(InvalidEnvironment, match=rf"(?m)^DATABASE_OWNER_URL {re.escape(problem)}"):
        read_environment(COMPLETE | {"DATABASE_OWNER_URL": f"postgresql://owner:hunter2@db/parley?{query}"})


def test_a_replica_has_the_role_of_the_primary() -> None:
    assert read_environment(COMPLETE).database_replica_url is None
    role = urlsplit(COMPLETE["DATABASE_URL"]).username
    replica = read_environment(COMPLETE | {"DATABASE_REPLICA_URL": f"postgresql://{role}@standby/parley"}).database_replica_url
    assert replica is not None
    assert replica.host == "standby"
    with pytest.raises(InvalidEnvironment, match="DATABASE_REPLICA_URL must name the role of DATABASE_URL"):
        read_environment(COMPLETE | {"DATABASE_REPLICA_URL": "postgresql://postgres@standby/parley"})


@pytest.mark.parametrize(("public_url", "allowed"), [("http://127.0.0.1:8000", True), ("https://chat.example.org", False)])
def test_debug_is_for_this_machine_only(public_url: str, allowed: bool) -> None:
    environ = COMPLETE | {"DEBUG": "1", "PUBLIC_URL": public_url}
    if allowed:
        assert read_environment(environ).debug == "1"
    else:
        with pytest.raises(InvalidEnvironment, match="DEBUG=1 is refused"):
            read_environment(environ)


def test_the_command_line_explains_instead_of_a_traceback() -> None:
    environ = {name: value for name, value in os.environ.items() if name not in COMPLETE}
    manage = Path(__file__).parents[2] / "manage.py"
    result = subprocess.run([sys.executable, manage, "check"], env=environ, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "SECRET_KEY is not set." in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("redis_url", "broker"),
    [
        ("redis://cache.example:6379/2", "redis://cache.example:6379/2"),
        ("unix:///run/valkey.sock", "redis+socket:///run/valkey.sock?virtual_host=0"),
        ("unix:///run/valkey.sock?db=3", "redis+socket:///run/valkey.sock?virtual_host=3"),
        ("redis+sentinel://u:p@a,[::1]:5/main?db=2", "sentinel://u:p@a:26379/2;sentinel://u:p@[::1]:5/2"),
    ],
)
def test_celery_speaks_to_the_same_redis(redis_url: str, broker: str) -> None:
    assert broker_url(redis_url) == broker


def test_the_platforms_bounds_of_retention_leave_a_range() -> None:
    with pytest.raises(InvalidEnvironment, match="RETENTION_MAX_DAYS must be 0 or at least RETENTION_MIN_DAYS"):
        read_environment(COMPLETE | {"RETENTION_MIN_DAYS": "30", "RETENTION_MAX_DAYS": "29"})
    for most in ("0", "30"):
        assert read_environment(COMPLETE | {"RETENTION_MIN_DAYS": "30", "RETENTION_MAX_DAYS": most}).retention_max_days == int(most)


def test_clients_at_other_providers_come_with_their_secrets() -> None:
    variables = {"GITHUB_CLIENT_ID": "id", "GITHUB_CLIENT_SECRET": "s3cret", "MICROSOFT_TENANT": "contoso.example"}
    assert {name: app["client_id"] for name, app in read_environment(COMPLETE | variables).social_logins.items()} == {"github": "id"}
    assert read_environment(COMPLETE).social_logins == {}
    with pytest.raises(InvalidEnvironment, match="GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET belong together") as refusal:
        read_environment(COMPLETE | {"GOOGLE_CLIENT_SECRET": "s3cret"})
    assert "s3cret" not in str(refusal.value)
    with pytest.raises(InvalidEnvironment, match="MICROSOFT_TENANT must be common"):
        read_environment(COMPLETE | {"MICROSOFT_TENANT": "../evil"})


def test_programs_are_named_with_what_starts_them() -> None:
    programs = '{"notes": {"command": "/usr/bin/notes", "args": ["--read-only"], "env": {"HOME": "/srv"}}, "tea": {"command": "tea"}}'
    assert read_environment(COMPLETE | {"MCP_STDIO_SERVERS": programs}).mcp_stdio_servers["tea"] == {"command": "tea"}
    for wrong in ("notes", "[]", '{"notes": "/usr/bin/notes"}', '{"notes": {"command": ""}}', '{"notes": {"command": "a", "args": "b"}}'):
        with pytest.raises(InvalidEnvironment, match="MCP_STDIO_SERVERS must be JSON"):
            read_environment(COMPLETE | {"MCP_STDIO_SERVERS": wrong})


def test_the_table_of_operations_has_every_variable_and_no_other() -> None:
    section = (env.BASE_DIR / "docs" / "operations.md").read_text().partition("## Environment")[2].partition("\n## ")[0]
    cells = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    assert sorted(re.findall(r"`(\w+)`", "".join(cells))) == sorted(name.upper() for name in Environment.model_fields)


@pytest.mark.parametrize("contact", ["security@chat.example", "http://chat.example", "mailto:a@b\nContact: x"])
def test_a_contact_is_an_address_of_the_standard(contact: str) -> None:
    with pytest.raises(InvalidEnvironment, match="SECURITY_CONTACT must be a URI"):
        read_environment(COMPLETE | {"SECURITY_CONTACT": contact})


@pytest.mark.parametrize(
    ("proxies", "peer", "client"),
    [
        ("", "127.0.0.1", "203.0.113.7"),
        ("", "10.1.2.3", "10.1.2.3"),
        ("10.1.0.0/16, 10.2.0.5", "10.1.2.3", "203.0.113.7"),
        ("10.1.0.0/16", "203.0.113.9", "203.0.113.9"),
        ("*", "10.9.9.9", "198.51.100.1"),
    ],
)
def test_the_clients_address_comes_from_the_proxies_that_are_named(proxies: str, peer: str, client: str) -> None:
    """As uvicorn reads the variable: what a client writes into the header itself stands before the proxy's own entry."""
    value = read_environment(COMPLETE | {"FORWARDED_ALLOW_IPS": proxies}).forwarded_allow_ips
    clients: list[Any] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        clients.append(scope["client"][0])

    with patch.dict(os.environ, {"FORWARDED_ALLOW_IPS": value}):
        config = uvicorn.Config(application, log_config=None, lifespan="off")
        config.load()
    headers = [(b"x-forwarded-for", b"198.51.100.1, 203.0.113.7")]
    asyncio.run(config.loaded_app({"type": "http", "asgi": {}, "client": (peer, 1), "headers": headers}, None, None))
    assert clients == [client]


def test_a_worker_finds_its_settings_by_itself() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    subprocess.run(
        [sys.executable, "-c", "import config.celery"], cwd=Path(env.__file__).parent.parent, env=environment, check=True, timeout=60
    )
