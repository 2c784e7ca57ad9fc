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
        ("tenants", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Template",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("text", "Document"),
                            ("python", "Program"),
                            ("mermaid", "Diagram"),
                            ("sheet", "Sheet"),
                            ("prompt", "Prompt"),
                        ],
                        max_length=8,
                    ),
                ),
                ("latest_number", models.PositiveIntegerField(default=0, editable=False)),
                ("review_number", models.PositiveIntegerField(editable=False, null=True)),
                ("published_number", models.PositiveIntegerField(editable=False, null=True)),
                ("is_withdrawn", models.BooleanField(default=False, editable=False)),
                ("reason", models.CharField(blank=True, default="", editable=False, max_length=500)),
                ("uses", models.PositiveIntegerField(default=0, editable=False)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                        editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="tenants.membership"
                    ),
                ),
                (
                    "reviewer",
                    tenants.models.TenantForeignKey(
                        editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="tenants.membership"
                    ),
                ),
            ],
            options={
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("review_number", None), ("review_number__lte", models.F("latest_number")), _connector="OR"),
                        name="template_review_exists",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("published_number", None), ("is_withdrawn", False), _connector="OR"),
                        name="template_withdrawn_is_hidden",
                    ),
                ],
                "indexes": [
                    models.Index(fields=["organization", "owner"], name="template_of_owner"),
                ],
            },
        ),
        migrations.CreateModel(
            name="TemplateVersion",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("number", models.PositiveIntegerField(editable=False)),
                ("title", models.CharField(max_length=80)),
                ("description", models.CharField(blank=True, default="", max_length=300)),
                ("category", models.CharField(blank=True, default="", max_length=40)),
                ("body", models.TextField()),
                ("placeholders", models.JSONField(default=list, editable=False)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "author",
                    tenants.models.TenantForeignKey(
                        editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="tenants.membership"
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
                    "template",
                    tenants.models.TenantForeignKey(
                        editable=False, on_delete=django.db.models.deletion.CASCADE, related_name="versions", to="gallery.template"
                    ),
                ),
            ],
            options={
                "verbose_name": "template",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "template", "number"), name="template_version_number"),
                ],
                "indexes": [
                    models.Index(fields=["organization", "-created_at", "-id"], name="template_newest_first"),
                ],
            },
        ),
        SecureTenantTable("Template"),
        SecureTenantTable("TemplateVersion"),
    ]
