"""Tables in partitions by month: rows find their month, months are made ahead, and no partition opens a way around the rules."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.db import connection, connections
from django.utils import timezone
from psycopg.errors import InsufficientPrivilege

from chat.models import Conversation, ModelCall
from config.doctor.database import partition_findings
from config.monitoring.samples import look_at_partitions
from security.audit import audit
from security.models import AuditDelivery, AuditEvent, AuditWebhook
from security.secrets.secret_text import SecretText
from security.secrets.services import signing_secret_create
from telemetry.families import REGISTRY
from tenants.context import tenant_tx
from tenants.models import Membership
from tenants.postgres.partition_sql import PARTITIONED_TABLES
from tenants.postgres.partitions import MONTHS_AHEAD, partition_states, partitions_create, partitions_drop
from tenants.postgres.row_security_checks import row_security_problems
from tenants.tasks import partitions_keep
from tenants.time_ids import time_id_of
from tests.support.accounts.cast import Cast
from tests.support.stores.logins import connect_as

CALLS = "chat_modelcall"
PAST = datetime(2021, 5, 9, 12, tzinfo=UTC)
ROLES = {"default", "owner", "system"}


@pytest.fixture
def call(cast: Cast) -> ModelCall:
    """A call of Acme in a month without a partition."""
    with tenant_tx(cast.acme.pk):
        owner = Membership.objects.get(user=cast.bob)
        conversation = Conversation.objects.create(owner=owner, title="T", updated_at=PAST)
        values: dict[str, Any] = {"agent_key": "a", "model": "m", "prompt_hash": "", "entry_count": 1, "settings": {}, "duration_ms": 1}
        row = ModelCall.objects.create(conversation=conversation, **values)
        ModelCall.objects.filter(pk=row.pk).update(created_at=PAST)
    run("set constraints all immediate")
    return row


def run(sql: str) -> list[tuple[Any, ...]]:
    with connections["owner"].cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall() if cursor.description else []


def place_of(call: ModelCall) -> str:
    [(place,)] = run(f"select tableoid::regclass::text from {CALLS} where id = '{call.pk}'")
    return str(place)


@pytest.mark.parametrize("alias", ["default", "auth", "system"])
def test_no_role_of_a_process_reaches_a_partition_by_itself_or_makes_one(alias: str, db: None) -> None:
    month = timezone.now().strftime("y%Ym%m")
    for statement in (
        *(f"select from {table}_{part}" for table in PARTITIONED_TABLES for part in (month, "default")),
        f"insert into {CALLS}_{month} default values",
        f"create table mine partition of {CALLS} for values from ('2001-01-01') to ('2001-02-01')",
        f"select tenants_partition_prepare('{CALLS}', 'mine')",
    ):
        with connect_as(alias) as role, pytest.raises(InsufficientPrivilege):
            role.execute(statement)


@pytest.mark.django_db(databases=ROLES)
def test_a_partition_has_the_row_security_of_its_table_or_is_reported(cast: Cast) -> None:
    assert partitions_create(CALLS, using="system", first=PAST.date(), months=1) == 1
    assert row_security_problems(connection) == []
    for opening in ("disable row level security", "no force row level security"):
        run(f"alter table {CALLS}_y2021m05 {opening}")
        assert f"{CALLS}_y2021m05" in "\n".join(row_security_problems(connection))
        run(f"alter table {CALLS}_y2021m05 enable row level security, force row level security")
    run(f"grant select on {CALLS}_y2021m05 to parley_app")
    assert f"{CALLS}_y2021m05" in "\n".join(row_security_problems(connection))


@pytest.mark.django_db(databases=ROLES)
def test_an_event_lies_in_the_month_of_its_id_and_its_triggers_hold_there(cast: Cast) -> None:
    month = f"security_auditevent_{timezone.now():y%Ym%m}"
    audit(organization_id=cast.acme.pk, actor_user_id=None, action="run.read", object_kind="run", object_id="1")
    assert run("select distinct tableoid::regclass::text from security_auditevent") == [(month,)]
    run(f"set constraints all immediate; alter table {month} disable trigger audit_stamp")
    assert f"Table {month} has no trigger audit_stamp" in "\n".join(row_security_problems(connection))


@pytest.mark.django_db(databases=ROLES)
def test_a_row_is_stored_before_its_month_is_made_and_moves_into_it(call: ModelCall, cast: Cast) -> None:
    assert place_of(call) == f"{CALLS}_default"
    assert partitions_create(CALLS, using="system", first=PAST.date(), months=1, most=0) == 0  # too many to move while people chat
    assert place_of(call) == f"{CALLS}_default"
    assert partitions_create(CALLS, using="system", first=PAST.date(), months=2) == 2
    assert place_of(call) == f"{CALLS}_y2021m05"
    assert partitions_create(CALLS, using="system", first=PAST.date(), months=2) == 0
    with tenant_tx(cast.acme.pk):
        assert ModelCall.objects.get() == call
    with tenant_tx(cast.other.pk):
        assert not ModelCall.objects.exists()


@pytest.mark.django_db(databases=ROLES)
def test_a_month_is_read_from_its_partition_alone(cast: Cast) -> None:
    partitions_create(CALLS, using="system", first=date(2021, 1, 1), months=12)
    with tenant_tx(cast.acme.pk):
        month = ModelCall.objects.filter(created_at__gte=datetime(2021, 5, 1, tzinfo=UTC), created_at__lt=datetime(2021, 6, 1, tzinfo=UTC))
        plan = month.order_by("created_at").explain()
    assert f"{CALLS}_y2021m05" in plan
    assert plan.count(f"on {CALLS}_") == 1


@pytest.mark.django_db(databases=ROLES)
def test_empty_months_go_and_others_stay(call: ModelCall) -> None:
    last_month = timezone.now() - timedelta(days=32)
    partitions_create(CALLS, using="system", first=PAST.date(), months=3)
    partitions_create(CALLS, using="system", first=last_month.date(), months=1)
    partitions_drop(CALLS, using="system")
    assert place_of(call) == f"{CALLS}_y2021m05"
    partitions = {name for (name,) in run("select relname from pg_class where relispartition and relkind = 'r'")}
    assert f"{CALLS}_{last_month:y%Ym%m}" in partitions
    assert not partitions & {f"{CALLS}_y2021m06", f"{CALLS}_y2021m07"}


@pytest.mark.django_db(databases=ROLES)
def test_the_job_makes_the_coming_months_and_what_is_missing_is_told(cast: Cast) -> None:
    partitions_keep()
    assert {state.table for state in partition_states(connection)} == {*PARTITIONED_TABLES}
    assert {state.months_ahead for state in partition_states(connection)} == {MONTHS_AHEAD}
    assert [finding.level for finding in partition_findings(connection)] == ["ok"]
    coming = (timezone.now().date().replace(day=1) + timedelta(days=40)).strftime("y%Ym%m")
    run(f"drop table {CALLS}_{coming}")
    [finding] = partition_findings(connection)
    assert (finding.level, finding.text) == ("warning", f"These tables have none for the next month: {CALLS}.")
    look_at_partitions()
    assert REGISTRY.get_sample_value("parley_partition_months_ahead", {"table": CALLS}) == 0
    assert partitions_keep() == 1
    assert [finding.level for finding in partition_findings(connection)] == ["ok"]


@pytest.fixture
def event(cast: Cast) -> AuditEvent:
    """An event of Acme in a month without a partition, which a webhook waits for."""
    with tenant_tx(cast.acme.pk):
        secret = signing_secret_create(organization_id=cast.acme.pk, value=SecretText("s" * 32), purpose="audit_webhook")
        AuditWebhook.objects.create(url="https://siem.example", secret=secret)
        event_id = time_id_of(PAST.timestamp(), 1)
        AuditEvent.objects.create(id=event_id, action="run.read", object_kind="run", object_id="1")
        event = AuditEvent.objects.get(pk=event_id)
    run("set constraints all immediate")
    return event


@pytest.mark.django_db(databases=ROLES)
def test_an_event_moves_with_the_deliveries_that_wait_for_it(event: AuditEvent, cast: Cast) -> None:
    assert partitions_create("security_auditevent", using="system", first=PAST.date(), months=1) == 1
    assert run(f"select tableoid::regclass::text from security_auditevent where id = '{event.pk}'") == [("security_auditevent_y2021m05",)]
    run("set constraints all immediate")
    with tenant_tx(cast.acme.pk):
        assert AuditDelivery.objects.get(event=event.pk).event.created_at == event.created_at
    assert row_security_problems(connection) == []


@pytest.mark.django_db(databases=ROLES)
def test_empty_months_of_events_go(cast: Cast) -> None:
    partitions_create("security_auditevent", using="system", first=PAST.date(), months=3)
    assert partitions_drop("security_auditevent", using="system") == 3
