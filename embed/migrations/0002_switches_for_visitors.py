from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("embed", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="embedsite",
            name="shows_switches",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="On: visitors switch the search of the web, and the tools that members may switch, on and off for each message.",
                verbose_name="visitors can switch tools",
            ),
        ),
    ]
