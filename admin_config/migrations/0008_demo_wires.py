from django.db import migrations, models

PROVIDERS = [
    ("google", "Google Gemini"),
    ("openai", "OpenAI"),
    ("anthropic", "Anthropic Claude"),
    ("compatible", "OpenAI-compatible endpoint"),
    ("demo", "Demo (no key, scripted)"),
    ("demo_openai", "Demo · OpenAI wire"),
    ("demo_anthropic", "Demo · Anthropic wire"),
    ("demo_compatible", "Demo · compatible wire"),
]


class Migration(migrations.Migration):
    dependencies = [("admin_config", "0007_offered_providers")]

    operations = [
        migrations.AlterField(
            model_name="appsettings",
            name="active_provider",
            field=models.CharField(
                choices=PROVIDERS, default="google", help_text="Answers where nobody chose a model of another provider.", max_length=20
            ),
        ),
        migrations.AlterField("agentconfig", "provider", models.CharField(choices=PROVIDERS, editable=False, max_length=20)),
        migrations.AlterField("modelconfig", "provider", models.CharField(choices=PROVIDERS, max_length=20)),
        migrations.AlterField("providerendpoint", "provider", models.CharField(choices=PROVIDERS, max_length=20)),
    ]
