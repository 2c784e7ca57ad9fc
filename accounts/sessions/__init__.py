"""Sessions: where somebody is signed in, and how long that lasts.

- `session_list`: shown and ended; accounts.sign_in and accounts.sso call it. `device_names`: what people call a device.
- `policy`: ends sessions that are older, or idle for longer, than their organizations allow (`MemberPolicy`); accounts.tasks calls it.

The rows are tenants.authentication.sessions.
"""
