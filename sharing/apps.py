"""Django app config of sharing."""

from django.apps import AppConfig


class SharingConfig(AppConfig):
    name = "sharing"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from artifacts.access import Grants, grants_set
        from sharing.rights import editors, may_edit

        grants_set(Grants(may_edit, editors))
