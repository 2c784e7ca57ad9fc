"""The labels of models and their fields in the reader's language, without a mark at each of them.

Django makes a label of each field's name. Here those labels become lazy texts of the catalogue; migrations keep the plain ones. The texts
that admins see are listed in admin_config/admin/labels.py, and a test fails on one that is missing there.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Field, Model
from django.utils import translation
from django.utils.translation import gettext_lazy


def labels_translate(models: Iterable[type[Model]]) -> None:
    """Make the labels of these models lazy. Called once, when all models are loaded."""
    with translation.override(None):
        for model in models:
            names = model._meta
            names.verbose_name, names.verbose_name_plural = (
                gettext_lazy(str(names.verbose_name)),
                gettext_lazy(str(names.verbose_name_plural)),
            )
            for field in names.get_fields():
                if isinstance(field, Field):
                    field.verbose_name = gettext_lazy(str(field.verbose_name))
