"""Driven by the models and by the catalogue, so that new tables are covered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from threading import Event, Thread

import pytest
from django.apps import apps
from django.conf import settings
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from django.core.management.sql import emit_post_migrate_signal
from django.db import ProgrammingError, connection, connections, models, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test.utils import isolate_apps
from psycopg.errors import InsufficientPrivilege
from pytest_django import Settings

from tenants.checks import check_row_security, check_tenant_models
from tenants.models import Membership, TenantForeignKey, TenantModel
from tenants.postgres import row_security_sql
from tenants.postgres.platform_tables import PLATFORM_TABLES, TENANT_TABLES
from tenants.postgres.row_security_checks import require_row_security, row_security_problems, tenant_models
from tenants.postgres.table_rights import grant_table_rights
from tests.support.stores.database import connect
from tests.support.stores.logins import connect_as

OWN_ROWS = "organization_id uuid not null, id uuid primary key, unique (organization_id, id)"


@pytest.mark.parametrize("role", ["app", "auth", "system"])
def test_the_working_roles_are_harmless(role: str, db: None) -> None:
    flags = "rolsuper, rolbypassrls, rolcreatedb, rolcreaterole, rolreplication"
    with connection.cursor() as cursor:
        cursor.execute(f"select {flags} from pg_roles where rolname = %s", [getattr(settings.DATABASE_ROLES, role)])
        assert cursor.fetchone() == (False,) * 5


@pytest.mark.parametrize("alias", ["default", "auth"])
@pytest.mark.parametrize(
    "statement",
    [
        "alter table artifacts_artifact disable row level security",
        "drop policy tenant_rows on artifacts_artifact",
        "drop table artifacts_artifact",
        "create table mine (id int)",
        "delete from django_migrations",
        "set role {owner}",
        "set role {system}",
    ],
)
def test_no_role_of_a_request_can_open_the_database(statement: str, alias: str, db: None) -> None:
    roles = settings.DATABASE_ROLES
    with connect_as(alias) as connection, pytest.raises(InsufficientPrivilege):
        connection.execute(statement.format(owner=roles.owner, system=roles.system))


def test_every_tenant_table_is_closed(db: None) -> None:
    assert tenant_models()
    assert row_security_problems(connection) == []
    require_row_security()


def test_every_tenant_model_has_its_table(db: None) -> None:
    """Without its table a model would pass the catalogue check unseen."""
    assert {model._meta.db_table for model in tenant_models()} <= set(connection.introspection.table_names())


def test_the_models_pass_their_checks() -> None:
    assert [problem for problem in run_checks() if (problem.id or "").startswith("parley.")] == []


@pytest.fixture
def owner(request: pytest.FixtureRequest) -> Iterator[BaseDatabaseWrapper]:
    """The owner's connection in a transaction that is rolled back."""
    request.getfixturevalue("db")
    connection = connections["owner"]
    with transaction.atomic(using="owner"):
        yield connection
        transaction.set_rollback(True, using="owner")


def problems_of(owner: BaseDatabaseWrapper, table: str) -> list[str]:
    return [problem for problem in row_security_problems(owner) if table in problem]


def execute(owner: BaseDatabaseWrapper, *statements: str) -> None:
    with owner.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


POLICY_FAULTS: dict[str, Callable[[], tuple[str, ...]]] = {
    "nothing": lambda: (),
    "not forced": lambda: (*row_security_sql.policies("new_rows"), "alter table new_rows no force row level security"),
    "not enabled": lambda: (*row_security_sql.policies("new_rows"), "alter table new_rows disable row level security"),
    "one policy missing": lambda: (*row_security_sql.policies("new_rows"), "drop policy tenant_rows on new_rows"),
    "one policy more": lambda: (*row_security_sql.policies("new_rows"), "create policy open on new_rows using (true)"),
    "a policy for all": lambda: (*row_security_sql.policies("new_rows"), "alter policy all_rows on new_rows to public"),
    "a policy that writes all": lambda: (*row_security_sql.policies("new_rows"), "alter policy tenant_rows on new_rows with check (true)"),
    "a policy that is silent": lambda: (
        *row_security_sql.policies("new_rows"),
        "alter policy tenant_rows on new_rows using (organization_id = current_setting('app.org', true)::uuid)",
    ),
    "rows of nobody": lambda: (*row_security_sql.policies("new_rows"), "alter table new_rows alter organization_id drop not null"),
}


@pytest.mark.django_db(databases=["default", "owner"])
@pytest.mark.parametrize("statements", POLICY_FAULTS.values(), ids=POLICY_FAULTS.keys())
def test_an_open_table_is_reported(statements: Callable[[], tuple[str, ...]], owner: BaseDatabaseWrapper) -> None:
    execute(owner, f"create table new_rows ({OWN_ROWS})", *row_security_sql.policies("new_rows"))
    assert problems_of(owner, "new_rows") == []
    execute(owner, "drop table new_rows", f"create table new_rows ({OWN_ROWS})", *statements())
    assert problems_of(owner, "new_rows")


@pytest.mark.django_db(databases=["default", "owner"])
def test_a_missing_composite_key_is_reported(owner: BaseDatabaseWrapper) -> None:
    own = next(key for model in tenant_models() for key in row_security_sql.composite_keys(model))
    for key in (own, *row_security_sql.plain_keys()):
        assert_is_missed(owner, key)


def assert_is_missed(owner: BaseDatabaseWrapper, key: row_security_sql.CompositeKey) -> None:
    execute(owner, row_security_sql.drop_constraint(key.table, key.name))
    assert problems_of(owner, f"{key.table}.{key.column}")
    execute(owner, *row_security_sql.foreign_key(key))
    assert not problems_of(owner, f"{key.table}.{key.column}")


@pytest.mark.django_db(databases=["default", "owner"])
def test_a_role_that_owns_tables_is_reported(owner: BaseDatabaseWrapper) -> None:
    assert problems_of(owner, "owns tables")


def test_urls_with_fewer_than_four_roles_are_reported(db: None, settings: Settings) -> None:
    settings.DATABASE_ROLES = replace(settings.DATABASE_ROLES, owner=settings.DATABASE_ROLES.system)
    assert "four different roles" in "".join(row_security_problems(connection))


@pytest.mark.parametrize("power", ["owner", "system"])
def test_an_app_role_that_can_become_another_is_reported(power: str, db: None, settings: Settings) -> None:
    """The owner's role is a member of both others in every Parley database, so it stands for an app role with such a right."""
    roles = settings.DATABASE_ROLES
    other = {"owner": roles.app, "system": roles.system}[power]
    settings.DATABASE_ROLES = replace(roles, **{"app": roles.owner, "owner": "parley_nobody", power: other})
    assert f"Role {roles.owner} is a member of {other} and can become it" in "\n".join(row_security_problems(connection))


def test_the_database_check_leaves_the_owner_alone_so_that_migrations_can_repair(db: None) -> None:
    assert check_row_security(databases=["owner"]) == []
    assert check_row_security(databases=["default"]) == []


def test_a_process_does_not_start_on_an_open_database(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tenants.postgres.platform_checks.POLICIES", {"tenants_membership": ()})
    with pytest.raises(ImproperlyConfigured, match="tenants_membership"):
        require_row_security()


@isolate_apps("tests")
def test_models_that_would_open_the_tenancy_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    class Target(TenantModel):
        class Meta:
            app_label = "tests"

    class Bad(TenantModel):
        plain = models.ForeignKey(Target, on_delete=models.CASCADE)
        member = models.ForeignKey(Membership, on_delete=models.CASCADE)
        name = models.CharField(max_length=10, unique=True)

        class Meta:
            app_label = "tests"
            constraints = [models.UniqueConstraint(fields=["name"], name="bad_name")]

    class Good(TenantModel):
        target = TenantForeignKey(Target, on_delete=models.CASCADE)

        class Meta:
            app_label = "tests"
            constraints = [models.UniqueConstraint("organization", "target", name="good_target")]

    monkeypatch.setattr("tenants.checks.tenant_models", lambda: [Target, Bad, Good])
    problems = check_tenant_models()
    assert {problem.obj for problem in problems} == {Bad}
    assert [problem.id for problem in problems] == ["parley.E002", "parley.E002", "parley.E003", "parley.E003"]


def test_a_role_that_would_wait_for_ever_is_reported(db: None, settings: Settings) -> None:
    """The owner's role stands for an app role whose limits a pooler or a hand-made role has left out: it has but one of the two."""
    settings.DATABASE_ROLES = replace(settings.DATABASE_ROLES, app=settings.DATABASE_ROLES.owner)
    assert f"Role {settings.DATABASE_ROLES.owner} has no statement_timeout" in "\n".join(row_security_problems(connection))


@pytest.mark.parametrize("alias", ["default", "auth", "system"])
def test_connections_have_the_limits_of_their_role(alias: str, db: None) -> None:
    with connect_as(alias) as connection:
        limits = connection.execute("select current_setting('statement_timeout'), current_setting('lock_timeout')").fetchone()
    assert limits == ("5s", "2s")


def test_every_table_has_a_line_that_says_who_may_do_what() -> None:
    models = apps.get_models(include_auto_created=True)
    of_tenants = {model._meta.db_table for model in models if issubclass(model, TenantModel)}
    assert {model._meta.db_table for model in models} - of_tenants <= PLATFORM_TABLES.keys()
    assert TENANT_TABLES.keys() <= of_tenants


@pytest.mark.django_db(databases=["default", "owner"])
def test_a_migrate_sets_all_rights_anew(owner: BaseDatabaseWrapper) -> None:
    """A restored copy has whatever rights its server gives, with which versions and audit events could be changed."""
    roles = settings.DATABASE_ROLES
    working = f'"{roles.app}", "{roles.auth}", "{roles.system}"'
    before = row_security_problems(owner)  # that it is the owner who looks
    execute(
        owner,
        f"grant all on all tables in schema public to public, {working}",
        f"grant all on all sequences in schema public to public, {working}",
        f"grant execute on all functions in schema public to {working}",
        "drop policy tenant_rows on tenants_membership",
        "create policy open on tenants_user using (true)",
        "alter table tenants_membership disable trigger tenants_membership_guard",
    )
    problems = "\n".join(row_security_problems(owner))
    for table in ("security_auditevent", "security_platformevent", "artifacts_version", "tenants_membership", "tenants_user"):
        assert table in problems
    emit_post_migrate_signal(verbosity=0, interactive=False, db="owner")
    assert row_security_problems(owner) == before
    for statement in ("update artifacts_version set content = ''", "delete from security_auditevent", "delete from admin_config_release"):
        with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic(using="owner"):
            execute(owner, f'set local role "{roles.app}"; {statement}')


@pytest.mark.django_db(databases=["default", "owner"])
def test_what_a_newer_version_added_stops_no_process_of_this_one(owner: BaseDatabaseWrapper) -> None:
    """Such as a process that starts again in the middle of an update."""
    app = settings.DATABASE_ROLES.app
    before = row_security_problems(owner)
    execute(
        owner,
        "create table chat_next (id uuid)",
        "alter table tenants_user add column next text",
        f'grant select on chat_next to "{app}"',
        f'grant select (next) on tenants_user to "{app}"',
    )
    added = "\n".join(row_security_problems(owner))
    assert f"Role {app} may select chat_next" in added
    assert f"Role {app} may select tenants_user (next)" in added
    execute(owner, "insert into django_migrations (app, name, applied) values ('chat', '9999_next', now())")
    assert row_security_problems(owner) == before
    execute(owner, f'revoke select on chat_run from "{app}"')
    assert f"Role {app} may not select chat_run" in "\n".join(row_security_problems(owner))


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_a_migrate_takes_no_right_away_for_a_moment() -> None:
    """Processes of both versions are at work meanwhile."""
    name, privileges, is_over = connections["owner"].settings_dict["NAME"], set[bool](), Event()

    def look() -> None:
        with connect(name) as watching:
            while not is_over.is_set():
                query = "select has_table_privilege(%s, 'chat_run', 'select')"
                privileges.update(row[0] for row in watching.execute(query, [settings.DATABASE_ROLES.app]))

    watcher = Thread(target=look)
    watcher.start()
    try:
        grant_table_rights(using="owner")
    finally:
        is_over.set()
        watcher.join()
    assert privileges == {True}
