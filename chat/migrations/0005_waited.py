from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("chat", "0004_own_keys")]

    operations = [
        migrations.AddField(
            model_name="run",
            name="paused_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="run",
            name="waited_ms",
            field=models.PositiveBigIntegerField(db_default=0, default=0),
        ),
    ]
