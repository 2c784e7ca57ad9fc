import uuid

import django.contrib.postgres.fields
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

import limits.models.budgets
import tenants.context
import tenants.models
from tenants.postgres.migration_operations import SecureTenantTable


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("admin_config", "0001_initial"),
        ("embed", "0001_initial"),
        ("tenants", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Budget",
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
                            ("all_of_group", "A group together"),
                            ("member", "One member"),
                            ("each_token", "Each API token"),
                            ("assistant", "One assistant"),
                            ("agent", "One agent"),
                            ("embed", "All visitors together"),
                            ("visitor", "Each visitor"),
                            ("stranger", "Each visitor without an account"),
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
                            ("visitor", "Visitor"),
                        ],
                        max_length=10,
                    ),
                ),
                ("last_day", models.DateField(blank=True, help_text="Applies up to this day (UTC). Leave empty for no end.", null=True)),
                ("reason", models.CharField(blank=True, help_text="For other admins, and for the audit log.", max_length=200)),
                ("from_plan", models.BooleanField(default=False, editable=False)),
                (
                    "period",
                    models.CharField(
                        choices=[("day", "A day"), ("month", "A month"), ("total", "In total")],
                        default="month",
                        help_text="Days and months begin at midnight UTC.",
                        max_length=5,
                    ),
                ),
                (
                    "amount_usd",
                    models.DecimalField(
                        decimal_places=2,
                        help_text="0 blocks every message.",
                        max_digits=12,
                        validators=[django.core.validators.MinValueValidator(0)],
                        verbose_name="amount in US dollars",
                    ),
                ),
                (
                    "alert_percents",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.PositiveSmallIntegerField(),
                        default=limits.models.budgets.default_percents,
                        help_text="Owners get one e-mail in each period when this share is spent, and one when all is. Up to five shares, such as 50, 80, 95.",
                        size=None,
                        validators=[limits.models.budgets.percents_check],
                        verbose_name="alert at percent",
                    ),
                ),
                ("is_active", models.BooleanField(default=True, verbose_name="active")),
                (
                    "assistant",
                    tenants.models.TenantForeignKey(
                        blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="admin_config.assistant"
                    ),
                ),
                (
                    "embed_site",
                    tenants.models.TenantForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="embed.embedsite",
                        verbose_name="embedded chat",
                    ),
                ),
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
                "ordering": ["scope", "role", "period", "id"],
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "scope", "role", "group", "membership", "assistant", "embed_site", "from_plan", "period"),
                        name="budget_once",
                        nulls_distinct=False,
                        violation_error_message="There is already a budget for this. Change that one.",
                    ),
                    models.CheckConstraint(condition=models.Q(("scope", "role"), ("role", ""), _connector="XOR"), name="budget_role"),
                    models.CheckConstraint(
                        condition=models.Q(("scope__in", ("group", "all_of_group")), ("group", None), _connector="XOR"),
                        name="budget_group",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("scope", "member"), ("membership", None), _connector="XOR"), name="budget_member"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("scope", "assistant"), ("assistant", None), _connector="XOR"), name="budget_assistant"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("scope__in", ("visitor", "stranger", "embed")), ("embed_site", None), _connector="XOR"),
                        name="budget_embed",
                    ),
                    models.CheckConstraint(condition=models.Q(("scope", "agent"), _negated=True), name="budget_no_agent"),
                ],
            },
        ),
        migrations.CreateModel(
            name="BudgetAccount",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("subject_id", models.UUIDField()),
                ("starts_on", models.DateField()),
                ("spent_usd", models.DecimalField(decimal_places=8, default=0, max_digits=20)),
                ("estimated_usd", models.DecimalField(decimal_places=8, default=0, max_digits=20)),
                ("held_usd", models.DecimalField(decimal_places=8, default=0, max_digits=20)),
                ("unpriced_calls", models.PositiveIntegerField(default=0)),
                ("alerted_usd", models.DecimalField(decimal_places=8, max_digits=20, null=True)),
                ("alerted_percent", models.PositiveSmallIntegerField(null=True)),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                (
                    "budget",
                    tenants.models.TenantForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="accounts", to="limits.budget"
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
                    models.UniqueConstraint(fields=("organization", "budget", "subject_id", "starts_on"), name="budget_account_once"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Hold",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("call_id", models.UUIDField()),
                ("amount_usd", models.DecimalField(decimal_places=8, max_digits=20)),
                ("until", models.DateTimeField()),
                (
                    "account",
                    tenants.models.TenantForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="holds", to="limits.budgetaccount"
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
                    models.UniqueConstraint(fields=("organization", "call_id", "account"), name="hold_once"),
                ],
                "indexes": [
                    models.Index(fields=["until"], name="hold_until"),
                ],
            },
        ),
        migrations.CreateModel(
            name="RateLimit",
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
                            ("all_of_group", "A group together"),
                            ("member", "One member"),
                            ("each_token", "Each API token"),
                            ("assistant", "One assistant"),
                            ("agent", "One agent"),
                            ("embed", "All visitors together"),
                            ("visitor", "Each visitor"),
                            ("stranger", "Each visitor without an account"),
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
                            ("visitor", "Visitor"),
                        ],
                        max_length=10,
                    ),
                ),
                ("last_day", models.DateField(blank=True, help_text="Applies up to this day (UTC). Leave empty for no end.", null=True)),
                ("reason", models.CharField(blank=True, help_text="For other admins, and for the audit log.", max_length=200)),
                ("from_plan", models.BooleanField(default=False, editable=False)),
                (
                    "measure",
                    models.CharField(
                        choices=[("messages", "Messages"), ("runs", "Answers"), ("tokens", "Tokens"), ("cost", "US dollars")],
                        default="messages",
                        max_length=8,
                        verbose_name="counts",
                    ),
                ),
                ("agent", models.CharField(blank=True, max_length=80)),
                (
                    "per_minute",
                    models.DecimalField(
                        blank=True,
                        decimal_places=2,
                        max_digits=14,
                        null=True,
                        validators=[django.core.validators.MinValueValidator(0)],
                        verbose_name="a minute",
                    ),
                ),
                (
                    "per_hour",
                    models.DecimalField(
                        blank=True,
                        decimal_places=2,
                        max_digits=14,
                        null=True,
                        validators=[django.core.validators.MinValueValidator(0)],
                        verbose_name="an hour",
                    ),
                ),
                (
                    "per_day",
                    models.DecimalField(
                        blank=True,
                        decimal_places=2,
                        max_digits=14,
                        null=True,
                        validators=[django.core.validators.MinValueValidator(0)],
                        verbose_name="a day",
                    ),
                ),
                (
                    "per_month",
                    models.DecimalField(
                        blank=True,
                        decimal_places=2,
                        max_digits=14,
                        null=True,
                        validators=[django.core.validators.MinValueValidator(0)],
                        verbose_name="in 30 days",
                    ),
                ),
                (
                    "when_away",
                    models.CharField(
                        choices=[("by_kind", "By kind of limit"), ("pass", "Let through"), ("refuse", "Refuse")],
                        default="by_kind",
                        help_text="Redis counts. By kind: limits on messages and answers let messages through uncounted, limits on tokens and US dollars refuse them.",
                        max_length=7,
                        verbose_name="while Redis is away",
                    ),
                ),
                (
                    "assistant",
                    tenants.models.TenantForeignKey(
                        blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="admin_config.assistant"
                    ),
                ),
                (
                    "embed_site",
                    tenants.models.TenantForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="embed.embedsite",
                        verbose_name="embedded chat",
                    ),
                ),
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
                "verbose_name": "limit",
                "ordering": ["scope", "role", "measure", "id"],
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(
                        fields=(
                            "organization",
                            "scope",
                            "role",
                            "group",
                            "membership",
                            "assistant",
                            "embed_site",
                            "from_plan",
                            "agent",
                            "measure",
                        ),
                        name="rate_limit_once",
                        nulls_distinct=False,
                        violation_error_message="There is already a limit for this. Change that one.",
                    ),
                    models.CheckConstraint(condition=models.Q(("scope", "role"), ("role", ""), _connector="XOR"), name="rate_limit_role"),
                    models.CheckConstraint(
                        condition=models.Q(("scope__in", ("group", "all_of_group")), ("group", None), _connector="XOR"),
                        name="rate_limit_group",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("scope", "member"), ("membership", None), _connector="XOR"), name="rate_limit_member"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("scope", "assistant"), ("assistant", None), _connector="XOR"), name="rate_limit_assistant"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("scope__in", ("visitor", "stranger", "embed")), ("embed_site", None), _connector="XOR"),
                        name="rate_limit_embed",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("scope", "agent"), ("agent", ""), _connector="XOR"), name="rate_limit_agent"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("measure", "messages"), ("scope", "agent"), _negated=True), name="rate_limit_agent_measure"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("scope", "all_of_group"), _negated=True), name="rate_limit_not_all_of_group"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Plan",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(error_messages={"unique": "There is a plan with this name."}, max_length=60, unique=True)),
                ("description", models.CharField(blank=True, max_length=200)),
                ("version", models.PositiveIntegerField(default=1, editable=False)),
                (
                    "is_default",
                    models.BooleanField(
                        default=False,
                        help_text="Organizations without a plan of their own have this one, within a minute.",
                        verbose_name="default",
                    ),
                ),
            ],
            options={
                "ordering": ["name"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("is_default", True)),
                        fields=("is_default",),
                        name="plan_default_once",
                        violation_error_message="Another plan is the default. Take that mark away first.",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="PlanLimit",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "measure",
                    models.CharField(
                        choices=[("messages", "Messages"), ("runs", "Answers"), ("tokens", "Tokens"), ("cost", "US dollars")],
                        default="messages",
                        max_length=8,
                        verbose_name="counts",
                    ),
                ),
                (
                    "per_minute",
                    models.DecimalField(
                        blank=True,
                        decimal_places=2,
                        max_digits=14,
                        null=True,
                        validators=[django.core.validators.MinValueValidator(0)],
                        verbose_name="a minute",
                    ),
                ),
                (
                    "per_hour",
                    models.DecimalField(
                        blank=True,
                        decimal_places=2,
                        max_digits=14,
                        null=True,
                        validators=[django.core.validators.MinValueValidator(0)],
                        verbose_name="an hour",
                    ),
                ),
                (
                    "per_day",
                    models.DecimalField(
                        blank=True,
                        decimal_places=2,
                        max_digits=14,
                        null=True,
                        validators=[django.core.validators.MinValueValidator(0)],
                        verbose_name="a day",
                    ),
                ),
                (
                    "per_month",
                    models.DecimalField(
                        blank=True,
                        decimal_places=2,
                        max_digits=14,
                        null=True,
                        validators=[django.core.validators.MinValueValidator(0)],
                        verbose_name="in 30 days",
                    ),
                ),
                (
                    "when_away",
                    models.CharField(
                        choices=[("by_kind", "By kind of limit"), ("pass", "Let through"), ("refuse", "Refuse")],
                        default="by_kind",
                        help_text="Redis counts. By kind: limits on messages and answers let messages through uncounted, limits on tokens and US dollars refuse them.",
                        max_length=7,
                        verbose_name="while Redis is away",
                    ),
                ),
                (
                    "scope",
                    models.CharField(
                        choices=[
                            ("organization", "All members together"),
                            ("each_member", "Each member"),
                            ("each_token", "Each API token"),
                        ],
                        max_length=12,
                        verbose_name="applies to",
                    ),
                ),
                (
                    "plan",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="limits", to="limits.plan"),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("plan", "scope", "measure"),
                        name="plan_limit_once",
                        violation_error_message="The plan has a limit for this.",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PlanBudget",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "period",
                    models.CharField(
                        choices=[("day", "A day"), ("month", "A month"), ("total", "In total")],
                        default="month",
                        help_text="Days and months begin at midnight UTC.",
                        max_length=5,
                    ),
                ),
                (
                    "amount_usd",
                    models.DecimalField(
                        decimal_places=2,
                        help_text="0 blocks every message.",
                        max_digits=12,
                        validators=[django.core.validators.MinValueValidator(0)],
                        verbose_name="amount in US dollars",
                    ),
                ),
                (
                    "alert_percents",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.PositiveSmallIntegerField(),
                        default=limits.models.budgets.default_percents,
                        help_text="Owners get one e-mail in each period when this share is spent, and one when all is. Up to five shares, such as 50, 80, 95.",
                        size=None,
                        validators=[limits.models.budgets.percents_check],
                        verbose_name="alert at percent",
                    ),
                ),
                (
                    "scope",
                    models.CharField(
                        choices=[
                            ("organization", "All members together"),
                            ("each_member", "Each member"),
                            ("each_token", "Each API token"),
                        ],
                        max_length=12,
                        verbose_name="applies to",
                    ),
                ),
                (
                    "plan",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="budgets", to="limits.plan"),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("plan", "scope", "period"),
                        name="plan_budget_once",
                        violation_error_message="The plan has a budget for this.",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="OrganizationPlan",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("plan_id", models.UUIDField()),
                ("plan_version", models.PositiveIntegerField()),
                ("name", models.CharField(max_length=60)),
                ("by_default", models.BooleanField(default=False)),
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
                "constraints": [models.UniqueConstraint(fields=("organization",), name="organization_plan_once")],
            },
        ),
        SecureTenantTable("Budget"),
        SecureTenantTable("BudgetAccount"),
        SecureTenantTable("Hold"),
        SecureTenantTable("RateLimit"),
        SecureTenantTable("OrganizationPlan"),
    ]
