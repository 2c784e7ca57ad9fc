"""`manage.py operator_create dana@example.org`: makes the first operator of an installation, or a further one."""

from __future__ import annotations

import getpass
import sys
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_email

from accounts.sign_in.operators import operator_create
from tenants.models import User


class Command(BaseCommand):
    """Asks for the password, or reads it from standard input when that is no terminal."""

    help = "Make an account that opens /operator/. An account that exists keeps its password."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--name", default="")

    def handle(self, *args: Any, **options: Any) -> None:
        email = options["email"].strip().lower()
        try:
            validate_email(email)
            exists = User.objects.filter(email=email).exists()
            operator_create(email=email, password="" if exists else self.password(), name=options["name"])
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        self.stdout.write(f"{email} is an operator now. Sign in, set up a second factor, then open /operator/.")

    def password(self) -> str:
        if not sys.stdin.isatty():
            return sys.stdin.readline().rstrip("\n")
        first = getpass.getpass("Password: ")
        if getpass.getpass("Password (again): ") != first:
            raise CommandError("The passwords are not the same. Nothing was changed.")
        return first
