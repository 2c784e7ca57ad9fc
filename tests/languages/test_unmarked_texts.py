"""No text that a member reads is left unmarked: errors, refusals of forms, messages, and the words of pages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from admin_config.errors import RunConfigError
from agents.engine.open_calls import WROTE_INSTEAD
from chat.runs.run_inputs import EXPIRED
from tenants.errors import NoTenantContext, ParleyError

ROOT = Path(__file__).resolve().parents[2]
APPS = (
    "tenants", "security", "limits", "accounts", "files", "artifacts", "gallery", "chat", "sharing", "embed", "agents",
    "admin_config", "evaluations", "usage", "retention",
)  # fmt: skip
PAGES = (
    "",
    "account",
    "account/parts",
    "accounts",
    "mfa",
    "mfa/recovery_codes",
    "mfa/totp",
    "mfa/webauthn",
    "registration",
    "sharing",
    "embed",
    "admin",
    "usage",
    "unfold/helpers",
)
NOT_FOR_MEMBERS = {"api_docs.html"}
OF_OTHERS = {"ValidationError", "error", "success", "warning", "info"}  # of forms; of django.contrib.messages
TAG = re.compile(
    r"{#.*?#}|{%\s*comment\s*%}.*?{%\s*endcomment\s*%}|{%-?\s*blocktranslate.*?endblocktranslate\s*%}|{%.*?%}|{{.*?}}", re.DOTALL
)
SILENT = re.compile(r"<(script|style|svg|code|pre|kbd)\b.*?</\1>|<!--.*?-->|<!doctype[^>]*>", re.DOTALL | re.IGNORECASE)
ATTRIBUTE_TEXT = re.compile(r'\b(?:title|aria-label|placeholder|alt)="([^"]*)"')
ICON = re.compile(r"<span\b[^>]*\bmaterial-symbols-outlined\b[^>]*>.*?</span>", re.DOTALL)
NAMES = {
    "Parley",
    "UTC",
    "CSV",
    "JSON Lines",
    "name@company.com",
    "name@example.org",
    "example.org",
    "it-*",
    "https://siem.example.org/parley",
}
CLASSES = {"app-", "model-", "change-form", "dock_to_right"}  # of the body; an icon


def error_names() -> set[str]:
    names, rest = {"SignOnFailed"}, [ParleyError]
    while rest:
        kind = rest.pop()
        names.add(kind.__name__)
        rest += kind.__subclasses__()
    return names - {NoTenantContext.__name__, RunConfigError.__name__}


def is_words(node: ast.AST) -> bool:
    match node:
        case ast.Constant(value=str(text)):
            return " " in text
        case ast.JoinedStr(values=parts):
            return any(isinstance(part, ast.Constant) and re.search(r"[A-Za-z]{2}", str(part.value)) for part in parts)
        case ast.IfExp(body=body, orelse=orelse):
            return is_words(body) or is_words(orelse)
        case _:
            return False


def unmarked_texts(file: Path, errors: set[str]) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text())):
        match node:
            case ast.Call(func=ast.Name(id=name), args=args) if name in errors or name == "ValidationError":
                texts = args
            case ast.Call(func=ast.Attribute(value=ast.Name(id="messages" | "forms"), attr=name), args=args) if name in OF_OTHERS:
                texts = args
            case ast.ClassDef(name=name, body=body) if name in errors:
                texts = [each.value for each in body if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == "message"]
            case _:
                continue
        yield from (f"{file.relative_to(ROOT)}:{text.lineno}: {ast.unparse(text)}" for text in texts if is_words(text))


@pytest.mark.parametrize("app", APPS)
def test_errors_are_marked(app: str) -> None:
    files = [file for file in (ROOT / app).rglob("*.py") if not {"migrations", "management"} & set(file.parts)]
    assert [text for file in files for text in unmarked_texts(file, error_names())] == []


def words_of(page: str) -> Iterator[str]:
    bare = ICON.sub(" ", SILENT.sub(" ", TAG.sub("\0", page)))
    for text in [*ATTRIBUTE_TEXT.findall(bare), *re.split(r"<[^>]*>|\0|·", bare)]:
        if re.search(r"[A-Za-z]{2}", re.sub(r"&\w+;", "", text)) and text.strip() not in NAMES | CLASSES:
            yield text.strip()


def test_pages_before_and_around_the_chat_are_marked() -> None:
    files = [file for folder in PAGES for file in (ROOT / "templates" / folder).glob("*.html") if file.name not in NOT_FOR_MEMBERS]
    assert {file.name: words for file in files if (words := list(words_of(file.read_text())))} == {}


def test_the_page_knows_the_servers_reasons_of_a_refusal() -> None:
    """They are stored in the words that the model reads, and the page has them in other languages."""
    source = (ROOT / "frontend/src/chat/work/RefusalReason.tsx").read_text()
    assert [reason for reason in (EXPIRED, WROTE_INSTEAD) if f"msg`{reason}`" not in source] == []


def test_a_plural_never_depends_on_a_value_that_its_tag_has_made_text() -> None:
    pattern = re.compile(r"{%\s*blocktrans(?:late)?\s+with\b[^%]*?\b(\w+)=[^%]*?\scount\s+\w+=\1\b(?!\.)")
    pages = (ROOT / "templates").rglob("*.html")
    assert [f"{page.name}: {match[1]}" for page in pages for match in pattern.finditer(page.read_text())] == []
