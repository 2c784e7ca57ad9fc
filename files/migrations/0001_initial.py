import uuid

import django.db.models.deletion
from django.db import migrations, models

import tenants.context
import tenants.models
from tenants.postgres.migration_operations import SecureTenantTable


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("admin_config", "0001_initial"),
        ("tenants", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="KnownStore",
            fields=[
                ("id", models.PositiveSmallIntegerField(default=1, editable=False, primary_key=True, serialize=False)),
                ("store_id", models.UUIDField()),
            ],
            options={"constraints": [models.CheckConstraint(condition=models.Q(("id", 1)), name="known_store_once")]},
        ),
        migrations.CreateModel(
            name="File",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("conversation_id", models.UUIDField(blank=True, null=True)),
                ("source", models.CharField(blank=True, default="", max_length=20)),
                ("name", models.CharField(max_length=200)),
                ("media_type", models.CharField(max_length=100)),
                ("kind", models.CharField(max_length=10)),
                ("size_bytes", models.PositiveIntegerField()),
                ("shown_size_bytes", models.PositiveIntegerField(db_default=0, default=0)),
                ("sha256", models.CharField(max_length=64)),
                ("text", models.TextField(blank=True, default="")),
                ("text_cut", models.BooleanField(default=False)),
                ("pages", models.PositiveIntegerField(null=True)),
                (
                    "state",
                    models.CharField(
                        choices=[("pending", "Pending"), ("ready", "Ready"), ("failed", "Failed")], default="pending", max_length=10
                    ),
                ),
                ("is_unchecked", models.BooleanField(db_default=False, default=False)),
                ("reason", models.CharField(blank=True, default="", max_length=300)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("claimed_until", models.DateTimeField(editable=False, null=True)),
                ("claims", models.PositiveSmallIntegerField(default=0, editable=False)),
                ("deleted_at", models.DateTimeField(blank=True, null=True)),
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
                    "owner",
                    tenants.models.TenantForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT, related_name="+", to="tenants.membership"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["organization", "conversation_id"], name="file_conversation"),
                    models.Index(
                        condition=models.Q(("conversation_id", None), ("deleted_at", None)),
                        fields=["organization", "owner", "created_at"],
                        name="file_unsent",
                    ),
                    models.Index(condition=models.Q(("state", "pending")), fields=["created_at"], name="file_pending"),
                    models.Index(
                        fields=["organization", "owner"],
                        include=["size_bytes", "shown_size_bytes", "conversation_id", "deleted_at", "id"],
                        name="file_storage",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="KnowledgeFile",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("project_id", models.UUIDField(editable=False, null=True)),
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
                ("has_bytes", models.BooleanField(default=False, editable=False)),
                ("claimed_until", models.DateTimeField(editable=False, null=True)),
                ("claims", models.PositiveSmallIntegerField(default=0, editable=False)),
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
                        null=True,
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
                "indexes": [models.Index(condition=models.Q(("state", "pending")), fields=["created_at"], name="knowledge_file_pending")],
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "source", "path"), name="knowledge_file_once"),
                    models.UniqueConstraint(
                        condition=models.Q(("project_id__isnull", False)),
                        fields=("organization", "project_id", "path"),
                        name="project_file_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("project_id__isnull", False), ("source", None)),
                            models.Q(("project_id", None), ("source__isnull", False)),
                            _connector="OR",
                        ),
                        name="knowledge_file_has_one_folder",
                    ),
                ],
            },
        ),
        SecureTenantTable("File"),
        SecureTenantTable("KnowledgeFile"),
    ]
