"""The environment variables of Parley, parsed and checked; all problems are reported together."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, Self
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

import psycopg
from django.core.exceptions import ImproperlyConfigured
from psycopg.conninfo import conninfo_to_dict
from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    FilePath,
    NonNegativeInt,
    PositiveInt,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict
from typing_extensions import TypedDict  # pydantic asks for it below Python 3.12

from tenants.redis.addresses import redis_address

BASE_DIR = Path(__file__).resolve().parent.parent
LEAST_RETENTION_DAYS = 7  # usage is summed up within three
LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
DATABASE_HINT = "must read postgresql://user:password@host:port/name or postgresql://user@/name?host=/socket/directory"
MAIL_HINT = "must read smtp://user:password@host:587 (STARTTLS), smtps://user:password@host:465 or smtp://host:25?starttls=0"
NAMED_IN_PATH = frozenset({"user", "password", "dbname", "service"})  # libpq takes them as options, too; Parley wants them in one place


class InvalidEnvironment(ImproperlyConfigured):
    """Variables are missing or wrong. The message has one line per problem, which names the variable and says what to do."""


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


# The functions below raise ValueError with the end of a sentence that begins with the variable's name.


def _secret_key(text: str) -> str:
    if len(text) < 32:
        raise ValueError("needs at least 32 random characters")
    return text


def _credential_keys(text: str) -> dict[str, bytes]:
    pairs = [pair.strip().partition(":") for pair in text.split(",")]
    try:
        keys = {key_id: base64.b64decode(key, validate=True) for key_id, _, key in pairs}
    except binascii.Error as error:
        raise ValueError("must read id:base64,id2:base64, first the current key") from error
    if len(keys) != len(pairs) or "" in keys or any(len(key) != 32 for key in keys.values()):
        raise ValueError("needs different ids, each with a key of 32 bytes in base64: id:base64,id2:base64")
    return keys


def _backup_key(text: str) -> bytes:
    try:
        key = base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError("must be 32 bytes in base64") from error
    if len(key) != 32:
        raise ValueError("must be 32 bytes in base64")
    return key


def _database_url(text: str) -> DatabaseUrl:
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
    known = {option.keyword.decode() for option in psycopg.pq.Conninfo.get_defaults()}
    if unknown := sorted({*names} - known):
        raise ValueError(f"has options that PostgreSQL's client library does not know: {', '.join(unknown)}")
    if misplaced := sorted({*names} & NAMED_IN_PATH):
        raise ValueError(f"has {', '.join(misplaced)} after the question mark; it {DATABASE_HINT}")


def _log_redis_url(text: str) -> str:
    redis_address(text)
    return text


def _redis_url(text: str) -> str:
    if redis_address(text).mode == "cluster":
        raise ValueError("can't be a Redis Cluster, because Celery knows none; only REDIS_EVENT_LOG_URL can")
    return text


def _identifier(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,40}", text):
        raise ValueError("may hold 1 to 40 letters, digits, - and _")
    return text


def _tenant(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.-]{0,80}", text):
        raise ValueError("must be common, organizations, consumers, or the id or domain of a tenant")
    return text


def _origin(text: str) -> SplitResult:
    url = urlsplit(text)
    if url.scheme not in {"http", "https"} or not url.hostname or url.path not in {"", "/"} or url.query:
        raise ValueError("must be an origin like https://chat.example.org, without a path")
    return url


def _url(text: str) -> str:
    url = urlsplit(text)
    if url.scheme not in {"http", "https"} or not url.hostname:
        raise ValueError("must be empty or a URL like http://127.0.0.1:8001")
    return text.rstrip("/")


def _folder(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*/?", text):
        raise ValueError("must be a folder like parley/ or clients/parley/")
    return f"{text.rstrip('/')}/"


def _mail_url(text: str) -> MailServer:
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


def _sender(text: str) -> str:
    if not re.fullmatch(r"[^@\s<>]+@[^@\s<>]+|[^<>\r\n]+ <[^@\s<>]+@[^@\s<>]+>", text):
        raise ValueError("must read parley@example.org or Parley <parley@example.org>")
    return text


def _addresses(text: str) -> frozenset[tuple[str, int]]:
    parts = [part.strip().rpartition(":") for part in text.split(",") if part.strip()]
    if any(not host or not port.isdecimal() for host, _, port in parts):
        raise ValueError("must read host:port,host:port")
    return frozenset((host.strip("[]").lower(), int(port)) for host, _, port in parts)


def _contact(text: str) -> str:
    if not text.startswith(("mailto:", "https://", "tel:")) or any(each.isspace() for each in text):
        raise ValueError("must be a URI like mailto:security@example.org or https://example.org/security")
    return text


def _proxies(text: str) -> str:
    """Refuse what uvicorn would silently take for a name that no address ever has."""
    try:
        for part in text.split(",") if text != "*" else ():
            ip_network(part.strip())
    except ValueError as error:
        raise ValueError("must read 10.0.0.5,10.1.0.0/16: addresses and networks of proxies; or *") from error
    return text


def _days_or_never(days: int) -> int:
    if days and days < LEAST_RETENTION_DAYS:
        raise ValueError(f"must be 0 or at least {LEAST_RETENTION_DAYS}")
    return days


def _ip(text: str) -> str:
    try:
        return str(ip_address(text))
    except ValueError as error:
        raise ValueError("must be an IP address of this machine, 0.0.0.0 or ::") from error


def _hosts(text: str) -> frozenset[str]:
    return frozenset(part.strip().strip("[]").rstrip(".").lower() for part in text.split(",") if part.strip())


def _scanner(text: str) -> str:
    url = urlsplit(text)
    is_icap = url.scheme in {"icap", "icaps"} and bool(url.hostname)
    if text and not is_icap and not text.removeprefix("command:").strip().startswith("/"):
        raise ValueError("must read icap://host:1344/service, icaps://... or command:/path/of/program --argument")
    return text


def _programs(text: str) -> dict[str, Program]:
    try:
        return TypeAdapter(dict[str, Program]).validate_json(text)
    except ValidationError as error:
        example = '{"notes": {"command": "/usr/bin/notes-mcp", "args": ["--read-only"], "env": {"NAME": "value"}}}'
        raise ValueError(f"must be JSON like {example}") from error


# NoDecode: pydantic-settings would read these as JSON.
Database = Annotated[DatabaseUrl, NoDecode, BeforeValidator(_database_url)]
Origin = Annotated[SplitResult, NoDecode, BeforeValidator(_origin)]
Mail = Annotated[MailServer, NoDecode, BeforeValidator(_mail_url)]
Addresses = Annotated[frozenset[tuple[str, int]], NoDecode, BeforeValidator(_addresses)]


class Environment(BaseSettings):
    """All variables. Each field is the environment variable of the same name in upper case, e.g. `redis_url` is REDIS_URL.

    Spaces around a value do not count, and an empty variable counts as one that is not set.
    """

    model_config = SettingsConfigDict(frozen=True, validate_default=False)

    secret_key: Annotated[str, BeforeValidator(_secret_key)]
    credential_keys: Annotated[dict[str, bytes], NoDecode, BeforeValidator(_credential_keys)]  # 32-byte keys by id, the current key first
    backup_key: Annotated[bytes | None, NoDecode, BeforeValidator(_backup_key)] = None  # of `manage.py backup`; None: only plain ones
    database_url: Database
    database_auth_url: Database
    database_owner_url: Database
    database_system_url: Database
    database_replica_url: Annotated[DatabaseUrl | None, NoDecode, BeforeValidator(_database_url)] = None  # a standby to read from
    redis_url: Annotated[str, BeforeValidator(_redis_url)]
    redis_broker_url: Annotated[str, BeforeValidator(_redis_url)] = ""  # empty: REDIS_URL's. So for the next two
    redis_cache_url: Annotated[str, BeforeValidator(_redis_url)] = ""
    redis_event_log_url: Annotated[str, BeforeValidator(_log_redis_url)] = ""
    redis_prefix: Annotated[str, BeforeValidator(_identifier)] = "parley"
    public_url: Origin = urlsplit("http://127.0.0.1:8000")
    demo_provider_url: Annotated[str, BeforeValidator(_url)] = ""
    forwarded_allow_ips: Annotated[str, BeforeValidator(_proxies)] = "127.0.0.1"  # uvicorn reads it: proxies of our own, or `*`
    sign_up: Literal["closed", "invitation", "domain", "open"] = "invitation"  # who may make an account; each one includes those before it
    operator_second_factor: Literal["required", "optional"] = "required"  # at /operator/
    google_client_id: str = ""  # sign-in with Google; empty: no such button. So for the others
    google_client_secret: str = ""
    microsoft_client_id: str = ""
    microsoft_client_secret: str = ""
    microsoft_tenant: Annotated[str, BeforeValidator(_tenant)] = "common"  # common, organizations, consumers, or a tenant's id
    github_client_id: str = ""
    github_client_secret: str = ""
    breached_passwords: FilePath | None = None  # SHA-1 hashes in ascending order, one per line; None: only the list that Django ships
    email_url: Mail | None = None  # None: mails are kept on the operator's site
    email_from: Annotated[str, BeforeValidator(_sender)] = ""  # empty: parley@ and PUBLIC_URL's host
    run_executor: Literal["inline", "celery"] = "inline"
    egress_allow: Addresses = frozenset()  # (host, port)
    fetch_allow: Addresses = frozenset()
    own_addresses: Annotated[frozenset[str], NoDecode, BeforeValidator(_hosts)] = frozenset()  # hosts, IP addresses and networks
    gemini_api_key: str = ""
    openai_api_key: str = ""
    anthropic_api_key: str = ""
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    log_format: Literal["console", "json"] = "console"
    metrics_address: Annotated[str, BeforeValidator(_ip)] = "127.0.0.1"  # where metrics and probes are served
    metrics_port: Annotated[int, Field(ge=0, le=65535)] = 0  # 0: they are not
    metrics_organizations: Literal["0", "1"] = "0"  # whether there are metrics by organization
    otel_exporter_otlp_endpoint: Annotated[str, BeforeValidator(_url)] = ""  # traces are sent there; empty: there are none
    sentry_dsn: Annotated[str, BeforeValidator(_url)] = ""  # errors are reported there; empty: nowhere
    db_pool_size: NonNegativeInt = 10  # connections per process; 0: no pool
    db_prepare: Literal["0", "1"] = "1"  # whether frequent statements stay prepared on a connection; not behind a pooler
    api_reads_per_minute: NonNegativeInt = 1200  # rate limits per member or token over REST; 0: no limit
    api_writes_per_minute: NonNegativeInt = 240
    api_chats_per_minute: NonNegativeInt = 120
    api_organization_factor: NonNegativeInt = 20  # how many times as much an organization may do as a member; 0: no limit
    platform_audit_addresses: Literal["full", "prefix", "none"] = "full"  # of clients in the operator's own audit log
    platform_audit_days: Annotated[int, Field(ge=30)] = 400  # how long it keeps an event
    retention_min_days: Annotated[int, Field(ge=LEAST_RETENTION_DAYS)] = 7  # after which organizations may have conversations deleted
    retention_max_days: Annotated[int, AfterValidator(_days_or_never)] = 0  # after which all are; 0: only where the organization says so
    beat_in_workers: Literal["0", "1"] = "0"  # whether workers also do what beat does
    drain_notice_s: NonNegativeInt = 2  # from SIGTERM until a web process closes its listener, at least
    drain_s: NonNegativeInt = 60  # for answers to end after SIGTERM, before other processes take them over
    migration_wait_s: NonNegativeInt = 300  # for the tables of this version at a start
    parley_data_dir: Path = BASE_DIR / ".data"
    files_dir: Path | None = None  # attached files; None: a folder in the data directory
    files_s3_bucket: str = ""  # attached files in an S3-compatible store instead
    files_s3_endpoint: Annotated[str, BeforeValidator(_url)] = ""  # empty: Amazon's
    files_s3_region: str = "us-east-1"
    files_s3_access_key: str = ""  # empty: the role that the machine has
    files_s3_secret_key: str = Field(default="", repr=False)
    files_s3_prefix: Annotated[str, BeforeValidator(_folder)] = ""  # of all keys, such as parley/
    files_s3_addressing: Literal["auto", "path", "virtual"] = "auto"  # where the bucket's name stands
    files_s3_signed_downloads: Literal["0", "1"] = "0"  # whether downloads come from the store itself
    malware_scanner: Annotated[str, BeforeValidator(_scanner)] = ""  # icap://host:1344/service, or command:program and arguments
    files_member_mb: PositiveInt = 2_000  # stored files of one member, and of one organization, at most
    files_member_count: PositiveInt = 10_000
    files_organization_mb: PositiveInt = 20_000
    files_organization_count: PositiveInt = 100_000
    files_url: Origin | None = None  # origin that serves only files; None: PUBLIC_URL's
    mcp_stdio_servers: Annotated[dict[str, Program], NoDecode, BeforeValidator(_programs)] = {}
    users_make_organizations: Literal["0", "1"] = "0"  # whether people may make organizations of their own
    security_contact: Annotated[str, BeforeValidator(_contact)] = ""  # for /.well-known/security.txt
    security_policy_url: Annotated[str, BeforeValidator(_url)] = ""
    debug: Literal["0", "1"] = "0"

    @model_validator(mode="before")
    @classmethod
    def _strip(cls, given: dict[str, str]) -> dict[str, str]:
        stripped = {name: text.strip() for name, text in given.items()}
        return {name: text for name, text in stripped.items() if text}

    @model_validator(mode="after")
    def _clients_have_secrets(self) -> Self:
        for name in ("google", "microsoft", "github"):
            if bool(getattr(self, f"{name}_client_id")) != bool(getattr(self, f"{name}_client_secret")):
                raise ValueError(f"{name.upper()}_CLIENT_ID and {name.upper()}_CLIENT_SECRET belong together: set both or none")
        return self

    @model_validator(mode="after")
    def _replica_has_the_same_role(self) -> Self:
        if self.database_replica_url and self.database_replica_url.user != self.database_url.user:
            raise ValueError("DATABASE_REPLICA_URL must name the role of DATABASE_URL")
        return self

    @model_validator(mode="after")
    def _files_have_one_place(self) -> Self:
        if self.files_s3_bucket and self.files_dir:
            raise ValueError("FILES_DIR and FILES_S3_BUCKET are two places for files: unset one")
        if bool(self.files_s3_access_key) != bool(self.files_s3_secret_key):
            raise ValueError("FILES_S3_ACCESS_KEY and FILES_S3_SECRET_KEY belong together: set both or none")
        if self.files_s3_signed_downloads == "1" and not self.files_s3_bucket:
            raise ValueError("FILES_S3_SIGNED_DOWNLOADS=1 needs FILES_S3_BUCKET")
        return self

    @model_validator(mode="after")
    def _retention_has_a_range(self) -> Self:
        if self.retention_max_days and self.retention_max_days < self.retention_min_days:
            raise ValueError("RETENTION_MAX_DAYS must be 0 or at least RETENTION_MIN_DAYS")
        return self

    @property
    def social_logins(self) -> dict[str, dict[str, Any]]:
        """Return the clients of sign-in with other providers, for those that are set."""
        scopes = {"google": ["openid", "email", "profile"], "microsoft": ["User.Read"], "github": ["user:email"]}
        more: dict[str, dict[str, Any]] = {"microsoft": {"tenant": self.microsoft_tenant}}
        found = {}
        for name, scope in scopes.items():
            if client_id := getattr(self, f"{name}_client_id"):
                settings = {"scope": scope, "oauth_pkce_enabled": True, **more.get(name, {})}
                found[name] = {"client_id": client_id, "secret": getattr(self, f"{name}_client_secret"), "settings": settings}
        return found

    @property
    def is_https(self) -> bool:
        return self.public_url.scheme == "https"

    @property
    def is_local(self) -> bool:
        return self.public_url.hostname in LOCAL_HOSTS


def read_environment() -> Environment:
    """Return the checked variables of this process.

    Raises InvalidEnvironment, which lists every missing or wrong variable, or refuses DEBUG=1 on a public URL.
    """
    try:
        environment = Environment()
    except ValidationError as error:
        problems = [f"{_variable(problem)}{_explain(problem)}." for problem in error.errors()]
        raise InvalidEnvironment("\n".join(["The environment is not complete:", *problems, SETUP_HINT])) from None
    if environment.debug == "1" and not environment.is_local:
        raise InvalidEnvironment("DEBUG=1 is refused because PUBLIC_URL is not on this machine. Unset DEBUG.")
    return environment


SETUP_HINT = "`make run` sets all of these by itself; for other ways to start see docs/operations.md."


def _variable(problem: ErrorDetails) -> str:
    return f"{str(problem['loc'][0]).upper()} " if problem["loc"] else ""  # what is wrong with several together names them itself


def _explain(problem: ErrorDetails) -> str:
    """Return what is wrong, without the value, which may be a secret."""
    context: dict[str, Any] = problem.get("ctx", {})
    match problem["type"]:
        case "missing":
            return "is not set"
        case "value_error":
            return str(context["error"])
        case "literal_error":
            return f"must be {context['expected']}"
        case _:
            return problem["msg"].replace("Input should be", "must be")
