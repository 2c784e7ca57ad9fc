import uuid

import django.core.validators
import django.db.models.deletion
from django.db import migrations, models

import tenants.context
import tenants.models
from tenants.postgres.migration_operations import SecureTenantTable

NAME = django.core.validators.RegexValidator(
    r"^[a-z][a-z0-9_]{0,39}\Z", "Use small letters, digits and _, starting with a letter; at most 40."
)


class Migration(migrations.Migration):
    dependencies = [
        ("security", "0001_initial"),
        ("tenants", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="RegisteredSecret",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "name",
                    models.CharField(
                        help_text="Stands for the secret in conversations, as {{secret:name}}.", max_length=40, validators=[NAME]
                    ),
                ),
                ("tool", models.CharField(help_text="The tool that may use it, such as http.", max_length=40, validators=[NAME])),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "membership",
                    tenants.models.TenantForeignKey(
                        blank=True,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="+",
                        to="tenants.membership",
                    ),
                ),
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
                (
                    "secret",
                    tenants.models.TenantForeignKey(
                        editable=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="security.secret"
                    ),
                ),
            ],
            options={
                "verbose_name": "secret",
                "ordering": ["name"],
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("membership", None)),
                        fields=("organization", "name"),
                        name="registered_secret_once",
                        violation_error_message="There is already a secret with this name.",
                    ),
                    models.UniqueConstraint(fields=("organization", "membership", "name"), name="registered_secret_once_per_member"),
                ],
            },
        ),
        SecureTenantTable("RegisteredSecret"),
    ]
