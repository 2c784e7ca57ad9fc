import uuid

import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import tenants.context
import tenants.models
from tenants.postgres import partition_sql
from tenants.postgres.migration_operations import SecureTenantTable

# A socket compares the version it was opened with; so no path that changes a role may forget to raise it, or write an old one.
RAISE_VERSION = """
create function tenants_membership_raise_version() returns trigger language plpgsql as $$
begin
    new.version := old.version + ((old.role, old.is_active) is distinct from (new.role, new.is_active))::int;
    return new;
end $$;
create trigger raise_version before update on tenants_membership
    for each row execute function tenants_membership_raise_version()
"""
FORGET_VERSION = "drop trigger raise_version on tenants_membership; drop function tenants_membership_raise_version()"


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        migrations.CreateModel(
            name="Organization",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=120)),
                ("slug", models.SlugField(max_length=60, unique=True)),
                ("logo_version", models.CharField(blank=True, editable=False, max_length=12)),
                ("accent_color", models.CharField(blank=True, max_length=7)),
                ("is_active", models.BooleanField(default=True, verbose_name="active")),
                ("suspension_message", models.CharField(blank=True, max_length=500)),
                ("deletion_due_at", models.DateTimeField(editable=False, null=True)),
                ("deletion_by_operator", models.BooleanField(default=False, editable=False)),
                ("policy", models.JSONField(blank=True, default=dict)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name="User",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("password", models.CharField(max_length=128, verbose_name="password")),
                ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
                (
                    "is_superuser",
                    models.BooleanField(
                        default=False,
                        help_text="Designates that this user has all permissions without explicitly assigning them.",
                        verbose_name="superuser status",
                    ),
                ),
                (
                    "email",
                    models.EmailField(
                        error_messages={"unique": "This address is taken."}, max_length=254, unique=True, verbose_name="e-mail address"
                    ),
                ),
                ("name", models.CharField(blank=True, max_length=120)),
                ("is_active", models.BooleanField(default=True, verbose_name="active")),
                ("is_staff", models.BooleanField(default=False, editable=False)),
                ("is_service_account", models.BooleanField(default=False, editable=False)),
                ("picture_version", models.CharField(blank=True, editable=False, max_length=12)),
                ("time_zone", models.CharField(blank=True, max_length=64)),
                ("language", models.CharField(blank=True, max_length=10)),
                ("deletion_due_at", models.DateTimeField(editable=False, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "groups",
                    models.ManyToManyField(
                        blank=True,
                        help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.group",
                        verbose_name="groups",
                    ),
                ),
                (
                    "user_permissions",
                    models.ManyToManyField(
                        blank=True,
                        help_text="Specific permissions for this user.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.permission",
                        verbose_name="user permissions",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("email", django.db.models.functions.text.Lower("email"))), name="user_email_lower_case"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("owner", "Owner"),
                            ("admin", "Admin"),
                            ("auditor", "Auditor"),
                            ("member", "Member"),
                            ("viewer", "Viewer"),
                            ("visitor", "Visitor"),
                        ],
                        default="member",
                        max_length=10,
                    ),
                ),
                ("is_active", models.BooleanField(default=True, editable=False, verbose_name="active")),
                ("removed_at", models.DateTimeField(editable=False, null=True)),
                ("cleared_at", models.DateTimeField(editable=False, null=True)),
                ("last_used_at", models.DateTimeField(editable=False, null=True)),
                ("version", models.PositiveIntegerField(default=1, editable=False)),
                ("preferences", models.CharField(blank=True, max_length=2000)),
                ("default_assistant", models.CharField(blank=True, max_length=80)),
                ("comment_mails", models.BooleanField(default=True, editable=False)),
                ("shows_cost", models.BooleanField(default=True, editable=False)),
                ("code_ligatures", models.BooleanField(default=False, editable=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "user",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="memberships", to=settings.AUTH_USER_MODEL),
                ),
                (
                    "organization",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="memberships", to="tenants.organization"),
                ),
            ],
            options={
                "verbose_name": "member",
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "user"), name="membership_once_per_user"),
                    models.UniqueConstraint(fields=("organization", "id"), name="tenants_membership_organization_id_id"),
                ],
            },
        ),
        migrations.CreateModel(
            name="FormerSlug",
            fields=[
                ("slug", models.SlugField(max_length=60, primary_key=True, serialize=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "organization",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="former_slugs", to="tenants.organization"),
                ),
            ],
        ),
        migrations.CreateModel(
            name="MemberGroup",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=60)),
                ("description", models.CharField(blank=True, max_length=200)),
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
                "verbose_name": "group",
                "ordering": ["name"],
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(
                        models.F("organization"),
                        django.db.models.functions.text.Lower("name"),
                        name="member_group_once",
                        violation_error_message="There is already a group with this name.",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="GroupMember",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "group",
                    tenants.models.TenantForeignKey(
                        editable=False, on_delete=django.db.models.deletion.CASCADE, related_name="places", to="tenants.membergroup"
                    ),
                ),
                (
                    "membership",
                    tenants.models.TenantForeignKey(
                        editable=False, on_delete=django.db.models.deletion.CASCADE, related_name="group_places", to="tenants.membership"
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
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "group", "membership"), name="group_member_once"),
                ],
                "indexes": [
                    models.Index(fields=["membership"], name="group_member_groups"),
                ],
            },
        ),
        migrations.CreateModel(
            name="IdempotentAnswer",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("path", models.CharField(editable=False, max_length=500)),
                ("key", models.CharField(editable=False, max_length=255)),
                ("request_hash", models.CharField(editable=False, max_length=64)),
                ("status", models.PositiveSmallIntegerField(editable=False, null=True)),
                ("content", models.TextField(blank=True, default="", editable=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "membership",
                    tenants.models.TenantForeignKey(
                        editable=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="tenants.membership"
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
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "membership", "path", "key"), name="idempotent_answer_once"),
                ],
                "indexes": [
                    models.Index(fields=["created_at"], name="idempotent_answer_expiry"),
                ],
            },
        ),
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=60)),
                ("digest", models.CharField(editable=False, max_length=64)),
                ("last_four", models.CharField(editable=False, max_length=4)),
                ("scopes", models.JSONField(editable=False)),
                ("networks", models.JSONField(default=list, editable=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField(editable=False, null=True)),
                ("last_used_at", models.DateTimeField(editable=False, null=True)),
                ("revoked_at", models.DateTimeField(editable=False, null=True)),
                (
                    "membership",
                    tenants.models.TenantForeignKey(
                        editable=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="tenants.membership"
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
                "verbose_name": "API token",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "digest"), name="api_token_once"),
                ],
                "indexes": [
                    models.Index(fields=["membership", "-created_at"], name="api_token_newest_first"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Session",
            fields=[
                ("session_key", models.CharField(max_length=64, primary_key=True, serialize=False, verbose_name="SHA-256 of the key")),
                ("session_data", models.TextField(verbose_name="session data")),
                ("expire_date", models.DateTimeField(db_index=True, verbose_name="expire date")),
                (
                    "user",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="sessions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("started_at", models.DateTimeField(editable=False, null=True)),
                ("last_used_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
            options={
                "verbose_name": "session",
                "verbose_name_plural": "sessions",
                "abstract": False,
            },
        ),
        SecureTenantTable("MemberGroup"),
        SecureTenantTable("GroupMember"),
        SecureTenantTable("IdempotentAnswer"),
        SecureTenantTable("ApiToken"),
        migrations.RunSQL(RAISE_VERSION, FORGET_VERSION),
        migrations.RunSQL(partition_sql.install(), partition_sql.remove()),
    ]
