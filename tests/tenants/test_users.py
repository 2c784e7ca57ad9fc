from __future__ import annotations

import pytest
from django.contrib.auth import authenticate
from django.db import IntegrityError, transaction

from tenants.models import User


def test_an_address_is_one_user_however_it_is_written(db: None) -> None:
    user = User.objects.create_user(" Ann@Example.org ", "a long password", name="Ann")
    assert user.email == "ann@example.org"
    assert authenticate(username="ANN@example.ORG", password="a long password") == user
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create_user("ANN@EXAMPLE.ORG")
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create(email="Ann2@example.org")


def test_a_user_without_password_cannot_sign_in(db: None) -> None:
    User.objects.create_user("ann@example.org")
    assert authenticate(username="ann@example.org", password="") is None


def test_an_address_is_needed(db: None) -> None:
    with pytest.raises(ValueError, match="e-mail"):
        User.objects.create_user("  ")


def test_an_operator_has_all_rights_and_a_name_to_show(db: None) -> None:
    operator = User.objects.create_superuser("root@example.org", "a long password")
    assert (operator.is_staff, operator.is_superuser) == (True, True)
    assert (operator.get_full_name(), operator.get_short_name()) == ("root@example.org", "root")
