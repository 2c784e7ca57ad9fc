"""An agent's settings for Gemini, as fields of its requests. Source: https://ai.google.dev/gemini-api/docs/safety-settings."""

from __future__ import annotations

from typing import Any

from admin_config.defaults.provider_settings import GoogleSettings

HARM_CATEGORIES = {
    "harassment": "HARM_CATEGORY_HARASSMENT",
    "hate_speech": "HARM_CATEGORY_HATE_SPEECH",
    "sexually_explicit": "HARM_CATEGORY_SEXUALLY_EXPLICIT",
    "dangerous_content": "HARM_CATEGORY_DANGEROUS_CONTENT",
    "civic_integrity": "HARM_CATEGORY_CIVIC_INTEGRITY",
}


def google_options(settings: GoogleSettings) -> dict[str, Any]:
    thresholds = settings.set_values()
    safety = [{"category": category, "threshold": thresholds[name]} for name, category in HARM_CATEGORIES.items() if name in thresholds]
    return {"safetySettings": safety} if safety else {}
