"""Django app config of the gallery."""

from django.apps import AppConfig


class GalleryConfig(AppConfig):
    name = "gallery"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from accounts.members.owned_kinds import owned_kind_add
        from gallery.ownership import TEMPLATES

        owned_kind_add(TEMPLATES)
