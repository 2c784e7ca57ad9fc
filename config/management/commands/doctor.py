"""`manage.py doctor`: checks the installation and says what to do."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from config.doctor.database import database_findings
from config.doctor.files import file_findings
from config.doctor.findings import Finding
from config.doctor.proxy import proxy_findings
from config.doctor.redis import redis_findings
from config.doctor.services import mail_finding, provider_findings, worker_findings
from config.doctor.settings import encryption_findings, environment_findings, front_end_finding

SYMBOLS = {"ok": "ok     ", "warning": "WARNING", "error": "ERROR  "}


class Command(BaseCommand):
    """Prints a line for each finding. Exits with 1 when one of them is an error."""

    help = "Check environment, database, Redis, files, mail and workers, and say what to do."
    requires_system_checks: list[str] = []  # they need the database, whose state is what is asked

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--providers", action="store_true", help="also try the public addresses of the model providers")
        parser.add_argument("--json", action="store_true", help="print one JSON array")

    def handle(self, *args: Any, **options: Any) -> None:
        findings = list(_findings(options["providers"]))
        if options["json"]:
            self.stdout.write(json.dumps([asdict(finding) for finding in findings], indent=2))
        else:
            self._print(findings)
        if any(finding.level == "error" for finding in findings):
            raise SystemExit(1)

    def _print(self, findings: list[Finding]) -> None:
        for finding in findings:
            self.stdout.write(f"{SYMBOLS[finding.level]}  {finding.subject:<12}  {finding.text}")
            if finding.advice:
                self.stdout.write(f"{'':23}{finding.advice}")
        counts = Counter[str](finding.level for finding in findings)
        self.stdout.write(f"\n{_counted(counts, 'error')}, {_counted(counts, 'warning')}.")


def _counted(counts: Counter[str], level: str) -> str:
    return f"{counts[level]} {level}{'' if counts[level] == 1 else 's'}"


def _findings(has_providers: bool) -> Iterator[Finding]:
    yield from environment_findings()
    yield from encryption_findings()
    yield from proxy_findings()
    yield front_end_finding()
    yield from database_findings()
    yield from file_findings()
    yield from redis_findings()
    yield mail_finding()
    yield from worker_findings()
    if has_providers:
        yield from provider_findings()
