"""The admin in German: each label and choice of its forms, and each text of its scripts, is in the catalogue."""

from __future__ import annotations

import re
from collections.abc import Iterator

from django.db.models import Field, Model
from django.utils import translation
from django.utils.functional import Promise

from admin_config.admin.sites import operator_site, organization_site
from admin_config.admin.sites.script_texts import TEXTS
from tests.languages.test_unmarked_texts import ROOT
from tools.messages import catalogue_read

SCRIPTS = ROOT / "admin_config" / "static" / "admin_config"
# Their pages are no forms of the model's fields.
OWN_PAGES = {
    "Run",
    "MessageFeedback",
    "ModelSum",
    "UsageSum",
    "Experiment",
    "Replay",
    "RetentionRule",
    "Canary",
    "Template",
    "User",
    "Membership",
}
OF_OTHERS = {"Google Workspace", "Entra ID", "Okta", "Keycloak"}  # names of products


def shown_models() -> set[type[Model]]:
    admins = [one for site in (operator_site, organization_site) for one in site._registry.values()]
    models = {each.model for admin in admins for each in (admin, *admin.inlines)}
    return {model for model in models if model.__name__ not in OWN_PAGES and model.__module__.partition(".")[0] != "django"}


def form_fields() -> Iterator[Field[object, object]]:
    for model in sorted(shown_models(), key=lambda each: each.__name__):
        yield from (
            field for field in model._meta.get_fields() if isinstance(field, Field) and field.editable and field.name != "organization"
        )


def test_labels_of_forms_are_in_the_catalogue() -> None:
    message_ids = {message.id for message in catalogue_read("de") if isinstance(message.id, str)}
    with translation.override("en"):
        labels = {str(field.verbose_name): str(field) for field in form_fields()}
        labels |= {
            str(name): model.__name__ for model in shown_models() for name in (model._meta.verbose_name, model._meta.verbose_name_plural)
        }
    assert {label: where for label, where in labels.items() if label not in message_ids} == {}, "add it to admin_config/admin/labels.py"


def test_choices_and_help_of_forms_are_marked() -> None:
    plain = [
        f"{field}: {text}"
        for field in form_fields()
        for text in (field.help_text, *(label for _value, label in field.flatchoices if _value not in ("", None)))
        if re.search("[a-z]{2}", str(text)) and not isinstance(text, Promise) and text not in OF_OTHERS
    ]
    assert plain == []


def test_texts_of_scripts_are_in_the_table_and_marked() -> None:
    texts = "\n".join(file.read_text() for file in sorted(SCRIPTS.glob("*.js")))
    assert set(re.findall(r'\bword\("([^"]+)"', texts)) - set(TEXTS) == set(), "add it to admin_config/admin/sites/script_texts.py"
