import datetime as dt
import uuid
from decimal import Decimal

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import admin_config.defaults.platform
import admin_config.defaults.prices
import admin_config.models.provider_tuning
import admin_config.validation.lengths
import admin_config.validation.text_lists
import admin_config.validation.tool_rules
import tenants.context
import tenants.models
from tenants.postgres.migration_operations import SecureTenantTable


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("security", "0001_initial"),
        ("tenants", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="AgentConfig",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("builtin_tools", models.JSONField(blank=True, null=True, verbose_name="built-in tools")),
                ("provider_settings", models.JSONField(blank=True, db_default={}, default=dict, editable=False)),
                (
                    "provider_options",
                    models.JSONField(
                        blank=True,
                        db_default={},
                        default=dict,
                        help_text="A JSON object with further fields of the provider's own request, over those that Parley sends. Empty: {}.",
                        validators=[admin_config.models.provider_tuning.check_free_fields],
                        verbose_name="further fields",
                    ),
                ),
                (
                    "top_p",
                    models.FloatField(
                        blank=True,
                        help_text="Only the likeliest words that add up to this share.",
                        null=True,
                        validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(1)],
                        verbose_name="top-p",
                    ),
                ),
                (
                    "top_k",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        help_text="Only this many of the likeliest words.",
                        null=True,
                        validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1000)],
                        verbose_name="top-k",
                    ),
                ),
                (
                    "presence_penalty",
                    models.FloatField(
                        blank=True,
                        help_text="Above 0: rather new words than used ones.",
                        null=True,
                        validators=[django.core.validators.MinValueValidator(-2), django.core.validators.MaxValueValidator(2)],
                    ),
                ),
                (
                    "frequency_penalty",
                    models.FloatField(
                        blank=True,
                        help_text="Above 0: the more often a word was used, the less it comes again.",
                        null=True,
                        validators=[django.core.validators.MinValueValidator(-2), django.core.validators.MaxValueValidator(2)],
                    ),
                ),
                ("seed", models.IntegerField(blank=True, help_text="Makes answers repeatable as far as the provider can.", null=True)),
                (
                    "stop_sequences",
                    models.TextField(
                        blank=True,
                        help_text="The answer ends where one of these would appear. One on each line.",
                        validators=[admin_config.validation.text_lists.check_stop_sequences],
                    ),
                ),
                (
                    "tool_policy",
                    models.CharField(
                        blank=True,
                        choices=[("parallel", "All, side by side"), ("single", "One in each step")],
                        help_text="One in each step: the others are given back to the model, which may ask again.",
                        max_length=20,
                        verbose_name="calls of one step",
                    ),
                ),
                (
                    "tool_choice",
                    models.CharField(
                        blank=True,
                        help_text="auto: the model decides. required: it must call a tool. none: it may not. Or the name of the tool that it must call.",
                        max_length=64,
                        validators=[admin_config.validation.text_lists.check_tool_choice],
                    ),
                ),
                (
                    "active_tools",
                    models.TextField(
                        blank=True,
                        help_text="Only these are shown to the model. Names, one on each line. Blank: all.",
                        validators=[admin_config.validation.text_lists.check_tool_names],
                    ),
                ),
                (
                    "hidden_tools",
                    models.TextField(
                        blank=True,
                        help_text="Never shown to the model, whatever else is set. Names, one on each line.",
                        validators=[admin_config.validation.text_lists.check_tool_names],
                    ),
                ),
                (
                    "repair_tool_call",
                    models.BooleanField(
                        blank=True,
                        help_text="The model corrects arguments that don't fit their tool once, in a short call of its own. Off: it sees the error.",
                        null=True,
                        verbose_name="repair arguments",
                    ),
                ),
                (
                    "ask_first",
                    models.BooleanField(
                        blank=True,
                        help_text="The user sees what is asked of this agent and allows or refuses it.",
                        null=True,
                        verbose_name="ask the user before each call",
                    ),
                ),
                (
                    "completion",
                    models.CharField(
                        blank=True,
                        choices=[("plain_text", "A plain answer"), ("message_tool", "The message tool")],
                        help_text="The message tool: the agent speaks through it alone, and may also ask questions and report progress.",
                        max_length=20,
                        verbose_name="a run ends with",
                    ),
                ),
                (
                    "max_reminders",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        help_text="How often the model is told that it has not called the message tool, or that its call can't be read, before its work ends.",
                        null=True,
                        validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(10)],
                    ),
                ),
                (
                    "stop_on_tool_call",
                    models.TextField(
                        blank=True,
                        help_text="A call of one of these ends the run. Names, one on each line.",
                        validators=[admin_config.validation.text_lists.check_tool_names],
                    ),
                ),
                (
                    "max_equal_calls",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        help_text="How often one tool may run with the same arguments in a run.",
                        null=True,
                        validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(5)],
                    ),
                ),
                (
                    "max_repairs",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        help_text="How often work that is not correct goes back to the agent with the error, before it is shown with that error.",
                        null=True,
                        validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(10)],
                        verbose_name="repairs",
                    ),
                ),
                (
                    "attached_files",
                    models.BooleanField(
                        blank=True,
                        help_text="The agent gets the files that are attached to the chat: their names, and the beginning of their texts.",
                        null=True,
                        verbose_name="attached files",
                    ),
                ),
                (
                    "token_budget",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="Of a run with its sub-agents.",
                        null=True,
                        validators=[django.core.validators.MinValueValidator(1000)],
                        verbose_name="token budget",
                    ),
                ),
                (
                    "cost_budget_usd",
                    models.DecimalField(
                        blank=True,
                        decimal_places=4,
                        help_text="Of a run with its sub-agents. Needs the prices of the models.",
                        max_digits=10,
                        null=True,
                        validators=[django.core.validators.MinValueValidator(Decimal("0.0001"))],
                        verbose_name="cost budget (US dollars)",
                    ),
                ),
                (
                    "compact_at_percent",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        help_text="Share of the model's window. Above it, older messages become one line each.",
                        null=True,
                        validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100)],
                        verbose_name="shorten from (%)",
                    ),
                ),
                (
                    "tail_percent",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        help_text="Share of the window that the newest messages may fill and stay as they are.",
                        null=True,
                        validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100)],
                        verbose_name="keep whole (%)",
                    ),
                ),
                (
                    "guard_percent",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        help_text="Share of the window. If it is still exceeded, the oldest messages are left out.",
                        null=True,
                        validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100)],
                        verbose_name="drop from (%)",
                    ),
                ),
                (
                    "prune_reasoning",
                    models.CharField(
                        blank=True,
                        choices=[("none", "None"), ("before_last_message", "Before the last message"), ("all", "All")],
                        max_length=20,
                        verbose_name="drop thinking from context",
                    ),
                ),
                (
                    "prune_tool_calls",
                    models.CharField(
                        blank=True,
                        choices=[("none", "None"), ("before_last_message", "Before the last message"), ("all", "All")],
                        max_length=20,
                        verbose_name="drop tool calls from context",
                    ),
                ),
                (
                    "prune_tools",
                    models.TextField(
                        blank=True,
                        help_text="Where a tool differs: its name and none, before_last_message or all, such as document_agent: all. One on each line.",
                        validators=[admin_config.validation.text_lists.check_pruning],
                        verbose_name="drop calls of these tools",
                    ),
                ),
                (
                    "prune_empty",
                    models.BooleanField(
                        blank=True,
                        help_text="Off: for models that were trained to see each of their turns.",
                        null=True,
                        verbose_name="drop empty answers",
                    ),
                ),
                ("key", models.CharField(editable=False, max_length=80)),
                ("name", models.CharField(blank=True, editable=False, max_length=40)),
                ("input_schema", models.JSONField(blank=True, default=dict, editable=False)),
                ("kind", models.CharField(choices=admin_config.defaults.platform.kind_choices, editable=False, max_length=40)),
                (
                    "provider",
                    models.CharField(
                        choices=[
                            ("all", "All providers"),
                            ("google", "Google Gemini"),
                            ("openai", "OpenAI"),
                            ("anthropic", "Anthropic Claude"),
                            ("compatible", "OpenAI-compatible endpoint"),
                            ("demo", "Demo (no key, scripted)"),
                            ("demo_openai", "Demo (OpenAI protocol)"),
                            ("demo_anthropic", "Demo (Anthropic protocol)"),
                            ("demo_compatible", "Demo (compatible protocol)"),
                        ],
                        editable=False,
                        max_length=20,
                    ),
                ),
                ("is_enabled", models.BooleanField(blank=True, null=True, verbose_name="enabled")),
                (
                    "system_prompt",
                    models.TextField(blank=True, validators=[admin_config.validation.lengths.LengthLimit("system prompt", 100000)]),
                ),
                (
                    "description",
                    models.TextField(blank=True, validators=[admin_config.validation.lengths.LengthLimit("description", 4000)]),
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
            ],
            options={
                "verbose_name": "agent",
                "ordering": ("provider", "kind"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "key"), name="agent_key_once"),
                ],
            },
        ),
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
        migrations.CreateModel(
            name="ModelConfig",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "provider",
                    models.CharField(
                        choices=[
                            ("google", "Google Gemini"),
                            ("openai", "OpenAI"),
                            ("anthropic", "Anthropic Claude"),
                            ("compatible", "OpenAI-compatible endpoint"),
                            ("demo", "Demo (no key, scripted)"),
                            ("demo_openai", "Demo (OpenAI protocol)"),
                            ("demo_anthropic", "Demo (Anthropic protocol)"),
                            ("demo_compatible", "Demo (compatible protocol)"),
                        ],
                        max_length=20,
                    ),
                ),
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
                        default=128000, help_text="In tokens.", validators=[django.core.validators.MinValueValidator(1024)]
                    ),
                ),
                (
                    "max_output_tokens",
                    models.PositiveIntegerField(
                        default=8192, help_text="In tokens.", validators=[django.core.validators.MinValueValidator(64)]
                    ),
                ),
                ("supports_thinking", models.BooleanField(default=False, verbose_name="supports thinking")),
                (
                    "thinking_style",
                    models.CharField(
                        choices=[("none", "No thinking"), ("budget", "Budget in tokens"), ("level", "Level (low, high)")],
                        default="none",
                        max_length=10,
                    ),
                ),
                ("supports_tools", models.BooleanField(default=True, verbose_name="can use tools")),
                (
                    "supports_images",
                    models.BooleanField(
                        db_default=False, default=False, help_text="Images of a message go to it as they are.", verbose_name="reads images"
                    ),
                ),
                (
                    "supports_pdf",
                    models.BooleanField(
                        db_default=False, default=False, help_text="Else it is given their text.", verbose_name="reads PDF files"
                    ),
                ),
                (
                    "builtin_tools",
                    models.JSONField(
                        blank=True,
                        db_default=[],
                        default=list,
                        help_text="What the provider can do itself while this model answers.",
                        verbose_name="built-in tools",
                    ),
                ),
                (
                    "reasons",
                    models.BooleanField(
                        blank=True,
                        help_text="For OpenAI: such models take no temperature, and their reasoning goes back to them between steps.",
                        null=True,
                        verbose_name="reasoning model",
                    ),
                ),
                ("own_facts", models.JSONField(default=list, editable=False)),
                ("is_enabled", models.BooleanField(default=True, verbose_name="enabled")),
                (
                    "is_default",
                    models.BooleanField(
                        default=False, help_text="Used when a user has not chosen a model; one per provider.", verbose_name="default"
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
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "provider", "model_id"),
                        name="model_id_once",
                        violation_error_message="This provider already has a model with this id.",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("is_default", True)), fields=("organization", "provider"), name="model_default_once"
                    ),
                ],
            },
        ),
        migrations.AddField(
            model_name="agentconfig",
            name="model",
            field=tenants.models.TenantForeignKey(
                blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name="agents", to="admin_config.modelconfig"
            ),
        ),
        migrations.CreateModel(
            name="ModelPrice",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("valid_from", models.DateField(default=dt.date(2000, 1, 1))),
                ("above_tokens", models.PositiveIntegerField(default=0)),
                (
                    "input_usd",
                    models.DecimalField(
                        blank=True, decimal_places=6, max_digits=12, null=True, validators=[django.core.validators.MinValueValidator(0)]
                    ),
                ),
                (
                    "cached_usd",
                    models.DecimalField(
                        blank=True, decimal_places=6, max_digits=12, null=True, validators=[django.core.validators.MinValueValidator(0)]
                    ),
                ),
                (
                    "cache_write_usd",
                    models.DecimalField(
                        blank=True, decimal_places=6, max_digits=12, null=True, validators=[django.core.validators.MinValueValidator(0)]
                    ),
                ),
                (
                    "output_usd",
                    models.DecimalField(
                        blank=True, decimal_places=6, max_digits=12, null=True, validators=[django.core.validators.MinValueValidator(0)]
                    ),
                ),
                (
                    "thinking_usd",
                    models.DecimalField(
                        blank=True, decimal_places=6, max_digits=12, null=True, validators=[django.core.validators.MinValueValidator(0)]
                    ),
                ),
                (
                    "image_usd",
                    models.DecimalField(
                        blank=True, decimal_places=6, max_digits=12, null=True, validators=[django.core.validators.MinValueValidator(0)]
                    ),
                ),
                (
                    "search_usd",
                    models.DecimalField(
                        blank=True, decimal_places=6, max_digits=12, null=True, validators=[django.core.validators.MinValueValidator(0)]
                    ),
                ),
                (
                    "picture_usd",
                    models.DecimalField(
                        blank=True, decimal_places=6, max_digits=12, null=True, validators=[django.core.validators.MinValueValidator(0)]
                    ),
                ),
                ("source", models.CharField(choices=[("list", "price list"), ("admin", "entered here")], max_length=10)),
                (
                    "model",
                    tenants.models.TenantForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="prices", to="admin_config.modelconfig"
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
                "verbose_name": "price",
                "ordering": ("valid_from", "above_tokens"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "model", "valid_from", "above_tokens"), name="model_price_once"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("input_usd__isnull", True), ("output_usd__isnull", True)),
                            models.Q(("input_usd__isnull", False), ("output_usd__isnull", False)),
                            _connector="OR",
                        ),
                        name="model_price_in_and_out",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="CustomizedText",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("part", models.CharField(blank=True, max_length=40)),
                ("field", models.CharField(max_length=40)),
                ("default_text", models.TextField()),
                (
                    "agent",
                    tenants.models.TenantForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="customized_texts", to="admin_config.agentconfig"
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
                "constraints": [models.UniqueConstraint(fields=("organization", "agent", "part", "field"), name="customized_text_once")],
            },
        ),
        migrations.CreateModel(
            name="PromptSection",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(editable=False, max_length=40)),
                ("is_enabled", models.BooleanField(blank=True, null=True, verbose_name="enabled")),
                ("text", models.TextField(blank=True, validators=[admin_config.validation.lengths.LengthLimit("text", 100000)])),
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
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "agent", "name"), name="section_once"),
                ],
            },
        ),
        migrations.CreateModel(
            name="ProviderEndpoint",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "provider",
                    models.CharField(
                        choices=[
                            ("google", "Google Gemini"),
                            ("openai", "OpenAI"),
                            ("anthropic", "Anthropic Claude"),
                            ("compatible", "OpenAI-compatible endpoint"),
                            ("demo", "Demo (no key, scripted)"),
                            ("demo_openai", "Demo (OpenAI protocol)"),
                            ("demo_anthropic", "Demo (Anthropic protocol)"),
                            ("demo_compatible", "Demo (compatible protocol)"),
                        ],
                        max_length=20,
                    ),
                ),
                ("name", models.CharField(max_length=80)),
                ("base_url", models.CharField(blank=True, max_length=300, verbose_name="address")),
                (
                    "api_version",
                    models.CharField(
                        blank=True,
                        max_length=20,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^v[0-9][0-9a-z]{0,15}\\Z", "An API version is a v, a digit, then digits or small letters, such as v1beta."
                            )
                        ],
                        verbose_name="API version",
                    ),
                ),
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
                    "tool_mode",
                    models.CharField(
                        choices=[("native", "The provider's own"), ("xml", "XML in the text")],
                        db_default="native",
                        default="native",
                        help_text="XML: for servers that drop the tools of a request. Tools are described in the prompt and calls read out of the text.",
                        max_length=8,
                        verbose_name="tool calls",
                    ),
                ),
                (
                    "compatible_options",
                    models.JSONField(blank=True, db_default={}, default=dict, verbose_name="options of compatible servers"),
                ),
                ("last_test", models.JSONField(db_default={}, default=dict, editable=False)),
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
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "provider", "name"),
                        name="endpoint_name_once",
                        violation_error_message="This provider already has an endpoint with this name.",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Release",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("number", models.PositiveIntegerField(editable=False)),
                ("is_trial", models.BooleanField(db_default=False, default=False, editable=False)),
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
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("is_trial", False)), fields=("organization", "number"), name="release_number_once"
                    ),
                ],
                "indexes": [
                    models.Index(condition=models.Q(("is_trial", True)), fields=["organization", "content_hash"], name="release_trial"),
                ],
            },
        ),
        migrations.CreateModel(
            name="AppSettings",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "active_provider",
                    models.CharField(
                        choices=[
                            ("google", "Google Gemini"),
                            ("openai", "OpenAI"),
                            ("anthropic", "Anthropic Claude"),
                            ("compatible", "OpenAI-compatible endpoint"),
                            ("demo", "Demo (no key, scripted)"),
                            ("demo_openai", "Demo (OpenAI protocol)"),
                            ("demo_anthropic", "Demo (Anthropic protocol)"),
                            ("demo_compatible", "Demo (compatible protocol)"),
                        ],
                        default="google",
                        help_text="Used when a user has not chosen a model.",
                        max_length=20,
                    ),
                ),
                (
                    "offered_providers",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="Users may choose models of these providers too, in any conversation. Each needs an enabled endpoint and chat agent.",
                        verbose_name="other providers",
                    ),
                ),
                (
                    "publish_on_save",
                    models.BooleanField(
                        default=True, help_text="On: every save goes live at once. Off: changes are collected in a draft that you publish."
                    ),
                ),
                (
                    "own_keys_allowed",
                    models.BooleanField(
                        default=False,
                        help_text="On: members may use API keys of their own, before the organization's. Off: saved keys are kept but not used. Takes effect immediately.",
                        verbose_name="members' own keys",
                    ),
                ),
                (
                    "approval_days",
                    models.PositiveSmallIntegerField(
                        db_default=7,
                        default=7,
                        help_text="How long a question waits for an answer; then it counts as refused. Takes effect immediately for new questions.",
                        validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(90)],
                        verbose_name="approval time-out (days)",
                    ),
                ),
                (
                    "retention_days",
                    models.PositiveSmallIntegerField(
                        db_default=30,
                        default=30,
                        help_text="Deleted conversations, documents and files are erased for good after so many days. Takes effect immediately.",
                        validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(3650)],
                        verbose_name="days to keep deleted data",
                    ),
                ),
                (
                    "refusals_alert",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        db_default=20,
                        default=20,
                        help_text="Owners get a mail, once a day, about a limit or budget that refused so often within an hour. Blank: never. Takes effect immediately.",
                        null=True,
                        validators=[django.core.validators.MinValueValidator(1)],
                        verbose_name="tell owners of refusals",
                    ),
                ),
                (
                    "never_hosts",
                    models.TextField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="No tool calls these hosts, whatever anybody allows. One on each line, such as example.com or *.example.com. Takes effect immediately.",
                        validators=[admin_config.validation.text_lists.check_hosts],
                        verbose_name="hosts that are never called",
                    ),
                ),
                (
                    "member_storage_mb",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="The files that one member may have stored. Blank: the platform's limit. Takes effect immediately.",
                        null=True,
                        validators=[django.core.validators.MinValueValidator(1)],
                        verbose_name="member's storage (MB)",
                    ),
                ),
                (
                    "member_files",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="How many files one member may have stored. Blank: the platform's limit. Takes effect immediately.",
                        null=True,
                        validators=[django.core.validators.MinValueValidator(1)],
                        verbose_name="member's files",
                    ),
                ),
                (
                    "organization_storage_mb",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="All files together, with knowledge files. Blank: the platform's limit. Takes effect immediately.",
                        null=True,
                        validators=[django.core.validators.MinValueValidator(1)],
                        verbose_name="organization's storage (MB)",
                    ),
                ),
                (
                    "organization_files",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="How many files all members together may have stored. Blank: the platform's limit. Takes effect immediately.",
                        null=True,
                        validators=[django.core.validators.MinValueValidator(1)],
                        verbose_name="organization's files",
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
                ("platform_number", models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ("published_values", models.CharField(blank=True, db_default="", default="", editable=False, max_length=64)),
            ],
            options={
                "verbose_name": "settings",
                "verbose_name_plural": "settings",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(fields=("organization",), name="settings_once"),
                ],
            },
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
            name="ToolSource",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "name",
                    models.CharField(
                        max_length=40,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[a-z][a-z0-9_]{0,39}\\Z",
                                "A name is a small letter, then small letters, digits or underscores; at most 40.",
                            )
                        ],
                    ),
                ),
                ("kind", models.CharField(editable=False, max_length=20)),
                ("is_enabled", models.BooleanField(default=True, verbose_name="enabled")),
                (
                    "prefix",
                    models.CharField(
                        blank=True,
                        help_text="Put before the names of its tools.",
                        max_length=20,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[a-z][a-z0-9_]{0,19}\\Z",
                                "A prefix is a small letter, then small letters, digits or underscores; at most 20.",
                            )
                        ],
                    ),
                ),
                (
                    "allowed_tools",
                    models.TextField(
                        blank=True,
                        help_text="Only these of its tools. Names, one on each line; blank: all.",
                        validators=[admin_config.validation.text_lists.check_names],
                    ),
                ),
                (
                    "danger",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("safe", "Safe"),
                            ("moderate", "Moderate: logged in detail"),
                            ("dangerous", "Dangerous: asks the user before each call"),
                        ],
                        help_text="Blank: as reported by the server.",
                        max_length=10,
                        verbose_name="danger level",
                    ),
                ),
                ("confirm", models.BooleanField(default=False, verbose_name="ask the user before each call")),
                (
                    "tool_rules",
                    models.JSONField(
                        blank=True,
                        db_default={},
                        default=dict,
                        validators=[admin_config.validation.tool_rules.check_tool_rules],
                        verbose_name="rules of single tools",
                    ),
                ),
                (
                    "open_hosts",
                    models.TextField(
                        blank=True,
                        help_text="Calls to these hosts never ask because of what a chat contains. One on each line, such as example.com or *.example.com. Only hosts that may read all that your members write and upload.",
                        validators=[admin_config.validation.text_lists.check_hosts],
                        verbose_name="hosts that need no question",
                    ),
                ),
                (
                    "member_switch",
                    models.CharField(
                        blank=True,
                        choices=[("starts_on", "Yes, on at first"), ("starts_off", "Yes, off at first")],
                        help_text="In the + menu of the message box, for each message.",
                        max_length=10,
                        verbose_name="members switch it",
                    ),
                ),
                (
                    "switch_label",
                    models.CharField(blank=True, help_text="Blank: the name of the tool.", max_length=40, verbose_name="name in the menu"),
                ),
                (
                    "switch_hint",
                    models.CharField(
                        blank=True,
                        help_text="What it is good for, such as: Live stock numbers.",
                        max_length=80,
                        verbose_name="line below it",
                    ),
                ),
                ("settings", models.JSONField(blank=True, default=dict, editable=False)),
                ("pins", models.JSONField(blank=True, default=dict, editable=False)),
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
                "verbose_name": "tool source",
                "ordering": ("kind", "name"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "name"),
                        name="tool_source_once",
                        violation_error_message="A tool with this name already exists.",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="AgentTool",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("position", models.PositiveSmallIntegerField(default=1, help_text="Lower ones come first.", verbose_name="order")),
                (
                    "agent",
                    tenants.models.TenantForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="tools", to="admin_config.agentconfig"
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
                    "sub_agent",
                    tenants.models.TenantForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="uses",
                        to="admin_config.agentconfig",
                    ),
                ),
                (
                    "source",
                    tenants.models.TenantForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="uses",
                        to="admin_config.toolsource",
                    ),
                ),
            ],
            options={
                "verbose_name": "tool",
                "ordering": ("position", "id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("source", None), ("sub_agent", None), _connector="XOR"), name="agent_tool_is_one_thing"
                    ),
                    models.UniqueConstraint(fields=("organization", "agent", "source"), name="agent_tool_source_once"),
                    models.UniqueConstraint(fields=("organization", "agent", "sub_agent"), name="agent_tool_agent_once"),
                ],
            },
        ),
        migrations.CreateModel(
            name="AgentOperation",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(editable=False, max_length=40)),
                ("is_enabled", models.BooleanField(blank=True, null=True, verbose_name="enabled")),
                (
                    "system_prompt",
                    models.TextField(blank=True, validators=[admin_config.validation.lengths.LengthLimit("system prompt", 100000)]),
                ),
                (
                    "user_prompt_template",
                    models.TextField(blank=True, validators=[admin_config.validation.lengths.LengthLimit("user prompt template", 100000)]),
                ),
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
        migrations.CreateModel(
            name="AssistantPicture",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("content", models.BinaryField()),
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
            ],
            options={
                "verbose_name": "picture",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="Assistant",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "is_offered",
                    models.BooleanField(
                        default=True,
                        help_text="Off: nobody can choose it. Chats with it stay, and say that it is not available.",
                        verbose_name="on",
                    ),
                ),
                ("title", models.CharField(help_text="As members see it.", max_length=60, verbose_name="name")),
                ("description", models.CharField(help_text="One line under the name: what it is good at.", max_length=120)),
                ("starters", models.JSONField(blank=True, default=list, editable=False)),
                (
                    "model_choice",
                    models.CharField(
                        choices=[("fixed", "Always the model below"), ("member", "The member chooses, as in other chats")],
                        default="member",
                        max_length=10,
                        verbose_name="model",
                    ),
                ),
                (
                    "audience",
                    models.CharField(
                        choices=[
                            ("everyone", "Everyone who can write in this organization"),
                            ("chosen", "Only the roles and groups below"),
                        ],
                        default="everyone",
                        max_length=10,
                        verbose_name="who may use it",
                    ),
                ),
                ("roles", models.JSONField(blank=True, default=list, editable=False)),
                ("groups", models.JSONField(blank=True, default=list, editable=False)),
                (
                    "for_agents",
                    models.BooleanField(
                        default=False,
                        help_text="As a sub-agent. Which ones do is chosen on their pages.",
                        verbose_name="other agents may call it",
                    ),
                ),
                (
                    "position",
                    models.PositiveSmallIntegerField(
                        default=1,
                        help_text="Lower ones are shown first.",
                        validators=[django.core.validators.MaxValueValidator(999)],
                        verbose_name="order",
                    ),
                ),
                (
                    "agent",
                    tenants.models.TenantForeignKey(
                        editable=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="assistants",
                        to="admin_config.agentconfig",
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
                    "picture",
                    tenants.models.TenantForeignKey(
                        blank=True,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="admin_config.assistantpicture",
                    ),
                ),
            ],
            options={
                "verbose_name": "assistant",
                "ordering": ("position", "title", "id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [models.UniqueConstraint(fields=("organization", "agent"), name="assistant_once")],
            },
        ),
        migrations.CreateModel(
            name="Canary",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "percent",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        null=True,
                        validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(99)],
                    ),
                ),
                ("rules", models.JSONField(default=dict)),
                ("started_at", models.DateTimeField(auto_now_add=True)),
                ("asked_at", models.DateTimeField(editable=False, null=True)),
                ("ended_at", models.DateTimeField(editable=False, null=True)),
                (
                    "outcome",
                    models.CharField(
                        blank=True,
                        choices=[("promoted", "Promoted"), ("taken_back", "Taken back")],
                        default="",
                        editable=False,
                        max_length=10,
                    ),
                ),
                ("by_itself", models.BooleanField(default=False, editable=False)),
                ("reason", models.CharField(blank=True, default="", editable=False, max_length=300)),
                ("reason_values", models.JSONField(default=dict, editable=False)),
                ("looked_at", models.DateTimeField(editable=False, null=True)),
                ("notice", models.JSONField(default=dict, editable=False)),
                ("figures", models.JSONField(default=list, editable=False)),
                (
                    "base",
                    tenants.models.TenantForeignKey(
                        editable=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="admin_config.release"
                    ),
                ),
                (
                    "group",
                    tenants.models.TenantForeignKey(
                        blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="tenants.membergroup"
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
                    "release",
                    tenants.models.TenantForeignKey(
                        editable=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="admin_config.release"
                    ),
                ),
            ],
            options={
                "verbose_name": "canary",
                "verbose_name_plural": "canaries",
                "ordering": ["-started_at"],
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(condition=models.Q(("ended_at", None)), fields=("organization",), name="canary_one_open"),
                    models.UniqueConstraint(fields=("organization", "release"), name="canary_once"),
                ],
            },
        ),
        migrations.CreateModel(
            name="ScheduledRelease",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("publish_at", models.DateTimeField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("ended_at", models.DateTimeField(editable=False, null=True)),
                (
                    "outcome",
                    models.CharField(
                        blank=True,
                        choices=[("live", "Went live"), ("cancelled", "Cancelled"), ("refused", "Not published")],
                        default="",
                        editable=False,
                        max_length=9,
                    ),
                ),
                ("reason", models.CharField(blank=True, default="", editable=False, max_length=300)),
                ("is_announced", models.BooleanField(default=False, editable=False)),
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
                    "release",
                    tenants.models.TenantForeignKey(
                        editable=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="admin_config.release"
                    ),
                ),
            ],
            options={
                "verbose_name": "scheduled release",
                "ordering": ["-created_at"],
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [
                    models.Index(condition=models.Q(("is_announced", False)), fields=["publish_at"], name="scheduled_release_due"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("ended_at", None)), fields=("organization",), name="scheduled_release_one_open"
                    ),
                    models.UniqueConstraint(fields=("organization", "release"), name="scheduled_release_once"),
                ],
            },
        ),
        migrations.CreateModel(
            name="CurrencyRate",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "valid_from",
                    models.DateField(
                        default=admin_config.defaults.prices.utc_today,
                        help_text="The first day (UTC). It holds until a later rate begins.",
                        verbose_name="from",
                    ),
                ),
                (
                    "currency",
                    models.CharField(
                        choices=[
                            ("EUR", "Euro (EUR)"),
                            ("USD", "US dollar (USD)"),
                            ("GBP", "British pound (GBP)"),
                            ("CHF", "Swiss franc (CHF)"),
                            ("SEK", "Swedish krona (SEK)"),
                            ("NOK", "Norwegian krone (NOK)"),
                            ("DKK", "Danish krone (DKK)"),
                            ("PLN", "Polish złoty (PLN)"),
                            ("CZK", "Czech koruna (CZK)"),
                            ("CAD", "Canadian dollar (CAD)"),
                            ("AUD", "Australian dollar (AUD)"),
                            ("NZD", "New Zealand dollar (NZD)"),
                            ("BRL", "Brazilian real (BRL)"),
                            ("INR", "Indian rupee (INR)"),
                            ("CNY", "Chinese yuan (CNY)"),
                            ("JPY", "Japanese yen (JPY)"),
                            ("KRW", "South Korean won (KRW)"),
                        ],
                        max_length=3,
                    ),
                ),
                (
                    "per_usd",
                    models.DecimalField(
                        decimal_places=6,
                        help_text="In this currency, such as 0.92. For US dollars 1.",
                        max_digits=14,
                        validators=[django.core.validators.MinValueValidator(Decimal("0.000001"))],
                        verbose_name="one US dollar is",
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
                "verbose_name": "currency rate",
                "verbose_name_plural": "currency rates",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "valid_from"),
                        name="currency_rate_once",
                        violation_error_message="There is already a rate from this day on.",
                    ),
                    models.CheckConstraint(condition=models.Q(("per_usd__gt", 0)), name="currency_rate_above_zero"),
                    models.CheckConstraint(
                        condition=models.Q(models.Q(("currency", "USD"), _negated=True), ("per_usd", 1), _connector="OR"),
                        name="currency_rate_of_dollars",
                        violation_error_message="One US dollar is 1 US dollar.",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PlatformDraft",
            fields=[
                (
                    "kind",
                    models.CharField(choices=admin_config.defaults.platform.kind_choices, max_length=40, primary_key=True, serialize=False),
                ),
                ("values", models.JSONField(default=dict)),
                ("changed_at", models.DateTimeField(auto_now=True)),
            ],
            options={
                "verbose_name": "platform default",
                "verbose_name_plural": "platform defaults",
                "ordering": ["kind"],
            },
        ),
        migrations.CreateModel(
            name="PlatformRelease",
            fields=[
                ("number", models.PositiveIntegerField(primary_key=True, serialize=False)),
                ("content", models.JSONField()),
                ("note", models.CharField(max_length=200)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "author",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "verbose_name": "platform release",
                "ordering": ["-number"],
            },
        ),
        SecureTenantTable("AgentConfig"),
        SecureTenantTable("AgentPlugin"),
        SecureTenantTable("ModelConfig"),
        SecureTenantTable("ModelPrice"),
        SecureTenantTable("CurrencyRate"),
        SecureTenantTable("PromptSection"),
        SecureTenantTable("ProviderEndpoint"),
        SecureTenantTable("Release"),
        SecureTenantTable("AppSettings"),
        SecureTenantTable("StepRule"),
        SecureTenantTable("ToolSource"),
        SecureTenantTable("AgentTool"),
        SecureTenantTable("AgentOperation"),
        SecureTenantTable("AssistantPicture"),
        SecureTenantTable("Assistant"),
        SecureTenantTable("Canary"),
        SecureTenantTable("CustomizedText"),
        SecureTenantTable("ScheduledRelease"),
    ]
