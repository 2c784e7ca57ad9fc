from __future__ import annotations

from tests.chat.conftest import acme, alice, bob, chat_id, gemini, long_breaker_timeout, no_key_in_redis_after_all

__all__ = ["acme", "alice", "bob", "chat_id", "gemini", "long_breaker_timeout", "no_key_in_redis_after_all"]
