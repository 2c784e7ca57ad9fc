import uuid

import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

import tenants.context
import tenants.models
import tenants.time_ids
from security import audit_sql
from tenants.postgres.migration_operations import PartitionByMonth, SecureTenantTable


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("tenants", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="AuditEvent",
            fields=[
                ("id", models.UUIDField(default=tenants.time_ids.time_id, editable=False, primary_key=True, serialize=False)),
                ("actor_user_id", models.BigIntegerField(editable=False, null=True)),
                (
                    "actor_kind",
                    models.CharField(
                        choices=[("user", "User"), ("service", "service account"), ("system", "Parley"), ("stranger", "somebody unknown")],
                        default="system",
                        editable=False,
                        max_length=10,
                    ),
                ),
                ("action", models.CharField(editable=False, max_length=60)),
                ("category", models.CharField(default="other", editable=False, max_length=20)),
                (
                    "outcome",
                    models.CharField(
                        choices=[("done", "Done"), ("refused", "Refused"), ("failed", "Failed")],
                        default="done",
                        editable=False,
                        max_length=10,
                    ),
                ),
                ("object_kind", models.CharField(editable=False, max_length=60)),
                ("object_id", models.CharField(editable=False, max_length=80)),
                ("object_label", models.CharField(blank=True, default="", editable=False, max_length=200)),
                ("object_key", models.CharField(blank=True, db_collation="C", default="", editable=False, max_length=200)),
                ("detail", models.JSONField(default=dict, editable=False)),
                ("before", models.JSONField(default=dict, editable=False)),
                ("after", models.JSONField(default=dict, editable=False)),
                ("count", models.PositiveIntegerField(default=1, editable=False)),
                ("address", models.CharField(blank=True, db_collation="C", default="", editable=False, max_length=50)),
                ("user_agent", models.CharField(blank=True, default="", editable=False, max_length=200)),
                ("session_hash", models.CharField(blank=True, default="", editable=False, max_length=16)),
                ("token_id", models.UUIDField(editable=False, null=True)),
                ("request_id", models.CharField(blank=True, default="", editable=False, max_length=40)),
                ("run_id", models.UUIDField(editable=False, null=True)),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
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
                "verbose_name_plural": "audit log",
                "ordering": ["-created_at"],
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        PartitionByMonth("AuditEvent"),
        migrations.CreateModel(
            name="AuditExport",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("user_id", models.BigIntegerField(editable=False)),
                ("format", models.CharField(editable=False, max_length=5)),
                ("filters", models.JSONField(default=dict, editable=False)),
                (
                    "status",
                    models.CharField(
                        choices=[("waiting", "Waiting"), ("ready", "Ready"), ("failed", "Failed")],
                        default="waiting",
                        editable=False,
                        max_length=10,
                    ),
                ),
                ("rows", models.PositiveIntegerField(default=0, editable=False)),
                ("stored_as", models.CharField(blank=True, default="", editable=False, max_length=200)),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ("finished_at", models.DateTimeField(editable=False, null=True)),
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
                "indexes": [
                    models.Index(fields=["organization", "-created_at"], name="audit_export_newest_first"),
                ],
            },
        ),
        migrations.CreateModel(
            name="AuditWebhook",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("url", models.CharField(max_length=500, verbose_name="address")),
                ("is_enabled", models.BooleanField(default=True, verbose_name="enabled")),
                ("failures", models.PositiveIntegerField(default=0, editable=False)),
                ("last_error", models.CharField(blank=True, default="", editable=False, max_length=200)),
                ("last_failed_at", models.DateTimeField(editable=False, null=True)),
                ("last_delivered_at", models.DateTimeField(editable=False, null=True)),
                ("delivered", models.PositiveBigIntegerField(default=0, editable=False)),
                ("next_try_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ("leased_until", models.DateTimeField(editable=False, null=True)),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
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
                "verbose_name": "audit webhook",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "url"),
                        name="audit_webhook_once",
                        violation_error_message="This address gets the events already.",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="AuditDelivery",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
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
                    "event",
                    tenants.models.TenantForeignKey(
                        editable=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="security.auditevent"
                    ),
                ),
                (
                    "webhook",
                    tenants.models.TenantForeignKey(
                        editable=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="security.auditwebhook"
                    ),
                ),
            ],
            options={
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [
                    models.Index(fields=["organization", "webhook", "created_at", "id"], name="audit_delivery_order"),
                    models.Index(fields=["organization", "event"], name="audit_delivery_event"),
                ],
            },
        ),
        migrations.CreateModel(
            name="PlatformEvent",
            fields=[
                ("actor_user_id", models.BigIntegerField(editable=False, null=True)),
                (
                    "actor_kind",
                    models.CharField(
                        choices=[("user", "User"), ("service", "service account"), ("system", "Parley"), ("stranger", "somebody unknown")],
                        default="system",
                        editable=False,
                        max_length=10,
                    ),
                ),
                ("action", models.CharField(editable=False, max_length=60)),
                ("category", models.CharField(default="other", editable=False, max_length=20)),
                (
                    "outcome",
                    models.CharField(
                        choices=[("done", "Done"), ("refused", "Refused"), ("failed", "Failed")],
                        default="done",
                        editable=False,
                        max_length=10,
                    ),
                ),
                ("object_kind", models.CharField(editable=False, max_length=60)),
                ("object_id", models.CharField(editable=False, max_length=80)),
                ("object_label", models.CharField(blank=True, default="", editable=False, max_length=200)),
                ("object_key", models.CharField(blank=True, db_collation="C", default="", editable=False, max_length=200)),
                ("detail", models.JSONField(default=dict, editable=False)),
                ("before", models.JSONField(default=dict, editable=False)),
                ("after", models.JSONField(default=dict, editable=False)),
                ("count", models.PositiveIntegerField(default=1, editable=False)),
                ("address", models.CharField(blank=True, db_collation="C", default="", editable=False, max_length=50)),
                ("user_agent", models.CharField(blank=True, default="", editable=False, max_length=200)),
                ("session_hash", models.CharField(blank=True, default="", editable=False, max_length=16)),
                ("token_id", models.UUIDField(editable=False, null=True)),
                ("request_id", models.CharField(blank=True, default="", editable=False, max_length=40)),
                ("run_id", models.UUIDField(editable=False, null=True)),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("about_organization_id", models.UUIDField(editable=False, null=True)),
            ],
            options={
                "verbose_name_plural": "audit log",
                "ordering": ["-created_at"],
                "indexes": [
                    models.Index(fields=["-created_at", "-id"], name="platform_audit_newest_first"),
                    models.Index(fields=["actor_user_id", "-created_at", "-id"], name="platform_audit_by_actor"),
                    models.Index(fields=["category", "-created_at", "-id"], name="platform_audit_by_category"),
                    models.Index(fields=["object_id", "-created_at", "-id"], name="platform_audit_by_object"),
                    models.Index(fields=["object_key", "-created_at", "-id"], name="platform_audit_by_key"),
                    models.Index(condition=models.Q(("run_id__isnull", False)), fields=["run_id"], name="platform_audit_by_run"),
                    models.Index(fields=["address", "-created_at", "-id"], name="platform_audit_by_addr"),
                    models.Index(fields=["request_id", "-created_at", "-id"], name="platform_audit_by_request"),
                ],
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
                "indexes": [
                    models.Index(fields=["key_id"], name="secret_key_id"),
                ],
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
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "membership", "provider", "session_hash"), name="member_key_once"),
                    models.CheckConstraint(
                        condition=models.Q(("session_hash", ""), ("expires_at__isnull", False), _connector="OR"),
                        name="member_key_of_session_expires",
                    ),
                ],
                "indexes": [
                    models.Index(condition=models.Q(("expires_at__isnull", False)), fields=["expires_at"], name="member_key_expiry"),
                ],
            },
        ),
        migrations.AddField(
            model_name="auditwebhook",
            name="secret",
            field=tenants.models.TenantForeignKey(
                editable=False, on_delete=django.db.models.deletion.RESTRICT, related_name="+", to="security.secret"
            ),
        ),
        migrations.AddIndex(
            model_name="auditevent",
            index=models.Index(fields=["organization", "-created_at", "-id"], name="audit_newest_first"),
        ),
        migrations.AddIndex(
            model_name="auditevent",
            index=models.Index(fields=["organization", "actor_user_id", "-created_at", "-id"], name="audit_by_actor"),
        ),
        migrations.AddIndex(
            model_name="auditevent",
            index=models.Index(fields=["organization", "category", "-created_at", "-id"], name="audit_by_category"),
        ),
        migrations.AddIndex(
            model_name="auditevent",
            index=models.Index(fields=["organization", "object_kind", "-created_at", "-id"], name="audit_by_kind"),
        ),
        migrations.AddIndex(
            model_name="auditevent",
            index=models.Index(fields=["organization", "object_id", "-created_at", "-id"], name="audit_by_object"),
        ),
        migrations.AddIndex(
            model_name="auditevent",
            index=models.Index(fields=["organization", "object_key", "-created_at", "-id"], name="audit_by_object_key"),
        ),
        migrations.AddIndex(
            model_name="auditevent",
            index=models.Index(condition=models.Q(("run_id__isnull", False)), fields=["organization", "run_id"], name="audit_by_run"),
        ),
        migrations.AddIndex(
            model_name="auditevent",
            index=models.Index(fields=["organization", "request_id", "-created_at", "-id"], name="audit_by_request"),
        ),
        migrations.AddIndex(
            model_name="auditevent",
            index=models.Index(fields=["organization", "address", "-created_at", "-id"], name="audit_by_address"),
        ),
        migrations.AddIndex(
            model_name="auditevent",
            index=models.Index(
                condition=models.Q(("outcome", "done"), _negated=True), fields=["organization", "-created_at", "-id"], name="audit_not_done"
            ),
        ),
        SecureTenantTable("Secret"),
        SecureTenantTable("RegisteredSecret"),
        SecureTenantTable("MemberKey"),
        SecureTenantTable("AuditEvent"),
        SecureTenantTable("AuditWebhook"),
        SecureTenantTable("AuditDelivery"),
        SecureTenantTable("AuditExport"),
        migrations.RunSQL(audit_sql.install(), audit_sql.remove()),
    ]
