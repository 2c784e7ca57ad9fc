"""Django app config of files."""

from django.apps import AppConfig


class FilesConfig(AppConfig):
    name = "files"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from django.db.models.signals import pre_delete

        from admin_config.models import ToolSource
        from files.contents import bytes_delete, organization_bytes_sweep
        from files.knowledge.services import knowledge_bytes_remove_of_folder
        from tenants.deletion.registry import REGISTRY

        REGISTRY.add_before_delete("files.File", bytes_delete)
        REGISTRY.add_before_delete("files.KnowledgeFile", bytes_delete)
        REGISTRY.add_organization_sweep(organization_bytes_sweep)
        pre_delete.connect(knowledge_bytes_remove_of_folder, sender=ToolSource, dispatch_uid="knowledge_bytes")
