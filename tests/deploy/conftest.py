from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.stores.pooler import POOLED_VARIABLES, Pooler, running_pooler


@pytest.fixture
def pooler(tmp_path: Path, django_db_setup: None) -> Iterator[Pooler]:
    """PgBouncer in transaction mode with few connections."""
    with running_pooler(_folder(tmp_path), pool_size=3) as running:
        yield running


@pytest.fixture
def by_tcp(tmp_path: Path, django_db_setup: None) -> Iterator[Pooler]:
    """A way to the session's PostgreSQL by TCP for all four roles, for whoever does not reach its socket."""
    with running_pooler(_folder(tmp_path), pool_size=30, mode="session", variables=(*POOLED_VARIABLES, "DATABASE_OWNER_URL")) as running:
        yield running


def _folder(tmp_path: Path) -> Path:
    folder = tmp_path / "pooler"
    folder.mkdir()
    for parent in (tmp_path, *tmp_path.parents[:2]):
        parent.chmod(0o755)  # PgBouncer is another user
    return folder
