"""Names of spans and attributes, by OpenTelemetry's conventions for generative AI (semantic-conventions-genai, in development).

They change between versions, so they stand here alone. Ours begin with `parley.`.
"""

from __future__ import annotations

from typing import Final

OPERATION: Final = "gen_ai.operation.name"
CHAT: Final = "chat"
INVOKE_AGENT: Final = "invoke_agent"
EXECUTE_TOOL: Final = "execute_tool"

PROVIDER: Final = "gen_ai.provider.name"
REQUEST_MODEL: Final = "gen_ai.request.model"
RESPONSE_MODEL: Final = "gen_ai.response.model"
FINISH_REASONS: Final = "gen_ai.response.finish_reasons"
INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
CACHED_TOKENS: Final = "gen_ai.usage.cache_read.input_tokens"
CONVERSATION: Final = "gen_ai.conversation.id"
AGENT: Final = "gen_ai.agent.name"
TOOL: Final = "gen_ai.tool.name"
TOOL_CALL: Final = "gen_ai.tool.call.id"

ERROR: Final = "error.type"
HTTP_METHOD: Final = "http.request.method"
HTTP_ROUTE: Final = "http.route"
HTTP_STATUS: Final = "http.response.status_code"
TASK: Final = "messaging.message.id"
LANE: Final = "messaging.destination.name"

ORGANIZATION: Final = "parley.organization.id"
RUN: Final = "parley.run.id"
REQUEST: Final = "parley.request.id"
EPOCH: Final = "parley.run.epoch"
OUTCOME: Final = "parley.outcome"
STEP: Final = "parley.step"
CALL_KIND: Final = "parley.call.kind"
ENDPOINT: Final = "parley.endpoint"
COST: Final = "parley.cost_usd"
FIRST_TOKEN_MS: Final = "parley.first_token_ms"  # noqa: S105  no password
