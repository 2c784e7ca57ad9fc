from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tenants", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="membership",
            name="preferences",
            field=models.CharField(blank=True, max_length=2000),
        ),
    ]
