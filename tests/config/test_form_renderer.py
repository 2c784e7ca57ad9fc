"""The parts of a form that are drawn in Python are those that the templates of Django and of the theme would give."""

from __future__ import annotations

from typing import Any

import pytest
from django import forms
from django.forms.renderers import DjangoTemplates
from django.test import SimpleTestCase
from django.utils.safestring import mark_safe
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget

from config.form_renderer import PARTS, FormRenderer

ODD = '<b>"it\'s" & more'
CHOICES = [("", "None"), ("Group <1>", [("a&b", ODD), (2, mark_safe("<i>safe</i>"))]), (None, "nothing")]
ATTRIBUTES = {"id": "id_1", "required": True, "disabled": False, "data-x": ODD, "rows": 6}


def widgets() -> list[tuple[forms.Widget, Any]]:
    texts = [kind(attrs=ATTRIBUTES) for kind in (forms.TextInput, forms.HiddenInput, forms.NumberInput, forms.EmailInput)]
    others = [UnfoldAdminTextareaWidget(attrs=ATTRIBUTES), forms.PasswordInput(render_value=True)]
    return [
        *((widget, value) for widget in (*texts, *others) for value in (None, "", 0, 1.5, ODD, mark_safe("<i>"))),
        *((forms.CheckboxInput(attrs=ATTRIBUTES), value) for value in (None, True, False, "yes")),
        *((UnfoldAdminSelectWidget(attrs=ATTRIBUTES, choices=CHOICES), value) for value in (None, "", "a&b", 2)),
    ]


def test_each_widget_looks_as_its_template_has_it() -> None:
    for widget, value in widgets():
        assert str(widget.template_name) in PARTS
        html, template_html = (widget.render("name", value, renderer=renderer()) for renderer in (FormRenderer, DjangoTemplates))
        SimpleTestCase().assertHTMLEqual(html, template_html, f"{type(widget).__name__} of {value!r}")


@pytest.mark.parametrize("tag", ["label", None])
def test_a_label_looks_as_its_template_has_it(tag: str | None) -> None:
    context = {"label": ODD, "use_tag": bool(tag), "tag": tag, "attrs": {"for": "id_1", "class": ODD}, "field": None}
    html, template_html = (renderer().render("django/forms/label.html", context) for renderer in (FormRenderer, DjangoTemplates))
    SimpleTestCase().assertHTMLEqual(html, template_html)


def test_a_choice_whose_options_look_otherwise_keeps_its_template() -> None:
    class Framed(UnfoldAdminSelectWidget):  # type: ignore[misc]  # the theme has no types
        option_template_name = "unfold/widgets/radio_option.html"

    widget = Framed(choices=[("a", "A")])
    assert widget.render("name", "a", renderer=FormRenderer()) == widget.render("name", "a", renderer=DjangoTemplates())
