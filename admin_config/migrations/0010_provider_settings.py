import django.core.validators
from django.db import migrations, models

import admin_config.models.provider_tuning


class Migration(migrations.Migration):
    dependencies = [
        ("admin_config", "0009_endpoint_options"),
    ]

    operations = [
        migrations.AddField(
            model_name="agentconfig",
            name="builtin_tools",
            field=models.JSONField(blank=True, null=True, verbose_name="built-in tools"),
        ),
        migrations.AddField(
            model_name="agentconfig",
            name="provider_options",
            field=models.JSONField(
                blank=True,
                db_default={},
                default=dict,
                help_text="A JSON object with further fields of the provider's own request, over those that Parley sends. Empty: {}.",
                validators=[admin_config.models.provider_tuning.check_free_fields],
                verbose_name="further fields",
            ),
        ),
        migrations.AddField(
            model_name="agentconfig",
            name="provider_settings",
            field=models.JSONField(blank=True, db_default={}, default=dict, editable=False),
        ),
        migrations.AddField(
            model_name="agentconfig",
            name="prune_empty",
            field=models.BooleanField(
                db_default=True,
                default=True,
                help_text="Off: for models that were trained to see each of their turns.",
                verbose_name="leave out empty answers",
            ),
        ),
        migrations.AddField(
            model_name="appsettings",
            name="approval_days",
            field=models.PositiveSmallIntegerField(
                db_default=7,
                default=7,
                help_text="So long an agent's question for permission waits; then it counts as refused. Holds for new questions at once.",
                validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(90)],
                verbose_name="days to decide",
            ),
        ),
        migrations.AddField(
            model_name="modelconfig",
            name="builtin_tools",
            field=models.JSONField(
                blank=True,
                db_default=[],
                default=list,
                help_text="What the provider can do itself while this model answers.",
                verbose_name="built-in tools",
            ),
        ),
        migrations.AddField(
            model_name="modelconfig",
            name="reasons",
            field=models.BooleanField(
                blank=True,
                help_text="For OpenAI: such models take no temperature, and their reasoning goes back to them between steps.",
                null=True,
                verbose_name="reasoning model",
            ),
        ),
        migrations.AddField(
            model_name="modelconfig",
            name="supports_images",
            field=models.BooleanField(
                db_default=False, default=False, help_text="Images of a message go to it as they are.", verbose_name="reads images"
            ),
        ),
        migrations.AddField(
            model_name="modelconfig",
            name="supports_pdf",
            field=models.BooleanField(
                db_default=False, default=False, help_text="Else it is given their text.", verbose_name="reads PDF files"
            ),
        ),
    ]
