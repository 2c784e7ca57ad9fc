"""Leaked passwords are found in a sorted file of any size."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from django.core.exceptions import ValidationError

from accounts.sign_in.breached_passwords import BreachedPasswordValidator


def sha1(text: str) -> str:
    return hashlib.sha1(text.encode()).hexdigest().upper()


@pytest.mark.parametrize("count", [1, 2, 3, 500])
@pytest.mark.parametrize("line", ["{}:17\r\n", "{}\n"])
def test_each_password_of_the_list_is_found_and_no_other(count: int, line: str, tmp_path: Path) -> None:
    leaked_passwords = [f"password {number}" for number in range(count)]
    file = tmp_path / "leaked.txt"
    file.write_text("".join(line.format(digest) for digest in sorted(map(sha1, leaked_passwords))), newline="")
    validator = BreachedPasswordValidator(str(file))
    for password in leaked_passwords:
        with pytest.raises(ValidationError, match="leaked passwords"):
            validator.validate(password)
    for number in range(50):
        validator.validate(f"another {number}")


def test_without_a_list_nothing_is_refused() -> None:
    BreachedPasswordValidator().validate("password 1")
