"""Anthropic's Messages API: `adapter` sends a request and streams the answer.

`request` is made of `messages` (the conversation) and `options`, by the `model_traits`. `assembler` reads the answer block by block (`blocks`),
`server_tools` in it what Anthropic ran itself, `errors` what failed.

Loaded by name through `agents.providers.registry`. agents.runtime also reads `model_traits`, to tell which options a model accepts.
"""
