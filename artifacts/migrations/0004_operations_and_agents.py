from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("artifacts", "0003_artifact_list"),
    ]

    operations = [
        migrations.AddField(
            model_name="version",
            name="agent",
            field=models.CharField(blank=True, default="", max_length=100),
        ),
        migrations.AlterField(
            model_name="version",
            name="operation",
            field=models.CharField(
                choices=[
                    ("create", "Create"),
                    ("update", "Update"),
                    ("fix", "Fix"),
                    ("revert", "Revert"),
                    ("edit", "Edit"),
                    ("patch", "Patch"),
                    ("merge", "Merge"),
                ],
                max_length=12,
            ),
        ),
    ]
