"""JSON takes what came as JSON."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tenants.json_encoding import json_bytes


def test_values_that_only_the_standard_library_writes_are_written() -> None:
    assert json_bytes({"n": 2**70, "w": "ü"}) == b'{"n": 1180591620717411303424, "w": "\\u00fc"}'
    assert json_bytes(["\ud800"]) == b'["\\ud800"]'


@pytest.mark.parametrize("number", [1, 2**70])
def test_a_value_that_is_no_json_is_refused(number: int) -> None:
    with pytest.raises(TypeError):
        json_bytes([number, Decimal("1.5")])
    assert json_bytes([number, Decimal("1.5")], default=str).replace(b" ", b"") == f'[{number},"1.5"]'.encode()
