"""The restore drill: a backup, restored into an empty database and directory, has everything; a changed one is refused (SPEC 9.5)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from accounts.sign_in.demo_logins import DEMO_LOGIN
from config.backup.archive import BackupError, archive_open, archive_verify
from config.backup.restoring import backup_restore
from tests.support.system.product_servers import own_database
from tests.system.backup_scenes import NOTE, PAPER
from tests.system.test_migrate import empty_database
from tools.embedded.layout import ROOT

KEY = bytes(range(32))


def play(scene: str, *arguments: str, **env: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.system.backup_scenes", scene, *arguments]
    base_env = {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "PUBLIC_URL": "http://127.0.0.1:8000",
        "DEMO_PROVIDER_URL": "http://127.0.0.1:9",
        "BACKUP_KEY": b64encode(KEY).decode(),
    }
    process = subprocess.run(command, cwd=ROOT, env={**os.environ, **base_env, **env}, capture_output=True, text=True, timeout=150)
    assert process.returncode == 0, process.stdout + process.stderr
    result: dict[str, Any] = json.loads(process.stdout.splitlines()[-1])
    return result


@pytest.fixture(scope="module")
def drill(tmp_path_factory: pytest.TempPathFactory, django_db_setup: None) -> tuple[Path, dict[str, Any]]:
    """A backup, and what was found where it had been restored. It takes longer than a transaction of a test may wait."""
    place = tmp_path_factory.mktemp("drill")
    backup = place / "backup"
    with own_database("backed_up") as source, empty_database("drilled") as target:
        ids = play("seed", str(backup), **source, FILES_DIR=str(place / "files"))
        contents = play("restore", str(backup), json.dumps(ids), **target, FILES_DIR=str(place / "new-files"))
    return backup, contents


@pytest.mark.django_db
def test_a_restored_backup_has_everything_and_a_changed_one_is_refused(drill: tuple[Path, dict[str, Any]], settings: Settings) -> None:
    backup, contents = drill
    names = ["database.dump.sealed", "files.tar.sealed", "manifest.json.sealed"]
    assert sorted(path.name for path in backup.iterdir()) == names
    assert not any(secret in path.read_bytes() for path in backup.iterdir() for secret in (NOTE, DEMO_LOGIN[0].encode()))
    assert contents == {"file": NOTE.decode(), "artifact": PAPER, "foreign": 404}
    with pytest.raises(BackupError, match=r"has \d+ tables. Restore into a new one"):
        backup_restore(backup, KEY)  # the tests' own database is not empty
    settings.CREDENTIAL_KEYS = {"another": bytes(32)}
    with pytest.raises(BackupError, match=r"CREDENTIAL_KEYS lacks \w+"):
        backup_restore(backup, KEY)
    refuse_changes(backup, names)


def refuse_changes(backup: Path, names: list[str]) -> None:
    """A flipped byte, a part that is cut off, and another key."""
    for name in names:
        path, whole = backup / name, (backup / name).read_bytes()
        for changed in (whole[:60] + bytes([whole[60] ^ 1]) + whole[61:], whole[:-1]):
            path.write_bytes(changed)
            with pytest.raises(BackupError, match="was changed or cut off"):
                archive_verify(archive_open(backup, KEY))
        path.write_bytes(whole)
    assert archive_verify(archive_open(backup, KEY)).files == 1
    with pytest.raises(BackupError, match="BACKUP_KEY is not the key"):
        archive_verify(archive_open(backup, bytes(32)))
    with pytest.raises(BackupError, match="is encrypted: set BACKUP_KEY"):
        archive_open(backup, None)
