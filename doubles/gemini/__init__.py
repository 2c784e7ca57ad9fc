"""A strict double of the Gemini API (v1 and v1beta): models, generateContent and streamGenerateContent."""

from doubles.gemini.app import GeminiDouble

__all__ = ["GeminiDouble"]
