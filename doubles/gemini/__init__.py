"""A strict double of the Gemini API (v1 and v1beta): models, generateContent and streamGenerateContent.

Called through `GeminiDouble`; bench also uses `stream` to render an answer's bytes, and tests use single modules.
"""

from doubles.gemini.app import GeminiDouble

__all__ = ["GeminiDouble"]
