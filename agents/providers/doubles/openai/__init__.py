"""A strict double of the OpenAI API: models, responses and chat/completions, the last also as compatible servers speak it."""

from agents.providers.doubles.openai.app import OpenAIDouble
from agents.providers.doubles.openai.habits import Habits

__all__ = ["Habits", "OpenAIDouble"]
