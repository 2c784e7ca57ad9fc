"""Kinds of artifacts: one entry per kind. The browser gets them as ARTIFACT_KINDS and adds each one's views (frontend/src/artifacts)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from django.utils.translation import gettext_noop

from artifacts.errors import UnknownKind

Body = Literal["markdown", "rows", "code", "file"]


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A kind of file that artifacts become."""

    name: str  # in URLs; also the file's extension
    label: str
    mime: str


MARKDOWN = ExportFormat("md", "Markdown", "text/markdown")
PDF = ExportFormat("pdf", "PDF", "application/pdf")
WORD = ExportFormat("docx", "Word", "application/vnd.openxmlformats-officedocument.wordprocessingml.document")
PNG = ExportFormat("png", "PNG", "image/png")


@dataclass(frozen=True, slots=True)
class ArtifactKind:
    """One kind of artifact."""

    name: str
    label: str
    body: Body  # how it is read; a file has no content, but its version's metadata names one
    fence_languages: frozenset[str]  # info strings of a code fence that a model may wrap around a whole answer of this kind
    extension: str  # of its source as a file
    mime: str  # of its source as a file
    exports: tuple[ExportFormat, ...]  # besides its source
    language: str = ""  # whose rules the editor follows; by_title: that of the extension in its title

    @property
    def is_editable(self) -> bool:
        return self.body != "file"


# fmt: off
CODE_FENCES = frozenset({
    "bash", "c", "cpp", "csharp", "css", "dart", "dockerfile", "elixir", "go", "graphql", "haskell", "html", "ini", "java",
    "javascript", "js", "json", "jsx", "kotlin", "less", "lua", "makefile", "markdown", "md", "perl", "php", "powershell",
    "python", "py", "r", "ruby", "rust", "rs", "sass", "scala", "scss", "sh", "shell", "sql", "svelte", "swift", "toml", "ts",
    "tsx", "typescript", "vue", "xml", "yaml", "yml", "zig",
})
# fmt: on

# fmt: off
TEXT = ArtifactKind("text", gettext_noop("Document"), "markdown", frozenset({"markdown", "md"}), "md", "text/markdown", (PDF, WORD), "markdown")
PYTHON = ArtifactKind("python", gettext_noop("Python"), "code", frozenset({"python", "py", "python3"}), "py", "text/x-python", (PDF, WORD, MARKDOWN), "python")
MERMAID = ArtifactKind("mermaid", gettext_noop("Diagram"), "code", frozenset({"mermaid", "mmd"}), "mmd", "text/vnd.mermaid", (MARKDOWN,), "mermaid")
CODE = ArtifactKind("code", gettext_noop("Code"), "code", CODE_FENCES, "txt", "text/plain", (PDF, WORD, MARKDOWN), "by_title")
SHEET = ArtifactKind("sheet", gettext_noop("Sheet"), "rows", frozenset({"csv"}), "csv", "text/csv", (PDF, WORD, MARKDOWN))
IMAGE = ArtifactKind("image", gettext_noop("Image"), "file", frozenset(), "png", "image/png", (PNG,))
# fmt: on
KINDS = {kind.name: kind for kind in (TEXT, PYTHON, MERMAID, CODE, SHEET, IMAGE)}


def kind_get(name: str) -> ArtifactKind:
    """Return the kind of this name. Raises UnknownKind."""
    try:
        return KINDS[name]
    except KeyError:
        raise UnknownKind from None


def formats_for_browser() -> dict[str, str]:
    """Return the labels of all formats that a kind is exported to, by name."""
    return {form.name: form.label for kind in KINDS.values() for form in kind.exports}


def kinds_for_browser() -> dict[str, dict[str, object]]:
    """Return what the browser knows of each kind, by name."""
    return {
        kind.name: {
            "label": kind.label,
            "extension": kind.extension,
            "mime": kind.mime,
            "editable": kind.is_editable,
            "language": kind.language,
            "exports": [form.name for form in kind.exports],
        }
        for kind in KINDS.values()
    }
