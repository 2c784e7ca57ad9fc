"""Parley's own settings."""

from __future__ import annotations

from admin_config.defaults.providers import PROVIDERS
from config.settings.environment import ENV

PUBLIC_URL = ENV.public_url.geturl().rstrip("/")
ALLOWED_ORIGINS = [PUBLIC_URL]  # for WebSocket handshakes
LOCAL_NAMES_OPEN_SOCKETS = ENV.is_local  # also http://parley.localhost:8000, where passkeys work

REDIS_URL = ENV.redis_url
REDIS_BROKER_URL = ENV.redis_broker_url  # empty: REDIS_URL's (tenants.redis.stores). So for the next two
REDIS_CACHE_URL = ENV.redis_cache_url
REDIS_EVENT_LOG_URL = ENV.redis_event_log_url
REDIS_PREFIX = ENV.redis_prefix

DB_PREPARE = ENV.db_prepare == "1"  # tenants.postgres.prepared_statements
DB_INLINE = False  # True in tests: in_db stays on the test's connection

CREDENTIAL_KEYS = ENV.credential_keys  # id -> 32-byte key, the current key first
BACKUP_KEY = ENV.backup_key  # 32 bytes, or None
EGRESS_ALLOW = ENV.egress_allow  # (host, port) of private addresses that the operator allows
OWN_ADDRESSES = ENV.own_addresses  # where Parley is reached from outside, and what else must never be called: hosts, IP addresses, networks
FETCH_ALLOW = ENV.fetch_allow  # (host, port) of private addresses from which models may fetch pages
DEMO_PROVIDER_URL = ENV.demo_provider_url
# The platform's own keys, by provider.
PROVIDER_KEYS: dict[str, str] = {name: getattr(ENV, spec.key_variable.lower()) for name, spec in PROVIDERS.items() if spec.key_variable}
RUN_EXECUTOR = ENV.run_executor
BEAT_IN_WORKERS = ENV.beat_in_workers == "1"
DRAIN_NOTICE_S = ENV.drain_notice_s
DRAIN_S = ENV.drain_s
MIGRATION_WAIT_S = ENV.migration_wait_s
RETENTION_MIN_DAYS = ENV.retention_min_days
RETENTION_MAX_DAYS = ENV.retention_max_days
API_REQUESTS_PER_MINUTE = {
    "read": ENV.api_reads_per_minute,
    "write": ENV.api_writes_per_minute,
    "chat": ENV.api_chats_per_minute,
}  # of one member or API token; 0: no limit
ORGANIZATION_FACTOR = ENV.api_organization_factor  # how many times as much an organization may do; 0: no limit
SECURITY_CONTACT = ENV.security_contact
SECURITY_POLICY_URL = ENV.security_policy_url
MCP_STDIO_SERVERS = ENV.mcp_stdio_servers  # name -> command, args, env; the database holds only the names
PLATFORM_AUDIT_ADDRESSES = ENV.platform_audit_addresses
PLATFORM_AUDIT_DAYS = ENV.platform_audit_days
DATA_DIR = ENV.parley_data_dir
USERS_MAKE_ORGANIZATIONS = ENV.users_make_organizations == "1"
