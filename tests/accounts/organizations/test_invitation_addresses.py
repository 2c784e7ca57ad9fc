"""Which addresses the invitation page reads from a list and from a file."""

from __future__ import annotations

import pytest

from accounts.invitations.addresses import Reader, addresses_read, csv_read


def reader() -> Reader:
    return Reader(roles=("member", "viewer"), groups={"sales"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a@x.org b@x.org", ["a@x.org", "b@x.org"]),
        ("a@x.org,b@x.org;c@x.org\nd@x.org", ["a@x.org", "b@x.org", "c@x.org", "d@x.org"]),
        ('"Lee, Ann" <ann@x.org>, Bo <bo@x.org>', ["ann@x.org", "bo@x.org"]),
        ("A@X.org a@x.ORG", ["a@x.org"]),
        ("a@x.org nobody @x.org a@", ["a@x.org"]),
        ("", []),
    ],
)
def test_addresses_of_a_list(text: str, expected: list[str]) -> None:
    assert [invitee.email for invitee in addresses_read(text, reader()) if not invitee.problem] == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"a@x.org\nb@x.org\n", ["a@x.org", "b@x.org"]),
        (b"\xef\xbb\xbfE-mail;Role\r\na@x.org;viewer\r\n", ["a@x.org"]),
        (b"role\temail\nviewer\ta@x.org\n", ["a@x.org"]),
        (b'email,groups\n"a@x.org","Sales; Sales"\n', ["a@x.org"]),
        (b"\n\n", []),
    ],
)
def test_addresses_of_a_file(content: bytes, expected: list[str]) -> None:
    assert [invitee.email for invitee in csv_read(content, reader()) if not invitee.problem] == expected


@pytest.mark.parametrize("content", [b"\xff\xfe", b"name,role\nx,y\n", b"a\x00b", b"x" * 300_000, b"a@x.org\n" * 501])
def test_a_file_that_is_none_says_why(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"\.$"):
        csv_read(content, reader())
