"""The environment variables of Parley, parsed and checked; all problems are reported together."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_type_hints
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

BASE_DIR = Path(__file__).resolve().parent.parent
LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})


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


def _database_url(text: str) -> DatabaseUrl:
    url = urlsplit(text)
    name = unquote(url.path.lstrip("/"))
    if url.scheme not in {"postgres", "postgresql"} or not name or not url.username:
        raise ValueError("must read postgresql://user:password@host:port/name or postgresql://user@/name?host=/socket/directory")
    host = parse_qs(url.query).get("host", [url.hostname or ""])[0]
    password = unquote(url.password or "")
    return DatabaseUrl(name=name, user=unquote(url.username), password=password, host=host, port=str(url.port or ""))


def _redis_url(text: str) -> str:
    url = urlsplit(text)
    if url.scheme not in {"redis", "rediss", "unix"} or not (url.hostname or url.path):
        raise ValueError("must read redis://host:port/0, rediss://... or unix:///path/to/socket")
    return text


def _identifier(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,40}", text):
        raise ValueError("may hold 1 to 40 letters, digits, - and _")
    return text


def _origin(text: str) -> SplitResult:
    url = urlsplit(text)
    if url.scheme not in {"http", "https"} or not url.hostname or url.path not in {"", "/"} or url.query:
        raise ValueError("must be an origin like https://chat.example.org, without a path")
    return url


def _optional_url(text: str) -> str:
    url = urlsplit(text)
    if text and (url.scheme not in {"http", "https"} or not url.hostname):
        raise ValueError("must be empty or a URL like http://127.0.0.1:8001")
    return text.rstrip("/")


def _optional_origin(text: str) -> SplitResult | None:
    return _origin(text) if text else None


def _optional_path(text: str) -> Path | None:
    return Path(text) if text else None


def _addresses(text: str) -> frozenset[tuple[str, int]]:
    parts = [part.strip().rpartition(":") for part in text.split(",") if part.strip()]
    if any(not host or not port.isdecimal() for host, _, port in parts):
        raise ValueError("must read host:port,host:port")
    return frozenset((host.strip("[]").lower(), int(port)) for host, _, port in parts)


def _count(text: str) -> int:
    if not text.isdecimal():
        raise ValueError("must be a whole number")
    return int(text)


def _programs(text: str) -> dict[str, dict[str, Any]]:
    try:
        programs = json.loads(text or "{}")
    except ValueError as error:
        raise ValueError(PROGRAMS_HINT) from error
    if not isinstance(programs, dict) or not all(_is_program(program) for program in programs.values()):
        raise ValueError(PROGRAMS_HINT)
    return programs


def _is_program(value: object) -> bool:
    match value:
        case {"command": str(command), **rest} if command and rest.keys() <= {"args", "env"}:
            words, env = rest.get("args", []), rest.get("env", {})
            return _are_texts(words, list) and _are_texts(env, dict)
        case _:
            return False


def _are_texts(value: object, kind: type[list[Any] | dict[Any, Any]]) -> bool:
    texts = value.values() if isinstance(value, dict) else value
    return isinstance(value, kind) and all(isinstance(text, str) for text in texts)  # type: ignore[attr-defined]


def _one_of(*choices: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in choices:
            raise ValueError(f"must be one of {', '.join(choices)}")
        return text

    return parse


PROGRAMS_HINT = 'must be JSON like {"notes": {"command": "/usr/bin/notes-mcp", "args": ["--read-only"], "env": {"NAME": "value"}}}'


@dataclass(frozen=True)
class Variable:
    """How an environment variable is read."""

    parse: Callable[[str], object]  # raises ValueError with the end of a sentence, such as "must be a whole number"
    default: str | None = None  # None: the variable must be set


@dataclass(frozen=True)
class Environment:
    """All variables. Each field is the environment variable of the same name in upper case, e.g. `redis_url` is REDIS_URL."""

    secret_key: Annotated[str, Variable(_secret_key)]
    credential_keys: Annotated[dict[str, bytes], Variable(_credential_keys)]  # 32-byte keys by id, the current key first
    database_url: Annotated[DatabaseUrl, Variable(_database_url)]
    database_owner_url: Annotated[DatabaseUrl, Variable(_database_url)]
    database_system_url: Annotated[DatabaseUrl, Variable(_database_url)]
    redis_url: Annotated[str, Variable(_redis_url)]
    redis_prefix: Annotated[str, Variable(_identifier, "parley")]
    public_url: Annotated[SplitResult, Variable(_origin, "http://127.0.0.1:8000")]
    demo_provider_url: Annotated[str, Variable(_optional_url, "")]
    run_executor: Annotated[str, Variable(_one_of("inline", "celery"), "inline")]
    egress_allow: Annotated[frozenset[tuple[str, int]], Variable(_addresses, "")]  # (host, port)
    fetch_allow: Annotated[frozenset[tuple[str, int]], Variable(_addresses, "")]
    gemini_api_key: Annotated[str, Variable(str, "")]
    openai_api_key: Annotated[str, Variable(str, "")]
    anthropic_api_key: Annotated[str, Variable(str, "")]
    log_level: Annotated[str, Variable(_one_of("DEBUG", "INFO", "WARNING", "ERROR"), "INFO")]
    log_format: Annotated[str, Variable(_one_of("console", "json"), "console")]
    db_pool_size: Annotated[int, Variable(_count, "10")]  # connections per process; 0: no pool
    api_reads_per_minute: Annotated[int, Variable(_count, "1200")]  # rate limits per member or token over REST; 0: no limit
    api_writes_per_minute: Annotated[int, Variable(_count, "240")]
    api_chats_per_minute: Annotated[int, Variable(_count, "120")]
    parley_data_dir: Annotated[Path, Variable(Path, str(BASE_DIR / ".data"))]
    files_dir: Annotated[Path | None, Variable(_optional_path, "")]  # attached files; None: a folder in the data directory
    files_url: Annotated[SplitResult | None, Variable(_optional_origin, "")]  # origin that serves only files; None: PUBLIC_URL's
    mcp_stdio_servers: Annotated[dict[str, dict[str, Any]], Variable(_programs, "")]  # MCP servers run as programs on this machine
    debug: Annotated[str, Variable(_one_of("0", "1"), "0")]

    @property
    def is_https(self) -> bool:
        return self.public_url.scheme == "https"

    @property
    def is_local(self) -> bool:
        return self.public_url.hostname in LOCAL_HOSTS


def read_environment(environ: Mapping[str, str]) -> Environment:
    """Return the checked variables.

    Raises InvalidEnvironment, which lists every missing or wrong variable, or refuses DEBUG=1 on a public URL.
    """
    values: dict[str, Any] = {}
    problems: list[str] = []
    for name, hint in get_type_hints(Environment, include_extras=True).items():
        try:
            values[name] = _read(hint.__metadata__[0], environ.get(name.upper(), "").strip())
        except ValueError as problem:
            problems.append(f"{name.upper()} {problem}.")
    if problems:
        raise InvalidEnvironment("\n".join(["The environment is not complete:", *problems, SETUP_HINT]))
    environment = Environment(**values)
    if environment.debug == "1" and not environment.is_local:
        raise InvalidEnvironment("DEBUG=1 is refused because PUBLIC_URL is not on this machine. Unset DEBUG.")
    return environment


SETUP_HINT = "`make run` sets all of these by itself; for other ways to start see docs/operations.md."


def _read(variable: Variable, text: str) -> object:
    if not text and variable.default is None:
        raise ValueError("is not set")
    return variable.parse(text or variable.default or "")
