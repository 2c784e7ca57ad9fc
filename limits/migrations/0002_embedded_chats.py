import django.db.models.deletion
from django.db import migrations, models

import tenants.models
from tenants.postgres.migration_operations import SecureTenantTable

SCOPES = [
    ("organization", "All members together"),
    ("each_member", "Each member"),
    ("role", "Each member with a role"),
    ("group", "Each member of a group"),
    ("member", "One member"),
    ("each_token", "Each API token"),
    ("assistant", "One assistant"),
    ("embed", "All visitors together"),
    ("visitor", "Each visitor"),
    ("stranger", "Each visitor without an account"),
]
HOLDERS = ("organization", "scope", "role", "group", "membership", "assistant", "embed_site", "from_plan")
COLUMNS = "organization_id, scope, role, group_id, membership_id, assistant_id, embed_site_id, from_plan"
TAKEN = "There is already a {} for this. Change that one."


def holder_operations(model: str, name: str, also_once: str, words: str) -> list[migrations.operations.base.Operation]:
    """Let rows be for an embedded chat."""
    return [
        migrations.RemoveConstraint(model_name=model, name=f"{name}_once"),
        migrations.AddField(
            model_name=model,
            name="embed_site",
            field=tenants.models.TenantForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="embed.embedsite",
                verbose_name="embedded chat",
            ),
        ),
        migrations.AlterField(
            model_name=model, name="scope", field=models.CharField(choices=SCOPES, max_length=12, verbose_name="applies to")
        ),
        migrations.SeparateDatabaseAndState(
            [
                migrations.RunSQL(
                    f"ALTER TABLE limits_{model}"
                    f" ADD CONSTRAINT {name}_once UNIQUE NULLS NOT DISTINCT ({COLUMNS}, {also_once}),"
                    f" ADD CONSTRAINT {name}_embed CHECK ((scope IN ('visitor', 'stranger', 'embed')) <> (embed_site_id IS NULL))",
                    f"ALTER TABLE limits_{model} DROP CONSTRAINT {name}_once, DROP CONSTRAINT {name}_embed",
                )
            ],
            [
                migrations.AddConstraint(
                    model_name=model,
                    constraint=models.UniqueConstraint(
                        fields=(*HOLDERS, also_once),
                        name=f"{name}_once",
                        nulls_distinct=False,
                        violation_error_message=TAKEN.format(words),
                    ),
                ),
                migrations.AddConstraint(
                    model_name=model,
                    constraint=models.CheckConstraint(
                        condition=models.Q(("scope__in", ("visitor", "stranger", "embed")), ("embed_site", None), _connector="XOR"),
                        name=f"{name}_embed",
                    ),
                ),
            ],
        ),
        SecureTenantTable(model),
    ]


class Migration(migrations.Migration):
    lock_review = "Admins make these rows by hand, a few for each organization, so that their constraints are checked in a moment."

    dependencies = [
        ("admin_config", "0001_initial"),
        ("embed", "0001_initial"),
        ("limits", "0001_initial"),
        ("tenants", "0001_initial"),
    ]

    operations = [
        *holder_operations("budget", "budget", "period", "budget"),
        *holder_operations("ratelimit", "rate_limit", "measure", "limit"),
    ]
