"""`manage.py operator_create dana@example.org`: makes the first operator of an installation, or a further one."""

from __future__ import annotations

import getpass
import sys
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_email

from accounts.organizations.services import organization_create
from accounts.sign_in.operators import operator_create
from tenants.errors import BadRequest
from tenants.models import User


class Command(BaseCommand):
    """Asks for the password, or reads it from standard input when that is no terminal."""

    help = "Create an account that opens /operator/. An account that exists keeps its password."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--name", default="")
        parser.add_argument("--organization", default="", help="also make an organization of this name, which the account owns")

    def handle(self, *args: Any, **options: Any) -> None:
        email = options["email"].strip().lower()
        try:
            validate_email(email)
            exists = User.objects.filter(email=email).exists()
            user = operator_create(email=email, password="" if exists else self.password(), name=options["name"])
            if options["organization"]:
                organization = organization_create(name=options["organization"], owner=user)
                self.stdout.write(f"{organization.name} is at {settings.PUBLIC_URL}/o/{organization.slug}/")
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        except BadRequest as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{email} is an operator now. Sign in, set up a second factor, then open /operator/.")

    def password(self) -> str:
        if not sys.stdin.isatty():
            return sys.stdin.readline().rstrip("\n")
        first = getpass.getpass("Password: ")
        if getpass.getpass("Password (again): ") != first:
            raise CommandError("The passwords are not the same. Nothing was changed.")
        return first
