"""The environment variables of Parley, parsed and checked; all problems are reported together."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    FilePath,
    NonNegativeInt,
    PositiveInt,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from config.env_values import (
    LEAST_RETENTION_DAYS,
    Addresses,
    Database,
    DatabaseUrl,
    Mail,
    Origin,
    Program,
    parse_backup_key,
    parse_contact,
    parse_credential_keys,
    parse_database_url,
    parse_folder,
    parse_hosts,
    parse_identifier,
    parse_ip,
    parse_log_redis_url,
    parse_programs,
    parse_proxies,
    parse_redis_url,
    parse_retention_days,
    parse_scanner,
    parse_secret_key,
    parse_sender,
    parse_tenant,
    parse_url,
)

BASE_DIR = Path(__file__).resolve().parent.parent
LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})


class InvalidEnvironment(ImproperlyConfigured):
    """Variables are missing or wrong. The message has one line per problem, which names the variable and says what to do."""


class Environment(BaseSettings):
    """All variables. Each field is the environment variable of the same name in upper case, e.g. `redis_url` is REDIS_URL.

    Spaces around a value do not count, and an empty variable counts as one that is not set.
    """

    model_config = SettingsConfigDict(frozen=True, validate_default=False)

    secret_key: Annotated[str, BeforeValidator(parse_secret_key)]
    credential_keys: Annotated[dict[str, bytes], NoDecode, BeforeValidator(parse_credential_keys)]  # by id, the current one first
    backup_key: Annotated[bytes | None, NoDecode, BeforeValidator(parse_backup_key)] = None  # of `manage.py backup`; None: only plain ones
    database_url: Database
    database_auth_url: Database
    database_owner_url: Database
    database_system_url: Database
    database_replica_url: Annotated[DatabaseUrl | None, NoDecode, BeforeValidator(parse_database_url)] = None  # a standby to read from
    redis_url: Annotated[str, BeforeValidator(parse_redis_url)]
    redis_broker_url: Annotated[str, BeforeValidator(parse_redis_url)] = ""  # empty: REDIS_URL's. So for the next two
    redis_cache_url: Annotated[str, BeforeValidator(parse_redis_url)] = ""
    redis_event_log_url: Annotated[str, BeforeValidator(parse_log_redis_url)] = ""
    redis_prefix: Annotated[str, BeforeValidator(parse_identifier)] = "parley"
    public_url: Origin = urlsplit("http://127.0.0.1:8000")
    demo_provider_url: Annotated[str, BeforeValidator(parse_url)] = ""
    forwarded_allow_ips: Annotated[str, BeforeValidator(parse_proxies)] = "127.0.0.1"  # uvicorn reads it: proxies of our own, or `*`
    sign_up: Literal["closed", "invitation", "domain", "open"] = "invitation"  # who may make an account; each one includes those before it
    operator_second_factor: Literal["required", "optional"] = "required"  # at /operator/
    google_client_id: str = ""  # sign-in with Google; empty: no such button. So for the others
    google_client_secret: str = ""
    microsoft_client_id: str = ""
    microsoft_client_secret: str = ""
    microsoft_tenant: Annotated[str, BeforeValidator(parse_tenant)] = "common"  # common, organizations, consumers, or a tenant's id
    github_client_id: str = ""
    github_client_secret: str = ""
    breached_passwords: FilePath | None = None  # SHA-1 hashes in ascending order, one per line; None: only the list that Django ships
    email_url: Mail | None = None  # None: mails are kept on the operator's site
    email_from: Annotated[str, BeforeValidator(parse_sender)] = ""  # empty: parley@ and PUBLIC_URL's host
    run_executor: Literal["inline", "celery"] = "inline"
    egress_allow: Addresses = frozenset()  # (host, port)
    fetch_allow: Addresses = frozenset()
    own_addresses: Annotated[frozenset[str], NoDecode, BeforeValidator(parse_hosts)] = frozenset()  # hosts, IP addresses and networks
    gemini_api_key: str = ""
    openai_api_key: str = ""
    anthropic_api_key: str = ""
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    log_format: Literal["console", "json"] = "console"
    metrics_address: Annotated[str, BeforeValidator(parse_ip)] = "127.0.0.1"  # where metrics and probes are served
    metrics_port: Annotated[int, Field(ge=0, le=65535)] = 0  # 0: they are not
    metrics_organizations: Literal["0", "1"] = "0"  # whether there are metrics by organization
    otel_exporter_otlp_endpoint: Annotated[str, BeforeValidator(parse_url)] = ""  # traces are sent there; empty: there are none
    sentry_dsn: Annotated[str, BeforeValidator(parse_url)] = ""  # errors are reported there; empty: nowhere
    db_pool_size: NonNegativeInt = 10  # connections per process; 0: no pool
    db_prepare: Literal["0", "1"] = "1"  # whether frequent statements stay prepared on a connection; not behind a pooler
    api_reads_per_minute: NonNegativeInt = 1200  # rate limits per member or token over REST; 0: no limit
    api_writes_per_minute: NonNegativeInt = 240
    api_chats_per_minute: NonNegativeInt = 120
    api_organization_factor: NonNegativeInt = 20  # how many times as much an organization may do as a member; 0: no limit
    platform_audit_addresses: Literal["full", "prefix", "none"] = "full"  # of clients in the operator's own audit log
    platform_audit_days: Annotated[int, Field(ge=30)] = 400  # how long it keeps an event
    retention_min_days: Annotated[int, Field(ge=LEAST_RETENTION_DAYS)] = 7  # after which organizations may have conversations deleted
    retention_max_days: Annotated[int, AfterValidator(parse_retention_days)] = 0  # after which all are; 0: where the organization says so
    beat_in_workers: Literal["0", "1"] = "0"  # whether workers also do what beat does
    drain_notice_s: NonNegativeInt = 2  # from SIGTERM until a web process closes its listener, at least
    drain_s: NonNegativeInt = 60  # for answers to end after SIGTERM, before other processes take them over
    migration_wait_s: NonNegativeInt = 300  # for the tables of this version at a start
    parley_data_dir: Path = BASE_DIR / ".data"
    files_dir: Path | None = None  # attached files; None: a folder in the data directory
    files_s3_bucket: str = ""  # attached files in an S3-compatible store instead
    files_s3_endpoint: Annotated[str, BeforeValidator(parse_url)] = ""  # empty: Amazon's
    files_s3_region: str = "us-east-1"
    files_s3_access_key: str = ""  # empty: the role that the machine has
    files_s3_secret_key: str = Field(default="", repr=False)
    files_s3_prefix: Annotated[str, BeforeValidator(parse_folder)] = ""  # of all keys, such as parley/
    files_s3_addressing: Literal["auto", "path", "virtual"] = "auto"  # where the bucket's name stands
    files_s3_signed_downloads: Literal["0", "1"] = "0"  # whether downloads come from the store itself
    malware_scanner: Annotated[str, BeforeValidator(parse_scanner)] = ""  # icap://host:1344/service, or command:program and arguments
    files_member_mb: PositiveInt = 2_000  # stored files of one member, and of one organization, at most
    files_member_count: PositiveInt = 10_000
    files_organization_mb: PositiveInt = 20_000
    files_organization_count: PositiveInt = 100_000
    files_url: Origin | None = None  # origin that serves only files; None: PUBLIC_URL's
    mcp_stdio_servers: Annotated[dict[str, Program], NoDecode, BeforeValidator(parse_programs)] = {}
    users_make_organizations: Literal["0", "1"] = "0"  # whether people may make organizations of their own
    security_contact: Annotated[str, BeforeValidator(parse_contact)] = ""  # for /.well-known/security.txt
    security_policy_url: Annotated[str, BeforeValidator(parse_url)] = ""
    debug: Literal["0", "1"] = "0"

    @model_validator(mode="before")
    @classmethod
    def _strip(cls, variables: dict[str, str]) -> dict[str, str]:
        texts = {name: text.strip() for name, text in variables.items()}
        return {name: text for name, text in texts.items() if text}

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
        logins = {}
        for name, scope in scopes.items():
            if client_id := getattr(self, f"{name}_client_id"):
                settings = {"scope": scope, "oauth_pkce_enabled": True, **more.get(name, {})}
                logins[name] = {"client_id": client_id, "secret": getattr(self, f"{name}_client_secret"), "settings": settings}
        return logins

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
