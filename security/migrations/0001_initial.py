import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import tenants.context
from tenants.postgres.migration_operations import SecureTenantTable

APP = settings.DATABASE_ROLES.app
APPEND_ONLY = f'revoke update, delete, truncate on security_auditevent from "{APP}"'
ANY_CHANGE = f'grant update, delete on security_auditevent to "{APP}"'


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("tenants", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="AuditEvent",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("actor_user_id", models.BigIntegerField(editable=False, null=True)),
                ("action", models.CharField(editable=False, max_length=60)),
                ("object_kind", models.CharField(editable=False, max_length=60)),
                ("object_id", models.CharField(editable=False, max_length=80)),
                ("detail", models.JSONField(default=dict, editable=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
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
                "ordering": ["-created_at"],
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [models.Index(fields=["organization", "-created_at"], name="audit_newest_first")],
            },
        ),
        migrations.CreateModel(
            name="Secret",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("ciphertext", models.TextField(editable=False)),
                ("key_id", models.CharField(editable=False, max_length=40)),
                ("bound_origin", models.CharField(editable=False, max_length=300)),
                ("last_four", models.CharField(blank=True, editable=False, max_length=4)),
                ("purpose", models.CharField(editable=False, max_length=60)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
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
                "indexes": [models.Index(fields=["key_id"], name="secret_key_id")],
            },
        ),
        SecureTenantTable("AuditEvent"),
        SecureTenantTable("Secret"),
        migrations.RunSQL(APPEND_ONLY, ANY_CHANGE),
    ]
