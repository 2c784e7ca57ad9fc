from __future__ import annotations

import threading

import pytest
from django.db import DataError, connection, transaction
from structlog.contextvars import bound_contextvars, get_contextvars

from artifacts.models import Artifact
from tenants.context import current_organization_id, tenant_tx
from tenants.db import in_db
from tenants.errors import NoTenantContext
from tenants.models import Organization
from tests.support.accounts.cast import Cast

Rows = tuple[Artifact, Artifact]


def setting() -> str | None:
    with connection.cursor() as cursor:
        cursor.execute("select current_setting('app.org', true)")
        return str(cursor.fetchone()[0] or "")


def test_the_organization_is_current_only_inside(cast: Cast) -> None:
    with tenant_tx(cast.acme.id):
        assert current_organization_id() == cast.acme.id
        assert setting() == str(cast.acme.id)
    assert setting() == ""
    with pytest.raises(NoTenantContext):
        current_organization_id()


def test_one_organization_after_the_other_in_an_outer_transaction(cast: Cast, artifacts: Rows) -> None:
    for organization, own in ((cast.acme, artifacts[0]), (cast.other, artifacts[1])):
        with tenant_tx(organization.id):
            assert [*Artifact.objects.all()] == [own]


def test_the_same_organization_joins_the_open_transaction(cast: Cast) -> None:
    with tenant_tx(cast.acme.id):
        depth = len(connection.savepoint_ids)
        with tenant_tx(cast.acme.id):
            assert len(connection.savepoint_ids) == depth
        assert setting() == str(cast.acme.id)


def test_another_organization_inside_is_refused(cast: Cast) -> None:
    with tenant_tx(cast.acme.id):
        with pytest.raises(NoTenantContext), tenant_tx(cast.other.id):
            pass
        assert current_organization_id() == cast.acme.id
        assert setting() == str(cast.acme.id)


def test_a_failure_rolls_back_and_leaves_no_organization(cast: Cast, artifacts: Rows) -> None:
    with pytest.raises(ZeroDivisionError), tenant_tx(cast.acme.id):
        Artifact.objects.update(title="half done") / 0
    assert setting() == ""
    with tenant_tx(cast.acme.id):
        assert Artifact.objects.get().title == "Acme's plan"


def test_a_failed_statement_inside_a_savepoint_keeps_the_organization(cast: Cast, artifacts: Rows) -> None:
    with tenant_tx(cast.acme.id):
        with pytest.raises(DataError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("select 'x'::int")
        assert Artifact.objects.count() == 1


async def test_in_db_works_for_one_organization_and_forgets_it(cast: Cast, artifacts: Rows) -> None:
    titles = await in_db(lambda: [row.title for row in Artifact.objects.all()], organization_id=cast.other.id)
    assert titles == ["Other Ltd's plan"]
    with pytest.raises(NoTenantContext):
        await in_db(Artifact.objects.count)


async def test_in_db_carries_context_variables(db: None) -> None:
    with bound_contextvars(run_id="r1"):
        assert (await in_db(get_contextvars))["run_id"] == "r1"


@pytest.mark.django_db(transaction=True, databases=["default", "system"])
async def test_in_db_on_real_threads_commits_and_returns_the_connection(cast: Cast) -> None:
    name = await in_db(_rename, organization_id=cast.acme.id)
    assert name.startswith("db")
    await cast.acme.arefresh_from_db()
    assert cast.acme.name == "Renamed"
    assert await in_db(setting) == ""


def _rename() -> str:
    Organization.objects.filter(id=current_organization_id()).update(name="Renamed")
    return threading.current_thread().name
