"""`manage.py models_update`: fill in what the price list and the platform know about models (docs/admin.md)."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from admin_config.defaults.platform import PROVIDERS
from admin_config.errors import ModelNotListed
from admin_config.management.organizations import select_organizations
from admin_config.models import ModelConfig
from admin_config.services.model_catalogue import ModelUpdate, model_updates
from admin_config.services.model_configs import model_add, models_available, models_update
from tenants.context import tenant_tx
from tenants.models import Organization


class Command(BaseCommand):
    help = "Update sizes and prices of models from the price list that ships with this installation. What admins have set stays."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--organization", metavar="SLUG", help="only this organization; all without it")
        parser.add_argument("--dry-run", action="store_true", help="show what would change")
        parser.add_argument("--available", choices=list(PROVIDERS), help="list the provider's current models that could be added")
        parser.add_argument(
            "--add", type=_parse_model, action="append", default=[], metavar="PROVIDER:MODEL", help="add this model, disabled"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        for organization in select_organizations(options["organization"]):
            self.stdout.write(f"{organization.slug}:")
            with tenant_tx(organization.pk):
                if options["available"]:
                    self.list_available(options["available"])
                elif options["dry_run"]:
                    self.show(model_updates(ModelConfig.objects.all()))
                else:
                    self.update(organization, options["add"])

    def list_available(self, provider: str) -> None:
        for model in models_available(provider):
            self.stdout.write(f"  {provider}:{model.model_id}  {model.context_window} tokens; {model.prices[-1].words()}")

    def update(self, organization: Organization, new_models: list[tuple[str, str]]) -> None:
        for provider, model_id in new_models:
            try:
                model_add(provider, model_id)
            except ModelNotListed as error:
                raise CommandError(str(error)) from error
            self.stdout.write(f"  {provider}:{model_id} added, disabled")
        run = models_update(organization_id=organization.pk)
        self.show(run.updates)
        if run.release:
            self.stdout.write(f"  Release {run.release.number} is live.")
        elif run.updates:
            self.stdout.write("  The changes wait in the draft.")

    def show(self, updates: list[ModelUpdate]) -> None:
        for update in updates:
            for change in update.changes:
                self.stdout.write(f"  {update.model.provider}:{update.model.model_id} {change.what}: {change.before} -> {change.after}")
        if not updates:
            self.stdout.write("  Nothing to change.")


def _parse_model(text: str) -> tuple[str, str]:
    provider, _, model_id = text.partition(":")
    if provider not in PROVIDERS or not model_id:
        raise ArgumentTypeError("give a provider and a model of its, such as google:gemini-3.8-flash")
    return provider, model_id
