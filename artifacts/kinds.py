"""Kinds of artifacts: one entry per kind. The client's counterpart is in frontend/src/artifacts."""

from __future__ import annotations

from dataclasses import dataclass

from artifacts.errors import UnknownKind


@dataclass(frozen=True, slots=True)
class ArtifactKind:
    """One kind of artifact. An image has no content; its version's metadata names a file."""

    name: str
    fence_languages: frozenset[str]  # info strings of a code fence that a model may wrap around a whole answer of this kind
    extension: str  # of its source as a file
    mime: str  # of its source as a file


# fmt: off
CODE_FENCES = frozenset({
    "bash", "c", "cpp", "csharp", "css", "dart", "dockerfile", "elixir", "go", "graphql", "haskell", "html", "ini", "java",
    "javascript", "js", "json", "jsx", "kotlin", "less", "lua", "makefile", "markdown", "md", "perl", "php", "powershell",
    "python", "py", "r", "ruby", "rust", "rs", "sass", "scala", "scss", "sh", "shell", "sql", "svelte", "swift", "toml", "ts",
    "tsx", "typescript", "vue", "xml", "yaml", "yml", "zig",
})
# fmt: on

TEXT = ArtifactKind("text", frozenset({"markdown", "md"}), "md", "text/markdown")
PYTHON = ArtifactKind("python", frozenset({"python", "py", "python3"}), "py", "text/x-python")
MERMAID = ArtifactKind("mermaid", frozenset({"mermaid", "mmd"}), "mmd", "text/vnd.mermaid")
CODE = ArtifactKind("code", CODE_FENCES, "txt", "text/plain")
SHEET = ArtifactKind("sheet", frozenset({"csv"}), "csv", "text/csv")
IMAGE = ArtifactKind("image", frozenset(), "png", "image/png")
KINDS = {kind.name: kind for kind in (TEXT, PYTHON, MERMAID, CODE, SHEET, IMAGE)}


def kind_get(name: str) -> ArtifactKind:
    """Return the kind of this name. Raises UnknownKind."""
    try:
        return KINDS[name]
    except KeyError:
        raise UnknownKind from None
