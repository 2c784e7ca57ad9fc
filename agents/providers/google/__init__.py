"""Google's Gemini API: `adapter` sends a request and streams the answer.

`request` is made of `contents` (the conversation) and `options`, by the `model_traits`. `assembler` reads the answer, `server_tools` in it what
Gemini ran itself, `errors` what failed. `key_check` asks whether a key is accepted.

Loaded by name through `agents.providers.registry`; nothing else is called from outside.
"""
