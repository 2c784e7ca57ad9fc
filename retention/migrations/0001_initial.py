import uuid

import django.db.models.deletion
from django.db import migrations, models

import tenants.context
from tenants.postgres.migration_operations import SecureTenantTable


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("tenants", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="RetentionRule",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("conversation_days", models.PositiveSmallIntegerField(editable=False, null=True)),
                ("file_days", models.PositiveSmallIntegerField(editable=False, null=True)),
                ("call_days", models.PositiveSmallIntegerField(editable=False, null=True)),
                ("begins_at", models.DateTimeField(editable=False, null=True)),
                ("earlier", models.JSONField(default=list, editable=False)),
                ("applied_at", models.DateTimeField(editable=False, null=True)),
                ("changed_at", models.DateTimeField(auto_now=True)),
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
                "verbose_name": "retention",
                "verbose_name_plural": "retention",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [models.UniqueConstraint(fields=("organization",), name="retention_rule_once")],
            },
        ),
        SecureTenantTable("RetentionRule"),
    ]
