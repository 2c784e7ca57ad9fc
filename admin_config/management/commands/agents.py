"""`manage.py agents export|validate|import`: an organization's agents and tool sources as a YAML file (docs/agents.md)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from admin_config.agent_files.exporting import agents_export
from admin_config.agent_files.importing import agents_import, agents_import_preview
from admin_config.agent_files.rows import AgentFileInvalid
from admin_config.management.organizations import select_organizations
from admin_config.services.changes.diff import FieldDiff
from tenants.context import tenant_tx

SIGNS = {"same": " ", "added": "+", "removed": "-", "gap": " "}


class Command(BaseCommand):
    help = "Write an organization's agents and tool sources as YAML, check such a file, or take it over. Secrets are never in it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=("export", "validate", "import"))
        parser.add_argument("organization", metavar="SLUG")
        parser.add_argument("file", nargs="?", default="-", help="the file; - is standard input or output (the default)")
        parser.add_argument("--yes", action="store_true", help="import without asking")

    def handle(self, *args: Any, **options: Any) -> None:
        [organization] = select_organizations(options["organization"])
        try:
            with tenant_tx(organization.pk):
                getattr(self, f"_{options['action']}")(options)
        except AgentFileInvalid as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"{options['file']}: {error.strerror}") from error

    def _export(self, options: dict[str, Any]) -> None:
        text = agents_export()
        if options["file"] == "-":
            self.stdout.write(text, ending="")
        else:
            Path(options["file"]).write_text(text, encoding="utf-8")

    def _validate(self, options: dict[str, Any]) -> None:
        agents_import_preview(_text(options["file"]))
        self.stdout.write("The file is right.")

    def _import(self, options: dict[str, Any]) -> None:
        text = _text(options["file"])
        changes = agents_import_preview(text)
        self.stdout.write("\n".join(line for change in changes for line in _lines(change)) or "The file changes nothing.")
        if not changes:
            return
        if not options["yes"]:
            self.stdout.write("Nothing was changed. Give --yes to take this over.")
            return
        number = agents_import(text)
        self.stdout.write("The file is in the draft." if number is None else f"Release {number} is live.")


def _text(file: str) -> str:
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise AgentFileInvalid("The file is not written in UTF-8.") from error


def _lines(change: FieldDiff) -> list[str]:
    return [" > ".join(change.where), *(f"  {SIGNS[line.kind]} {line.text}" for line in change.lines)]
