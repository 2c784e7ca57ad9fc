"""Redis: clients per event loop, pipelined commands and notifications to a member's open pages.

Any app may call `clients` (key names and connections), `notifications` and `pipeline` (a faster path past redis-py).
"""
