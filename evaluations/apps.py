"""Django app config of evaluations."""

from django.apps import AppConfig


class EvaluationsConfig(AppConfig):
    name = "evaluations"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from admin_config.publish_gate import gate_set
        from evaluations.gate.checks import gate

        gate_set(gate)
