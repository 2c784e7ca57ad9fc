"""Provider doubles: stand-ins for the providers' servers, strict about requests and scripted in their answers (ARCHITECTURE 7).

`anthropic`, `gemini`, `openai`, `mcp`, `github`: one double per API. `demo`: the demo provider, which answers from a built-in script.
`script`: answers and recorded requests. `control`: scripting over HTTP. `server`: serves a double, on `asgi`.
`oidc`, `social`: whom people sign in with. `media`: which attached files are refused. `tokens`: how many an answer has. `signals`: what a test waits for.
Called by tests and bench; `python -m tools.embedded` starts the demo as a process. Imports nothing of the product.
"""
