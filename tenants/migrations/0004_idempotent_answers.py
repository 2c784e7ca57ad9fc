import uuid

import django.db.models.deletion
from django.db import migrations, models

import tenants.context
import tenants.models
from tenants.postgres.migration_operations import SecureTenantTable


class Migration(migrations.Migration):
    dependencies = [
        ("tenants", "0003_api_tokens"),
    ]

    operations = [
        migrations.CreateModel(
            name="IdempotentAnswer",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("path", models.CharField(editable=False, max_length=500)),
                ("key", models.CharField(editable=False, max_length=255)),
                ("request_hash", models.CharField(editable=False, max_length=64)),
                ("status", models.PositiveSmallIntegerField(editable=False, null=True)),
                ("content", models.TextField(blank=True, default="", editable=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "membership",
                    tenants.models.TenantForeignKey(
                        editable=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="tenants.membership"
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
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [models.Index(fields=["created_at"], name="idempotent_answer_expiry")],
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "membership", "path", "key"), name="idempotent_answer_once")
                ],
            },
        ),
        SecureTenantTable("IdempotentAnswer"),
    ]
