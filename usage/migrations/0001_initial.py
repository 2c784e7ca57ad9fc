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
            name="ConversationSum",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("calls", models.PositiveBigIntegerField(default=0)),
                ("answers", models.PositiveBigIntegerField(default=0)),
                ("failed_calls", models.PositiveBigIntegerField(default=0)),
                ("estimated_calls", models.PositiveBigIntegerField(default=0)),
                ("unpriced_calls", models.PositiveBigIntegerField(default=0)),
                ("unpriced_tokens", models.PositiveBigIntegerField(default=0)),
                ("input_tokens", models.PositiveBigIntegerField(default=0)),
                ("cached_tokens", models.PositiveBigIntegerField(default=0)),
                ("cache_write_tokens", models.PositiveBigIntegerField(default=0)),
                ("tool_tokens", models.PositiveBigIntegerField(default=0)),
                ("output_tokens", models.PositiveBigIntegerField(default=0)),
                ("thinking_tokens", models.PositiveBigIntegerField(default=0)),
                ("cost_usd", models.DecimalField(decimal_places=12, default=0, max_digits=24)),
                ("day", models.DateField()),
                ("conversation_id", models.UUIDField()),
                ("member_id", models.UUIDField()),
                ("is_trial", models.BooleanField()),
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
                "indexes": [
                    models.Index(
                        condition=models.Q(("is_trial", False)),
                        fields=["organization", "member_id", "day", "conversation_id"],
                        name="conversation_sum_member",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "day", "conversation_id", "member_id", "is_trial"), name="conversation_sum_once"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="MemberSum",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("calls", models.PositiveBigIntegerField(default=0)),
                ("answers", models.PositiveBigIntegerField(default=0)),
                ("failed_calls", models.PositiveBigIntegerField(default=0)),
                ("estimated_calls", models.PositiveBigIntegerField(default=0)),
                ("unpriced_calls", models.PositiveBigIntegerField(default=0)),
                ("unpriced_tokens", models.PositiveBigIntegerField(default=0)),
                ("input_tokens", models.PositiveBigIntegerField(default=0)),
                ("cached_tokens", models.PositiveBigIntegerField(default=0)),
                ("cache_write_tokens", models.PositiveBigIntegerField(default=0)),
                ("tool_tokens", models.PositiveBigIntegerField(default=0)),
                ("output_tokens", models.PositiveBigIntegerField(default=0)),
                ("thinking_tokens", models.PositiveBigIntegerField(default=0)),
                ("cost_usd", models.DecimalField(decimal_places=12, default=0, max_digits=24)),
                ("day", models.DateField()),
                ("model", models.CharField(max_length=120)),
                ("member_id", models.UUIDField()),
                ("project_id", models.UUIDField(null=True)),
                ("token_id", models.UUIDField(null=True)),
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
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "day", "model", "member_id", "project_id", "token_id"),
                        name="member_sum_once",
                        nulls_distinct=False,
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ModelSum",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("calls", models.PositiveBigIntegerField(default=0)),
                ("answers", models.PositiveBigIntegerField(default=0)),
                ("failed_calls", models.PositiveBigIntegerField(default=0)),
                ("estimated_calls", models.PositiveBigIntegerField(default=0)),
                ("unpriced_calls", models.PositiveBigIntegerField(default=0)),
                ("unpriced_tokens", models.PositiveBigIntegerField(default=0)),
                ("input_tokens", models.PositiveBigIntegerField(default=0)),
                ("cached_tokens", models.PositiveBigIntegerField(default=0)),
                ("cache_write_tokens", models.PositiveBigIntegerField(default=0)),
                ("tool_tokens", models.PositiveBigIntegerField(default=0)),
                ("output_tokens", models.PositiveBigIntegerField(default=0)),
                ("thinking_tokens", models.PositiveBigIntegerField(default=0)),
                ("cost_usd", models.DecimalField(decimal_places=12, default=0, max_digits=24)),
                ("day", models.DateField()),
                ("kind", models.CharField(max_length=14)),
                ("agent", models.CharField(max_length=80)),
                ("assistant", models.CharField(blank=True, max_length=80)),
                ("provider", models.CharField(blank=True, max_length=40)),
                ("model", models.CharField(max_length=120)),
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
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "day", "kind", "agent", "assistant", "provider", "model"), name="model_sum_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Reconciliation",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("provider", models.CharField(max_length=40)),
                ("file_name", models.CharField(max_length=200)),
                ("first", models.DateField()),
                ("last", models.DateField()),
                ("lines", models.PositiveIntegerField()),
                ("differences", models.JSONField(default=list)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "asked_by",
                    tenants.models.TenantForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="tenants.membership"
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
                "indexes": [models.Index(fields=["organization", "-created_at"], name="reconciliation_newest")],
            },
        ),
        migrations.CreateModel(
            name="Repricing",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("first", models.DateField()),
                ("last", models.DateField()),
                ("done_until", models.DateField(null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "asked_by",
                    tenants.models.TenantForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="tenants.membership"
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
                "indexes": [models.Index(fields=["organization", "-created_at"], name="repricing_newest")],
            },
        ),
        migrations.CreateModel(
            name="RepricedSum",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("day", models.DateField()),
                ("provider", models.CharField(max_length=40)),
                ("model", models.CharField(max_length=120)),
                ("calls", models.PositiveBigIntegerField()),
                ("tokens", models.PositiveBigIntegerField()),
                ("cost_usd", models.DecimalField(decimal_places=12, default=0, max_digits=24)),
                ("prices", models.CharField(max_length=400)),
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
                    "repricing",
                    tenants.models.TenantForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="sums", to="usage.repricing"),
                ),
            ],
            options={
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "day", "provider", "model", "repricing"), name="repriced_sum_once"),
                ],
            },
        ),
        migrations.CreateModel(
            name="ToolSum",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("day", models.DateField()),
                ("tool", models.CharField(max_length=200)),
                ("by_provider", models.BooleanField()),
                ("agent", models.CharField(max_length=80)),
                ("assistant", models.CharField(blank=True, max_length=80)),
                ("member_id", models.UUIDField()),
                ("project_id", models.UUIDField(null=True)),
                ("token_id", models.UUIDField(null=True)),
                ("calls", models.PositiveBigIntegerField()),
                ("failed_calls", models.PositiveBigIntegerField()),
                ("denied_calls", models.PositiveBigIntegerField()),
                ("timed_calls", models.PositiveBigIntegerField()),
                ("duration_ms", models.PositiveBigIntegerField()),
                ("result_chars", models.PositiveBigIntegerField()),
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
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "day", "tool", "by_provider", "agent", "assistant", "member_id", "project_id", "token_id"),
                        name="tool_sum_once",
                        nulls_distinct=False,
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ToolAgentSum",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("calls", models.PositiveBigIntegerField()),
                ("failed_calls", models.PositiveBigIntegerField()),
                ("denied_calls", models.PositiveBigIntegerField()),
                ("timed_calls", models.PositiveBigIntegerField()),
                ("duration_ms", models.PositiveBigIntegerField()),
                ("result_chars", models.PositiveBigIntegerField()),
                ("day", models.DateField()),
                ("tool", models.CharField(max_length=200)),
                ("by_provider", models.BooleanField()),
                ("agent", models.CharField(max_length=80)),
                ("assistant", models.CharField(blank=True, max_length=80)),
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
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "day", "tool", "by_provider", "agent", "assistant"), name="tool_agent_sum_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="UsageConversation",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("month", models.DateField()),
                ("conversation_id", models.UUIDField()),
                ("member_id", models.UUIDField()),
                ("calls", models.PositiveBigIntegerField()),
                ("tokens", models.PositiveBigIntegerField()),
                ("unpriced_tokens", models.PositiveBigIntegerField()),
                ("cost_usd", models.DecimalField(decimal_places=12, default=0, max_digits=24)),
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
                "indexes": [models.Index(fields=["organization", "month", "-cost_usd", "-tokens"], name="usage_conversation_top")],
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "month", "conversation_id"), name="usage_conversation_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="UsageProgress",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("summed_until", models.DateTimeField()),
                ("hints", models.JSONField(default=list)),
                ("hints_at", models.DateTimeField(null=True)),
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
                "constraints": [models.UniqueConstraint(fields=("organization",), name="usage_progress_once")],
            },
        ),
        migrations.CreateModel(
            name="UsageSum",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("calls", models.PositiveBigIntegerField(default=0)),
                ("answers", models.PositiveBigIntegerField(default=0)),
                ("failed_calls", models.PositiveBigIntegerField(default=0)),
                ("estimated_calls", models.PositiveBigIntegerField(default=0)),
                ("unpriced_calls", models.PositiveBigIntegerField(default=0)),
                ("unpriced_tokens", models.PositiveBigIntegerField(default=0)),
                ("input_tokens", models.PositiveBigIntegerField(default=0)),
                ("cached_tokens", models.PositiveBigIntegerField(default=0)),
                ("cache_write_tokens", models.PositiveBigIntegerField(default=0)),
                ("tool_tokens", models.PositiveBigIntegerField(default=0)),
                ("output_tokens", models.PositiveBigIntegerField(default=0)),
                ("thinking_tokens", models.PositiveBigIntegerField(default=0)),
                ("cost_usd", models.DecimalField(decimal_places=12, default=0, max_digits=24)),
                ("day", models.DateField()),
                ("kind", models.CharField(max_length=14)),
                ("agent", models.CharField(max_length=80)),
                ("assistant", models.CharField(blank=True, max_length=80)),
                ("provider", models.CharField(blank=True, max_length=40)),
                ("model", models.CharField(max_length=120)),
                ("member_id", models.UUIDField()),
                ("project_id", models.UUIDField(null=True)),
                ("token_id", models.UUIDField(null=True)),
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
                "verbose_name": "usage",
                "verbose_name_plural": "usage",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [models.Index(fields=["organization", "member_id", "day"], name="usage_sum_member")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=(
                            "organization",
                            "day",
                            "kind",
                            "agent",
                            "assistant",
                            "provider",
                            "model",
                            "member_id",
                            "project_id",
                            "token_id",
                        ),
                        name="usage_sum_once",
                        nulls_distinct=False,
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="UsageTime",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("day", models.DateField()),
                ("kind", models.CharField(max_length=14)),
                ("agent", models.CharField(max_length=80)),
                ("assistant", models.CharField(blank=True, max_length=80)),
                ("provider", models.CharField(blank=True, max_length=40)),
                ("model", models.CharField(max_length=120)),
                ("measure", models.CharField(max_length=8)),
                ("place", models.PositiveSmallIntegerField()),
                ("calls", models.PositiveBigIntegerField()),
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
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "day", "kind", "agent", "assistant", "provider", "model", "measure", "place"),
                        name="usage_time_once",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="OrganizationStorage",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("size_bytes", models.PositiveBigIntegerField()),
                ("counted_at", models.DateTimeField()),
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
                "constraints": [models.UniqueConstraint(fields=("organization",), name="organization_storage_once")],
            },
        ),
        SecureTenantTable("UsageSum"),
        SecureTenantTable("ModelSum"),
        SecureTenantTable("MemberSum"),
        SecureTenantTable("ConversationSum"),
        SecureTenantTable("UsageTime"),
        SecureTenantTable("ToolSum"),
        SecureTenantTable("ToolAgentSum"),
        SecureTenantTable("UsageConversation"),
        SecureTenantTable("UsageProgress"),
        SecureTenantTable("OrganizationStorage"),
        SecureTenantTable("Repricing"),
        SecureTenantTable("RepricedSum"),
        SecureTenantTable("Reconciliation"),
    ]
