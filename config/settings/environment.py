"""The environment variables of this process, read once (config.env)."""

from __future__ import annotations

from config.env import read_environment

ENV = read_environment()
