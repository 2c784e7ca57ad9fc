import uuid

import django.core.validators
import django.db.models.deletion
from django.db import migrations, models

import tenants.context
import tenants.models
from tenants.postgres.migration_operations import SecureTenantTable


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("security", "0001_initial"),
        ("tenants", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="EmbedSite",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(help_text="For admins. Visitors don't see it.", max_length=60)),
                (
                    "is_active",
                    models.BooleanField(
                        default=True, help_text="Off: pages show nothing, and visitors can send nothing more.", verbose_name="on"
                    ),
                ),
                ("allowed_origins", models.JSONField(blank=True, default=list, editable=False)),
                ("key_set", models.JSONField(blank=True, default=list, editable=False)),
                (
                    "key_set_url",
                    models.CharField(
                        blank=True,
                        help_text="In its place: where the page's server publishes its public keys, such as https://shop.example/.well-known/jwks.json. They are fetched when they are needed, and again after 15 minutes.",
                        max_length=500,
                        verbose_name="address of the key set",
                    ),
                ),
                (
                    "anonymous_allowed",
                    models.BooleanField(
                        default=True,
                        help_text="Off: only visitors whom the page signs in, with a token that it signs.",
                        verbose_name="visitors without an account",
                    ),
                ),
                (
                    "members_may_keep",
                    models.BooleanField(
                        default=False,
                        help_text="On: the chat has a button with which members of the organization sign in and take their conversation along.",
                        verbose_name="members can keep what they wrote",
                    ),
                ),
                (
                    "keep_days",
                    models.PositiveSmallIntegerField(
                        default=90,
                        help_text="A visitor who has not come back for so long is deleted with all conversations.",
                        validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(3650)],
                        verbose_name="keep for days",
                    ),
                ),
                ("title", models.CharField(help_text="At the top of the chat.", max_length=60, verbose_name="title")),
                ("subtitle", models.CharField(blank=True, help_text="One line under the title.", max_length=80)),
                ("greeting", models.CharField(blank=True, help_text="Above an empty conversation.", max_length=300)),
                (
                    "placeholder",
                    models.CharField(
                        blank=True, help_text="What stands in the empty message box.", max_length=60, verbose_name="message box"
                    ),
                ),
                ("starters", models.JSONField(blank=True, default=list, editable=False)),
                (
                    "accent_color",
                    models.CharField(
                        blank=True,
                        help_text="As #rrggbb. Blank: the organization's.",
                        max_length=7,
                        validators=[django.core.validators.RegexValidator("^#[0-9a-fA-F]{6}\\Z", "Write a colour as #rrggbb.")],
                        verbose_name="accent",
                    ),
                ),
                (
                    "language",
                    models.CharField(
                        blank=True,
                        choices=[("", "The visitor's, if we have it"), ("en", "English"), ("de", "German")],
                        default="",
                        max_length=10,
                    ),
                ),
                ("shows_brand", models.BooleanField(default=True, verbose_name="says “with Parley”")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("assistant", models.CharField(blank=True, max_length=80, verbose_name="answers")),
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
                        editable=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="security.secret"
                    ),
                ),
                (
                    "shows_switches",
                    models.BooleanField(
                        db_default=False,
                        default=False,
                        help_text="On: visitors switch the search of the web, and the tools that members may switch, on and off for each message.",
                        verbose_name="visitors can switch tools",
                    ),
                ),
            ],
            options={
                "verbose_name": "embedded chat",
                "ordering": ["name"],
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "name"),
                        name="embed_site_once",
                        violation_error_message="There is already an embedded chat with this name.",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="EmbedVisitor",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("subject", models.CharField(blank=True, editable=False, max_length=200)),
                ("digest", models.CharField(blank=True, editable=False, max_length=64)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("last_seen_at", models.DateTimeField(editable=False)),
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
                (
                    "site",
                    tenants.models.TenantForeignKey(
                        editable=False, on_delete=django.db.models.deletion.CASCADE, related_name="visitors", to="embed.embedsite"
                    ),
                ),
            ],
            options={
                "verbose_name": "visitor",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("subject", ""), ("digest", ""), _connector="XOR"), name="embed_visitor_is_somebody"
                    ),
                    models.UniqueConstraint(fields=("organization", "site", "subject", "digest"), name="embed_visitor_once"),
                    models.UniqueConstraint(fields=("organization", "membership"), name="embed_visitor_of_membership"),
                ],
                "indexes": [
                    models.Index(fields=["last_seen_at"], name="embed_visitor_last_seen"),
                ],
            },
        ),
        SecureTenantTable("EmbedSite"),
        SecureTenantTable("EmbedVisitor"),
    ]
