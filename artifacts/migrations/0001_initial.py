import uuid

import django.db.models.deletion
from django.db import migrations, models

import tenants.context
import tenants.models
from tenants.postgres.migration_operations import SecureTenantTable


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("tenants", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Artifact",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("conversation_id", models.UUIDField()),
                ("title", models.CharField(max_length=200)),
                ("kind", models.CharField(max_length=20)),
                ("latest_number", models.PositiveIntegerField(default=0)),
                ("indexed_number", models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
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
                    models.Index(fields=["organization", "conversation_id", "created_at"], name="artifact_conversation"),
                    models.Index(
                        condition=models.Q(("deleted_at", None)),
                        fields=["organization", "owner", "-created_at", "-id"],
                        name="artifact_list",
                    ),
                    models.Index(
                        condition=models.Q(("deleted_at", None), ("indexed_number__lt", models.F("latest_number"))),
                        fields=["organization", "updated_at"],
                        name="artifact_unindexed",
                    ),
                ],
            },
        ),
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
                        blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="tenants.membership"
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
                "indexes": [
                    models.Index(fields=["organization", "artifact", "status"], name="suggestion_of_artifact"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "run_id", "call_id", "position"), name="suggestion_once"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Version",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("number", models.PositiveIntegerField()),
                ("parent", models.PositiveIntegerField(blank=True, null=True)),
                ("content", models.TextField()),
                (
                    "operation",
                    models.CharField(
                        choices=[
                            ("create", "Create"),
                            ("update", "Update"),
                            ("fix", "Fix"),
                            ("revert", "Revert"),
                            ("edit", "Edit"),
                            ("patch", "Patch"),
                            ("merge", "Merge"),
                        ],
                        max_length=12,
                    ),
                ),
                ("is_draft", models.BooleanField(default=False)),
                ("author_kind", models.CharField(choices=[("agent", "Agent"), ("user", "User")], max_length=6)),
                ("agent", models.CharField(blank=True, default="", max_length=100)),
                ("run_id", models.UUIDField(blank=True, null=True)),
                ("call_id", models.CharField(blank=True, default="")),
                ("metadata", models.JSONField(default=dict)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "artifact",
                    tenants.models.TenantForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT, related_name="versions", to="artifacts.artifact"
                    ),
                ),
                (
                    "author",
                    tenants.models.TenantForeignKey(
                        blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="tenants.membership"
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
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "artifact", "number"), name="version_number"),
                    models.UniqueConstraint(
                        condition=models.Q(("call_id", ""), _negated=True),
                        fields=("organization", "run_id", "call_id", "is_draft"),
                        name="version_once_per_call",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="LiveDocument",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("version", models.PositiveIntegerField()),
                ("saved_seq", models.PositiveBigIntegerField(default=0)),
                ("seq", models.PositiveBigIntegerField(default=0)),
                ("state", models.BinaryField()),
                ("state_seq", models.PositiveBigIntegerField(default=0)),
                ("authors", models.JSONField(default=list)),
                ("changed_at", models.DateTimeField(null=True)),
                ("changed_since", models.DateTimeField(null=True)),
                (
                    "artifact",
                    tenants.models.TenantForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="live_documents", to="artifacts.artifact"
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
                "indexes": [
                    models.Index(condition=models.Q(("changed_at__isnull", False)), fields=["changed_at"], name="live_document_unsaved"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "artifact"), name="live_document_of_artifact"),
                ],
            },
        ),
        migrations.CreateModel(
            name="LiveUpdate",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("seq", models.PositiveBigIntegerField()),
                ("content", models.BinaryField()),
                (
                    "document",
                    tenants.models.TenantForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="updates", to="artifacts.livedocument"
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
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "document", "seq"), name="live_update_number"),
                ],
            },
        ),
        SecureTenantTable("Artifact"),
        SecureTenantTable("LiveDocument"),
        SecureTenantTable("LiveUpdate"),
        SecureTenantTable("Suggestion"),
        SecureTenantTable("Version"),
    ]
