import uuid

import django.db.models.deletion
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

import tenants.context
import tenants.models
from tenants.postgres.migration_operations import SecureTenantTable

CHAT_AGENT = "chat_model_agent"


def make_plugins(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Chats keep getting titles; only the demo provider's agents make suggestions from the start."""
    owner = schema_editor.connection.alias
    agents = apps.get_model("admin_config", "AgentConfig").objects.using(owner).filter(kind=CHAT_AGENT)
    plugins = apps.get_model("admin_config", "AgentPlugin")
    plugins.objects.using(owner).bulk_create(
        plugins(organization_id=agent.organization_id, agent=agent, name=name, position=position, is_enabled=is_enabled)
        for agent in agents
        for position, name, is_enabled in ((1, "title", True), (2, "suggestions", agent.provider == "demo"), (4, "log", False))
    )
    # A table with unchecked rows can't be altered, and Django adds its constraints at the end.
    schema_editor.execute("set constraints all immediate")


class Migration(migrations.Migration):
    dependencies = [
        ("admin_config", "0003_agent_settings"),
        ("security", "0001_initial"),
        ("tenants", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="AgentPlugin",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(editable=False, max_length=40)),
                ("is_enabled", models.BooleanField(default=False, verbose_name="enabled")),
                ("position", models.PositiveSmallIntegerField(default=1, help_text="Lower ones come first.", verbose_name="order")),
                ("settings", models.JSONField(blank=True, default=dict, editable=False)),
                (
                    "agent",
                    tenants.models.TenantForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="plugins", to="admin_config.agentconfig"
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
                "verbose_name": "plugin",
                "ordering": ("position", "name", "id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        SecureTenantTable("AgentPlugin"),
        migrations.RunPython(make_plugins, migrations.RunPython.noop),
    ]
