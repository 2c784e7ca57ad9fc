"""Values of environment variables: how each is parsed, and what is wrong with one that can't be.

The functions raise ValueError with the end of a sentence that begins with the variable's name.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from typing import Annotated, NotRequired
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

import psycopg
from psycopg.conninfo import conninfo_to_dict
from pydantic import BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_settings import NoDecode
from typing_extensions import TypedDict  # pydantic asks for it below Python 3.12

from tenants.redis.addresses import redis_address

LEAST_RETENTION_DAYS = 7  # usage is summed up within three
DATABASE_HINT = "must read postgresql://user:password@host:port/name or postgresql://user@/name?host=/socket/directory"
MAIL_HINT = "must read smtp://user:password@host:587 (STARTTLS), smtps://user:password@host:465 or smtp://host:25?starttls=0"
NAMED_IN_PATH = frozenset({"user", "password", "dbname", "service"})  # libpq takes them as options, too; Parley wants them in one place


@dataclass(frozen=True)
class DatabaseUrl:
    """The parts of a PostgreSQL URL."""

    name: str
    user: str
    password: str
    host: str  # a host name, or the directory of a Unix socket
    port: str  # empty: the default port
    options: dict[str, str] = field(default_factory=dict)  # libpq's, such as sslmode


@dataclass(frozen=True)
class MailServer:
    """Where mails are handed over."""

    host: str
    port: int
    user: str
    password: str = field(repr=False)
    is_tls: bool  # from the first byte
    starts_tls: bool


class Program(TypedDict):
    """An MCP server that runs as a program on this machine."""

    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]  # as pydantic documents it for a TypedDict
    command: Annotated[str, Field(min_length=1)]
    args: NotRequired[list[str]]
    env: NotRequired[dict[str, str]]


def parse_secret_key(text: str) -> str:
    if len(text) < 32:
        raise ValueError("needs at least 32 random characters")
    return text


def parse_credential_keys(text: str) -> dict[str, bytes]:
    pairs = [pair.strip().partition(":") for pair in text.split(",")]
    try:
        keys = {key_id: base64.b64decode(key, validate=True) for key_id, _, key in pairs}
    except binascii.Error as error:
        raise ValueError("must read id:base64,id2:base64, first the current key") from error
    if len(keys) != len(pairs) or "" in keys or any(len(key) != 32 for key in keys.values()):
        raise ValueError("needs different ids, each with a key of 32 bytes in base64: id:base64,id2:base64")
    return keys


def parse_backup_key(text: str) -> bytes:
    try:
        key = base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError("must be 32 bytes in base64") from error
    if len(key) != 32:
        raise ValueError("must be 32 bytes in base64")
    return key


def parse_database_url(text: str) -> DatabaseUrl:
    url = urlsplit(text)
    if url.scheme not in {"postgres", "postgresql"} or not url.path.lstrip("/") or not url.username:
        raise ValueError(DATABASE_HINT)
    _check_database_options([name for name, _ in parse_qsl(url.query, keep_blank_values=True)])
    try:
        parts = {name: str(value) for name, value in conninfo_to_dict(text).items() if value is not None}
    except psycopg.ProgrammingError as error:  # its message may repeat the password
        raise ValueError(DATABASE_HINT) from error
    name, user, password, host, port = (parts.pop(part, "") for part in ("dbname", "user", "password", "host", "port"))
    return DatabaseUrl(name, user, password, host, port, options=parts)


def _check_database_options(names: list[str]) -> None:
    option_names = {option.keyword.decode() for option in psycopg.pq.Conninfo.get_defaults()}
    if unknown := sorted({*names} - option_names):
        raise ValueError(f"has options that PostgreSQL's client library does not know: {', '.join(unknown)}")
    if misplaced := sorted({*names} & NAMED_IN_PATH):
        raise ValueError(f"has {', '.join(misplaced)} after the question mark; it {DATABASE_HINT}")


def parse_log_redis_url(text: str) -> str:
    redis_address(text)
    return text


def parse_redis_url(text: str) -> str:
    if redis_address(text).mode == "cluster":
        raise ValueError("can't be a Redis Cluster, because Celery knows none; only REDIS_EVENT_LOG_URL can")
    return text


def parse_identifier(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,40}", text):
        raise ValueError("may hold 1 to 40 letters, digits, - and _")
    return text


def parse_tenant(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.-]{0,80}", text):
        raise ValueError("must be common, organizations, consumers, or the id or domain of a tenant")
    return text


def parse_origin(text: str) -> SplitResult:
    url = urlsplit(text)
    if url.scheme not in {"http", "https"} or not url.hostname or url.path not in {"", "/"} or url.query:
        raise ValueError("must be an origin like https://chat.example.org, without a path")
    return url


def parse_url(text: str) -> str:
    url = urlsplit(text)
    if url.scheme not in {"http", "https"} or not url.hostname:
        raise ValueError("must be empty or a URL like http://127.0.0.1:8001")
    return text.rstrip("/")


def parse_folder(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*/?", text):
        raise ValueError("must be a folder like parley/ or clients/parley/")
    return f"{text.rstrip('/')}/"


def parse_mail_url(text: str) -> MailServer:
    url = urlsplit(text)
    if url.scheme not in {"smtp", "smtps"} or not url.hostname or url.path not in {"", "/"}:
        raise ValueError(MAIL_HINT)
    try:
        port = url.port
    except ValueError as error:
        raise ValueError(MAIL_HINT) from error
    options = dict(parse_qsl(url.query))
    if {*options} - {"starttls"} or options.get("starttls", "1") not in {"0", "1"}:
        raise ValueError(MAIL_HINT)
    is_tls = url.scheme == "smtps"
    return MailServer(
        host=url.hostname,
        port=port or (465 if is_tls else 587),
        user=unquote(url.username or ""),
        password=unquote(url.password or ""),
        is_tls=is_tls,
        starts_tls=not is_tls and options.get("starttls", "1") == "1",
    )


def parse_sender(text: str) -> str:
    if not re.fullmatch(r"[^@\s<>]+@[^@\s<>]+|[^<>\r\n]+ <[^@\s<>]+@[^@\s<>]+>", text):
        raise ValueError("must read parley@example.org or Parley <parley@example.org>")
    return text


def parse_addresses(text: str) -> frozenset[tuple[str, int]]:
    parts = [part.strip().rpartition(":") for part in text.split(",") if part.strip()]
    if any(not host or not port.isdecimal() for host, _, port in parts):
        raise ValueError("must read host:port,host:port")
    return frozenset((host.strip("[]").lower(), int(port)) for host, _, port in parts)


def parse_contact(text: str) -> str:
    if not text.startswith(("mailto:", "https://", "tel:")) or any(each.isspace() for each in text):
        raise ValueError("must be a URI like mailto:security@example.org or https://example.org/security")
    return text


def parse_proxies(text: str) -> str:
    """Refuse what uvicorn would silently take for a name that no address ever has."""
    try:
        for part in text.split(",") if text != "*" else ():
            ip_network(part.strip())
    except ValueError as error:
        raise ValueError("must read 10.0.0.5,10.1.0.0/16: addresses and networks of proxies; or *") from error
    return text


def parse_retention_days(days: int) -> int:
    if days and days < LEAST_RETENTION_DAYS:
        raise ValueError(f"must be 0 or at least {LEAST_RETENTION_DAYS}")
    return days


def parse_ip(text: str) -> str:
    try:
        return str(ip_address(text))
    except ValueError as error:
        raise ValueError("must be an IP address of this machine, 0.0.0.0 or ::") from error


def parse_hosts(text: str) -> frozenset[str]:
    return frozenset(part.strip().strip("[]").rstrip(".").lower() for part in text.split(",") if part.strip())


def parse_scanner(text: str) -> str:
    url = urlsplit(text)
    is_icap = url.scheme in {"icap", "icaps"} and bool(url.hostname)
    if text and not is_icap and not text.removeprefix("command:").strip().startswith("/"):
        raise ValueError("must read icap://host:1344/service, icaps://... or command:/path/of/program --argument")
    return text


def parse_programs(text: str) -> dict[str, Program]:
    try:
        return TypeAdapter(dict[str, Program]).validate_json(text)
    except ValidationError as error:
        example = '{"notes": {"command": "/usr/bin/notes-mcp", "args": ["--read-only"], "env": {"NAME": "value"}}}'
        raise ValueError(f"must be JSON like {example}") from error


# NoDecode: pydantic-settings would read these as JSON.
Database = Annotated[DatabaseUrl, NoDecode, BeforeValidator(parse_database_url)]
Origin = Annotated[SplitResult, NoDecode, BeforeValidator(parse_origin)]
Mail = Annotated[MailServer, NoDecode, BeforeValidator(parse_mail_url)]
Addresses = Annotated[frozenset[tuple[str, int]], NoDecode, BeforeValidator(parse_addresses)]
