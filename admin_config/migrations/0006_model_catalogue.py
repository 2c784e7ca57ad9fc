import uuid
from datetime import date
from typing import Any

import django.core.validators
import django.db.models.deletion
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

import tenants.context
import tenants.models
from tenants.postgres.migration_operations import SecureTenantTable

ALWAYS = date(2000, 1, 1)
AMOUNTS = ("input", "cached", "output", "thinking")
# What organizations were seeded with until now: context window, maximum output, can think, style.
SEEDED = {
    "gemini-2.5-flash": (1_048_576, 65_536, True, "budget"),
    "gemini-2.5-pro": (1_048_576, 65_536, True, "budget"),
    "gemini-3-flash-preview": (1_048_576, 65_536, True, "level"),
    "demo-standard": (32_768, 8_192, True, "budget"),
    "demo-fast": (32_768, 8_192, False, "none"),
}


def keep_what_admins_set(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Prices were entered by admins, and so was each fact that differs from what the model was seeded with."""
    owner = schema_editor.connection.alias
    prices = apps.get_model("admin_config", "ModelPrice")
    for model in apps.get_model("admin_config", "ModelConfig").objects.using(owner).all():
        model.own_facts = own_facts(model)
        model.save(using=owner, update_fields=["own_facts"])
        if model.input_price_usd is not None:
            amounts = {f"{name}_usd": getattr(model, f"{name}_price_usd") for name in AMOUNTS}
            prices.objects.using(owner).create(
                organization_id=model.organization_id, model=model, valid_from=ALWAYS, source="admin", **amounts
            )
    # The foreign keys are checked now: PostgreSQL alters no table that has a check to come.
    schema_editor.execute("set constraints all immediate")


def own_facts(model: Any) -> list[str]:
    seeded = SEEDED.get(model.model_id) or (None, None, None, None)
    facts = {
        "context_window": model.context_window != seeded[0],
        "max_output_tokens": model.max_output_tokens != seeded[1],
        "thinking": (model.supports_thinking, model.thinking_style) != seeded[2:],
        "prices": model.input_price_usd is not None,
    }
    return [name for name, is_own in facts.items() if is_own]


def amount() -> models.DecimalField:
    return models.DecimalField(
        blank=True, decimal_places=6, max_digits=12, null=True, validators=[django.core.validators.MinValueValidator(0)]
    )


class Migration(migrations.Migration):
    dependencies = [
        ("admin_config", "0005_own_keys"),
        ("tenants", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="modelconfig",
            name="own_facts",
            field=models.JSONField(default=list, editable=False),
        ),
        migrations.CreateModel(
            name="ModelPrice",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("valid_from", models.DateField(default=ALWAYS)),
                ("above_tokens", models.PositiveIntegerField(default=0)),
                ("input_usd", amount()),
                ("cached_usd", amount()),
                ("output_usd", amount()),
                ("thinking_usd", amount()),
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
            },
        ),
        migrations.AddConstraint(
            model_name="modelprice",
            constraint=models.UniqueConstraint(fields=("organization", "model", "valid_from", "above_tokens"), name="model_price_once"),
        ),
        migrations.AddConstraint(
            model_name="modelprice",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("input_usd__isnull", True), ("output_usd__isnull", True)),
                    models.Q(("input_usd__isnull", False), ("output_usd__isnull", False)),
                    _connector="OR",
                ),
                name="model_price_in_and_out",
            ),
        ),
        SecureTenantTable("ModelPrice"),
        migrations.RunPython(keep_what_admins_set, migrations.RunPython.noop),
        migrations.RemoveField(model_name="modelconfig", name="cached_price_usd"),
        migrations.RemoveField(model_name="modelconfig", name="input_price_usd"),
        migrations.RemoveField(model_name="modelconfig", name="output_price_usd"),
        migrations.RemoveField(model_name="modelconfig", name="thinking_price_usd"),
        migrations.AlterField(
            model_name="modelconfig",
            name="context_window",
            field=models.PositiveIntegerField(
                default=128000, help_text="In tokens.", validators=[django.core.validators.MinValueValidator(1024)]
            ),
        ),
        migrations.AlterField(
            model_name="modelconfig",
            name="max_output_tokens",
            field=models.PositiveIntegerField(
                default=8192, help_text="In tokens.", validators=[django.core.validators.MinValueValidator(64)]
            ),
        ),
        migrations.AlterField(
            model_name="modelconfig",
            name="supports_thinking",
            field=models.BooleanField(default=False, verbose_name="can think"),
        ),
        migrations.AlterField(
            model_name="modelconfig",
            name="thinking_style",
            field=models.CharField(
                choices=[("none", "No thinking"), ("budget", "Budget in tokens"), ("level", "Level (low, high)")],
                default="none",
                max_length=10,
            ),
        ),
    ]
