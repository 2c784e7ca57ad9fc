from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("admin_config", "0004_agent_plugins")]

    operations = [
        migrations.AddField(
            model_name="appsettings",
            name="own_keys_allowed",
            field=models.BooleanField(
                default=False,
                help_text="On: members may use API keys of their own, before the organization's. Off: keys they have saved rest. Holds at once.",
                verbose_name="members' own keys",
            ),
        ),
    ]
