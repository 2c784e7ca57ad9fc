from django.db import migrations, models


class Migration(migrations.Migration):
    """With defaults of the database: processes of the release before begin runs while this is deployed."""

    dependencies = [("chat", "0003_waits_and_inputs")]

    operations = [
        migrations.AddField(
            model_name="run",
            name="session_hash",
            field=models.CharField(blank=True, db_default="", default="", max_length=64),
        ),
        migrations.AddField(
            model_name="run",
            name="keys_sent_for",
            field=models.JSONField(db_default=[], default=list),
        ),
    ]
