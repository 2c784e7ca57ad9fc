"""Pages and answers at the root of the site that belong to no app. `config.urls` mounts them.

- `home`: `/`. `security_txt`: `/.well-known/security.txt`.
- `health`: whether a process lives and is ready; `config.monitoring.probes` asks the same of workers and beat.
- `proxy_check`: what arrived of a request, for `config.doctor.proxy`.
"""
