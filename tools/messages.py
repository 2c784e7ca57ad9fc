"""The server's message catalogues: collects what is marked, keeps the translations, and compiles them (`make messages`).

Babel reads and writes the files, so no machine needs a gettext of its own. A text whose English changed is a new text; one that is marked
no longer is dropped.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import babel.messages.catalog
import django
import unfold
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
LOCALES = ROOT / "locale"
APPS = (
    "tenants", "security", "admin_config", "limits", "accounts", "files", "artifacts", "gallery", "agents", "chat", "sharing", "embed",
    "evaluations", "usage", "retention", "config",
)  # fmt: skip
THEME = Path(unfold.__file__).parent
THEME_UNUSED = {"contrib", "crispy", "auth", "registration", "login.html", "password_change_done.html", "command_results.html"}  # by Parley
DJANGO_CATALOGUES = tuple(Path(django.__file__).parent / folder for folder in ("conf", "contrib/admin", "contrib/auth"))
NO_DATE = datetime(2026, 1, 1, tzinfo=UTC)  # of both files: a real one would differ with each run
# The functions of django.utils.translation, by what their arguments are; `_` is gettext_noop in tables.
SINGLE = {"gettext", "gettext_lazy", "gettext_noop", "_"}
PLURAL = {"ngettext", "ngettext_lazy"}
WITH_CONTEXT = {"pgettext", "pgettext_lazy"}
TAG = re.compile(r"""{%-?\s*trans(?:late)?\s+(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)')(?:\s+context\s+"(?P<context>[^"]*)")?[^%]*%}""")
BLOCK = re.compile(r"{%\s*blocktrans(?:late)?\b(?P<options>[^%]*)%}(?P<text>.*?){%\s*endblocktrans(?:late)?\s*%}", re.DOTALL)
PLURAL_TAG = re.compile(r"{%\s*plural\s*%}")
ARGUMENT = re.compile(r"""[:=]_\((?:"([^"]*)"|'([^']*)')\)""")  # of a filter or a tag
DATE = re.compile(r"""\|date:["']([^"']*\bj\b[^"']*)["']""")
DATE_CONTEXT = "format of a date, in Django's letters"  # tenants.templatetags.dates
VALUE = re.compile(r"{{\s*(\w+)\s*}}")


@dataclass(frozen=True, slots=True)
class Message:
    """A marked text. `plural`: "" unless it depends on a number; `context`: what tells it from the same text elsewhere."""

    text: str
    plural: str = ""
    context: str = ""


def marked_messages() -> list[Message]:
    """Return what is marked in Python and in templates, each once, app by app."""
    python = (message for app in APPS for file in sorted((ROOT / app).rglob("*.py")) for message in python_messages(file.read_text()))
    pages = (message for file in sorted((ROOT / "templates").rglob("*.html")) for message in template_messages(file.read_text()))
    return list(dict.fromkeys([*python, *pages, *theme_messages()]))


def theme_messages() -> Iterator[Message]:
    """Yield what the admin's theme says, which has no catalogue: without what Django says itself, and what Parley has of its own."""
    django_texts = {text for folder in DJANGO_CATALOGUES for text in _texts_of(folder)}
    for file in sorted(THEME.rglob("*")):
        if file.suffix in {".html", ".py"} and not THEME_UNUSED & set(file.relative_to(THEME).parts):
            messages = template_messages(file.read_text()) if file.suffix == ".html" else python_messages(file.read_text())
            yield from (message for message in messages if message.text not in django_texts)


def _texts_of(folder: Path) -> Iterator[str]:
    with (folder / "locale" / "de" / "LC_MESSAGES" / "django.po").open("rb") as file:
        for message in read_po(file, locale="de"):
            yield message.id if isinstance(message.id, str) else message.id[0]


def python_messages(source: str) -> Iterator[Message]:
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            continue
        texts = [each.value for each in node.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
        match node.func.id, texts:
            case name, [text, *_] if name in SINGLE:
                yield Message(text)
            case name, [text, plural, *_] if name in PLURAL:
                yield Message(text, plural=plural)
            case name, [context, text, *_] if name in WITH_CONTEXT:
                yield Message(text, context=context)
            case "date_in_words", [pattern]:
                yield Message(pattern, context=DATE_CONTEXT)


def template_messages(source: str) -> Iterator[Message]:
    for match in TAG.finditer(source):
        yield Message((match["double"] or match["single"] or "").replace("%", "%%"), context=match["context"] or "")
    for match in BLOCK.finditer(source):
        forms = [_block_text(form, is_trimmed="trimmed" in match["options"]) for form in PLURAL_TAG.split(match["text"])]
        yield Message(*forms)
    for match in ARGUMENT.finditer(source):
        yield Message(match[1] or match[2])
    for match in DATE.finditer(source):
        yield Message(match[1], context=DATE_CONTEXT)


def _block_text(text: str, *, is_trimmed: bool) -> str:
    """Return what Django looks up for a block: values as %(name)s, and with `trimmed` its lines as one."""
    text = VALUE.sub(r"%(\1)s", text.replace("%", "%%"))
    return " ".join(line.strip() for line in text.strip().splitlines()) if is_trimmed else text


def catalogue_path(language: str) -> Path:
    return LOCALES / language / "LC_MESSAGES" / "django.po"


def catalogue_read(language: str) -> Catalog:
    with catalogue_path(language).open("rb") as file:
        catalogue = read_po(file, locale=language)
    catalogue.creation_date = catalogue.revision_date = NO_DATE
    return catalogue


def catalogue_update(language: str) -> Catalog:
    """Return the catalogue with each marked text and no other; new ones have no translation yet."""
    old_catalogue, new_catalogue = catalogue_read(language), Catalog(locale=language)
    for message in marked_messages():
        entry = old_catalogue.get(message.text, message.context or None)
        text: str | tuple[str, str] = (message.text, message.plural) if message.plural else message.text
        translation = entry.string if entry and isinstance(entry.string, str) != bool(message.plural) else ""
        new_catalogue.add(text, translation or (("", "") if message.plural else ""), context=message.context or None)
    return new_catalogue


def source_bytes(catalogue: Catalog) -> bytes:
    """Return the PO file. Its head names no dates, which would differ with each run."""
    head = {
        "Language": catalogue.locale_identifier,
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        "Plural-Forms": catalogue.plural_forms,
    }
    lines = "".join(f'"{name}: {value}\\n"\n' for name, value in head.items())
    file = BytesIO()
    write_po(file, catalogue, width=0, omit_header=True)
    return f'msgid ""\nmsgstr ""\n{lines}\n'.encode() + file.getvalue().lstrip()


def compiled_bytes(catalogue: Catalog) -> bytes:
    file = BytesIO()
    write_mo(file, catalogue)
    return file.getvalue()


def main() -> None:
    for language in sorted(folder.name for folder in LOCALES.iterdir()):
        path = catalogue_path(language)
        path.write_bytes(source_bytes(catalogue_update(language)))
        catalogue = catalogue_read(language)
        path.with_suffix(".mo").write_bytes(compiled_bytes(catalogue))
        missing = sum(1 for message in catalogue if message.id and not all(translations(message)))
        print(f"{language}: {len(catalogue)} texts, {missing} without a translation")


def translations(message: babel.messages.catalog.Message) -> tuple[str, ...]:
    """Return the translation, or those of one and of many; "" where there is none."""
    return (message.string,) if isinstance(message.string, str) else tuple(message.string or ("",))


if __name__ == "__main__":
    main()
