"""A PostgreSQL of its own with an organization whose members made a great many model calls, for benchmarks of pages over them."""

from __future__ import annotations

import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from math import inf
from pathlib import Path
from typing import Any

MEMBERS = 200
RUNS_OF_A_CONVERSATION = 5
ROUNDS = 15
RUNS_AT_ONCE = 62_500  # of one transaction: 250,000 calls, so that neither memory nor the log of a transaction grows with the whole

_CONVERSATIONS = """
insert into chat_conversation (id, organization_id, owner_id, client_id, title, title_source, listed, created_at, updated_at, indexed_at)
select gen_random_uuid(), %(organization)s, m.id, '', 'Chat', 'generated', true, now(), now(), now()
from tenants_membership m, generate_series(1, %(conversations)s) where m.organization_id = %(organization)s
"""
# Conversations lie by member, so a prime leads to those of all members on each day. One chunk of runs, and of each run two steps, an
# artifact agent and suggestions; three providers, whose last one has no price. Where
# results of tools are asked for, each run has an answer with so many of them, of twelve tools, a fiftieth of them failed.
_RUNS_AND_CALLS = """
with made as (
    insert into chat_run (id, organization_id, conversation_id, question_id, answer_id, release_id, model_config_id, assistant, display,
        thinking, status, step, epoch, takeovers, lease_owner, lease_expires_at, usage, error_code, session_hash, keys_sent_for,
        request_overrides, created_at, waited_ms, finished_at, cost_usd)
    select gen_random_uuid(), %(organization)s, c.ids[1 + (n * 7919::bigint) %% array_length(c.ids, 1)], %(message)s, %(message)s, %(release)s,
        gen_random_uuid(), (array['helper', 'writer', '', '', ''])[1 + floor(random() * 5)],
        '{"modelName": "Gemini 2.5 Flash", "provider": "google", "isDemo": false, "release": 12, "isTrial": false}', false,
        case when n %% 50 = 0 then 'failed' else 'done' end, 1, 1, 0, '', now(),
        '{"input_tokens": 1200, "cached_tokens": 500, "cache_write_tokens": 0, "output_tokens": 300, "thinking_tokens": 0}', case when n %% 50 = 0 then 'rate_limited' else '' end,
        '', '[]', '{}', at.at, 0,
        at.at + (1 + random() * 40) * interval '1 second', 0.001 + random() * 0.01
    from generate_series(%(from)s, %(to)s) n,
        (select array_agg(id) as ids from chat_conversation where organization_id = %(organization)s) c,
        lateral (select %(now)s::timestamptz - n * %(days)s * interval '1 day' / %(runs)s as at) at
    returning id, organization_id, conversation_id, created_at
), answers as (
    insert into chat_message (id, organization_id, conversation_id, role, client_msg_id, run_id, created_at)
    select gen_random_uuid(), organization_id, conversation_id, 'assistant', '', id, created_at from made where %(results)s > 0
    returning id, organization_id, created_at
), results as (
    insert into chat_part (id, organization_id, message_id, position, step, kind, content, duration_ms, created_at)
    select gen_random_uuid(), a.organization_id, a.id, n, 1, 'tool_result', json_build_object('kind', 'tool_result', 'call_id', n::text,
        'name', 'tool_' || floor(random() * 12), 'output', repeat('green tea ', 20), 'is_error', random() < 0.02), 50 + random() * 900, a.created_at
    from answers a, generate_series(1, %(results)s) n
)
insert into chat_modelcall (id, organization_id, run_id, kind, step, parent_call_id, agent_key, provider, endpoint, model, model_version,
    prompt_hash, entry_count, own_entries, settings, attempts, usage, is_estimated, cost_usd, finish_reason, error_code, first_token_ms,
    duration_ms, created_at)
select gen_random_uuid(), r.organization_id, r.id, case n when 3 then 'sub_agent' when 4 then 'suggestions' else 'step' end, n, '',
    case n when 3 then 'document_agent_' else 'chat_model_agent_' end || p.name, p.name, p.name, p.name || '-model', '', '', 1, '[]', '{}', 1,
    '{"input_tokens": 1200, "cached_tokens": 500, "output_tokens": 300}', false, case when p.name = 'compatible' then null else 0.001 end,
    'stop', case when random() < 0.01 then 'timeout' else '' end, 200 + random() * 3000, 900 + random() * 9000, r.created_at
from made r, generate_series(1, 4) n,
    lateral (select (array['google', 'google', 'anthropic', 'compatible'])[1 + get_byte(uuid_send(r.id), 0) %% 4] as name) p
"""
_TOOLS = """
insert into chat_runtool (id, organization_id, run_id, name)
select gen_random_uuid(), organization_id, id, case when get_byte(uuid_send(id), 0) < 51 then 'search' else 'orders' end
from chat_run where get_byte(uuid_send(id), 0) < 51 or (get_byte(uuid_send(id), 1), get_byte(uuid_send(id), 2)) = (0, 0)
"""
_RATINGS = """
insert into chat_message (id, organization_id, conversation_id, role, client_msg_id, created_at)
select gen_random_uuid(), %(organization)s, c.id, 'assistant', '', now()
from (select id from chat_conversation where organization_id = %(organization)s limit 10000) c
"""
_FEEDBACK = """
insert into chat_messagefeedback (id, organization_id, message_id, rating, reasons, comment, created_at, updated_at)
select gen_random_uuid(), m.organization_id, m.id, 'up', '[]', '', now() - random() * interval '30 days', now() from chat_message m
where m.organization_id = %(organization)s and m.role = 'assistant' and m.id <> %(message)s and m.run_id is null
"""
# What slows the load down and is made again when all rows are there. Keys and what is unique stay.
_FOREIGN_KEYS = """
select conname, conrelid::regclass::text, pg_get_constraintdef(oid) from pg_constraint
where contype = 'f' and conrelid in ('chat_run'::regclass, 'chat_modelcall'::regclass)
"""
_INDEXES = """
select i.indexrelid::regclass::text, replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') from pg_index i
where i.indrelid in ('chat_run'::regclass, 'chat_modelcall'::regclass) and not i.indisunique
"""
TABLES = ("chat_run", "chat_runtool", "chat_modelcall", "chat_conversation", "chat_message", "chat_messagefeedback", "chat_part")


@contextmanager
def own_database(kept_in: Path | None = None) -> Iterator[None]:
    """Run the block with Django on a fresh database in a temporary directory, or on the one that is kept in a directory."""
    place = str(kept_in) if kept_in else tempfile.mkdtemp(prefix="parley-bench-")
    os.environ["PARLEY_TEST_DATA_DIR"] = place
    from tools.embedded import database_setup
    from tools.embedded.testing import DEFAULTS, TestServers

    servers = TestServers()
    os.environ.update({**DEFAULTS, **servers.variables(), "DJANGO_SETTINGS_MODULE": "config.settings"})
    try:
        servers.start()
        database_setup.migrate(dict(os.environ), servers.layout.logs)
        import django

        django.setup()
        from django.conf import settings

        settings.ALLOWED_HOSTS = ["*"]
        yield
    finally:
        servers.stop()
        if not kept_in:
            shutil.rmtree(place, ignore_errors=True)


def fill(runs: int, days: int, *, results: int = 0) -> tuple[Any, Any]:
    """Make an organization with so many runs within the last days; return it and one of its admins.

    Each run has four calls of models, and so many results of tools.
    """
    from django.db import connections
    from django.utils import timezone

    from admin_config.models import Release
    from admin_config.services.configuration import organization_seed
    from chat.models import Conversation, Message
    from tenants.context import tenant_tx
    from tenants.models import Membership, Organization, User
    from tenants.postgres.partitions import partitions_create

    started = time.monotonic()
    organization = Organization.objects.using("owner").create(slug="acme", name="Acme")
    people = User.objects.using("owner").bulk_create([User(email=f"{n}@example.org", name=f"Member {n}") for n in range(MEMBERS)])
    members = [Membership(organization=organization, user=user, role=Membership.Role.ADMIN) for user in people]
    Membership.objects.using("owner").bulk_create(members)
    with tenant_tx(organization.pk):
        organization_seed(organization_id=organization.pk)
    with tenant_tx(organization.pk):
        release = Release.objects.first() or Release.objects.create(number=1, content={}, content_hash="")
        conversation = Conversation.objects.create(owner=members[0], title="T", updated_at=release.created_at)
        message = Message.objects.create(conversation=conversation, role=Message.Role.ASSISTANT)
    values: dict[str, Any] = {
        "organization": organization.pk,
        "release": release.pk,
        "message": message.pk,
        "runs": runs,
        "days": days,
        "results": results,
        "now": timezone.now(),
        "conversations": max(1, runs // (MEMBERS * RUNS_OF_A_CONVERSATION)),
    }
    with connections["owner"].cursor() as cursor:
        cursor.execute("set statement_timeout = 0")
        first_day = values["now"] - timedelta(days=days)
        partitions_create("chat_modelcall", using="owner", first=first_day.date(), months=2 + days // 28)
        cursor.execute(_CONVERSATIONS, values)
        with _without_indexes(cursor):
            for first in range(1, runs + 1, RUNS_AT_ONCE):
                last = min(first + RUNS_AT_ONCE - 1, runs)
                cursor.execute(_RUNS_AND_CALLS, {**values, "from": first, "to": last})
                _progress(f"{last * 4:,} calls", started)
        for statement in (_TOOLS, _RATINGS, _FEEDBACK):
            cursor.execute(statement, values)
        for table in TABLES:
            cursor.execute(f'vacuum analyze "{table}"')
    connections["owner"].close()
    print(f"made {runs * 4:,} calls of {runs:,} runs in {time.monotonic() - started:.0f} s", flush=True)
    return organization, people[0]


@contextmanager
def _without_indexes(cursor: Any) -> Iterator[None]:
    """Run the block without foreign keys and indexes of runs and calls, then make them again."""
    cursor.execute(_FOREIGN_KEYS)
    keys = cursor.fetchall()
    cursor.execute(_INDEXES)
    indexes = cursor.fetchall()
    for name, table, _ in keys:
        cursor.execute(f'alter table {table} drop constraint "{name}"')
    for name, _ in indexes:
        cursor.execute(f"drop index {name}")
    yield
    for _, definition in indexes:
        cursor.execute(definition)
    for name, table, definition in keys:
        cursor.execute(f'alter table {table} add constraint "{name}" {definition}')


def _progress(what: str, started: float) -> None:
    """Print how far the load is, with what else may end it: free disk and memory."""
    free = os.statvfs(tempfile.gettempdir())
    memory = next(line.split()[1] for line in Path("/proc/meminfo").read_text().splitlines() if line.startswith("MemAvailable"))
    disk_gb, memory_gb = free.f_bavail * free.f_frsize / 1e9, int(memory) / 1e6
    print(f"{what} after {time.monotonic() - started:.0f} s; free: {disk_gb:.0f} GB of disk, {memory_gb:.1f} GB of memory", flush=True)


def page_time_ms(name: str, client: Any, path: str, query: Mapping[str, str]) -> float:
    """Ask for the page several times; return the median in milliseconds; infinity when it fails.

    Prints also how much CPU a page takes here and in PostgreSQL, which other work on the machine hardly changes.
    """
    if (status := client.get(path, query).status_code) != 200:  # and what is loaded once is there
        print(f"{name}: answered {status}", flush=True)
        return inf
    took, python_s, database_s = [], time.process_time(), _database_cpu_s()
    for _ in range(ROUNDS):
        started = time.monotonic()
        client.get(path, query)
        took.append((time.monotonic() - started) * 1000)
    cpu_ms = [1000 * spent_s / ROUNDS for spent_s in (time.process_time() - python_s, _database_cpu_s() - database_s)]
    print(
        f"{name}: median {statistics.median(took):.0f} ms, slowest {max(took):.0f} ms;"
        f" CPU: {cpu_ms[0]:.0f} ms here, {cpu_ms[1]:.0f} ms in PostgreSQL",
        flush=True,
    )
    return statistics.median(took)


def _database_cpu_s() -> float:
    """Return how much CPU the server's process behind our connection has used. Processes that help it are left out."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("select pg_backend_pid()")
        words = Path(f"/proc/{cursor.fetchone()[0]}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
