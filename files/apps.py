"""Django app config of files."""

from django.apps import AppConfig


class FilesConfig(AppConfig):
    name = "files"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from django.db.models.signals import pre_delete

        from admin_config.models import ToolSource
        from files.knowledge.services import knowledge_bytes_remove_of_folder

        pre_delete.connect(knowledge_bytes_remove_of_folder, sender=ToolSource, dispatch_uid="knowledge_bytes")
