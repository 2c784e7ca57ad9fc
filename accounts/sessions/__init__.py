"""Sessions: where somebody is signed in, and how long that lasts.

- `session_list`: shown and ended; accounts.sign_in and accounts.sso call it. `device_names`: what people call a device.
- `policy`: how long organizations let sessions last; accounts.tasks calls it.

The rows are tenants.authentication.sessions.
"""
