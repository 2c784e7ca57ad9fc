"""Providers: adapters that turn a provider's API into engine types.

`anthropic`, `google`, `openai`: one package per vendor, each with adapters, request building and stream assemblers.
`provider_model` is the loop that all of them share. `registry` lists the providers. `retry` and `circuit_breaker` decide what follows
an error. `xml_tools` puts tool calls into text.
Called by agents.runtime (`registry`, `connection`, `circuit_breaker`, `retry`, `xml_tools`, Anthropic's `model_traits`),
agents.api (`key_check`, `connection`) and agents.tools.github (`key_check`).
Adapters are imported on first use only.
"""
