import uuid
from decimal import Decimal

import django.core.validators
import django.db.models.deletion
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

import admin_config.validation.text_lists
import tenants.context
import tenants.models
from tenants.postgres.migration_operations import SecureTenantTable

CHAT_AGENT = "chat_model_agent"
SECTIONS = (
    "identity",
    "language",
    "output_format",
    "agent_loop",
    "tool_use",
    "error_handling",
    "safety",
    "skills",
    "environment",
    "user_preferences",
)
ALWAYS_SENT = ("environment", "user_preferences")


def make_sections(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """An organization that wrote its own chat prompt keeps exactly that one: its other sections start switched off."""
    owner = schema_editor.connection.alias
    agents = apps.get_model("admin_config", "AgentConfig").objects.using(owner).filter(kind=CHAT_AGENT)
    sections = apps.get_model("admin_config", "PromptSection")
    sections.objects.using(owner).bulk_create(
        sections(
            organization_id=agent.organization_id,
            agent=agent,
            name=name,
            is_enabled=name in ALWAYS_SENT or not agent.system_prompt.strip(),
        )
        for agent in agents
        for name in SECTIONS
    )
    # The foreign keys are checked now: PostgreSQL alters no table that has a check to come.
    schema_editor.execute("set constraints all immediate")


class Migration(migrations.Migration):
    dependencies = [
        ("admin_config", "0002_endpoint_api_version"),
        ("tenants", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="agentconfig",
            name="active_tools",
            field=models.TextField(
                blank=True,
                help_text="Only these are shown to the model. Names, one on each line. Blank: all.",
                validators=[admin_config.validation.text_lists.check_tool_names],
            ),
        ),
        migrations.AddField(
            model_name="agentconfig",
            name="ask_first",
            field=models.BooleanField(
                default=False,
                help_text="The user sees what is asked of this agent and allows or refuses it.",
                verbose_name="ask the user before each call",
            ),
        ),
        migrations.AddField(
            model_name="agentconfig",
            name="compact_at_percent",
            field=models.PositiveSmallIntegerField(
                blank=True,
                help_text="Share of the model's window. Above it, older messages become one line each.",
                null=True,
                validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100)],
                verbose_name="shorten from (%)",
            ),
        ),
        migrations.AddField(
            model_name="agentconfig",
            name="completion",
            field=models.CharField(
                blank=True,
                choices=[("plain_text", "A plain answer"), ("message_tool", "The message tool")],
                help_text="The message tool: the agent speaks through it alone, and may also ask questions and report progress.",
                max_length=20,
                verbose_name="a run ends with",
            ),
        ),
        migrations.AddField(
            model_name="agentconfig",
            name="cost_budget_usd",
            field=models.DecimalField(
                blank=True,
                decimal_places=4,
                help_text="Of a run with its sub-agents. Needs the prices of the models.",
                max_digits=10,
                null=True,
                validators=[django.core.validators.MinValueValidator(Decimal("0.0001"))],
                verbose_name="cost budget (US dollars)",
            ),
        ),
        migrations.AddField(
            model_name="agentconfig",
            name="frequency_penalty",
            field=models.FloatField(
                blank=True,
                help_text="Above 0: the more often a word was used, the less it comes again.",
                null=True,
                validators=[django.core.validators.MinValueValidator(-2), django.core.validators.MaxValueValidator(2)],
            ),
        ),
        migrations.AddField(
            model_name="agentconfig",
            name="guard_percent",
            field=models.PositiveSmallIntegerField(
                blank=True,
                help_text="Share of the window. If it is still exceeded, the oldest messages are left out.",
                null=True,
                validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100)],
                verbose_name="drop from (%)",
            ),
        ),
        migrations.AddField(
            model_name="agentconfig",
            name="hidden_tools",
            field=models.TextField(
                blank=True,
                help_text="Never shown to the model, whatever else is set. Names, one on each line.",
                validators=[admin_config.validation.text_lists.check_tool_names],
            ),
        ),
        migrations.AddField(
            model_name="agentconfig",
            name="max_equal_calls",
            field=models.PositiveSmallIntegerField(
                blank=True,
                help_text="How often one tool may run with the same arguments in a run.",
                null=True,
                validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(50)],
            ),
        ),
        migrations.AddField(
            model_name="agentconfig",
            name="max_reminders",
            field=models.PositiveSmallIntegerField(
                blank=True,
                help_text="How often the model is told that it has not called the message tool, before the run ends.",
                null=True,
                validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(10)],
            ),
        ),
        migrations.AddField(
            model_name="agentconfig",
            name="presence_penalty",
            field=models.FloatField(
                blank=True,
                help_text="Above 0: rather new words than used ones.",
                null=True,
                validators=[django.core.validators.MinValueValidator(-2), django.core.validators.MaxValueValidator(2)],
            ),
        ),
        migrations.AddField(
            model_name="agentconfig",
            name="prune_reasoning",
            field=models.CharField(
                blank=True,
                choices=[("none", "None"), ("before_last_message", "Before the last message"), ("all", "All")],
                max_length=20,
                verbose_name="leave out thinking",
            ),
        ),
        migrations.AddField(
            model_name="agentconfig",
            name="prune_tool_calls",
            field=models.CharField(
                blank=True,
                choices=[("none", "None"), ("before_last_message", "Before the last message"), ("all", "All")],
                max_length=20,
                verbose_name="leave out tool calls",
            ),
        ),
        migrations.AddField(
            model_name="agentconfig",
            name="prune_tools",
            field=models.TextField(
                blank=True,
                help_text="Where a tool differs: its name and none, before_last_message or all, such as document_agent: all. One on each line.",
                validators=[admin_config.validation.text_lists.check_pruning],
                verbose_name="leave out calls of",
            ),
        ),
        migrations.AddField(
            model_name="agentconfig",
            name="seed",
            field=models.IntegerField(blank=True, help_text="Makes answers repeatable as far as the provider can.", null=True),
        ),
        migrations.AddField(
            model_name="agentconfig",
            name="stop_on_tool_call",
            field=models.TextField(
                blank=True,
                help_text="A call of one of these ends the run. Names, one on each line.",
                validators=[admin_config.validation.text_lists.check_tool_names],
            ),
        ),
        migrations.AddField(
            model_name="agentconfig",
            name="stop_sequences",
            field=models.TextField(
                blank=True,
                help_text="The answer ends where one of these would appear. One on each line.",
                validators=[admin_config.validation.text_lists.check_stop_sequences],
            ),
        ),
        migrations.AddField(
            model_name="agentconfig",
            name="tail_percent",
            field=models.PositiveSmallIntegerField(
                blank=True,
                help_text="Share of the window that the newest messages may fill and stay as they are.",
                null=True,
                validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100)],
                verbose_name="keep whole (%)",
            ),
        ),
        migrations.AddField(
            model_name="agentconfig",
            name="token_budget",
            field=models.PositiveIntegerField(
                blank=True,
                help_text="Of a run with its sub-agents.",
                null=True,
                validators=[django.core.validators.MinValueValidator(1000)],
                verbose_name="token budget",
            ),
        ),
        migrations.AddField(
            model_name="agentconfig",
            name="tool_choice",
            field=models.CharField(
                blank=True,
                help_text="auto: the model decides. required: it must call a tool. none: it may not. Or the name of the tool that it must call.",
                max_length=64,
                validators=[admin_config.validation.text_lists.check_tool_choice],
            ),
        ),
        migrations.AddField(
            model_name="agentconfig",
            name="tool_policy",
            field=models.CharField(
                blank=True,
                choices=[("parallel", "All, side by side"), ("single", "One in each step")],
                help_text="One in each step: the others are given back to the model, which may ask again.",
                max_length=10,
                verbose_name="calls of one step",
            ),
        ),
        migrations.AddField(
            model_name="agentconfig",
            name="top_k",
            field=models.PositiveSmallIntegerField(
                blank=True,
                help_text="Only this many of the likeliest words.",
                null=True,
                validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1000)],
                verbose_name="top-k",
            ),
        ),
        migrations.AddField(
            model_name="agentconfig",
            name="top_p",
            field=models.FloatField(
                blank=True,
                help_text="Only the likeliest words that add up to this share.",
                null=True,
                validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)],
                verbose_name="top-p",
            ),
        ),
        migrations.AddField(
            model_name="modelconfig",
            name="cached_price_usd",
            field=models.DecimalField(
                blank=True,
                decimal_places=4,
                help_text="Of the part of the prompt that the provider had cached. Blank: the input price.",
                max_digits=10,
                null=True,
                validators=[django.core.validators.MinValueValidator(0)],
                verbose_name="cached input price",
            ),
        ),
        migrations.AddField(
            model_name="modelconfig",
            name="input_price_usd",
            field=models.DecimalField(
                blank=True,
                decimal_places=4,
                help_text="Of the prompt.",
                max_digits=10,
                null=True,
                validators=[django.core.validators.MinValueValidator(0)],
                verbose_name="input price",
            ),
        ),
        migrations.AddField(
            model_name="modelconfig",
            name="output_price_usd",
            field=models.DecimalField(
                blank=True,
                decimal_places=4,
                help_text="Of the answer.",
                max_digits=10,
                null=True,
                validators=[django.core.validators.MinValueValidator(0)],
                verbose_name="output price",
            ),
        ),
        migrations.AddField(
            model_name="modelconfig",
            name="thinking_price_usd",
            field=models.DecimalField(
                blank=True,
                decimal_places=4,
                help_text="Blank: the output price.",
                max_digits=10,
                null=True,
                validators=[django.core.validators.MinValueValidator(0)],
                verbose_name="thinking price",
            ),
        ),
        migrations.CreateModel(
            name="StepRule",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("position", models.PositiveSmallIntegerField(default=1, help_text="Lower ones are asked first.", verbose_name="order")),
                (
                    "first_step",
                    models.PositiveSmallIntegerField(
                        validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(25)],
                        verbose_name="from step",
                    ),
                ),
                (
                    "last_step",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        help_text="Blank: to the last.",
                        null=True,
                        validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(25)],
                        verbose_name="to step",
                    ),
                ),
                (
                    "active_tools",
                    models.TextField(
                        blank=True,
                        help_text="Only these. Names, one on each line.",
                        validators=[admin_config.validation.text_lists.check_tool_names],
                    ),
                ),
                (
                    "tool_choice",
                    models.CharField(
                        blank=True,
                        help_text="auto, required, none, or a tool's name.",
                        max_length=64,
                        validators=[admin_config.validation.text_lists.check_tool_choice],
                    ),
                ),
                (
                    "max_output_tokens",
                    models.PositiveIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(64)]),
                ),
                (
                    "temperature",
                    models.FloatField(
                        blank=True,
                        null=True,
                        validators=[django.core.validators.MinValueValidator(0.0), django.core.validators.MaxValueValidator(2.0)],
                    ),
                ),
                (
                    "agent",
                    tenants.models.TenantForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="step_rules", to="admin_config.agentconfig"
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
                "verbose_name": "step rule",
                "ordering": ("position", "first_step", "id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="PromptSection",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(editable=False, max_length=40)),
                ("is_enabled", models.BooleanField(default=True, verbose_name="enabled")),
                ("text", models.TextField(blank=True)),
                (
                    "agent",
                    tenants.models.TenantForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="sections", to="admin_config.agentconfig"
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
                "verbose_name": "prompt section",
                "ordering": ("name",),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [models.UniqueConstraint(fields=("organization", "agent", "name"), name="section_once")],
            },
        ),
        SecureTenantTable("PromptSection"),
        SecureTenantTable("StepRule"),
        migrations.RunPython(make_sections, migrations.RunPython.noop),
    ]
