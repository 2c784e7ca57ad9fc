"""What members, and organizations, may send, use and spend: limits (SPEC 8.5; docs/decisions/0046, 0065) and budgets (SPEC 8.6; 0049).

Admins edit limits and budgets on pages of their site. chat.api and chat.openai_api count each message with `counting`, before its run
starts. agents.runtime.spending holds money for each model call with `accounts`, and chat.storage.call_log books it.
"""
