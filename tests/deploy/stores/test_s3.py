"""The whole product with its files in a bucket of a real S3 server: a document read by the worker, a download, a backup and its restore."""

from __future__ import annotations

import json
from pathlib import Path

import httpx2
import psycopg

from doubles.script import Answer, Text
from files.store.marker import MARKER
from files.store.s3 import S3FileStorage
from tests.deploy.stores.test_redis_cluster import look
from tests.support.files.documents import pdf
from tests.support.files.s3_server import running_s3
from tests.support.system.product import product as running_product, wait_for
from tests.support.system.product_servers import own_database
from tests.system.backup_scenes import NOTE, PAPER
from tests.system.client import Member
from tests.system.test_backup import play
from tests.system.test_migrate import empty_database


def test_web_and_worker_share_a_bucket(django_db_setup: None, tmp_path: Path) -> None:
    with (
        running_s3(tmp_path / "s3") as s3,
        running_product(tmp_path / "data", FILES_URL="", FILES_S3_SIGNED_DOWNLOADS="1", **s3.environment()) as running,
    ):
        running.double.respond(lambda request: Answer((Text("Noted."),)))
        member = Member(running.url)
        item = member.upload("tea.pdf", pdf("Green tea."))
        wait_for(lambda: member.get(f"files/{item['id']}/")["state"] == "ready", "the worker had read it")
        assert "Green tea." in member.get(f"files/{item['id']}/text/")["text"]
        response, redirect = member.http.get(item["url"]), member.http.get(item["downloadUrl"])
        assert (response.status_code, redirect.status_code) == (200, 302)
        assert response.headers["content-security-policy"].startswith("sandbox")
        assert httpx2.get(redirect.headers["location"], trust_env=False).content == response.content == pdf("Green tea.")
        assert [name for name in s3.names() if name.endswith(item["id"])]
        assert not (tmp_path / "data" / "files").exists()

        findings = look(running.env)
        assert (findings["files"], findings["workers"][0]) == (("ok", "The bucket parley-files takes and gives files."), "ok")
        assert member.http.get("/readyz").json()["files"] is True
        S3FileStorage(**s3.storages({})["files"]["OPTIONS"]).delete(MARKER)  # as if another, empty bucket were there
        wait_for(lambda: member.http.get("/readyz").status_code == 503, "the process was not ready without its store")


def test_a_backup_moves_from_one_bucket_to_another(django_db_setup: None, tmp_path: Path) -> None:
    backup = tmp_path / "backup"
    with running_s3(tmp_path / "s3") as s3, own_database("bucket_source") as source, empty_database("bucket_target") as target:
        ids = play("seed", str(backup), **source, **s3.environment(PREFIX="old"))
        assert [name for name in s3.names() if name.startswith("old/") and name.endswith(ids["file"])]
        contents = play("restore", str(backup), json.dumps(ids), **target, **s3.environment(PREFIX="new"))
        assert contents == {"file": NOTE.decode(), "artifact": PAPER, "foreign": 404}
        marker = (s3.folder / "parley-files" / "new" / "parley-store").read_text()
        with psycopg.connect(target["DATABASE_SYSTEM_URL"]) as connection:
            assert connection.execute("select store_id::text from files_knownstore").fetchall() == [(marker,)]
