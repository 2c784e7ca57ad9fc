"""The environment variables of this process, read once (config.env)."""

from __future__ import annotations

from config.env import read_environment
from config.monitoring.fatal_errors import install_hooks

install_hooks()
ENV = read_environment()
