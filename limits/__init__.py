"""How many messages members, and organizations, may send in a minute, an hour, a day and 30 days (SPEC 8.5; docs/decisions/0046).

Admins edit the limits on a page of their site. chat.api and chat.openai_api count each message with `counting`, before its run starts.
"""
