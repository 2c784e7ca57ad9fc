"""Schemathesis plays calls that fit the schema, and calls that do not, against the product: each answer is a documented one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import schemathesis
from django.conf import settings as django_settings
from django.core.wsgi import get_wsgi_application
from hypothesis import HealthCheck, Phase, given, settings as hypothesis_settings, strategies
from pytest_django import Settings
from schemathesis import GenerationMode, checks

from tests.artifacts.support import make_artifact
from tests.rest.conftest import make_conversation, signed_in
from tests.support.accounts.cast import Cast
from tests.support.chat.workspace import Workspace

PARTS = 4  # of the calls, so that a slow machine ends each within the limit of one test
EXAMPLES = 3  # of each call, in each mode; to make one up takes longer than to answer it
EXAMPLES_AT_NIGHT = 25
# Streams begin answers of a model; chat tests and the AI SDK's own client play them.
STREAMS = {"sendMessage", "followAnswer"}
# Whether these are accepted depends on more than a schema can say: a file's bytes or the artifact's kind, a public
# address, the days between two fields, the placeholders in a template's text, the names of time zones and networks, the user's own address and password.
JUDGED = {
    *(
        "attachFile",
        "changeProfile",
        "changeTemplate",
        "createSecret",
        "createTemplate",
        "createToken",
        "deleteAccount",
        "exportArtifact",
        "getUsageSummary",
        "giveProof",
        "listUsage",
        "setPicture",
    ),
    "saveVersion",
}
ACCEPTED = ["2xx", "304", "401", "403", "404", "409", "422", "429"]  # 422: the key of another call
CSRF = "c" * 32
CHECKS = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
    checks.negative_data_rejection,
    checks.positive_data_acceptance,
]

QUICK = hypothesis_settings(
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[*HealthCheck],
)


@pytest.mark.django_db(transaction=True, databases=["default", "system"])
@pytest.mark.usefixtures("unlimited")
@pytest.mark.parametrize("part", range(PARTS))
def test_every_answer_is_documented(request: pytest.FixtureRequest, acme: Workspace, cast: Cast, settings: Settings, part: int) -> None:
    settings.ALLOWED_HOSTS = ["localhost"]
    ids = {
        "key": str(make_conversation(cast, cast.alice)),
        "artifact_id": str(make_artifact(cast.actor(cast.alice)).artifact.pk),
        "number": 1,
        "provider": "google",
    }
    schema = schemathesis.openapi.from_wsgi("/o/acme/api/schema/", browser(session_of(cast)))
    schema.config.checks.positive_data_acceptance.expected_statuses = ACCEPTED
    operation_ids = set()
    examples = EXAMPLES_AT_NIGHT if request.config.getoption("nightly") else EXAMPLES
    for operation in calls_of(schema)[part::PARTS]:
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            play(operation, mode, ids, examples)
        operation_ids.add(operation.definition.raw["operationId"])
    assert len(operation_ids) > 25
    assert not operation_ids & STREAMS


def browser(session: str) -> Callable[..., Any]:
    """The product, asked by a signed-in browser."""
    product = get_wsgi_application()
    cookies = {django_settings.CSRF_COOKIE_NAME: CSRF, django_settings.SESSION_COOKIE_NAME: session}
    cookie = "; ".join(f"{name}={value}" for name, value in cookies.items())

    def ask(environ: dict[str, Any], start_response: Any) -> Any:
        plain = {"HTTP_ACCEPT_ENCODING": "identity"}  # schemathesis asks for gzip, which its WSGI client does not unpack
        return product({**environ, **plain, "HTTP_COOKIE": cookie, "HTTP_X_CSRFTOKEN": CSRF}, start_response)

    return ask


def calls_of(schema: Any) -> list[Any]:
    """All calls, deleting ones last: the others play on what is there."""
    operations = [result.ok() for result in schema.get_all_operations()]
    playable = [operation for operation in operations if operation.definition.raw["operationId"] not in STREAMS]
    return sorted(playable, key=lambda operation: operation.method == "delete")


def play(operation: Any, mode: GenerationMode, ids: dict[str, Any], examples: int) -> None:
    is_judged = operation.definition.raw["operationId"] in JUDGED

    @hypothesis_settings(QUICK, max_examples=examples)
    @given(case=operation.as_strategy(generation_mode=mode), is_real=strategies.booleans())
    def calls(case: Any, is_real: bool) -> None:
        if is_real and mode is GenerationMode.POSITIVE and case.path_parameters:
            case.path_parameters = {name: ids.get(name, value) for name, value in case.path_parameters.items()}
        case.call_and_validate(checks=CHECKS, excluded_checks=[checks.positive_data_acceptance] if is_judged else [])

    calls()


def session_of(cast: Cast) -> str:
    return str(signed_in(cast.alice).cookies[django_settings.SESSION_COOKIE_NAME].value)
