"""Rules of SECURITY 2, 6, 14 and 15 that no type checker knows: modules that the code must not go around.

A new exception is a line in one of these tables, with its reason.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = (
    "accounts",
    "admin_config",
    "agents",
    "artifacts",
    "chat",
    "config",
    "embed",
    "evaluations",
    "files",
    "gallery",
    "limits",
    "parley",
    "retention",
    "security",
    "sharing",
    "telemetry",
    "tenants",
    "tools",
    "usage",
)

# Where HTTP clients may be imported. Tests and benchmarks are other sides of the wire and not read here.
HTTP_CLIENTS = frozenset(
    {"aiohttp", "boto3", "botocore", "http.client", "httpcore", "httpcore2", "httpx", "httpx2", "requests", "urllib.request", "urllib3"}
)
MAY_IMPORT_HTTP = {
    "security/egress/": "the checked client itself",
    "accounts/social/transport.py": "hands what the accounts library prepares to the checked client",
    "agents/providers/": "adapters are given the checked client and map its errors",
    "agents/tools/mcp/session.py": "is given the checked client and sets its time limit",
    "config/doctor/proxy.py": "asks the installation's own address, which the checked client refuses, at an operator's command",
    "files/store/s3.py": "boto3 has a client of its own, whose only address is an operator's setting",
    "tools/console_wheels.py": "fetches public wheels at the operator's own start, by their hashes",
    "tools/embedded/supervisor.py": "asks its own children on this machine whether they are up",
}

# Where rows of all organizations may be read (on the system alias).
MAY_USE_UNSCOPED = {
    "accounts/deletion_sweeps.py": "invitations of a deleted user's address go in all organizations",
    "accounts/social/linked_accounts.py": "the person's own identities at the sign-ons of their organizations are shown",
    "accounts/sso/reminders.py": "client secrets of all organizations that end soon are found",
    "accounts/profile/personal_exports.py": "old exports of members' data are deleted, and those of deleted members",
    "tenants/models/base.py": "defines the manager",
    "artifacts/live/versions.py": "live documents of all organizations that wait to become versions are found",
    "chat/storage/open_runs.py": "an operator lists, ends and moves the runs under way of all organizations",
    "config/backup/making.py": "a backup has the files of all organizations",
    "tenants/authentication/tokens.py": "streams end when the API token that opened them does",
    "tenants/rest/idempotency.py": "answers that were kept for a day are deleted",
    "sharing/tokens.py": "rotation seals the tokens of all organizations' links anew, and the doctor counts those that no key opens",
    "security/secrets/lost_keys.py": "a start counts the secrets of all organizations that no key opens",
    "security/secrets/services.py": "rotation seals the secrets of all organizations anew",
    "files/extraction/reading_lane.py": "documents of all organizations that nobody reads are found",
    "security/audit/webhooks.py": "webhooks of all organizations that have something to send are found",
    "security/audit/exports.py": "exports of all organizations whose task was lost are found",
    "security/secrets/member_keys.py": "keys whose session is over are found and removed",
    "tenants/deletion/graph.py": "deletion works as the role that may delete; it names the organization in every statement",
    "chat/conversations/purging.py": "what was deleted long ago is purged; it names the organization in every statement",
    "chat/api/rest/organization_views.py": "the switcher marks the user's other organizations that have unread answers",
    "chat/search/documents.py": "documents of all organizations that wait to be indexed are found",
    "chat/search/indexing.py": "conversations of all organizations that wait to be indexed are found",
    "embed/tasks.py": "visitors of all organizations who have not come back are found",
    "admin_config/services/platform/rollout.py": "organizations that do not have the platform's newest release are found, and counted",
    "usage/platform/storage.py": "organizations whose files were not counted lately are found",
    "limits/plans/services.py": "the operator gives plans to organizations, and sees how many have each",
    "chat/operations/admin.py": "the operator's board shows stuck runs and errors of all organizations",
    "chat/operations/open_breakers.py": "the operator's board shows paused endpoints of all organizations",
    "limits/violations/reading.py": "organizations in which a limit refused something lately are found",
    "limits/sweeps.py": "lost holds of all organizations are found",
    "retention/expired_rows.py": "what is old is counted and deleted by the same queries; each names the organization",
    "retention/removal.py": "what is old is deleted; it names the organization in every statement",
    "evaluations/schedules.py": "releases of all organizations whose time has come are found",
    "evaluations/canary/looks.py": "canaries of all organizations that are under way are found",
    "evaluations/services/leases.py": "experiments and replays of all organizations that nobody works on are found",
    "chat/storage/leases.py": "expired runs of all organizations are found and taken over",
}

MAY_USE_SYNC_TO_ASYNC = {
    "tenants/db.py": "is the only way to database work",
    "config/web/static_files.py": "reads files, no rows",
}

MAY_USE_TO_THREAD = {
    "agents/providers/google/adapter.py": "imports an SDK, which takes a second",
    "agents/providers/google/key_check.py": "makes the SDK's client, which loads certificates",
    "config/web/compression.py": "packs bytes, no rows",
    "usage/admin.py": "waits for a child process that draws a PDF, no rows",
    "config/web/lifespan.py": "sends the last spans, no rows",
}

MAY_WRITE_CSV = {
    "security/csv_cells.py": "escapes what spreadsheets would run",
    "files/readers/documents.py": "writes for models, not for spreadsheets",
    "gallery/filling.py": "writes the text of a document, which artifacts.exports escapes when it is downloaded",
}

MAY_MARK_SAFE = {
    "sharing/markdown.py": "draws Markdown whose raw HTML is off, and code that it escapes",
}

MAY_BE_EMPTY_HTML = {
    "admin_config/forms/base.py": "is empty",
    "sharing/content.py": "is empty",
}

FORBIDDEN_CALLS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "wait_for": ("asyncio.wait_for swallows cancellation on Python 3.11: use asyncio.timeout", {}),
    "to_thread": ("database work goes through tenants.db.in_db", MAY_USE_TO_THREAD),
    "sync_to_async": ("database work goes through tenants.db.in_db", MAY_USE_SYNC_TO_ASYNC),
    "database_sync_to_async": ("database work goes through tenants.db.in_db", {}),
    "mark_safe": ("text is escaped by the template; build HTML with format_html", MAY_MARK_SAFE),
    "SafeString()": ("text is escaped by the template; build HTML with format_html", MAY_BE_EMPTY_HTML),
    "writer()": ("formulas are escaped by security.csv_cells.csv_text", MAY_WRITE_CSV),
    "DictWriter()": ("formulas are escaped by security.csv_cells.csv_text", MAY_WRITE_CSV),
    "unscoped": ("only listed jobs read across organizations", MAY_USE_UNSCOPED),
}
# Workers of a test run share one Redis; each has a prefix of its own.
WIPES_REDIS = re.compile(r"\b(?:flushdb|flushall|cache\.clear)\(", re.IGNORECASE)  # Django's cache is cleared by FLUSHDB
UNSAFE_TEMPLATE = re.compile(r"\|\s*(?:safe|safeseq)\b|\{%-?\s*autoescape\s+off")


def python_files() -> Iterator[Path]:
    for folder in SOURCES:
        yield from sorted((ROOT / folder).rglob("*.py"))


def imported_modules(tree: ast.AST) -> Iterator[str]:
    """Dotted names of everything imported, anywhere in the file, also `from a import b` as a.b."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def used_names(tree: ast.AST) -> Iterator[str]:
    """Every name, attribute and import by its last part; called ones also with brackets."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
                yield f"{name}()"
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
                yield name.rpartition(".")[2]
            case _:
                pass


def is_http_client(module: str) -> bool:
    return any(module == client or module.startswith(f"{client}.") for client in HTTP_CLIENTS)


def http_imports(source: str, path: str) -> list[str]:
    if any(path.startswith(place) for place in MAY_IMPORT_HTTP):
        return []
    return sorted({module for module in imported_modules(ast.parse(source)) if is_http_client(module)})


def forbidden_names(source: str, path: str) -> list[str]:
    if not any(name.removesuffix("()") in source for name in FORBIDDEN_CALLS):
        return []  # to parse all code takes seconds
    names = set(used_names(ast.parse(source))) & FORBIDDEN_CALLS.keys()
    return sorted(name for name in names if path not in FORBIDDEN_CALLS[name][1])


def test_http_leaves_only_through_the_checked_client() -> None:
    imports = {path: http_imports(file.read_text(), path) for file in python_files() if (path := file.relative_to(ROOT).as_posix())}
    assert not {path: modules for path, modules in imports.items() if modules}


def test_no_code_bypasses_the_guards_of_database_tenants_and_html() -> None:
    violations = [
        f"{path}: {name} ({FORBIDDEN_CALLS[name][0]})"
        for file in python_files()
        if (path := file.relative_to(ROOT).as_posix())
        for name in forbidden_names(file.read_text(), path)
    ]
    assert not violations


def test_no_test_wipes_the_redis_of_the_others() -> None:
    """`tests.security.secrets.canary.delete_redis_keys` drops what is the test process's own."""
    sources = {file.relative_to(ROOT).as_posix(): file.read_text() for file in sorted((ROOT / "tests").rglob("*.py"))}
    assert not [path for path, source in sources.items() if WIPES_REDIS.search(source)]


def test_templates_escape_everything() -> None:
    pages = [*(ROOT / "templates").rglob("*.html"), *(page for folder in SOURCES for page in (ROOT / folder).rglob("templates/**/*.html"))]
    assert not [page.relative_to(ROOT).as_posix() for page in pages if UNSAFE_TEMPLATE.search(page.read_text())]


def test_the_tables_name_files_that_exist() -> None:
    exceptions = {*MAY_IMPORT_HTTP, *(path for _, allowed in FORBIDDEN_CALLS.values() for path in allowed)}
    assert not [path for path in exceptions if not (ROOT / path).exists()]


@pytest.mark.parametrize(
    "source",
    [
        "import httpx2",
        "import urllib.request as net",
        "from urllib import request",
        "from urllib.request import urlopen",
        "def later():\n    from requests.sessions import Session",
        "import aiohttp.client",
        "from http import client",
    ],
)
def test_every_way_to_import_a_client_is_seen(source: str) -> None:
    assert http_imports(source, "chat/conversations/services.py")
    assert not http_imports(source, "security/egress/client.py")


@pytest.mark.parametrize(
    "source", ["import urllib.parse", "from http import HTTPStatus", "import requests_toolbelt", "from http.cookiejar import CookieJar"]
)
def test_other_imports_are_fine(source: str) -> None:
    assert not http_imports(source, "chat/conversations/services.py")


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("asyncio.wait_for(x, 1)", "wait_for"),
        ("from asyncio import to_thread as run", "to_thread"),
        ("asgiref.sync.sync_to_async(f)", "sync_to_async"),
        ("from django.utils import safestring\nsafestring.mark_safe(x)", "mark_safe"),
        ("rows = Run.unscoped.all()", "unscoped"),
        ("def tag() -> SafeString:\n    return safestring.SafeString(x)", "SafeString()"),
    ],
)
def test_every_way_to_use_a_name_is_seen(source: str, name: str) -> None:
    assert forbidden_names(source, "chat/conversations/services.py") == [name]


@pytest.mark.parametrize("text", ["{{ a|safe }}", "{{ a | safe }}", "{{ a|upper|safeseq }}", "{% autoescape off %}"])
def test_unsafe_templates_are_seen(text: str) -> None:
    assert UNSAFE_TEMPLATE.search(text)
    assert not UNSAFE_TEMPLATE.search("{{ a|safest }} {{ unsafe }} {% autoescape on %}")
