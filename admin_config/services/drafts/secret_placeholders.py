"""Checks of placeholders for registered secrets (SPEC 3.17) in the settings of tool sources. Need the organization's `tenant_tx`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from django.utils.translation import gettext
from pydantic import ValidationError as SettingsInvalid

from admin_config.errors import Problem
from admin_config.extension_kinds import ToolSettings, tool_kinds
from admin_config.models import ToolSource
from security.models import RegisteredSecret

# Also what is nearly a placeholder, which would be sent as it is.
ANY_PLACEHOLDER = re.compile(r"\{\{\s*secret\b[^{}]*\}\}")
# Each member's own secret, which nobody else may know of.
MEMBERS_PLACEHOLDER = re.compile(r"\{\{secret:" + re.escape(RegisteredSecret.MEMBER_PREFIX) + r"[a-z][a-z0-9_]{0,39}\}\}")


def placeholder_problems(source: str, settings: ToolSettings) -> Iterator[tuple[str, str]]:
    """Yield the setting and a sentence for each placeholder of a secret that the source of this name may not use.

    One query if there are placeholders, else none.
    """
    placeholders_by_place = {place: list(dict.fromkeys(_placeholders(getattr(settings, place)))) for place in settings.secret_places}
    if not any(placeholders_by_place.values()):
        return
    names = _usable_names(source, settings.secrets_origin)
    for place, placeholders in placeholders_by_place.items():
        for text in placeholders:
            if text.removeprefix("{{secret:").removesuffix("}}") not in names:
                yield (
                    place,
                    gettext("%(text)s: %(source)s may use no such secret at %(secrets_origin)s. %(choice)s")
                    % {"text": text, "source": source, "secrets_origin": settings.secrets_origin, "choice": _choice(names)},
                )


def source_placeholder_problems(sources: Iterable[ToolSource]) -> Iterator[Problem]:
    """Yield the same for the enabled ones of these sources. Invalid settings are reported elsewhere."""
    for source in sources:
        kind = tool_kinds().get(source.kind)
        if kind is None or not source.is_enabled or not kind.settings.secret_places:
            continue
        try:
            settings = kind.settings.model_validate(source.settings)
        except SettingsInvalid:
            continue
        for place, text in placeholder_problems(source.name, settings):
            yield Problem(f"{source}, {place}: {text}", source.id, place)


def _placeholders(value: object) -> list[str]:
    texts = ANY_PLACEHOLDER.findall(json.dumps(value, ensure_ascii=False))
    return [text for text in texts if not MEMBERS_PLACEHOLDER.fullmatch(text)]


def _usable_names(source: str, origin: str) -> list[str]:
    """Return the names of the organization's secrets that were registered for this source and origin."""
    usable = RegisteredSecret.objects.filter(membership=None, tool=source, secret__bound_origin=origin)
    return list(usable.order_by("name").values_list("name", flat=True))


def _choice(names: list[str]) -> str:
    if names:
        return gettext("There is: %(names)s.") % {"names": ", ".join(names)}
    return gettext("There is none. Register one under Secrets, with the name of this tool and this address.")
