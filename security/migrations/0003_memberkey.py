import uuid

import django.db.models.deletion
from django.db import migrations, models

import tenants.context
import tenants.models
from tenants.postgres.migration_operations import SecureTenantTable


class Migration(migrations.Migration):
    dependencies = [
        ("security", "0002_registeredsecret"),
        ("tenants", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="MemberKey",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("provider", models.CharField(editable=False, max_length=20)),
                ("session_hash", models.CharField(blank=True, default="", editable=False, max_length=64)),
                ("auth_hash", models.CharField(blank=True, default="", editable=False, max_length=128)),
                ("expires_at", models.DateTimeField(editable=False, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "membership",
                    tenants.models.TenantForeignKey(
                        editable=False, on_delete=django.db.models.deletion.RESTRICT, related_name="+", to="tenants.membership"
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
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [
                    models.Index(condition=models.Q(("expires_at__isnull", False)), fields=["expires_at"], name="member_key_expiry")
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "membership", "provider", "session_hash"), name="member_key_once"),
                    models.CheckConstraint(
                        condition=models.Q(("session_hash", ""), ("expires_at__isnull", False), _connector="OR"),
                        name="member_key_of_session_expires",
                    ),
                ],
            },
        ),
        SecureTenantTable("MemberKey"),
    ]
