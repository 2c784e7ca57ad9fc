import uuid

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import tenants.context
import tenants.models
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
            },
        ),
        migrations.CreateModel(
            name="RegisteredSecret",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "name",
                    models.CharField(
                        help_text="Stands for the secret in conversations, as {{secret:name}}.",
                        max_length=40,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[a-z][a-z0-9_]{0,39}\\Z", "Use small letters, digits and _, starting with a letter; at most 40."
                            )
                        ],
                    ),
                ),
                (
                    "tool",
                    models.CharField(
                        help_text="The tool that may use it, such as http.",
                        max_length=40,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[a-z][a-z0-9_]{0,39}\\Z", "Use small letters, digits and _, starting with a letter; at most 40."
                            )
                        ],
                    ),
                ),
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
            },
        ),
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
            },
        ),
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
        migrations.AddIndex(
            model_name="secret",
            index=models.Index(fields=["key_id"], name="secret_key_id"),
        ),
        migrations.AddConstraint(
            model_name="registeredsecret",
            constraint=models.UniqueConstraint(
                condition=models.Q(("membership", None)),
                fields=("organization", "name"),
                name="registered_secret_once",
                violation_error_message="There is already a secret with this name.",
            ),
        ),
        migrations.AddConstraint(
            model_name="registeredsecret",
            constraint=models.UniqueConstraint(fields=("organization", "membership", "name"), name="registered_secret_once_per_member"),
        ),
        migrations.AddIndex(
            model_name="memberkey",
            index=models.Index(condition=models.Q(("expires_at__isnull", False)), fields=["expires_at"], name="member_key_expiry"),
        ),
        migrations.AddConstraint(
            model_name="memberkey",
            constraint=models.UniqueConstraint(fields=("organization", "membership", "provider", "session_hash"), name="member_key_once"),
        ),
        migrations.AddConstraint(
            model_name="memberkey",
            constraint=models.CheckConstraint(
                condition=models.Q(("session_hash", ""), ("expires_at__isnull", False), _connector="OR"),
                name="member_key_of_session_expires",
            ),
        ),
        SecureTenantTable("Secret"),
        SecureTenantTable("RegisteredSecret"),
        SecureTenantTable("MemberKey"),
        SecureTenantTable("AuditEvent"),
        migrations.RunSQL(APPEND_ONLY, ANY_CHANGE),
    ]
