"""What Django's test client does again for each client and each template, though no test looks at it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from django.conf import settings
from django.test import client
from whitenoise.middleware import WhiteNoiseMiddleware


@contextmanager
def cheap_clients() -> Iterator[None]:
    """Each client makes its own middleware, and an admin page consists of 1,700 templates, of which each keeps a copy of its context."""
    find_files = WhiteNoiseMiddleware.add_files_from_finders
    store = client.store_rendered_templates  # type: ignore[attr-defined]  # the stubs leave it out
    files_by_folders: dict[tuple[str, ...], dict[str, Any]] = {}

    def find_files_once(self: Any) -> None:
        key = (self.static_prefix, *map(str, settings.STATICFILES_DIRS))
        if key not in files_by_folders:
            find_files(self)
            files_by_folders[key] = {**self.files}
        self.files.update(files_by_folders[key])

    def store_page(pages: dict[str, Any], *, template: Any, context: Any, **options: Any) -> None:
        is_whole = context.template is template and not (template.name or "").startswith(("django/forms/", "admin/widgets/", "unfold/"))
        if is_whole:
            store(pages, template=template, context=context, **options)

    with (
        patch.object(WhiteNoiseMiddleware, "add_files_from_finders", find_files_once),
        patch.object(client, "store_rendered_templates", store_page),
    ):
        yield
