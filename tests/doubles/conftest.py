from tests.support.gemini import gemini

__all__ = ["gemini"]
