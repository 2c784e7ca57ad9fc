from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("artifacts", "0002_long_call_ids"),
        ("tenants", "0004_idempotent_answers"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="artifact",
            index=models.Index(
                condition=models.Q(("deleted_at", None)), fields=["organization", "owner", "-created_at", "-id"], name="artifact_list"
            ),
        ),
    ]
