"""Reads the addresses of invitations from a list that somebody typed, or from a CSV file."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext

MAX_ADDRESSES = 500  # of one list or file
MAX_CSV_BYTES = 256 * 1024
_SEPARATORS = re.compile(r"[\s,;]+")
_NAME_BEFORE = re.compile(r"[^<>,;\n]*<([^<>]+)>")  # "Ann Lee <ann@example.org>"


@dataclass(frozen=True)
class Invitee:
    """One line: an address with its role and groups ("": those of the form), or why it can't be invited."""

    line: int
    email: str
    role: str = ""
    groups: tuple[str, ...] = ()
    problem: str = ""


@dataclass
class Reader:
    """Checks addresses one after another. `roles`: what the inviter may give; `groups`: names that exist, by lower case."""

    roles: Collection[str]
    groups: Collection[str]
    domains: Collection[str] = ()  # allowed by the organization; empty: all
    members: Collection[str] = ()  # addresses that are members already
    _addresses: set[str] = field(default_factory=set)

    def read(self, line: int, email: str, role: str = "", groups: Iterable[str] = ()) -> Invitee:
        email, role = email.strip().lower(), role.strip().lower()
        names = tuple(name.strip() for name in groups if name.strip())
        problem = self._problem(email, role, names)
        self._addresses.add(email)
        return Invitee(line, email, role, names, problem)

    def _problem(self, email: str, role: str, groups: tuple[str, ...]) -> str:
        try:
            validate_email(email)
        except ValidationError:
            return gettext("This is not an e-mail address.")
        if email in self._addresses:
            return gettext("This address is there twice.")
        if email in self.members:
            return gettext("Is a member already.")
        if problem := domain_problem(email.rsplit("@", 1)[1], self.domains):
            return problem
        if role and role not in self.roles:
            return gettext("You can't give the role %(role)s. Possible: %(roles)s.") % {"role": role, "roles": ", ".join(self.roles)}
        unknown = [name for name in groups if name.lower() not in self.groups]
        return gettext("There is no group %(unknown)s.") % {"unknown": unknown[0]} if unknown else ""


def domain_problem(domain: str, allowed_domains: Collection[str]) -> str:
    """Return why addresses of the domain can't be invited; "" if they can. `allowed_domains`: the organization's; empty: all."""
    if not allowed_domains or domain in allowed_domains:
        return ""
    return gettext("%(domain)s isn't an allowed domain. Allowed: %(domains)s.") % {
        "domain": domain,
        "domains": ", ".join(sorted(allowed_domains)),
    }


def addresses_read(text: str, reader: Reader) -> list[Invitee]:
    """Return the addresses of a list, separated by spaces, commas, semicolons or lines; names before <addresses> are left out."""
    plain = _NAME_BEFORE.sub(r" \1 ", text.replace("\x00", ""))
    words = [word for word in _SEPARATORS.split(plain) if word]
    return _list_up_to_limit(reader.read(number, word) for number, word in enumerate(words, start=1))


def csv_read(content: bytes, reader: Reader) -> list[Invitee]:
    """Return the lines of a CSV file with the columns email, role, groups (separated by `;`) in any order, or with addresses alone.

    Raises ValueError with a sentence for the user when the file can't be read.
    """
    if len(content) > MAX_CSV_BYTES:
        raise ValueError(gettext("The file is larger than %(value)s kB.") % {"value": MAX_CSV_BYTES // 1024})
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(gettext("The file is not text in UTF-8. Save it as CSV in UTF-8.")) from None
    if "\x00" in text:
        raise ValueError(gettext("The file is not a CSV file."))
    return _list_up_to_limit(_csv_rows(text, reader))


def _csv_rows(text: str, reader: Reader) -> Iterator[Invitee]:
    first = text.split("\n", 1)[0]
    separator = max(",;\t", key=first.count)
    rows = csv.reader(io.StringIO(text), delimiter=separator)
    columns = {"email": 0, "role": 1, "groups": 2}
    try:
        for row in rows:
            cells = [cell.strip() for cell in row]
            if rows.line_num == 1 and any(cells) and "@" not in "".join(cells):
                columns = _header(cells)
            elif any(cells):
                email, role, groups = (
                    cells[at] if (at := columns.get(name, -1)) >= 0 and at < len(cells) else "" for name in ("email", "role", "groups")
                )
                yield reader.read(rows.line_num, email, role, re.split(r"[;|]", groups))
    except csv.Error as error:
        raise ValueError(gettext("Line %(line_num)s can't be read: %(error)s.") % {"line_num": rows.line_num, "error": error}) from None


def _header(cells: list[str]) -> dict[str, int]:
    aliases = {"e-mail": "email", "mail": "email", "address": "email", "group": "groups"}
    names = [aliases.get(cell.lower(), cell.lower()) for cell in cells]
    if "email" not in names:
        raise ValueError(gettext("The first line names no column email. Columns: email, role, groups."))
    return {name: names.index(name) for name in ("email", "role", "groups") if name in names}


def _list_up_to_limit(invitees: Iterable[Invitee]) -> list[Invitee]:
    batch: list[Invitee] = []
    for invitee in invitees:
        if len(batch) == MAX_ADDRESSES:
            raise ValueError(
                gettext("These are more than %(max_addresses)s addresses. Send them in parts.") % {"max_addresses": MAX_ADDRESSES}
            )
        batch.append(invitee)
    return batch
