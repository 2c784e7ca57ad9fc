from tests.support.gemini import gemini
from tests.support.patience import patient_breakers

__all__ = ["gemini", "patient_breakers"]
