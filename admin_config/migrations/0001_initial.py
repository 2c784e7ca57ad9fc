import uuid

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import tenants.context
import tenants.models
from tenants.postgres.migration_operations import SecureTenantTable

APP = settings.DATABASE_ROLES.app
APPEND_ONLY = f'revoke update, delete, truncate on admin_config_release from "{APP}"'
ANY_CHANGE = f'grant update, delete on admin_config_release to "{APP}"'


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("security", "0001_initial"),
        ("tenants", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ModelConfig",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("provider", models.CharField(choices=[("google", "Google Gemini"), ("demo", "Demo (no key, scripted)")], max_length=20)),
                (
                    "model_id",
                    models.CharField(
                        help_text="The provider's own name, such as gemini-2.5-flash.", max_length=120, verbose_name="model id"
                    ),
                ),
                ("display_name", models.CharField(help_text="What users see in the model menu.", max_length=80)),
                (
                    "context_window",
                    models.PositiveIntegerField(
                        default=1048576, help_text="In tokens.", validators=[django.core.validators.MinValueValidator(1024)]
                    ),
                ),
                (
                    "max_output_tokens",
                    models.PositiveIntegerField(
                        default=65536, help_text="In tokens.", validators=[django.core.validators.MinValueValidator(64)]
                    ),
                ),
                ("supports_thinking", models.BooleanField(default=True, verbose_name="can think")),
                (
                    "thinking_style",
                    models.CharField(
                        choices=[("none", "No thinking"), ("budget", "Budget in tokens"), ("level", "Level (low, high)")],
                        default="budget",
                        max_length=10,
                    ),
                ),
                ("supports_tools", models.BooleanField(default=True, verbose_name="can use tools")),
                ("is_enabled", models.BooleanField(default=True, verbose_name="enabled")),
                (
                    "is_default",
                    models.BooleanField(
                        default=False, help_text="Used where nobody chose another; one per provider.", verbose_name="default"
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
                "verbose_name": "model",
                "ordering": ("provider", "-is_default", "display_name", "model_id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="AgentConfig",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("key", models.CharField(editable=False, max_length=80)),
                (
                    "kind",
                    models.CharField(
                        choices=[("chat_model_agent", "Chat agent"), ("document_agent", "Document agent")], editable=False, max_length=40
                    ),
                ),
                (
                    "provider",
                    models.CharField(
                        choices=[("google", "Google Gemini"), ("demo", "Demo (no key, scripted)")], editable=False, max_length=20
                    ),
                ),
                ("is_enabled", models.BooleanField(default=True, verbose_name="enabled")),
                ("system_prompt", models.TextField(blank=True)),
                ("description", models.TextField(blank=True)),
                (
                    "temperature",
                    models.FloatField(
                        blank=True,
                        null=True,
                        validators=[django.core.validators.MinValueValidator(0.0), django.core.validators.MaxValueValidator(2.0)],
                    ),
                ),
                (
                    "max_output_tokens",
                    models.PositiveIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(64)]),
                ),
                (
                    "max_steps",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        null=True,
                        validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(25)],
                    ),
                ),
                (
                    "thinking_budget",
                    models.PositiveIntegerField(
                        blank=True,
                        null=True,
                        validators=[django.core.validators.MinValueValidator(128), django.core.validators.MaxValueValidator(65536)],
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
                    "model",
                    tenants.models.TenantForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="agents",
                        to="admin_config.modelconfig",
                    ),
                ),
            ],
            options={
                "verbose_name": "agent",
                "ordering": ("provider", "kind"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="ProviderEndpoint",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("provider", models.CharField(choices=[("google", "Google Gemini"), ("demo", "Demo (no key, scripted)")], max_length=20)),
                ("name", models.CharField(max_length=80)),
                ("base_url", models.CharField(blank=True, max_length=300, verbose_name="address")),
                ("api_version", models.CharField(blank=True, max_length=20, verbose_name="API version")),
                ("is_enabled", models.BooleanField(default=True, verbose_name="enabled")),
                ("priority", models.PositiveSmallIntegerField(default=1, help_text="The lowest number is used first.")),
                (
                    "timeout_s",
                    models.PositiveSmallIntegerField(
                        default=90,
                        help_text="Longest silence of the provider before the request is given up.",
                        validators=[django.core.validators.MinValueValidator(5), django.core.validators.MaxValueValidator(600)],
                        verbose_name="time limit (seconds)",
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
                    "secret",
                    tenants.models.TenantForeignKey(
                        blank=True,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="security.secret",
                    ),
                ),
            ],
            options={
                "verbose_name": "endpoint",
                "ordering": ("provider", "priority", "name"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="Release",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("number", models.PositiveIntegerField(editable=False)),
                ("content", models.JSONField(editable=False)),
                ("content_hash", models.CharField(editable=False, max_length=64)),
                ("note", models.CharField(blank=True, editable=False, max_length=200)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "author",
                    models.ForeignKey(
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
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
                "ordering": ("-number",),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="AppSettings",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "active_provider",
                    models.CharField(
                        choices=[("google", "Google Gemini"), ("demo", "Demo (no key, scripted)")],
                        default="google",
                        help_text="Answers all chats of this organization.",
                        max_length=20,
                    ),
                ),
                (
                    "publish_on_save",
                    models.BooleanField(
                        default=True, help_text="On: every save goes live at once. Off: changes are collected in a draft that you publish."
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
                    "live_release",
                    tenants.models.TenantForeignKey(
                        editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="admin_config.release"
                    ),
                ),
            ],
            options={
                "verbose_name": "settings",
                "verbose_name_plural": "settings",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="AgentOperation",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(editable=False, max_length=40)),
                ("is_enabled", models.BooleanField(default=True, verbose_name="enabled")),
                ("system_prompt", models.TextField(blank=True)),
                ("user_prompt_template", models.TextField(blank=True)),
                (
                    "agent",
                    tenants.models.TenantForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="operations", to="admin_config.agentconfig"
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
                "verbose_name": "operation",
                "ordering": ("name",),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [models.UniqueConstraint(fields=("organization", "agent", "name"), name="operation_once")],
            },
        ),
        migrations.AddConstraint(
            model_name="modelconfig",
            constraint=models.UniqueConstraint(
                fields=("organization", "provider", "model_id"),
                name="model_id_once",
                violation_error_message="This provider already has a model with this id.",
            ),
        ),
        migrations.AddConstraint(
            model_name="modelconfig",
            constraint=models.UniqueConstraint(
                condition=models.Q(("is_default", True)), fields=("organization", "provider"), name="model_default_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="agentconfig",
            constraint=models.UniqueConstraint(fields=("organization", "key"), name="agent_key_once"),
        ),
        migrations.AddConstraint(
            model_name="providerendpoint",
            constraint=models.UniqueConstraint(
                fields=("organization", "provider", "name"),
                name="endpoint_name_once",
                violation_error_message="This provider already has an endpoint with this name.",
            ),
        ),
        migrations.AddConstraint(
            model_name="release",
            constraint=models.UniqueConstraint(fields=("organization", "number"), name="release_number_once"),
        ),
        migrations.AddConstraint(
            model_name="appsettings",
            constraint=models.UniqueConstraint(fields=("organization",), name="settings_once"),
        ),
        SecureTenantTable("ModelConfig"),
        SecureTenantTable("ProviderEndpoint"),
        SecureTenantTable("AgentConfig"),
        SecureTenantTable("AgentOperation"),
        SecureTenantTable("Release"),
        SecureTenantTable("AppSettings"),
        migrations.RunSQL(APPEND_ONLY, ANY_CHANGE),
    ]
