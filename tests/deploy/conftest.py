from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.pooler import Pooler, running_pooler


@pytest.fixture
def pooler(tmp_path: Path, django_db_setup: None) -> Iterator[Pooler]:
    """PgBouncer in transaction mode with few connections."""
    folder = tmp_path / "pooler"
    folder.mkdir()
    for parent in (tmp_path, *tmp_path.parents[:2]):
        parent.chmod(0o755)  # PgBouncer is another user
    with running_pooler(folder, pool_size=3) as running:
        yield running
