"""Django's gettext for modules that use nothing else of Django: graders run in processes of their own, and figures are computed without it."""

from __future__ import annotations

from django.utils.translation import gettext, gettext_lazy, gettext_noop, ngettext

__all__ = ["gettext", "gettext_lazy", "gettext_noop", "ngettext"]
