import uuid

import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

import tenants.context
import tenants.models
from tenants.postgres.migration_operations import SecureTenantTable


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("admin_config", "0001_initial"),
        ("chat", "0001_initial"),
        ("tenants", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="DataSet",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=80)),
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
                "verbose_name": "data set",
                "ordering": ["name"],
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "name"),
                        name="data_set_name",
                        violation_error_message="There is already a data set of this name.",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Case",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=120)),
                ("messages", models.JSONField(default=list)),
                (
                    "marked",
                    models.BooleanField(
                        default=False,
                        help_text="When it fails, it is named first, however well the others do.",
                        verbose_name="must pass",
                    ),
                ),
                ("tool_results", models.JSONField(default=list, editable=False)),
                (
                    "recorded_tools",
                    models.BooleanField(
                        default=False,
                        help_text="Tools give the recorded results below instead of running. A call without one fails the case.",
                        verbose_name="recorded tools",
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("changed_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
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
                    "source_run",
                    tenants.models.TenantForeignKey(
                        blank=True, editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="chat.run"
                    ),
                ),
                (
                    "data_set",
                    tenants.models.TenantForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="cases", to="evaluations.dataset"
                    ),
                ),
            ],
            options={
                "ordering": ["created_at", "id"],
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="Expectation",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("position", models.PositiveSmallIntegerField(default=0, editable=False)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("contains", "Contains"),
                            ("not_contains", "Does not contain"),
                            ("equals", "Equals"),
                            ("regex", "Matches"),
                            ("json_schema", "Is JSON"),
                            ("tool_called", "Tool was called"),
                            ("tool_not_called", "Tool was not called"),
                            ("number", "Has a number"),
                            ("artifact_parses", "Artifact parses"),
                            ("latency", "Time at most"),
                            ("cost", "Cost at most"),
                            ("judge", "A model judges"),
                        ],
                        max_length=20,
                        verbose_name="check",
                    ),
                ),
                ("value", models.TextField(blank=True, verbose_name="what")),
                ("detail", models.TextField(blank=True, verbose_name="more")),
                (
                    "case",
                    tenants.models.TenantForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="expectations", to="evaluations.case"
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
                "ordering": ["position", "id"],
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="Experiment",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("revision", models.CharField(blank=True, default="", editable=False, max_length=64)),
                ("marked_samples", models.PositiveSmallIntegerField(default=1)),
                ("judge", models.CharField(blank=True, default="", editable=False, max_length=160)),
                ("agent_key", models.CharField(max_length=80)),
                ("agent_name", models.CharField(max_length=120)),
                ("source", models.CharField(choices=[("draft", "Draft"), ("live", "Live release")], max_length=5)),
                (
                    "samples",
                    models.PositiveSmallIntegerField(
                        default=1, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(10)]
                    ),
                ),
                ("max_cost_usd", models.FloatField(blank=True, null=True)),
                (
                    "status",
                    models.CharField(
                        choices=[("running", "Running"), ("done", "Done"), ("stopped", "Stopped"), ("failed", "Failed")],
                        default="running",
                        max_length=8,
                    ),
                ),
                ("error", models.CharField(blank=True, default="", max_length=300)),
                ("worker", models.UUIDField(editable=False, null=True)),
                ("lease_expires_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "asked_by",
                    tenants.models.TenantForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="tenants.membership"
                    ),
                ),
                (
                    "data_set",
                    tenants.models.TenantForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="experiments", to="evaluations.dataset"
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
                    "release",
                    tenants.models.TenantForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="admin_config.release"
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-id"],
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [
                    models.Index(condition=models.Q(("status", "running")), fields=["lease_expires_at"], name="experiment_lease"),
                    models.Index(fields=["organization", "data_set", "-created_at"], name="experiment_newest"),
                ],
            },
        ),
        migrations.CreateModel(
            name="CaseResult",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("sample", models.PositiveSmallIntegerField()),
                (
                    "status",
                    models.CharField(
                        choices=[("waiting", "Waiting"), ("running", "Running"), ("done", "Done"), ("failed", "Failed")],
                        default="waiting",
                        max_length=8,
                    ),
                ),
                ("answer", models.TextField(blank=True, default="")),
                ("passed", models.BooleanField(default=False)),
                ("error", models.CharField(blank=True, default="", max_length=300)),
                ("held_up_since", models.DateTimeField(editable=False, null=True)),
                ("cost_usd", models.FloatField(null=True)),
                ("duration_ms", models.PositiveIntegerField(null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "case",
                    tenants.models.TenantForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="results", to="evaluations.case"
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
                    "run",
                    tenants.models.TenantForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="chat.run"
                    ),
                ),
                (
                    "experiment",
                    tenants.models.TenantForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="results", to="evaluations.experiment"
                    ),
                ),
            ],
            options={
                "ordering": ["sample"],
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "experiment", "case", "sample"), name="case_result_once"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Grade",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("position", models.PositiveSmallIntegerField()),
                ("kind", models.CharField(max_length=20)),
                ("passed", models.BooleanField()),
                ("template", models.CharField(max_length=500)),
                ("values", models.JSONField(default=dict)),
                ("is_right", models.BooleanField(editable=False, null=True)),
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
                    "result",
                    tenants.models.TenantForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="grades", to="evaluations.caseresult"
                    ),
                ),
            ],
            options={
                "ordering": ["position"],
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "result", "position"), name="grade_once"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Requirement",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("agent_key", models.CharField(blank=True, default="", max_length=80, verbose_name="asked of")),
                (
                    "samples",
                    models.PositiveSmallIntegerField(
                        default=1,
                        help_text="Most of them must pass. Cases that must pass get at least three.",
                        validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(10)],
                        verbose_name="answers a case",
                    ),
                ),
                (
                    "tolerance_points",
                    models.PositiveSmallIntegerField(
                        default=0,
                        help_text="Publishing is refused when the draft is surely worse than the live release by more than this. 0: surely worse at all.",
                        validators=[django.core.validators.MaxValueValidator(50)],
                        verbose_name="tolerance (points)",
                    ),
                ),
                (
                    "max_cost_percent",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        default=50,
                        help_text="Of an answer, beside the live release. Blank: not checked.",
                        null=True,
                        verbose_name="cost at most (% more)",
                    ),
                ),
                (
                    "max_slower_percent",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        help_text="Of the slowest 5 %, beside the live release. Blank: not checked.",
                        null=True,
                        verbose_name="time at most (% more)",
                    ),
                ),
                (
                    "max_cost_usd",
                    models.FloatField(
                        blank=True,
                        help_text="What one run of it may cost. One that is stopped does not count as asked. Blank: no limit of its own.",
                        null=True,
                        validators=[django.core.validators.MinValueValidator(0.01)],
                        verbose_name="stop at (US dollars)",
                    ),
                ),
                (
                    "asks_first",
                    models.BooleanField(
                        default=True,
                        help_text="On: a case that needs one fails. Off: such tools run without asking.",
                        verbose_name="tools with a secret ask first",
                    ),
                ),
                (
                    "data_set",
                    tenants.models.TenantForeignKey(
                        help_text="Its cases that must pass are judged one by one, the others together.",
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="requirements",
                        to="evaluations.dataset",
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
                "verbose_name": "required data set",
                "ordering": ["data_set__name", "agent_key"],
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("organization", "data_set", "agent_key"),
                        name="requirement_once",
                        violation_error_message="This data set is required there already.",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Replay",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("max_cost_usd", models.FloatField(blank=True, null=True)),
                (
                    "status",
                    models.CharField(
                        choices=[("running", "Running"), ("done", "Done"), ("stopped", "Stopped"), ("failed", "Failed")],
                        default="running",
                        max_length=8,
                    ),
                ),
                ("error", models.CharField(blank=True, default="", max_length=300)),
                ("worker", models.UUIDField(editable=False, null=True)),
                ("lease_expires_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "source",
                    models.CharField(
                        choices=[
                            ("recorded", "As recorded"),
                            ("draft", "Draft"),
                            ("live", "Live release"),
                            ("other", "Another release"),
                        ],
                        max_length=8,
                    ),
                ),
                ("release_label", models.CharField(max_length=40)),
                ("model_config_id", models.UUIDField(null=True)),
                ("model_name", models.CharField(blank=True, default="", max_length=120)),
                ("changes_prompt", models.BooleanField(default=False)),
                ("prompt", models.TextField(blank=True, default="")),
                ("tool_definitions", models.JSONField(blank=True, default=dict)),
                ("looks_up", models.BooleanField(default=False)),
                ("left_out", models.PositiveIntegerField(default=0)),
                (
                    "asked_by",
                    tenants.models.TenantForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="tenants.membership"
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
                    "release",
                    tenants.models.TenantForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="admin_config.release"
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-id"],
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [models.Index(condition=models.Q(("status", "running")), fields=["lease_expires_at"], name="replay_lease")],
            },
        ),
        migrations.CreateModel(
            name="ReplayedRun",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("position", models.PositiveSmallIntegerField()),
                (
                    "status",
                    models.CharField(
                        choices=[("waiting", "Waiting"), ("running", "Running"), ("done", "Done"), ("failed", "Failed")],
                        default="waiting",
                        max_length=8,
                    ),
                ),
                ("error", models.CharField(blank=True, default="", max_length=300)),
                ("held_up_since", models.DateTimeField(editable=False, null=True)),
                ("unrecorded_call", models.CharField(blank=True, default="", max_length=120)),
                ("same_calls", models.BooleanField(default=False)),
                ("likeness", models.FloatField(default=0.0)),
                ("length_change", models.IntegerField(default=0)),
                ("equal_requests", models.PositiveSmallIntegerField(default=0)),
                ("requests", models.PositiveSmallIntegerField(default=0)),
                ("cost_usd", models.FloatField(null=True)),
                ("original_cost_usd", models.FloatField(null=True)),
                ("duration_ms", models.PositiveIntegerField(null=True)),
                ("original_duration_ms", models.PositiveIntegerField(null=True)),
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
                    "original",
                    tenants.models.TenantForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="chat.run"),
                ),
                (
                    "replay",
                    tenants.models.TenantForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="runs", to="evaluations.replay"
                    ),
                ),
                (
                    "run",
                    tenants.models.TenantForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="chat.run"
                    ),
                ),
            ],
            options={
                "ordering": ["position"],
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [models.UniqueConstraint(fields=("organization", "replay", "position"), name="replayed_run_once")],
            },
        ),
        migrations.CreateModel(
            name="CanaryLook",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("looked_at", models.DateTimeField(auto_now_add=True)),
                ("canary_runs", models.PositiveIntegerField()),
                ("live_runs", models.PositiveIntegerField()),
                ("figures", models.JSONField(default=list)),
                (
                    "canary",
                    tenants.models.TenantForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="admin_config.canary"
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
                "ordering": ["looked_at"],
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [models.Index(fields=["organization", "canary", "looked_at"], name="canary_look_time")],
            },
        ),
        SecureTenantTable("DataSet"),
        SecureTenantTable("Case"),
        SecureTenantTable("Expectation"),
        SecureTenantTable("Experiment"),
        SecureTenantTable("CaseResult"),
        SecureTenantTable("Grade"),
        SecureTenantTable("Requirement"),
        SecureTenantTable("Replay"),
        SecureTenantTable("ReplayedRun"),
        SecureTenantTable("CanaryLook"),
    ]
