"""The vendors' SDKs, each imported at its first use.

Two of them take seconds of CPU to import. Every worker of a run collects all tests, and most workers play none that needs an SDK.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["anthropic", "openai"]


class LazyPackage:
    """Stands for a package, which is imported when one of its names is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # what pytest asks each name of a module for
            raise AttributeError(name)
        return getattr(import_module(self._name), name)


if TYPE_CHECKING:
    import anthropic
    import openai
else:
    anthropic, openai = LazyPackage("anthropic"), LazyPackage("openai")
