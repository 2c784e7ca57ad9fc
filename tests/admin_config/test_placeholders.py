from __future__ import annotations

import pytest

from admin_config.validation.prompt_templates import template_problems, template_render

ALLOWED = frozenset({"instruction", "title"})


@pytest.mark.parametrize(
    ("template", "problem"),
    [
        ("{instruction}", None),
        ("{title}: {instruction}", None),
        ("{{literal}} {instruction}", None),
        ("{instruction} {topic}", "{topic} is not a known placeholder"),
        ("{title}", "{instruction} is missing"),
        ("{instruction", "brace is not balanced"),
        ("instruction} {instruction}", "brace is not balanced"),
        ("{instruction} {}", "{} is not a known placeholder"),
        ("{instruction} {title.upper}", "{title.upper} is not a known placeholder"),
        ("{instruction} {title!r}", "{title!r} is not a known placeholder"),
        ("{instruction:>99}", "{instruction:>99} is not a known placeholder"),
    ],
)
def test_a_template_names_what_is_wrong_with_it(template: str, problem: str | None) -> None:
    problems = template_problems(template, allowed=ALLOWED, required={"instruction"})
    assert (problem is None and problems == []) or (problem is not None and any(problem in text for text in problems))


def test_braces_inside_values_stay_as_they_are() -> None:
    assert template_render("{{x}} {title}", {"title": "{instruction} {{", "instruction": "never"}) == "{x} {instruction} {{"
