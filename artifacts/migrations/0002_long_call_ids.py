from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("artifacts", "0001_initial")]

    operations = [
        migrations.AlterField(
            model_name="version",
            name="call_id",
            field=models.CharField(blank=True, default=""),
        ),
    ]
