from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("chat", "0007_questions_of_programs"),
        ("tenants", "0004_idempotent_answers"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="modelcall",
            index=models.Index(fields=["organization", "created_at"], name="model_call_time"),
        ),
    ]
