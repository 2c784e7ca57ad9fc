import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("admin_config", "0001_initial")]

    operations = [
        migrations.AlterField(
            model_name="providerendpoint",
            name="api_version",
            field=models.CharField(
                blank=True,
                max_length=20,
                validators=[
                    django.core.validators.RegexValidator(
                        "^v[0-9][0-9a-z]{0,15}\\Z", "An API version is a v, a digit, then digits or small letters, such as v1beta."
                    )
                ],
                verbose_name="API version",
            ),
        ),
    ]
