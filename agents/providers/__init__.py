"""Providers: adapters that turn a provider's API into engine types.

`anthropic`, `google`, `openai`: one package per vendor, each with adapters, request building and stream assemblers; what is in one API's
errors, such as the wait that it asks for, is read by its `errors`. `registry` lists the providers.
Called by agents.runtime (`registry`, `connection`, `circuit_breaker`, `retry`, `xml_tools`, Anthropic's `model_traits`),
agents.api (`key_check`, `connection`, `model_listing`) and agents.tools.github (`key_check`).
Adapters are imported on first use only.

- `provider_model`: the loop that all of them share, over a `connection`. `http_requests`: makes their requests; `streaming`: sends these and
  reads events.
- `errors`, `retry`, `circuit_breaker`, `reasoning_retry`: what an error means, and what follows it.
- What requests have in common: `option_merging`, `answer_formats`, `native_files`, `entry_tags`, `tool_names`, `tool_schemas`.
- What answers have in common: `citations`, `usage_estimates`, `key_redaction`.
- `xml_tools`: tool calls in text, for models whose endpoint drops the tools. `key_check`: whether a key is accepted.
"""
