import uuid

import django.db.models.deletion
from django.db import migrations, models

import tenants.context
from tenants.postgres.migration_operations import SecureTenantTable

FILL = """
insert into usage_toolagentsum (id, organization_id, day, tool, by_provider, agent, assistant,
    calls, failed_calls, denied_calls, timed_calls, duration_ms, result_chars)
select gen_random_uuid(), organization_id, day, tool, by_provider, agent, assistant,
    sum(calls), sum(failed_calls), sum(denied_calls), sum(timed_calls), sum(duration_ms), sum(result_chars)
from usage_toolsum group by organization_id, day, tool, by_provider, agent, assistant
"""


class Migration(migrations.Migration):
    lock_review = (
        "New rows of a new table, read from another without a lock. Running code adds to the other alone; the next round mends that."
    )

    dependencies = [
        ("tenants", "0001_initial"),
        ("usage", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="ToolAgentSum",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("calls", models.PositiveBigIntegerField()),
                ("failed_calls", models.PositiveBigIntegerField()),
                ("denied_calls", models.PositiveBigIntegerField()),
                ("timed_calls", models.PositiveBigIntegerField()),
                ("duration_ms", models.PositiveBigIntegerField()),
                ("result_chars", models.PositiveBigIntegerField()),
                ("day", models.DateField()),
                ("tool", models.CharField(max_length=200)),
                ("by_provider", models.BooleanField()),
                ("agent", models.CharField(max_length=80)),
                ("assistant", models.CharField(blank=True, max_length=80)),
                (
                    "organization",
                    models.ForeignKey(
                        db_index=False,
                        default=tenants.context.current_organization_id,
                        editable=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenants.organization",
                    ),
                ),
            ],
            options={
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "day", "tool", "by_provider", "agent", "assistant"), name="tool_agent_sum_once"
                    )
                ],
            },
        ),
        SecureTenantTable("ToolAgentSum"),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
