from __future__ import annotations

import time

import pytest

from security.redaction import REDACTED, redact, redact_processor
from tests.support.suite.time_limits import scaled_to_load

GOOGLE = "AIza" + "SyD3mo0123456789abcdefghijklmnopqrs"


@pytest.mark.parametrize(
    "text",
    [
        f"API key {GOOGLE} not valid",
        f"https://api.example/v1?alt=sse&key={GOOGLE}",
        "AQ." + "Ab8RN6LongKeyMaterial_0123456789",
        "Incorrect API key provided: sk-" + "proj-0123456789abcdefXYZ.",
        "sk-" + "ant-api03-0123456789abcdefXYZ",
        "token ghp_" + "0123456789abcdefghijABCDEFGHIJ012345",
        "github_pat_" + "11ABCDEFG0123456789_abcdefghijklmnop",
        "glpat-" + "0123456789abcdefXYZ0",
        "xoxb-" + "123456789012-abcdefXYZ",
        "AKIA" + "IOSFODNN7EXAMPLE",
        "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJVadQssw5c",
        "Authorization: Bearer 0123456789abcdefXYZ",
        "authorization: Basic dXNlcjowMTIzNDU2Nzg5YWJjZGVmWFla",
        '{"x-goog-api-key": "0123456789abcdefXYZ"}',
        "{'api_key': '0123456789abcdefXYZ'}",
        "password=0123456789abcdefXYZ",
        "postgresql://parley:0123456789abcdefXYZ@db/parley",
        "GET /page?token=0123456789abcdefXYZ&x=1",
        "-----BEGIN PRIVATE KEY-----\n0123456789abcdefXYZ\n-----END PRIVATE KEY-----",
        "-----BEGIN RSA PRIVATE KEY-----\n0123456789abcdefXYZ (cut",
    ],
)
def test_keys_are_removed_wherever_they_stand(text: str) -> None:
    output = redact(text)
    assert REDACTED in output
    for secret in (GOOGLE, "0123456789abcdef", "LongKeyMaterial", "IOSFODNN7", "SflKxw", "dXNlcjow", "11ABCDEFG", "123456789012"):
        assert secret not in output


@pytest.mark.parametrize(
    "text",
    [
        "The model gemini-2.5-flash is overloaded. Please try again in 12 s.",
        "Quota exceeded for metric generate_content_free_tier_requests, limit: 20",
        "https://api.example:443/v1beta/models/x:streamGenerateContent?alt=sse",
        "run 3f2b8c1e-7a64-4d5e-9c0b-1a2b3c4d5e6f took 12 ms",
        "The secret of a good risk-assessment is sk-ill.",
        "input_tokens=512 output_tokens=90",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert redact(text) == text


def test_the_rest_of_the_text_stays_readable() -> None:
    assert redact(f"key={GOOGLE}&alt=sse: not valid") == f"key={REDACTED}&alt=sse: not valid"
    assert redact("Authorization: Bearer 0123456789abcdef") == f"Authorization: Bearer {REDACTED}"


def test_log_events_are_cleaned_in_depth() -> None:
    event = {
        "event": f"failed with {GOOGLE}",
        "status": 403,
        "ok": None,
        "api_key": "short",
        "request": {"headers": [("authorization", "Bearer 0123456789abcdef")], "password": "short"},
        "error": ValueError(f"bad {GOOGLE}"),
    }
    assert redact_processor(None, "error", event) == {
        "event": f"failed with {REDACTED}",
        "status": 403,
        "ok": None,
        "api_key": REDACTED,
        "request": {"headers": [["authorization", f"Bearer {REDACTED}"]], "password": REDACTED},
        "error": f"bad {REDACTED}",
    }


@pytest.mark.parametrize("piece", ["a", "eyJaaaaaaaa.", "://a:", "key=", "sk-", "-----BEGIN ", "Bearer ", '"password" '])
def test_long_texts_take_no_long_time(piece: str) -> None:
    started = time.process_time()
    redact(piece * (200_000 // len(piece)))
    assert time.process_time() - started < scaled_to_load(2)
