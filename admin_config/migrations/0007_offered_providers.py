from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("admin_config", "0006_model_catalogue")]

    operations = [
        migrations.AddField(
            model_name="appsettings",
            name="offered_providers",
            field=models.JSONField(
                blank=True,
                default=list,
                help_text="Users may choose models of these providers too, in any conversation. Each needs an enabled endpoint and chat agent.",
                verbose_name="other providers",
            ),
        ),
        migrations.AlterField(
            model_name="appsettings",
            name="active_provider",
            field=models.CharField(
                choices=[
                    ("google", "Google Gemini"),
                    ("openai", "OpenAI"),
                    ("anthropic", "Anthropic Claude"),
                    ("compatible", "OpenAI-compatible endpoint"),
                    ("demo", "Demo (no key, scripted)"),
                ],
                default="google",
                help_text="Answers where nobody chose a model of another provider.",
                max_length=20,
            ),
        ),
    ]
