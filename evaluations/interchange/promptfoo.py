"""Reads the `tests` of a promptfoo configuration (https://www.promptfoo.dev/docs/configuration/reference/).

Checks that run a program are refused: this server runs nobody's code.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

import yaml
from django.utils.translation import gettext

from evaluations.graders.answer import ExpectedResult
from evaluations.interchange.cases import CaseContent, case_check, name_of, plain_value, text_of
from tenants.errors import BadRequest
from tenants.input.yaml_texts import YamlReferences, yaml_read

QUESTIONS: Final = ("question", "input", "prompt", "message", "query")  # names of the variable that is the question
PROGRAMS: Final = ("javascript", "python", "ruby", "webhook")
TYPES: Final = "contains, icontains, not-contains, equals, regex, is-json, llm-rubric, cost, latency"
_GAP = re.compile(r"\{\{\s*(\w+)\s*\}\}")


def read(text: str) -> list[CaseContent]:
    """Raises BadRequest, which names the test."""
    try:
        config = yaml_read(text)
    except YamlReferences as error:
        raise BadRequest(gettext("The file uses references (* and &), which are not accepted.")) from error
    except (yaml.YAMLError, ValueError) as error:
        raise BadRequest(gettext("The file is no YAML that can be read.")) from error
    tests = config.get("tests") if isinstance(config, Mapping) else config
    if not isinstance(tests, list):
        raise BadRequest(gettext("The file has no list “tests”."))
    prompt = _prompt(config)
    return [_case(test, prompt, gettext("Test %(number)s") % {"number": number}) for number, test in enumerate(tests, start=1)]


def _prompt(config: Any) -> str:
    """Return the first prompt of the file, if it is a text with gaps; prompts in other files are not read."""
    prompts = config.get("prompts") if isinstance(config, Mapping) else None
    first = prompts[0] if isinstance(prompts, list) and prompts else prompts
    return first if isinstance(first, str) and _GAP.search(first) else ""


def _case(raw_test: Any, prompt: str, place: str) -> CaseContent:
    test = plain_value(raw_test, place)
    if not isinstance(test, Mapping):
        raise BadRequest(gettext("%(place)s must have “vars” and “assert”.") % {"place": place})
    question = _question(test.get("vars"), prompt, place)
    checks = test.get("assert") or []
    if not isinstance(checks, list):
        raise BadRequest(gettext("%(place)s: “assert” must be a list.") % {"place": place})
    expected = [_read_expectation(check, place) for check in checks]
    name = name_of(test.get("description"), question)
    return case_check(CaseContent(name=name, messages=[{"role": "user", "text": question}], expected=expected), place)


def _question(variables: Any, prompt: str, place: str) -> str:
    values = {str(name): value for name, value in variables.items()} if isinstance(variables, Mapping) else {}
    if prompt:
        return _GAP.sub(lambda gap: text_of(values.get(gap.group(1), ""), place), prompt)
    name = next((name for name in QUESTIONS if name in values), next(iter(values), "") if len(values) == 1 else "")
    if not name:
        raise BadRequest(gettext("%(place)s: no variable is the question. Name one of them “question”.") % {"place": place})
    return text_of(values[name], place)


def _read_expectation(check: Any, place: str) -> ExpectedResult:
    if not isinstance(check, Mapping):
        raise BadRequest(gettext("%(place)s: each entry of “assert” needs a “type”.") % {"place": place})
    kind, value = str(check.get("type")), check.get("value", "")
    if kind.removeprefix("not-") in PROGRAMS:
        raise BadRequest(
            gettext("%(place)s: “%(kind)s” runs a program, which is not done here. Use one of: %(types)s.")
            % {"place": place, "kind": kind, "types": TYPES}
        )
    if kind == "is-json":
        return ExpectedResult("json_schema", json.dumps(value) if isinstance(value, Mapping) else text_of(value, place))
    match kind:
        case "contains" | "equals" | "regex":
            return ExpectedResult(kind, text_of(value, place))
        case "not-contains":
            return ExpectedResult("not_contains", text_of(value, place))
        case "llm-rubric":
            return ExpectedResult("judge", text_of(value, place))
        case "icontains":
            return ExpectedResult("regex", f"(?i){re.escape(text_of(value, place))}")
        case "cost":
            return ExpectedResult("cost", text_of(check.get("threshold"), place))
        case "latency":
            return ExpectedResult("latency", _seconds(check.get("threshold"), place))
    raise BadRequest(
        gettext("%(place)s: “%(kind)s” is not known here. Use one of: %(types)s.") % {"place": place, "kind": kind, "types": TYPES}
    )


def _seconds(milliseconds: Any, place: str) -> str:
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, (int, float)):
        raise BadRequest(gettext("%(place)s: “latency” needs a “threshold” in milliseconds.") % {"place": place})
    return f"{milliseconds / 1000:g}"
