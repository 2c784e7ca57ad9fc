"""Django app config of admin_config."""

from __future__ import annotations

from django.apps import AppConfig


class AdminConfigConfig(AppConfig):
    name = "admin_config"
    verbose_name = "Agents and providers"
