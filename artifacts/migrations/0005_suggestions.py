import uuid

import django.db.models.deletion
from django.db import migrations, models

import tenants.context
import tenants.models
from tenants.postgres.migration_operations import SecureTenantTable


class Migration(migrations.Migration):
    dependencies = [
        ("artifacts", "0004_operations_and_agents"),
        ("tenants", "0004_idempotent_answers"),
    ]

    operations = [
        migrations.CreateModel(
            name="Suggestion",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("version_number", models.PositiveIntegerField()),
                ("original", models.TextField()),
                ("prefix", models.CharField(blank=True, max_length=40)),
                ("suffix", models.CharField(blank=True, max_length=40)),
                ("start", models.PositiveIntegerField()),
                ("replacement", models.TextField(blank=True)),
                ("comment", models.TextField(blank=True)),
                (
                    "status",
                    models.CharField(
                        choices=[("open", "Open"), ("accepted", "Accepted"), ("rejected", "Rejected"), ("stale", "Stale")],
                        default="open",
                        max_length=8,
                    ),
                ),
                ("run_id", models.UUIDField()),
                ("call_id", models.CharField()),
                ("position", models.PositiveIntegerField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
                (
                    "artifact",
                    tenants.models.TenantForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT, related_name="suggestions", to="artifacts.artifact"
                    ),
                ),
                (
                    "decided_by",
                    tenants.models.TenantForeignKey(
                        blank=True, null=True, on_delete=django.db.models.deletion.RESTRICT, related_name="+", to="tenants.membership"
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        db_index=False,
                        default=tenants.context.current_organization_id,
                        editable=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenants.organization",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["organization", "artifact", "status"], name="suggestion_of_artifact")],
                "constraints": [models.UniqueConstraint(fields=("organization", "run_id", "call_id", "position"), name="suggestion_once")],
            },
        ),
        SecureTenantTable("Suggestion"),
    ]
