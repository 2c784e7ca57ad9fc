from tests.support.agents.gemini import gemini

__all__ = ["gemini"]
