"""Redis: clients per event loop, notifications to a member's open pages.

Any app may call `clients` (key names and connections) and `notifications`.
"""
