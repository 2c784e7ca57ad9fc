import uuid

import django.db.models.deletion
from django.db import migrations, models

import tenants.context
import tenants.models
from tenants.postgres.migration_operations import SecureTenantTable


class Migration(migrations.Migration):
    dependencies = [
        ("chat", "0002_verbatim_call_log"),
        ("tenants", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Approval",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("approval_id", models.UUIDField()),
                ("step", models.PositiveSmallIntegerField()),
                ("call_id", models.CharField()),
                ("tool_name", models.CharField(max_length=80)),
                ("arguments_hash", models.CharField(max_length=64)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("pending", "Pending"),
                            ("approved", "Approved"),
                            ("denied", "Denied"),
                            ("expired", "Expired"),
                            ("withdrawn", "Withdrawn"),
                        ],
                        default="pending",
                        max_length=10,
                    ),
                ),
                ("reason", models.CharField(blank=True, default="", max_length=500)),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
                ("expires_at", models.DateTimeField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
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
                (
                    "run",
                    tenants.models.TenantForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="approvals", to="chat.run"),
                ),
            ],
        ),
        migrations.CreateModel(
            name="RunInput",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("kind", models.CharField(choices=[("message", "Message"), ("decision", "Decision")], max_length=10)),
                ("client_id", models.CharField(blank=True, default="", max_length=64)),
                ("content", models.JSONField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("delivered_at", models.DateTimeField(blank=True, null=True)),
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
                ("run", tenants.models.TenantForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="inputs", to="chat.run")),
            ],
        ),
        migrations.RemoveConstraint(
            model_name="run",
            name="run_one_active",
        ),
        migrations.AddField(
            model_name="run",
            name="takeovers",
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
        migrations.AlterField(
            model_name="run",
            name="status",
            field=models.CharField(
                choices=[
                    ("initializing", "Initializing"),
                    ("thinking", "Thinking"),
                    ("executing_tool", "Executing Tool"),
                    ("finalizing", "Finalizing"),
                    ("waiting_for_approval", "Waiting For Approval"),
                    ("waiting_for_reply", "Waiting For Reply"),
                    ("done", "Done"),
                    ("failed", "Failed"),
                    ("stopped", "Stopped"),
                ],
                default="initializing",
                max_length=20,
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.UniqueConstraint(
                condition=models.Q(("finished_at", None)), fields=("organization", "conversation"), name="run_one_open"
            ),
        ),
        migrations.AddIndex(
            model_name="approval",
            index=models.Index(condition=models.Q(("status", "pending")), fields=["expires_at"], name="approval_expiry"),
        ),
        migrations.AddConstraint(
            model_name="approval",
            constraint=models.UniqueConstraint(fields=("organization", "run", "approval_id"), name="approval_once"),
        ),
        migrations.AddIndex(
            model_name="runinput",
            index=models.Index(
                condition=models.Q(("delivered_at", None)), fields=["organization", "run", "created_at"], name="run_input_waiting"
            ),
        ),
        migrations.AddConstraint(
            model_name="runinput",
            constraint=models.UniqueConstraint(
                condition=models.Q(("client_id", ""), _negated=True), fields=("organization", "run", "client_id"), name="run_input_once"
            ),
        ),
        SecureTenantTable("RunInput"),
        SecureTenantTable("Approval"),
    ]
