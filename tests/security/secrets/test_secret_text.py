from __future__ import annotations

import copy
import json
import pickle
from dataclasses import asdict, dataclass

import pytest

from security.secrets.secret_text import SecretText

VALUE = "AIzaSy-very-secret"


@dataclass
class Holder:
    key: SecretText


def test_only_reveal_gives_the_value() -> None:
    assert SecretText(VALUE).reveal() == VALUE


@pytest.mark.parametrize(
    "formatter", [repr, str, "{}".format, "{!r}".format, lambda secret: f"{secret}", lambda secret: repr(Holder(secret))]
)
def test_formatting_does_not_show_it(formatter: object) -> None:
    assert VALUE not in formatter(SecretText(VALUE))  # type: ignore[operator]


@pytest.mark.parametrize("write", [json.dumps, pickle.dumps, copy.deepcopy, copy.copy, lambda secret: asdict(Holder(secret)), vars])
def test_secret_text_cannot_be_pickled_or_serialized(write: object) -> None:
    with pytest.raises(TypeError):
        write(SecretText(VALUE))  # type: ignore[operator]
