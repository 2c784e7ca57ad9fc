import datetime as dt
import uuid

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
import django.db.models.expressions
import django.db.models.fields.json
import django.db.models.functions.comparison
import django.db.models.functions.datetime
from django.db import migrations, models

import chat.search.search_sql
import tenants.context
import tenants.models
import tenants.postgres.fields
from tenants.postgres.migration_operations import PartitionByMonth, SecurePlainKey, SecureTenantTable


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("admin_config", "0001_initial"),
        ("artifacts", "0001_initial"),
        ("files", "0001_initial"),
        ("tenants", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Project",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=80)),
                ("description", models.CharField(blank=True, default="", max_length=200)),
                ("color", models.PositiveSmallIntegerField(default=1)),
                ("instructions", models.TextField(blank=True, default="", max_length=8000)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
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
                    tenants.models.TenantForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="tenants.membership"),
                ),
            ],
            options={"indexes": [models.Index(fields=["organization", "owner", "name"], name="project_list")]},
        ),
        migrations.CreateModel(
            name="Conversation",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("client_id", models.CharField(blank=True, default="", max_length=64)),
                ("title", models.CharField(max_length=200)),
                (
                    "title_source",
                    models.CharField(
                        choices=[("default", "Default"), ("generated", "Generated"), ("user", "User")], default="default", max_length=10
                    ),
                ),
                ("model_config_id", models.UUIDField(blank=True, null=True)),
                ("assistant", models.CharField(blank=True, db_default="", default="", max_length=80)),
                ("listed", models.BooleanField(db_default=True, default=True)),
                ("is_trial", models.BooleanField(db_default=False, default=False, editable=False)),
                ("seen_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField()),
                (
                    "indexed_at",
                    models.DateTimeField(db_default=dt.datetime(1970, 1, 1, 0, 0, tzinfo=dt.UTC)),
                ),
                (
                    "agent_keys",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=80), db_default=[], default=list, editable=False, size=None
                    ),
                ),
                ("deleted_at", models.DateTimeField(blank=True, null=True)),
                ("is_pinned", models.BooleanField(db_default=False, default=False)),
                ("archived_at", models.DateTimeField(blank=True, null=True)),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                ("kept_at", models.DateTimeField(editable=False, null=True)),
                (
                    "project",
                    tenants.models.TenantForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="chat.project",
                    ),
                ),
                ("admins_may_read_until", models.DateTimeField(blank=True, null=True)),
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
                    tenants.models.TenantForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="tenants.membership"),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("archived_at", None), ("deleted_at", None), ("listed", True)),
                        fields=["organization", "owner", "-is_pinned", "-updated_at", "-id"],
                        name="conversation_list",
                    ),
                    models.Index(
                        condition=models.Q(("deleted_at", None), ("listed", True)),
                        fields=["organization", "owner", "-updated_at", "-id"],
                        name="conversation_newest",
                    ),
                    models.Index(
                        condition=models.Q(("archived_at__isnull", False), ("deleted_at", None), ("listed", True)),
                        fields=["organization", "owner", "-updated_at", "-id"],
                        name="conversation_archive",
                    ),
                    models.Index(
                        condition=models.Q(("project__isnull", False)),
                        fields=["organization", "project", "-updated_at", "-id"],
                        name="conversation_project",
                    ),
                    models.Index(
                        condition=models.Q(("expires_at__isnull", False)), fields=["organization", "expires_at"], name="conversation_expiry"
                    ),
                    models.Index(
                        condition=models.Q(("deleted_at", None), ("indexed_at__lt", models.F("updated_at")), ("listed", True)),
                        fields=["organization", "updated_at"],
                        name="conversation_unindexed",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("client_id", ""), _negated=True),
                        fields=("organization", "owner", "client_id"),
                        name="conversation_client_id",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Message",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("role", models.CharField(choices=[("user", "User"), ("assistant", "Assistant")], max_length=10)),
                ("client_msg_id", models.CharField(blank=True, default="", max_length=64)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("deleted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "conversation",
                    tenants.models.TenantForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="messages", to="chat.conversation"
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
                    "parent",
                    tenants.models.TenantForeignKey(
                        blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="chat.message"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["organization", "conversation", "created_at"], name="message_conversation"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("client_msg_id", ""), _negated=True),
                        fields=("organization", "conversation", "client_msg_id"),
                        name="message_client_msg_id",
                    ),
                ],
            },
        ),
        migrations.AddField(
            model_name="conversation",
            name="head",
            field=tenants.models.TenantForeignKey(
                blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="chat.message"
            ),
        ),
        migrations.CreateModel(
            name="MessageFeedback",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("rating", models.CharField(choices=[("up", "Up"), ("down", "Down")], max_length=4)),
                ("reasons", models.JSONField(default=list)),
                ("comment", models.CharField(blank=True, default="", max_length=2000)),
                ("seen_at", models.DateTimeField(blank=True, null=True)),
                (
                    "assignee",
                    tenants.models.TenantForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="tenants.membership",
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "message",
                    tenants.models.TenantForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="chat.message"),
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
                "verbose_name": "feedback",
                "verbose_name_plural": "feedback",
                "indexes": [
                    models.Index(fields=["organization", "-created_at", "-id"], name="feedback_newest_first"),
                    models.Index(condition=models.Q(("seen_at", None)), fields=["organization"], name="feedback_unseen"),
                ],
                "constraints": [models.UniqueConstraint(fields=("organization", "message"), name="feedback_once")],
            },
        ),
        migrations.CreateModel(
            name="Part",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("position", models.PositiveIntegerField()),
                ("step", models.PositiveSmallIntegerField(default=0)),
                ("kind", models.CharField(max_length=24)),
                ("content", tenants.postgres.fields.VerbatimJSONField()),
                ("extras", tenants.postgres.fields.VerbatimJSONField(blank=True, null=True)),
                ("duration_ms", models.PositiveIntegerField(blank=True, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "message",
                    tenants.models.TenantForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="parts", to="chat.message"),
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
                    models.Index(
                        condition=models.Q(("kind__in", ["tool_result", "provider_tool_call", "sub_agent"])),
                        fields=["organization", "created_at"],
                        name="part_tool_ended",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "message", "position"), name="part_position"),
                ],
            },
        ),
        migrations.CreateModel(
            name="PromptSnapshot",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("content_hash", models.CharField(max_length=64)),
                ("content", tenants.postgres.fields.VerbatimJSONField()),
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
                    models.UniqueConstraint(fields=("organization", "content_hash"), name="prompt_snapshot_hash"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Run",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("model_config_id", models.UUIDField()),
                ("assistant", models.CharField(blank=True, db_default="", default="", max_length=80)),
                ("display", models.JSONField(default=dict)),
                ("thinking", models.BooleanField(default=False)),
                ("switches", models.JSONField(db_default={}, default=dict)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("initializing", "Starting"),
                            ("thinking", "Thinking"),
                            ("executing_tool", "Running a tool"),
                            ("finalizing", "Ending"),
                            ("waiting_for_approval", "Waiting for approval"),
                            ("waiting_for_reply", "Waiting for a reply"),
                            ("waiting_for_client", "Waiting for the page"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("stopped", "Stopped"),
                        ],
                        default="initializing",
                        max_length=20,
                    ),
                ),
                ("step", models.PositiveSmallIntegerField(default=0)),
                ("epoch", models.PositiveIntegerField(default=1)),
                ("takeovers", models.PositiveSmallIntegerField(db_default=0, default=0)),
                ("lease_owner", models.CharField(blank=True, default="", max_length=64)),
                ("lease_expires_at", models.DateTimeField()),
                ("stop_requested_at", models.DateTimeField(blank=True, null=True)),
                ("usage", models.JSONField(default=dict)),
                ("error_code", models.CharField(blank=True, default="", max_length=40)),
                ("session_hash", models.CharField(blank=True, db_default="", default="", max_length=64)),
                ("keys_sent_for", models.JSONField(db_default=[], default=list)),
                ("token_id", models.UUIDField(blank=True, null=True)),
                ("request_overrides", models.JSONField(db_default={}, default=dict)),
                ("page_state", tenants.postgres.fields.VerbatimJSONField(blank=True, null=True)),
                ("page_tools", models.JSONField(db_default=[], default=list)),
                ("trace_parent", models.CharField(blank=True, db_default="", default="", max_length=55)),
                (
                    "replay_of",
                    tenants.models.TenantForeignKey(
                        blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="chat.run"
                    ),
                ),
                ("looks_up", models.BooleanField(db_default=False, default=False)),
                ("settled_calls", models.JSONField(db_default={}, default=dict)),
                ("tool_definitions", models.JSONField(db_default={}, default=dict)),
                ("tool_results", models.JSONField(blank=True, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("paused_at", models.DateTimeField(blank=True, null=True)),
                ("waited_ms", models.PositiveBigIntegerField(db_default=0, default=0)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("cost_usd", models.FloatField(blank=True, db_default=0.0, default=0.0, null=True)),
                (
                    "tokens",
                    models.GeneratedField(
                        db_persist=True,
                        expression=django.db.models.expressions.CombinedExpression(
                            django.db.models.expressions.CombinedExpression(
                                django.db.models.functions.comparison.Coalesce(
                                    django.db.models.functions.comparison.Cast(
                                        django.db.models.fields.json.KeyTextTransform("input_tokens", "usage"), models.BigIntegerField()
                                    ),
                                    0,
                                ),
                                "+",
                                django.db.models.functions.comparison.Coalesce(
                                    django.db.models.functions.comparison.Cast(
                                        django.db.models.fields.json.KeyTextTransform("output_tokens", "usage"), models.BigIntegerField()
                                    ),
                                    0,
                                ),
                            ),
                            "+",
                            django.db.models.functions.comparison.Coalesce(
                                django.db.models.functions.comparison.Cast(
                                    django.db.models.fields.json.KeyTextTransform("thinking_tokens", "usage"), models.BigIntegerField()
                                ),
                                0,
                            ),
                        ),
                        output_field=models.BigIntegerField(),
                    ),
                ),
                (
                    "duration_ms",
                    models.GeneratedField(
                        db_persist=True,
                        expression=django.db.models.expressions.CombinedExpression(
                            models.Func(
                                models.F("finished_at"),
                                models.F("created_at"),
                                arg_joiner=" - ",
                                output_field=models.BigIntegerField(),
                                template="(extract(epoch from %(expressions)s) * 1000)::bigint",
                            ),
                            "-",
                            models.F("waited_ms"),
                        ),
                        output_field=models.BigIntegerField(),
                    ),
                ),
                (
                    "answer",
                    tenants.models.TenantForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="chat.message"),
                ),
                (
                    "conversation",
                    tenants.models.TenantForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="runs", to="chat.conversation"
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
                    "question",
                    tenants.models.TenantForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="chat.message"),
                ),
                (
                    "release",
                    tenants.models.TenantForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="admin_config.release"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("status__in", ["initializing", "thinking", "executing_tool", "finalizing"])),
                        fields=["organization", "conversation"],
                        name="run_active",
                    ),
                    models.Index(condition=models.Q(("status", "waiting_for_client")), fields=["paused_at"], name="run_client_wait"),
                    models.Index(
                        fields=["organization", "-created_at", "-id", "cost_usd", "duration_ms", "tokens"], name="run_newest_first"
                    ),
                    models.Index(condition=models.Q(("status", "failed")), fields=["organization", "-created_at"], name="run_failed"),
                    models.Index(
                        condition=models.Q(("finished_at__isnull", False)), fields=["organization", "finished_at"], name="run_ended"
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("finished_at", None)), fields=("organization", "conversation"), name="run_one_open"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ModelCall",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("step", "Step"),
                            ("sub_agent", "Sub Agent"),
                            ("title", "Title"),
                            ("suggestions", "Suggestions"),
                            ("repair", "Repair"),
                            ("judge", "Judge"),
                        ],
                        default="step",
                        max_length=12,
                    ),
                ),
                ("step", models.PositiveSmallIntegerField(default=0)),
                ("parent_call_id", models.CharField(blank=True, default="")),
                ("agent_key", models.CharField(max_length=80)),
                ("provider", models.CharField(blank=True, default="", max_length=40)),
                ("endpoint", models.CharField(blank=True, default="", max_length=120)),
                ("model", models.CharField(max_length=120)),
                ("model_version", models.CharField(blank=True, default="")),
                ("prompt_hash", models.CharField(max_length=64)),
                ("entry_count", models.PositiveIntegerField()),
                ("own_entries", tenants.postgres.fields.VerbatimJSONField(default=list)),
                ("settings", tenants.postgres.fields.VerbatimJSONField()),
                ("attempts", models.PositiveSmallIntegerField(default=1)),
                ("request_hash", models.CharField(blank=True, db_default="", default="", max_length=64)),
                ("usage", models.JSONField(default=dict)),
                ("is_estimated", models.BooleanField(default=False)),
                ("cost_usd", models.FloatField(blank=True, null=True)),
                ("finish_reason", models.CharField(blank=True, default="", max_length=20)),
                ("error_code", models.CharField(blank=True, default="", max_length=40)),
                ("first_token_ms", models.PositiveIntegerField(blank=True, null=True)),
                ("duration_ms", models.PositiveIntegerField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "conversation",
                    tenants.models.TenantForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="model_calls",
                        to="chat.conversation",
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
                    tenants.models.TenantForeignKey(
                        blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name="model_calls", to="chat.run"
                    ),
                ),
            ],
        ),
        PartitionByMonth("ModelCall"),
        migrations.AddField(
            model_name="message",
            name="run",
            field=tenants.models.TenantForeignKey(
                blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="chat.run"
            ),
        ),
        migrations.CreateModel(
            name="Approval",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("approval_id", models.UUIDField()),
                ("step", models.PositiveSmallIntegerField()),
                ("call_id", models.CharField()),
                ("tool_name", models.CharField(max_length=80)),
                ("arguments_hash", models.CharField(max_length=64)),
                ("host", models.CharField(blank=True, default="")),
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
            options={
                "indexes": [
                    models.Index(condition=models.Q(("status", "pending")), fields=["expires_at"], name="approval_expiry"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "run", "approval_id"), name="approval_once"),
                ],
            },
        ),
        migrations.CreateModel(
            name="OpenText",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("epoch", models.PositiveIntegerField()),
                ("number", models.PositiveIntegerField()),
                ("position", models.PositiveIntegerField()),
                ("parts", models.JSONField()),
                ("calls", models.JSONField(db_default=[], default=list)),
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
                    tenants.models.TenantForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="chat.run"),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "run", "epoch", "number"), name="open_text_number"),
                ],
            },
        ),
        migrations.CreateModel(
            name="RunTool",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField()),
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
                    tenants.models.TenantForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="tools", to="chat.run"),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["organization", "name", "run"], name="run_tool_name")],
                "constraints": [models.UniqueConstraint(fields=("organization", "run", "name"), name="run_tool_once")],
            },
        ),
        migrations.CreateModel(
            name="RunInput",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("kind", models.CharField(choices=[("message", "Message"), ("decision", "Decision"), ("output", "Output")], max_length=10)),
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
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("delivered_at", None)), fields=["organization", "run", "created_at"], name="run_input_waiting"
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("client_id", ""), _negated=True),
                        fields=("organization", "run", "client_id"),
                        name="run_input_once",
                    ),
                ],
            },
        ),
        migrations.AddIndex(
            model_name="modelcall",
            index=models.Index(fields=["organization", "run", "created_at"], name="model_call_run"),
        ),
        migrations.AddIndex(
            model_name="modelcall",
            index=models.Index(fields=["organization", "created_at"], name="model_call_time"),
        ),
        migrations.AddIndex(
            model_name="modelcall",
            index=models.Index(fields=["organization", "prompt_hash"], name="model_call_prompt"),
        ),
        migrations.AddConstraint(
            model_name="modelcall",
            constraint=models.CheckConstraint(
                condition=models.Q(("run__isnull", False), ("conversation__isnull", False), _connector="OR"), name="model_call_has_a_place"
            ),
        ),
        migrations.CreateModel(
            name="SearchText",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("at", models.DateTimeField()),
                ("part_count", models.PositiveIntegerField()),
                ("words", django.contrib.postgres.search.SearchVectorField()),
                (
                    "conversation",
                    tenants.models.TenantForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="chat.conversation"),
                ),
                (
                    "message",
                    tenants.models.TenantForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="chat.message"
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
                    "owner",
                    tenants.models.TenantForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="tenants.membership"
                    ),
                ),
            ],
            options={
                "indexes": [
                    django.contrib.postgres.indexes.GinIndex(fastupdate=False, fields=["words"], name="search_text_words"),
                    models.Index(fields=["organization", "owner", "-at"], name="search_text_newest"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "message"), name="search_text_once"),
                ],
            },
        ),
        migrations.CreateModel(
            name="SearchDocument",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("at", models.DateTimeField()),
                ("number", models.PositiveIntegerField()),
                ("words", django.contrib.postgres.search.SearchVectorField()),
                (
                    "conversation",
                    tenants.models.TenantForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="chat.conversation"),
                ),
                (
                    "artifact",
                    tenants.models.TenantForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="artifacts.artifact"
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
                    "owner",
                    tenants.models.TenantForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="tenants.membership"
                    ),
                ),
            ],
            options={
                "indexes": [
                    django.contrib.postgres.indexes.GinIndex(fastupdate=False, fields=["words"], name="search_document_words"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "artifact"), name="search_document_once"),
                ],
            },
        ),
        migrations.CreateModel(
            name="SearchWord",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("word", models.TextField()),
                ("trigrams", django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)),
                (
                    "message",
                    tenants.models.TenantForeignKey(
                        null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="chat.message"
                    ),
                ),
                (
                    "artifact",
                    tenants.models.TenantForeignKey(
                        null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="artifacts.artifact"
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
                    "owner",
                    tenants.models.TenantForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="tenants.membership"
                    ),
                ),
            ],
            options={
                "indexes": [
                    django.contrib.postgres.indexes.GinIndex(fastupdate=False, fields=["trigrams"], name="search_word_trigrams"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "owner", "word"), name="search_word_once"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("artifact__isnull", False), ("message", None)),
                            models.Q(("artifact", None), ("message__isnull", False)),
                            _connector="OR",
                        ),
                        name="search_word_of_one",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="HourFigures",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("hour", models.DateTimeField()),
                ("runs", models.PositiveIntegerField(default=0)),
                ("failed", models.PositiveIntegerField(default=0)),
                ("stopped", models.PositiveIntegerField(default=0)),
                ("errors", models.JSONField(default=dict)),
                (
                    "members",
                    django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None),
                ),
                ("calls", models.PositiveIntegerField(default=0)),
                ("unpriced_calls", models.PositiveIntegerField(default=0)),
                ("cost_usd", models.FloatField(default=0)),
                ("input_tokens", models.PositiveBigIntegerField(default=0)),
                ("output_tokens", models.PositiveBigIntegerField(default=0)),
                ("first_tokens", models.JSONField(default=dict)),
                ("trial_calls", models.PositiveIntegerField(default=0)),
                ("trial_unpriced_calls", models.PositiveIntegerField(default=0)),
                ("trial_cost_usd", models.FloatField(default=0)),
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
                "constraints": [models.UniqueConstraint(fields=("organization", "hour"), name="hour_figures_once")],
            },
        ),
        migrations.CreateModel(
            name="RunView",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=60)),
                ("query", models.TextField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
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
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenants.membership",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "owner", "name"), name="run_view_name_once", nulls_distinct=False),
                ],
            },
        ),
        SecureTenantTable("Project"),
        SecureTenantTable("Conversation"),
        SecureTenantTable("Message"),
        SecureTenantTable("MessageFeedback"),
        SecureTenantTable("Part"),
        SecureTenantTable("PromptSnapshot"),
        SecureTenantTable("Run"),
        SecureTenantTable("ModelCall"),
        SecureTenantTable("Approval"),
        SecureTenantTable("RunInput"),
        SecureTenantTable("OpenText"),
        SecureTenantTable("RunTool"),
        SecureTenantTable("SearchDocument"),
        SecureTenantTable("SearchText"),
        SecureTenantTable("SearchWord"),
        SecureTenantTable("HourFigures"),
        SecureTenantTable("RunView"),
        migrations.RunSQL(chat.search.search_sql.install(), chat.search.search_sql.remove()),
        SecurePlainKey("artifacts.Artifact", "conversation_id", "chat.Conversation"),
        SecurePlainKey("files.File", "conversation_id", "chat.Conversation"),
        SecurePlainKey("files.KnowledgeFile", "project_id", "chat.Project"),
    ]
