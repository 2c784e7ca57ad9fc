from tests.support.agents.gemini import gemini
from tests.support.suite.time_limits import long_breaker_timeout

__all__ = ["gemini", "long_breaker_timeout"]
