import uuid

import django.db.models.deletion
from django.db import migrations, models

import tenants.context
import tenants.models
from tenants.postgres.migration_operations import SecureTenantTable


class Migration(migrations.Migration):
    dependencies = [
        ("admin_config", "0012_tool_sources"),
        ("files", "0001_initial"),
        ("tenants", "0004_idempotent_answers"),
    ]

    operations = [
        migrations.CreateModel(
            name="KnowledgeFile",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("path", models.CharField(max_length=300)),
                ("media_type", models.CharField(max_length=100)),
                ("kind", models.CharField(max_length=10)),
                ("size_bytes", models.PositiveIntegerField()),
                ("text", models.TextField(blank=True, default="")),
                ("text_cut", models.BooleanField(default=False)),
                (
                    "state",
                    models.CharField(
                        choices=[("pending", "Being read"), ("ready", "Ready"), ("failed", "No text")], default="pending", max_length=10
                    ),
                ),
                ("reason", models.CharField(blank=True, default="", max_length=300)),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="uploaded")),
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
                (
                    "source",
                    tenants.models.TenantForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="knowledge_files",
                        to="admin_config.toolsource",
                        verbose_name="folder",
                    ),
                ),
            ],
            options={
                "verbose_name": "knowledge file",
                "ordering": ("path",),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [models.UniqueConstraint(fields=("organization", "source", "path"), name="knowledge_file_once")],
            },
        ),
        SecureTenantTable("KnowledgeFile"),
    ]
