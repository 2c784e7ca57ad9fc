"""Django app config of the gallery."""

from django.apps import AppConfig


class GalleryConfig(AppConfig):
    name = "gallery"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from gallery import admin  # noqa: F401  registers its page
        from gallery.ownership import TEMPLATES
        from tenants.deletion.registry import REGISTRY

        REGISTRY.add_member_kind(TEMPLATES)
