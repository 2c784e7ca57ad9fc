"""Django app config of admin_config."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy


class AdminConfigConfig(AppConfig):
    name = "admin_config"
    verbose_name = gettext_lazy("Agents and providers")
