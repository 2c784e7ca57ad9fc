import uuid

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import tenants.context
import tenants.models
from tenants.postgres.migration_operations import SecureTenantTable


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("artifacts", "0001_initial"),
        ("chat", "0001_initial"),
        ("tenants", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Share",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("follows", models.BooleanField(default=False, editable=False)),
                ("version", models.PositiveIntegerField(editable=False, null=True)),
                ("is_answer", models.BooleanField(default=False, editable=False)),
                ("copied_title", models.CharField(blank=True, default="", editable=False, max_length=200)),
                ("versions", models.JSONField(default=dict, editable=False)),
                (
                    "audience",
                    models.CharField(
                        choices=[
                            ("named", "People and groups by name"),
                            ("members", "Members of the organization"),
                            ("public", "Anyone with the link"),
                        ],
                        editable=False,
                        max_length=8,
                    ),
                ),
                (
                    "right",
                    models.CharField(
                        choices=[("read", "Read"), ("comment", "Comment"), ("edit", "Edit")], default="read", editable=False, max_length=7
                    ),
                ),
                ("is_listed", models.BooleanField(default=False, editable=False)),
                ("hidden", models.JSONField(default=list, editable=False)),
                ("hides_keys", models.BooleanField(default=False, editable=False)),
                ("frame_origins", models.JSONField(default=list, editable=False)),
                ("password", models.CharField(blank=True, default="", editable=False, max_length=200)),
                ("digest", models.CharField(editable=False, max_length=64)),
                ("sealed_token", models.TextField(editable=False)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("expires_at", models.DateTimeField(editable=False, null=True)),
                ("revoked_at", models.DateTimeField(editable=False, null=True)),
                ("view_count", models.PositiveIntegerField(default=0, editable=False)),
                ("last_viewed_at", models.DateTimeField(editable=False, null=True)),
                (
                    "artifact",
                    tenants.models.TenantForeignKey(
                        editable=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="artifacts.artifact"
                    ),
                ),
                (
                    "conversation",
                    tenants.models.TenantForeignKey(
                        editable=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="chat.conversation"
                    ),
                ),
                (
                    "head",
                    tenants.models.TenantForeignKey(
                        editable=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="chat.message"
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
                    "owner",
                    tenants.models.TenantForeignKey(
                        editable=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="tenants.membership"
                    ),
                ),
            ],
            options={
                "verbose_name": "shared link",
                "ordering": ["-created_at", "-id"],
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [
                    models.Index(fields=["organization", "owner", "-created_at", "-id"], name="share_of_owner"),
                    models.Index(fields=["organization", "-created_at", "-id"], name="share_newest_first"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "digest"), name="share_once"),
                    models.CheckConstraint(
                        condition=models.Q(("conversation", None), ("artifact", None), _connector="XOR"), name="share_of_one_thing"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("password", ""), ("audience", "public"), _connector="OR"), name="share_password_of_public"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("right", "read"), ("audience", "named"), _connector="OR"), name="share_right_of_named"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(models.Q(("right", "edit"), _negated=True), ("follows", True), _connector="OR"),
                        name="share_to_edit_follows",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("right", "edit"), _negated=True), models.Q(("hidden", []), ("hides_keys", False)), _connector="OR"
                        ),
                        name="share_to_edit_shows_all",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("is_listed", False), models.Q(("audience", "public"), ("password", "")), _connector="OR"),
                        name="share_listed_is_public",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("frame_origins", []),
                            models.Q(("artifact__isnull", False), ("audience", "public"), ("password", "")),
                            _connector="OR",
                        ),
                        name="share_framed_is_public",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("follows", True), models.Q(("head", None), ("version", None), _negated=True), _connector="OR"),
                        name="share_copy_has_an_end",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("is_answer", False),
                            models.Q(("conversation__isnull", False), ("follows", False), ("head__isnull", False)),
                            _connector="OR",
                        ),
                        name="share_answer_is_a_copy",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ShareReader",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "group",
                    tenants.models.TenantForeignKey(
                        editable=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="tenants.membergroup"
                    ),
                ),
                (
                    "membership",
                    tenants.models.TenantForeignKey(
                        editable=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="tenants.membership"
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
                    "share",
                    tenants.models.TenantForeignKey(
                        editable=False, on_delete=django.db.models.deletion.CASCADE, related_name="readers", to="sharing.share"
                    ),
                ),
            ],
            options={
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "share", "membership"), name="share_reader_once"),
                    models.UniqueConstraint(fields=("organization", "share", "group"), name="share_reading_group_once"),
                    models.CheckConstraint(
                        condition=models.Q(("membership", None), ("group", None), _connector="XOR"), name="share_reader_is_somebody"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ShareComment",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("version", models.PositiveIntegerField(editable=False, null=True)),
                ("anchor", models.JSONField(editable=False, null=True)),
                ("text", models.TextField(editable=False)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("edited_at", models.DateTimeField(editable=False, null=True)),
                ("resolved_at", models.DateTimeField(editable=False, null=True)),
                (
                    "artifact",
                    tenants.models.TenantForeignKey(
                        editable=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="artifacts.artifact"
                    ),
                ),
                (
                    "author",
                    tenants.models.TenantForeignKey(
                        editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="tenants.membership"
                    ),
                ),
                (
                    "message",
                    tenants.models.TenantForeignKey(
                        editable=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="chat.message"
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
                    "share",
                    tenants.models.TenantForeignKey(
                        editable=False, on_delete=django.db.models.deletion.CASCADE, related_name="comments", to="sharing.share"
                    ),
                ),
                (
                    "thread",
                    tenants.models.TenantForeignKey(
                        editable=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="sharing.sharecomment"
                    ),
                ),
                (
                    "resolved_by",
                    tenants.models.TenantForeignKey(
                        editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="tenants.membership"
                    ),
                ),
            ],
            options={
                "ordering": ["created_at", "id"],
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [models.Index(fields=["organization", "share", "created_at"], name="share_comments")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("artifact__isnull", False), ("message", None), ("version__isnull", False)),
                            models.Q(("artifact", None), ("message__isnull", False), ("version", None)),
                            _connector="OR",
                        ),
                        name="share_comment_has_a_place",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("anchor__isnull", True), models.Q(("artifact__isnull", False), ("thread", None)), _connector="OR"
                        ),
                        name="share_comment_anchor_in_text",
                    ),
                ],
            },
        ),
        SecureTenantTable("Share"),
        SecureTenantTable("ShareComment"),
        SecureTenantTable("ShareReader"),
    ]
