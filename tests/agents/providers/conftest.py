from tests.support.gemini import gemini
from tests.support.time_limits import long_breaker_timeout

__all__ = ["gemini", "long_breaker_timeout"]
