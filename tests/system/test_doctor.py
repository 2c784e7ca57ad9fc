"""`manage.py doctor` names what is wrong with an installation, and what to do, one line each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from tests.support.system.product import Product
from tests.support.system.product_servers import own_database
from tests.system.test_start_refusals import empty_database, password_refused
from tools.embedded.layout import ROOT

LOCAL = "http://127.0.0.1:8000"

Findings = dict[tuple[str, str], str]


def doctor(code: int, *options: str, **env: str) -> Findings:
    """What it finds: the text and the advice by level and subject."""
    command = [sys.executable, "manage.py", "doctor", "--json", *options]
    result = subprocess.run(command, cwd=ROOT, env={**os.environ, "PUBLIC_URL": LOCAL, **env}, capture_output=True, text=True, timeout=150)
    assert result.returncode == code, result
    findings: list[dict[str, Any]] = json.loads(result.stdout)
    return {(one["level"], one["subject"]): f"{one['text']} {one['advice']}" for one in findings}


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
        result = subprocess.run(
            command, cwd=ROOT, env={**os.environ, "PUBLIC_URL": LOCAL, **urls}, capture_output=True, text=True, timeout=150
        )
    assert "ok       row security  Every table keeps organizations apart." in result.stdout
    warnings = sum(line.startswith("WARNING") for line in result.stdout.splitlines())
    assert result.stdout.splitlines()[-1] == f"0 errors, {warnings} warning{'' if warnings == 1 else 's'}."


def test_a_database_without_tables_is_told_how_to_get_them(django_db_setup: None) -> None:
    with empty_database() as urls:
        findings = doctor(1, **urls)
    assert "Run: python manage.py migrate --database owner" in findings["error", "tables"]


@pytest.fixture(scope="module")
def faults(django_db_setup: None) -> Findings:
    """What is found where three things are wrong at once: each start of the command takes two seconds of CPU."""
    wrong = {
        "REDIS_URL": "redis://:geheim@127.0.0.1:1/0",
        "REDIS_CACHE_URL": "redis://cache.invalid/0",
        "PUBLIC_URL": "http://chat.example.org",
    }
    with own_database("doctor_faults") as urls, password_refused() as url:
        return doctor(1, **{**urls, "DATABASE_AUTH_URL": url}, **wrong)


def test_each_fault_is_found_beside_the_others_and_no_password_is_shown(faults: Findings) -> None:
    assert errors(faults) == {"database", "redis", "REDIS_CACHE_URL", "address"}
    assert ("ok", "files") in faults
    assert "geheim" not in str(faults)


def test_a_wrong_password_is_named(faults: Findings) -> None:
    assert "DATABASE_AUTH_URL cannot be used" in faults["error", "database"]


def test_redis_to_which_nothing_is_encrypted_is_named(faults: Findings) -> None:
    assert "cache.invalid is not encrypted" in faults["warning", "redis"]


def test_a_public_address_without_tls_is_an_error(faults: Findings) -> None:
    assert "FORWARDED_ALLOW_IPS" in faults["warning", "address"]
