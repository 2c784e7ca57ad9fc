import django.db.models.deletion
from django.db import migrations, models

import tenants.models
import tenants.postgres.fields
from tenants.postgres.migration_operations import SecureTenantTable


class Migration(migrations.Migration):
    dependencies = [
        ("chat", "0001_initial"),
        ("tenants", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="modelcall",
            name="attempts",
            field=models.PositiveSmallIntegerField(default=1),
        ),
        migrations.AddField(
            model_name="modelcall",
            name="conversation",
            field=tenants.models.TenantForeignKey(
                blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name="model_calls", to="chat.conversation"
            ),
        ),
        migrations.AddField(
            model_name="modelcall",
            name="cost_usd",
            field=models.FloatField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="modelcall",
            name="endpoint",
            field=models.CharField(blank=True, default="", max_length=120),
        ),
        migrations.AddField(
            model_name="modelcall",
            name="own_entries",
            field=tenants.postgres.fields.VerbatimJSONField(default=list),
        ),
        migrations.AddField(
            model_name="modelcall",
            name="kind",
            field=models.CharField(
                choices=[("step", "Step"), ("sub_agent", "Sub Agent"), ("title", "Title"), ("suggestions", "Suggestions")],
                default="step",
                max_length=12,
            ),
        ),
        migrations.AddField(
            model_name="modelcall",
            name="model_version",
            field=models.CharField(blank=True, default=""),
        ),
        migrations.AddField(
            model_name="modelcall",
            name="parent_call_id",
            field=models.CharField(blank=True, default=""),
        ),
        migrations.AddField(
            model_name="modelcall",
            name="provider",
            field=models.CharField(blank=True, default="", max_length=40),
        ),
        migrations.AddField(
            model_name="modelcall",
            name="step",
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.AlterField(
            model_name="modelcall",
            name="run",
            field=tenants.models.TenantForeignKey(
                blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name="model_calls", to="chat.run"
            ),
        ),
        migrations.AlterField(
            model_name="modelcall",
            name="settings",
            field=tenants.postgres.fields.VerbatimJSONField(),
        ),
        migrations.AlterField(
            model_name="part",
            name="content",
            field=tenants.postgres.fields.VerbatimJSONField(),
        ),
        migrations.AlterField(
            model_name="part",
            name="extras",
            field=tenants.postgres.fields.VerbatimJSONField(blank=True, null=True),
        ),
        migrations.AlterField(
            model_name="promptsnapshot",
            name="content",
            field=tenants.postgres.fields.VerbatimJSONField(),
        ),
        migrations.AddConstraint(
            model_name="modelcall",
            constraint=models.CheckConstraint(
                condition=models.Q(("run__isnull", False), ("conversation__isnull", False), _connector="OR"), name="model_call_has_a_place"
            ),
        ),
        SecureTenantTable("ModelCall"),
    ]
