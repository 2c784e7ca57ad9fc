import uuid

import django.db.models.deletion
from django.db import migrations, models

import tenants.context
import tenants.models
from tenants.postgres.migration_operations import SecureTenantTable


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("tenants", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="MessageLimit",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "scope",
                    models.CharField(
                        choices=[
                            ("organization", "All members together"),
                            ("each_member", "Each member"),
                            ("role", "Each member with a role"),
                            ("group", "Each member of a group"),
                            ("member", "One member"),
                            ("each_token", "Each API token"),
                        ],
                        max_length=12,
                        verbose_name="applies to",
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("owner", "Owner"),
                            ("admin", "Admin"),
                            ("auditor", "Auditor"),
                            ("member", "Member"),
                            ("viewer", "Viewer"),
                        ],
                        max_length=10,
                    ),
                ),
                ("per_minute", models.PositiveIntegerField(blank=True, null=True, verbose_name="a minute")),
                ("per_hour", models.PositiveIntegerField(blank=True, null=True, verbose_name="an hour")),
                ("per_day", models.PositiveIntegerField(blank=True, null=True, verbose_name="a day")),
                ("per_month", models.PositiveIntegerField(blank=True, null=True, verbose_name="in 30 days")),
                ("last_day", models.DateField(blank=True, help_text="The limit applies up to this day (UTC). Empty: it stays.", null=True)),
                ("reason", models.CharField(blank=True, help_text="For other admins, and for the audit log.", max_length=200)),
                (
                    "group",
                    tenants.models.TenantForeignKey(
                        blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="tenants.membergroup"
                    ),
                ),
                (
                    "membership",
                    tenants.models.TenantForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenants.membership",
                        verbose_name="member",
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
            ],
            options={
                "verbose_name": "message limit",
                "ordering": ["scope", "role", "id"],
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "scope", "role", "group", "membership"),
                        name="message_limit_once",
                        nulls_distinct=False,
                        violation_error_message="There is already a limit for this. Change that one.",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("scope", "role"), ("role", ""), _connector="XOR"), name="message_limit_role"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("scope", "group"), ("group", None), _connector="XOR"), name="message_limit_group"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("scope", "member"), ("membership", None), _connector="XOR"), name="message_limit_member"
                    ),
                ],
            },
        ),
        SecureTenantTable("MessageLimit"),
    ]
