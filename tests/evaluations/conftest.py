from tests.admin_config.conftest import signed_in
from tests.chat.conftest import acme, alice, bob, charlie, chat_id, gemini, long_breaker_timeout, no_key_in_redis_after_all

__all__ = ["acme", "alice", "bob", "charlie", "chat_id", "gemini", "long_breaker_timeout", "no_key_in_redis_after_all", "signed_in"]
