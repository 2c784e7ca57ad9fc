"""Names are nouns: a participle alone says what happened to a thing, not what it is (CONTRIBUTING, "How the code reads")."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PARTICIPLE = re.compile("asked|brought|found|given|heard|held|kept|known|made|said|sent|shown|spoken|taken|told|wanted")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
IN_STORED_OR_SENT_JSON = {"CompactedHistory.kept", "MessagePlace.shown"}


def sources() -> Iterator[Path]:
    for place in ROOT.iterdir():
        if (place / "__init__.py").exists():
            yield from (path for path in place.rglob("*.py") if "migrations" not in path.parts)


def bound_names(function: ast.AST) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.MatchAs | ast.MatchStar | ast.ExceptHandler) and node.name:
            yield node.name


def test_no_variable_is_named_by_a_participle_alone() -> None:
    participles = [
        f"{path.relative_to(ROOT)}: {name} in {function.name}"
        for path in sources()
        for function in ast.walk(ast.parse(path.read_text()))
        if isinstance(function, FUNCTIONS)
        for name in bound_names(function)
        if PARTICIPLE.fullmatch(name.strip("_"))
    ]
    assert participles == []


def own_names(kind: ast.ClassDef) -> Iterator[str]:
    """The fields, properties and methods of a class, and the attributes that its methods set."""
    for node in kind.body:
        if isinstance(node, FUNCTIONS):
            yield node.name
        elif isinstance(node, ast.AnnAssign | ast.Assign):
            yield from (target.id for target in ast.walk(node) if isinstance(target, ast.Name) and isinstance(target.ctx, ast.Store))
    yield from (node.attr for node in ast.walk(kind) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store))


def test_no_field_or_method_is_named_by_a_participle_alone() -> None:
    participles = {
        f"{kind.name}.{name}": str(path.relative_to(ROOT))
        for path in sources()
        for kind in ast.walk(ast.parse(path.read_text()))
        if isinstance(kind, ast.ClassDef)
        for name in own_names(kind)
        if PARTICIPLE.fullmatch(name.strip("_"))
    }
    assert participles.keys() == IN_STORED_OR_SENT_JSON, participles
