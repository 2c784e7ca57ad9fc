"""Parley behind PgBouncer in transaction mode, with fewer connections than threads."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

from doubles.script import Answer, Text
from tests.deploy.stores.pooler import Pooler
from tests.support.system.product import product, wait_for
from tests.support.system.product_servers import own_database
from tests.system.client import Member, shown_text
from tools.embedded.layout import ROOT


def test_transactions_of_organizations_never_mix_and_limits_hold(pooler: Pooler) -> None:
    with own_database("pooled") as direct:
        command = [sys.executable, "-m", "tests.deploy.stores.pooled_transactions"]
        env = {**os.environ, **pooler.urls(direct), "DJANGO_SETTINGS_MODULE": "config.settings"}
        result = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr[-3000:]
    report = json.loads(result.stdout.splitlines()[-1])
    assert report["wrong"] == []
    assert report["checked"] == 1200
    assert report["limits"] == {alias: ["5s", "2s"] for alias in ("default", "auth", "system")}


def test_a_message_is_answered_and_kept(pooler: Pooler, tmp_path: Path) -> None:
    with product(tmp_path / "data", through=pooler.urls) as running:
        running.double.respond(lambda request: Answer((Text("Hello yourself."),)))
        member, chat_id = Member(running.url), str(uuid4())
        with member.socket() as socket:
            text = shown_text(socket.chunks(socket.send(chat_id, "Hello")))
        assert text == "Hello yourself."
        [run] = running.finished(chat_id)
        assert run.status == "done"
        pages = [member.http.get(path).status_code for path in ("/o/demo/", "/o/demo/api/conversations/") * 20]
        assert {*pages} == {200}
        wait_for(lambda: member.http.get("/readyz").is_success, "the web process was ready")
