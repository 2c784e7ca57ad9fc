import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("admin_config", "0010_provider_settings"),
    ]

    operations = [
        migrations.AddField(
            model_name="modelprice",
            name="cache_write_usd",
            field=models.DecimalField(
                blank=True, decimal_places=6, max_digits=12, null=True, validators=[django.core.validators.MinValueValidator(0)]
            ),
        ),
    ]
