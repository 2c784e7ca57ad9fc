"""`manage.py doctor` names what is wrong with an installation, and what to do, one line each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from tests.support.product import Product
from tests.support.product_servers import own_database
from tests.system.test_start_refusals import empty_database, password_refused
from tools.embedded.layout import ROOT

LOCAL = "http://127.0.0.1:8000"

Findings = dict[tuple[str, str], str]


def doctor(code: int, *options: str, **env: str) -> Findings:
    """What it finds: the text and the advice by level and subject."""
    command = [sys.executable, "manage.py", "doctor", "--json", *options]
    ended = subprocess.run(command, cwd=ROOT, env={**os.environ, "PUBLIC_URL": LOCAL, **env}, capture_output=True, text=True, timeout=150)
    assert ended.returncode == code, ended
    found: list[dict[str, Any]] = json.loads(ended.stdout)
    return {(one["level"], one["subject"]): f"{one['text']} {one['advice']}" for one in found}


def errors(findings: Findings) -> set[str]:
    return {subject for level, subject in findings if level == "error"}


def test_a_sound_installation_has_no_errors_and_is_warned_of_what_is_missing(django_db_setup: None) -> None:
    with own_database("doctor_sound") as urls:
        findings = doctor(0, **urls)
    for subject in ("database", "tables", "row security", "secrets", "redis", "files", "front end"):
        assert ("ok", subject) in findings, findings
    assert "Set EMAIL_URL" in findings["warning", "mail"]
    assert "config worker" in findings["warning", "workers"]


def test_workers_that_run_are_counted(product: Product) -> None:
    findings = doctor(0, **product.env)
    assert findings["ok", "workers"] == "1 answered. "
    assert not [subject for _, subject in findings if subject in {"takeover", "lanes"}]


def test_the_report_is_for_people_too(django_db_setup: None) -> None:
    with own_database("doctor_words") as urls:
        command = [sys.executable, "manage.py", "doctor"]
        ended = subprocess.run(
            command, cwd=ROOT, env={**os.environ, "PUBLIC_URL": LOCAL, **urls}, capture_output=True, text=True, timeout=150
        )
    assert "ok       row security  Every table keeps organizations apart." in ended.stdout
    assert ended.stdout.splitlines()[-1].startswith("0 errors, ")


def test_a_database_without_tables_is_told_how_to_get_them(django_db_setup: None) -> None:
    with empty_database() as urls:
        findings = doctor(1, **urls)
    assert "Run: python manage.py migrate --database owner" in findings["error", "tables"]


def test_a_wrong_password_is_named_without_it_and_the_rest_is_checked(django_db_setup: None) -> None:
    with own_database("doctor_password") as urls, password_refused() as url:
        findings = doctor(1, **{**urls, "DATABASE_AUTH_URL": url})
    assert errors(findings) == {"database"}
    assert "DATABASE_AUTH_URL cannot be used" in findings["error", "database"]
    assert "geheim" not in str(findings)
    assert ("ok", "redis") in findings


def test_redis_that_is_away_is_named_and_so_is_one_to_which_nothing_is_encrypted(django_db_setup: None) -> None:
    with own_database("doctor_redis") as urls:
        findings = doctor(1, **urls, REDIS_URL="redis://:geheim@127.0.0.1:1/0", REDIS_CACHE_URL="redis://cache.invalid/0")
    assert errors(findings) == {"redis", "REDIS_CACHE_URL"}
    assert "cache.invalid is not encrypted" in findings["warning", "redis"]
    assert "geheim" not in str(findings)


def test_a_public_address_without_tls_is_an_error(django_db_setup: None) -> None:
    with own_database("doctor_tls") as urls:
        findings = doctor(1, **urls, PUBLIC_URL="http://chat.example.org")
    assert errors(findings) == {"address"}
    assert "FORWARDED_ALLOW_IPS" in findings["warning", "address"]
